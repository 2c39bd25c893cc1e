"""Double-sided Poker, sentence by sentence of text 004 and of the rules page."""

import json
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import CardError, HistoryError
from rules.betting.actions import BOTH, NAME, Action, format_history
from rules.betting.bet_sizes import Menu
from rules.betting.chips import Chips
from rules.betting.no_limit import Betting, Fold, Showdown
from rules.betting.public_game import Outcome
from rules.betting.two_sided import BothCalled, BothFolded, DoubleSidedBetting
from rules.cards.two_sided import TwoSided, TwoSidedDeck
from rules.games.double_sided import DoubleSided
from rules.games.spec import Deal, Hand
from rules.play.hand import MatchHand, Play
from tests.support.helpers import make, referee, refused, ways_to_end
from tests.support.strategies import BRISK, THOROUGH, TWO_SIDED, common_options, deals, options_of, two_sided_decks


def after(first: str, second: str, history: str, stacks: str = "30,30", **options: Any) -> Chips:
    """Return the chips after a hand, checked to conserve all chips."""
    hand = MatchHand(make(DoubleSided, stacks=stacks, **options), (first, second), history=history)
    assert hand.chips_after.total == hand.spec.chips.total
    return hand.chips_after


def legal(history: str = "", cap: int = 29, **options: Any) -> str:
    """Show what is legal after a history."""
    return format_history(Play(DoubleSidedBetting(cap, Betting(**options)), history).legal)


def only(spec: DoubleSided) -> tuple[Hand, Deal]:
    """Return the one hand of a spec with fronts."""
    (hand_class,) = spec.classes()
    (deal,) = hand_class.deals
    return hand_class.hand, deal


class TestTheDeck:
    def test_every_ordered_pair_of_two_different_numbers(self) -> None:
        assert make(DoubleSided).deck.total == 90

    def test_a_card_never_has_the_same_number_on_both_sides(self) -> None:
        with refused(CardError, "same number on both sides", "7/7", "P2's card"):
            MatchHand(make(DoubleSided), ("3/7", "7/7"))

    def test_3_over_7_and_7_over_3_are_two_cards(self) -> None:
        assert MatchHand(make(DoubleSided), ("3/7", "7/3")).cards == (TwoSided(3, 7), TwoSided(7, 3))

    def test_the_deck_is_used_hand_after_hand_without_a_reshuffle(self) -> None:
        hand = MatchHand(make(DoubleSided, shown="1/2,1/3"), ("3/7", "8/1"), history="F:b1 F:c")
        assert hand.revealed.deck == TwoSidedDeck.parse("1/2,1/3,3/7,8/1")
        assert not hand.renewed

    def test_45_hands_use_up_a_deck_and_end_all_knowledge(self) -> None:
        spec = make(DoubleSided, raises="1")
        for number, (first, second) in enumerate(zip(TWO_SIDED[::2], TWO_SIDED[1::2], strict=True), start=1):
            spec = replace(spec, chips=Chips(30, 30))
            # Folds and showdowns in turn, so that hidden fronts are forgotten too.
            hand = MatchHand(spec, (first, second), history="f" if number % 2 else "F:b1 F:c")
            assert hand.renewed == (number == 45)
            spec = hand.revealed
        assert spec.deck == TwoSidedDeck((), ())


