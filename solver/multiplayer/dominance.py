"""Actions that nobody need ever play: another one is never worse there, whatever the own card and the others do.

What an action can win at most is compared with what another one guarantees, deal by deal: the most over everything
that can follow, and the least where the player goes on in one of two plain ways (`WAYS`) and the others do whatever
hurts most. Where for every own card that the deck allows the guarantee is as much as the other's most, the other
action is out. That is so of folds where checking is free (check, and fold to a bet: never less than the ante is
lost), of folds where a call cannot lose, and of calls that cannot win. It follows from the utilities alone, so that it
holds for any objective: where a fold can give the pot to somebody who had better have it, it stays in.

Leaving such actions out loses no equilibrium and makes no profile look better than it is: a best response never needs
them.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solver.multiplayer.game import FOLDING, GOING_ON, Betting, Deals

SAME = 1e-12
"""Utilities that differ by less are the same."""

GIVING_UP, STAYING = range(2)
WAYS = (GIVING_UP, STAYING)
"""How a player may go on: check, and fold to a bet; or check and call."""


class Settled(Protocol):
    """A hand in arrays that knows what its endings are worth: a `solver.multiplayer.evaluation.MultiplayerGame`."""

    @property
    def betting(self) -> Betting:
        """The betting."""

    @property
    def deals(self) -> Deals:
        """The cards."""

    @property
    def columns(self) -> int:
        """Sets of cards that a player can see."""

    def worth(self, player: int, ending: int) -> NDArray[np.float64]:
        """Return what a player wins at an ending at every deal, shape (kinds, ..., kinds)."""


def undominated(game: Settled) -> NDArray[np.bool_]:
    """Say which actions are never beaten by another one that is as good with every own card.

    Returns
    -------
    ndarray, shape (A, columns), bool
        At least one action of each node is True for everything that its player may see.
    """
    found = np.ones((len(game.betting.tree.child), game.columns), dtype=bool)
    for player in range(game.deals.players):
        _drop(game, player, found)
    return found


def _drop(game: Settled, player: int, found: NDArray[np.bool_]) -> None:
    """Mark the dominated actions of one player."""
    betting, tree, dealt = game.betting, game.betting.tree, game.deals.probability > 0.0
    most = _most(game, player)
    sure = [_guaranteed(game, player, way) for way in WAYS]
    seen = game.deals.seeing.ravel() > 0.0

    def always(holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.asarray((holds | ~dealt).all(axis=player).ravel()) & seen

    for node in np.flatnonzero(tree.player == player).tolist():
        rows = range(int(tree.first[node]), int(tree.first[node + 1]))
        at_most = {row: _after(game, player, row, most) for row in rows}
        at_least = {row: [_after(game, player, row, one) for one in sure] for row in rows}
        for row in rows:
            for other in rows:
                if other == row:
                    continue
                never_worse = [always(least >= at_most[row] - SAME) for least in at_least[other]]
                out = np.logical_or(*never_worse) & found[other]
                if betting.kind[row] != FOLDING:  # of two that are equal the fold goes
                    out &= ~always(at_most[other] <= at_most[row] + SAME)
                found[row] &= ~out


def _after(game: Settled, player: int, row: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what an action leads to, by deals: an ending's worth, or the value of the next node."""
    child = int(game.betting.tree.child[row])
    return values[child] if child >= 0 else game.worth(player, ~child)


def _most(game: Settled, player: int) -> NDArray[np.float64]:
    """Return what a player wins at most from each node, shape (N, kinds, ..., kinds)."""
    tree = game.betting.tree
    found = np.empty((tree.nodes, *game.deals.probability.shape))
    for node in range(tree.nodes - 1, -1, -1):
        rows = range(int(tree.first[node]), int(tree.first[node + 1]))
        found[node] = np.maximum.reduce([_after(game, player, row, found) for row in rows])
    return found


def _guaranteed(game: Settled, player: int, way: int) -> NDArray[np.float64]:
    """Return what a player who goes on in one of `WAYS` wins at least from each node."""
    tree, kind = game.betting.tree, game.betting.kind
    found = np.empty((tree.nodes, *game.deals.probability.shape))
    for node in range(tree.nodes - 1, -1, -1):
        rows = list(range(int(tree.first[node]), int(tree.first[node + 1])))
        if tree.player[node] == player:
            folds = way == GIVING_UP and game.betting.bets[node] > 0
            (rows,) = [[row for row in rows if kind[row] == (FOLDING if folds else GOING_ON)]]
        found[node] = np.minimum.reduce([_after(game, player, row, found) for row in rows])
    return found
