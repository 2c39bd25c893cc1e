"""Deck states of the three match games: what is read, what is refused, what is left."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import CardError, DeckError, ForeheadError, OptionError
from rules.base.parsing import items, ordinal, shown_list, whole
from rules.cards.rank_deck import RankDeck
from rules.cards.two_sided import TwoSided, TwoSidedDeck
from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker
from tests.support.helpers import make, refused
from tests.support.strategies import THOROUGH, TWO_SIDED, counts_left, two_sided_decks

FULL_TEXT_OF_RANKS = "1,2,3,4,5,6,7,8,9,10"


class TestFreshDecks:
    def test_indian_poker_has_20_cards_1_to_10_twice_each(self) -> None:
        deck = make(IndianPoker).deck
        assert (deck.total, deck.counts, deck.ranks) == (20, (2,) * 10, tuple(range(1, 11)))

    def test_indian_holdem_has_40_cards_1_to_10_four_times_each(self) -> None:
        deck = make(IndianHoldem).deck
        assert (deck.total, deck.counts, deck.ranks) == (40, (4,) * 10, tuple(range(1, 11)))

    def test_double_sided_has_90_cards_every_ordered_pair_of_different_numbers_once(self) -> None:
        deck = make(DoubleSided).deck
        assert deck.total == 90 == len(TWO_SIDED)
        pairs = [(front, back) for front in range(1, 11) for back in deck.unseen_backs(front)]
        assert sorted(pairs) == [(a, b) for a, b in product(range(1, 11), repeat=2) if a != b]
        assert [deck.left(front) for front in range(1, 11)] == [9] * 10


class TestRankDecks:
    def test_cards_seen_leave_the_deck(self) -> None:
        deck = make(IndianPoker, seen="1,1,5,9").deck
        assert deck.counts == (0, 2, 2, 2, 1, 2, 2, 2, 1, 2)
        assert (deck.total, deck.ranks) == (16, (2, 3, 4, 5, 6, 7, 8, 9, 10))
        assert deck.out == {1: 2, 2: 0, 3: 0, 4: 0, 5: 1, 6: 0, 7: 0, 8: 0, 9: 1, 10: 0}
        assert deck.count(5) == 1

    def test_cards_left_are_the_same_deck_as_cards_seen(self) -> None:
        assert make(IndianPoker, left="0,2,2,2,1,2,2,2,1,2") == make(IndianPoker, seen=[9, 1, 5, 1])
        assert make(IndianHoldem, left=[4, 4, 4, 0, 4, 4, 4, 4, 4, 4]) == make(IndianHoldem, seen="4,4,4,4")

    @pytest.mark.parametrize("game", [IndianPoker, IndianHoldem])
    def test_no_card_left_means_a_fresh_deck(self, game: type[IndianPoker | IndianHoldem]) -> None:
        everything = ",".join([FULL_TEXT_OF_RANKS] * game.copies)
        assert make(game, seen=everything) == make(game, left="0,0,0,0,0,0,0,0,0,0") == make(game)

    def test_ten_hands_use_up_a_deck(self) -> None:
        for game in (IndianPoker, IndianHoldem):
            assert make(game).deck.total == 10 * game.per_hand

    @pytest.mark.parametrize(
        ("game", "options", "error", "parts"),
        [
            (IndianPoker, {"seen": "4,4,4,1"}, DeckError, ["4 is out three times", "the deck has two", "seen 4,4,4,1"]),
            (IndianHoldem, {"seen": [7] * 5 + [1] * 3}, DeckError, ["7 is out five times", "the deck has four"]),
            (IndianPoker, {"seen": [7] * 6}, DeckError, ["7 is out 6 times", "seen 7,7,7,7,7,7"]),
            (IndianPoker, {"seen": "1,2,3"}, DeckError, ["17 of 20 cards are left", "2 cards each", "seen 1,2,3"]),
            (IndianHoldem, {"seen": "1,2"}, DeckError, ["38 of 40 cards are left", "multiple of 4", "seen 1,2"]),
            (IndianHoldem, {"seen": "1,2,3"}, DeckError, ["37 of 40", "this hand's own cards do not count as seen"]),
            (IndianPoker, {"seen": "4,4,11"}, CardError, ["card from 1 to 10", "'11'", "third of seen 4,4,11"]),
            (IndianPoker, {"seen": "0,4"}, CardError, ["card from 1 to 10", "'0'", "first of seen 0,4"]),
            (IndianPoker, {"seen": "4,-3"}, CardError, ["card from 1 to 10", "'-3'", "second of seen"]),
            (IndianPoker, {"seen": "4,x"}, CardError, ["card from 1 to 10", "'x'", "second of seen 4,x"]),
            (IndianPoker, {"seen": "4,,4"}, CardError, ["card from 1 to 10", "''", "second of seen"]),
            (IndianPoker, {"seen": [4, 4.5]}, CardError, ["card from 1 to 10", "'4.5'", "second of seen"]),
            (IndianPoker, {"seen": 4}, CardError, ["expected seen to be a comma-separated list", "got 4"]),
            (IndianPoker, {"left": "2,2"}, DeckError, ["ten counts", "got 2 (2,2)"]),
            (IndianPoker, {"left": "3,1,2,2,2,2,2,2,2,2"}, DeckError, ["0 to 2 cards of rank 1 left, got 3"]),
            (IndianHoldem, {"left": "4,4,4,4,5,3,4,4,4,4"}, DeckError, ["0 to 4 cards of rank 5 left, got 5"]),
            (IndianPoker, {"left": "2,-1,2,2,2,2,2,2,2,1"}, DeckError, ["0 to 2 cards of rank 2 left, got -1"]),
            (IndianPoker, {"left": "2,1,2,2,2,2,2,2,2,2"}, DeckError, ["19 of 20 cards are left", "left 2,1,2"]),
            (IndianPoker, {"left": "2,a,2,2,2,2,2,2,2,2"}, DeckError, ["the count of 2", "whole number", "'a'"]),
            (IndianPoker, {"seen": "1,1", "left": "0,2,2,2,2,2,2,2,2,2"}, DeckError, ["seen or left, got both"]),
        ],
    )
    def test_a_deck_that_no_sequence_of_hands_leaves_is_refused(
        self, game: type[Any], options: dict[str, Any], error: type[ForeheadError], parts: list[str]
    ) -> None:
        with refused(error, *parts):
            make(game, **options)

    def test_cards_taken_out_must_be_in_the_deck(self) -> None:
        deck = RankDeck.parse(2, 2, seen="3,5")
        assert deck.without([3, 5]).counts == (2, 2, 0, 2, 0, 2, 2, 2, 2, 2)
        with refused(CardError, "the deck has 1 of rank 3 left, not enough for these cards"):
            deck.without([3, 3])
        with refused(CardError, "expected a card from 1 to 10, got '11'"):
            deck.without([11])

    def test_a_deck_used_up_is_followed_by_a_fresh_one(self) -> None:
        assert RankDeck.parse(2, 2, left="1,0,0,0,0,0,0,0,0,1").without([1, 10]) == RankDeck.fresh(2, 2)
        assert RankDeck.parse(2, 2, left="1,0,0,1,0,0,1,0,0,1").without([1, 10]).total == 2

    def test_holds_counts_copies(self) -> None:
        deck = RankDeck.parse(4, 4, left="1,2,0,0,0,0,0,0,0,1")
        assert deck.holds([1, 2, 2, 10])
        assert not deck.holds([1, 1])
        assert not deck.holds([3])

    @THOROUGH
    @given(st.sampled_from([(2, 2), (4, 4)]).flatmap(lambda size: st.tuples(st.just(size), counts_left(*size))))
    def test_seen_and_left_say_the_same(self, drawn: tuple[tuple[int, int], list[int]]) -> None:
        (copies, per_hand), counts = drawn
        seen = [rank for rank in range(1, 11) for _ in range(copies - counts[rank - 1])]
        deck = RankDeck.parse(copies, per_hand, left=counts)
        assert deck == RankDeck.parse(copies, per_hand, seen=seen)
        assert deck.counts == tuple(counts)
        assert sum(deck.out.values()) + deck.total == 10 * copies


class TestTwoSidedCards:
    def test_a_card_is_read_and_written_front_first(self) -> None:
        assert TwoSided.parse("3/7") == TwoSided(3, 7) == TwoSided.parse([3, 7])
        assert str(TwoSided(10, 1)) == "10/1"

    @pytest.mark.parametrize(
        ("value", "parts"),
        [
            ("5/5", ["same number on both sides", "5/5"]),
            ("5", ["front/back, such as 3/7", "'5'"]),
            (5, ["front/back, such as 3/7", "'5'"]),
            ("5/6/7", ["front/back, such as 3/7", "'5/6/7'"]),
            ("5/11", ["card from 1 to 10", "'11'", "in 5/11"]),
            ("0/5", ["card from 1 to 10", "'0'", "in 0/5"]),
            ("/5", ["card from 1 to 10", "''", "in /5"]),
        ],
    )
    def test_what_is_no_card_is_refused(self, value: object, parts: list[str]) -> None:
        with refused(CardError, *parts):
            TwoSided.parse(value)


class TestTwoSidedDecks:
    def test_shown_cards_and_hidden_fronts_leave_the_deck(self) -> None:
        deck = make(DoubleSided, shown="3/1,3/2", hidden="3,3").deck
        assert deck.total == 86
        # Seven backs of front 3 are unseen; two of those cards lie hidden in the used pile.
        assert deck.unseen_backs(3) == (4, 5, 6, 7, 8, 9, 10)
        assert deck.backs_seen(3) == (1, 2)
        assert deck.left(3) == 5
        assert [deck.left(front) for front in (1, 2, 4, 10)] == [9, 9, 9, 9]

    def test_lists_are_kept_in_order(self) -> None:
        deck = make(DoubleSided, shown="9/1,3/2", hidden=[8, 2]).deck
        assert deck.to_dict() == {"shown": ["3/2", "9/1"], "hidden": [2, 8]}

    def test_no_card_left_means_a_fresh_deck(self) -> None:
        assert make(DoubleSided, shown=TWO_SIDED) == make(DoubleSided)
        assert make(DoubleSided, shown=TWO_SIDED[:-2], hidden="10,10") == make(DoubleSided)

    @pytest.mark.parametrize(
        ("options", "error", "parts"),
        [
            ({"shown": "3/7,3/7"}, DeckError, ["3/7 is shown twice", "exists once", "shown 3/7,3/7"]),
            ({"shown": "3/7"}, DeckError, ["even number of shown cards, got 1", "own cards do not count"]),
            ({"hidden": "3"}, DeckError, ["even number of hidden cards, got 1"]),
            ({"shown": "3/7", "hidden": "3"}, DeckError, ["even number of shown cards, got 1"]),
            ({"hidden": [3] * 10}, DeckError, ["10 cards with front 3 are out", "nine", "0 shown, 10 hidden"]),
            (
                {"shown": "3/1,3/2", "hidden": [3] * 8},
                DeckError,
                ["10 cards with front 3 are out", "2 shown, 8 hidden"],
            ),
            ({"shown": "3/7,4/4"}, CardError, ["same number on both sides", "4/4", "second of shown 3/7,4/4"]),
            ({"shown": "3/7,4"}, CardError, ["front/back", "'4'", "second of shown 3/7,4"]),
            ({"shown": "3/7,4/12"}, CardError, ["card from 1 to 10", "'12'", "second of shown 3/7,4/12"]),
            ({"hidden": "3,11"}, CardError, ["card from 1 to 10", "'11'", "second of hidden 3,11"]),
            ({"hidden": 3}, CardError, ["hidden", "comma-separated list", "3"]),
        ],
    )
    def test_a_deck_that_no_sequence_of_hands_leaves_is_refused(
        self, options: dict[str, Any], error: type[ForeheadError], parts: list[str]
    ) -> None:
        with refused(error, *parts):
            make(DoubleSided, **options)

    def test_nine_cards_with_a_front_may_be_out(self) -> None:
        deck = make(DoubleSided, shown=[f"3/{back}" for back in (1, 2, 4, 5, 6, 7)], hidden="3,3,3,8").deck
        assert (deck.left(3), deck.left(8), deck.total) == (0, 8, 80)

    def test_the_probability_of_fronts_of_a_full_deck(self) -> None:
        pairs = TwoSidedDeck().front_pairs()
        assert len(pairs) == 100
        # Nine cards with each front: 9 x 9 of the 90 x 89 ordered pairs, 9 x 8 where the fronts are equal.
        assert pairs[3, 8] == pairs[8, 3] == pytest.approx(81 / 8010, rel=1e-15)
        assert pairs[3, 3] == pytest.approx(72 / 8010, rel=1e-15)

    def test_the_probability_of_fronts_counts_shown_and_hidden_cards_as_gone(self) -> None:
        pairs = TwoSidedDeck.parse("3/1,3/2", "3,3").front_pairs()
        assert pairs[3, 8] == pytest.approx(5 * 9 / (86 * 85), rel=1e-15)
        assert pairs[3, 3] == pytest.approx(5 * 4 / (86 * 85), rel=1e-15)
        assert pairs[8, 8] == pytest.approx(9 * 8 / (86 * 85), rel=1e-15)

    def test_impossible_fronts_are_left_out(self) -> None:
        pairs = TwoSidedDeck.parse([f"3/{back}" for back in (1, 2, 4, 5, 6, 7, 8, 9)], "8,8").front_pairs()
        assert (3, 3) not in pairs  # one card with front 3 is left, two are needed
        assert pairs[3, 4] == pytest.approx(1 * 9 / (80 * 79), rel=1e-15)

    def test_the_deck_used_up_ends_all_knowledge(self) -> None:
        last = [TwoSided(10, 8), TwoSided(10, 9)]
        deck = TwoSidedDeck.parse(TWO_SIDED[:-2])
        assert deck.with_shown(last) == deck.with_hidden([10, 10]) == TwoSidedDeck()

    @THOROUGH
    @given(two_sided_decks() | two_sided_decks(10))
    def test_cards_left_add_up(self, drawn: tuple[list[TwoSided], list[int]]) -> None:
        shown, hidden = drawn
        deck = TwoSidedDeck.parse(shown, hidden)
        assert deck.total == 90 - len(shown) - len(hidden) == sum(deck.left(front) for front in range(1, 11))
        assert sum(deck.front_pairs().values()) == pytest.approx(1, abs=1e-12)
        assert TwoSidedDeck.parse(**deck.to_dict()) == deck


class TestNumbersAndLists:
    @pytest.mark.parametrize(
        ("place", "name"),
        [
            (0, "first"),
            (8, "ninth"),
            (9, "10th"),
            (10, "11th"),
            (11, "12th"),
            (20, "21st"),
            (21, "22nd"),
            (111, "112th"),
        ],
    )
    def test_ordinal(self, place: int, name: str) -> None:
        assert ordinal(place) == name

    @pytest.mark.parametrize(("value", "number"), [(3, 3), ("3", 3), (" -3 ", -3), ("007", 7)])
    def test_whole_numbers_are_read(self, value: object, number: int) -> None:
        assert whole(value, "it") == number

    @pytest.mark.parametrize("value", ["", "-", "1.0", "1e3", "--1", "+1", "x", "½", "٣", 1.0, True, None])
    def test_what_is_no_whole_number_is_refused(self, value: object) -> None:
        with refused(OptionError, "expected it to be a whole number", repr(value)):
            whole(value, "it")

    def test_a_number_beyond_all_sense_is_refused_short(self) -> None:
        with refused(OptionError, "of a sensible size, got 5000 digits"):
            whole("9" * 5000, "it")

    def test_lists_are_read_from_text_and_sequences(self) -> None:
        assert items(" 1, 2 ,3", "it") == ["1", "2", "3"]
        assert items("", "it") == items("  ", "it") == items([], "it") == []
        assert items((1, "2"), "it") == [1, "2"]
        assert (shown_list("1, 2"), shown_list([1, 2]), shown_list(3)) == ("1, 2", "1,2", "3")