class TestAHand:
    def test_both_players_put_1_chip_into_the_pot(self) -> None:
        hand = MatchHand(make(DoubleSided, stacks="30,30"), ("3/7", "8/1"))
        assert (hand.pot, hand.in_front) == (2, (29, 29))

    def test_you_see_both_fronts_and_your_own_back(self) -> None:
        _, deal = only(make(DoubleSided, fronts="3,8"))
        assert deal.observations == (
            ("1", "2", "4", "5", "6", "7", "8", "9", "10"),
            ("1", "2", "3", "4", "5", "6", "7", "9", "10"),
        )
        assert (deal.board, deal.weight) == ("3,8", 1.0)

    def test_the_first_player_folds_or_chooses_a_side_and_bets(self) -> None:
        assert legal() == "f front:b1 front:b3 front:b5 front:allin back:b1 back:b3 back:b5 back:allin"

    def test_the_other_player_chooses_a_side_too_and_calls_raises_or_folds(self) -> None:
        assert legal("front:b1", cap=7) == (
            "f front:c front:r1 front:r3 front:r5 front:allin back:c back:r1 back:r3 back:r5 back:allin both"
        )

    def test_the_choice_cannot_change(self) -> None:
        assert legal("front:b1 back:r1") == "f c r1 r3 r5 allin"
        assert legal("front:b1 back:r1 r3") == "f c r1 r3 r5 allin"
        with refused(HistoryError, "'back:c' changes a named side", "front was named", "action 3"):
            Play(DoubleSidedBetting(29, Betting()), "front:b1 back:r1 back:c")

    @pytest.mark.parametrize(("history", "player"), [("b1", 1), ("allin", 1), ("front:b1 c", 2), ("F:b1 r3", 2)])
    def test_a_side_must_be_named(self, history: str, player: int) -> None:
        with refused(HistoryError, "names no side (front: or back: before it)", f"action {player}"):
            Play(DoubleSidedBetting(29, Betting()), history)

    def test_a_fold_names_no_side(self) -> None:
        with refused(HistoryError, "'front:f' is not offered here"):
            Play(DoubleSidedBetting(29, Betting()), "front:f")

    def test_players_keep_raising_until_one_calls_or_folds(self) -> None:
        public = DoubleSidedBetting(29, Betting())
        assert Play(public, "F:b1 B:r1 r1 r3 r1 r5 c").outcome == Showdown(12, ("front", "back"))
        assert Play(public, "F:b1 B:r1 r1 r3 f").outcome == Fold(0, 3, 6)

    @pytest.mark.parametrize(
        ("history", "winner"),
        [
            # P1 has 3/7, P2 has 5/2.
            ("F:b3 F:c", 1),
            ("F:b3 B:c", 0),
            ("B:b3 F:c", 0),
            ("B:b3 B:c", 0),
        ],
    )
    def test_on_a_call_the_chosen_sides_are_compared_and_the_higher_number_wins(
        self, history: str, winner: int
    ) -> None:
        assert after("3/7", "5/2", history) == (Chips(26, 34, 0) if winner else Chips(34, 26, 0))

    @pytest.mark.parametrize(
        ("first", "second", "history"),
        [
            ("3/7", "3/9", "F:b3 F:c"),
            ("3/7", "9/3", "F:b3 B:c"),
            ("7/3", "3/9", "B:b3 F:c"),
            ("7/3", "9/3", "B:b3 B:c"),
        ],
    )
    def test_equal_numbers_carry_the_pot_over(self, first: str, second: str, history: str) -> None:
        assert after(first, second, history, carry=2) == Chips(26, 26, 10)

    def test_no_other_fold_penalty(self) -> None:
        assert after("10/9", "2/1", "f") == Chips(29, 31, 0)
        assert after("2/1", "10/9", "F:b3 f", carry=2) == Chips(33, 29, 0)
        assert after("10/9", "2/1", "F:b3 F:r1 f") == Chips(26, 34, 0)


