"""What has been found on the way to a match table, in a file that survives whatever ends the run.

A record is its length, its checksum and its bytes, written at once and behind the others. The first says what is
being solved and with which versions; each other one holds a piece of work. What a run that was killed had begun
to write is cut off. The file keeps the pieces of all sweeps, so that a run that goes on computes what it
would have computed without a break: the same table to the last bit.
"""

import contextlib
import io
import json
import os
import struct
import sys
import threading
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

import numpy as np

from rules.base.errors import RunError
from rules.base.versions import versions
from rules.games.match_spec import MatchSpec
from solver.match.hands import Batch, BatchResult
from solver.match.table import at_start

SUFFIX = ".part"
"""Added to the name of the table."""
MAGIC = b"forehead match journal\n"
FORMAT = 2

SYNC = 5.0
"""Seconds after which what was written is on the disk at the latest."""

LEVEL = 1
"""How hard records are compressed: where hands lead is mostly zeros."""

UNREADABLE = (ValueError, EOFError, struct.error, zlib.error)
"""What records lead to that are whole but are something else."""

_FRAME = struct.Struct("<II")
"""Length and checksum of a record."""
_KEY = struct.Struct("<6q")
"""Sweep, level, cap, start and end of a piece, and the iterations it took."""


class Place(NamedTuple):
    """Where a record stands, without its frame."""

    start: int
    length: int


