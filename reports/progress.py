"""The live line of a solve: iterations, gap and time."""

import time
from types import TracebackType
from typing import IO, Self

from reports.text import as_csv, counted, small
from solver.match import Step
from solver.solution import Check


class Progress:
    """Shows measurements as they come: one line rewritten on a terminal, a line every few seconds elsewhere.

    Use it as a context and as `on_check` of `solver.solve`.

    Parameters
    ----------
    gap, unit
        The NashConv aimed at, and its unit.
    stream
        Where to write, such as ``sys.stderr``.
    """

    ON_TERMINAL, ELSEWHERE = 0.1, 5.0
    """Seconds between two lines at least."""

    def __init__(self, gap: float, unit: str, stream: IO[str]) -> None:
        self.gap, self.unit, self.stream = gap, unit, stream
        self.live = stream.isatty()
        self.start = self.shown = time.perf_counter()
        self.series: list[tuple[float, Check]] = []
        self.ended = False

    @property
    def seconds(self) -> float:
        """Seconds from the start to the last measurement."""
        return self.series[-1][0] if self.series else 0.0

    @property
    def line(self) -> str:
        """The state of the solve."""
        if not self.series:
            return "compiling the solver, or loading it ..."
        seconds, check = self.series[-1]
        gap = f"gap {small(check.nash_conv)} {self.unit} (target {small(self.gap)})"
        return f"{gap}, {check.iterations} iterations, {seconds:.1f} s"

    def __enter__(self) -> Self:
        if self.live:
            self._write(f"{self.line:<79}")
        return self

    def __call__(self, check: Check) -> None:
        """Take note of a measurement, and show it where it is time."""
        now = time.perf_counter()
        self.series.append((now - self.start, check))
        if not self.ended and now - self.shown >= (self.ON_TERMINAL if self.live else self.ELSEWHERE):
            self.shown = now
            self._write(f"\r{self.line:<79}" if self.live else f"{self.line}\n")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.end()

    def end(self) -> None:
        """Show the last measurement, and nothing more."""
        if self.live and not self.ended:
            self._write(f"\r{self.line:<79}\n")
        self.ended = True

    def as_csv(self) -> str:
        """Return every measurement: iterations, seconds, NashConv and the bounds on the value."""
        rows = [(one.iterations, seconds, one.nash_conv, one.lower, one.upper) for seconds, one in self.series]
        return as_csv(("iterations", "seconds", "nash_conv", "lower", "upper"), rows)

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


class SweepProgress:
    """Shows how far a match is solved: one line rewritten on a terminal, a line every few seconds elsewhere.

    Use it as a context and as `on_step` of `solver.match.Matches`.
    """

    ON_TERMINAL, ELSEWHERE = 0.2, 10.0
    """Seconds between two lines at least."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream, self.live = stream, stream.isatty()
        self.start = self.shown = self.begun = time.perf_counter()
        self.step: Step | None = None

    @property
    def line(self) -> str:
        """The state of the solve."""
        step = self.step
        if step is None:
            return "compiling the solver, or loading it ..."
        kind = "proof" if step.proof else "guess"
        parts = [f"sweep {step.sweep} ({kind}, hands to {small(step.gap)})"]
        if step.levels > 1:
            parts.append(f"deck level {step.level + 1} of {step.levels}")
        parts.append(f"{100 * step.nodes / step.all_nodes:.0f} %, widest bound {small(step.widest)}")
        passed = time.perf_counter() - self.begun
        if passed > 1.0 and step.nodes:
            parts.append(f"{passed * (step.all_nodes / step.nodes - 1.0):.0f} s left of it")
        return ", ".join(parts)

    def __enter__(self) -> Self:
        if self.live:
            self._write(f"{self.line:<79}")
        return self

    def __call__(self, step: Step) -> None:
        """Take note of a step, and show it where it is time."""
        now = time.perf_counter()
        if self.step is None or self.step.sweep != step.sweep:
            self.begun = now
        self.step = step
        if now - self.shown >= (self.ON_TERMINAL if self.live else self.ELSEWHERE):
            self.shown = now
            self._write(f"\r{self.line[:79]:<79}" if self.live else f"{self.line}\n")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self.live:
            self._write(f"\r{self.line[:79]:<79}\n")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


class Counted:
    """Shows how much of some work is done, now and then.

    Use it as a context and as a function of how many things are done and how many there are.

    Parameters
    ----------
    noun
        One of these things.
    stream
        Where to write, such as ``sys.stderr``.
    """

    def __init__(self, noun: str, stream: IO[str]) -> None:
        self.noun, self.stream, self.live = noun, stream, stream.isatty()
        self.shown, self.line = time.perf_counter(), ""

    def __enter__(self) -> Self:
        return self

    def __call__(self, done: int, number: int) -> None:
        """Take note, and show it where it is time."""
        self.line = f"{done:,} of {counted(number, self.noun)}"
        now = time.perf_counter()
        if now - self.shown >= (SweepProgress.ON_TERMINAL if self.live else SweepProgress.ELSEWHERE):
            self.shown = now
            self.stream.write(f"\r{self.line:<79}" if self.live else f"{self.line}\n")
            self.stream.flush()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self.live:
            self.stream.write(f"\r{self.line:<79}\n")


def note_compiling(stream: IO[str]) -> None:
    """Say where every run compiles anew."""
    from solver.solving import compiled_code_is_kept

    if not compiled_code_is_kept():
        stream.write("note: no directory to keep compiled code in (NUMBA_CACHE_DIR names one); compiling anew\n")
