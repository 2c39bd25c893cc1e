"""The betting of the three match games, article by article, with its options and refusals."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import ChipsError, HistoryError, OptionError
from rules.betting.actions import ALLIN, BET, CALL, FOLD, RAISE, Action, format_history
from rules.betting.bet_sizes import Menu
from rules.betting.chips import Chips, chips_gain, parse_chips, settle_tie, settle_win, winner
from rules.betting.no_limit import Betting, Fold, IndianBetting, Showdown
from rules.betting.public_game import Outcome
from rules.betting.two_sided import BothCalled, BothFolded, DoubleSidedBetting
from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker
from rules.play.hand import MatchHand, Play
from tests.support.helpers import Count, count_tree, make, refused, ways_to_end
from tests.support.strategies import BRISK, GAMES, THOROUGH, common_options, menus

ALL_GAMES = [IndianPoker, IndianHoldem, DoubleSided]


def poker(stacks: str = "10,10", history: str = "", **options: Any) -> Play:
    """Play indian-poker's public game."""
    return Play(make(IndianPoker, stacks=stacks, **options).public, history)


def legal(stacks: str = "10,10", history: str = "", **options: Any) -> str:
    """Show what is legal in indian-poker after a history."""
    return format_history(poker(stacks, history, **options).legal)


class TestArticle1AnteAndCap:
    """Each pays an ante of 1. cap = min(s1, s2) - 1."""

    @pytest.mark.parametrize(
        ("stacks", "cap"),
        [("10,10", 9), ("15,15", 14), ("20,20", 19), ("3,17", 2), ("17,3", 2), ("1,9", 0), ("1,1", 0)],
    )
    def test_cap_is_what_the_smaller_stack_has_after_the_ante(self, stacks: str, cap: int) -> None:
        assert make(IndianPoker, stacks=stacks).chips.cap == cap

    @pytest.mark.parametrize("game", ALL_GAMES)
    def test_each_pays_an_ante_of_1(self, game: type[Any]) -> None:
        cards, board = {"double-sided": (("3/7", "8/1"), None)}.get(game.game, ((3, 8), None))
        hand = MatchHand(make(game, stacks="10,12", carry=4), cards, "1,2" if game is IndianHoldem else board)
        assert (hand.pot, hand.in_front, hand.paid) == (6, (9, 11), (0, 0))

    def test_starting_stacks(self) -> None:
        assert IndianPoker.standard_stacks == IndianHoldem.standard_stacks == (10, 15, 20)
        assert DoubleSided.standard_stacks == (15, 20, 30)
        assert make(IndianPoker).chips == make(IndianHoldem).chips == Chips(10, 10, 0)
        # Without stacks, the quick mode's.
        assert make(DoubleSided).chips == Chips(15, 15, 0)


class TestArticle2AntesAllIn:
    """cap = 0: nobody bets or folds, no penalty arises, and the hand goes to showdown."""

    @pytest.mark.parametrize("game", [IndianPoker, IndianHoldem])
    @pytest.mark.parametrize("stacks", ["1,1", "1,9", "9,1"])
    def test_an_indian_hand_is_a_showdown_at_once(self, game: type[Any], stacks: str) -> None:
        play = Play(make(game, stacks=stacks).public)
        assert (play.over, play.to_act, play.legal, play.outcome) == (True, None, (), Showdown(0))

    @pytest.mark.parametrize("history", ["f", "c", "b1", "allin"])
    def test_nobody_can_act(self, history: str) -> None:
        with refused(HistoryError, "nobody can act in this hand: the antes are all-in", f"'{history}'", "action 1"):
            poker("1,9", history)

    def test_no_penalty_arises(self) -> None:
        # Both hold a card whose fold would cost 10; the higher takes the two antes and the carry.
        hand = MatchHand(make(IndianPoker, stacks="1,9", carry=2), (10, 9))
        assert hand.chips_after == Chips(4, 8, 0)


