"""The live lines of solves: how far they are, and how long it has taken."""

import time
from abc import ABC, abstractmethod
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from reports.text.words import as_csv, counted, small
from solver.solutions.solution import Check

if TYPE_CHECKING:
    from solver.match.sweeps import Step  # which loads the compiler


LOADING = "compiling the solver, or loading it ..."
"""What a line says before there is anything else."""


class LiveLine(ABC):
    """One line about work under way: rewritten on a terminal, a line every few seconds elsewhere. A context.

    Parameters
    ----------
    stream
        Where to write, such as ``sys.stderr``.
    """

    ON_TERMINAL, ELSEWHERE = 0.1, 5.0
    """Seconds between two lines at least."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream, self.live, self.ended = stream, stream.isatty(), False
        self.start = self.shown = time.perf_counter()

    @property
    @abstractmethod
    def line(self) -> str:
        """The state of the work; "" where there is nothing to say yet."""

    def __enter__(self) -> Self:
        if self.live and self.line:
            self._write(f"{self.line[:79]:<79}")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.end()

    def show(self, now: float) -> None:
        """Show the line where it is time."""
        if not self.ended and now - self.shown >= (self.ON_TERMINAL if self.live else self.ELSEWHERE):
            self.shown = now
            self._write(f"\r{self.line[:79]:<79}" if self.live else f"{self.line}\n")

    def end(self) -> None:
        """Show the last state, and nothing more."""
        if self.live and not self.ended:
            self._write(f"\r{self.line[:79]:<79}\n")
        self.ended = True

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


class Progress(LiveLine):
    """Shows measurements as they come.

    Use it as a context and as `on_check` of `solver.solve`.

    Parameters
    ----------
    gap, unit
        The NashConv aimed at, and its unit.
    """

    def __init__(self, gap: float, unit: str, stream: IO[str]) -> None:
        super().__init__(stream)
        self.gap, self.unit = gap, unit
        self.series: list[tuple[float, Check]] = []

    @property
    def seconds(self) -> float:
        """Seconds from the start to the last measurement."""
        return self.series[-1][0] if self.series else 0.0

    @property
    def line(self) -> str:
        """The state of the solve."""
        if not self.series:
            return LOADING
        seconds, check = self.series[-1]
        gap = f"gap {small(check.nash_conv)} {self.unit} (target {small(self.gap)})"
        return f"{gap}, {check.iterations} iterations, {seconds:.1f} s"

    def __call__(self, check: Check) -> None:
        """Take note of a measurement, and show it where it is time."""
        now = time.perf_counter()
        self.series.append((now - self.start, check))
        self.show(now)

    def as_csv(self) -> str:
        """Return every measurement: iterations, seconds, NashConv and the bounds on the value."""
        rows = [(one.iterations, seconds, one.nash_conv, one.lower, one.upper) for seconds, one in self.series]
        return as_csv(("iterations", "seconds", "nash_conv", "lower", "upper"), rows)


class SweepProgress(LiveLine):
    """Shows how far a match is solved.

    Use it as a context and as `on_step` of `solver.match.sweeps.MatchSolver`.
    """

    ON_TERMINAL, ELSEWHERE = 0.2, 10.0

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(stream)
        self.begun = self.start
        self.step: Step | None = None

    @property
    def line(self) -> str:
        """The state of the solve."""
        step = self.step
        if step is None:
            return LOADING
        kind = "proof" if step.proof else "guess"
        parts = [f"sweep {step.sweep} ({kind}, hands to {small(step.gap)})"]
        if step.levels > 1:
            parts.append(f"deck level {step.level + 1} of {step.levels}")
        parts.append(f"{100 * step.nodes / step.all_nodes:.0f} %, widest bound {small(step.widest)}")
        passed = time.perf_counter() - self.begun
        if passed > 1.0 and step.nodes:
            parts.append(f"{passed * (step.all_nodes / step.nodes - 1.0):.0f} s left of it")
        return ", ".join(parts)

    def __call__(self, step: "Step") -> None:
        """Take note of a step, and show it where it is time."""
        now = time.perf_counter()
        if self.step is None or self.step.sweep != step.sweep:
            self.begun = now
        self.step = step
        self.show(now)


class Counted(LiveLine):
    """Shows how much of some work is done.

    Use it as a context and as a function of how many things are done and how many there are.

    Parameters
    ----------
    noun
        One of these things.
    """

    ON_TERMINAL, ELSEWHERE = SweepProgress.ON_TERMINAL, SweepProgress.ELSEWHERE

    def __init__(self, noun: str, stream: IO[str]) -> None:
        super().__init__(stream)
        self.noun, self.text = noun, ""

    @property
    def line(self) -> str:
        """How many are done."""
        return self.text

    def __call__(self, done: int, number: int) -> None:
        """Take note, and show it where it is time."""
        self.text = f"{done:,} of {counted(number, self.noun)}"
        self.show(time.perf_counter())


def note_compiling(stream: IO[str]) -> None:
    """Say where every run compiles anew."""
    from solver.solving import compiled_code_is_kept

    if not compiled_code_is_kept():
        stream.write("note: no directory to keep compiled code in (NUMBA_CACHE_DIR names one); compiling anew\n")