class TestBettingBothSides:
    def test_instead_of_choosing_one_side_the_second_player_stakes_twice_the_bet(self) -> None:
        hand = MatchHand(make(DoubleSided, stacks="30,30"), ("2/9", "5/8"), history="F:b3 both")
        assert (hand.pot, hand.paid, hand.in_front) == (2 + 3 + 6, (3, 6), (26, 23))
        # P1 calls by adding the bet again.
        hand.apply("c")
        assert (hand.pot, hand.paid) == (14, (6, 6))

    def test_if_both_numbers_are_higher_they_win_the_pot_and_10_extra_chips(self) -> None:
        # P1 ends with 30 - 1 - 6 - 10; P2 with 30 - 1 - 6 + 14 + 10.
        assert after("2/9", "5/8", "F:b3 both c") == Chips(13, 47, 0)
        assert after("9/2", "5/8", "B:b3 both c", carry=4) == Chips(13, 51, 0)

    @pytest.mark.parametrize("second", ["5/1", "1/5", "2/5", "5/2", "1/3"])
    def test_if_either_number_is_equal_or_lower_they_lose_and_nothing_carries(self, second: str) -> None:
        assert after("2/9", second, "F:b3 both c") == Chips(37, 23, 0)
        assert after("2/9", second, "F:b3 both c", carry=4) == Chips(41, 23, 0)

    def test_an_opponent_who_folds_against_it_also_pays_the_10_chips(self) -> None:
        # Whatever the cards are: P1 has put in 1 + 3 and pays 10.
        assert after("2/9", "5/8", "F:b3 both f") == Chips(16, 44, 0)
        assert after("10/9", "2/1", "F:b3 both f", carry=2) == Chips(16, 46, 0)

    def test_the_10_are_capped_at_what_p1_has_left(self) -> None:
        assert after("2/9", "5/8", "F:b3 both f", stacks="10,30") == Chips(0, 40, 0)  # 6 left
        assert after("2/9", "5/8", "F:b3 both c", stacks="10,30") == Chips(0, 40, 0)  # 3 left
        assert after("2/9", "5/8", "F:b3 both c", stacks="7,30") == Chips(0, 37, 0)  # none left
        assert after("2/9", "5/8", "F:b3 both f", stacks="14,30") == Chips(0, 44, 0)  # exactly 10 left

    def test_it_needs_chips_for_twice_their_bet_and_the_opponent_must_be_able_to_match(self) -> None:
        every = {"raises": Menu((), any=True)}
        assert "both" in legal("front:b4", cap=9, **every).split()
        assert "both" not in legal("front:b5", cap=9, **every).split()
        assert "both" in legal("front:b4", cap=8, **every).split()
        assert "both" not in legal("front:allin", cap=9, **every).split()
        with refused(
            HistoryError,
            "needs chips for twice the bet: 2 x 5 is more than the shorter stack can put in (9)",
            "action 2",
        ):
            Play(DoubleSidedBetting(9, Betting()), "front:b5 both")

    @pytest.mark.parametrize("stacks", ["6,30", "30,6"])
    def test_either_players_chips_are_the_limit(self, stacks: str) -> None:
        # Cap 5: twice 3 is too much for one of them.
        public = make(DoubleSided, stacks=stacks).public
        assert Action(BOTH) not in Play(public, "F:b3").legal
        assert Action(BOTH) in Play(public, "F:b1").legal

    @pytest.mark.parametrize(
        ("history", "place"), [("both", 1), ("F:b1 F:r1 both", 3), ("F:b1 F:r1 r1 both", 4), ("F:b1 both both", 3)]
    )
    def test_it_is_the_second_players_first_move_only(self, history: str, place: int) -> None:
        with refused(HistoryError, "'both' is P2's first move only, against a bet", f"action {place}"):
            Play(DoubleSidedBetting(29, Betting()), history)

    def test_nobody_can_raise_over_it(self) -> None:
        assert legal("front:b1 both") == "f c"
        with refused(HistoryError, "'r1' is not offered here", "legal: f c", "action 3"):
            Play(DoubleSidedBetting(29, Betting()), "front:b1 both r1")

    @pytest.mark.parametrize("opening", ["F:b1", "B:b3", "F:b5"])
    def test_how_it_ends(self, opening: str) -> None:
        public, bet = DoubleSidedBetting(29, Betting()), int(opening[-1])
        side = "front" if opening[0] == "F" else "back"
        assert Play(public, f"{opening} both c").outcome == BothCalled(2 * bet, side)
        assert Play(public, f"{opening} both f").outcome == BothFolded(bet)

    def test_p1_may_repeat_the_own_side_with_the_call(self) -> None:
        assert format_history(Play(DoubleSidedBetting(29, Betting()), "B:b1 both B:c").history) == "back:b1 both c"
        with refused(HistoryError, "changes a named side", "back was named"):
            Play(DoubleSidedBetting(29, Betting()), "B:b1 both F:c")

    def test_it_names_no_side(self) -> None:
        with refused(HistoryError, "'front:both'"):
            Play(DoubleSidedBetting(29, Betting()), "B:b1 front:both")


