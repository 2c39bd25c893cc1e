"""Strategies against each other over whole matches: exact chances, played matches, and the rules of thumb."""

from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import strategies
from reports.answering.duels import Pair, evaluated
from rules.base.errors import OptionError
from rules.betting.chips import Chips
from rules.games.deck_models import FULL
from rules.games.registry import hand
from rules.tactics.tactic import GIVE_UP, AlwaysCall
from solver.match import players, simulation
from solver.match.duels import Odds, win_probabilities
from solver.match.hands import MatchHands
from solver.match.players import CHIPS, MATCH, Player, RuleFollower, make_player, names
from solver.match.simulation import Tally, simulate
from solver.match.sweeps import MatchSolver, left_by
from solver.match.table import MatchTable
from tests.support.commands import good, run
from tests.support.helpers import refused
from tests.support.match.match_games import InTurn, match_hands, table_of
from tests.support.match.plain_matches import Play, always_call, anything, as_player, chances, followed

GAMES = ("indian-poker", "indian-holdem", "double-sided")
PLAIN: dict[str, Play] = {"call": always_call, "random": anything}


def start(hands: MatchHands, odds: Odds) -> tuple[float, float]:
    """Return the chances at the start, betting first and second."""
    number = hands.number[hands.spec.chips]
    return float(odds.first[number]), float(odds.second[number])


def everybody(hands: MatchHands, gap: float) -> tuple[MatchTable, dict[str, Player]]:
    """Return a match solved, and all players."""
    table = table_of(hands, gap)
    return table, {name: make_player(name, hands, table) for name in names(hands.spec)}


# Against plain Python.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "total", "given"),
    [
        ("indian-poker", 4, {}),
        ("indian-poker", 6, {"tie_bust": "loses", "raises": "1,allin"}),
        ("indian-holdem", 4, {}),
        ("double-sided", 2, {}),
        pytest.param("double-sided", 4, {"tie_bust": "loses"}, marks=pytest.mark.slow),
    ],
)
def test_chances_are_those_of_every_deal_and_history(game: str, total: int, given: dict[str, Any]) -> None:
    hands = match_hands(game, total, **given)
    for one, other in permutations(PLAIN, 2):
        found = win_probabilities(hands, make_player(one, hands), make_player(other, hands))
        plain = chances(hands.spec, (PLAIN[one], PLAIN[other]))
        for mine, theirs in zip(found, plain, strict=True):
            np.testing.assert_allclose(mine, [theirs[chips] for chips in hands.states], atol=1e-11)


@pytest.mark.parametrize(("one", "other"), [(MATCH, "text"), (CHIPS, "random")])
def test_solved_strategies_are_played_as_they_are(one: str, other: str) -> None:
    hands = match_hands("indian-poker", 4)
    _, every = everybody(hands, 1e-3)
    found = win_probabilities(hands, every[one], every[other])
    plain = chances(hands.spec, (as_player(hands, every[one]), as_player(hands, every[other])))
    for mine, theirs in zip(found, plain, strict=True):
        np.testing.assert_allclose(mine, [theirs[chips] for chips in hands.states], atol=1e-6)


@pytest.mark.slow
def test_followed_decks_are_those_of_a_plain_recursion() -> None:
    hands = match_hands("indian-poker", 4, "exact")
    found = win_probabilities(hands, make_player("call", hands), make_player("random", hands))
    np.testing.assert_allclose(np.stack(found), followed(4, (always_call, anything)), atol=1e-11)


# What chances must be, whoever plays.

SMALL = [
    ("indian-poker", 6, "fresh", {}),
    pytest.param("indian-poker", 4, "exact", {}, marks=pytest.mark.slow),
    ("indian-holdem", 6, "fresh", {"tie_bust": "loses"}),
    ("double-sided", 4, "fresh", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "total", "model", "given"), SMALL)
