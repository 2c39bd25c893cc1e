"""Whole matches: chips, carry, deck and first bettor from hand to hand."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import CardError, HistoryError, OptionError
from rules.betting.actions import format_history
from rules.betting.chips import Chips
from rules.betting.no_limit import Fold, Showdown
from rules.betting.two_sided import BothCalled, BothFolded
from rules.cards.rank_deck import RankDeck
from rules.cards.two_sided import TwoSided, TwoSidedDeck
from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker
from rules.play.hand import MatchHand
from rules.play.match import Match
from tests.support.helpers import make, referee, refused
from tests.support.strategies import BRISK, GAMES, TWO_SIDED, common_options


def state(match: Match) -> tuple[tuple[int, int], int, int, int | str | None]:
    """Chips by person, carry, who bets first in the coming hand, who has won."""
    return match.chips, match.carry, match.first, match.winner


class TestIndianPokerMatch:
    """From the last four cards 3 8 10 10 of a deck into a fresh one, at 10/10."""

    LEFT = "0,0,1,0,0,0,0,1,0,2"

    def start(self, **options: Any) -> Match:
        return Match(make(IndianPoker, left=self.LEFT, **options))

    def test_from_the_first_hand_to_the_last(self) -> None:
        match = self.start()
        assert state(match) == ((10, 10), 0, 0, None)

        # Hand 1, person 0 first: two 10s tie at level 3, so 1 + 3 each stay on the table.
        played = match.play((10, 10), "b3 c")
        assert (played.outcome, played.first, played.renewed) == (Showdown(3), 0, False)
        assert (played.before, played.after) == (Chips(10, 10, 0), Chips(6, 6, 8))
        assert state(match) == ((6, 6), 8, 1, None)

        # Hand 2, person 1 first: level 1 + 3 = 4, pot 8 + 2 + 8 = 18; person 0's 8 beats 3. The deck is used up.
        played = match.play((3, 8), "b1 r3 c")
        assert (played.outcome, played.first, played.renewed) == (Showdown(4), 1, True)
        assert (played.before, played.after) == (Chips(6, 6, 8), Chips(19, 1, 0))
        assert state(match) == ((19, 1), 0, 0, None)
        assert match.spec.deck == RankDeck.fresh(2, 2)

        # Hand 3, person 0 first: the antes are all-in, nobody acts; person 1's 5 takes the two chips.
        played = match.play((2, 5), "")
        assert (played.outcome, played.history, played.renewed) == (Showdown(0), (), False)
        assert state(match) == ((18, 2), 0, 1, None)

        # Hand 4, person 1 first: folds a 10 with one chip left, the penalty of 10 is capped at it.
        played = match.play((10, 4), "f")
        assert (played.outcome, played.after) == (Fold(0, 0, 0), Chips(20, 0, 0))
        assert state(match)[0] == (20, 0)
        assert (match.over, match.winner, len(match.hands)) == (True, 0, 4)

    def test_the_same_match_without_the_penalty_goes_on(self) -> None:
        match = self.start(penalties="none")
        for cards, history in [((10, 10), "b3 c"), ((3, 8), "b1 r3 c"), ((2, 5), ""), ((10, 4), "f")]:
            match.play(cards, history)
        assert state(match) == ((19, 1), 0, 0, None)

    def test_a_carry_goes_through_a_second_tie_and_a_fold_takes_it(self) -> None:
        match = Match(make(IndianPoker))
        match.play((4, 4), "b1 c")
        assert state(match) == ((8, 8), 4, 1, None)
        match.play((5, 5), "b1 r1 c")
        assert state(match) == ((5, 5), 10, 0, None)
        # Person 0 bets 3, person 1 folds: person 0 takes 10 + 2 + 3, having put in 4.
        match.play((2, 9), "b3 f")
        assert state(match) == ((16, 4), 0, 1, None)

    def test_ten_hands_use_up_a_deck(self) -> None:
        match = Match(make(IndianPoker, stacks="20,20"))
        for rank in range(1, 11):
            assert match.spec.deck == RankDeck.parse(2, 2, seen=[low for low in range(1, rank) for _ in range(2)])
            match.play((rank, rank), "b1 f")
        assert [played.renewed for played in match.hands] == [False] * 9 + [True]
        # Each wins an ante in turn; the last folder held a 10 with 19 chips left.
        assert match.chips == (20 - 10, 20 + 10)
        assert match.spec.deck == RankDeck.fresh(2, 2)

    def test_a_tie_that_leaves_nobody_a_chip_is_split(self) -> None:
        match = self.start()
        played = match.play((10, 10), "allin c")
        assert (played.outcome, played.after) == (Showdown(9), Chips(10, 10, 0))
        assert state(match) == ((10, 10), 0, 1, None)

    def test_a_tie_that_leaves_nobody_a_chip_is_a_drawn_match_where_it_loses(self) -> None:
        match = self.start(tie_bust="loses")
        match.play((10, 10), "allin c")
        assert (match.chips, match.carry, match.over, match.winner) == ((0, 0), 20, True, "draw")
        with refused(HistoryError, "the match is drawn after 1 hands; no hand can follow"):
            match.play((3, 8), "f")

    def test_a_tie_that_leaves_one_player_a_chip(self) -> None:
        split = Match(make(IndianPoker, stacks="4,16"), first=1)
        split.play((6, 6), "allin c")
        # P1 is person 1 with 4 chips; both get 4 of the 8 back.
        assert state(split) == ((16, 4), 0, 0, None)
        loses = Match(make(IndianPoker, stacks="4,16", tie_bust="loses"), first=1)
        loses.play((6, 6), "allin c")
        assert (loses.chips, loses.carry, loses.winner) == ((12, 0), 8, 0)


class TestIndianHoldemMatch:
    """From the last eight cards 1 4 4 4 8 9 9 10 of a deck through two hands and into a fresh one, at 10/10."""

    def play(self, **options: Any) -> Match:
        match = Match(make(IndianHoldem, left="1,0,0,3,0,0,0,1,2,1", **options))
        # Hand 1, person 0 first: two pairs of 4 tie at level 4.
        played = match.play((4, 4), "b1 r3 c", "4,9")
        assert (played.board, played.outcome, played.renewed) == ((4, 9), Showdown(4), False)
        assert state(match) == ((5, 5), 10, 1, None)
        assert match.spec.deck == RankDeck.parse(4, 4, left="1,0,0,0,0,0,0,1,1,1")

        # Hand 2, person 1 first: on 9 and 10 the straight with an 8 beats the one with a 1; pot 10 + 2 + 6.
        played = match.play((8, 1), "b3 c", (10, 9))
        assert (played.board, played.renewed) == ((9, 10), True)
        assert state(match) == ((1, 19), 0, 0, None)

        # Hand 3, person 0 first with one chip: the antes are all-in; a pair of 8 beats a 10.
        match.play((8, 10), "", (2, 8))
        assert state(match) == ((2, 18), 0, 1, None)

        # Hand 4, person 1 first: folds a straight, 18 - 1 - 10 = 7; person 0 gets 1 + 2 + 10.
        match.play((7, 3), "f", (5, 6))
        assert state(match) == ((13, 7), 0, 0, None)

        # Hand 5, person 0 first: bets 1, is raised to 4, folds a pair: 13 - 1 - 1 - 5.
        match.play((9, 10), "b1 r3 f", (1, 9))
        assert state(match) == ((6, 14), 0, 1, None)

        # Hand 6, person 1 first, cap 5: two high cards on a board pair, 3 beats 2.
        match.play((2, 3), "allin c", (4, 4))
        assert state(match) == ((12, 8), 0, 0, None)

        # Hand 7, person 0 first, cap 7: two 1s tie and would leave person 1 with nothing.
        match.play((1, 1), "allin c", (3, 5))
        return match

    def test_to_the_end_with_split(self) -> None:
        match = self.play()
        assert state(match) == ((12, 8), 0, 1, None)
        # Hand 8, person 1 first: bets 3, is raised to 6, folds a straight with 4 left: the penalty is capped.
        played = match.play((8, 6), "b3 r3 f", (7, 9))
        assert (played.outcome, played.before, played.after) == (Fold(0, 3, 6), Chips(12, 8, 0), Chips(20, 0, 0))
        assert (match.chips, match.carry, match.over, match.winner) == ((20, 0), 0, True, 0)
        assert [played.first for played in match.hands] == [0, 1, 0, 1, 0, 1, 0, 1]
        assert [played.renewed for played in match.hands] == [False, True] + [False] * 6

    def test_to_the_end_with_loses(self) -> None:
        match = self.play(tie_bust="loses")
        assert (match.chips, match.carry, match.over, match.winner) == ((4, 0), 16, True, 0)
        with refused(HistoryError, "the match was won by person 0 after 7 hands"):
            match.play((8, 6), "b3 r3 f", (7, 9))

    def test_death_match_and_no_penalties(self) -> None:
        # A pair folded at once: 1 + 5 in the final, 1 otherwise; a straight: 1 + 10, or 1 without penalties.
        for penalties, pair, straight in [("final", 6, 11), ("death-match", 1, 11), ("none", 1, 1)]:
            match = Match(make(IndianHoldem, stacks="20,20", penalties=penalties))
            match.play((4, 10), "f", (4, 9))
            assert match.chips == (20 - pair, 20 + pair)
            match.play((3, 10), "f", (4, 5))
            assert match.chips == (20 - pair + straight, 20 + pair - straight)


class TestDoubleSidedMatch:
    """From the last four cards of a deck into a fresh one, at 15/15."""

    LAST = (TwoSided(2, 9), TwoSided(5, 8), TwoSided(3, 7), TwoSided(6, 3))

    def start(self, **options: Any) -> Match:
        shown = [card for card in TWO_SIDED if card not in self.LAST]
        return Match(make(DoubleSided, shown=shown, stacks="15,15", **options))

    def test_from_the_first_hand_to_the_last(self) -> None:
        match = self.start()
        # Hand 1, person 0 first: folds against both sides with 13 left and pays 10; person 1 has 15 - 3 + 5 + 10.
        played = match.play(("2/9", "5/8"), "F:b1 both f")
        assert (played.outcome, played.cards, played.board) == (BothFolded(1), self.LAST[:2], None)
        assert state(match) == ((3, 27), 0, 1, None)
        # Neither back was shown.
        assert match.spec.deck.hidden == (2, 5)
        assert (match.spec.deck.total, len(match.spec.deck.shown)) == (2, 86)

        # Hand 2, person 1 first, cap 2: 3 against 3 would leave person 0 with nothing: split. The deck is used up.
        played = match.play(("3/7", "6/3"), "front:allin back:c")
        assert (played.outcome, played.renewed) == (Showdown(2, ("front", "back")), True)
        assert state(match) == ((3, 27), 0, 0, None)
        assert match.spec.deck == TwoSidedDeck()

        # Hand 3, person 0 first, cap 2: a raise to the cap; 10 beats 9 for a pot of 6.
        match.play(("4/10", "10/9"), "B:b1 B:r1 c")
        assert state(match) == ((6, 24), 0, 1, None)

        # Hand 4, person 1 first: both sides over a bet of 1, called; 7 and 8 beat 2: pot 6 and 10 more.
        played = match.play(("1/2", "7/8"), "B:b1 both c")
        assert played.outcome == BothCalled(2, "back")
        assert state(match) == ((19, 11), 0, 0, None)

        # Hand 5, person 0 first: 3 + 3 + 1 = 7, 8 beats 3.
        match.play(("3/8", "8/5"), "F:b3 F:r3 r1 c")
        assert state(match) == ((11, 19), 0, 1, None)

        # Hand 6, person 1 first: 9 against 9, 6 each are carried over.
        match.play(("9/1", "9/4"), "F:b5 F:c")
        assert state(match) == ((5, 13), 12, 0, None)
        assert match.spec.deck == TwoSidedDeck.parse("4/10,10/9,1/2,7/8,3/8,8/5,9/1,9/4")

        # Hand 7, person 0 first: folds against both sides with 3 left, all of it goes.
        match.play(("2/1", "3/4"), "F:b1 both f")
        assert (match.chips, match.carry, match.over, match.winner) == ((0, 30), 0, True, 1)

    def test_loses_ends_it_at_the_tie(self) -> None:
        match = self.start(tie_bust="loses")
        match.play(("2/9", "5/8"), "F:b1 both f")
        match.play(("3/7", "6/3"), "front:allin back:c")
        assert (match.chips, match.carry, match.winner) == ((0, 24), 6, 1)

    def test_a_hidden_card_is_not_known_to_be_gone_but_does_not_come_again(self) -> None:
        match = Match(make(DoubleSided))
        match.play(("2/9", "5/8"), "f")
        # The 2/9 went by unseen; for all that is publicly known it may still come.
        assert match.spec.dealt(("2/9", "5/8"))[1] == (TwoSided(2, 9), TwoSided(5, 8))
        with refused(CardError, "each card exists once in a deck, and 5/8 has been dealt from this one already"):
            match.play(("2/1", "5/8"), "f")
        match.play(("2/8", "5/7"), "F:b1 F:c")
        with refused(CardError, "2/8 has been shown already"):
            match.deal(("2/8", "5/9"))


class TestPersons:
    def test_the_first_bettor_alternates_every_hand_ties_and_folds_included(self) -> None:
        match = Match(make(IndianPoker), first=1)
        for cards, history in [((4, 5), "f"), ((6, 6), "b1 c"), ((3, 2), "b1 c"), ((5, 4), "b1 f")]:
            match.play(cards, history)
        assert [played.first for played in match.hands] == [1, 0, 1, 0]
        assert match.first == 1

    def test_persons_keep_their_chips_when_roles_change(self) -> None:
        # In hand 1 P1 is person 1.
        match = Match(make(IndianPoker, stacks="12,8"), first=1)
        assert (match.chips, match.spec.chips) == ((8, 12), Chips(12, 8, 0))
        match.play((5, 4), "b3 c")
        assert (match.chips, match.spec.chips) == ((4, 16), Chips(4, 16, 0))
        match.play((3, 2), "b1 f")
        assert (match.chips, match.spec.chips) == ((5, 15), Chips(15, 5, 0))

    @pytest.mark.parametrize("first", [2, -1, None, "0"])
    def test_there_are_two_persons(self, first: Any) -> None:
        with refused(OptionError, "expected person 0 or 1 to bet first", repr(first)):
            Match(make(IndianPoker), first)


class TestPlayingHandByHand:
    def test_a_hand_is_dealt_played_and_appended(self) -> None:
        match = Match(make(IndianPoker, carry=2))
        hand = match.deal((9, 4))
        assert (hand.pot, hand.in_front, hand.to_act) == (4, (9, 9), 0)
        hand.apply("b3")
        hand.apply("c")
        assert match.hands == ()
        played = match.finish(hand)
        assert match.hands == (played,)
        assert (played.cards, format_history(played.history)) == ((9, 4), "b3 c")
        assert state(match) == ((16, 6), 0, 1, None)

    def test_what_a_hand_reveals_is_the_next_spec(self) -> None:
        match = Match(make(IndianPoker))
        hand = match.deal((9, 4))
        hand.apply("f")
        revealed = hand.revealed
        match.finish(hand)
        assert match.spec == revealed == make(IndianPoker, seen="9,4", stacks="11,9")

    @pytest.mark.parametrize("history", ["", "b1", "b1 r1"])
    def test_an_incomplete_hand_is_refused(self, history: str) -> None:
        match = Match(make(IndianPoker))
        with refused(HistoryError, f'the hand is not over after "{history}"', "is to act; legal: f "):
            match.play((9, 4), history)
        with refused(HistoryError, "the hand is not over"):
            match.finish(MatchHand(match.spec, (9, 4), history=history))
        assert state(match) == ((10, 10), 0, 0, None)
        assert match.hands == ()

    def test_an_illegal_hand_leaves_the_match_as_it_was(self) -> None:
        match = Match(make(IndianPoker, seen="1,1"))
        for error, cards, history in [
            (HistoryError, (9, 4), "b1 f f"),
            (CardError, (1, 4), "f"),
            (CardError, (4,), "f"),
        ]:
            with pytest.raises(error):
                match.play(cards, history)
        assert state(match) == ((10, 10), 0, 0, None)
        assert (match.hands, match.spec) == ((), make(IndianPoker, seen="1,1"))

    def test_only_the_coming_hand_can_be_appended(self) -> None:
        match = Match(make(IndianPoker))
        hand = match.deal((9, 4))
        hand.apply("f")
        match.finish(hand)
        with refused(HistoryError, "expected hand 2 of the match", '("f")'):
            match.finish(hand)
        other = MatchHand(make(IndianPoker, stacks="20,20", seen="9,4"), (5, 6), history="f")
        with refused(HistoryError, "expected hand 2 of the match"):
            match.finish(other)
        assert len(match.hands) == 1

    def test_nothing_follows_the_end(self) -> None:
        match = Match(make(IndianPoker))
        last = match.deal((10, 4))
        last.apply("f")
        match.finish(last)
        assert (match.over, match.winner) == (True, 1)
        for attempt in (
            lambda: match.play((5, 6), "f"),
            lambda: match.deal((5, 6)),
            lambda: match.finish(last),
            lambda: match.spec,
        ):
            with refused(HistoryError, "the match was won by person 1 after 1 hands; no hand can follow"):
                attempt()

    def test_a_board_or_fronts_of_the_first_hand_end_with_it(self) -> None:
        match = Match(make(IndianHoldem, board="4,9"))
        assert match.play((5, 6), "f").board == (4, 9)
        assert match.spec.to_dict()["board"] is None
        match = Match(make(DoubleSided, fronts="3,8"))
        match.play(("3/7", "8/1"), "f")
        assert match.spec.to_dict()["fronts"] is None


def play_at_random(match: Match, seed: int, options: dict[str, Any], hands: int) -> int:
    """Play on from a fresh deck, checking every hand against the referee and a real deck; return how many decks."""
    source = random.Random(seed)
    game = match.spec.game
    full: list[Any] = TWO_SIDED if game == "double-sided" else list(range(1, 11)) * (2 if game == "indian-poker" else 4)
    needed = 4 if game == "indian-holdem" else 2
    deck: list[Any] = source.sample(full, len(full))
    decks, used, shown, hidden = 1, list[Any](), list[Any](), list[int]()
    total = sum(match.chips) + match.carry
    while not match.over and len(match.hands) < hands:
        assert match.spec.chips.total == total
        if game == "double-sided":
            assert match.spec.to_dict()["shown"] == [str(card) for card in sorted(shown)]
            assert match.spec.to_dict()["hidden"] == sorted(hidden)
        else:
            count = Counter(deck)
            assert match.spec.to_dict()["left"] == [count[rank] for rank in range(1, 11)]
        dealt = [deck.pop() for _ in range(needed)]
        cards, board = (dealt[0], dealt[1]), tuple(sorted(dealt[2:])) or None
        first, carry = match.first, match.carry
        stacks = (match.chips[first], match.chips[1 - first])
        hand = match.deal(cards, board)
        while not hand.over:
            # A prudent mix, so that matches last.
            legal = hand.legal
            weights = [2 if action.kind == "fold" else 6 if action.kind == "call" else 1 for action in legal]
            hand.apply(source.choices(legal, weights)[0])
        played = match.finish(hand)
        ledger = referee(
            game,
            stacks,
            carry,
            cards,
            format_history(played.history),
            board or (),
            options.get("penalties", ""),
            options["tie_bust"],
        )
        assert (match.chips[first], match.chips[1 - first], match.carry) == ledger
        assert (played.first, match.first) == (first, 1 - first)
        assert sum(match.chips) + match.carry == total == played.before.total == played.after.total
        used += dealt
        if played.history and format_history(played.history).endswith("f"):
            hidden += [card[0] for card in cards] if game == "double-sided" else []
        else:
            shown += cards
        assert played.renewed == (not deck)
        if not deck:
            assert sorted(used) == sorted(full)
            deck, used, shown, hidden = source.sample(full, len(full)), [], [], []
            decks += 1
    broke = [person for person in (0, 1) if match.chips[person] == 0]
    assert match.over == bool(broke)
    assert match.winner == ("draw" if len(broke) == 2 else 1 - broke[0] if broke else None)
    return decks


class TestRandomMatches:
    @BRISK
    @given(st.data(), st.sampled_from(sorted(GAMES)), common_options(most=30), st.integers(0, 2**32))
    def test_chips_are_conserved_and_decks_renewed_through_whole_matches(
        self, data: st.DataObject, game: str, options: dict[str, Any], seed: int
    ) -> None:
        if game != "double-sided":
            allowed = ["ten", "none"] if game == "indian-poker" else ["final", "death-match", "none"]
            options["penalties"] = data.draw(st.sampled_from(allowed))
        match = Match(make(GAMES[game], **options), first=data.draw(st.integers(0, 1)))
        play_at_random(match, seed, options, hands=60)
        replay(match, options, GAMES[game])

    @pytest.mark.parametrize("game", sorted(GAMES))
    def test_a_long_match_uses_several_decks(self, game: str) -> None:
        options = {"stacks": (500, 500), "raises": "1", "raise_limit": 0, "tie_bust": "split"}
        options |= {} if game == "double-sided" else {"penalties": "none"}
        match = Match(make(GAMES[game], **options))
        assert play_at_random(match, 7, options, hands=100) == (3 if game == "double-sided" else 11)


def replay(match: Match, options: dict[str, Any], game: Any) -> None:
    """Play the records of a match again and expect the same records."""
    if not match.hands:
        return
    first: Sequence[Any] = match.hands
    again = Match(make(game, **options), first=match.hands[0].first)
    for played in first:
        again.play(played.cards, format_history(played.history), played.board)
    assert (again.hands, again.chips, again.carry, again.winner) == (
        match.hands,
        match.chips,
        match.carry,
        match.winner,
    )
