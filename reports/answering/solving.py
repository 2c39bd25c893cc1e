"""The command solve, whatever is solved: go on from a file, solve, save and tell what was found, Ctrl-C included."""

import contextlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from reports.answering.interruption import INTERRUPTED, Running
from reports.screens.screen import Screen
from rules.base.atomic_files import is_same, replaced, writable
from rules.base.errors import OptionError
from rules.base.versions import NAME
from rules.games.spec import HandSpec

EXACT = 4
"""Players up to which every deal is looked at."""


@dataclass(frozen=True)
class Asked:
    """What the options of solve say.

    Parameters
    ----------
    running
        The command.
    alone
        Whether no option tells a hand, so that a solution to go on from says which.
    gap, max_iterations, max_seconds, threads
        None where the default holds.
    method
        ``cfr`` or ``lp``.
    output, force, resume
        A file to write, whether over another, and a solution to go on from.
    timings, style
        Whether seconds are told and kept, and how results print.
    """

    running: Running
    alone: bool
    gap: float | None
    max_iterations: int | None
    max_seconds: float | None
    threads: int | None
    method: str
    output: str | None
    force: bool
    resume: str | None
    timings: bool
    style: str


class Problem(ABC):
    """A hand to solve, by one of the ways there are.

    Parameters
    ----------
    told
        The hand that the options tell.
    asked
        What else they say.
    """

    saves_the_best = True
    """Whether the best so far can be had while a solve goes on."""

    def __init__(self, told: HandSpec, asked: Asked) -> None:
        self.spec, self.asked = told, asked
        self.earlier: Any = None

    @abstractmethod
    def check(self) -> None:
        """Refuse options that this way of solving has no use for."""

    @abstractmethod
    def load(self, file: str) -> Any:
        """Read a solution with what to go on from."""

    def go_on(self, file: str) -> None:
        """Go on from a solution, which says which hand it is where nothing else does."""
        self.earlier = self.load(file)
        if self.asked.alone:
            self.spec = self.earlier.spec
        self.earlier.check_resumable(self.spec)

    @abstractmethod
    def plan(self) -> None:
        """Say on stderr what the solve takes, or refuse it."""

    @abstractmethod
    def solve(self) -> Any:
        """Solve, and show how far it is."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """How long it has taken."""

    def best(self, saving: bool) -> Any:
        """Return the best so far while a solve goes on, None where there is nothing; `saving`: to keep it."""
        return None

    def curve(self) -> str:
        """Return the gap against iterations and time as CSV; "" where there is none."""
        return ""

    @abstractmethod
    def screen(self, solution: Any, file: str | None, seconds: float | None) -> Screen:
        """Tell what was found."""


def solved(problem: Problem) -> int:
    """Solve a problem, save and tell what was found; return the exit code.

    Raises
    ------
    KeyboardInterrupt
        Where it is broken off before anything was found.
    """
    asked = problem.asked
    problem.check()
    goes_on = is_same(asked.output, asked.resume)
    path = writable(asked.output, asked.force or goes_on)
    curve = None
    if path is not None and asked.timings and problem.saves_the_best:
        curve = writable(path.with_suffix(".timings.csv"), asked.force or goes_on)
    if asked.resume:
        problem.go_on(asked.resume)
    problem.plan()

    def tell(solution: Any) -> int:
        if solution is None:
            raise KeyboardInterrupt("before anything was found; nothing was saved")
        _keep(problem, solution, path, curve)
        return INTERRUPTED if asked.running.asked() else 0

    with contextlib.ExitStack() as stack:
        if problem.saves_the_best:
            stack.enter_context(asked.running.rescuing(lambda: tell(problem.best(path is not None))))
        solution = problem.solve()
    return tell(solution)


def _keep(problem: Problem, solution: Any, path: Path | None, curve: Path | None) -> None:
    """Save and tell a solution: what was found is told even where it cannot be saved."""
    asked, saved = problem.asked, None
    try:
        if path is not None:
            solution.save(path)
            saved = str(path)
        if curve is not None:
            with replaced(curve) as file:
                file.write(problem.curve() + "\n")
    finally:
        click.echo(problem.screen(solution, saved, problem.seconds if asked.timings else None).render(asked.style))
    if path is None and asked.running.asked() and problem.saves_the_best:
        click.echo(f"{NAME}: nothing was saved, for no output file was given (-o FILE)", err=True)


def check_method(asked: Asked) -> None:
    """Refuse the linear program, which is for two players."""
    if asked.method != "cfr":
        raise OptionError(f"expected --method cfr for more than two players, got {asked.method}")
