"""The notation of actions and histories."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import HistoryError
from rules.betting.actions import (
    ALLIN,
    BACK,
    BET,
    BOTH,
    CALL,
    CHECK,
    DEAL,
    FOLD,
    FRONT,
    NAME,
    RAISE,
    Action,
    format_history,
    parse_action,
    parse_history,
)
from rules.betting.bet_sizes import Menu
from rules.betting.no_limit import Betting, IndianBetting
from rules.betting.two_sided import DoubleSidedBetting
from rules.play.hand import Play
from tests.support.helpers import make, refused
from tests.support.strategies import GAMES, THOROUGH, common_options

TOKENS = [
    ("b1", Action(BET, 1)),
    ("r3", Action(RAISE, 3)),
    ("r12", Action(RAISE, 12)),
    ("b", Action(BET)),
    ("r", Action(RAISE)),
    ("allin", Action(ALLIN)),
    ("c", Action(CALL)),
    ("f", Action(FOLD)),
    ("k", Action(CHECK)),
    ("front:b1", Action(BET, 1, FRONT)),
    ("back:r5", Action(RAISE, 5, BACK)),
    ("back:c", Action(CALL, side=BACK)),
    ("front:allin", Action(ALLIN, side=FRONT)),
    ("both", Action(BOTH)),
    ("front", Action(NAME, side=FRONT)),
    ("back", Action(NAME, side=BACK)),
]


@pytest.mark.parametrize(("text", "action"), TOKENS)
def test_every_token_is_read_and_written(text: str, action: Action) -> None:
    assert parse_action(text) == action
    assert str(action) == text


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("bet 1", "b1"),
        ("Bet 1", "b1"),
        ("raise 3", "r3"),
        ("raise by 3", "r3"),
        ("r 3", "r3"),
        ("R3", "r3"),
        ("bet", "b"),
        ("call", "c"),
        ("CALL", "c"),
        ("fold", "f"),
        ("check", "k"),
        ("all-in", "allin"),
        ("all in", "allin"),
        ("ALLIN", "allin"),
        ("both sides", "both"),
        ("both-sides", "both"),
        ("F:b1", "front:b1"),
        ("f:c", "front:c"),
        ("B:c", "back:c"),
        ("b:b1", "back:b1"),
        ("Front: bet 1", "front:b1"),
        ("front : raise 3", "front:r3"),
        ("back: all-in", "back:allin"),
        ("front:", "front"),
        ("B:", "back"),
        ("f:", "front"),
        ("BACK", "back"),
    ],
)
def test_words_short_sides_and_any_case_are_understood(text: str, token: str) -> None:
    assert format_history(parse_history(text)) == token


@pytest.mark.parametrize(
    "text", ["b1 r3 allin c", "b1, r3, allin, c", "b1;r3;allin;c", "  b1,r3  allin\nc ", "bet 1 raise 3 all in call"]
)
def test_separators_are_spaces_commas_and_semicolons(text: str) -> None:
    assert parse_history(text) == [Action(BET, 1), Action(RAISE, 3), Action(ALLIN), Action(CALL)]


@pytest.mark.parametrize("text", ["", "  ", "\n", ","])
def test_an_empty_text_is_the_start_of_a_hand(text: str) -> None:
    assert parse_history(text) == []


def test_a_bare_b_before_a_token_is_a_bet_and_with_a_colon_a_side() -> None:
    assert parse_history("b c") == [Action(BET), Action(CALL)]
    assert parse_history("b:c") == [Action(CALL, side=BACK)]
    assert parse_history("f") == [Action(FOLD)]
    assert parse_history("front:, B:") == [Action(NAME, side=FRONT), Action(NAME, side=BACK)]


@pytest.mark.parametrize(
    ("text", "word", "place"),
    [
        ("b1 x3 c", "x3", 2),
        ("b1 r3 fold2", "fold2", 3),
        ("c3", "c3", 1),
        ("b1 call 3", "call 3", 2),
        ("r0", "r0", 1),
        ("b-1", "b-1", 1),
        ("b1.5", "b1.5", 1),
        ("both2", "both2", 1),
        ("side:b1", "side:b1", 1),
        ("allin5", "allin5", 1),
        ("b1234567890", "b1234567890", 1),
    ],
)
def test_a_token_that_is_no_action_is_named_with_its_place(text: str, word: str, place: int) -> None:
    with refused(HistoryError, "expected an action such as b1", f"got '{word}'", f'(action {place} of "{text}")'):
        parse_history(text)


@pytest.mark.parametrize("text", ["", "b1 c", "front:b1 both"])
def test_one_action_is_one_action(text: str) -> None:
    with refused(HistoryError, "expected one action", repr(text)):
        parse_action(text)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Action(BET, 1), "bet 1"),
        (Action(RAISE, 3), "raise 3"),
        (Action(RAISE), "raise"),
        (Action(ALLIN, 9), "all-in"),
        (Action(BOTH), "bet both sides"),
        (Action(NAME, side=BACK), "play the back"),
        (Action(CALL, side=FRONT), "front: call"),
        (Action(BET, 5, BACK), "back: bet 5"),
        (Action(DEAL, 2), "deal 2"),
    ],
)
def test_an_action_in_plain_words(action: Action, words: str) -> None:
    assert action.words == words


def test_a_dealt_card_of_a_test_game_is_written() -> None:
    assert str(Action(DEAL, 2)) == "deal2"


def test_an_all_in_is_written_allin_whatever_its_size() -> None:
    assert str(Action(ALLIN, 9)) == "allin"
    assert str(Action(ALLIN, 4, BACK)) == "back:allin"


def test_a_raise_is_on_top_of_the_level_faced_never_to_it() -> None:
    # b1 r3 r5 stands at 1 + 3 + 5 = 9, so with 10 left (stacks 11) one more chip is the all-in.
    public = IndianBetting(10, Betting(Menu((), any=True)))
    assert format_history(Play(public, "b1 r3 r5").legal) == "f c allin"
    assert format_history(Play(public, "b1 r3 r5 r1").history) == "b1 r3 r5 allin"


actions = st.one_of(
    st.sampled_from([Action(CHECK), Action(FOLD), Action(BOTH), Action(NAME, side=FRONT), Action(NAME, side=BACK)]),
    st.builds(Action, st.sampled_from([CALL, ALLIN]), st.just(0), st.sampled_from(["", FRONT, BACK])),
    st.builds(Action, st.sampled_from([BET, RAISE]), st.integers(0, 10**9 - 1), st.sampled_from(["", FRONT, BACK])),
)


@THOROUGH
@given(st.lists(actions))
def test_what_is_written_is_read_back(history: list[Action]) -> None:
    assert parse_history(format_history(history)) == history


@THOROUGH
@given(st.data(), st.sampled_from(sorted(GAMES)), common_options(most=15))
def test_a_played_hand_is_read_back_from_its_notation(
    data: st.DataObject, game: str, options: dict[str, object]
) -> None:
    play = Play(make(GAMES[game], **options).public)
    while not play.over:
        play.apply(data.draw(st.sampled_from(play.legal)))
    text = format_history(play.history)
    again = Play(play.public, text)
    assert (again.history, again.outcome) == (play.history, play.outcome)
    # With the words, too, but for a both-sides bet and a side without a bet.
    words = ", ".join(str(a) if a.kind in (BOTH, NAME) else a.words for a in play.history)
    assert Play(play.public, words).history == play.history


def test_a_side_is_named_once_and_may_be_repeated() -> None:
    public = DoubleSidedBetting(14, Betting())
    written = "front:b1 back:r3 r5 c"
    assert format_history(Play(public, written).history) == written
    assert format_history(Play(public, "front:b1 back:r3 front:r5 back:c").history) == written
    with refused(HistoryError, "'back:r5' changes a named side, which never changes (front was named)", "action 3"):
        Play(public, "front:b1 back:r3 back:r5")
