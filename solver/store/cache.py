"""Solutions kept between commands in the user's cache directory, so that a second question is a look-up.

A file's name is a digest of the hand, of the version of forehead and of the format. Files that are damaged,
foreign or of another version are as good as none. Every file is written whole or not at all, so that several
processes may share the directory.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from rules.base.atomic_files import drop_leftovers
from rules.base.errors import OptionError, SolutionFileError
from rules.base.parsing import whole
from rules.games.match_spec import MatchSpec
from rules.games.spec import HandSpec
from solver.match.table import FORMAT as TABLE_FORMAT
from solver.match.table import Heading, MatchTable, read_heading
from solver.match.table import load as load_table
from solver.solutions.solution import FORMAT, Solution, load
from solver.two_player.memory import human

LIMIT = 500
"""Megabytes (of a million bytes) that the cache may take where FOREHEAD_CACHE_MB does not say; 0 is no cache."""

LEFTOVER = 3600.0
"""Seconds after which nobody is still writing a temporary file."""

_NAME = re.compile(r"(match-)?[0-9a-f]{32}\.npz")
"""Of solutions, and of match tables."""

_TABLES = "match-"

KINDS = ("solution", "match table")
"""What a cache keeps."""


def directory() -> Path:
    """Return where the cache lives: FOREHEAD_CACHE_DIR, or a folder in the user's cache directory."""
    if given := os.environ.get("FOREHEAD_CACHE_DIR"):
        return Path(given)
    home = Path(os.path.expanduser("~"))
    if not home.is_absolute():  # HOME is unset and the user is in no list, as in some containers
        home = Path(os.sep)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "forehead" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "forehead"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else home / ".cache") / "forehead"


def limit() -> int:
    """Return how many bytes the cache may take.

    Raises
    ------
    OptionError
        Where FOREHEAD_CACHE_MB is no whole number of at least 0.
    """
    given = os.environ.get("FOREHEAD_CACHE_MB") or LIMIT
    megabytes = whole(given, "FOREHEAD_CACHE_MB")
    if megabytes < 0:
        raise OptionError(f"expected FOREHEAD_CACHE_MB to be at least 0, which keeps nothing, got {given}")
    return megabytes * 10**6


class Entry(NamedTuple):
    """A file in the cache, its size in bytes, and what it holds: a solution, a match table, or nothing readable."""

    path: Path
    size: int
    solution: Solution | None
    table: Heading | None = None

    @property
    def kind(self) -> str:
        """What the file is by its name: "solution" or "match table"."""
        return KINDS[self.path.name.startswith(_TABLES)]


