"""The kit that every game must pass, and a fifth game that is nowhere but in the tests."""

from pathlib import Path

import pytest

from rules.games.registry import GAMES
from tests.support.games import kit
from tests.support.games.three_cards import ThreeCards

EVERY = (*GAMES, ThreeCards.game)


@pytest.fixture(autouse=True)
def _fifth_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, ThreeCards.game, ThreeCards)


@pytest.mark.parametrize("game", EVERY)
def test_the_rules_of_a_game_hold_together(game: str) -> None:
    kit.check_rules(game)


@pytest.mark.slow
@pytest.mark.parametrize("game", EVERY)
def test_every_command_takes_a_game(game: str, tmp_path: Path) -> None:
    kit.check_commands(game, tmp_path)
