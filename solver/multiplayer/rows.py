"""What every row of a profile earns: expected values under a belief, and what following the profile gives up.

A row is a public node with the cards that its player sees there. What is believed of the own card is Bayes' rule where
the others' play comes to the row at least `REACHED` of the time. Elsewhere somebody has made a mistake: there every
player's actions are counted as the profile has them but for a part `MISTAKEN`, and that part is drawn by *mistakes*,
probabilities of their own which are above 0 for every action (`drawn_mistakes`: the less a mistake costs, the
likelier it is). Either way the belief is about what has happened; below the row everybody is taken to follow the
profile, so an expected value is what play from there earns.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.multiplayer.evaluation import MultiplayerGame, Profile

REACHED = 1e-3
"""Where the others' play comes at least so often a belief is Bayes' rule alone."""

MISTAKEN = 1e-3
"""How many actions count as mistakes where play does not come."""

LEAST = 0.01
"""How much of all mistakes is drawn evenly, so that a belief excludes nothing."""

STAKES = 9.0
"""What lies between the most and the least that a player can win in the usual hand of three, in chips."""

COST = 0.03
"""A mistake that costs so much more, in chips of the usual hand of three, is e times less likely."""

SETTLED = 4
"""How many times mistakes are drawn by what they cost."""

GIVEN_UP = 0.1
"""What a row may give up, in chips of the usual hand of three; less where less can be won."""


class Rows(NamedTuple):
    """Every row of a profile; A actions, N nodes, C columns, float64.

    Parameters
    ----------
    ev
        The acting player's expected utility of each action, counted from before the ante, shape (A, C).
    given_up
        What the best play from a row on would win more than the profile, shape (N, C), 0 or more.
    best
        1 for the action with which the best play from a row on begins, else 0, shape (A, C).
    own_reach, met
        How likely the player's own actions lead to a row, and, given the cards seen, the others'; shape (N, C).
    """

    ev: NDArray[np.float64]
    given_up: NDArray[np.float64]
    best: NDArray[np.float64]
    own_reach: NDArray[np.float64]
    met: NDArray[np.float64]

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether play comes to a row at least once in 1,000 times, shape (N, C)."""
        return (self.own_reach >= REACHED) & (self.met >= REACHED)


class Beliefs:
    """What everybody's play tells about how a node was come to.

    Parameters
    ----------
    game
        The table.
    profile
        What is played, shape (A, C).
    mistakes
        How mistakes are drawn, as the profile; even where None.
    """

    def __init__(self, game: MultiplayerGame, profile: Profile, mistakes: Profile | None = None) -> None:
        self.game = game
        drawn = evenly(game) if mistakes is None else mistakes
        self.reach = game.reach(profile)
        self._slipped = game.reach((1.0 - MISTAKEN) * profile + MISTAKEN * drawn)

    def met(self, node: int) -> NDArray[np.float64]:
        """Return how likely the others' actions lead to a node, given what its player sees, shape (C,)."""
        return self.game.met(node, self.reach)

    def joint(self, node: int) -> NDArray[np.float64]:
        """Return how likely deals are at a node, but for a factor for all that is seen, shape (kinds, ..., kinds)."""
        player = int(self.game.betting.tree.player[node])
        near = self.game.dealt(self.met(node) >= REACHED, player)
        return np.where(near, self.game.joint(node, self.reach), self.game.joint(node, self._slipped))

    def along(self, actions: tuple[int, ...], player: int, near: bool) -> NDArray[np.float64]:
        """Return how likely each deal is where the others have taken these last actions, shape (kinds, ..., kinds).

        Parameters
        ----------
        actions
            The last action of each player, A where there is none.
        near
            Whether by Bayes' rule alone.
        """
        found, reach = self.game.deals.probability, self.reach if near else self._slipped
        for other, action in enumerate(actions):
            if other != player:
                found = found * self.game.dealt(reach[action], other)
        return found


def evenly(game: MultiplayerGame) -> Profile:
    """Return the profile that draws every action alike, shape (A, 1)."""
    tree = game.betting.tree
    return np.asarray(1.0 / np.diff(tree.first)[tree.node_of_action][:, None])


