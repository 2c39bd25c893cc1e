"""Equilibrium strategies and the proof of how good they are; knows no game by name.

>>> from rules import hand
>>> from solver import solve
>>> solution = solve(hand("indian-poker", stacks=(2, 2)), gap=1e-4)
>>> round(solution.value, 3)
-0.1
"""

from typing import TYPE_CHECKING, Any

from solver.environment import prepared
from solver.solutions.solution import Solution, load

if TYPE_CHECKING:
    from solver.proof import verify
    from solver.solving import solve

__all__ = ["Solution", "load", "solve", "verify"]

prepared()


def __getattr__(name: str) -> Any:
    """Import what solves and what proves only when it is used: reading a solution needs no compiler."""
    if name == "solve":
        from solver.solving import solve

        return solve
    if name == "verify":
        from solver.proof import verify

        return verify
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
