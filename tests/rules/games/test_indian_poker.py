"""Indian Poker, sentence by sentence of text 000 and of the rules page."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
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
from rules.games.indian_poker import IndianPoker
from rules.games.spec import Hand
from rules.play.hand import MatchHand, Play
from tests.support.helpers import make, referee, refused, ways_to_end
from tests.support.strategies import BRISK, THOROUGH, counts_left, deals, options_of, specs


def after(cards: tuple[int, int], history: str, stacks: str = "20,20", **options: Any) -> Chips:
    """Return the chips after a hand, checked to conserve all chips."""
    hand = MatchHand(make(IndianPoker, stacks=stacks, **options), cards, history=history)
    assert hand.chips_after.total == hand.spec.chips.total
    return hand.chips_after


def only(spec: IndianPoker) -> tuple[Hand, tuple[str, ...]]:
    """Return the one hand of a spec and the names of its observations."""
    (hand_class,) = spec.classes()
    (deal,) = hand_class.deals
    assert (deal.board, deal.weight, deal.observations[0]) == ("", 1.0, deal.observations[1])
    return hand_class.hand, deal.observations[0]


class TestTheDeck:
    def test_the_numbers_1_to_10_twice_each(self) -> None:
        assert make(IndianPoker).deck.counts == (2,) * 10

    def test_the_same_deck_is_used_hand_after_hand(self) -> None:
        hand = MatchHand(make(IndianPoker, seen="1,1"), (5, 9), history="b1 f")
        assert hand.revealed.deck == RankDeck.parse(2, 2, seen="1,1,5,9")
        assert not hand.renewed

    def test_it_is_replaced_only_when_all_20_cards_have_been_dealt(self) -> None:
        hand = MatchHand(make(IndianPoker, left="1,0,0,0,0,0,0,0,0,1"), (10, 1), history="b1 f")
        assert hand.revealed.deck == RankDeck.fresh(2, 2)
        assert hand.renewed


class TestAHand:
    def test_both_players_put_1_chip_into_the_pot(self) -> None:
        hand = MatchHand(make(IndianPoker), (2, 3))
        assert (hand.pot, hand.in_front) == (2, (9, 9))

    def test_you_see_your_opponents_card_but_your_own_stays_hidden(self) -> None:
        hand, names = only(make(IndianPoker))
        assert names == ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
        # P1 sees P2's 1, so P2 sees P1's 10 in the pair (1, 10): P1 holds the 10 and wins.
        showdown = hand.utility(Showdown(3))
        assert showdown[names.index("1"), names.index("10")] == 4.0
        assert showdown[names.index("10"), names.index("1")] == -4.0

    def test_players_take_turns_call_raise_or_fold(self) -> None:
        assert format_history(Play(make(IndianPoker).public, "b1").legal) == "f c r1 r3 r5 allin"

    @pytest.mark.parametrize(("mine", "theirs"), [(9, 4), (2, 1), (10, 9)])
    def test_when_a_bet_is_called_the_higher_card_wins_the_pot(self, mine: int, theirs: int) -> None:
        assert after((mine, theirs), "b3 c") == Chips(24, 16, 0)
        assert after((theirs, mine), "b3 c") == Chips(16, 24, 0)

    @pytest.mark.parametrize("rank", range(1, 11))
    def test_if_the_cards_are_equal_nobody_wins_and_the_pot_carries_over(self, rank: int) -> None:
        assert after((rank, rank), "b3 r1 c") == Chips(15, 15, 10)
        assert after((rank, rank), "b1 c", carry=8) == Chips(18, 18, 12)

    def test_if_a_player_folds_the_other_takes_the_pot_without_a_showdown(self) -> None:
        # The folder holds the higher card: it does not matter.
        assert after((9, 2), "f") == Chips(19, 21, 0)
        assert after((2, 9), "b5 f", carry=4) == Chips(25, 19, 0)
        assert after((9, 2), "b1 r5 f") == Chips(18, 22, 0)


class TestThe10Penalty:
    def test_folding_while_holding_a_10_costs_10_extra_chips_paid_to_the_opponent(self) -> None:
        assert after((10, 2), "f") == Chips(9, 31, 0)
        assert after((2, 10), "b1 f") == Chips(31, 9, 0)
        assert after((10, 2), "b1 r3 f", carry=2) == Chips(8, 34, 0)

    def test_or_all_your_chips_if_you_have_fewer(self) -> None:
        assert after((10, 2), "f", stacks="10,10") == Chips(0, 20, 0)  # 9 left
        assert after((10, 2), "f", stacks="11,10") == Chips(0, 21, 0)  # exactly 10 left
        assert after((2, 10), "allin f", stacks="10,4") == Chips(14, 0, 0)  # 3 left
        assert after((10, 2), "b3 r5 f", stacks="10,20") == Chips(0, 30, 0)  # 6 left

    @pytest.mark.parametrize("rank", range(1, 10))
    def test_no_other_card_costs_anything(self, rank: int) -> None:
        assert after((rank, 10), "f") == Chips(19, 21, 0)

    def test_the_opponents_10_costs_nothing(self) -> None:
        assert after((10, 2), "b1 f") == Chips(21, 19, 0)

    def test_a_called_10_costs_nothing(self) -> None:
        assert after((10, 10), "b1 c") == Chips(18, 18, 4)

    def test_without_penalties(self) -> None:
        assert after((10, 2), "f", penalties="none") == Chips(19, 21, 0)
        hand, _ = only(make(IndianPoker, penalties="none"))
        assert np.all(hand.utility(Fold(0, 0, 0)) == -1.0)

    def test_the_penalty_belongs_to_the_folders_own_card_the_others_observation(self) -> None:
        hand, names = only(make(IndianPoker))
        ten = names.index("10")
        first, second = hand.utility(Fold(0, 0, 0)), hand.utility(Fold(1, 0, 1))
        # P2 sees P1's 10 (columns); P1 sees P2's (rows). At 10/10 the folder has 9 left for the penalty.
        assert np.all(first[:, ten] == -10.0)
        assert np.all(np.delete(first, ten, axis=1) == -1.0)
        assert np.all(second[ten, :] == 10.0)
        assert np.all(np.delete(second, ten, axis=0) == 1.0)

    @pytest.mark.parametrize("value", ["final", "Ten", "", None, 10])
    def test_other_penalties_are_refused(self, value: object) -> None:
        with refused(OptionError, "expected penalties in indian-poker to be ten or none", repr(str(value))):
            make(IndianPoker, penalties=value)


class TestOurVersion:
    def test_the_first_bettor_must_bet_at_least_1_chip_or_fold(self) -> None:
        assert format_history(Play(make(IndianPoker).public).legal) == "f b1 b3 b5 allin"

    def test_then_call_raise_1_3_5_or_all_in_or_fold(self) -> None:
        assert format_history(Play(make(IndianPoker, stacks="20,20").public, "b3").legal) == "f c r1 r3 r5 allin"

    @pytest.mark.parametrize("stacks", ["10,3", "3,10"])
    def test_a_bet_can_never_be_larger_than_what_the_opponent_can_still_match(self, stacks: str) -> None:
        play = Play(make(IndianPoker, stacks=stacks, raises="any").public)
        assert [action.size for action in play.legal] == [0, 1, 2]

    @pytest.mark.parametrize("history", ["f", "b1 f", "b1 c", "allin c"])
    def test_both_cards_are_shown_after_every_hand_folds_included(self, history: str) -> None:
        revealed = MatchHand(make(IndianPoker), (4, 10), history=history).revealed
        assert revealed.deck == RankDeck.parse(2, 2, seen="4,10")

    def test_the_used_cards_are_copies_gone_by_rank(self) -> None:
        deck = make(IndianPoker, seen="1,1,5,9").deck
        assert {rank: gone for rank, gone in deck.out.items() if gone} == {1: 2, 5: 1, 9: 1}

    @pytest.mark.parametrize("stack", [10, 15, 20])
    def test_you_can_start_with_10_15_or_20_chips(self, stack: int) -> None:
        assert make(IndianPoker, stacks=[stack, stack]).chips == Chips(stack, stack, 0)
        assert stack in IndianPoker.standard_stacks


class TestStrategyClaimsThatAreRules:
    def test_if_it_holds_a_10_you_can_at_best_tie(self) -> None:
        hand, names = only(make(IndianPoker))
        against_ten = hand.utility(Showdown(1))[names.index("10")]
        assert (against_ten.max(), against_ten[names.index("10")]) == (0.0, 0.0)

    def test_if_it_holds_a_1_almost_any_card_beats_it(self) -> None:
        hand, names = only(make(IndianPoker))
        assert (hand.utility(Showdown(1))[names.index("1")] > 0).sum() == 9

    def test_after_a_tie_the_next_pot_starts_larger(self) -> None:
        hand = MatchHand(make(IndianPoker), (5, 5), history="b1 c")
        assert MatchHand(hand.revealed, (2, 3)).pot == 4 + 2


class TestCards:
    @pytest.mark.parametrize(
        ("cards", "board", "parts"),
        [
            ((1, 3), None, ["the deck has 0 of rank 1 left"]),
            ((5, 5), None, ["the deck has 1 of rank 5 left, not enough"]),
            ((11, 3), None, ["card from 1 to 10", "'11'", "P1's card"]),
            ((3, "x"), None, ["card from 1 to 10", "'x'", "P2's card"]),
            ((3,), None, ["two cards, P1's and P2's, got 1"]),
            ((3, 4, 5), None, ["two cards, P1's and P2's, got 3"]),
            ((3, 4), (2, 2), ["indian-poker has no community cards", "(2, 2)"]),
        ],
    )
    def test_cards_that_the_deck_cannot_deal_are_refused(self, cards: Any, board: Any, parts: list[str]) -> None:
        with refused(CardError, *parts):
            MatchHand(make(IndianPoker, seen="1,1,5,9"), cards, board)

    def test_cards_may_be_text(self) -> None:
        assert MatchHand(make(IndianPoker), ("3", "10")).cards == (3, 10)
        assert MatchHand(make(IndianPoker), (3, 10)).board is None


class TestPrior:
    def test_a_full_deck(self) -> None:
        hand, _ = only(make(IndianPoker))
        # 20 x 19 ordered pairs of cards: 2 x 1 of the same rank, 2 x 2 of two ranks.
        assert hand.prior == pytest.approx(np.where(np.eye(10) == 1, 2 / 380, 4 / 380), rel=1e-15)

    def test_a_used_deck_with_card_removal(self) -> None:
        hand, names = only(make(IndianPoker, seen="1,1,5,9"))
        assert names == ("2", "3", "4", "5", "6", "7", "8", "9", "10")
        prior = {(x, y): hand.prior[names.index(x), names.index(y)] for x, y in product(names, repeat=2)}
        assert prior["2", "2"] == pytest.approx(2 / 240, rel=1e-15)
        assert prior["2", "5"] == prior["5", "2"] == pytest.approx(2 / 240, rel=1e-15)
        assert prior["2", "3"] == pytest.approx(4 / 240, rel=1e-15)
        assert prior["5", "9"] == pytest.approx(1 / 240, rel=1e-15)
        assert prior["5", "5"] == prior["9", "9"] == 0

    @THOROUGH
    @given(counts_left(2, 2))
    def test_every_deck_matches_its_physical_cards(self, counts: list[int]) -> None:
        hand, names = only(make(IndianPoker, left=counts))
        cards = [rank for rank in range(1, 11) for _ in range(counts[rank - 1])]
        pairs = Counter(permutations(cards, 2))
        ways = len(cards) * (len(cards) - 1)
        for (x, theirs), (y, mine) in product(enumerate(names), repeat=2):
            # P1 sees P2's card, P2 sees P1's.
            assert hand.prior[x, y] == pytest.approx(float(Fraction(pairs[int(mine), int(theirs)], ways)), rel=1e-15)
        assert hand.prior.sum() == pytest.approx(1, abs=1e-14)
        assert min(hand.prior.sum(axis=0).min(), hand.prior.sum(axis=1).min()) > 0


class TestUtilities:
    @BRISK
    @given(options_of("indian-poker", most=14))
    def test_every_outcome_and_pair_of_cards_is_settled_by_the_referee(self, options: dict[str, Any]) -> None:
        spec = make(IndianPoker, **options)
        hand, names = only(spec)
        s1, s2 = options["stacks"]
        carry = options["carry"]
        for outcome, history in ways_to_end(spec.public).items():
            utility = hand.utility(outcome)
            assert utility.shape == hand.prior.shape
            for (x, theirs), (y, mine) in product(enumerate(names), repeat=2):
                ledger = referee(
                    "indian-poker",
                    (s1, s2),
                    carry,
                    (int(mine), int(theirs)),
                    format_history(history),
                    penalties=options["penalties"],
                    tie_bust=options["tie_bust"],
                )
                gains = [ledger.s1 + ledger.carry / 2 - s1 - carry / 2, ledger.s2 + ledger.carry / 2 - s2 - carry / 2]
                assert utility[x, y] == gains[0] == -gains[1]

    @THOROUGH
    @given(st.data(), options_of("indian-poker", most=14))
    def test_a_hand_played_at_random_is_settled_by_the_referee(
        self, data: st.DataObject, options: dict[str, Any]
    ) -> None:
        spec = make(IndianPoker, **options)
        cards, _ = data.draw(deals(spec))
        hand = MatchHand(spec, cards)
        while not hand.over:
            hand.apply(data.draw(st.sampled_from(hand.legal)))
        stacks, carry = tuple(options["stacks"]), options["carry"]
        ledger = referee(
            "indian-poker",
            stacks,
            carry,
            cards,
            format_history(hand.history),
            penalties=options["penalties"],
            tie_bust=options["tie_bust"],
        )
        assert hand.chips_after == ledger
        assert hand.chips_after.total == sum(stacks) + carry
        assert min(hand.chips_after) >= 0
        assert hand.chips_after.carry % 2 == 0
        assert hand.pot + sum(hand.in_front) == sum(stacks) + carry


class TestLosslessClasses:
    """Two compositions with the same counts from low to high and the same number of 10s are the same game."""

    @pytest.mark.slow
    def test_the_29524_decks_fall_into_1534_classes(self) -> None:
        decks = [counts for counts in product(range(3), repeat=10) if sum(counts) and sum(counts) % 2 == 0]
        assert len(decks) == 29524
        examples: dict[Any, tuple[int, ...]] = {}
        for counts in decks:
            deck = RankDeck.parse(2, 2, left=counts)
            assert deck.counts == counts
            examples.setdefault((tuple(deck.count(rank) for rank in deck.ranks), deck.count(10)), counts)
        assert len(examples) == 1534
        # No two of the classes are the same game: the key is not finer than it must be.
        outcomes = [Fold(0, 0, 0), Fold(1, 0, 1), Showdown(1)]
        games = set()
        for counts in examples.values():
            hand, _ = only(make(IndianPoker, left=counts))
            games.add((hand.prior.shape, hand.prior.tobytes(), *(hand.utility(o).tobytes() for o in outcomes)))
        assert len(games) == 1534

    @THOROUGH
    @given(st.data(), specs("indian-poker"))
    def test_decks_of_one_class_give_equal_bytes(self, data: st.DataObject, spec: IndianPoker) -> None:
        # Move the counts of 1 to 9 to other ranks, in the same order.
        low = [count for count in spec.deck.counts[:9] if count]
        places = data.draw(st.lists(st.integers(0, 8), unique=True, min_size=len(low), max_size=len(low)).map(sorted))
        counts = [0] * 9 + [spec.deck.count(10)]
        for place, count in zip(places, low, strict=True):
            counts[place] = count
        other = replace(spec, deck=RankDeck.parse(2, 2, left=counts))
        (one, _), (two, _) = only(spec), only(other)
        assert one.prior.tobytes() == two.prior.tobytes()
        for outcome in ways_to_end(spec.public):
            assert one.utility(outcome).tobytes() == two.utility(outcome).tobytes()


class TestSpec:
    @THOROUGH
    @given(options_of("indian-poker"))
    def test_a_spec_is_read_back_from_its_normal_form(self, options: dict[str, Any]) -> None:
        spec = make(IndianPoker, **options)
        written = json.loads(json.dumps(spec.to_dict()))
        assert written.pop("game") == "indian-poker"
        assert make(IndianPoker, **written) == spec

    def test_equal_hands_have_equal_normal_forms(self) -> None:
        one = make(IndianPoker, seen="9,1,5,1", raises="5,1,3,allin", stacks="10,10", opens="1,3,5,allin")
        two = make(IndianPoker, left="0,2,2,2,1,2,2,2,1,2")
        assert one.to_dict() == two.to_dict()
        assert one.to_dict() == {
            "game": "indian-poker",
            "left": [0, 2, 2, 2, 1, 2, 2, 2, 1, 2],
            "penalties": "ten",
            "stacks": [10, 10],
            "carry": 0,
            "raises": [1, 3, 5, "allin"],
            "opens": None,
            "raise_limit": None,
            "tie_bust": "split",
            "objective": "chips",
            "locks": [],
        }

    def test_cards_left_and_the_card_seen(self) -> None:
        spec = make(IndianPoker, seen="1,1,5,9")
        assert (spec.cards_left, spec.observation("10"), spec.observation(3)) == (16, "10", "3")
        with refused(CardError, "card from 1 to 10", "'11'", "the card seen"):
            spec.observation("11")

    def test_a_fresh_deck_for_the_same_hand(self) -> None:
        assert make(IndianPoker, seen="1,1,5,9", carry=2).fresh() == make(IndianPoker, carry=2)
