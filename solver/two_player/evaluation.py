"""Reach, values and best responses in plain numpy, level by level.

This is the path of everything that reads a solution: tables, advice, and the proof of a saved file
(`solver.solutions.verification`). It shares no code with the compiled kernels and needs no numba. A large tree is
worked through in pieces (`sweep`), so that only the strategy itself is ever held for all of it.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.trees.public_tree import PublicTree
from solver.two_player.payoffs import ClassGame, Game, Quality


def trim(game: Game, strategy: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """Set probabilities below a threshold to 0 and scale the others up; rows with none above stay as they are."""
    kept = np.where(strategy < threshold, 0.0, strategy)
    sums = np.repeat(np.add.reduceat(kept, game.tree.first[:-1], axis=0), np.diff(game.tree.first), axis=0)
    return np.where(sums > 0.0, kept / np.where(sums > 0.0, sums, 1.0), strategy)


SLIP = 1e-9
"""A belief takes every action to be played by mistake this often, so that it excludes nothing."""

TREMBLE = 1e-3
"""Beside those who leave the path for a subtree solved anew, so large a part are there by Bayes' rule and mistakes."""

FLOOR = 1e-200
"""What is believed possible has at least this part of the likeliest reach, however many mistakes led there."""

HELD = 100_000
"""Nodes, about, whose reach and values are held at a time, besides those near the root."""

Strategy = NDArray[np.floating[Any]]
"""Probabilities, shape (A, width); as float32 what they are in proportion to, for a row's rounding may show."""


class Span(NamedTuple):
    """Nodes side by side in one level, and their actions; k nodes, r actions.

    Parameters
    ----------
    start, end
        The nodes.
    rows
        Their actions in arrays over all actions.
    player
        Who acts, shape (k,).
    first
        Actions of node j are ``first[j]:first[j + 1]`` of `rows`, shape (k + 1,).
    child
        The node or ``~outcome`` that each action leads to, shape (r,).
    """

    start: int
    end: int
    rows: slice
    player: NDArray[np.int8]
    first: NDArray[np.int64]
    child: NDArray[np.int64]

    @property
    def place(self) -> NDArray[np.int64]:
        """Which of the nodes each action belongs to, shape (r,)."""
        return np.repeat(np.arange(self.end - self.start), np.diff(self.first))

    @property
    def children(self) -> NDArray[np.int64]:
        """The nodes that actions lead to, shape (children,)."""
        return self.child[self.child >= 0]


def span(tree: PublicTree, start: int, end: int) -> Span:
    """Return nodes side by side in one level."""
    rows = slice(int(tree.first[start]), int(tree.first[end]))
    first = tree.first[start : end + 1] - tree.first[start]
    return Span(start, end, rows, tree.player[start:end], first, tree.child[rows])


def spans(tree: PublicTree) -> Iterator[Span]:
    """Yield all nodes, a level at a time or less."""
    for start, end in zip(*tree.whole, strict=True):
        for begin in range(int(start), int(end), HELD):
            yield span(tree, begin, min(begin + HELD, int(end)))


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
        strategy[rows] = mixed(weights[rows], tree.first[start : end + 1] - tree.first[start])
    return strategy


