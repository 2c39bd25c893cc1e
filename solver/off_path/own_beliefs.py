"""Beliefs of single rows, under which what they do is right.

A row that holds off those who might leave the path on purpose need not be right against those whom Bayes' rule and
mistakes lead there. What is right depends on what is believed, and where nobody goes any belief is possible: so such
a row assumes one, as near to the usual one as it can be.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from solver.kernels import resolving as kernels
from solver.off_path.lookahead import Lookahead
from solver.off_path.regions import Assumed
from solver.trees.public_tree import PublicTree
from solver.two_player.best_response import Evaluation
from solver.two_player.payoffs import ClassGame

AIMED = 0.25
"""A belief is sought until the row loses no more under it than this part of what is tolerated."""
MOST = 2_000
"""Rows that are looked at; where more lose much, the solve was too rough for any belief to help."""
PLANS = 30
"""Plans of the row, at most, from which the belief that is worst for the best of them is found."""
STEPS, GOLDEN = 24, 0.6180339887498949
"""How it is sought: steps of golden section."""


def assume(
    tree: PublicTree,
    one: ClassGame,
    evaluation: Evaluation,
    played: NDArray[np.float64],
    beliefs: NDArray[np.float64],
    losses: NDArray[np.float64],
    tolerance: float,
    known: Assumed | None,
) -> Assumed:
    """Find, for each row that loses more than `tolerance`, a belief under which what it does is right.

    It is the belief that the row has, mixed with no more than it takes of the certainty of one observation; where that
    is not enough, the belief under which the row loses least.

    Parameters
    ----------
    played, beliefs
        Probabilities, shape (A, places), and each player's reach as believed, shape (2, N, places).
    losses
        What each row loses under that, shape (N, W); 0 where its belief is settled, for the other's play comes there.
    known
        Beliefs to try first; where they are given, no linear programs are solved.
    """
    if np.count_nonzero(losses > tolerance) > MOST:
        return Assumed.none(losses.shape[1])
    low, high = np.zeros((2, len(tree.levels)), dtype=np.int64)
    size, out = evaluation.size, np.zeros(evaluation.size)
    payoffs = one.payoffs(size)
    rows, reaches = [], []
    before = (
        {}
        if known is None
        else {tuple(row): reach for row, reach in zip(known.rows.tolist(), known.reach, strict=True)}
    )
    for node in np.flatnonzero((losses > tolerance).any(axis=1)).tolist():
        player = int(tree.player[node])
        prior = one.prior_of(player)

        def loss(column: int, chances: NDArray[np.float64], node: int = node, player: int = player) -> float:
            """Return what a row loses where the other's observation has these probabilities."""
            reach = np.zeros(size)
            seen = one.prior_of(player)[column]
            np.divide(chances, seen, out=reach[: len(seen)], where=seen > 0.0)
            kernels.gains(
                node, player, reach, low, high, evaluation.tree, payoffs, evaluation.places, played, evaluation.found,
                out,
            )  # fmt: skip
            return float(out[column])

        for column in np.flatnonzero(losses[node] > tolerance).tolist():
            seen = prior[column]
            if (node, column) in before:
                again = seen * before[node, column][: len(seen)]
                if again.any() and loss(column, again / again.sum()) <= tolerance:
                    rows.append((node, column))
                    reaches.append(before[node, column])
                    continue
            joint = seen * beliefs[1 - player, node, : len(seen)]
            chances = _least_loss(partial(loss, column), joint / joint.sum(), seen > 0.0, tolerance)
            if chances is None and known is None:
                chances = _by_linear_programs(
                    Lookahead(tree, one, played, node, column), joint / joint.sum(), tolerance
                )
            if chances is not None:
                reach = np.zeros(played.shape[1])
                np.divide(chances, seen, out=reach[: len(seen)], where=seen > 0.0)
                rows.append((node, column))
                reaches.append(reach[: losses.shape[1]] / reach.max())
    if not rows:
        return Assumed.none(losses.shape[1])
    return Assumed(np.array(rows, dtype=np.int32), np.array(reaches))


def _least_loss(
    loss: Callable[[NDArray[np.float64]], float],
    usual: NDArray[np.float64],
    possible: NDArray[np.bool_],
    tolerance: float,
) -> NDArray[np.float64] | None:
    """Mix a belief with the certainty of one observation so that little is lost; None where that cannot be.

    Parameters
    ----------
    loss
        What is lost under a belief: the most that some plan gains, so convex along the way.
    usual
        The belief, shape (m,).
    possible
        Which observations may be, shape (m,).
    """
    aim, best = tolerance * AIMED, (tolerance, usual)
    certain = [np.eye(len(usual))[seen] for seen in np.flatnonzero(possible)]
    for sure in sorted(certain, key=loss):

        def mixed(share: float, sure: NDArray[np.float64] = sure) -> NDArray[np.float64]:
            return (1.0 - share) * usual + share * sure

        start, end = 0.0, 1.0
        for _ in range(STEPS):  # golden section: the end of the stretch where little is lost, or its lowest point
            left, right = end - GOLDEN * (end - start), start + GOLDEN * (end - start)
            at_left, at_right = loss(mixed(left)), loss(mixed(right))
            if at_left <= max(aim, at_right):
                end = right
            else:
                start = left
        lost = loss(mixed(end))
        if lost < best[0]:
            best = lost, mixed(end)
        if lost <= aim:
            break
    return best[1] if best[0] < tolerance else None


def _by_linear_programs(row: Lookahead, usual: NDArray[np.float64], tolerance: float) -> NDArray[np.float64] | None:
    """Find the belief under which a row loses least, by the plans that gain against it; None where that is too much."""
    kept, gains = row.values({}), list[NDArray[np.float64]]()
    chances, number = usual, len(usual)
    for _ in range(PLANS):
        gains.append(row.values(row.plan(chances)) - kept)
        # The last variable is the largest gain of a plan.
        found = linprog(
            np.append(np.zeros(number), 1.0),
            A_ub=np.column_stack([np.array(gains), -np.ones(len(gains))]),
            b_ub=np.zeros(len(gains)),
            A_eq=np.append(np.ones(number), 0.0)[None],
            b_eq=[1.0],
            bounds=[*((0.0, 1.0 if may else 0.0) for may in row.possible), (0.0, None)],
        )
        if found.x is None or found.x[-1] >= tolerance:
            return None
        chances = np.where(row.possible, np.maximum(found.x[:-1], 0.0), 0.0)
        chances /= chances.sum()
        if float((row.values(row.plan(chances)) - kept) @ chances) < tolerance:
            return chances
    return None
