"""The rules of the four games: deck states, betting, settlement, and whole matches; no solving.

>>> from rules import hand
>>> spec = hand("indian-holdem", board="4,9", stacks="20,20")
>>> spec.to_dict()["board"]
[4, 9]
"""

from rules.base.errors import ForeheadError
from rules.games.registry import GAMES, hand

__all__ = ["GAMES", "ForeheadError", "hand"]
