"""Trees laid out in columns: where everything stands, how a large tree is cut, and that kernels stay inside."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rules.games.registry import hand
from solver.trees import column_layout
from solver.trees.column_layout import COUNT, ColumnLayout, lay_out
from solver.trees.public_tree import PublicTree, unfold
from solver.two_player.backends import ColumnBackend, Scratch, columns_of, observations
from solver.two_player.payoffs import prepare
from tests.support.engines import EVERY_WAY, WAYS, Way, as_bytes, crowd, cut, engine, go, qualities, random_state
from tests.support.games.small_games import BRISK, Kuhn, Leduc, small_specs

DEEP = hand("indian-poker", stacks="30,30", raises="1")
"""After each raise only another one goes on, so that there are as many levels as nodes."""

NOBODY = -1
"""What stands in a column that belongs to no node."""


@st.composite
def cuts(draw: st.DrawFn) -> AbstractContextManager[None]:
    """Draw how to cut a tree, or not to."""
    if draw(st.booleans()):
        return nullcontext()
    return cut(draw(st.sampled_from([2, 8, 50])), draw(st.sampled_from([1, 2, 8])))


class Position(NamedTuple):
    """Where a node stands: its group, how many nodes of the group come before it, and its first column."""

    group: int
    place: int
    column: int


@dataclass
class Read:
    """A layout, and what follows from the places of regrets: where each node stands, and which node on a lane."""

    laid: ColumnLayout

    def __post_init__(self) -> None:
        laid, groups = self.laid, self.laid.groups
        taken = groups.vectors * np.diff(groups.action) * laid.observations
        self.positions: list[Position] = []
        self.lanes = [np.full(vectors * COUNT, NOBODY) for vectors in groups.vectors.tolist()]
        for node, (row, lane) in enumerate(zip(laid.row.tolist(), laid.lane.tolist(), strict=True)):
            (group,) = np.flatnonzero((groups.row <= row) & (row < groups.row + taken)).tolist()
            vector, rest = divmod(row - int(groups.row[group]), int(taken[group] // groups.vectors[group]))
            place, first = divmod(vector * COUNT + lane, laid.hands)
            assert rest == first == 0
            self.positions.append(Position(group, place, int(groups.column[group]) + place * laid.hands))
            span = self.lanes[group][place * laid.hands : (place + 1) * laid.hands]
            assert (span == NOBODY).all()
            span[:] = node

        group = [here.group for here in self.positions]
        self.forest = np.searchsorted(groups.forest, group, side="right") - 1
        node_at = {
            (forest, here.column): node
            for node, (forest, here) in enumerate(zip(self.forest.tolist(), self.positions, strict=True))
        }
        self.forests = range(len(groups.forest) - 1)
        # For each root of a forest its column in the top, its own column, and its node.
        self.doors = [
            [(top, own, node_at[forest, own]) for top, own in doors]
            for forest in self.forests
            for doors in [np.stack([groups.root_top, groups.root_column], 1)[self._part(groups.root, forest)].tolist()]
        ]

    @staticmethod
    def _part(firsts: NDArray[np.int64], number: int) -> slice:
        return slice(int(firsts[number]), int(firsts[number + 1]))

    def groups_of(self, forest: int) -> range:
        part = self._part(self.laid.groups.forest, forest)
        return range(part.start, part.stop)

    def targets(self, group: int) -> list[int]:
        return self.laid.groups.target[self._part(self.laid.groups.action, group)].tolist()

    def span(self, group: int) -> slice:
        """Return the columns of a group's vectors."""
        start = int(self.laid.groups.column[group])
        return slice(start, start + len(self.lanes[group]))

    def children(self, group: int, move: int) -> NDArray[np.int64]:
        """Return the nodes that an action of each node of a group leads to, lane by lane."""
        tree, nodes = self.laid.tree, self.lanes[group]
        return np.where(nodes == NOBODY, NOBODY, tree.child[tree.first[np.maximum(nodes, 0)] + move])


