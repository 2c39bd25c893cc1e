"""Who solves the pieces of a match: threads, a Dask cluster, and what becomes of them when asked to stop."""

import gc
import importlib.util
import socket
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.base.errors import RunError
from rules.base.optional import MissingLibraryError
from solver.match import workers as workers_module
from solver.match.hands import Batch, BatchResult, MatchHands, Tables
from solver.match.sweeps import blank
from solver.match.table import MatchTable
from solver.match.workers import AHEAD, Cluster, Threads, check_versions, packed, unpacked
from tests.support.helpers import refused
from tests.support.match.clusters import cluster
from tests.support.match.matches import InOrder, match_hands, same, solved

with_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="distributed is not installed (pip install '.[cluster]')"
)


@pytest.fixture(scope="module")
def hands() -> dict[str, MatchHands]:
    return {model: match_hands(model) for model in ("fresh", "exact")}


@pytest.fixture(scope="module")
def tables(hands: dict[str, MatchHands]) -> dict[str, MatchTable]:
    """Return matches solved piece after piece."""
    return {model: solved(one, InOrder(one)) for model, one in hands.items()}


class Slow:
    """In place of `MatchHands`: pieces that take as long as they are let, and are counted."""

    def __init__(self) -> None:
        self.begun, self.release = 0, threading.Event()
        self.halts: list[Any] = []

    def work(self, piece: Batch, tables: Tables, gap: float, leads: bool, halt: Any) -> BatchResult:
        self.begun += 1
        self.halts.append(halt)
        while not self.release.is_set() and not halt[0]:
            time.sleep(0.005)
        if piece.start == 13:
            raise MemoryError("piece 13")
        return BatchResult(np.full((2, 1), piece.start), (), 1)


PIECES = [Batch(0, 0, start, start + 1) for start in range(100)]
NONE: Any = None


# Threads.


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("model", ["fresh", "exact"])
def test_threads_find_what_one_after_the_other_does(
    model: str, threads: int, hands: dict[str, MatchHands], tables: dict[str, MatchTable]
) -> None:
    with Threads(hands[model], threads) as workers:
        assert same(solved(hands[model], workers), tables[model])


def test_every_piece_comes_once_by_its_number() -> None:
    slow: Any = Slow()
    slow.release.set()
    pieces = [piece for piece in PIECES if piece.start != 13]
    found = list(Threads(slow, 4).each(pieces, NONE, 0.1, ""))
    assert sorted(number for number, _ in found) == list(range(99))
    assert all(one.bounds[0, 0] == pieces[number].start for number, one in found)
    assert list(Threads(slow, 4).each([], NONE, 0.1, "")) == []


def test_no_more_pieces_are_begun_than_someone_takes() -> None:
    slow: Any = Slow()
    slow.release.set()
    each = Threads(slow, 2).each(PIECES, NONE, 0.1, "")
    for _ in range(5):
        next(each)
    time.sleep(0.1)
    assert slow.begun <= 5 + 2 * AHEAD * 2
    each.close()
    assert slow.begun < 100


def test_what_stops_is_left_at_once_and_no_thread_stays() -> None:
    slow: Any = Slow()
    before = threading.active_count()
    asked = threading.Event()
    threading.Timer(0.2, asked.set).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(Threads(slow, 2, asked.is_set).each(PIECES, NONE, 0.1, ""))
    assert time.monotonic() - start < 2.0
    assert slow.halts[0][0] == 1
    assert slow.begun == 2
    assert threading.active_count() <= before


def test_a_piece_that_is_halted_is_left(hands: dict[str, MatchHands]) -> None:
    one = hands["exact"]
    piece = max(one.pieces(5), key=lambda piece: piece.hands)
    blanks = Tables(blank(one), blank(one), blank(one))
    halted = np.ones(1, dtype=np.int64)
    assert one.work(piece, blanks, 1e-9, halt=halted).iterations == 0


def test_what_a_piece_fails_with_is_raised() -> None:
    slow: Any = Slow()
    slow.release.set()
    with pytest.raises(MemoryError, match="piece 13"):
        list(Threads(slow, 2).each(PIECES, NONE, 0.1, ""))


# What goes to a cluster and comes from it.


def test_tables_come_out_as_they_went_in(hands: dict[str, MatchHands]) -> None:
    source = np.random.default_rng(1)
    there = Tables(*(source.random(blank(hands["exact"]).shape) for _ in range(3)))
    back = unpacked(packed(there))
    assert all((one == other).all() for one, other in zip(there, back, strict=True))
    assert back.middle.flags.writeable  # as kernels are compiled for


def test_other_versions_are_refused_by_name() -> None:
    ours = {"python": "3.11.2", "numba": "0.68.0"}
    check_versions(dict(ours), ours, "tcp://a")
    with refused(RunError, "tcp://a has numba 0.60.0 and not 0.68.0; install the same versions everywhere"):
        check_versions({**ours, "numba": "0.60.0"}, ours, "tcp://a")
    with refused(RunError, "python None and not 3.11.2"):
        check_versions({"numba": "0.68.0"}, ours, "tcp://a")


