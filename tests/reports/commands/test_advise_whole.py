"""`forehead advise` where the game is too large: how good the smaller game's answer is in the whole one."""

from pathlib import Path

import pytest

from reports.text.words import small
from rules import hand
from solver import load, solve
from solver.solutions.translation import quality_in
from solver.two_player.memory import largest_within
from solver.within_time import _measured
from tests.support.commands import advise, good


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path / "cache"))
    # The time allowed chooses the game; on a busy machine it must not cut the solve of it short.
    monkeypatch.setattr("solver.within_time.SOLVING", 600.0)
    monkeypatch.setattr("solver.within_time.COMPLETING", 900.0)
    return tmp_path / "cache"


SMALLER = ("indian-poker", "--objective chips --stacks 20,20 --see 4 --history b1 --max-seconds 1")


def test_the_answer_says_how_good_its_menu_is_in_the_whole_game(cache: Path) -> None:
    found = advise(*SMALLER)
    (file,) = cache.iterdir()
    whole = quality_in(load(file), hand("indian-poker", stacks="20,20"), 10**6)
    assert whole is not None
    assert found["gap_full"] == whole.nash_conv
    assert found["gap_full"] >= found["gap"] - 1e-9
    text = " ".join(good("advise", SMALLER[0], *SMALLER[1].split()).out.split())
    assert f"(NashConv in the whole game: {small(found['gap_full'])} chips)" in text


def test_what_was_measured_in_the_whole_game_is_looked_up(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = advise(*SMALLER)
    monkeypatch.setattr("solver.within_time.quality_in", lambda *_: pytest.fail("it was measured again"))
    assert advise(*SMALLER) == first
    (file,) = cache.iterdir()
    assert load(file).whole is not None
    good("verify", file)


def test_what_was_measured_counts_for_that_game_and_that_time_alone() -> None:
    spec, menu = hand("indian-poker", stacks="12,12"), {"raises": "1,allin"}
    solution = solve(hand(**(spec.to_dict() | menu)), gap=0.1)
    measured = _measured(solution, spec, 10)
    assert measured.whole is not None
    assert measured.whole.quality is not None
    assert _measured(measured, spec, 20) is measured
    other = hand(**(spec.to_dict() | {"raises": "1,2,allin"}))
    again = _measured(measured, other, 10).whole
    assert again is not None
    assert again.spec is other
    assert again.quality != measured.whole.quality
    hasty = _measured(solution, spec, 0.001)
    assert hasty.whole is not None
    assert hasty.whole.quality is None
    assert _measured(hasty, spec, 0.001) is hasty
    assert _measured(hasty, spec, 10).whole == measured.whole


def test_a_whole_game_too_large_to_be_measured_is_named_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.within_time.JOINED_A_SECOND", 40)
    found = advise(*SMALLER)
    assert found["menu"] is not None
    assert found["gap_full"] is None
    text = " ".join(good("advise", SMALLER[0], *SMALLER[1].split()).out.split())
    assert "(NashConv in the whole game: not computed)" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options", "most"),
    [
        ("indian-poker", {"stacks": "20,20"}, 800),
        ("indian-poker", {"stacks": "15,15", "raises": "any"}, 800),
        ("indian-holdem", {"stacks": "20,20", "board": "4,9"}, 800),
        ("double-sided", {"stacks": "20,20", "fronts": "6,6"}, 800),
    ],
)
def test_the_menu_chosen_is_nearly_as_good_as_the_whole_game(game: str, options: dict[str, str], most: int) -> None:
    spec = hand(game, **options)
    menu, chosen = largest_within(spec, (), most)
    assert menu is not None
    assert menu.startswith("--raise-limit")
    found = quality_in(solve(chosen, gap=0.01), spec, 10**6)
    assert found is not None
    assert found.nash_conv < 0.02
    fewer = next(one for option, one in spec.smaller(()) if option.startswith("--raises 1,allin"))
    other = quality_in(solve(fewer, gap=0.01), spec, 10**6)
    assert other is not None
    assert other.nash_conv > 10 * found.nash_conv