class TestArticle3BetRaiseCallFold:
    """P1 folds or bets; then the players alternate: call, raise or fold."""

    def test_p1_folds_or_bets(self) -> None:
        assert legal() == "f b1 b3 b5 allin"

    def test_then_the_players_call_raise_or_fold(self) -> None:
        assert legal(history="b1") == "f c r1 r3 r5 allin"
        assert legal(history="b1 r1") == "f c r1 r3 r5 allin"

    def test_the_players_alternate(self) -> None:
        play = poker("20,20")
        for place, action in enumerate(["b1", "r1", "r1", "r3", "r1"]):
            assert play.to_act == place % 2
            play.apply(action)
        assert play.to_act == 1

    def test_a_raise_adds_to_the_level_it_faces(self) -> None:
        play = poker("20,20", "b3 r5 r1")
        assert play.position.level == 3 + 5 + 1
        assert play.position.paid == 3 + 5

    def test_a_size_that_would_pass_the_cap_is_not_offered(self) -> None:
        # Cap 4: a bet of 5 would pass it.
        assert legal("5,5") == "f b1 b3 allin"
        assert legal("5,5", "b3") == "f c allin"
        assert legal("5,20") == legal("20,5") == legal("5,5")

    def test_a_size_that_lands_on_the_cap_is_the_all_in_one_action(self) -> None:
        # Cap 3: b3 and all-in are one action.
        assert legal("4,4") == "f b1 allin"
        assert legal("10,10", "b5 r1") == "f c r1 allin"

    def test_both_names_of_the_all_in_are_read_and_allin_is_written(self) -> None:
        for history in ("b3", "allin", "bet 3", "all-in"):
            assert format_history(poker("4,4", history).history) == "allin"
        for history in ("b5 r1 r3", "b5 r1 allin"):
            play = poker("10,10", history)
            assert format_history(play.history) == "b5 r1 allin"
            assert play.history[-1] == Action(ALLIN, 3)

    def test_an_all_in_that_is_no_listed_size_is_read_by_its_size(self) -> None:
        assert format_history(poker("10,10", "b9").history) == "allin"
        assert format_history(poker("10,10", "b1 r8 c").history) == "b1 allin c"

    def test_the_name_must_fit_the_place(self) -> None:
        with refused(HistoryError, "raises where nobody has bet yet", "legal: f b1 b3 b5 allin"):
            poker(history="r9")
        with refused(HistoryError, "bets where a bet is on the table already", "legal: f c r1 r3 r5 allin"):
            poker(history="b1 b8")

    @pytest.mark.parametrize("history", ["allin", "b1 allin", "b3 r5 r1", "b1 r3 r5"])
    def test_at_the_cap_only_call_and_fold_are_left(self, history: str) -> None:
        assert legal(history=history) == "f c"

    def test_the_raises_option_default(self) -> None:
        assert make(IndianPoker).betting == Betting(Menu((1, 3, 5), allin=True), None, None)
        assert make(IndianPoker, raises="1,3,5,allin") == make(IndianPoker)
        assert make(IndianPoker, raises=[5, "allin", 3, 1]) == make(IndianPoker)
        assert make(IndianPoker, raises="All-In, 5,3,1") == make(IndianPoker)

    def test_any_is_every_whole_number(self) -> None:
        assert legal("5,5", raises="any") == "f b1 b2 b3 allin"
        assert legal("6,6", "b2", raises="any") == "f c r1 r2 allin"
        assert legal("6,6", raises="ANY") == legal("6,6", raises="any") == "f b1 b2 b3 b4 allin"

    def test_without_allin_the_cap_is_reached_by_a_listed_size_only(self) -> None:
        assert legal(raises="1,3,5") == "f b1 b3 b5"
        assert legal(history="b5", raises="1,3,5") == "f c r1 r3"
        # At level 6 a raise of 3 lands on the cap of 9.
        assert legal(history="b5 r1", raises="1,3,5") == "f c r1 allin"
        assert legal("9,9", "b5", raises="5") == "f c"

    def test_without_allin_the_cap_is_offered_as_an_opening_bet_where_no_size_fits(self) -> None:
        assert legal("3,3", raises="3,5") == "f allin"
        assert poker("3,3", "allin", raises="3,5").history == (Action(ALLIN, 2),)
        # Only as an opening bet: after b5 two chips are left, and no listed raise fits.
        assert legal("8,8", raises="5") == "f b5"
        assert legal("8,8", "b5", raises="5") == "f c"

    def test_opens_gives_the_opening_bet_its_own_sizes(self) -> None:
        assert legal(opens="2") == "f b2"
        assert legal(history="b2", opens="2") == "f c r1 r3 r5 allin"
        assert legal("5,5", opens="any") == "f b1 b2 b3 allin"
        assert legal("5,5", "b2", opens="any") == "f c r1 allin"
        assert legal("3,3", opens="4,8", raises="any") == "f allin"
        assert legal(opens="2,allin") == "f b2 allin"

    def test_opens_that_are_the_raises_are_the_same_game(self) -> None:
        assert make(IndianPoker, opens="5,3,1,allin") == make(IndianPoker)

    def test_the_raise_limit_counts_raises_after_the_opening_bet(self) -> None:
        assert legal(raise_limit=0) == "f b1 b3 b5 allin"
        assert legal(history="b1", raise_limit=0) == "f c"
        assert legal(history="b1", raise_limit=1) == "f c r1 r3 r5 allin"
        assert legal(history="b1 r1", raise_limit=1) == "f c"
        assert legal(history="b1 r1", raise_limit=2) == "f c r1 r3 r5 allin"
        assert legal(history="b1 r1 r1", raise_limit=2) == "f c"

    def test_the_raise_limit_leaves_both_sides_and_calls(self) -> None:
        play = Play(DoubleSidedBetting(9, Betting(limit=0)), "front:b1")
        assert format_history(play.legal) == "f front:c back:c both"
        assert format_history(Play(DoubleSidedBetting(9, Betting(limit=0)), "front:b1 both").legal) == "f c"

    def test_a_raise_limit_out_of_reach_is_the_same_tree(self) -> None:
        # At 10/10 the level grows by at least 1 a raise, so there are at most 8 raises.
        assert count_tree(make(IndianPoker, raise_limit=8).public) == Count(
            104, count_tree(make(IndianPoker).public)[1]
        )
        assert count_tree(make(IndianPoker, raise_limit=7).public).nodes == 103

    @pytest.mark.parametrize(
        ("history", "parts"),
        [
            ("b12", ["'b12' is more than the shorter stack can still put in (9)", "'b12' in \"b12\", action 1"]),
            ("b1 r9", ["'r9' is more than the shorter stack can still put in (8)", "'r9' in \"b1 r9\", action 2"]),
            ("b2", ["'b2' is not offered here", "legal: f b1 b3 b5 allin"]),
            ("b1 r2", ["'r2' is not offered here", "legal: f c r1 r3 r5 allin", "action 2"]),
            ("c", ["'c' calls where nobody has bet yet", "action 1"]),
            ("r1", ["'r1' raises where nobody has bet yet", "action 1"]),
            ("b1 b1", ["'b1' bets where a bet is on the table already", "action 2"]),
            ("k", ["'k' is not offered here", "legal: f b1"]),
            ("b1 k", ["'k' checks where a bet is on the table", "action 2"]),
            ("both", ["'both' is not offered here"]),
            ("front:b1", ["'front:b1' is not offered here"]),
            ("front", ["'front' is not offered here"]),
            ("allin r1", ["'r1' raises where all that can be put in is on the table", "legal: f c"]),
            ("allin allin", ["'allin' is not offered here", "legal: f c"]),
            ("b1 f c", ["the hand ended with 'f'; nothing can follow", "'c' in \"b1 f c\", action 3"]),
            ("b1 c b1", ["the hand ended with 'c'; nothing can follow", "action 3"]),
            ("f f", ["the hand ended with 'f'; nothing can follow", "action 2"]),
        ],
    )
    def test_an_illegal_action_is_refused_with_its_place(self, history: str, parts: list[str]) -> None:
        with refused(HistoryError, *parts):
            poker(history=history)

    def test_a_size_that_a_list_without_allin_lacks_is_not_called_too_large(self) -> None:
        with refused(HistoryError, "'b7' is not offered here", "legal: f b1 b3 b5"):
            poker(history="b7", raises="1,3,5")

    @pytest.mark.parametrize(
        ("value", "parts"),
        [
            ("", ["expected raises to list at least one size", "got nothing"]),
            ([], ["at least one size", "got nothing"]),
            ("1,1", ["expected different sizes, got 1 twice", "second of raises 1,1"]),
            ("1,allin,all-in", ["expected different sizes, got 'allin' twice", "third of raises"]),
            ("0,1", ["at least 1, a part of the pot (1/2pot) or 'allin'", "'0'", "first of raises 0,1"]),
            ("1,-3", ["at least 1, a part of the pot (1/2pot) or 'allin'", "'-3'", "second of raises"]),
            ("1,2.5", ["at least 1, a part of the pot (1/2pot) or 'allin'", "'2.5'", "second of raises"]),
            ("1,some", ["at least 1, a part of the pot (1/2pot) or 'allin'", "'some'", "second of raises"]),
            ("1,any", ["at least 1, a part of the pot (1/2pot) or 'allin'", "'any'", "second of raises"]),
            (3, ["expected raises to be a comma-separated list", "3"]),
        ],
    )
    def test_raises_that_are_no_menu_are_refused(self, value: object, parts: list[str]) -> None:
        with refused(OptionError, *parts):
            make(IndianPoker, raises=value)

    def test_opens_that_are_no_menu_are_refused_by_name(self) -> None:
        with refused(OptionError, "'x'", "second of opens 1,x"):
            make(IndianPoker, opens="1,x")

    @pytest.mark.parametrize(("value", "got"), [("-1", "-1"), ("x", "'x'"), (1.5, "1.5")])
    def test_a_raise_limit_is_a_whole_number_of_at_least_0(self, value: object, got: str) -> None:
        with refused(OptionError, "raise limit", got):
            make(IndianPoker, raise_limit=value)

    @THOROUGH
    @given(menus())
    def test_a_menu_is_read_back_from_what_it_writes(self, text: str) -> None:
        menu = Menu.parse(text)
        assert Menu.parse(str(menu)) == Menu.parse(menu.to_json()) == Menu.parse(menu) == menu

    @BRISK
    @given(st.sampled_from(sorted(GAMES)), common_options(most=14))
    def test_no_action_passes_the_cap_and_p1_can_always_bet(self, game: str, options: dict[str, Any]) -> None:
        stacks = options["stacks"]
        public = make(GAMES[game], **options).public
        cap = min(stacks) - 1
        if cap > 0:
            first = [action for action, _ in public.moves(public.root)]
            assert first[0] == Action(FOLD)
            assert any(action.kind in (BET, ALLIN) for action in first[1:])
        for outcome, history in ways_to_end(public).items():
            level = getattr(outcome, "level", 0)
            assert (2 * level if isinstance(outcome, BothFolded) else level) <= cap
            reached = 0
            for action in history:
                reached += action.size
                assert action.kind != ALLIN or reached == cap
                assert action.kind not in (BET, RAISE) or reached < cap


