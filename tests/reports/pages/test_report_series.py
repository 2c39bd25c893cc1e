"""Reports of many hands: series over deck states and the hands of a log, and two solutions side by side."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from reports.answering import report_sources, series
from reports.data import comparison, node_summary
from reports.figures import solutions as figures
from reports.pages.report import Source
from reports.text.words import percent
from rules.base.errors import OptionError
from rules.games.registry import hand
from solver import Solution, load, solve
from solver.solutions.spots import Spots
from tests.support.commands import good, rows_of, run

# Series.


@pytest.mark.slow
def test_a_file_of_deck_states_makes_a_series(tmp_path: Path) -> None:
    decks = tmp_path / "decks.txt"
    decks.write_text("# as the deck empties\nfresh\n\n1,1   # both ones\nleft 1,1,1,1,1,1,1,1,1,1 stacks 4,6\n")
    done = good("report", "indian-poker", "--stacks", "4,4", "--gap", "0.05", "--decks", decks, "-o", tmp_path / "made")
    assert done.out.strip() == str(tmp_path / "made" / "index.html")
    rows = rows_of(tmp_path / "made" / "series.csv")
    solutions = {
        name: load(tmp_path / "made" / str(number) / "solution.npz")
        for number, name in enumerate(dict.fromkeys(row["stage"] for row in rows), start=1)
    }
    assert list(solutions) == ["fresh", "1,1", "left 1,1,1,1,1,1,1,1,1,1 stacks 4,6"]
    assert [one.spec.to_dict()["stacks"] for one in solutions.values()] == [[4, 4], [4, 4], [4, 6]]
    assert [one.spec.cards_left for one in solutions.values()] == [20, 18, 10]  # type: ignore[attr-defined]
    for name, solution in solutions.items():
        mine = [row for row in rows if row["stage"] == name]
        assert {(float(row["value"]), float(row["nash_conv"])) for row in mine} == {
            (solution.value, solution.nash_conv)
        }
        shares = {row["action"]: float(row["share"]) for row in mine}
        expected = {row[7]: row[8] for row in node_summary.action_rows(solution) if row[1] == ""}
        assert shares == pytest.approx(expected)
    assert (tmp_path / "made" / "figures" / "series.svg").is_file()


def test_a_series_draws_values_and_opening_shares(solved: Path) -> None:
    names = ("deck", "one-rank", "nothing")
    drawn = [figures.Stage(name, load(solved / f"{name}.npz")) for name in names]
    above, below = figures.series(drawn, "deck state").axes
    (line,) = above.containers[0].lines[:1]
    assert line.get_ydata().tolist() == [one.solution.value for one in drawn]
    heights = np.array([[bar.get_height() for bar in bars] for bars in below.containers])
    assert heights.sum(axis=0) == pytest.approx(1.0)
    assert [label.get_text() for label in below.get_xticklabels()] == list(names)


@pytest.mark.slow
def test_a_log_is_reported_hand_by_hand(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    good("log", "new", log, "indian-poker", "--stacks", "4,4", "--first", "opp")
    good("log", "add", log, "--mine", "4", "--theirs", "9", "--history", "b1 f")
    good("log", "add", log, "--mine", "5", "--theirs", "5", "--history", "b1 c")
    before = log.read_bytes()
    good("report", "--log", log, "--gap", "0.05", "-o", tmp_path / "made")
    assert log.read_bytes() == before
    rows = rows_of(tmp_path / "made" / "series.csv")
    told = dict.fromkeys((row["stage"], row["cards_left"]) for row in rows)
    assert list(told) == [
        ("hand 1, they bet first", "20"), ("hand 2, you bet first", "18"), ("hand 3, they bet first, to come", "16"),
    ]  # fmt: skip
    coming = load(tmp_path / "made" / "3" / "solution.npz").spec.to_dict()
    good("solve", "--log", log, "--objective", "match", "--max-iterations", "0", "-o", tmp_path / "coming.npz")
    assert coming == load(tmp_path / "coming.npz").spec.to_dict()


def test_hands_of_a_log_have_the_boards_and_fronts_that_were_dealt(tmp_path: Path) -> None:
    log = tmp_path / "board.log"
    good("log", "new", log, "indian-holdem", "--stacks", "9,9")
    good("log", "add", log, "--mine", "4", "--theirs", "9", "--board", "2,7", "--history", "b1 c")
    good("log", "add", log, "--mine", "5", "--theirs", "5", "--board", "4,4", "--history", "b1 f")
    found = series.played_stages(str(log), {})
    assert [stage.spec.to_dict()["board"] for stage in found] == [[2, 7], [4, 4]]
    assert [stage.spec.to_dict()["stacks"] for stage in found] == [[9, 9], [11, 7]]
    assert [stage.label for stage in found] == ["hand 1, you bet first", "hand 2, they bet first"]
    sides = tmp_path / "fronts.log"
    good("log", "new", sides, "double-sided", "--stacks", "9,9", "--first", "opp")
    good("log", "add", sides, "--mine", "3/7", "--theirs", "8/2", "--history", "front:b1 front:c")
    (stage,) = series.played_stages(str(sides), {})
    assert stage.spec.to_dict()["fronts"] == [8, 3]  # they were P1


@pytest.mark.slow
def test_a_match_that_is_over_is_reported_too(tmp_path: Path) -> None:
    log = tmp_path / "over.log"
    good("log", "new", log, "indian-poker", "--stacks", "2,2")
    good("log", "add", log, "--mine", "9", "--theirs", "4", "--history", "allin c")
    assert "You have won." in good("log", "show", log).out
    good("report", "--log", log, "--gap", "0.1", "-o", tmp_path / "made")
    assert {row["stage"] for row in rows_of(tmp_path / "made" / "series.csv")} == {"hand 1, you bet first"}
    assert run("report", "--log", log, "--board", "1,2", "-o", tmp_path / "other").code == 2


def test_timings_are_kept_where_they_are_asked_for() -> None:
    def found(timings: bool) -> Source:
        return report_sources.gathered(
            ["indian-poker"], {"stacks": "3,3"}, decks=None, compare=False, gap=0.1, timings=timings
        ).sources[0]

    timed = found(True)
    checks = timed.solution.provenance.checks
    assert [one.iterations for one in timed.timings] == [check.iterations for check in checks]
    assert found(False).timings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a deck state a line in"),
        ("# nothing\n\n", "expected a deck state a line in"),
        ("1,4,4,4\n", "line 1: "),
        ("fresh\nseen 1,1 hidden\n", "line 2: expected cards, 'fresh', or names and values of options"),
        ("fresh\n\nshown 3/7\n", "line 3: indian-poker has no option --shown"),
    ],
)
def test_a_wrong_line_of_deck_states_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "decks.txt"
    path.write_text(text)
    with pytest.raises(OptionError, match=re.escape(message)):
        series.deck_stages(str(path), "indian-poker", {})
    path.write_bytes(b"\xff\n")
    with pytest.raises(OptionError, match="expected text in UTF-8"):
        series.deck_stages(str(path), "indian-poker", {})


def test_double_sided_decks_are_told_by_what_was_shown_and_hidden(tmp_path: Path) -> None:
    path = tmp_path / "decks.txt"
    path.write_text("3/7,8/2\nshown 3/7,8/2 hidden 5,9\n")
    found = series.deck_stages(str(path), "double-sided", {"fronts": "3,8"})
    assert [stage.spec for stage in found] == [
        hand("double-sided", fronts="3,8", shown="3/7,8/2"),
        hand("double-sided", fronts="3,8", shown="3/7,8/2", hidden="5,9"),
    ]
    with pytest.raises(OptionError, match="no deck state that changes"):
        series.deck_stages(str(path), "blind-mans-bluff", {})


# Comparisons.


@pytest.fixture(scope="module")
def pair() -> tuple[Solution, Solution]:
    first = solve(hand("indian-poker", stacks="5,5"), gap=0.01)
    return first, solve(hand("indian-poker", stacks="5,5", seen="10,10", raises="1,allin"), gap=0.01)


def test_a_solution_does_not_differ_from_itself(pair: tuple[Solution, Solution]) -> None:
    same = comparison.Comparison(pair[0], pair[0])
    assert same.distance() == 0.0
    assert same.changed_most == same.settings == []
    assert len(same.differences) == sum(len(spot.observations) for spot in Spots(pair[0]).walk())


def test_distances_are_those_of_the_spots(pair: tuple[Solution, Solution]) -> None:
    found = comparison.Comparison(*pair)
    assert [name for name, _, _ in found.settings] == ["left", "raises"]
    total = weight = 0.0
    number = 0
    for one in found.differences:
        spots = [Spots(solution).at(one.history) for solution in pair]
        mixes: list[dict[str, float]] = []
        comes = []
        for spot in spots:
            column = spot.column(one.observation)
            mixes.append(dict(zip(map(str, spot.actions), spot.probability[:, column], strict=True)))
            comes.append(spot.observation_probability[column] * spot.own_reach[column] * spot.other_reach[column])
        apart = sum(abs(mixes[0].get(a, 0.0) - mixes[1].get(a, 0.0)) for a in {**mixes[0], **mixes[1]}) / 2
        assert one.distance == pytest.approx(apart, abs=1e-12)
        assert (one.reach_a, one.reach_b) == pytest.approx(comes, abs=1e-12)
        assert mixes[0][one.top_a] == max(mixes[0].values())
        assert mixes[1][one.top_b] == max(mixes[1].values())
        total += apart * sum(comes) / 2
        weight += sum(comes) / 2
        number += 1
    assert number > 20
    assert found.distance() == pytest.approx(total / weight)
    turned = comparison.Comparison(pair[1], pair[0])
    assert turned.distance() == pytest.approx(found.distance())
    impacts = [one.impact for one in found.changed_most]
    assert impacts == sorted(impacts, reverse=True)
    assert min(found.distance("P1"), found.distance("P2")) <= found.distance() <= 1.0 + 1e-9
    frame = found.frame()
    assert tuple(frame.columns) == comparison.Difference._fields
    assert len(frame) == number


@pytest.mark.slow
def test_a_comparison_is_written_as_tables_and_text(pair: tuple[Solution, Solution], tmp_path: Path) -> None:
    for number, one in enumerate(pair):
        one.save(tmp_path / f"{number}.npz")
    good("report", "--compare", tmp_path / "0.npz", tmp_path / "1.npz", "-o", tmp_path / "made")
    found = comparison.Comparison(*pair)
    rows = rows_of(tmp_path / "made" / "differences.csv")
    assert [tuple(row.values()) for row in rows] == [tuple(map(str, one)) for one in found.differences]
    data = json.loads((tmp_path / "made" / "report.json").read_text())["comparison"]
    assert data["distance"]["all"] == found.distance()
    assert data["settings"]["raises"] == {"a": [1, 3, 5, "allin"], "b": [1, "allin"]}
    page = (tmp_path / "made" / "index.html").read_text(encoding="utf-8")
    assert f"apart: P1&#x27;s {percent(found.distance('P1'))}" in page
    assert percent(found.distance()) in (tmp_path / "made" / "summary.md").read_text()


def test_what_cannot_be_compared_is_refused(solved: Path) -> None:
    deck, fronts = load(solved / "deck.npz"), load(solved / "fronts.npz")
    with pytest.raises(OptionError, match="of one game to compare, got indian-poker and double-sided"):
        comparison.Comparison(deck, fronts)
    other = solve(hand("double-sided", fronts="1,1", stacks="3,3"), gap=0.5)
    with pytest.raises(OptionError, match="with a fronts in common, got 3,8 and 1,1"):
        comparison.Comparison(fronts, other)
