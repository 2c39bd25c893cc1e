"""Rows of three and four players: what each says it earns, against plain recursion, and what no row may play."""

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reports.screens.multiplayer import table_ranked
from rules.betting.actions import FOLD
from rules.betting.public_game import Outcome
from rules.games.multiplayer import MultiplayerHand
from rules.games.registry import hand
from solver.multiplayer.engine import MultiplayerEngine
from solver.multiplayer.evaluation import MultiplayerGame
from solver.multiplayer.resolving import completed
from solver.multiplayer.rows import LEAST, MISTAKEN, REACHED, drawn_mistakes, evenly, likely_mistakes, rows_of
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.solving import solve_table
from solver.multiplayer.spots import card_by_card, spot_at
from tests.support.commands import good
from tests.support.games.tables import ON, TABLES, at_random, naively, small_table, table_name
from tests.support.naive import History, NaiveTable, Seen, TableProfile

pytestmark = pytest.mark.slow


@dataclass
class Plainly:
    """Rows by recursion: a position at a time, a deal at a time, with dictionaries."""

    table: MultiplayerHand
    profile: TableProfile
    mistakes: TableProfile

    def __post_init__(self) -> None:
        self.naive, self.public = NaiveTable(self.table), self.table.public
        self.deals = list(self.naive.deals())
        self.ev: dict[tuple[History, Seen], list[float]] = {}
        self.given_up: dict[tuple[History, Seen], float] = {}
        self.own_card: dict[tuple[History, Seen], dict[int, float]] = {}
        self.belief: dict[tuple[History, Seen], list[tuple[Seen, float]]] = {}
        self.worth: dict[tuple[History, Seen], list[float]] = {}
        self._look((), self.public.root)
        for player in range(self.table.players):
            self._answer((), self.public.root, player)

    def chance(self, history: History, deal: Seen, player: int, slip: float) -> float:
        """Return how likely the others act so with these cards."""
        position, found = self.public.root, 1.0
        for done, action in enumerate(history):
            acting, moves = self.public.player(position), self.public.moves(position)
            place = [one for one, _ in moves].index(action)
            if acting != player:
                key = history[:done], self.naive.seen(deal, acting)
                found *= (1 - slip) * self.profile[key][place] + slip * self.mistakes[key][place]
            position = moves[place][1]
        return found

    def _look(self, history: History, position: Any) -> None:
        """Fill what every deal is worth to everybody, then beliefs and expected values, from the end on."""
        if isinstance(position, Outcome):
            for deal, _ in self.deals:
                self.worth[history, deal] = self.naive.win(position, deal)
            return
        player, moves = self.public.player(position), self.public.moves(position)
        for action, target in moves:
            self._look((*history, action), target)
        by_seen: dict[Seen, list[tuple[Seen, float]]] = defaultdict(list)
        for deal, chance in self.deals:
            seen = self.naive.seen(deal, player)
            by_seen[seen].append((deal, chance))
            mix = self.profile[history, seen]
            after = [self.worth[(*history, action), deal] for action, _ in moves]
            self.worth[history, deal] = [
                sum(p * one[seat] for p, one in zip(mix, after, strict=True)) for seat in range(self.table.players)
            ]
        for seen, weighted in by_seen.items():
            sure = [(deal, chance * self.chance(history, deal, player, 0.0)) for deal, chance in weighted]
            if sum(w for _, w in sure) < REACHED * sum(chance for _, chance in weighted):
                sure = [(deal, chance * self.chance(history, deal, player, MISTAKEN)) for deal, chance in weighted]
            whole = sum(w for _, w in sure)
            belief = [(deal, w / whole) for deal, w in sure]
            self.belief[history, seen] = belief
            self.own_card[history, seen] = {deal[player]: w for deal, w in belief}
            self.ev[history, seen] = [
                sum(w * self.worth[(*history, action), deal][player] for deal, w in belief) for action, _ in moves
            ]

    def _answer(self, history: History, position: Any, player: int) -> dict[Seen, float]:
        """Return what one player gets by the best answer at every own row, each under its own belief."""
        if isinstance(position, Outcome):
            return {deal: self.worth[history, deal][player] for deal, _ in self.deals}
        acting, moves = self.public.player(position), self.public.moves(position)
        after = [self._answer((*history, action), target, player) for action, target in moves]
        found = {}
        if acting != player:
            for deal, _ in self.deals:
                mix = self.profile[history, self.naive.seen(deal, acting)]
                found[deal] = sum(p * one[deal] for p, one in zip(mix, after, strict=True))
            return found
        for (there, seen), belief in self.belief.items():
            if there != history:
                continue
            values = [sum(w * one[deal] for deal, w in belief) for one in after]
            place = values.index(max(values))
            follow = sum(w * self.worth[history, deal][player] for deal, w in belief)
            self.given_up[history, seen] = max(0.0, max(values) - follow)
            for deal, _ in belief:
                found[deal] = after[place][deal]
        return found


