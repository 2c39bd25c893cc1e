"""The examples of README and docs: run them, compare, or write them anew with `python -m tests.documents.readme`."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.paths import ROOT

README = ROOT / "README.md"
DECK = "solve indian-poker --seen 1,4,4,9 --stacks 12,8 -o deck.npz"
COMPILING = "solve indian-poker --stacks 3,3"
"""Compiles where nothing is compiled yet, which would else be told in an example."""

DOCUMENTS: dict[str, tuple[str, ...]] = {
    "README.md": (),
    "docs/playing.md": (),
    "docs/studying.md": (),
    "docs/answers.md": (DECK,),
}
"""Pages with examples, and the commands that a reader has run before."""
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


def rendered(text: str, folder: Path, before: Sequence[str] = ()) -> str:
    """Return a text with every console block's output made anew; commands run in order in one folder."""
    for command in (COMPILING, *before):
        forehead(shlex.split(command), folder)

    def block(match: re.Match[str]) -> str:
        shown = []
        for line in match[1].splitlines():
            if line.startswith("$ forehead "):
                arguments = shlex.split(line.removeprefix("$ forehead "))
                shown += [line, forehead(arguments, folder).rstrip()]
        return "```console\n" + "\n".join(shown) + "\n```"

    return CONSOLE.sub(block, text)


NUMBER = re.compile(r"(\d[\d,]*)(?:\.(\d+))?(?:e(-?\d+))?( iterations)?")
UNITS = 2.0
"""By how many of its last printed place a number may differ: processors round differently."""
RAN = 0.02
"""By which part numbers of iterations may differ, for the same reason."""


def alike(text: str, other: str) -> bool:
    """Whether two outputs agree in every word, and in every number to its last printed place.

    White space counts only as such, since a longer number moves its column.
    """
    if NUMBER.sub("0", text).split() != NUMBER.sub("0", other).split():
        return False
    return all(near(*pair) for pair in zip(NUMBER.finditer(text), NUMBER.finditer(other), strict=True))


def near(one: re.Match[str], other: re.Match[str]) -> bool:
    """Whether two numbers are the same as far as they are printed."""
    values, units = zip(*map(number, (one, other)), strict=True)
    slack = RAN * max(values) if one[4] else UNITS * max(units)
    return abs(values[0] - values[1]) <= slack * (1.0 + 1e-9)


def number(found: re.Match[str]) -> tuple[float, float]:
    """Return a number and what one of its last printed place is worth; whole numbers are exact."""
    whole, decimals, exponent = found[1].replace(",", ""), found[2] or "", int(found[3] or 0)
    value = float(f"{whole}.{decimals or 0}") * 10.0**exponent
    return value, 10.0 ** (exponent - len(decimals)) if decimals or found[3] else 0.0


if __name__ == "__main__":
    for page, before in DOCUMENTS.items():
        with tempfile.TemporaryDirectory() as name:
            (ROOT / page).write_text(rendered((ROOT / page).read_text(), Path(name), before))
