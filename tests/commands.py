"""Running the command line: in this process, which is fast, or in one of its own, for signals, pipes and imports."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
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
    """

    def __init__(self, module: str, name: str, *arguments: str | Path, cwd: Path, passed: int = 0) -> None:
        line = [sys.executable, "-c", STUCK, module, name, str(passed), *map(str, arguments)]
        self.process = subprocess.Popen(
            line, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        said = []
        for text in self.process.stderr:
            if text == "stuck\n":
                return
            said.append(text)
        pytest.fail(f"the function was not called: {said}")

    def interrupt(self, times: int = 1) -> tuple[Done, float]:
        """Press Ctrl-C; return what the process left behind since, and how many seconds it took to end."""
        start = time.monotonic()
        for _ in range(times):
            self.process.send_signal(signal.SIGINT)
            if times > 1:
                time.sleep(0.2)
        out, err = self.process.communicate(timeout=60)
        return Done(self.process.returncode, out, err), time.monotonic() - start


def spawn(*arguments: str | Path, cwd: Path, shell: str = "", **changes: str) -> Done:
    """Run a command in a process of its own; `shell` is added to its line, such as ``>&-``."""
    line = [*PROGRAM, *map(str, arguments)]
    command = ["sh", "-c", f'"$@" {shell}', "sh", *line]
    done = subprocess.run(
        command, cwd=cwd, env=environment(**changes), capture_output=True, text=True, check=False, timeout=120
    )
    return Done(done.returncode, done.stdout, done.stderr)
