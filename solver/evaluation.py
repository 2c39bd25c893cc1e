"""Reach, values and best responses in plain numpy, level by level.

This is the path of everything that reads a solution: tables, advice, and the proof of a saved file
(`solver.verification`). It shares no code with the compiled kernels and needs no numba.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.game import ClassGame, Quality
from solver.tree import PublicTree

SLIP = 1e-9
"""A belief takes every action to be played by mistake this often, so that it excludes nothing."""


def probabilities(
    tree: PublicTree, weights: NDArray[np.floating[Any]], dtype: type[np.floating[Any]] = np.float64
) -> NDArray[Any]:
    """Return the strategy that positive weights, shape (A, any), are in proportion to.

    Returns
    -------
    ndarray of `dtype`, shape as `weights`
        Rows that are 0 become even.
    """
    strategy = np.empty(weights.shape, dtype=dtype)
    for start, end, rows in tree.pieces():
        moves = np.diff(tree.first[start : end + 1])
        kept = np.maximum(weights[rows], 0.0, dtype=np.float64)
        sums = np.repeat(np.add.reduceat(kept, tree.first[start:end] - tree.first[start], axis=0), moves, axis=0)
        even = np.repeat(1.0 / moves, moves)[:, None]
        strategy[rows] = np.where(sums > 0.0, kept / np.where(sums > 0.0, sums, 1.0), even)
    return strategy


def own_reach(tree: PublicTree, strategy: NDArray[np.float64], player: int) -> NDArray[np.float64]:
    """Return the product of a player's own action probabilities on the way to each node.

    Returns
    -------
    ndarray of float64, shape (N, width)
        Column = the player's own observation; 1 at the root.
    """
    reach = np.ones((tree.nodes, strategy.shape[1]))
    for start, end in _levels(tree):
        rows = slice(int(tree.first[start]), int(tree.first[end]))
        inner = tree.child[rows] >= 0
        above = tree.node_of_action[rows][inner]
        acts = (tree.player[above] == player)[:, None]
        reach[tree.child[rows][inner]] = reach[above] * np.where(acts, strategy[rows][inner], 1.0)
    return reach


def beliefs_by_bayes(tree: PublicTree, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each player's reach as believed everywhere: by Bayes' rule, mistakes included.

    Returns
    -------
    ndarray of float64, shape (2, N, width)
    """
    return np.stack([own_reach(tree, strategy + SLIP, player) for player in (0, 1)])


class Values(NamedTuple):
    """Counterfactual values of a player, summed over the opponent's hands and not divided by reach.

    `node` has shape (N, n), `action` (A, n); columns are the player's observations.
    """

    node: NDArray[np.float64]
    action: NDArray[np.float64]


def counterfactual_values(
    tree: PublicTree,
    one: ClassGame,
    strategy: NDArray[np.float64],
    mover: int,
    best: bool = False,
    believed: NDArray[np.float64] | None = None,
    entered_by: NDArray[np.int8] | None = None,
) -> Values:
    """Return the values of a player who plays the profile, or best responds to the other's part of it.

    Parameters
    ----------
    best
        Whether the player best responds.
    believed, entered_by
        The other's reach as believed at every node, and who deviates at the roots of re-solved subtrees
        (`Solution.beliefs`, `Solution.entered_by`), in place of the reach that the profile gives.
    """
    mine, theirs = one.observations[mover], one.observations[1 - mover]
    payoff = one.utilities[mover]
    reach = (own_reach(tree, strategy, 1 - mover) if believed is None else believed)[:, :theirs]
    node_values = np.zeros((tree.nodes, mine))
    action_values = np.zeros((len(tree.child), mine))
    for start, end in reversed(_levels(tree)):
        rows = slice(int(tree.first[start]), int(tree.first[end]))
        child = tree.child[rows]
        above = tree.node_of_action[rows]
        values = action_values[rows]
        inner = child >= 0
        values[inner] = node_values[child[inner]]
        counted = np.ones(len(child), dtype=bool)
        if entered_by is not None:
            # What the other never enters has beliefs of its own and counts nothing above it.
            counted[inner] = entered_by[child[inner]] != 2 - mover
        ends = np.flatnonzero(~inner)
        acts = (tree.player[above[ends]] == 1 - mover)[:, None]
        played = reach[above[ends]] * np.where(acts, strategy[rows][ends, :theirs], 1.0)
        order = np.argsort(child[ends], kind="stable")
        outcomes, begins = np.unique(child[ends][order], return_index=True)
        for outcome, begin, stop in zip(outcomes, begins, np.append(begins, len(order))[1:], strict=True):
            group = order[begin:stop]
            values[ends[group]] = played[group] @ payoff[~outcome].T
        first = tree.first[start:end] - tree.first[start]
        own = (tree.player[start:end] == mover)[:, None]
        weighted = np.where(own[above - start], values * strategy[rows, :mine], values * counted[:, None])
        node_values[start:end] = np.add.reduceat(weighted, first, axis=0)
        if best:
            node_values[start:end] = np.where(own, np.maximum.reduceat(values, first, axis=0), node_values[start:end])
    return Values(node_values, action_values)


def measure(tree: PublicTree, one: ClassGame, strategy: NDArray[np.float64], margin: float) -> Quality:
    """Measure a profile by two best responses, as `solver.best_response` does, by this module's own path."""
    if tree.nodes == 0:
        value = float(one.joint[0].sum())
        return Quality(value, value - margin, value + margin)
    value = counterfactual_values(tree, one, strategy, 0).node[0].sum()
    upper = counterfactual_values(tree, one, strategy, 0, best=True).node[0].sum()
    lower = -counterfactual_values(tree, one, strategy, 1, best=True).node[0].sum()
    return Quality(float(value), float(lower) - margin, float(upper) + margin)


def _levels(tree: PublicTree) -> list[tuple[int, int]]:
    return [(int(start), int(end)) for start, end in zip(tree.levels[:-1], tree.levels[1:], strict=True)]
