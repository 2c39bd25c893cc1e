"""Reports without a browser: what the folder holds, that figures agree, series, comparisons, and what is refused."""

import csv
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports import blocks, columns, compare, figures, frames, gathering, nodes, report, stages, views
from reports.findings import findings
from reports.pages import script_json, tag
from reports.report import Source, read_source, write_report
from reports.text import percent, signed
from rules.errors import OptionError
from rules.notation import format_history
from rules.registry import hand
from solver import Solution, load, solve
from solver.spots import Spots
from tests.commands import PROGRAM, environment, good, run, strict_json

NAMES = ("deck", "boards", "fronts", "suits", "one-rank", "nothing", "showdown")


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


# What the folder holds.


@pytest.fixture(scope="module")
def folder(solved: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a solution, made by the command."""
    path = tmp_path_factory.mktemp("made") / "report"
    done = good("report", solved / "deck.npz", "-o", path)
    assert done.out == f"{path / 'index.html'}\n"
    return path


def test_the_folder_holds_page_summary_tables_and_figures(folder: Path) -> None:
    stems = ("opening", "responses", "bet-size", "exploitability")
    expected = {f"figures/{stem}{ending}" for stem in stems for ending in figures.FORMATS}
    expected |= {"index.html", "summary.md", "report.json", "columns.md", "strategy.csv", "actions.csv"}
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == expected


def test_the_page_stands_alone_and_links_what_is_there(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src)="([^"]*)"', text)
    beside = [link for link in links if not link.startswith(("#", "data:,"))]
    assert beside
    assert all((folder / link).is_file() for link in beside)
    assert not re.search(r"@import|url\((?!#)|\bfetch\(|XMLHttpRequest|https?://(?!www\.w3\.org/)", text)
    assert "{{" not in text


def test_the_tables_are_the_export_and_the_solution(folder: Path, solved: Path, tmp_path: Path) -> None:
    good("export", solved / "deck.npz", "-o", tmp_path / "deck.csv")
    assert (folder / "strategy.csv").read_bytes() == (tmp_path / "deck.csv").read_bytes()
    rows = rows_of(folder / "actions.csv")
    solution = load(solved / "deck.npz")
    assert len(rows) == len(solution.tree.child)
    frame = pd.read_csv(folder / "actions.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(frame, frames.action_frame(solution), check_dtype=False)
    assert tuple(frame.columns) == nodes.ACTION_COLUMNS
    assert frame.groupby("history", sort=False)["share"].sum().to_numpy() == pytest.approx(1.0)
    data = strict_json((folder / "report.json").read_text(encoding="utf-8"))
    assert data == {"solutions": [{"name": "deck.npz", **views.solution_fields(solution)}]}


def test_every_column_is_documented(folder: Path) -> None:
    documented = {name: tuple(held) for name, (_, held) in columns.DOCUMENTED.items()}
    assert documented == {
        "strategy.csv": views.TIDY_COLUMNS,
        "actions.csv": nodes.ACTION_COLUMNS,
        "differences.csv": compare.Difference._fields,
        "series.csv": columns.SERIES_COLUMNS,
    }
    text = (folder / "columns.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["strategy.csv", "actions.csv"]
    assert re.findall(r"^\| (\w+) \|", text, re.MULTILINE) == [
        *("column", *views.TIDY_COLUMNS), *("column", *nodes.ACTION_COLUMNS),
    ]  # fmt: skip


def test_the_summary_says_value_opening_and_findings(folder: Path, solved: Path) -> None:
    text = (folder / "summary.md").read_text(encoding="utf-8")
    solution = load(solved / "deck.npz")
    spot = Spots(solution).at()
    assert text.startswith("# Indian Poker\n")
    for column, name in enumerate(spot.observations):
        assert f"| {name} | {' | '.join(percent(p) for p in spot.probability[:, column])} |" in text
    for line in findings(solution):
        assert f"- {line}" in text.replace("\\", "")
    assert "report/" not in text


def test_a_hand_is_solved_and_saved_with_its_report(tmp_path: Path) -> None:
    done = good("report", "indian-poker", "--stacks", "4,4", "--gap", "0.01", "-o", tmp_path / "made")
    assert done.out == f"{tmp_path / 'made' / 'index.html'}\n"
    assert "20 cards left" in done.err
    assert good("verify", tmp_path / "made" / "solution.npz").code == 0
    again = tmp_path / "again"
    assert good("report", "indian-poker", "--stacks", "4,4", "--gap", "0.01", "-o", again).code == 0
    files = [path for path in sorted((tmp_path / "made").rglob("*")) if path.is_file()]
    assert files
    for path in files:
        assert path.read_bytes() == (again / path.relative_to(tmp_path / "made")).read_bytes(), path


def test_another_process_writes_the_same_bytes(folder: Path, solved: Path, tmp_path: Path) -> None:
    subprocess.run(
        [*PROGRAM, "report", str(solved / "deck.npz"), "-o", "other"],
        cwd=tmp_path,
        env=environment(PYTHONHASHSEED="77", SOURCE_DATE_EPOCH="1"),
        check=True,
        capture_output=True,
    )
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "other" / path.relative_to(folder)).read_bytes(), path


def test_several_solutions_have_tables_of_their_own(solved: Path, tmp_path: Path) -> None:
    sources = [read_source(str(solved / f"{name}.npz")) for name in ("one-rank", "showdown")]
    write_report(tmp_path / "made", sources)
    for number, source in enumerate(sources, start=1):
        rows = rows_of(tmp_path / "made" / str(number) / "strategy.csv")
        assert len(rows) == len(list(views.all_rows(source.solution)))
    assert "one-rank.npz" in (tmp_path / "made" / "summary.md").read_text(encoding="utf-8")


def test_reading_a_solution_for_a_report_needs_no_compiler(solved: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from reports.report import read_source, write_report\n"
        f"write_report({str(tmp_path / 'made')!r}, [read_source({str(solved / 'one-rank.npz')!r})])\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment())


@pytest.mark.slow
def test_the_largest_standard_hand_is_reported_in_seconds_on_a_small_page(tmp_path: Path) -> None:
    import time

    solution = solve(hand("indian-poker", stacks="20,20"), gap=0.05)
    start = time.process_time()
    path = write_report(tmp_path / "made", [Source("big", solution)])
    assert time.process_time() - start < 20  # about 5 s on an idle machine
    assert path.stat().st_size < 5_000_000
    block = blocks.Block()
    assert blocks.solution_block(solution, block)["nodes"] == 9_572  # nothing is cut


# Figures over all observations.


@pytest.mark.parametrize("name", NAMES)
def test_figures_over_all_observations_agree_with_the_spots(name: str, solved: Path) -> None:
    solution = load(solved / f"{name}.npz")
    found: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
    for row in nodes.action_rows(solution):
        fields = dict(zip(nodes.ACTION_COLUMNS, row, strict=True))
        found[fields["board"], fields["history"]].append(row)
    number = 0
    for board in solution.boards[:3]:
        for spot in Spots(solution, board).walk():
            rows = found[board, format_history(spot.history)]
            number += 1
            assert [row[7] for row in rows] == [str(action) for action in spot.actions]
            comes = spot.observation_probability * spot.own_reach * spot.other_reach
            assert rows[0][5] == pytest.approx(comes.sum(), abs=1e-12)
            assert sum(row[8] for row in rows) == pytest.approx(1.0)
            if comes.sum() > 1e-6:
                share = spot.probability @ comes / comes.sum()
                assert [row[8] for row in rows] == pytest.approx(share.tolist(), abs=1e-5)
                mean = ((spot.probability * spot.ev).sum(axis=0) * comes).sum() / comes.sum()
                assert rows[0][6] == pytest.approx(mean, abs=1e-3)
    assert number == solution.tree.nodes * len(solution.boards[:3])


def test_the_value_is_what_the_first_spot_expects(solved: Path) -> None:
    assert len(frames.action_frame(load(solved / "showdown.npz"))) == 0
    for name in ("deck", "boards", "suits"):
        solution = load(solved / f"{name}.npz")
        first = {row[0]: row[6] for row in nodes.action_rows(solution) if row[1] == ""}
        weights = {deal.board: deal.weight for group in solution.classes for deal in group.deals}
        mean = sum(weights[board] * value for board, value in first.items())
        assert mean == pytest.approx(solution.value, abs=1e-9)


def test_codes_are_what_is_displayed() -> None:
    generator = np.random.default_rng(3)
    values = np.concatenate(
        ([0.0, 1e-300, 0.000499, 0.0005, 0.00051, 0.0625, 0.9994, 0.99951, 1.0], generator.random(999))
    )
    for value, code in zip(values.tolist(), blocks.codes(values).tolist(), strict=True):
        shown = "-" if code == 0 else "<0.1 %" if code == blocks.TRACED else f"{code / 10:.1f} %"
        assert shown == percent(value)


def test_a_block_gives_back_its_arrays() -> None:
    import base64
    import zlib

    block = blocks.Block()
    arrays = [(np.arange(5), "u1"), (np.array([-7, 2**31 - 1]), "i4"), (np.array([[0.1, np.pi]]), "f8")]
    places = [block.add(values, kind) for values, kind in arrays]
    raw = zlib.decompress(base64.b64decode(block.packed()))
    for (values, kind), (at, count, name) in zip(arrays, places, strict=True):
        size = np.dtype(kind).itemsize
        planes = np.frombuffer(raw, np.uint8, int(count) * size, int(at)).reshape(size, int(count))
        found = np.ascontiguousarray(planes.T).reshape(-1).view(f"<{name}")
        assert found.tolist() == values.reshape(-1).tolist()
    with pytest.raises(AssertionError, match="does not fit"):
        block.add(np.array([300]), "u1")


def test_a_page_of_a_large_tree_keeps_every_history_above_a_reach(solved: Path) -> None:
    solution = load(solved / "deck.npz")
    likely = np.maximum(*(Spots(solution).led_to(player) for player in (0, 1)))
    before = 0
    for most in (1, 4_000, 8_000, 10**6):
        kept = blocks.solution_block(solution, blocks.Block(), most)
        assert kept["nodes"] == max(1, int((likely >= kept["threshold"]).sum()))
        assert kept["nodes"] >= before
        before = kept["nodes"]
    assert (before, kept["threshold"]) == (solution.tree.nodes, 0.0)


# Findings and figures.


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_sentences(name: str, solved: Path) -> None:
    solution = load(solved / f"{name}.npz")
    told = findings(solution)
    assert all(line.endswith(".") and line[0].isupper() for line in told)
    assert solution.spec.unit in told[0]
    assert len(told) == (2 if name == "showdown" else 6)


def test_the_dearest_mistake_is_one() -> None:
    solution = solve(hand("indian-poker", stacks="4,4"), gap=0.01)
    (line,) = (line for line in findings(solution) if line.startswith("The dearest mistake"))
    worst = 0.0
    for spot in Spots(solution).walk():
        comes = spot.observation_probability * spot.own_reach * spot.other_reach
        losses = (spot.probability * spot.ev).sum(axis=0) - spot.ev
        worst = max(worst, float(losses[:, comes >= 0.01].max(initial=0.0)))
    assert f"loses {worst:.2f} chips by " in line


def test_heat_maps_have_a_cell_for_every_observation_and_action(solved: Path) -> None:
    solution = load(solved / "deck.npz")
    spot = Spots(solution).at()
    (axes,) = figures.opening(solution).axes
    drawn = np.asarray(axes.collections[0].get_array()).reshape(spot.probability.T.shape)
    assert (drawn == spot.probability.T).all()
    assert [label.get_text() for label in axes.get_yticklabels()] == list(spot.observations)
    answers = figures.responses(solution).axes
    openings = [str(action) for action in spot.actions if str(action) != "f"]
    assert [axes.get_title().split(" ")[1] for axes in answers] == openings
    second = Spots(solution).at(openings[0])
    drawn = np.asarray(answers[0].collections[0].get_array()).reshape(second.probability.T.shape)
    assert (drawn == second.probability.T).all()


def test_bars_of_bet_sizes_are_the_probabilities_and_their_mean(solved: Path) -> None:
    solution = load(solved / "deck.npz")
    spot = Spots(solution).at()
    (axes,) = figures.bet_sizes(solution).axes
    widths = {str(bars.get_label()): [bar.get_width() for bar in bars] for bars in axes.containers}
    for action, row in zip(spot.actions, spot.probability, strict=True):
        assert widths[action.words] == pytest.approx(row.tolist())
    means = [text.get_text() for text in axes.texts][: len(spot.observations)]
    for column, told in enumerate(means):
        bets = [(a.size, p) for a, p in zip(spot.actions, spot.probability[:, column], strict=True) if str(a) != "f"]
        often = sum(p for _, p in bets)
        expected = f"{sum(size * p for size, p in bets) / often:.1f}" if often >= 5e-4 else "none"
        assert told == expected


def test_shades_get_darker_in_grey() -> None:
    shades = [figures._shade(rank, 5) for rank in range(5)]
    grey = [0.299 * red + 0.587 * green + 0.114 * blue for red, green, blue, _ in shades]
    assert grey == sorted(grey, reverse=True)
    assert min(-np.diff(grey)) > 0.08


def test_timings_beside_a_file_give_the_figure_a_time_axis(solved: Path, tmp_path: Path) -> None:
    path = tmp_path / "deck.npz"
    path.write_bytes((solved / "deck.npz").read_bytes())
    assert read_source(str(path)).timings == ()
    timings = tmp_path / "deck.timings.csv"
    timings.write_text("iterations,seconds,nash_conv,lower,upper\n10,0.5,0.2,-1,-0.8\n20,1.5,0.1,-1,-0.9\n")
    source = read_source(str(path))
    assert [axes.get_xlabel().split(" ")[0] for axes in figures.convergence(load(path)).axes] == ["iterations"]
    by_iterations, by_time = figures.convergence(source.solution, source.timings).axes
    assert by_time.get_xlabel().startswith("time (s)")
    assert by_time.get_lines()[0].get_xydata().tolist() == [[0.5, 0.1], [1.5, 0.05]]
    assert len(by_iterations.get_lines()[0].get_xydata()) > 2
    timings.write_text("iterations,seconds\n10,0.5\n")
    with pytest.raises(OptionError, match=r"deck\.timings\.csv, as solve --timings writes them"):
        read_source(str(path))


def test_a_figure_in_a_page_follows_its_colours_and_keeps_its_ids(solved: Path) -> None:
    drawn = figures.markup(figures.opening(load(solved / "deck.npz")), "mine")
    assert drawn.startswith("<svg")
    assert "currentColor" in drawn
    assert "#000000" not in drawn
    assert "<text" in drawn
    ids = re.findall(r'\bid="([^"]*)"', drawn)
    assert all(name.startswith("mine-") for name in ids)
    assert set(re.findall(r'(?:href="#|url\(#)([^")]*)', drawn)) <= set(ids)


# Series.


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
        expected = {row[7]: row[8] for row in nodes.action_rows(solution) if row[1] == ""}
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
    coming = load(tmp_path / "made" / "1" / "solution.npz").spec.to_dict()  # what is asked stands first
    good("solve", "--log", log, "--max-iterations", "0", "-o", tmp_path / "coming.npz")
    assert coming == load(tmp_path / "coming.npz").spec.to_dict()


def test_hands_of_a_log_have_the_boards_and_fronts_that_were_dealt(tmp_path: Path) -> None:
    log = tmp_path / "board.log"
    good("log", "new", log, "indian-holdem", "--stacks", "9,9")
    good("log", "add", log, "--mine", "4", "--theirs", "9", "--board", "2,7", "--history", "b1 c")
    good("log", "add", log, "--mine", "5", "--theirs", "5", "--board", "4,4", "--history", "b1 f")
    found = stages.played_stages(str(log))
    assert [stage.spec.to_dict()["board"] for stage in found] == [[2, 7], [4, 4]]
    assert [stage.spec.to_dict()["stacks"] for stage in found] == [[9, 9], [11, 7]]
    assert [stage.label for stage in found] == ["hand 1, you bet first", "hand 2, they bet first"]
    sides = tmp_path / "fronts.log"
    good("log", "new", sides, "double-sided", "--stacks", "9,9", "--first", "opp")
    good("log", "add", sides, "--mine", "3/7", "--theirs", "8/2", "--history", "front:b1 front:c")
    (stage,) = stages.played_stages(str(sides))
    assert stage.spec.to_dict()["fronts"] == [8, 3]  # they were P1


def test_a_match_that_is_over_is_reported_too(tmp_path: Path) -> None:
    log = tmp_path / "over.log"
    good("log", "new", log, "indian-poker", "--stacks", "2,2")
    good("log", "add", log, "--mine", "9", "--theirs", "4", "--history", "allin c")
    assert "You have won." in good("log", "show", log).out
    good("report", "--log", log, "--gap", "0.1", "-o", tmp_path / "made")
    assert {row["stage"] for row in rows_of(tmp_path / "made" / "series.csv")} == {"hand 1, you bet first"}
    assert run("report", "--log", log, "--board", "1,2", "-o", tmp_path / "other").code == 2


def test_a_request_to_stop_ends_a_series_with_the_best_so_far(tmp_path: Path) -> None:
    decks = tmp_path / "decks.txt"
    decks.write_text("fresh\n1,1\n")
    found = gathering.gathered(
        ["indian-poker"], {"stacks": "6,6"}, decks=str(decks), compare=False, gap=1e-9, timings=True, stop=lambda: True
    )
    assert [source.name for source in found.series] == ["fresh"]
    assert found.sources[0].solution.provenance.stopped == "interrupted"
    checks = found.sources[0].solution.provenance.checks
    assert [one.iterations for one in found.sources[0].timings] == [check.iterations for check in checks]
    write_report(tmp_path / "made", found.sources, series=found.series)


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
        stages.deck_stages(str(path), "indian-poker", {})
    path.write_bytes(b"\xff\n")
    with pytest.raises(OptionError, match="expected text in UTF-8"):
        stages.deck_stages(str(path), "indian-poker", {})


def test_double_sided_decks_are_told_by_what_was_shown_and_hidden(tmp_path: Path) -> None:
    path = tmp_path / "decks.txt"
    path.write_text("3/7,8/2\nshown 3/7,8/2 hidden 5,9\n")
    found = stages.deck_stages(str(path), "double-sided", {"fronts": "3,8"})
    assert [stage.spec for stage in found] == [
        hand("double-sided", fronts="3,8", shown="3/7,8/2"),
        hand("double-sided", fronts="3,8", shown="3/7,8/2", hidden="5,9"),
    ]
    with pytest.raises(OptionError, match="no deck state that changes"):
        stages.deck_stages(str(path), "blind-mans-bluff", {})


# Comparisons.


@pytest.fixture(scope="module")
def pair() -> tuple[Solution, Solution]:
    first = solve(hand("indian-poker", stacks="5,5"), gap=0.01)
    return first, solve(hand("indian-poker", stacks="5,5", seen="10,10", raises="1,allin"), gap=0.01)


def test_a_solution_does_not_differ_from_itself(pair: tuple[Solution, Solution]) -> None:
    same = compare.Comparison(pair[0], pair[0])
    assert same.distance() == 0.0
    assert same.changed_most == same.settings == []
    assert len(same.differences) == sum(len(spot.observations) for spot in Spots(pair[0]).walk())


def test_distances_are_those_of_the_spots(pair: tuple[Solution, Solution]) -> None:
    found = compare.Comparison(*pair)
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
    turned = compare.Comparison(pair[1], pair[0])
    assert turned.distance() == pytest.approx(found.distance())
    impacts = [one.impact for one in found.changed_most]
    assert impacts == sorted(impacts, reverse=True)
    assert min(found.distance("P1"), found.distance("P2")) <= found.distance() <= 1.0
    frame = found.frame()
    assert tuple(frame.columns) == compare.Difference._fields
    assert len(frame) == number


def test_a_comparison_is_written_as_tables_and_text(pair: tuple[Solution, Solution], tmp_path: Path) -> None:
    for number, one in enumerate(pair):
        one.save(tmp_path / f"{number}.npz")
    good("report", "--compare", tmp_path / "0.npz", tmp_path / "1.npz", "-o", tmp_path / "made")
    found = compare.Comparison(*pair)
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
        compare.Comparison(deck, fronts)
    other = solve(hand("double-sided", fronts="1,1", stacks="3,3"), gap=0.5)
    with pytest.raises(OptionError, match="with a fronts in common, got 3,8 and 1,1"):
        compare.Comparison(fronts, other)


# What the command refuses.


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Missing argument 'GAME'."),
        ("nothing", "expected a game (indian-poker, indian-holdem, double-sided, blind-mans-bluff) or solution files"),
        ("{deck} --stacks 3,3", "says --stacks already; leave it out"),
        ("{deck} --decks {deck}", "says --decks already; leave it out"),
        ("{deck} --compare", "expected two solution files to compare, got 1"),
        ("indian-poker --compare", "expected two solution files to compare"),
        ("indian-poker --decks {deck}", "expected text in UTF-8"),
        ("--decks {deck}", "Missing argument 'GAME'."),
        ("indian-poker --seen 4,4,4", "4"),
        ("{deck} -o {full}", "is not empty; give --force to write the report into it"),
        ("{deck} -o {deck}", "it is no folder"),
        ("{deck} -o ''", "expected a folder to write (-o), got ''"),
        ("{deck} {deck} {deck} --compare", "expected two solution files to compare, got 3"),
        ("{text}", "is no solution file"),
    ],
)
def test_a_wrong_report_is_refused_in_one_line(line: str, message: str, solved: Path, tmp_path: Path) -> None:
    import shlex

    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    named = {"deck": solved / "deck.npz", "full": full, "text": full / "mine.txt"}
    arguments = shlex.split(line.format(**named))
    if "-o" not in arguments:
        arguments += ["-o", str(tmp_path / "made")]
    done = run("report", *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""
    assert not (tmp_path / "made").exists()
    assert (full / "mine.txt").read_text() == "mine"


def test_with_force_a_report_is_written_beside_what_is_there(solved: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    good("report", solved / "one-rank.npz", "-o", tmp_path, "--force")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "index.html").is_file()


def test_three_files_of_one_game_make_a_series(solved: Path) -> None:
    names = [str(solved / f"{name}.npz") for name in ("deck", "one-rank", "nothing")]

    def found(*files: str) -> gathering.Gathered:
        return gathering.gathered(files, {}, decks=None, compare=False, gap=1.0, timings=False, stop=None)

    assert len(found(*names).series) == 3
    assert found(*names[:2]).series == ()
    assert found(*names[:2], str(solved / "fronts.npz")).series == ()


# Small parts.


def test_markup_is_escaped_once() -> None:
    assert tag("p", "a < b & c", tag("b", '"'), class_='"x"') == (
        '<p class="&quot;x&quot;">a &lt; b &amp; c<b>&quot;</b></p>'
    )
    assert script_json({"a": "</script>&<!--"}) == '{"a":"\\u003c/script\\u003e\\u0026\\u003c!--"}'
    assert json.loads(script_json({"a": "</script>&<!--"})) == {"a": "</script>&<!--"}


def test_a_notebook_shows_a_solution(solved: Path) -> None:
    solution = load(solved / "deck.npz")
    shown = solution._repr_html_()
    assert shown.startswith("<table>")
    assert "Indian Poker" in shown
    assert f"{solution.value:+.6f} chips" in shown


def test_a_summary_is_plain_text_to_markdown() -> None:
    assert report._plain("a|b *c* <d> `e`\nf") == "a\\|b \\*c\\* \\<d\\> \\`e\\` f"


def test_a_page_of_many_deals_tells_value_and_opening_of_each_class(solved: Path, tmp_path: Path) -> None:
    solution = load(solved / "boards.npz")
    assert len(solution.classes) > 1
    page = write_report(tmp_path / "made", [Source("boards", solution)]).read_text(encoding="utf-8")
    shares = [figures.opening_shares(solution, (place,)) for place in range(len(solution.classes))]
    for group, quality, share in zip(solution.classes, solution.qualities, shares, strict=True):
        row = (percent(group.weight), signed(quality.value, 4), *(percent(part) for part in share.values()))
        cells = [f'<td class="n">{text.replace("<", "&lt;")}</td>' for text in row]
        assert cells[0] + cells[1] in page
        assert "".join(cells[2:]) in page
    whole = figures.opening_shares(solution)
    for action, part in whole.items():
        mean = sum(group.weight * share[action] for group, share in zip(solution.classes, shares, strict=True))
        assert part == pytest.approx(mean)
