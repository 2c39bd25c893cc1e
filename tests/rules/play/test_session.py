"""A session of blind-mans-bluff: one hand for each dealer, balances, sharing, refusals."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.base.errors import CardError, ChipsError, ForeheadError, HistoryError, OptionError
from rules.betting.actions import format_history
from rules.betting.fixed_limit import Showdown
from rules.cards.playing_cards import Card
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.play.session import BlindHand, Session
from tests.support.games.blind_hands import hand, play_at_random, shown, specs


def test_a_session_starts_with_100_each_and_a_hand_for_each_dealer() -> None:
    session = Session(BlindMansBluff(players=4))
    assert shown(session.balances) == shown(session.by_person) == "100 100 100 100"
    assert (session.hands_left, session.over, session.hands) == (4, False, ())
    assert (session.winners, session.shares) == ((), ())


def test_the_deal_passes_to_the_left() -> None:
    session = Session(BlindMansBluff(players=3))
    seats = []
    while not session.over:
        seats.append(session.persons)
        session.play("2 2 2", "k k k")
    assert seats == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert [hand.persons for hand in session.hands] == seats


def test_balances_move_with_the_seats() -> None:
    session = Session(BlindMansBluff(players=3), "100,150,50")
    played = session.play("9 2 3", "k k k")
    assert shown(session.by_person) == "102 149 49"
    assert shown(session.balances) == "149 49 102"
    assert (shown(played.before), shown(played.after)) == ("100 150 50", "102 149 49")
    session.play("2 3 9", "b f c")
    assert shown(session.by_person) == "105 147 48"
    assert shown(session.balances) == "48 105 147"
    assert (session.hands_left, len(session.hands)) == (1, 2)


def test_a_hand_may_be_dealt_and_played_action_by_action() -> None:
    session = Session(BlindMansBluff())
    dealt = session.deal("9 2")
    for action in "kbc":
        dealt.apply(action)
    assert session.finish(dealt) == session.hands[0]
    assert shown(session.by_person) == "102 98"
    assert session.hands[0].outcome == Showdown((0, 1), (1, 1))
    assert (format_history(session.hands[0].history), session.hands[0].cards) == ("k b c", (Card(9), Card(2)))


def test_the_highest_balance_wins() -> None:
    session = Session(BlindMansBluff(players=3))
    session.play("9 2 3", "k k k")
    session.play("2 3 9", "k k k")
    assert not session.winners
    session.play("2 9 3", "k k k")
    assert shown(session.by_person) == "106 97 97"
    assert (session.over, shown(session.shares)) == (True, "1 0 0")
    assert session.winners == (0,)


def test_equal_leaders_share() -> None:
    session = Session(BlindMansBluff(players=3))
    for cards in ("9 9 2", "9 2 9", "2 9 9"):
        session.play(cards, "k k k")
    # Persons 0 and 1; then 1 and 0; then 0 and 1.
    assert shown(session.by_person) == "203/2 203/2 97"
    assert session.winners == (0, 1)
    assert shown(session.shares) == "1/2 1/2 0"


def test_thirds_of_a_counter_are_kept() -> None:
    session = Session(BlindMansBluff(players=4))
    session.play("K K K 2", "b c c c")
    assert shown(session.by_person) == "302/3 302/3 302/3 98"
    assert sum(session.balances) == 400


@settings(deadline=None)
@given(specs(), st.data())
def test_counters_are_conserved_in_every_session(spec: BlindMansBluff, data: st.DataObject) -> None:
    session, dealers = Session(spec), []
    while not session.over:
        dealers.append(session.persons[-1])
        hand = play_at_random(spec, data)
        before = session.balances
        session.finish(hand)
        assert sum(session.balances) == 100 * spec.players
        assert session.balances[-1] == before[0] + hand.net[0]
        assert min(session.balances) >= spec.public.most * session.hands_left
    assert sorted(dealers) == list(range(spec.players))
    assert sum(session.shares) == 1
    highest = max(session.by_person)
    assert [share > 0 for share in session.shares] == [balance == highest for balance in session.by_person]
    assert {session.shares[person] for person in session.winners} == {Fraction(1, len(session.winners))}


def test_a_session_may_be_taken_up_in_the_middle() -> None:
    session = Session(BlindMansBluff(players=3), ["199/2", Fraction(201, 2), 100], hands_left=1)
    session.play("2 9 3", "k k k")
    assert shown(session.by_person) == "197/2 205/2 99"
    assert session.winners == (1,)


def test_balances_must_cover_the_hands_left() -> None:
    spec = BlindMansBluff(players=3, bet_size=2, raise_size=3)  # a hand costs at most 6
    assert shown(Session(spec, "12,12,276", 2).balances) == "12 12 276"
    with pytest.raises(ChipsError, match=r"expected seat 2 to have at least 12 counters .*got 11"):
        Session(spec, "12,11,277", 2)
    with pytest.raises(ChipsError, match=r"expected seat 1 to have at least 18 counters .*got 35/2"):
        Session(spec, "35/2,100,100")
    # 10 hands at 11 are more than 100.
    with pytest.raises(ChipsError, match="expected seat 1 to have at least 110 counters"):
        Session(BlindMansBluff(players=10, max_raises=9))


@pytest.mark.parametrize(
    ("balances", "hands_left", "message"),
    [
        ("100,100", None, "expected 3 balances, one for each seat from seat 1, got 2"),
        ("100,many,100", None, "to be whole numbers or fractions such as 199/2, got 'many' for seat 2"),
        ([100, 100.5, 100], None, "got '100.5' for seat 2"),
        ("100,-100,300", None, "got '-100' for seat 2"),
        ("100,100,1/0", None, "got '1/0' for seat 3"),
        (None, 0, "expected hands left to be from 1 to 3, one for each dealer, got 0"),
        (None, 4, "expected hands left to be from 1 to 3, one for each dealer, got 4"),
    ],
)
def test_sessions_that_cannot_be(balances: object, hands_left: object, message: str) -> None:
    with pytest.raises((ChipsError, OptionError), match=message):
        Session(BlindMansBluff(players=3), balances, hands_left)


def test_a_session_goes_on_only_with_its_own_finished_hands() -> None:
    session = Session(BlindMansBluff(), hands_left=1)
    refused: list[tuple[str, str, type[ForeheadError]]] = [
        ("9 2", "k", HistoryError),
        ("9 2", "k c", HistoryError),
        ("9", "k k", CardError),
    ]
    for cards, history, error in refused:
        with pytest.raises(error):
            session.play(cards, history)
    with pytest.raises(HistoryError, match=r'expected a hand of this session, got other options \("k k"\)'):
        session.finish(BlindHand(BlindMansBluff(max_raises=2), "9 2", "k k"))
    assert (session.hands_left, shown(session.by_person)) == (1, "100 100")
    session.play("9 2", "k k")
    for again in (lambda: session.deal("9 2"), lambda: session.finish(hand("9 2", "k k"))):
        with pytest.raises(HistoryError, match="the session ended with hand 1; no hand can follow"):
            again()
