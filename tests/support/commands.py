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
from tests.support.paths import ROOT

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


SOLVED = {
    "deck": "indian-poker --seen 1,4,4,9 --stacks 12,8 --gap 0.05",
    "board": "indian-holdem --board 4,9 --stacks 6,6 --gap 0.05",
    "boards": "indian-holdem --stacks 4,4 --gap 0.1",
    "fronts": "double-sided --fronts 3,8 --shown 3/7,4/2 --stacks 6,6 --gap 0.05",
    "pairs": "double-sided --shown 3/7,8/2 --hidden 5,9 --stacks 2,3 --gap 0.1",
    "bluff": "blind-mans-bluff --gap 0.05",
    "suits": "blind-mans-bluff --rank-suits --gap 0.1",
    "showdown": "indian-poker --stacks 1,5",
    "one-rank": "indian-poker --left 0,0,0,0,0,0,0,0,0,2 --stacks 4,4",
    "two-cards": "indian-poker --left 0,0,1,0,0,0,0,0,0,1 --stacks 4,4",
    "sides": "double-sided --fronts 3,8 --stacks 1,8",
    "exact": "indian-poker --stacks 4,4 --method lp",
    "nothing": "indian-poker --stacks 4,4 --max-iterations 0",
}
"""Commands by the name of the file that they make; every kind of hand, the odd ones too."""


HEAVY = ("numpy", "numba", "llvmlite", "scipy", "pandas", "matplotlib")


def loaded(folder: Path, *arguments: str | Path) -> set[str]:
    """Return which heavy packages a command has loaded by its end."""
    code = (
        "import sys, cli\n"
        "try: cli.main(sys.argv[1:])\n"
        f"finally: print(*(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [PROGRAM[0], "-c", code, *map(str, arguments)],
        cwd=folder, env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stderr.splitlines()[-1].split())


def advise(game: str, line: str = "", *more: str) -> Any:
    return good("advise", *([game] if game else []), *line.split(), *more, "--seed", "1", "--format", "json").json


def table(done: Done) -> list[str]:
    """Return the lines of a table: ASCII, at most 80 columns but for paths, no space at the end."""
    lines = done.out.splitlines()
    for line in lines:
        assert line.isascii()
        assert len(line) <= 80 or "/" in line, line
        assert line == line.rstrip()
    return lines


def records(text: str) -> list[dict[str, str]]:
    """Return the rows of CSV, of which none may be longer or shorter than the header."""
    rows = list(csv.reader(io.StringIO(text)))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert "\r" not in text
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def complaint(done: Done, code: int = 2) -> str:
    """Return the one line that a failed command prints, without the program's name."""
    assert (done.code, done.out) == (code, ""), done
    assert done.err.startswith("forehead: ")
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1, done.err
    return done.err.removeprefix("forehead: ").rstrip("\n")
