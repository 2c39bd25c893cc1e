"""Reports without a browser: what the folder holds, that figures agree, series, comparisons, and what is refused."""

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

from reports.answering import report_sources
from reports.data import column_docs, comparison, frames, node_summary
from reports.data import rows as data_rows
from reports.data.highlights import findings
from reports.data.match_story import HAND_COLUMNS
from reports.data.node_summary import opening_shares
from reports.figures import solutions as figures
from reports.pages import explorer_data
from reports.pages.markup import script_json, tag
from reports.pages.report import Source, read_source, write_report
from reports.text.words import between, digits_for, percent, plain, signed
from rules.base.errors import OptionError
from rules.betting.actions import format_history
from rules.games.registry import hand
from solver import load, solve
from solver.solutions.spots import Spots
from tests.support.commands import PROGRAM, environment, good, rows_of, run, strict_json

NAMES = ("deck", "boards", "fronts", "suits", "one-rank", "nothing", "showdown")


# What the folder holds.


@pytest.fixture(scope="module")
def folder(solved: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a solution, made by the command."""
    path = tmp_path_factory.mktemp("made") / "report"
    done = good("report", solved / "deck.npz", "-o", path)
    assert done.out == f"{path / 'index.html'}\n"
    return path


@pytest.mark.slow
def test_the_folder_holds_page_summary_tables_and_figures(folder: Path) -> None:
    stems = ("opening", "responses", "bet-size", "exploitability")
    expected = {f"figures/{stem}{ending}" for stem in stems for ending in figures.FORMATS}
    expected |= {
        "index.html",
        "summary.md",
        "report.json",
        "columns.md",
        "strategy.csv",
        "strategy.parquet",
        "actions.csv",
    }
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
    solution = load(solved / "deck.npz")
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "strategy.parquet"), frames.strategy_frame(solution))
    rows = rows_of(folder / "actions.csv")
    assert len(rows) == len(solution.tree.child)
    frame = pd.read_csv(folder / "actions.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(frame, frames.action_frame(solution), check_dtype=False)
    assert tuple(frame.columns) == node_summary.ACTION_COLUMNS
    assert frame.groupby("history", sort=False)["share"].sum().to_numpy() == pytest.approx(1.0)
    data = strict_json((folder / "report.json").read_text(encoding="utf-8"))
    assert data == {"solutions": [{"name": "deck.npz", **data_rows.solution_fields(solution)}]}


def test_every_column_is_documented(folder: Path) -> None:
    documented = {name: tuple(held) for name, (_, held) in column_docs.DOCUMENTED.items()}
    assert documented == {
        "strategy.csv": data_rows.TIDY_COLUMNS,
        "actions.csv": node_summary.ACTION_COLUMNS,
        "differences.csv": comparison.Difference._fields,
        "hands.csv": HAND_COLUMNS,
        "series.csv": column_docs.SERIES_COLUMNS,
    }
    text = (folder / "columns.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["strategy.csv", "actions.csv"]
    assert re.findall(r"^\| (\w+) \|", text, re.MULTILINE) == [
        *("column", *data_rows.TIDY_COLUMNS), *("column", *node_summary.ACTION_COLUMNS),
    ]  # fmt: skip


def test_the_summary_says_value_opening_and_findings(folder: Path, solved: Path) -> None:
    text = (folder / "summary.md").read_text(encoding="utf-8")
    solution = load(solved / "deck.npz")
    spot = Spots(solution).at()
    assert text.startswith("# Indian Poker\n")
    for column, name in enumerate(spot.observations):
        assert f"| {name} | {' | '.join(percent(p) for p in spot.probability[:, column])} |" in text
    digits = digits_for(solution.nash_conv)
    assert f"| {between(*solution.value_bounds, digits)} |" in text  # rounded outward, as everywhere
    for line in findings(solution):
        assert f"- {line}" in text.replace("\\", "")
    assert "report/" not in text


@pytest.mark.slow
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


@pytest.mark.slow
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
        assert len(rows) == len(list(data_rows.all_rows(source.solution)))
    assert "one-rank.npz" in (tmp_path / "made" / "summary.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_reading_a_solution_for_a_report_needs_no_compiler(solved: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from reports.pages.report import read_source, write_report\n"
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
    block = explorer_data.Block()
    assert explorer_data.solution_block(solution, block)["nodes"] == 9_572  # nothing is cut


# Figures over all observations.


@pytest.mark.parametrize("name", NAMES)
def test_figures_over_all_observations_agree_with_the_spots(name: str, solved: Path) -> None:
    solution = load(solved / f"{name}.npz")
    found: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
    for row in node_summary.action_rows(solution):
        fields = dict(zip(node_summary.ACTION_COLUMNS, row, strict=True))
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
        first = {row[0]: row[6] for row in node_summary.action_rows(solution) if row[1] == ""}
        weights = {deal.board: deal.weight for group in solution.classes for deal in group.deals}
        mean = sum(weights[board] * value for board, value in first.items())
        assert mean == pytest.approx(solution.value, abs=1e-9)


def test_codes_are_what_is_displayed() -> None:
    generator = np.random.default_rng(3)
    values = np.concatenate(
        ([0.0, 1e-300, 0.000499, 0.0005, 0.00051, 0.0625, 0.9994, 0.99951, 1.0], generator.random(999))
    )
    for value, code in zip(values.tolist(), explorer_data.codes(values).tolist(), strict=True):
        shown = "-" if code == 0 else "<0.1 %" if code == explorer_data.TRACED else f"{code / 10:.1f} %"
        assert shown == percent(value)


def test_a_block_gives_back_its_arrays() -> None:
    import base64
    import zlib

    block = explorer_data.Block()
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
        kept = explorer_data.solution_block(solution, explorer_data.Block(), most)
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
    shades = [figures.shade(rank, 5) for rank in range(5)]
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


# What the command refuses.


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Missing argument 'GAME'."),
        ("nothing", "expected a game (indian-poker, indian-holdem, double-sided, blind-mans-bluff) or solution files"),
        ("{deck} --stacks 3,3", "says --stacks already; leave it out"),
        ("{deck} --decks {deck}", "expected a game with --decks, got the file "),
        ("{deck} --compare", "expected two solution files to compare, got 1"),
        ("indian-poker --compare", "expected two solution files with --compare, and no game or log"),
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

    def found(*files: str) -> report_sources.Gathered:
        return report_sources.gathered(files, {}, decks=None, compare=False, gap=1.0, timings=False)

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
    assert plain("a|b *c* <d> `e`\nf") == "a\\|b \\*c\\* \\<d\\> \\`e\\` f"


@pytest.mark.slow
def test_a_page_of_many_deals_tells_value_and_opening_of_each_class(solved: Path, tmp_path: Path) -> None:
    solution = load(solved / "boards.npz")
    assert len(solution.classes) > 1
    page = write_report(tmp_path / "made", [Source("boards", solution)]).read_text(encoding="utf-8")
    shares = [opening_shares(solution, (place,)) for place in range(len(solution.classes))]
    for group, quality, share in zip(solution.classes, solution.qualities, shares, strict=True):
        row = (percent(group.weight), signed(quality.value, 4), *(percent(part) for part in share.values()))
        cells = [f'<td class="n">{text.replace("<", "&lt;")}</td>' for text in row]
        assert cells[0] + cells[1] in page
        assert "".join(cells[2:]) in page
    whole = opening_shares(solution)
    for action, part in whole.items():
        mean = sum(group.weight * share[action] for group, share in zip(solution.classes, shares, strict=True))
        assert part == pytest.approx(mean)
