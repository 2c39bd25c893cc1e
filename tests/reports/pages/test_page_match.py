"""The page of a match in a browser: from what was played to the spot where it was chosen."""

from pathlib import Path
from typing import Any

import pytest

from reports.answering import report_sources
from reports.pages.report import write_report
from rules.play.log import MatchLog
from tests.support.browser.browsing import CONTRAST, View, browser, needs_chromium
from tests.support.reported_logs import LOGS, log_of, made

__all__ = ["browser", "made"]  # fixtures
pytestmark = [needs_chromium, pytest.mark.slow]


def seen_by(log: MatchLog, number: int, place: int) -> str:
    """Return what the player saw who chose an action; "" where the log does not know it."""
    cards = log.hands[number].played.cards
    if log.game != "double-sided":
        return str(cards[1 - place % 2])
    return str(cards[place % 2]).split("/")[1].replace("?", "")


@pytest.mark.parametrize("name", LOGS)
def test_each_action_leads_to_the_spot_where_it_was_chosen(name: str, made: dict[str, Path], browser: Any) -> None:
    log = log_of(made, name)
    for screen in ({}, {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}):
        with View(browser, made[name] / "index.html", **screen) as view:
            assert view.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            for number, one in enumerate(log.hands):
                links = view.page.locator(f".hand >> nth={number}").locator(".moves a")
                assert links.count() == len(one.played.history)
                for place, action in enumerate(one.played.history):
                    links.nth(place).click()
                    view.page.wait_for_selector("#where:focus")
                    before = " ".join(map(str, one.played.history[:place]))
                    who = ("you", "they")[(one.played.first + place) % 2]
                    asked = f"to act after {before}" if before else "acts first"
                    assert view.text("#where") == f"P{place % 2 + 1} ({who}) {asked}"
                    seen = seen_by(log, number, place)
                    if seen:
                        assert view.texts(".grid tr.chosen th")[0].rstrip(" *") == seen
                        assert view.text("#answer").startswith(f"P{place % 2 + 1} ({who}), ")
                    assert view.page.locator(f'button.take[data-action="{action}"]').count() == 1
                    top = view.page.evaluate("document.getElementById('explorer').getBoundingClientRect().top")
                    assert -1 <= top <= 100
                    if len(log.hands) > 1:
                        assert f"hand {number + 1}," in view.page.locator("#hand option:checked").inner_text()


def test_the_hand_to_come_is_shown_at_first(made: dict[str, Path], browser: Any) -> None:
    with View(browser, made["poker"] / "index.html") as view:
        assert view.page.locator("#hand option:checked").inner_text() == "hand 4, they bet first, to come"
        assert view.text("#hand-word") == "hand"
        assert view.text("#where") == "P1 (they) acts first"
        view.page.click(".hand >> nth=3 >> a")
        assert view.text("#where") == "P1 (they) acts first"


def test_what_was_played_is_on_a_page_that_is_cut(
    tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.log"
    line = "mine 2  theirs 9  history b1 r1 r1 r1 r1 f"  # hardly anybody would
    path.write_text(f"forehead match log 1\ngame indian-poker\nstacks 10,10\nfirst me\n{line}\n")
    monkeypatch.setattr("reports.pages.page.MOST_BYTES", 4_000)
    found = report_sources.gathered(
        [], {"log": str(path), "objective": "chips"}, decks=None, compare=False, gap=0.05, timings=False
    )
    page = write_report(tmp_path / "made", found.sources, series=found.series, story=found.story)
    with View(browser, page) as view:
        assert "hand 1, you bet first: this page is cut" in view.text("#explorer")
        assert "and those that were played" in view.text("#explorer")
        view.page.locator(".hand >> nth=0").locator(".moves a").last.click()
        assert view.text("#where") == "P2 (they) to act after b1 r1 r1 r1 r1"
        assert view.texts(".grid tr.chosen th")[0].rstrip(" *") == "2"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_of_a_match_can_be_read(scheme: str, made: dict[str, Path], browser: Any) -> None:
    with View(browser, made["poker"] / "index.html", "#h=b1&s=1&see=9", color_scheme=scheme) as view:
        ratio, where = view.page.evaluate(CONTRAST)
        assert ratio >= 4.5, where
        ids = view.page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
        assert len(ids) == len(set(ids))
