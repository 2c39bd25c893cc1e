"""Chips: stacks and carry before and after a hand, settlement, and the chips objective.

Rules page, "The three two-player match games", articles 1 and 4 to 7 of the betting.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rules.base.errors import ChipsError
from rules.base.parsing import items, shown_list, whole
from rules.betting.actions import BOTH, FOLD, NAME, Action

ANTE = 1


class Chips(NamedTuple):
    """Chips in P1's and P2's stacks and the pot carried over, all whole."""

    s1: int
    s2: int
    carry: int = 0

    @property
    def cap(self) -> int:
        """The most that a bet can ask for beyond the ante: what the shorter stack has."""
        return min(self.s1, self.s2) - ANTE

    @property
    def stacks(self) -> tuple[int, int]:
        """Both stacks, P1's first."""
        return self.s1, self.s2

    @property
    def total(self) -> int:
        """All chips of the match; no hand changes it."""
        return self.s1 + self.s2 + self.carry

    @property
    def share(self) -> float:
        """P1's chips with half of what lies on the table."""
        return self.s1 + self.carry / 2

    def swapped(self) -> "Chips":
        """Return the chips with the players' roles exchanged, as the next hand sees them."""
        return Chips(self.s2, self.s1, self.carry)


def parse_chips(stacks: object, carry: object = 0) -> Chips:
    """Read the chips before a hand.

    Raises
    ------
    ChipsError
        Where a stack is not a whole number of at least 1, or the carry is negative or odd.
    """
    parts = items(stacks, "stacks", ChipsError)
    if len(parts) != 2:
        raise ChipsError(f"expected two stacks, P1's and P2's, such as 10,10, got {shown_list(stacks)!r}")
    s1, s2 = (whole(part, f"P{place + 1}'s stack", ChipsError) for place, part in enumerate(parts))
    for name, stack in (("P1", s1), ("P2", s2)):
        if stack < 1:
            raise ChipsError(f"expected {name} to have at least 1 chip for the ante, got {stack} (stacks {s1},{s2})")
        if stack > 10**6:
            raise ChipsError(f"expected stacks of at most 1000000 chips, got {stack}")
    pot = whole(carry, "the carry", ChipsError)
    if pot < 0 or pot % 2 or pot > 10**6:
        raise ChipsError(f"expected the carried pot to be even and from 0 to 1000000 (both put in the same), got {pot}")
    return Chips(s1, s2, pot)


def settle_win(chips: Chips, winner: int, paid: tuple[int, int], penalty: int = 0) -> Chips:
    """Give the winner all that lies on the table and the penalty.

    Parameters
    ----------
    chips
        Before the hand.
    winner
        0 or 1.
    paid
        What each put in beyond the ante, P1 first.
    penalty
        Extra chips the loser owes; capped at what the loser has left.
    """
    left = [chips.stacks[player] - ANTE - paid[player] for player in (0, 1)]
    extra = min(penalty, left[1 - winner])
    left[1 - winner] -= extra
    left[winner] += chips.carry + 2 * ANTE + sum(paid) + extra
    return Chips(left[0], left[1], 0)


def settle_tie(chips: Chips, level: int, tie_bust: str) -> Chips:
    """Carry the pot over, or split it where a player would be left with nothing (``split``)."""
    s1, s2 = (stack - ANTE - level for stack in chips.stacks)
    pot = chips.carry + 2 * (ANTE + level)
    if tie_bust == "split" and min(s1, s2) == 0:
        return Chips(s1 + pot // 2, s2 + pot // 2, 0)
    return Chips(s1, s2, pot)


def chips_gain(before: Chips, after: Chips) -> float:
    """Return P1's gain in chips, half of a pot left on the table counted as each player's."""
    return after.share - before.share


def winner(after: Chips) -> int | str | None:
    """Return who has won the match, "draw" where both are without chips, or None while it goes on."""
    if after.s1 > 0 and after.s2 > 0:
        return None
    if after.s1 == after.s2:
        return "draw"
    return 0 if after.s1 > 0 else 1


def every_chips(total: int) -> tuple[Chips, ...]:
    """Return all chips that a match can have before a hand: both stacks at least 1, the carry even.

    Parameters
    ----------
    total
        Chips of the match, at least 2; see `Chips.total`.
    """
    return tuple(
        Chips(s1, total - carry - s1, carry) for carry in range(0, total - 1, 2) for s1 in range(1, total - carry)
    )


def stakes(history: Sequence[Action]) -> tuple[int, int]:
    """Return what P1 and P2 have put in beyond the ante after actions of a match game."""
    paid, level = [0, 0], 0
    for place, action in enumerate(history):
        if action.kind in (FOLD, NAME):
            continue
        level = 2 * level if action.kind == BOTH else level + action.size
        # The players of a match game alternate strictly, P1 first; a call has no size and pays the level.
        paid[place % 2] = level
    return paid[0], paid[1]
