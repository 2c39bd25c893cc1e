"""Complete a profile of more than two players: sensible rows where play never goes, as far as that is safe.

Regret minimisation and a descent on NashConv leave rows that play seldom comes to as they happen to be. Here they
are answered, under the beliefs that `solver.multiplayer.rows` defines, in two ways:

1. **Regret matching on rows**: every row that play does not reach learns from the expected values of its actions, given
   that the row is come to, while rows that are reached stay as they are. Mistakes are learned on the way, those
   that cost little being the likeliest: then what a player does about another's mistake is what meets those who had
   nearly made it anyway, and no mistake is made to pay.
2. **Rows that still give up much**, the reached ones too, drop the actions that lose, or take the best answer, one
   player's rows at a time.

A change counts only where NashConv of the whole stays within what is allowed: changes are tried together, and halved
where they are too many. What is left is what cannot be mended so, and `solver.multiplayer.rows` says how much it is.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from solver.multiplayer.engine import MultiplayerEngine
from solver.multiplayer.evaluation import MultiplayerGame, Profile, proportions
from solver.multiplayer.rows import drawn_mistakes, evenly, expected, given_up_at_most, likely_mistakes, rows_of, stake

INERTIA = 0.1
"""What regrets begin with for each iteration, in chips of the usual hand: strategies move slowly, not round."""

SMALL = 1_000_000
"""Actions times deals of a table up to which more work is done."""

ROUNDS, FEW_ROUNDS = 300, 100
"""Iterations of regret matching, of a small table and of a larger one."""

CYCLES = 2
"""How often each player's rows are gone over."""

TRIES, FEW_TRIES = 100, 15
"""How many times NashConv is measured for the changes of one player at a time, by the same sizes."""

GAMMA = 4.0
"""Later iterations count more in averages: iteration t by t to this power."""

TRACE = 1e-3
"""Actions that are played less often are dropped."""

Tried = Callable[[Profile, NDArray[np.bool_], Profile, int], Profile]


def completed(
    engine: MultiplayerEngine, profile: Profile, allowed: float, stop: Callable[[], bool] = lambda: False
) -> Profile:
    """Return a profile with all rows answered.

    Parameters
    ----------
    engine
        Measures NashConv.
    profile
        Shape (A, columns).
    allowed
        What NashConv may be at most, or that of the profile where it is more.
    stop
        Asked between pieces of work; what is done until then counts.
    """
    game, players = engine.game, engine.game.deals.players
    tree, most = game.betting.tree, given_up_at_most(engine.game)
    reached = engine.measure(profile).nash_conv
    half, safe = (_Safe(engine, max(reached, part)) for part in (0.5 * (reached + allowed), allowed))
    kept = _Fewest(profile)
    small = len(tree.child) * game.deals.probability.size <= SMALL
    rounds, tries = (ROUNDS, TRIES) if small else (FEW_ROUNDS, FEW_TRIES)
    everything = np.ones((tree.nodes, game.columns), dtype=bool)
    found = half.tried(profile, _cleaned(game, profile), everything, 1)

    def mended(found: Profile, safe: _Safe, near: bool) -> Profile:
        """Mend rows that give up much, of one player after the other; `near`: those alone that play reaches."""
        mistakes = drawn_mistakes(game, found)
        for player in range(players - 1, -1, -1):
            if small:  # elsewhere that takes long, and changes little
                mistakes = drawn_mistakes(game, found)
            rows = rows_of(game, found, mistakes)
            if not near:
                kept.note(found, int((rows.given_up > most).sum()))
            mine = (rows.given_up > 0.8 * most) & (tree.player == player)[:, None] & (rows.reached | (not near))
            better = _without_losers(game, found, rows.ev, rows.best, most / 2)
            found = safe.tried(found, better, mine, tries, rows.met)
        return found

    found = mended(found, half, near=True)
    learned = _learned(game, found, rounds, stop)
    found = safe.tried(found, learned, _differing(game, found, learned), tries)
    for _ in range(CYCLES):
        if not stop():
            found = mended(found, safe, near=False)
    kept.note(found, int((rows_of(game, found, drawn_mistakes(game, found)).given_up > most).sum()))
    return kept.profile


