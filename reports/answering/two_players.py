"""Hands of two players, as the command solve takes them."""

import sys
from typing import Any

import click

from reports.answering.progress import Progress, note_compiling
from reports.answering.questions import with_table
from reports.answering.solving import Asked, Problem
from reports.screens.screen import Screen
from reports.screens.solutions import plan_text, solution_screen
from rules.base.errors import OptionError
from rules.base.versions import NAME
from rules.games.spec import HandSpec
from solver.solutions.incumbent import Incumbent
from solver.solutions.solution import Solution, load
from solver.store.cache import Cache
from solver.two_player.memory import plan


class TwoPlayers(Problem):
    """A hand of two players, by CFR or the linear program.

    Parameters
    ----------
    told, asked
        As `Problem` takes them.
    game
        The game that was typed.
    seat
        Whose value is told: 0 for P1, 1 for P2, None for P1 by that name.
    table
        A match table that says what later hands are worth, None for those at hand.
    """

    def __init__(self, told: HandSpec, asked: Asked, game: str | None, seat: int | None, table: str | None) -> None:
        super().__init__(told, asked)
        self._game, self._seat, self._table, self._found = game, seat, table, Incumbent()

    def check(self) -> None:
        """Refuse what is for more players, and going on with the linear program."""
        if self.asked.max_seconds is not None:
            raise OptionError("--max-seconds is for hands of more than four players; take --gap")
        if self.asked.resume and self.asked.method == "lp":
            raise OptionError("expected --method cfr with --resume; the linear program always starts anew")

    def load(self, file: str) -> Solution:
        """Read a solution with its state."""
        return load(file, with_state=True)

    def go_on(self, file: str) -> None:
        """Go on from a solution; another game that was typed is refused with the plan."""
        self.earlier = self.load(file)
        if self.asked.alone and self.earlier.spec.game == self._game:
            self.spec = self.earlier.spec

    def plan(self) -> None:
        """Say how large the tree is; look up what later hands are worth."""
        self.spec = with_table(self.spec, self._table, Cache(), self.asked.running.asked)
        if self.earlier is not None:
            self.earlier.check_resumable(self.spec)
        self._gap = self.asked.gap or self.spec.usual_gap
        self._planned = plan(self.spec, self.asked.method, self._gap)
        click.echo(plan_text(self.spec, self._planned, self._seat), err=True)
        self._progress = Progress(self._gap, self.spec.unit, sys.stderr)

    def solve(self) -> Solution:
        """Solve, with a live line."""
        note_compiling(sys.stderr)
        from solver.solving import MAX_ITERATIONS, solve

        most, asked = self.asked.max_iterations, self.asked
        with self._progress:
            return solve(
                self.spec, gap=self._gap, max_iterations=MAX_ITERATIONS if most is None else most,
                method=asked.method, threads=asked.threads, resume=self.earlier, on_check=self._progress,
                stop=asked.running.asked, best=self._found, planned=self._planned,
            )  # fmt: skip

    @property
    def seconds(self) -> float:
        """Since the solve began."""
        return self._progress.seconds

    def best(self, saving: bool) -> Solution | None:
        """Return the best so far."""
        self._progress.end()
        if self._found.measured and saving:
            click.echo(f"{NAME}: saving the best so far; Ctrl-C again leaves without it", err=True)
        return self._found.solution()

    def curve(self) -> str:
        """Return the measurements with their times."""
        return self._progress.as_csv()

    def screen(self, solution: Any, file: str | None, seconds: float | None) -> Screen:
        """Tell value, bounds and gap."""
        return solution_screen(solution, self._planned.memory, file, seconds, self._seat)
