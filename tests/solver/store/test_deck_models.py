"""Bounds of the deck model fresh are not those of the match as it is played: that is said, and by how much."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import decks
from rules.betting.chips import every_chips
from rules.games.match_spec import FRESH_OFF, MatchSpec
from rules.games.registry import hand
from solver.store.match_tables import with_continuation
from tests.documents.match_page import PAGE, TEXT
from tests.support.commands import Done, good

TOLD = (
    "bounds are those of the deck model fresh; against the decks really left (measured in indian-poker at 10/10) a "
    "chance to win is off by 0.46 points on average, 2.25 at worst"
)
HERE = ("--left", "0,0,1,0,0,0,1,1,0,1", "--stacks", "12,8")


def said(done: Done) -> bool:
    """Whether a text says it, however it is broken into lines."""
    return TOLD in " ".join(done.out.split())


def test_what_is_said_is_what_was_measured() -> None:
    average, worst = FRESH_OFF
    assert f"off by {100 * average:.2f} points on average, {100 * worst:.2f} at worst" in TOLD
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"off by {100 * average:.2f} points on average over all decks and chips, and by {100 * worst:.2f}" in page
    written = TEXT.split("{starts}")[0]
    assert PAGE.read_text(encoding="utf-8").startswith(written)


@pytest.mark.slow
def test_the_two_shipped_tables_give_these_figures() -> None:
    found = decks.compared()
    assert found.exact.shape == found.fresh.shape == (1534, 100)
    assert round(float(found.off.mean()), 4) == FRESH_OFF.average
    assert round(float(found.off.max()), 4) == FRESH_OFF.worst


def test_the_worst_state_is_as_far_off_as_is_said() -> None:
    worst = ("--stacks", "6,14", "--left", "2,2,1,2,2,2,2,1,2,0")
    exact, fresh = (
        good("odds", "indian-poker", *worst, "--deck-model", model, "--format", "json").json["win"]
        for model in ("exact", "fresh")
    )
    assert fresh - exact == pytest.approx(FRESH_OFF.worst, abs=1e-4)


def test_the_full_deck_is_one_of_the_nearest() -> None:
    fresh, exact = decks.tables()
    chips = fresh.spec.chips
    assert 0.0 < abs(fresh.odds(chips).value - exact.odds(chips).value) < FRESH_OFF.average


# Who says it.


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return solutions of the same hand with both deck models."""
    folder, found = tmp_path_factory.mktemp("models"), {}
    for model in ("exact", "fresh"):
        found[model] = folder / f"{model}.npz"
        line = ("solve", "indian-poker", *HERE, "--objective", "match", "--deck-model", model, "-o", found[model])
        assert said(good(*line)) is (model == "fresh")
    return found


LINES: list[tuple[Any, ...]] = [
    ("odds", "indian-poker", *HERE, "--deck-model", "{model}"),
    ("solve", "indian-poker", *HERE, "--objective", "match", "--deck-model", "{model}"),
    ("advise", "indian-poker", *HERE, "--deck-model", "{model}", "--see", "3", "--no-cache"),
    ("match", "indian-poker", "--stacks", "1,1", "--deck-model", "{model}"),
    ("match", "indian-poker", "--stacks", "1,1", "--deck-model", "{model}", "--evaluate", "call", "random"),
    ("show", "{file}"),
    ("best", "{file}", "--see", "3"),
    ("advise", "--from", "{file}", "--see", "3"),
    ("verify", "{file}"),
]


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line[:2]))
@pytest.mark.parametrize("model", ["exact", "fresh"])
def test_every_screen_says_it(line: tuple[str, ...], model: str, files: dict[str, Path]) -> None:
    words = [word.format(model=model, file=files[model]) for word in line]
    assert said(good(*words)) is (model == "fresh")
    notes = good(*words, "--format", "json").json["notes"]
    assert (TOLD in notes) is (model == "fresh")
    assert any(note.startswith(f"deck model {model}") for note in notes)


@pytest.mark.parametrize(
    "line", [("odds", "indian-holdem", "--board", "4,9"), ("odds", "double-sided", "--stacks", "16,14")], ids=str
)
def test_the_other_games_have_fresh_decks_alone_and_say_it_too(line: tuple[str, ...]) -> None:
    assert said(good(*line))


def test_matches_that_are_played_with_one_deck_are_not_bounds() -> None:
    line = ("simulate", "indian-poker", "--first", "call", "--second", "random", "--matches", "20", "--stacks", "2,2")
    assert not said(good(*line, "--deal", "deck"))
    assert not any(TOLD in note for note in good(*line, "--deal", "deck", "--format", "json").json["notes"])


@pytest.mark.slow
@pytest.mark.parametrize("model", ["exact", "fresh"])
def test_reports_say_it(model: str, files: dict[str, Path], tmp_path: Path) -> None:
    good("report", files[model], "-o", tmp_path / "report")
    for name in ("index.html", "summary.md", "report.json"):
        text = " ".join((tmp_path / "report" / name).read_text(encoding="utf-8").split())
        assert (TOLD in text) is (model == "fresh"), name


# Which one is taken.


def test_the_exact_table_is_taken_wherever_it_has_the_chips() -> None:
    for chips in every_chips(20):
        spec = hand("indian-poker", stacks=chips.stacks, carry=chips.carry, objective="match")
        found = with_continuation(spec)
        assert isinstance(found, MatchSpec)
        assert found.deck_model == "exact"


@pytest.mark.parametrize(
    "line",
    [
        ("odds", "indian-poker", "--stacks", "1,17", "--carry", "2"),
        ("solve", "indian-poker", *HERE, "--objective", "match"),
        ("advise", "indian-poker", *HERE, "--see", "3", "--no-cache"),
        ("odds", "indian-poker", *HERE, "--raise-limit", "1"),
    ],
    ids=str,
)
def test_commands_take_it_too(line: tuple[str, ...]) -> None:
    done = good(*line, "--format", "json").json
    assert done["spec"]["deck_model"] == "exact"
    assert TOLD not in done["notes"]
