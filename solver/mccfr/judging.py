"""What the actions of a strategy that was learned by sampling win, and the strategy without its blunders.

An average over iterations keeps a trace of everything that was ever tried, and where learning seldom came it is
hardly more than that. So once a strategy is learned, hands are dealt in which it meets those that it was learned
against (`solver.mccfr.sampler.population`), every own action is tried, and what they win is compared by key. An action
that wins less than the best by more than `BLUNDER` and what chance explains (`NORMAL_95` standard errors of the
difference, both tried with the same cards) is not played.

Measured with 3 and 6 players: that lowers what trained responses gain and wins more among simple players. Against
itself alone the strategy would be judged by what it is not meant for: then it loses by both measures. So it does where
small differences count too, since what mixes must be left to mix.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels import mccfr as kernels
from solver.kernels.mccfr import FOLD, GO_ON, RAISE, FixedLimitGame, Population
from solver.mccfr.bucket_keys import LAST, NO_BET, levels
from solver.mccfr.sampler import Table, gathering, layout_of, normal

NORMAL_95 = 1.959963984540054
"""Half the width of a 95 % interval, in standard errors."""

BLUNDER = 0.3
"""What an action loses at least where it is dropped, in chips; more where more than 3 can be lost."""

JUDGED = 200_000
"""Hands that are dealt to judge a strategy."""

STREAM = 1_000
"""Of chances, beside those that learn."""

PAIRS = ((GO_ON, FOLD), (RAISE, FOLD), (RAISE, GO_ON))


class Judged(NamedTuple):
    """What actions win, by rows; float64.

    Parameters
    ----------
    values
        Mean chips of fold, check or call, bet or raise, shape (K, 3).
    errors
        Standard errors of the differences of any two, shape (K, 3, 3); infinite where too little was seen.
    """

    values: NDArray[np.float64]
    errors: NDArray[np.float64]

    def without_blunders(self, strategy: NDArray[np.floating], legal: NDArray[np.bool_], least: float) -> Table:
        """Return rows that do not play what loses more than `least` and what chance explains, shape (K, 3).

        Parameters
        ----------
        strategy
            Probabilities, shape (K, 3); rows of 0 are played evenly.
        legal
            What may be played, shape (K, 3).
        least
            In chips, 0 or more.
        """
        rows = np.arange(len(self.values))
        best = np.where(legal, self.values, -np.inf).argmax(axis=1)
        behind = self.values[rows, best][:, None] - self.values
        played = np.where(strategy.any(axis=1, keepdims=True), strategy, legal)
        kept = np.where(legal & (behind <= NORMAL_95 * self.errors[rows, best] + least), played, 0.0)
        whole = kept.sum(axis=1, keepdims=True)
        alone = np.zeros_like(kept)
        alone[rows, best] = 1.0
        return np.asarray(np.where(whole > 0.0, kept / np.where(whole > 0.0, whole, 1.0), alone))


def errors_of(means: NDArray[np.float64], squares: NDArray[np.float64], number: NDArray[np.float64]) -> Table:
    """Return standard errors of means from means of squares; infinite where fewer than two were counted."""
    spread = np.maximum(0.0, squares - means**2)
    return np.where(number > 1.0, np.sqrt(spread / np.maximum(1.0, number - 1.0)), np.inf)


def judged(
    limits: FixedLimitGame, table: Table, keys: NDArray[np.int64], meets: Population, *, seed: int, deals: int
) -> Judged:
    """Deal hands and estimate what every action wins, by key.

    Parameters
    ----------
    table
        What is played, shape (size, 3).
    keys
        What is asked for, ascending, shape (K,).
    meets
        Whom it meets.
    seed
        From 0; the same seed gives the same estimates.
    """
    layout = layout_of(limits)
    found = gathering(layout.size, judging=True)
    kernels.sample(layout, limits, table, table, meets, seed, STREAM, 0, deals, -1, found)
    number = found.visits[keys].astype(np.float64)
    many = np.maximum(1.0, number)
    values = found.judged[keys, :3] / many[:, None]
    errors = np.zeros((len(keys), 3, 3))
    for pair, (one, other) in enumerate(PAIRS):
        apart = values[:, one] - values[:, other]
        errors[:, one, other] = errors_of(apart, found.judged[keys, 3 + pair] / many, number)
        errors[:, other, one] = errors[:, one, other]
    return Judged(values, errors)


def what_is_played(
    limits: FixedLimitGame, weights: Table, keys: NDArray[np.int64], meets: Population, *, seed: int, deals: int
) -> Table:
    """Return what is played by key once blunders are left out, shape (K, 3).

    Parameters
    ----------
    weights
        What the learned strategy is in proportion to, shape (size, 3).
    keys, meets, seed, deals
        As `judged` takes them.
    """
    learned = normal(weights)
    found = judged(limits, learned, keys, meets, seed=seed, deals=deals)
    return found.without_blunders(learned[keys], legal_at(limits, keys), least_of(limits))


def least_of(limits: FixedLimitGame) -> float:
    """Return what a blunder loses at least, in chips."""
    most = 1 + limits.bet_size + limits.max_raises * limits.raise_size
    return BLUNDER * max(1.0, most / 3)


def legal_at(limits: FixedLimitGame, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which actions may be played, shape (K, 3): no free folds, and no raise after the last one."""
    level = levels(limits, keys)
    found = np.ones((len(keys), 3), dtype=bool)
    found[:, FOLD], found[:, RAISE] = level != NO_BET, level != LAST
    return found