def check_places(laid: ColumnLayout) -> None:
    """Check that every action and observation of every hand has a place, and has it to itself."""
    parts = [part for hand in range(laid.hands) for part in laid.places(hand)]
    places = np.concatenate([places.ravel() for _, places in parts])
    assert len(places) == len(laid.tree.child) * laid.observations * laid.hands
    assert len(np.unique(places)) == len(places)
    assert places.min() >= 0
    assert places.max() < laid.rows * COUNT == laid.new().size
    actions = [number for part, _ in laid.places() for number in range(part.start, part.stop)]
    assert actions == list(range(len(laid.tree.child)))


def check_side_by_side(read: Read) -> None:
    """Check that what an action of a group leads to stands side by side, in the order of the parents."""
    tree, groups, hands = read.laid.tree, read.laid.groups, read.laid.hands
    doors = {top: node for part in read.doors for top, _, node in part}
    assert len(doors) == len(groups.root_top)
    found = set()
    for node, here in enumerate(read.positions):
        assert groups.player[here.group] == tree.player[node]
        for target, child in zip(read.targets(here.group), tree.child[tree.rows(node)].tolist(), strict=True):
            if child < 0:
                assert target == child
            elif read.forest[child] == read.forest[node]:
                assert target + here.place * hands == read.positions[child].column
                assert read.positions[child].group > here.group
            else:
                assert read.forest[node] == 0
                assert doors[target + here.place * hands] == child
                found.add(child)
    assert found == set(doors.values())


def check_down_and_up(read: Read) -> None:
    """Go down and up as the kernels do, whole vectors at a time: each node must find what was left for it."""
    hands = read.laid.hands
    for forest in read.forests:
        width = read.laid.columns[min(forest, 1)]
        reach, value, used = (np.full(width, NOBODY) for _ in range(3))
        for start, node in [(own, node) for _, own, node in read.doors[forest]] if forest else [(0, 0)]:
            reach[start : start + hands] = node
        for group in read.groups_of(forest):
            span, lanes = read.span(group), read.lanes[group]
            assert span.start % COUNT == 0
            assert len(used[span]) == len(lanes)
            assert (used[span] == NOBODY).all()
            used[span] = group
            assert (reach[span] == lanes)[lanes != NOBODY].all()
            for move, target in enumerate(read.targets(group)):
                if target >= 0:
                    reach[target : target + len(lanes)] = read.children(group, move)
                    assert target + len(lanes) <= width
        for doors in read.doors if forest == 0 else ():
            for top, _, node in doors:
                assert (reach[top : top + hands] == node).all()
                value[top : top + hands] = node
        for group in reversed(read.groups_of(forest)):
            lanes = read.lanes[group]
            for move, target in enumerate(read.targets(group)):
                if target >= 0:
                    expected = read.children(group, move)
                    assert (value[target : target + len(lanes)] == expected)[expected != NOBODY].all()
            if read.targets(group):
                value[read.span(group)] = lanes


def check_forests(read: Read) -> None:
    """Check that forests are whole subtrees, are all that is not in the top, and are about equally large."""
    laid, tree, forest = read.laid, read.laid.tree, read.forest
    assert np.bincount(forest, minlength=len(read.forests))[1:].tolist() == laid.sizes.tolist()
    parents = tree.node_of_action[tree.parent_action[1:]]
    assert ((forest[1:] == forest[parents]) | (forest[parents] == 0)).all()
    roots = 1 + np.flatnonzero((forest[1:] > 0) & (forest[parents] == 0))
    assert roots.tolist() == sorted(node for part in read.doors for _, _, node in part)
    if len(laid.sizes):
        below = naive_nodes_below(tree)
        share = tree.nodes / (len(laid.sizes) * column_layout.SHARES)
        assert laid.sizes.max() - laid.sizes.min() <= below[roots].max(initial=0)
        assert (below[roots] <= share).all()
        assert (below[forest == 0] > share).all()


def naive_nodes_below(tree: PublicTree) -> NDArray[np.int64]:
    """Count each node's subtree, itself included."""
    below = np.ones(tree.nodes, dtype=np.int64)
    for node in range(tree.nodes - 1, 0, -1):
        below[tree.node_of_action[tree.parent_action[node]]] += below[node]
    return below


