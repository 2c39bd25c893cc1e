"""What a session is worth before a hand: the hands after it solved first, backwards through the balances.

With two players every hand is a game of two sides and is solved exactly, by linear program. With three the values of
a later hand are those of the profile that was found for it; another profile might have others.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rules.errors import SizeError
from rules.hand import HandSpec
from solver.table_solving import solve_table

MOST_HANDS = {2: 2, 3: 2}
"""Hands left up to which earlier hands are solved for the session, by players; else the last one alone."""

LATER_GAP = 0.002
"""NashConv up to which later hands of three players are solved, as a share of the session."""


def solvable(spec: HandSpec) -> bool:
    """Say whether a hand can be solved for the session that it is part of."""
    left = getattr(spec, "hands_left", 0)
    return left <= MOST_HANDS.get(spec.seats, 1)


def with_later(spec: Any, told: Callable[[int, int], None] = lambda done, all: None) -> Any:
    """Return a hand that knows what the session is worth after it; any hand that need not as it is.

    Parameters
    ----------
    spec
        The hand.
    told
        Called with the later hands solved so far, and with all there are.

    Raises
    ------
    SizeError
        Where there are too many hands after it.
    """
    if getattr(spec, "hands_left", 0) <= 1 or spec.later is not None:
        return spec
    if not solvable(spec):
        raise SizeError(
            f"a session of {spec.seats} players is solved with at most {MOST_HANDS.get(spec.seats, 1)} hands left, "
            f"got {spec.hands_left}; take fewer --hands-left, or --objective chips for this hand by itself"
        )
    states = spec.next_balances()
    later: list[tuple[Any, tuple[float, ...]]] = []
    for number, balances in enumerate(states, start=1):
        state = replace(spec, balances=balances, hands_left=spec.hands_left - 1)
        later.append((balances, _values(with_later(state))))
        told(number, len(states))
    return replace(spec, later=tuple(later))


def _values(spec: HandSpec) -> tuple[float, ...]:
    """Return what a hand is worth to each seat."""
    if spec.seats == 2:
        from solver.solving import solve

        value = solve(spec, method="lp").value
        return 0.5 + value, 0.5 - value
    return tuple(solve_table(spec, gap=LATER_GAP).measured.values.tolist())
