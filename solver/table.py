"""A hand for any number of players as flat arrays: the betting, how it ends, the deals, and the settlement.

Everything that solves `rules.table.Table` reads this, with every deal or with samples of them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rules.notation import BET, FOLD, RAISE
from rules.table import State, Table
from solver.tree import PublicTree, enumerate_states, unfolded

FOLDING, GOING_ON, RAISING = range(3)
"""Kinds of actions: fold; check or call; bet or raise."""


@dataclass(frozen=True, eq=False)
class Betting:
    """The betting of a table of n players as a tree of N nodes, A actions and T endings.

    A state of the public game that several histories lead to is one node for each of them.

    Parameters
    ----------
    tree
        Nodes in level order: ``player``, ``first`` and ``child``, where a child below 0 is ``~ending``.
    left
        Who has not folded at the end, shape (T, n), bool.
    cost
        What each player has put in at the end, the ante included, in chips, shape (T, n), float64.
    """

    tree: PublicTree
    left: NDArray[np.bool_]
    cost: NDArray[np.float64]

    @classmethod
    def of(cls, table: Table) -> "Betting":
        """Unfold the betting of a table.

        Raises
        ------
        SizeError
            Where it has too many different states, see `solver.tree.MAX_MOVES`.
        """
        tree = unfolded(enumerate_states(table.public, players=table.players))
        endings = [table.ended(outcome) for outcome in tree.outcomes]
        left = masks([ending.left for ending in endings], table.players)
        return cls(tree, left, np.array([ending.cost for ending in endings], dtype=np.float64))

    @property
    def players(self) -> int:
        """Players at the table."""
        return int(self.left.shape[1])

    @cached_property
    def kind(self) -> NDArray[np.int8]:
        """What each action is, `FOLDING`, `GOING_ON` or `RAISING`, shape (A,), int8."""
        kinds = {FOLD: FOLDING, BET: RAISING, RAISE: RAISING}
        of_state = [[kinds.get(action.kind, GOING_ON) for action in actions] for actions in self.tree.automaton.actions]
        flat = np.array([kind for state in of_state for kind in state], dtype=np.int8)
        start = self.tree.automaton.first[self.tree.state]
        within = np.arange(len(self.tree.child)) - self.tree.first[self.tree.node_of_action]
        return np.asarray(flat[start[self.tree.node_of_action] + within])

    @property
    def _states(self) -> list[State]:
        return [State(*state) for state in self.tree.automaton.states]  # type: ignore[misc]

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Who has not folded at each node, shape (N, n), bool."""
        return np.asarray(masks([state.left for state in self._states], self.players)[self.tree.state])

    @cached_property
    def pending(self) -> NDArray[np.bool_]:
        """Who has yet to act or to answer at each node, the one to act included, shape (N, n), bool."""
        return np.asarray(masks([state.pending for state in self._states], self.players)[self.tree.state])

    @cached_property
    def paid(self) -> NDArray[np.int16]:
        """What each player has put in beyond the ante at each node, in chips, shape (N, n), int16."""
        return np.asarray(np.array([state.paid for state in self._states], dtype=np.int16)[self.tree.state])

    @cached_property
    def bets(self) -> NDArray[np.int8]:
        """Bets and raises before each node, shape (N,), int8."""
        return np.asarray(np.array([state.bets for state in self._states], dtype=np.int8)[self.tree.state])


def masks(seats: list[tuple[int, ...]], players: int) -> NDArray[np.bool_]:
    """Return sets of seats as rows of booleans, shape (sets, players)."""
    found = np.zeros((len(seats), players), dtype=bool)
    for row, members in zip(found, seats, strict=True):
        row[list(members)] = True
    return found


def settle(cards: NDArray[np.integer], left: NDArray[np.bool_], cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each player wins: the best card left takes the pot, equal best cards split it.

    Parameters
    ----------
    cards
        Each player's card by strength, from 0, shape (..., n).
    left, cost
        How the hand ended, as in `Betting`, shape (..., n).

    Returns
    -------
    ndarray
        Net chips, shape (..., n), float64; they sum to 0.
    """
    shown = np.where(left, cards, -1)
    best = shown == shown.max(axis=-1, keepdims=True)
    return np.asarray(best * (cost.sum(axis=-1, keepdims=True) / best.sum(axis=-1, keepdims=True)) - cost)
