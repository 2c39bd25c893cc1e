"""A solved match: the chance to win for every deck and state of the chips, kept in a file and proved again."""

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import ChipsError, SolutionFileError
from rules.betting.chips import Chips, every_chips
from rules.games.deck_models import DECK_MODELS, DeckModel
from rules.games.match_spec import CHIPS, MatchSpec
from rules.games.registry import from_dict
from solver.solutions import archive

if TYPE_CHECKING:
    from solver.match.sweeps import Result  # which compiles

FORMAT = archive.Format("forehead match table", 1, "match table", compressed=True)
LOOSEST = 4.0
"""The gap that was asked for is at most so many times as wide as the widest bounds; solves come within twice."""
ARRAYS = ("lower", "upper", "values")


class Odds(NamedTuple):
    """The first bettor's chance to win the match lies between these; `value` is in the middle."""

    lower: float
    upper: float

    @property
    def value(self) -> float:
        """The middle of both."""
        return 0.5 * (self.lower + self.upper)


class Heading(NamedTuple):
    """What a table is of, read without its figures.

    Parameters
    ----------
    spec, deck_model, gap
        As `MatchTable` has them.
    digest
        Of the whole table, hexadecimal digits.
    """

    spec: MatchSpec
    deck_model: str
    gap: float
    digest: str


@dataclass(frozen=True, eq=False)
class MatchTable:
    """The match of a game, solved.

    Parameters
    ----------
    spec
        The game and its options at the start of the match: a fresh deck, equal stacks, no carry.
    deck_model
        Which decks later hands are dealt from, one of `rules.games.deck_models.DECK_MODELS`.
    gap
        The bounds are nowhere wider than this, a win probability.
    hand_gap
        NashConv that each hand was solved to.
    lower, upper
        Bounds of the first bettor's chance to win, shape (decks, states), float32, as numbered by the deck model
        and by `rules.betting.chips.every_chips`.
    values
        What the full deck's hands were taken to be worth where they were solved, shape (states,), float32.
    """

    spec: MatchSpec
    deck_model: str
    gap: float
    hand_gap: float
    lower: NDArray[np.float32]
    upper: NDArray[np.float32]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, spec: MatchSpec, deck_model: str, gap: float, result: "Result") -> "MatchTable":
        """Return what a solve has found."""
        return cls(at_start(spec), deck_model, gap, result.gap, result.lower, result.upper, result.values)

    @cached_property
    def model(self) -> DeckModel:
        """The decks by number."""
        return DECK_MODELS[self.deck_model](self.spec)

    @cached_property
    def states(self) -> tuple[Chips, ...]:
        """The chips by number."""
        return every_chips(self.spec.chips.total)

    @cached_property
    def _numbers(self) -> dict[Chips, int]:
        return {chips: number for number, chips in enumerate(self.states)}

    @property
    def widest(self) -> float:
        """The widest bounds of all."""
        return float((self.upper.astype(np.float64) - self.lower).max())

    def odds(self, chips: Chips, deck: int = 0) -> Odds:
        """Look up a state before a hand.

        Parameters
        ----------
        deck
            As numbered by `model`; 0 is the full deck.

        Raises
        ------
        ChipsError
            Where the chips are not those of this match.
        """
        if chips not in self._numbers:
            raise ChipsError(
                f"expected stacks and carry that sum to the {self.spec.chips.total} chips of this match, got "
                f"{chips.s1} + {chips.s2} + {chips.carry} = {chips.total}"
            )
        place = deck, self._numbers[chips]
        return Odds(max(0.0, float(self.lower[place])), min(1.0, float(self.upper[place])))

    @property
    def heading(self) -> "Heading":
        """What can be read of the table without its figures."""
        return Heading(
            self.spec, self.deck_model, self.gap, archive.header_digest(FORMAT.header(self._fields, self._arrays))
        )

    def save(self, path: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Write the table to a file, whole or not at all; the same table gives the same bytes.

        Raises
        ------
        FileExistsError, OSError
            Where there is one and it must not be replaced, or it cannot be written.
        """
        FORMAT.save(path, self._fields, self._arrays, overwrite)

    @property
    def _arrays(self) -> dict[str, NDArray[np.float32]]:
        return {name: getattr(self, name) for name in ARRAYS}

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return {
            "spec": self.spec.to_dict(),
            "deck_model": self.deck_model,
            "gap": self.gap,
            "hand_gap": self.hand_gap,
        }


def at_start(spec: MatchSpec) -> MatchSpec:
    """Return the first hand of the match that a hand belongs to, its objective left aside.

    Raises
    ------
    ChipsError
        Where its chips cannot come from equal stacks.
    """
    total = spec.chips.total
    if total % 2:
        raise ChipsError(f"a match starts with equal stacks, got {total} chips together; an even number is needed")
    start = Chips(total // 2, total // 2, 0)
    return replace(spec.fresh(), chips=start, objective=CHIPS, deck_model="", later=None, line="")


def load(path: str | os.PathLike[str]) -> MatchTable:
    """Load a table from a file and check it.

    Raises
    ------
    SolutionFileError
        Where the file is no table, damaged, or of a later format.
    OSError
        Where it cannot be read.
    """
    name = os.fspath(path)
    with open(path, "rb") as file:
        return read(file, name)


def read(file: IO[bytes], name: str) -> MatchTable:
    """Load a table from an open file, as `load` does; `name` is for errors."""
    with archive.reading(name, FORMAT.what):
        header, arrays = FORMAT.read(file, name, ARRAYS)
        table = MatchTable(
            _match_of(header, name), header["deck_model"], float(header["gap"]), float(header["hand_gap"]), **arrays
        )
        for key, array in arrays.items():
            shape = (len(table.states),) if key == "values" else (table.model.number, len(table.states))
            if array.dtype != np.float32 or array.shape != shape or not np.isfinite(array).all():
                raise SolutionFileError(f"{name} is damaged: its {key} is not what the match needs")
        _check_gaps(table, name)
        return table


def _check_gaps(table: MatchTable, name: str) -> None:
    """Refuse a header that its own figures contradict.

    Raises
    ------
    SolutionFileError
        Where bounds cross, are wider than the gap that the header claims, or much narrower, or where a gap is none.
    """
    if (table.lower > table.upper).any():
        raise SolutionFileError(f"{name} contradicts itself: some of its lower bounds are above the upper ones")
    if not table.widest <= table.gap <= LOOSEST * table.widest:
        raise SolutionFileError(
            f"{name} contradicts itself: its header claims a gap of {table.gap:g}, its widest bounds are "
            f"{table.widest:g} apart"
        )
    if not 0.0 < table.hand_gap < 1.0:
        raise SolutionFileError(f"{name} is damaged: a gap of {table.hand_gap:g} is none that hands are solved to")


def read_heading(file: IO[bytes], name: str) -> Heading:
    """Read what a table is of, as `read` does, but not the table; its figures are not checked."""
    with archive.reading(name, FORMAT.what):
        header, _ = FORMAT.read(file, name)
        return Heading(_match_of(header, name), header["deck_model"], float(header["gap"]), header["checksum"])


def _match_of(header: dict[str, Any], name: str) -> MatchSpec:
    spec = from_dict(header["spec"])
    if not isinstance(spec, MatchSpec):
        raise SolutionFileError(f"{name} is no match table: {spec.game} has no matches")
    if spec != at_start(spec) or spec.to_dict() != header["spec"]:
        raise SolutionFileError(f"{name} is damaged: what it is a table of is not the start of a match")
    return spec