def stake(game: MultiplayerGame) -> float:
    """Return how much larger the hand is than the usual one of three players, by what can be won and lost."""
    return float((game.utilities.max() - game.utilities.min()) / STAKES)


def given_up_at_most(game: MultiplayerGame) -> float:
    """Return what a row gives up at most without saying so, in the unit of the objective."""
    return GIVEN_UP * min(1.0, stake(game))


def likely_mistakes(game: MultiplayerGame, ev: NDArray[np.float64]) -> Profile:
    """Return how mistakes are drawn where actions are worth so much: the less one costs, the likelier it is."""
    tree, cost = game.betting.tree, max(1e-12, COST * stake(game))
    loss = np.maximum.reduceat(ev, tree.first[:-1], axis=0)[tree.node_of_action] - ev
    drawn = np.exp(-np.minimum(60.0, loss / cost))
    drawn /= np.add.reduceat(drawn, tree.first[:-1], axis=0)[tree.node_of_action]
    return np.asarray((1.0 - LEAST) * drawn + LEAST * evenly(game))


def drawn_mistakes(game: MultiplayerGame, profile: Profile) -> Profile:
    """Return how mistakes are drawn where a profile is played: by what they cost under beliefs that they make.

    Even ones come first; then, `SETTLED` times, they are drawn by what they cost, halfway from those before. So they
    follow from the profile alone.
    """
    found: Profile = evenly(game) + np.zeros_like(profile)
    for step in range(SETTLED):
        likely = likely_mistakes(game, expected(game, profile, found))
        found = likely if step == 0 else 0.5 * (found + likely)
    return found


def expected(game: MultiplayerGame, profile: Profile, mistakes: Profile | None = None) -> NDArray[np.float64]:
    """Return `Rows.ev` alone."""
    return _walked(game, profile, mistakes, False).ev


def rows_of(game: MultiplayerGame, profile: Profile, mistakes: Profile | None = None) -> Rows:
    """Return what every row of a profile earns, and gives up against the best play from there on."""
    return _walked(game, profile, mistakes, True)


def _walked(game: MultiplayerGame, profile: Profile, mistakes: Profile | None, best: bool) -> Rows:
    tree, beliefs = game.betting.tree, Beliefs(game, profile, mistakes)
    ev, chosen = np.zeros((len(tree.child), game.columns)), np.zeros((len(tree.child), game.columns))
    given_up, own, met = (np.zeros((tree.nodes, game.columns)) for _ in range(3))
    shape = (tree.nodes, *game.deals.probability.shape)
    for player in range(game.deals.players):
        followed, answered = np.zeros(shape), np.zeros(shape if best else 0)
        for node in range(tree.nodes - 1, -1, -1):
            acting, rows = int(tree.player[node]), tree.rows(node)
            here = [
                followed[child] if child >= 0 else game.worth(player, ~child) for child in tree.child[rows].tolist()
            ]
            for row, worth in zip(profile[rows], here, strict=True):
                followed[node] += game.dealt(row, acting) * worth
            if best:
                there = [
                    answered[child] if child >= 0 else worth
                    for child, worth in zip(tree.child[rows].tolist(), here, strict=True)
                ]
            if acting != player:
                if best:
                    for row, worth in zip(profile[rows], there, strict=True):
                        answered[node] += game.dealt(row, acting) * worth
                continue
            joint = beliefs.joint(node)
            weight = joint.sum(axis=player).ravel()
            scale = np.where(weight > 0.0, 1.0 / np.where(weight > 0.0, weight, 1.0), 0.0)
            ev[rows] = [(joint * worth).sum(axis=player).ravel() * scale for worth in here]
            own[node], met[node] = beliefs.reach[game.betting.own_before[node]], beliefs.met(node)
            if best:
                values = np.array([(joint * worth).sum(axis=player).ravel() for worth in there])
                first = values.argmax(axis=0)
                chosen[rows] = np.arange(len(values))[:, None] == first
                for row, worth in zip(chosen[rows], there, strict=True):
                    answered[node] += game.dealt(row, player) * worth
                more = (values.max(axis=0) - (joint * followed[node]).sum(axis=player).ravel()) * scale
                given_up[node] = np.maximum(0.0, more)
    return Rows(ev, given_up, chosen, own, met)
