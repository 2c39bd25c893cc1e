"""``forehead export`` as tables and games for other programs, one deal alone, and what is missing or too large."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow.parquet
import pytest

from reports.data import frames
from reports.data import rows as data_rows
from reports.export import strategy_rows
from reports.export.efg import ExtensiveForm
from rules.base.errors import SizeError
from rules.base.optional import MissingLibraryError, needed
from solver import load
from tests.support.commands import PROGRAM, SOLVED, environment, good, run
from tests.support.helpers import refused


@pytest.mark.parametrize("name", SOLVED)
def test_parquet_holds_the_frame_and_what_was_solved(name: str, solved: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    done = good("export", solved / f"{name}.npz", "--to", "parquet", "-o", path)
    solution = load(solved / f"{name}.npz")
    frame = frames.strategy_frame(solution)
    assert done.out == ""
    assert done.err == f"{len(frame):,} row{'' if len(frame) == 1 else 's'}\nsaved {path}\n"
    pd.testing.assert_frame_equal(pd.read_parquet(path), frame)
    head = json.loads(pyarrow.parquet.read_schema(path).metadata[b"forehead"])
    assert head == json.loads(json.dumps(data_rows.solution_fields(solution)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "efg"])
def test_stdout_and_a_file_get_the_same_bytes_every_time(kind: str, solved: Path, tmp_path: Path) -> None:
    found = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [*PROGRAM, "export", solved / "deck.npz", "--to", kind],
            cwd=tmp_path, env=environment(PYTHONHASHSEED=seed), capture_output=True, check=True,
        )  # fmt: skip
        found.add(done.stdout)
    path = tmp_path / "x"
    good("export", solved / "deck.npz", "--to", kind, "-o", path)
    assert found == {path.read_bytes()}


def test_efg_writes_the_game_and_its_size(solved: Path) -> None:
    done = good("export", solved / "deck.npz", "--to", "efg")
    form = ExtensiveForm(load(solved / "deck.npz").spec)
    assert done.out == "".join(form.pieces())
    assert done.err == f"{form.nodes:,} nodes, about 394 kB\n"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option", "board"), [("boards", "--board", "2,9"), ("pairs", "--fronts", "3,8")])
def test_one_deal_alone(name: str, option: str, board: str, solved: Path) -> None:
    file = solved / f"{name}.npz"
    solution = load(file)
    whole, part = pd.read_csv(io.StringIO(good("export", file).out)), good("export", file, option, board).out
    wanted = whole[whole["board"] == board].reset_index(drop=True)
    assert 0 < len(wanted) < len(whole)
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(part)), wanted)
    assert strategy_rows.number_of_rows(solution, board) == len(wanted)
    data = good("export", file, "--to", "json", option, board).json
    assert len(data["rows"]) == len(wanted)
    assert good("export", file, "--to", "efg", option, board).out == "".join(
        ExtensiveForm(solution.spec, board).pieces()
    )


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "efg"])
def test_a_deal_that_the_file_has_not_is_refused(kind: str, solved: Path, tmp_path: Path) -> None:
    line = ("export", solved / "board.npz", "--to", kind, "-o", tmp_path / "x")
    done = run(*line, "--board", "5,6")
    assert done.code == 2
    assert "expected the board of this solution, 4,9; got 5,6" in done.err
    done = run(*line, "--fronts", "5,6")
    assert (done.code, done.err.endswith("which has no --fronts\n")) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_is_too_large_is_refused(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solution = load(solved / "boards.npz")
    rows = strategy_rows.number_of_rows(solution)
    monkeypatch.setattr(strategy_rows, "MAX_ROWS", rows)
    strategy_rows.prepared(solution, "parquet")
    monkeypatch.setattr(strategy_rows, "MAX_ROWS", rows - 1)
    with refused(SizeError, f"has {rows:,} rows", "csv is written as it is made", "(--board)"):
        strategy_rows.prepared(solution, "parquet")


def test_a_missing_library_is_named_with_what_installs_it(
    solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    done = run("export", solved / "deck.npz", "--to", "parquet", "-o", tmp_path / "x.parquet")
    assert done.code == 1
    assert "expected pyarrow to be installed (" in done.err
    assert done.err.endswith("pip install 'forehead[parquet]' installs it\n")
    assert list(tmp_path.iterdir()) == []
    with refused(MissingLibraryError, "expected no_such to be installed", "'forehead[x]'"):
        needed("no_such.library", "x")
