"""The solver on hands of every game: time for an iteration, and time to gaps.

Every figure is the median of several runs after one that is not counted. Iterations run on one thread; times to a
gap include the measurements on the way and use as many threads as `--threads` says.
"""

import statistics
import time
from dataclasses import dataclass
from typing import Any

from benchmarks.output import Output, Settings, median_seconds
from rules import hand
from rules.games.spec import HandSpec
from solver.two_player import backends, cfr
from solver.two_player.payoffs import Game, prepare

GAPS = (1e-1, 1e-2, 1e-3, 1e-4)
"""NashConv in chips."""

HANDS: dict[str, dict[str, Any]] = {
    "indian-poker 10/10": {"game": "indian-poker", "stacks": "10,10"},
    "indian-poker 15/15": {"game": "indian-poker", "stacks": "15,15"},
    "indian-poker 20/20": {"game": "indian-poker", "stacks": "20,20"},
    "indian-poker 20/20 any raise": {"game": "indian-poker", "stacks": "20,20", "raises": "any"},
    "indian-holdem 20/20 all boards": {"game": "indian-holdem", "stacks": "20,20"},
    "double-sided 15/15 fronts 3,8": {"game": "double-sided", "stacks": "15,15", "fronts": "3,8"},
    "double-sided 20/20 fronts 3,8": {"game": "double-sided", "stacks": "20,20", "fronts": "3,8"},
    "double-sided 30/30 fronts 3,8": {"game": "double-sided", "stacks": "30,30", "fronts": "3,8"},
    "blind-mans-bluff": {"game": "blind-mans-bluff"},
}
QUICK = ("indian-poker 10/10", "double-sided 15/15 fronts 3,8", "blind-mans-bluff")
QUICK_GAPS = GAPS[:2]
PATIENCE, BRIEF = 300.0, 2.0
"""Seconds after which a gap is given up, and up to which times are the median of five runs."""


@dataclass(frozen=True)
class Result:
    """What was measured for one hand; times in the units of their names, None for a gap that was given up."""

    hand: str
    decision_nodes: int
    classes: int
    ms_per_iteration: float
    ns_per_visit: float
    gaps_chips: tuple[float, ...]
    iterations_to_gap: tuple[int | None, ...]
    seconds_to_gap: tuple[float | None, ...]


def hands() -> dict[str, HandSpec]:
    """Return all hands by name; of indian-holdem one board of each class too."""
    found: dict[str, HandSpec] = {name: hand(**options) for name, options in HANDS.items()}
    for group in found["indian-holdem 20/20 all boards"].classes():
        board = group.deals[0].board
        found[f"indian-holdem 20/20 board {board}"] = hand("indian-holdem", stacks="20,20", board=board)
    return found


def per_iteration(game: Game, repeats: int) -> float:
    """Return the seconds of one iteration of all classes, on one thread, without measurements."""
    visits = 2 * game.tree.nodes * len(game.classes)
    going = backends.make_backends(game)
    iterations = max(2, 4_000_000 // visits)

    def iterate() -> None:
        for engine in going:
            for task in engine.iterating(engine.iterations + iterations, cfr.new_stop_flag(), 1):
                task()

    return median_seconds(iterate, repeats) / iterations


def reach(game: Game, gaps: tuple[float, ...], threads: int) -> list[tuple[int, float] | None]:
    """Iterate until all gaps are reached; return iterations and seconds for each, None where it took too long."""
    found: list[tuple[int, float] | None] = [None] * len(gaps)
    start = time.perf_counter()

    def note(check: cfr.Check) -> None:
        for place, gap in enumerate(gaps):
            if found[place] is None and check.quality.nash_conv <= gap:
                found[place] = (check.iterations, time.perf_counter() - start)

    def late() -> bool:
        return time.perf_counter() - start > PATIENCE

    cfr.run(game, gap=gaps[-1], max_iterations=1_000_000, threads=threads, on_check=note, stop=late)
    return found


def warm_up(game: Game, threads: int) -> None:
    """Compile, or load, whatever `reach` calls for a game, measurements and threads included: a few iterations."""
    cfr.run(game, gap=0.0, max_iterations=cfr.next_check(0), threads=threads)


def measure(name: str, spec: HandSpec, gaps: tuple[float, ...], threads: int, repeats: int) -> Result:
    """Measure one hand."""
    game = prepare(spec)
    visits = 2 * game.tree.nodes * len(game.classes)
    seconds = per_iteration(game, repeats)
    warm_up(game, threads)
    runs = [reach(game, gaps, threads)]
    while len(runs) < repeats and (runs[0][-1] or (0, PATIENCE))[1] < BRIEF:
        runs.append(reach(game, gaps, threads))
    reached = [[one for one in column if one is not None] for column in zip(*runs, strict=True)]
    return Result(
        name,
        game.tree.nodes,
        len(game.classes),
        round(1e3 * seconds, 4),
        round(1e9 * seconds / visits, 1),
        gaps,
        tuple(column[0][0] if column else None for column in reached),
        tuple(round(statistics.median(time for _, time in column), 5) if column else None for column in reached),
    )


def run(output: Output, settings: Settings) -> None:
    """Measure the hands and print them."""
    gaps, repeats = (QUICK_GAPS, 3) if settings.quick else (GAPS, 5)
    rows = []
    for name, spec in hands().items():
        if settings.quick and name not in QUICK:
            continue
        one = measure(name, spec, gaps, settings.threads, repeats)
        output.record("speed", one)
        times = ("-" if time is None else f"{time:.4g}" for time in one.seconds_to_gap)
        size = str(one.decision_nodes), str(one.classes)
        rows.append((name, *size, f"{one.ms_per_iteration:.4g}", f"{one.ns_per_visit:.0f}", *times))
    headers = ("hand", "nodes", "classes", "ms/iteration", "ns/visit", *(f"s to {gap:g}" for gap in gaps))
    note = f"gaps in chips; ns/visit is one player's update at one node on one thread; s on {settings.threads} threads"
    output.table("speed: hands of every game", headers, rows, note)
