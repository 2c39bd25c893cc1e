"""Fixed solves that no refactoring may move: values within 1e-6 of what is recorded, iterations within 2 %.

What is recorded stands in ``signature.json`` beside this file; ``python -m benchmarks.signature`` records it anew,
where a change is meant to change it.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.output import Output, Settings
from rules import hand
from solver.two_player import cfr
from solver.two_player.payoffs import prepare

FILE = Path(__file__).with_name("signature.json")
GAP = 1e-4
"""NashConv in chips."""
CLOSE, SHARE = 1e-6, 0.02

HANDS: dict[str, dict[str, Any]] = {
    "indian-poker": {},
    "indian-poker depleted": {"left": "2,1,0,2,1,1,0,2,1,2", "stacks": "7,13", "carry": 6},
    "indian-poker larger": {"stacks": "15,15"},
    "indian-holdem, all boards": {},
    "indian-holdem, one board": {"board": "4,5"},
    "double-sided": {"fronts": "3,8", "stacks": "10,10"},
    "blind-mans-bluff": {},
    "blind-mans-bluff with ranked suits": {"rank_suits": True},
}
QUICK = ("indian-poker", "indian-holdem, all boards", "double-sided")


@dataclass(frozen=True)
class Result:
    """What one solve came to."""

    hand: str
    value: float
    iterations: int


def solve(name: str) -> Result:
    """Solve one hand."""
    game = prepare(hand(name.split()[0].rstrip(","), **HANDS[name]))
    last = cfr.run(game, gap=GAP, max_iterations=100_000, threads=1).checks[-1]
    return Result(name, last.quality.value, last.iterations)


def recorded() -> dict[str, Result]:
    """Return what is recorded."""
    return {one["hand"]: Result(**one) for one in json.loads(FILE.read_text(encoding="utf-8"))}


def moved(found: Result, expected: Result) -> str:
    """Say what is not as recorded; "" where all is."""
    problems = []
    if abs(found.value - expected.value) > CLOSE:
        problems.append(f"value {found.value:.9f} and not {expected.value:.9f}")
    if abs(found.iterations - expected.iterations) > SHARE * expected.iterations:
        problems.append(f"{found.iterations} iterations and not {expected.iterations}")
    return "; ".join(problems)


def run(output: Output, settings: Settings) -> None:
    """Solve all and compare.

    Raises
    ------
    click.ClickException
        Where something is not as recorded.
    """
    expected, rows, problems = recorded(), [], []
    for name in QUICK if settings.quick else HANDS:
        found = solve(name)
        output.record("signature", found)
        problem = moved(found, expected[name])
        problems += [f"{name}: {problem}"] if problem else []
        rows.append((name, f"{found.value:.9f}", str(found.iterations), problem or "as recorded"))
    output.table("signature: fixed solves", ("hand", "value", "iterations", ""), rows, f"to a gap of {GAP:g} chips")
    if problems:
        raise click.ClickException("; ".join(problems))


if __name__ == "__main__":
    FILE.write_text(json.dumps([asdict(solve(name)) for name in HANDS], indent=2) + "\n", encoding="utf-8")
