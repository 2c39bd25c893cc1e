"""How the cost grows with the work: time for an iteration and peak memory, over four orders of magnitude.

Work is the number of pairs of an action and an observation. Each size runs in a process of its own, so that its peak
is its own; the exponent is the slope of a line through the logarithms.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.output import Output, Settings
from benchmarks.speed import per_iteration
from rules import hand
from solver.two_player import cfr, memory
from solver.two_player.payoffs import prepare

STACKS = (10, 12, 15, 18, 20, 23, 25, 28, 30)
QUICK_STACKS = (10, 15, 18)


@dataclass(frozen=True)
class Result:
    """What one size takes; the estimate is what is printed before a solve."""

    hand: str
    pairs: int
    ms_per_iteration: float
    peak_mb: float
    estimated_mb: float


def measure(stack: int) -> Result:
    """Measure one size, in this process."""
    spec = hand("indian-poker", stacks=f"{stack},{stack}")
    game = prepare(spec)
    seconds = per_iteration(game, 5)
    cfr.run(game, gap=1e-9, max_iterations=20, threads=1).states(last=True)
    estimated = memory.plan(spec).memory / 1e6
    pairs = len(game.tree.child) * game.width
    return Result(
        f"indian-poker {stack}/{stack}", pairs, round(1e3 * seconds, 5), round(peak_mb(), 1), round(estimated, 1)
    )


def peak_mb() -> float:
    """Return the most memory that this process has had, in millions of bytes."""
    if sys.platform == "win32":  # which psutil knows better
        import psutil

        return float(psutil.Process().memory_info().peak_wset) / 1e6
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says on Linux is at least the peak of the process that started this one
        found = re.search(r"^VmHWM:\s+(\d+) kB$", status.read_text(), re.M)
        if found is not None:
            return int(found[1]) * 1024 / 1e6
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def exponent(work: Sequence[float], cost: Sequence[float]) -> float:
    """Return the power of the work that the cost grows with."""
    return float(np.polyfit(np.log(work), np.log(cost), 1)[0])


def run(output: Output, settings: Settings) -> None:
    """Measure all sizes and print them."""
    results = []
    for stack in QUICK_STACKS if settings.quick else STACKS:
        line = [sys.executable, "-m", "benchmarks.scaling", str(stack)]
        found = subprocess.run(line, check=True, capture_output=True, text=True)
        results.append(Result(**json.loads(found.stdout)))
        output.record("scaling", results[-1])
    rows = [
        (one.hand, f"{one.pairs:,}", f"{one.ms_per_iteration:.4g}", f"{one.peak_mb:.0f}", f"{one.estimated_mb:.0f}")
        for one in results
    ]
    power = exponent([one.pairs for one in results], [one.ms_per_iteration for one in results])
    note = f"time grows with the {power:.2f}th power of the work; MB are a million bytes, the process included"
    output.table("scaling", ("hand", "pairs", "ms/iteration", "peak MB", "estimated"), rows, note)


if __name__ == "__main__":
    from dataclasses import asdict

    print(json.dumps(asdict(measure(int(sys.argv[1])))))
