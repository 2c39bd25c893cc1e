"""What profiles of any number of players give: plain numpy and the kernels, against enumeration of everything."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rules.base.errors import SizeError
from rules.games.multiplayer import MultiplayerHand
from rules.games.registry import hand
from solver import solve
from solver.kernels import multiplayer as kernels
from solver.multiplayer import engine as table_engine
from solver.multiplayer.engine import MultiplayerEngine, ends_of, tree_of
from solver.multiplayer.evaluation import MultiplayerGame
from tests.support.games.tables import ON, TABLES, at_random, naively, small_table, table_name
from tests.support.naive import NaiveTable


@pytest.mark.parametrize("table", TABLES, ids=table_name)
def test_values_and_gains_by_plain_enumeration(table: MultiplayerHand) -> None:
    game, naive = MultiplayerGame.of(table), NaiveTable(table)
    profile = at_random(game, 5)
    found, twin = game.measure(profile), naively(game, profile)
    values = naive.values(twin)
    assert found.values == pytest.approx(values, abs=1e-12)
    best = [naive.best_value(twin, player) for player in range(table.players)]
    assert found.gains == pytest.approx(np.array(best) - values, abs=1e-12)
    assert found.nash_conv == pytest.approx(sum(best) - sum(values), abs=1e-12)


@pytest.mark.parametrize("table", TABLES, ids=table_name)
def test_deals_and_their_winners(table: MultiplayerHand) -> None:
    game, naive = MultiplayerGame.of(table), NaiveTable(table)
    dealt = np.zeros(game.deals.probability.shape)
    for deal, chance in naive.deals():
        dealt[deal] = chance
    assert game.deals.probability == pytest.approx(dealt, abs=1e-15)
    assert game.deals.seeing == pytest.approx(dealt.sum(axis=0), abs=1e-15)
    for ending, outcome in enumerate(game.betting.tree.outcomes):
        for player in range(table.players):
            won = game.won(player, ending)
            for deal, chance in naive.deals():
                assert won[deal] == pytest.approx(chance * naive.win(outcome, deal)[player], abs=1e-15)


def test_values_of_three_players_with_the_whole_deck() -> None:
    """Uniform play, from the exact enumeration that the rules' own tests have."""
    game = MultiplayerGame.of(small_table(3, 13, 4))
    tree = game.betting.tree
    even = np.repeat(1.0 / np.diff(tree.first), np.diff(tree.first))[:, None] * np.ones(game.columns)
    found = game.measure(even)
    values = [float(Fraction(one)) for one in ("-229/972", "-35/972", "22/81")]
    best = [float(Fraction(one)) for one in ("453217/397800", "407701/358020", "1729592/1342575")]
    assert found.values == pytest.approx(values, abs=1e-12)
    assert found.values + found.gains == pytest.approx(best, abs=1e-12)


def blocks_of(engine: MultiplayerEngine, columns: NDArray[np.float64], dtype: type) -> NDArray[Any]:
    blocks = np.zeros((len(columns), *engine.total.shape[1:]), dtype=dtype)
    engine.restore(columns, blocks)
    return blocks


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=table_name)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_payoffs_of_whole_histories(table: MultiplayerHand, dtype: type) -> None:
    game = MultiplayerGame.of(table)
    engine = MultiplayerEngine(game)
    expected_reach = game.reach(at_random(game, 7))
    reach = blocks_of(engine, expected_reach, dtype)
    finals = np.arange(len(game.betting.final))
    for player in range(table.players):
        found = np.full((len(finals), *reach.shape[1:]), np.nan, dtype=dtype)
        kernels.payoffs(player, player, 0, len(finals), ends_of(game, dtype), engine.places, reach, found)
        expected = game.payoffs(player, expected_reach, finals)
        assert engine.columns(found) == pytest.approx(expected, abs=1e-6 if dtype is np.float32 else 1e-12)
        assert not found[:, :, game.deals.kinds :].any()


def twin_iteration(game: MultiplayerGame, iteration: int, state: dict[str, NDArray[np.float64]]) -> None:
    """Run one of the engine's iterations in plain numpy, with doubles, from a state that is overwritten."""
    tree, (regret, hope, total) = game.betting.tree, state.values()
    counts = np.diff(tree.first)[tree.node_of_action][:, None]

    def strategy() -> NDArray[np.float64]:
        sums = np.add.reduceat(hope, tree.first[:-1])[tree.node_of_action]
        return np.where(sums > 0, hope / np.where(sums > 0, sums, 1), 1 / counts)

    def reach() -> NDArray[np.float64]:
        return game.reach((1 - table_engine.SLIP) * strategy() + table_engine.SLIP / counts)

    alpha, gamma = table_engine.SCHEDULE
    keep = (iteration - 1) ** alpha / ((iteration - 1) ** alpha + 1)
    for player in range(game.deals.players):
        now = strategy()
        values = game.action_values(player, now, reach())[:-1]
        mine = tree.player[tree.node_of_action] == player
        gained = values - np.add.reduceat(now * values, tree.first[:-1])[tree.node_of_action]
        regret[mine] = (game.allowed * np.maximum(0, regret * keep + gained))[mine]
        hope[mine] = (game.allowed * np.maximum(0, regret + table_engine.AHEAD * gained))[mine]
        total[mine] = (total * ((iteration - 1) / iteration) ** gamma + reach()[:-1])[mine]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=table_name)
