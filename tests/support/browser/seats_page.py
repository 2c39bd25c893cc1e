"""The page of three and more players, driven in a browser: what several test modules share."""

from typing import Any

import pytest

from rules import hand
from solver.mccfr.solution import MCCFRSolution
from solver.mccfr.solving import solve_sampled
from tests.support.browser.browsing import View

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
WIDTHS = [pytest.param(DESK, id="desk"), pytest.param(PHONE, id="phone")]


CUT_OFF = """() => [...document.querySelectorAll("main *, header *")].filter((one) => {
  if (!one.getClientRects().length || one.closest("svg, .skip")) return false;
  if (getComputedStyle(one).position === "absolute") return false;
  const { left, right } = one.getBoundingClientRect();
  if (left >= -0.5 && right <= document.documentElement.clientWidth + 0.5) return false;
  for (let box = one.parentElement; box; box = box.parentElement) {
    if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)) return false;
  }
  return true;
}).map((one) => one.outerHTML.slice(0, 120))"""
"""What sticks out of the page without a box of its own that scrolls."""


class Seats(View):
    """A page of three and more players."""

    def act(self, *actions: str) -> None:
        for action in actions:
            self.page.click(f'.acts button[data-action="{action}"]')

    def see(self, *cards: str) -> None:
        """Tap cards, of one seat after the other."""
        for card in cards:
            self.page.click(f'#ranks button[data-rank="{card}"]')

    def turn(self, history: str, seen: str = "") -> None:
        """Go to a spot by its address."""
        self.page.evaluate(
            "(hash) => { location.hash = hash; }", f"#h={history.replace(' ', '+')}" + (f"&see={seen}" if seen else "")
        )
        self.page.wait_for_function("(text) => document.getElementById('history').value === text", arg=history)

    def answer(self) -> dict[str, list[str]]:
        """Return what each action's row says: probability and, where there is one, EV."""
        return {
            str(row.get_attribute("data-action")): [text.strip() for text in row.locator("td.number").all_inner_texts()]
            for row in self.page.locator(".acts tbody tr").all()
        }

    def best(self) -> list[str]:
        """Return what is marked, from the top."""
        rows = self.page.locator(".acts tbody tr", has=self.page.locator(".best-mark")).all()
        return [str(row.get_attribute("data-action")) for row in rows]


def learned(players: int, **options: Any) -> MCCFRSolution:
    spec = hand("blind-mans-bluff", players=players, **options)
    return solve_sampled(spec, max_iterations=2, hands=2_000, batches=1, threads=1)