class TestAntesAllIn:
    """cap = 0: no bet is possible and nobody folds; P1 names a side, then P2, and it is a showdown."""

    def test_p1_names_a_side_then_p2(self) -> None:
        play = Play(make(DoubleSided, stacks="1,9").public)
        assert (play.to_act, format_history(play.legal)) == (0, "front back")
        play.apply("back")
        assert (play.to_act, format_history(play.legal)) == (1, "front back")
        play.apply("front:")
        assert play.outcome == Showdown(0, ("back", "front"))
        assert play.history == (Action(NAME, side="back"), Action(NAME, side="front"))

    @pytest.mark.parametrize(
        ("history", "chips"),
        [
            # P1 has 3/7 and 1 chip, P2 has 5/3 and 9 chips.
            ("front front", Chips(0, 10, 0)),
            ("back front", Chips(2, 8, 0)),
            ("back back", Chips(2, 8, 0)),
            ("front back", Chips(1, 9, 0)),  # equal, and split since P1 would have nothing
        ],
    )
    def test_the_named_sides_meet(self, history: str, chips: Chips) -> None:
        assert after("3/7", "5/3", history, stacks="1,9") == chips

    def test_both_sides_and_folds_are_not_offered(self) -> None:
        public = make(DoubleSided, stacks="9,1").public
        for history in ("f", "front:b1", "front:allin", "front both"):
            with refused(HistoryError, "the antes are all-in, and only a side is to be named", "legal: front back"):
                Play(public, history)

    def test_a_side_alone_names_one_only_there(self) -> None:
        with refused(HistoryError, "'front' is not offered here", "legal: f front:b1"):
            Play(make(DoubleSided).public, "front")


class TestOurVersion:
    @pytest.mark.parametrize("stack", [30, 20, 15])
    def test_30_starting_chips_or_20_or_quick_with_15(self, stack: int) -> None:
        assert make(DoubleSided, stacks=[stack, stack]).chips == Chips(stack, stack, 0)
        assert stack in DoubleSided.standard_stacks

    def test_the_first_bettor_must_pick_a_side_and_bet_at_least_1_chip_or_fold(self) -> None:
        assert legal(cap=3) == "f front:b1 front:allin back:b1 back:allin"

    @pytest.mark.parametrize("history", ["F:b1 F:c", "B:b1 F:r1 c", "F:b1 both c"])
    def test_at_a_showdown_both_whole_cards_are_shown(self, history: str) -> None:
        revealed = MatchHand(make(DoubleSided), ("3/7", "8/1"), history=history).revealed
        assert revealed.deck == TwoSidedDeck.parse("3/7,8/1")

    def test_a_showdown_of_antes_shows_both_whole_cards_too(self) -> None:
        revealed = MatchHand(make(DoubleSided, stacks="1,9"), ("3/7", "8/1"), history="front back").revealed
        assert revealed.deck == TwoSidedDeck.parse("3/7,8/1")

    @pytest.mark.parametrize("history", ["f", "F:b1 f", "B:b1 F:r1 f", "F:b1 both f"])
    def test_a_folded_card_stays_hidden_and_the_winners_back_too(self, history: str) -> None:
        revealed = MatchHand(make(DoubleSided), ("8/1", "3/7"), history=history).revealed
        assert revealed.deck == TwoSidedDeck((), (3, 8))
        assert revealed.fronts is None

    def test_the_hunt_for_the_both_sides_bet_cannot_lose_where_both_numbers_are_higher(self) -> None:
        hand, deal = only(make(DoubleSided, fronts="2,5", stacks="30,30"))
        called = hand.utility(BothCalled(6, "front"))
        above = [place for place, back in enumerate(deal.observations[1]) if int(back) > 2]
        assert np.all(called[:, above] == -17.0)
        assert np.all(np.delete(called, above, axis=1) == 7.0)


