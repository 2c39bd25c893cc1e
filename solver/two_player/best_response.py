"""Exact best responses: how much each player could gain, and the bounds on the value that follow.

The most that P1 can get against P2's strategy bounds the value from above, the least that P2 can hold
P1 to against P1's strategy bounds it from below; their difference is NashConv, the sum of both players'
gains from a best response (Lanctot et al. 2017, "A Unified Game-Theoretic Approach to Multiagent
Reinforcement Learning", section 2). Exploitability is half of it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.kernels import rows as row_kernels
from solver.trees.column_layout import padded
from solver.trees.public_tree import PublicTree
from solver.two_player.payoffs import ClassGame, Quality


class Evaluation:
    """Evaluates profiles on one tree, row by row, with arrays that serve any number of classes and profiles."""

    def __init__(self, tree: PublicTree, width: int) -> None:
        self.size = padded(width)
        self.places = (0,) * self.size
        self.ones = np.ones(self.size)
        self.tree = row_kernels.Tree(tree.player, tree.first, tree.child, tree.kids)
        self.whole = tree.whole

        def pair() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            return np.zeros((tree.nodes, self.size)), np.zeros((tree.nodes, self.size))

        self.found = row_kernels.Evaluated(pair(), pair(), pair(), np.zeros((1, self.size)))

    def wide(self, weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return positive weights in rows padded with zeros, float64; what is below 0 becomes 0."""
        padded = np.zeros((len(weights), self.size))
        np.maximum(weights, 0.0, out=padded[:, : weights.shape[1]])
        return padded

    def quality(self, one: ClassGame, weights: NDArray[np.floating[Any]], margin: float) -> Quality:
        """Measure a profile by two best responses.

        Parameters
        ----------
        weights
            What the profile is in proportion to: probabilities or sums of strategies, shape (A, any).
        margin
            Bounds are moved outward by this for rounding (`Game.margin`).
        """
        if not len(self.tree.player):
            return one.settled(margin)
        for reach in self.found.reach:
            reach[0] = self.ones
        row_kernels.evaluate(
            self.tree, *self.whole, one.payoffs(self.size), self.places, self.wide(weights), self.found
        )
        value = self.found.own[0][0].sum()
        first, second = (best[0].sum() for best in self.found.best)
        return Quality(float(value), float(-second) - margin, float(first) + margin)
