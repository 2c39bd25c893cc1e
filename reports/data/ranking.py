"""Which action is best at a row, and in which order actions are shown: one rule for text, JSON, CSV and the page.

In an equilibrium all actions that a row mixes are worth the same. In a solution whose best responses gain `gap`
together (NashConv), a row that play comes to with probability `reach` may mix in an action that is worse by
`gap / reach`: that is what the row can tell apart. Two limits hold it: what looks equal as printed is equal, and off
the path, where the gap says nothing, what is plainly worse is worse. An action that the row does not play has no
such excuse; it is as good only where it is equal as printed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports.text.words import TRACE
from solver.solutions.solution import Solution
from solver.solutions.spots import Spot

PRINTED = 1e-4
"""One step of the last decimal of an expected value as it is printed, in the unit of the objective."""

PLAINLY = 0.025
"""Chips by which an action may be worse than the best one and still be called as good, whatever the row can tell."""

MIXED = 0.01
"""An action played as often as this belongs to the mix of its row."""


class Ranked(NamedTuple):
    """The actions of a row, by their places among the legal ones.

    Parameters
    ----------
    best
        The one of the highest expected value and those as good, in the order to show them.
    order
        All of them in that order; begins with `best`.
    resolution
        What actions in its mix may lose and still be as good, in the unit of the objective.
    """

    best: tuple[int, ...]
    order: tuple[int, ...]
    resolution: float


def resolution(reach: ArrayLike, gap: float, chip: float) -> NDArray[np.float64]:
    """Return the differences of expected values that rows can tell, in the unit of the objective.

    Parameters
    ----------
    reach
        Probability, 0 to 1, that play comes to a row: that the observation is dealt and that all players' actions
        lead there.
    gap
        NashConv of the strategy.
    chip
        What a chip is worth in the unit of the objective.
    """
    often = np.asarray(reach, dtype=np.float64)
    told = np.where(often > 0.0, gap / np.where(often > 0.0, often, 1.0), np.inf)
    return np.asarray(np.maximum(np.minimum(told, PLAINLY * chip), PRINTED))


def places(
    probability: NDArray[np.float64],
    ev: NDArray[np.float64],
    told: NDArray[np.float64],
    node: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which actions of many rows are best, and at which place each one is shown.

    What is best stands first, in it what is played most. All else goes by expected value. Numbers that are equal as
    printed are equal, and then the order of the menu decides.

    Parameters
    ----------
    probability, ev
        Of R actions for n observations, node after node, shape (R, n).
    told
        What rows can tell, see `resolution`, shape (K, n).
    node
        Which of the K nodes each action belongs to, ascending from 0, each at least once, shape (R,).

    Returns
    -------
    best, place
        Shape (R, n); places count from 0 at each node.
    """
    starts = np.flatnonzero(np.diff(node, prepend=-1))
    if not len(starts):
        return np.zeros(ev.shape, dtype=np.bool_), np.zeros(ev.shape, dtype=np.int64)
    allowed = np.where(probability >= MIXED, told[node], PRINTED)
    best = np.maximum.reduceat(ev, starts, axis=0)[node] - ev <= allowed
    shown = np.where(
        probability < TRACE, np.where(probability > 0.0, TRACE / 2, 0.0), np.rint(1000 * probability) / 1000
    )
    value = np.rint(ev / PRINTED)
    place = np.empty(ev.shape, dtype=np.int64)
    for column in range(ev.shape[1]):
        mine = best[:, column]
        # The last key counts first; equal ones stay in the order of the menu.
        order = np.lexsort((-value[:, column], np.where(mine, -shown[:, column], 0.0), ~mine, node))
        place[order, column] = np.arange(len(order)) - starts[node]
    return best, place


def ranked(probability: NDArray[np.float64], ev: NDArray[np.float64], reach: float, gap: float, chip: float) -> Ranked:
    """Rank the actions of one row; probability and ev of shape (k,), the rest as `resolution` takes it."""
    told = resolution([[reach]], gap, chip)
    best, place = places(probability[:, None], ev[:, None], told, np.zeros(len(ev), dtype=np.int64))
    order = tuple(np.argsort(place[:, 0]).tolist())
    return Ranked(order[: int(best.sum())], order, float(told[0, 0]))


def row_ranked(solution: Solution, spot: Spot, column: int) -> Ranked:
    """Rank the actions at a spot of two players, for one observation."""
    reach = spot.observation_probability[column] * spot.own_reach[column] * spot.other_reach[column]
    gap, chip = gap_of(solution, spot.board), solution.spec.chip
    return ranked(spot.probability[:, column], spot.ev[:, column], float(reach), gap, chip)


def gap_of(solution: Solution, board: str) -> float:
    """Return NashConv of one deal, whose reaches are counted from its own start."""
    return solution.qualities[solution.deal(board)[0]].nash_conv
