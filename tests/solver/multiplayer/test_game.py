"""A hand for any number of players as flat arrays, against the rules' own objects."""

from itertools import product
from typing import Any

import pytest

from rules.betting.public_game import Outcome
from rules.cards.playing_cards import Card
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.games.registry import hand
from solver.multiplayer.evaluation import MultiplayerGame
from solver.multiplayer.game import FOLDING, GOING_ON, RAISING, Betting


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
def test_nodes_have_what_the_rules_say_of_their_states(spec: BlindMansBluff) -> None:
    table = spec.around_the_table()
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
        legal = dict(spec.public.moves(state))
        assert tree.actions(node) == tuple(legal)
        for place, (action, to) in enumerate(legal.items()):
            row = tree.first[node] + place
            assert betting.kind[row] == {"f": FOLDING, "k": GOING_ON, "c": GOING_ON}.get(str(action), RAISING)
            assert (tree.child[row] < 0) == isinstance(to, Outcome)
            if isinstance(to, Outcome):
                assert tree.outcomes[~tree.child[row]] == to


@pytest.mark.parametrize("spec", SMALL[:4], ids=lambda spec: spec.headline)
def test_settlement_is_the_rules_own(spec: BlindMansBluff) -> None:
    game = MultiplayerGame.of(spec.around_the_table())
    ranks = (0, 1, 12)
    deals = [deal for deal in product(ranks, repeat=spec.players) if max(map(deal.count, ranks)) <= 4]
    for ending, outcome in enumerate(game.betting.tree.outcomes):
        won = [game.worth(player, ending) for player in range(spec.players)]
        for deal in deals:
            expected = spec.settle(outcome, [Card(2 + rank) for rank in deal])
            assert [one[deal] for one in won] == pytest.approx([float(net) for net in expected], abs=1e-12)


def test_ranked_suits_leave_no_ties() -> None:
    spec = table_of(3, rank_suits=True)
    table = spec.around_the_table()
    assert (len(table.cards), table.copies) == (52, 1)
    _, outcome = spec.public.follow("b c f")
    cards = ("Kh", "Kd", "2s")
    game = MultiplayerGame.of(table)
    deal, ending = tuple(map(table.cards.index, cards)), game.betting.tree.outcomes.index(outcome)
    won = [game.worth(player, ending)[deal] for player in range(3)]
    assert won == [float(net) for net in spec.settle(outcome, spec.dealt(cards))] == [3, -2, -1]


@pytest.mark.parametrize(("players", "nodes", "actions", "endings"), [(3, 42, 102, 30), (4, 234, 532, 91)])
def test_sizes(players: int, nodes: int, actions: int, endings: int) -> None:
    betting = Betting.of(table_of(players).around_the_table())
    assert (betting.tree.nodes, len(betting.tree.child), len(betting.left)) == (nodes, actions, endings)
