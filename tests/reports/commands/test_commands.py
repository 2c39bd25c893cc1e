"""The command line in this process: what each command prints in each format, and what it writes."""

import math
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import cli
from reports.commands.solve import solve
from reports.data.ranking import row_ranked
from reports.text.option_words import OPTIONS
from reports.text.words import digits_for
from rules.games.registry import GAMES, options_of
from solver import load, solving
from solver.solutions.on_demand import answered
from solver.solutions.spots import Spots
from solver.two_player.memory import plan
from tests.support.commands import SOLVED, good, records, run, strict_json, table

COMMANDS = (
    *("games", "solve", "show", "best", "advise", "log", "cache", "verify", "export", "plot", "report", "claims"),
    *("match", "odds", "simulate"),
)
NUMBERED = ("deck", "board", "fronts", "bluff", "suits", "one-rank", "two-cards", "sides", "exact", "nothing")
"""Files of one deal each, in which somebody acts."""


# Help.


def test_the_commands_are_these() -> None:
    assert set(cli.COMMANDS) == set(COMMANDS)
    for name, (_, told) in cli.COMMANDS.items():
        command = cli.forehead.get_command(click.Context(cli.forehead), name)
        assert command is not None
        assert (command.name, command.get_short_help_str(100)) == (name, told)


def test_without_arguments_there_is_help() -> None:
    assert good().out == good("--help").out == good("-h").out


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_a_terminal_and_ends_in_an_example(command: str) -> None:
    lines = table(good(*command.split(), "--help"))
    assert lines[0].startswith(f"Usage: forehead {command}".rstrip())
    assert "  Example:" in lines
    assert lines[-1].startswith(f"    forehead {command}".rstrip())
    assert "..." not in " ".join(lines[:-1]).replace("[OPTIONS] COMMAND [ARGS]...", "")


def test_every_option_of_every_game_is_an_option_of_solve() -> None:
    parameters = {parameter.name: parameter for parameter in solve.params}
    taken: set[str] = set()
    for game in GAMES:
        taken |= set(options_of(game))
    assert taken == set(OPTIONS)
    for name in taken:
        assert parameters[name].opts == [f"--{name.replace('_', '-')}"]
    assert all(isinstance(parameter, click.Argument) or parameter.help for parameter in parameters.values())