class Cache:
    """A directory of solutions and match tables; it is made when the first one is kept.

    Parameters
    ----------
    folder
        By default `directory`.
    most
        Bytes that all files together may have; by default `limit`.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, most: int | None = None) -> None:
        self.folder = directory() if folder is None else Path(folder)
        self.most = limit() if most is None else most

    def find(self, spec: HandSpec, gap: float) -> Solution | None:
        """Return a solution of a hand within a gap, NashConv in the unit of the objective."""
        if not self.most:
            return None
        path = self._path(spec)
        try:
            solution = load(path)
        except (OSError, SolutionFileError):
            return None
        same = solution.spec.to_dict() == spec.to_dict() and solution.spec.depends == spec.depends
        if not same or solution.nash_conv > gap:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # what is used stays
        return solution

    def keep(self, solution: Solution) -> None:
        """Keep a solution, and drop those that were not used for the longest time where there are too many.

        Raises
        ------
        OSError
            Where it cannot be written, or is larger than all may be together.
        """
        drop_leftovers(self.folder, LEFTOVER)
        bare = replace(solution, state={})
        size = sum(array.nbytes for array in bare.arrays.values())
        if size <= self.most:
            path = self._path(solution.spec)
            self.folder.mkdir(parents=True, exist_ok=True)
            bare.save(path)
            size = path.stat().st_size  # with the header
            if size > self.most:
                path.unlink(missing_ok=True)
        self._evict()
        if size > self.most:
            raise OSError(errno.EFBIG, f"it takes {human(size)}, and FOREHEAD_CACHE_MB allows {human(self.most)}")

    def find_table(self, match: MatchSpec, deck_model: str) -> tuple[Heading, Callable[[], MatchTable]] | None:
        """Return what a match table is of and what reads it.

        Parameters
        ----------
        match
            The first hand, as `solver.match.table.at_start` has it.
        """
        path = self._path_of_table(match, deck_model)
        try:
            table = load_table(path)  # all of it, for what is damaged is as good as none
        except (OSError, SolutionFileError):
            return None
        if not self.most or table.spec != match or table.deck_model != deck_model:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return table.heading, lambda: table

    def tables(self) -> Iterator[tuple[Heading, Callable[[], MatchTable]]]:
        """Yield what every match table is of and what reads it."""
        with contextlib.suppress(OSError):  # of a folder that cannot be read
            for path, _, _ in self._files():
                if path.name.startswith(_TABLES):
                    with contextlib.suppress(OSError, SolutionFileError):
                        yield _heading(path), partial(load_table, path)

    def keep_table(self, table: MatchTable) -> None:
        """Keep a match table, unless nothing is kept.

        Raises
        ------
        OSError
            Where it cannot be written, so that it will have to be made again.
        """
        drop_leftovers(self.folder, LEFTOVER)
        if self.most:
            self.folder.mkdir(parents=True, exist_ok=True)
            table.save(self._path_of_table(table.spec, table.deck_model))
        self._evict()

    def entries(self) -> list[Entry]:
        """Return what is in the cache, last used first."""
        found = []
        for path, size, _ in sorted(self._files(), key=lambda file: (-file[2], file[0])):
            try:
                if path.name.startswith(_TABLES):
                    found.append(Entry(path, size, None, load_table(path).heading))
                else:
                    found.append(Entry(path, size, load(path)))
            except (OSError, SolutionFileError):
                found.append(Entry(path, size, None))
        return found

    def clear(self) -> tuple[int, int]:
        """Remove everything that was kept, half-written files too; other files stay.

        Returns
        -------
        solutions, tables
            How many solutions and how many match tables there were, those that cannot be read among them.
        """
        removed = [0, 0]
        drop_leftovers(self.folder, 0.0)
        for path, _, _ in self._files():
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
                removed[path.name.startswith(_TABLES)] += 1
        return removed[0], removed[1]

    def _path_of_table(self, match: MatchSpec, deck_model: str) -> Path:
        return self.folder / f"{_TABLES}{_digest([_release(), TABLE_FORMAT.version, match.to_dict(), deck_model])}.npz"

    def _path(self, spec: HandSpec) -> Path:
        what = [spec.to_dict(), spec.depends] if spec.depends else [spec.to_dict()]
        return self.folder / f"{_digest([_release(), FORMAT.version, *what])}.npz"

    def _files(self) -> Iterator[tuple[Path, int, int]]:
        """Yield each solution's path, bytes and time of the last use; another process may remove one meanwhile."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for path in sorted(self.folder.iterdir()):
                with contextlib.suppress(FileNotFoundError):
                    if _NAME.fullmatch(path.name) and path.is_file():
                        status = path.stat()
                        yield path, status.st_size, status.st_mtime_ns

    def _evict(self) -> None:
        files = sorted(self._files(), key=lambda file: (file[2], file[0]))
        size = sum(one for _, one, _ in files)
        for path, one, _ in files:
            if size <= self.most:
                break
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            size -= one


def _release() -> str:
    try:
        return version("forehead")
    except PackageNotFoundError:
        return ""


def _digest(what: list[Any]) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def _heading(path: Path) -> Heading:
    with path.open("rb") as file:
        return read_heading(file, os.fspath(path))
