"""Where each row of a completed strategy comes from, and how much it may lose: told from strategy and beliefs alone.

`solver.off_path.resolving` labels its rows by this, and `solver.solutions.verification` holds a file's labels against
it.
"""

import numpy as np
from numpy.typing import NDArray

from solver.off_path.regions import Assumed, row_values
from solver.trees.public_tree import PublicTree
from solver.two_player.evaluation import own_reach
from solver.two_player.payoffs import ClassGame

SOURCES = ("solved", "best response", "re-solved", "kept for safety", "not known")
SOLVED, BEST_RESPONSE, RESOLVED, KEPT_SAFE, UNKNOWN = range(5)
"""Where a row comes from: the solve, a best response, or a subtree solved anew. Or the other's play hardly ever comes
there, it loses much under the belief that all rows there share, and it holds off those who might leave the path. What
is not known a solve has left as it was where play hardly ever comes; no file says so, who reads it does."""

UNREACHED = 1e-3
"""Own reach, since the last re-solved subtree began, up to which a row is a best response."""
UNMET = 1e-6
"""The other's play comes to a row this seldom only by mistake: what is believed there is open."""
SELDOM = 1e-3
"""Where the other's play comes to a row no more often, a row that loses much says so."""
MUCH = 0.0025
"""A row that loses more than this part of the largest stake under its belief loses much."""


def tolerance(one: ClassGame) -> float:
    """Return what a row may lose under its belief, in the unit of the objective (0.1 chips where 40 are at stake)."""
    possible = one.prior > 0.0
    return MUCH * float(np.abs(one.joint[:, possible] / one.prior[possible] - one.even).max(initial=0.0))


def row_losses(
    tree: PublicTree,
    one: ClassGame,
    strategy: NDArray[np.float64],
    beliefs: NDArray[np.float64],
    entered_by: NDArray[np.int8],
    assumed: Assumed,
) -> NDArray[np.float64]:
    """Return what each row of the player who acts loses under its belief, the own play below it included.

    Parameters
    ----------
    strategy, beliefs, entered_by
        One class of a solution's: shapes (A, W), (2, N, W) and (N,).
    assumed
        Rows with a belief of their own.

    Returns
    -------
    ndarray of float64, shape (N, W)
        In the unit of the objective; 0 in columns past the player's last observation.
    """
    losses = np.zeros((tree.nodes, strategy.shape[1]))
    for player in (0, 1):
        number, other = one.observations[player], one.observations[1 - player]
        own = assumed.of(tree, player)
        values = row_values(tree, one, strategy, player, beliefs[1 - player, :, :other], entered_by, own)
        mine = tree.player == player
        losses[mine, :number] = values.loss[mine]
    return losses


def row_sources(
    tree: PublicTree,
    one: ClassGame,
    strategy: NDArray[np.float64],
    beliefs: NDArray[np.float64],
    entered_by: NDArray[np.int8],
    losses: NDArray[np.float64],
) -> NDArray[np.int8]:
    """Return where each row of the player who acts comes from, an index into `SOURCES`, shape (N, W).

    Parameters
    ----------
    losses
        As `row_losses` finds them without beliefs of single rows.
    """
    inside = inside_resolved(tree, entered_by)
    sources = np.where(inside, RESOLVED, SOLVED).astype(np.int8)[:, None].repeat(strategy.shape[1], axis=1)
    for player in (0, 1):
        number = one.observations[player]
        believed = beliefs[player, :, :number]
        own = np.where(
            inside[:, None],
            believed / believed.max(axis=1, keepdims=True),
            own_reach(tree, strategy, player)[:, :number],
        )
        seldom = np.zeros(sources.shape, dtype=bool)
        seldom[:, :number] = own <= UNREACHED
        sources[seldom & (tree.player == player)[:, None]] = BEST_RESPONSE
    sources[(losses > tolerance(one)) & unmet(tree, one, strategy, SELDOM)] = KEPT_SAFE
    return sources


def unmet(tree: PublicTree, one: ClassGame, strategy: NDArray[np.float64], most: float = UNMET) -> NDArray[np.bool_]:
    """Return to which rows of the player who acts the other's play comes no more often than `most`, shape (N, W)."""
    found = np.zeros((tree.nodes, strategy.shape[1]), dtype=bool)
    for player in (0, 1):
        prior = one.prior_of(player)
        mine, (number, other) = tree.player == player, prior.shape
        reach = own_reach(tree, strategy, 1 - player)[mine, :other] @ prior.T / prior.sum(axis=1)
        found[mine, :number] = reach <= most
    return found


def inside_resolved(tree: PublicTree, entered_by: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which nodes lie in a re-solved subtree, shape (N,)."""
    inside = entered_by > 0
    for start, end in zip(*tree.whole, strict=True):
        nodes = np.arange(max(start, 1), end)
        inside[nodes] |= inside[tree.node_of_action[tree.parent_action[nodes]]]
    return inside
