"""Environments that are wrong, empty or hostile: an answer all the same, or one line that says what to do."""

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from reports.text.words import WIDTH
from tests.support.commands import PROGRAM, ROOT, begun, complaint, environment, good, run, spawn
from tests.support.helpers import obey_permissions

SOLVE = ("solve", "indian-poker", "--stacks", "3,3")
ASK = ("advise", "indian-poker", "--stacks", "3,3", "--see", "4", "--history", "b1", "--seed", "1")
MATCH = ("match", "indian-poker", "--stacks", "2,2")

HOSTILE = [
    {"MPLBACKEND": "bogus"},
    {"MPLBACKEND": "TkAgg", "DISPLAY": "nowhere:7"},
    {"MPLCONFIGDIR": "/dev/null/x"},
    {"NUMBA_NUM_THREADS": "0"},
    {"NUMBA_NUM_THREADS": "-3"},
    {"NUMBA_NUM_THREADS": "abc"},
    {"NUMBA_NUM_THREADS": ""},
    {"NUMBA_NUM_THREADS": "99999"},
    {"NUMBA_DISABLE_JIT": "1"},
    {"NUMBA_DISABLE_JIT": "abc"},
    {"NUMBA_OPT": "abc"},
    {"NUMBA_DEBUG": "abc", "PYTHONWARNINGS": "error"},
    {"NUMBA_THREADING_LAYER": "bogus"},
    {"NUMBA_CACHE_DIR": "/dev/null/x"},
    {"OMP_NUM_THREADS": "0", "OPENBLAS_NUM_THREADS": "abc", "MKL_NUM_THREADS": "-1"},
    {"COLUMNS": "0", "LINES": "abc"},
    {"COLUMNS": "abc"},
    {"COLUMNS": "-5", "TERM": ""},
    {"TERM": "bogus", "NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"},
    {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "bogus", "LANG": "xx_YY.utf-99"},
    {"LC_ALL": "tr_TR.UTF-8"},
    {"TMPDIR": "/nonexistent"},
    {"HOME": "/nonexistent", "XDG_CACHE_HOME": "relative"},
    {"HOME": ""},
    {"PYTHONOPTIMIZE": "2"},
    {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"},
    {"PYTHONUNBUFFERED": "1", "PYTHONDEVMODE": "1", "PYTHONWARNINGS": "ignore"},
    {"PYTHONIOENCODING": "latin-1:strict"},
    {"SOURCE_DATE_EPOCH": "abc", "TZ": "bogus/zone"},
    {"FOREHEAD_CACHE_MB": "0"},
    {"FOREHEAD_CACHE_MB": ""},
]
"""None of these is a reason to end without an answer."""


SESSION = """
import sys, cli
for line in sys.stdin.read().splitlines():
    try:
        cli.main(line.split())
    except SystemExit as left:
        for stream in (sys.stdout, sys.stderr):
            print("---", left.code or 0, file=stream, flush=True)
"""


class Said(NamedTuple):
    """What the commands of a session said, one after the other."""

    codes: list[int]
    out: list[str]
    err: list[str]


def session(*lines: Sequence[str], cwd: Path, before: Callable[[], None] | None = None, **changes: str) -> Said:
    """Run commands one after the other in a process of their own."""
    done = begun(
        [PROGRAM[0], "-c", SESSION], cwd=cwd, env=environment(**changes), text=True, before=before,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, err = done.communicate("\n".join(map(" ".join, lines)), timeout=300)
    codes = [int(line[4:]) for line in out.splitlines() if line.startswith("---")]
    assert len(codes) == len(lines), err
    parts = (re.split(r"^--- \d+\n", stream, flags=re.M)[:-1] for stream in (out, err))
    return Said(codes, *parts)


LINES = (SOLVE, ASK, MATCH)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], str]:
    """Return what commands print where nothing is wrong."""
    folder = tmp_path_factory.mktemp("usual")
    said = session(*LINES, cwd=folder, FOREHEAD_CACHE_DIR=str(folder / "cache"))
    assert said.codes == [0, 0, 0]
    return dict(zip(LINES, said.out, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("changes", HOSTILE, ids=lambda changes: " ".join(f"{n}={v}" for n, v in changes.items()))
def test_the_same_answers_come_out(
    changes: dict[str, str], usual: dict[tuple[str, ...], str], tmp_path: Path, solved: Path
) -> None:
    plot = ("plot", str(solved / "deck.npz"), "-o", "x.png")
    said = session(*LINES, plot, cwd=tmp_path, **{"FOREHEAD_CACHE_DIR": str(tmp_path / "cache"), **changes})
    assert said.codes == [0, 0, 0, 0], said.err
    assert said.out == [*usual.values(), ""]
    assert not [text for text in said.err if "Traceback" in text]
    assert max(len(text.splitlines()) for text in said.err) <= 6, said.err
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


def test_there_are_many_environments() -> None:
    assert len(HOSTILE) >= 30


def test_what_numba_cannot_read_is_said_in_one_line(tmp_path: Path) -> None:
    done = spawn(*SOLVE, cwd=tmp_path, NUMBA_OPT="abc")
    notes = [line for line in done.err.splitlines() if line.startswith("note: ")]
    told = "note: Environment variable 'NUMBA_OPT' is defined but its associated value 'abc' could not be parsed."
    assert notes == [told]


@pytest.mark.slow
@pytest.mark.parametrize("value", ["1", "0", "abc"])
def test_python_programs_are_not_kept_from_compiling_either(value: str, tmp_path: Path) -> None:
    for before in ("", "import numba; "):
        code = f"{before}from rules import hand; from solver import solve; spec = hand('indian-poker', stacks=(2, 2))"
        code += "; print(solve(spec, gap=0.01).converged)"
        done = begun(
            [PROGRAM[0], "-W", "ignore", "-c", code], cwd=tmp_path, env=environment(NUMBA_DISABLE_JIT=value),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert done.communicate(timeout=100) == ("True\n", "")


@pytest.mark.slow
def test_no_home_no_path_and_nearly_nothing_else(tmp_path: Path, solved: Path) -> None:
    for line in (SOLVE, (*ASK, "--objective", "chips"), ("show", str(solved / "deck.npz")), ("games",)):
        done = begun(
            [*PROGRAM, *line], cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "FOREHEAD_CACHE_MB": "0"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        out, err = done.communicate(timeout=200)
        assert (done.returncode, bool(out)) == (0, True), err
        assert "Traceback" not in err


# The cache.


@pytest.mark.parametrize("value", ["abc", "-1", "nan", "inf", "1.5", "1e3", "\u0663", "9" * 30, " ", "5,"])
def test_a_size_of_the_cache_that_is_none_is_refused(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setenv("FOREHEAD_CACHE_MB", value)
    for line in (ASK, ("odds", "indian-poker", "--stacks", "2,2"), ("cache", "list")):
        assert complaint(run(*line)).startswith("expected FOREHEAD_CACHE_MB to be ")


NOWHERE = {
    "too long a name": "{folder}/" + "x" * 300,
    "too long a path": "{folder}" + "/y" * 3000,
    "a file": "{folder}/file",
    "below a file": "{folder}/file/sub",
    "a device": "/dev/null",
    "not to be made": "/proc/nothing",
    "read-only": "{folder}/read-only",
    "below a read-only one": "{folder}/read-only/sub",
    "unreadable": "{folder}/unreadable",
}


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """Return a folder with places where nothing can be kept, and one where commands may be run."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "here").mkdir()
    for name, mode in (("read-only", 0o555), ("unreadable", 0o000)):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
    return tmp_path


def called(nowhere: Path, place: str, *lines: Sequence[str]) -> Said:
    """Run commands that heed permissions, with such a place for their cache."""
    cache = NOWHERE[place].format(folder=nowhere)
    return session(*lines, cwd=nowhere / "here", before=obey_permissions, FOREHEAD_CACHE_DIR=cache)


CHIPS = (*ASK, "--objective", "chips")
ODDS = ("odds", "indian-poker", "--stacks", "2,2")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the answers of a cache that works."""
    folder = tmp_path_factory.mktemp("answers")
    return session(ASK, CHIPS, ODDS, cwd=folder, FOREHEAD_CACHE_DIR=str(folder / "cache")).out


@pytest.mark.slow
@pytest.mark.parametrize("place", NOWHERE)
def test_an_answer_never_depends_on_the_cache(place: str, nowhere: Path, answers: list[str]) -> None:
    if os.geteuid() and place == "not to be made":
        pytest.skip("the place is root's")
    quoting = ("solve", "indian-poker", "--stacks", "2,2", "--objective", "match", "-o", "x.npz")
    said = called(nowhere, place, ASK, CHIPS, ODDS, quoting, ("verify", "x.npz"))
    assert said.codes == [0] * 5, said.err
    assert said.out[:3] == answers
    told = [[line for line in text.splitlines() if "not kept in" in line] for text in said.err]
    assert [len(lines) for lines in told] == [2, 1, 1, 1, 0]  # of the table and the solution, or one of both
    assert all(re.fullmatch(r"forehead: .* not kept in .* \(.+\).*", line) for lines in told for line in lines)
    assert told[0][-1].endswith("; --no-cache does not try")
    assert "not proved" in said.out[4]
    assert (nowhere / "file").read_text() == "mine"


@pytest.mark.slow
@pytest.mark.parametrize("place", NOWHERE)
def test_the_cache_itself_says_in_one_line_what_is_wrong_with_it(place: str, nowhere: Path) -> None:
    said = called(nowhere, place, ("cache", "list"), ("cache", "clear"))
    for code, out, err in zip(*said, strict=True):
        if code:
            assert (code, out) == (1, "")
            assert err.startswith("forehead: ")
            assert err.count("\n") == 1
        else:
            assert "0 solutions" in " ".join(out.split())
            assert err == ""


def test_what_is_damaged_in_the_cache_is_as_good_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path))
    line = ("odds", "indian-poker", "--stacks", "3,1", "--format", "json")
    before = good(*line).out
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for place in range(len(whole) // 3, len(whole), 61):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        assert good(*line).out == before
    path.write_bytes(b"")
    assert good(*line).out == before
    assert path.read_bytes() == whole


# Encodings.

READ = (("solve", "--help"), ("show", "missing.npz"), SOLVE)
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7", "cp037", "ascii", "latin-1")


def streams(line: Sequence[str], encoding: str, cwd: Path) -> tuple[str, ...]:
    """Return what a command writes to stdout and stderr, both read as the encoding that it was told."""
    done = begun(
        [*PROGRAM, *line], cwd=cwd, env=environment(PYTHONIOENCODING=encoding), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    return tuple(stream.decode(encoding) for stream in done.communicate(timeout=100))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, ...]]:
    folder = tmp_path_factory.mktemp("plain")
    return [streams(line, "utf-8", folder) for line in READ]


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_both_streams_are_in_the_encoding_that_is_asked_for(
    encoding: str, plain: list[tuple[str, ...]], tmp_path: Path
) -> None:
    assert [streams(line, encoding, tmp_path) for line in READ] == plain
    assert all(out or err for out, err in plain)


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["0", "abc", "-1", "10", "100000"])
def test_help_and_tables_fit_whatever_the_terminal_claims(columns: str, tmp_path: Path, solved: Path) -> None:
    for line in (("show", solved / "deck.npz"), ("games",)):
        done = spawn(*line, cwd=tmp_path, COLUMNS=columns)
        assert max(map(len, done.out.splitlines())) <= WIDTH
    assert spawn("solve", "--help", cwd=tmp_path, COLUMNS=columns).code == 0
