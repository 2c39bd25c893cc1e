"""Whoever solves the pieces of a sweep: threads of this process, or the workers of a Dask cluster.

What a piece comes to does not depend on who solves it, so that all give the same bytes where processors are of
the same kind.
"""

import gc
import json
import os
import pickle
import time
import warnings
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache, partial
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from rules.base.errors import ForeheadError, RunError
from rules.base.optional import needed
from rules.base.versions import versions
from rules.games.deck_models import DECK_MODELS
from rules.games.match_spec import MatchSpec
from rules.games.registry import from_dict
from solver.match.hands import Batch, BatchResult, MatchHands, Tables
from solver.two_player import cfr

AHEAD = 2
"""Pieces that are handed out for each thread: the one it is at, and the next."""
POLL = 0.05
"""Seconds after which one looks whether to stop."""

CONNECTING = 15.0
"""Seconds that a scheduler has to answer."""
ALONE = 60.0
"""Seconds after which a cluster without workers is given up."""
COUNTING = 2.0
"""Seconds after which the threads of a cluster are counted again."""
TRIES = 4
"""How often a piece is handed out before it is given up; each time Dask itself tries it on several workers."""


def never() -> bool:
    """Do not stop."""
    return False


class Threads:
    """Threads of this process.

    Parameters
    ----------
    hands
        The match.
    threads
        How many; by default one a processor.
    stop
        Asked many times a second; once it says True, `each` raises KeyboardInterrupt.
    """

    def __init__(self, hands: MatchHands, threads: int | None = None, stop: Callable[[], bool] = never) -> None:
        self.threads = threads or os.cpu_count() or 1
        self._hands, self._stop = hands, stop

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind: threads end with each level."""

    def each(self, pieces: list[Batch], tables: Tables, gap: float, leads: bool) -> Iterator[tuple[int, BatchResult]]:
        """Yield the number of each piece and what was found, as they are done."""
        halt = cfr.new_stop_flag()
        pool = ThreadPoolExecutor(self.threads)
        done = Done()
        waiting, under_way = iter(enumerate(pieces)), 0
        try:
            while True:
                for number, piece in islice(waiting, AHEAD * self.threads - under_way):
                    future = pool.submit(self._hands.work, piece, tables, gap, leads, halt)
                    future.add_done_callback(partial(_tell, done, number))
                    under_way += 1
                if not under_way:
                    return
                for number, one in _come(done, self._stop):
                    under_way -= 1
                    yield number, one.result()
        finally:
            halt[0] = 1
            pool.shutdown(cancel_futures=True)


Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int | None = None, stop: Callable[[], bool] = never
) -> Iterator[Result]:
    """Yield what some work makes of each item, in the order of the items, while threads are ahead a little.

    Parameters
    ----------
    threads
        How many; by default one a processor.
    stop
        Asked many times a second; once it says True, KeyboardInterrupt is raised.
    """
    number = threads or os.cpu_count() or 1
    pool, waiting, under_way = ThreadPoolExecutor(number), iter(items), deque[Future[Result]]()
    try:
        while True:
            under_way.extend(pool.submit(work, item) for item in islice(waiting, AHEAD * number - len(under_way)))
            if not under_way:
                return
            while not wait(list(under_way)[:1], POLL).done:
                if stop():
                    raise KeyboardInterrupt
            yield under_way.popleft().result()
            if stop():
                raise KeyboardInterrupt
    finally:
        pool.shutdown(cancel_futures=True)


Done = SimpleQueue[tuple[int, Any]]
"""Numbers of pieces, with the futures that are done."""


def _tell(done: Done, number: int, future: Any) -> None:
    done.put((number, future))


def _come(done: Done, stop: Callable[[], bool], patience: float = np.inf) -> list[tuple[int, Any]]:
    """Return all that has come meanwhile, at least one unless it takes more than so many seconds.

    Raises
    ------
    KeyboardInterrupt
        Once `stop` says True.
    """
    found: list[tuple[int, Any]] = []
    start = time.monotonic()
    while not found and time.monotonic() - start < patience:
        if stop():
            raise KeyboardInterrupt
        try:
            found.append(done.get(timeout=POLL))
            while True:
                found.append(done.get_nowait())
        except Empty:
            continue
    return found


class Cluster:
    """The workers of a Dask cluster; to be used as a context, which connects to it.

    A piece is a task. Whatever a worker that is killed was at, or had at hand, Dask lets another one do again;
    workers may come and go in the middle. A worker keeps the trees of a match for the pieces to come.

    Parameters
    ----------
    hands
        The match.
    address
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    stop
        Asked many times a second; once it says True, whatever is being done raises KeyboardInterrupt.

    Raises
    ------
    MissingLibraryError
        Where the extra ``cluster`` is not installed.
    RunError
        Where no scheduler answers, it has no workers, or one of them would compute something else.
    """

    def __init__(self, hands: MatchHands, address: str, stop: Callable[[], bool] = never) -> None:
        self._dask: Any = needed("distributed", "cluster")
        self._match = json.dumps([hands.spec.to_dict(), hands.model.name], sort_keys=True)
        self._address, self._stop, self._versions = address, stop, versions()
        self._client: Any = None
        self._threads, self._counted, self._seen = 0, 0.0, 0.0

    def __enter__(self) -> Self:
        """Connect, and check the workers."""
        try:
            self._client = self._answer(self._connect)
        except Exception as error:  # whatever Dask makes of what answers there instead
            raise RunError(
                f"expected a Dask scheduler at {self._address}, but none answers there ({error}); "
                "'dask scheduler' starts one, and 'dask worker ADDRESS' its workers"
            ) from error
        try:
            self._check()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @property
    def threads(self) -> int:
        """Threads of all workers, as last counted."""
        return self._threads

    def each(self, pieces: list[Batch], tables: Tables, gap: float, leads: bool) -> Iterator[tuple[int, BatchResult]]:
        """Yield the number of each piece and what was found, as they are done.

        Raises
        ------
        RunError
            Where the scheduler has gone, there have been no workers for a minute, or a piece fails again and again.
        """
        done = Done()
        waiting, tries, under_way = iter(enumerate(pieces)), [0] * len(pieces), dict[int, Any]()
        # A task of its own, and no data that is scattered: where all who hold it die, it is done again.
        sent = self._answer(lambda: self._client.submit(unpacked, packed(tables), pure=False))

        def hand_out(number: int) -> None:
            tries[number] += 1
            task = pickle.dumps(Task(self._match, self._versions, pieces[number], gap, leads))
            future = under_way[number] = self._client.submit(solve_piece, task, sent, pure=False)
            future.add_done_callback(partial(_tell, done, number))

        left = len(pieces)
        while left:
            self._count()
            for number, _ in islice(waiting, max(0, AHEAD * self._threads - len(under_way))):
                hand_out(number)
            come = dict(_come(done, self._stop, COUNTING))
            finished = [number for number, future in come.items() if future.status == "finished"]
            try:
                found = dict(zip(finished, self._gathered([come[number] for number in finished]), strict=True))
            except Exception:  # whoever held them is dead, and those who tried to find them again are too
                found = {}
            for number, future in come.items():
                if number in found:
                    del under_way[number]
                    left -= 1
                    yield number, found[number]
                else:
                    self._check_failed(future, tries[number])
                    hand_out(number)

    def _connect(self) -> Any:
        # A client that could not connect closes itself once it is collected, which must not be in the middle of the
        # start of another: both want the same lock.
        gc.collect()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other versions, of what matters here and what does not
            return self._dask.Client(self._address, timeout=CONNECTING, set_as_default=False)

    def _gathered(self, futures: list[Any]) -> list[BatchResult]:
        """Return what workers have found."""
        return list(self._answer(lambda: self._client.gather(futures))) if futures else []

    def _check_failed(self, future: Any, tries: int) -> None:
        """Raise what a piece failed with, if that is for good."""
        error = self._answer(future.exception) if future.status == "error" else None
        if isinstance(error, ForeheadError):
            raise error
        if tries >= TRIES:
            raise RunError(
                f"workers of {self._address} failed {TRIES} times at the same piece of work"
                + (f", the last time with {type(error).__name__}: {error}" if error else "")
            )

    def _count(self) -> None:
        """Count the threads of all workers, now and then."""
        now = time.monotonic()
        if now - self._counted < COUNTING:
            return
        try:
            self._threads = sum(self._answer(self._client.nthreads).values())
        except (OSError, RuntimeError) as error:
            raise RunError(f"the Dask scheduler at {self._address} does not answer any more ({error})") from error
        self._counted = time.monotonic()
        if self._threads:
            self._seen = self._counted
        elif self._counted - self._seen > ALONE:
            raise RunError(
                f"the Dask scheduler at {self._address} has had no workers for {ALONE:g} s; "
                f"'dask worker {self._address}' starts one"
            )

    def _check(self) -> None:
        """Refuse a cluster without workers, and one that would compute something else."""
        self._seen = time.monotonic()
        self._count()
        if not self._threads:
            raise RunError(
                f"the Dask scheduler at {self._address} has no workers; 'dask worker {self._address}' starts one"
            )
        said = self._answer(lambda: self._client.run(installed, on_error="return"))
        try:
            said["the scheduler"] = self._answer(lambda: self._client.run_on_scheduler(installed))
        except Exception as error:
            said["the scheduler"] = error
        for who, theirs in said.items():
            if isinstance(theirs, Exception):
                here = f"forehead {self._versions['forehead']}"
                raise RunError(f"expected {here} on every machine, but {who} says: {theirs}")
            check_versions(theirs, self._versions, who)

    def _answer(self, ask: Callable[[], Any]) -> Any:
        """Ask the scheduler something; return what it says, or raise what that raises.

        Raises
        ------
        KeyboardInterrupt
            Where one is asked to stop meanwhile.
        """
        done = SimpleQueue[tuple[Any, BaseException | None]]()

        def work() -> None:
            try:
                done.put((ask(), None))
            except BaseException as error:
                done.put((None, error))

        Thread(target=work, name="dask", daemon=True).start()
        while True:
            try:
                said, error = done.get(timeout=POLL)
            except Empty:
                if self._stop():
                    raise KeyboardInterrupt from None
                continue
            if error is not None:
                raise error
            return said

    def _close(self) -> None:
        Thread(target=self._client.close, name="dask", daemon=True).start()


class Task(NamedTuple):
    """What a worker is told: the match, as `remembered` takes it, who sends it, and what `MatchHands.work` takes."""

    match: str
    versions: Mapping[str, str]
    piece: Batch
    gap: float
    leads: bool


def solve_piece(task: bytes, tables: Tables) -> BatchResult:
    """Solve a piece in a worker; `task` is a pickled `Task`, so that Dask leaves it in one piece."""
    told: Task = pickle.loads(task)
    with _BUILDING:  # once, whatever other threads of this worker are about to do
        check_versions(own_versions(), told.versions, "a worker")
        hands = remembered(told.match)
        hands.cap(told.piece.cap), hands.level(told.piece.level)
    return hands.work(told.piece, tables, told.gap, told.leads)


_BUILDING = Lock()


def installed() -> dict[str, str]:
    """Return the versions here: a worker that has no forehead cannot even be asked."""
    return versions()


own_versions = lru_cache(versions)
"""The versions that this worker has."""


@lru_cache(maxsize=1)
def remembered(match: str) -> MatchHands:
    """Return the hands of a match, given as JSON: its spec and the name of its deck model."""
    described, model = json.loads(match)
    spec = from_dict(described)
    assert isinstance(spec, MatchSpec)
    return MatchHands(spec, DECK_MODELS[model](spec))


def packed(tables: Tables) -> bytes:
    """Return tables in few bytes."""
    return zlib.compress(pickle.dumps(tables), 1)


def unpacked(tables: bytes) -> Tables:
    """Return the tables again."""
    found: Tables = pickle.loads(zlib.decompress(tables))
    return found


def check_versions(theirs: Mapping[str, str], ours: Mapping[str, str], who: str) -> None:
    """Refuse other versions.

    Raises
    ------
    RunError
        Where a version differs, naming all that do.
    """
    other = [f"{name} {theirs.get(name)} and not {ours[name]}" for name in ours if theirs.get(name) != ours[name]]
    if other:
        raise RunError(f"{who} has {', '.join(other)}; install the same versions everywhere")
