"""What a session is worth before a hand: the hands after it solved first, backwards through the balances.

With two players every hand is a game of two sides and is solved exactly, by linear program. With three the values of
a later hand are those of the profile that was found for it; another profile might have others.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rules.base.errors import SizeError
from rules.games.spec import HandSpec
from solver.multiplayer.solving import solve_table

MOST_HANDS = {2: 2, 3: 3}
"""Hands left up to which earlier hands are solved for the session, by players; else the last one alone."""

LATER_GAP, LATER_ITERATIONS = 0.002, 3_000
"""NashConv to which later hands of three players are solved, as a share of the session, and iterations at most."""


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
        most = MOST_HANDS.get(spec.seats, 1)
        raise SizeError(
            f"expected hands left to be at most {most} to solve a session of {spec.seats} players, got "
            f"{spec.hands_left}; take fewer --hands-left, or --objective chips for this hand by itself"
        )
    levels = [(spec.balances,)]
    for _ in range(spec.hands_left - 1):
        reached = {after for balances in levels[-1] for after in replace(spec, balances=balances).next_balances()}
        levels.append(tuple(sorted(reached)))
    every, done = sum(map(len, levels[1:])), 0
    worth: dict[Any, tuple[float, ...]] = {}
    for left, states in enumerate(reversed(levels[1:]), start=1):
        found = {}
        for balances in states:
            found[balances] = _values(_knowing(spec, balances, left, worth))
            done += 1
            told(done, every)
        worth = found
    return _knowing(spec, spec.balances, spec.hands_left, worth)


def _knowing(spec: Any, balances: Any, left: int, worth: dict[Any, tuple[float, ...]]) -> Any:
    """Return the hand that begins with these balances and so many hands left, and knows what comes after it."""
    state = replace(spec, balances=balances, hands_left=left, later=None)
    if left == 1:
        return state
    return replace(state, later=tuple((after, worth[after]) for after in state.next_balances()))


def _values(spec: HandSpec) -> tuple[float, ...]:
    """Return what a hand is worth to each seat."""
    if spec.seats == 2:
        from solver.solving import solve

        value = solve(spec, method="lp").value
        return 0.5 + value, 0.5 - value
    found = solve_table(spec, gap=LATER_GAP, max_iterations=LATER_ITERATIONS, complete=False)
    return tuple(found.measured.values.tolist())
