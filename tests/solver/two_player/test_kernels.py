"""The compiled kernels through the engines that call them, against naive twins.

Regrets, sums and the arithmetic of an iteration are float32. Rounding decides which of two equal actions looks
better, and real hands are full of ties. So each half of an iteration is checked by itself, against a naive one in
float64 that starts from the kernel's own numbers: from the same regrets every step is well conditioned.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rules.betting.public_game import CHANCE
from rules.games.registry import hand
from rules.games.spec import Hand, HandSpec
from solver.trees.column_layout import COUNT
from solver.two_player import backends
from solver.two_player.backends import Backend, ColumnBackend, Kind, RowBackend, make_backends
from solver.two_player.evaluation import probabilities
from solver.two_player.payoffs import ClassGame, Game, Quality, prepare
from tests.support.engines import (
    EVERY_WAY,
    IN_FORESTS,
    WAYS,
    Way,
    as_bytes,
    crowd,
    engine,
    go,
    qualities,
    random_state,
    scale,
    state,
    together,
)
from tests.support.games.small_games import ALL_GAMES, EVERY_SPEC, FEW, LOPSIDED, TURNED, Kuhn, Leduc, small_specs
from tests.support.naive import NaiveCFR, Profile, profile_of

ROUNDING = 32 * 2.0**-24
"""Relative to the most that an observation can be worth: fewer float32 roundings lie between it and a regret."""

EXACT = 1e-12
"""Of what is measured or iterated in float64."""

INDIAN = hand("indian-poker", stacks="6,6")
TEN = hand("indian-poker", stacks="10,10")
NARROW = tuple(game for game in ALL_GAMES if game != "blind-mans-bluff")
"""Games of at most ten observations: kernels are compiled for each number."""


@dataclass(frozen=True)
class Generic:
    """A hand with utilities drawn at random, so that no two actions are worth the same."""

    hand: Hand
    game: Game

    @classmethod
    def like(cls, spec: Any, seed: int) -> "Generic":
        (group,) = spec.classes()
        generator, tables = np.random.default_rng(seed), {}
        game = prepare(spec)
        for outcome in game.tree.outcomes:
            tables[outcome] = group.hand.utility(outcome) + generator.normal(size=group.hand.prior.shape)
        generic = Hand(spec.public, group.hand.prior, tables.__getitem__)
        joint = np.stack([tables[outcome] for outcome in game.tree.outcomes]) * group.hand.prior
        return cls(generic, Game(game.tree, (ClassGame(joint, group.hand.prior, 1.0),)))


@dataclass
class Twins:
    """A class of an engine, and the naive twin that goes with it."""

    game: Game
    engine: Backend
    naive: NaiveCFR
    index: int = 0
    rounding: float = ROUNDING

    def read(self) -> list[Profile]:
        """Return the engine's regrets and sums."""
        observations = self.game.classes[self.index].observations
        return [profile_of(self.game.tree, array, observations) for array in state(self.engine, self.index)]

    def iterate(self, iterations: int) -> None:
        """Iterate, and check each half of each iteration."""
        tree, power, size = self.game.tree, self.naive.schedule[1], scale(self.game)
        actor = {tree.history(node): tree.player[node] for node in range(tree.nodes)}
        for before in range(self.engine.iterations, self.engine.iterations + iterations):
            # The kernel's sums are the naive ones over t^c.
            regret, total = self.read()
            self.naive.adopt(regret)
            self.naive.sums = {key: [number * before**power for number in row] for key, row in total.items()}
            self.naive.iteration = before + 1
            go(self.engine, before + 1)
            assert self.engine.iterations == before + 1
            regret, total = self.read()
            for player in (0, 1):
                self.naive.update(player)
                sums = {key: [number / (before + 1) ** power for number in row] for key, row in self.naive.sums.items()}
                assert regret.keys() == total.keys() == sums.keys()
                near(
                    [(regret[key], row) for key, row in self.naive.regret.items() if actor[key[0]] == player],
                    size,
                    self.rounding,
                )
                near(
                    [(total[key], row) for key, row in sums.items() if actor[key[0]] == 1 - player], 1.0, self.rounding
                )
                self.naive.adopt({key: row for key, row in regret.items() if actor[key[0]] == player})

    def measure(self) -> None:
        """Compare what is measured of the sums with the naive bounds of the strategy that they stand for."""
        strategy = probabilities(self.game.tree, state(self.engine, self.index)[1])
        observations = self.game.classes[self.index].observations
        value, lower, upper = self.naive.naive.bounds(profile_of(self.game.tree, strategy, observations))
        found = qualities(self.engine)[self.engine.classes.index(self.index)]
        expected = Quality(value, lower - self.game.margin, upper + self.game.margin)
        assert found == pytest.approx(expected, rel=EXACT, abs=EXACT * max(1.0, scale(self.game)))


