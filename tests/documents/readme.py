"""The README's examples: run them, compare, or write their output anew with `python -m tests.documents.readme`."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.paths import ROOT

README = ROOT / "README.md"
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


def forehead(arguments: list[str], folder: Path) -> str:
    """Run the command line in a folder and return what a terminal would show."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FOREHEAD_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "cli", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def rendered(text: str, folder: Path) -> str:
    """Return a text with every console block's output made anew; commands run in order in one folder."""

    def block(match: re.Match[str]) -> str:
        shown = []
        for line in match[1].splitlines():
            if line.startswith("$ forehead "):
                arguments = shlex.split(line.removeprefix("$ forehead "))
                shown += [line, forehead(arguments, folder).rstrip()]
        return "```console\n" + "\n".join(shown) + "\n```"

    return CONSOLE.sub(block, text)


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


def alike(text: str, other: str) -> bool:
    """Whether two outputs agree in every word and, within what processors may differ by, in every number.

    White space counts only as such, since a longer number moves its column.
    """
    if NUMBER.sub("0", text).split() != NUMBER.sub("0", other).split():
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(other), strict=True)
    numbers = [(float(mine.replace(",", "")), float(theirs.replace(",", ""))) for mine, theirs in pairs]
    return all(abs(mine - theirs) <= 0.02 * max(mine, theirs) + 0.003 for mine, theirs in numbers)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        README.write_text(rendered(README.read_text(), Path(name)))
