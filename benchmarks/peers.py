"""Other solvers and this one on the same hand, in the same run, by one ruler.

Every strategy is measured by `solver.two_player.evaluation.measure`. A peer's time is that of its iterations alone;
ours counts the measurements on the way as well, and the last row everything that `solver.solve` does. Each runs on one
thread.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import click

from benchmarks.adapters import ADAPTERS, Adapter
from benchmarks.output import Output, Settings, median_seconds, seconds_of
from reports.export.efg import ExtensiveForm
from rules import hand
from rules.base.optional import MissingLibraryError
from rules.games.spec import HandSpec
from solver import solve, verify
from solver.two_player import cfr
from solver.two_player.evaluation import measure, probabilities
from solver.two_player.payoffs import Game, prepare

STACKS, GAPS, LIMIT = "10,10", (1e-2, 1e-3), 60.0
"""The hand, the NashConv to reach in chips, and the seconds that a peer's iterations may take."""
QUICK_STACKS, QUICK_GAPS, QUICK_LIMIT = "3,3", (1e-1,), 10.0
MAX_ITERATIONS = 100_000
GROWTH = 1.05
"""Iterations grow by this factor from one measurement to the next."""


@dataclass(frozen=True)
class Result:
    """What one solver did; `seconds` and `iterations` to each gap, None where it was not reached in time."""

    solver: str
    method: str
    hand: str
    gaps_chips: tuple[float, ...]
    iterations: tuple[int | None, ...]
    seconds: tuple[float | None, ...]
    last_nash_conv_chips: float | None
    ms_per_iteration: float | None
    """None where an iteration is no unit of the method."""


def race(adapter: Adapter, name: str, gaps: Sequence[float]) -> Result:
    """Let a peer iterate until it has reached all gaps, or its time is up."""
    game = adapter.game
    done, seconds, nash_conv = 0, 0.0, None
    found: dict[float, tuple[int, float]] = {}
    while len(found) < len(gaps) and seconds < adapter.limit and not (adapter.at_once and done):
        more = max(1, int(GROWTH * done) - done)
        try:
            seconds += seconds_of(lambda number=more: adapter.iterate(number))  # type: ignore[misc]
        except subprocess.TimeoutExpired:
            break
        done += more
        nash_conv = measure(game.tree, game.classes[0], adapter.strategy(), game.margin).nash_conv
        for gap in gaps:
            if nash_conv <= gap and gap not in found:
                found[gap] = (done, seconds)
    reached = [found.get(gap, (None, None)) for gap in gaps]
    iterations, times = tuple(one for one, _ in reached), tuple(one for _, one in reached)
    per = None if adapter.at_once else 1e3 * seconds / done
    return Result(adapter.library, adapter.method, name, tuple(gaps), iterations, times, nash_conv, per)


def own(spec: HandSpec, game: Game, name: str, gaps: Sequence[float]) -> list[Result]:
    """Measure this project's CFR, measurements included, and a whole solve; on one thread."""

    def reach(gap: float) -> cfr.Run:
        return cfr.run(game, gap=gap, max_iterations=MAX_ITERATIONS, threads=1)

    runs = [reach(gap) for gap in gaps]
    iterations = tuple(run.checks[-1].iterations for run in runs)
    times = tuple(median_seconds(partial(reach, gap), 5) for gap in gaps)
    ((_, total),) = runs[-1].states()
    last = measure(game.tree, game.classes[0], probabilities(game.tree, total), game.margin).nash_conv
    per = 1e3 * times[-1] / iterations[-1]
    solutions = [solve(spec, gap=gap, threads=1) for gap in gaps]
    whole = tuple(median_seconds(partial(solve, spec, gap=gap, threads=1), 3) for gap in gaps)
    done = tuple(solution.provenance.iterations for solution in solutions)
    return [
        Result("forehead", "DCFR+", name, tuple(gaps), iterations, times, last, per),
        Result("forehead", "solve()", name, tuple(gaps), done, whole, verify(solutions[-1]).nash_conv, None),
    ]


def run(output: Output, settings: Settings) -> None:
    """Measure all that are installed and print them, how many times slower than ours included."""
    stacks, gaps, limit = (QUICK_STACKS, QUICK_GAPS, QUICK_LIMIT) if settings.quick else (STACKS, GAPS, LIMIT)
    spec = hand("indian-poker", stacks=stacks)
    name, game, form = f"indian-poker {stacks}", prepare(spec), ExtensiveForm(spec)
    results = own(spec, game, name, gaps)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "game.efg").write_text("".join(form.pieces()))
        for kind in ADAPTERS:
            try:
                adapter = kind(form, game, Path(folder), limit)
            except MissingLibraryError as error:
                click.echo(f"skipped {kind.library} {kind.method}: {error}", err=True)
                continue
            results.append(race(adapter, name, gaps))
    for result in results:
        output.record("peers", result, **{result.solver: version(result.solver)})
    ours = results[0].seconds
    rows = [
        (
            f"{one.solver} {one.method}",
            "-" if one.ms_per_iteration is None else f"{one.ms_per_iteration:.3f}",
            *(
                cell
                for iterations, seconds, mine in zip(one.iterations, one.seconds, ours, strict=True)
                for cell in _cells(iterations, seconds, mine)
            ),
            "-" if one.last_nash_conv_chips is None else f"{one.last_nash_conv_chips:.1e}",
        )
        for one in results
    ]
    headers = ("solver", "ms/iteration", *(text for gap in gaps for text in (f"to {gap:g}", "s", "x ours")), "last")
    note = (
        f"NashConv in chips, measured by us; '-' is not reached in {limit:g} s; of a linear program the whole is one "
        "iteration; solve() goes on from the gap and completes"
    )
    output.table(f"peers: {name}, {form.nodes:,} nodes in extensive form", headers, rows, note)


def _cells(iterations: int | None, seconds: float | None, ours: float | None) -> tuple[str, str, str]:
    if iterations is None or seconds is None or ours is None:
        return "-", "-", "-"
    return f"{iterations:,}", f"{seconds:.4f}", f"{seconds / ours:,.0f}"
