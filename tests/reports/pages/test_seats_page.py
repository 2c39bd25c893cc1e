"""The page of three and more players in a real browser: what it says at every spot, on a desk and on a phone."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.pages import seats_data
from reports.pages.multiplayer_report import write_table_report
from reports.pages.sampled_report import write_sampled_report
from reports.screens.multiplayer import given_up_told, table_ranked
from reports.screens.multiplayer_advice import TableAdvice
from reports.text.words import percent, signed, stated
from rules import hand
from rules.betting.actions import format_history
from solver.mccfr.solution import MCCFRSolution
from solver.multiplayer.game import table_size
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.solving import solve_table
from solver.multiplayer.spots import spot_at
from tests.support.browser.browsing import CONTRAST, HOSTILE, browser, needs_chromium
from tests.support.browser.seats_page import CUT_OFF, DESK, PHONE, WIDTHS, Seats, learned

__all__ = ["browser"]  # a fixture
pytestmark = [needs_chromium, pytest.mark.slow]


@pytest.fixture(scope="module")
def three() -> MultiplayerSolution:
    return solve_table(hand("blind-mans-bluff", players=3), gap=0.1)


@pytest.fixture(scope="module")
def page(three: MultiplayerSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table_report(tmp_path_factory.mktemp("three"), three, "three.npz")


@pytest.fixture(scope="module")
def five() -> MCCFRSolution:
    return learned(5)


@pytest.fixture(scope="module")
def five_page(five: MCCFRSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sampled_report(tmp_path_factory.mktemp("five"), five, "five.npz")


def check_answer(view: Seats, solution: MultiplayerSolution, history: str, seen: str) -> None:
    """Check everything that the page says to a player against the solution's own answer."""
    advice = TableAdvice.at(solution, seen, history)
    spot, column = advice.spot, advice.column
    expected = {
        str(action): [percent(spot.probability[row, column]), signed(spot.ev[row, column])]
        for row, action in enumerate(spot.actions)
    }
    assert view.answer() == expected
    order = [str(spot.actions[place]) for place in advice.ranked.order]
    assert list(view.answer()) == order
    assert view.best() == order[: len(advice.ranked.best)]
    others = advice.others.items()
    folded = [seat for seat in advice.others if seat not in spot.present]
    cards = ", ".join(f"P{seat + 1} {card}{' (folded)' if seat in folded else ''}" for seat, card in others)
    assert view.text("#answer h4") == f"P{spot.player + 1} sees {cards}"
    now = advice.moves[-1]["showdown"]
    odds = ", ".join(f"{word} {stated(now[word])}" for word in ("win", "tie", "lose"))
    left = ", ".join(f"P{seat + 1}" for seat in spot.present)
    assert view.text(".odds") == f"A showdown now among {left}, as the deck and the betting tell: {odds}."
    reach = f"own {stated(spot.own_reach[column])}, others' {stated(spot.other_reach[column])}"
    assert reach in view.text(".trust")
    assert ("On the path" in view.text(".trust")) == bool(spot.reached[column])
    assert f"Pot {advice.chips['pot']} · to call {advice.chips['to_call']}" in view.text("#facts")
    if view.page.locator(".held").count():
        held = dict(row.split("\t")[::2] for row in view.texts(".held tbody tr"))
        assert held == {card: percent(chance) for card, chance in advice.own_card.items()}


def histories(solution: MultiplayerSolution) -> list[str]:
    tree = solution.game.betting.tree
    return [format_history(tree.history(node)) for node in range(tree.nodes)]


