"""Whole matches solved from nothing, and what that takes as a multiple of solving each hand once.

The kernel's cost per hand is measured apart: a few hands of each cap, solved to the gap of the last sweep
(`solver.match.estimate.sampled`). The ratio says how many such sweeps the whole solve is worth: guesses,
measurements, linear equations and all.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.output import Output, Settings
from rules import hand
from rules.games.match_spec import MatchSpec
from solver.match.estimate import sampled
from solver.match.solving import hands_of, solve_match
from solver.match.sweeps import FIRST_GAP, Step


class Match(NamedTuple):
    """A match to solve: chips of each player at the start, deck model and gap."""

    game: str
    stack: int
    model: str = "fresh"
    gap: float = 1e-3


MATCHES = (
    Match("indian-poker", 20),
    Match("indian-holdem", 10),
    Match("indian-holdem", 20),
    Match("double-sided", 15, gap=2e-3),
    Match("indian-poker", 10, "exact"),
    Match("indian-poker", 15, "exact", gap=2e-3),
)
QUICK_MATCHES = (Match("double-sided", 3, gap=1e-2), Match("indian-poker", 2, "exact", gap=1e-2))
SECONDS, QUICK_SECONDS = 20.0, 0.2
"""Processor time for the kernel's cost."""


@dataclass(frozen=True)
class Result:
    """What one match took; times in seconds, `cost_us` in microseconds of processor time."""

    match: Match
    hands: int
    sweeps: int
    hand_gap: float
    width: float
    seconds: float
    processor_seconds: float
    cost_us: float
    ratio: float


def measure(match: Match, threads: int, seconds: float) -> Result:
    """Solve a match and measure the kernel on some of its hands."""
    spec = hand(match.game, stacks=(match.stack, match.stack))
    assert isinstance(spec, MatchSpec)
    steps: list[Step] = []
    begun, spent = time.perf_counter(), time.process_time()
    table = solve_match(spec, match.model, match.gap, threads=threads, on_step=steps.append)
    passed, spent = time.perf_counter() - begun, time.process_time() - spent
    costs = sampled(hands_of(spec, match.model), table.hand_gap, seconds)
    hands, once = sum(one.hands for one in costs), sum(one.seconds for one in costs)
    return Result(
        match, hands, steps[-1].sweep, table.hand_gap, table.widest, round(passed, 2), round(spent, 2),
        round(1e6 * once / hands, 2), round(spent / once, 2),
    )  # fmt: skip


def warm_up(match: Match, threads: int) -> None:
    """Compile all kernels, or load them: solve a match of few chips, and a hand of each kind of tree of this one."""
    measure(match._replace(stack=min(match.stack, 6), gap=0.1), threads, 0.0)
    spec = hand(match.game, stacks=(match.stack, match.stack))
    assert isinstance(spec, MatchSpec)
    sampled(hands_of(spec, match.model), FIRST_GAP, 0.0)


def run(output: Output, settings: Settings) -> None:
    """Solve all and print them."""
    rows = []
    for match in QUICK_MATCHES if settings.quick else MATCHES:
        warm_up(match, settings.threads)
        one = measure(match, settings.threads, QUICK_SECONDS if settings.quick else SECONDS)
        output.record("matches", one)
        rows.append(
            (
                f"{match.game} {match.stack}/{match.stack}",
                match.model,
                f"{match.gap:g}",
                f"{one.hands:,}",
                f"{one.sweeps}",
                f"{one.hand_gap:.1e}",
                f"{one.seconds:.1f}",
                f"{one.processor_seconds:.1f}",
                f"{one.cost_us:.0f}",
                f"{one.ratio:.2f}",
            )
        )
    headers = ("match", "decks", "gap", "hands", "sweeps", "hand gap", "s", "processor s", "us/hand", "ratio")
    note = (
        f"solved from nothing on {settings.threads} threads; us/hand: the kernel's processor time for one hand to the "
        "last sweep's gap; ratio: all processor time against so much for each hand once"
    )
    output.table("matches", headers, rows, note)
