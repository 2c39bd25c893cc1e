"""The rules of blind-mans-bluff, article by article, for 2 to 10 players."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.base.errors import CardError, ChipsError, HistoryError, OptionError, SizeError
from rules.betting.actions import format_history
from rules.betting.fixed_limit import FixedLimit, LastLeft, Showdown
from rules.betting.public_game import Outcome
from rules.cards.playing_cards import Card
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.play.session import BlindHand, Session
from tests.support.games.blind_hands import NAMES, WHOLE_DECK, hand, play_at_random, shown, specs


def legal(players: int, history: str, max_raises: int = 1) -> str:
    """Say who acts and what is legal, as ``3: f c r``; or how the hand ended."""
    public = FixedLimit(players, max_raises)
    _, position = public.follow(history)
    if isinstance(position, Outcome):
        return str(position)
    return f"{public.player(position) + 1}: {format_history([action for action, _ in public.moves(position)])}"


# Who acts, and what may be done.


def test_seat_1_acts_first_and_then_clockwise() -> None:
    assert [legal(4, " ".join("k" * checks))[0] for checks in range(4)] == ["1", "2", "3", "4"]


def test_before_a_bet_check_fold_or_bet() -> None:
    assert legal(3, "") == "1: f k b"
    assert legal(3, "k") == "2: f k b"
    assert legal(3, "f") == "2: f k b"


def test_facing_a_bet_fold_call_or_raise() -> None:
    assert legal(3, "b") == "2: f c r"
    assert legal(3, "b c") == "3: f c r"


@pytest.mark.parametrize(
    ("max_raises", "history", "expected"),
    [
        (0, "b", "2: f c"),
        (0, "k k b", "1: f c"),
        (1, "b", "2: f c r"),
        (1, "b r", "3: f c"),
        (1, "b r c", "1: f c"),
        (1, "k b c r", "2: f c"),
        (2, "b r", "3: f c r"),
        (2, "b r c", "1: f c r"),
        (2, "b r r", "1: f c"),
        (2, "b c r r c", "3: f c"),
    ],
)
def test_raises_are_limited_for_the_whole_table(max_raises: int, history: str, expected: str) -> None:
    assert legal(3, history, max_raises) == expected


def test_after_a_bet_everyone_else_must_answer_the_checked_ones_too() -> None:
    assert legal(4, "k k b") == "4: f c r"
    assert legal(4, "k k b c") == "1: f c r"
    assert legal(4, "k k b c c") == "2: f c r"
    assert legal(4, "k k b c c c") == "Showdown(left=(0, 1, 2, 3), paid=(1, 1, 1, 1))"


def test_after_a_raise_everyone_else_must_answer_again_the_callers_too() -> None:
    assert legal(4, "k b c r") == "1: f c"
    assert legal(4, "k b c r c") == "2: f c"
    assert legal(4, "k b c r c c") == "3: f c"
    assert legal(4, "k b c r c c c") == "Showdown(left=(0, 1, 2, 3), paid=(2, 2, 2, 2))"


def test_folded_seats_are_passed_over() -> None:
    assert legal(4, "f k f b") == "2: f c r"
    assert legal(4, "f k f b r") == "4: f c"
    assert legal(4, "k b f r f c") == "Showdown(left=(1, 3), paid=(0, 2, 0, 2))"


# How the round ends.


def test_all_check_and_go_to_the_showdown() -> None:
    assert legal(3, "k k") == "3: f k b"
    assert legal(3, "k k k") == "Showdown(left=(0, 1, 2), paid=(0, 0, 0))"


def test_free_folds_are_legal_and_leave_the_others() -> None:
    assert legal(3, "f k k") == "Showdown(left=(1, 2), paid=(0, 0, 0))"
    assert legal(3, "k k f") == "Showdown(left=(0, 1), paid=(0, 0, 0))"


def test_the_round_ends_when_everyone_else_has_answered_the_bet() -> None:
    assert legal(3, "b c c") == "Showdown(left=(0, 1, 2), paid=(1, 1, 1))"
    assert legal(3, "k b f c") == "Showdown(left=(0, 1), paid=(1, 1, 0))"


def test_the_last_player_left_wins_at_once() -> None:
    assert legal(3, "f f") == "LastLeft(winner=2, paid=(0, 0, 0))"
    assert legal(3, "k f f") == "LastLeft(winner=0, paid=(0, 0, 0))"
    assert legal(3, "b f f") == "LastLeft(winner=0, paid=(1, 0, 0))"
    assert legal(3, "b c r f f") == "LastLeft(winner=2, paid=(1, 1, 2))"
    assert legal(2, "b r f") == "LastLeft(winner=1, paid=(1, 2))"


def test_sizes_of_bets_and_raises() -> None:
    public = FixedLimit(3, 2, bet_size=2, raise_size=3)
    assert public.follow("b c f")[1] == Showdown((0, 1), (2, 2, 0))
    assert public.follow("k b r f c")[1] == Showdown((1, 2), (0, 5, 5))
    assert public.follow("k b r r c c")[1] == Showdown((0, 1, 2), (8, 8, 8))
    assert public.most == 1 + 2 + 2 * 3


# Writing.


@pytest.mark.parametrize(
    "text", ["k b r f c", "check, bet, raise, fold, call", "K B1 R1 F C", "check bet 1 raise by 1 fold call"]
)
def test_fixed_sizes_may_be_written_out(text: str) -> None:
    actions, outcome = FixedLimit(3, 1).follow(text)
    assert format_history(actions) == "k b r f c"
    assert outcome == Showdown((1, 2), (0, 2, 2))


def test_the_sizes_written_are_the_ones_of_the_game() -> None:
    public = FixedLimit(2, 1, bet_size=2, raise_size=3)
    assert public.follow("b2 r3")[0] == public.follow("b r")[0]
    for wrong, size in (("b1", 2), ("b3", 2), ("b r2", 3)):
        with pytest.raises(HistoryError, match=rf"is not the fixed size, a (bet|raise) is always {size}; legal: f"):
            public.follow(wrong)


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ("b r r", r"'r' is one raise too many, the limit for the whole table is 1; legal: f c .*action 3"),
        ("b r r1", r"'r1' is one raise too many"),
        ("b b", r"'b' bets where a bet is on the table already .*legal: f c r .*action 2"),
        ("b b1", r"'b1' bets where a bet is on the table already"),
        ("b k", r"'k' checks where a bet is on the table; legal: f c r"),
        ("k c", r"'c' calls where nobody has bet yet; legal: f k b"),
        ("k r", r"'r' raises where nobody has bet yet; legal: f k b"),
        ("allin", r"'allin' is not offered here; legal: f k b"),
        ("front:f", r"'front:f' is not offered here; legal: f k b"),
        ("k k k", r"the hand ended with 'k'; nothing can follow"),
    ],
)
def test_refusals_say_why(history: str, message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        FixedLimit(2, 1).follow(history)


# The pot.


def test_the_worked_example_of_a_win_without_the_highest_known_card() -> None:
    play = hand("2♥ K♣ 9♦ 4♠", "k b f f f")
    assert play.outcome == LastLeft(1, (0, 1, 0, 0))
    assert play.pot == 5
    assert shown(play.net) == "-1 3 -1 -1"


def test_the_worked_example_of_two_kings() -> None:
    play = hand("K♣ 4♠ K♥", "b c c")
    assert play.pot == 6
    assert shown(net + 1 + paid for net, paid in zip(play.net, play.paid, strict=True)) == "3 0 3"


def test_everyone_antes_one() -> None:
    play = hand("5 9 7")
    assert (play.pot, play.paid) == (3, (0, 0, 0))
    for action in "kkk":
        play.apply(action)
    assert shown(play.net) == "-1 2 -1"


def test_a_call_adds_the_difference() -> None:
    play, added = hand("5 9 7"), []
    for action in "kbcrcc":
        before = sum(play.paid)
        play.apply(action)
        added.append(sum(play.paid) - before)
    assert added == [0, 1, 1, 2, 1, 1]
    assert play.over
    assert play.paid == (2, 2, 2)


def test_a_fold_forfeits_what_was_put_in_and_no_more() -> None:
    assert shown(hand("5 9 7", "b c r f c").net) == "-2 5 -3"
    assert shown(hand("5 9 7", "f k k").net) == "-1 2 -1"


def test_a_folded_high_card_cannot_win() -> None:
    assert shown(hand("A 9 7", "f k k").net) == "-1 2 -1"
    assert shown(hand("7 A 7", "b f c").net) == "1/2 -1 1/2"


def test_the_last_player_left_needs_no_card() -> None:
    assert shown(hand("2 A K", "b f f").net) == "2 -1 -1"


def test_ace_is_high_and_the_ranks_follow() -> None:
    for lower, higher in pairwise(NAMES):
        assert shown(hand(f"{lower} {higher}", "k k").net) == "-1 1"


def test_suits_are_equal() -> None:
    for first, second in product("cdhs", repeat=2):
        if first != second:
            assert shown(hand(f"K{first} K{second}", "b c").net) == "0 0"


def test_suits_break_ties_where_they_are_ranked() -> None:
    for lower, higher in pairwise(["Kc", "Kd", "Kh", "Ks", "Ac"]):
        assert shown(hand(f"{higher} {lower}", "b c", rank_suits=True).net) == "2 -2"
    assert shown(hand("Kh Kc Ks Qs", "k k k k", rank_suits=True).net) == "-1 -1 3 -1"


def test_equal_highest_ranks_split_exactly() -> None:
    assert shown(hand("K K K 2 9", "b c c c c").net) == "4/3 4/3 4/3 -2 -2"
    assert shown(hand("K 2 K 3 K 4 K", "k k k k k k k").net) == "3/4 -1 3/4 -1 3/4 -1 3/4"
    assert shown(hand("9 9 2", "k b f c").net) == "1/2 1/2 -1"


def test_every_player_sees_all_cards_but_the_own() -> None:
    play = hand("2 K 9 4")
    assert [" ".join(map(str, play.seen(seat))) for seat in range(4)] == ["K 9 4", "2 9 4", "2 K 4", "2 K 9"]


@pytest.mark.parametrize(
    ("cards", "rank_suits", "message"),
    [
        ("K 4", False, "expected 3 cards, one for each seat from seat 1, got 2"),
        ("K 4 4 4", False, "expected 3 cards"),
        ("Kh 4 Kh", False, "each card exists once, got Kh more than once"),
        ("Kh 4 Kc", True, "expected a card with its suit, such as 4h .*, got 4"),
        ("Kh 1 Kc", False, r"got '1' \(second of Kh 1 Kc\)"),
    ],
)
def test_cards_that_cannot_be_dealt(cards: str, rank_suits: bool, message: str) -> None:
    with pytest.raises(CardError, match=message):
        BlindHand(BlindMansBluff(players=3, rank_suits=rank_suits), cards)


def test_the_deck_has_four_of_a_rank() -> None:
    assert hand("10 T 10h Td 2").cards[0] == Card(10)
    with pytest.raises(CardError, match="the deck has four cards of rank 10, got 5"):
        hand("10 T 10h Td 10")


def test_a_hand_in_progress_has_no_result() -> None:
    play = hand("5 9 7", "k b")
    assert (play.over, play.to_act, play.outcome) == (False, 2, None)
    assert format_history(play.legal) == "f c r"
    with pytest.raises(HistoryError, match=r'the hand is not over after "k b": P3 is to act; legal: f c r'):
        _ = play.net


# Every history, against the rules written once more in the plainest way.


class Naive(NamedTuple):
    """A position, told from a whole history: who acts (None at the end), who is left, what is paid."""

    seat: int | None
    left: tuple[int, ...]
    paid: tuple[int, ...]
    actions: str


def naive(players: int, max_raises: int, history: str, bet: int = 1, raised: int = 1) -> Naive:
    """Replay a history of letters from the rules' text: ask around the table who must still act."""
    left, answered = list(range(players)), set[int]()
    paid, target, seat = [0] * players, 0, 0
    for letter in history:
        if letter in "br":
            target += bet if letter == "b" else raised
            answered.clear()
        if letter == "f":
            left.remove(seat)
        else:
            paid[seat] = target
        answered.add(seat)
        clockwise = [(seat + step) % players for step in range(1, players)]
        waiting = [other for other in clockwise if other in left and other not in answered]
        if len(left) == 1 or not waiting:
            return Naive(None, tuple(left), tuple(paid), "")
        seat = waiting[0]
    facing = "fcr" if history.count("r") < max_raises else "fc"
    return Naive(seat, tuple(left), tuple(paid), facing if target else "fkb")


