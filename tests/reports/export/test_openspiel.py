"""Hands as OpenSpiel games: its own tests pass, its algorithms agree with ours."""

import importlib
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import exploitability
from open_spiel.python.tests import games_sim_test

from reports.export import openspiel
from reports.export.chance import dealing, survey
from reports.export.efg import ExtensiveForm
from rules import hand
from rules.base.errors import ForeheadError
from rules.base.optional import MissingLibraryError
from rules.betting.actions import parse_history
from rules.games.spec import HandSpec
from solver import Solution, load, solve
from tests.support.helpers import refused

HANDS: dict[str, dict[str, Any]] = {
    "indian-poker": {"game": "indian-poker", "stacks": "6,5", "carry": 2, "seen": "1,4,4,9"},
    "showdown": {"game": "indian-poker", "stacks": "1,5"},
    "board": {"game": "indian-holdem", "stacks": "4,4", "board": "4,9"},
    "boards": {"game": "indian-holdem", "stacks": "3,3"},
    "fronts": {"game": "double-sided", "stacks": "4,4", "fronts": "3,8", "shown": "3/7,4/2"},
    "few-boards": {"game": "indian-holdem", "stacks": "3,3", "left": "1,1,1,1,0,0,0,0,0,0"},
    "few-backs": {
        "game": "double-sided",
        "stacks": "6,6",
        "fronts": "3,8",
        "shown": "3/1,3/2,3/4,3/5,3/6,8/1,8/2,8/3,8/4,8/5",
    },
    "pairs": {"game": "double-sided", "stacks": "2,3", "shown": "3/7,8/2", "hidden": "5,9"},
    "sides": {"game": "double-sided", "stacks": "1,8", "fronts": "3,3"},
    "bluff": {"game": "blind-mans-bluff"},
    "suits": {"game": "blind-mans-bluff", "rank_suits": True, "max_raises": 3},
    "three": {"game": "blind-mans-bluff", "players": 3, "max_raises": 2, "bet_size": 2},
    "ten": {"game": "blind-mans-bluff", "players": 10, "rank_suits": True},
}


def some_states(game: Any, most: int) -> list[Any]:
    """Return a game's first states in order of depth."""
    found = [game.new_initial_state()]
    for state in found:  # grows while it is read
        if len(found) >= most:
            break
        found.extend(state.child(action) for action in state.legal_actions())
    return found


def all_states(game: Any) -> list[Any]:
    return some_states(game, 1_000_000)


def key_of(state: Any) -> tuple[int, str]:
    player = state.current_player()
    return player, state.information_state_string(player)


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDS)
def test_open_spiels_own_tests_of_games_pass(name: str) -> None:
    game = openspiel.game(hand(**HANDS[name]))
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
    np.random.seed(5)  # noqa: NPY002  # what OpenSpiel's test draws from
    games_sim_test.GamesSimTest().sim_game(game)


@pytest.mark.parametrize("name", ["indian-poker", "few-boards", "few-backs", "sides", "bluff"])
def test_the_game_is_the_one_of_the_extensive_form(name: str, tmp_path: Path) -> None:
    spec = hand(**HANDS[name])
    form = ExtensiveForm(spec)
    path = tmp_path / "game.efg"
    path.write_text("".join(form.pieces()))
    states = all_states(openspiel.game(spec))
    mine = {key_of(state) for state in states if state.is_player_node()}
    file = pyspiel.load_game(f"efg_game(filename={path})")
    theirs = {
        (state.current_player(), state.information_state_string().split("-", 3)[3])
        for state in all_states(file)
        if state.is_player_node()
    }
    assert mine == theirs
    assert len([state for state in states if not state.is_chance_node()]) == form.nodes - 1


@pytest.mark.parametrize("name", ["indian-poker", "fronts", "pairs", "three"])
def test_strings_and_tensors_tell_the_same_and_no_more(name: str) -> None:
    game = openspiel.game(hand(**HANDS[name]))
    tensors: dict[tuple[int, str], bytes] = {}
    actions: dict[tuple[int, str], list[int]] = {}
    for state in some_states(game, 3_000):
        for player in range(game.num_players()):
            text = state.information_state_string(player)
            tensor = np.array(state.information_state_tensor(player), dtype=np.float32)
            assert set(tensor.tolist()) <= {0.0, 1.0}
            assert tensors.setdefault((player, text), tensor.tobytes()) == tensor.tobytes()
            assert state.observation_string(player) == text
        if state.is_player_node():
            assert actions.setdefault(key_of(state), state.legal_actions()) == state.legal_actions()
    different = len(set(tensors.values()))
    assert different == len(tensors)


def test_observers_tell_what_they_are_asked_for() -> None:
    game = openspiel.game(hand("blind-mans-bluff", players=3))
    state = game.new_initial_state()
    for action in (12, 3, 7):
        assert state.is_chance_node()
        state.apply_action(action)
    for action in ("b", "c"):
        state.apply_action(game.tokens.index(action))
    assert str(state) == "P1 holds A, P2 holds 5, P3 holds 9 after b c"
    public = pyspiel.IIGObservationType(
        perfect_recall=True, public_info=True, private_info=pyspiel.PrivateInfoType.NONE
    )
    private = pyspiel.IIGObservationType(
        perfect_recall=True, public_info=False, private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER
    )
    assert game.make_py_observer(public).string_from(state, 1) == "P2 after b c"
    assert game.make_py_observer(private).string_from(state, 1) == "P2 sees A,9"
    assert state.information_state_string(2) == "P3 sees A,5 after b c"
    observer = game.make_py_observer(public)
    observer.set_from(state, 1)
    assert list(observer.dict) == ["player", "history"]
    assert observer.dict["player"].tolist() == [0, 1, 0]
    rows, columns = observer.dict["history"].nonzero()
    assert (rows.tolist(), [game.tokens[column] for column in columns]) == ([0, 1], ["b", "c"])
    assert observer.tensor.sum() == 3
    with pytest.raises(ValueError, match="expected no parameters"):
        game.make_py_observer(public, {"x": 1})


