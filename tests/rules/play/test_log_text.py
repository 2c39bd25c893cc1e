"""The match log as text: the header, the lines that are refused and where, comments and line ends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import CardError, ChipsError, ForeheadError, HistoryError, LogError, OptionError
from rules.betting.actions import Action
from rules.betting.chips import Chips
from rules.cards.two_sided import TwoSided
from rules.games.double_sided import DoubleSided
from rules.games.indian_poker import IndianPoker
from rules.games.registry import hand, options_of
from rules.play.log import MatchLog
from rules.play.log_text import logged_games, match_options, person
from tests.support.helpers import make, refused
from tests.support.logs import HOLDEM, INDIAN, SIDED, state
from tests.support.strategies import BRISK

GAME = "forehead match log 1\ngame indian-poker\n"
BEGINS = "expected a log that begins with 'forehead match log 1', got"
NEEDS = "expected game, stacks and first before the first hand; the header has no"
BOTH_CARDS = "expected the cards of both players, mine and theirs; there is no"


class TestHeader:
    def test_a_new_log_in_words(self) -> None:
        assert MatchLog.new("indian-poker", stacks="10,10", first="me").to_text() == INDIAN
        assert MatchLog.new("indian-holdem").to_text() == HOLDEM
        assert MatchLog.new("double-sided", first="OPP").to_text() == SIDED.replace("first me", "first opp")

    def test_options_that_change_nothing_are_left_out(self) -> None:
        same = {
            "raises": "1,3,5,allin",
            "opens": "allin,5,3,1",
            "penalties": "ten",
            "carry": 0,
            "seen": "",
            "left": None,
        }
        assert MatchLog.new("indian-poker", **same).to_text() == INDIAN
        assert MatchLog.new("indian-poker", raises="1", opens="1").to_text() == f"{INDIAN}raises 1\n"
        # Here the opening bet's sizes are those of the default, but not of the raises.
        both = MatchLog.new("indian-poker", raises="1", opens="1,3,5,allin")
        assert both.to_text() == f"{INDIAN}raises 1\nopens 1,3,5,allin\n"
        assert both.spec == make(IndianPoker, raises="1", opens="1,3,5,allin")

    def test_each_option_in_its_place(self) -> None:
        log = MatchLog.new(
            "indian-poker", (12, 8), "opp", tie_bust="loses", penalties="none", raise_limit=2, opens=[2, "allin"],
            raises="any", carry="4", seen=[9, 4, 4, 1],
        )  # fmt: skip
        assert log.to_text().splitlines()[1:] == [
            "game indian-poker",
            "stacks 12,8",
            "first opp",
            "seen 9,4,4,1",
            "penalties none",
            "carry 4",
            "raises any",
            "opens 2,allin",
            "raise-limit 2",
            "tie-bust loses",
        ]
        expected = make(
            IndianPoker, stacks="8,12", carry=4, seen="1,4,4,9", raises="any", opens="2,allin", raise_limit=2,
            tie_bust="loses", penalties="none",
        )  # fmt: skip
        assert log.spec == expected
        assert MatchLog(log.to_text()).spec == expected

    def test_cards_may_be_gone_already(self) -> None:
        log = MatchLog.new("double-sided", shown=[TwoSided(3, 7), (8, 2)], hidden=(5, 9))
        assert log.to_text() == f"{SIDED}shown 3/7,8/2\nhidden 5,9\n"
        assert log.spec == make(DoubleSided, shown="3/7,8/2", hidden="5,9", stacks="15,15")
        left = "2,2,2,2,2,2,2,2,2,0"
        log = MatchLog.new("indian-poker", left=left)
        assert (log.to_text(), log.spec) == (f"{INDIAN}left {left}\n", make(IndianPoker, left=left))
        log = MatchLog.new("indian-poker", seen="10, 10")
        assert (log.to_text(), log.spec) == (f"{INDIAN}seen 10, 10\n", make(IndianPoker, left=left))

    def test_words_in_any_case_and_order_with_underscores_or_dashes(self) -> None:
        text = "Forehead  MATCH log 1\nGame indian-poker\nTIE_BUST loses\nFirst OPP\nRaise-Limit 2\nStacks 12, 8\n"
        log = MatchLog(text)
        assert log.spec == make(IndianPoker, stacks="8,12", tie_bust="loses", raise_limit=2)
        log = MatchLog(INDIAN + "HISTORY B1 F  Theirs 9\tMINE 4\n")
        assert str(log.hands[0]) == "mine 4  theirs 9  history b1 f"

    @pytest.mark.parametrize("game", logged_games())
    def test_every_option_of_a_match_is_understood(self, game: str) -> None:
        values = {
            "seen": "1,1,2,2", "left": "2,2,2,2,2,2,0,0,0,0", "shown": "3/7,8/2", "hidden": "5,9", "carry": "4",
            "raises": "2,allin", "opens": "any", "raise_limit": "1", "tie_bust": "loses", "penalties": "none",
        }  # fmt: skip
        of_a_hand = {"stacks", "board", "fronts", "line", "objective", "deck_model"}
        assert set(match_options(game)) == set(options_of(game)) - of_a_hand
        for name in match_options(game):
            log = MatchLog.new(game, **{name: values[name]})
            assert log.to_text().splitlines()[4:] == [f"{name.replace('_', '-')} {values[name]}"]
            assert log.spec == hand(game, **{name: values[name]})

    def test_the_games_with_a_log(self) -> None:
        assert logged_games() == ["indian-poker", "indian-holdem", "double-sided"]
        message = (
            "every hand of blind-mans-bluff is dealt from a fresh deck, so there is no match to log; expected indian"
        )
        with refused(LogError, message):
            MatchLog.new("blind-mans-bluff")
        with refused(LogError, f"line 2: {message}"):
            MatchLog("forehead match log 1\ngame blind-mans-bluff\n")
        with refused(OptionError, "got 'indian-pokr'; did you mean indian-poker?"):
            MatchLog.new("indian-pokr")

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"stacks": "10"}, ChipsError, "expected two stacks, mine and theirs, each from 1 to 1000000 chips"),
            ({"stacks": (0, 10)}, ChipsError, "such as 10,10, got '0,10'"),
            ({"first": "you"}, LogError, "expected me or opp, got 'you'"),
            ({"first": ""}, LogError, "expected me or opp, got ''"),
            (
                {"board": "4,9"},
                LogError,
                "expected an option of the match (stacks, first, seen, left, penalties, carry,",
            ),
            ({"objective": "chips"}, LogError, "got 'objective'"),
            ({"shown": "3/7,8/2"}, LogError, "got 'shown'"),
            (
                {"raises": "0"},
                OptionError,
                "expected a whole number of at least 1, a part of the pot (1/2pot) or 'allin', got '0'",
            ),
            ({"stacks": (20_000, 20_000), "raises": "any"}, OptionError, "'any' would offer 19999 sizes"),
        ],
    )
    def test_what_a_new_log_may_not_have(self, options: Any, error: type[ForeheadError], message: str) -> None:
        with refused(error, message):
            MatchLog.new("indian-poker", **options)

    @pytest.mark.parametrize(("word", "expected"), [("me", 0), (" ME ", 0), ("opp", 1), ("Opp", 1)])
    def test_persons(self, word: str, expected: int) -> None:
        assert person(word) == expected


class TestLinesThatAreRefused:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", f"{BEGINS} no line"),
            ("\n# nothing\n\n", f"{BEGINS} no line"),
            ("game indian-poker\n", f"line 1: {BEGINS} 'game indian-poker'"),
            ("forehead match log\n", f"line 1: {BEGINS} 'forehead match log'"),
            ("#\n\nforehead match log 1 1\n", f"line 3: {BEGINS} 'forehead match log 1 1'"),
            ("forehead match log 2\n", "line 1: expected a match log of version 1, got version '2'"),
            ("x" * 500, f"line 1: {BEGINS} '{57 * 'x'}...'"),
            ("forehead match log 1\n", f"{NEEDS} game"),
            (
                "forehead match log 1\nraises 1\n",
                "line 2: expected the game first, such as 'game indian-poker', got 'raises'",
            ),
            ("forehead match log 1\ngame\n", "line 2: expected a game (indian-poker, indian-holdem, double-sided,"),
            ("forehead match log 1\nmine 4 theirs 9 history f\n", f"line 2: {NEEDS} game"),
            (f"{GAME}first me\n", f"{NEEDS} stacks"),
            (f"{GAME}stacks 9,9\nmine 1 theirs 2 history f\n", f"line 4: {NEEDS} first"),
            (f"{INDIAN}first me\n", "line 5: first is given twice"),
            (f"{INDIAN}game indian-poker\n", "line 5: game is given twice"),
            (f"{INDIAN}tie-bust loses\ntie_bust loses\n", "line 6: tie_bust is given twice"),
            (f"{INDIAN}tie-bust maybe\n", "line 5: expected tie-bust to be split or loses, got 'maybe'"),
            (f"{INDIAN}raises\n", "line 5: expected raises to list at least one size"),
            (f"{INDIAN}seen 4,4,4,9\n", "line 5: 4 is out three times but the deck has two (seen 4,4,4,9)"),
            (f"{INDIAN}seen 4\n", "line 5: 19 of 20 cards are left"),
            (f"{INDIAN}seen 4,4\nleft 2,2,2,0,2,2,2,2,2,2\n", "line 6: expected seen or left, got both"),
            (f"{INDIAN}carry 3\n", "line 5: expected the carried pot to be even"),
            (f"{INDIAN}raise-limit 1.5\n", "line 5: expected the raise limit to be a whole number, got '1.5'"),
            (f"{INDIAN}board 4,9\n", "line 5: expected the cards of both players"),
            (f"{INDIAN}fronts 3,8\n", "line 5: expected an option of the match (stacks, first,"),
            (f"{INDIAN}mine=4 theirs=9\n", "or a hand ('mine 4  theirs 9  history b1 c'), got 'mine=4'"),
            (INDIAN.replace("10,10", "10,0"), "line 3: expected two stacks, mine and theirs"),
            (INDIAN.replace("10,10", "10,10,10"), "line 3: expected two stacks, mine and theirs"),
            (INDIAN.replace("10,10", "1000001,10"), "line 3: expected two stacks, mine and theirs"),
            (INDIAN.replace("first me", "first P1"), "line 4: expected me or opp, got 'P1'"),
        ],
    )  # fmt: skip
    def test_in_the_header(self, text: str, message: str) -> None:
        with refused(LogError, message):
            MatchLog(text)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("mine 4  history f", f"{BOTH_CARDS} 'theirs'"),
            ("theirs 4  history f", f"{BOTH_CARDS} 'mine'"),
            ("history f", f"{BOTH_CARDS} 'mine'"),
            ("mine 4  theirs  history f", "expected a card from 1 to 10, got '' (theirs)"),
            ("mine 11  theirs 9  history f", "expected a card from 1 to 10, got '11' (mine)"),
            ("mine 4  theirs 9/2  history f", "expected a card from 1 to 10, got '9/2' (theirs)"),
            ("mine 4  theirs ?  history f", "expected a card from 1 to 10, got '?' (theirs)"),
            ("mine 4  theirs 9 b1 f", "expected a card from 1 to 10, got '9 b1 f' (theirs)"),
            ("mine 4  their 9  history b1 f", f"{BOTH_CARDS} 'theirs'"),
            ("mine 4  mine 5  theirs 9  history f", "mine is given twice; expected one hand on a line"),
            ("mine 4  theirs 9  history f  history f", "history is given twice"),
            ("mine 4  theirs 9  board 1,2  history f", "indian-poker has no community cards, got '1,2'"),
            ("mine 4  theirs 9  board 5,5  history f", "indian-poker has no community cards, got '5,5'"),
            ("mine 5  theirs 9  history f", "5 is out three times but the deck has two (see line 7,9)"),
            ("mine 6  theirs 6  history f", "6 is out three times but the deck has two (see line 9)"),
            ("mine 4  theirs 9", 'the hand is not over after "": you are to act; legal: f b1 b3 b5 allin; you bet'),
            ("mine 4  theirs 9  history b1", 'the hand is not over after "b1": they are to act; legal: f c r1 r3 r5'),
            ("mine 4  theirs 9  history b1 f f", "the hand ended with 'f'; nothing can follow"),
            ("mine 4  theirs 9  history b2 f", "'b2' is not offered here; legal: f b1 b3 b5 allin"),
            ("mine 4  theirs 9  history r1 f", "'r1' raises where nobody has bet yet"),
            ("mine 4  theirs 9  history b1 x", "expected an action, here f c r1 r3 r5 allin, got 'x'"),
            ("mine 4  theirs 9  history front:b1 f", "'front:b1' is not offered here"),
            ("raises 1", "expected a hand, such as 'mine 4  theirs 9  history b1 c', got 'raises 1'"),
            ("b1 r3 c", "expected a hand, such as 'mine 4  theirs 9  history b1 c', got 'b1 r3 c'"),
            ("z" * 99, "expected a hand, such as 'mine 4  theirs 9  history b1 c', got '" + 57 * "z" + "...'"),
        ],
    )  # fmt: skip
    def test_in_a_hand(self, line: str, message: str) -> None:
        start = f"{INDIAN}# a comment\n\nmine 5  theirs 3  history f\n\nmine 5  theirs 6  history f\n"
        with refused(LogError, f"line 11: {message}"):
            MatchLog(f"{start}# next\n{line}  # said so\n")
        with refused(LogError, f"tonight.log line 11: {message}"):
            MatchLog(f"{start}# next\n{line}", "tonight.log")
        assert MatchLog(start).chips == (10, 10)

    def test_whose_turn_it_was_is_said_with_an_illegal_history(self) -> None:
        log = MatchLog(INDIAN + "mine 4  theirs 9  history f\n")
        with refused(LogError, "hand 2: 'c' calls where nobody has bet yet", "; they bet first in this hand"):
            log.add(1, 2, "c")

    def test_after_the_end(self) -> None:
        end = INDIAN.replace("10,10", "10,1") + "mine 5  theirs 3\n"
        log = MatchLog(end)
        assert (log.over, log.winner, log.chips) == (True, 0, (11, 0))
        message = "the match ended with hand 1, you have won; no hand can follow"
        with refused(LogError, f"hand 2: {message}"):
            log.add(1, 2)
        with refused(LogError, message):
            _ = log.spec
        with refused(LogError, f"m.log line 7: {message}"):
            MatchLog(f"{end}\nmine 1  theirs 2\n", "m.log")
        lost = MatchLog(INDIAN.replace("10,10", "1,10") + "mine 2  theirs 3\n")
        with refused(LogError, "the match ended with hand 1, they have won; no hand can follow"):
            lost.add(1, 2)
        # An end can be taken back.
        log.undo()
        assert (log.over, log.spec.chips) == (False, Chips(10, 1))

    def test_a_refusal_leaves_the_log_as_it_was(self) -> None:
        log = MatchLog(INDIAN + "mine 4  theirs 9  history b1 f")
        before = (log.to_text(), log.hands, state(log), log.spec)
        for one in [
            (4, 4, "f"),
            (4, 11, "f"),
            (1, 2, "b1"),
            (1, 2, "b1 c c"),
            (1, 2, "f", "4,9"),
            ("1\nmine 2", 3, "f"),
        ]:
            with pytest.raises(LogError, match=r"^hand 2: "):
                log.add(*one)
        assert (log.to_text(), log.hands, state(log), log.spec) == before

    def test_errors_keep_their_cause(self) -> None:
        for line, cause in [("mine 4 theirs 9 history b1", HistoryError), ("mine 4 theirs x", CardError)]:
            with pytest.raises(LogError) as caught:
                MatchLog(INDIAN + line)
            assert isinstance(caught.value.__cause__, cause)


class TestText:
    def test_comments_and_blank_lines_stay_where_they_are(self) -> None:
        text = (
            f"# final\n\n{INDIAN}  # now\n\tmine 4 theirs 9 history b1 f # bold\n"
            "\n# break\nmine 1 theirs 2 history f\n#"
        )
        log = MatchLog(text)
        assert [(one.number, one.line) for one in log.hands] == [(1, 8), (2, 11)]
        assert log.add(3, 5, "f").line == 13
        assert log.to_text() == f"{text}\nmine 3  theirs 5  history f"
        log.undo()
        assert log.to_text() == text
        log.undo()
        assert log.to_text() == text.replace("mine 1 theirs 2 history f\n", "")
        log.undo()
        assert log.to_text() == f"# final\n\n{INDIAN}  # now\n\n# break\n#"
        with refused(LogError, "there is no hand that could be taken back"):
            log.undo()

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends_are_kept(self, end: str) -> None:
        text = (INDIAN + "mine 4  theirs 9  history f\n").replace("\n", end)
        log = MatchLog(text)
        added = log.add(1, 2, "f")
        assert (added.line, log.to_text()) == (6, f"{text}mine 1  theirs 2  history f{end}")
        assert MatchLog(log.to_text()).hands == log.hands
        log.undo()
        assert log.to_text() == text
        # As is the missing end of the last line.
        log = MatchLog(text.removesuffix(end))
        log.add(1, 2, "f")
        assert log.to_text() == f"{text}mine 1  theirs 2  history f"
        log.undo()
        assert log.to_text() == text.removesuffix(end)

    def test_a_byte_order_mark_and_odd_characters_are_kept(self) -> None:
        text = (
            "\ufeff" + INDIAN + "# \u2028 \x0b \x00 \x85 caf\u00e9 \U0001f0cf\nmine\u00a04\u3000theirs 9\x0bhistory f\n"
        )
        log = MatchLog(text)
        assert (log.hands[0].line, str(log.hands[0])) == (6, "mine 4  theirs 9  history f")
        log.add(1, 2, "f")
        assert log.to_text() == text + "mine 1  theirs 2  history f\n"

    def test_undo_gives_the_hand_that_add_gave(self) -> None:
        log = MatchLog(INDIAN)
        added = [log.add(4, 9, "b1 f"), log.add(1, 2, "f")]
        assert [log.undo(), log.undo()] == added[::-1]
        assert (log.to_text(), log.hands) == (INDIAN, ())

    def test_the_actions_are_written_as_the_game_names_them(self) -> None:
        log = MatchLog(INDIAN)
        assert str(log.add(4, 9, "Bet 9; CALL")) == "mine 4  theirs 9  history allin c"
        log = MatchLog(INDIAN)
        assert str(log.add(4, 9, [Action("bet", 1), Action("fold")])) == "mine 4  theirs 9  history b1 f"

    def test_logs_are_equal_where_their_texts_are(self) -> None:
        assert MatchLog(INDIAN) == MatchLog(INDIAN, "m.log")
        assert MatchLog(INDIAN) != MatchLog(INDIAN + "\n")
        assert MatchLog(INDIAN) != INDIAN


LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
FILLERS = st.lists(st.sampled_from(["", "   ", "# a comment", "#mine 4 theirs 9", "\t# x # y"]), max_size=2)


@BRISK
@given(st.data(), LINE_ENDS, st.booleans())
def test_undo_is_the_inverse_of_add_whatever_the_text_looks_like(data: st.DataObject, end: str, ended: bool) -> None:
    hands = ["mine 4  theirs 9  history b1 f", "mine 1 theirs 2 history f # short", "MINE 3 history b1 c theirs 3"]
    lines: list[str] = []
    for line in [*INDIAN.splitlines(), *hands[: data.draw(st.integers(0, 3))]]:
        lines += [*data.draw(FILLERS), line]
    text = end.join([*lines, *data.draw(FILLERS)]) + (end if ended else "")
    log = MatchLog(text)
    before = state(log), log.hands
    added = log.add(7, 8, "f")
    assert log.to_text().startswith(text)
    assert MatchLog(log.to_text()).hands == (*before[1], added)
    assert log.undo() == added
    assert (log.to_text(), state(log), log.hands) == (text, *before)
