"""A hand for any number of players as flat arrays: the betting, how it ends, the deals, and the settlement.

Everything that solves `rules.games.multiplayer.MultiplayerHand` reads this, with every deal or with samples of them.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import SizeError
from rules.betting.actions import BET, FOLD, RAISE
from rules.betting.fixed_limit import State
from rules.games.multiplayer import MultiplayerHand
from solver.trees.column_layout import padded
from solver.trees.public_tree import PublicTree, TreeSize, enumerate_states, size_of, unfolded
from solver.two_player.memory import PROCESS

MOST_NODES = 2_000_000
"""Nodes up to which betting is unfolded."""

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
    def of(cls, table: MultiplayerHand) -> "Betting":
        """Unfold the betting of a table.

        Raises
        ------
        SizeError
            Where it has too many different states, see `solver.trees.public_tree.MAX_MOVES`, or nodes.
        """
        automaton = enumerate_states(table.public, players=table.players)
        if (nodes := size_of(automaton).all_nodes) > MOST_NODES:
            raise SizeError(f"the betting has {nodes:,} nodes, more than {MOST_NODES:,}; fewer raises make it smaller")
        tree = unfolded(automaton)
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

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """The last action of each player before each node, A where there is none, shape (N, n), int64.

        An action here is its row in arrays over all actions: with the cards seen, a sequence of its player.
        """
        tree = self.tree
        found = np.full((tree.nodes, self.players), len(tree.child), dtype=np.int64)
        for start, end in zip(*(bound[1:] for bound in tree.whole), strict=True):
            action = tree.parent_action[start:end]
            parent = tree.node_of_action[action]
            found[start:end] = found[parent]
            found[np.arange(start, end), tree.player[parent]] = action
        return found

    @cached_property
    def own_before(self) -> NDArray[np.int64]:
        """The last action of the acting player before each node, A where there is none, shape (N,), int64."""
        return np.asarray(self.before[np.arange(self.tree.nodes), self.tree.player])

    @cached_property
    def final(self) -> NDArray[np.int64]:
        """The actions that end the hand, ascending, shape (Z,), int64: one for each whole history."""
        return np.flatnonzero(self.tree.child < 0)

    @cached_property
    def last(self) -> NDArray[np.int64]:
        """The last action of each player in each whole history, A where there is none, shape (Z, n), int64."""
        node = self.tree.node_of_action[self.final]
        found = self.before[node].copy()
        found[np.arange(len(node)), self.tree.player[node]] = self.final
        return found

    @cached_property
    def ending(self) -> NDArray[np.int64]:
        """How each whole history ends, a row of `left` and `cost`, shape (Z,), int64."""
        return np.asarray(~self.tree.child[self.final])

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


@dataclass(frozen=True)
class Deals:
    """Every way in which cards can be dealt to n players, of `kinds` cards in so many copies each.

    An array over deals has an axis for each player's card, weakest first; one over what a player sees has the
    axes of the others.
    """

    players: int
    kinds: int
    copies: int

    @classmethod
    def of(cls, table: MultiplayerHand) -> "Deals":
        """Return the deals of a table."""
        return cls(table.players, len(table.cards), table.copies)

    @property
    def seen(self) -> tuple[int, ...]:
        """The shape of an array over what one player sees."""
        return (self.kinds,) * (self.players - 1)

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Probability of each deal, shape (kinds, ..., kinds), float64; sums to 1."""
        return self._dealt(self.players)

    @cached_property
    def seeing(self) -> NDArray[np.float64]:
        """Probability that a player, whoever it is, sees these cards, shape `seen`, float64; sums to 1."""
        return self._dealt(self.players - 1)

    def _dealt(self, cards: int) -> NDArray[np.float64]:
        """Return the probability of so many cards in a row."""
        found = np.ones((self.kinds,) * cards)
        axes = np.ogrid[(slice(self.kinds),) * cards] if cards else ()
        for place, card in enumerate(axes):
            gone = sum(((card == other).astype(float) for other in axes[:place]), np.zeros(1))
            found = found * (np.maximum(0.0, self.copies - gone) / (self.kinds * self.copies - place))
        return found

    def winners(self, left: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return who shares the pot at every deal where these players are left, as bits, shape (kinds, ..., kinds)."""
        axes = np.ogrid[(slice(self.kinds),) * self.players]
        shown = [np.where(here, cards, -1) for here, cards in zip(left, axes, strict=True)]
        best = np.broadcast_arrays(*shown)[0]
        for cards in shown[1:]:
            best = np.maximum(best, cards)
        return np.asarray(sum((cards == best).astype(np.int64) << player for player, cards in enumerate(shown)))


def masks(seats: list[tuple[int, ...]], players: int) -> NDArray[np.bool_]:
    """Return sets of seats as rows of booleans, shape (sets, players)."""
    found = np.zeros((len(seats), players), dtype=bool)
    for row, members in zip(found, seats, strict=True):
        row[list(members)] = True
    return found


def utilities(table: MultiplayerHand, betting: Betting) -> NDArray[np.float64]:
    """Return each player's utility of every ending by who shares the pot, as bits, shape (T, 2**n, n), float64.

    Players who have folded share no pot: rows with them are 0.
    """
    found = np.zeros((len(betting.left), 2**table.players, table.players))
    for ending, outcome in enumerate(betting.tree.outcomes):
        left = np.flatnonzero(betting.left[ending]).tolist()
        for number in range(1, len(left) + 1):
            for winners in combinations(left, number):
                found[ending, sum(1 << player for player in winners)] = table.utility(outcome, winners)
    return found


def table_size(table: MultiplayerHand) -> TreeSize:
    """Count the betting of a table without unfolding it.

    Raises
    ------
    SizeError
        Where it has too many different states, see `solver.trees.public_tree.MAX_MOVES`.
    """
    return size_of(enumerate_states(table.public, players=table.players))


def table_bytes(table: MultiplayerHand, size: TreeSize) -> int:
    """Return about how many bytes a solve with every deal takes at its peak, process included.

    Counts the blocks of regret minimisation and of a descent, and what plain numpy works on: profiles and deals.
    """
    kinds, single, double = len(table.cards), 4, 8
    block = kinds ** (table.players - 2) * padded(kinds)
    actions, finals = size.actions, size.terminals
    blocks = block * (single * (15 * actions + 5 * finals) + double * (6 * actions + (table.players + 1) * finals))
    profiles = 12 * actions * kinds ** (table.players - 1)
    deals = (20 + size.all_nodes) * kinds**table.players
    return int(PROCESS + blocks + double * (profiles + deals))