@pytest.mark.parametrize("options", WIDTHS)
def test_what_do_i_do_as_the_second_of_three(
    options: dict[str, Any], three: MultiplayerSolution, page: Path, browser: Any
) -> None:
    """I am P2 of 3, I see K and 9, P1 checked: the answer stands on the first screen, without scrolling."""
    with Seats(browser, page, **options) as view:
        view.act("k")
        assert view.text("#where") == "P2 of 3 to act after P1 check"
        assert view.texts("#slots small") == [["P1 shows", "P3 shows"], ["P1", "P3"]][options is PHONE]
        assert view.text("#asks") == "Tap the card of P1."
        view.see("K")
        assert view.text("#asks") == "Tap the card of P3."
        view.see("9")
        assert view.texts("#slots b") == ["K", "9"]
        check_answer(view, three, "k", "K,9")
        assert view.page.evaluate("window.scrollY") == 0
        for part in ("#where", "#slots", "#ranks", "#answer h4", ".acts tbody"):
            box = view.page.locator(part).bounding_box()
            assert 0 <= box["y"] <= box["y"] + box["height"] <= options["viewport"]["height"], part
        assert view.page.url.endswith("#h=k&see=K%2C9")
        assert view.texts(".acts button") == ["check", "bet", "fold"]


@pytest.mark.parametrize("options", WIDTHS)
def test_every_history_of_three_says_what_the_solution_says(
    options: dict[str, Any], three: MultiplayerSolution, page: Path, browser: Any
) -> None:
    generator = random.Random(3)
    with Seats(browser, page, **options) as view:
        for history in histories(three)[:: 1 if options is DESK else 5]:
            spot = spot_at(three, history)
            seen = spot.names[generator.choice(np.flatnonzero(spot.possible).tolist())]
            view.turn(history, seen)
            check_answer(view, three, history, seen)
            assert f"a hand comes here {stated(seats_data.whole(spot)[2])}" in view.text("#facts")


def test_rows_that_give_up_something_say_so_as_advise_does(
    three: MultiplayerSolution, page: Path, browser: Any
) -> None:
    spots = [spot_at(three, history) for history in histories(three)]
    given = [(spot, column) for spot in spots for column in np.flatnonzero(spot.gives_up & spot.possible).tolist()]
    assert given
    with Seats(browser, page) as view:
        for spot, column in given[:6]:
            view.turn(format_history(spot.history), spot.names[column])
            (told,) = given_up_told(spot, column)
            assert view.text(".lost").lstrip("! ") == told
            assert view.text(".grid tr.chosen th").endswith("!")
        whole = next(
            (spot, column) for spot in spots for column in np.flatnonzero(spot.possible & ~spot.gives_up).tolist()
        )
        view.turn(format_history(whole[0].history), whole[0].names[whole[1]])
        assert view.page.locator(".lost").count() == 0


def test_the_data_rank_actions_as_advise_does(three: MultiplayerSolution) -> None:
    marks = set()
    for history in histories(three):
        spot = spot_at(three, history)
        ranks = seats_data._spot_arrays(spot, False)["ranks"].tolist()
        for column in np.flatnonzero(spot.possible).tolist():
            ranking, byte = table_ranked(spot, column), ranks[column]
            assert [byte >> 2 * action & 3 for action in ranking.order] == list(range(len(spot.actions)))
            assert byte >> 6 == len(ranking.best)
            marks.add(len(ranking.best))
    assert marks >= {1, 2}


def test_all_cards_of_a_spot_are_in_its_tables(three: MultiplayerSolution, page: Path, browser: Any) -> None:
    for history in ("", "k b", "b r f"):
        spot = spot_at(three, history)
        with Seats(browser, page) as view:
            view.turn(history, "Q,-")
            cards = three.spec.around_the_table().cards
            columns = [spot.column(f"Q,{card}") for card in cards]
            rows = [row.get_attribute("data-row") for row in view.page.locator(".grid tbody tr").all()]
            assert rows == list(cards)
            expected = [
                f"{percent(p)}\n{signed(ev)}"
                for column in columns
                for p, ev in zip(spot.probability[:, column], spot.ev[:, column], strict=True)
            ]
            assert view.texts(".grid tbody td.cell") == expected
            stars = [not text.endswith("*") for text in view.texts(".grid tbody th")]
            assert stars == spot.reached[columns].tolist()
            for place, action in enumerate(spot.actions):
                view.page.click(f'#matrix [data-tab="{action}"]')
                shown = view.texts("#matrix td")
                assert len(shown) == 169
                for text, share in zip(shown, spot.probability[place].tolist(), strict=True):
                    whole = percent(share).removesuffix(" %")
                    near = {"-": "-", "<0.1": "<1"}.get(whole)
                    assert text == near if near else abs(float(text) - float(whole)) <= 0.5
            view.page.click('#matrix td[data-cards="4,J"]')
            check_answer(view, three, history, "4,J")


