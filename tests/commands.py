"""Running the command line: in this process, which is fast, or in one of its own, for signals, pipes and imports."""

import contextlib
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import cli

ROOT = Path(__file__).parent.parent
PROGRAM = [sys.executable, "-m", "cli"]


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output, which must be strict JSON."""
        return strict_json(self.out)


def strict_json(text: str) -> Any:
    """Read JSON that has no NaN and no Infinity."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def run(*arguments: str | Path) -> Done:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
        cli.main([str(argument) for argument in arguments])
    return Done(int(left.value.code or 0), out.getvalue(), err.getvalue())


def good(*arguments: str | Path) -> Done:
    """Run a command that must succeed."""
    done = run(*arguments)
    assert done.code == 0, done.err
    return done


def environment(**changes: str) -> dict[str, str]:
    """Return an environment in which the project is found from any folder, and output is buffered as usual."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "", **changes}


CHILDREN: "list[subprocess.Popen[Any]]" = []
"""Processes that tests have begun; `end_children` ends those that are still there, after every test."""


def as_in_a_terminal() -> None:
    """Give a child the signals that tests expect: whoever starts the tests may ignore or block them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def begun(line: Sequence[str | Path], *, before: Callable[[], Any] | None = None, **options: Any) -> Any:
    """Start a process that does not outlive its test, in a process group of its own.

    Parameters
    ----------
    before
        Called in the child before the program.
    options
        As `subprocess.Popen` takes them.
    """

    def prepare() -> None:
        as_in_a_terminal()
        if before is not None:
            before()

    process = subprocess.Popen(line, preexec_fn=prepare, process_group=0, **options)
    CHILDREN.append(process)
    return process


def end_children() -> None:
    """End the processes that are left, and whatever they have started in their groups."""
    while CHILDREN:
        process = CHILDREN.pop()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError, ValueError):
                    stream.close()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


STUCK = """
import importlib, sys, time, cli
module = importlib.import_module(sys.argv[1])
name, passed = sys.argv[2], int(sys.argv[3])
before, calls = getattr(module, name), []
def stuck(*arguments, **more):
    calls.append(name)
    if len(calls) <= passed:
        return before(*arguments, **more)
    print("stuck", file=sys.stderr, flush=True)
    time.sleep(100)  # as compiled code: without the interpreter's lock, and deaf
setattr(module, name, stuck)
cli.main(sys.argv[4:])
"""


class Stuck:
    """A command in a process of its own that does not come back from a function, called there the last time.

    Parameters
    ----------
    module, name
        The function.
    *arguments
        The command.
    passed
        Calls that come back.
    before
        As `begun` takes it.
    """

    def __init__(
        self, module: str, name: str, *arguments: str | Path, cwd: Path, passed: int = 0,
        before: Callable[[], Any] | None = None,
    ) -> None:  # fmt: skip
        line = [sys.executable, "-c", STUCK, module, name, str(passed), *map(str, arguments)]
        self.process: subprocess.Popen[str] = begun(
            line, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            before=before,
        )  # fmt: skip
        assert self.process.stderr is not None
        said = []
        for text in self.process.stderr:
            if text == "stuck\n":
                return
            said.append(text)
        pytest.fail(f"the function was not called: {said}")

    def interrupt(self, times: int = 1, by: int = signal.SIGINT) -> tuple[Done, float]:
        """Press Ctrl-C, or send another signal; return what is left behind since, and how many seconds that took."""
        start = time.monotonic()
        for _ in range(times):
            self.process.send_signal(by)
            if times > 1:
                time.sleep(0.2)
        out, err = self.process.communicate(timeout=60)
        return Done(self.process.returncode, out, err), time.monotonic() - start


def spawn(*arguments: str | Path, cwd: Path, shell: str = "", **changes: str) -> Done:
    """Run a command in a process of its own; `shell` is added to its line, such as ``>&-``."""
    line = [*PROGRAM, *map(str, arguments)]
    command = ["sh", "-c", f'"$@" {shell}', "sh", *line]
    done = begun(
        command, cwd=cwd, env=environment(**changes), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    out, err = done.communicate(timeout=120)
    return Done(done.returncode, out, err)
