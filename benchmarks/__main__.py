"""Measure the solver: time for an iteration, and time to a gap, for hands of every game.

Every figure is the median of several runs after one that is not counted. Iterations run on one thread;
times to a gap include the measurements on the way and use as many threads as `solver.cfr.run` is given.
"""

import json
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import IO, Any

import click

from reports.text import grid
from rules import hand
from solver import cfr
from solver.game import Game, prepare
from solver.solving import versions

HANDS: dict[str, dict[str, Any]] = {
    "indian-poker 10/10": {"game": "indian-poker", "stacks": "10,10"},
    "indian-poker 15/15": {"game": "indian-poker", "stacks": "15,15"},
    "indian-poker 20/20": {"game": "indian-poker", "stacks": "20,20"},
    "indian-holdem 10/10 all boards": {"game": "indian-holdem", "stacks": "10,10"},
    "indian-holdem 20/20 board 4,5": {"game": "indian-holdem", "stacks": "20,20", "board": "4,5"},
    "double-sided 15/15 fronts 3,8": {"game": "double-sided", "stacks": "15,15", "fronts": "3,8"},
    "double-sided 20/20 fronts 3,8": {"game": "double-sided", "stacks": "20,20", "fronts": "3,8"},
    "blind-mans-bluff": {"game": "blind-mans-bluff"},
}
QUICK = ("indian-poker 10/10", "indian-holdem 10/10 all boards", "blind-mans-bluff")


@dataclass(frozen=True)
class Result:
    """What was measured for one hand; times in the units of their names."""

    hand: str
    decision_nodes: int
    classes: int
    ms_per_iteration: float
    ns_per_visit: float
    gap_chips: float
    iterations_to_gap: int
    seconds_to_gap: float


def median_seconds(run: Callable[[], Any], repeats: int) -> float:
    """Return the median time of `repeats` runs, after one that is not counted."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(name: str, gap: float, threads: int, repeats: int) -> Result:
    """Measure one hand."""
    game: Game = prepare(hand(**HANDS[name]))
    visits = 2 * game.tree.nodes * len(game.classes)
    iterations = max(20, 2_000_000 // visits)

    def iterate() -> None:
        cfr.run(game, gap=0.0, max_iterations=iterations, threads=1)

    def reach() -> cfr.Run:
        return cfr.run(game, gap=gap, max_iterations=100_000, threads=threads)

    done = reach().checks[-1].iterations
    seconds = median_seconds(iterate, repeats) / iterations
    return Result(
        name,
        game.tree.nodes,
        len(game.classes),
        round(1e3 * seconds, 4),
        round(1e9 * seconds / visits, 1),
        gap,
        done,
        round(median_seconds(reach, repeats), 4),
    )


@click.command()
@click.option("--quick", is_flag=True, help="Few hands and few repeats, for a check that everything runs.")
@click.option("--gap", default=1e-3, show_default=True, help="NashConv in chips to reach.")
@click.option("--threads", default=2, show_default=True, help="Threads for the time to the gap.")
@click.option("--json", "lines", type=click.File("w"), help="Write one JSON object a line, with versions and machine.")
def main(quick: bool, gap: float, threads: int, lines: IO[str] | None) -> None:
    """Measure the solver on hands of every game."""
    results = []
    for name in QUICK if quick else HANDS:
        results.append(measure(name, gap, threads, repeats=3 if quick else 5))
        if lines is not None:
            where = {"machine": platform.machine(), "processor": platform.processor(), "versions": versions()}
            lines.write(json.dumps(asdict(results[-1]) | where) + "\n")
    headers = ("hand", "nodes", "classes", "ms/iteration", "ns/visit", "iterations", "s to gap")
    rows = [
        (
            one.hand,
            str(one.decision_nodes),
            str(one.classes),
            f"{one.ms_per_iteration:.3f}",
            f"{one.ns_per_visit:.0f}",
            str(one.iterations_to_gap),
            f"{one.seconds_to_gap:.3f}",
        )
        for one in results
    ]
    click.echo(grid(headers, rows, width=110))
    click.echo(f"gap {gap:g} chips; ns/visit is one player's update at one node, measurements on the way included")


if __name__ == "__main__":
    main()