def test_version_names_the_version_and_warns_of_others_with_our_import_names(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = {"cli": ["forehead"], "rules": ["forehead", "rules"], "reports": ["other"], "numpy": ["numpy"]}
    monkeypatch.setattr(metadata, "packages_distributions", lambda: owners)
    done = good("--version")
    assert done.out == f"forehead {metadata.version('forehead')}\n"
    assert done.err == (
        "forehead: the distribution rules also installs 'rules'; use an environment of its own\n"
        "forehead: the distribution other also installs 'reports'; use an environment of its own\n"
    )


# games


def test_games_lists_every_game_and_option_in_every_format() -> None:
    data = good("games", "--format", "json").json
    assert [game["game"] for game in data["games"]] == list(GAMES)
    flat = [
        (game["game"], option["name"], option["default"], option["meaning"])
        for game in data["games"]
        for option in game["options"]
    ]
    shown = good("games", "--format", "csv")
    assert len(flat) == len(records(shown.out))
    for (game, name, default, meaning), row in zip(flat, records(shown.out), strict=True):
        assert (row["game"], row["option"], row["meaning"]) == (game, name, meaning)
        typed = ",".join(map(str, default)) if isinstance(default, list) else str(default)
        assert row["default"] == ("" if default is None or default is False else typed)
    text = " ".join(" ".join(table(good("games"))).split())
    for game, name, _, meaning in flat:
        assert f"{name} {meaning}" in text.split(f"{game}: ")[1]
    assert "[1,3,5,allin]" in text


def test_defaults_are_what_an_empty_line_means(solved: Path) -> None:
    defaults = {
        option["name"].removeprefix("--").replace("-", "_"): option["default"]
        for game in good("games", "--format", "json").json["games"]
        if game["game"] == "blind-mans-bluff"
        for option in game["options"]
    }
    spec = good("solve", "blind-mans-bluff", "--max-iterations", "1", "--format", "json").json["spec"]
    # A session is told by options that an empty line leaves open.
    assert {name: spec.get(name) for name in defaults} == defaults


# solve


@pytest.mark.parametrize("name", SOLVED)
def test_the_answer_to_solve_is_that_of_the_file(name: str, solved: Path, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.npz"
    done = good("solve", *SOLVED[name].split(), "-o", file, "--format", "json")
    answer, solution = done.json, load(file)
    assert file.read_bytes() == (solved / f"{name}.npz").read_bytes()
    assert answer["game"] == solution.spec.game == SOLVED[name].split()[0]
    assert answer["spec"] == solution.spec.to_dict()
    assert (answer["objective"], answer["unit"]) == ("chips", "chips")
    assert answer["value"] == solution.value
    assert answer["value_bounds"] == list(solution.value_bounds)
    assert answer["value_bounds"][0] <= answer["value"] <= answer["value_bounds"][1]
    assert answer["nash_conv"] == solution.nash_conv == 2 * answer["exploitability"]
    assert answer["iterations"] == solution.provenance.iterations
    assert answer["converged"] is solution.converged
    assert answer["converged"] is (name != "nothing")
    assert answer["stopped"] == ("iterations" if name == "nothing" else "gap")
    size = plan(solution.spec)
    assert answer["tree"] == {
        "decision_nodes": size.size.decision_nodes,
        "actions": size.size.actions,
        "information_sets": size.information_sets,
    }
    assert answer["memory_bytes"] == size.memory
    assert answer["file"] == str(file)
    assert "seconds" not in answer
    assert sum(one["weight"] for one in answer["classes"]) == pytest.approx(1.0, abs=1e-12)
    boards = [board for one in answer["classes"] for board in one["boards"]]
    assert sorted(boards) == sorted(solution.boards)


def test_solve_says_beforehand_how_large_it_is() -> None:
    done = good("solve", "indian-poker", "--seen", "1,4,4,9", "--stacks", "12,8", "--gap", "1")
    headline, size = done.err.splitlines()
    assert headline == "indian-poker, 16 cards left, stacks 12/8, pot carried 0"
    assert size.startswith("42 decision nodes, 124 actions, 378 information sets, 1")
    assert size.endswith(" MB")


@pytest.mark.slow
def test_models_and_smaller_games_are_named_with_the_result() -> None:
    done = good("solve", "double-sided", "--stacks", "2,2", "--raise-limit", "1", "--gap", "1")
    assert "100 classes of 100 deals" in " ".join(done.err.split())
    out = " ".join(done.out.split())
    assert "note: at most 1 raise after the opening bet: value and bounds are those of this smaller game" in out
    assert "note: nothing is inferred from folds" in out
    notes = good("solve", "double-sided", "--stacks", "2,2", "--raise-limit", "1", "--gap", "1", "--format", "json")
    assert [note.split()[0] for note in notes.json["notes"]] == ["at", "nothing"]


def test_the_table_of_solve_answers_with_units_and_bounds(solved: Path) -> None:
    lines = table(good("solve", *SOLVED["deck"].split()))
    solution = load(solved / "deck.npz")
    digits = digits_for(solution.nash_conv)
    factor = 10**digits
    lower, upper = (math.floor(solution.value_bounds[0] * factor), math.ceil(solution.value_bounds[1] * factor))
    assert lines == [
        f"value to P1 (the first bettor)  {solution.value:+.{digits}f} chips  "
        f"(between {lower / factor:+.{digits}f} and {upper / factor:+.{digits}f})",
        f"gap (NashConv)  {solution.nash_conv:.2g} chips  (exploitability {solution.exploitability:.2g} chips)",
        f"reached the gap of 0.05 chips after {solution.provenance.iterations:,} iterations",
    ]


def test_the_table_of_solve_tells_how_it_ended(tmp_path: Path) -> None:
    lines = table(good("solve", *SOLVED["nothing"].split(), "-o", tmp_path / "x.npz", "--timings"))
    assert "unfinished: the gap of 0.001 chips is not reached" in " ".join(" ".join(lines).split())
    assert "after 0 iterations" in lines[2]
    assert lines[2].split(", ")[-1].endswith(" s") or lines[3].endswith(" s")
    assert lines[-1] == f"saved {tmp_path}/x.npz"
    exact = table(good("solve", *SOLVED["exact"].split()))
    assert exact[-1].startswith("reached the gap of 0.001 chips after ")
    assert exact[-1].endswith(" simplex iterations")


def test_the_csv_of_solve_is_one_row_of_the_same_numbers() -> None:
    line = ("solve", *SOLVED["boards"].split(), "--format")
    (row,) = records(good(*line, "csv").out)
    answer = good(*line, "json").json
    assert row["game"] == answer["game"]
    assert [row["lower"], row["upper"]] == [str(bound) for bound in answer["value_bounds"]]
    for name in ("value", "nash_conv", "exploitability", "iterations", "converged", "memory_bytes"):
        assert row[name] == str(answer[name])
    assert row["tree_actions"] == str(answer["tree"]["actions"])
    assert row["file"] == ""


def test_every_class_of_boards_has_its_row_best_for_p1_first() -> None:
    done = good("solve", *SOLVED["boards"].split())
    answer = good("solve", *SOLVED["boards"].split(), "--format", "json").json
    lines = table(done)
    assert lines[0].split("  ")[0] == "board"
    assert "value to P1 (chips)" in lines[0]
    assert "gap (chips)" in lines[0]
    rows = lines[1 : lines.index("")]
    assert len(rows) == len(answer["classes"]) > 1
    by_value = sorted(answer["classes"], key=lambda one: -one["value"])
    for row, one in zip(rows, by_value, strict=True):
        assert row.startswith(one["boards"][0])
        assert f"{100 * one['weight']:.1f} %" in row
        assert f"{one['value']:+.4f}" in row
        assert len(one["boards"]) <= 4 or f"... ({len(one['boards'])})" in row


def test_of_many_classes_the_best_and_the_worst_are_shown() -> None:
    lines = table(good("solve", *SOLVED["pairs"].split()))
    answer = good("solve", *SOLVED["pairs"].split(), "--format", "json").json
    rows = lines[1 : lines.index("")]
    assert len(rows) == 13
    assert rows[6] == f"... {len(answer['classes']) - 12} more"
    values = sorted((one["value"] for one in answer["classes"]), reverse=True)
    shown = [float(row.split()[-2]) for row in rows[:6] + rows[7:]]
    assert shown == pytest.approx(values[:6] + values[-6:], abs=6e-5)


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        (
            "indian-poker --left 2,1,2,2,2,2,2,2,2,1 --stacks 5,7 --carry 4 --raises 2,allin --opens 1,3 "
            "--raise-limit 2 --tie-bust loses --penalties none --objective chips",
            {
                "left": [2, 1, 2, 2, 2, 2, 2, 2, 2, 1],
                "stacks": [5, 7],
                "carry": 4,
                "raises": [2, "allin"],
                "opens": [1, 3],
                "raise_limit": 2,
                "tie_bust": "loses",
                "penalties": "none",
                "objective": "chips",
            },
        ),
        ("indian-poker --stacks 3,3 --raises any", {"raises": "any"}),
        ("indian-poker --stacks 3,3 --seen 1,1,5,9", {"left": [0, 2, 2, 2, 1, 2, 2, 2, 1, 2]}),
        ("indian-poker --stacks 3,3 --seen=", {"left": [2] * 10}),
        (
            "indian-holdem --stacks 3,3 --seen 1,1,5,9 --board 9,4 --penalties death-match",
            {"left": [2, 4, 4, 4, 3, 4, 4, 4, 3, 4], "board": [4, 9], "penalties": "death-match"},
        ),
        (
            "double-sided --stacks 3,3 --shown 3/7,8/2 --hidden 5,9 --fronts 3,8",
            {"shown": ["3/7", "8/2"], "hidden": [5, 9], "fronts": [3, 8], "stacks": [3, 3]},
        ),
        (
            "blind-mans-bluff --players 2 --max-raises 2 --bet-size 2 --raise-size 3 --rank-suits",
            {"players": 2, "max_raises": 2, "bet_size": 2, "raise_size": 3, "rank_suits": True},
        ),
    ],
)
def test_every_option_reaches_the_spec(line: str, fields: dict[str, Any]) -> None:
    spec = good("solve", *line.split(), "--max-iterations", "2", "--threads", "1", "--format", "json").json["spec"]
    assert {name: spec[name] for name in fields} == fields


