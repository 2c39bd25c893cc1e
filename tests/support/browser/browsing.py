"""The page of a report in a real browser: opening it, what it must never do, and what stands on it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from reports.data.beliefs import ON_PATH, warning
from reports.pages.markup import Markup
from reports.pages.page import Named, page
from reports.pages.report import Source, write_report
from reports.screens.advice import Advice
from reports.text.words import percent, stated
from rules.betting.actions import format_history
from solver import Solution
from solver.off_path.sources import SOURCES, UNKNOWN
from solver.solutions.spots import Spot

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
HOSTILE = "</script><script>window.bad=1</script><img src=x onerror='window.bad=1'>\"&{{block}}$x^2$|`*.npz"
"""A name that must stay text wherever it is shown."""

CONTRAST = """() => {
  const light = ([r, g, b]) => {
    const part = [r, g, b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const numbers = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      const image = style.backgroundImage.match(/rgba?\\([^)]*\\)/);
      for (const text of [image && image[0], style.backgroundColor]) {
        if (!text) continue;
        const [r, g, b, a = 1] = numbers(text);
        layers.push([r, g, b, a]);
      }
    }
    return layers.reverse().reduce((below, [r, g, b, a]) =>
      [r, g, b].map((v, i) => v * a + below[i] * (1 - a)), [255, 255, 255]);
  };
  let worst = [99, ""];
  for (const element of document.querySelectorAll("header *, main *")) {
    if (element.closest("svg")) continue;
    if (![...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    if (!element.getClientRects().length) continue;
    const below = ground(element), alpha = Number(getComputedStyle(element).opacity);
    const ink = numbers(getComputedStyle(element).color).slice(0, 3).map((v, i) => v * alpha + below[i] * (1 - alpha));
    const [high, low] = [light(ink), light(below)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < worst[0]) worst = [ratio, element.outerHTML.slice(0, 200)];
  }
  return worst;
}"""
"""Returns the lowest contrast of text on its background on a page, and where it is."""

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 375, "height": 667}


@contextmanager
def a_browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a browser for the tests of a module."""
    with a_browser() as opened:
        yield opened


class View:
    """A page in a browser that must neither complain nor ask for anything but itself."""

    def __init__(self, browser: Any, path: Path, address: str = "", **options: Any) -> None:
        self.context = browser.new_context(**({"viewport": DESKTOP} | options))
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url.split("#")[0].split(",")[0]))
        self.page.goto(path.as_uri() + address)
        self.page.wait_for_selector("html[data-ready]")

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
        assert self.complaints == []
        assert len([url for url in self.asked if url.startswith("file:")]) == 1
        assert all(url.startswith(("file:", "data:", "blob:")) for url in self.asked)

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def texts(self, selector: str) -> list[str]:
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]

    def take(self, action: str) -> None:
        self.page.click(f'button.take[data-action="{action}"]')

    def unfold(self) -> None:
        """Show the columns too that nobody plays; they stay."""
        if self.page.locator('.fold[aria-expanded="false"]').count():
            self.page.click('.fold[aria-expanded="false"] >> nth=0')

    def cells(self) -> dict[str, list[tuple[str, str]]]:
        """Return probability and EV of every cell by row, as they are shown."""
        return {
            row.get_attribute("data-row"): [
                tuple(cell.inner_text().split("\n")) for cell in row.locator("td.cell").all()
            ]
            for row in self.page.locator(".grid tbody tr").all()
        }  # fmt: skip


def written(solution: Solution, folder: Path, name: str = "a.npz", whole: bool = False) -> Path:
    """Write the page of a solution, without its figures but where the whole report is wanted."""
    if whole:
        return write_report(folder / "report", [Source(name, solution)])
    path = folder / "page.html"
    path.write_text(page(solution.spec.title, name, [Named(name, solution)], [], [[name]], Markup()), encoding="utf-8")
    return path


NOT_KNOWN = SOURCES[UNKNOWN]


def check_answer(view: View, solution: Solution, spot: Spot, column: int) -> None:
    """Check the answer for one row against advice."""
    spec = solution.spec
    if spot.sources[column] == NOT_KNOWN:
        view.page.click(f'.grid tr[data-row="{spot.observations[column]}"] th button')
        assert "the row is not known" in view.text(".trust")
        assert "●" not in view.text(".answer")
        return
    advice = Advice.at(solution, spot.observations[column], format_history(spot.history), spot.board)
    view.page.click(f'.grid tr[data-row="{spot.observations[column]}"] th button')
    for summary in view.page.locator(".card summary").all():
        summary.click()
    answer = [row.split("\t")[0] for row in view.texts(".answer tr")]
    order = [spot.actions[place].words for place in advice.ranked.order]
    assert answer == [words + " ●" * (place < len(advice.best)) for place, words in enumerate(order)]
    rows = dict(row.split("\t")[::2] for row in view.texts(".held tr"))
    assert rows == {card: percent(chance) for card, chance in advice.hidden_card.items()}
    now = advice.showdown(inferred=True)
    odds = view.page.locator(".odds").all_inner_texts()
    if now is None:
        assert odds == []
    else:
        figures = ", ".join(f"{key} {stated(now[key])}" for key in ("win", "tie", "lose"))
        assert odds[0].endswith(f": {figures}.")
        if "sides" in now:
            assert f"({now['sides']['own']} against {now['sides']['other']})" in odds[0]
    risks = view.page.locator(".risk").all_inner_texts()
    penalty = advice.fold_penalty
    assert len(risks) == bool(penalty["by_card"])
    weak, deck = advice.belief_basis != ON_PATH, advice.by_deck
    for risk in risks:
        mean = f" ({penalty['expected_by_deck']:.2f} by the deck alone)" if weak else ""
        assert f": {penalty['expected']:.2f} chips on average{mean}." in risk
        for card, cost in penalty["by_card"].items():
            before = f", {stated(deck[card])} by the deck alone" if weak else ""
            assert f"{cost} more chips holding {card} ({stated(advice.hidden_card[card])}{before})" in risk
    reach = float(spot.own_reach[column]), float(spot.other_reach[column])
    warned = warning(advice.belief_basis, *reach, "their back" if spec.game == "double-sided" else "your card")
    if warned and len(spot.others) <= 20:
        warned += f" By the deck alone: {', '.join(f'{card} {percent(chance)}' for card, chance in deck.items())}."
    assert view.page.locator(".weak").all_inner_texts() == ([warned] if weak else [])
    chips = advice.chips
    assert f"Pot {chips['pot']} · to call {chips['to_call']}" in view.text("#facts")
    assert ("On the equilibrium path" in view.text(".trust")) == bool(spot.reached[column])
    if "own" in chips:
        player = spot.player + 1
        left = f"P{player} has left {chips['own']} · P{3 - player} has left {chips['other']}"
        assert left in view.text("#facts")
