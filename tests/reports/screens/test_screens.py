"""Text, frames, exports and figures: each says what the solution says."""

import csv
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from reports.answering.progress import Progress
from reports.data import frames
from reports.data import rows as data_rows
from reports.export import strategy_rows
from reports.figures import solutions as figures
from reports.text import words as words_module
from reports.text.option_words import OPTIONS, flag
from rules.games.registry import hand
from solver import Solution, load, solve
from solver.solutions.solution import Check
from solver.solutions.spots import Spots
from tests.support.commands import strict_json

# Text.


def test_a_grid_has_its_first_column_to_the_left_and_the_others_to_the_right() -> None:
    assert words_module.grid(("sees", "f", "allin"), [("1", "-", "100.0 %"), ("10", "7.0 %", "-")]) == (
        "sees      f    allin\n"
        "1         -  100.0 %\n"
        "10    7.0 %        -"
    )  # fmt: skip


def test_a_wide_grid_goes_on_below_with_its_first_column() -> None:
    rows = [("a", "11", "222", "3"), ("bb", "1", "2", "3333")]
    assert words_module.grid(("x", "one", "two", "three"), rows, width=12) == (
        "x   one  two\n"
        "a    11  222\n"
        "bb    1    2\n"
        "\n"
        "x   three\n"
        "a       3\n"
        "bb   3333"
    )  # fmt: skip
    assert max(len(line) for line in words_module.grid(("x", *"abcdefghij"), [["y" * 9] * 11]).splitlines()) <= 80


def test_a_grid_may_be_as_wide_as_the_terminal_and_no_wider() -> None:
    assert words_module.grid(("x", "aa", "bbb"), [("1", "2", "3")], width=10) == "x  aa  bbb\n1   2    3"
    assert words_module.grid(("x", "aa", "bbb"), [("1", "2", "3")], width=9).count("\n") == 4


def test_a_column_as_wide_as_the_grid_stands_alone() -> None:
    assert words_module.grid(("x", "wide", "b"), [("1", "2" * 20, "3")], width=10).splitlines() == [
        f"x  {'wide':>20}", f"1  {'2' * 20}", "", "x  b", "1  3",
    ]  # fmt: skip


def test_no_line_of_a_grid_ends_in_a_space() -> None:
    assert words_module.grid(("x", "b"), [("long name", "")]) == "x          b\nlong name"


@pytest.mark.parametrize(
    ("probability", "shown"),
    [
        (0.0, "-"), (1e-300, "<0.1 %"), (0.000499, "<0.1 %"), (0.0005, "0.1 %"), (0.00051, "0.1 %"),
        (0.4567, "45.7 %"), (0.9994, "99.9 %"), (1.0, "100.0 %"),
    ],
)  # fmt: skip
def test_percent(probability: float, shown: str) -> None:
    assert words_module.percent(probability) == shown


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.5, 4, "+0.5000"),
        (-0.25, 2, "-0.25"),
        (0.0, 4, "0.0000"),
        (-1e-9, 4, "0.0000"),
        (1e-5, 4, "0.0000"),
        (7, 1, "+7.0"),
    ],
)
def test_signed(value: float, digits: int, shown: str) -> None:
    assert words_module.signed(value, digits) == shown


def test_bounds_are_rounded_outward() -> None:
    assert words_module.between(-0.12341, 0.12341) == "between -0.1235 and +0.1235"
    assert words_module.between(-1e-9, 1e-9) == "between -0.0001 and +0.0001"
    assert words_module.between(0.25, 0.5, 2) == "between +0.25 and +0.50"
    assert words_module.between(-0.5, 0.0, 1) == "between -0.5 and 0.0"


@pytest.mark.parametrize(("width", "digits"), [(1.0, 4), (0.0005, 4), (0.00049, 5), (1e-6, 7), (1e-30, 12), (0.0, 12)])
def test_a_value_has_the_digits_that_its_bounds_deserve(width: float, digits: int) -> None:
    assert words_module.digits_for(width) == digits


@pytest.mark.parametrize(("value", "shown"), [(0.00093, "0.00093"), (2e-12, "2e-12"), (0.12345, "0.12"), (0.0, "0")])
def test_small(value: float, shown: str) -> None:
    assert words_module.small(value) == shown


@pytest.mark.parametrize(
    ("number", "noun", "shown"),
    [
        (0, "deal", "0 deals"),
        (1, "deal", "1 deal"),
        (2, "class", "2 classes"),
        (1, "match", "1 match"),
        (300, "match", "300 matches"),
        (1234567, "action", "1,234,567 actions"),
    ],
)
def test_counted(number: int, noun: str, shown: str) -> None:
    assert words_module.counted(number, noun) == shown


def test_wrapped_breaks_between_words_only() -> None:
    line = words_module.wrapped("note: " + "word " * 25, others="      ")
    assert [len(part) for part in line.split("\n")] == [75, 60]
    assert line.split("\n")[1].startswith("      word")
    assert words_module.wrapped("x" * 10, "  ", "    ") == "  xxxxxxxxxx"
    path = "/" + "long-path/" * 20
    assert path in words_module.wrapped(f"saved {path} at last")