def test_before_the_cards_are_chosen_the_page_says_what_is_played_over_all(
    three: MultiplayerSolution, page: Path, browser: Any
) -> None:
    with Seats(browser, page) as view:
        for history in ("", "k", "b c"):
            view.turn(history)
            shares, _, _ = seats_data.whole(spot_at(three, history))
            actions = spot_at(three, history).actions
            assert view.answer() == {
                str(action): [percent(share)] for action, share in zip(actions, shares, strict=True)
            }
            assert "Choose the card of P" in view.text(".say")


def test_cards_stay_with_their_seats_from_turn_to_turn(three: MultiplayerSolution, page: Path, browser: Any) -> None:
    with Seats(browser, page) as view:
        view.see("K", "9")  # P1 sees P2's king and P3's nine
        check_answer(view, three, "", "K,9")
        view.act("b")
        assert view.texts("#slots b") == ["?", "9"]  # P2 does not see the king, and P1's card is still to be chosen
        assert view.text("#asks") == "Tap the card of P1."
        view.see("4")
        check_answer(view, three, "b", "4,9")
        view.act("f")
        assert view.texts("#slots b") == ["4", "K"]
        check_answer(view, three, "b f", "4,K")
        assert "P2 K (folded)" in view.text("#answer h4")
        view.page.go_back()
        check_answer(view, three, "b", "4,9")
        view.page.click("#path a >> nth=0")
        check_answer(view, three, "", "K,9")
        view.page.click("#ranks .clear")
        assert view.texts("#slots b") == ["?", "9"]
        view.act("k", "k", "k")
        assert view.text("#answer") == "Showdown among P1, P2, P3."
        view.turn("b f f")
        assert view.text("#answer") == "All others have folded: P1 takes the pot."


def test_questions_are_typed_too(three: MultiplayerSolution, page: Path, browser: Any) -> None:
    def ask(history: str, seen: str) -> str:
        view.page.fill("#history", history)
        view.page.fill("#see", seen)
        view.page.click("#find button")
        return view.text("#found")

    with Seats(browser, page) as view:
        assert ask("P1 checks, P2 bets", "t q") == ""
        check_answer(view, three, "k b", "10,Q")
        assert ask("", "K,K") == ""
        check_answer(view, three, "", "K,K")
        assert ask("k r", "") == "“r” is not offered after k; offered: f k b."
        assert ask("k k k k", "") == "“k” is not offered after k k k: the hand is over there."
        assert ask("k", "K,1") == "“1” is no card; the cards are 2 3 4 … A."
        assert ask("k", "K") == "Expected 2 cards, of P1, P3 in this order; got 1."
        check_answer(view, three, "", "K,K")
        view.turn("k r")
        assert view.text("#answer") == "“r” is not offered here; offered: f (fold), k (check), b (bet)."


def test_a_hand_is_walked_by_keyboard_alone(three: MultiplayerSolution, page: Path, browser: Any) -> None:
    def tab_to(what: str) -> None:
        for _ in range(60):
            view.page.keyboard.press("Tab")
            if view.page.evaluate(f"document.activeElement.{what}"):
                return
        raise AssertionError(what)

    with Seats(browser, page) as view:
        view.page.keyboard.press("Tab")
        assert view.page.evaluate("document.activeElement.className") == "skip"
        tab_to('dataset.action === "k"')
        view.page.keyboard.press("Enter")
        assert view.page.evaluate("document.activeElement.id") == "where"  # so that Tab goes on from there
        tab_to('dataset.rank === "9"')
        assert view.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        view.page.keyboard.press("Enter")
        view.page.keyboard.press("Enter")  # the focus stays, and the next seat is asked for
        check_answer(view, three, "k", "9,9")


