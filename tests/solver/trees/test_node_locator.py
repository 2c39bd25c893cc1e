"""Nodes found by counting, against the tree unfolded."""

from typing import Any

import pytest
from hypothesis import given

from solver.trees.node_locator import NodeLocator, Place
from solver.trees.public_tree import unfold
from tests.support.games.small_games import BRISK, EVERY_SPEC, small_specs


def check_places(spec: Any) -> None:
    """Compare every node of the tree with what counting says of it, and of the tree below it."""
    tree = unfold(spec.public)
    places = NodeLocator(tree.automaton)
    for node in range(tree.nodes):
        path = [0]
        for action in tree.history(node):
            path.append(tree.find((*tree.history(path[-1]), action)))
        expected = [Place(int(tree.state[one]), one, tree.rows(one)) for one in path]
        assert places.along(tree.history(node)) == expected
        start, end, below = node, node + 1, []
        while start < end:
            below.append(slice(int(tree.first[start]), int(tree.first[end])))
            start, end = int(tree.kids[start]), int(tree.kids[end])
        assert places.below(tree.history(node)) == below


@pytest.mark.parametrize("spec", EVERY_SPEC)
def test_every_node_and_the_tree_below_it_is_found(spec: Any) -> None:
    check_places(spec)


@BRISK
@given(small_specs(most_work=10_000))
def test_every_node_of_any_hand_is_found(spec: Any) -> None:
    check_places(spec)
