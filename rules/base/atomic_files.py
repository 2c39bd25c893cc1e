"""Files written atomically: there is the whole new file, or what was there before."""

import contextlib
import os
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from rules.base.errors import OptionError

PREFIX, SUFFIX = ".forehead.", ".part"
"""Of the names of temporary files."""

_unfinished: set[str] = set()
_beginning = threading.Lock()


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str], mode: str = "w", overwrite: bool = True) -> Iterator[IO[Any]]:
    """Open a temporary file beside `path` that takes its place, and its permissions, once all is written.

    Parameters
    ----------
    path
        The file to write.
    mode
        ``w`` for UTF-8 text with newlines as given, ``wb`` for bytes.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    FileExistsError
        Where the file exists and must not be replaced.
    OSError
        Where it cannot be written.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    with _beginning:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=PREFIX, suffix=SUFFIX)
        _unfinished.add(temporary)
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with os.fdopen(handle, mode, **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        if overwrite:
            os.replace(temporary, target)
        else:
            os.link(temporary, target)  # refuses an existing file, without a moment in between
            os.unlink(temporary)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename is None:  # a full disk does not say where
            error.filename = os.fspath(path)
        raise
    finally:
        _unfinished.discard(temporary)


def drop_unfinished() -> None:
    """Remove the temporary files of this process, which must end now: no thread can begin another one."""
    _beginning.acquire()
    for temporary in tuple(_unfinished):
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def drop_leftovers(folder: Path, age: float) -> None:
    """Remove temporary files that processes which were killed have left in a directory.

    Parameters
    ----------
    folder
        Need not exist.
    age
        Seconds since the last change; what is younger may still be under way.
    """
    with contextlib.suppress(OSError):
        for path in tuple(folder.glob(f"{PREFIX}*{SUFFIX}")):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime >= age:
                    path.unlink()


def is_same(output: str | None, source: str | None) -> bool:
    """Whether what is to be written is the file that is read, which is then no stranger's."""
    return bool(output and source and os.path.exists(output) and os.path.samefile(output, source))


def writable(output: str | Path | None, force: bool, *inputs: str) -> Path | None:
    """Check an output path before any work is done.

    Parameters
    ----------
    output
        The file to write, None for none.
    force
        Whether it may exist.
    *inputs
        Files that are read, which it must not be.

    Raises
    ------
    OptionError
        Where it cannot be written.
    """
    if output is None:
        return None
    if not str(output):
        raise OptionError("expected a file to write (-o), got ''")
    path = Path(output)
    try:
        if path.exists():
            if not path.is_file():
                raise OptionError(f"cannot write {output}: it is no regular file")
            if any(os.path.samefile(path, name) for name in inputs):
                raise OptionError(f"{output} is the file that is read; write to another")
            if not force:
                raise OptionError(f"{output} exists; give --force to overwrite it")
            if not os.access(path, os.W_OK):
                raise OptionError(f"cannot write {output}: it is write-protected")
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            raise OptionError(f"cannot write {output}: there is no directory {folder}")
        with tempfile.TemporaryFile(dir=folder):
            return path
    except OSError as error:
        raise OptionError(f"cannot write {output}: {error.strerror}") from error


def replace_unchanged(path: str | os.PathLike[str], before: bytes, after: bytes) -> bool:
    """Replace what a file holds, unless it no longer holds what it did when it was read.

    Of several processes that replace the same bytes at once, one does and the others find the file changed.

    Parameters
    ----------
    path
        A file that may be written.
    before, after
        What it held when it was read, and what it is to hold.

    Returns
    -------
    bool
        Whether it still held `before` and was replaced.

    Raises
    ------
    OSError
        Where it cannot be read or written, or does not exist any more.
    """
    with _locked(path) as held:
        if held != before:
            return False
        with replaced(path, "wb") as file:
            file.write(after)
        return True


@contextlib.contextmanager
def _locked(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Lock a file against others who want to replace it, and yield what it holds."""
    if sys.platform == "win32":  # an open file cannot be replaced there, so the comparison must do
        yield Path(path).read_bytes()
        return
    import fcntl

    while True:
        with open(path, "rb+") as file:
            with contextlib.suppress(OSError):  # where a network drive has no locks, the comparison must do
                fcntl.flock(file, fcntl.LOCK_EX)
            # Whoever waited may hold the lock of a file that has been replaced meanwhile.
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                yield file.read()
                return


def _mode(path: Path) -> int:
    """Return the permissions of a file, or those of a new one."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
