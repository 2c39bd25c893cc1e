"""How good a table of many players is: what trained responses gain against it, and how it fares among simple players.

From five players on nobody can compute a best response. What is measured is a lower bound: a response is trained for
each seat against the strategy of all others, which stays as it is, and what it earns more than the strategy itself is
estimated on fresh deals, both with the same cards and chances. A true best response gains at least as much.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.games.multiplayer import MultiplayerHand as Game
from solver.kernels import mccfr as kernels
from solver.kernels.mccfr import BOLD, CALLER, RANDOM, RULE, TABLE, FixedLimitGame
from solver.mccfr.judging import NORMAL_95 as NORMAL_95
from solver.mccfr.sampler import RESPONSE_BATCHES, Table, layout_of, response
from solver.multiplayer.game import Betting, Deals

MEASURED = 7_919
"""Added to the seed of a strategy for what measures it, which meets no deal that was learned from."""

HANDS = 200_000
PARTS = 8
"""Deals of a measurement are counted in so many parts, merged in order."""


class Estimates(NamedTuple):
    """Means over deals with their standard errors, by seat, float64, in chips of a hand.

    Parameters
    ----------
    own, own_error
        What a seat wins as it plays.
    more, more_error
        What it wins more when it is changed, by differences on the same deals.
    """

    own: NDArray[np.float64]
    own_error: NDArray[np.float64]
    more: NDArray[np.float64]
    more_error: NDArray[np.float64]

    @property
    def lowest(self) -> NDArray[np.float64]:
        """The lower ends of 95 % intervals of `more`."""
        return self.more - NORMAL_95 * self.more_error


class Bound(NamedTuple):
    """A lower bound on what the players could gain: estimates of trained responses, by seat.

    Parameters
    ----------
    estimates
        Of the strategy itself, and of what each response adds.
    """

    estimates: Estimates

    @property
    def gain(self) -> float:
        """The sum of what responses add, a lower bound of NashConv but for chance; responses that lose count 0."""
        return float(np.maximum(0.0, self.estimates.more).sum())

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval of the sum."""
        return NORMAL_95 * math.sqrt(float((self.estimates.more_error**2).sum()))


def style_name(style: int, ranks: Sequence[str]) -> str:
    """Return a simple player's name; `ranks` from the weakest."""
    names = {CALLER: "check and call", RANDOM: "random"}
    if style >= BOLD:
        return f"raise up to {ranks[style - BOLD]}"
    return names.get(style) or f"bet up to {ranks[style - RULE]}"


def compared(
    limits: FixedLimitGame,
    tables: tuple[Table, Table],
    style: int,
    changed: int,
    *,
    seed: int,
    hands: int = HANDS,
    only: int = -1,
    threads: int = 1,
) -> Estimates:
    """Compare what a seat wins as it plays with what it wins when it alone plays differently, on the same deals.

    Parameters
    ----------
    tables
        What seats play by as they are, and when changed.
    style, changed
        How all seats play, and the changed one; of `solver.kernels.mccfr`.
    only
        The seat that is changed, -1 for each in turn.
    """
    stacked, styles = np.stack(tables), np.full(limits.players, style)
    bounds = list(pairwise(hands * part // PARTS for part in range(PARTS + 1)))

    def part(between: tuple[int, int]) -> NDArray[np.float64]:
        sums = np.zeros((limits.players, 4))
        kernels.compare(layout_of(limits), limits, stacked, styles, changed, only, seed, *between, sums)
        return sums

    with ThreadPoolExecutor(threads) as pool:
        sums = np.sum(list(pool.map(part, bounds)), axis=0)
    own, own_square, more, more_square = sums.T / hands
    errors = (
        np.sqrt(np.maximum(0.0, square - mean * mean) / hands)
        for mean, square in ((own, own_square), (more, more_square))
    )
    return Estimates(own, next(errors), more, next(errors))


def among_simple(
    limits: FixedLimitGame, table: Table, style: int, *, seed: int, hands: int = HANDS, threads: int = 1
) -> Estimates:
    """Return what each seat wins among copies of a simple player: as one of them, and how much more by the table."""
    return compared(limits, (table, table), style, TABLE, seed=seed, hands=hands, threads=threads)


def lower_bound(
    limits: FixedLimitGame,
    table: Table,
    *,
    seed: int,
    hands: int = HANDS,
    batches: int = RESPONSE_BATCHES,
    threads: int = 1,
    on_seat: Callable[[int], None] | None = None,
) -> Bound:
    """Train a response of every seat and estimate on fresh deals what it gains; deterministic for a seed."""
    return lower_bounds(
        limits, table, seed=seed, deals=(seed,), hands=hands, batches=batches, threads=threads, on_seat=on_seat
    )[0]


def lower_bounds(
    limits: FixedLimitGame,
    table: Table,
    *,
    seed: int,
    deals: Sequence[int],
    hands: int = HANDS,
    batches: int = RESPONSE_BATCHES,
    threads: int = 1,
    on_seat: Callable[[int], None] | None = None,
) -> tuple[Bound, ...]:
    """Train a response of every seat, and estimate what it gains by several sets of deals.

    Parameters
    ----------
    seed
        For training.
    deals
        Seeds of the deals, one for each bound returned.
    """
    rows: list[list[list[float]]] = [[] for _ in deals]
    for seat in range(limits.players):
        answer = response(limits, table, seat, seed=seed + 1, batches=batches, threads=threads)
        for found, dealt in zip(rows, deals, strict=True):
            one = compared(limits, (table, answer), TABLE, TABLE, seed=dealt, hands=hands, only=seat, threads=threads)
            found.append([column[seat] for column in one])
        if on_seat is not None:
            on_seat(seat)
    return tuple(Bound(Estimates(*np.array(found).T)) for found in rows)


def profile_of(game: Game, limits: FixedLimitGame, table: Table) -> NDArray[np.float64]:
    """Return a table as a profile of every history and all cards, as `solver.multiplayer.evaluation` measures it."""
    betting, deals = Betting.of(game), Deals.of(game)
    tree, kind = betting.tree, betting.kind.astype(np.int64)
    spots = np.zeros((tree.nodes, len(kernels.Spot._fields)), dtype=np.int64)
    spots[0] = kernels.root(limits)
    for node in range(tree.nodes):
        here = kernels.Spot(*spots[node].tolist())
        for row in range(int(tree.first[node]), int(tree.first[node + 1])):
            if tree.child[row] >= 0:
                spots[tree.child[row]] = kernels.after(limits, here, int(kind[row]))
    seen = np.array(list(np.ndindex(*deals.seen)), dtype=np.int64)
    found = np.zeros((len(tree.child), len(seen)))
    kernels.fill(layout_of(limits), limits, spots, seen, table, tree.first, kind, found)
    return found