def test_both_players_chances_sum_to_one_and_match_is_never_below_what_is_proved(
    game: str, total: int, model: str, given: dict[str, Any]
) -> None:
    hands = match_hands(game, total, model, **given)
    table, every = everybody(hands, 1e-3)
    lower, upper = table.lower[FULL], table.upper[FULL]
    for name, other in every.items():
        mine = win_probabilities(hands, every[MATCH], other)
        assert (mine.first >= lower - 1e-12).all()
        assert (mine.second >= 1.0 - upper - 1e-12).all()
        theirs = win_probabilities(hands, other, every[MATCH], threads=1)
        np.testing.assert_allclose(mine.first + theirs.second, 1.0, atol=1e-11)
        np.testing.assert_allclose(mine.second + theirs.first, 1.0, atol=1e-11)
        if name == MATCH:
            assert ((lower - 1e-9 <= mine.first) & (mine.first <= upper + 1e-9)).all()


@pytest.mark.parametrize(("game", "total"), [("indian-poker", 8), ("indian-holdem", 6)])
def test_match_keeps_what_is_proved_against_its_best_answer_and_others_are_no_worse(game: str, total: int) -> None:
    hands = match_hands(game, total)
    table, every = everybody(hands, 1e-3)
    lower, upper = table.lower[FULL].astype(float), table.upper[FULL].astype(float)
    while True:  # the best answers to strategies held fast, by policy iteration
        found = MatchSolver(hands, InTurn(hands)).sweep(table.values, lower, upper, table.hand_gap, proof=True)
        before, (lower, upper) = (lower, upper), left_by(*found.leads[1:], 0.0)
        if np.allclose((lower, upper), before, rtol=0.0, atol=1e-12):
            break
    assert (lower >= table.lower[FULL] - 1e-9).all()
    assert (upper <= table.upper[FULL] + 1e-9).all()
    assert (upper - lower).max() > 1e-6
    for other in every.values():
        mine = win_probabilities(hands, every[MATCH], other)
        assert (mine.first >= lower - 1e-9).all()
        assert (mine.second >= 1.0 - upper - 1e-9).all()


def test_nobody_wins_a_match_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    class AlwaysFold(AlwaysCall):
        def wants(self, chips: Any, state: Any) -> Any:
            return super().wants(chips, state) * 0 + GIVE_UP

    hands = match_hands("indian-poker", 6, penalties="none")
    folder = RuleFollower(hands, AlwaysFold)
    found = win_probabilities(hands, folder, folder)
    assert start(hands, found) == (0.5, 0.5)
    # With one chip the antes are all-in, and each is higher 9 times in 19. Who wins so and is to bet first folds the
    # chip again, y = 9/19 y + 1/19 x; who wins so and has bet first is in the endless part, x = 9/19 1/2 + 1/19 y.
    assert found.first[hands.number[Chips(1, 5, 0)]] == pytest.approx(5 / 21)
    assert found.second[hands.number[Chips(5, 1, 0)]] == pytest.approx(1 / 42)
    monkeypatch.setattr(simulation, "MOST_HANDS", 30)
    played = simulate(hands, (folder, folder), 10, renewed=True)
    assert played.first + played.second == Tally(0, 0, 10)
    assert played.hands == 300
    caller = make_player("call", hands)
    first, second = start(hands, win_probabilities(hands, caller, folder))
    assert (first, second) == pytest.approx((1.0, 1.0))


# Played matches.


@pytest.mark.parametrize(
    ("game", "model"), [pytest.param("indian-poker", "exact", marks=pytest.mark.slow), ("double-sided", "fresh")]
)
def test_each_hand_is_found_among_those_beside_it(game: str, model: str) -> None:
    hands = match_hands(game, 6, model)
    for deck in range(0, hands.model.number, 97):
        deals = len(hands.model.deals(deck))
        for deal, chips in product((0, deals - 1), hands.states):
            piece, place = hands.find(deck, deal, chips)
            kind, state = hands.hands(piece)
            level, cap = hands.model.levels[piece.level], hands.cap(piece.cap)
            dealt_from = hands.level(piece.level).deck
            assert level[dealt_from[kind[place]]] == deck
            assert kind[place] - int(np.searchsorted(dealt_from, dealt_from[kind[place]])) == deal
            assert hands.states[cap.states[state[place]]] == chips
            assert piece.hands <= cap.together
            assert piece.start % cap.together == 0