class TestCards:
    @pytest.mark.parametrize(
        ("options", "parts"),
        [
            ({"fronts": "3"}, ["two fronts, P1's and P2's, such as 3,8", "'3'"]),
            ({"fronts": "3,8,9"}, ["two fronts", "'3,8,9'"]),
            ({"fronts": "3,11"}, ["card from 1 to 10", "'11'", "second of fronts 3,11"]),
            ({"fronts": 3}, ["fronts", "comma-separated list"]),
            (
                {"fronts": "3,3", "shown": [f"3/{back}" for back in (1, 2, 4, 5, 6, 7)], "hidden": "3,3"},
                ["the fronts 3,3 are no longer possible", "front 3 is needed twice and 1 of its nine cards are left"],
            ),
            (
                {"fronts": "3,8", "hidden": [3] * 9 + [1]},
                ["the fronts 3,8 are no longer possible", "needed once and 0 of its nine cards are left"],
            ),
        ],
    )
    def test_fronts_that_the_deck_cannot_deal_are_refused(self, options: dict[str, Any], parts: list[str]) -> None:
        with refused(CardError, *parts):
            make(DoubleSided, **options)

    @pytest.mark.parametrize(
        ("cards", "board", "parts"),
        [
            (("3/7", "3/7"), None, ["each card exists once, got 3/7 for both players"]),
            (("1/2", "3/7"), None, ["1/2 has been shown already"]),
            (("3/7", "1/3"), None, ["1/3 has been shown already"]),
            (
                ("9/1", "3/7"),
                None,
                ["the fronts 9,3 are no longer possible", "front 9 is needed once and 0 of its nine"],
            ),
            (("3", "3/7"), None, ["front/back", "'3'", "P1's card"]),
            (("3/7", "11/2"), None, ["card from 1 to 10", "'11'", "P2's card"]),
            (("3/7",), None, ["two cards, P1's and P2's, got 1"]),
            (("3/7", "8/1"), "4,9", ["double-sided has no community cards", "'4,9'"]),
        ],
    )
    def test_cards_that_the_deck_cannot_deal_are_refused(self, cards: Any, board: Any, parts: list[str]) -> None:
        spec = make(DoubleSided, shown="1/2,1/3", hidden=[9] * 9 + [8])
        with refused(CardError, *parts):
            MatchHand(spec, cards, board)

    def test_cards_must_have_the_fronts_of_the_spec(self) -> None:
        spec = make(DoubleSided, fronts="3,8")
        assert MatchHand(spec, ("3/7", "8/1")).cards == (TwoSided(3, 7), TwoSided(8, 1))
        with refused(CardError, "expected cards with the fronts 3,8, got 8/1 and 3/7"):
            MatchHand(spec, ("8/1", "3/7"))

    def test_a_card_with_a_hidden_front_may_still_come(self) -> None:
        assert MatchHand(make(DoubleSided, hidden="3,3"), ("3/7", "3/8")).board is None


