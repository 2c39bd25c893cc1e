"""Solution files read and written by hand, to be forged."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rules.base.errors import SolutionFileError
from rules.games.registry import hand
from solver import Solution, load, solve


def small_solution() -> Solution:
    """Solve a hand whose file has a few kilobytes."""
    return solve(hand("indian-poker", stacks="3,3", left="1,1,0,0,0,0,0,0,1,1"), gap=1e-2)


def same(solution: Solution, other: Solution) -> None:
    """Check that two solutions agree to the last bit."""
    assert solution.spec.to_dict() == other.spec.to_dict()
    assert solution.strategies.tobytes() == other.strategies.tobytes()
    assert solution.strategies.shape == other.strategies.shape
    assert solution.qualities == other.qualities
    assert solution.provenance == other.provenance
    assert solution.state.keys() == other.state.keys()
    for name, array in solution.state.items():
        assert array.tobytes() == other.state[name].tobytes()


def digest(array: NDArray[Any]) -> str:
    """Return an array's checksum as the format has it: type, shape, then the bytes."""
    return hashlib.sha256(f"{array.dtype.str} {array.shape} ".encode() + array.tobytes()).hexdigest()


def sealed(header: dict[str, Any]) -> dict[str, Any]:
    """Return the header with its checksum renewed."""
    content = {key: value for key, value in header.items() if key != "checksum"}
    return content | {"checksum": hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()}


def read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    return json.loads(arrays.pop("header").tobytes()), arrays


def write(path: Path, header: object, arrays: dict[str, NDArray[Any]]) -> None:
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, header=text, **arrays)


def forged(path: Path, edit: Callable[[dict[str, Any], dict[str, NDArray[Any]]], Any]) -> Path:
    """Edit a file's header and arrays, and renew every checksum."""
    header, arrays = read(path)
    edit(header, arrays)
    header["arrays"] = {name: digest(array) for name, array in arrays.items()}
    write(path, sealed(header), arrays)
    return path


def refused(path: Path, match: str = "", with_state: bool = False) -> None:
    """Expect a SolutionFileError in one line that names the file."""
    with pytest.raises(SolutionFileError, match=match or None) as caught:
        load(path, with_state)
    assert type(caught.value) is SolutionFileError
    assert str(path) in str(caught.value)