def check(laid: ColumnLayout) -> None:
    read = Read(laid)
    check_places(laid)
    check_side_by_side(read)
    check_down_and_up(read)
    check_forests(read)


HANDS = pytest.mark.parametrize("hands", [1, COUNT], ids=["one hand", "hands"])


@BRISK
@given(small_specs(most_work=20_000), cuts(), st.sampled_from([1, COUNT]))
def test_any_tree_is_laid_out_well(spec: Any, how: AbstractContextManager[None], hands: int) -> None:
    tree = unfold(spec.public)
    assume(tree.nodes)
    with how:
        check(lay_out(tree, 3, hands))


@HANDS
@pytest.mark.parametrize("spec", [Kuhn(), Leduc(), DEEP], ids=["kuhn", "chance nodes", "as deep as large"])
@pytest.mark.parametrize("forest", [2, 10, 100])
def test_odd_trees_are_laid_out_well(spec: Any, forest: int, hands: int) -> None:
    with cut(forest):
        check(lay_out(unfold(spec.public), 10, hands))


def test_where_no_more_goes_on_below_forests_may_be_empty() -> None:
    with cut(30, 8):
        laid = lay_out(unfold(DEEP.public), 10)
        assert laid.sizes.min() == 0 < laid.sizes.max()
        check(laid)


def test_a_large_tree_is_cut_without_being_told_to() -> None:
    tree = unfold(hand("indian-poker", stacks="20,20").public)
    assert tree.nodes > column_layout.SMALL
    laid = lay_out(tree, 10)
    check(laid)
    assert laid.sizes.sum() > 0.9 * tree.nodes
    assert laid.sizes.max() < 1.1 * laid.sizes.min()
    # Vectors are full, near memory is kept to.
    assert laid.rows < 1.5 * len(tree.child) * 10 / COUNT
    assert laid.columns[1] < 2 * column_layout.FOREST


def test_a_small_tree_is_left_whole() -> None:
    laid = lay_out(unfold(hand("indian-poker", stacks="15,15").public), 10)
    assert laid.sizes.tolist() == []
    assert laid.columns[1] == 0


@HANDS
@pytest.mark.parametrize("forest", [0, 6])
def test_numbers_come_back_as_they_were_put(forest: int, hands: int) -> None:
    generator = np.random.default_rng(3)
    tree = unfold(Leduc().public)
    with cut(forest) if forest else nullcontext():
        laid = lay_out(tree, 10, hands)
    memory = laid.new()
    each = generator.random((hands, len(tree.child), 7), dtype=np.float32)
    for hand_number in range(hands):
        laid.put(each[hand_number], memory, hand_number)
    for hand_number in range(hands):
        assert laid.taken(memory, 7, hand_number).tobytes() == each[hand_number].tobytes()
    # What is not of those seven observations was left alone.
    assert np.count_nonzero(memory) == each.size
    assert not laid.taken(memory, 10)[:, 7:].any()


def test_memory_begins_with_a_cache_line() -> None:
    for shape in ((1, 1), (3, 5), (1000, 16)):
        made = column_layout.aligned(shape)
        assert made.ctypes.data % 64 == 0
        assert (made.shape, made.dtype, made.any(), made.flags.c_contiguous) == (shape, np.float32, False, True)


# Kernels stay inside.

GUARD = 4096
"""Numbers around an array that nobody may write to."""


class Guarded:
    """Copies of arrays with guards around them."""

    def __init__(self) -> None:
        self.kept: list[tuple[NDArray[Any], bytes]] = []

    def __call__(self, array: NDArray[Any]) -> NDArray[Any]:
        memory = np.full(array.size + 2 * GUARD, 7.25, dtype=array.dtype)
        self.kept.append((memory, memory[:GUARD].tobytes()))
        inside = memory[GUARD:-GUARD].reshape(array.shape)
        inside[...] = array
        return inside

    def check(self) -> None:
        for memory, guard in self.kept:
            assert memory[:GUARD].tobytes() == memory[-GUARD:].tobytes() == guard


