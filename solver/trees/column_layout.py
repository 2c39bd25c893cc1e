"""A public tree laid out in columns: nodes of the same public state side by side.

All nodes of one public state have the same actions, the same ends of the hand and the same tree below.
So they are worked on together, eight at a time, each in a lane of a machine vector: the loops over actions
and observations are the same for all, no step depends on the single node, and what stands side by side is
read and written as a whole. The children that one action of a *group* (the nodes of a state) leads to stand
side by side again, in the order of their parents.

A large tree is cut first: into the *top*, the nodes of states with many nodes below them, and *forests* of
about the same size made of the subtrees that are left. Each forest has groups of its own; its reach and
values stay in near memory while it is worked through, and threads share the forests out among them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapreplace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.trees.public_tree import PublicTree

COUNT = 16
"""Nodes, or hands, that are worked on at a time: lanes of a vector (`solver.kernels.columns`)."""

SMALL = 6_000
"""Columns that a tree may have and stay whole."""
FOREST = 16_000
"""Columns of a forest, about."""
SHARES = 4
"""Subtrees are at most this part of a forest, so that forests come out equal."""

FEWEST = 10
"""Observations that columns are made for at least: each number is compiled once, and most games have so many."""
SMALLEST, STEP = 12, 4
"""Rows of one node have at least so many places, and a multiple of so many, for the same reason."""


def observations(width: int) -> int:
    """Return how many observations columns have that are made for `width`."""
    return max(FEWEST, width + width % 2)


def padded(width: int) -> int:
    """Return how many places rows have that hold `width` numbers."""
    return max(SMALLEST, -(-width // STEP) * STEP)


class Groups(NamedTuple):
    """The groups as kernels read them; G groups, F forests with the top, T actions, R roots.

    Parameters
    ----------
    player
        Who acts, shape (G,), int8; in the top, groups of roots have no actions.
    vectors
        How many vectors of nodes, shape (G,), int64.
    column
        Where reach and values of the group begin, in its forest's own arrays, shape (G,), int64.
    row
        Where its regrets and sums begin, in vectors, shape (G,), int64: for each vector of nodes, each
        action and each observation there is one.
    action
        A group's actions in `target` are ``action[g]:action[g + 1]``, shape (G + 1,), int64.
    target
        The column of the first child, or ``~outcome``, shape (T,), int64.
    forest
        Groups of forest f are ``forest[f]:forest[f + 1]``, shape (F + 1,), int64; the first is the top.
    root
        Roots of forest f are ``root[f]:root[f + 1]`` in the two below, shape (F + 1,), int64.
    root_top, root_column
        A root's column in the top and in its forest, shape (R,), int64.
    """

    player: NDArray[np.int8]
    vectors: NDArray[np.int64]
    column: NDArray[np.int64]
    row: NDArray[np.int64]
    action: NDArray[np.int64]
    target: NDArray[np.int64]
    forest: NDArray[np.int64]
    root: NDArray[np.int64]
    root_top: NDArray[np.int64]
    root_column: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColumnLayout:
    """A tree in columns.

    Parameters
    ----------
    tree
        What was laid out.
    observations
        Rows for observations that every node has.
    hands
        How many hands stand side by side in the lanes of a node: 1, or `COUNT`.
    groups
        For the kernels.
    row
        The first vector of each node, shape (N,), int64; the others follow, action by action.
    lane
        The lane of each node, of its first hand, shape (N,), int64.
    rows
        Vectors of regrets or sums of all.
    columns
        Columns of the top, and of the largest forest.
    sizes
        Nodes of each forest but the top.
    """

    tree: PublicTree
    observations: int
    hands: int
    groups: Groups
    row: NDArray[np.int64]
    lane: NDArray[np.int64]
    rows: int
    columns: tuple[int, int]
    sizes: NDArray[np.int64]

    @property
    def filled(self) -> float:
        """Which part of the vectors the nodes fill, where one hand stands alone."""
        return float(self.tree.nodes / (COUNT * self.groups.vectors[self.groups.player >= 0].sum()))

    def new(self, dtype: type[np.floating[Any]] = np.float32) -> NDArray[np.floating[Any]]:
        """Return zeros for regrets or sums, shape (rows, COUNT)."""
        return aligned((self.rows, COUNT), dtype)

    def places(self, hand: int = 0) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Say where the numbers of one hand stand, piece by piece.

        Yields
        ------
        Some actions, and for each of them and each observation the place in `new`, taken flat.
        """
        tree = self.tree
        for _, _, actions in tree.pieces():
            node = tree.node_of_action[actions]
            order = np.arange(actions.start, actions.stop) - tree.first[node]
            first = (self.row[node] + order * self.observations) * COUNT + self.lane[node] + hand
            yield actions, first[:, None] + COUNT * np.arange(self.observations)

    def taken(self, laid: NDArray[np.floating[Any]], width: int, hand: int = 0) -> NDArray[np.floating[Any]]:
        """Return a hand's numbers by action and observation, shape (A, width)."""
        found = np.empty((len(self.tree.child), width), dtype=laid.dtype)
        for actions, places in self.places(hand):
            found[actions] = laid.reshape(-1)[places[:, :width]]
        return found

    def put(self, numbers: NDArray[np.floating[Any]], laid: NDArray[np.floating[Any]], hand: int = 0) -> None:
        """Overwrite a hand's numbers; the other way round than `taken`."""
        for actions, places in self.places(hand):
            laid.reshape(-1)[places[:, : numbers.shape[1]]] = numbers[actions]