def test_stacks_and_fronts_are_p1s_then_p2s() -> None:
    def answer(*options: str) -> Any:
        return good("solve", "double-sided", "--gap", "0.02", "--format", "json", *options).json

    high, low = answer("--fronts", "10,1", "--stacks", "3,3"), answer("--fronts", "1,10", "--stacks", "3,3")
    assert high["value_bounds"][0] > 0.5
    assert low["value_bounds"][1] < -0.5
    spec = answer("--stacks", "2,4", "--fronts", "3,8")["spec"]
    assert (spec["stacks"], spec["fronts"]) == ([2, 4], [3, 8])
    # P1's front is the 3, so P1's own back cannot be 3.
    data = strict_json(good("solve", "double-sided", "--fronts", "3,8", "--stacks", "2,2", "--format", "json").out)
    assert data["classes"][0]["boards"] == ["3,8"]


def test_the_gap_and_the_iterations_stop_a_solve() -> None:
    line = ("solve", "indian-poker", "--stacks", "6,6", "--format", "json")
    wide, narrow = (good(*line, "--gap", gap).json for gap in ("0.1", "0.01"))
    assert wide["nash_conv"] <= 0.1
    assert narrow["nash_conv"] <= 0.01
    assert wide["iterations"] < narrow["iterations"]
    short = good(*line, "--max-iterations", "7").json
    assert (short["iterations"], short["stopped"], short["converged"]) == (7, "iterations", False)