def histories(players: int, max_raises: int, history: str = "") -> Iterator[tuple[str, Naive]]:
    """Give every history that the plain rules allow, and where it leads."""
    position = naive(players, max_raises, history)
    yield history, position
    for letter in position.actions:
        yield from histories(players, max_raises, history + letter)


def counts(public: FixedLimit, position: Any) -> Counter[str]:
    """Count decision nodes and ends of the public tree."""
    if isinstance(position, Outcome):
        return Counter([type(position).__name__])
    return sum((counts(public, after) for _, after in public.moves(position)), Counter(["nodes"]))


TREES = {
    (2, 0): (4, 4, 3), (2, 1): (6, 6, 5), (2, 2): (8, 8, 7),
    (3, 0): (18, 9, 16), (3, 1): (42, 21, 40), (3, 2): (90, 45, 88),
    (4, 0): (64, 18, 61), (4, 1): (234, 68, 231), (4, 2): (788, 238, 785),
}  # fmt: skip
"""Decision nodes, wins without a showdown, showdowns by (players, max raises)."""


@pytest.mark.parametrize("shape", TREES, ids=str)
def test_public_trees(shape: tuple[int, int]) -> None:
    public = FixedLimit(*shape)
    found = counts(public, public.root)
    expected: Counter[str] = Counter()
    for history, position in histories(*shape):
        reached = public.follow(" ".join(history))[1]
        if position.seat is not None:
            expected["nodes"] += 1
            assert public.player(reached) == position.seat
            assert [str(action) for action, _ in public.moves(reached)] == list(position.actions)
        elif len(position.left) == 1:
            expected["LastLeft"] += 1
            assert reached == LastLeft(position.left[0], position.paid)
        else:
            expected["Showdown"] += 1
            assert reached == Showdown(position.left, position.paid)
    assert found == expected
    assert (found["nodes"], found["LastLeft"], found["Showdown"]) == TREES[shape]