def mixed(weights: NDArray[np.floating[Any]], first: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what positive weights are in proportion to; actions of node j are ``first[j]:first[j + 1]``."""
    kept: NDArray[np.float64] = np.maximum(weights, 0.0, dtype=np.float64)
    moves = np.diff(first)
    sums = np.repeat(np.add.reduceat(kept, first[:-1], axis=0), moves, axis=0)
    even = np.repeat(1.0 / moves, moves)[:, None]
    return np.where(sums > 0.0, kept / np.where(sums > 0.0, sums, 1.0), even)


def played(strategy: Strategy, rows: slice | NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probabilities of whole nodes, float64.

    Parameters
    ----------
    rows
        The actions of the nodes, node after node.
    first
        Actions of node j are ``first[j]:first[j + 1]`` of them.
    """
    found = strategy[rows]
    return np.asarray(found, dtype=np.float64) if found.dtype == np.float64 else mixed(found, first)


def own_reach(tree: PublicTree, strategy: Strategy, player: int, slip: float = 0.0) -> NDArray[np.float64]:
    """Return the product of a player's own action probabilities on the way to each node.

    Parameters
    ----------
    slip
        How often each action is played by mistake, besides.

    Returns
    -------
    ndarray of float64, shape (N, width)
        Column = the player's own observation; 1 at the root.
    """
    reach = np.ones((tree.nodes, strategy.shape[1]))
    for one in spans(tree):
        reach[one.children] = reach_below(one, strategy, player, reach[one.start : one.end], slip)
    return reach


def reach_below(
    one: Span, strategy: Strategy, player: int, reach: NDArray[np.float64], slip: float
) -> NDArray[np.float64]:
    """Return a player's reach at the children of nodes, shape (children, any), from that at the nodes."""
    inner = one.child >= 0
    above = one.place[inner]
    acts = (one.player[above] == player)[:, None]
    mine = played(strategy, one.rows, one.first)[inner, : reach.shape[1]]
    return reach[above] * np.where(acts, mine + slip, 1.0)


def beliefs_by_bayes(tree: PublicTree, strategy: Strategy) -> NDArray[np.float64]:
    """Return each player's reach as believed everywhere, up to a factor: by Bayes' rule, mistakes included.

    Returns
    -------
    ndarray of float64, shape (2, N, width)
        The largest of each node from 0.5 to 1, none below `FLOOR`.
    """
    reach = np.ones((2, tree.nodes, strategy.shape[1]))
    for one in spans(tree):
        for player in (0, 1):
            below = reach_below(one, strategy, player, reach[player, one.start : one.end], SLIP)
            reach[player, one.children] = likely(below).reach
    return reach


class Values(NamedTuple):
    """Counterfactual values of a player, summed over the opponent's hands and not divided by reach.

    `node` has shape (N, n), `action` (A, n); columns are the player's observations.
    """

    node: NDArray[np.float64]
    action: NDArray[np.float64]


class Profile(NamedTuple):
    """Whose values are found, and by which play."""

    one: ClassGame
    strategy: Strategy
    mover: int
    best: bool


def counterfactual_values(
    tree: PublicTree,
    one: ClassGame,
    strategy: Strategy,
    mover: int,
    best: bool = False,
    believed: NDArray[np.float64] | None = None,
) -> Values:
    """Return the values of a player who plays the profile, or best responds to the other's part of it.

    Parameters
    ----------
    best
        Whether the player best responds.
    believed
        The other's reach at every node, in place of the reach that the profile gives.
    """
    mine, theirs = one.observations[mover], one.observations[1 - mover]
    reach = (own_reach(tree, strategy, 1 - mover) if believed is None else believed)[:, :theirs]
    values = Values(np.zeros((tree.nodes, mine)), np.zeros((len(tree.child), mine)))
    for here in reversed(list(spans(tree))):
        values.node[here.start : here.end], values.action[here.rows] = node_values(
            here, Profile(one, strategy, mover, best), reach[here.start : here.end], values.node[here.children]
        )
    return values


def node_values(
    here: Span,
    profile: Profile,
    reach: NDArray[np.float64],
    below: NDArray[np.float64],
) -> Values:
    """Return the values of nodes and of their actions.

    Parameters
    ----------
    reach
        The other's at the nodes, shape (k, m).
    below
        Values of the children, shape (children, n).
    """
    one, strategy, mover, best = profile
    mine, theirs = one.observations[mover], one.observations[1 - mover]
    payoff = one.utilities[mover]
    mix, above = played(strategy, here.rows, here.first), here.place
    values = np.zeros((len(here.child), mine))
    inner = here.child >= 0
    values[inner] = below
    ends = np.flatnonzero(~inner)
    acts = (here.player[above[ends]] == 1 - mover)[:, None]
    arrived = reach[above[ends]] * np.where(acts, mix[ends, :theirs], 1.0)
    order = np.argsort(here.child[ends], kind="stable")
    outcomes, begins = np.unique(here.child[ends][order], return_index=True)
    for outcome, begin, stop in zip(outcomes, begins, np.append(begins, len(order))[1:], strict=True):
        group = order[begin:stop]
        values[ends[group]] = arrived[group] @ payoff[~outcome].T
    own = (here.player == mover)[:, None]
    weighted = np.where(own[above], values * mix[:, :mine], values)
    nodes = np.add.reduceat(weighted, here.first[:-1], axis=0)
    if best:
        nodes = np.where(own, np.maximum.reduceat(values, here.first[:-1], axis=0), nodes)
    return Values(nodes, values)


Told = Callable[[Span, NDArray[np.float64], NDArray[np.float64]], None]
"""Takes nodes, the other's reach there, shape (k, m), and the values of their actions, shape (r, n)."""


def sweep(
    tree: PublicTree,
    one: ClassGame,
    strategy: Strategy,
    mover: int,
    *,
    best: bool = False,
    slip: float = 0.0,
    root: NDArray[np.float64] | None = None,
    told: Told | None = None,
) -> NDArray[np.float64]:
    """Return a player's values at the root as `counterfactual_values` does, holding a piece of the tree at a time.

    The levels near the root, where nodes have more than `HELD` nodes below them, are held as a whole; the
    subtrees below them are worked through a few at a time.

    Parameters
    ----------
    tree
        Of at least one node.
    slip
        How often the other plays each action by mistake, besides, wherever somebody acts afterwards.
    root
        The other's reach at the root, shape (m,); by default 1.
    told
        Called for nodes side by side, in no particular order, each of them once. Reach, and values with it, are
        up to a factor for each node.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    profile = Profile(one, strategy, mover, best)
    theirs = one.observations[1 - mover]
    sizes, levels = tree.nodes_below, list(zip(*(bounds.tolist() for bounds in tree.whole), strict=True))
    cut = next((depth for depth, (start, end) in enumerate(levels) if sizes[start:end].max() <= HELD), len(levels))

    def down(below: Sequence[Span], reach: NDArray[np.float64]) -> list[_Scaled]:
        found = [_Scaled(reach, np.zeros((len(reach), 1), dtype=np.int32))]
        for here in below:
            found.append(scaled(reach_below(here, strategy, 1 - mover, found[-1].reach, slip)))
        return found

    def up(below: Sequence[Span], arrived: Sequence[_Scaled], values: NDArray[np.float64]) -> NDArray[np.float64]:
        for here, (reach, power) in zip(reversed(below), reversed(arrived[: len(below)]), strict=True):
            values, actions = node_values(here, profile, reach, values)
            if told is not None:
                told(here, reach, actions)
            values = np.ldexp(values, power)
        return values

    nobody = np.zeros((0, one.observations[mover]))
    top = [span(tree, start, end) for start, end in levels[:cut]]
    arrived = down(top, np.ones((1, theirs)) if root is None else root[None])
    if cut == len(levels):
        return np.asarray(up(top, arrived, nobody)[0])
    first, (reach, power) = levels[cut][0], arrived[cut]
    values = np.zeros((len(reach), one.observations[mover]))
    for start, end in _shares(first, sizes[first : levels[cut][1]]):
        below = list(_descent(tree, start, end))
        values[start - first : end - first] = up(below, down(below, reach[start - first : end - first]), nobody)
    return np.asarray(up(top, arrived, np.ldexp(values, power))[0])


class _Scaled(NamedTuple):
    """Reach over ``2**power``, shapes (k, any) and (k, 1): so that many mistakes in a row can be told from none."""

    reach: NDArray[np.float64]
    power: NDArray[np.int32]


def scaled(reach: NDArray[np.float64]) -> _Scaled:
    """Return reach with the largest of each row between 0.5 and 1, without any rounding; rows of zeros stay."""
    power = np.frexp(reach.max(axis=1, keepdims=True, initial=0.0))[1]
    return _Scaled(np.ldexp(reach, -power), power)


def likely(reach: NDArray[np.float64]) -> _Scaled:
    """Scale reach as `scaled` does and keep it from vanishing: what was possible stays so (see `FLOOR`)."""
    found = scaled(reach)
    return found._replace(reach=np.where(found.reach > 0.0, np.maximum(found.reach, FLOOR), 0.0))


def _shares(first: int, sizes: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield nodes side by side, from the first on, with about `HELD` nodes below them and two pieces at most."""
    share = (np.cumsum(sizes) - 1) // HELD
    bounds = [*np.flatnonzero(np.diff(share, prepend=-1)).tolist(), len(sizes)]
    for start, end in pairwise(bounds):
        yield first + start, first + end


def _descent(tree: PublicTree, start: int, end: int) -> Iterator[Span]:
    """Yield nodes side by side, then all their children, and so on."""
    while start < end:
        yield span(tree, start, end)
        start, end = int(tree.kids[start]), int(tree.kids[end])


Put = Callable[[slice, NDArray[np.float64]], None]
"""Takes rows of an array over actions and what belongs there, shape (rows, n)."""


def expected_values(tree: PublicTree, one: ClassGame, strategy: Strategy, put: Put) -> None:
    """Find what each action is worth to the acting player, given that play has come there.

    Beliefs are those of `beliefs_by_bayes`.

    Parameters
    ----------
    put
        Called for each action of a player once, in no particular order.
    """
    for mover in (0, 1):
        prior = one.prior if mover == 0 else one.prior.T

        def told(here: Span, arrived: NDArray[np.float64], values: NDArray[np.float64], mover: int = mover) -> None:
            worth = values / (arrived @ prior.T)[here.place]  # noqa: B023 (called within this turn of the loop)
            mine = np.diff((here.player == mover)[here.place], prepend=False, append=False)
            for begin, end in np.flatnonzero(mine).reshape(-1, 2).tolist():
                put(slice(here.rows.start + begin, here.rows.start + end), worth[begin:end])

        sweep(tree, one, strategy, mover, slip=SLIP, told=told)


def measure(tree: PublicTree, one: ClassGame, strategy: Strategy, margin: float) -> Quality:
    """Measure a profile by two best responses, as `solver.two_player.best_response` does, by this module's own path."""
    if tree.nodes == 0:
        return one.settled(margin)
    value = sweep(tree, one, strategy, 0).sum()
    upper = sweep(tree, one, strategy, 0, best=True).sum()
    lower = -sweep(tree, one, strategy, 1, best=True).sum()
    return Quality(float(value), float(lower) - margin, float(upper) + margin)


def bounds(
    tree: PublicTree, least: ClassGame, most: ClassGame, strategy: Strategy, margin: float
) -> tuple[float, float]:
    """Return what P1 has at least whatever P2 does, and at most whatever it does itself.

    Parameters
    ----------
    least, most
        The class with the lowest and with the highest utilities that P1 can have.
    margin
        Bounds are moved outward by this for rounding.
    """
    if tree.nodes == 0:
        return least.settled(margin).lower, most.settled(margin).upper
    lower = -sweep(tree, least, strategy, 1, best=True).sum()
    upper = sweep(tree, most, strategy, 0, best=True).sum()
    return float(lower) - margin, float(upper) + margin
