"""Indian Hold'em, sentence by sentence of text 001 and of the rules page."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import CardError, OptionError
from rules.betting.actions import format_history
from rules.betting.chips import Chips
from rules.betting.no_limit import Fold, Showdown
from rules.cards.rank_deck import RankDeck
from rules.games.indian_holdem import KINDS, PENALTIES, IndianHoldem, kind
from rules.games.spec import Deal, Hand, HandClass
from rules.play.hand import MatchHand, Play
from tests.support.helpers import FOLD_PENALTY, HOLDEM_ORDER, holdem_kind, make, referee, refused, ways_to_end
from tests.support.strategies import BRISK, THOROUGH, common_options, counts_left, deals, options_of

Board = tuple[int, int]


def after(cards: tuple[int, int], board: Board, history: str, stacks: str = "20,20", **options: Any) -> Chips:
    """Return the chips after a hand, checked to conserve all chips."""
    hand = MatchHand(make(IndianHoldem, stacks=stacks, **options), cards, board, history)
    assert hand.chips_after.total == hand.spec.chips.total
    return hand.chips_after


def only(spec: IndianHoldem) -> tuple[Hand, Deal]:
    """Return the one hand of a spec with a board."""
    (hand_class,) = spec.classes()
    (deal,) = hand_class.deals
    return hand_class.hand, deal


class TestTheDeck:
    def test_the_numbers_1_to_10_four_times_each(self) -> None:
        assert make(IndianHoldem).deck.counts == (4,) * 10

    def test_the_same_deck_is_used_hand_after_hand(self) -> None:
        hand = MatchHand(make(IndianHoldem, seen="1,1,1,1"), (5, 9), (2, 2), "b1 f")
        assert hand.revealed.deck == RankDeck.parse(4, 4, seen="1,1,1,1,2,2,5,9")
        assert not hand.renewed

    def test_it_is_replaced_only_when_all_40_cards_have_been_dealt(self) -> None:
        hand = MatchHand(make(IndianHoldem, left="2,0,0,0,1,0,0,0,0,1"), (5, 10), (1, 1), "b1 f")
        assert hand.revealed.deck == RankDeck.fresh(4, 4)
        assert hand.renewed


class TestAHand:
    def test_both_players_put_1_chip_into_the_pot(self) -> None:
        hand = MatchHand(make(IndianHoldem), (2, 3), (4, 9))
        assert (hand.pot, hand.in_front) == (2, (9, 9))

    def test_two_community_cards_for_both_players_in_any_order(self) -> None:
        hand = MatchHand(make(IndianHoldem), (2, 3), (9, 4))
        assert (hand.board, hand.cards) == ((4, 9), (2, 3))
        assert make(IndianHoldem, board="9,4") == make(IndianHoldem, board=[4, 9])

    def test_each_player_gets_one_card_that_only_the_opponent_can_see(self) -> None:
        hand, deal = only(make(IndianHoldem, board="4,9"))
        assert deal.observations[0] == deal.observations[1]
        names = deal.observations[0]
        # P1 sees P2's 2 (high card), P2 sees P1's 4 (pair): P1 wins.
        assert hand.utility(Showdown(1))[names.index("2"), names.index("4")] == 2.0
        assert hand.utility(Showdown(1))[names.index("4"), names.index("2")] == -2.0

    def test_when_a_bet_is_called_the_better_hand_wins_the_pot(self) -> None:
        assert after((4, 10), (4, 9), "b3 c") == Chips(24, 16, 0)
        assert after((10, 4), (4, 9), "b3 c", carry=2) == Chips(16, 26, 0)

    def test_if_a_player_folds_the_other_takes_the_pot_without_a_showdown(self) -> None:
        assert after((10, 2), (4, 9), "f") == Chips(19, 21, 0)
        assert after((2, 10), (4, 9), "b5 r1 f", carry=4) == Chips(14, 30, 0)


class TestHands:
    """The table of hands, its examples, and the wraparound."""

    @pytest.mark.parametrize(
        ("own", "board", "name"),
        [
            (4, (4, 4), "triple"),
            (3, (4, 5), "straight"),
            (4, (4, 9), "pair"),
            (2, (4, 9), "high card"),
            # With 5 and 6 on the table, a 4 or a 7 makes a straight and a 5 or a 6 makes a pair.
            (4, (5, 6), "straight"),
            (7, (5, 6), "straight"),
            (5, (5, 6), "pair"),
            (6, (5, 6), "pair"),
            (8, (5, 6), "high card"),
            (3, (5, 6), "high card"),
            # In the middle.
            (5, (4, 6), "straight"),
            # The numbers wrap round: 9-10-1 and 10-1-2 are straights.
            (1, (9, 10), "straight"),
            (8, (9, 10), "straight"),
            (2, (9, 10), "high card"),
            (10, (1, 9), "straight"),
            (9, (1, 10), "straight"),
            (2, (1, 10), "straight"),
            (10, (1, 2), "straight"),
            (3, (1, 2), "straight"),
            (9, (1, 2), "high card"),
            (1, (2, 10), "straight"),
            # A pair among the two community cards on its own is not a pair.
            (2, (4, 4), "high card"),
            (5, (4, 4), "high card"),
            (10, (1, 1), "high card"),
        ],
    )
    def test_what_a_hand_is(self, own: int, board: Board, name: str) -> None:
        assert KINDS[kind(own, board)] == name
        assert KINDS[kind(own, (board[1], board[0]))] == name

    def test_with_2_and_8_no_card_makes_a_straight_at_all(self) -> None:
        assert {KINDS[kind(own, (2, 8))] for own in range(1, 11)} == {"pair", "high card"}

    def test_ten_straights_on_the_circle_and_no_more(self) -> None:
        straights = {
            frozenset((own, *board))
            for board in combinations(range(1, 11), 2)
            for own in range(1, 11)
            if KINDS[kind(own, board)] == "straight"
        }
        assert straights == {frozenset((n, n + 1, n + 2)) for n in range(1, 9)} | {
            frozenset((9, 10, 1)),
            frozenset((10, 1, 2)),
        }

    def test_from_best_to_worst(self) -> None:
        # On 4,4 a triple beats a 10; on 5,6 a straight beats a pair beats a high card.
        assert after((4, 10), (4, 4), "b1 c") == Chips(22, 18, 0)
        assert after((4, 6), (5, 6), "b1 c") == Chips(22, 18, 0)
        assert after((5, 10), (5, 6), "b1 c") == Chips(22, 18, 0)
        assert after((1, 2), (5, 6), "b1 c") == Chips(18, 22, 0)

    @pytest.mark.parametrize(
        ("own", "board", "strength"),
        [(4, (4, 4), (3, 4)), (3, (4, 5), (2, 3)), (4, (4, 9), (1, 4)), (2, (4, 9), (0, 2))],
    )
    def test_the_order_of_kinds_then_own_card(self, own: int, board: Board, strength: tuple[int, int]) -> None:
        assert make(IndianHoldem).strength(own, board) == strength

    @pytest.mark.parametrize(
        ("better", "worse", "board"),
        [
            (8, 1, (9, 10)),  # two straights: on 9 and 10 an 8 beats a 1
            (7, 4, (5, 6)),
            (10, 3, (1, 2)),
            (9, 4, (4, 9)),  # two pairs
            (3, 2, (4, 9)),  # two high cards
            (10, 9, (4, 4)),
        ],
    )
    def test_the_same_kind_the_higher_own_card_wins(self, better: int, worse: int, board: Board) -> None:
        assert after((better, worse), board, "b1 c") == Chips(22, 18, 0)
        assert after((worse, better), board, "b1 c") == Chips(18, 22, 0)

    @pytest.mark.parametrize(("own", "board"), [(4, (4, 4)), (3, (4, 5)), (4, (4, 9)), (2, (4, 9))])
    def test_equal_own_cards_are_a_draw_and_the_pot_carries_over(self, own: int, board: Board) -> None:
        assert after((own, own), board, "b3 c", carry=2) == Chips(16, 16, 10)

    def test_every_own_card_on_every_board(self) -> None:
        for board in [*combinations(range(1, 11), 2), *((rank, rank) for rank in range(1, 11))]:
            for own in range(1, 11):
                assert KINDS[kind(own, board)] == holdem_kind(own, board)


class TestFoldPenalty:
    @pytest.mark.parametrize(
        ("penalties", "triple", "straight", "pair"),
        [("final", 10, 10, 5), ("death-match", 10, 10, 0), ("none", 0, 0, 0)],
    )
    def test_each_set_of_penalties(self, penalties: str, triple: int, straight: int, pair: int) -> None:
        # P1 folds at once: 1 for the ante, and the penalty; P2 gains the same.
        for own, board, fine in [(4, (4, 4), triple), (3, (4, 5), straight), (4, (4, 9), pair), (2, (4, 9), 0)]:
            assert after((own, 10), board, "f", penalties=penalties) == Chips(19 - fine, 21 + fine, 0)

    def test_we_play_the_season_2_final_penalties(self) -> None:
        assert make(IndianHoldem).penalties == "final"
        assert make(IndianHoldem, penalties="final") == make(IndianHoldem)
        assert set(PENALTIES) == set(FOLD_PENALTY)

    @pytest.mark.parametrize(
        ("board", "after_fold"), [((9, 10), (8, 30, 0)), ((8, 9), (13, 25, 0)), ((5, 5), (18, 20, 0))]
    )
    def test_the_penalty_is_worked_out_from_the_hand_the_folder_really_held(
        self, board: Board, after_fold: tuple[int, int, int]
    ) -> None:
        # The folder has an 8 and 1 + 1 in the pot: a straight on 9,10, a pair on 8,9, a high card on 5,5.
        assert after((8, 3), board, "b1 r1 f", stacks="20,18") == Chips(*after_fold)

    def test_the_penalty_is_capped_at_the_chips_you_have_left(self) -> None:
        assert after((3, 10), (4, 5), "f", stacks="10,10") == Chips(0, 20, 0)  # straight: 9 left
        assert after((3, 10), (4, 5), "f", stacks="11,10") == Chips(0, 21, 0)  # straight: 10 left
        assert after((4, 10), (4, 9), "b5 r1 f", stacks="10,10") == Chips(0, 20, 0)  # pair: 4 left
        assert after((4, 10), (4, 9), "b3 r1 f", stacks="10,10") == Chips(1, 19, 0)  # pair: 6 left

    def test_the_second_bettors_penalty_goes_to_the_first(self) -> None:
        assert after((10, 3), (4, 5), "b3 f") == Chips(31, 9, 0)
        assert after((3, 10), (4, 5), "b3 f") == Chips(21, 19, 0)

    @pytest.mark.parametrize("value", ["ten", "Final", "", None])
    def test_other_penalties_are_refused(self, value: object) -> None:
        with refused(
            OptionError, "penalties in indian-holdem to be final or death-match or none", f"got {str(value)!r}"
        ):
            make(IndianHoldem, penalties=value)


class TestOurVersion:
    def test_exactly_10_hands_per_deck(self) -> None:
        spec = make(IndianHoldem, penalties="none", stacks="30,30")
        for number in range(1, 11):
            cards = [number, number, number, number]
            hand = MatchHand(spec, cards[:2], cards[2:], "f")
            assert hand.renewed == (number == 10)
            spec = hand.revealed
        assert spec.deck == RankDeck.fresh(4, 4)

    def test_the_first_bettor_must_bet_at_least_1_chip_or_fold(self) -> None:
        assert format_history(Play(make(IndianHoldem).public).legal) == "f b1 b3 b5 allin"

    def test_the_show_had_no_betting_limit(self) -> None:
        assert format_history(Play(make(IndianHoldem, raises="any", stacks="5,5").public).legal) == "f b1 b2 b3 allin"

    def test_no_side_pots(self) -> None:
        assert format_history(Play(make(IndianHoldem, stacks="4,20").public, "b1").legal) == "f c r1 allin"
        assert after((10, 2), (4, 9), "allin c", stacks="4,20") == Chips(8, 16, 0)

    def test_if_a_draw_leaves_a_player_with_no_chips_the_pot_is_split_back_evenly(self) -> None:
        assert after((2, 2), (4, 9), "allin c", stacks="4,20", carry=6) == Chips(7, 23, 0)
        assert after((2, 2), (4, 9), "allin c", stacks="10,10") == Chips(10, 10, 0)
        assert after((2, 2), (4, 9), "allin c", stacks="4,20", tie_bust="loses") == Chips(0, 16, 8)

    @pytest.mark.parametrize("history", ["f", "b1 f", "b1 c"])
    def test_both_hands_are_shown_after_every_hand_folds_included(self, history: str) -> None:
        revealed = MatchHand(make(IndianHoldem), (7, 1), (4, 9), history).revealed
        assert revealed.deck == RankDeck.parse(4, 4, seen="1,4,7,9")
        assert revealed.board is None

    @pytest.mark.parametrize("stack", [10, 15, 20])
    def test_you_can_start_with_10_15_or_20_chips(self, stack: int) -> None:
        assert make(IndianHoldem, stacks=[stack, stack]).chips == Chips(stack, stack, 0)
        assert stack in IndianHoldem.standard_stacks


class TestCards:
    @pytest.mark.parametrize(
        ("options", "parts"),
        [
            (
                {"seen": "4,4,4,4", "board": "4,9"},
                ["the board 4,9 is no longer possible", "0 of rank 4 and 4 of rank 9"],
            ),
            ({"seen": "4,4,4,5", "board": "4,4"}, ["the board 4,4 is no longer possible", "1 of rank 4 left"]),
            ({"board": "4"}, ["two community cards, such as 4,9", "'4'"]),
            ({"board": "4,9,10"}, ["two community cards", "'4,9,10'"]),
            ({"board": ""}, ["two community cards", "''"]),
            ({"board": "4,11"}, ["card from 1 to 10", "'11'", "second of board 4,11"]),
            ({"board": 4}, ["board", "comma-separated list", "4"]),
        ],
    )
    def test_a_board_that_the_deck_cannot_deal_is_refused(self, options: dict[str, Any], parts: list[str]) -> None:
        with refused(CardError, *parts):
            make(IndianHoldem, **options)

    @pytest.mark.parametrize(
        ("cards", "board", "parts"),
        [
            ((5, 9), None, ["expected the two community cards of the hand, got none"]),
            ((5, 9), (4, 4), ["the board 4,4 is no longer possible", "1 of rank 4"]),
            ((4, 9), (4, 5), ["the deck has 1 of rank 4 left, not enough for these cards"]),
            ((5, 12), (4, 5), ["card from 1 to 10", "'12'", "P2's card"]),
            ((5,), (4, 5), ["two cards, P1's and P2's, got 1"]),
            ((5, 9), (4,), ["two community cards"]),
        ],
    )
    def test_cards_that_the_deck_cannot_deal_are_refused(self, cards: Any, board: Any, parts: list[str]) -> None:
        with refused(CardError, *parts):
            MatchHand(make(IndianHoldem, seen="4,4,4,5"), cards, board)

    def test_the_board_of_the_spec_is_the_board_of_the_hand(self) -> None:
        spec = make(IndianHoldem, board="4,9")
        assert MatchHand(spec, (5, 9)).board == MatchHand(spec, (5, 9), (9, 4)).board == (4, 9)
        with refused(CardError, "expected the board 4,9, got 5,6"):
            MatchHand(spec, (5, 9), (5, 6))


class TestPrior:
    def test_a_board_and_the_order_of_strength(self) -> None:
        orders = {
            "4,9": "1 2 3 5 6 7 8 10 4 9",
            "5,6": "1 2 3 8 9 10 5 6 4 7",
            "4,4": "1 2 3 5 6 7 8 9 10 4",
            "9,10": "2 3 4 5 6 7 9 10 1 8",
            "2,8": "1 3 4 5 6 7 9 10 2 8",
            "1,2": "4 5 6 7 8 9 1 2 3 10",
        }
        for board, order in orders.items():
            _, deal = only(make(IndianHoldem, board=board))
            assert deal == (board, 1.0, (tuple(order.split()), tuple(order.split())))

    def test_card_removal_of_the_board_and_between_the_hands(self) -> None:
        hand, deal = only(make(IndianHoldem, board="4,9"))
        at = deal.observations[0].index
        # 38 cards are left after the board: four of each but three 4s and three 9s.
        assert hand.prior[at("1"), at("1")] == pytest.approx(12 / 1406, rel=1e-15)
        assert hand.prior[at("1"), at("2")] == pytest.approx(16 / 1406, rel=1e-15)
        assert hand.prior[at("4"), at("2")] == hand.prior[at("2"), at("4")] == pytest.approx(12 / 1406, rel=1e-15)
        assert hand.prior[at("4"), at("4")] == pytest.approx(6 / 1406, rel=1e-15)
        assert hand.prior[at("4"), at("9")] == pytest.approx(9 / 1406, rel=1e-15)

    def test_a_rank_that_the_board_used_up_is_no_observation(self) -> None:
        _, deal = only(make(IndianHoldem, seen="4,4,5,5", board="4,4"))
        assert deal.observations[0] == ("1", "2", "3", "5", "6", "7", "8", "9", "10")

    def test_the_probability_of_a_board(self) -> None:
        boards = make(IndianHoldem).boards()
        assert len(boards) == 55
        assert boards[4, 9] == pytest.approx(16 / 780, rel=1e-15)
        assert boards[4, 4] == pytest.approx(6 / 780, rel=1e-15)
        used = make(IndianHoldem, seen="4,4,4,9").boards()
        assert (4, 4) not in used
        assert used[4, 9] == pytest.approx(1 * 3 / 630, rel=1e-15)
        assert used[9, 9] == pytest.approx(3 / 630, rel=1e-15)

    @BRISK
    @given(counts_left(4, 4, most=12))
    def test_every_deck_matches_its_physical_cards_boards_included(self, counts: list[int]) -> None:
        spec = make(IndianHoldem, left=counts)
        cards = list(enumerate(rank for rank in range(1, 11) for _ in range(counts[rank - 1])))
        boards: Counter[str] = Counter()
        deals: Counter[tuple[str, str, str]] = Counter()
        for table in combinations(cards, 2):
            board = ",".join(str(rank) for rank in sorted(rank for _, rank in table))
            for (_, mine), (_, theirs) in permutations([card for card in cards if card not in table], 2):
                boards[board] += 1
                deals[board, str(theirs), str(mine)] += 1
        total = sum(boards.values())
        found: set[tuple[str, str, str]] = set()
        weights = 0.0
        for hand_class in spec.classes():
            for deal in hand_class.deals:
                assert deal.weight == pytest.approx(float(Fraction(boards[deal.board], total)), rel=1e-14)
                weights += deal.weight
                for (x, seen1), (y, seen2) in product(*(enumerate(names) for names in deal.observations)):
                    ways = deals[deal.board, seen1, seen2]
                    expected = float(Fraction(ways, boards[deal.board]))
                    assert hand_class.hand.prior[x, y] == pytest.approx(expected, rel=1e-14)
                    if ways:
                        found.add((deal.board, seen1, seen2))
            assert hand_class.hand.prior.sum() == pytest.approx(1, abs=1e-14)
        assert weights == pytest.approx(1, abs=1e-12)
        assert found == set(deals)


def check_utilities(spec: IndianHoldem, hand_class: HandClass, options: dict[str, Any]) -> None:
    """Compare the utilities of every deal of a class with the referee's."""
    (s1, s2), carry = options["stacks"], options["carry"]
    for outcome, history in ways_to_end(spec.public).items():
        utility = hand_class.hand.utility(outcome)
        for deal in hand_class.deals:
            board = tuple(int(rank) for rank in deal.board.split(","))
            for (x, theirs), (y, mine) in product(*(enumerate(names) for names in deal.observations)):
                ledger = referee(
                    "indian-holdem",
                    (s1, s2),
                    carry,
                    (int(mine), int(theirs)),
                    format_history(history),
                    board,
                    options["penalties"],
                    options["tie_bust"],
                )
                gains = [ledger.s1 + ledger.carry / 2 - s1 - carry / 2, ledger.s2 + ledger.carry / 2 - s2 - carry / 2]
                assert utility[x, y] == gains[0] == -gains[1]


