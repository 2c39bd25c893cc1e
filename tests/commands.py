"""Running the command line: in this process, which is fast, or in one of its own, for signals, pipes and imports."""

import csv
import io
import json
import os
import subprocess
import sys
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


def spawn(*arguments: str | Path, cwd: Path, shell: str = "", **changes: str) -> Done:
    """Run a command in a process of its own; `shell` is added to its line, such as ``>&-``."""
    line = [*PROGRAM, *map(str, arguments)]
    command = ["sh", "-c", f'"$@" {shell}', "sh", *line]
    done = subprocess.run(
        command, cwd=cwd, env=environment(**changes), capture_output=True, text=True, check=False, timeout=120
    )
    return Done(done.returncode, done.stdout, done.stderr)
