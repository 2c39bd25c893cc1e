"""The compiled kernels, and the numpy path of everything that reads a solution, against naive twins."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rules.hand import CHANCE, Hand
from rules.notation import format_history
from rules.registry import hand
from solver import _kernels, cfr, evaluation
from solver.best_response import Scratch, measure_profile
from solver.game import ClassGame, Game, prepare
from tests.naive import NaiveCFR, NaiveHand, Profile, positions, profile_of
from tests.small_games import BRISK, FEW, Kuhn, Leduc, small_specs

EXACT = 1e-12
EVERY_GAME = [
    hand("indian-poker", left="2,0,0,1,0,0,2,0,0,1", stacks="5,4", raises="1,2,allin", carry=2),
    hand("indian-holdem", left="0,2,0,1,2,2,0,0,1,0", board="2,6", stacks="5,5", raises="2,allin"),
    hand("double-sided", fronts="4,7", stacks="5,5", raises="2,allin", shown="4/1,4/2,4/3,4/5,4/6,7/1,7/2,7/3"),
    hand("blind-mans-bluff", max_raises=2),
]
EVERY_GAME_AND_TEST_GAME = pytest.mark.parametrize("spec", [Kuhn(), Leduc(), *EVERY_GAME], ids=lambda spec: spec.game)


@dataclass(frozen=True)
class GenericHand:
    """A hand with utilities drawn at random, so that no two actions are worth the same."""

    hand: Hand
    game: Game

    @classmethod
    def like(cls, spec: Any, seed: int) -> "GenericHand":
        (group,) = spec.classes()
        generator, tables = np.random.default_rng(seed), {}
        game = prepare(spec)
        for outcome in game.tree.outcomes:
            tables[outcome] = group.hand.utility(outcome) + generator.normal(size=group.hand.prior.shape)
        generic = Hand(spec.public, group.hand.prior, tables.__getitem__)
        joint = np.stack([tables[outcome] for outcome in game.tree.outcomes]) * group.hand.prior
        return cls(generic, Game(game.tree, (ClassGame(joint, group.hand.prior, 1.0),)))


def arguments(game: Game, ones: NDArray[np.float64]) -> tuple[Any, ...]:
    """Return what the kernel is told of the hand."""
    tree, one = game.tree, game.classes[0]
    return *tree.whole, ones, tree.player, tree.first, tree.child, one.payoffs, one.counts


def iterated(game: Game, state: cfr.ClassState, end: int, width: int | None = None) -> None:
    """Run the kernel on the only class, up to iteration `end`."""
    scratch = Scratch(game.tree, width or game.width)
    done = _kernels.iterate(
        state.iterations, end, np.zeros(1, np.int64), cfr.SCHEDULE, *arguments(game, scratch.ones),
        state.regret, state.current, state.total, scratch.reach, scratch.value, scratch.after,
    )  # fmt: skip
    assert done == end
    state.iterations = done


def random_strategy(game: Game, seed: int, zeros: bool = True) -> NDArray[np.float64]:
    """Draw a strategy, padding included, with a fair number of zeros."""
    generator = np.random.default_rng(seed)
    weights = generator.random((len(game.tree.child), game.width)) ** 2
    if zeros:
        weights[generator.random(weights.shape) < 0.3] = 0.0
    strategy = np.empty_like(weights)
    _kernels.normalise(game.tree.first, weights, strategy)
    return strategy


def close(profile: Profile, expected: Profile) -> None:
    assert profile.keys() == expected.keys()
    for key, row in expected.items():
        assert profile[key] == pytest.approx(row, rel=EXACT, abs=EXACT), key


def read(game: Game, array: NDArray[np.float64]) -> Profile:
    return profile_of(game.tree, array, game.classes[0].observations)


def averaged(game: Game, state: cfr.ClassState) -> NDArray[np.float64]:
    strategy = np.empty_like(state.total)
    _kernels.normalise(game.tree.first, state.total, strategy)
    return strategy


def assert_same_as_twin(game: Game, state: cfr.ClassState, twin: NaiveCFR) -> None:
    close(read(game, state.regret), twin.regret)
    close(read(game, state.current), twin.current)
    close(read(game, averaged(game, state)), twin.average())
    # The kernel's sums are the twin's over t^c.
    last = twin.iteration ** cfr.SCHEDULE[2]
    close(read(game, state.total), {key: [value / last for value in row] for key, row in twin.sums.items()})


# Iterating.


@pytest.mark.parametrize("spec", [Kuhn(), Leduc()], ids=lambda spec: spec.game)
def test_iterations_of_the_test_games_equal_the_naive_ones(spec: Any) -> None:
    game, twin = prepare(spec), NaiveCFR(spec.classes()[0].hand)
    state = cfr.ClassState.new(game)
    for iteration in range(1, 16):
        iterated(game, state, iteration)
        twin.iterate()
    assert_same_as_twin(game, state, twin)


@BRISK
@given(small_specs(most_work=3_000), st.integers(0, 2**32 - 1))
def test_iterations_of_any_hand_equal_the_naive_ones(spec: Any, seed: int) -> None:
    generic = GenericHand.like(spec, seed)
    assume(generic.game.tree.nodes)
    state, twin = cfr.ClassState.new(generic.game), NaiveCFR(generic.hand)
    iterated(generic.game, state, 4)
    for _ in range(4):
        twin.iterate()
    assert_same_as_twin(generic.game, state, twin)


@EVERY_GAME_AND_TEST_GAME
def test_each_iteration_of_a_real_hand_equals_the_naive_one_from_the_same_regrets(spec: Any) -> None:
    # Real hands have ties, where rounding alone decides which action looks better: so both start each time
    # from the kernel's regrets.
    game, twin = prepare(spec), NaiveCFR(spec.classes()[0].hand)
    state = cfr.ClassState.new(game)
    for iteration in range(1, 6):
        twin.regret, twin.current = read(game, state.regret), read(game, state.current)
        iterated(game, state, iteration)
        twin.iterate()
        close(read(game, state.regret), twin.regret)


def test_iterations_can_be_done_one_by_one_or_all_at_once() -> None:
    game = prepare(Leduc())
    at_once, one_by_one = cfr.ClassState.new(game), cfr.ClassState.new(game)
    iterated(game, at_once, 12)
    for iteration in range(1, 13):
        iterated(game, one_by_one, iteration)
    for name in ("regret", "current", "total"):
        assert getattr(at_once, name).tobytes() == getattr(one_by_one, name).tobytes()


def test_a_halt_is_obeyed_before_the_next_iteration() -> None:
    game = prepare(Kuhn())
    state, scratch, halt = cfr.ClassState.new(game), Scratch(game.tree, game.width), np.ones(1, np.int64)
    done = _kernels.iterate(
        7, 100, halt, cfr.SCHEDULE, *arguments(game, scratch.ones),
        state.regret, state.current, state.total, scratch.reach, scratch.value, scratch.after,
    )  # fmt: skip
    assert done == 7
    assert not state.regret.any()


def test_the_schedule_is_what_is_asked_for() -> None:
    # Other exponents, so that none of the three can stand in for another.
    game, schedule = prepare(Kuhn()), (0.7, 0.4, 3.0)
    state, scratch = cfr.ClassState.new(game), Scratch(game.tree, game.width)
    twin = NaiveCFR(Kuhn().classes()[0].hand, *schedule)
    _kernels.iterate(
        0, 8, np.zeros(1, np.int64), schedule, *arguments(game, scratch.ones),
        state.regret, state.current, state.total, scratch.reach, scratch.value, scratch.after,
    )  # fmt: skip
    for _ in range(8):
        twin.iterate()
    close(read(game, state.regret), twin.regret)
    close(read(game, averaged(game, state)), twin.average())


def test_the_schedule_in_use_is_that_of_the_paper() -> None:
    assert cfr.SCHEDULE == (1.5, 0.0, 2.0)


def scaled(game: Game, factor: float) -> Game:
    return Game(game.tree, tuple(ClassGame(one.joint * factor, one.prior, one.weight) for one in game.classes))


def test_the_unit_of_the_utilities_changes_nothing_but_the_scale_of_regrets() -> None:
    # By a power of two, so that even rounding is the same.
    game = prepare(EVERY_GAME[0])
    plain, small = cfr.ClassState.new(game), cfr.ClassState.new(game)
    iterated(game, plain, 200)
    iterated(scaled(game, 2.0**-200), small, 200)
    assert small.regret.tobytes() == (plain.regret * 2.0**-200).tobytes()
    assert small.current.tobytes() == plain.current.tobytes()
    assert small.total.tobytes() == plain.total.tobytes()


def test_regrets_far_below_any_gap_are_0_and_not_denormal() -> None:
    game = prepare(EVERY_GAME[0])
    state = cfr.ClassState.new(game)
    iterated(scaled(game, 2.0**-510), state, 5)
    assert not state.regret.any()


def test_reaches_far_below_any_gap_are_0_and_not_denormal() -> None:
    game = prepare(EVERY_GAME[0])
    tree, state = game.tree, cfr.ClassState.new(game)
    state.current[:] = 1e-160
    iterated(game, state, 1)
    again = [node for node in range(tree.nodes) if tree.player[node] == 1 and len(tree.history(node)) > 2]
    assert again
    for node in again:
        assert not state.total[tree.rows(node)].any()


# Normalising.


@given(st.integers(0, 2**32 - 1))
@BRISK
def test_normalising_gives_shares_of_the_sum_and_even_ones_where_there_is_none(seed: int) -> None:
    generator = np.random.default_rng(seed)
    first = np.concatenate(([0], np.cumsum(generator.integers(1, 6, size=5))))
    total = generator.random((first[-1], 3)) * (generator.random((first[-1], 3)) < 0.4)
    strategy = np.full_like(total, np.nan)
    _kernels.normalise(first, total, strategy)
    for start, end in pairwise(first.tolist()):
        for column in range(3):
            row = total[start:end, column].tolist()
            whole = sum(row)
            expected = [value / whole if whole else 1 / len(row) for value in row]
            assert strategy[start:end, column].tolist() == pytest.approx(expected, rel=EXACT)


# Evaluating.


def check_measures(generic: Hand, game: Game, seed: int) -> None:
    """Compare both implementations of value and best response with the naive one, on a random strategy."""
    strategy = random_strategy(game, seed)
    one = game.classes[0]
    expected = NaiveHand(generic).bounds(read(game, strategy))
    assert evaluation.measure(game.tree, one, strategy, 0.0) == pytest.approx(expected, rel=EXACT, abs=EXACT)
    compiled = measure_profile(game.tree, one, strategy, 0.0, Scratch(game.tree, game.width))
    assert compiled == pytest.approx(expected, rel=EXACT, abs=EXACT)


@EVERY_GAME_AND_TEST_GAME
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
    compiled = measure_profile(game.tree, one, strategy, game.margin, Scratch(game.tree, game.width))
    assert evaluation.measure(game.tree, one, strategy, game.margin) == pytest.approx(compiled, rel=1e-11, abs=1e-11)


@FEW
@given(small_specs(most_work=5_000), st.integers(0, 2**32 - 1))
def test_reach_and_values_at_every_history_equal_the_naive_ones(spec: Any, seed: int) -> None:
    game = prepare(spec)
    strategy, one, twin = random_strategy(game, seed), game.classes[0], NaiveHand(spec.classes()[0].hand)
    profile, tree = read(game, strategy), game.tree
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
    game = prepare(Kuhn())
    tree, third = game.tree, 1 / 3
    bets = {"": (0, 0, 0), "k": (third, 0, 1), "b1": (0, third, 1), "k b1": (0, third, 1)}  # or calls
    strategy = game.uniform()
    for node in range(tree.nodes):
        often = np.array(bets[format_history(tree.history(node))])
        strategy[tree.rows(node)] = [1 - often, often]
    for quality in (
        measure_profile(tree, game.classes[0], strategy, 0.0, Scratch(tree, game.width)),
        evaluation.measure(tree, game.classes[0], strategy, 0.0),
    ):
        assert quality == pytest.approx((-1 / 18,) * 3, abs=EXACT)


# Where the players have different numbers of observations.

LOPSIDED = hand("double-sided", fronts="4,7", stacks="4,4", shown="4/1,4/2,4/3,4/5,4/6,4/8,7/1,7/2")


def test_the_lopsided_hand_is_lopsided() -> None:
    game = prepare(LOPSIDED)
    assert game.classes[0].observations == (3, 7)
    assert game.width == 7


@pytest.mark.parametrize("turned", [False, True])
def test_padding_columns_are_neither_read_nor_spread(turned: bool) -> None:
    spec = hand("double-sided", fronts="7,4", stacks="4,4", shown=list(LOPSIDED.deck.shown)) if turned else LOPSIDED
    game = prepare(spec)
    tree, one = game.tree, game.classes[0]
    strategy = random_strategy(game, 5)
    spoilt, padded = strategy.copy(), cfr.ClassState.new(game)
    plain = cfr.ClassState.new(game)
    actor = tree.player[tree.node_of_action]
    for player in (0, 1):
        outside = np.ix_(actor == player, np.arange(game.width) >= one.observations[player])
        for array in (spoilt, padded.regret, padded.current, padded.total):
            array[outside] = np.nan
    assert np.isnan(spoilt).any()
    scratch = Scratch(tree, game.width)
    assert measure_profile(tree, one, spoilt, 0.0, scratch) == measure_profile(tree, one, strategy, 0.0, scratch)
    assert evaluation.measure(tree, one, spoilt, 0.0) == evaluation.measure(tree, one, strategy, 0.0)
    iterated(game, plain, 10)
    iterated(game, padded, 10)
    for player in (0, 1):
        rows = actor == player
        for name in ("regret", "current", "total"):
            ours, theirs = (getattr(state, name)[rows, : one.observations[player]] for state in (plain, padded))
            assert ours.tobytes() == theirs.tobytes()


def test_a_wider_class_beside_it_changes_nothing() -> None:
    game = prepare(LOPSIDED)
    tree, one, extra = game.tree, game.classes[0], 3
    narrow, wide = cfr.ClassState.new(game), cfr.ClassState.new(game)
    for name in ("regret", "current", "total"):
        setattr(wide, name, np.pad(getattr(wide, name), ((0, 0), (0, extra)), constant_values=0.5))
    iterated(game, narrow, 10)
    iterated(game, wide, 10, game.width + extra)
    actor = tree.player[tree.node_of_action]
    for player in (0, 1):
        for name in ("regret", "current", "total"):
            ours, theirs = (
                getattr(state, name)[actor == player][:, : one.observations[player]] for state in (narrow, wide)
            )
            assert ours.tobytes() == theirs.tobytes()
    measured = [
        measure_profile(tree, one, averaged(game, state), 0.0, Scratch(tree, state.total.shape[1]))
        for state in (narrow, wide)
    ]
    assert measured[0] == measured[1]


def test_chance_nodes_keep_even_strategies() -> None:
    game = prepare(Leduc())
    state = cfr.ClassState.new(game)
    iterated(game, state, 5)
    chance = game.tree.player[game.tree.node_of_action] == CHANCE
    assert (averaged(game, state)[chance] == 1 / 3).all()
    assert not state.regret[chance].any()
