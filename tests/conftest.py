"""Solved files that several test modules read, and kernels that are compiled from the sources there are."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import end_children, good
from tests.stale_code import drop_stale_code

SOLVED = {
    "deck": "indian-poker --seen 1,4,4,9 --stacks 12,8 --gap 0.05",
    "board": "indian-holdem --board 4,9 --stacks 6,6 --gap 0.05",
    "boards": "indian-holdem --stacks 4,4 --gap 0.1",
    "fronts": "double-sided --fronts 3,8 --shown 3/7,4/2 --stacks 6,6 --gap 0.05",
    "pairs": "double-sided --shown 3/7,8/2 --hidden 5,9 --stacks 2,3 --gap 0.1",
    "bluff": "blind-mans-bluff --gap 0.05",
    "suits": "blind-mans-bluff --rank-suits --gap 0.1",
    "showdown": "indian-poker --stacks 1,5",
    "one-rank": "indian-poker --left 0,0,0,0,0,0,0,0,0,2 --stacks 4,4",
    "two-cards": "indian-poker --left 0,0,1,0,0,0,0,0,0,1 --stacks 4,4",
    "sides": "double-sided --fronts 3,8 --stacks 1,8",
    "exact": "indian-poker --stacks 4,4 --method lp",
    "nothing": "indian-poker --stacks 4,4 --max-iterations 0",
}
"""Commands by the name of the file that they make; every kind of hand, the odd ones too."""


def pytest_configure(config: pytest.Config) -> None:
    """Test no code of yesterday; once, before workers start."""
    if not hasattr(config, "workerinput"):
        drop_stale_code()


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