def test_without_dask_it_says_what_to_install(hands: dict[str, MatchHands], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with refused(MissingLibraryError, "expected distributed to be installed", "pip install 'forehead[cluster]'"):
        Cluster(hands["fresh"], "tcp://127.0.0.1:1")


@pytest.mark.slow
@with_dask
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "127.0.0.1", "nonsense://a:1"])
def test_without_a_scheduler_it_says_so(
    address: str, hands: dict[str, MatchHands], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_module, "CONNECTING", 0.5)
    with refused(RunError, f"expected a Dask scheduler at {address}, but none answers", "'dask scheduler'"):
        Cluster(hands["fresh"], address).__enter__()


@pytest.mark.slow
@with_dask
def test_what_is_left_of_a_failed_connection_does_not_block_the_next(
    hands: dict[str, MatchHands], monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import utils

    class Collecting(utils._CollectErrorThread):
        """Collect garbage where Dask starts a loop, as Python may do at any time."""

        def __init__(self, *given: Any, **named: Any) -> None:
            gc.collect()
            super().__init__(*given, **named)

    monkeypatch.setattr(workers_module, "CONNECTING", 0.5)
    monkeypatch.setattr(utils, "_CollectErrorThread", Collecting)
    start, most = time.monotonic(), 30.0

    def late() -> bool:
        if time.monotonic() - start > most:
            raise TimeoutError  # which ends it as if nobody answered
        return False

    gc.disable()
    try:
        for address in ("nonsense://a:1", "127.0.0.1", "tcp://127.0.0.1:1"):
            with refused(RunError, "none answers"):
                Cluster(hands["fresh"], address, late).__enter__()
    finally:
        gc.enable()
    assert time.monotonic() - start < most


@with_dask
def test_one_can_stop_while_nobody_answers(hands: dict[str, MatchHands]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            Cluster(hands["fresh"], address, lambda: True).__enter__()
        assert time.monotonic() - start < 2.0


@with_dask
@pytest.mark.slow
def test_a_cluster_finds_what_threads_do_whoever_dies(
    tmp_path: Path, hands: dict[str, MatchHands], tables: dict[str, MatchTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    with cluster(tmp_path, workers=0) as processes:
        with refused(RunError, f"the Dask scheduler at {processes.address} has no workers", "dask worker tcp://"):
            Cluster(hands["fresh"], processes.address).__enter__()
        processes.add_worker()
        processes.add_worker()
        with Cluster(hands["exact"], processes.address) as workers:
            assert workers.threads == 2
            steps = []

            def on_step(step: Any) -> None:
                steps.append(step)
                if step.sweep == 2 and processes.workers[0].poll() is None:
                    processes.workers[0].kill()

            assert same(solved(hands["exact"], workers, on_step=on_step), tables["exact"])
            assert processes.workers[0].wait() != 0
            assert steps[-1].sweep > 2
        with Cluster(hands["fresh"], processes.address) as workers:
            assert same(solved(hands["fresh"], workers), tables["fresh"])
            assert workers.threads == 1

            # All die, and another one comes.
            def on_step_again(step: Any) -> None:
                if step.sweep == 2 and processes.workers[1].poll() is None:
                    processes.workers[1].kill()
                    processes.add_worker()

            assert same(solved(hands["fresh"], workers, on_step=on_step_again), tables["fresh"])
        asked = threading.Event()
        with Cluster(hands["exact"], processes.address, asked.is_set) as workers, pytest.raises(KeyboardInterrupt):
            solved(hands["exact"], workers, on_step=lambda step: asked.set())
        monkeypatch.setattr("rules.base.versions.version", lambda name: "9.9")
        with refused(RunError, "tcp://", "has forehead ", "and not 9.9; install the same versions everywhere"):
            Cluster(hands["fresh"], processes.address).__enter__()
        monkeypatch.undo()
        with Cluster(hands["fresh"], processes.address) as workers:
            monkeypatch.setattr(workers_module, "ALONE", 1.0)
            processes.workers[2].kill()
            with refused(RunError, "has had no workers for 1 s"):
                solved(hands["fresh"], workers)
            processes.scheduler.kill()
            with refused(RunError, f"the Dask scheduler at {processes.address} does not answer any more"):
                solved(hands["fresh"], workers)


@with_dask
@pytest.mark.slow
def test_a_worker_without_forehead_is_named(tmp_path: Path, hands: dict[str, MatchHands]) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "solver.py").write_text("raise ModuleNotFoundError(\"No module named 'solver'\")")
    with cluster(tmp_path, workers=1) as processes:
        processes.add_worker(PYTHONPATH=str(tmp_path / "other"))
        with refused(RunError, "on every machine, but tcp://", "No module named 'solver'"):
            Cluster(hands["fresh"], processes.address).__enter__()