class _Fewest:
    """The profile of which the fewest rows give up much."""

    def __init__(self, profile: Profile) -> None:
        self._number, self.profile = -1, profile

    def note(self, profile: Profile, number: int) -> None:
        if self._number < 0 or number < self._number:
            self._number, self.profile = number, profile


class _Safe:
    """Takes changes as far as NashConv allows."""

    def __init__(self, engine: MultiplayerEngine, allowed: float) -> None:
        self._engine, self._allowed = engine, allowed

    def tried(
        self,
        profile: Profile,
        other: Profile,
        which: NDArray[np.bool_],
        tries: int,
        order: NDArray[np.float64] | None = None,
    ) -> Profile:
        """Return a profile with those rows of another one that NashConv allows.

        Parameters
        ----------
        which
            The rows that may change, shape (N, columns).
        tries
            Measurements at most.
        order
            Rows with like numbers are tried together, shape (N, columns).
        """
        rows = np.argwhere(which)
        if order is not None:
            rows = rows[np.argsort(order[which], kind="stable")]
        waiting, tree = [rows], self._engine.game.betting.tree
        while waiting and tries:
            some = waiting.pop(0)
            if not len(some):
                continue
            chosen = np.zeros_like(which)
            chosen[tuple(some.T)] = True
            changed = np.where(chosen[tree.node_of_action], other, profile)
            tries -= 1
            if self._engine.measure(changed).nash_conv <= self._allowed:
                profile = changed
            elif len(some) > 1:
                waiting += [some[: len(some) // 2], some[len(some) // 2 :]]
        return profile


def _learned(game: MultiplayerGame, profile: Profile, rounds: int, stop: Callable[[], bool]) -> Profile:
    """Let rows that play does not reach learn, and mistakes with them; all others stay as they are."""
    tree = game.betting.tree
    node = tree.node_of_action

    def summed(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.add.reduceat(rows, tree.first[:-1], axis=0)[node]

    stays = rows_of(game, profile).reached[node]
    now, hope, total = profile, np.where(stays, 0.0, profile), np.zeros_like(profile)
    regret, slips = INERTIA * rounds * stake(game) * hope, evenly(game) + np.zeros_like(profile)
    for iteration in range(1, rounds + 1):
        if stop():
            break
        ev = expected(game, now, slips / summed(slips))
        kept = ((iteration - 1) / iteration) ** GAMMA
        slips = slips * kept + likely_mistakes(game, ev)
        total = total * kept + now
        gained = ev - summed(now * ev)
        regret = np.maximum(0.0, regret + gained)
        hope = np.maximum(0.0, regret + gained)
        now = np.where(stays, profile, game.without_dominated(hope))
    if not total.any():
        return profile
    return np.where(stays, profile, _cleaned(game, proportions(game, total)))


def _cleaned(game: MultiplayerGame, profile: Profile) -> Profile:
    """Return a profile without what is hardly ever played."""
    return proportions(game, np.where(profile < TRACE, 0.0, profile))


def _differing(game: MultiplayerGame, one: Profile, other: Profile) -> NDArray[np.bool_]:
    """Say which rows of two profiles are not the same, shape (N, columns)."""
    return np.asarray(np.maximum.reduceat(np.abs(one - other), game.betting.tree.first[:-1], axis=0) > 1e-6)


def _without_losers(
    game: MultiplayerGame, profile: Profile, ev: NDArray[np.float64], best: NDArray[np.float64], most: float
) -> Profile:
    """Return a profile that plays no action that loses more than `most`; the best answer where no other is left."""
    tree = game.betting.tree
    top = np.maximum.reduceat(ev, tree.first[:-1], axis=0)[tree.node_of_action]
    kept = np.where((ev >= top - most) & game.allowed, profile, 0.0)
    some = np.add.reduceat(kept, tree.first[:-1], axis=0)[tree.node_of_action] > TRACE
    return np.where(some, proportions(game, kept), game.without_dominated(np.where(some, 1.0, best)))