class TestArticle4Call:
    """A call at level L ends the betting: showdown for the pot c + 2 + 2L."""

    @pytest.mark.parametrize(("history", "level"), [("b1 c", 1), ("b3 r5 c", 8), ("allin c", 9), ("b1 r1 r1 r5 c", 8)])
    def test_a_call_ends_the_betting_at_the_level_faced(self, history: str, level: int) -> None:
        assert poker(history=history).outcome == Showdown(level)

    def test_the_pot_is_carry_and_antes_and_both_levels(self) -> None:
        hand = MatchHand(make(IndianPoker, carry=6), (9, 4), history="b3 r5 c")
        assert hand.pot == 6 + 2 + 2 * 8
        assert hand.chips_after == Chips(10 - 9 + 24, 10 - 9, 0)


class TestArticle5Fold:
    """A fold ends the hand: the other player takes all that lies on the table."""

    @pytest.mark.parametrize(
        ("history", "outcome"),
        [
            ("f", Fold(0, 0, 0)),
            ("b1 f", Fold(1, 0, 1)),
            ("b1 r3 f", Fold(0, 1, 4)),
            ("b1 r3 r1 f", Fold(1, 4, 5)),
            ("allin f", Fold(1, 0, 9)),
        ],
    )
    def test_a_fold_ends_the_hand(self, history: str, outcome: Fold) -> None:
        assert poker(history=history).outcome == outcome

    def test_the_folder_ends_with_s_less_1_less_k(self) -> None:
        # P1 has put in 4, P2 5: P1 keeps 20 - 1 - 4 = 15; P2 has 12 - 1 - 5 and takes 6 + 2 + 4 + 5.
        assert settle_win(Chips(20, 12, 6), 1, (4, 5)) == Chips(15, 23, 0)
        hand = MatchHand(make(IndianPoker, stacks="20,12", carry=6), (2, 3), history="b3 r1 r1 f")
        assert hand.paid == (5, 4)
        assert hand.chips_after == Chips(14 + 6 + 2 + 5 + 4, 12 - 1 - 4, 0)

    @pytest.mark.parametrize(
        ("s1", "penalty", "after"),
        [
            (20, 10, Chips(5, 25, 0)),  # 20 - 1 - 4 = 15, less 10; P2 10 - 1 - 5 + 11 + 10
            (15, 10, Chips(0, 25, 0)),  # 10 left: all of it
            (14, 10, Chips(0, 24, 0)),  # 9 left: capped
            (5, 10, Chips(0, 15, 0)),  # nothing left: no penalty
            (20, 5, Chips(10, 20, 0)),
        ],
    )
    def test_a_penalty_is_paid_to_the_opponent_and_capped_at_the_chips_left(
        self, s1: int, penalty: int, after: Chips
    ) -> None:
        assert settle_win(Chips(s1, 10, 0), 1, (4, 5), penalty) == after