def test_flowed_keeps_phrases_whole() -> None:
    assert words_module.flowed(["value 1", "(between 0 and 2)"]) == "value 1  (between 0 and 2)"
    assert words_module.flowed(["a" * 60, "b" * 17]) == f"{'a' * 60}  {'b' * 17}"
    assert words_module.flowed(["a" * 60, "b" * 18]) == f"{'a' * 60}\n  {'b' * 18}"
    assert words_module.flowed(["a" * 75, "b b", "c"], " ") == f"{'a' * 75} b b\n  c"


def test_csv_and_json_are_plain_and_strict() -> None:
    assert words_module.as_csv(("a", "b"), [(1, None), ("x,y", 0.5)]) == 'a,b\n1,\n"x,y",0.5'
    assert json.loads(words_module.as_json({"a": [1, None]})) == {"a": [1, None]}
    with pytest.raises(ValueError, match="JSON compliant"):
        words_module.as_json({"a": float("nan")})


def test_options_are_described_in_ascii_and_typed_with_dashes() -> None:
    assert flag("raise_limit") == "--raise-limit"
    for option in OPTIONS.values():
        assert option.meaning.isascii()
        assert not option.meaning.endswith(".")


# Progress.


class Stream(io.StringIO):
    """A stream that says it is a terminal, or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def shown(terminal: bool, times: list[float], monkeypatch: pytest.MonkeyPatch) -> tuple[str, Progress]:
    """Return what is written where measurements come at these times."""
    clock = iter([0.0, *times])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    stream = Stream(terminal)
    with Progress(0.001, "chips", stream) as progress:
        for iterations in range(1, len(times) + 1):
            progress(Check(10 * iterations, -0.5 / iterations, 0.5 / iterations))
    return stream.getvalue(), progress


def test_elsewhere_there_is_a_line_every_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    written, progress = shown(False, [1.0, 4.9, 5.0, 5.1, 9.9, 10.25], monkeypatch)
    assert written == (
        "gap 0.33 chips (target 0.001), 30 iterations, 5.0 s\ngap 0.17 chips (target 0.001), 60 iterations, 10.2 s\n"
    )
    assert progress.seconds == 10.25


def test_on_a_terminal_the_line_is_rewritten_ten_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    written, _ = shown(True, [0.05, 0.125, 0.2, 0.25, 0.3], monkeypatch)
    assert written.endswith("\n")
    assert written.count("\n") == 1
    states = written[:-1].split("\r")
    assert {len(state) for state in states} == {79}  # so that nothing of a longer state is left
    assert [state.rstrip() for state in states] == [
        "compiling the solver, or loading it ...",
        "gap 0.5 chips (target 0.001), 20 iterations, 0.1 s",
        "gap 0.25 chips (target 0.001), 40 iterations, 0.2 s",
        "gap 0.2 chips (target 0.001), 50 iterations, 0.3 s",
    ]


def test_a_line_that_breaks_off_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(True)
    with pytest.raises(KeyboardInterrupt), Progress(0.001, "chips", stream):
        raise KeyboardInterrupt
    assert stream.getvalue().endswith("\n")
    quiet = Stream(False)
    with pytest.raises(KeyboardInterrupt), Progress(0.001, "chips", quiet):
        raise KeyboardInterrupt
    assert quiet.getvalue() == ""


def test_every_measurement_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    _, progress = shown(False, [0.25, 0.5], monkeypatch)
    assert progress.as_csv() == (
        "iterations,seconds,nash_conv,lower,upper\n"
        "10,0.25,1.0,-0.5,0.5\n"
        "20,0.5,0.5,-0.25,0.25"
    )  # fmt: skip


def test_before_the_first_measurement_no_time_has_passed() -> None:
    assert Progress(0.001, "chips", Stream(False)).seconds == 0.0


# Frames and exports.

DEALT = ("deck", "boards", "fronts", "suits", "one-rank", "showdown")


@pytest.fixture(params=DEALT)
def solution(request: pytest.FixtureRequest, solved: Path) -> Solution:
    return load(solved / f"{request.param}.npz")


def test_the_frame_holds_every_spot_of_every_deal(solution: Solution) -> None:
    frame = frames.strategy_frame(solution)
    assert tuple(frame.columns) == frames.FRAME_COLUMNS
    assert set(frames.FRAME_COLUMNS) == set(data_rows.TIDY_COLUMNS)
    assert str(frame.dtypes["ev"]) == str(frame.dtypes["probability"]) == "float64"
    assert str(frame.dtypes["reached"]) == "bool"
    assert not frame.isna().any().any()
    expected = sum(
        len(spot.actions) * len(spot.observations)
        for board in solution.boards
        for spot in Spots(solution, board).walk()
    )
    assert len(frame) == expected
    if expected:
        keys = ["board", "history", "observation"]
        sums = frame.groupby(keys, sort=False)["probability"].sum()
        assert sums.to_numpy() == pytest.approx(1.0, abs=1e-9)
        assert not frame.duplicated([*keys, "action"]).any()
        assert set(frame["board"]) == set(solution.boards)


def test_the_frame_of_a_spot_is_its_part_of_the_whole(solution: Solution) -> None:
    whole = frames.strategy_frame(solution)
    for board in solution.boards[:3]:
        for spot in list(Spots(solution, board).walk())[::7]:
            history = " ".join(map(str, spot.history))
            part = frames.spot_frame(solution, history, board)
            mine = whole[(whole["board"] == board) & (whole["history"] == history)].reset_index(drop=True)
            pd.testing.assert_frame_equal(part, mine)
            shape = (len(spot.observations), len(spot.actions))
            assert (spot.probability == part["probability"].to_numpy().reshape(shape).T).all()
            assert (spot.ev == part["ev"].to_numpy().reshape(shape).T).all()
            assert (spot.own_reach == part["own_reach"].to_numpy().reshape(shape).T).all()
            assert (spot.other_reach == part["other_reach"].to_numpy().reshape(shape).T).all()
            assert (spot.reached == part["reached"].to_numpy().reshape(shape).T).all()
            assert list(part["observation"][:: shape[1]]) == list(spot.observations)
            assert list(part["action"][: shape[1]]) == [str(action) for action in spot.actions]
            assert list(part["source"][:: shape[1]]) == list(spot.sources)
            assert set(part["player"]) == {f"P{spot.player + 1}"}


def test_exports_hold_the_frame(solution: Solution) -> None:
    frame = frames.strategy_frame(solution)[list(data_rows.TIDY_COLUMNS)]
    rows = [tuple(row) for row in frame.itertuples(index=False)]
    flat, deep = io.StringIO(), io.StringIO()
    strategy_rows.write_csv(solution, flat)
    strategy_rows.write_json(solution, deep)
    header, *lines = csv.reader(io.StringIO(flat.getvalue()))
    assert tuple(header) == data_rows.TIDY_COLUMNS
    assert lines == [[str(value) for value in row] for row in rows]
    data = strict_json(deep.getvalue())
    assert data["columns"] == list(data_rows.TIDY_COLUMNS)
    assert [tuple(row) for row in data["rows"]] == rows
    for key, value in data_rows.solution_fields(solution).items():
        assert data[key] == value
    assert deep.getvalue().isascii()
    assert flat.getvalue().isascii()


def test_exports_are_written_as_they_are_made(solved: Path) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            if self.tell() > 5_000:
                raise OSError
            return super().write(text)

    solution = load(solved / "suits.npz")
    for write in (strategy_rows.write_csv, strategy_rows.write_json):
        stream = Full()
        with pytest.raises(OSError):  # noqa: PT011
            write(solution, stream)
        assert 5_000 < len(stream.getvalue()) < 50_000


# Figures.


def lines_of(figure: Figure) -> dict[str, np.ndarray]:
    (axes,) = figure.axes
    return {str(line.get_label()): np.asarray(line.get_xydata()) for line in axes.get_lines()}


def test_the_figure_draws_half_of_nash_conv_against_iterations(solved: Path) -> None:
    solution = load(solved / "deck.npz")
    figure = figures.convergence(solution)
    (axes,) = figure.axes
    checks = [check for check in solution.provenance.checks if check.iterations]
    assert lines_of(figure)["exploitability"].tolist() == [[c.iterations, c.nash_conv / 2] for c in checks]
    assert set(lines_of(figure)["target"][:, 1]) == {solution.provenance.target / 2}
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_xlabel() == "iterations (both players updated once each)"
    assert axes.get_ylabel() == "exploitability = NashConv / 2 (chips)"
    assert axes.get_title() == "indian-poker: exploitability by iterations"
    assert figures.convergence(load(solved / "exact.npz")).axes[0].get_xlabel() == "simplex iterations"


def test_a_solution_without_measurements_is_drawn_without_them(solved: Path) -> None:
    for name in ("showdown", "nothing"):
        figure = figures.convergence(load(solved / f"{name}.npz"))
        assert len(lines_of(figure)["exploitability"]) == 0
        assert lines_of(figure)["target"][0, 1] == 0.0005


@pytest.mark.slow
def test_the_same_figure_has_the_same_bytes(solved: Path, tmp_path: Path) -> None:
    shutil.copy(solved / "deck.npz", tmp_path / "copy.npz")
    for ending in figures.FORMATS:
        made = []
        for name in ("one", "two"):
            path = tmp_path / f"{name}{ending}"
            figures.save(figures.convergence(load(tmp_path / "copy.npz")), path)
            made.append(path.read_bytes())
        assert made[0] == made[1]
        assert b"dc:date" not in made[0]
    other = tmp_path / "other.svg"
    figures.save(figures.convergence(solve(hand("indian-poker", stacks="3,3"), gap=0.01)), other)
    assert other.read_bytes() != (tmp_path / "one.svg").read_bytes()