class TestUtilities:
    @BRISK
    @given(st.data(), common_options(most=12), st.sampled_from(sorted(PENALTIES)))
    def test_every_outcome_and_pair_of_cards_is_settled_by_the_referee(
        self, data: st.DataObject, common: dict[str, Any], penalties: str
    ) -> None:
        board = data.draw(st.tuples(st.integers(1, 10), st.integers(1, 10)))
        options = {**common, "penalties": penalties}
        spec = make(IndianHoldem, board=board, **options)
        (hand_class,) = spec.classes()
        check_utilities(spec, hand_class, options)

    @pytest.mark.parametrize("penalties", ["final", "death-match", "none"])
    def test_every_deal_of_a_class_is_settled_by_the_referee(self, penalties: str) -> None:
        options = {"stacks": (8, 7), "carry": 2, "penalties": penalties, "tie_bust": "loses"}
        spec = make(IndianHoldem, raise_limit=1, **options)
        for hand_class in spec.classes():
            check_utilities(spec, hand_class, options)

    @THOROUGH
    @given(st.data(), options_of("indian-holdem", most=14))
    def test_a_hand_played_at_random_is_settled_by_the_referee(
        self, data: st.DataObject, options: dict[str, Any]
    ) -> None:
        spec = make(IndianHoldem, **options)
        cards, board = data.draw(deals(spec))
        assert board is not None
        hand = MatchHand(spec, cards, board)
        while not hand.over:
            hand.apply(data.draw(st.sampled_from(hand.legal)))
        stacks, carry = tuple(options["stacks"]), options["carry"]
        ledger = referee(
            "indian-holdem",
            stacks,
            carry,
            cards,
            format_history(hand.history),
            board,
            options["penalties"],
            options["tie_bust"],
        )
        assert hand.chips_after == ledger
        assert hand.chips_after.total == sum(stacks) + carry
        assert min(hand.chips_after) >= 0
        assert hand.chips_after.carry % 2 == 0