@pytest.mark.parametrize("kind", ["three", "five"])
@pytest.mark.parametrize("options", WIDTHS)
def test_nothing_is_cut_off(options: dict[str, Any], kind: str, page: Path, five_page: Path, browser: Any) -> None:
    path = page if kind == "three" else five_page
    with Seats(browser, path, "#h=k+b&see=K,9" + (",4,2" if kind == "five" else ""), **options) as view:
        for summary in view.page.locator("details summary").all():
            summary.click()
        assert view.page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
        assert view.page.evaluate(CUT_OFF) == []
        buttons = [button.bounding_box() for button in view.page.locator("#explorer button:visible").all()]
        assert min(box["height"] for box in buttons) >= 24
        assert min(box["width"] for box in buttons) >= 24
        if options is PHONE and kind == "three":
            # Players, spots, and the strategy by card fit without any scrolling.
            for part in ("#players .wide", "#spots .wide", "#rows .scroll", "#matrix .scroll"):
                width, needed = view.page.evaluate(
                    "(part) => ['clientWidth', 'scrollWidth'].map((width) => document.querySelector(part)[width])",
                    part,
                )
                assert needed <= width, part


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["three", "five"])
def test_every_text_can_be_read_in_light_and_dark(
    scheme: str, kind: str, page: Path, five_page: Path, browser: Any
) -> None:
    path, seen = (page, "K,9") if kind == "three" else (five_page, "K,9,4,2")
    with Seats(browser, path, f"#h=k+b&see={seen}", color_scheme=scheme) as view:
        ratio, where = view.page.evaluate(CONTRAST)
        assert ratio >= 4.5, where
        # Numbers within figures stand on light ground whatever the page's colours are.
        inks = view.page.evaluate(
            """() => [...document.querySelectorAll("#figures svg text")].filter((one) => one.closest("a"))
              .map((one) => getComputedStyle(one).fill)"""
        )
        assert set(inks) <= {"rgb(17, 17, 17)", "rgb(255, 255, 255)"}


def test_a_screen_reader_finds_names_for_everything(page: Path, five_page: Path, browser: Any) -> None:
    for path, seen in ((page, "K,9"), (five_page, "K,9,4,2")):
        with Seats(browser, path, f"#h=k+b&see={seen}") as view:
            found = view.page.evaluate(
                """() => {
                  const all = (selector) => [...document.querySelectorAll(selector)];
                  const ids = all("[id]").map((one) => one.id);
                  return {
                    doubled: ids.filter((id, place) => ids.indexOf(id) !== place),
                    unscoped: all("th:not([scope])").length,
                    uncaptioned: all(".grid, .bars, .matrix").filter((one) => !one.caption).length,
                    unlabelled: all("input, select").filter((one) => !one.labels.length && !one.ariaLabel).length,
                    nameless: all("button, main a").filter((one) => !one.textContent.trim()).length,
                    inSvg: all("svg a").filter((one) => one.getAttribute("tabindex") !== "-1").length,
                    headings: all("h1, h2, h3, h4").map((one) => Number(one.tagName[1])),
                  };
                }"""
            )
            headings = found.pop("headings")
            assert found == {"doubled": [], "unscoped": 0, "uncaptioned": 0, "unlabelled": 0, "nameless": 0, "inSvg": 0}
            assert np.diff(headings).max() <= 1


def test_letters_and_symbols_are_explained(page: Path, five_page: Path, browser: Any) -> None:
    for path, more in ((page, ["EV", "●", "*"]), (five_page, ["leads", "not known", "* after cards", "+-"])):
        with Seats(browser, path) as view:
            terms = view.texts("#legend dt")
            for term in ["k check", "b bet", "c call", "r raise", "f fold", "-", "<0.1 %", "NashConv", *more]:
                assert term in terms
            assert len(terms) == view.page.locator("#legend dd").count() == len(set(terms))
            assert "at most 1 raise a hand" in view.text("#legend")


