"""The page of a report, driven in a real browser: every figure on it, by mouse, by keyboard, on a phone, in print."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.data.node_summary import NodeTable, all_nodes
from reports.pages import explorer_data
from reports.pages.report import Source, write_report
from reports.text.words import percent, signed, stated
from rules.betting.actions import format_history
from rules.games.registry import hand
from solver import Solution, load, solve
from solver.solutions.spots import Spot, Spots
from tests.support.browser.browsing import (
    CONTRAST,
    HOSTILE,
    NOT_KNOWN,
    PHONE,
    View,
    browser,
    check_answer,
    needs_chromium,
    written,
)

__all__ = ["browser"]  # a fixture
pytestmark = needs_chromium


def shown(values: Any, write: Any) -> list[str]:
    return [write(value) for value in values]


def check_spot(view: View, solution: Solution, spot: Spot) -> None:
    """Check every figure that the page shows at a spot against the solution and against advice."""
    deal = Spots(solution, spot.board)
    table = NodeTable(deal, all_nodes(solution))
    node = solution.node(format_history(spot.history))[1]
    view.unfold()
    cells = view.cells()
    assert list(cells) == list(spot.observations)
    for column, name in enumerate(spot.observations):
        known = spot.sources[column] != NOT_KNOWN  # what is not is no advice
        chances = shown(np.where(known, spot.probability[:, column], 0.0), percent)
        expected = zip(chances, shown(spot.ev[:, column], signed), strict=True)
        assert cells[name] == list(expected)
    quiet = view.texts(".grid tbody td.quiet")
    mean = (spot.probability * spot.ev).sum(axis=0)
    expected = zip(mean, spot.own_reach, spot.other_reach, strict=True)
    assert quiet == [text for ev, own, other in expected for text in (signed(ev), percent(own), percent(other))]
    stars = [not text.endswith("*") for text in view.texts(".grid tbody th")]
    assert stars == spot.reached.tolist()
    one = table.players[spot.player]
    share = table.share[spot.player][one.place == np.flatnonzero(one.nodes == node)[0]]
    assert view.texts(".grid tfoot td.cell") == shown(share, percent)
    facts = view.text("#facts")
    assert f"EV for P{spot.player + 1} {signed(table.mean_ev[table.nodes == node][0])} " in facts
    assert f"a hand comes here {stated(table.reach[table.nodes == node][0])}" in facts


WALKS = (
    ("deck", "", "b3 r1"),
    ("board", "4,9", "b1"),
    ("boards", "3,10", "b1 r1"),
    ("fronts", "3,8", "back:b1 front:r3"),
    ("pairs", "7,2", "front:allin"),
    ("bluff", "", "k b"),
    ("suits", "", "b r"),
    ("one-rank", "", "b1"),
    ("sides", "3,8", "front"),
    ("nothing", "", "b1 allin"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "board", "history"), WALKS, ids=[walk[0] for walk in WALKS])
def test_a_walk_by_clicks_shows_what_the_solution_says(
    name: str, board: str, history: str, solved: Path, tmp_path: Path, browser: Any
) -> None:
    solution = load(solved / f"{name}.npz")
    deal = Spots(solution, board)
    with View(browser, written(solution, tmp_path)) as view:
        if len(solution.boards) > 1:
            view.page.select_option("#deal", label=board)
        check_spot(view, solution, deal.at())
        taken: list[str] = []
        for action in history.split():
            view.take(action)
            taken.append(action)
            spot = deal.at(" ".join(taken))
            check_spot(view, solution, spot)
        for column in sorted({0, len(spot.observations) // 2, len(spot.observations) - 1}):
            check_answer(view, solution, spot, column)
        assert view.text("#where") == f"P{spot.player + 1} to act after {' '.join(taken)}"
        words = [f"P{place % 2 + 1} {action.words}" for place, action in enumerate(spot.history)]
        assert view.texts("#path li") == ["start", *words]


def test_the_beliefs_of_all_rows_are_in_one_table(solved: Path, tmp_path: Path, browser: Any) -> None:
    solution = load(solved / "deck.npz")
    spot = Spots(solution).at("b1 r3")
    with View(browser, written(solution, tmp_path), "#h=b1+r3") as view:
        view.page.click(".beliefs summary")
        view.page.wait_for_selector(".matrix tbody")
        assert view.texts(".matrix thead th") == ["sees", *spot.others]
        found = np.array(view.texts(".matrix td")).reshape(spot.belief.T.shape)
        assert found.tolist() == [shown(row, percent) for row in spot.belief.T]


def test_a_link_leads_to_a_spot_and_the_browser_goes_back(solved: Path, tmp_path: Path, browser: Any) -> None:
    solution = load(solved / "boards.npz")
    with View(browser, written(solution, tmp_path), "#h=b1&d=3%2C10&see=7") as view:
        check_spot(view, solution, Spots(solution, "3,10").at("b1"))
        assert view.texts(".grid tr.chosen th") == ["7"]
        view.take("r1")
        assert "h=b1+r1" in view.page.url
        view.page.click("#path a >> nth=1")
        assert view.text("#where") == "P2 to act after b1"
        view.page.go_back()
        assert view.text("#where") == "P1 to act after b1 r1"
        view.page.click("#path a >> nth=0")
        assert view.text("#where") == "P1 acts first"
        view.page.click(".parts a >> nth=2")  # a part of the page is no history
        assert view.text("#where") == "P1 acts first"


def test_a_question_in_words_finds_its_spot(solved: Path, tmp_path: Path, browser: Any) -> None:
    solution = load(solved / "deck.npz")
    with View(browser, written(solution, tmp_path)) as view:
        for question, where in (
            ("bet 1 raise by 3", "P1 to act after b1 r3"),
            ("B1, all-in", "P1 to act after b1 allin"),
            ("bet 1 r6", "P1 to act after b1 allin"),
            ("b1r3", "P1 to act after b1 r3"),
            ("1 3", "P1 to act after b1 r3"),
            ("1,6", "P1 to act after b1 allin"),
            ("Bet1raise3", "P1 to act after b1 r3"),
            ("", "P1 acts first"),
        ):
            view.page.fill("#history", question)
            view.page.click("#find button")
            assert view.text("#where") == where
            assert view.text("#found") == ""
        view.page.fill("#history", "b1 r9 c")
        view.page.click("#find button")
        assert view.text("#found") == "“r9” is not offered after b1; offered: f c r1 r3 r5 allin."
        assert view.text("#where") == "P2 to act after b1"
        view.page.fill("#history", "b1 c r1")
        view.page.click("#find button")
        assert view.text("#found") == "“r1” is not offered after b1 c: the hand is over there."
        assert view.text(".panel") == "The hand is over: P2 plays call, and it is a showdown."


def test_everything_can_be_done_by_keyboard(solved: Path, tmp_path: Path, browser: Any) -> None:
    solution = load(solved / "deck.npz")
    with View(browser, written(solution, tmp_path)) as view:
        view.page.keyboard.press("Tab")
        assert view.page.evaluate("document.activeElement.className") == "skip"
        for _ in range(40):
            view.page.keyboard.press("Tab")
            if view.page.evaluate("document.activeElement.dataset.action") == "b3":
                break
        assert view.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        view.page.keyboard.press("Enter")
        assert view.text("#where") == "P2 to act after b3"
        assert view.page.evaluate("document.activeElement.id") == "where"  # so that Tab goes on from there
        for _ in range(40):
            view.page.keyboard.press("Tab")
            if view.page.evaluate("document.activeElement.textContent") == "5":
                break
        view.page.keyboard.press("Enter")
        assert view.texts(".grid tr.chosen th") == ["5"]
        check_spot(view, solution, Spots(solution).at("b3"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["deck", "fronts", "boards", "suits", "showdown"])
def test_a_phone_shows_everything_without_scrolling_sideways(
    name: str, solved: Path, tmp_path: Path, browser: Any
) -> None:
    path = written(load(solved / f"{name}.npz"), tmp_path, "a-long-name-" * 12 + ".npz", whole=name == "showdown")
    with View(browser, path, viewport=PHONE, is_mobile=True, has_touch=True) as view:
        assert view.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        if name != "showdown":
            view.page.tap(".grid button.take:not(.end) >> nth=0")
            assert view.text("#where").startswith("P2 to act after ")
            boxes = [button.bounding_box() for button in view.page.locator(".grid button").all()]
            assert all(box["height"] >= 24 and box["width"] >= 24 for box in boxes)
        assert view.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.slow
def test_a_screen_reader_finds_names_for_everything(solved: Path, tmp_path: Path, browser: Any) -> None:
    with View(browser, written(load(solved / "deck.npz"), tmp_path, whole=True), "#h=b1") as view:
        found = view.page.evaluate(
            """() => {
              const all = (selector) => [...document.querySelectorAll(selector)];
              const ids = all("[id]").map((one) => one.id);
              return {
                lang: document.documentElement.lang,
                title: document.title,
                doubled: ids.filter((id, place) => ids.indexOf(id) !== place),
                unscoped: all(".grid th:not([scope]), .bars th:not([scope]), .plain th:not([scope])").length,
                uncaptioned: all(".grid, .bars").filter((one) => !one.caption).length,
                unlabelled: all("input, select").filter((one) => !one.labels.length).length,
                nameless: all("button, a").filter((one) => !one.textContent.trim()).length,
                plots: all("figure [role=img]").map((one) => one.getAttribute("aria-label")),
                headings: all("h1, h2, h3, h4").map((one) => Number(one.tagName[1])),
                live: document.getElementById("place").getAttribute("aria-live"),
              };
            }"""
        )
        assert (found["lang"], found["title"], found["live"]) == ("en", "Indian Poker", "polite")
        assert found["doubled"] == []
        assert found["unscoped"] == found["uncaptioned"] == found["unlabelled"] == found["nameless"] == 0
        assert len(found["plots"]) == 4
        assert all(found["plots"])
        steps = np.diff(found["headings"])
        assert found["headings"].count(1) == 1
        assert steps.max() <= 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_in_light_and_dark(scheme: str, solved: Path, tmp_path: Path, browser: Any) -> None:
    path = written(load(solved / "deck.npz"), tmp_path)
    with View(browser, path, "#h=b1", color_scheme=scheme) as view:
        ground = view.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (int(re.findall(r"\d+", ground)[0]) < 128) == (scheme == "dark")
        ratio, where = view.page.evaluate(CONTRAST)
        assert ratio >= 4.5, where


def test_in_print_the_controls_are_gone_and_the_strategy_stays(solved: Path, tmp_path: Path, browser: Any) -> None:
    with View(browser, written(load(solved / "deck.npz"), tmp_path), "#h=b1", color_scheme="dark") as view:
        view.page.emulate_media(media="print")
        assert not view.page.is_visible("#find")
        assert not view.page.is_visible(".parts")
        assert view.page.is_visible(".grid")
        assert view.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert view.page.pdf().startswith(b"%PDF")


@pytest.mark.slow
def test_no_name_becomes_markup(solved: Path, tmp_path: Path, browser: Any) -> None:
    solution, other = load(solved / "deck.npz"), load(solved / "one-rank.npz")
    for folder, sources, compare in (
        ("one", [Source(HOSTILE, solution)], False),
        ("two", [Source(HOSTILE, solution), Source(HOSTILE, other)], True),
    ):
        series = sources if compare else ()
        path = write_report(tmp_path / folder, sources, series=series, order=HOSTILE, compare=compare)
        text = path.read_text(encoding="utf-8")
        assert text.count("<script") == text.count("</script>") == 3
        with View(browser, path, "#h=b1&see=<img src=x onerror=window.bad=1>&s=<b>") as view:
            assert view.page.evaluate("window.bad") is None
            assert view.page.locator("img").count() == 0
            assert HOSTILE in view.text("body")
            view.page.fill("#history", "<img/src=x/onerror=window.bad=1>")
            view.page.click("#find button")
            view.page.wait_for_timeout(50)
            assert view.page.evaluate("window.bad") is None


def test_a_page_that_is_cut_says_so_and_keeps_what_play_reaches(
    solved: Path, tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    solution = load(solved / "deck.npz")
    monkeypatch.setattr("reports.pages.page.MOST_BYTES", 6_000)
    path = written(solution, tmp_path)
    block = explorer_data.Block()
    kept = explorer_data.solution_block(solution, block, 6_000)
    assert 1 < kept["nodes"] < kept["total"] == 42
    with View(browser, path) as view:
        assert f"It holds the {kept['nodes']} of 42 histories" in view.text("#explorer .warning >> nth=-1")
        check_spot(view, solution, Spots(solution).at())
        view.take("b1")
        check_spot(view, solution, Spots(solution).at("b1"))
        missing = next(
            history
            for history in (format_history(spot.history) for spot in Spots(solution).walk())
            if history not in inside(solution, kept["threshold"])
        )
        view.page.fill("#history", missing)
        view.page.click("#find button")
        assert "Play comes here too seldom for this page" in view.text(".panel")


def inside(solution: Solution, threshold: float) -> set[str]:
    """Return the histories to which a player's own actions lead often enough, spot by spot."""
    found = {""}
    deal = Spots(solution)
    likely = [deal.led_to(player) for player in (0, 1)]
    for spot in deal.walk():
        node = solution.node(format_history(spot.history))[1]
        if max(float(one[node]) for one in likely) >= threshold:
            found.add(format_history(spot.history))
    return found


