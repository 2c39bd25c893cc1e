"""The commands for hands of five to ten players, which are learned by sampling: solve, advise and prove."""

import os
import sys
import time
from typing import IO, Any

import click

from reports.answering.interruption import Running
from reports.answering.progress import LiveLine, note_compiling
from reports.answering.solving import Problem, check_method
from reports.screens.sampled import SampledAdvice, sampled_plan_text, sampled_proof_screen, sampled_screen
from reports.screens.screen import Screen
from rules.base.errors import OptionError, SizeError
from rules.games.spec import HandSpec
from solver.mccfr.sampler import iterations_within, limits_of, memory_of, warm_up
from solver.mccfr.solution import MCCFRSolution, load_sampled
from solver.two_player.memory import available, human

QUICK_HANDS, QUICK_BATCHES, QUICK_DEALS = 5_000, 2, 20_000
"""How an answer that is waited for is measured and judged."""


class Learning(LiveLine):
    """Shows how far a table is learned, then measured."""

    def __init__(self, players: int, stream: IO[str]) -> None:
        super().__init__(stream)
        self._players, self._text = players, ""

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self.start

    @property
    def line(self) -> str:
        """The state of the work."""
        return self._text

    def iteration(self, done: int) -> None:
        """Note an iteration."""
        self._note(f"{done} iterations")

    def seat(self, seat: int) -> None:
        """Note that a player's response was measured."""
        self._note(f"measured P{seat + 1} of {self._players} players")

    def _note(self, text: str) -> None:
        self._text = f"{text}, {self.seconds:.1f} s"
        self.show(time.perf_counter())


def checked(spec: HandSpec) -> None:
    """Check that there is memory for learning a hand.

    Raises
    ------
    SizeError, OptionError
        Where there is too little, or it cannot be learned by sampling.
    """
    needed, free = memory_of(limits_of(spec)), available()
    if needed > free:
        raise SizeError(f"this table needs {human(needed)} and {human(free)} are free; take fewer players")


class Sampled(Problem):
    """A hand of five players and more, learned by sampling."""

    saves_the_best = False

    def check(self) -> None:
        """Refuse what cannot be proved of so many players."""
        check_method(self.asked)
        if self.asked.gap is not None:
            raise OptionError("no gap can be proven for five players or more; take --max-iterations or --max-seconds")

    def load(self, file: str) -> MCCFRSolution:
        """Read a solution with its state."""
        return load_sampled(file, with_state=True)

    def plan(self) -> None:
        """Say how long it takes."""
        checked(self.spec)
        note_compiling(sys.stderr)
        from solver.mccfr.solving import MAX_ITERATIONS

        self._most = MAX_ITERATIONS if self.asked.max_iterations is None else self.asked.max_iterations
        self._threads = self.asked.threads or os.cpu_count() or 1
        click.echo(sampled_plan_text(self.spec, self._most, self._threads), err=True)
        self._line = Learning(self.spec.seats, sys.stderr)

    def solve(self) -> MCCFRSolution:
        """Learn, then measure, with a live line."""
        from solver.mccfr.solving import solve_sampled

        limit, line = self.asked.max_seconds, self._line

        def late() -> bool:
            return self.asked.running.asked() or (limit is not None and line.seconds > limit)

        with line:
            return solve_sampled(
                self.spec, max_iterations=self._most, threads=self._threads, resume=self.earlier,
                on_iteration=line.iteration, on_seat=line.seat, stop=late,
            )  # fmt: skip

    @property
    def seconds(self) -> float:
        """Since the solve began."""
        return self._line.seconds

    def screen(self, solution: Any, file: str | None, seconds: float | None) -> Screen:
        """Tell what was learned, and the bound on what others could gain."""
        return sampled_screen(solution, file, seconds)


def advised_by_sampling(
    spec: HandSpec, running: Running, seen: str, history: str, seed: int | None, *, seconds: float
) -> Screen:
    """Return the answer for a table that is learned for it.

    How much is learned follows from the time that is allowed and not from the clock, so that the same question has the
    same answer; the clock stops what is much slower than planned, and then the answer says so.
    """
    spec.observation(seen)
    spec.public.follow(history)
    checked(spec)
    note_compiling(sys.stderr)
    from solver.mccfr.solving import solve_sampled

    warm_up(limits_of(spec))
    deadline, planned = time.monotonic() + seconds, iterations_within(limits_of(spec), seconds)
    solution = solve_sampled(
        spec, max_iterations=planned, hands=QUICK_HANDS, batches=QUICK_BATCHES, deals=QUICK_DEALS,
        stop=lambda: running.asked() or time.monotonic() > deadline,
    )  # fmt: skip
    return SampledAdvice.at(solution, seen, history, seed, planned).screen()


def proven_by_sampling(file: str) -> Screen:
    """Measure a solution again on fresh deals, and tell what it gives.

    Raises
    ------
    VerificationError
        Where the file claims something else.
    """
    solution: MCCFRSolution = load_sampled(file)
    return sampled_proof_screen(file, solution, solution.verify(os.cpu_count() or 1))
