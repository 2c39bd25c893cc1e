"""Lower the NashConv of a profile of more than two players, step by step.

Regret minimisation with more than two players goes round equilibria. NashConv itself can be descended: at a profile,
let every player move a part of the way (`STEP`) towards another strategy, and look at what best responses would get
then, to first order in that part. That is a game of two sides, linear in either: one defender for each player
chooses the strategies to move to, one attacker for each player answers with a best response, and the sides play for
the sum of what the attackers get, which is NashConv where all payoffs sum to a constant. Predictive CFR+ solves it,
as it does any game of two sides, and the move is made where the NashConv of the result, measured exactly, is lower.
So NashConv never grows. It need not go to 0: this is a descent, and a function of many strategies may have valleys.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from solver.kernels import multiplayer as kernels
from solver.kernels.rows import discounts
from solver.multiplayer.engine import SCHEDULE, MultiplayerEngine
from solver.multiplayer.evaluation import MultiplayerGame, Profile, proportions

STEP, SHORTEST = 0.3, 0.03
"""How far a step goes at first, and the length at which the descent is over; steps that do not help are halved."""

ROUNDS = 300
"""Iterations of CFR for one step."""

SLIP = 1e-4
"""How often everybody but an attacker plays any action, evenly."""

BASE, ATTACK, DEFENCE = range(3)


class Descent:
    """Steps from one profile to the next.

    Parameters
    ----------
    engine
        Whose arrays and threads are used; it is not changed.
    """

    def __init__(self, engine: MultiplayerEngine) -> None:
        self._engine, self.game = engine, engine.game
        self._rows = len(engine.total) + 1
        self._reach = engine.blocks(3 * self._rows)
        self._parts = [self._reach[part * self._rows : (part + 1) * self._rows] for part in (BASE, ATTACK, DEFENCE)]
        for part in self._parts:
            part[-1] = 1.0
        self._found, self._value = engine.blocks(len(self.game.betting.final)), engine.blocks(self._rows)

    def step(self, profile: Profile, length: float, stop: Callable[[], bool] | None = None) -> Profile | None:
        """Return the profile a step away; None where it was stopped.

        Parameters
        ----------
        profile
            Where to begin, shape (A, columns).
        length
            How far to go, 0 to 1: the weight of the strategies moved to, by sequences.
        stop
            Asked between iterations.
        """
        engine, players = self._engine, range(self.game.deals.players)
        start = engine.blocks(len(engine.total))
        engine.restore(profile, start)
        attack = _Learner(engine, self._parts[ATTACK], start, 0.0)
        defence = _Learner(engine, self._parts[DEFENCE], start, SLIP)
        for player in players:
            kernels.play(player, 0, engine.rows, SLIP, *self._tree, start, self._parts[BASE])
        still = [self._payoffs(player, player, None, BASE).copy() for player in players]
        for iteration in range(1, ROUNDS + 1):
            if stop is not None and stop():
                return None
            for player in players:
                gains = still[player] * (1.0 - (len(players) - 1) * length)
                for mover in players:
                    if mover != player:
                        gains += length * self._payoffs(player, player, mover, DEFENCE)
                attack.update(player, iteration, gains, self._value)
            for player in players:
                gains = np.zeros_like(self._found)
                for other in players:
                    if other != player:
                        gains -= self._payoffs(player, other, other, ATTACK)
                defence.update(player, iteration, gains, self._value)
        moved = engine.blocks(self._rows)
        moved[-1] = 1.0
        for player in players:
            kernels.play(player, 0, engine.rows, SLIP, *self._tree, defence.total, moved)
        mixed = (1.0 - length) * self._parts[BASE].astype(np.float64) + length * moved
        return without_slips(self.game, engine.columns(mixed[:-1]))

    @property
    def _tree(self) -> tuple[kernels.Tree, tuple[int, ...]]:
        return self._engine.tree, self._engine.places

    def _payoffs(self, mover: int, whose: int, swapped: int | None, part: int) -> NDArray[np.float32]:
        """Find payoffs where one player's strategy is another part's, and all others' the base's."""
        ends = self._engine.ends
        if swapped is not None:
            last = ends.last.copy()
            last[:, swapped] += part * self._rows
            ends = ends._replace(last=last)
        self._engine.payoffs(mover, whose, ends, self._reach, self._found)
        return self._found


class _Learner:
    """One side: regrets, and the averages of its strategies; `reach` is filled with what it plays."""

    def __init__(
        self, engine: MultiplayerEngine, reach: NDArray[np.float32], start: NDArray[np.float32], slip: float
    ) -> None:
        self._engine, self._reach, self._slip = engine, reach, slip
        self._regret, self._hope, self.total = engine.blocks(len(start)), start.copy(), engine.blocks(len(start))
        for player in range(engine.game.deals.players):
            self._play(player)

    def update(self, player: int, iteration: int, gains: NDArray[np.float32], value: NDArray[np.float32]) -> None:
        """Learn from one player's payoffs of whole histories; `value` is overwritten."""
        engine = self._engine
        kept = discounts(iteration, SCHEDULE)
        kernels.gather(player, 0, engine.rows, engine.ends.last, engine.places, gains, value)
        fixed = engine.tree, engine.places, engine.allowed
        kernels.learn(player, 0, engine.rows, kept[0], 1.0, *fixed, value, self._regret, self._hope)
        self._play(player)
        kernels.add_up(player, 0, engine.rows, kept[1], engine.tree, engine.places, self._reach, self.total)

    def _play(self, player: int) -> None:
        engine = self._engine
        kernels.play(player, 0, engine.rows, self._slip, engine.tree, engine.places, self._hope, self._reach)


def without_slips(game: MultiplayerGame, weights: NDArray[np.float64]) -> Profile:
    """Return the strategy whose weights these are, where a part `SLIP` of it was played evenly; shape (A, columns)."""
    tree = game.betting.tree
    even = np.diff(tree.first)[tree.node_of_action][:, None]
    played = proportions(game, weights)
    return game.without_dominated(np.maximum(0.0, played - SLIP / even))


def descend(
    engine: MultiplayerEngine,
    profile: Profile,
    *,
    gap: float,
    most: int,
    on_step: Callable[[int, Profile, float], None],
    stop: Callable[[], bool] | None = None,
) -> int:
    """Lower NashConv until it is at most `gap`, no step helps any more, or so many iterations are done.

    Parameters
    ----------
    engine
        Whose arrays and threads are used.
    profile
        Where to begin, shape (A, columns).
    gap
        In the unit of the objective.
    most
        Iterations of CFR at most; a step takes `ROUNDS`.
    on_step
        Called after each step with the iterations done, the best profile, and its NashConv.
    stop
        Asked between iterations.

    Returns
    -------
    int
        The iterations done.
    """
    descent, length, done = Descent(engine), STEP, 0
    lowest = engine.measure(profile).nash_conv
    while lowest > gap and length >= SHORTEST and done + ROUNDS <= most:
        found = descent.step(profile, length, stop)
        if found is None:
            break
        done += ROUNDS
        reached = engine.measure(found).nash_conv
        if reached < lowest:
            profile, lowest = found, reached
        else:
            length /= 2
        on_step(done, profile, lowest)
    return done