@pytest.mark.slow
@pytest.mark.parametrize(("game", "total", "model", "given"), SMALL)
def test_intervals_of_played_matches_hold_the_exact_chances(
    game: str, total: int, model: str, given: dict[str, Any]
) -> None:
    hands = match_hands(game, total, model, **given)
    _, every = everybody(hands, 5e-3)
    for one, other in [(MATCH, "text"), (CHIPS, "random")]:
        pair = every[one], every[other]
        first, second = start(hands, win_probabilities(hands, *pair))
        played = simulate(hands, pair, 800, seed=5, renewed=model == "fresh")
        both = played.first + played.second
        assert both.matches == 800
        for tally, chance in ((played.first, first), (played.second, second), (both, 0.5 * (first + second))):
            low, high = tally.interval
            assert low <= chance <= high
            assert high - low < 0.15


def test_the_seed_says_it_all() -> None:
    hands = match_hands("indian-poker", 6)
    pair = make_player("text", hands), make_player(CHIPS, hands)
    once = simulate(hands, pair, 200, seed=1, renewed=True, threads=1)
    assert simulate(hands, pair, 200, seed=1, renewed=True, threads=2) == once
    assert simulate(hands, pair, 200, seed=2, renewed=True) != once
    assert once.first + once.second != simulate(hands, pair, 200, seed=1)  # from one deck
    fewer = simulate(hands, pair, 100, seed=1, renewed=True)
    assert all(few <= many for few, many in zip(fewer.first, once.first, strict=True))  # the same matches first


def test_draws_count_half() -> None:
    hands = match_hands("indian-poker", 4, tie_bust="loses")
    pair = make_player("call", hands), make_player("call", hands)
    played = simulate(hands, pair, 400, renewed=True)
    both = played.first + played.second
    assert both.drawn > 0
    assert both.rate == (both.won + 0.5 * both.drawn) / 400
    low, high = both.interval
    assert low < 0.5 < high


def test_an_interval_is_wilsons() -> None:
    # Both ends solve |p - rate| = z sqrt(p (1 - p) / n).
    for tally in (Tally(37, 63), Tally(0, 20), Tally(9, 0), Tally(1, 2, 3)):
        for end in tally.interval:
            distance = 2.5758293035489004 * (end * (1 - end) / tally.matches) ** 0.5
            assert abs(end - tally.rate) == pytest.approx(distance, abs=1e-7)
    assert Tally().interval == (0.0, 1.0)


def test_there_must_be_a_match_and_a_player() -> None:
    hands = match_hands("indian-poker", 4)
    caller = make_player("call", hands)
    with refused(OptionError, "at least 1 match", "0"):
        simulate(hands, (caller, caller), 0)
    with refused(OptionError, "a player (match, chips, call, random, text)", "'bluff'"):
        make_player("bluff", hands)
    with refused(OptionError, "a match table for the player match"):
        make_player(MATCH, hands)
    assert players.names(hand("indian-poker")) == (MATCH, CHIPS, "call", "random", "text")


# The rules of thumb, sentence by sentence.


def does(game: str, history: str, observation: str, **options: Any) -> str:
    """Return what the text's player does in a hand after a history, seeing a card."""
    spec: Any = hand(game, **options)
    ((layout, _),) = spec.grouped()
    from rules.tactics.registry import TACTICS

    _, position = spec.public.follow(history)
    tactic = TACTICS[game][-1]([layout], 10)
    actions = [action for action, _ in spec.public.moves(position)]
    mix = tactic.mixes(spec.chips, position, actions)
    assert mix.shape == (len(actions), 1, 10)
    column = layout.observations[spec.public.player(position)].index(observation)
    (place,) = np.flatnonzero(mix[:, 0, column])
    return str(actions[place])


