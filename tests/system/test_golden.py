"""The play-throughs print what they printed."""

from pathlib import Path

import pytest

from rules.games.registry import GAMES
from tests.documents import golden
from tests.documents.readme import alike


def test_every_game_has_a_play_through() -> None:
    assert set(golden.GAMES) == set(GAMES)
    assert {path.stem for path in golden.FOLDER.glob("*.txt")} == set(GAMES)


@pytest.mark.parametrize("game", golden.GAMES)
def test_a_play_through_prints_what_it_printed(game: str, tmp_path: Path) -> None:
    text = (golden.FOLDER / f"{game}.txt").read_text()
    assert alike(golden.played(game, tmp_path), text), "run python -m tests.documents.golden and look at the difference"