def aligned(shape: tuple[int, ...], dtype: type[np.floating[Any]] = np.float32) -> NDArray[np.floating[Any]]:
    """Return zeros whose first one stands at the start of a cache line."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, dtype=np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


def lay_out(tree: PublicTree, observations: int, hands: int = 1) -> ColumnLayout:
    """Lay out a tree of at least one node.

    Parameters
    ----------
    observations
        Rows for observations that every node gets, at least as many as anyone has.
    hands
        1, or `COUNT` to have as many hands side by side.
    """
    nodes_below = tree.nodes_below
    cut = _cut(tree, nodes_below, hands)
    states, moves = len(tree.automaton.states), np.diff(tree.automaton.first)
    order = np.argsort(_last_level(tree), kind="stable")  # what leads to a state comes before it
    # Nodes of a state one forest after the other and column by column; those of roots in the top by themselves.
    lined_up: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64) for _ in range(2 * states)]
    sources: list[list[NDArray[np.int64]]] = [[] for _ in range(2 * states)]
    sources[int(tree.state[0])].append(np.zeros(1, dtype=np.int64))
    for root in np.flatnonzero(cut.is_root):
        sources[int(tree.state[root])].append(np.array([root]))
    for state in order:
        found = np.concatenate([*sources[state], np.zeros(0, dtype=np.int64)])
        found = found[np.argsort(cut.forest[found], kind="stable")]
        lined_up[state] = found
        for move in range(moves[state]):
            child = tree.child[tree.first[found] + move]
            if len(child) and child[0] >= 0:
                below = int(tree.state[child[0]])
                sources[below + states * int(cut.is_root[child[0]])].append(child)
    for state in range(states, 2 * states):
        lined_up[state] = np.concatenate([*sources[state], np.zeros(0, dtype=np.int64)])
    return _numbered(tree, observations, hands, cut, order, lined_up)


class _Cut(NamedTuple):
    """Forests, how many nodes each has, the forest of each node (0 is the top), and which nodes are roots."""

    sizes: NDArray[np.int64]
    forest: NDArray[np.int64]
    is_root: NDArray[np.bool_]


def _cut(tree: PublicTree, below: NDArray[np.int64], hands: int) -> _Cut:
    forest = np.zeros(tree.nodes, dtype=np.int64)
    is_root = np.zeros(tree.nodes, dtype=np.bool_)
    if tree.nodes * hands <= SMALL:
        return _Cut(np.zeros(0, dtype=np.int64), forest, is_root)
    number = 2 * -(-tree.nodes * hands // (2 * FOREST))
    small = below * number * SHARES <= tree.nodes
    above = tree.node_of_action[tree.parent_action[1:]]
    is_root[1:] = small[1:] & ~small[above]
    roots = np.flatnonzero(is_root)
    forest[roots] = 1 + _shares(below[roots], number)
    for start, end in zip(*tree.whole, strict=True):
        if start > 0:
            nodes = np.arange(start, end)
            parents = above[nodes - 1]
            forest[nodes] = np.where(small[parents], forest[parents], forest[nodes])
    return _Cut(np.bincount(forest, minlength=number + 1)[1:], forest, is_root)


def _numbered(
    tree: PublicTree,
    observations: int,
    hands: int,
    cut: _Cut,
    order: NDArray[np.int64],
    lined_up: list[NDArray[np.int64]],
) -> ColumnLayout:
    """Give groups, columns and rows their numbers, for nodes lined up by state."""
    states, forests = len(order), len(cut.sizes) + 1
    order = np.concatenate([order, order + states])
    lengths = np.array([len(lined_up[state]) for state in order])
    nodes = np.concatenate([lined_up[state] for state in order])
    kind = np.repeat(np.arange(2 * states), lengths)  # the place of the state in the order
    forest = np.where(kind < states, cut.forest[nodes], 0)
    pair = forest * (2 * states) + kind
    count = np.bincount(pair, minlength=forests * 2 * states)
    present = np.flatnonzero(count)
    group_of_pair = np.full(len(count), -1, dtype=np.int64)
    group_of_pair[present] = np.arange(len(present))
    group = group_of_pair[pair]
    count = count[present]
    first_node = np.zeros(len(present), dtype=np.int64)
    first_node[group[::-1]] = np.arange(len(nodes))[::-1]
    place = np.arange(len(nodes)) - first_node[group]

    state = order[present % (2 * states)]
    moves = np.where(state < states, np.diff(tree.automaton.first)[state % states], 0)
    forest_of_group = present // (2 * states)
    starts = np.searchsorted(forest_of_group, np.arange(forests + 1))
    vectors = -(-count * hands // COUNT)
    # Whole vectors are written, so what is behind the last node must be nobody's.
    width = COUNT * (vectors + 1)
    column = np.cumsum(width) - width
    column -= np.append(column, 0)[starts[:-1]][forest_of_group]  # the last forests may be empty
    taken = vectors * moves * observations
    row = np.cumsum(taken) - taken

    column_of_node, column_of_root = (np.zeros(tree.nodes, dtype=np.int64) for _ in range(2))
    real = kind < states
    column_of_node[nodes[real]] = column[group[real]] + place[real] * hands
    column_of_root[nodes[~real]] = column[group[~real]] + place[~real] * hands
    row_of_node, lane_of_node = (np.zeros(tree.nodes, dtype=np.int64) for _ in range(2))
    vector, lane = np.divmod(place[real] * hands, COUNT)
    row_of_node[nodes[real]] = row[group[real]] + vector * moves[group[real]] * observations
    lane_of_node[nodes[real]] = lane

    action = np.concatenate(([0], np.cumsum(moves)))
    owner = np.repeat(np.arange(len(present)), moves)
    child = tree.child[tree.first[nodes[first_node[owner]]] + np.arange(action[-1]) - action[owner]]
    inner = np.maximum(child, 0)  # there can be more outcomes than nodes
    target = np.where(child < 0, child, np.where(cut.is_root[inner], column_of_root[inner], column_of_node[inner]))

    roots = np.flatnonzero(cut.is_root)
    roots = roots[np.argsort(cut.forest[roots], kind="stable")]
    ends = np.append(starts[1:], len(present))[:forests]
    columns = [int((column + width)[start:end].max(initial=0)) for start, end in zip(starts, ends, strict=False)]
    groups = Groups(
        np.where(state < states, tree.automaton.player[state % states], -1).astype(np.int8),
        vectors,
        column,
        row,
        action,
        target.astype(np.int64),
        starts,
        np.searchsorted(cut.forest[roots], np.arange(forests + 1)),
        column_of_root[roots],
        column_of_node[roots],
    )
    return ColumnLayout(
        tree, observations, hands, groups, row_of_node, lane_of_node, int(taken.sum()),
        (columns[0], max(columns[1:], default=0)), cut.sizes,
    )  # fmt: skip


def _last_level(tree: PublicTree) -> NDArray[np.int64]:
    """Return the deepest level that each state occurs on, shape (states,)."""
    last = np.zeros(len(tree.automaton.states), dtype=np.int64)
    for level, (start, end) in enumerate(zip(*tree.whole, strict=True)):
        last[tree.state[start:end]] = level
    return last


def _shares(sizes: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Share things out so that all shares are about equal: the largest first, each to the smallest share."""
    owner = np.zeros(len(sizes), dtype=np.int64)
    shares = [(0, share) for share in range(number)]
    for thing in np.argsort(-sizes, kind="stable"):
        load, share = shares[0]
        owner[thing] = share
        heapreplace(shares, (load + int(sizes[thing]), share))
    return owner
