"""How long a person waits: whole processes, from their start to their end.

"Cold" is the first solve in a fresh environment, which compiles; everything else finds the compiled code. Medians.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.output import Output, Settings, seconds_of

SOLVE = ("solve", "indian-poker", "--seen", "1,4,4,9", "--stacks", "12,8", "-o", "deck.npz", "--force")
WARM = {
    "solve, warm": SOLVE,
    "advise --from, warm": ("advise", "--from", "deck.npz", "--see", "6", "--history", "b1", "--seed", "7"),
    "show, warm": ("show", "deck.npz"),
    "--help": ("--help",),
}


@dataclass(frozen=True)
class Result:
    """What a command took, as a process of its own."""

    command: str
    line: str
    runs: int
    seconds: float


def call(line: tuple[str, ...], folder: Path, compiled: Path) -> float:
    """Run a command to its end and return its seconds."""
    # Modules are found where they are now, whatever folder the command runs in.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    places = {"NUMBA_CACHE_DIR": str(compiled), "FOREHEAD_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": paths}
    command = [sys.executable, "-m", "cli", *line]

    def process() -> None:
        subprocess.run(command, cwd=folder, env={**os.environ, **places}, check=True, capture_output=True)

    return seconds_of(process)


def run(output: Output, settings: Settings) -> None:
    """Measure the commands and print them."""
    cold_runs, warm_runs = (1, 1) if settings.quick else (3, 5)
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cold = [call(SOLVE, folder, folder / f"compiled-{place}") for place in range(cold_runs)]
        results.append(Result("solve, cold", " ".join(SOLVE), cold_runs, round(statistics.median(cold), 3)))
        for command, line in WARM.items():
            times = [call(line, folder, folder / "compiled-0") for _ in range(warm_runs)]
            results.append(Result(command, " ".join(line), warm_runs, round(statistics.median(times), 3)))
    for result in results:
        output.record("start", result)
    rows = [(one.command, str(one.runs), f"{one.seconds:.2f}", one.line) for one in results]
    output.table("start: whole processes", ("command", "runs", "s", "line"), rows)