def test_iterations_against_a_naive_twin(table: MultiplayerHand) -> None:
    game = MultiplayerGame.of(table)
    # Where actions are worth the same, rounding would say which is played.
    noise = np.random.default_rng(1).normal(size=game.utilities.shape)
    game = replace(game, utilities=game.utilities + np.where(game.utilities != 0, noise, 0))
    engine, possible = MultiplayerEngine(game), game.deals.seeing.ravel() > 0
    for iteration in range(1, 6):
        state = {name: engine.columns(getattr(engine, name)).astype(float) for name in ("regret", "hope", "total")}
        twin_iteration(game, iteration, state)
        engine.iterate(iteration, ON)
        assert engine.iterations == iteration
        for name, expected in state.items():
            found = engine.columns(getattr(engine, name))
            assert found[:, possible] == pytest.approx(expected[:, possible], abs=1e-3), name


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=table_name)
def test_what_the_engine_measures_is_what_plain_numpy_measures(table: MultiplayerHand) -> None:
    game = MultiplayerGame.of(table)
    engine = MultiplayerEngine(game)
    engine.iterate(30, ON)
    other = at_random(game, 9)
    for found, expected in (
        (engine.measure(), game.measure(engine.profile())),
        (engine.measure(other), game.measure(other)),
    ):
        assert found.values == pytest.approx(expected.values, abs=1e-12)
        assert found.gains == pytest.approx(expected.gains, abs=1e-12)


@pytest.mark.slow
def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_engine, "BRIEF", 0)
    game = MultiplayerGame.of(TABLES[1])
    engines = [MultiplayerEngine(game, threads) for threads in (1, 2, 3)]
    for engine in engines:
        engine.iterate(10, ON)
    assert [engine._threads for engine in engines] == [1, 2, 3]
    for engine in engines[1:]:
        for name in ("regret", "hope", "total", "joint_payoffs", "joint_values"):
            assert getattr(engine, name).tobytes() == getattr(engines[0], name).tobytes()


def test_a_halt_stops_after_the_iteration_under_way() -> None:
    engine = MultiplayerEngine(MultiplayerGame.of(TABLES[1]))
    engine.iterate(10, np.ones(1, dtype=np.int64))
    assert engine.iterations == 0


def test_the_joint_play_by_its_definition() -> None:
    """Draw an iteration, let all play its strategies; what could one player gain by a fixed strategy?"""
    game = MultiplayerGame.of(TABLES[1])
    engine, tree = MultiplayerEngine(game), game.betting.tree
    assert engine.joint() is None
    sums = np.zeros((3, len(tree.child) + 1, game.columns))
    own, weight = np.zeros(3), 0.0
    for looked in range(1, 6):
        end = looked * table_engine.JOINT_EVERY
        engine.iterate(end, ON)
        reach = engine.columns(engine.reach).astype(float)
        share = (1 - 1 / looked) ** table_engine.SCHEDULE[1]
        weight = weight * share + 1
        for player in range(3):
            paid = game.payoffs(player, reach, np.arange(len(game.betting.final)))
            now = np.zeros_like(sums[player])
            np.add.at(now, game.betting.last[:, player], paid)
            sums[player] = sums[player] * share + now
            own[player] = own[player] * share + (reach[game.betting.last[:, player]] * paid).sum()
    for player in range(3):
        for node in np.flatnonzero(tree.player == player)[::-1]:
            sums[player][game.betting.own_before[node]] += sums[player][tree.rows(node)].max(axis=0)
    best = sums[:, -1].sum(axis=1)
    found = engine.joint()
    assert found is not None
    assert found.values == pytest.approx(own / weight, abs=1e-5)
    assert found.gains == pytest.approx((best - own) / weight, abs=1e-5)
    assert found.gap == pytest.approx(np.maximum(0, best - own).sum() / weight, abs=1e-5)


@pytest.mark.slow
def test_two_players_come_to_the_value_of_the_linear_program() -> None:
    game = MultiplayerGame.of(small_table(2, 13, 4))
    engine = MultiplayerEngine(game)
    engine.iterate(1500, ON)
    found = engine.measure()
    exact = solve(hand("blind-mans-bluff"), method="lp").value
    assert found.nash_conv < 5e-3
    low, high = found.values[0] - found.gains[1], found.values[0] + found.gains[0]
    assert low - 1e-9 <= exact <= high + 1e-9


def test_three_players_to_a_hundredth_of_a_chip() -> None:
    engine = MultiplayerEngine(MultiplayerGame.of(small_table(3, 13, 4)))
    best = np.inf
    while engine.iterations < 4000 and best > 0.01:
        engine.iterate(engine.iterations + 100, ON)
        best = min(best, engine.measure().nash_conv)
    assert best <= 0.01


def test_too_many_deals_are_refused() -> None:
    spec: Any = hand("blind-mans-bluff", players=4, rank_suits=True)
    with pytest.raises(SizeError, match="7,311,616"):
        MultiplayerGame.of(spec.around_the_table())


def test_every_player_has_nodes_in_order() -> None:
    game = MultiplayerGame.of(TABLES[4])
    tree = tree_of(game.betting)
    assert np.concatenate(tree.whose).size == game.betting.tree.nodes
    assert all((np.diff(nodes) > 0).all() for nodes in tree.whose)
