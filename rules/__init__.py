"""The rules of the four games: deck states, betting, settlement, and whole matches; no solving.

>>> from rules import hand
>>> spec = hand("indian-holdem", board="4,9", stacks="20,20")
>>> spec.to_dict()["board"]
[4, 9]
"""

from typing import TYPE_CHECKING, Any

from rules.base.errors import ForeheadError

if TYPE_CHECKING:
    from rules.games.registry import GAMES, hand

__all__ = ["GAMES", "ForeheadError", "hand"]


def __getattr__(name: str) -> Any:
    """Import the games only when they are used: help texts need none."""
    if name in ("GAMES", "hand"):
        from rules.games import registry

        return getattr(registry, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