def near(pairs: list[tuple[list[float], list[float]]], size: float, rounding: float = ROUNDING) -> None:
    """Check that rows are those expected, but for rounding."""
    found, expected = (np.concatenate([[0.0], *rows]) for rows in zip(([], []), *pairs, strict=True))
    assert np.abs(found - expected).max() <= rounding * max(size, np.abs(expected).max())


# Iterating.


@pytest.mark.slow
@EVERY_WAY
@pytest.mark.parametrize("spec", EVERY_SPEC[:-1], ids=lambda spec: spec.game)
def test_each_iteration_equals_the_naive_one(spec: HandSpec, way: Way) -> None:
    only = spec.classes()[0].hand
    game = crowd(prepare(spec), 2)
    twins = Twins(game, engine(game, way, 2), NaiveCFR(only), 2)
    twins.iterate(4)
    twins.measure()


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=pytest.mark.slow if way.kind.hands > 1 else ()) for way in WAYS.values()], ids=WAYS
)
@pytest.mark.parametrize("spec", [Leduc(), INDIAN], ids=["leduc", "indian-poker"])
def test_each_iteration_towards_a_small_gap_equals_the_naive_one_in_float64(spec: HandSpec, way: Way) -> None:
    game = crowd(prepare(spec), 2)
    one = engine(game, way, 2, 1e-6)
    assert {array.dtype for array in state(one, 2)} == {np.dtype(np.float64)}
    twins = Twins(game, one, NaiveCFR(spec.classes()[0].hand), 2, EXACT)
    twins.iterate(4)
    twins.measure()


@FEW
@given(small_specs(NARROW, most_work=2_000), st.integers(0, 2**32 - 1), st.integers(0, 50))
def test_an_iteration_of_any_hand_from_anywhere_equals_the_naive_one(spec: Any, seed: int, before: int) -> None:
    generic = Generic.like(spec, seed)
    assume(generic.game.tree.nodes)
    game = crowd(generic.game, 1, seed)
    for way in WAYS.values():
        one = engine(game, way, 1)
        one.restore(random_state(game, seed, len(one.classes)), before)
        twins = Twins(game, one, NaiveCFR(generic.hand), 1)
        twins.iterate(1)
        twins.measure()


@pytest.mark.slow
@EVERY_WAY
@pytest.mark.parametrize("spec", [Kuhn(), Leduc()], ids=lambda spec: spec.game)
def test_a_run_ends_where_the_naive_one_ends(spec: HandSpec, way: Way) -> None:
    generic = Generic.like(spec, 7)
    one, twin = engine(generic.game, way), NaiveCFR(generic.hand)
    go(one, 15)
    for _ in range(15):
        twin.iterate()
    regret, total = Twins(generic.game, one, twin).read()
    size = 60 * scale(generic.game)  # rounding adds up
    near([(regret[key], row) for key, row in twin.regret.items()], size)
    near([(total[key], [s / 15 ** twin.schedule[1] for s in row]) for key, row in twin.sums.items()], 60.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suits", "way"),
    [
        (True, WAYS["rows"]),
        (False, WAYS["rows"]),
        pytest.param(False, WAYS["columns"], marks=pytest.mark.slow),
        pytest.param(False, WAYS["columns of hands"], marks=pytest.mark.slow),
    ],
    ids=["52, rows", "13, rows", "13, columns", "13, columns of hands"],
)
def test_many_observations_are_iterated_as_the_naive_ones_are(suits: bool, way: Way) -> None:
    spec = hand("blind-mans-bluff", max_raises=1 if suits else 2, rank_suits=suits)
    generic = Generic.like(spec, 2)
    assert generic.game.width == (52 if suits else 13)
    one = engine(generic.game, way)
    one.restore(random_state(generic.game, 3), 6)
    twins = Twins(generic.game, one, NaiveCFR(generic.hand))
    twins.iterate(1)
    twins.measure()