class TestArticle6Tie:
    """Equal hands: the pot carries over; where a player is left with no chips it is split, or that player loses."""

    def test_the_pot_carries_over(self) -> None:
        assert settle_tie(Chips(10, 8, 4), 3, "split") == settle_tie(Chips(10, 8, 4), 3, "loses") == Chips(6, 4, 12)

    def test_split_gives_half_back_to_each_and_nothing_carries(self) -> None:
        # All-in at 5 against 9: pot 2 + 2 + 8 = 12, six each.
        assert settle_tie(Chips(5, 9, 2), 4, "split") == Chips(6, 10, 0)
        assert settle_tie(Chips(9, 5, 2), 4, "split") == Chips(10, 6, 0)
        assert settle_tie(Chips(5, 5, 0), 4, "split") == Chips(5, 5, 0)

    def test_loses_leaves_the_pot_on_the_table(self) -> None:
        assert settle_tie(Chips(5, 9, 2), 4, "loses") == Chips(0, 4, 12)
        assert settle_tie(Chips(5, 5, 0), 4, "loses") == Chips(0, 0, 10)

    @pytest.mark.parametrize("game", ALL_GAMES)
    def test_split_is_the_default_in_all_three(self, game: type[Any]) -> None:
        assert make(game).tie_bust == "split"
        assert make(game, tie_bust="loses").tie_bust == "loses"

    @pytest.mark.parametrize("value", ["Split", "", "draw", None, 1])
    def test_another_tie_bust_is_refused(self, value: object) -> None:
        with refused(OptionError, "expected tie-bust to be split or loses", repr(str(value))):
            make(IndianPoker, tie_bust=value)

    @BRISK
    @given(st.sampled_from(sorted(GAMES)), common_options(most=8))
    def test_only_the_match_depends_on_it_never_a_hand_in_chips(self, game: str, options: dict[str, Any]) -> None:
        fronts = {"fronts": "3,8"} if game == "double-sided" else {"board": "4,9"} if game == "indian-holdem" else {}
        split, loses = (make(GAMES[game], **{**options, **fronts, "tie_bust": word}) for word in ("split", "loses"))
        (one,), (other,) = split.classes(), loses.classes()
        for outcome in ways_to_end(split.public):
            assert one.hand.utility(outcome).tobytes() == other.hand.utility(outcome).tobytes()