class TestPrior:
    def test_different_fronts_of_a_full_deck(self) -> None:
        hand, _ = only(make(DoubleSided, fronts="3,8"))
        assert hand.prior == pytest.approx(np.full((9, 9), 1 / 81), rel=1e-15)

    def test_equal_fronts_cannot_have_equal_backs(self) -> None:
        hand, deal = only(make(DoubleSided, fronts="3,3"))
        assert deal.observations[0] == deal.observations[1]
        assert hand.prior == pytest.approx((1 - np.eye(9)) / 72, rel=1e-15)

    def test_shown_cards_are_gone_and_hidden_ones_change_fronts_only(self) -> None:
        shown = "3/1,3/2"
        hand, deal = only(make(DoubleSided, fronts="3,8", shown=shown, hidden="3,3"))
        assert deal.observations[0] == ("4", "5", "6", "7", "8", "9", "10")
        assert hand.prior == pytest.approx(np.full((7, 9), 1 / 63), rel=1e-15)
        plain, _ = only(make(DoubleSided, fronts="3,8", shown=shown))
        assert plain.prior.tobytes() == hand.prior.tobytes()
        # Without hidden cards seven of 88 cards have front 3, with them five of 86.
        weights = {
            hidden: {
                d.board: d.weight for c in make(DoubleSided, shown=shown, hidden=hidden).classes() for d in c.deals
            }
            for hidden in ("", "3,3")
        }
        assert weights[""]["3,8"] == pytest.approx(7 * 9 / (88 * 87), rel=1e-15)
        assert weights["3,3"]["3,8"] == pytest.approx(5 * 9 / (86 * 85), rel=1e-15)

    def test_a_full_deck_matches_its_physical_cards(self) -> None:
        boards: Counter[str] = Counter()
        for first, second in permutations(TWO_SIDED, 2):
            boards[f"{first.front},{second.front}"] += 1
        weights = {deal.board: deal.weight for c in make(DoubleSided).classes() for deal in c.deals}
        assert weights == pytest.approx({board: ways / 8010 for board, ways in boards.items()}, rel=1e-14)
        assert sum(weights.values()) == pytest.approx(1, abs=1e-12)

    @BRISK
    @given(two_sided_decks(10))
    def test_every_deck_matches_its_physical_cards_over_all_that_the_hidden_ones_can_be(
        self, drawn: tuple[list[TwoSided], list[int]]
    ) -> None:
        shown, hidden = drawn
        unseen = [card for card in TWO_SIDED if card not in shown]
        # A world says which cards the hidden ones are; all worlds are equally likely.
        choices = [
            list(combinations([card for card in unseen if card.front == front], number))
            for front, number in sorted(Counter(hidden).items())
        ]
        deals: Counter[tuple[TwoSided, TwoSided]] = Counter()
        for world in product(*choices):
            gone = {card for cards in world for card in cards}
            deals.update(permutations([card for card in unseen if card not in gone], 2))
        total = sum(deals.values())
        boards: dict[str, int] = defaultdict(int)
        for (first, second), ways in deals.items():
            boards[f"{first.front},{second.front}"] += ways
        found: dict[str, float] = {}
        for hand_class in make(DoubleSided, shown=shown, hidden=hidden).classes():
            assert hand_class.hand.prior.sum() == pytest.approx(1, abs=1e-14)
            for deal in hand_class.deals:
                found[deal.board] = deal.weight
                fronts = [int(front) for front in deal.board.split(",")]
                for (x, back1), (y, back2) in product(*(enumerate(names) for names in deal.observations)):
                    ways = deals[TwoSided(fronts[0], int(back1)), TwoSided(fronts[1], int(back2))]
                    expected = float(Fraction(ways, boards[deal.board]))
                    assert hand_class.hand.prior[x, y] == pytest.approx(expected, rel=1e-13)
        assert found == pytest.approx({board: float(Fraction(w, total)) for board, w in boards.items()}, rel=1e-13)

    @BRISK
    @given(two_sided_decks())
    def test_every_row_and_column_is_possible(self, drawn: tuple[list[TwoSided], list[int]]) -> None:
        for hand_class in make(DoubleSided, shown=drawn[0], hidden=drawn[1]).classes():
            prior = hand_class.hand.prior
            assert prior.sum() == pytest.approx(1, abs=1e-14)
            assert min(prior.sum(axis=0).min(), prior.sum(axis=1).min()) > 0


class TestUtilities:
    @BRISK
    @given(st.data(), common_options(most=14), two_sided_decks() | two_sided_decks(10))
    def test_every_outcome_and_pair_of_backs_is_settled_by_the_referee(
        self, data: st.DataObject, options: dict[str, Any], drawn: tuple[list[TwoSided], list[int]]
    ) -> None:
        spec = make(DoubleSided, shown=drawn[0], hidden=drawn[1], **options)
        fronts = data.draw(st.sampled_from(sorted(spec.deck.front_pairs())))
        hand, deal = only(replace(spec, fronts=fronts))
        (s1, s2), carry = options["stacks"], options["carry"]
        for outcome, history in ways_to_end(spec.public).items():
            utility = hand.utility(outcome)
            assert utility.shape == hand.prior.shape
            for (x, back1), (y, back2) in product(*(enumerate(names) for names in deal.observations)):
                if hand.prior[x, y] == 0:
                    continue
                ledger = referee(
                    "double-sided",
                    (s1, s2),
                    carry,
                    ((fronts[0], int(back1)), (fronts[1], int(back2))),
                    format_history(history),
                    tie_bust=options["tie_bust"],
                )
                gains = [ledger.s1 + ledger.carry / 2 - s1 - carry / 2, ledger.s2 + ledger.carry / 2 - s2 - carry / 2]
                assert utility[x, y] == gains[0] == -gains[1]

    @THOROUGH
    @given(st.data(), options_of("double-sided", most=20))
    def test_a_hand_played_at_random_is_settled_by_the_referee(
        self, data: st.DataObject, options: dict[str, Any]
    ) -> None:
        spec = make(DoubleSided, **options)
        cards, _ = data.draw(deals(spec))
        hand = MatchHand(spec, cards)
        while not hand.over:
            hand.apply(data.draw(st.sampled_from(hand.legal)))
        stacks, carry = tuple(options["stacks"]), options["carry"]
        ledger = referee(
            "double-sided", stacks, carry, cards, format_history(hand.history), tie_bust=options["tie_bust"]
        )
        assert hand.chips_after == ledger
        assert hand.chips_after.total == sum(stacks) + carry
        assert min(hand.chips_after) >= 0
        assert hand.chips_after.carry % 2 == 0

    @pytest.mark.slow
    @BRISK
    @given(two_sided_decks(12))
    def test_each_class_is_the_unreduced_hand_of_each_of_its_fronts(
        self, drawn: tuple[list[TwoSided], list[int]]
    ) -> None:
        spec = make(DoubleSided, shown=drawn[0], hidden=drawn[1], stacks="8,9", carry=2)
        outcomes = list(ways_to_end(spec.public))
        for hand_class in spec.classes():
            for deal in hand_class.deals:
                hand, alone = only(replace(spec, fronts=tuple(int(front) for front in deal.board.split(","))))
                assert alone == (deal.board, 1.0, deal.observations)
                assert hand.prior.tobytes() == hand_class.hand.prior.tobytes()
                for outcome in outcomes:
                    assert hand.utility(outcome).tobytes() == hand_class.hand.utility(outcome).tobytes()


