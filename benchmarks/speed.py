"""The solver on hands of every game: time for an iteration, and time to a gap.

Every figure is the median of several runs after one that is not counted. Iterations run on one thread; times to a
gap include the measurements on the way and use as many threads as `solver.cfr.run` is given.
"""

from dataclasses import dataclass
from typing import Any

from benchmarks.output import Output, Settings, median_seconds
from rules import hand
from solver import cfr
from solver.game import Game, prepare

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
MAX_ITERATIONS = 100_000


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


def reach(game: Game, gap: float, threads: int) -> cfr.Run:
    """Iterate until a gap is reached."""
    return cfr.run(game, gap=gap, max_iterations=MAX_ITERATIONS, threads=threads)


def measure(name: str, gap: float, threads: int, repeats: int) -> Result:
    """Measure one hand."""
    game = prepare(hand(**HANDS[name]))
    visits = 2 * game.tree.nodes * len(game.classes)
    iterations = max(20, 2_000_000 // visits)

    def iterate() -> None:
        cfr.run(game, gap=0.0, max_iterations=iterations, threads=1)

    done = reach(game, gap, threads).checks[-1].iterations
    seconds = median_seconds(iterate, repeats) / iterations
    return Result(
        name,
        game.tree.nodes,
        len(game.classes),
        round(1e3 * seconds, 4),
        round(1e9 * seconds / visits, 1),
        gap,
        done,
        round(median_seconds(lambda: reach(game, gap, threads), repeats), 4),
    )


def run(output: Output, settings: Settings) -> None:
    """Measure the hands and print them."""
    results = []
    for name in QUICK if settings.quick else HANDS:
        results.append(measure(name, settings.gap, settings.threads, repeats=3 if settings.quick else 5))
        output.record("speed", results[-1])
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
    note = f"gap {settings.gap:g} chips; ns/visit is one player's update at one node, measurements on the way included"
    output.table("speed: hands of every game", headers, rows, note)