class TestArticle7End:
    """A match ends when a player has no chips."""

    @pytest.mark.parametrize(
        ("chips", "result"),
        [
            (Chips(10, 10, 0), None),
            (Chips(1, 19, 0), None),
            (Chips(0, 20, 0), 1),
            (Chips(20, 0, 0), 0),
            (Chips(0, 4, 16), 1),
            (Chips(0, 0, 20), "draw"),
        ],
    )
    def test_who_has_won(self, chips: Chips, result: int | str | None) -> None:
        assert winner(chips) == result


class TestChipsObjective:
    """P1's gain in one hand, with half of a pot left on the table counted as each player's."""

    @pytest.mark.parametrize(
        ("before", "after", "gain"),
        [
            (Chips(10, 10, 0), Chips(12, 8, 0), 2.0),
            (Chips(10, 10, 0), Chips(6, 6, 8), 0.0),
            (Chips(10, 6, 4), Chips(13, 7, 0), 1.0),  # 13 - (10 + 2)
            (Chips(7, 9, 4), Chips(5, 7, 8), 0.0),
            (Chips(3, 9, 2), Chips(0, 14, 0), -4.0),
        ],
    )
    def test_gain(self, before: Chips, after: Chips, gain: float) -> None:
        assert chips_gain(before, after) == gain
        assert chips_gain(before.swapped(), after.swapped()) == -gain

    def test_chips_is_the_objective_of_a_hand(self) -> None:
        assert make(IndianPoker, objective="chips").objective == "chips"
        with refused(OptionError, "expected objective to be chips or match", "'glory'"):
            make(IndianPoker, objective="glory")

    def test_chips_together(self) -> None:
        assert (Chips(3, 5, 2).total, Chips(3, 5, 2).share, Chips(3, 5, 2).stacks) == (10, 4.0, (3, 5))