def guard(one: Any) -> Guarded:
    """Put guards around everything that an engine's kernels write to."""
    guarded = Guarded()
    one._regret, one._total = guarded(one._regret), guarded(one._total)
    if isinstance(one, ColumnBackend):
        scratch = Scratch(one._layout)
        scratch.iterated = [type(part)(*map(guarded, part)) for part in scratch.iterated]
        scratch.measured = [
            type(part)(
                (guarded(part.reach[0]), guarded(part.reach[1])),
                (guarded(part.value[0]), guarded(part.value[1]), guarded(part.value[2])),
                guarded(part.after),
            )
            for part in scratch.measured
        ]
        one._spare.append(scratch)
        return guarded
    one._reach, one._value, one._after = guarded(one._reach), guarded(one._value), guarded(one._after)
    found = one._evaluation.found
    pairs = [(guarded(pair[0]), guarded(pair[1])) for pair in (found.reach, found.own, found.best)]
    one._evaluation.found = type(found)(*pairs, guarded(found.played))
    return guarded


SPECS = [Leduc(), hand("indian-poker", stacks="5,4", raises="1,2,allin")]


@EVERY_WAY
@pytest.mark.parametrize("spec", SPECS, ids=["leduc", "indian-poker"])
def test_kernels_write_nowhere_but_where_they_should(spec: Any, way: Way) -> None:
    game = prepare(spec)
    one, plain = engine(game, way), engine(game, way)
    guarded = guard(one)
    for each in (one, plain):
        go(each, 5)
    assert qualities(one) == qualities(plain)
    guarded.check()
    assert as_bytes(one) == as_bytes(plain)


@pytest.mark.parametrize("forest", [0, 4])
@pytest.mark.parametrize("spec", SPECS, ids=["leduc", "indian-poker"])
def test_what_stands_beside_the_nodes_is_never_read(spec: Any, forest: int) -> None:
    game = prepare(spec)
    with cut(forest) if forest else nullcontext():
        laid = lay_out(game.tree, observations(game.width))
    start = random_state(game, 1)
    spoilt, plain = (columns_of(game, (0,), laid, []) for _ in range(2))
    used = np.concatenate([places.ravel() for _, places in laid.places()])
    beside = np.setdiff1d(np.arange(laid.rows * COUNT), used)
    assert len(beside)
    for array in (spoilt._regret, spoilt._total):
        array.reshape(-1)[beside] = np.nan
    scratch = Scratch(laid)
    for part in scratch.iterated:
        part.value[...], part.after[...] = np.nan, np.nan
        part.reach[:, laid.hands :] = np.nan
    for measured in scratch.measured:
        measured.after[...] = np.nan
        for array in (*measured.value, *(reach[:, laid.hands :] for reach in measured.reach)):
            array[...] = np.nan
    for part in (scratch.iterated[1], scratch.measured[1]):  # in forests nothing is given beforehand
        for array in part.reach if isinstance(part.reach, tuple) else (part.reach,):
            array[...] = np.nan
    spoilt._spare.append(scratch)
    for one in (spoilt, plain):
        one.restore(start, 3)
        go(one, 8)
    assert as_bytes(spoilt) == as_bytes(plain)
    assert qualities(spoilt) == qualities(plain)
    assert np.isfinite(qualities(spoilt)).all()


@pytest.mark.parametrize("names", [("columns", "forests"), ("columns of hands", "forests of hands")])
@pytest.mark.parametrize("spec", SPECS, ids=["leduc", "indian-poker"])
def test_a_cut_changes_nothing(spec: Any, names: tuple[str, str]) -> None:
    game = crowd(prepare(spec), 2)
    whole, parts = (engine(game, WAYS[name], 2) for name in names)
    for one in (whole, parts):
        one.restore(random_state(game, 2, len(one.classes)), 3)
        go(one, 12)
    assert as_bytes(whole, 2) == as_bytes(parts, 2)
    assert qualities(whole) == qualities(parts)