class Journal:
    """Pieces of a match that have been solved; to be used as a context, which opens the file and locks it.

    Parameters
    ----------
    path
        Where it is kept; see `beside`.
    spec, deck_model, gap
        What is being solved.
    """

    def __init__(self, path: str | os.PathLike[str], spec: MatchSpec, deck_model: str, gap: float) -> None:
        self.path = Path(path)
        header = {
            "format": FORMAT,
            **at_start(spec).to_dict(),
            "deck model": deck_model,
            "gap": gap,
            **{name: versions()[name] for name in ("forehead", "numpy", "numba")},
        }
        self._header: dict[str, Any] = json.loads(json.dumps(header))
        self._places: dict[tuple[int, ...], Place] = {}
        self._file: IO[bytes] | None = None
        self._begun = len(MAGIC + self._first)
        self._closing = threading.Event()
        self._syncing = threading.Thread(target=self._sync, name="journal", daemon=True)

    @property
    def _first(self) -> bytes:
        """The first record: what is being solved."""
        return _framed(json.dumps(self._header).encode())

    @property
    def pieces(self) -> int:
        """How many an earlier run has left."""
        return len(self._places)

    @property
    def holds(self) -> bool:
        """Whether there is anything to go on from; only while it is open."""
        return self._file is not None and os.fstat(self._file.fileno()).st_size > self._begun

    def __enter__(self) -> Self:
        """Open the file, or begin one.

        Raises
        ------
        RunError
            Where another process is at it, or it is of something else.
        OSError
            Where it cannot be read or written.
        """
        self._file = _locked(self.path)
        try:
            self._read(self._file)
        except BaseException:
            self._file.close()
            raise
        self._syncing.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Keep it for a run that goes on later; remove it where there is nothing to go on from."""
        assert self._file is not None
        self._closing.set()
        self._syncing.join()
        if not self._file.closed and not self.holds:
            self.remove()
        if not self._file.closed:
            with self._file:
                os.fsync(self._file.fileno())

    def get(self, sweep: int, piece: Batch) -> BatchResult | None:
        """Return what an earlier run found."""
        place = self._places.get((sweep, *_numbers(piece)))
        if place is None or self._file is None:
            return None
        self._file.seek(place.start)
        with contextlib.suppress(*UNREADABLE):  # then it is solved again
            return _found(zlib.decompress(self._file.read(place.length)))
        return None

    def put(self, sweep: int, piece: Batch, found: BatchResult) -> None:
        """Write what was found."""
        assert self._file is not None
        key = _KEY.pack(sweep, *_numbers(piece), found.iterations)
        record = io.BytesIO(key)
        record.seek(len(key))
        for array in (found.bounds, *found.leads):
            np.lib.format.write_array(record, array, allow_pickle=False)
        self._append(_framed(zlib.compress(record.getvalue(), LEVEL)))

    def remove(self) -> None:
        """Remove the file of a run that is finished, or that ends where every other would."""
        assert self._file is not None
        if sys.platform == "win32":  # where an open file cannot be removed
            self._file.close()
        self.path.unlink(missing_ok=True)
        self._file.close()

    def _read(self, file: IO[bytes]) -> None:
        """Find what there is, and cut off what is not whole."""
        start = file.read(len(MAGIC))
        if not MAGIC.startswith(start):
            raise self._foreign()
        records = _records(file) if start == MAGIC else iter(())
        place, header = next(records, (Place(0, 0), None))
        try:
            begun = {} if header is None else json.loads(header)
            if not isinstance(begun, dict):
                raise self._foreign()
            for place, record in records:
                key = _KEY.unpack(zlib.decompressobj().decompress(record, _KEY.size))
                self._places[key[:-1]] = place
        except UNREADABLE as error:
            raise self._foreign() from error
        if not self._places:  # killed, or refused, before anything was solved
            file.truncate(0)
            self._append(MAGIC + self._first)
            return
        self._check(begun)
        file.truncate(place.start + place.length)

    def _foreign(self) -> RunError:
        return RunError(
            f"expected {self.path} to be the journal of a match that is being solved, but it is something else; "
            "move it away, or write the table to another file (-o)"
        )

    def _append(self, content: bytes) -> None:
        """Write at the end, all of it at once if the system is able to."""
        assert self._file is not None
        self._file.seek(0, os.SEEK_END)
        try:
            while content:
                content = content[self._file.write(content) :]
        except OSError as error:
            error.filename = os.fspath(self.path)  # a full disk does not say where
            raise

    def _check(self, header: Mapping[str, Any]) -> None:
        """Refuse the journal of something else."""
        other = [
            f"{name} {_shown(header.get(name))} and not {_shown(value)}"
            for name, value in self._header.items()
            if header.get(name) != value
        ]
        if other:
            raise RunError(
                f"{self.path} was begun with {'; '.join(other)}; go on as it was begun, remove it to begin anew, or "
                "write the table to another file (-o)"
            )

    def _sync(self) -> None:
        """See to it that what was written is soon on the disk."""
        assert self._file is not None
        while not self._closing.wait(SYNC):
            with contextlib.suppress(ValueError, OSError):  # closed meanwhile; a full disk is told of by `put`
                os.fsync(self._file.fileno())


def beside(output: str | os.PathLike[str]) -> Path:
    """Return where the journal of a table is kept."""
    return Path(os.path.realpath(output) + SUFFIX)


def _numbers(piece: Batch) -> tuple[int, ...]:
    assert not piece.picked
    return piece[:4]


def _framed(record: bytes) -> bytes:
    return _FRAME.pack(len(record), zlib.crc32(record)) + record


def _records(file: IO[bytes]) -> Iterator[tuple[Place, bytes]]:
    """Yield where whole records stand, from here on, and what they hold."""
    while len(frame := file.read(_FRAME.size)) == _FRAME.size:
        length, checksum = _FRAME.unpack(frame)
        place = Place(file.tell(), length)
        record = file.read(length)
        if len(record) < length or zlib.crc32(record) != checksum:
            return
        yield place, record


def _found(record: bytes) -> BatchResult:
    """Return what a record holds."""
    stream = io.BytesIO(record)
    *_, iterations = _KEY.unpack(stream.read(_KEY.size))
    arrays = []
    while stream.tell() < len(record):
        arrays.append(np.lib.format.read_array(stream, allow_pickle=False))
    return BatchResult(arrays[0], tuple(arrays[1:]), iterations)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _locked(path: Path) -> IO[bytes]:
    """Open a file that no other process has open here, unbuffered; make it where there is none.

    Raises
    ------
    RunError
        Where another process has it.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        file = open(handle, "r+b", buffering=0)  # noqa: SIM115 (closed by whoever asks)
        try:
            if sys.platform == "win32":
                import msvcrt

                file.seek(2**40)  # far behind the end: others may read the rest
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
                file.seek(0)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            file.close()
            raise RunError(
                f"another process is solving this match ({path}); wait for it, or write the table to another file (-o)"
            ) from error
        except OSError:
            pass  # a network drive without locks
        # Whoever had it may have finished and removed it in between.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        file.close()
