"""What later hands are worth, from a match table: all that one hand can lead to, so that a solution can keep it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError, SolutionFileError
from rules.betting.chips import Chips, every_chips
from rules.games.match_spec import Continuation, MatchSpec
from rules.games.registry import hand

if TYPE_CHECKING:
    from rules.games.deck_models import DeckModel

SHOWN_DIGITS = 8
"""Of a table's digest, as many as are shown."""


class Origin(NamedTuple):
    """Which table it comes from: its deck model, how wide its bounds may be, and its digest."""

    deck_model: str
    gap: float
    digest: str


class Rows(NamedTuple):
    """The rows of a table that matter to a hand.

    Parameters
    ----------
    decks
        The numbers of the decks, ascending, shape (rows,), int64: the hand's own or the full one, and those that
        may follow.
    lower, upper
        Bounds of the first bettor's chance to win, shape (rows, states), float32.
    """

    decks: NDArray[np.int64]
    lower: NDArray[np.float32]
    upper: NDArray[np.float32]

    @property
    def widest(self) -> float:
        """The widest of the bounds."""
        return float((self.upper.astype(np.float64) - self.lower).max(initial=0.0))


DIGEST = re.compile(r"[0-9a-f]{64}")

LOWER, MIDDLE, UPPER = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)
"""How much the lower and the upper bound count."""


class MatchContinuation(Continuation):
    """What later hands are worth to this hand's P1: nothing less than what the next first bettor does not win.

    Parameters
    ----------
    origin
        The table.
    rows
        What gives its rows; asked once, when they are needed.
    weights
        `MIDDLE` to solve, `LOWER` and `UPPER` for bounds: of what the next first bettor, the other player, wins.
    """

    def __init__(self, origin: Origin, rows: Callable[[], Rows], weights: tuple[float, float] = MIDDLE) -> None:
        self.origin = origin
        self._find, self._weights = rows, weights
        self._places: dict[tuple[str, tuple[tuple[str, ...], tuple[str, ...]]], NDArray[np.int64]] = {}

    @cached_property
    def rows(self) -> Rows:
        """The rows of the table."""
        return self._find()

    @property
    def told(self) -> str:
        """How wide the bounds are, and the table's digest."""
        return f"what follows is known within {self.origin.gap:g} (match table {self.digest[:SHOWN_DIGITS]})"

    @property
    def digest(self) -> str:
        """The table's digest, hexadecimal."""
        return self.origin.digest

    @property
    def sides(self) -> tuple["MatchContinuation", "MatchContinuation"]:
        """What P1 has at least, where the next first bettor has the most, and the other way round."""
        return MatchContinuation(self.origin, lambda: self.rows, UPPER), MatchContinuation(
            self.origin, lambda: self.rows, LOWER
        )

    def worth(
        self, spec: MatchSpec, observations: tuple[tuple[str, ...], tuple[str, ...]], after: Chips
    ) -> NDArray[np.float64]:
        """Return what the next first bettor leaves to this hand's P1, shape (n1, n2).

        Raises
        ------
        OptionError
            Where the hand can lead to a deck that is not here.
        """
        key = str(spec.deck_dict()), observations
        if key not in self._places:
            following = numbering(self.origin.deck_model, spec.game).following(spec, observations)
            places = np.searchsorted(self.rows.decks, following)
            here = np.take(self.rows.decks, places, mode="clip") == following
            if not here.all():
                raise OptionError(f"expected what follows {spec.headline}, got what follows another deck")
            self._places[key] = places
        wins = self.row(spec.chips.total, after.swapped())
        return np.asarray(1.0 - wins[self._places[key]])

    def chances(self, spec: MatchSpec) -> NDArray[np.float64]:
        """Return the first bettor's chance to win before a hand from a spec's deck, or from a full one.

        Returns
        -------
        ndarray of float64, shape (states,)
            In the order of `rules.betting.chips.every_chips`.
        """
        row = int(np.searchsorted(self.rows.decks, numbering(self.origin.deck_model, spec.game).find(spec)))
        return np.array([self.row(spec.chips.total, chips)[row] for chips in numbers(spec.chips.total)])

    def row(self, total: int, chips: Chips) -> NDArray[np.float64]:
        """Return the first bettor's chance to win from a state of the chips, by deck, shape (rows,)."""
        column = numbers(total)[chips]
        low, high = self._weights
        first, second = (np.clip(side[:, column].astype(np.float64), 0.0, 1.0) for side in self.rows[1:])
        return np.asarray(low * first + high * second)


def quoted(spec: MatchSpec, fields: Mapping[str, Any], rows: Rows, name: str) -> MatchSpec:
    """Return a hand with what a solution file says that later hands are worth.

    Parameters
    ----------
    fields
        What its header says of the table that it quotes, as `Origin` has it.
    rows
        What it has of that table.
    name
        Of the file, for errors.

    Raises
    ------
    SolutionFileError
        Where the figures do not fit the hand, or contradict themselves or the gap that is claimed. Whether they are
        the table's own is another question: see `solver.store.continuation_proof`.
    """
    if set(fields) != set(Origin._fields) or not isinstance(fields["digest"], str):
        raise SolutionFileError(f"{name} does not fit its own spec: what it quotes is no match table")
    origin = Origin(str(fields["deck_model"]), float(fields["gap"]), fields["digest"])
    if not DIGEST.fullmatch(origin.digest):
        raise SolutionFileError(f"{name} quotes a match table by {origin.digest!r}, which is no digest")
    shape, sides = (len(rows.decks), len(every_chips(spec.chips.total))), (rows.lower, rows.upper)
    if spec.deck_model != origin.deck_model or any(
        side.shape != shape or side.dtype != np.float32 or not np.isfinite(side).all() for side in sides
    ):
        raise SolutionFileError(f"{name} does not fit its own spec: later hands are worth something else")
    if (rows.lower > rows.upper).any():
        raise SolutionFileError(f"{name} contradicts itself: some lower bounds of later hands are above the upper ones")
    if not rows.widest <= origin.gap < 1.0:
        raise SolutionFileError(
            f"{name} contradicts itself: it claims that later hands are known within {origin.gap:g}, its own bounds of "
            f"them are up to {rows.widest:g} apart"
        )
    return replace(spec, later=MatchContinuation(origin, lambda: rows))


@cache
def numbering(deck_model: str, game: str) -> "DeckModel":
    """Return how decks are numbered, which depends on neither chips nor betting."""
    from rules.games.deck_models import DECK_MODELS

    spec = hand(game)
    assert isinstance(spec, MatchSpec)
    return DECK_MODELS[deck_model](spec)


@cache
def numbers(total: int) -> dict[Chips, int]:
    """Return the column of each state of the chips."""
    return {chips: number for number, chips in enumerate(every_chips(total))}
