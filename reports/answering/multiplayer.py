"""The commands for hands of more than two players, which `cli` hands over: solve and advise."""

import sys
import time
from collections.abc import Callable
from typing import Any

import click

from reports.answering.interruption import Running
from reports.answering.progress import Progress, note_compiling
from reports.answering.solving import EXACT, Problem, check_method
from reports.screens.multiplayer import table_plan_text, table_solution_screen
from reports.screens.multiplayer_advice import TableAdvice
from reports.screens.screen import Screen
from reports.text.words import as_csv
from rules.base.errors import OptionError, SizeError
from rules.games.spec import HandSpec
from solver.multiplayer.evaluation import check_deals
from solver.multiplayer.game import table_bytes, table_size
from solver.multiplayer.solution import MultiplayerCheck, MultiplayerSolution, load_table
from solver.solutions.solution import Check
from solver.trees.public_tree import TreeSize
from solver.two_player.memory import available, human


def checked(spec: HandSpec) -> TreeSize:
    """Return the size of a table that can be solved with every deal.

    Raises
    ------
    SizeError
        Where there are too many players or deals, or too little memory.
    """
    if spec.seats > EXACT:
        raise SizeError(f"hands of 2 to {EXACT} players are solved with every deal, got {spec.seats} players")
    table = spec.around_the_table()
    check_deals(table)
    size = table_size(table)
    needed, free = table_bytes(table, size), available()
    if needed > free:
        raise SizeError(f"this table needs {human(needed)} and {human(free)} are free; take fewer raises")
    return size


class Multiplayer(Problem):
    """A hand of three or four players, every deal and every history."""

    def check(self) -> None:
        """Refuse the linear program, and limits of time."""
        check_method(self.asked)
        if self.asked.max_seconds is not None:
            raise OptionError(f"--max-seconds is for more than {EXACT} players; take --gap or --max-iterations")

    def load(self, file: str) -> MultiplayerSolution:
        """Read a solution with its state."""
        return load_table(file, with_state=True)

    def plan(self) -> None:
        """Say how large the tree is."""
        click.echo(table_plan_text(self.spec, self.spec.around_the_table(), checked(self.spec)), err=True)
        self._found: list[Callable[[], MultiplayerSolution]] = []

    def solve(self) -> MultiplayerSolution:
        """Solve, with a live line."""
        from solver.multiplayer.solving import MAX_ITERATIONS, default_gap, solve_table

        asked = self.asked
        aim = default_gap(self.spec.seats) if asked.gap is None else asked.gap
        self._progress = Progress(aim, self.spec.unit, sys.stderr)
        note_compiling(sys.stderr)

        def note(check: MultiplayerCheck) -> None:
            self._progress(Check(check.iterations, 0.0, check.nash_conv))

        with self._progress:
            return solve_table(
                self.spec, gap=aim, threads=asked.threads, resume=self.earlier, on_check=note,
                max_iterations=MAX_ITERATIONS if asked.max_iterations is None else asked.max_iterations,
                stop=asked.running.asked, offer=self._found.append,
            )  # fmt: skip

    @property
    def seconds(self) -> float:
        """Since the solve began."""
        return self._progress.seconds

    def best(self, saving: bool) -> MultiplayerSolution | None:
        """Return the best so far."""
        self._progress.end()
        return self._found[-1]() if self._found else None

    def curve(self) -> str:
        """Return the measurements with their times."""
        rows = [(one.iterations, seconds, one.nash_conv) for seconds, one in self._progress.series]
        return as_csv(("iterations", "seconds", "nash_conv"), rows)

    def screen(self, solution: Any, file: str | None, seconds: float | None) -> Screen:
        """Tell values, gains and NashConv."""
        return table_solution_screen(solution, file, seconds)


def advised(
    spec: HandSpec, running: Running, seen: str, history: str, seed: int | None, *, seconds: float, gap: float | None
) -> Screen:
    """Return the answer for a table that is solved for it, as far as the time allows."""
    spec.observation(seen)
    spec.public.follow(history)
    checked(spec)
    note_compiling(sys.stderr)
    from solver.multiplayer.solving import solve_table

    deadline = time.monotonic() + seconds
    solution = solve_table(spec, gap=gap, stop=lambda: running.asked() or time.monotonic() > deadline)
    return TableAdvice.at(solution, seen, history, seed).screen()
