"""The public tree as flat arrays, against plain recursion over the public game."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from rules.base.errors import SizeError
from rules.betting.no_limit import IndianBetting
from rules.betting.public_game import CHANCE, Outcome, PublicGame
from rules.games.registry import hand
from solver.trees import public_tree
from solver.trees.public_tree import PublicTree, TreeSize, enumerate_states, measure, unfold
from tests.support.games.small_games import BRISK, Kuhn, Leduc, small_specs, states_of
from tests.support.naive import levels, perft, positions


def check_against_recursion(public: PublicGame) -> None:
    """Compare an unfolded tree with recursion: nodes, order, players, actions, children and histories."""
    tree = unfold(public)
    expected = [node for level in levels(public) for node in level]
    assert [tree.history(node) for node in range(tree.nodes)] == [history for history, _ in expected]
    for node, (history, state) in enumerate(expected):
        assert tree.player[node] == public.player(state)
        assert tree.automaton.states[tree.state[node]] == state
        assert tree.actions(node) == tuple(action for action, _ in public.moves(state))
        assert tree.find(history) == node
        rows = tree.rows(node)
        assert tree.node_of_action[rows].tolist() == [node] * len(tree.actions(node))
        for (action, target), child in zip(public.moves(state), tree.child[rows].tolist(), strict=True):
            assert tree.find((*history, action)) == child
            if isinstance(target, Outcome):
                assert child < 0
                assert tree.outcomes[~child] == target
            else:
                assert expected[child] == ((*history, action), target)
    assert len(tree.child) == tree.first[-1] == sum(len(public.moves(state)) for _, state in expected)


def check_level_order(tree: PublicTree) -> None:
    """Check that the children of a level, action by action, are exactly the next level."""
    assert tree.levels[0] == 0
    assert tree.levels[-1] == tree.nodes
    for depth, (start, end) in enumerate(zip(tree.levels[:-1], tree.levels[1:], strict=True)):
        children = tree.child[tree.first[start] : tree.first[end]]
        below = children[children >= 0]
        after = tree.levels[depth + 2] if depth + 2 < len(tree.levels) else end
        assert below.tolist() == list(range(end, after))
    parents = np.where(tree.parent_action >= 0, tree.node_of_action[tree.parent_action], -1) if tree.nodes else []
    assert all(parent < node for node, parent in enumerate(parents))


def size_of(public: PublicGame) -> TreeSize:
    counts = perft(public)
    states = {state for _, state in positions(public) if not isinstance(state, Outcome)}
    moves = sum(len(public.moves(state)) for state in states)
    nodes = counts["p1"], counts["p2"]
    return TreeSize(nodes, counts["chance"], counts["actions"], counts["terminals"], moves)


@pytest.mark.parametrize("spec", [Kuhn(), Leduc()], ids=lambda spec: spec.game)
def test_test_games_unfold_as_recursion_does(spec: Any) -> None:
    check_against_recursion(spec.public)
    check_level_order(unfold(spec.public))
    assert measure(spec.public) == size_of(spec.public)


@BRISK
@given(small_specs(most=7))
def test_any_hand_unfolds_as_recursion_does(spec: Any) -> None:
    check_against_recursion(spec.public)
    check_level_order(unfold(spec.public))


@BRISK
@given(small_specs(most=7))
def test_measuring_counts_what_unfolding_builds_and_recursion_finds(spec: Any) -> None:
    tree, size = unfold(spec.public), measure(spec.public)
    assert size == size_of(spec.public)
    assert size.nodes == (np.count_nonzero(tree.player == 0), np.count_nonzero(tree.player == 1))
    assert (size.all_nodes, size.actions) == (tree.nodes, len(tree.child))
    if tree.nodes:
        assert size.terminals == np.count_nonzero(tree.child < 0)


def test_sizes_of_kuhn_and_leduc() -> None:
    assert measure(Kuhn().public) == TreeSize((2, 2), 0, 8, 5, 8)
    size = measure(Leduc().public)
    assert size.chance_nodes == 5  # kk, kbc, kbrc, bc, brc
    assert size.all_nodes == size.decision_nodes + 5
    assert size.decision_nodes == 6 + 5 * 3 * 6


@pytest.mark.parametrize(
    ("game", "options", "nodes", "actions"),
    [
        ("indian-poker", {"stacks": "10,10"}, 104, None),
        ("indian-poker", {"stacks": "15,15"}, 1_002, None),
        ("indian-poker", {"stacks": "20,20"}, 9_572, 28_714),
        ("indian-poker", {"stacks": "10,10", "raises": "any"}, 512, None),
        ("indian-poker", {"stacks": "15,15", "raises": "any"}, 16_384, None),
        ("indian-poker", {"stacks": "20,20", "raises": "any"}, 524_288, None),
        ("double-sided", {"stacks": "15,15"}, 4_003, None),
        ("double-sided", {"stacks": "20,20"}, 38_283, None),
        ("double-sided", {"stacks": "30,30"}, 3_487_483, 10_462_455),
    ],
)
def test_known_tree_sizes(game: str, options: dict[str, Any], nodes: int, actions: int | None) -> None:
    size = measure(hand(game, **options).public)
    assert size.decision_nodes == nodes
    assert actions is None or size.actions == actions
    assert size.actions == nodes - 1 + size.terminals


def test_equal_states_are_shared_and_nodes_are_not() -> None:
    public = IndianBetting(9, hand("indian-poker").betting)  # type: ignore[attr-defined]
    tree = unfold(public)
    assert len(tree.automaton.states) == len(states_of(public)) < tree.nodes
    assert len(set(tree.automaton.states)) == len(tree.automaton.states)
    assert len(set(tree.outcomes)) == len(tree.outcomes)
    assert set(tree.outcomes) == {position for _, position in positions(public) if isinstance(position, Outcome)}


def test_chance_nodes_are_marked() -> None:
    tree = unfold(Leduc().public)
    chance = np.flatnonzero(tree.player == CHANCE)
    assert len(chance) == 5
    assert {tree.actions(node) for node in chance.tolist()} == {tree.actions(int(chance[0]))}
    assert [action.size for action in tree.actions(int(chance[0]))] == [1, 2, 3]


def test_where_the_antes_are_all_in_there_is_an_outcome_and_no_node() -> None:
    public = hand("indian-poker", stacks="1,5").public
    tree = unfold(public)
    assert measure(public) == TreeSize((0, 0), 0, 0, 1, 0)
    assert (tree.nodes, tree.child.tolist(), tree.first.tolist(), tree.levels.tolist()) == (0, [], [0], [0])
    assert tree.outcomes == (public.root,)
    assert tree.find(()) == ~0


@pytest.mark.parametrize("refused", [measure, unfold, enumerate_states])
def test_a_game_with_too_many_moves_is_refused(refused: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    public = hand("indian-poker").public
    moves = sum(len(public.moves(state)) for state in states_of(public))
    monkeypatch.setattr(public_tree, "MAX_MOVES", moves)
    refused(public)
    monkeypatch.setattr(public_tree, "MAX_MOVES", moves - 1)
    with pytest.raises(SizeError, match=rf"more than {moves - 1} different moves; smaller stacks or fewer sizes"):
        refused(public)


def test_a_game_with_too_long_histories_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    public = hand("indian-poker", stacks="10,10", raises="1").public
    monkeypatch.setattr(public_tree, "MAX_DEPTH", 10)
    unfold(public)
    monkeypatch.setattr(public_tree, "MAX_DEPTH", 9)
    with pytest.raises(SizeError, match="more than 9 actions; use larger raise sizes"):
        unfold(public)


def test_very_long_histories_are_measured_without_recursion() -> None:
    size = measure(hand("indian-poker", stacks="5000,5000", raises="1").public)
    assert size.decision_nodes == 5000
