"""Predictive CFR+ for any number of players, on every deal and every history: the arrays, and the kernels called.

With more than two players regret minimisation need not come to an equilibrium, and plain CFR goes round and round
one. What damps that is to play what the regrets would be if the last gains came several times more: predictive CFR+
(Farina, Kroer and Sandholm 2021, "Faster Game Solving via Predictive Blackwell Approachability", section 6), with the
prediction counted `AHEAD` times. Regrets and averages are discounted as `solver.two_player.cfr` does it.

Regrets and sums of strategies are float32; what measures works in float64. Every history and every row is worked on
in the same way whoever does it, so that the number of threads changes nothing.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels import multiplayer as kernels
from solver.kernels.rows import discounts
from solver.multiplayer.evaluation import Measured, MultiplayerGame, Profile
from solver.multiplayer.game import Betting
from solver.trees.column_layout import aligned, padded

SCHEDULE = (1.5, 4.0)
"""Alpha and gamma of discounted CFR+."""

AHEAD = 5.0
"""How many times the last gains are counted as a prediction."""

SLIP = 1e-3
"""How often everybody plays any action, evenly, so that all learn what to do after it."""

JOINT_EVERY = 4
"""The joint play is looked at in every so many iterations."""

BRIEF = 100_000
"""Deals times histories up to which threads would wait for each other longer than they work."""


class Joint(NamedTuple):
    """What the joint play over iterations gives, float64.

    In each iteration that is looked at everybody plays the strategy of that iteration; an iteration is drawn with
    the weight that it has in the averages.

    Parameters
    ----------
    values
        Each player's value.
    gains
        What each could gain by one strategy fixed beforehand: the coarse correlated gaps.
    """

    values: NDArray[np.float64]
    gains: NDArray[np.float64]

    @property
    def gap(self) -> float:
        """The sum of all players' gains."""
        return float(np.maximum(0.0, self.gains).sum())