class TestPerfectRecall:
    @pytest.mark.parametrize(
        ("cap", "betting"),
        [
            (0, Betting()),
            (9, Betting()),
            (14, Betting()),
            (6, Betting(Menu((), any=True))),
            (9, Betting(opens=Menu((2,), allin=False))),
            (9, Betting(limit=2)),
        ],
    )
    def test_no_state_is_reached_with_different_named_sides(self, cap: int, betting: Betting) -> None:
        public = DoubleSidedBetting(cap, betting)
        sides_at: dict[Any, set[tuple[str, str]]] = defaultdict(set)

        def walk(position: Any, named: tuple[str, str], player: int) -> None:
            sides_at[position].add(named)
            if isinstance(position, Outcome):
                return
            assert public.player(position) == player
            for action, target in public.moves(position):
                assert not (action.side and named[player]), "a side is named once"
                sides = list(named)
                sides[player] = action.side or sides[player]
                walk(target, (sides[0], sides[1]), 1 - player)

        walk(public.root, ("", ""), 0)
        states = {position: named for position, named in sides_at.items() if not isinstance(position, Outcome)}
        assert all(len(named) == 1 for named in states.values())
        # Both sides may have been named at any state where both players have called or raised.
        if cap > 0:
            assert {named for (named,) in states.values()} >= {("front", ""), ("back", "")}


class TestSpec:
    @THOROUGH
    @given(st.data(), options_of("double-sided"))
    def test_a_spec_is_read_back_from_its_normal_form(self, data: st.DataObject, options: dict[str, Any]) -> None:
        spec = make(DoubleSided, **options)
        if data.draw(st.booleans()):
            spec = replace(spec, fronts=data.draw(st.sampled_from(sorted(spec.deck.front_pairs()))))
        written = json.loads(json.dumps(spec.to_dict()))
        assert written.pop("game") == "double-sided"
        assert make(DoubleSided, **written) == spec

    def test_equal_hands_have_equal_normal_forms(self) -> None:
        one = make(DoubleSided, shown="9/1,3/2", hidden="8,2", fronts="3,8")
        two = make(DoubleSided, shown=["3/2", (9, 1)], hidden=[2, 8], fronts=[3, 8])
        assert one.to_dict() == two.to_dict()
        assert one.to_dict()["fronts"] == [3, 8]
        assert make(DoubleSided).to_dict()["fronts"] is None

    def test_cards_left_and_the_own_back(self) -> None:
        spec = make(DoubleSided, shown="9/1,3/2", hidden="8,2")
        assert (spec.cards_left, spec.observation("10"), spec.observation(3)) == (86, "10", "3")
        with refused(CardError, "card from 1 to 10", "'0'"):
            spec.observation("0")

    def test_the_model_of_hidden_backs_is_named(self) -> None:
        assert "a hidden back is any unseen back of its front" in " ".join(make(DoubleSided, hidden="8,2").notes)

    def test_a_fresh_deck_for_the_same_hand(self) -> None:
        spec = make(DoubleSided, shown="9/1,3/2", hidden="8,2", fronts="3,8", tie_bust="loses")
        assert spec.fresh() == make(DoubleSided, tie_bust="loses")
