"""A smaller game's strategy in the whole game: how histories are read, and what a best response gains."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules import hand
from rules.base.errors import OptionError, VerificationError
from rules.betting.public_game import Outcome
from rules.games.spec import HandSpec
from solver import Solution, load, solve
from solver.solutions.solution import Whole
from solver.solutions.translation import LOST, _joined, _Reading, quality_in
from solver.solutions.verification import verify
from solver.trees.public_tree import PublicTree, enumerate_states, unfold
from solver.two_player.evaluation import measure
from solver.two_player.payoffs import Quality, prepare
from tests.support.engines import random_strategy
from tests.support.games.small_games import BRISK, Kuhn, small_specs
from tests.support.naive import NaiveHand, profile_of, translated
from tests.support.solution_files import forged, refused

GAMES = ("indian-poker", "indian-holdem", "double-sided")
MANY = 10**6


def at_random(spec: HandSpec, seed: int) -> Solution:
    """Return a solution that plays at random and says how badly."""
    solution, game = solve(spec, max_iterations=0), prepare(spec)
    strategies = np.stack([random_strategy(game, seed + place) for place in range(len(game.classes))])
    found = zip(game.classes, strategies, strict=True)
    qualities = tuple(measure(game.tree, one, strategy, game.margin) for one, strategy in found)
    return replace(solution.playing(strategies), qualities=qualities)


@st.composite
def with_a_smaller_one(draw: st.DrawFn) -> tuple[HandSpec, HandSpec]:
    """Draw a small hand, and a game of fewer actions, one with a line now and then."""
    spec = draw(small_specs(GAMES, most_work=10_000))
    histories = [history for history, _ in walked(spec)]
    assume(histories)
    history = draw(st.sampled_from(histories))
    smaller = [one for _, one in (*spec.smaller(history), *spec.around(history))]
    assume(smaller)
    return spec, draw(st.sampled_from(smaller))


def walked(spec: HandSpec) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield a hand's histories of up to four actions."""
    level: list[tuple[tuple[Any, ...], Any]] = [((), spec.public.root)]
    for _ in range(4):
        level = [one for one in level if not isinstance(one[1], Outcome)]
        yield from level
        level = [((*history, action), to) for history, state in level for action, to in spec.public.moves(state)]


@BRISK
@given(with_a_smaller_one(), st.integers(0, 2**32 - 1))
def test_value_and_best_responses_equal_those_of_the_profile_history_by_history(
    pair: tuple[HandSpec, HandSpec], seed: int
) -> None:
    spec, small = pair
    solution = at_random(small, seed)
    (group,) = spec.classes()
    sizes = group.hand.prior.shape
    profile = translated(spec.public, small.public, profile_of(solution.tree, solution.strategies[0], sizes), sizes)
    for row in profile.values():
        assert sum(row) == pytest.approx(1)
    found = quality_in(solution, spec, MANY)
    assert found is not None
    assert found == pytest.approx(Quality(*NaiveHand(group.hand).bounds(profile)), abs=1e-9)
    assert found.nash_conv >= solution.nash_conv - 1e-9  # whoever deviates has more to choose from


@BRISK
@given(small_specs(GAMES), st.integers(0, 2**32 - 1))
def test_in_the_same_game_nothing_changes(spec: HandSpec, seed: int) -> None:
    solution = at_random(spec, seed)
    assert quality_in(solution, spec, MANY) == pytest.approx(solution.quality, abs=1e-12)


@BRISK
@given(with_a_smaller_one(), st.integers(0, 2**32 - 1), st.sampled_from([0, 1]))
def test_what_the_other_plays_is_a_strategy_everywhere(pair: tuple[HandSpec, HandSpec], seed: int, mover: int) -> None:
    spec, small = pair
    solution, large = at_random(small, seed), enumerate_states(spec.public)
    assume(large.root >= 0)
    joined = _joined(_Reading(large, solution.tree), solution.strategies, mover, MANY)
    assert joined is not None
    tree, strategies = joined
    assert strategies.shape == (1, len(tree.child), solution.strategies.shape[2])
    others = tree.player == 1 - mover
    sums = np.add.reduceat(strategies[0], tree.first[:-1], axis=0)[others]
    assert sums == pytest.approx(np.ones_like(sums))
    below = tree.child[tree.child >= 0]
    assert set(below.tolist()) == set(range(1, tree.nodes))
    depth = np.searchsorted(tree.levels, np.arange(tree.nodes), side="right")
    assert (depth[below] == depth[tree.node_of_action[tree.child >= 0]] + 1).all()