def test_the_threads_asked_for_are_those_used(monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    solve = solving.solve
    monkeypatch.setattr(solving, "solve", lambda spec, **given: used.append(given["threads"]) or solve(spec, **given))
    for options in ([], ["--threads", "1"], ["--threads", "3"]):
        good("solve", "indian-poker", "--stacks", "2,2", *options)
    assert used == [None, 1, 3]


def test_timings_are_told_and_written_only_where_asked_for(tmp_path: Path) -> None:
    line = ("solve", "indian-poker", "--stacks", "6,6", "--gap", "0.01", "--format", "json")
    answer = good(*line, "--timings").json
    assert answer["seconds"] > 0.0
    assert list(tmp_path.iterdir()) == []
    plain = good(*line, "-o", tmp_path / "plain.npz").json
    assert "seconds" not in plain
    assert [path.name for path in tmp_path.iterdir()] == ["plain.npz"]
    good(*line, "-o", tmp_path / "timed.npz", "--timings")
    assert (tmp_path / "timed.npz").read_bytes() == (tmp_path / "plain.npz").read_bytes()
    rows = records((tmp_path / "timed.timings.csv").read_text())
    checks = load(tmp_path / "timed.npz").provenance.checks
    assert [int(row["iterations"]) for row in rows] == [check.iterations for check in checks]
    assert [float(row["nash_conv"]) for row in rows] == [check.nash_conv for check in checks]
    assert [float(row["lower"]) for row in rows] == [check.lower for check in checks]
    assert [float(row["upper"]) for row in rows] == [check.upper for check in checks]
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds)
    assert seconds[0] > 0.0


# resume


def test_going_on_ends_where_an_unbroken_solve_ends(tmp_path: Path) -> None:
    line = ("solve", "indian-poker", "--stacks", "6,6", "--gap", "0.005")
    half, full, whole = (tmp_path / name for name in ("half.npz", "full.npz", "whole.npz"))
    good(*line, "--max-iterations", "40", "-o", half)
    done = good("solve", "indian-poker", "--resume", half, "--gap", "0.005", "-o", full, "--format", "json")
    unbroken = good(*line, "-o", whole, "--format", "json")
    assert not load(half).converged
    assert done.json | {"file": ""} == unbroken.json | {"file": ""}
    assert load(full).strategies.tobytes() == load(whole).strategies.tobytes()
    assert half.exists()


def test_a_solve_may_go_on_in_its_own_file(tmp_path: Path) -> None:
    file, other = tmp_path / "mine.npz", tmp_path / "other.npz"
    link = tmp_path / "link.npz"
    good("solve", "indian-poker", "--stacks", "6,6", "--max-iterations", "20", "-o", file, "--timings")
    shutil.copy(file, other)
    link.symlink_to(file)
    assert "exists; give --force" in run("solve", "indian-poker", "--resume", file, "-o", other).err
    go_on = ("solve", "indian-poker", "--resume", file, "--gap", "0.01", "--timings")
    good(*go_on, "-o", link)
    assert link.is_symlink()
    assert load(file).converged
    assert load(file).provenance.iterations > 20
    assert good("verify", file)
    curve = (tmp_path / "mine.timings.csv").read_text()
    good(*go_on, "-o", file)
    assert (tmp_path / "mine.timings.csv").read_text() != curve


def test_going_on_where_the_gap_is_reached_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mine.npz"
    good("solve", "indian-poker", "--stacks", "4,4", "--gap", "0.01", "-o", file)
    before = load(file)
    good("solve", "indian-poker", "--resume", file, "--gap", "0.01", "-o", file)
    after = load(file)
    assert after.provenance.iterations == before.provenance.iterations
    assert after.strategies.tobytes() == before.strategies.tobytes()


# show, best