def check(
    table: MultiplayerHand, game: MultiplayerGame, profile: NDArray[np.float64], mistakes: NDArray[np.float64]
) -> Plainly:
    """Compare every row of a profile with plain recursion."""
    plain, rows = Plainly(table, naively(game, profile), naively(game, mistakes)), rows_of(game, profile, mistakes)
    seen_at = list(np.ndindex(*game.deals.seen))
    for node in range(game.betting.tree.nodes):
        history = game.betting.tree.history(node)
        for column, seen in enumerate(seen_at):
            if (history, seen) in plain.ev:
                ev = rows.ev[game.betting.tree.rows(node), column].tolist()
                assert ev == pytest.approx(plain.ev[history, seen], abs=1e-9)
                assert rows.given_up[node, column] == pytest.approx(plain.given_up[history, seen], abs=1e-9)
    return plain


@pytest.mark.parametrize("table", [*TABLES, small_table(4, 2, 3)], ids=table_name)
def test_rows_by_plain_recursion_on_small_decks(table: MultiplayerHand) -> None:
    game = MultiplayerGame.of(table)
    profile = at_random(game, 21)
    check(table, game, profile, likely_mistakes(game, rows_of(game, profile).ev))


@pytest.fixture(scope="module")
def three() -> MultiplayerSolution:
    return solve_table(hand("blind-mans-bluff", players=3))