class TestRefusedChips:
    @pytest.mark.parametrize(
        ("stacks", "parts"),
        [
            ("0,10", ["P1", "at least 1 chip for the ante, got 0", "stacks 0,10"]),
            ("10,0", ["P2", "at least 1 chip for the ante, got 0", "stacks 10,0"]),
            ("10,-5", ["P2", "got -5"]),
            ("10.5,10", ["P1's stack", "whole number", "'10.5'"]),
            ([10, 9.5], ["P2's stack", "whole number", "9.5"]),
            ([10, True], ["P2's stack", "whole number", "True"]),
            ("10", ["two stacks", "'10'"]),
            ("10,10,10", ["two stacks", "'10,10,10'"]),
            ("", ["two stacks", "''"]),
            (10, ["stacks", "comma-separated list", "10"]),
            ("10,ten", ["P2's stack", "'ten'"]),
            ("10,1000001", ["at most 1000000 chips", "1000001"]),
        ],
    )
    def test_stacks_are_two_whole_numbers_of_at_least_1(self, stacks: object, parts: list[str]) -> None:
        with refused(ChipsError, *parts):
            make(IndianPoker, stacks=stacks)

    @pytest.mark.parametrize(
        ("carry", "parts"),
        [
            (3, ["even", "got 3"]),
            ("-2", ["from 0", "got -2"]),
            ("1.5", ["the carry", "whole number", "'1.5'"]),
            (2.0, ["the carry", "whole number", "2.0"]),
            (1000002, ["1000000", "got 1000002"]),
        ],
    )
    def test_a_carry_is_even_and_not_negative(self, carry: object, parts: list[str]) -> None:
        with refused(ChipsError, *parts):
            make(DoubleSided, carry=carry)

    def test_what_is_right_is_read(self) -> None:
        assert parse_chips(" 10, 7", "4") == parse_chips([10, 7], 4) == Chips(10, 7, 4)


