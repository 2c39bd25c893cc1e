"""What a profile of any number of players is worth, and what each could still gain, in plain numpy.

This is the path of everything that reads a solution, and the proof of a saved one: every deal and every history,
without the compiled kernels. A profile has a row for each action of the tree and a column for each set of cards
that the acting player can see (`solver.multiplayer.game.Deals.seen`, flattened).

With more than two players a profile has no exploitability, and small gains do not make it part of an equilibrium
that others play too: what is measured is how much each player alone could gain, and the sum, NashConv.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import SizeError
from rules.games.multiplayer import MultiplayerHand
from solver.multiplayer.dominance import undominated
from solver.multiplayer.game import Betting, Deals, utilities

MOST_DEALS = 200_000
"""Deals up to which every one is looked at."""

Profile = NDArray[np.float64]
"""Probabilities, shape (A, columns)."""


class Measured(NamedTuple):
    """Each player's value when all play the profile, and what a best response would add; float64."""

    values: NDArray[np.float64]
    gains: NDArray[np.float64]

    @property
    def nash_conv(self) -> float:
        """The sum of all players' gains, 0 or more."""
        return float(self.gains.sum())


@dataclass(frozen=True, eq=False)
class MultiplayerGame:
    """A table in arrays.

    Parameters
    ----------
    betting, deals
        The betting and the cards.
    utilities
        What endings are worth, as `solver.multiplayer.game.utilities` has it.
    """

    betting: Betting
    deals: Deals
    utilities: NDArray[np.float64]

    @classmethod
    def of(cls, table: MultiplayerHand) -> "MultiplayerGame":
        """Return the arrays of a table.

        Raises
        ------
        SizeError
            Where there are more deals than `MOST_DEALS`.
        """
        check_deals(table)
        betting = Betting.of(table)
        return cls(betting, Deals.of(table), utilities(table, betting))

    @property
    def columns(self) -> int:
        """Sets of cards that a player can see, in the order of their seats."""
        return int(self.deals.kinds ** (self.deals.players - 1))

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Whether each action may be played, shape (A, columns): see `solver.multiplayer.dominance.undominated`."""
        return undominated(self)

    def without_dominated(self, weights: NDArray[np.floating[Any]]) -> Profile:
        """Return what weights are in proportion to among the actions that are allowed; even where these are 0."""
        kept = np.where(self.allowed, weights, 0.0)
        none = np.add.reduceat(kept, self.betting.tree.first[:-1], axis=0)[self.betting.tree.node_of_action] <= 0.0
        return proportions(self, np.where(none, self.allowed, kept))

    def who_wins(self, ending: int) -> NDArray[np.int64]:
        """Return who shares the pot at every deal at an ending, as bits, shape (kinds, ..., kinds)."""
        left = self.betting.left[ending]
        if left.tobytes() not in self._winners:
            self._winners[left.tobytes()] = self.deals.winners(left)
        return self._winners[left.tobytes()]

    @cached_property
    def _winners(self) -> dict[bytes, NDArray[np.int64]]:
        return {}

    def won(self, player: int, ending: int) -> NDArray[np.float64]:
        """Return the probability of every deal times what a player wins there at an ending."""
        return np.asarray(self.deals.probability * self.worth(player, ending))

    def worth(self, player: int, ending: int) -> NDArray[np.float64]:
        """Return what a player wins at an ending at every deal, shape (kinds, ..., kinds)."""
        return np.asarray(self.utilities[ending, :, player][self.who_wins(ending)])

    def dealt(self, row: NDArray[Any], player: int) -> NDArray[Any]:
        """Return a row over what a player sees as an array that broadcasts over deals."""
        return np.expand_dims(row.reshape(self.deals.seen), player)

    def reach(self, profile: Profile) -> NDArray[np.float64]:
        """Return how likely each player's own actions lead through each action, shape (A + 1, columns).

        The last row is the start, where nobody has acted.
        """
        betting, tree = self.betting, self.betting.tree
        found = np.ones((len(tree.child) + 1, self.columns))
        for node in range(tree.nodes):
            found[tree.rows(node)] = found[betting.own_before[node]] * profile[tree.rows(node)]
        return found

    def joint(self, node: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of every deal times that of the others' actions that lead to a node.

        Parameters
        ----------
        reach
            What `reach` returns.

        Returns
        -------
        ndarray
            Shape (kinds, ..., kinds), float64; the acting player's own actions count as certain.
        """
        player, found = int(self.betting.tree.player[node]), self.deals.probability
        for other, action in enumerate(self.betting.before[node].tolist()):
            if other != player:
                found = found * self.dealt(reach[action], other)
        return found

    def met(self, node: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how likely the others' actions lead to a node, given what its player sees, shape (columns,)."""
        joint = self.joint(node, reach).sum(axis=int(self.betting.tree.player[node])).ravel()
        seeing = self.deals.seeing.ravel()
        return np.where(seeing > 0.0, joint / np.where(seeing > 0.0, seeing, 1.0), 0.0)

    def payoffs(self, player: int, reach: NDArray[np.float64], finals: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a player's counterfactual payoffs of whole histories, shape (len(finals), columns).

        Parameters
        ----------
        reach
            What `reach` returns.
        finals
            Places in `Betting.final`.
        """
        found = np.zeros((len(finals), self.columns))
        for row, place in zip(found, finals.tolist(), strict=True):
            joint = self.won(player, int(self.betting.ending[place]))
            for other, action in enumerate(self.betting.last[place].tolist()):
                if other != player:
                    joint = joint * self.dealt(reach[action], other)
            row[:] = joint.sum(axis=player).ravel()
        return found

    def action_values(
        self,
        player: int,
        profile: Profile,
        reach: NDArray[np.float64],
        best: bool = False,
    ) -> NDArray[np.float64]:
        """Return a player's counterfactual value of each own action, shape (A + 1, columns).

        The last row is the value of the hand, by cards seen. After the action the player goes on with the profile,
        or by a best response; rows of the others' actions are 0.
        """
        betting, tree = self.betting, self.betting.tree
        found = np.zeros((len(tree.child) + 1, self.columns))
        counted = np.arange(len(betting.final))
        np.add.at(found, betting.last[counted, player], self.payoffs(player, reach, counted))
        for node in np.flatnonzero(tree.player == player)[::-1].tolist():
            rows = tree.rows(node)
            here = found[rows].max(axis=0) if best else (profile[rows] * found[rows]).sum(axis=0)
            found[betting.own_before[node]] += here
        return found

    def measure(self, profile: Profile) -> Measured:
        """Return every player's value, and the gain of a best response to the others."""
        reach = self.reach(profile)
        own, best = (
            np.array([self._worth(player, profile, reach, best) for player in range(self.deals.players)])
            for best in (False, True)
        )
        return Measured(own, np.maximum(0.0, best - own))

    def _worth(self, player: int, profile: Profile, reach: NDArray[np.float64], best: bool) -> float:
        return float(self.action_values(player, profile, reach, best)[-1].sum())


def check_deals(table: MultiplayerHand) -> None:
    """Refuse a table with more deals than `MOST_DEALS`."""
    number = len(table.cards) ** table.players
    if number > MOST_DEALS:
        raise SizeError(
            f"every deal is counted with at most {MOST_DEALS:,} of them; {table.players} players with "
            f"{len(table.cards)} different cards have {number:,}"
        )


def proportions(game: MultiplayerGame, weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the strategy that weights, 0 or more, are in proportion to; even where all are 0."""
    tree = game.betting.tree
    exact = weights.astype(np.float64)
    sums = np.add.reduceat(exact, tree.first[:-1], axis=0)[tree.node_of_action]
    even = 1.0 / np.diff(tree.first)[tree.node_of_action][:, None]
    return np.where(sums > 0.0, exact / np.where(sums > 0.0, sums, 1.0), even)
