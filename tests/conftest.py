"""Solved files that several test modules read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import SOLVED, end_children, good


@pytest.fixture(autouse=True)
def _no_process_outlives_its_test() -> Iterator[None]:
    yield
    end_children()


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a solution for each name of `SOLVED`; nobody may write into it."""
    folder = tmp_path_factory.mktemp("solved")
    for name, line in SOLVED.items():
        good("solve", *line.split(), "-o", folder / f"{name}.npz")
    return folder
