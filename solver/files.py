"""Files written atomically: there is the whole new file, or what was there before."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str], mode: str = "w", overwrite: bool = True) -> Iterator[IO[Any]]:
    """Open a temporary file beside `path` that takes its place once all is written.

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
    target = Path(path)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with os.fdopen(handle, mode, **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        if overwrite:
            os.replace(temporary, target)
        else:
            os.link(temporary, target)  # refuses an existing file, without a moment in between
            os.unlink(temporary)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
