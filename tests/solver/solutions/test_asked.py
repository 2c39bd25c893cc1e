"""Spots that a solve has left as it was: large trees and solves that were stopped early are asked all the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.data.beliefs import ASSUMED, basis
from rules.base.errors import RunError
from rules.games.registry import hand
from solver import Solution, solve
from solver.off_path.sources import SOURCES, UNKNOWN
from solver.solutions import on_demand
from solver.solutions.on_demand import answered, check_known
from solver.solutions.spots import Spots
from solver.two_player import linear_program
from solver.two_player.evaluation import sweep
from solver.two_player.payoffs import Game
from tests.support.commands import good, run

NAME = SOURCES[UNKNOWN]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Solution:
    """A solution of a tree that counts as large."""
    monkeypatch.setattr("solver.two_player.payoffs.LARGEST", 100)
    return solve(hand("indian-poker", stacks="12,12"))


def lost(spot: Any) -> float:
    """Return what the row that loses most gives up by its own values."""
    return float((spot.ev.max(axis=0) - (spot.probability * spot.ev).sum(axis=0)).max())


def test_every_spot_of_a_large_tree_is_known_when_it_is_asked_for(large: Solution) -> None:
    assert large.beliefs is None
    spots = Spots(large)
    before, after = [], []
    for node in range(0, large.tree.nodes, 9):
        spot = spots.at(large.tree.history(node))
        found = answered(spots, spot, seconds=60.0)
        assert NAME not in found.sources
        for column, source in enumerate(spot.sources):
            if source != NAME:  # what play comes to stays
                assert found.probability[:, column].tolist() == spot.probability[:, column].tolist()
        assert found.probability.sum(axis=0) == pytest.approx(1.0, abs=1e-9)
        assert found.belief.sum(axis=0) == pytest.approx(1.0, abs=1e-9)
        unknown = [column for column, source in enumerate(spot.sources) if source == NAME]
        loss = found.ev.max(axis=0) - (found.probability * found.ev).sum(axis=0)
        after.append(float(loss[unknown].max(initial=0.0)))
        before.append(lost(spot))
    assert max(after) <= 0.1
    assert max(before) > 1.0  # the measure can fail


def test_what_is_answered_anew_is_an_equilibrium_of_the_rest_of_the_hand(large: Solution) -> None:
    """Against a linear program of the same subgame: the value to whoever acts is the same."""
    spots = Spots(large)
    for history in ("b3 r1", "b1 r5 r1", "b5 r3"):
        spot = spots.at(history)
        game = on_demand._below(spots, spots.arrival(spot.history))
        found = answered(spots, spot, seconds=60.0)
        strategies, _ = linear_program.solve(Game(game.tree, game.classes))
        one, tree = game.classes[0], game.tree
        exact = float(sweep(tree, one, strategies[0], spot.player).sum())
        order = spots.columns[spot.player]
        met = (one.prior if spot.player == 0 else one.prior.T).sum(axis=1)[order]
        assert float((met * (found.probability * found.ev).sum(axis=0)).sum()) == pytest.approx(exact, abs=0.1)


def test_threads_and_repetition_change_nothing(large: Solution) -> None:
    spots = Spots(large)
    spot = spots.at("b3 r1 r1")
    first = answered(spots, spot, seconds=60.0, threads=1)
    for threads in (1, 2):
        again = answered(spots, spot, seconds=60.0, threads=threads)
        assert again.probability.tobytes() == first.probability.tobytes()
        assert again.ev.tobytes() == first.ev.tobytes()


def test_what_is_too_large_to_be_solved_in_time_is_said_not_to_be_known(
    large: Solution, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(on_demand, "LARGEST", 3)
    large.save(tmp_path / "large.npz")
    line = ("--history", "b1 r1 r1", "--format", "table")
    shown = good("show", tmp_path / "large.npz", *line).out
    assert "?" in shown
    assert "? not known: the solve hardly ever came here" in shown
    for command in ("best", "advise"):
        where = [tmp_path / "large.npz"] if command == "best" else ["--from", tmp_path / "large.npz"]
        done = run(command, *where, "--see", "4", "--history", "b1 r1 r1")
        assert (done.code, done.out) == (1, "")
        assert 'what to play after "b1 r1 r1" seeing 4 is not known' in done.err


def test_a_row_that_is_not_known_is_refused(large: Solution) -> None:
    unknown = next(spot for spot in Spots(large).walk() if NAME in spot.sources)
    with pytest.raises(RunError, match="is not known: the solve hardly ever came there"):
        check_known(unknown, unknown.sources.index(NAME))


def test_a_solve_that_was_stopped_is_asked_all_the_same() -> None:
    solution = solve(hand("indian-poker"), stop=lambda: True)
    assert not solution.converged
    spots = Spots(solution)
    for history in ("", "b1", "b1 r1 r3"):
        spot = spots.at(history)
        assert set(spot.sources) == {NAME}
        found = answered(spots, spot, seconds=60.0)
        assert NAME not in found.sources
        assert lost(found) <= 0.1


def test_values_of_what_is_answered_count_what_the_player_alone_excludes(large: Solution) -> None:
    spots = Spots(large, "", (["1", "2"], ()))
    spot = answered(spots, spots.at("b3 r1"), seconds=60.0)
    gone = [spot.others.index(name) for name in ("1", "2")]
    assert not spot.belief[gone].any()
    assert np.isfinite(spot.ev).all()


def test_a_belief_of_a_spot_that_is_solved_anew_says_so(large: Solution) -> None:
    spots, told = Spots(large), 0
    for history in ("", "b1", "b1 r1 r1", "b5 r1", "b1 r3 r5"):
        found = answered(spots, spots.at(history), seconds=20.0)
        for column in range(len(found.observations)):
            anew = found.sources[column] in ("re-solved", "best response") and found.other_reach[column] < 1e-6
            assert (basis(large, found, column) == ASSUMED) == anew
            told += anew
    assert told
