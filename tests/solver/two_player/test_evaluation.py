"""The numpy path of everything that reads a solution, and the compiled measure of a profile, against naive twins."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rules.betting.actions import format_history
from rules.games.registry import hand
from rules.games.spec import Hand
from solver.two_player import evaluation
from solver.two_player.best_response import Evaluation
from solver.two_player.payoffs import Game, Quality, prepare
from tests.support.engines import random_strategy
from tests.support.games.small_games import BRISK, EVERY_SPEC, FEW, LOPSIDED, TURNED, small_specs
from tests.support.naive import NaiveHand, matched, positions, profile_of

EXACT = 1e-12


def compiled(game: Game, strategy: NDArray[np.float64], margin: float = 0.0) -> Quality:
    return Evaluation(game.tree, game.width).quality(game.classes[0], strategy, margin)


# Probabilities.


@BRISK
@given(small_specs(most_work=20_000), st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]))
def test_probabilities_are_shares_of_what_is_positive_and_even_where_nothing_is(
    spec: Any, seed: int, dtype: Any
) -> None:
    game, generator = prepare(spec), np.random.default_rng(seed)
    weights = generator.normal(size=(len(game.tree.child), 3)).astype(dtype)
    weights[generator.random(weights.shape) < 0.4] = 0.0
    before = weights.copy()
    strategy = evaluation.probabilities(game.tree, weights)
    assert strategy.dtype == np.float64
    assert (weights == before).all()
    for node in range(game.tree.nodes):
        for column in range(3):
            expected = matched(weights[game.tree.rows(node), column].tolist())
            assert strategy[game.tree.rows(node), column].tolist() == pytest.approx(expected, rel=EXACT)


# Values and best responses.


def check_measures(generic: Hand, game: Game, seed: int) -> None:
    """Compare both implementations of value and best response with the naive one, on a random strategy."""
    strategy = random_strategy(game, seed)
    one = game.classes[0]
    expected = Quality(*NaiveHand(generic).bounds(profile_of(game.tree, strategy, one.observations)))
    assert evaluation.measure(game.tree, one, strategy, 0.0) == pytest.approx(expected, rel=EXACT, abs=EXACT)
    assert compiled(game, strategy) == pytest.approx(expected, rel=EXACT, abs=EXACT)


@pytest.mark.parametrize("spec", EVERY_SPEC, ids=lambda spec: spec.game)
def test_value_and_best_responses_equal_the_naive_ones(spec: Any) -> None:
    for seed in range(3):
        check_measures(spec.classes()[0].hand, prepare(spec), seed)


@BRISK
@given(small_specs(most_work=10_000), st.integers(0, 2**32 - 1))
def test_value_and_best_responses_of_any_hand_equal_the_naive_ones(spec: Any, seed: int) -> None:
    check_measures(spec.classes()[0].hand, prepare(spec), seed)


@BRISK
@given(small_specs(most_work=200_000), st.integers(0, 2**32 - 1))
def test_both_paths_measure_the_same(spec: Any, seed: int) -> None:
    game = prepare(spec)
    strategy, one = random_strategy(game, seed), game.classes[0]
    expected = compiled(game, strategy, game.margin)
    assert evaluation.measure(game.tree, one, strategy, game.margin) == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_a_profile_may_be_given_by_weights() -> None:
    game = prepare(hand("indian-poker", stacks="6,6"))
    strategy = random_strategy(game, 8)
    factors = np.random.default_rng(2).uniform(0.1, 10.0, size=(game.tree.nodes, game.width))
    weights = strategy * factors[game.tree.node_of_action]
    assert compiled(game, weights) == pytest.approx(compiled(game, strategy), rel=EXACT)
    single = evaluation.probabilities(game.tree, weights.astype(np.float32))
    assert compiled(game, weights.astype(np.float32)) == pytest.approx(compiled(game, single), rel=EXACT)


def test_one_evaluation_serves_any_number_of_classes_and_profiles() -> None:
    game = prepare(hand("indian-holdem", stacks="4,4"))
    one_for_all = Evaluation(game.tree, game.width)
    for seed in (1, 2, 1):
        for one in game.classes:
            strategy = random_strategy(game, seed)
            anew = Evaluation(game.tree, game.width).quality(one, strategy, 0.0)
            assert one_for_all.quality(one, strategy, 0.0) == anew


def test_bounds_are_moved_outward_by_the_margin() -> None:
    game = prepare(EVERY_SPEC[0])
    strategy = random_strategy(game, 0)
    value, lower, upper, _ = compiled(game, strategy)
    assert compiled(game, strategy, 0.5) == Quality(value, lower - 0.5, upper + 0.5)
    assert evaluation.measure(game.tree, game.classes[0], strategy, 0.5) == pytest.approx(
        Quality(value, lower - 0.5, upper + 0.5), abs=EXACT
    )


@FEW
@given(small_specs(most_work=5_000), st.integers(0, 2**32 - 1))
def test_reach_and_values_at_every_history_equal_the_naive_ones(spec: Any, seed: int) -> None:
    game = prepare(spec)
    strategy, one, twin = random_strategy(game, seed), game.classes[0], NaiveHand(spec.classes()[0].hand)
    profile, tree = profile_of(game.tree, strategy, one.observations), game.tree
    histories = {history for history, _ in positions(spec.public)} - {()}
    for player in (0, 1):
        reach = evaluation.own_reach(tree, strategy, player)
        for best in (False, True):
            values = evaluation.counterfactual_values(tree, one, strategy, player, best)
            for mine in range(one.observations[player]):
                expected = twin.values(profile, player, mine, best)
                for node in range(tree.nodes):
                    history = tree.history(node)
                    assert values.node[node, mine] == pytest.approx(expected[history], rel=EXACT, abs=EXACT)
                    assert reach[node, mine] == pytest.approx(twin.reach(profile, player, history, mine), abs=EXACT)
                    for row, action in zip(range(*tree.rows(node).indices(10**9)), tree.actions(node), strict=True):
                        below = expected[*history, action]
                        assert values.action[row, mine] == pytest.approx(below, rel=EXACT, abs=EXACT)
                        histories.discard((*history, action))
    assert not histories


def test_a_profile_that_a_player_cannot_improve_on_has_no_gain() -> None:
    # Kuhn's equilibrium with P1 never bluffing: value -1/18 and no gap.
    game = prepare(EVERY_SPEC[0])
    tree, third = game.tree, 1 / 3
    bets = {"": (0, 0, 0), "k": (third, 0, 1), "b1": (0, third, 1), "k b1": (0, third, 1)}  # or calls
    strategy = np.empty((len(tree.child), game.width))
    for node in range(tree.nodes):
        often = np.array(bets[format_history(tree.history(node))])
        strategy[tree.rows(node)] = [1 - often, often]
    for quality in (compiled(game, strategy), evaluation.measure(tree, game.classes[0], strategy, 0.0)):
        assert quality == pytest.approx(Quality(-1 / 18, -1 / 18, -1 / 18), abs=EXACT)


@pytest.mark.parametrize("spec", [LOPSIDED, TURNED], ids=["lopsided", "turned"])
def test_what_a_player_cannot_observe_counts_for_nothing(spec: Any) -> None:
    game = prepare(spec)
    tree, one = game.tree, game.classes[0]
    strategy = random_strategy(game, 5)
    spoilt, actor = strategy.copy(), tree.player[tree.node_of_action]
    for player in (0, 1):
        outside = np.ix_(actor == player, np.arange(game.width) >= one.observations[player])
        spoilt[outside] = np.random.default_rng(player).normal(size=spoilt[outside].shape) * 1e30
    assert (spoilt != strategy).any()
    assert compiled(game, spoilt) == compiled(game, strategy)
    assert evaluation.measure(tree, one, spoilt, 0.0) == evaluation.measure(tree, one, strategy, 0.0)


def test_a_wider_class_beside_it_changes_nothing() -> None:
    game = prepare(LOPSIDED)
    strategy, (one,) = random_strategy(game, 5), game.classes
    wide = np.pad(strategy, ((0, 0), (0, 20)), constant_values=0.5)
    assert Evaluation(game.tree, game.width + 20).quality(one, wide, 0.0) == pytest.approx(
        compiled(game, strategy), rel=EXACT
    )


def test_where_nobody_acts_the_showdown_is_all() -> None:
    game = prepare(hand("indian-poker", stacks="1,5"))
    value = float(game.classes[0].joint[0].sum())
    for quality in (
        Evaluation(game.tree, game.width).quality(game.classes[0], np.zeros((0, game.width)), 0.25),
        evaluation.measure(game.tree, game.classes[0], np.zeros((0, game.width)), 0.25),
    ):
        assert quality == Quality(value, value - 0.25, value + 0.25)


# Piece by piece.


@pytest.mark.parametrize("held", [1, 3, 40, 10**6])
@pytest.mark.parametrize("slip", [0.0, evaluation.SLIP])
@pytest.mark.parametrize("spec", EVERY_SPEC)
def test_a_sweep_tells_each_node_once_and_gives_what_the_whole_tree_does(
    spec: Any, slip: float, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "HELD", held)
    game = prepare(spec)
    tree, one, strategy = game.tree, game.classes[0], random_strategy(game, 5)
    for mover in (0, 1):
        for best in (False, True):
            reach = evaluation.own_reach(tree, strategy, 1 - mover, slip)
            whole = evaluation.counterfactual_values(tree, one, strategy, mover, best, believed=reach)
            told: list[int] = []

            def check(
                here: evaluation.Span, arrived: NDArray[np.float64], values: NDArray[np.float64],
                reach: NDArray[np.float64] = reach, whole: evaluation.Values = whole, told: list[int] = told,
            ) -> None:  # fmt: skip
                told.extend(range(here.start, here.end))
                real = reach[here.start : here.end, : arrived.shape[1]]
                factor = np.where(real > 0.0, arrived / np.where(real > 0.0, real, 1.0), 0.0).max(axis=1, keepdims=True)
                assert arrived == pytest.approx(real * factor, rel=1e-9)
                assert values == pytest.approx(whole.action[here.rows] * factor[here.place], rel=1e-9, abs=1e-9)

            root = evaluation.sweep(tree, one, strategy, mover, best=best, slip=slip, told=check)
            assert root == pytest.approx(whole.node[0], rel=EXACT, abs=EXACT)
            assert sorted(told) == list(range(tree.nodes))


def test_a_sweep_may_begin_with_any_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "HELD", 10)
    game = prepare(EVERY_SPEC[2])
    (one,), strategy = game.classes, random_strategy(game, 6)
    columns = np.eye(one.observations[1])
    parts = [evaluation.sweep(game.tree, one, strategy, 0, root=column) for column in columns]
    assert sum(parts) == pytest.approx(evaluation.sweep(game.tree, one, strategy, 0), abs=EXACT)
    assert not np.allclose(parts[0], parts[1])


@pytest.mark.parametrize("held", [2, 10**6])
@pytest.mark.parametrize("spec", EVERY_SPEC)
def test_expected_values_are_put_once_for_each_action_of_a_player(
    spec: Any, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "HELD", held)
    game = prepare(spec)
    tree, one, strategy = game.tree, game.classes[0], random_strategy(game, 7)
    found = np.full(strategy.shape, np.nan)

    def put(rows: slice, values: NDArray[np.float64]) -> None:
        assert np.isnan(found[rows]).all()
        found[rows, : values.shape[1]] = values

    evaluation.expected_values(tree, one, strategy, put)
    for player, prior in ((0, one.prior), (1, one.prior.T)):
        nodes = tree.node_of_action
        mine = np.flatnonzero(tree.player[nodes] == player)
        reach = evaluation.own_reach(tree, strategy, 1 - player, evaluation.SLIP)
        values = evaluation.counterfactual_values(tree, one, strategy, player, believed=reach).action
        expected = values[mine] / (reach[nodes[mine], : prior.shape[1]] @ prior.T)
        assert found[mine, : len(prior)] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert np.isnan(found[tree.player[tree.node_of_action] < 0]).all()


def test_many_mistakes_in_a_row_can_be_told_from_none() -> None:
    # Both always fold; that 40 raises of one player are all mistakes is too unlikely for a float64.
    game = prepare(hand("indian-poker", left="1,1,1,1,0,0,0,0,0,0", stacks="90,90", raises="1"))
    tree, (one,) = game.tree, game.classes
    strategy = np.zeros((len(tree.child), game.width))
    strategy[tree.first[:-1]] = 1.0
    found: list[float] = []

    def put(rows: slice, values: NDArray[np.float64]) -> None:
        found.extend((float(values.min()), float(values.max())))

    with np.errstate(all="raise", under="ignore"):
        evaluation.expected_values(tree, one, strategy, put)
    assert len(tree.levels) > 80
    rounding = 1e-9  # products of probabilities are rounded another way by other processors
    assert -90.0 - rounding <= min(found) < max(found) <= 90.0 + rounding


@pytest.mark.parametrize("factor", [1.0, 0.75, 1e-30])
def test_float32_rows_are_taken_for_what_they_are_in_proportion_to(factor: float) -> None:
    game = prepare(EVERY_SPEC[2])
    tree, (one,), rounded = game.tree, game.classes, random_strategy(game, 8).astype(np.float32)
    exact = evaluation.probabilities(tree, rounded)
    scaled = rounded * np.float32(factor)
    assert evaluation.measure(tree, one, scaled, 0.0) == pytest.approx(
        evaluation.measure(tree, one, exact, 0.0), abs=1e-6 if factor == 1e-30 else 1e-7
    )
    assert evaluation.own_reach(tree, scaled, 0) == pytest.approx(evaluation.own_reach(tree, exact, 0), abs=1e-6)
