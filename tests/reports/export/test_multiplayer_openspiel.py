"""Three players against OpenSpiel, on the game in extensive form: values and NashConv of the same strategies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.tables import average_of, extensive_form, numbers
from rules.games.registry import hand
from solver.multiplayer.evaluation import MultiplayerGame, Profile
from tests.support.games.tables import at_random

pyspiel = pytest.importorskip("pyspiel")


def policy_of(game: MultiplayerGame, profile: Profile, other: Any) -> Any:
    """Return a profile as OpenSpiel has it, with the numbers of actions from another policy."""
    tree, found = game.betting.tree, {}
    numbered, own = numbers(game)
    for node in range(tree.nodes):
        player = int(tree.player[node])
        for column in range(game.columns):
            number = numbered[node] + column * own[player]
            chances = profile[tree.rows(node), column].tolist()
            name = f"{player}-{player}-{number}-{number}"
            actions = [action for action, _ in other.get_state_policy(name)]
            found[name] = list(zip(actions, chances, strict=True))
    return pyspiel.TabularPolicy(found)


@pytest.mark.slow
def test_values_and_nash_conv_of_three_players(tmp_path: Path) -> None:
    table = hand("blind-mans-bluff", players=3).around_the_table()
    game = MultiplayerGame.of(table)
    (tmp_path / "game.efg").write_text("".join(extensive_form(table, game)))
    there = pyspiel.load_game(f"efg_game(filename={tmp_path / 'game.efg'})")
    solver = pyspiel.CFRSolver(there)
    solver.evaluate_and_update_policy()
    for profile in (at_random(game, 11, zeros=False), at_random(game, 12)):
        policy, ours = policy_of(game, profile, solver.average_policy()), game.measure(profile)
        values = pyspiel.expected_returns(there.new_initial_state(), policy, -1, False)
        assert ours.values == pytest.approx(values, abs=1e-9)
        assert ours.nash_conv == pytest.approx(pyspiel.nash_conv(there, policy), abs=1e-9)
    average = average_of(solver, game)
    assert np.add.reduceat(average, game.betting.tree.first[:-1]) == pytest.approx(1.0)
    assert game.measure(average).nash_conv == pytest.approx(pyspiel.nash_conv(there, solver.average_policy()), abs=1e-9)
