"""Claims about good play: what is measured of each, and the rule, fixed beforehand, that says whether it holds.

A claim of a text is turned into a statement about numbers of an equilibrium. Nothing here knows an answer: numbers
come from solved hands (`reports.claims.bench`), verdicts from a `Rule` alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

from reports.claims.bench import Bench
from reports.claims.numbers import Number, Numbers

HOLDS, PARTLY, FAILS, NO_CASE = "holds", "holds partly", "fails", "no case"
VERDICTS = (HOLDS, PARTLY, FAILS, NO_CASE)
"""What can become of a claim; the last where nothing that it speaks of ever comes up."""

SLACK = 1e-9
"""Rounding that a threshold forgives."""


class Source(NamedTuple):
    """Where a claim is made: the text, a paragraph of its strategy section, and sentences of it, from 1."""

    text: str
    paragraph: int
    sentences: tuple[int, ...]

    def __str__(self) -> str:
        word = "sentence" if len(self.sentences) == 1 else "sentences"
        listed = ", ".join(map(str, self.sentences))
        return f"text {self.text}, Strategy, paragraph {self.paragraph}, {word} {listed}"


def cited(text: str, paragraph: int, *sentences: int) -> Source:
    """Return a place in a text."""
    return Source(text, paragraph, sentences)


@dataclass(frozen=True)
class Rule:
    """When a claim holds, by one of its numbers.

    Parameters
    ----------
    number
        The name of the number.
    holds, partly
        From where on the claim holds, and holds partly; in the unit of the number, both included.
    why
        Why there.
    at_most
        Whether the number must be small: then both are upper limits.
    """

    number: str
    holds: float
    partly: float
    why: str
    at_most: bool = False

    def verdict(self, value: float) -> str:
        """Return what a number says of the claim."""
        if isnan(value):
            return NO_CASE
        sign = -1.0 if self.at_most else 1.0
        for limit, found in ((self.holds, HOLDS), (self.partly, PARTLY)):
            if sign * value >= sign * limit - SLACK:
                return found
        return FAILS

    def __str__(self) -> str:
        word = "less" if self.at_most else "more"
        return f"holds at {self.holds:g} or {word}, partly at {self.partly:g} or {word}; {self.why}"


@dataclass(frozen=True)
class Claim:
    """A claim of a text's strategy section, and how it is tested.

    Parameters
    ----------
    name
        A few words, unique within a game.
    said
        The claim in this project's words.
    source
        Where the text makes it.
    statement
        What is measured in its place.
    method
        Which hands and spots, and what is averaged by which weights.
    rule
        When it holds.
    reading
        A sentence about the numbers, true whatever they are, with their names as replacement fields.
    measure
        Takes the measurements in one setup.
    alone
        Whether the first setup does, because the stacks do not matter or many hands are solved.
    left_out
        What the text also says and no solved hand can show; "" for nothing.
    """

    name: str
    said: str
    source: Source
    statement: str
    method: str
    rule: Rule
    reading: str
    measure: Callable[[Bench], Numbers]
    alone: bool = False
    left_out: str = ""


class Measured(NamedTuple):
    """A claim's numbers in one setup, and what they say of it."""

    setup: str
    numbers: Mapping[str, Number]
    verdict: str


class Result(NamedTuple):
    """A claim with its numbers in every setup."""

    claim: Claim
    measured: tuple[Measured, ...]

    @property
    def verdict(self) -> str:
        """The verdict over all setups where a case came up: the common one, or partly where they differ."""
        return together([one.verdict for one in self.measured])

    @property
    def key_numbers(self) -> tuple[Number, ...]:
        """The number that the rule goes by, of each setup."""
        return tuple(one.numbers[self.claim.rule.number] for one in self.measured)

    @property
    def reading(self) -> str:
        """The sentence about the numbers, of the first setup."""
        first = self.measured[0]
        told = self.claim.reading.format(**first.numbers)
        return told if len(self.measured) == 1 else f"At {first.setup}: {told}"


def together(verdicts: Sequence[str]) -> str:
    """Join the verdicts of several setups: what all say, else partly; setups without a case say nothing."""
    found = {one for one in verdicts if one != NO_CASE}
    if not found:
        return NO_CASE
    return found.pop() if len(found) == 1 else PARTLY


def results_of(claims: Sequence[Claim], setups: Sequence[Bench]) -> tuple[Result, ...]:
    """Test claims in setups, the first of which is the one that readings are of."""
    results = []
    for claim in claims:
        measured = []
        for bench in setups[:1] if claim.alone else setups:
            numbers = claim.measure(bench)
            verdict = claim.rule.verdict(numbers[claim.rule.number].value)
            measured.append(Measured(bench.name, numbers, verdict))
        results.append(Result(claim, tuple(measured)))
    return tuple(results)
