"""The cache of solutions: what it finds, what it ignores, how it stays small, and the commands over it."""

import json
import os
import re
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from rules import hand
from rules.base.atomic_files import PREFIX, SUFFIX
from solver import Solution, load, solve
from solver.store import cache as cache_module
from solver.store.cache import Cache, directory, limit
from solver.within_time import answer
from tests.support.commands import PROGRAM, Stuck, begun, environment, good, run, spawn

SMALL = hand("indian-poker", stacks=(3, 3))
OTHER = hand("indian-poker", stacks=(4, 4))
THIRD = hand("indian-poker", stacks=(5, 5))
ASK = (
    "advise", "indian-poker", "--objective", "chips", "--stacks", "3,3", "--see", "4", "--history", "b1", "--seed", "1",
    "--format", "json",
)  # fmt: skip


@pytest.fixture(scope="module")
def solutions() -> list[Solution]:
    return [solve(spec, gap=0.05) for spec in (SMALL, OTHER, THIRD)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory that commands take for their cache."""
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_is_kept_is_found_for_the_same_hand_alone(tmp_path: Path, solutions: list[Solution]) -> None:
    cache = Cache(tmp_path / "new" / "cache")
    assert cache.find(SMALL, 0.05) is None
    assert solutions[0].state
    cache.keep(solutions[0])
    found = cache.find(SMALL, 0.05)
    assert found is not None
    assert (found.strategies == solutions[0].strategies).all()
    assert cache.find(OTHER, 0.05) is None
    (file,) = cache.folder.iterdir()
    assert load(file, with_state=True).state == {}


def test_a_finer_gap_is_solved_anew(tmp_path: Path, solutions: list[Solution]) -> None:
    cache = Cache(tmp_path)
    cache.keep(solutions[0])
    assert cache.find(SMALL, solutions[0].nash_conv) is not None
    assert cache.find(SMALL, solutions[0].nash_conv / 2) is None


def test_what_was_cut_short_is_not_what_the_next_question_gets(tmp_path: Path) -> None:
    cache, spec = Cache(tmp_path), hand("indian-poker", stacks="20,20")
    rough = answer(spec, "", seconds=0.02, gap=1e-6, cache=cache)
    assert rough.kept is None
    assert rough.solution.provenance.stopped == "interrupted"
    assert cache.find(rough.solution.spec, 1.0) is None
    whole = answer(SMALL, "", seconds=60.0, gap=0.05, cache=cache)
    assert whole.kept
    assert cache.find(SMALL, 0.05) is not None
    assert answer(SMALL, "", seconds=0.001, gap=0.05, cache=cache).kept


def test_another_version_finds_nothing(
    tmp_path: Path, solutions: list[Solution], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path)
    cache.keep(solutions[0])
    monkeypatch.setattr(cache_module, "version", lambda _: "999")
    assert cache.find(SMALL, 0.05) is None
    monkeypatch.undo()
    monkeypatch.setattr(cache_module, "FORMAT", replace(cache_module.FORMAT, version=999))
    assert cache.find(SMALL, 0.05) is None


@pytest.mark.parametrize("damage", ["cut", "text", "foreign"])
def test_a_damaged_or_foreign_file_is_ignored_and_replaced(
    tmp_path: Path, solutions: list[Solution], damage: str
) -> None:
    cache = Cache(tmp_path)
    cache.keep(solutions[0])
    (file,) = tmp_path.iterdir()
    if damage == "foreign":
        solutions[1].save(file)
    else:
        file.write_bytes(file.read_bytes()[:-100] if damage == "cut" else b"no solution")
    assert cache.find(SMALL, 0.05) is None
    found = answer(SMALL, "b1", seconds=5, gap=0.05, cache=cache)
    assert found.kept
    assert list(tmp_path.iterdir()) == [file]
    assert load(file).spec.to_dict() == SMALL.to_dict()


def test_what_was_not_used_for_the_longest_time_goes_first(tmp_path: Path, solutions: list[Solution]) -> None:
    everything = Cache(tmp_path)
    for solution in solutions:
        everything.keep(solution)
    size = {spec: everything._path(spec).stat().st_size for spec in (SMALL, OTHER, THIRD)}
    everything._path(THIRD).unlink()
    for age, solution in enumerate(solutions[:2]):
        os.utime(everything._path(solution.spec), (age + 1, age + 1))
    assert everything.find(SMALL, 0.05) is not None  # now the one used last
    (tmp_path / "notes.txt").write_text("mine")
    Cache(tmp_path, most=size[SMALL] + size[THIRD]).keep(solutions[2])
    assert everything.find(OTHER, 0.05) is None
    assert everything.find(SMALL, 0.05) is not None
    assert everything.find(THIRD, 0.05) is not None
    assert (tmp_path / "notes.txt").exists()


def test_what_is_larger_than_all_may_be_is_not_kept_and_the_others_stay(
    tmp_path: Path, solutions: list[Solution]
) -> None:
    everything = Cache(tmp_path)
    for solution in solutions[::2]:
        everything.keep(solution)
    size = {spec: everything._path(spec).stat().st_size for spec in (SMALL, THIRD)}
    everything._path(THIRD).unlink()
    assert size[SMALL] < size[THIRD]
    for most in (size[SMALL], size[THIRD] - 1):  # the last one by its header alone
        small = Cache(tmp_path, most=most)
        with pytest.raises(OSError, match=r"it takes \d+ kB, and FOREHEAD_CACHE_MB allows \d+ kB"):
            small.keep(solutions[2])
        assert small.find(SMALL, 0.05) is not None
        assert len(list(tmp_path.iterdir())) == 1


def test_a_cache_of_nothing_keeps_nothing_and_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = good(*ASK)
    monkeypatch.setenv("FOREHEAD_CACHE_MB", "0")
    again = good(*ASK)  # solved anew
    assert again.out == first.out
    assert re.fullmatch(
        rf"forehead: the solution is not kept in {folder} \(it takes \d kB, and FOREHEAD_CACHE_MB allows 0 bytes\); "
        r"--no-cache does not try\n",
        again.err,
    )
    assert list(folder.iterdir()) == []
    assert " ".join(good("cache", "list").out.split()) == (
        f"{folder}: 0 solutions and 0 match tables, 0 bytes of 0 bytes"
    )
    folder.rmdir()
    good(*ASK)
    assert not folder.exists()


# What a process that was killed while it wrote has left.


def leftover(folder: Path, age: float) -> Path:
    handle, name = tempfile.mkstemp(dir=folder, prefix=".forehead.", suffix=".part")
    os.write(handle, b"half a solution")
    os.close(handle)
    os.utime(name, (time.time() - age, time.time() - age))
    return Path(name)


def test_leftovers_are_no_solutions_and_go_with_the_next_one(folder: Path) -> None:
    folder.mkdir()
    old, young = leftover(folder, 2 * cache_module.LEFTOVER), leftover(folder, 0)
    assert good("cache", "list", "--format", "json").json | {"most_bytes": 0} == {
        "directory": str(folder), "bytes": 0, "most_bytes": 0, "solutions": [], "match_tables": []
    }  # fmt: skip
    good(*ASK)
    assert not old.exists()
    assert young.exists()  # another process may be writing it
    assert len(good("cache", "list", "--format", "json").json["solutions"]) == 1
    assert good("cache", "clear").out == f"removed 1 solution and 0 match tables from {folder}\n"
    assert list(folder.iterdir()) == []


def test_a_process_that_is_killed_while_it_keeps_leaves_what_the_next_ones_remove(folder: Path, tmp_path: Path) -> None:
    run = Stuck("solver.solutions.archive", "write", *ASK, cwd=tmp_path)
    run.process.kill()
    run.process.communicate()
    (part,) = folder.iterdir()
    assert part.name.startswith(PREFIX)
    assert part.name.endswith(SUFFIX)
    os.utime(part, (0, 0))
    good(*ASK)
    (file,) = folder.iterdir()
    assert load(file).converged


def test_where_the_cache_lives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("FOREHEAD_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert directory() == tmp_path / ".cache" / "forehead"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert directory() == tmp_path / ".cache" / "forehead"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert directory() == tmp_path / "x" / "forehead"
    monkeypatch.setattr("sys.platform", "darwin")
    assert directory() == tmp_path / "Library" / "Caches" / "forehead"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert directory() == tmp_path / "local" / "forehead" / "Cache"
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path / "given"))
    assert directory() == tmp_path / "given"


def test_a_user_without_a_home_gets_no_folder_named_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FOREHEAD_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as where HOME is unset and nobody knows the user
    assert directory() == Path("/.cache/forehead")


def test_how_large_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOREHEAD_CACHE_MB", raising=False)
    assert limit() == 500 * 10**6
    monkeypatch.setenv("FOREHEAD_CACHE_MB", "3")
    assert limit() == 3 * 10**6
    monkeypatch.setenv("FOREHEAD_CACHE_MB", "many")
    done = run("cache", "list")
    assert (done.code, done.out) == (2, "")
    assert done.err == "forehead: expected FOREHEAD_CACHE_MB to be a whole number, got 'many'\n"


def test_a_second_question_is_a_look_up_that_loads_no_compiler(folder: Path, tmp_path: Path) -> None:
    first = good(*ASK)
    (file,) = folder.iterdir()
    before = file.stat().st_ino
    again = spawn(*ASK, cwd=tmp_path, PYTHONPROFILEIMPORTTIME="1")
    assert again.out == first.out
    assert "numpy" in again.err
    assert "numba" not in again.err
    assert "scipy" not in again.err
    other = good(*ASK[:6], "--see", "9", "--format", "json")  # another question about the same hand
    assert other.json["history"] == ""
    assert [path.stat().st_ino for path in folder.iterdir()] == [before]


def test_no_cache_neither_looks_nor_keeps(folder: Path) -> None:
    good(*ASK, "--no-cache")
    assert not folder.exists()
    good(*ASK)
    (file,) = folder.iterdir()
    file.write_bytes(b"damaged")
    good(*ASK, "--no-cache")
    assert file.read_bytes() == b"damaged"


def test_an_unwritable_cache_costs_a_note(folder: Path) -> None:
    folder.write_text("a file where the directory should be")
    done = good(*ASK)
    assert done.json["best"]
    assert done.err == f"forehead: the solution is not kept in {folder} (File exists); --no-cache does not try\n"
    assert good("cache", "list", "--format", "json").json["solutions"] == []


def test_list_and_clear(folder: Path) -> None:
    assert " ".join(good("cache", "list").out.split()) == (
        f"{folder}: 0 solutions and 0 match tables, 0 bytes of 500 MB"
    )
    good(*ASK)
    (folder / f"{'0' * 32}.npz").write_bytes(b"damaged")
    (folder / "notes.txt").write_text("mine")
    listed = good("cache", "list", "--format", "json").json
    assert listed["directory"] == str(folder)
    by_game = {one["game"]: one for one in listed["solutions"]}
    assert set(by_game) == {"indian-poker", None}
    assert by_game["indian-poker"]["hand"] == "20 cards left, stacks 3/3, pot carried 0"
    assert listed["bytes"] == sum(file.stat().st_size for file in folder.glob("*.npz"))
    text = good("cache", "list").out
    assert "unreadable solution (" in text
    assert "indian-poker, 20 cards left, stacks 3/3, pot carried 0" in " ".join(text.split())
    assert len(good("cache", "list", "--format", "csv").out.splitlines()) == 3
    assert good("cache", "clear").out == f"removed 2 solutions and 0 match tables from {folder}\n"
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]


@pytest.mark.slow
def test_several_processes_may_keep_the_same_solution(folder: Path, tmp_path: Path) -> None:
    running = [
        begun([*PROGRAM, *ASK], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    answers = [process.communicate(timeout=100)[0] for process in running]
    assert len(set(answers)) == 1
    assert json.loads(answers[0])["history"] == "b1"
    (file,) = folder.iterdir()
    assert load(file).converged