@pytest.mark.slow
def test_a_comparison_shows_both_at_every_spot(solved: Path, tmp_path: Path, browser: Any) -> None:
    first = load(solved / "deck.npz")
    second = solve(hand("indian-poker", seen="1,4,4,9,10,10", stacks="12,8", raises="1,5,allin"), gap=0.05)
    path = write_report(tmp_path / "report", [Source("a", first), Source("b", second)], compare=True)
    with View(browser, path, "#h=b1") as view:
        view.unfold()
        for place, solution in enumerate((first, second)):
            spot = Spots(solution).at("b1")
            panel = view.page.locator(".panel").nth(place)
            expected = [percent(p) for row in spot.probability.T for p in row]
            assert panel.locator("tbody td.cell b").all_inner_texts() == expected
        view.page.locator(".panel >> nth=0").locator('button[data-action="r3"]').click()
        assert "P2 is not offered r3 in this solution." in view.texts(".panel")[1]
        view.page.click("#compare table a >> nth=0")
        assert view.page.locator(".grid tr.chosen").count() >= 1


@pytest.mark.slow
def test_a_chooser_turns_to_another_solution(solved: Path, tmp_path: Path, browser: Any) -> None:
    names = ("deck", "fronts", "showdown")
    sources = [Source(name, load(solved / f"{name}.npz")) for name in names]
    with View(browser, write_report(tmp_path / "report", sources)) as view:
        view.page.select_option("#hand", label="fronts")
        check_spot(view, sources[1].solution, Spots(sources[1].solution).at())
        assert "s=2" in view.page.url
        view.page.select_option("#hand", label="showdown")
        assert view.text(".panel").startswith("Nobody acts in this hand")
        view.page.go_back()
        assert view.texts(".grid thead th")[0] == "own back"