@EVERY_WAY
def test_more_than_a_hundred_actions_are_iterated_as_the_naive_ones_are(way: Way) -> None:
    spec = hand("indian-poker", stacks="102,102", raises="any", raise_limit=0, left="1,0,0,2,0,0,0,2,0,1")
    game = prepare(spec)
    assert game.tree.most_actions > 100
    one = engine(game, way)
    one.restore(random_state(game, 3), 6)
    twins = Twins(game, one, NaiveCFR(spec.classes()[0].hand))
    twins.iterate(1)
    twins.measure()


@EVERY_WAY
def test_chance_nodes_are_left_alone(way: Way) -> None:
    game = prepare(Leduc())
    one = engine(game, way)
    go(one, 5)
    chance = game.tree.player[game.tree.node_of_action] == CHANCE
    assert chance.any()
    for array in state(one):
        assert not array[chance].any()


# The schedule.


@EVERY_WAY
def test_the_schedule_is_what_is_asked_for(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    # Other exponents, so that neither of the two can stand in for another.
    schedule = (0.7, 3.0)
    monkeypatch.setattr(backends, "SCHEDULE", schedule)
    game = prepare(INDIAN)
    one = engine(game, way)
    one.restore(random_state(game, 1), 3)
    Twins(game, one, NaiveCFR(INDIAN.classes()[0].hand, *schedule)).iterate(2)


def test_the_schedule_in_use() -> None:
    assert backends.SCHEDULE == (1.5, 4.0)


# What a result does not depend on.


@EVERY_WAY
def test_iterations_can_be_done_one_by_one_or_all_at_once(way: Way) -> None:
    game = prepare(Leduc())
    at_once, one_by_one = engine(game, way), engine(game, way)
    go(at_once, 12)
    for iteration in range(1, 13):
        go(one_by_one, iteration)
    assert as_bytes(at_once) == as_bytes(one_by_one)
    assert at_once.iterating(12, np.zeros(1, np.int64), 1) == []


@EVERY_WAY
def test_measuring_on_the_way_changes_nothing(way: Way) -> None:
    game = prepare(INDIAN)
    through, measured = engine(game, way), engine(game, way)
    go(through, 9)
    for iteration in (3, 9):
        go(measured, iteration)
        assert qualities(measured) == qualities(measured)
    assert as_bytes(through) == as_bytes(measured)


@IN_FORESTS
@pytest.mark.parametrize("spec", [Leduc(), TEN], ids=["leduc", "indian-poker"])
@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_changes_nothing(threads: int, spec: HandSpec, way: Way) -> None:
    game = prepare(spec)
    alone, shared = engine(game, way), engine(game, way)
    assert isinstance(alone, ColumnBackend)
    assert isinstance(shared, ColumnBackend)
    assert len(shared.iterating(1, np.zeros(1, np.int64), threads)) == threads
    for end in (7, 20):
        go(alone, end)
        go(shared, end, threads)
        assert qualities(alone) == qualities(shared, threads)
    assert shared.iterations == 20
    assert alone._regret.tobytes() == shared._regret.tobytes()
    assert alone._total.tobytes() == shared._total.tobytes()


@IN_FORESTS
@pytest.mark.parametrize("begun", [slice(0, 1), slice(2, 3), slice(1, 3)], ids=["first", "last", "last two"])
def test_a_thread_that_never_begins_holds_nobody_up(begun: slice, way: Way) -> None:
    game, halt = prepare(TEN), np.zeros(1, np.int64)
    alone, shared = engine(game, way), engine(game, way)
    go(alone, 20)
    together(shared.iterating(20, halt, 3)[begun])
    together(shared.measuring(3)[begun])
    assert shared.iterations == 20
    assert as_bytes(alone) == as_bytes(shared)
    assert qualities(alone) == shared.qualities()


@IN_FORESTS
def test_a_thread_that_begins_late_finds_nothing_to_do(way: Way) -> None:
    one = engine(prepare(TEN), way)
    *begun, late = one.iterating(20, np.zeros(1, np.int64), 3)
    together(begun)
    before = as_bytes(one)
    late()
    assert one.iterations == 20
    assert as_bytes(one) == before


@pytest.mark.parametrize("name", ["columns of hands", "forests of hands"])
@pytest.mark.parametrize("spec", [Leduc(), INDIAN], ids=["leduc", "indian-poker"])
def test_a_class_alone_comes_to_what_it_comes_to_beside_others(spec: HandSpec, name: str) -> None:
    game = prepare(spec)
    alone = engine(game, WAYS[name])
    go(alone, 10)
    for others in (1, COUNT - 1, COUNT):  # in the second lane, in the last one, in the first of a second engine
        beside = engine(crowd(game, others), WAYS[name], others)
        go(beside, 10)
        assert as_bytes(alone) == as_bytes(beside, others)
        assert qualities(alone)[0] == pytest.approx(qualities(beside)[-1], abs=EXACT)


def test_engines_that_share_arrays_may_run_at_the_same_time() -> None:
    game = crowd(prepare(INDIAN), 3 * COUNT)
    one_by_one, at_once = (make_backends(game, WAYS["columns of hands"].kind) for _ in range(2))
    assert len(at_once) == 4
    halt = np.zeros(1, dtype=np.int64)
    for one in one_by_one:
        go(one, 200)
    together([task for one in at_once for task in one.iterating(200, halt, 1)])
    together([task for one in at_once for task in one.measuring(1)])
    for one, other in zip(one_by_one, at_once, strict=True):
        assert qualities(one) == other.qualities()
        for index in one.classes:
            assert as_bytes(one, index) == as_bytes(other, index)


def scaled(game: Game, factor: float) -> Game:
    return Game(game.tree, tuple(ClassGame(one.joint * factor, one.prior, one.weight) for one in game.classes))


@EVERY_WAY
def test_the_unit_of_the_utilities_changes_nothing_but_the_scale_of_regrets(way: Way) -> None:
    # By a power of two, so that even rounding is the same.
    game, factor = prepare(EVERY_SPEC[2]), np.float32(2.0**-20)
    plain, small = engine(game, way), engine(scaled(game, float(factor)), way)
    for one in (plain, small):
        go(one, 40)
    assert state(small)[0].tobytes() == (state(plain)[0] * factor).tobytes()
    assert state(small)[1].tobytes() == state(plain)[1].tobytes()


# What is far below any gap.


@EVERY_WAY
def test_regrets_far_below_any_gap_are_0_and_not_denormal(way: Way) -> None:
    game = prepare(EVERY_SPEC[2])
    one = engine(scaled(game, 2.0**-115), way)
    go(one, 5)
    assert not state(one)[0].any()


@EVERY_WAY
def test_reaches_far_below_any_gap_are_0_and_not_denormal(way: Way) -> None:
    game, rare = prepare(INDIAN), 1e-20
    tree, one = game.tree, engine(game, way)
    start = np.full((len(tree.child), game.width), rare, dtype=np.float32)
    start[tree.first[:-1]] = 1.0
    one.restore([(start, np.zeros_like(start))], 1)
    go(one, 2)
    total = state(one)[1]
    for node in np.flatnonzero(tree.player == 1):  # P2's strategy counts before it is changed
        taken = [tree.find(tree.history(node)[: depth + 1]) for depth in range(len(tree.history(node)))]
        actions = [int(tree.parent_action[below]) for below in taken]
        own = [action for action in actions if tree.player[tree.node_of_action[action]] == 1]
        seldom = sum(action not in tree.first for action in own)
        expected = np.full(len(tree.actions(node)), rare)
        expected[0] = 1.0
        if seldom:
            expected[:] = 0.0 if seldom > 1 else [rare, *[0.0] * (len(expected) - 1)]
        assert total[tree.rows(node)] == pytest.approx(expected[:, None].repeat(game.width, 1), rel=1e-6, abs=1e-35)
        assert not total[tree.rows(node)][expected == 0.0].any()


# Stopping and going on.


@EVERY_WAY
@pytest.mark.parametrize("threads", [1, 2])
def test_a_halt_is_obeyed_before_the_next_iteration(threads: int, way: Way) -> None:
    game = prepare(INDIAN)
    one = engine(game, way)
    go(one, 100, threads, halt=1)
    assert one.iterations == 0
    assert not any(array.any() for array in state(one))
    go(one, 7, threads)
    before = as_bytes(one)
    go(one, 100, threads, halt=1)
    assert one.iterations == 7
    assert as_bytes(one) == before


@EVERY_WAY
@pytest.mark.parametrize("threads", [1, 2])
def test_a_halt_is_obeyed_while_iterations_are_under_way(threads: int, way: Way) -> None:
    game = prepare(TEN)
    one, halt = engine(game, way), np.zeros(1, dtype=np.int64)
    running = [Thread(target=task, daemon=True) for task in one.iterating(10**9, halt, threads)]
    for thread in running:
        thread.start()
    deadline = time.monotonic() + 60.0
    while not state(one)[1].any() and time.monotonic() < deadline:
        time.sleep(0.001)
    halt[0] = 1
    for thread in running:
        thread.join(20.0)
        assert not thread.is_alive()
    assert 0 < one.iterations < 10**9
    through = engine(game, way)
    go(through, one.iterations)
    assert as_bytes(one) == as_bytes(through)


@EVERY_WAY
def test_what_was_saved_is_gone_on_from_to_the_last_bit(way: Way) -> None:
    game = crowd(prepare(INDIAN), 2)
    through, later = engine(game, way, 2), engine(game, way, 2)
    go(through, 8)
    saved = through.states()
    later.restore(saved, 8)
    assert later.iterations == 8
    kept = [array.tobytes() for each in saved for array in each]
    assert kept == [array.tobytes() for each in later.states() for array in each]
    assert qualities(later) == qualities(through)
    for one in (through, later):
        go(one, 20)
    assert kept == [array.tobytes() for each in saved for array in each]  # a copy
    assert as_bytes(through, 2) == as_bytes(later, 2)
    assert qualities(later) == qualities(through)


@EVERY_WAY
def test_any_numbers_come_back_as_they_were_restored(way: Way) -> None:
    game = crowd(prepare(LOPSIDED), 2)
    one = engine(game, way, 2)
    numbers = random_state(game, 4, len(one.classes))
    one.restore(numbers, 3)
    for found, expected in zip(one.states(), numbers, strict=True):
        assert [array.tobytes() for array in found] == [array.tobytes() for array in expected]
        assert [array.dtype for array in found] == [np.float32, np.float32]


# Where the players have different numbers of observations.


def own_bytes(game: Game, one: Backend, index: int = 0) -> Iterator[bytes]:
    """Yield regrets and sums to the last bit, of observations that can be made."""
    actor = game.tree.player[game.tree.node_of_action]
    for array in state(one, index):
        for player, number in enumerate(game.classes[index].observations):
            yield array[actor == player, :number].tobytes()


LOPSIDED_EITHER_WAY = pytest.mark.parametrize("spec", [LOPSIDED, TURNED], ids=["lopsided", "turned"])


def test_the_lopsided_hands_are_lopsided() -> None:
    assert prepare(LOPSIDED).classes[0].observations == (3, 7)
    assert prepare(TURNED).classes[0].observations == (7, 3)


@EVERY_WAY
@LOPSIDED_EITHER_WAY
def test_lopsided_hands_are_iterated_as_the_naive_ones_are(spec: HandSpec, way: Way) -> None:
    game = prepare(spec)
    twins = Twins(game, engine(game, way), NaiveCFR(spec.classes()[0].hand))
    twins.iterate(3)
    twins.measure()


def with_junk(game: Game, numbers: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """Return regrets or sums with huge numbers at observations that nobody can make."""
    spoilt, actor = numbers.copy(), game.tree.player[game.tree.node_of_action]
    for player, number in enumerate(game.classes[0].observations):
        outside = np.ix_(actor == player, np.arange(game.width) >= number)
        spoilt[outside] = np.random.default_rng(seed).choice([0.0, 1e-20, 1e20, 3e38], size=spoilt[outside].shape)
    assert (spoilt != numbers).any()
    return spoilt


@EVERY_WAY
@LOPSIDED_EITHER_WAY
def test_what_a_player_cannot_observe_counts_for_nothing(spec: HandSpec, way: Way) -> None:
    game = prepare(spec)
    plain, spoilt = engine(game, way), engine(game, way)
    ((regret, total),) = random_state(game, 5)
    plain.restore([(regret, total)], 3)
    spoilt.restore([(with_junk(game, regret, 1), with_junk(game, total, 2))], 3)
    assert qualities(spoilt) == qualities(plain)
    for one in (plain, spoilt):
        go(one, 13)
    assert list(own_bytes(game, plain)) == list(own_bytes(game, spoilt))
    assert qualities(spoilt) == qualities(plain)


@EVERY_WAY
def test_a_wider_class_beside_it_changes_nothing(way: Way) -> None:
    game = prepare(LOPSIDED)
    wide = prepare(hand("double-sided", fronts="4,7", stacks="4,4"))
    assert wide.tree.outcomes == game.tree.outcomes
    both = Game(game.tree, (*game.classes, *wide.classes))
    assert both.width > game.width
    narrow, beside = engine(game, way), engine(both, way)
    for one in (narrow, beside):
        go(one, 10)
    assert list(own_bytes(game, narrow)) == list(own_bytes(both, beside))
    assert qualities(narrow)[0] == pytest.approx(qualities(beside)[0], abs=EXACT)  # the margin is another


# Which engine is chosen.


@pytest.mark.parametrize(
    ("game", "options", "expected"),
    [
        ("indian-poker", {"stacks": "6,6"}, Kind(columns=False)),
        ("indian-poker", {"stacks": "15,15"}, Kind(columns=True)),
        ("indian-holdem", {"stacks": "5,5"}, Kind(columns=True, hands=COUNT)),
        ("indian-holdem", {"stacks": "15,15"}, Kind(columns=True)),
        ("blind-mans-bluff", {}, Kind(columns=False)),
        ("blind-mans-bluff", {"rank_suits": True}, Kind(columns=False)),
    ],
)
def test_the_engine_suits_the_hand(game: str, options: dict[str, Any], expected: Kind) -> None:
    prepared = prepare(hand(game, **options))
    chosen = make_backends(prepared)
    assert {type(one) for one in chosen} == {ColumnBackend if expected.columns else RowBackend}
    assert [index for one in chosen for index in one.classes] == list(range(len(prepared.classes)))
    assert {len(one.classes) for one in chosen} == {min(expected.hands, len(prepared.classes))}
    assert backends.choose_backend(prepared.width, prepared.tree.nodes, len(prepared.classes)) == expected


def test_very_many_observations_are_never_in_columns() -> None:
    assert not backends.choose_backend(52, 10**6, 100).columns
