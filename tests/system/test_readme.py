"""Every example of the README and of the help texts works as printed."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import cli
from tests.documents.readme import CONSOLE, DOCUMENTS, PYTHON, README, ROOT, alike, forehead, rendered
from tests.support.commands import good


@pytest.mark.slow
@pytest.mark.parametrize("page", DOCUMENTS)
def test_console_examples_print_what_the_page_shows(page: str, tmp_path: Path) -> None:
    text = (ROOT / page).read_text()
    assert CONSOLE.findall(text)
    again = rendered(text, tmp_path, DOCUMENTS[page])
    assert alike(again, text), "run python -m tests.documents.readme and look at the difference"


def test_links_between_pages_lead_somewhere() -> None:
    for page in (README, *sorted((ROOT / "docs").glob("*.md"))):
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            assert link.startswith("http") or (page.parent / link).exists(), (page.name, link)


def test_the_comparison_can_fail() -> None:
    assert alike("value -0.46819 chips  (7,764 iterations)", "value -0.46820 chips (7,763 iterations)")
    assert alike("gap 1.6e-05", "gap 1.7e-05")
    for one, other in (
        ("value -0.46819 chips", "value -0.46823 chips"),
        ("value -0.46819 chips", "value 0.46819 chips"),
        ("wins with 0.4893", "wins with 0.5010"),
        ("NashConv 1.6e-05", "NashConv 0.003"),
        ("NashConv 1.6e-05", "NashConv 1.6e-04"),
        ("fold 45.3 %", "call 45.3 %"),
        ("fold 45.3 %", "fold 45.6 %"),
        ("16 cards left", "17 cards left"),
        ("after 8,619 iterations", "after 9,000 iterations"),
    ):
        assert not alike(one, other), (one, other)


def test_python_example_runs(tmp_path: Path) -> None:
    (code,) = PYTHON.findall(README.read_text())
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "holdem.npz").exists()


MADE_BEFORE = {
    "deck.npz": "solve indian-poker --seen 1,4,4,9 --stacks 12,8 -o deck.npz",
    "m.log": "log new m.log indian-poker --stacks 10,10 --first me",
}
"""Commands that make the files of examples."""


def every_command() -> dict[str, click.Command]:
    """Return the commands by what is typed for them, those of a group too."""
    found: dict[str, click.Command] = {}
    for name in cli.COMMANDS:
        command = cli.forehead.get_command(click.Context(cli.forehead), name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {below}": one for below, one in command.commands.items()}
    return found


def test_every_command_is_in_the_readme() -> None:
    text = README.read_text()
    for name in every_command():
        assert f"forehead {name}" in text or f"`{name}`" in text, name


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(every_command()))
def test_help_ends_in_a_working_example(name: str, tmp_path: Path) -> None:
    *_, title, line = (line.strip() for line in good(*name.split(), "--help").out.splitlines())
    assert title == "Example:"
    assert line.startswith(f"forehead {name}")
    for file, command in MADE_BEFORE.items():
        if file in line and name != "solve":
            forehead(shlex.split(command), tmp_path)
    if name == "log undo":
        forehead(shlex.split("log add m.log --mine 4 --theirs 9 --history f"), tmp_path)
    forehead(shlex.split(line.removeprefix("forehead ")), tmp_path)


def test_no_command_is_without_help() -> None:
    for command in every_command().values():
        assert command.help
        for parameter in command.params:
            assert isinstance(parameter, click.Argument) or parameter.help, (command.name, parameter.name)