@settings(deadline=None)
@given(specs(), st.data())
def test_counters_are_conserved_in_every_hand(spec: BlindMansBluff, data: st.DataObject) -> None:
    play = play_at_random(spec, data)
    letters = "".join(str(action) for action in play.history)
    plain = naive(spec.players, spec.max_raises, letters, spec.bet_size, spec.raise_size)
    assert (plain.seat, plain.paid) == (None, play.paid)
    assert sum(play.net) == 0
    # No hand costs more than m, which is what keeps a session without all-ins.
    assert max(play.paid) + 1 <= 1 + spec.bet_size + spec.max_raises * spec.raise_size
    worth = [(card.rank, "cdhs".index(card.suit) if spec.rank_suits else 0) for card in play.cards]
    best = max(worth[seat] for seat in plain.left)
    for seat, (net, paid) in enumerate(zip(play.net, play.paid, strict=True)):
        wins = plain.left == (seat,) or (seat in plain.left and worth[seat] == best)
        assert net > -1 - paid if wins else net == -1 - paid
    assert len({net + 1 + paid for net, paid in zip(play.net, play.paid, strict=True)} - {0}) == 1
    assert BlindHand(spec, " ".join(map(str, play.cards)), format_history(play.history)).net == play.net


# Options.


def test_default_options() -> None:
    normal = {
        "game": "blind-mans-bluff", "players": 2, "max_raises": 1, "bet_size": 1, "raise_size": 1,
        "rank_suits": False, "objective": "chips", "locks": [],
    }  # fmt: skip
    assert BlindMansBluff.from_options({}).to_dict() == BlindMansBluff().to_dict() == normal