def play(spec: HandSpec, draws: list[int], history: str) -> Any:
    game = openspiel.game(spec)
    state = game.new_initial_state()
    for action in (*draws, *(game.tokens.index(str(action)) for action in parse_history(history))):
        assert state.returns() == [0.0] * game.num_players()
        state.apply_action(action)
    assert state.is_terminal()
    return state


def test_tokens_and_the_longest_history_of_a_table_are_those_of_its_tree() -> None:
    for options in ({"players": 3}, {"players": 3, "max_raises": 0}, {"players": 4, "max_raises": 2, "bet_size": 2}):
        spec = hand("blind-mans-bluff", **options)
        tokens, _, longest = survey(spec.public)
        assert dealing(spec).longest == longest
        assert sorted(dealing(spec).tokens) == sorted(tokens)


def test_hands_end_as_the_rules_say() -> None:
    table = hand("blind-mans-bluff", players=3)
    assert play(table, [12, 3, 12], "b c c").returns() == [1.0, -2.0, 1.0]  # the aces share 6
    assert play(table, [12, 3, 12], "b c f").returns() == [3.0, -2.0, -1.0]
    assert play(table, [0, 1, 2], "k b f f").returns() == [-1.0, 2.0, -1.0]
    # P1 sees a 1 and folds a 10: 10 chips more, of the 9 that are left.
    assert play(hand("indian-poker"), [0, 9], "f").returns() == [-10.0, 10.0]
    assert str(play(hand("indian-holdem", stacks="3,3"), [0, 9, 8], "f")).startswith("board 1,1, P1 sees ")


def test_chances_add_up_and_are_those_of_the_deck() -> None:
    state = openspiel.game(hand("blind-mans-bluff", players=5)).new_initial_state()
    for drawn in range(4):
        assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1.0, abs=1e-15)
        state.apply_action(6)
        assert dict(state.chance_outcomes()).get(6, 0.0) == (3 - drawn) / (51 - drawn)
    state = openspiel.game(hand("indian-holdem")).new_initial_state()
    assert len(state.chance_outcomes()) == 55
    boards = {state.action_to_string(place): chance for place, chance in state.chance_outcomes()}
    assert boards["board 1,1"] == 6 / 780
    assert boards["board 1,2"] == 16 / 780


# Its algorithms and ours.


@pytest.mark.slow
@pytest.mark.parametrize("name", ["board", "bluff", "one-rank", "two-cards", "sides", "exact", "nothing"])
def test_our_strategy_has_the_same_nash_conv_there(name: str, solved: Path) -> None:
    check_nash_conv(load(solved / f"{name}.npz"))


@pytest.mark.parametrize("name", ["few-boards", "few-backs"])
def test_our_strategy_for_many_deals_and_for_both_sides_too(name: str) -> None:
    check_nash_conv(solve(hand(**HANDS[name]), gap=0.01))


def check_nash_conv(solution: Solution) -> None:
    game, policy = openspiel.game(solution.spec), openspiel.policy(solution)
    value, _ = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
    assert value == pytest.approx(solution.value, abs=1e-9)
    assert pyspiel.nash_conv(game, policy) == pytest.approx(solution.nash_conv, abs=1e-9)


def test_its_algorithms_in_python_agree_too() -> None:
    solution = solve(hand(**HANDS["few-boards"]), gap=1e-2)
    assert len(solution.boards) > 1
    game, policy = openspiel.game(solution.spec), openspiel.policy(solution)
    there = pyspiel.PartialTabularPolicy(policy.policy_table())
    assert exploitability.nash_conv(game, there) == pytest.approx(solution.nash_conv, abs=1e-9)
    assert exploitability.exploitability(game, there) == pytest.approx(solution.exploitability, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("solver", [pyspiel.CFRSolver, pyspiel.CFRPlusSolver])
def test_its_cfr_brackets_our_value(solver: Any) -> None:
    solution = solve(hand("indian-poker", stacks="3,3", left="1,0,0,1,0,0,0,0,1,1"), method="lp")
    game = openspiel.game(solution.spec)
    cfr = solver(game)
    for _ in range(100):
        cfr.evaluate_and_update_policy()
    average = cfr.average_policy()
    upper, lower = (
        sign * pyspiel.TabularBestResponse(game, player, average).value("") for player, sign in ((0, 1.0), (1, -1.0))
    )
    assert lower - 1e-9 <= solution.value <= upper + 1e-9
    assert 0.0 < upper - lower < 0.1
    assert pyspiel.nash_conv(game, average) == pytest.approx(upper - lower, abs=1e-9)


# By name, and without the library.


def test_games_are_found_by_their_string_and_survive_pickling() -> None:
    for options in HANDS.values():
        game = openspiel.game(hand(**options))
        again = pyspiel.load_game(str(game))
        assert again.spec == game.spec == pickle.loads(pickle.dumps(game)).spec
        assert str(again) == str(game)
    assert pyspiel.load_game(openspiel.SHORT_NAME).spec == hand("indian-poker")


def test_a_game_string_that_is_no_hand_is_refused() -> None:
    with pytest.raises(ForeheadError, match="no option 'x'"):
        openspiel.HandGame({"spec": '{"game":"indian-poker","x":1}'})


def test_without_open_spiel_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "reports.export.openspiel")
    with refused(MissingLibraryError, "expected pyspiel to be installed (", "pip install 'forehead[openspiel]'"):
        importlib.import_module("reports.export.openspiel")