@pytest.fixture(scope="module")
def file(three: MultiplayerSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "three.npz"
    three.save(path)
    return path


def test_every_row_of_three_players_by_plain_recursion(three: MultiplayerSolution) -> None:
    game = three.game
    plain = check(three.spec.around_the_table(), game, three.profile, three.drawn)
    assert len(plain.ev) == 42 * 169
    for node in range(0, game.betting.tree.nodes, 5):
        history = game.betting.tree.history(node)
        spot = spot_at(three, history)
        for column in range(3, 169, 19):
            expected = plain.own_card[history, tuple(divmod(column, 13))]
            own = dict(enumerate(spot.own_card(column).tolist()))
            assert {card: own[card] for card in expected} == pytest.approx(expected, abs=1e-12)
            after = card_by_card(three, history, spot.player, column)[-1]
            assert after.tolist() == pytest.approx(spot.own_card(column).tolist(), abs=1e-12)


def test_rows_give_up_little_or_say_so(three: MultiplayerSolution) -> None:
    lost, said = three.rows.given_up, 0
    for node in range(three.game.betting.tree.nodes):
        spot = spot_at(three, three.game.betting.tree.history(node))
        assert (spot.gives_up == (lost[node] > 0.1)).all()
        said += int(spot.gives_up.sum())
    assert said < 0.02 * lost.size
    reached = three.rows.reached
    assert (lost[reached] > 0.1).sum() < 0.01 * reached.sum()
    assert three.nash_conv <= 0.005
    assert three.verify().nash_conv == pytest.approx(three.nash_conv, abs=1e-12)


def test_completing_mends_rows_within_what_is_allowed() -> None:
    game = MultiplayerGame.of(small_table(3, 13, 4))
    engine = MultiplayerEngine(game)
    engine.iterate(300, ON)
    start = engine.profile()
    allowed = 1.2 * engine.measure(start).nash_conv
    found = completed(engine, start, allowed)
    assert game.measure(found).nash_conv <= allowed
    lost = [int((rows_of(game, one, drawn_mistakes(game, one)).given_up > 0.1).sum()) for one in (start, found)]
    assert lost[1] < lost[0] / 4


def test_mistakes_follow_from_a_profile_alone_and_exclude_nothing(three: MultiplayerSolution) -> None:
    game, profile = three.game, three.profile
    found = drawn_mistakes(game, profile)
    assert found.tobytes() == three.drawn.tobytes()
    assert np.add.reduceat(found, game.betting.tree.first[:-1], axis=0) == pytest.approx(1.0)
    assert (found >= 0.99 * LEAST * evenly(game)).all()
    # They are near to what they cost under the beliefs that they make.
    again = likely_mistakes(game, rows_of(game, profile, found).ev)
    assert np.abs(again - found).mean() < 0.02


def test_nobody_folds_where_checking_is_free(three: MultiplayerSolution) -> None:
    tree = three.game.betting.tree
    free = 0
    for node in range(tree.nodes):
        spot = spot_at(three, tree.history(node))
        kinds = [action.kind for action in spot.actions]
        if FOLD in kinds and not three.game.betting.bets[node]:
            free += 1
            assert (spot.probability[kinds.index(FOLD)] == 0.0).all()
            assert all(kinds.index(FOLD) not in table_ranked(spot, column).best for column in range(169))
    assert free == 6


@pytest.mark.parametrize(("history", "seen"), [("k", "K,A"), ("k k", "A,Q"), ("", "A,A"), ("f", "A,A"), ("f k", "2,A")])
def test_a_free_fold_is_never_advised(file: Path, history: str, seen: str) -> None:
    told = json.loads(good("advise", "--from", file, "--see", seen, "--history", history, "--format", "json").out)
    fold = told["actions"][0]
    assert (fold["action"], fold["probability"], fold["ev"]) == ("f", 0.0, pytest.approx(-1.0))
    assert "f" not in told["best"]
    assert told["best"]
    assert told["draw"] != "f"
    best = json.loads(good("best", file, "--see", seen, "--history", history, "--format", "json").out)
    assert "f" not in best["best"]


def test_off_the_path_no_row_plays_what_its_values_call_a_blunder(file: Path, three: MultiplayerSolution) -> None:
    told = json.loads(good("advise", "--from", file, "--see", "8,3", "--history", "k b c r c", "--format", "json").out)
    played = {one["action"]: one["probability"] for one in told["actions"]}
    worth = {one["action"]: one["ev"] for one in told["actions"]}
    assert sum(played[one] * worth[one] for one in played) >= max(worth.values()) - 0.1
    rows, tree = three.rows, three.game.betting.tree
    top = np.maximum.reduceat(rows.ev, tree.first[:-1], axis=0)[tree.node_of_action]
    blunders = (three.profile * (top - rows.ev) > 0.1).any(axis=1).sum()
    quiet = np.add.reduceat(three.profile * (top - rows.ev), tree.first[:-1], axis=0)[rows.given_up <= 0.1]
    assert quiet.max() <= 0.1 + 1e-9
    assert blunders < 0.02 * rows.given_up.size


def test_what_a_row_gives_up_is_said_in_words(file: Path, three: MultiplayerSolution) -> None:
    tree = three.game.betting.tree
    node, column = np.unravel_index(three.rows.given_up.argmax(), three.rows.given_up.shape)
    history, spot = " ".join(map(str, tree.history(int(node)))), spot_at(three, tree.history(int(node)))
    assert spot.gives_up[column]
    for command in (("best", file), ("advise", "--from", file)):
        text = " ".join(good(*command, "--see", spot.names[column], "--history", history).out.split())
        assert "The strategy gives up" in text
        assert "no mistake is made to pay" in text
    shown = good("show", file, "--history", history).out
    assert any(line.startswith(f"{spot.names[column]} ") and "!" in line for line in shown.splitlines())


@pytest.mark.parametrize("table", TABLES, ids=table_name)
def test_what_is_left_out_is_never_needed(table: MultiplayerHand) -> None:
    """A best response to any profile wins as much without the actions that are left out."""
    game = MultiplayerGame.of(table)
    tree, allowed = game.betting.tree, game.allowed
    assert not allowed.all()
    assert np.logical_or.reduceat(allowed, tree.first[:-1]).all()
    for seed in range(4):
        profile = at_random(game, seed)
        reach = game.reach(profile)
        for player in range(table.players):
            values = game.action_values(player, profile, reach, best=True)
            for node in np.flatnonzero(tree.player == player).tolist():
                rows = tree.rows(node)
                top = np.where(allowed[rows], values[rows], -np.inf).max(axis=0)
                assert top == pytest.approx(values[rows].max(axis=0), abs=1e-12)


def test_what_is_left_out_where_cards_leave_no_doubt() -> None:
    game = MultiplayerGame.of(hand("blind-mans-bluff", players=3).around_the_table())
    tree = game.betting.tree

    def out(history: str, seen: str) -> set[str]:
        actions, _ = hand("blind-mans-bluff", players=3).public.follow(history)
        node = tree.find(actions)
        column = int(np.ravel_multi_index(tuple("23456789TJQKA".index(card) for card in seen), game.deals.seen))
        rows = tree.rows(node)
        return {str(one) for one, ok in zip(tree.actions(node), game.allowed[rows, column], strict=True) if not ok}

    assert out("b", "22") == {"f"}  # the own card is as good or better, whatever it is
    assert out("k b c", "22") == {"f", "c"}  # nor does a call win more than a raise
    assert out("b f", "2A") == {"f", "c"}  # who folded shows the ace
    assert out("b", "A2") == set()
    assert out("b c", "AA") == set()  # the own card may be an ace too
    assert out("k k", "AK") == {"f"}


def test_a_card_that_surely_loses_calls_nothing() -> None:
    game = MultiplayerGame.of(hand("blind-mans-bluff", players=3, rank_suits=True, max_raises=0).around_the_table())
    tree = game.betting.tree
    actions, _ = hand("blind-mans-bluff", players=3).public.follow("b c")
    rows = tree.rows(tree.find(actions))
    assert [str(one) for one in tree.actions(tree.find(actions))] == ["f", "c"]
    # The ace of spades beats everything; the ace of hearts but one card.
    assert game.allowed[rows][:, np.ravel_multi_index((51, 3), game.deals.seen)].tolist() == [True, False]
    assert game.allowed[rows][:, np.ravel_multi_index((50, 3), game.deals.seen)].tolist() == [True, True]


def test_in_a_session_a_free_fold_stays_where_it_may_help() -> None:
    """A leader by 4 may lose the session by staying in; one by 1, or by 6 in its last hand, has no need to fold."""
    for balances, stays in (("104,100,100", True), ("101,100,100", False), ("106,100,100", False)):
        game = MultiplayerGame.of(hand("blind-mans-bluff", players=3, balances=balances).around_the_table())
        assert game.allowed[0].any() == stays
