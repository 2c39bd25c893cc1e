"""The proof of a match table: from the table alone, one sweep over its hands or over a sample of them.

Nothing of how the table was found is believed. Every hand is solved with later hands worth what the table says,
and the strategies found must earn more than it claims; see `solver.match.sweeps`. Whoever plays them then wins at
least with what it says.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError, VerificationError
from solver.match.hands import Batch, MatchHands, Tables
from solver.match.sweeps import Workers, blank
from solver.match.table import MatchTable

GAINED = 1e-9
"""What each hand must gain on the table at least."""

FINER = 4.0
TRIES = 4
"""Hands that do not prove what is claimed are solved again, to gaps so many times smaller, at most so often."""


class Proof(NamedTuple):
    """A table proved.

    Parameters
    ----------
    states
        Decks and chips that were looked at.
    all_states
        How many the table has.
    least
        The least that any of them gained on the table, a win probability above 0.
    again
        How many bounds took a game of their own, solved to a finer gap than the table was made with.
    hand_gap
        The smallest gap that any hand was solved to here, whatever the table says of its own.
    """

    states: int
    all_states: int
    least: float
    again: int
    hand_gap: float


def prove(
    table: MatchTable,
    hands: MatchHands,
    workers: Workers,
    sample: int | None = None,
    seed: int = 0,
    on_step: Callable[[int, int], None] | None = None,
) -> Proof:
    """Prove a table, or what it says of a sample of its states drawn with `seed`.

    Parameters
    ----------
    hands
        The hands of the table's match.
    sample
        So many states; all by default.
    on_step
        Called with the hands done and how many there are.

    Raises
    ------
    OptionError
        Where the sample is not at least 1.
    VerificationError
        Where a hand does not give what the table says.
    """
    if sample is not None and sample < 1:
        raise OptionError(f"expected a sample of at least 1 state, got {sample}")
    width = len(hands.states)
    tables = Tables(blank(hands), blank(hands), blank(hands))
    tables.lower[:, :width], tables.upper[:, :width] = table.lower, table.upper
    tables.middle[:, :width] = 0.5 * (tables.lower + tables.upper)[:, :width]
    tables.middle[0, :width] = table.values
    chosen = np.ones(table.lower.shape, dtype=bool)
    if sample is not None and sample < chosen.size:
        chosen[...] = False
        chosen.reshape(-1)[np.random.default_rng(seed).choice(chosen.size, sample, replace=False)] = True
    claimed = table.lower.astype(np.float64), table.upper.astype(np.float64)
    steps, gap, again = _Steps(hands, workers, on_step), table.hand_gap, 0
    both = steps.bounds(tables, chosen, gap)
    found = np.where(chosen, both[0], np.inf), np.where(chosen, both[1], -np.inf)
    for _ in range(TRIES):
        wanting = found[0] - claimed[0] < GAINED, claimed[1] - found[1] < GAINED
        if not wanting[0].any() and not wanting[1].any():
            break
        # What is best in the middle need not be best against a bound: each side is proved by a game of its own.
        gap /= FINER
        again += int(wanting[0].sum() + wanting[1].sum())
        best = steps.bounds(Tables(tables.upper, tables.upper, tables.upper), wanting[0], gap)[0]
        least = steps.bounds(Tables(tables.lower, tables.lower, tables.lower), wanting[1], gap)[1]
        np.maximum(found[0], best, out=found[0], where=wanting[0])
        np.minimum(found[1], least, out=found[1], where=wanting[1])
    gained = np.minimum(found[0] - claimed[0], claimed[1] - found[1])
    if (gained < GAINED).any():
        raise VerificationError(_told(table, hands, found, gained < GAINED))
    return Proof(int(chosen.sum()), chosen.size, float(gained.min()), again, gap)


class _Steps:
    """Sweeps over some of the hands."""

    def __init__(self, hands: MatchHands, workers: Workers, on_step: Callable[[int, int], None] | None) -> None:
        self._hands, self._workers, self._on_step = hands, workers, on_step

    def bounds(self, tables: Tables, chosen: NDArray[np.bool_], gap: float) -> NDArray[np.float64]:
        """Return the bounds of some states, shape (2, decks, states); 0 for others."""
        pieces = _pieces(self._hands, chosen)
        number, done = sum(piece.hands for piece in pieces), 0
        bounds = np.zeros((2, *chosen.shape))
        for place, one in self._workers.each(pieces, tables, gap, leads=False):
            piece = pieces[place]
            level = self._hands.level(piece.level)
            kind, state = self._hands.hands(piece)
            decks = np.array(self._hands.model.levels[piece.level])[level.deck[kind]]
            for side in range(2):
                where = decks, self._hands.cap(piece.cap).states[state]
                np.add.at(bounds[side], where, level.weight[kind] * one.bounds[side])
            done += piece.hands
            if self._on_step is not None:
                self._on_step(done, number)
        return bounds


def _pieces(hands: MatchHands, chosen: NDArray[np.bool_]) -> list[Batch]:
    """Return the hands of some decks and states in pieces."""
    found = []
    for level, decks in enumerate(hands.model.levels):
        deck = np.array(decks)[hands.level(level).deck]
        for whole in hands.pieces(level):
            kind, state = hands.hands(whole)
            mine = np.flatnonzero(chosen[deck[kind], hands.cap(whole.cap).states[state]])
            if len(mine):
                picked = () if len(mine) == whole.hands else tuple((whole.start + mine).tolist())
                found.append(whole._replace(picked=picked))
    return found


def _told(
    table: MatchTable,
    hands: MatchHands,
    found: tuple[NDArray[np.float64], NDArray[np.float64]],
    wanting: NDArray[np.bool_],
) -> str:
    """Say what the first of the states that prove nothing claims."""
    deck, number = (int(place[0]) for place in np.nonzero(wanting))
    chips, odds = hands.states[number], table.odds(hands.states[number], deck)
    low, high = (side[deck, number] for side in found)
    where = f"stacks {chips.s1},{chips.s2}, carry {chips.carry}"
    if hands.model.number > 1:
        where += f", {hands.model.deck(deck).headline.split(',')[0]}"
    return (
        f"the table claims that the first bettor wins with {odds.lower:.7f} to {odds.upper:.7f} ({where}), but its "
        f"hands prove {low:.7f} to {high:.7f}; so at {int(wanting.sum())} of the states looked at"
    )