class TestLosslessClasses:
    def test_the_55_boards_of_a_full_deck_fall_into_4_classes(self) -> None:
        classes = make(IndianHoldem).classes()
        # By hand: 10 board pairs; 10 neighbours on the circle (two straights); 10 two apart (one straight); the rest.
        found = sorted((len(hand_class.deals), round(780 * hand_class.weight, 9)) for hand_class in classes)
        assert found == [(10, 60), (10, 160), (10, 160), (25, 400)]
        boards = {deal.board: place for place, hand_class in enumerate(classes) for deal in hand_class.deals}
        assert len(boards) == 55
        assert boards["9,10"] == boards["1,10"] == boards["5,6"]
        assert boards["1,9"] == boards["2,10"] == boards["4,6"]
        assert boards["4,9"] == boards["2,8"]
        assert boards["4,4"] == boards["10,10"]

    def test_the_counts_in_order_of_strength_tell_the_4_classes_apart_without_penalties(self) -> None:
        # The board's ranks (3 left each, or 2 of a board pair) have two, one or no straights above them.
        assert len(make(IndianHoldem, penalties="none").classes()) == 4
        assert len(make(IndianHoldem, penalties="death-match").classes()) == 4

    @pytest.mark.slow
    @BRISK
    @given(options_of("indian-holdem", most=8))
    def test_each_class_is_the_unreduced_hand_of_each_of_its_boards(self, options: dict[str, Any]) -> None:
        spec = make(IndianHoldem, **options)
        outcomes = list(ways_to_end(spec.public))
        for hand_class in spec.classes():
            for deal in hand_class.deals:
                board = tuple(int(rank) for rank in deal.board.split(","))
                hand, alone = only(replace(spec, board=board))
                assert alone == (deal.board, 1.0, deal.observations)
                assert hand.prior.tobytes() == hand_class.hand.prior.tobytes()
                for outcome in outcomes:
                    assert hand.utility(outcome).tobytes() == hand_class.hand.utility(outcome).tobytes()

    def test_the_fold_matrices_know_the_folders_card(self) -> None:
        hand, deal = only(make(IndianHoldem, board="5,6", stacks="20,20"))
        first, second = hand.utility(Fold(0, 0, 0)), hand.utility(Fold(1, 0, 1))
        expected = np.array([10.0 if rank in "47" else 5.0 if rank in "56" else 0.0 for rank in deal.observations[0]])
        # P2 sees P1's card (columns), P1 sees P2's (rows).
        assert np.array_equal(first, np.tile(-1 - expected, (10, 1)))
        assert np.array_equal(second, np.tile(1 + expected, (10, 1)).T)
        assert list(KINDS) == HOLDEM_ORDER


class TestSpec:
    @THOROUGH
    @given(st.data(), options_of("indian-holdem"))
    def test_a_spec_is_read_back_from_its_normal_form(self, data: st.DataObject, options: dict[str, Any]) -> None:
        spec = make(IndianHoldem, **options)
        if data.draw(st.booleans()):
            spec = replace(spec, board=data.draw(st.sampled_from(sorted(spec.boards()))))
        written = json.loads(json.dumps(spec.to_dict()))
        assert written.pop("game") == "indian-holdem"
        assert make(IndianHoldem, **written) == spec

    def test_equal_hands_have_equal_normal_forms(self) -> None:
        one, two = (
            make(IndianHoldem, seen="9,1,5,1", board="9,4"),
            make(IndianHoldem, left="2,4,4,4,3,4,4,4,3,4", board="4,9"),
        )
        assert one.to_dict() == two.to_dict()
        assert one.to_dict()["board"] == [4, 9]
        assert make(IndianHoldem).to_dict()["board"] is None

    def test_a_fresh_deck_for_the_same_hand(self) -> None:
        spec = make(IndianHoldem, seen="1,1,5,9", board="2,3", penalties="none")
        assert spec.fresh() == make(IndianHoldem, penalties="none")
