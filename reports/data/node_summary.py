"""A whole deal at once: every node's chips, reach and value, and how often each action is played over all cards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.data.hand_facts import chips_after
from reports.data.rows import player_name
from rules.betting.actions import Action, format_history
from rules.betting.public_game import CHANCE
from solver.solutions.solution import Solution
from solver.solutions.spots import Spots, Table

PANELS = 6
"""Deals or bets up to which each has a panel of its own."""


def opening_shares(solution: Solution, classes: Sequence[int] | None = None) -> dict[Action, float]:
    """Return how often P1 opens with each action, over all observations; empty where nobody acts.

    Parameters
    ----------
    classes
        Numbers of the classes of deals to look at, all by default; they count by their weights.
    """
    found: dict[Action, float] = {}
    if not solution.tree.nodes:
        return found
    chosen = [solution.classes[number] for number in (range(len(solution.classes)) if classes is None else classes)]
    total = sum(group.weight for group in chosen)
    for group in chosen:
        table = NodeTable(Spots(solution, group.deals[0].board), np.array([0]))
        shares = table.share[int(solution.tree.player[0])].tolist()
        for action, part in zip(solution.tree.actions(0), shares, strict=True):
            found[action] = found.get(action, 0.0) + group.weight / total * part
    return found


def typical_boards(solution: Solution) -> tuple[str, ...]:
    """Return the first deal of each class, the likeliest classes first, at most `PANELS`."""
    classes = sorted(solution.classes, key=lambda group: -round(group.weight, 12))
    return tuple(group.deals[0].board for group in classes[:PANELS])


ACTION_COLUMNS = (
    "board",
    "history",
    "player",
    "pot",
    "to_call",
    "reach",
    "mean_ev",
    "action",
    "share",
)
"""Columns of `action_rows`; one row for each deal, history and action."""


def histories(solution: Solution, nodes: NDArray[np.int64]) -> list[tuple[Action, ...]]:
    """Return the actions that lead to each of some nodes, given in level order with all nodes above them."""
    tree = solution.tree
    found: dict[int, tuple[Action, ...]] = {}
    for node in nodes.tolist():
        action = int(tree.parent_action[node])
        if action < 0:
            found[node] = ()
            continue
        above = int(tree.node_of_action[action])
        found[node] = (*found[above], tree.actions(above)[action - int(tree.first[above])])
    return list(found.values())


@dataclass(frozen=True, eq=False)
class NodeTable:
    """What a deal says at some nodes: a `Table` for each player, and figures over all observations.

    Parameters
    ----------
    spots
        The deal.
    nodes
        In level order, with every node above them, chance nodes left out; shape (K,), int64.
    """

    spots: Spots
    nodes: NDArray[np.int64]

    @cached_property
    def players(self) -> tuple[Table, Table]:
        """What P1's and what P2's nodes say."""
        player = self.spots.solution.tree.player[self.nodes]
        return self.spots.table(0, self.nodes[player == 0]), self.spots.table(1, self.nodes[player == 1])

    @cached_property
    def row_ev(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The player's expected value with each observation where the strategy is played, shapes (K, n)."""
        first, second = (_sums(table.probability * table.ev, table) for table in self.players)
        return first, second

    @cached_property
    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How likely each observation is at a node: rows sum to 1, shapes (K, n).

        By both players' play, and where that never comes here by what both are believed to do.
        """
        first, second = (self._weights(player) for player in (0, 1))
        return first, second

    def _weights(self, player: int) -> NDArray[np.float64]:
        table = self.players[player]
        own = self.spots.beliefs[player][table.nodes, : len(table.prior)]
        other = table.believed / table.believed.max(axis=1, keepdims=True)
        joint = own / own.max(axis=1, keepdims=True) * (other @ table.prior.T)
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """Probability that a hand comes here when both play the strategy, shape (K,)."""
        return self._by_node([(t.prior.sum(axis=1) * t.own_reach * t.other_reach).sum(axis=1) for t in self.players])

    @cached_property
    def mean_ev(self) -> NDArray[np.float64]:
        """The acting player's expected value over all observations, shape (K,)."""
        pairs = zip(self.weights, self.row_ev, strict=True)
        return self._by_node([(weights * ev).sum(axis=1) for weights, ev in pairs])

    @cached_property
    def share(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How often each action is played over all observations, shapes (R,); a node's sum to 1."""
        first, second = (
            (table.probability * weights[table.place]).sum(axis=1)
            for table, weights in zip(self.players, self.weights, strict=True)
        )
        return first, second

    def _by_node(self, values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        found = np.zeros(len(self.nodes))
        player = self.spots.solution.tree.player[self.nodes]
        for number, part in enumerate(values):
            found[player == number] = part
        return found


def all_nodes(solution: Solution) -> NDArray[np.int64]:
    """Return every node where a player acts, in level order, int64."""
    return np.flatnonzero(solution.tree.player != CHANCE)


def action_rows(solution: Solution) -> Iterator[tuple[Any, ...]]:
    """Yield how often each action is played over all observations, in the order of `ACTION_COLUMNS`."""
    tree, nodes = solution.tree, all_nodes(solution)
    places: list[tuple[Any, ...]] = []
    for node, path in zip(nodes.tolist(), histories(solution, nodes), strict=True):
        player = int(tree.player[node])
        chips = chips_after(solution.spec, path, player)
        places.append((format_history(path), player_name(player), chips["pot"], chips["to_call"]))
    for board in solution.boards:
        table = NodeTable(Spots(solution, board), nodes)
        share = np.zeros(len(tree.child))
        for one, values in zip(table.players, table.share, strict=True):
            share[one.rows] = values
        figures = zip(nodes.tolist(), places, table.reach.tolist(), table.mean_ev.tolist(), strict=True)
        for node, place, reach, ev in figures:
            for action, value in zip(tree.actions(node), share[tree.rows(node)].tolist(), strict=True):
                yield (board, *place, reach, ev, str(action), value)


def _sums(values: NDArray[np.float64], table: Table) -> NDArray[np.float64]:
    """Add up what the actions of each node have."""
    if not len(table.nodes):
        return np.zeros((0, values.shape[1]))
    return np.asarray(np.add.reduceat(values, table.starts, axis=0))
