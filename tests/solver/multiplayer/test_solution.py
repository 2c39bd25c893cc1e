"""Solving, saving and proving hands of three and four players."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rules.base.errors import OptionError, SizeError, SolutionFileError
from rules.games.registry import hand
from solver.multiplayer import solving as table_solving
from solver.multiplayer.descent import Descent, descend
from solver.multiplayer.engine import MultiplayerEngine
from solver.multiplayer.evaluation import MultiplayerGame
from solver.multiplayer.game import table_bytes, table_size
from solver.multiplayer.solution import MultiplayerSolution, VerificationError, load_table
from solver.multiplayer.solving import solve_table
from solver.solutions.archive import is_table_file
from solver.solutions.solution import load
from tests.support.games.tables import ON, TABLES, at_random, naively
from tests.support.naive import NaiveTable

THREE = hand("blind-mans-bluff", players=3)


@pytest.fixture(scope="module")
def three() -> MultiplayerSolution:
    return solve_table(THREE, gap=0.01)


@pytest.fixture(scope="module")
def path(three: MultiplayerSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("table") / "three.npz"
    three.save(found)
    return found


@pytest.mark.slow
def test_three_players_come_within_a_hundredth_of_a_chip(three: MultiplayerSolution) -> None:
    assert three.converged
    assert three.provenance.stopped == "gap"
    assert three.nash_conv == three.measured.gains.sum() <= 0.01
    assert three.measured.values.sum() == pytest.approx(0, abs=1e-9)
    # Who acts last sees most.
    assert three.measured.values[2] == three.measured.values.max() > 0


def test_by_plain_enumeration_on_a_small_deck() -> None:
    """What is measured after a descent is what enumeration finds too."""
    table = TABLES[1]
    game = MultiplayerGame.of(table)
    engine = MultiplayerEngine(game)
    engine.iterate(100, ON)
    moved = Descent(engine).step(engine.profile(), 0.3)
    assert moved is not None
    naive, twin = NaiveTable(table), naively(game, moved)
    best = [naive.best_value(twin, player) for player in range(3)]
    assert game.measure(moved).nash_conv == pytest.approx(sum(best) - sum(naive.values(twin)), abs=1e-12)


def test_a_descent_lowers_nash_conv_and_never_raises_it() -> None:
    game = MultiplayerGame.of(TABLES[1])
    engine = MultiplayerEngine(game)
    start = at_random(game, 3, zeros=False)
    steps: list[tuple[int, float]] = []
    done = descend(engine, start, gap=0.01, most=1800, on_step=lambda n, _, gap: steps.append((n, gap)))
    gaps = [game.measure(start).nash_conv, *(gap for _, gap in steps)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < gaps[0] / 5
    assert done == steps[-1][0] <= 1800


@pytest.mark.slow
def test_what_is_solved_does_not_depend_on_threads() -> None:
    one, two = (solve_table(THREE, gap=0.05, threads=threads) for threads in (1, 2))
    assert one.strategy.tobytes() == two.strategy.tobytes()
    assert one.provenance == two.provenance


def test_a_solution_survives_its_file(three: MultiplayerSolution, path: Path) -> None:
    found = load_table(path, with_state=True)
    assert found.spec == three.spec
    assert found.provenance == replace(three.provenance, coarse=None)  # which nothing in a file would prove
    assert found.strategy.tobytes() == three.strategy.tobytes()
    assert found.measured.values.tolist() == three.measured.values.tolist()
    assert {name: array.tobytes() for name, array in found.state.items()} == {
        name: array.tobytes() for name, array in three.state.items()
    }
    assert found.verify().nash_conv == pytest.approx(three.nash_conv, abs=1e-12)
    assert load_table(path).state == {}


def test_equal_solutions_are_equal_bytes(three: MultiplayerSolution, path: Path, tmp_path: Path) -> None:
    three.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()
    with pytest.raises(FileExistsError):
        three.save(path, overwrite=False)


def test_files_of_either_kind_are_told_apart(path: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no solution")
    assert is_table_file(path)
    assert not is_table_file(tmp_path / "text")
    assert not is_table_file(tmp_path / "nothing")
    with pytest.raises(SolutionFileError, match="another format"):
        load(path)
    with pytest.raises(SolutionFileError, match="no solution of more than two players, or is damaged"):
        load_table(tmp_path / "text")


def test_a_damaged_file_is_refused(path: Path, tmp_path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    (tmp_path / "damaged.npz").write_bytes(content)
    with pytest.raises(SolutionFileError, match="damaged"):
        load_table(tmp_path / "damaged.npz", with_state=True)


def test_what_a_solution_claims_is_checked(three: MultiplayerSolution) -> None:
    moved = three.measured._replace(gains=three.measured.gains + np.array([0, 1e-6, 0]))
    with pytest.raises(VerificationError, match=r"a gain of .* is claimed for P2"):
        replace(three, measured=moved).verify()
    with pytest.raises(VerificationError, match="no probabilities"):
        replace(three, strategy=three.strategy * np.float32(0.5)).verify()


@pytest.mark.slow
def test_going_on(three: MultiplayerSolution, path: Path) -> None:
    further = solve_table(THREE, gap=0.004, resume=load_table(path, with_state=True))
    assert further.nash_conv <= 0.004
    assert further.provenance.checks[: len(three.provenance.checks)] == three.provenance.checks
    with pytest.raises(OptionError, match="max_raises 1 and not 0"):
        solve_table(hand("blind-mans-bluff", players=3, max_raises=0), resume=three)
    with pytest.raises(SolutionFileError, match="regrets were not loaded"):
        solve_table(THREE, resume=load_table(path))


def test_stopped_at_once_it_has_the_best_so_far() -> None:
    found = solve_table(THREE, gap=1e-6, stop=lambda: True)
    assert found.provenance.stopped == "interrupted"
    assert found.provenance.iterations == 0
    assert not found.converged


@pytest.mark.slow
def test_the_limit_of_iterations() -> None:
    found = solve_table(THREE, gap=1e-6, max_iterations=50)
    assert (found.provenance.iterations, found.provenance.stopped) == (50, "iterations")
    assert [check.iterations for check in found.provenance.checks] == [0, 20, 40, 50]


@pytest.mark.parametrize("gap", [0.0, -1.0, np.inf])
def test_gaps_out_of_range(gap: float) -> None:
    with pytest.raises(OptionError, match="gap to be above 0"):
        solve_table(THREE, gap=gap)


def test_two_player_games_have_no_table() -> None:
    with pytest.raises(SizeError, match="two players alone"):
        hand("indian-poker").around_the_table()


def test_every_spot_is_answered_with_probabilities(three: MultiplayerSolution) -> None:
    tree = three.game.betting.tree
    sums = np.add.reduceat(three.profile, tree.first[:-1], axis=0)
    assert sums == pytest.approx(np.ones_like(sums), abs=1e-12)


def test_who_sees_two_deuces_does_not_fold(three: MultiplayerSolution) -> None:
    """The own card is as good or better, whatever it is."""
    tree = three.game.betting.tree
    for history in ("b", "k b", "b c", "b f"):
        actions, _ = three.spec.public.follow(history)
        rows = tree.rows(tree.find(actions))
        assert three.profile[rows, 0][0] < 0.01, history


@pytest.mark.slow
def test_four_players_come_within_a_twentieth_of_a_chip() -> None:
    spec = hand("blind-mans-bluff", players=4)
    found = solve_table(spec, gap=0.05)
    assert found.converged
    assert found.verify().nash_conv <= 0.05
    table = spec.around_the_table()
    estimated = table_bytes(table, table_size(table))
    assert 350e6 < estimated < 700e6


def test_the_header_has_no_times(path: Path) -> None:
    with np.load(path) as members:
        header = json.loads(members["header"].tobytes())
    assert not [key for key in header if "time" in key or "second" in key]
    assert table_solving.GAPS[3] <= 0.01
