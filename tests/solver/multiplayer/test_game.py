"""A hand for any number of players as flat arrays, against the rules' own objects."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.betting.actions import FOLD
from rules.betting.public_game import Outcome
from rules.cards.playing_cards import Card
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.games.registry import hand
from solver.multiplayer.game import FOLDING, GOING_ON, RAISING, Betting, settle
from tests.support.games.small_games import BRISK


def table_of(players: int, **options: Any) -> BlindMansBluff:
    spec = hand("blind-mans-bluff", players=players, **options)
    assert isinstance(spec, BlindMansBluff)
    return spec


SMALL = [
    table_of(2),
    table_of(3),
    table_of(3, max_raises=2, bet_size=2, raise_size=3),
    table_of(4, max_raises=0),
    table_of(5, rank_suits=True),
]


@pytest.mark.parametrize("spec", SMALL, ids=lambda spec: spec.headline)
@pytest.mark.parametrize("free_folds", [True, False])
def test_nodes_have_what_the_rules_say_of_their_states(spec: BlindMansBluff, free_folds: bool) -> None:
    table = spec.around_the_table(free_folds)
    betting = Betting.of(table)
    tree, seats = betting.tree, range(spec.players)
    for node in range(tree.nodes):
        actions, state = spec.public.follow(tree.history(node))
        assert actions == tree.history(node)
        assert tree.player[node] == spec.public.player(state)
        assert betting.present[node].tolist() == [seat in state.left for seat in seats]
        assert betting.pending[node].tolist() == [seat in state.pending for seat in seats]
        assert betting.paid[node].tolist() == list(state.paid)
        assert betting.bets[node] == state.bets
        legal = {
            action: to for action, to in spec.public.moves(state) if free_folds or state.bets or action.kind != FOLD
        }
        assert tree.actions(node) == tuple(legal)
        for place, (action, to) in enumerate(legal.items()):
            row = tree.first[node] + place
            assert betting.kind[row] == {"f": FOLDING, "k": GOING_ON, "c": GOING_ON}.get(str(action), RAISING)
            assert (tree.child[row] < 0) == isinstance(to, Outcome)
            if isinstance(to, Outcome):
                assert tree.outcomes[~tree.child[row]] == to


@pytest.mark.parametrize("players", [3, 4])
def test_without_free_folds_only_histories_with_one_are_missing(players: int) -> None:
    whole, lean = (Betting.of(table_of(players).around_the_table(free)) for free in (True, False))
    histories = {whole.tree.history(node) for node in range(whole.tree.nodes)}

    def free(history: tuple[Any, ...]) -> bool:
        first = next((place for place, action in enumerate(history) if str(action) == "b"), len(history))
        return any(action.kind == FOLD for action in history[:first])

    kept = {lean.tree.history(node) for node in range(lean.tree.nodes)}
    assert kept == {history for history in histories if not free(history)}
    assert kept < histories


@pytest.mark.parametrize("spec", SMALL[:4], ids=lambda spec: spec.headline)
def test_settlement_is_the_rules_own(spec: BlindMansBluff) -> None:
    betting = Betting.of(spec.around_the_table())
    ranks = (0, 1, 12)
    deals = np.array([deal for deal in product(ranks, repeat=spec.players) if max(map(deal.count, ranks)) <= 4])
    for outcome, left, cost in zip(betting.tree.outcomes, betting.left, betting.cost, strict=True):
        expected = [spec.settle(outcome, [Card(2 + rank) for rank in deal]) for deal in deals.tolist()]
        assert settle(deals, left, cost) == pytest.approx(np.array(expected, dtype=float), abs=1e-12)


def test_ranked_suits_leave_no_ties() -> None:
    spec = table_of(3, rank_suits=True)
    table = spec.around_the_table()
    assert (len(table.cards), table.copies) == (52, 1)
    _, outcome = spec.public.follow("b c f")
    cards = ("Kh", "Kd", "2s")
    places = np.array([table.cards.index(card) for card in cards])
    left, cost = table.ended(outcome)
    won = settle(places, np.isin(np.arange(3), left), np.array(cost, dtype=float))
    assert won.tolist() == [float(net) for net in spec.settle(outcome, spec.dealt(cards))] == [3, -2, -1]


@given(st.data())
@BRISK
def test_counters_are_conserved_at_every_table(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 10))
    left = np.array(data.draw(st.lists(st.booleans(), min_size=players, max_size=players).filter(any)))
    cost = np.array(data.draw(st.lists(st.integers(1, 9), min_size=players, max_size=players)), dtype=float)
    cards = np.array(data.draw(st.lists(st.integers(0, 51), min_size=players, max_size=players)))
    won = settle(cards, left, cost)
    assert won.sum() == pytest.approx(0, abs=1e-9)
    assert (won[~left] == -cost[~left]).all()
    assert (won >= -cost).all()


@pytest.mark.parametrize(
    ("players", "free_folds", "nodes", "actions", "endings"),
    [(3, True, 42, 102, 30), (4, True, 234, 532, 91), (4, False, 156, 340, 77), (7, False, 9317, 19075, 2180)],
)
def test_sizes(players: int, free_folds: bool, nodes: int, actions: int, endings: int) -> None:
    betting = Betting.of(table_of(players).around_the_table(free_folds))
    assert (betting.tree.nodes, len(betting.tree.child), len(betting.left)) == (nodes, actions, endings)


@pytest.mark.slow
def test_ten_players() -> None:
    betting = Betting.of(table_of(10).around_the_table(free_folds=False))
    assert (betting.tree.nodes, len(betting.tree.child), len(betting.left)) == (383_430, 771_970, 59_039)
    assert betting.players == 10