@pytest.mark.parametrize("name", NUMBERED)
def test_show_says_in_every_format_what_the_solution_says(name: str, solved: Path) -> None:
    file = solved / f"{name}.npz"
    solution = load(file)
    deal = Spots(solution)
    spots = list(deal.walk())
    for found in (spots[0], spots[len(spots) // 2], spots[-1]):
        spot = answered(deal, found, seconds=60.0)  # where the solve has left it as it was
        history = " ".join(map(str, spot.history))
        data = good("show", file, "--history", history, "--format", "json").json
        assert (data["game"], data["history"], data["player"]) == (solution.spec.game, history, f"P{spot.player + 1}")
        assert data["spec"] == solution.spec.to_dict()
        assert data["gap"] == solution.nash_conv
        assert [row["observation"] for row in data["rows"]] == list(spot.observations)
        rows = records(good("show", file, "--history", history, "--format", "csv").out)
        assert len(rows) == len(spot.observations) * len(spot.actions)
        text = good("show", file, "--history", history)
        lines = table(text)
        assert any(line.startswith(f"P{spot.player + 1} acts ") for line in lines)
        assert history in " ".join(text.out.split())
        for column, row in enumerate(data["rows"]):
            assert row["reached"] == bool(spot.reached[column])
            assert row["source"] == spot.sources[column]
            assert row["reach"] == {"own": spot.own_reach[column], "other": spot.other_reach[column]}
            assert row["observation_probability"] == spot.observation_probability[column]
            assert sum(one["probability"] for one in row["actions"]) == pytest.approx(1.0, abs=1e-9)
            for place, one in enumerate(row["actions"]):
                assert one["action"] == str(spot.actions[place])
                assert one["probability"] == spot.probability[place, column]
                assert one["ev"] == spot.ev[place, column]
                assert one["loss"] == spot.ev[:, column].max() - spot.ev[place, column]
                flat = rows[column * len(spot.actions) + place]
                assert (flat["observation"], flat["action"]) == (row["observation"], one["action"])
                assert float(flat["probability"]) == one["probability"]
                assert float(flat["ev"]) == one["ev"]
                assert flat["reached"] == str(row["reached"])
            # The first block of the table; a wide one goes on below.
            start = next(line for line in lines if line.split()[:1] == [row["observation"]])
            assert (start.split()[1] == "*") is not row["reached"]
            first = row["actions"][0]["probability"]
            shown = "-" if first == 0.0 else "<0.1" if first < 0.0005 else f"{100 * first:.1f}"
            assert start.split()[1 if row["reached"] else 2] == shown
        marked = not all(row["reached"] for row in data["rows"])
        assert ("* off the path: when both play this strategy, less than once in 1,000 hands" in lines) is marked


def test_there_is_no_row_that_the_deck_makes_impossible(solved: Path) -> None:
    def seen(name: str, *options: str) -> list[str]:
        data = good("show", solved / f"{name}.npz", *options, "--format", "json").json
        rows = records(good("show", solved / f"{name}.npz", *options, "--format", "csv").out)
        observations = [row["observation"] for row in data["rows"]]
        assert list(dict.fromkeys(row["observation"] for row in rows)) == observations
        return observations

    numbers = list(map(str, range(1, 11)))
    assert seen("deck") == [number for number in numbers if number != "4"]
    assert seen("one-rank") == ["10"]
    assert seen("two-cards") == ["3", "10"]
    assert seen("board") == numbers
    assert seen("fronts") == [number for number in numbers if number not in ("3", "7")]
    assert seen("fronts", "--history", "F:b1") == [number for number in numbers if number != "8"]
    assert seen("pairs", "--fronts", "3,8") == [number for number in numbers if number not in ("3", "7")]
    assert seen("pairs", "--fronts", "5,1") == [number for number in numbers if number != "5"]
    assert seen("bluff") == [*numbers[1:], "J", "Q", "K", "A"]
    assert len(seen("suits")) == 52
    for board, left in (("4,4", 10), ("1,10", 10)):
        assert len(seen("boards", "--board", board)) == left


def test_a_deal_is_picked_in_any_order_of_a_board_and_in_one_of_fronts(solved: Path) -> None:
    def data(*arguments: str) -> Any:
        return good("show", *arguments, "--format", "json").json

    boards, pairs = str(solved / "boards.npz"), str(solved / "pairs.npz")
    assert data(boards, "--board", "9,4") == data(boards, "--board", "4,9")
    assert data(boards, "--board", "4,9")["board"] == "4,9"
    assert data(pairs, "--fronts", "9,4")["board"] == "9,4"
    assert data(pairs, "--fronts", "9,4")["rows"] != data(pairs, "--fronts", "4,9")["rows"]
    assert data(str(solved / "board.npz")) == data(str(solved / "board.npz"), "--board", "4,9")
    assert ", board 4,9" in table(good("show", boards, "--board", "4,9"))[0]
    assert ", fronts 9,4" in table(good("show", pairs, "--fronts", "9,4"))[0]


BEST = [
    ("deck", "10", ["b1"]),
    ("deck", "1", ["b1", "r3"]),
    ("board", "4", []),
    ("fronts", "5", []),
    ("fronts", "5", ["F:b1"]),
    ("fronts", "1", ["F:b1", "both"]),
    ("bluff", "K", ["b"]),
    ("suits", "Kh", []),
    ("sides", "9", []),
    ("two-cards", "10", []),
]


@pytest.mark.parametrize(("name", "card", "history"), BEST)
def test_best_is_one_row_with_the_value_of_every_action(name: str, card: str, history: list[str], solved: Path) -> None:
    place = (solved / f"{name}.npz", "--see", card, "--history", " ".join(history))
    spot = Spots(load(place[0])).at(" ".join(history))
    column = spot.column(card)
    values = spot.ev[:, column]
    ranked = row_ranked(load(place[0]), spot, column)
    data = good("best", *place, "--format", "json").json
    assert data["observation"] == card
    assert data["best"] == [str(spot.actions[index]) for index in ranked.best]
    assert data["resolution"] == ranked.resolution
    assert [one["ev"] for one in data["actions"]] == values.tolist()
    rows = records(good("best", *place, "--format", "csv").out)
    assert [row["action"] for row in rows] == [str(action) for action in spot.actions]
    assert [float(row["ev"]) for row in rows] == values.tolist()
    assert [row["best"] == "True" for row in rows] == [index in ranked.best for index in range(len(rows))]
    assert min(float(row["loss"]) for row in rows) == 0.0
    lines = table(good("best", *place))
    head = next(index for index, line in enumerate(lines) if "EV (chips)" in line)
    sees = "own back" if load(place[0]).spec.game == "double-sided" else "sees"
    assert lines[head].startswith(f"{sees} {card}  ")
    for line, index in zip(lines[head + 1 :], ranked.order, strict=False):
        action = spot.actions[index]
        assert line.startswith(f"{action.words}  ")
        assert f"  {action}  " in line
        assert line.endswith("  <- best") is (index in ranked.best)
        shown = line.removesuffix("  <- best").split()[-1]
        assert float(shown) == pytest.approx(values[index], abs=6e-5)
    mixed = bool(np.sum(spot.probability[:, column] > 0.0) > 1)
    assert ("a mix: draw one action by these probabilities" in lines) is mixed
    assert any(line.startswith("off the path: ") for line in lines) is not data["reached"]


def test_off_the_path_it_is_said_who_left_it_and_what_the_row_is(solved: Path) -> None:
    file = solved / "deck.npz"
    kinds: dict[tuple[str, str], tuple[str, str]] = {}
    for spot in Spots(load(file)).walk():
        for column, card in enumerate(spot.observations):
            if not spot.reached[column]:
                who = "the other player" if spot.other_reach[column] < 1e-3 else f"P{spot.player + 1}"
                kinds.setdefault((who, spot.sources[column]), (card, " ".join(map(str, spot.history))))
    assert len(kinds) >= 3
    words = {
        "solved": "is as the solve left it",
        "best response": "is a best response to",
        "re-solved": "answers a re-",
    }
    for (who, source), (card, history) in kinds.items():
        text = " ".join(good("best", file, "--see", card, "--history", history).out.split())
        assert f"off the path: {who} comes here less than once in 1,000 hands; the row {words[source]}" in text


def test_best_takes_back_for_see(solved: Path) -> None:
    file = solved / "fronts.npz"
    assert good("best", file, "--back", "5").out == good("best", file, "--see", "5").out


def test_cards_and_histories_may_be_written_in_words(solved: Path) -> None:
    deck, bluff = solved / "deck.npz", solved / "bluff.npz"
    short = good("best", deck, "--see", "10", "--history", "b1 r3").out
    assert good("best", deck, "--see", " 10 ", "--history", "Bet 1, raise by 3").out == short
    assert good("best", bluff, "--see", "Th").out == good("best", bluff, "--see", "10").out
    assert good("best", bluff, "--see", "k").out == good("best", bluff, "--see", "K").out
