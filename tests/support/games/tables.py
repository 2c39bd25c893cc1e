"""Hands of three and more players for tests, and what their profiles give by enumeration."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules.games.multiplayer import MultiplayerHand
from rules.games.registry import hand
from solver.multiplayer.evaluation import MultiplayerGame
from tests.support.naive import TableProfile

ON = np.zeros(1, dtype=np.int64)


def small_table(players: int, kinds: int, copies: int, **options: Any) -> MultiplayerHand:
    """Return a hand with a deck made small."""
    spec: Any = hand("blind-mans-bluff", players=players, **options)
    table: MultiplayerHand = spec.around_the_table()
    return replace(table, cards=table.cards[:kinds], copies=copies)


TABLES = [
    small_table(2, 3, 2),
    small_table(3, 3, 2),
    small_table(3, 2, 4, max_raises=2, bet_size=2, raise_size=3),
    small_table(3, 4, 1),
    small_table(4, 2, 4, max_raises=0),
]


def table_name(table: MultiplayerHand) -> str:
    return f"{table.players} players, {len(table.cards)} x {table.copies}"


def at_random(game: MultiplayerGame, seed: int, zeros: bool = True) -> NDArray[np.float64]:
    """Return a profile at random, with some actions never played."""
    rng, tree = np.random.default_rng(seed), game.betting.tree
    weights = rng.exponential(size=(len(tree.child), game.columns))
    if zeros:
        weights *= rng.random(weights.shape) < 0.7
        weights[tree.first[:-1]] += 0.1
    return np.asarray(weights / np.add.reduceat(weights, tree.first[:-1])[tree.node_of_action])


def naively(game: MultiplayerGame, profile: NDArray[np.float64]) -> TableProfile:
    tree = game.betting.tree
    return {
        (tree.history(node), seen): profile[tree.rows(node), column].tolist()
        for node in range(tree.nodes)
        for column, seen in enumerate(np.ndindex(*game.deals.seen))
    }
