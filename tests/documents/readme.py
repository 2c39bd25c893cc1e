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
    for command in before:
        forehead(shlex.split(command), folder)

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
    for page, before in DOCUMENTS.items():
        with tempfile.TemporaryDirectory() as name:
            (ROOT / page).write_text(rendered((ROOT / page).read_text(), Path(name), before))
