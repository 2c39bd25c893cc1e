"""Arrays in an ``.npz``: written and digested in pieces, read as a whole, or mapped into memory."""

import contextlib
import hashlib
import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rules.base.atomic_files import replaced
from rules.base.errors import SolutionFileError

COPIED = 2**24
"""Bytes of a temporary file that are copied at a time."""

_LOCAL_HEADER = struct.Struct("<26x2H")
"""What stands before a member of a zip, its name and its extra field; it ends with their lengths."""


class OnDisk:
    """A float32 array in a temporary file, for what is found piece by piece; zeros at first.

    Parameters
    ----------
    folder
        Where the file is made; it has no name there, and goes with this.
    shape
        Classes, rows and width.
    """

    dtype = np.dtype(np.float32)

    def __init__(self, folder: Path, shape: tuple[int, int, int]) -> None:
        self.shape = shape
        self._size = int(np.prod(shape)) * self.dtype.itemsize
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed by `__exit__`)
        self._file.truncate(self._size)

    def __enter__(self) -> "OnDisk":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def put(self, index: int, rows: slice, values: NDArray[np.floating[Any]]) -> None:
        """Write rows of one class; columns that are not given become 0."""
        whole = np.zeros((len(values), self.shape[2]), dtype=self.dtype)
        whole[:, : values.shape[1]] = values
        self._file.seek((index * self.shape[1] + rows.start) * self.shape[2] * self.dtype.itemsize)
        self._file.write(whole.data)

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes in order."""
        self._file.seek(0)
        while piece := self._file.read(COPIED):
            yield piece


Array = NDArray[Any] | OnDisk


def digest(array: Array) -> str:
    """Return the checksum of an array: of its type, its shape, then its bytes."""
    found = hashlib.sha256(f"{array.dtype.str} {array.shape} ".encode())
    for piece in array.pieces() if isinstance(array, OnDisk) else (np.ascontiguousarray(array).data,):
        found.update(piece)
    return found.hexdigest()


def write(file: IO[bytes], arrays: Mapping[str, Array], compressed: bool = False) -> None:
    """Write arrays by name; the same arrays give the same bytes."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"{name}.npy")  # one of its own has a fixed date
            info.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
            with archive.open(info, "w", force_zip64=True) as member:
                if isinstance(array, OnDisk):
                    described = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape}
                    np.lib.format.write_array_header_1_0(member, described)
                    for piece in array.pieces():
                        member.write(piece)
                else:
                    np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def header_array(header: Mapping[str, Any]) -> NDArray[np.uint8]:
    """Return a header, with its checksum, as it is written: the array ``header`` of bytes."""
    whole = {**header, "checksum": header_digest(header)}
    return np.frombuffer(json.dumps(whole, allow_nan=False).encode(), dtype=np.uint8)


