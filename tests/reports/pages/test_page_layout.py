"""Where things stand on the page of a report: what is played lies on the screen, on a desk and on a phone."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.pages.report import Source, write_report
from rules.betting.actions import format_history
from rules.games.registry import hand
from solver import Solution, load, solve
from solver.solutions.spots import Spot, Spots
from tests.support.browser.browsing import View, browser, needs_chromium, written

__all__ = ["browser"]  # a fixture
pytestmark = [needs_chromium, pytest.mark.slow]

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
HAND: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
SCREENS = {"desk": DESK, "phone": HAND}

ROUGH: dict[str, dict[str, Any]] = {
    "two sides": {"game": "double-sided", "fronts": "3,8", "stacks": "15,15"},
    "every size": {"game": "indian-poker", "stacks": "12,12", "raises": "any"},
    "both": {"game": "double-sided", "fronts": "9,2", "stacks": "7,7", "raises": "any"},
}
"""Hands of many actions, solved so roughly that nearly all of them are played somewhere."""

SPOTS = 6


@cache
def roughly(name: str) -> Solution:
    return solve(hand(**ROUGH[name]), gap=1e-9, max_iterations=8)


def played(spot: Spot) -> int:
    """Return how many actions some row plays with 1 % or more."""
    return int((spot.probability.max(axis=1) >= 0.01).sum())


def busy(solution: Solution) -> list[Spot]:
    """Return the first spots of a walk, and those in which most actions are played."""
    every = [spot for spot in Spots(solution, solution.boards[-1]).walk() if len(spot.history) <= 4]
    most = sorted(every, key=played, reverse=True)
    return [*every[:SPOTS], *most[:SPOTS]]


def address(spot: Spot) -> str:
    board = f"&d={spot.board}".replace(",", "%2C") if spot.board else ""
    return f"#h={'+'.join(str(action).replace(':', '%3A') for action in spot.history)}{board}"


PLACES = """() => {
  const box = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return [left, right, top + scrollY, bottom + scrollY];
  };
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
  return {
    width: document.documentElement.clientWidth,
    page: document.documentElement.scrollWidth,
    scrolls: shown(".scroll").map((one) => [one.scrollWidth, one.clientWidth]),
    heads: shown(".grid thead button").map((one) => [one.dataset.action, ...box(one.closest("th"))]),
    cells: shown(".grid td, .grid th").map((one) => [one.textContent, one.scrollWidth, one.clientWidth, ...box(one)]),
    captions: shown(".grid caption").map(box),
    rows: shown(".grid tbody tr").map(box),
  };
}"""


def check_screen(view: View, spot: Spot, least: float) -> None:
    """Check that columns and words lie on the screen, and that the columns are those played so often or more."""
    found = view.page.evaluate(PLACES)
    width = found["width"]
    columns = [str(a) for a, row in zip(spot.actions, spot.probability, strict=True) if row.max() >= least]
    assert [action for action, *_ in found["heads"]] == columns
    assert found["page"] <= width
    assert all(inside <= room for inside, room in found["scrolls"])
    for told, inside, room, left, right, *_ in found["cells"]:
        assert 0 <= left <= right <= width, told
        assert inside <= room, told
    assert all(0 <= left <= right <= width for left, right, *_ in found["captions"])


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", ["deck", "board", "boards", "fronts", "pairs", "bluff", "suits", "one-rank", *ROUGH])
def test_every_column_that_is_played_lies_on_the_screen(
    name: str, screen: str, solved: Path, tmp_path: Path, browser: Any
) -> None:
    solution = roughly(name) if name in ROUGH else load(solved / f"{name}.npz")
    path = written(solution, tmp_path)
    with View(browser, path, **SCREENS[screen]) as view:
        assert view.page.evaluate("window.scrollY") == 0
        for spot in busy(solution):
            view.page.goto(path.as_uri() + address(spot))
            view.page.wait_for_selector(".grid tbody tr")
            assert view.page.evaluate(PLACES)["rows"][0][3] < SCREENS[screen]["viewport"]["height"]
            check_screen(view, spot, 0.01)
            view.unfold()
            check_screen(view, spot, 0.0)
            if view.page.locator(".fold").count():
                view.page.click(".fold")


def test_a_screen_that_turns_gets_a_table_that_fits(tmp_path: Path, browser: Any) -> None:
    solution = roughly("two sides")
    spot = max(busy(solution), key=played)
    with View(browser, written(solution, tmp_path), address(spot), **DESK) as view:
        assert view.page.locator(".grid").count() == 1
        view.page.focus(".grid .row >> nth=2")
        view.page.set_viewport_size(HAND["viewport"])
        view.page.wait_for_selector(".grid + .grid")
        check_screen(view, spot, 0.01)
        assert view.page.evaluate("document.activeElement.textContent") == f"{spot.observations[2]} *".removesuffix(
            " *" if spot.reached[2] else ""
        )
        view.page.set_viewport_size(DESK["viewport"])
        view.page.wait_for_selector(".grid:only-child")
        check_screen(view, spot, 0.01)


def test_on_paper_the_table_fits_too(tmp_path: Path, browser: Any) -> None:
    solution = roughly("two sides")
    spot = max(busy(solution), key=played)
    with View(browser, written(solution, tmp_path), address(spot), **DESK) as view:
        before = view.page.get_attribute(".spot", "class")
        view.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        view.page.emulate_media(media="print")
        room, inside = view.page.evaluate(
            "[document.body.clientWidth,"
            " Math.max(...[...document.querySelectorAll('.grid')].map((one) => one.offsetWidth))]"
        )
        assert inside <= room <= 704
        view.page.emulate_media(media="screen")
        view.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert view.page.get_attribute(".spot", "class") == before
        assert view.page.pdf().startswith(b"%PDF")
        assert view.page.evaluate("document.body.style.width") == ""


def test_the_answer_comes_first_and_the_proof_below(solved: Path, tmp_path: Path, browser: Any) -> None:
    path = written(load(solved / "fronts.npz"), tmp_path, whole=True)
    with View(browser, path, **HAND) as view:
        tops = view.page.evaluate(
            "['h1', '.lead', '.grid', '.card', '.cards', '#findings', '#figures', '#trust']"
            ".map((one) => document.querySelector(one).getBoundingClientRect().top)"
        )
        assert tops == sorted(tops)
        assert tops[2] < 500


def test_what_nobody_plays_is_folded_away_and_can_be_shown_by_keyboard(
    solved: Path, tmp_path: Path, browser: Any
) -> None:
    solution = load(solved / "deck.npz")
    spot = Spots(solution).at("b1")
    folded = [a for a, row in zip(spot.actions, spot.probability, strict=True) if row.max() < 0.01]
    assert 1 < len(folded) < len(spot.actions)
    with View(browser, written(solution, tmp_path), "#h=b1") as view:
        assert view.texts(".folded .take") == [action.words for action in folded]
        assert view.text(".folded").startswith("Folded away, as no row plays it with 1 % or more:")
        assert view.page.get_attribute(".fold", "aria-expanded") == "false"
        assert view.text(".fold") == f"Show their {len(folded)} columns"
        for _ in range(60):
            view.page.keyboard.press("Tab")
            if view.page.evaluate("document.activeElement.className") == "fold":
                break
        view.page.keyboard.press("Enter")
        assert view.page.evaluate("document.activeElement.className") == "fold"
        assert view.page.get_attribute(".fold", "aria-expanded") == "true"
        assert view.text(".folded").startswith("All actions are shown")
        assert view.page.locator(".grid thead button").count() == len(spot.actions)
        view.take(str(folded[0]))  # the choice stays from spot to spot
        assert view.page.locator('.fold[aria-expanded="false"]').count() == 0
        view.page.go_back()
        view.page.keyboard.press("Shift+Tab")
        view.page.click(".fold")
        assert view.page.locator(".grid thead button").count() == len(spot.actions) - len(folded)
        view.take(str(folded[0]))  # play goes on from a folded action too
        assert view.text("#where").endswith(f"after b1 {folded[0]}") or "The hand is over" in view.text(".panel")


def played_evenly(solution: Solution) -> Solution:
    """Return the same hand where everybody plays all actions alike."""
    tree = solution.tree
    even = np.repeat(1.0 / np.diff(tree.first), np.diff(tree.first))[None, :, None]
    other = solution.playing(np.broadcast_to(even, solution.strategies.shape).copy())
    # As if it were within its gap: what is far from it is not known, and not shown.
    return replace(other, provenance=replace(other.provenance, target=1e9))


def test_side_by_side_both_have_the_same_columns(solved: Path, tmp_path: Path, browser: Any) -> None:
    first = load(solved / "deck.npz")
    second = played_evenly(first)
    path = write_report(tmp_path / "report", [Source("a", first), Source("b", second)], compare=True)
    for screen in SCREENS.values():
        with View(browser, path, "#h=b1", **screen) as view:
            heads = [panel.locator("thead button").all_inner_texts() for panel in view.page.locator(".panel").all()]
            assert heads[0] == heads[1]
            assert len(heads[0]) == 6  # all are played in the second
            assert view.page.evaluate("document.documentElement.scrollWidth") <= screen["viewport"]["width"]


@pytest.mark.parametrize("name", ["deck", "board", "fronts", "pairs", "bluff", "one-rank", "sides"])
def test_the_example_of_a_history_is_legal_in_its_game(name: str, solved: Path, tmp_path: Path, browser: Any) -> None:
    solution = load(solved / f"{name}.npz")
    with View(browser, written(solution, tmp_path)) as view:
        example = view.page.get_attribute("#history", "placeholder")
        assert example
        Spots(solution, solution.boards[0]).at(example.rsplit(" ", 1)[0])
        solution.spec.public.follow(example)
        view.page.fill("#history", example)
        view.page.click("#find button")
        assert view.text("#found") == ""
        assert view.page.locator("#path li").count() == 1 + len(example.split())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_dot_of_the_legend_has_the_colour_of_the_dots(
    scheme: str, solved: Path, tmp_path: Path, browser: Any
) -> None:
    with View(browser, written(load(solved / "deck.npz"), tmp_path), color_scheme=scheme) as view:
        legend, dot = view.page.evaluate(
            "[getComputedStyle(document.querySelector('.legend .best-mark')).color,"
            " getComputedStyle(document.querySelector('.grid td.best b'), '::after').color]"
        )
        assert legend == dot
        assert view.text(".legend").startswith("● best")


@pytest.mark.parametrize("name", ["deck", "boards", "fronts", "bluff", "one-rank", "nothing"])
def test_no_sentence_has_a_dash_for_a_number(name: str, solved: Path, tmp_path: Path, browser: Any) -> None:
    solution = load(solved / f"{name}.npz")
    dash = re.compile(r"(?:^|\s)-(?=[\s.,;:)]|$)")
    with View(browser, written(solution, tmp_path, whole=True)) as view:
        for spot in busy(solution):
            view.page.goto(view.page.url.split("#")[0] + address(spot))
            for row in range(0, len(spot.observations), 3):
                view.page.click(f".grid tbody tr >> nth={row}")
                told = view.texts("main p, main li, header p, figcaption, .grid tfoot td.quiet")
                assert [line for line in told if dash.search(line)] == []
                if name == "deck" and spot.other_reach[row] == 0.0:
                    assert "other's 0 %" in view.text(".trust")


def test_the_answer_is_told_in_a_sentence(solved: Path, tmp_path: Path, browser: Any) -> None:
    solution = load(solved / "deck.npz")
    spots = Spots(solution)
    with View(browser, written(solution, tmp_path)) as view:
        assert view.text("#answer") == ""  # nobody has asked for a card
        for spot in (spots.at(), spots.at("b1"), spots.at("b1 r3")):
            history = format_history(spot.history)
            for column, name in enumerate(spot.observations):
                view.page.fill("#history", history)
                view.page.select_option("#card", label=name)
                view.page.click("#find button")
                chances = {
                    a.words: round(float(p), 3) for a, p in zip(spot.actions, spot.probability[:, column], strict=True)
                }
                played = sorted((words for words in chances if chances[words] >= 5e-4), key=lambda one: -chances[one])
                told = view.text("#answer")
                assert told.startswith(f"P{spot.player + 1}, sees {name}: ")
                if len(played) == 1:
                    assert told.endswith(f": always {played[0]}.")
                else:
                    parts = ", ".join(f"{words} {100 * chances[words]:.1f} %" for words in played)
                    assert told.endswith(f": {parts}: a mix, to be drawn and not averaged.")
                assert view.text(".say").lower() == told.split(": ", 1)[1].lower()


def test_a_link_below_leads_up_to_the_answer(solved: Path, tmp_path: Path, browser: Any) -> None:
    first = load(solved / "deck.npz")
    second = solve(hand("indian-poker", seen="1,4,4,9,10,10", stacks="12,8"), gap=0.05)
    path = write_report(tmp_path / "report", [Source("a", first), Source("b", second)], compare=True)
    with View(browser, path) as view:
        view.page.locator("#compare table a").last.click()
        view.page.wait_for_selector("#where:focus")
        top = view.page.evaluate("document.getElementById('explorer').getBoundingClientRect().top")
        assert -1 <= top <= 100


@pytest.mark.parametrize(
    ("name", "title", "deal"),
    [
        ("deck", "Indian Poker", ""),
        ("board", "Indian Hold'em, board 4,9", "board 4,9"),
        ("boards", "Indian Hold'em, all 55 boards", "all 55 boards"),
        ("fronts", "Double-sided Poker, fronts 3,8", "fronts 3,8"),
        ("pairs", "Double-sided Poker, all 100 pairs of fronts", "all 100 pairs of fronts"),
    ],
)
def test_title_lead_and_summary_name_the_board_or_the_fronts(
    name: str, title: str, deal: str, solved: Path, tmp_path: Path, browser: Any
) -> None:
    solution = load(solved / f"{name}.npz")
    path = write_report(tmp_path / "report", [Source("a.npz", solution)])
    with View(browser, path) as view:
        assert view.page.title() == view.text("h1") == title
        assert view.text(".lead").lower().startswith(deal or "16 cards left")
        assert deal in view.text(".cards")
    told = (path.parent / "summary.md").read_text(encoding="utf-8")
    assert told.startswith(f"# {title}\n")
    hand_told = f"{deal}, {solution.spec.headline}".removeprefix(", ")
    assert f"| a.npz | {hand_told} |" in told


def test_two_solutions_of_other_boards_are_told_apart(solved: Path, tmp_path: Path) -> None:
    sources = [Source("a", load(solved / "board.npz")), Source("b", load(solved / "boards.npz"))]
    text = write_report(tmp_path / "report", sources, compare=True).read_text(encoding="utf-8")
    assert "<title>Indian Hold&#x27;em: two solutions compared</title>" in text
    assert '<p class="lead">a (board 4,9), b (all 55 boards)</p>' in text
    mixed = [sources[0], Source("c", load(solved / "fronts.npz"))]
    text = write_report(tmp_path / "mixed", mixed).read_text(encoding="utf-8")
    assert "<title>Indian Hold&#x27;em, Double-sided Poker: 2 hands</title>" in text
    assert np.all([part in text for part in ("a (board 4,9)", "c (fronts 3,8)")])
