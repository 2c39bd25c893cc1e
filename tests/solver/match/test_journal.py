"""The journal of a match: whatever ends a run, the same command goes on and ends in the same bytes."""

import os
import random
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.base.errors import RunError
from solver.match.hands import Batch, BatchResult, MatchHands
from solver.match.journal import MAGIC, SUFFIX, Journal, beside
from solver.match.sweeps import Step
from solver.match.table import MatchTable
from solver.match.workers import Threads
from tests.support.commands import begun, environment
from tests.support.helpers import refused
from tests.support.match.matches import GAPS, InOrder, match_hands, match_spec, same, solved


@pytest.fixture(scope="module")
def hands() -> dict[str, MatchHands]:
    return {model: match_hands(model) for model in GAPS}


@pytest.fixture(scope="module")
def tables(hands: dict[str, MatchHands]) -> dict[str, MatchTable]:
    """Return matches solved without a journal."""
    return {model: solved(one, InOrder(one)) for model, one in hands.items()}


def journal(path: Path, model: str = "exact", **changes: Any) -> Journal:
    """Return the journal of the small match."""
    return Journal(path, match_spec(**changes), model, GAPS[model])


def some_found(source: np.random.Generator, hands: int, leads: int) -> BatchResult:
    """Return something like what a piece gives."""
    return BatchResult(source.random((2, hands)), tuple(source.random((3, 7)) for _ in range(leads)), 10 * hands)


def equal(one: BatchResult | None, other: BatchResult) -> bool:
    """Whether both are the same to the last bit."""
    if one is None or one.iterations != other.iterations or len(one.leads) != len(other.leads):
        return False
    pairs = zip((one.bounds, *one.leads), (other.bounds, *other.leads), strict=True)
    return all(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)


def filled(path: Path, number: int = 20) -> dict[tuple[int, Batch], BatchResult]:
    """Write a journal, and return what is in it."""
    source = np.random.default_rng(7)
    found = {(1 + k % 3, Batch(k % 4, 3, k, k + 5)): some_found(source, 5, k % 3) for k in range(number)}
    with journal(path) as kept:
        for (sweep, piece), one in found.items():
            kept.put(sweep, piece, one)
    return found


# What is kept.


def test_what_was_put_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "x.part"
    found = filled(path)
    with journal(path) as kept:
        assert kept.pieces == len(found)
        assert all(equal(kept.get(*key), one) for key, one in found.items())
        assert kept.get(4, Batch(0, 3, 0, 5)) is None
        assert kept.get(1, Batch(0, 3, 0, 6)) is None
        more = some_found(np.random.default_rng(1), 2, 0)
        kept.put(9, Batch(0, 2, 0, 2), more)
        assert all(equal(kept.get(*key), one) for key, one in found.items())
    with journal(path) as kept:
        assert equal(kept.get(9, Batch(0, 2, 0, 2)), more)
        assert all(equal(kept.get(*key), one) for key, one in found.items())


def test_it_stands_beside_the_table_and_is_removed_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.npz").symlink_to(tmp_path / "real" / "t.npz")
    path = beside(tmp_path / "link.npz")
    assert path == tmp_path / "real" / f"t.npz{SUFFIX}"
    filled(path)
    with journal(path) as kept:
        kept.remove()
    assert not path.exists()
    with journal(path) as kept:
        assert kept.pieces == 0
        kept.remove()
    assert list((tmp_path / "real").iterdir()) == []


@pytest.mark.parametrize("seed", range(8))
def test_a_torn_tail_is_cut_off(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "x.part"
    found = filled(path)
    whole = path.read_bytes()
    cut = random.Random(seed).randrange(len(whole))
    path.write_bytes(whole[:cut])
    with journal(path) as kept:
        there = [key for key, one in found.items() if equal(kept.get(*key), one)]
        assert kept.pieces == len(there)
        assert there == list(found)[: len(there)]
        for key in list(found)[len(there) :]:
            kept.put(*key, found[key])
    assert path.read_bytes() == whole


@pytest.mark.parametrize("length", [0, 1, len(MAGIC), len(MAGIC) + 3, len(MAGIC) + 30])
def test_one_that_was_hardly_begun_is_begun_anew(length: int, tmp_path: Path) -> None:
    path = tmp_path / "x.part"
    found = filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:length])
    with journal(path) as kept:
        assert kept.pieces == 0
    assert filled(path).keys() == found.keys()
    assert path.read_bytes() == whole


def test_a_damaged_record_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "x.part"
    found = filled(path)
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)
    with journal(path) as kept:
        there = [key for key, one in found.items() if equal(kept.get(*key), one)]
        assert 0 < kept.pieces == len(there) < len(found)


def reframed(path: Path, record: bytes) -> None:
    """Add a whole record with its right checksum."""
    with path.open("ab") as file:
        file.write(struct.pack("<II", len(record), zlib.crc32(record)) + record)


def test_a_record_that_says_nothing_is_solved_again(tmp_path: Path) -> None:
    path = tmp_path / "x.part"
    filled(path)
    reframed(path, zlib.compress(struct.pack("<6q", 9, 0, 3, 0, 5, 1) + b"no array"))
    with journal(path) as kept:
        assert kept.pieces == 21
        assert kept.get(9, Batch(0, 3, 0, 5)) is None


@pytest.mark.slow
def test_records_of_another_form_are_solved_again(
    tmp_path: Path, hands: dict[str, MatchHands], tables: dict[str, MatchTable]
) -> None:
    path, source = tmp_path / "x.part", np.random.default_rng(3)
    pieces = hands["fresh"].pieces(0)
    with journal(path, "fresh") as kept:
        for sweep, piece in enumerate(pieces[:3], 1):
            kept.put(sweep, piece, some_found(source, piece.hands + sweep % 2, sweep))
    with journal(path, "fresh") as kept:
        assert same(solved(hands["fresh"], InOrder(hands["fresh"]), kept), tables["fresh"])


