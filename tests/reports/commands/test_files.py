"""The commands that prove, export and draw a saved solution, and what holds for every hand."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from solver import load
from solver.two_player import memory
from tests.support.commands import SOLVED, good, records, run, strict_json, table

# verify, export, plot


@pytest.mark.parametrize("name", SOLVED)
def test_verify_proves_every_solution(name: str, solved: Path) -> None:
    file = solved / f"{name}.npz"
    solution = load(file)
    data = good("verify", file, "--format", "json").json
    assert (data["file"], data["verified"], data["unit"]) == (str(file), True, "chips")
    assert data["value"] == pytest.approx(solution.value, abs=1e-9)
    assert data["value_bounds"] == pytest.approx(list(solution.value_bounds), abs=1e-9)
    assert data["nash_conv"] == pytest.approx(solution.nash_conv, abs=1e-9)
    (row,) = records(good("verify", file, "--format", "csv").out)
    assert [float(row[key]) for key in ("value", "lower", "upper")] == [data["value"], *data["value_bounds"]]
    lines = good("verify", file).out.splitlines()
    assert lines[0] == f"{file} holds, recomputed:"
    assert all(len(line) <= 80 for line in lines[1:])
    assert lines[1].split("  ")[1].endswith(" chips")


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVED)
def test_export_writes_the_same_to_stdout_and_to_a_file(name: str, solved: Path, tmp_path: Path) -> None:
    file = solved / f"{name}.npz"
    for kind in ("csv", "json"):
        target = tmp_path / f"x.{kind}"
        done = good("export", file, "--to", kind, "-o", target)
        assert (done.out, done.err) == ("", f"saved {target}\n")
        shown = good("export", file, "--to", kind)
        assert shown.err == ""
        assert shown.out == target.read_bytes().decode()
    data = strict_json((tmp_path / "x.json").read_text())
    rows = records((tmp_path / "x.csv").read_text())
    assert [list(row) for row in rows[:1]] in ([], [data["columns"]])
    assert len(rows) == len(data["rows"])
    for row, values in zip(rows, data["rows"], strict=True):
        assert list(row.values()) == [str(value) for value in values]
    assert data["value"] == load(file).value
    assert good("export", file).out == (tmp_path / "x.csv").read_text()


def test_plot_writes_png_and_svg(solved: Path, tmp_path: Path) -> None:
    file = tmp_path / "deck.npz"
    shutil.copy(solved / "deck.npz", file)
    done = good("plot", file)
    assert (done.out, done.err) == ("", f"saved {tmp_path}/deck.png\n")
    assert (tmp_path / "deck.png").read_bytes().startswith(b"\x89PNG\r\n")
    good("plot", file, "-o", tmp_path / "x.SVG")
    assert b"<svg" in (tmp_path / "x.SVG").read_bytes()


@pytest.mark.parametrize("ending", ["", ".pdf", ".npz", ".png.gz"])
def test_plot_refuses_other_endings(ending: str, solved: Path, tmp_path: Path) -> None:
    done = run("plot", solved / "deck.npz", "-o", tmp_path / f"x{ending}")
    assert done.code == 2
    assert done.err == f"forehead: expected an output file ending in .png or .svg, got {tmp_path}/x{ending}\n"
    assert list(tmp_path.iterdir()) == []


# Whatever the hand.


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVED)
def test_json_is_strict_and_text_is_ascii_for_every_hand(name: str, solved: Path) -> None:
    file = solved / f"{name}.npz"
    deal = {"boards": ["--board", "1,2"], "pairs": ["--fronts", "3,8"]}.get(name, [])
    shown = run("show", file, *deal, "--format", "json")
    assert (shown.code == 0) is (name != "showdown")
    cards = [row["observation"] for row in shown.json["rows"]] if shown.out else []
    for command in (["verify", file], *(["best", file, "--see", card, *deal] for card in (*cards[:1], *cards[-1:]))):
        assert good(*command, "--format", "json").json
        assert table(good(*command))
        assert good(*command, "--format", "csv").out.isascii()


def test_a_solve_that_is_estimated_to_fit_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ("solve", "indian-poker", "--max-iterations", "1", "--format", "json")
    needed = good(*line).json["memory_bytes"]
    monkeypatch.setattr(memory, "available", lambda: needed)
    good(*line)
    monkeypatch.setattr(memory, "available", lambda: needed - 1)
    assert run(*line).code == 2


def test_the_header_of_a_file_says_what_solve_said(solved: Path) -> None:
    with np.load(solved / "deck.npz") as file:
        header = json.loads(file["header"].tobytes())
    answer = good("solve", *SOLVED["deck"].split(), "--format", "json").json
    for name in ("spec", "unit", "method", "iterations", "stopped", "converged", "value", "value_bounds", "nash_conv"):
        assert header[name] == answer[name]
