"""The objective match on the command line: advice, solutions, reports, and which table they come from."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reports.text import units
from rules.betting.chips import Chips
from rules.games.registry import hand
from solver.match.table import load as load_table
from solver.solutions.solution import load
from solver.store.match_tables import with_continuation
from tests.support.commands import good, run
from tests.support.match.matches import CASES
from tests.support.paths import ROOT

SHIPPED = sorted((ROOT / "solver/match/tables").glob("*.npz"))
SMALL = ("indian-poker", "--stacks", "4,4", "--seen", "1,4")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tables of small matches for all tests of this file."""
    folder = tmp_path_factory.getbasetemp() / "match-objective-cache"
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a solution of objective match."""
    path = tmp_path_factory.mktemp("match") / "win.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "match-objective-cache"))
        good("solve", *SMALL, "--objective", "match", "-o", path)
    return path


def advise(*arguments: str | Path) -> Any:
    return good("advise", *arguments, "--seed", "1", "--format", "json").json


def test_a_shipped_table_holds_the_reference_values() -> None:
    (case,) = (case for case in CASES if case["id"] == "ip-match-20")
    table = load_table(next(path for path in SHIPPED if path.stem == "indian-poker-20-fresh"))
    for state, value in case["values"].items():
        odds = table.odds(Chips(*map(int, state.split(","))))
        assert odds.lower - 1e-6 <= value <= odds.upper + 1e-6


# Advice.


def test_advise_plays_to_win_the_match() -> None:
    line = ("indian-poker", "--stacks", "12,8", "--seen", "1,4", "--see", "3", "--history", "b1")
    found = advise(*line)
    assert (found["objective"], found["unit"]) == ("match", "win probability")
    assert found["spec"]["deck_model"] in ("exact", "fresh")
    assert found["gap"] <= 1e-4
    assert all(-1e-9 <= one["ev"] <= 1.0 + 1e-9 for one in found["actions"])
    assert any("tie-bust split" in note for note in found["notes"])
    done = good("advise", *line, "--seed", "1")
    assert done.err == ""
    assert "EV (win probability)" in done.out
    best = max(found["actions"], key=lambda one: one["ev"])
    assert f"{100 * best['ev']:.2f} %  <- best" in done.out
    assert "tie-bust split" in " ".join(done.out.split())
    chips = advise(*line, "--objective", "chips")
    assert (chips["objective"], chips["unit"], chips["gap"] <= 1e-3) == ("chips", "chips", True)


def test_the_chips_of_a_log_decide_the_table(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    good("log", "new", log, "indian-poker", "--stacks", "10,10", "--first", "opp")
    good("log", "add", log, "--mine", "4", "--theirs", "4", "--history", "b3 c")
    found = advise("--log", log, "--see", "6", "--deck-model", "fresh")
    assert found["spec"]["carry"] == 8
    assert found["objective"] == "match"
    table = load_table(next(path for path in SHIPPED if path.stem == "indian-poker-20-fresh"))
    assert any(table.heading.digest[:8] in note for note in found["notes"])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("indian-poker --stacks 4,3 --see 4", "equal stacks, got 7 chips"),
        ("indian-poker --stacks 4,4 --carry 60 --see 4", "forehead match indian-poker --stacks 34,34"),
    ],
)
def test_without_a_table_it_plays_for_chips_and_says_why(line: str, why: str) -> None:
    done = good("advise", *line.split(), "--format", "json")
    assert done.json["objective"] == "chips"
    assert done.err.count("\n") == 1
    assert done.err.startswith("forehead: for chips in this hand, not to win the match: ")
    assert why in done.err
    assert good("advise", *line.split(), "--objective", "chips").err == ""
    asked = run("advise", *line.split(), "--objective", "match")
    assert (asked.code, asked.out) == (2, "")
    assert why in asked.err
    asked = run("advise", *line.split(), "--deck-model", "fresh")
    assert asked.code == 2


def test_a_quick_table_is_made_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path))
    line = ("advise", "indian-poker", "--stacks", "3,3", "--carry", "2", "--penalties", "none", "--see", "4")
    first = good(*line, "--seed", "1")
    told = "forehead: solving the match of 8 chips (deck model fresh) first, for what later hands are worth"
    assert first.err == f"{told}\n"
    second = good(*line, "--seed", "1")
    assert (second.out, second.err) == (first.out, "")
    listed = good("cache", "list", "--format", "json").json
    (table,), (solution,) = listed["match_tables"], listed["solutions"]
    assert (table["kind"], table["hand"]) == ("match table", "whole match of 8 chips, fresh decks")
    assert solution["kind"] == "solution"
    assert solution["hand"].endswith("to win the match")
    text = good("cache", "list").out
    assert "unreadable" not in text
    assert f"{tmp_path}: 1 solution and 1 match table, " in " ".join(text.split())
    rows = good("cache", "list", "--format", "csv").out.splitlines()
    assert rows[0] == "file,kind,bytes,game,hand,gap"
    assert sorted(row.split(",")[1] for row in rows[1:]) == ["match table", "solution"]
    assert good("cache", "clear").out == f"removed 1 solution and 1 match table from {tmp_path}\n"


def test_a_table_can_be_named(tmp_path: Path) -> None:
    table = tmp_path / "table.npz"
    good("match", "indian-poker", "--stacks", "3,3", "--gap", "0.01", "-o", table)
    line = ("indian-poker", "--stacks", "2,2", "--carry", "2", "--see", "4")
    found = advise(*line, "--table", table)
    assert any(load_table(table).heading.digest[:8] in note for note in found["notes"])
    assert "within 0.01" in found["notes"][0]
    refused = run("advise", *line, "--table", table, "--objective", "chips")
    assert refused.code == 2
    assert "--table says what later hands are worth; expected --objective match" in refused.err
    refused = run("solve", "indian-poker", "--stacks", "4,4", "--table", table)
    assert refused.code == 2
    assert "another match" in refused.err


def test_nothing_is_made_before_a_question_makes_sense(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path))
    refused = run("advise", "indian-poker", "--stacks", "5,5", "--see", "4", "--history", "b2", "--objective", "match")
    assert refused.code == 2
    assert refused.err.startswith("forehead: 'b2' is not offered here")
    assert not list(tmp_path.iterdir())


# Solutions.


def test_a_solution_prints_chances_to_win(file: Path) -> None:
    solution = load(file)
    text = good("verify", file).out
    places = units.digits(solution.quality)
    assert f"value to P1 (the first bettor)  {100 * solution.value:.{places - 2}f} % to win the match" in text
    assert "win probability" in text
    assert "deck model" in text
    spot = good("show", file, "--history", "b1").out
    assert "deck model" in spot
    row = good("best", file, "--see", "3", "--history", "b1", "--format", "json").json
    assert all(-1e-9 <= one["ev"] <= 1.0 + 1e-9 for one in row["actions"])
    shown = good("best", file, "--see", "3", "--history", "b1").out
    for one in row["actions"]:
        assert f"{100 * one['ev']:.2f} %" in shown
    found = advise("--from", file, "--see", "3", "--history", "b1")
    assert [one["ev"] for one in found["actions"]] == [one["ev"] for one in row["actions"]]
    refused = run("advise", "--from", file, "--see", "3", "--objective", "match")
    assert "says --objective already" in refused.err


def test_its_data_name_the_table(file: Path) -> None:
    data = good("solve", *SMALL, "--objective", "match", "--format", "json").json
    assert data["unit"] == "win probability"
    assert data["nash_conv"] <= data["gap"] == 1e-4
    low, high = data["value_bounds"]
    assert low <= data["value"] <= high
    assert high - low > data["nash_conv"]
    later = load(file).later
    assert later is not None
    assert data["match_table"] == later.origin._asdict()
    assert data["value"] == load(file).value


def test_a_solve_goes_on(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "more.npz"
    good("solve", "indian-poker", "--resume", file, "--gap", "1e-6", "-o", path)
    assert load(path).nash_conv <= 1e-6
    good("verify", path)


def test_extensive_forms_pay_what_sums_to_one(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "win.efg"
    good("export", file, "--to", "efg", "-o", path)
    ends = re.findall(r'^t "" \d+ "(P1 wins the match with [^"]*)" \{ (\S+), (\S+) \}$', path.read_text(), re.M)
    assert ends
    for _, first, second in ends:
        assert float(first) + float(second) == pytest.approx(1.0)
    assert "payoffs in win probability" in path.read_text()


# Reports.


@pytest.mark.slow
def test_a_report_draws_the_chances_to_win(file: Path, tmp_path: Path) -> None:
    good("report", file, "-o", tmp_path / "report")
    for ending in ("png", "svg"):
        assert (tmp_path / "report" / "figures" / f"chances-to-win.{ending}").stat().st_size > 1000
    page = (tmp_path / "report" / "index.html").read_text()
    assert "win the match" in page
    assert '"chance":true' in page
    summary = (tmp_path / "report" / "summary.md").read_text()
    assert "wins the match with" in summary
    assert "% of the match by" in summary
    data = json.loads((tmp_path / "report" / "report.json").read_text())
    assert data["solutions"][0]["match_table"]["deck_model"] == "fresh"


@pytest.mark.slow
def test_the_hands_of_a_log_are_reported_as_parts_of_the_match(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    good("log", "new", log, "indian-poker", "--stacks", "3,3", "--first", "me")
    good("log", "add", log, "--mine", "4", "--theirs", "9", "--history", "b1 f")
    good("report", "--log", log, "--objective", "match", "-o", tmp_path / "report", "--gap", "0.01")
    data = json.loads((tmp_path / "report" / "report.json").read_text())
    assert [one["objective"] for one in data["solutions"]] == ["match", "match"]


def test_two_objectives_are_not_compared(file: Path, tmp_path: Path) -> None:
    chips = tmp_path / "chips.npz"
    good("solve", *SMALL, "-o", chips)
    refused = run("report", "--compare", file, chips, "-o", tmp_path / "report")
    assert refused.code == 2
    assert "one objective" in refused.err


def test_openspiel_is_told_by_options_alone() -> None:
    pytest.importorskip("pyspiel")
    from reports.export import openspiel

    with pytest.raises(Exception, match="expected a hand of objective chips"):
        openspiel.game(with_continuation(hand("indian-poker", stacks=(2, 2), objective="match")))