@pytest.mark.parametrize(
    ("history", "sees", "options", "done"),
    [
        ("", "1", {}, "b5"),  # their card is low: the largest short of all-in
        ("", "5", {}, "b1"),  # a little better than even: the least
        ("", "9", {}, "f"),  # fold cheaply
        ("b1", "5", {}, "c"),
        ("b1", "1", {}, "r5"),
        ("b1", "8", {}, "f"),
        ("b5", "5", {}, "c"),  # a hard bet at a card that is low rather: it may be a 10
        ("b5", "5", {"penalties": "none"}, "f"),  # and without the penalty it is a reason to fold
        ("b1", "5", {"left": [0, 0, 0, 1, 2, 1, 0, 0, 0, 0]}, "c"),
        ("b1", "5", {"left": [0, 0, 0, 1, 2, 1, 0, 0, 0, 0], "carry": 2}, "f"),  # more careful after a tie
        ("b1", "9", {"left": [0, 0, 0, 0, 0, 0, 0, 0, 2, 2]}, "r5"),  # the deck is rich in 10s
    ],
)
def test_indian_poker_is_played_by_its_text(history: str, sees: str, options: dict[str, Any], done: str) -> None:
    assert does("indian-poker", history, sees, **options) == done


@pytest.mark.parametrize(
    ("history", "sees", "options", "done"),
    [
        ("b1", "9", {"board": "2,8"}, "f"),
        ("b1", "1", {"board": "2,8"}, "r5"),
        ("b1", "4", {"board": "5,6"}, "f"),  # they have a straight; the fold is cheap for most cards
        ("b1", "7", {"board": "5,6", "left": [0, 0, 0, 2, 2, 2, 2, 0, 0, 0]}, "c"),  # every card costs a penalty
    ],
)
def test_indian_holdem_is_played_by_its_text(history: str, sees: str, options: dict[str, Any], done: str) -> None:
    assert does("indian-holdem", history, sees, **options) == done


@pytest.mark.parametrize(
    ("history", "fronts", "back", "done"),
    [
        ("", "10,3", "4", "front:b5"),  # clearly ahead
        ("", "3,5", "10", "back:b5"),
        ("", "2,8", "3", "f"),
        ("front:b1", "3,8", "9", "both"),  # they play a front that both numbers beat
        ("front:b1", "8,3", "9", "back:r5"),  # one of them beats it for sure
        ("front:b1", "8,3", "4", "f"),
        ("back:b1", "3,5", "4", "f"),  # a back that is played is bigger than its front
        ("front:b1 both", "5,6", "1", "c"),
        ("front:b1 both", "1,6", "5", "f"),
    ],
)
def test_double_sided_is_played_by_its_text(history: str, fronts: str, back: str, done: str) -> None:
    assert does("double-sided", history, back, fronts=fronts) == done


# The commands.

FEW = ("simulate", "indian-poker", "--stacks", "3,3", "--matches", "300")


def test_matches_are_simulated_with_and_without_a_table(tmp_path: Path) -> None:
    file = tmp_path / "match.npz"
    good("match", "indian-poker", "--stacks", "3,3", "--gap", "0.01", "-o", file)
    once = good(*FEW, "--gap", "0.01", "--second", "text")
    assert "match against text: indian-poker, the match from 3/3" in once.out
    assert "300 matches with seed 0, each hand dealt from a fresh deck" in once.out
    assert good("simulate", "indian-poker", "--from", file, "--matches", "300", "--second", "text").out == once.out
    assert good(*FEW, "--first", "call", "--second", "text", "--seed", "1").out != once.out
    assert max(map(len, once.out.splitlines())) < 80


def test_every_form_of_a_simulation_says_the_same() -> None:
    table, csv, data = (good(*FEW, "--first", "text", "--second", "call", "--format", style).out for style in STYLES)
    rows = [line.split(",") for line in csv.splitlines()]
    assert rows[0][:3] == ["player", "against", "bets"]
    assert [row[2] for row in rows[1:]] == ["first", "second", "either"]
    assert f"{float(rows[3][7]):.2%}".replace("%", " %") in table
    assert '"dealt_from": "fresh"' in data
    assert "every later hand is dealt from a full deck" in table


