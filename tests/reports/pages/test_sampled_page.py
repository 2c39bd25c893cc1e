"""The page of a strategy that was learned by sampling, in a real browser."""

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reports.pages.sampled_report import first_decisions, write_sampled_report
from reports.screens.sampled_nodes import cards_told
from reports.text.words import percent
from rules.betting.actions import CALL, CHECK, FOLD, Action, format_history
from rules.betting.public_game import Outcome
from solver.mccfr.sampler import limits_of
from solver.mccfr.solution import MCCFRSolution
from solver.mccfr.spots import KNOWN, MCCFRSpot, known, node_at, spot_seen
from tests.support.browser.browsing import browser, needs_chromium
from tests.support.browser.seats_page import PHONE, Seats, learned

__all__ = ["browser"]  # a fixture
pytestmark = [needs_chromium, pytest.mark.slow]


@pytest.fixture(scope="module")
def five() -> MCCFRSolution:
    return learned(5)


@pytest.fixture(scope="module")
def five_page(five: MCCFRSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sampled_report(tmp_path_factory.mktemp("five"), five, "five.npz")


def walked(solution: Any, generator: random.Random, longest: int) -> tuple[str, int]:
    """Return a random history of fewer than `longest` actions after which somebody acts, and who."""
    public, history = solution.spec.public, list[Action]()
    state: Any = public.root
    for _ in range(generator.randrange(longest)):
        action, after = generator.choice([move for move in public.moves(state) if move[0].kind != FOLD or state.bets])
        if isinstance(after, Outcome):
            break
        history, state = [*history, action], after
    return format_history(history), public.player(state)


def dealt(solution: Any, generator: random.Random) -> str:
    table = solution.spec.around_the_table()
    deck = [card for card in table.cards for _ in range(table.copies)]
    return ",".join(generator.sample(deck, table.players - 1))


def learned_rows(spot: MCCFRSpot) -> dict[str, list[str]]:
    if not spot.known:
        return {str(action): ["not known"] for action in spot.actions}
    return {str(action): [percent(p)] for action, p in zip(spot.actions, spot.mix, strict=True)}


def bucket_key(spot: MCCFRSpot) -> int:
    return spot._key(spot.spot, spot.cards)


UPPERMOST = """() => {
  const head = document.querySelector(".grid thead th");
  head.scrollIntoView({ block: "center" });
  const { left, top, height } = head.getBoundingClientRect();
  return document.elementFromPoint(left + 8, top + height / 2).textContent;
}"""


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"players": 5}, id="five"),
        pytest.param({"players": 6, "max_raises": 3}, id="three-raises"),
        pytest.param({"players": 5, "rank_suits": True}, id="suits"),
        pytest.param({"players": 10}, id="ten", marks=pytest.mark.slow),
    ],
)
def test_sampled_spots_are_what_the_solution_says(options: dict[str, Any], tmp_path: Path, browser: Any) -> None:
    solution = learned(**options)
    limits, generator = limits_of(solution.spec), random.Random(5)
    met = 0
    with Seats(browser, write_sampled_report(tmp_path / "r", solution, "s.npz")) as view:
        for number in range(40):  # learning came to most of the first decisions, and to few of those deep in the tree
            longest = 3 if number % 2 else solution.spec.public.longest
            (history, _), seen = walked(solution, generator, longest), dealt(solution, generator)
            spot = spot_seen(solution, seen, history)
            view.turn(history, seen)
            assert view.answer() == learned_rows(spot), (history, seen)
            told = cards_told(known(limits, bucket_key(spot)))
            assert view.text(".bucket") == f"What the strategy looks at: {told}."
            assert ("Not known" in view.text(".say")) == (not spot.known)
            assert f"to call {spot.to_call} " in view.text("#facts")
            (chosen,) = view.page.locator(".grid tr.chosen").all()
            assert chosen.get_attribute("data-row") == told
            assert view.page.evaluate(UPPERMOST) == "sees"  # the head stays above rows that are scrolled to
            met += spot.known
    assert 0 < met < 40  # both were met: what is known and what is not


def test_sampled_rows_are_the_buckets_of_a_node(five: MCCFRSolution, five_page: Path, browser: Any) -> None:
    limits = limits_of(five.spec)
    with Seats(browser, five_page) as view:
        for history in ("", "k b", "k b f r", "b f f f"):
            view.turn(history)
            node = node_at(five, history)
            mixes = {
                cards_told(known(limits, key)): mix
                for key, mix, often in zip(
                    node.keys.tolist(), node.probability.T.tolist(), node.met.tolist(), strict=True
                )
                if often >= KNOWN
            }
            found = {}
            for holders in [one.get_attribute("value") for one in view.page.locator("#holders option").all()]:
                view.page.select_option("#holders", holders)
                for row in view.page.locator(".grid tbody tr").all():
                    found[row.get_attribute("data-row")] = [
                        text.strip() for text in row.locator("td").all_inner_texts()
                    ]
            assert {row for row, cells in found.items() if "not known" not in cells} == set(mixes)
            for row, mix in mixes.items():
                assert found[row] == [percent(p) for p in mix]


def test_sampled_pages_say_what_is_played_over_all_at_first(five: MCCFRSolution, five_page: Path, browser: Any) -> None:
    with Seats(browser, five_page) as view:
        for node in first_decisions(five):
            view.turn(format_history(node.history))
            shown = zip(node.actions, node.played.tolist(), strict=True)
            assert view.answer() == {str(action): [percent(share)] for action, share in shown}
            assert f"a hand comes here {percent(node.reached)}" in view.text("#facts")
        view.turn("k b f")
        assert view.answer() == {"f": ["not known"], "c": ["not known"], "r": ["not known"]}


def test_a_rank_that_is_used_up_cannot_be_tapped(tmp_path: Path, browser: Any) -> None:
    solution = learned(6)
    with Seats(browser, write_sampled_report(tmp_path / "r", solution, "s.npz"), **PHONE) as view:
        view.see("7", "7", "7", "7")
        assert view.page.is_disabled('#ranks button[data-rank="7"]')
        view.see("K")
        assert view.answer() == learned_rows(spot_seen(solution, "7,7,7,7,K"))
        view.page.click('#slots button[data-seat="P3"]')  # its own seven may be tapped again
        assert view.page.is_enabled('#ranks button[data-rank="7"]')
        view.turn("", "7,7,7,7,7")
        assert view.texts("#slots b").count("?") == 1


def test_ten_players_find_the_answer_on_the_first_screen_of_a_phone(tmp_path: Path, browser: Any) -> None:
    solution = learned(10)
    with Seats(browser, write_sampled_report(tmp_path / "r", solution, "ten.npz"), **PHONE) as view:
        view.act("k", "k", "b", "f")
        view.see("K", "9", "4", "2", "2", "7", "8", "A", "5")
        box = view.page.locator(".acts tbody").bounding_box()
        assert box["y"] + box["height"] <= 844
        assert view.answer() == learned_rows(spot_seen(solution, "K,9,4,2,2,7,8,A,5", "k k b f"))


def kinds(actions: Sequence[Action]) -> set[str]:
    return {action.kind for action in actions}


def test_random_walks_come_to_every_kind_of_spot(five: MCCFRSolution) -> None:
    """The histories that pages of sampled solutions are tested with have bets, raises, folds and checks before."""
    generator = random.Random(5)
    found = [five.spec.public.follow(walked(five, generator, five.spec.public.longest)[0])[0] for _ in range(40)]
    assert set.union(*map(kinds, found)) >= {CHECK, CALL, FOLD, "bet", "raise"}
    assert any(re.search("r.*f", format_history(actions)) for actions in found)
