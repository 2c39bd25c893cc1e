"""The chance of one strategy to win a match against another, by one linear solve.

In a hand two players lead from a deck and chips to others, or to the end of the match. The chances at the full deck
are taken as unknowns; from the smallest deck to the full one every chance is a sum of them, and at the full deck
they are themselves again.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.games.deck_models import FULL
from solver.kernels import match as match_kernels
from solver.match.hands import DRAWN, LOST, WON, Batch, MatchHands
from solver.match.players import Player
from solver.match.workers import in_order, never


class Odds(NamedTuple):
    """The chances of one player against another with a full deck, by who bets first.

    Parameters
    ----------
    first, second
        When that player bets first, and when the other does, by the chips as the first bettor sees them, shape
        (states,); a match that never ends counts as half.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]


def win_probabilities(
    hands: MatchHands,
    one: Player,
    other: Player,
    threads: int | None = None,
    on_step: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] = never,
) -> Odds:
    """Return the chances of `one` against `other`.

    Parameters
    ----------
    threads
        At most so many; the result does not depend on it.
    on_step
        Called with the hands done and how many there are.
    stop
        Asked many times a second; once it says True, KeyboardInterrupt is raised.
    """
    states, levels = len(hands.states), hands.model.levels
    basis = 1 + 2 * states
    full = np.zeros((2, 1, hands.columns, basis))
    for order in (0, 1):
        np.fill_diagonal(full[order, 0, :states, 1 + order * states :], 1.0)
        full[order, 0, states + DRAWN, 0] = 0.5
        # A hand in which the other bet first comes before one in which this player does.
        full[order, 0, states + (LOST if order == 0 else WON), 0] = 1.0
    tables, place = full, np.zeros(hands.model.number, dtype=np.int32)
    work = [hands.pieces(level) for level in range(len(levels))]
    all_hands, done = sum(piece.hands for pieces in work for piece in pieces), 0
    for level, pieces in enumerate(work):
        here = hands.level(level)
        kinds = here.kinds._replace(next=place[here.kinds.next])
        found = np.zeros((2, len(levels[level]), states, basis))
        worth = partial(_worth, hands, (one, other), kinds, tables)
        for piece, numbers in zip(pieces, in_order(worth, pieces, threads, stop), strict=True):
            kind, state = hands.hands(piece)
            where = here.deck[kind], hands.cap(piece.cap).states[state]
            for order in (0, 1):
                np.add.at(found[order], where, here.weight[kind][:, None] * numbers[order])
            done += piece.hands
            if on_step is not None:
                on_step(done, all_hands)
        if level < len(levels) - 1:
            tables = np.repeat(full, 1 + len(levels[level]), axis=1)
            tables[:, 1:, :states] = found
            place[:] = 0
            place[list(levels[level])] = 1 + np.arange(len(levels[level]))
    assert levels[-1] == (FULL,)
    first, second = np.split(_solved(found.reshape(2 * states, basis)), 2)
    return Odds(first, second)


def _worth(
    hands: MatchHands,
    players: tuple[Player, Player],
    kinds: match_kernels.Kinds,
    tables: NDArray[np.float64],
    piece: Batch,
) -> NDArray[np.float64]:
    """Return what the first player wins with in a piece's hands, betting first and second, shape (2, hands, basis)."""
    here, (kind, state) = hands.cap(piece.cap), hands.hands(piece)
    tree, size = here.tree, kinds.prior.shape[1]
    mine = players[0].weights(piece)
    theirs = mine if players[1] is players[0] else players[1].weights(piece)
    acts = tree.player[tree.node_of_action] == 0 if tree.nodes else np.zeros(0, dtype=bool)
    arrays = tree.player, tree.first, tree.child
    weights, reach = np.zeros((len(tree.child), size)), np.zeros((2, tree.nodes, size))
    mass, leads = np.zeros((len(tree.outcomes), size, size)), np.zeros(tables.shape[1:3])
    found = np.zeros((2, len(kind), tables.shape[3]))
    for order in (0, 1):
        p1, p2 = (mine, theirs) if order == 0 else (theirs, mine)
        for hand in range(len(kind)):
            weights[:, : hands.width] = np.where(acts[:, None], p1[hand], p2[hand])
            match_kernels.passed_on(
                *arrays, weights, kinds, here.ends, kind[hand], state[hand], reach, mass, leads, tables[1 - order],
                found[order, hand],
            )  # fmt: skip
    return found


def _solved(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve for chances that are a number plus parts of one another, shape (n, 1 + n).

    From where no end can be reached a match never ends.
    """
    number, parts = rows[:, 0], rows[:, 1:]
    ends = parts.sum(axis=1) < 1.0 - 1e-9
    while (more := ends | (parts[:, ends] > 0.0).any(axis=1)).sum() > ends.sum():
        ends = more
    found = np.full(len(rows), 0.5)
    endless = parts[:, ~ends].sum(axis=1) * 0.5
    found[ends] = np.linalg.solve(np.eye(ends.sum()) - parts[np.ix_(ends, ends)], (number + endless)[ends])
    return found