def test_all_boards_together_give_the_mean() -> None:
    spec = hand("indian-holdem", left="1,1,1,1,1,1,0,0,1,1", stacks="6,6", raises="any")
    solution = solve(replace(spec, betting=hand("indian-holdem", raises="2,allin").betting), gap=0.1)
    whole = quality_in(solution, spec, MANY)
    assert whole is not None
    assert len(solution.classes) > 1
    total = np.zeros(4)
    for index, group in enumerate(solution.classes):
        board = group.deals[0].board
        alone = quality_in(
            replace(
                solution,
                spec=hand(**(solution.spec.to_dict() | {"board": board})),
                strategies=solution.strategies[index : index + 1],
                qualities=solution.qualities[index : index + 1],
            ),
            hand(**(spec.to_dict() | {"board": board})),
            MANY,
        )
        assert alone is not None
        total += group.weight * np.array(alone)
    assert np.array(whole) == pytest.approx(total, abs=1e-9)


# How histories are read.


def read_as(spec: HandSpec, tree: PublicTree, history: str) -> str | None:
    """Return the history of the smaller game that one of the whole game is read as; None where it is lost."""
    large = enumerate_states(spec.public)
    reading, state, node = _Reading(large, tree), large.root, 0
    for action in spec.public.follow(history)[0]:
        step = reading.steps(state, node)[large.actions[state].index(action)]
        state, node = step.target, step.node
    return None if node == LOST else " ".join(map(str, tree.history(node)))


def played_as(spec: HandSpec, tree: PublicTree, history: str, at: str) -> dict[str, list[str]]:
    """Return which actions of a node of the smaller game are played as each action after a history."""
    large = enumerate_states(spec.public)
    state = large.states.index(spec.public.follow(history)[1])
    node = tree.find(solutions_history(tree, at))
    names = {int(tree.first[node]) + place: str(action) for place, action in enumerate(tree.actions(node))}
    steps = _Reading(large, tree).steps(state, node)
    return {
        str(action): [names[row] for row in step.rows]
        for action, step in zip(large.actions[state], steps, strict=True)
        if step.rows
    }


def solutions_history(tree: PublicTree, written: str) -> tuple[Any, ...]:
    node, done = 0, []
    for token in written.split():
        action = next(one for one in tree.actions(node) if str(one) == token)
        done.append(action)
        node = int(tree.child[int(tree.first[node]) + tree.actions(node).index(action)])
    return tuple(done)


FEWER: dict[str, Any] = {"stacks": "12,12", "raises": "any"}


@pytest.mark.parametrize(
    ("menu", "history", "expected"),
    [
        ({"raises": "1,5,allin"}, "b1 r5 r1", "b1 r5 r1"),
        ({"raises": "1,5,allin"}, "b2", "b1"),
        ({"raises": "1,5,allin"}, "b3", "b1"),  # as far from 1 as from 5
        ({"raises": "1,5,allin"}, "b4", "b5"),
        ({"raises": "1,5,allin"}, "b9", "allin"),
        ({"raises": "1,5,allin"}, "b2 r4", "b1 r5"),  # both reach 6: the level counts and not the size
        ({"raises": "1,5,allin"}, "b2 r1", "b1 r1"),
        ({"raises": "1,5"}, "allin", "b5"),
        ({"raises": "1,5,allin", "raise_limit": 1}, "b1 r1 r1", "b1"),  # as if P1 had bet 3 at once
        ({"raises": "1,5,allin", "raise_limit": 1}, "b1 r1 r3", "b5"),
        ({"raises": "1,5,allin", "raise_limit": 1}, "b1 r1 r3 r1", "b5 r1"),
        ({"raises": "1,5,allin", "raise_limit": 0}, "b1 r1", None),  # P2 never raises there
        ({"raises": "1,5,allin", "raise_limit": 0}, "b1 r1 r1 r1", None),
        ({"raises": "allin", "line": "b2 r3"}, "b2 r3", "b2 r3"),
        ({"raises": "allin", "line": "b2 r3"}, "b3 r1", "b2 r3"),
    ],
)
def test_a_history_is_read_as_the_nearest(menu: dict[str, Any], history: str, expected: str | None) -> None:
    spec, small = hand("indian-poker", **FEWER), hand("indian-poker", **(FEWER | menu))
    assert read_as(spec, unfold(small.public), history) == expected


@pytest.mark.parametrize(
    ("menu", "history", "expected"),
    [
        ({"raises": "1,5,allin"}, "front:b2 back:r4", "front:b1 back:r5"),
        ({"raises": "1,allin"}, "back:b4 both", "back:b1 both"),
        ({"raises": "1,allin", "raise_limit": 1}, "front:b1 back:r1 r9", "front:allin"),
        ({"raises": "6,allin"}, "front:b3 both", "front:b6 front:allin"),  # twice 6 is too much there
    ],
)
def test_sides_are_kept(menu: dict[str, Any], history: str, expected: str) -> None:
    spec, small = (hand("double-sided", fronts="3,8", **(FEWER | more)) for more in ({}, menu))
    assert read_as(spec, unfold(small.public), history) == expected


