"""`forehead advise`: what it answers, from what, in which words, and what it refuses."""

import json
import shlex
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from rules import hand
from rules.betting.actions import BET, RAISE
from rules.games.spec import HandSpec
from rules.play.log import MatchLog
from solver import Solution, load
from solver.solutions.spots import Spots
from solver.store.cache import Cache
from solver.trees.public_tree import measure
from solver.two_player.memory import largest_within
from solver.within_time import NODES_A_SECOND, answer
from tests.support.commands import Done, advise, good, loaded, run
from tests.support.helpers import FOLD_PENALTY, holdem_kind

FIELDS = {
    "game", "spec", "unit", "board", "history", "player", "gap", "observation", "chips", "actions", "best", "draw",
    "hidden_card", "showdown", "showdown_before", "fold_penalty", "reach", "reached", "source", "objective", "menu",
    "gap_full", "stopped", "aids",
}  # fmt: skip

GAMES = {
    "indian-poker": "--stacks 4,4 --see 4 --history b1",
    "indian-holdem": "--stacks 4,4 --board 4,9 --see 7 --history b1",
    "double-sided": "--stacks 4,4 --fronts 3,8 --back 7 --history front:b1",
    "blind-mans-bluff": "--see K --history b",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def refused(*arguments: str | Path) -> str:
    done = run("advise", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    return done.err.removeprefix("forehead: ").rstrip()


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_game_answers_with_every_field(game: str, tmp_path: Path) -> None:
    line = GAMES[game].split()
    found = advise(game, GAMES[game])
    assert set(found) >= FIELDS
    assert found["game"] == game
    assert found["player"] == "P2"
    assert [set(one) for one in found["actions"]] == [{"action", "probability", "ev", "loss"}] * len(found["actions"])
    assert sum(one["probability"] for one in found["actions"]) == pytest.approx(1)
    assert found["draw"] in {one["action"] for one in found["actions"] if one["probability"] > 0}
    assert (found["menu"], found["gap_full"], found["stopped"]) == (None, None, "gap")
    assert found["gap"] <= 0.001
    text = good("advise", game, *line, "--seed", "1").out
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 32
    rows = good("advise", game, *line, "--seed", "1", "--format", "csv").out.splitlines()
    assert rows[0] == "action,probability,ev,loss,best"
    assert [row.split(",")[0] for row in rows[1:]] == [one["action"] for one in found["actions"]]


def test_the_answer_comes_first_and_the_best_action_on_top() -> None:
    line = f"{GAMES['indian-poker']} --objective chips"
    text = good("advise", "indian-poker", *line.split(), "--seed", "1").out
    found = advise("indian-poker", line)
    lines = text.splitlines()
    table = lines[lines.index("") + 1 :]
    assert table[0].split() == ["play", "EV", "(chips)"]
    best = max(found["actions"], key=lambda one: one["ev"])
    assert f"{best['ev']:+.4f}" in table[1]
    assert table[1].endswith("<- best")


@pytest.mark.parametrize(
    ("name", "line", "deal", "history", "see"),
    [
        ("deck", "", "", "b1", "10"),
        ("deck", "", "", "", "1"),
        ("boards", "--board 1,2", "1,2", "b1", "7"),
        ("pairs", "--fronts 3,8", "3,8", "", "5"),
        ("fronts", "", "3,8", "back:b1", "4"),
        ("bluff", "", "", "b", "K"),
        ("sides", "", "3,8", "front", "4"),
    ],
)
def test_a_look_up_gives_the_row_of_the_solution(
    name: str, line: str, deal: str, history: str, see: str, solved: Path
) -> None:
    file = solved / f"{name}.npz"
    found = advise("", f"--from {file} {line} --see {see}", "--history", history)
    spot = Spots(load(file), deal).at(history)
    column = spot.column(see)
    assert [one["action"] for one in found["actions"]] == [str(action) for action in spot.actions]
    assert [one["probability"] for one in found["actions"]] == spot.probability[:, column].tolist()
    assert [one["ev"] for one in found["actions"]] == spot.ev[:, column].tolist()
    assert found["reach"] == {"own": spot.own_reach[column], "other": spot.other_reach[column]}
    assert found["source"] == spot.sources[column]
    assert found["gap"] == load(file).nash_conv
    top = max(one["ev"] for one in found["actions"])
    assert 1e-4 <= found["resolution"] <= 0.025
    for one in found["actions"]:
        assert one["loss"] == pytest.approx(top - one["ev"], abs=1e-12)
        allowed = found["resolution"] if one["probability"] >= 0.01 else 1e-4
        assert (one["action"] in found["best"]) is (one["loss"] <= allowed)


@pytest.mark.parametrize("arguments", [["--see", "10"], ["--see", "10", "--history", "b1", "--format", "json"]])
def test_a_look_up_loads_numpy_alone(arguments: list[str], solved: Path) -> None:
    assert loaded(solved, "advise", "--from", "deck.npz", *arguments) == {"numpy"}


# What the numbers mean: an enumeration of the deck, weighted by what the other's strategy does.


def others_weight(solution: Solution, board: str, history: str) -> Callable[[str], float]:
    """Return how likely the other's actions so far are, by what the other sees."""
    spots, actions = Spots(solution, board), solution.node(history)[0]

    def weight(seen: str) -> float:
        product = 1.0
        for place in range(len(actions) - 1, -1, -2):
            before = spots.at(" ".join(map(str, actions[:place])))
            product *= float(before.probability[before.actions.index(actions[place]), before.column(seen)])
        return product

    return weight


def enumerated(cards: list[Any], weight: Callable[[Any], float], sign: Callable[[Any], int]) -> tuple[Any, Any]:
    """Return each card's probability, and how often a showdown is won, tied, lost."""
    total = sum(map(weight, cards))
    belief: dict[Any, float] = {}
    for card in cards:
        belief[card] = belief.get(card, 0.0) + weight(card) / total
    signs = {"win": 1, "tie": 0, "lose": -1}
    return belief, {name: sum(p for card, p in belief.items() if sign(card) == s) for name, s in signs.items()}


@pytest.mark.parametrize(
    ("options", "history", "see"),
    [
        ("--seen 1,4,4,9 --stacks 12,8", "b1", 6),
        ("--seen 1,4,4,9 --stacks 12,8", "b3", 10),
        ("--seen 2,3,3,9,9,8 --stacks 4,4", "", 5),
        ("--left 1,0,0,0,1,0,0,0,2,2 --stacks 12,12", "b5", 5),
    ],
)
def test_own_card_odds_showdown_and_penalty_in_indian_poker(
    options: str, history: str, see: int, tmp_path: Path
) -> None:
    file = tmp_path / "x.npz"
    good("solve", "indian-poker", *options.split(), "--gap", "0.01", "-o", file)
    solution = load(file)
    found = advise("", f"--from {file} --see {see}", "--history", history)
    deck = [rank for rank, copies in enumerate(found["spec"]["left"], start=1) for _ in range(copies)]
    deck.remove(see)
    other = others_weight(solution, "", history)
    belief, ends = enumerated(deck, lambda own: other(str(own)), lambda own: (own > see) - (own < see))
    _, before = enumerated(deck, lambda _: 1.0, lambda own: (own > see) - (own < see))
    for rank in set(deck):
        assert found["hidden_card"].get(str(rank), 0.0) == pytest.approx(belief[rank], abs=1e-4)
    assert sum(found["hidden_card"].values()) == pytest.approx(1)
    assert found["showdown"] == pytest.approx(ends, abs=1e-4)
    assert found["showdown_before"] == pytest.approx(before)
    player = len(history.split()) % 2
    left = found["spec"]["stacks"][player] - 1
    cost = min(10, left)
    assert found["fold_penalty"]["expected"] == pytest.approx(belief.get(10, 0.0) * cost, abs=1e-3)
    assert found["fold_penalty"]["by_card"] == ({"10": cost} if belief.get(10) else {})
    assert found["aids"]["hidden_card"]["copies_left"] == {str(rank): deck.count(rank) for rank in sorted(set(deck))}


@pytest.mark.parametrize(("history", "see"), [("b1", 10), ("", 4), ("b3 r1", 6), ("b1 allin", 7)])
def test_own_card_odds_showdown_and_penalty_in_holdem(history: str, see: int, solved: Path) -> None:
    file, board = solved / "board.npz", (4, 9)
    found = advise("", f"--from {file} --see {see}", "--history", history)
    deck = [rank for rank in range(1, 11) for _ in range(4)]
    for card in (*board, see):
        deck.remove(card)
    kinds = ("high card", "pair", "straight", "triple")

    def value(rank: int) -> tuple[int, int]:
        return kinds.index(holdem_kind(rank, board)), rank

    def sign(own: int) -> int:
        return (value(own) > value(see)) - (value(own) < value(see))

    other = others_weight(load(file), "4,9", history)
    belief, ends = enumerated(deck, lambda own: other(str(own)), sign)
    for rank in set(deck):
        assert found["hidden_card"].get(str(rank), 0.0) == pytest.approx(belief[rank], abs=1e-4)
    assert found["showdown"] == pytest.approx(ends, abs=1e-4)
    paid = {"": 0, "b1": 0, "b3 r1": 3, "b1 allin": 1}[history]
    costs = {rank: min(FOLD_PENALTY["final"][holdem_kind(rank, board)], 5 - paid) for rank in belief}
    expected = sum(belief[rank] * costs[rank] for rank in belief)
    assert found["fold_penalty"]["expected"] == pytest.approx(expected, abs=1e-3)
    assert found["chips"]["own"] == 5 - paid
    assert {int(rank): cost for rank, cost in found["fold_penalty"]["by_card"].items()}.items() <= costs.items()


@pytest.mark.parametrize("mine", [(), ("8/5", "8/2")])
def test_backs_and_showdown_in_double_sided(mine: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    line = "--fronts 3,8 --stacks 4,4 --hidden 8,8,8,8 --gap 0.01"
    good("solve", "double-sided", *line.split(), "-o", file)
    known = [word for card in mine for word in ("--mine", card)]
    found = advise("", f"--from {file} --back 7 --history back:b1", *known)  # P2 holds 8/7, P1 3/?
    backs = [back for back in range(1, 11) if back != 3]
    other = others_weight(load(file), "3,8", "back:b1")
    belief, ends = enumerated(backs, lambda back: other(str(back)), lambda back: (back < 8) - (back > 8))
    for back in backs:
        assert found["hidden_card"].get(str(back), 0.0) == pytest.approx(belief[back], abs=1e-4)
    assert found["showdown"].pop("sides") == {"own": "front", "other": "back"}  # 8 is the better side of 8/7
    assert found["showdown"] == pytest.approx(ends, abs=1e-4)
    first = advise("", f"--from {file} --fronts 3,8 --back 7")  # P1 holds 3/7, P2 8/?
    assert set(first["hidden_card"]) == {str(back) for back in range(1, 11) if back != 8}
    assert first["showdown"] is None


def test_own_folded_cards_change_what_is_believed(tmp_path: Path) -> None:
    file, options = tmp_path / "x.npz", "--fronts 3,8 --stacks 4,4 --hidden 8,5 --gap 0.01"
    good("solve", "double-sided", *options.split(), "-o", file)
    line = f"--from {file} --back 7"
    without, told = advise("", line), advise("", line, "--mine", "8/2")
    assert set(without["hidden_card"]) - set(told["hidden_card"]) == {"2"}
    for card, chance in told["hidden_card"].items():
        assert chance == pytest.approx(without["hidden_card"][card] / (1 - without["hidden_card"]["2"]))
    assert [one["probability"] for one in told["actions"]] == [one["probability"] for one in without["actions"]]
    assert "8/2" in refused("--from", file, "--back", "7", "--mine", "8/2", "--mine", "8/2")


def test_what_only_i_know_may_be_worth_more_than_the_mix() -> None:
    hand = "--objective chips --stacks 6,6 --fronts 7,5 --back 6 --history back:b1 --hidden 7,7,7,1,2,3"
    known = ("--mine", "7/8", "--mine", "7/9", "--mine", "7/10")  # so that nothing beats my back
    found = advise("double-sided", hand, *known)
    mix = sum(one["probability"] * one["loss"] for one in found["actions"])
    assert mix > 0.5
    text = " ".join(good("advise", "double-sided", *hand.split(), *known).out.split())
    assert f"To you, who know them, back: {found['best'][0].removeprefix('back:')}" in text.replace("all-in", "allin")
    assert f" is worth {mix:.2f} chips more than that." in text
    alone = good("advise", "double-sided", *hand.split()).out
    assert "To you" not in alone


def test_both_sides_are_told_as_two_numbers() -> None:
    hand = ("--stacks", "4,4", "--fronts", "5,7", "--back", "6", "--history", "back:b1 both")
    text = good("advise", "double-sided", *hand).out
    assert "(your back against their two numbers)" in text


# Whose turn it is, and from whose seat the hand is told.


def test_my_seat_says_the_same_as_p1_and_p2() -> None:
    by_player = advise("indian-poker", "--stacks 3,5 --see 4 --history b1")
    assert advise("indian-poker", "--me 5 --opp 3 --first opp --see 4 --history b1") == by_player
    as_first = advise("indian-poker", "--stacks 5,3 --see 4")
    assert advise("indian-poker", "--me 5 --opp 3 --see 4") == as_first
    fronts = advise("double-sided", "--stacks 3,5 --fronts 8,2 --back 4 --history front:b1")
    told = "--me 5 --opp 3 --first OPP --my-front 2 --opp-front 8 --back 4 --history front:b1"
    assert advise("double-sided", told) == fronts


def test_my_fronts_pick_the_deal_of_a_file(solved: Path) -> None:
    file = solved / "pairs.npz"
    by_player = advise("", f"--from {file} --fronts 3,8 --back 5")
    assert by_player["board"] == "3,8"
    assert advise("", f"--from {file} --my-front 3 --opp-front 8 --back 5") == by_player
    told = advise("", f"--from {file} --first opp --my-front 8 --opp-front 3 --back 5 --history front:b1")
    assert (told["board"], told["player"]) == ("3,8", "P2")
    both = refused("--from", file, "--fronts", "3,8", "--my-front", "3", "--opp-front", "8", "--back", "5")
    assert both.startswith("--fronts is told twice")


def test_my_seat_says_the_same_in_a_solve() -> None:
    by_player = good("solve", "double-sided", "--stacks", "3,5", "--fronts", "8,2", "--format", "json").json
    told = "--me 5 --opp 3 --first opp --my-front 2 --opp-front 8"
    found = good("solve", "double-sided", *told.split(), "--format", "json").json
    lower, upper = by_player["value_bounds"]
    mine = {"value": -by_player["value"], "value_bounds": [-upper, -lower], "classes": [-by_player["value"]]}
    assert (found.pop("seat"), found.pop("to_you")) == ("P2", mine)
    assert found == by_player


def test_where_the_opponent_acts_that_is_the_answer(solved: Path) -> None:
    me = ("indian-poker", "--me", "4", "--opp", "4", "--see", "4")
    after = 'they are to act after "b1": add what they have done to --history, or say --first opp if they bet first in'
    assert refused(*me, "--history", "b1") == f"{after} this hand"
    first = "they are to act first: add what they have done to --history, or say --first me if you bet first in"
    assert refused(*me, "--first", "opp") == f"{first} this hand"
    from_file = ("--from", solved / "deck.npz", "--see", "5", "--first", "me", "--history", "b1")
    assert refused(*from_file) == f"{after} this hand"
    assert good("advise", *from_file[:4], "--first", "opp", "--history", "b1").out


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("--see 4", "Missing argument 'GAME'. (see forehead advise --help)"),
        ("indian-poker", "Missing option '--see' / '--back'. (see forehead advise --help)"),
        ("indian-poker --see 11", "expected a card from 1 to 10, got '11' (the card seen)"),
        ("indian-poker --seen 4,4 --see 4", "expected a card that the deck still has ("),
        ("indian-poker --see 4 --history b1,f", "the hand is over after 'f'"),
        ("indian-poker --stacks 1,4 --see 4", "nobody acts in this hand"),
        ("indian-poker --see 4 --history b2", "'b2' is not offered here; legal: f b1 b3 b5 allin"),
        ("indian-poker --see 4 --mine 3/5", "indian-poker has no own folded cards that stay hidden, got 3/5"),
        ("indian-holdem --see 4", "advise needs --board in indian-holdem: the community cards, such as 4,9"),
        ("double-sided --back 4", "P2's front, such as 3,8, or --my-front 3 --opp-front 8 as you see them"),
        ("indian-poker --see 4 --me 4", "expected both --me and --opp, such as --me 12 --opp 8"),
        ("indian-poker --see 4 --me 4 --opp x", "expected --opp to be a whole number, got 'x'"),
        ("indian-poker --see 4 --me 4 --opp 4 --stacks 4,4", "--stacks is told twice"),
        ("indian-poker --see 4 --my-front 4 --opp-front 4", "indian-poker has no option --my-front"),
        ("blind-mans-bluff --see K --me 4 --opp 4", "blind-mans-bluff has no option --me"),
        ("indian-poker --see 4 --first they", "expected me or opp, got 'they'"),
        ("indian-poker --see 4 --max-seconds 0", "expected --max-seconds to be a number above 0, got '0'"),
        ("indian-poker --see 4 --max-seconds nan", "expected --max-seconds to be a number above 0, got 'nan'"),
        ("indian-poker --see 4 --seed -1", "expected --seed to be at least 0, got -1"),
        ("indian-poker --see 4 --board 4,9", "indian-poker has no option --board"),
        ("indian-poker --see 4 --from {deck} --stacks 4,4", "says --stacks already; leave it out beside --from"),
        ("indian-holdem --see 4 --from {deck}", "solves indian-poker, not indian-holdem"),
        ("--see 4 --from {boards}", "holds 55 deals; say which with --board, from 1,1 to 10,10"),
        ("--see 4 --from {deck}", "expected an observation that the deck allows here"),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(
    line: str, part: str, solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.within_time.largest_within", lambda *_: pytest.fail("it worked"))
    files = {name: str(solved / f"{name}.npz") for name in ("deck", "boards")}
    assert part in refused(*(word.format(**files) for word in line.split()))


# Games too large for the time.


def sizes(spec: HandSpec, history: str) -> set[int]:
    actions, _ = spec.public.follow(history)
    return {action.size for action in actions if action.kind in (BET, RAISE)}


LARGE = [
    ("double-sided", {"stacks": "30,30", "fronts": "3,8"}, ""),
    ("double-sided", {"stacks": "30,30", "fronts": "3,8"}, "front:b1 back:r3 r5"),
    ("double-sided", {"stacks": "30,30", "fronts": "3,8"}, "back:b5 back:r1 r3 r1 r1 r1 r1 r1 r1 r1 r1 r5"),
    ("double-sided", {"stacks": "30,30", "fronts": "3,8", "raises": "any"}, "front:b7 back:r2"),
    ("double-sided", {"stacks": "30,30", "fronts": "3,8", "raises": "2,4,6,7"}, "front:b4 both"),
    ("indian-poker", {"stacks": "25,25"}, "b3 r3 r3"),
    ("indian-poker", {"stacks": "60,60", "raises": "any", "opens": "2,9"}, "b9 r11 r1 r1 r1 r1 allin"),
    ("indian-holdem", {"stacks": "40,40", "board": "4,9", "raise_limit": "9"}, "b1 r1 r1 r1 r1 r1 r1"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "options", "history"), LARGE)
def test_a_smaller_menu_keeps_the_history_and_fits(game: str, options: dict[str, str], history: str) -> None:
    spec = hand(game, **options)
    actions, _ = spec.public.follow(history)
    menu, chosen = largest_within(spec, actions, 10 * NODES_A_SECOND)
    assert menu is not None
    assert measure(chosen.public).decision_nodes <= 10 * NODES_A_SECOND < measure(spec.public, 10**6).decision_nodes
    kept, position = chosen.public.follow(history)
    assert kept == actions
    # What may follow is a part of what might have followed, and more than fold and call where more was there.
    legal = {action for action, _ in chosen.public.moves(position)}
    whole = {action for action, _ in spec.public.moves(spec.public.follow(history)[1])}
    assert legal <= whole
    assert (len(legal) > 2) is (len(whole) > 2)
    # The menu is what it says: the same game comes from typing it.
    words: dict[str, str] = {}
    name = ""
    for word in menu.split():
        if word.startswith("--"):
            name = word[2:].replace("-", "_")
        else:
            words[name] = f"{words.get(name, '')} {word}".strip()
    typed = hand(game, **(options | {name: value.strip('"') for name, value in words.items()}))
    assert typed.to_dict() == chosen.to_dict()


def test_the_whole_game_is_taken_where_it_fits() -> None:
    spec = hand("indian-poker")
    nodes = measure(spec.public).decision_nodes
    assert largest_within(spec, (), nodes) == (None, spec)
    menu, smaller = largest_within(spec, (), nodes - 1)
    assert menu is not None
    assert measure(smaller.public).decision_nodes < nodes


def test_a_smaller_menu_offers_nothing_new() -> None:
    spec = hand("indian-poker", stacks="30,30", raises="1,2,3,4")
    whole = {action for action, _ in spec.public.moves(spec.public.root)}
    smaller = [{action for action, _ in one.public.moves(one.public.root)} for _, one in spec.smaller(())]
    assert all(offered <= whole for offered in smaller)
    assert min(map(len, smaller)) == 2  # fold, and one size
    anything = [{str(action) for action, _ in one.public.moves(one.public.root)} for _, one in spec.smaller()]
    assert {"f", "allin"} in anything


def test_a_smaller_menu_that_keeps_an_all_in_offers_it_nowhere_else() -> None:
    spec = hand("indian-poker", stacks="4,4", raises="1,2")
    history = spec.public.follow("b1 r2")[0]  # which is all-in there, and not at the start
    menus = [dict(one.public.moves(one.public.root)) for _, one in (*spec.smaller(history), *spec.around(history))]
    assert menus
    assert all({str(action) for action in menu} <= {"f", "b1", "b2"} for menu in menus)


@pytest.mark.slow
def test_an_odd_opening_widens_the_opening_alone() -> None:
    spec = hand("double-sided", stacks="30,30", fronts="3,8", raises="any")
    menu, chosen = largest_within(spec, spec.public.follow("front:b7 back:r2")[0], 10 * NODES_A_SECOND)
    assert menu is not None
    raises, opens = chosen.to_dict()["raises"], chosen.to_dict()["opens"]
    assert 7 in opens
    assert 7 not in raises
    assert 2 in raises
    assert f"--opens {','.join(map(str, opens))}" in menu


def test_one_menu_serves_the_usual_histories_of_a_hand() -> None:
    spec = hand("double-sided", stacks="30,30", fronts="3,8")
    menus = {
        largest_within(spec, spec.public.follow(history)[0], 8000)[0]
        for history in ("", "front:b1", "front:b5 back:r3", "back:b1 back:r3 r5")
    }
    assert len(menus) == 1


def test_where_nothing_fits_it_is_the_smallest() -> None:
    spec = hand("indian-poker", stacks="20,20")
    menu, chosen = largest_within(spec, (), 1)
    smallest = min(measure(one.public).decision_nodes for _, one in spec.smaller(()))
    assert menu is not None
    assert measure(chosen.public).decision_nodes == smallest


def test_the_answer_names_its_menu() -> None:
    line = "--stacks 10,10 --see 4 --max-seconds 0.02"
    found = advise("indian-poker", line)
    assert found["menu"] is not None
    assert found["menu"].startswith("--")
    done = good("advise", "indian-poker", *line.split(), "--seed", "1")
    assert f"fewer actions, as many as the time allows: {found['menu']} (NashConv" in " ".join(done.out.split())
    assert found["spec"] != hand("indian-poker").to_dict()


def test_a_line_is_offered_beside_the_menu() -> None:
    spec = hand("double-sided", stacks="30,30", fronts="3,8", raises="allin", raise_limit=1, line="back:b2 front:r7 r3")
    _, position = spec.public.follow("back:bet 2 F:r7 back:r3")
    assert {str(action) for action, _ in spec.public.moves(position)} == {"f", "c", "allin"}
    root = {str(action) for action, _ in spec.public.moves(spec.public.root)}
    assert root == {"f", "front:allin", "back:allin", "back:b2"}
    _, off = spec.public.follow("back:b2 front:allin")
    assert {str(action) for action, _ in spec.public.moves(off)} == {"f", "c"}
    rebuilt = hand(**spec.to_dict())
    assert rebuilt.to_dict() == spec.to_dict()
    assert spec.to_dict()["line"] == "back:b2 front:r7 r3"
    assert any('"back:b2 front:r7 r3"' in note for note in spec.notes)


def test_a_game_with_a_line_is_solved_saved_and_proven(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    good("solve", "indian-poker", "--stacks", "8,8", "--raises", "allin", "--line", "b2 r3", "-o", file)
    good("verify", file)
    found = advise("", f"--from {file} --see 4", "--history", "b2 r3")
    assert [one["action"] for one in found["actions"]] == ["f", "c", "allin"]
    assert found["spec"]["line"] == "b2 r3"
    assert [str(action) for action in Spots(load(file)).at("").actions] == ["f", "b2", "allin"]
    done = run("solve", "indian-poker", "--line", "b2 b3")
    assert (done.code, done.err.startswith("forehead: 'b3' bets where a bet is on the table")) == (2, True)


def test_a_line_that_is_offered_anyway_changes_nothing() -> None:
    plain, lined = hand("indian-poker"), hand("indian-poker", line="b1 r3 r1")
    assert measure(lined.public) == measure(plain.public)


# The time.


@pytest.mark.slow
def test_when_the_time_is_up_the_best_so_far_is_told_and_not_kept(cache: Path) -> None:
    line = "--objective chips --stacks 15,15 --see 4 --history b1 --gap 1e-10 --max-seconds 1.5"
    found = advise("indian-poker", line)
    assert (found["stopped"], found["menu"]) == ("interrupted", None)
    assert found["gap"] > 1e-10
    assert found["source"] in {"solved", "re-solved", "best response"}
    text = good("advise", "indian-poker", *line.split(), "--seed", "1").out
    assert "The time was up before the solve was done: this is the best so far." in " ".join(text.split())
    assert not cache.exists()


@pytest.mark.parametrize("seconds", ["0.01", "0.3"])
def test_the_shortest_time_gives_no_blunder_by_its_own_values(seconds: str) -> None:
    for history in ("", "b1", "b1 r1 r1 r3"):
        line = f"--objective chips --stacks 20,20 --see 4 --history '{history}' --no-cache --max-seconds {seconds}"
        found = json.loads(good("advise", "indian-poker", *shlex.split(line), "--format", "json").out)
        lost = sum(one["probability"] * one["loss"] for one in found["actions"])
        assert lost <= 0.1
        assert found["draw"] in {one["action"] for one in found["actions"] if one["loss"] <= 0.25}


def test_a_stop_from_outside_is_not_kept(cache: Path) -> None:
    spec = hand("indian-poker", stacks="15,15")
    found = answer(spec, "b1", seconds=60, gap=1e-10, cache=Cache(cache), stop=lambda: True)
    assert (found.kept, found.solution.provenance.stopped) == (None, "interrupted")
    assert not cache.exists()


# From a log.


def logged(path: Path, game: str, *hands: dict[str, str], **options: str) -> MatchLog:
    log = MatchLog.new(game, **options)
    for one in hands:
        log.add(**one)
    log.write(path)
    return log


def test_a_log_gives_deck_chips_and_seat(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    logged(file, "indian-poker", {"mine": "4", "theirs": "9", "history": "b1 c"}, stacks="6,6")
    by_hand = advise("indian-poker", "--seen 4,9 --stacks 8,4 --see 5 --history b1")
    assert advise("", f"--log {file} --see 5 --history b1") == by_hand
    assert refused("--log", file, "--see", "5") == "they are to act first: add what they have done to --history"
    assert refused("--log", file, "--see", "5", "--stacks", "4,8") == "the log says --stacks already; leave it out"
    assert refused("--log", file, "--see", "5", "--first", "me") == "the log says --first already; leave it out"
    another = "the log is of indian-poker, not of indian-holdem; leave the game out"
    assert refused("indian-holdem", "--log", file, "--see", "5") == another


def test_a_solve_takes_a_log_too(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    log = logged(file, "indian-holdem", {"mine": "4", "theirs": "9", "history": "b1 c", "board": "1,2"}, stacks="4,4")
    solved = good("solve", "--log", file, "--board", "3,4", "--gap", "0.05", "--format", "json").json
    assert solved["spec"] == hand(**(log.spec.to_dict() | {"board": "3,4"})).to_dict()
    done: Done = run("solve", "--log", file, "--carry", "2")
    assert (done.code, done.err) == (2, "forehead: the log says --carry already; leave it out\n")


def test_a_double_sided_log_brings_my_folded_cards_and_my_seat(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    logged(file, "double-sided", {"mine": "8/2", "theirs": "5", "history": "front:b1 f"}, stacks="4,4")
    line = "--my-front 3 --opp-front 8 --back 7 --history front:b1"
    found = advise("", f"--log {file} {line}")
    assert found["player"] == "P2"
    assert found["spec"]["fronts"] == [8, 3]
    assert "2" not in found["hidden_card"]
    assert found["aids"]["used_cards"]["own_cards_hidden"] == ["8/2"]
    assert advise("", f"--log {file} --fronts 8,3 --back 7 --history front:b1") == found
    assert "the log says --mine already" in refused("--log", file, *line.split(), "--mine", "8/1")


def test_a_log_of_a_match_that_is_over_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    logged(file, "indian-poker", {"mine": "9", "theirs": "4", "history": "allin c"}, stacks="4,4")
    assert refused("--log", file, "--see", "5") == "the match ended with hand 1, you have won; no hand can follow"


def test_a_seed_draws_the_same_action(solved: Path) -> None:
    spot = Spots(load(solved / "deck.npz")).at("b1")
    mixed = int((spot.probability > 0.1).sum(axis=0).argmax())
    line = ("--from", solved / "deck.npz", "--see", spot.observations[mixed], "--history", "b1")
    draws = [good("advise", *line, "--seed", str(seed), "--format", "json").json for seed in range(30)]
    mix = {one["action"] for one in draws[0]["actions"] if one["probability"] > 0.1}
    assert len(mix) > 1
    assert mix <= {one["draw"] for one in draws}
    again = good("advise", *line, "--seed", "3", "--format", "json").json
    assert json.dumps(again) == json.dumps(draws[3])


def test_two_cards_left_are_enough() -> None:
    for own, other in permutations((3, 10)):
        found = advise("indian-poker", f"--left 0,0,1,0,0,0,0,0,0,1 --stacks 4,4 --see {other}")
        assert found["hidden_card"] == {str(own): 1.0}
        assert found["showdown"] == {"win": float(own > other), "tie": 0.0, "lose": float(own < other)}
