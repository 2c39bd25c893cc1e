"""Where results go: tables on stdout, and one JSON object a line, with versions and machine."""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import click

from reports.text.words import grid
from rules.base.versions import versions


@dataclass(frozen=True)
class Settings:
    """What was asked for on the command line."""

    quick: bool
    threads: int


@dataclass
class Output:
    """A file for JSON lines, or none."""

    lines: IO[str] | None

    def record(self, section: str, result: Any, **more: str) -> None:
        """Write a result, a dataclass, as one JSON line; `more` are further versions."""
        if self.lines is not None:
            where = {"section": section, "versions": versions() | more, **machine()}
            self.lines.write(json.dumps(asdict(result) | where) + "\n")
            self.lines.flush()

    @staticmethod
    def table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> None:
        """Print a table with a title above and a note below."""
        click.echo(f"{title}\n\n{grid(headers, rows, width=110)}")
        click.echo(f"\n{note}\n" if note else "")


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    found = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        found = names[0] if names else found
    return {"machine": platform.machine(), "processor": found, "cores": os.cpu_count()}


def seconds_of(run: Callable[[], Any]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def median_seconds(run: Callable[[], Any], repeats: int) -> float:
    """Return the median time of `repeats` calls, after one that is not counted."""
    run()
    return statistics.median(seconds_of(run) for _ in range(repeats))
