"""What a key of `solver.kernels.mccfr.key` says that its player knows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels import mccfr as kernels
from solver.kernels.mccfr import FixedLimitGame
from solver.mccfr.sampler import layout_of

NO_BET, FIRST, BETWEEN, LAST = range(4)
"""How far the betting is: nobody has bet, the first bet, a raise that can be raised again, nothing can be raised."""

AGGRESSOR, ANSWERED, PENDING = range(3)
"""What a player left has done: made the last bet or raise, answered it (or checked), or has yet to act."""

CARDS = kernels.PAIRS * 18
"""Keys that tell the same of the history: two ranks, what both holders have done, and one bit."""


class Known(NamedTuple):
    """What a key says that its player knows.

    Parameters
    ----------
    left, behind
        Players who have not folded, this one included; others who have yet to act.
    level
        How far the betting is: `NO_BET`, `FIRST`, `BETWEEN` or `LAST`.
    fresh
        Facing a bet, those of `behind` who act for the first time; None where the player acts again.
    paid
        Whether a player who acts again has paid to stay; None where the player has not acted.
    best, best_holder
        The best rank among the others left, from 0 for the weakest, and what its holder has done.
    second, second_holder
        The same of the second-best card, which may be of the same rank; None where one other is left.
    higher
        Whether somebody who folded shows a card that would be best.
    """

    left: int
    behind: int
    level: int
    fresh: int | None
    paid: bool | None
    best: int
    best_holder: int
    second: int | None
    second_holder: int | None
    higher: bool


def known(limits: FixedLimitGame, key: int) -> Known:
    """Return what a key of `solver.kernels.mccfr.key` was put together from."""
    layout = layout_of(limits)
    history, cards = divmod(int(key), CARDS)
    cards, higher = divmod(cards, 2)
    cards, second_holder = divmod(cards, 3)
    pair, best_holder = divmod(cards, 3)
    best = next(rank for rank in range(kernels.RANKS) if pair < (rank + 1) * (rank + 2) // 2)
    second = pair - best * (best + 1) // 2
    seats = layout.players
    fresh: int | None = None
    paid: bool | None = None
    facing = history - (seats - 1) * seats
    if facing < 0:
        (left, behind), level = divmod(history, seats), NO_BET
    else:
        facing, behind = divmod(facing, seats - 1)
        facing, left = divmod(facing, seats - 1)
        at, own = divmod(facing, seats + 2)
        level = LAST if at == layout.levels - 1 else FIRST if at == 0 else BETWEEN
        if own < seats:
            fresh = own
        else:
            paid = own > seats
    one = left == 0
    return Known(
        left + 2, behind, level, fresh, paid, best, best_holder, None if one else second,
        None if one else second_holder, bool(higher),
    )  # fmt: skip


def levels(limits: FixedLimitGame, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `Known.level` of keys, shape (K,)."""
    layout = layout_of(limits)
    seats = layout.players
    facing = keys // CARDS - (seats - 1) * seats
    at = facing // ((seats + 2) * (seats - 1) ** 2)
    facing_bet = np.where(at == layout.levels - 1, LAST, np.where(at == 0, FIRST, BETWEEN))
    return np.where(facing < 0, NO_BET, facing_bet)