# What is refused.


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (lambda path: Journal(path, match_spec(), "exact", 0.001), "gap 0.02 and not 0.001"),
        (lambda path: Journal(path, match_spec(), "fresh", GAPS["exact"]), "deck model exact and not fresh"),
        (lambda path: Journal(path, match_spec(5), "exact", GAPS["exact"]), "stacks [4, 4] and not [5, 5]"),
        (lambda path: journal(path, raises="1,allin"), 'raises [1, 3, 5, "allin"] and not [1, "allin"]'),
    ],
)
def test_the_journal_of_something_else_is_refused(other: Any, told: str, tmp_path: Path) -> None:
    path = tmp_path / "x.part"
    filled(path)
    before = path.read_bytes()
    with refused(RunError, f"{path} was begun with {told}; ", "remove it to begin anew", "(-o)"):
        other(path).__enter__()
    assert path.read_bytes() == before


def test_the_journal_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.part"
    filled(path)
    versions = {"forehead": "9.9", "numpy": np.__version__, "numba": "0.1"}
    monkeypatch.setattr("solver.match.journal.versions", lambda: versions)
    with refused(RunError, "was begun with forehead ", "and not 9.9; numba ", "and not 0.1; go on as it was begun"):
        journal(path).__enter__()


def framed(record: bytes) -> bytes:
    return MAGIC + struct.pack("<II", len(record), zlib.crc32(record)) + record


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04 another file altogether",
        b"forehead match journam\n",
        b"x",
        framed(b"no JSON"),
        framed(b"[1, 2]"),
        framed(b"{}") + framed(b"nothing compressed")[len(MAGIC) :],
    ],
)
def test_another_file_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.part"
    path.write_bytes(content)
    with refused(RunError, f"expected {path} to be the journal of a match", "something else", "move it away"):
        journal(path).__enter__()
    assert path.read_bytes() == content


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "x.part"
    with journal(path) as kept:
        with refused(RunError, f"another process is solving this match ({path})"):
            journal(path).__enter__()
        kept.put(1, Batch(0, 0, 0, 5), some_found(np.random.default_rng(1), 5, 0))
    with journal(path) as kept:
        assert kept.pieces == 1


def test_a_full_disk_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.part"
    with journal(path) as kept:

        class Full:
            closed = False

            def __init__(self, file: Any) -> None:
                self._file = file

            def __getattr__(self, name: str) -> Any:
                return getattr(self._file, name)

            def write(self, content: bytes) -> int:
                raise OSError(28, "No space left on device")

        real = kept._file
        monkeypatch.setattr(kept, "_file", Full(real))
        with pytest.raises(OSError, match=r"No space left on device: '.*x\.part'"):
            kept.put(1, Batch(0, 0, 0, 5), some_found(np.random.default_rng(1), 5, 0))
        monkeypatch.undo()


# Runs that are broken off.


class Broken(BaseException):
    """What ends a run."""


@pytest.mark.parametrize("model", ["fresh", "exact"])
def test_a_run_that_is_broken_off_again_and_again_ends_in_the_same_table(
    model: str, tmp_path: Path, hands: dict[str, MatchHands], tables: dict[str, MatchTable]
) -> None:
    path = tmp_path / "x.part"
    source = random.Random(11)
    found, runs = None, 0
    while found is None:
        runs += 1
        left = [source.randrange(1, {"fresh": 6, "exact": 60}[model])]

        def on_step(_: Step, left: list[int] = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise Broken

        with journal(path, model) as kept:
            try:
                found = solved(hands[model], Threads(hands[model], source.randrange(1, 4)), kept, on_step)
            except Broken:
                continue
    assert runs > 2
    assert same(found, tables[model])


SCRIPT = """
import sys
from pathlib import Path
from solver.match.journal import Journal
from solver.match.workers import Threads
from tests.support.match.matches import GAPS, match_hands, solved
output, model, threads = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
hands = match_hands(model)
with Journal(output.with_suffix(".part"), hands.spec, model, GAPS[model]) as kept:
    def on_step(step):
        print(step.sweep, kept.pieces, flush=True)
    solved(hands, Threads(hands, threads), kept, on_step).save(output)
    kept.remove()
"""


def started(output: Path, model: str, threads: int) -> "subprocess.Popen[str]":
    """Start a process that solves a match."""
    line = [sys.executable, "-c", SCRIPT, str(output), model, str(threads)]
    process: subprocess.Popen[str] = begun(line, stdout=subprocess.PIPE, text=True, env=environment())
    return process


@pytest.mark.slow
def test_a_process_that_is_killed_goes_on_where_it_was(tmp_path: Path, tables: dict[str, MatchTable]) -> None:
    output, other = tmp_path / "x.npz", tmp_path / "other.npz"
    tables["exact"].save(other)
    source, left = random.Random(5), list[int]()
    for steps in (5, 40, 40):
        run = started(output, "exact", source.randrange(1, 4))
        assert run.stdout is not None
        for number, line in enumerate(run.stdout):
            if not number:
                left.append(int(line.split()[1]))
            if number == steps:
                break
        time.sleep(0.01 * source.random())
        os.kill(run.pid, signal.SIGKILL)
        run.communicate()
        assert run.returncode == -signal.SIGKILL
        assert not output.exists()
    assert left[0] == 0 < left[1] < left[2]
    run = started(output, "exact", 2)
    out, _ = run.communicate()
    assert run.returncode == 0
    assert int(out.split()[1]) > left[2]
    assert output.read_bytes() == other.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.npz", "x.npz"]
