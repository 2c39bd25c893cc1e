"""What whole matches of double-sided poker take, from a few hands of each cap: how to size a cluster.

Each match is measured in a process of its own. Processor time, so that neighbours do not count.
"""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass

from benchmarks.output import Output, Settings
from rules.games.deck_models import DECK_MODELS
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from solver.match.estimate import SWEEPS, expected_hand_gap, memory_needed, sampled
from solver.match.hands import MatchHands

GAP = 1e-3
CORES = 64
MATCHES = ((10, None), (15, None), (20, 2), (20, 4), (20, None), (25, 4), (30, 2), (30, 4), (30, 6), (30, None))
"""Chips of each player at the start, and the raise limit."""
QUICK_MATCHES = ((3, None), (4, 1))
SECONDS, QUICK_SECONDS = 20.0, 0.2


@dataclass(frozen=True)
class Result:
    """What one match takes: of one sweep at the last gap, and of the whole solve."""

    stack: int
    raise_limit: int | None
    hands: int
    nodes: int
    hand_gap: float
    iterations: float
    ns_per_visit: float
    sweep_core_hours: float
    core_hours: float
    longest_hand_seconds: float
    mb_per_thread: float


def measure(stack: int, raise_limit: int | None, seconds: float) -> Result:
    """Measure one match, in this process."""
    spec = hand("double-sided", stacks=(stack, stack), raise_limit=raise_limit)
    assert isinstance(spec, MatchSpec)
    hands = MatchHands(spec, DECK_MODELS["fresh"](spec))
    own = expected_hand_gap(hands, GAP)
    costs = sampled(hands, own, seconds)
    nodes = sum(one.hands * one.nodes for one in costs)
    visits = sum(2.0 * one.hands * one.nodes * one.iterations for one in costs)
    sweep = sum(one.seconds for one in costs)
    return Result(
        stack,
        raise_limit,
        sum(one.hands for one in costs),
        nodes,
        own,
        round(visits / (2.0 * nodes), 1),
        round(1e9 * sweep / visits, 1),
        round(sweep / 3600, 4),
        round(SWEEPS * sweep / 3600, 3),
        round(max(one.one for one in costs), 3),
        round((memory_needed(hands, 2) - memory_needed(hands, 1)) / 1e6),
    )


def run(output: Output, settings: Settings) -> None:
    """Measure all matches and print them."""
    rows = []
    for stack, limit in QUICK_MATCHES if settings.quick else MATCHES:
        seconds = QUICK_SECONDS if settings.quick else SECONDS
        line = [sys.executable, "-m", "benchmarks.match", str(stack), json.dumps(limit), str(seconds)]
        found = subprocess.run(line, check=True, capture_output=True, text=True)
        one = Result(**json.loads(found.stdout))
        output.record("match", one)
        rows.append(
            (
                f"{stack}/{stack}",
                "any" if limit is None else str(limit),
                f"{one.hands:,}",
                f"{one.nodes:.2g}",
                f"{one.hand_gap:.1e}",
                f"{one.iterations:.0f}",
                f"{one.ns_per_visit:.0f}",
                f"{one.longest_hand_seconds:.1f}",
                f"{one.mb_per_thread:.0f}",
                f"{one.core_hours:.2g}",
                f"{one.core_hours / CORES:.2g}",
            )
        )
    headers = (
        "stacks", "raises", "hands", "nodes", "hand gap", "iterations", "ns/visit", "longest s", "MB/thread",
        "core hours", f"on {CORES}",
    )  # fmt: skip
    note = f"double-sided to a gap of {GAP:g}, deck model fresh; hours are for {SWEEPS:g} sweeps like the last one"
    output.table("match", headers, rows, note)


if __name__ == "__main__":
    print(json.dumps(asdict(measure(int(sys.argv[1]), json.loads(sys.argv[2]), float(sys.argv[3])))))
