"""Match logs of every kind, and their reports."""

from pathlib import Path

import pytest

from rules.play.log import MatchLog
from tests.support.commands import good

LOGS = {
    "poker": (
        "indian-poker", "10,10", "me",
        ("mine 4  theirs 9  history b1 c", "mine 1  theirs 4  history b1 f", "mine 5  theirs 5  history b1 c"),
    ),
    "board": (
        "indian-holdem", "6,6", "opp",
        ("mine 4  theirs 9  board 2,7  history b1 c", "mine 5  theirs 6  board 4,4  history b1 r1 f"),
    ),
    "sides": (
        "double-sided", "5,5", "opp",
        ("mine 3/7  theirs 8/?  history front:b1 back:r1 f", "mine 5/6  theirs 2/9  history front:b1 back:c"),
    ),
    "won": ("indian-poker", "2,2", "me", ("mine 9  theirs 4  history allin c",)),
}  # fmt: skip
"""Logs by name: game, stacks, who bets first, and the hands."""


def kept(name: str, folder: Path) -> Path:
    """Write a log."""
    game, stacks, first, hands = LOGS[name]
    path = folder / f"{name}.log"
    lines = ["forehead match log 1", f"game {game}", f"stacks {stacks}", f"first {first}", *hands]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folders of reports of all logs."""
    folder = tmp_path_factory.mktemp("logs")
    for name in LOGS:
        good("report", "--log", kept(name, folder), "--gap", "0.02", "-o", folder / name)
    return {name: folder / name for name in LOGS}


def log_of(made: dict[str, Path], name: str) -> MatchLog:
    return MatchLog.read(made[name].parent / f"{name}.log")