@given(specs())
def test_options_and_back(spec: BlindMansBluff) -> None:
    options = spec.to_dict()
    assert options.pop("game") == "blind-mans-bluff"
    assert BlindMansBluff.from_options(options) == spec
    assert options == {}


def test_options_may_be_text_and_unknown_ones_stay() -> None:
    options = {"players": "4", "max_raises": "0", "bet_size": "2", "stacks": "10,10"}
    assert BlindMansBluff.from_options(options) == BlindMansBluff(players=4, max_raises=0, bet_size=2)
    assert options == {"stacks": "10,10"}


def test_without_raises_their_size_is_no_difference() -> None:
    assert BlindMansBluff.from_options({"max_raises": 0, "raise_size": 9}) == BlindMansBluff(max_raises=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "expected players to be from 2 to 10, got 1"),
        ({"players": 11}, "expected players to be from 2 to 10, got 11"),
        ({"players": "two"}, "expected players to be a whole number, got 'two'"),
        ({"max_raises": -1}, "expected max raises to be from 0 to 20, got -1"),
        ({"max_raises": 21}, "expected max raises to be from 0 to 20, got 21"),
        ({"bet_size": 0}, "expected bet size to be from 1 to 100, got 0"),
        ({"raise_size": 0}, "expected raise size to be from 1 to 100, got 0"),
        ({"raise_size": 1.5}, "expected raise size to be a whole number, got 1.5"),
        ({"rank_suits": "yes"}, "expected rank suits to be true or false, got 'yes'"),
        ({"rank_suits": 1}, "expected rank suits to be true or false, got 1"),
        ({"objective": "glory"}, "expected objective to be chips or session, got 'glory'"),
        ({"locks": ["x"]}, "expected no locks"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        BlindMansBluff.from_options(options)


@pytest.mark.parametrize(
    ("players", "max_raises", "bet_size", "raise_size"), [(10, 8, 1, 1), (10, 4, 1, 2), (2, 0, 49, 1), (4, 3, 6, 6)]
)
def test_100_counters_must_cover_a_session(players: int, max_raises: int, bet_size: int, raise_size: int) -> None:
    options = {"players": players, "max_raises": max_raises, "bet_size": bet_size, "raise_size": raise_size}
    spec = BlindMansBluff.from_options({**options})
    assert players * spec.public.most == 100
    assert Session(spec).hands_left == players
    with pytest.raises(ChipsError, match="expected seat 1 to have at least 1"):
        Session(BlindMansBluff.from_options({**options, "bet_size": bet_size + 1}))


def test_100_counters_must_cover_a_hand() -> None:
    assert BlindMansBluff.from_options({"bet_size": 79, "max_raises": 20}).public.most == 100
    with pytest.raises(OptionError, match=r"a hand can cost 101 counters \(1 \+ 80 \+ 20 x 1\)"):
        BlindMansBluff.from_options({"bet_size": 80, "max_raises": 20})


# The hand that two players solve.


@pytest.mark.parametrize("rank_suits", [False, True])
def test_prior_with_card_removal(rank_suits: bool) -> None:
    (only,) = BlindMansBluff(rank_suits=rank_suits).classes()
    (deal,) = only.deals
    assert (deal.board, deal.weight, only.weight) == ("", 1.0, 1.0)
    names = tuple(WHOLE_DECK) if rank_suits else NAMES
    assert deal.observations == (names, names)
    ways = Counter((second, first) for first, second in permutations(WHOLE_DECK, 2))
    if not rank_suits:
        ways = Counter((second[:-1], first[:-1]) for second, first in ways)
    # P1 sees P2's card (the row), P2 sees P1's (the column).
    expected = [[ways[second, first] / (52 * 51) for first in names] for second in names]
    np.testing.assert_allclose(only.hand.prior, expected, rtol=1e-15)
    assert only.hand.prior.dtype == np.float64


@pytest.mark.parametrize("rank_suits", [False, True])
def test_utility_is_the_net_of_seat_1(rank_suits: bool) -> None:
    spec = BlindMansBluff(rank_suits=rank_suits, max_raises=2, bet_size=2)
    ((solved, ((_, _, (names, _)),)),) = spec.classes()
    cards = [Card.parse(name) for name in names]
    outcomes = {solved.public.follow(" ".join(history))[1] for history, end in histories(2, 2) if end.seat is None}
    for outcome in outcomes:
        matrix = solved.utility(outcome)
        assert matrix.dtype == np.float64
        # P1 sees P2's card (the row), P2 sees P1's (the column).
        for (row, other), (column, own) in product(enumerate(cards), enumerate(cards)):
            assert matrix[row, column] == spec.settle(outcome, (own, other))[0]


def test_observations_as_users_write_them() -> None:
    assert [BlindMansBluff().observation(text) for text in ("kh", "T", "A♠", 7)] == ["K", "10", "A", "7"]
    ranked = BlindMansBluff(rank_suits=True)
    assert [ranked.observation(text) for text in ("kh", "TD", "A♠")] == ["Kh", "10d", "As"]
    with pytest.raises(CardError, match="expected a card with its suit, such as Kh"):
        ranked.observation("K")
    with pytest.raises(CardError, match=r"got '11' \(the card seen\)"):
        ranked.observation("11")


def test_headline() -> None:
    assert BlindMansBluff().headline == "2 players, fresh deck, bet 1, at most 1 raise of 1"
    other = BlindMansBluff(players=4, max_raises=2, bet_size=2, raise_size=3, rank_suits=True)
    assert other.headline == "4 players, fresh deck, bet 2, at most 2 raises of 3, suits ranked"
    assert BlindMansBluff(max_raises=0).headline == "2 players, fresh deck, bet 1, no raises"


def test_more_than_two_players_have_no_pairs_of_observations() -> None:
    with pytest.raises(SizeError, match=r"^a pair of observations is what two players have, got 3 players"):
        BlindMansBluff(players=3).classes()


# Three players: values of two simple strategy profiles, from an independent enumeration.

RANKS = range(2, 15)


@cache
def expected_net(public: FixedLimit, outcome: Any, player: int, seen: tuple[int, int]) -> Fraction:
    """Return what a player nets on average over the own card, the two others seen, times the ways to deal it."""
    spec = BlindMansBluff(players=3)
    total = Fraction(0)
    for own in RANKS:
        cards = [Card(rank) for rank in (*seen[:player], own, *seen[player:])]
        total += (4 - seen.count(own)) * spec.settle(outcome, cards)[player]
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    ("passive", "values", "best"),
    [
        (False, "-229/972 -35/972 22/81", "453217/397800 407701/358020 1729592/1342575"),
        (True, "0 0 0", "336/1105 336/1105 336/1105"),
    ],
    ids=["uniform", "passive"],
)
def test_values_of_three_players(passive: bool, values: str, best: str) -> None:
    public = FixedLimit(3, 1)

    def value(position: Any, player: int, seen: tuple[int, int], choosing: bool) -> Fraction:
        """Return the player's value, all others (and the player, unless choosing) playing the profile."""
        if isinstance(position, Outcome):
            return expected_net(public, position, player, seen)
        moves = [after for _, after in public.moves(position)]
        if choosing and public.player(position) == player:
            return max(value(after, player, seen, choosing) for after in moves)
        # Check or call comes second, after fold.
        mixed = moves[1:2] if passive else moves
        return sum((value(after, player, seen, choosing) for after in mixed), Fraction(0)) / len(mixed)

    def average(player: int, choosing: bool) -> Fraction:
        """Weigh by the ways to deal the two cards seen; `expected_net` has those of the own card."""
        ways = {(first, second): 4 * (4 - (first == second)) for first, second in product(RANKS, repeat=2)}
        total = sum((n * value(public.root, player, seen, choosing) for seen, n in ways.items()), Fraction(0))
        return total / (52 * 51 * 50)

    assert shown(average(player, choosing=False) for player in range(3)) == values
    assert shown(average(player, choosing=True) for player in range(3)) == best