def test_what_is_not_legal_is_played_as_the_nearest_or_as_a_call() -> None:
    spec, small = hand("indian-poker", **FEWER), hand("indian-poker", **(FEWER | {"raises": "1,2,5,allin"}))
    tree = unfold(small.public)
    assert played_as(spec, tree, "b3", "b2") == {
        "f": ["f"],
        "c": ["c", "r1"],
        "r1": ["r2"],
        "r4": ["r5"],
        "allin": ["allin"],
    }
    assert played_as(spec, tree, "b1", "b1") == {name: [name] for name in ("f", "c", "r1", "r2", "r5", "allin")}
    assert played_as(spec, tree, "allin", "b5") == {"f": ["f"], "c": ["c", "r1", "r2", "r5", "allin"]}


def test_a_side_is_not_named_again() -> None:
    spec, small = (hand("double-sided", fronts="3,8", **(FEWER | more)) for more in ({}, {"raises": "1,allin"}))
    found = played_as(spec, unfold(small.public), "front:b1 back:r1 r1", "front:b1")
    assert found == {
        "f": ["f"],
        "c": ["front:c", "front:r1", "back:c", "back:r1", "both"],
        "allin": ["front:allin", "back:allin"],
    }


# Sizes, and what is refused.


def test_a_hand_of_millions_of_nodes_is_measured_and_a_raise_limit_costs_little() -> None:
    spec = hand("double-sided", stacks="30,30", fronts="3,8")
    solution = solve(hand(**(spec.to_dict() | {"raise_limit": 2})), gap=0.01)
    found = quality_in(solution, spec, MANY)
    assert found is not None
    assert solution.nash_conv - 1e-9 <= found.nash_conv < 0.1
    assert found.lower <= solution.value <= found.upper < -0.41


def test_a_game_too_large_is_not_measured() -> None:
    spec = hand("indian-poker", stacks="20,20")
    solution = solve(hand("indian-poker", stacks="20,20", raises="1,allin"), gap=0.1)
    assert quality_in(solution, spec, 200) is None
    assert quality_in(solution, spec, MANY) is not None
    assert quality_in(solution, hand("indian-poker", stacks="20,20", raises="any"), 300) is None


def test_another_deck_is_refused() -> None:
    solution = solve(hand("indian-poker", stacks="5,5", raises="1,allin"), gap=0.1)
    with pytest.raises(OptionError, match="whole game of the same deck"):
        quality_in(solution, hand("indian-poker", stacks="5,5", seen="4,4"), MANY)
    with pytest.raises(OptionError, match="whole game of the same deck"):
        quality_in(solution, Kuhn(), MANY)


# In files.


@pytest.fixture(scope="module")
def measured() -> Solution:
    spec = hand("indian-poker", stacks="6,6", left="1,1,0,0,0,0,0,0,1,1", raises="any")
    solution = solve(hand(**(spec.to_dict() | {"raises": "1,allin"})), gap=1e-2)
    return replace(solution, whole=Whole(spec, MANY, quality_in(solution, spec, MANY)))


@pytest.mark.parametrize("known", [True, False])
def test_a_file_keeps_what_it_gives_in_the_whole_game(measured: Solution, known: bool, tmp_path: Path) -> None:
    assert measured.whole is not None
    solution = measured if known else replace(measured, whole=measured.whole._replace(quality=None))
    assert solution.whole is not None
    solution.save(tmp_path / "x.npz")
    found = load(tmp_path / "x.npz")
    assert found.whole is not None
    assert found.whole[1:] == solution.whole[1:]
    assert found.whole.spec.to_dict() == measured.whole.spec.to_dict()
    found.save(tmp_path / "y.npz")
    assert load(tmp_path / "y.npz").whole is not None
    solution.save(tmp_path / "z.npz")
    assert (tmp_path / "z.npz").read_bytes() == (tmp_path / "x.npz").read_bytes()
    verify(found)
    replace(solution, whole=None).save(tmp_path / "plain.npz")
    assert load(tmp_path / "plain.npz").whole is None


def test_a_false_claim_about_the_whole_game_does_not_hold(measured: Solution) -> None:
    assert measured.whole is not None
    assert measured.whole.quality is not None
    better = measured.whole.quality._replace(upper=measured.whole.quality.upper - 0.01)
    with pytest.raises(VerificationError, match="the strategy in the whole game claims upper"):
        verify(replace(measured, whole=measured.whole._replace(quality=better)))
    with pytest.raises(VerificationError, match="too large for what is claimed"):
        verify(replace(measured, whole=measured.whole._replace(most=3)))


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"nash_conv": 0.0}, "NashConv in the whole game is the distance of its bounds"),
        ({"nash_conv": "x"}, "lacks or garbles a field"),
        ({"most": 1.5}, "lacks or garbles a field"),
        ({"spec": {"game": "none"}}, "lacks or garbles a field"),
        ({"value_bounds": [0.0]}, "lacks or garbles a field"),
    ],
)
def test_forged_claims_about_the_whole_game_are_refused(
    measured: Solution, change: dict[str, Any], part: str, tmp_path: Path
) -> None:
    measured.save(tmp_path / "x.npz")
    refused(forged(tmp_path / "x.npz", lambda header, _: header["whole"].update(change)), part)