class TestRefusedOptions:
    def test_no_strategy_can_be_fixed(self) -> None:
        assert make(IndianPoker, locks=[]) == make(IndianPoker)
        with refused(OptionError, "no locks", "'b1'"):
            make(IndianPoker, locks=["b1"])


class TestTreeCounts:
    """Decision nodes and actions of the public trees, as measured before the code existed."""

    @pytest.mark.parametrize("game", [IndianPoker, IndianHoldem])
    @pytest.mark.parametrize(("stack", "nodes"), [(10, 104), (15, 1002), (20, 9572)])
    def test_indian_trees(self, game: type[Any], stack: int, nodes: int) -> None:
        public = make(game, stacks=[stack, stack]).public
        assert count_tree(public).nodes == nodes
        assert stack == 20 or count_tree(public, memoised=False) == count_tree(public)

    def test_actions_of_the_largest_indian_tree(self) -> None:
        assert count_tree(make(IndianPoker, stacks="20,20").public) == Count(9572, 28714)

    @pytest.mark.parametrize(("stack", "nodes"), [(10, 2**9), (15, 2**14), (20, 2**19)])
    def test_any_raise_doubles_the_tree_with_every_chip(self, stack: int, nodes: int) -> None:
        # A node is a sequence of positive sizes with a sum of at most the cap: 2 ** cap of them.
        assert count_tree(make(IndianPoker, stacks=[stack, stack], raises="any").public).nodes == nodes

    @pytest.mark.parametrize(("stack", "count"), [(15, (4003, None)), (20, (38283, None)), (30, (3487483, 10462455))])
    def test_double_sided_trees(self, stack: int, count: tuple[int, int | None]) -> None:
        nodes, actions = count_tree(make(DoubleSided, stacks=[stack, stack]).public)
        assert nodes == count[0]
        assert count[1] in (None, actions)

    def test_small_trees_counted_by_hand(self) -> None:
        # No raise: the opening, and an answer to each of b1 b3 b5 allin. Actions 5 and 4 x 2.
        assert count_tree(make(IndianPoker, raise_limit=0).public) == Count(5, 13)
        # One raise: 4 raises over 1 (room 8), 4 over 3 (room 6), 3 over 5 (room 4), none over 9.
        assert count_tree(make(IndianPoker, raise_limit=1).public) == Count(1 + 4 + 11, 5 + (8 + 11) + 11 * 2)
        # Any size, one raise: 9 openings, and 8 + 7 + ... + 0 = 36 raises.
        assert count_tree(make(IndianPoker, raises="any", raise_limit=1).public).nodes == 1 + 9 + 36
        # Double-sided without raises: 8 openings; both sides over a bet of 1 or 3 (2 x 5 is more than 9).
        assert count_tree(make(DoubleSided, stacks="10,10", raise_limit=0).public) == Count(
            1 + 8 + 4, 9 + 8 * 3 + 4 + 4 * 2
        )
        # Antes all-in: P1 names a side, then P2.
        assert count_tree(make(DoubleSided, stacks="1,5").public) == Count(3, 6)
        assert count_tree(make(IndianPoker, stacks="1,5").public) == Count(0, 0)

    def test_the_tree_depends_on_the_cap_alone(self) -> None:
        for game in ALL_GAMES:
            options = {"raises": "2,4", "carry": 2}
            assert make(game, stacks="8,8", **options).public == make(game, stacks="30,8", **options).public


