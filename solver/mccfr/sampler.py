"""Monte Carlo CFR for tables of many players, on information abstracted to what matters.

External sampling (Lanctot et al. 2009, "Monte Carlo Sampling for Regret Minimization in Extensive Games"): a hand is
dealt, each player in turn tries every own action, and what the others do is drawn. An iteration is a batch of deals
that all learn from one strategy; then regrets are updated once, by CFR+ with later iterations counted more, and the
strategy enters the average by its own reach. Batches are cut into `STREAMS` parts with random numbers of their own,
merged in order: any number of threads gives the same bytes.

What a player knows is put together as `solver.kernels.mccfr.key` says. What that forgets, and what it costs, is on the
page docs/many-players.md.

The others are not always those of the strategy itself. A small part of their actions is drawn evenly (`SLIP`), so
that every spot is learned; and in a part of the hands (`SHARE`) they are copies of a simple player (`MIX`). So the
strategy is trained against itself and, to that extent, against simple players: what it learns there is to profit from
them where that costs little among equals.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError, SizeError
from rules.betting.actions import BET, FOLD, RAISE, Action
from rules.games.spec import HandSpec
from solver.kernels import mccfr as kernels
from solver.kernels.mccfr import BOLD, CALLER, RANKS, Abstraction, FixedLimitGame, Gathered, Population, Spot

MOST_PLAYERS = 10
MOST_BETS = 31

STREAMS = 4
DEALS = 10_000
"""Deals of an iteration."""

SLIP = 0.01
SHARE = 0.6
MIX = (
    *(26.0, 1.0),
    *(0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.5, 1.0, 4.0, 36.0, 23.0, 4.0),
    *(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.5, 2.0, 29.0, 20.0, 7.0),
)
"""How often each simple player is met, in the order of `SIMPLE`: most those that are hardest to profit from."""

SIMPLE = tuple(range(CALLER, BOLD + RANKS))
"""Simple players: always check and call, random, rules of thumb from the weakest rank to the strongest, bold ones."""

AVERAGING = 2.0
"""Iteration t counts t to this power in the average."""

RESPONSE_BATCHES = 100
"""Iterations that a best response is trained for."""

SECONDS_A_DEAL = 2.7e-7
"""Of one thread, for each pair of players."""

Table = NDArray[np.float64]
"""Weights of actions by key, shape (size, 3)."""


def limits_of(spec: HandSpec) -> FixedLimitGame:
    """Return what is played as kernels read it.

    Raises
    ------
    SizeError
        Where there are too many players or raises.
    OptionError
        Where the objective is not the chips of one hand.
    """
    if spec.to_dict()["objective"] != "chips":
        raise OptionError("tables are solved by sampling for the chips of one hand; take --objective chips")
    table = spec.around_the_table()
    public: Any = table.public
    if not 2 <= table.players <= MOST_PLAYERS or public.max_raises >= MOST_BETS:
        raise SizeError(
            f"expected 2 to {MOST_PLAYERS} players and fewer than {MOST_BETS} raises, got {table.players} players "
            f"and {public.max_raises} raises"
        )
    return FixedLimitGame(
        table.players, public.max_raises, public.bet_size, public.raise_size, len(table.cards), table.copies
    )


def layout_of(limits: FixedLimitGame) -> Abstraction:
    """Return how keys are put together."""
    seats, levels = limits.players, min(limits.max_raises, 2) + 1
    histories = (seats - 1) * seats + levels * (seats + 2) * (seats - 1) ** 2
    return Abstraction(seats, levels, histories * kernels.PAIRS * 18)


def memory_of(limits: FixedLimitGame) -> int:
    """Return the bytes that a solve takes at most: three tables, and what its streams and the judge gather.

    Keys that no hand leads to take no memory where the system gives it page by page, so it is less in the end.
    """
    return layout_of(limits).size * (3 * 24 + 8 + (STREAMS + 1) * 24 + 48)


def seconds_of(limits: FixedLimitGame, iterations: int, threads: int) -> float:
    """Return about how long so many iterations take."""
    return iterations * DEALS * SECONDS_A_DEAL * limits.players**2 / min(threads, STREAMS)


def iterations_within(limits: FixedLimitGame, seconds: float) -> int:
    """Return how many iterations are planned for so much time, 1 or more: the same on every machine.

    It is what one thread of a usual machine does in half of the time, so that the clock hardly ever has to stop it.
    """
    return max(1, int(seconds / (2.0 * seconds_of(limits, 1, 1))))


def warm_up(limits: FixedLimitGame) -> None:
    """Play a batch for nothing, so that what is compiled at the first use is, before a clock runs."""
    with Sampler(limits, population=population()) as sampler:
        sampler.iterate()


def population(slip: float = SLIP, share: float = SHARE, mix: Sequence[float] = MIX) -> Population:
    """Return whom a learner meets; `mix` in the order of `SIMPLE`, in any unit.

    Raises
    ------
    OptionError
        Where a part is not from 0 to 1, or `mix` does not fit.
    """
    if not 0.0 <= slip <= 1.0 or not 0.0 <= share <= 1.0:
        raise OptionError(f"expected parts from 0 to 1, got slips {slip} and a share of simple players {share}")
    if len(mix) != len(SIMPLE) or min(mix) < 0.0 or not sum(mix) > 0.0:
        raise OptionError(f"expected {len(SIMPLE)} weights of simple players, 0 or more and not all 0, got {mix}")
    cumulative = np.cumsum([0.0, *mix]) / np.sum(mix)
    cumulative[-1] = 1.0
    return Population(slip, share, cumulative)


def gathering(size: int, judging: bool = False) -> Gathered:
    """Return room for what a stream gathers of so many keys, all zero; `judging`: of what actions win too."""
    return Gathered(
        np.zeros((size, 3), np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros((size if judging else 0, 6)),
    )


class Sampler:
    """Regrets and averages, and how far learning has come.

    Parameters
    ----------
    limits
        What is played.
    seed
        From 0; the same seed gives the same tables.
    population
        Whom a learner meets.
    threads
        At most so many.
    others, only
        A fixed table that everybody but seat `only` plays: then that seat alone learns, a response to them.
    """

    def __init__(
        self,
        limits: FixedLimitGame,
        *,
        seed: int = 0,
        population: Population,
        threads: int = 1,
        others: Table | None = None,
        only: int = -1,
    ) -> None:
        self.limits, self.layout = limits, layout_of(limits)
        self.iterations = 0
        size = self.layout.size
        self.regret, self.total = np.zeros((size, 3)), np.zeros((size, 3))
        self.visits = np.zeros(size, np.int64)
        """How often each key was met."""
        self._seed, self._population, self._others, self._only = seed, population, others, only
        self._gathered = [gathering(size) for _ in range(STREAMS)]
        self._pool = ThreadPoolExecutor(min(threads, STREAMS)) if threads > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def iterate(self) -> None:
        """Play a batch of deals and learn from it."""
        self.iterations += 1
        share = map if self._pool is None else self._pool.map
        used = list(share(self._sample, range(STREAMS)))
        first, *others = self._gathered
        number = used[0]
        for more, count in zip(others, used[1:], strict=True):
            number = kernels.add(first, number, more, count)
        gain, weight = self.iterations / DEALS, float(self.iterations) ** AVERAGING
        kernels.learn(self.regret, self.total, self.visits, gain, weight, first, number)

    def _sample(self, stream: int) -> int:
        others = self.regret if self._others is None else self._others
        return int(
            kernels.sample(
                self.layout, self.limits, self.regret, others, self._population, self._seed, self.iterations, stream,
                DEALS // STREAMS, self._only, self._gathered[stream],
            )
        )  # fmt: skip

    def weights(self) -> Table:
        """Return what the average strategy is in proportion to; regrets where nothing was averaged yet."""
        averaged = self.total.sum(axis=1, keepdims=True) > 0.0
        return np.where(averaged, self.total, self.regret)


def response(limits: FixedLimitGame, others: Table, seat: int, *, seed: int, batches: int, threads: int = 1) -> Table:
    """Train one seat's best response to a fixed table of all others.

    Returns
    -------
    ndarray
        A table that always plays the action that training played most: against a fixed strategy no mix is needed.
    """
    alone = population(0.0, 0.0)
    with Sampler(limits, seed=seed, population=alone, threads=threads, others=others, only=seat) as sampler:
        for _ in range(batches):
            sampler.iterate()
        weights = sampler.weights()
    found = np.zeros_like(weights)
    found[np.arange(len(found)), weights.argmax(axis=1)] = weights.any(axis=1)
    return found


def kind_of(action: Action) -> int:
    """Return the place of an action in a row."""
    return {FOLD: kernels.FOLD, BET: kernels.RAISE, RAISE: kernels.RAISE}.get(action.kind, kernels.GO_ON)


def spot_after(limits: FixedLimitGame, history: Sequence[Action]) -> Spot:
    """Return the state after legal actions."""
    spot = kernels.root(limits)
    for action in history:
        spot = kernels.after(limits, spot, kind_of(action))
    return Spot(*spot)


def normal(weights: Table) -> Table:
    """Return rows as probabilities; rows without weights stay 0, and are played evenly."""
    whole = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, whole, out=np.zeros_like(weights), where=whole > 0.0))
