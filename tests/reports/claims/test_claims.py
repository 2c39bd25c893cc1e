"""Claims of the texts: rules at their thresholds, every sentence covered, every measure against plain enumeration."""

import math

import pytest

from reports.claims.bench import Bench
from reports.claims.claim import FAILS, HOLDS, NO_CASE, PARTLY, Claim, Result, Rule, Source, results_of, together
from reports.claims.numbers import BITS, CHANCE, CHIPS, Number
from reports.claims.report import CLAIMS
from rules.games.registry import hand

# Rules and verdicts.


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(0.6, HOLDS), (0.6 - 1e-6, PARTLY), (0.5, PARTLY), (0.5 - 1e-6, FAILS), (-1.0, FAILS), (math.nan, NO_CASE)],
)
def test_a_rule_at_its_thresholds(value: float, verdict: str) -> None:
    assert Rule("x", 0.6, 0.5, "why").verdict(value) == verdict


@pytest.mark.parametrize(
    ("value", "verdict"), [(1.1, HOLDS), (1.1 + 1e-6, PARTLY), (2.0, PARTLY), (2.0 + 1e-6, FAILS), (math.nan, NO_CASE)]
)
def test_a_rule_for_small_numbers_at_its_thresholds(value: float, verdict: str) -> None:
    assert Rule("x", 1.1, 2.0, "why", at_most=True).verdict(value) == verdict


def test_rounding_does_not_decide() -> None:
    assert Rule("x", 0.3, 0.1, "why").verdict(0.1 + 0.2 - 1e-15) == HOLDS
    assert Rule("x", 0.3, 0.3, "why", at_most=True).verdict(0.1 + 0.2) == HOLDS


@pytest.mark.parametrize(
    ("verdicts", "joined"),
    [
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS, FAILS], PARTLY),
        ([HOLDS, PARTLY], PARTLY),
        ([FAILS, FAILS, FAILS], FAILS),
        ([NO_CASE, FAILS], FAILS),
        ([NO_CASE, NO_CASE], NO_CASE),
    ],
)
def test_verdicts_of_several_setups(verdicts: list[str], joined: str) -> None:
    assert together(verdicts) == joined


def test_a_rule_says_when_it_holds() -> None:
    assert str(Rule("x", 0.6, 0.5, "because")) == "holds at 0.6 or more, partly at 0.5 or more; because"
    assert str(Rule("x", 1.0, 2.0, "because", at_most=True)) == "holds at 1 or less, partly at 2 or less; because"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(0.947, CHANCE, ""), "94.7 %"),
        (Number(0.0, CHANCE, ""), "0 %"),
        (Number(-0.25, CHANCE, ""), "-25.0 %"),
        (Number(-0.001, CHIPS, ""), "0.00 chips"),
        (Number(0.4876, BITS, ""), "0.488 bits"),
        (Number(10.0, "meetings", ""), "10 meetings"),
        (Number(math.nan, CHANCE, ""), "none"),
    ],
)
def test_numbers_are_written_with_their_units(number: Number, text: str) -> None:
    assert str(number) == text


def test_results_are_of_every_setup_or_of_the_first() -> None:
    setups = [Bench(hand("indian-poker", stacks=(stack, stack)), 0.1) for stack in (3, 4)]

    def measure(bench: Bench) -> dict[str, Number]:
        return {"s": Number(float(bench.spec.chips.s1), CHIPS, "the stack")}

    source = Source("000", 1, (1,))
    rule = Rule("s", 4.0, 1.0, "why")
    claims = [Claim(f"c{alone}", "", source, "", "", rule, "{s}", measure, alone=alone) for alone in (False, True)]
    everywhere, first = results_of(claims, setups)
    assert [(one.setup, one.verdict) for one in everywhere.measured] == [("3/3", PARTLY), ("4/4", HOLDS)]
    assert everywhere.verdict == PARTLY
    assert everywhere.reading == "At 3/3: 3.00 chips"
    assert [one.setup for one in first.measured] == ["3/3"]
    assert first.reading == "3.00 chips"


# Every sentence of the texts' strategy sections.

SENTENCES = {
    "indian-poker": ("000", (4, 3, 3, 3, 3, 2)),
    "indian-holdem": ("001", (4, 3, 3, 3, 3, 2)),
    "double-sided": ("004", (3, 3, 2, 3, 3)),
}
"""The text of each game, and how many sentences each paragraph of its strategy section has, headings included."""


@pytest.mark.parametrize("game", CLAIMS)
def test_every_sentence_of_the_advice_is_tested(game: str) -> None:
    text, paragraphs = SENTENCES[game]
    said = {(one.source.paragraph, number) for one in CLAIMS[game] for number in one.source.sentences}
    assert said == {(place, n) for place, count in enumerate(paragraphs, start=1) for n in range(1, count + 1)}
    assert {one.source.text for one in CLAIMS[game]} == {text}


@pytest.mark.parametrize("game", CLAIMS)
def test_claims_are_told_apart_and_fit_a_terminal(game: str) -> None:
    names = [one.name for one in CLAIMS[game]]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 36
    for one in CLAIMS[game]:
        assert one.rule.at_most == (one.rule.holds < one.rule.partly)
        assert one.rule.why
        assert all(text.endswith((".", "?")) for text in (one.said, one.statement, one.method, one.reading))


def test_a_result_with_nothing_measured_says_so() -> None:
    claim = CLAIMS["double-sided"][0]
    numbers = {claim.rule.number: Number(math.nan, CHANCE, "nothing")}
    (one,) = results_of([claim_with(claim, numbers)], [Bench(hand("double-sided", stacks=(2, 2)), 0.1)])
    assert isinstance(one, Result)
    assert (one.verdict, one.reading) == (NO_CASE, "none of the numbers have a sure result.")


def claim_with(claim: Claim, numbers: dict[str, Number]) -> Claim:
    """Return a claim that measures given numbers."""
    return Claim(
        claim.name, claim.said, claim.source, claim.statement, claim.method, claim.rule, claim.reading,
        lambda bench: numbers, alone=True,
    )  # fmt: skip