class TestPlay:
    """A hand played action by action on a public game."""

    def test_a_hand_from_start_to_end(self) -> None:
        play = Play(IndianBetting(9, Betting()))
        assert (play.to_act, play.over, play.outcome, play.history) == (0, False, None, ())
        assert play.legal == (Action(FOLD), Action(BET, 1), Action(BET, 3), Action(BET, 5), Action(ALLIN, 9))
        assert play.apply("b1") == Action(BET, 1)
        assert play.to_act == 1
        assert play.apply(Action(RAISE, 3)) == Action(RAISE, 3)
        assert play.apply("raise 5") == Action(ALLIN, 5)
        assert play.apply(Action(CALL)) == Action(CALL)
        assert (play.to_act, play.legal, play.over, play.outcome) == (None, (), True, Showdown(9))
        assert play.position == play.final() == Showdown(9)
        assert format_history(play.history) == "b1 r3 allin c"

    @pytest.mark.parametrize(
        ("action", "part"),
        [
            ("b1", "'b1' bets where a bet is on the table already"),
            ("r9", "'r9' is more than the shorter stack can still put in (8)"),
            ("x", "expected an action, here f c r1 r3 r5 allin, got 'x'"),
            ("c c", "expected one action"),
            ("", "expected one action"),
            (Action(BET, 1), "action 2"),
            (Action(RAISE, 2), "'r2' in \"b1 r2\", action 2"),
        ],
    )
    def test_an_illegal_action_leaves_the_play_unchanged(self, action: str | Action, part: str) -> None:
        play = Play(IndianBetting(9, Betting()), "b1")
        before = (play.history, play.position, play.to_act, play.legal)
        with refused(HistoryError, part):
            play.apply(action)
        assert (play.history, play.position, play.to_act, play.legal) == before

    def test_nothing_follows_the_end(self) -> None:
        play = Play(IndianBetting(9, Betting()), "b1 f")
        with refused(HistoryError, "the hand ended with 'f'; nothing can follow", "action 3"):
            play.apply("c")
        assert format_history(play.history) == "b1 f"

    def test_a_hand_that_goes_on_has_no_final_outcome(self) -> None:
        with refused(HistoryError, 'not over after "b1"', "P2 is to act", "legal: f c r1 r3 r5 allin"):
            Play(IndianBetting(9, Betting()), "b1").final()

    def test_chips_on_the_table_while_a_hand_is_played(self) -> None:
        hand = MatchHand(make(IndianPoker, stacks="12,10", carry=2), (7, 3))
        seen = [(hand.pot, hand.in_front)]
        for action in ("b3", "r1", "allin", "c"):
            hand.apply(action)
            seen.append((hand.pot, hand.in_front))
        assert seen == [(4, (11, 9)), (7, (8, 9)), (11, (8, 5)), (17, (2, 5)), (22, (2, 0))]
        assert (hand.chips_after, hand.gain) == (Chips(24, 0, 0), 11.0)

    def test_chips_on_the_table_with_both_sides(self) -> None:
        hand = MatchHand(make(DoubleSided, stacks="30,30"), ("2/9", "5/8"))
        seen = [(hand.pot, hand.in_front)]
        for action in ("F:b3", "both", "c"):
            hand.apply(action)
            seen.append((hand.pot, hand.in_front))
        assert seen == [(2, (29, 29)), (5, (26, 29)), (11, (26, 23)), (14, (23, 23))]
        assert hand.outcome == BothCalled(6, "front")

    @pytest.mark.parametrize("name", ["chips_after", "gain", "revealed", "renewed"])
    def test_nothing_is_settled_before_the_end(self, name: str) -> None:
        hand = MatchHand(make(IndianPoker), (7, 3), history="b1")
        with refused(HistoryError, "the hand is not over", "P2 is to act"):
            getattr(hand, name)

    def test_an_outcome_is_no_state(self) -> None:
        assert isinstance(poker(history="f").position, Outcome)
        assert not isinstance(poker().position, Outcome)