def test_the_page_says_what_is_exact_and_what_is_a_bound(page: Path, five_page: Path, browser: Any) -> None:
    for path, starts in (
        (page, ["Exact:", "Near:", "Not known:"]),
        (five_page, ["Exact:", "Estimated by dealing:", "A lower bound, estimated:", "Not known:"]),
    ):
        with Seats(browser, path) as view:
            told = view.texts("#trust li")
            assert all(line.startswith(start) for line, start in zip(told, starts, strict=False))


def test_figures_and_spots_lead_to_the_explorer(three: MultiplayerSolution, page: Path, browser: Any) -> None:
    with Seats(browser, page) as view:
        number = view.page.evaluate_handle(
            """() => [...document.querySelectorAll("#figures svg a")]
              .find((one) => one.href.baseVal === "#h=&see=J%2C4")"""
        )
        number.as_element().click()
        view.page.wait_for_function("() => document.getElementById('see').value === 'J,4'")
        check_answer(view, three, "", "J,4")
        assert view.page.evaluate("document.getElementById('where').getBoundingClientRect().top") >= 0
        view.page.click("#spots a >> text='P1 check, P2 bet'")
        assert view.text("#where") == "P3 of 3 to act after P1 check, P2 bet"
        view.page.click("#figures figcaption a >> text=P1's first decision")
        assert view.text("#where") == "P1 of 3 acts first"
        names = view.texts("#figures figcaption a")
        assert names == ["PNG", "SVG", "P1's first decision above", "PNG", "SVG"]
    text = (page.parent / "figures" / "opening.svg").read_text(encoding="utf-8")
    assert 'xlink:href="../index.html#h=&amp;see=K%2C9"' in text


def test_no_name_becomes_markup(three: MultiplayerSolution, five: MCCFRSolution, tmp_path: Path, browser: Any) -> None:
    for path, seen in (
        (write_table_report(tmp_path / "three", three, HOSTILE), "K,9"),
        (write_sampled_report(tmp_path / "five", five, HOSTILE), "K,9,4,2"),
    ):
        text = path.read_text(encoding="utf-8")
        assert text.count("<script") == text.count("</script>") == 3
        with Seats(browser, path, f"#h=k&see={seen}") as view:
            assert HOSTILE in view.text(".lead")
            view.turn("k b", "<img src=x onerror=window.bad=1>")
            view.page.fill("#history", "<img/src=x/onerror=window.bad=1>")
            view.page.click("#find button")
            assert view.page.evaluate("window.bad") is None
            assert view.page.locator("img").count() == 0


def test_a_page_that_is_cut_says_so(
    three: MultiplayerSolution, tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats_data, "MOST_CELLS", 60 * 169)
    nodes, threshold = seats_data.kept(three, 60 * 169)
    likely = seats_data.but_for_one(three)
    assert 1 < len(nodes) < 42
    assert nodes.tolist() == np.flatnonzero(likely >= threshold).tolist()
    cells = np.diff(three.game.betting.tree.first) * 169
    assert 0.8 * 60 * 169 < cells[nodes].sum() <= 60 * 169
    with Seats(browser, write_table_report(tmp_path / "r", three, "three.npz")) as view:
        assert f"It holds the {len(nodes)} of 42 histories" in view.text("#explorer .warning >> nth=-1")
        inside = {histories(three)[node] for node in nodes}
        for history in inside:
            view.turn(history, "K,9")
            check_answer(view, three, history, "K,9")
        missing = next(one for one in histories(three) if one not in inside and one.rpartition(" ")[0] in inside)
        view.turn(missing)
        assert "Play comes here too seldom for this page" in view.text("#answer")


