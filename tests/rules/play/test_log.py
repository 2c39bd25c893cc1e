"""The match log, hand by hand: it plays as the match does, and knows what one player knows."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import CardError, LogError
from rules.betting.actions import format_history, parse_history
from rules.betting.chips import Chips
from rules.betting.no_limit import Fold, Showdown
from rules.betting.two_sided import BothFolded
from rules.cards.rank_deck import RankDeck
from rules.cards.two_sided import HiddenBack, TwoSided, TwoSidedDeck
from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker
from rules.play.hand import MatchHand
from rules.play.log import MatchLog
from rules.play.match import Match
from tests.support.helpers import make, refused
from tests.support.logs import HOLDEM, INDIAN, SIDED, state
from tests.support.strategies import BRISK, GAMES, TWO_SIDED, options_of


class TestIndianPoker:
    def test_a_log_from_the_first_hand_to_the_last(self) -> None:
        log = MatchLog(INDIAN)
        assert (log.game, log.hands, log.over) == ("indian-poker", (), False)
        assert (state(log), log.my_seat) == (((10, 10), 0, 0, None), 0)
        assert log.spec == make(IndianPoker)

        # I bet 1, they raise by 3, I call: 1 + 4 each, 9 beats 4.
        first = log.add(mine=4, theirs=9, history="b1 r3 c")
        assert (first.number, first.line, first.mine, first.theirs, first.board) == (1, 5, 4, 9, ())
        assert (first.played.outcome, first.played.first) == (Showdown(4), 0)
        assert (state(log), log.my_seat) == (((5, 15), 0, 1, None), 1)
        assert log.spec == make(IndianPoker, seen="4,9", stacks="15,5")

        # They bet 1, I fold a hidden 10 with 4 chips left, which all go.
        last = log.add(mine="10", theirs="2", history="b1 f")
        assert (last.number, last.line, last.mine, last.theirs) == (2, 6, 10, 2)
        assert (last.played.cards, last.played.outcome) == ((2, 10), Fold(1, 0, 1))
        assert (last.played.before, last.played.after) == (Chips(5, 15), Chips(0, 20))
        assert (state(log)[0], log.over, log.winner) == ((0, 20), True, 1)
        assert log.hands == (first, last)
        assert log.to_text() == INDIAN + "mine 4  theirs 9  history b1 r3 c\nmine 10  theirs 2  history b1 f\n"
        assert MatchLog(log.to_text()).hands == log.hands

    def test_where_they_bet_first_the_first_action_is_theirs(self) -> None:
        log = MatchLog(INDIAN.replace("first me", "first opp"))
        assert (log.first, log.my_seat) == (1, 1)
        added = log.add(mine=4, theirs=9, history="f")
        assert (added.mine, added.theirs, added.played.cards) == (4, 9, (9, 4))
        assert (added.played.first, added.played.outcome) == (1, Fold(0, 0, 0))
        assert (state(log), log.my_seat) == (((11, 9), 0, 0, None), 0)

    def test_starting_stacks_are_mine_and_theirs_whoever_bets_first(self) -> None:
        log = MatchLog(INDIAN.replace("first me", "first opp").replace("10,10", "12,8"))
        assert (log.chips, log.spec.chips) == ((12, 8), Chips(8, 12))
        log = MatchLog(INDIAN.replace("10,10", "12,8"))
        assert (log.chips, log.spec.chips) == ((12, 8), Chips(12, 8))

    def test_a_tie_carries_and_antes_that_are_all_in_need_no_history(self) -> None:
        log = MatchLog(INDIAN + "mine 6 theirs 6 history b3 c\nmine 8 theirs 3 history b3 r1 c\nmine 2  theirs 5\n")
        assert [one.played.after for one in log.hands] == [Chips(6, 6, 8), Chips(19, 1), Chips(18, 2)]
        assert (log.carry, str(log.hands[-1])) == (0, "mine 2  theirs 5")
        assert MatchLog(INDIAN + "mine 6 theirs 6 history b3 c\n").carry == 8

    def test_a_drawn_match(self) -> None:
        log = MatchLog(INDIAN + "tie-bust loses\nmine 6  theirs 6  history allin c\n")
        assert (log.chips, log.carry, log.over, log.winner) == ((0, 0), 20, True, "draw")
        with refused(LogError, "hand 2: the match ended with hand 1, it is drawn; no hand can follow"):
            log.add(4, 5, "f")

    def test_knowledge_ends_with_the_deck(self) -> None:
        # Eighteen cards are gone; the next hand takes the last two, both of them 10s.
        header = INDIAN + "seen 1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9\npenalties none\n"
        log = MatchLog(header)
        with refused(LogError, "hand 1: 9 is out three times but the deck has two"):
            log.add(9, 10, "f")
        assert log.add(10, 10, "f").played.renewed
        assert log.spec.to_dict()["left"] == [2] * 10
        log.add(10, 10, "f")
        with refused(LogError, "hand 3: 10 is out three times but the deck has two (see line 8)"):
            log.add(10, 1, "f")


class TestIndianHoldem:
    def test_hands_have_a_board(self) -> None:
        log = MatchLog(HOLDEM)
        # On 4,9 my pair of 4 beats a 10; in hand 2 they fold a pair: 1 and 5 more.
        added = log.add(4, 10, "b1 c", board="9,4")
        assert (added.board, added.played.outcome, str(added)) == (
            (4, 9),
            Showdown(1),
            "mine 4  theirs 10  board 4,9  history b1 c",
        )
        assert state(log) == ((12, 8), 0, 1, None)
        log.add(3, 5, "f", board=(5, 7))
        assert state(log) == ((18, 2), 0, 0, None)
        assert log.spec == make(IndianHoldem, seen="4,4,9,10,3,5,5,7", stacks="18,2")
        assert MatchLog(log.to_text()).hands == log.hands

    def test_board_cards_leave_the_deck_too(self) -> None:
        log = MatchLog(HOLDEM + "mine 4  theirs 4  board 4,9  history f\n")
        with refused(LogError, "hand 2: 4 is out five times but the deck has four (see line 5)"):
            log.add(4, 4, "f", board="1,2")
        with refused(LogError, "hand 2: 4 is out five times but the deck has four (see line 5)"):
            log.add(1, 2, "f", board="4,4")
        log.add(4, 1, "f", board="2,3")
        with refused(LogError, "hand 3: 4 is out five times but the deck has four (see line 5,6)"):
            log.add(5, 6, "f", board="4,7")
        log.add(5, 6, "f", board="7,7")
        with refused(LogError, "hand 4: 7 is out five times but the deck has four (see line 7)"):
            log.add(7, 7, "f", board="1,7")

    @pytest.mark.parametrize(
        ("board", "message"),
        [
            (None, "expected the two community cards of the hand, got none"),
            ("", "expected two community cards, such as 4,9, got ''"),
            ("4", "expected two community cards, such as 4,9, got '4'"),
            ("4,9,1", "expected two community cards, such as 4,9, got '4,9,1'"),
            ("4,11", "expected a card from 1 to 10, got '11' (second of board 4,11)"),
        ],
    )
    def test_a_board_is_two_cards(self, board: Any, message: str) -> None:
        log = MatchLog(HOLDEM)
        with refused(LogError, f"hand 1: {message}"):
            log.add(1, 2, "f", board)
        assert log.hands == ()


class TestDoubleSided:
    def test_a_showdown_shows_whole_cards_and_a_fold_my_own(self) -> None:
        log = MatchLog(SIDED)
        shown = log.add("3/7", "8/2", "B:b1 B:c")
        assert (shown.mine, shown.theirs) == (TwoSided(3, 7), TwoSided(8, 2))
        assert (state(log), log.mine_hidden) == (((17, 13), 0, 1, None), ())
        # They bet 1, I fold.
        folded = log.add("5/8", "4/?", "F:b1 f")
        assert (folded.mine, folded.theirs, str(folded)) == (
            TwoSided(5, 8),
            HiddenBack(4),
            "mine 5/8  theirs 4/?  history front:b1 f",
        )
        assert (state(log), log.mine_hidden) == (((16, 14), 0, 0, None), (TwoSided(5, 8),))
        # I bet 3, they bet both sides, I fold: 1 + 3, and 10 more from the 12 left.
        both = log.add("1/9", "4/?", "F:b3 both f")
        assert (both.played.outcome, log.chips) == (BothFolded(3), (2, 28))
        # My card stays hidden where they fold, too; it does not end what I know of it.
        log.add("2/1", "6/?", "f")
        assert log.mine_hidden == (TwoSided(1, 9), TwoSided(2, 1), TwoSided(5, 8))
        assert log.spec == make(DoubleSided, shown="3/7,8/2", hidden="5,4,1,4,2,6", stacks="3,27")
        assert MatchLog(log.to_text()).hands == log.hands

    @pytest.mark.parametrize(("mine", "theirs"), [("5/?", "4/?"), ("5", "4"), (5, 4), ("5 / ?", HiddenBack(4))])
    def test_both_backs_may_be_unknown_after_a_fold(self, mine: Any, theirs: Any) -> None:
        log = MatchLog(SIDED)
        assert str(log.add(mine, theirs, "F:b1 f")) == "mine 5/?  theirs 4/?  history front:b1 f"
        assert (log.chips, log.mine_hidden) == ((16, 14), ())
        assert log.spec == make(DoubleSided, hidden="5,4", stacks="14,16")
        assert MatchLog(log.to_text()).hands == log.hands

    def test_the_same_front_twice_is_two_cards(self) -> None:
        log = MatchLog(SIDED)
        log.add("5", "5", "f")
        log.add("5/1", "5/?", "f")
        log.add("5/2", "5/3", "F:b1 F:c")
        assert log.spec.to_dict()["hidden"] == [5, 5, 5, 5]
        for back in (4, 6):
            log.add(f"5/{back}", "1", "f")
        # Nine cards have the front 5: two shown, six hidden.
        with refused(LogError, "the fronts 5,5 are no longer possible: front 5 is needed twice and 1 of its nine"):
            log.add("5/7", "5", "f")
        log.add("5/7", "2", "f")
        with refused(LogError, "front 5 is needed once and 0 of its nine cards are left"):
            log.add("3", "5", "f")

    @pytest.mark.parametrize(
        ("mine", "theirs", "history", "message"),
        [
            ("5/8", "4/2", "f", "a fold leaves their back hidden, so expected theirs 4/?, got 4/2"),
            ("5/8", "4/2", "F:b1 both f", "a fold leaves their back hidden, so expected theirs 4/?, got 4/2"),
            ("5/8", "4/?", "F:b1 F:c", "a showdown shows both whole cards, got 4/?"),
            ("5/?", "4/2", "F:b1 F:c", "a showdown shows both whole cards, got 5/?"),
            ("5/?", "4/2", "F:b1 both c", "a showdown shows both whole cards, got 5/?"),
            ("3/7", "4/?", "f", "3/7 has been shown already; each card exists once"),
            ("5/8", "8/2", "F:b1 F:c", "8/2 has been shown already; each card exists once"),
            ("6/1", "4/?", "f", "6/1 is out already, it was yours in line 6; each card exists once"),
            ("5/8", "6/1", "F:b1 F:c", "6/1 is out already, it was yours in line 6; each card exists once"),
            ("5/8", "5/8", "F:b1 F:c", "each card exists once, got 5/8 for both players"),
            ("5/5", "4/?", "f", "no card has the same number on both sides, got 5/5 (mine)"),
            ("11/?", "4/?", "f", "expected a card from 1 to 10, got '11' (mine)"),
            ("5/8", "0", "f", "expected a card from 1 to 10, got '0' (theirs)"),
            ("5/8", "?/4", "f", "expected a card from 1 to 10, got '?' (theirs)"),
            ("5/8", "4/3/2", "f", "expected a card as front/back, such as 3/7, got '4/3/2' (theirs)"),
            ("5/8", "4/2", "b1 c", "'b1' names no side"),
        ],
    )
    def test_what_a_hand_may_not_have(self, mine: str, theirs: str, history: str, message: str) -> None:
        text = f"{SIDED}mine 3/7  theirs 8/2  history F:b1 F:c\nmine 6/1  theirs 3/?  history f\n"
        log = MatchLog(text)
        with refused(LogError, f"hand 3: {message}"):
            log.add(mine, theirs, history)
        with refused(LogError, f"line 7: {message}"):
            MatchLog(f"{text}mine {mine}  theirs {theirs}  history {history}\n")
        assert (log.to_text(), len(log.hands), log.chips) == (text, 2, (14, 16))

    def test_what_i_knew_of_a_deck_ends_with_it(self) -> None:
        last = ["2/9", "5/8", "3/7", "6/3"]
        shown = ",".join(str(card) for card in TWO_SIDED if str(card) not in last)
        log = MatchLog(f"{SIDED}shown {shown}\n")
        log.add("2/9", "5", "f")
        assert log.mine_hidden == (TwoSided(2, 9),)
        # A hidden card is not shown: only I know that it cannot come again.
        with refused(LogError, "2/9 is out already, it was yours in line 6"):
            log.add("3/7", "2/9", "F:b1 F:c")
        assert log.add("3/7", "6", "f").played.renewed
        assert (log.mine_hidden, log.spec.to_dict()["shown"], log.spec.to_dict()["hidden"]) == ((), [], [])
        log.add("2/9", "3/7", "F:b1 F:c")
        assert log.mine_hidden == ()

    def test_where_nobody_can_bet_sides_are_named(self) -> None:
        log = MatchLog(f"{SIDED.replace('15,15', '1,15')}mine 3/7  theirs 8/2  history BACK front\n")
        assert str(log.hands[0]) == "mine 3/7  theirs 8/2  history back front"
        assert (log.chips, log.winner) == ((0, 16), 1)


class TestHiddenBacksInAMatch:
    """What the log needs of the rules, and what a live hand can use: a card of which the front is known."""

    def test_a_hand_that_ends_with_a_fold_needs_no_backs(self) -> None:
        hand = MatchHand(make(DoubleSided, stacks="15,15"), ("3/7", "8/?"))
        assert hand.cards == (TwoSided(3, 7), HiddenBack(8))
        assert str(hand.cards[1]) == "8/?"
        for action in ("F:b1", "both", "f"):
            hand.apply(action)
        assert (hand.chips_after, hand.renewed) == (Chips(3, 27), False)
        assert hand.revealed.deck == TwoSidedDeck((), (3, 8))  # type: ignore[attr-defined]

    def test_a_showdown_does(self) -> None:
        match = Match(make(DoubleSided, stacks="15,15"))
        hand = match.deal((HiddenBack(3), "8/2"))
        for action in ("F:b1", "F:c"):
            hand.apply(action)
        for ask in (lambda: hand.chips_after, lambda: hand.revealed, lambda: match.finish(hand)):
            with refused(CardError, "a showdown shows both whole cards, got 3/?"):
                ask()
        assert match.hands == ()

    @pytest.mark.parametrize("card", ["0/?", "11/?", "/?", "x/?", HiddenBack(11), "?/?"])
    def test_a_front_is_a_number(self, card: Any) -> None:
        with refused(CardError, "expected a card from 1 to 10, got", "(P2's card)"):
            MatchHand(make(DoubleSided), ("3/7", card))

    def test_both_may_be_the_same_front(self) -> None:
        match = Match(make(DoubleSided, stacks="15,15"))
        assert match.play(("8/?", "8/?"), "f").cards == (HiddenBack(8), HiddenBack(8))
        assert match.spec.to_dict()["hidden"] == [8, 8]


class Table:
    """A match with real cards beside a log of what person 0 sees of it."""

    def __init__(self, game: str, options: dict[str, Any], first: int, seed: int) -> None:
        self.source = random.Random(seed)
        self.game = game
        self.match = Match(make(GAMES[game], **options), first)
        s1, s2 = options["stacks"]
        words = {0: "me", 1: "opp"}
        rest = {name: value for name, value in options.items() if name != "stacks"}
        self.log = MatchLog.new(game, (s1, s2) if first == 0 else (s2, s1), words[first], **rest)
        self.deck = self.left(options)
        self.known: list[TwoSided] = []
        self.decks = 1
        self.states = [(self.log.to_text(), state(self.log))]

    def left(self, options: dict[str, Any]) -> list[Any]:
        """Return the cards that are really left, shuffled."""
        if self.game == "double-sided":
            cards: list[Any] = [card for card in TWO_SIDED if card not in options.get("shown", ())]
            for front in options.get("hidden", ()):
                cards.remove(self.source.choice([card for card in cards if card.front == front]))
        else:
            copies = 2 if self.game == "indian-poker" else 4
            counts = options.get("left") or [copies] * 10
            cards = [rank for rank in range(1, 11) for _ in range(counts[rank - 1])]
        self.source.shuffle(cards)
        return cards

    def play(self) -> None:
        """Deal and play a hand, log it, and compare."""
        match, log, source = self.match, self.log, self.source
        dealt = [self.deck.pop() for _ in range(4 if self.game == "indian-holdem" else 2)]
        board = dealt[2:] or None
        live = match.deal(dealt[:2], board)
        while not live.over:
            # A prudent mix, so that matches last.
            weights = [2 if action.kind == "fold" else 6 if action.kind == "call" else 1 for action in live.legal]
            live.apply(source.choices(live.legal, weights)[0])
        mine, theirs = (dealt[0], dealt[1]) if match.first == 0 else (dealt[1], dealt[0])
        history = format_history(live.history)
        played = match.finish(live)
        seen = [mine, theirs]
        if self.game == "double-sided" and history.endswith("f"):
            forgotten = source.random() < 0.2
            seen = [f"{mine.front}/?" if forgotten else mine, f"{theirs.front}/?"]
            self.known += [] if forgotten else [mine]
        if not self.deck:
            self.deck, self.known, self.decks = self.left({}), [], self.decks + 1
        as_text = source.random() < 0.5
        added = log.add(*(map(str, seen) if as_text else seen), parse_history(history) if as_text else history, board)

        assert state(log) == (match.chips, match.carry, match.first, match.winner)
        assert (log.over, log.my_seat, len(log.hands)) == (match.over, match.first, len(match.hands))
        assert log.over or log.spec == match.spec
        assert log.mine_hidden == tuple(sorted(self.known))
        assert (str(added.mine), str(added.theirs)) == (str(seen[0]), str(seen[1]))
        fields = ("first", "board", "history", "outcome", "before", "after", "renewed")
        assert [getattr(added.played, name) for name in fields] == [getattr(played, name) for name in fields]
        again = MatchLog(log.to_text())
        assert again == log
        assert (state(again), again.hands, again.mine_hidden) == (state(log), log.hands, log.mine_hidden)
        self.states.append((log.to_text(), state(log)))

    def take_back(self) -> None:
        """Undo the whole log and expect each state again."""
        hands: Sequence[Any] = self.log.hands
        for one, (text, before) in zip(hands[::-1], self.states[-2::-1], strict=True):
            assert self.log.undo() == one
            assert (self.log.to_text(), state(self.log)) == (text, before)


class TestRandomMatches:
    @BRISK
    @given(st.data(), st.sampled_from(sorted(GAMES)), st.integers(0, 1), st.integers(0, 2**32))
    def test_a_log_says_what_the_match_says(self, data: st.DataObject, game: str, first: int, seed: int) -> None:
        table = Table(game, data.draw(options_of(game)), first, seed)
        while not table.match.over and len(table.match.hands) < 12:
            table.play()
        table.take_back()

    @pytest.mark.slow
    @pytest.mark.parametrize("game", sorted(GAMES))
    def test_through_several_decks(self, game: str) -> None:
        options: dict[str, Any] = {"stacks": (500, 400), "raises": "1", "raise_limit": 0}
        options |= {"shown": TWO_SIDED[:84]} if game == "double-sided" else {"penalties": "none"}
        table = Table(game, options, first=1, seed=5)
        for _ in range(50):
            table.play()
        assert table.decks == (3 if game == "double-sided" else 6)
        table.take_back()

    @pytest.mark.parametrize("game", sorted(GAMES))
    def test_to_the_end(self, game: str) -> None:
        winners = set()
        for seed in range(6):
            table = Table(game, {"stacks": (10, 10)}, first=seed % 2, seed=seed)
            while not table.match.over:
                table.play()
            winners.add(table.log.winner)
            with refused(LogError, "no hand can follow"):
                table.log.add(1, 2, "f")
        assert winners == {0, 1}


def test_a_deck_used_up_by_the_log_is_fresh() -> None:
    log = MatchLog.new("indian-poker", stacks="30,30", penalties="none")
    for rank in range(1, 11):
        log.add(rank, rank, "b1 f")
    spec = log.spec
    assert isinstance(spec, IndianPoker)
    assert spec.deck == RankDeck.fresh(2, 2)
    assert [one.played.renewed for one in log.hands] == [False] * 9 + [True]