@dataclass(frozen=True)
class Format:
    """A kind of file: arrays by name, and a header that says what it is and holds their checksums.

    Parameters
    ----------
    name, version
        What the fields ``format`` and ``version`` of a header say.
    what
        What such a file is called in errors: "solution file".
    compressed
        Whether arrays are.
    """

    name: str
    version: int
    what: str
    compressed: bool = False

    def header(self, fields: Mapping[str, Any], arrays: Mapping[str, Array]) -> dict[str, Any]:
        """Return a header with its own fields, in this order, between those that all have."""
        digests = {name: digest(array) for name, array in arrays.items()}
        return {"format": self.name, "version": self.version, **fields, "arrays": digests}

    def write(self, file: IO[bytes], fields: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Write to an open file; the same fields and arrays give the same bytes."""
        write(file, {"header": header_array(self.header(fields, arrays)), **arrays}, self.compressed)

    def save(
        self, path: str | os.PathLike[str], fields: Mapping[str, Any], arrays: Mapping[str, Array], overwrite: bool
    ) -> None:
        """Write a file, atomically: there is the whole file or none.

        Raises
        ------
        FileExistsError
            Where the file exists and `overwrite` is False.
        OSError
            Where it cannot be written.
        """
        with replaced(path, "wb", overwrite) as file:
            self.write(file, fields, arrays)

    def read_header(self, archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
        """Read a header and check it; `name` is that of the file, for errors.

        Raises
        ------
        SolutionFileError
            Where it cannot be read, says something else, or has another checksum.
        """
        header = _header(archive)
        if header is None:
            raise SolutionFileError(f"{name} is no {self.what}: it has no readable header")
        if header.get("format") != self.name:
            raise SolutionFileError(f"{name} is no {self.what}: its header names another format")
        if header.get("version") != self.version:
            raise SolutionFileError(
                f"{name} has format version {header.get('version')}, this forehead reads version {self.version}: "
                "make it anew"
            )
        if header.get("checksum") != header_digest(header):
            raise SolutionFileError(f"{name} is damaged: its header does not match its checksum")
        return header

    def read(
        self, file: IO[bytes], name: str, wanted: Sequence[str] = (), optional: Sequence[str] = ()
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Read a header, and arrays with the checksums that it has of them; `optional` ones where it names them.

        Raises
        ------
        SolutionFileError
            Where the header or an array is not what it should be.
        """
        with reading(name, self.what), zipfile.ZipFile(file) as members:
            header = self.read_header(members, name)
            names = [*wanted, *(one for one in optional if one in header["arrays"])]
            return header, {one: read(members, one, header["arrays"][one], name) for one in names}


def has_format(path: str | os.PathLike[str], form: str) -> bool:
    """Whether the header of a file says so; False for whatever cannot be read."""
    try:
        return format_of(path) == form
    except OSError:
        return False


@contextlib.contextmanager
def reading(name: str, what: str) -> Iterator[None]:
    """Turn whatever damaged bytes lead to into a `SolutionFileError`; `what` the file should be, for its message."""
    try:
        yield
    except SolutionFileError:
        raise
    except Exception as error:  # zipfile, numpy and json raise nearly anything over damaged bytes
        raise SolutionFileError(f"{name} is no {what}, or is damaged ({error})") from error


def format_of(path: str | os.PathLike[str]) -> str:
    """Return what the header of a file says it is; "" where it has none.

    Raises
    ------
    OSError
        Where it cannot be read.
    """
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                header = _header(archive)
        except (zipfile.BadZipFile, NotImplementedError, EOFError):
            return ""
    return str(header.get("format", "")) if header is not None else ""


def _header(archive: zipfile.ZipFile) -> dict[str, Any] | None:
    """Return a header, or None where there is none that can be read."""
    try:
        with archive.open("header.npy") as member:
            header = json.loads(np.lib.format.read_array(member, allow_pickle=False).tobytes().decode())
    except (KeyError, ValueError, zipfile.BadZipFile, zlib.error):
        return None
    return header if isinstance(header, dict) else None


def header_digest(header: Mapping[str, Any]) -> str:
    """Return the checksum of a header, which goes into it."""
    content = {key: value for key, value in header.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, allow_nan=False).encode()).hexdigest()


def read(archive: zipfile.ZipFile, key: str, expected: str, name: str) -> NDArray[Any]:
    """Read an array.

    Parameters
    ----------
    expected
        Its checksum.
    name
        Of the file, for errors.

    Raises
    ------
    SolutionFileError
        Where it is not there, is no array, or has another checksum.
    """
    try:
        with archive.open(f"{key}.npy") as member:
            array = np.lib.format.read_array(member, allow_pickle=False)
    except (KeyError, ValueError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise SolutionFileError(f"{name} is damaged: its {key} cannot be read ({error})") from error
    if digest(array) != expected:
        raise SolutionFileError(f"{name} is damaged: its {key} does not match its checksum")
    found: NDArray[Any] = array  # whoever asks checks the type
    return found


def mapped(file: IO[bytes], archive: zipfile.ZipFile, key: str, expected: str, name: str) -> NDArray[Any]:
    """Map an array into memory, so that what is not asked for is not read; its checksum is not compared.

    A compressed one cannot be mapped, and is read.

    Parameters
    ----------
    file
        Which the archive is in.
    expected, name
        As `read` takes them.

    Raises
    ------
    SolutionFileError
        Where it is not there or is no array.
    """
    try:
        member = archive.getinfo(f"{key}.npy")
        if member.compress_type != zipfile.ZIP_STORED:
            return read(archive, key, expected, name)
        file.seek(member.header_offset)
        lengths = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        begin = member.header_offset + _LOCAL_HEADER.size + sum(lengths)
        file.seek(begin)
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("its header is of another version")
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
        size = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if by_columns or dtype.hasobject or file.tell() - begin + size != member.file_size:
            raise ValueError("it is not what its header says")
        return np.memmap(file, dtype, "r", file.tell(), shape)
    except (KeyError, ValueError, struct.error, OSError) as error:
        raise SolutionFileError(f"{name} is damaged: its {key} cannot be read ({error})") from error


MULTIPLAYER_FORMAT = "forehead-table-solution"
SAMPLED_FORMAT = "forehead-sampled-solution"
"""What a `solver.mccfr.solution` says it is; that file is named here, since reading one needs the kernels."""


def is_table_file(path: str | os.PathLike[str]) -> bool:
    """Say whether a file is a solution of more than two players; False for whatever else it is."""
    return has_format(path, MULTIPLAYER_FORMAT)


def is_sampled_file(path: str | os.PathLike[str]) -> bool:
    """Say whether a file is a solution by sampling; False for whatever else it is."""
    return has_format(path, SAMPLED_FORMAT)