def test_which_pages_are_whole() -> None:
    """As docs/blind-mans-bluff-tables.md says."""

    def cells(**options: Any) -> int:
        table = hand("blind-mans-bluff", **options).around_the_table()
        return table_size(table).actions * len(table.cards) ** (table.players - 1)

    assert cells(players=3) < cells(players=3, rank_suits=True) < cells(players=4) <= seats_data.MOST_CELLS
    assert cells(players=4, max_raises=2) > seats_data.MOST_CELLS == 1_200_000


def test_a_threshold_is_said_in_two_figures() -> None:
    values = (0.0276, 0.03, 0.031001, 1.0, 0.999, 4.5e-5)
    assert [seats_data.rounded_up(value) for value in values] == [0.028, 0.03, 0.032, 1.0, 1.0, 4.5e-5]


def test_what_no_single_player_brings_about_is_left_out_first(
    three: MultiplayerSolution, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely = np.where(np.arange(42) < 9, 0.25, 0.0)
    monkeypatch.setattr(seats_data, "but_for_one", lambda solution: likely)
    nodes, threshold = seats_data.kept(three, 100 * 169)
    assert (nodes.tolist(), threshold) == (list(range(9)), 0.25)


def test_likely_but_for_one_is_what_one_player_alone_can_bring_about(three: MultiplayerSolution) -> None:
    likely = seats_data.but_for_one(three)
    game = three.game
    reach = game.reach(three.profile)
    for node, history in enumerate(histories(three)):
        spot = spot_at(three, history)
        # The player who acts here is one of those who can.
        met = float((game.met(node, reach) * spot.seeing).sum())
        assert met <= likely[node] + 1e-12
        assert likely[node] <= 1.0 + 1e-12
    assert likely[0] == pytest.approx(1.0)


def test_four_players(tmp_path: Path, browser: Any) -> None:
    solution = solve_table(hand("blind-mans-bluff", players=4), max_iterations=4)
    path = write_table_report(tmp_path / "r", solution, "four.npz")
    assert path.stat().st_size < 5_100_000  # 75 kB of it say what rows give up
    with Seats(browser, path, **PHONE) as view:
        view.act("k", "b")
        view.see("K", "9", "9")
        check_answer(view, solution, "k b", "K,9,9")
        box = view.page.locator(".acts tbody").bounding_box()
        assert box["y"] + box["height"] <= 844
        assert 'forehead advise --from four.npz --see K,9,9 --history "k b"' in view.text("#more")
        for history, seen in (("b r f c", "A,A,A"), ("k k k b f f", "2,10,3"), ("f k b", "J,J,4")):
            view.turn(history, seen)
            check_answer(view, solution, history, seen)


def test_ranked_suits_are_chosen_before_the_rank(tmp_path: Path, browser: Any) -> None:
    solution = solve_table(hand("blind-mans-bluff", players=3, rank_suits=True), max_iterations=2)
    path = write_table_report(tmp_path / "r", solution, "suits.npz")
    with Seats(browser, path, **PHONE) as view:
        view.page.click('#suits button[data-suit="h"]')
        view.see("K")
        view.page.click('#suits button[data-suit="c"]')
        view.see("9")
        assert view.texts("#slots b") == ["Kh", "9c"]
        check_answer(view, solution, "", "Kh,9c")
        box = view.page.locator(".acts tbody").bounding_box()
        assert box["y"] + box["height"] <= 844
        view.page.click('#slots button[data-seat="P2"]')
        assert view.page.is_disabled('#ranks button[data-rank="9"]')  # there is one nine of clubs
        assert view.page.evaluate(CUT_OFF) == []


def test_in_print_the_keys_are_gone_and_the_answer_stays(page: Path, browser: Any) -> None:
    with Seats(browser, page, "#h=k&see=K,9", color_scheme="dark") as view:
        view.page.emulate_media(media="print")
        assert not view.page.is_visible("#ranks")
        assert not view.page.is_visible("#find")
        assert view.page.is_visible(".acts")
        assert view.page.is_visible("#rows .grid")
