"""Exact best responses: how much each player could gain, and the bounds on the value that follow.

The most that P1 can get against P2's strategy bounds the value from above, the least that P2 can hold
P1 to against P1's strategy bounds it from below; their difference is NashConv, the sum of both players'
gains from a best response (Lanctot et al. 2017, "A Unified Game-Theoretic Approach to Multiagent
Reinforcement Learning", section 2). Exploitability is half of it.
"""

import numpy as np
from numpy.typing import NDArray

from solver import _kernels
from solver.game import ClassGame, Quality
from solver.tree import PublicTree


class Scratch:
    """Arrays that kernels overwrite: one set serves any number of hands of the same tree."""

    def __init__(self, tree: PublicTree, width: int) -> None:
        self.reach = np.zeros((tree.nodes, width))
        self.value = np.zeros((tree.nodes, width))
        self.ones = np.ones(width)
        self.after = np.zeros((int(np.diff(tree.first).max(initial=0)) + 1, width))


def measure_profile(
    tree: PublicTree, one: ClassGame, strategy: NDArray[np.float64], margin: float, scratch: Scratch
) -> Quality:
    """Measure a profile by two best responses.

    Parameters
    ----------
    strategy
        Probabilities, shape (actions, width).
    margin
        Bounds are moved outward by this for rounding (`Game.margin`).
    """
    if tree.nodes == 0:
        value = float(one.joint[0].sum())
        return Quality(value, value - margin, value + margin)

    def run(mover: int, best: bool) -> float:
        _kernels.evaluate(
            mover, best, *tree.whole, scratch.ones, tree.player, tree.first, tree.child, one.payoffs, one.counts,
            strategy, scratch.reach, scratch.value,
        )  # fmt: skip
        return float(scratch.value[0, : one.observations[mover]].sum())

    return Quality(run(0, False), -run(1, True) - margin, run(0, True) + margin)