@pytest.mark.parametrize("game", GAMES)
def test_one_deck_can_be_dealt_until_it_is_used_up(game: str) -> None:
    few = ("simulate", game, "--stacks", "12,12", "--raise-limit", "0", "--matches", "20", "--deal", "deck")
    told = " ".join(good(*few, "--first", "text", "--second", "random").out.split())
    assert "one deck dealt until it is used up" in told
    assert "the players take every deck for a full one" in told
    assert "dealt from a full deck" not in told


@pytest.mark.slow
def test_decks_that_are_followed_are_dealt_until_they_are_used_up() -> None:
    exact = good(*FEW, "--first", "text", "--second", "call", "--deck-model", "exact", "--format", "json").json
    assert (exact["deck_model"], exact["dealt_from"], exact["matches"]) == ("exact", "one deck", 300)


STYLES = ("table", "csv", "json")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("indian-poker", "--first", "bluff"), ("match, chips, call, random, text", "'bluff'")),
        (("blind-mans-bluff",), ("until one has all chips",)),
        (("indian-poker", "--matches", "0"), ("--matches", "at least 1")),
        (("indian-holdem", "--deck-model", "exact", "--first", "call"), ("indian-poker alone",)),
    ],
)
def test_bad_input_is_refused(arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    done = run("simulate", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    for part in parts:
        assert part in done.err


def test_a_table_of_another_match_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "match.npz"
    good("match", "indian-poker", "--stacks", "2,2", "--gap", "0.01", "-o", file)
    for more, part in (
        (("indian-holdem",), "is of indian-poker, not of indian-holdem"),
        (("indian-poker", "--tie-bust", "loses"), "says --tie-bust already"),
        (("indian-poker", "--deck-model", "exact"), "is of the deck model fresh, not exact"),
    ):
        done = run("simulate", *more, "--from", file)
        assert done.code == 2
        assert part in done.err


def test_exact_chances_are_told_with_what_is_proved() -> None:
    table = table_of(match_hands("indian-poker", 4), 1e-3)
    screen = evaluated(Pair.of(table.spec, "fresh", (MATCH, "text"), table))
    odds = {row["bets"]: row for row in screen.data["odds"]}
    assert list(odds) == ["first", "second", "either"]
    assert all(row["win"] >= row["proved"] - 1e-9 for row in odds.values())
    assert odds["either"]["win"] == pytest.approx(0.5 * (odds["first"]["win"] + odds["second"]["win"]))
    assert "match bets first" in screen.text
    turned = evaluated(Pair.of(table.spec, "fresh", ("text", MATCH), table)).data["odds"]
    assert [row["proved"] for row in turned] == [None] * 3
    assert turned[0]["win"] == pytest.approx(1.0 - odds["second"]["win"])


def test_exact_chances_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "match.npz"
    good("match", "indian-poker", "--stacks", "2,2", "--gap", "0.001", "-o", file)
    once = good("match", "indian-poker", "--evaluate", "match", "text", "--from", file)
    assert "proved against anybody" in once.out
    again = good("match", "indian-poker", "--stacks", "2,2", "--evaluate", "match", "text", "--threads", "1")
    assert again.out == once.out
    mine = good("match", "indian-poker", "--stacks", "2,2", "--evaluate", "call", "text", "--format", "json").json
    theirs = good("match", "indian-poker", "--stacks", "2,2", "--evaluate", "text", "call", "--format", "json").json
    assert mine["odds"][2]["win"] + theirs["odds"][2]["win"] == pytest.approx(1.0)


def test_the_table_of_all_players_has_a_row_for_each() -> None:
    rows = list(strategies.lines("indian-poker:2:fresh", 0.01, 1))
    assert [row.split(" | ")[1] for row in rows] == ["chips", "call", "random", "text"]