class MultiplayerEngine:
    """Regrets and averages of one table, and how far CFR has come.

    Parameters
    ----------
    game
        The table, of at least two players.
    threads
        At most so many.
    """

    def __init__(self, game: MultiplayerGame, threads: int = 1) -> None:
        self.game = game
        betting, deals = game.betting, game.deals
        width = padded(deals.kinds)
        self.places = (0,) * width
        self._shape = (deals.kinds ** (deals.players - 2), width)
        self.rows = self._shape[0]
        actions, finals = len(betting.tree.child), len(betting.final)
        self.ends, self.tree = ends_of(game, np.float32), tree_of(betting)
        self._exact = ends_of(game, np.float64)
        self.regret, self.hope, self.total = (self.blocks(actions) for _ in range(3))
        self.reach, self._value, self._found = (self.blocks(rows) for rows in (actions + 1, actions + 1, finals))
        self.reach[-1] = 1.0
        self.go_on(0)
        self.allowed = self.blocks(actions)
        """1 for what may be played, 0 for what is never better than something else (`MultiplayerGame.allowed`)."""
        self.restore(game.allowed, self.allowed)
        self.joint_payoffs = np.zeros((deals.players, finals, *self._shape))
        """The sums of each player's payoffs of whole histories over the joint play."""
        self.joint_values, self.joint_weight = np.zeros(deals.players), 0.0
        together = deals.kinds**deals.players * finals > BRIEF and threads > 1
        self._pool = ThreadPoolExecutor(threads) if together else None
        self._threads = threads if together else 1

    def go_on(self, iterations: int) -> None:
        """Go on from so many iterations, with what the arrays have then."""
        self.iterations = iterations
        for player in range(self.game.deals.players):
            kernels.play(player, 0, self.rows, SLIP, self.tree, self.places, self.hope, self.reach)

    def iterate(self, end: int, halt: NDArray[np.int64]) -> None:
        """Go on up to an iteration, or until ``halt[0]`` is not 0."""
        while self.iterations < end and not halt[0]:
            upto = min(end, (self.iterations // JOINT_EVERY + 1) * JOINT_EVERY)
            self._run(upto, halt)
            if self.iterations == upto and upto % JOINT_EVERY == 0:
                self._look()

    def _run(self, end: int, halt: NDArray[np.int64]) -> None:
        if self._pool is None:
            self.iterations = kernels.iterate(
                self.iterations, end, halt, SCHEDULE, AHEAD, SLIP, *self._shared, *self._arrays
            )
            return
        for iteration in range(self.iterations + 1, end + 1):
            if halt[0]:
                return
            kept = discounts(iteration, SCHEDULE)
            for mover in range(self.game.deals.players):
                self._payoffs(mover)
                self.share(self.rows, partial(self._update, mover, kept))
            self.iterations = iteration

    @property
    def _shared(self) -> tuple[Any, ...]:
        return self.ends, self.tree, self.places

    @property
    def _arrays(self) -> tuple[NDArray[np.float32], ...]:
        return self.allowed, self._found, self._value, self.regret, self.hope, self.reach, self.total

    def _update(self, mover: int, kept: tuple[float, float], start: int, end: int) -> None:
        kernels.update(mover, start, end, kept, AHEAD, SLIP, *self._shared, *self._arrays)

    def _payoffs(self, mover: int) -> None:
        """Find a player's payoffs of whole histories against the strategies as they are."""
        self.payoffs(mover, mover, self.ends, self.reach, self._found)

    def payoffs(
        self, mover: int, whose: int, ends: kernels.Ends, reach: NDArray[np.float32], found: NDArray[np.float32]
    ) -> None:
        """Fill payoffs of whole histories, shared among the threads, as the kernel has them."""
        self.share(
            len(found),
            lambda start, end: kernels.payoffs(mover, whose, start, end, ends, self.places, reach, found),
        )

    def share(self, size: int, work: Callable[[int, int], Any]) -> None:
        """Let threads work on parts of a range."""
        if self._pool is None:
            work(0, size)
            return
        bounds = [size * part // self._threads for part in range(self._threads + 1)]
        for done in [self._pool.submit(work, start, end) for start, end in pairwise(bounds)]:
            done.result()

    def _look(self) -> None:
        """Take the strategies as they are into the joint play."""
        kept = ((self.iterations - JOINT_EVERY) / self.iterations) ** SCHEDULE[1]
        self.joint_weight = self.joint_weight * kept + 1.0
        for player in range(self.game.deals.players):
            self._payoffs(player)
            sums = self.joint_payoffs[player]
            sums *= kept
            sums += self._found
            played = self.reach[self.game.betting.last[:, player]]
            value = np.einsum("zrp,zrp->", played, self._found, dtype=np.float64)
            self.joint_values[player] = self.joint_values[player] * kept + value

    def joint(self) -> Joint | None:
        """Return what the joint play gives; None before anything was looked at."""
        if not self.joint_weight:
            return None
        value, weights = self._doubles(len(self.reach)), self._doubles(len(self.total))
        best = np.zeros(self.game.deals.players)
        for player, sums in enumerate(self.joint_payoffs):
            kernels.gather(player, 0, self.rows, self.ends.last, self.places, sums, value)
            kernels.respond(player, True, 0, self.rows, self.tree, self.places, weights, value)
            best[player] = value[-1].sum() / self.joint_weight
        own = self.joint_values / self.joint_weight
        return Joint(own, best - own)

    def weights(self) -> NDArray[np.float64]:
        """Return what the average strategies are in proportion to, in blocks: what was played but for slips."""
        tree = self.game.betting.tree
        total = self.total.astype(np.float64)
        counts = np.diff(tree.first)[:, None, None]
        slipped = SLIP / counts * np.add.reduceat(total, tree.first[:-1], axis=0)
        return np.asarray(np.maximum(0.0, total - np.repeat(slipped, counts.ravel(), axis=0)))

    def profile(self) -> NDArray[np.float64]:
        """Return the average strategies, shape (A, columns)."""
        return self.game.without_dominated(self.columns(self.weights()))

    def measure(self, profile: Profile | None = None) -> Measured:
        """Return what a profile gives, by default the average strategies, as `MultiplayerGame.measure`."""
        weights = self._doubles(len(self.total))
        self.restore(self.profile() if profile is None else profile, weights)
        reach, value = self._doubles(len(self.reach)), self._doubles(len(self._value))
        reach[-1] = 1.0
        shared = (self._exact, self.tree, self.places)
        players = range(self.game.deals.players)
        for player in players:
            kernels.play(player, 0, self.rows, 0.0, self.tree, self.places, weights, reach)
        found = self._doubles(len(self._found))

        def worth(player: int, best: bool) -> float:
            kernels.worth(player, best, *shared, weights, reach, found, value)
            return float(value[-1].sum())

        own = np.array([worth(player, False) for player in players])
        return Measured(own, np.maximum(0.0, np.array([worth(player, True) for player in players]) - own))

    def columns(self, blocks: NDArray[Any]) -> NDArray[Any]:
        """Return blocks as rows over what a player sees, shape (blocks, columns), without the padding."""
        return blocks[:, :, : self.game.deals.kinds].reshape(len(blocks), -1)

    def restore(self, columns: NDArray[Any], blocks: NDArray[Any]) -> None:
        """Fill blocks from rows over what a player sees."""
        kinds = self.game.deals.kinds
        blocks[:, :, :kinds] = columns.reshape(len(blocks), self.rows, kinds)

    def blocks(self, number: int) -> NDArray[np.float32]:
        """Return so many blocks of zeros."""
        return aligned((number, *self._shape))

    def _doubles(self, number: int) -> NDArray[np.float64]:
        return np.zeros((number, *self._shape))


def tree_of(betting: Betting) -> kernels.Tree:
    """Return the betting as kernels read it."""
    whose = tuple(np.flatnonzero(betting.tree.player == player) for player in range(betting.players))
    return kernels.Tree(betting.tree.first, betting.own_before, whose)


def ends_of(game: MultiplayerGame, dtype: type) -> kernels.Ends:
    """Return how hands end, as kernels read it beside arrays of a type."""
    betting, deals = game.betting, game.deals
    kinds, back = deals.kinds, deals.players - 1
    width, fronts = padded(kinds), kinds**back
    left = betting.left[betting.ending]
    digit = np.stack(np.unravel_index(np.arange(fronts), deals.seen)).astype(np.int64)
    row = np.stack([_rows_seen(digit, player, kinds) for player in range(back)])
    bits = 1 << np.arange(back)
    shown = np.where((np.arange(2**back)[:, None] & bits)[:, :, None] > 0, digit, -1)
    top = shown.max(axis=1)
    having = np.where(top < 0, 0, np.einsum("p,spf->sf", bits, shown == top[:, None]))
    lane, card = np.arange(width), np.arange(kinds)[:, None]
    probability = np.zeros((fronts, width))
    probability[:, :kinds] = deals.probability.reshape(fronts, kinds)
    return kernels.Ends(
        betting.last, game.utilities[betting.ending], left[:, :back] @ bits, left[:, back].astype(np.int64), row, top,
        having, *(table.astype(dtype) for table in (lane < card, lane == card, probability)),
    )  # fmt: skip


def _rows_seen(digit: NDArray[np.int64], player: int, kinds: int) -> NDArray[np.int64]:
    """Return which row of a block a player of the front sees in each front."""
    found = np.zeros(digit.shape[1], dtype=np.int64)
    for other, cards in enumerate(digit):
        if other != player:
            found = found * kinds + cards
    return found
