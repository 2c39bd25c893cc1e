"""Solutions of large trees: kept without what follows from them, and asked without unfolding or reading them."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rules.base.errors import HistoryError, SolutionFileError, VerificationError
from rules.games.registry import hand
from solver import Solution, load, solve
from solver.solutions import archive
from solver.solutions.solution import Provenance
from solver.solutions.spots import Spot, Spots
from solver.solutions.verification import verify
from solver.two_player import evaluation
from solver.two_player.payoffs import prepare
from tests.support.commands import ROOT, good, run
from tests.support.engines import random_strategy
from tests.support.games.small_games import EVERY_SPEC
from tests.support.solution_files import digest, forged, read, refused, same

SPECS = {
    "indian-poker": hand("indian-poker", stacks="9,8", carry=2),
    "indian-holdem": hand("indian-holdem", stacks="4,4", left="2,2,1,1,0,0,0,0,1,1"),
    "double-sided": hand("double-sided", stacks="5,5", fronts="4,7", shown="4/1,7/2,7/3,7/9", hidden="4,8"),
    "blind-mans-bluff": hand("blind-mans-bluff", max_raises=2),
}
FLOAT32 = 1e-5


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.two_player.payoffs.LARGEST", 0)
    monkeypatch.setattr("solver.two_player.evaluation.HELD", 20)


def solved(name: str) -> Solution:
    return solve(SPECS[name], gap=1e-2)


@pytest.fixture(scope="module")
def small() -> Iterator[Solution]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solver.two_player.payoffs.LARGEST", 0)
        yield solved("indian-poker")


@pytest.fixture
def path(small: Solution, tmp_path: Path) -> Path:
    small.save(tmp_path / "large.npz")
    return tmp_path / "large.npz"


def in_full(solution: Solution) -> Solution:
    """Return the same strategy with everything that follows from it, as a small tree's solution has it."""
    nodes, (classes, _, width) = solution.tree.nodes, solution.strategies.shape
    kept = (
        np.zeros((classes, 2, nodes, width)),
        np.zeros((classes, nodes), np.int8),
        np.zeros((classes, nodes, width), np.int8),
    )
    bare = replace(solution, beliefs=kept[0], entered_by=kept[1], sources=kept[2], ev=None)
    return bare.playing(np.stack([solution.profile(index) for index in range(classes)]))


def alike(spot: Spot, expected: Spot) -> None:
    """Compare two spots within what float32 can tell."""
    for name in ("board", "history", "player", "observations", "actions", "sources", "others"):
        assert getattr(spot, name) == getattr(expected, name)
    for name in ("probability", "own_reach", "other_reach", "observation_probability", "belief", "ev"):
        found, wanted = getattr(spot, name), getattr(expected, name)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, wanted, rtol=FLOAT32, atol=FLOAT32, err_msg=f"{name} {spot.history}")


# What is kept.


