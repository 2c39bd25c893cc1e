"""Help texts in groups, of the game that is named, and what a shell completes."""

import os
import re
import subprocess
import sys

import pytest

from reports.text.option_words import GROUPS, OPTIONS, PERSONAL, SEAT, flag
from rules.games.registry import GAMES, options_of
from tests.support.commands import good
from tests.support.paths import ROOT


@pytest.mark.parametrize("game", GAMES)
def test_help_beside_a_game_shows_its_own_options(game: str) -> None:
    text = good("solve", game, "--help").out
    shown = set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE))
    known = options_of(game)
    for name in OPTIONS:
        assert (flag(name) in shown) == (name in known), name
    for name in SEAT:
        assert (flag(name) in shown) == (PERSONAL[name] in known), name
    assert "GAME --help" not in text
    assert {"--gap", "--threads"} <= shown


def test_help_without_a_game_shows_all_options_in_their_groups() -> None:
    text = good("solve", "--help").out
    for name in (*OPTIONS, *SEAT):
        assert f"  {flag(name)} " in text, name
    assert [text.index(f"{title}:") for title in GROUPS] == sorted(text.index(f"{title}:") for title in GROUPS)
    assert "forehead solve GAME --help shows the options of one game." in text
    assert sorted(good("solve", "--help", "chess").out) == sorted(text)


def test_every_option_of_a_hand_stands_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) == {*OPTIONS, *PERSONAL}


def completed(*words: str) -> list[str]:
    """Return what bash is offered for the last word."""
    code = "import sys; sys.argv = ['forehead']; import cli; cli.main()"
    told = {"_FOREHEAD_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["forehead", *words]),
            "COMP_CWORD": str(len(words))}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | told, cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_a_shell_completes_commands_games_and_words() -> None:
    assert completed("sol") == ["solve"]
    assert completed("advise", "indian-") == ["indian-poker", "indian-holdem"]
    assert completed("solve", "indian-poker", "--tie-bust", "") == ["split", "loses"]
    assert completed("solve", "indian-poker", "--objective", "m") == ["match"]
    assert completed("solve", "indian-poker", "--raise-l") == ["--raise-limit"]