@pytest.mark.parametrize("name", SPECS)
def test_a_large_solution_has_probabilities_and_values_only_and_comes_back(name: str, tmp_path: Path) -> None:
    solution = solved(name)
    assert solution.strategies.dtype == np.float32
    assert (solution.beliefs, solution.entered_by, solution.sources) == (None, None, None)
    solution.save(tmp_path / "one.npz")
    header, arrays = read(tmp_path / "one.npz")
    assert list(header["arrays"]) == ["strategy", "ev", "regret", "total"]
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}
    assert header["arrays"] == {key: digest(array) for key, array in arrays.items()}
    assert [one.name for one in tmp_path.iterdir()] == ["one.npz"]
    again = load(tmp_path / "one.npz", with_state=True)
    same(again, solution)
    again.save(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    same(load(tmp_path / "one.npz"), replace(solution, state={}))


def test_a_large_solution_can_be_gone_on_from(path: Path) -> None:
    further = solve(SPECS["indian-poker"], gap=1e-3, resume=load(path, with_state=True))
    assert further.nash_conv <= 1e-3
    assert further.beliefs is None


def test_strategies_may_be_float64(small: Solution, tmp_path: Path) -> None:
    exact = replace(small, strategies=np.stack([small.profile(0)]))
    exact.save(tmp_path / "exact.npz")
    loaded = load(tmp_path / "exact.npz")
    assert loaded.strategies.dtype == np.float64
    alike(Spots(loaded).at("b1"), Spots(small).at("b1"))


@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()])
def test_where_values_cannot_be_kept_nothing_is_left_behind(
    error: BaseException, small: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(*_: Any) -> None:
        raise error

    monkeypatch.setattr(archive.OnDisk, "put", put)
    with pytest.raises(type(error)) as caught:
        small.save(tmp_path / "large.npz")
    assert list(tmp_path.iterdir()) == []
    assert not isinstance(caught.value, OSError) or caught.value.filename == str(tmp_path / "large.npz")


# What is asked.


@pytest.mark.parametrize("where", ["memory", "file", "map"])
@pytest.mark.parametrize("name", SPECS)
def test_every_spot_is_what_the_ordinary_way_gives(name: str, where: str, tmp_path: Path) -> None:
    solution = solved(name)
    ordinary = in_full(solution)
    if where != "memory":
        solution.save(tmp_path / "large.npz")
        solution = load(tmp_path / "large.npz", mapped=where == "map")
        assert isinstance(solution.strategies, np.memmap) == (where == "map")
    for board in solution.boards[:2]:
        spots, walked = Spots(solution, board), Spots(solution, board).walk()
        for expected, other in zip(Spots(ordinary, board).walk(), walked, strict=True):
            alike(spots.at(expected.history), expected)
            alike(other, expected)


@pytest.mark.parametrize("spec", EVERY_SPEC)
def test_a_strategy_with_zeros_is_looked_up_too(spec: Any) -> None:
    solution = solve(spec, max_iterations=0)
    drawn = np.stack([random_strategy(solution.game, 3)]).astype(np.float32)
    solution = solution.playing(drawn)
    spots = Spots(solution)
    for expected in Spots(in_full(solution)).walk():
        alike(spots.at(expected.history), expected)


def test_what_a_player_excludes_is_left_out(path: Path) -> None:
    mapped, ordinary = load(path, mapped=True), in_full(load(path))
    excluded = (("3", "10"), ("7",))
    for history in ("", "b1", "b1 r1"):
        alike(Spots(mapped, "", excluded).at(history), Spots(ordinary, "", excluded).at(history))
    changed = Spots(mapped, "", excluded).at("b1").ev - Spots(mapped).at("b1").ev
    assert np.abs(changed).max() > 0.01


def test_what_is_no_spot_is_refused(path: Path) -> None:
    spots = Spots(load(path, mapped=True))
    for history, match in (("b1 c", "the hand is over after 'c'"), ("c", "legal")):
        with pytest.raises(HistoryError, match=match):
            spots.at(history)


def test_a_spot_is_found_without_the_tree_and_without_reading_whole_arrays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Spots(in_full(load(path))).at("b1 r1")
    read: list[int] = []

    class Counted:
        """Stands for an array that counts what is taken from it."""

        def __init__(self, array: NDArray[Any]) -> None:
            self.array, self.shape, self.dtype = array, array.shape, array.dtype

        def __getitem__(self, key: Any) -> Any:
            found = self.array[key]
            if found.ndim == 3 or found.shape == self.shape[1:]:  # not taken yet: a view of one class
                return Counted(found)
            read.append(found.size)
            return np.array(found)

    monkeypatch.setattr("solver.two_player.payoffs.unfold", lambda _: pytest.fail("the tree was built"))
    monkeypatch.setattr("solver.solutions.spots.unfolded", lambda _: pytest.fail("a tree was built"))
    monkeypatch.setattr(archive, "digest", lambda _: pytest.fail("an array was read as a whole"))
    mapped = np.memmap
    monkeypatch.setattr(np, "memmap", lambda *given: Counted(mapped(*given)))
    solution = load(path, mapped=True)
    assert read == []
    alike(Spots(solution).at("b1 r1"), expected)
    rows = sum(len(SPECS["indian-poker"].public.moves(state)) for state in states_on("b1 r1"))
    values = len(expected.actions)
    assert sum(read) == rows * solution.strategies.shape[2] + values * len(expected.observations)


def states_on(history: str) -> list[Any]:
    """Return the public states on the way to a spot, its own included."""
    public = SPECS["indian-poker"].public
    return [public.follow(" ".join(history.split()[:done]))[1] for done in range(len(history.split()) + 1)]


def test_commands_answer_the_same_from_a_large_file(small: Solution, path: Path, tmp_path: Path) -> None:
    in_full(small).save(tmp_path / "small.npz")
    for command in (
        ["show", "{}", "--history", "b1", "--format", "json"],
        ["best", "{}", "--see", "7", "--history", "b1 r1", "--format", "json"],
        ["advise", "--from", "{}", "--see", "7", "--history", "b1", "--seed", "3", "--format", "json"],
    ):
        found, expected = (
            good(*(part.format(tmp_path / name) for part in command)).json for name in ("large.npz", "small.npz")
        )
        close(found, expected)


def close(found: Any, expected: Any) -> None:
    """Compare data as JSON has it, numbers within what float32 can tell."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for name, value in expected.items():
            close(found[name], value)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            close(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=FLOAT32)
    else:
        assert found == expected


@pytest.mark.slow
def test_a_report_and_an_export_take_large_solutions(path: Path, tmp_path: Path) -> None:
    in_full(load(path)).save(tmp_path / "small.npz")
    for name in ("large", "small"):
        good("export", tmp_path / f"{name}.npz", "--to", "json", "-o", tmp_path / f"{name}.json")
        good("report", tmp_path / f"{name}.npz", "-o", tmp_path / name)
    found, expected = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("large", "small"))
    close(found, expected)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is asked for as Linux tells it")
def test_a_question_takes_little_memory_and_the_proof_not_much_more_than_the_arrays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    spec = hand("indian-poker", stacks="20,20", raises="any")
    game = prepare(spec)
    even = np.ones((len(game.tree.child), game.width), dtype=np.float32)
    probabilities = evaluation.probabilities(game.tree, even, np.float32)
    quality = evaluation.measure(game.tree, game.classes[0], probabilities, game.margin)
    provenance = Provenance("cfr", 0, "iterations", 1.0)
    path = tmp_path / "large.npz"
    Solution(spec, probabilities[None], (quality,), provenance, None, None, None).save(path)
    megabytes = {
        "nothing": "",
        "a question": "Spots(load(path, mapped=True)).at('b1 r1')",
        "a proof": "verify(load(path))",
    }
    peaks = {name: peak(what, path) for name, what in megabytes.items()}
    arrays, tree = 2 * probabilities.nbytes / 1e6, 40.0 * len(game.tree.child) / 1e6
    assert arrays > 100
    assert peaks["a question"] - peaks["nothing"] < 10
    assert peaks["a proof"] - peaks["nothing"] < arrays + tree + 100


def peak(what: str, path: Path) -> float:
    """Return the most memory that a process takes that does something with a file, in megabytes."""
    code = (
        "import sys\nfrom solver import load, verify\nfrom solver.solutions.spots import Spots\npath = sys.argv[1]\n"
        f"{what}\nprint(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, cwd=ROOT, check=True)
    return float(done.stdout) / 1e3


# The proof.


@pytest.mark.parametrize("name", SPECS)
def test_large_solutions_are_proved(name: str, tmp_path: Path) -> None:
    solution = solved(name)
    solution.save(tmp_path / "large.npz")
    assert verify(load(tmp_path / "large.npz")).quality == pytest.approx(solution.quality, abs=1e-6)
    assert "holds" in good("verify", tmp_path / "large.npz").out


@pytest.mark.parametrize("held", [1, 20, 10**6])
def test_a_large_solution_that_claims_too_much_is_refused(
    held: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.two_player.evaluation.HELD", held)
    honest = load(path)
    verify(honest)
    for place in (0, 17, honest.strategies.shape[1] - 1):
        edits: dict[str, tuple[NDArray[Any], float, str]] = {
            "ev": (np.array(honest.ev), 0.01, "class 1 claims expected values of actions"),
            "strategies": (np.array(honest.strategies), 0.01, "class 1 has .* for P[12]"),
        }
        for name, (array, off, match) in edits.items():
            array[0, place, 0] += off
            with pytest.raises(VerificationError, match=match):
                verify(replace(honest, **{name: array}))
    (quality,) = honest.qualities
    with pytest.raises(VerificationError, match="claims lower"):
        verify(replace(honest, qualities=(quality._replace(lower=quality.lower + 1e-4),)))


# Files that are damaged or wrong.


def test_an_array_that_was_edited_is_refused_where_it_is_read(path: Path) -> None:
    header, arrays = read(path)
    whole = bytearray(path.read_bytes())
    for name in ("strategy", "ev"):
        place = whole.index(arrays[name].tobytes())
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        refused(path, f"its {name} ")
        Spots(load(path, mapped=True)).at("b1")
        assert run("verify", path).code == 2
    assert header["arrays"]["ev"] == digest(arrays["ev"])


@pytest.mark.parametrize("name", ["strategy", "ev"])
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array[:, :-1],
        lambda array: array[..., :-1],
        lambda array: array[0],
        lambda array: array.astype(np.float16),
        lambda array: array.astype(">f4"),
        lambda array: array.astype(np.int64),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: Any, name: str, path: Path) -> None:
    forged(path, lambda _, arrays: arrays.update({name: change(arrays[name])}))
    refused(path, "does not fit its own spec")
    with pytest.raises(SolutionFileError, match="does not fit its own spec"):
        load(path, mapped=True)


@pytest.mark.parametrize("gone", ["ev", "strategy"])
def test_a_file_that_lacks_an_array_is_refused(gone: str, path: Path) -> None:
    forged(path, lambda _, arrays: arrays.pop(gone))
    for mapped in (False, True):
        with pytest.raises(SolutionFileError, match=str(path)):
            load(path, mapped=mapped)


def test_files_cut_off_are_refused(path: Path) -> None:
    whole = path.read_bytes()
    for length in (*range(0, len(whole), len(whole) // 40), *range(len(whole) - 60, len(whole))):
        path.write_bytes(whole[:length])
        with pytest.raises(SolutionFileError, match=str(path)):
            load(path, mapped=True)


def test_members_by_columns_or_of_another_length_are_refused(path: Path) -> None:
    whole = path.read_bytes()
    for old, new in ((b"'fortran_order': False", b"'fortran_order': True "), (b"\x93NUMPY\x01", b"\x93NUMPY\x02")):
        path.write_bytes(whole.replace(old, new))
        with pytest.raises(SolutionFileError, match=r"cannot be read|readable header"):
            load(path, mapped=True)
    shorter = load_shape(whole)
    path.write_bytes(whole.replace(*shorter))
    with pytest.raises(SolutionFileError, match="cannot be read"):
        load(path, mapped=True)


def load_shape(whole: bytes) -> tuple[bytes, bytes]:
    """Return the shape of the first array in a file as it is written, and another one of the same length."""
    start = whole.index(b"'shape': (1, ") + len(b"'shape': (1, ")
    end = whole.index(b",", start)
    rows = whole[start:end]
    return b"'shape': (1, " + rows, b"'shape': (1, " + str(int(rows) - 1).encode().rjust(len(rows))


def test_a_compressed_copy_is_read_instead(path: Path, small: Solution) -> None:
    header, arrays = read(path)
    np.savez_compressed(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)
    with zipfile.ZipFile(path) as members:
        assert all(member.compress_type == zipfile.ZIP_DEFLATED for member in members.infolist())
    alike(Spots(load(path, mapped=True)).at("b1"), Spots(small).at("b1"))


def test_a_small_solution_is_read_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.two_player.payoffs.LARGEST", 200_000)
    solution = solve(SPECS["indian-poker"], gap=1e-1)
    solution.save(tmp_path / "small.npz")
    mapped = load(tmp_path / "small.npz", mapped=True)
    assert not isinstance(mapped.strategies, np.memmap)
    same(mapped, replace(solution, state={}))
