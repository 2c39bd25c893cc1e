"""Players who follow rules of thumb, for others to be measured by: always call, anything, and the texts' advice.

A rule looks at what the player may know: the public state, the chips, and what the deck says of the card that is
not seen. It never asks for more than the order of the cards, so that deals that are the same hand are played the
same way.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rules.betting.actions import ALLIN, BOTH, CALL, FOLD, NAME, Action
from rules.betting.chips import Chips
from rules.games.match_spec import DealtCards

GIVE_UP, STAY, SMALL, LARGE, DOUBLE = range(5)
"""What a rule can want: to fold, to call, to bet or raise by the least, by the most short of all-in, both sides."""

Array = NDArray[np.float64]
Wanted = NDArray[np.int64]


class RuleBasedStrategy(ABC):
    """A rule, bound to hands: K kinds of deals, padded to X observations.

    Parameters
    ----------
    layouts
        The cards of each kind.
    size
        X.
    """

    name: ClassVar[str]

    def __init__(self, layouts: Sequence[DealtCards], size: int) -> None:
        self.kinds, self.size = len(layouts), size

    @abstractmethod
    def mixes(self, chips: Chips, state: Any, actions: Sequence[Action]) -> Array:
        """Return how often each action is played at a public state.

        Parameters
        ----------
        chips
            Before the hand.
        state
            As the game's betting has it.
        actions
            The legal ones.

        Returns
        -------
        ndarray of float64, shape (actions, K, X)
            By kind and by what the acting player observes.
        """


class AnyAction(RuleBasedStrategy):
    """Every legal action as often as any other."""

    name = "random"

    def mixes(self, chips: Chips, state: Any, actions: Sequence[Action]) -> Array:
        """Return even mixes."""
        return np.full((len(actions), self.kinds, self.size), 1.0 / len(actions))


class Decided(RuleBasedStrategy):
    """A rule that knows what it wants."""

    @abstractmethod
    def wants(self, chips: Chips, state: Any) -> Wanted:
        """Return what is wanted at a public state, shape (K, X)."""

    def back(self, state: Any) -> NDArray[np.bool_]:
        """Return whether the back is played where a side is still to be named, shape (K, X)."""
        return np.zeros((self.kinds, self.size), dtype=bool)

    def mixes(self, chips: Chips, state: Any, actions: Sequence[Action]) -> Array:
        """Return 1 for what is wanted, or for what comes nearest to it."""
        wanted, found = self.wants(chips, state), np.zeros((len(actions), self.kinds, self.size))
        sides = sorted({action.side for action in actions} - {""}, reverse=True) or [""]  # front, back
        back = self.back(state) if len(sides) > 1 else np.zeros(wanted.shape, dtype=bool)
        for place, side in enumerate(sides):
            here = (back == bool(place)) if len(sides) > 1 else np.ones(wanted.shape, dtype=bool)
            for want in range(GIVE_UP, DOUBLE + 1):
                found[nearest(actions, side, want)] += here & (wanted == want)
        return found


def nearest(actions: Sequence[Action], side: str, want: int) -> int:
    """Return which of the legal actions comes nearest to what is wanted, with a side where one is to be named."""
    mine = [place for place, action in enumerate(actions) if action.side in ("", side)]
    kinds = {actions[place].kind: place for place in mine}
    if NAME in kinds:
        return kinds[NAME]
    if want == GIVE_UP:
        return kinds[FOLD]
    if want == DOUBLE and BOTH in kinds:
        return kinds[BOTH]
    raises = [place for place in mine if actions[place].size]
    if raises and (want != STAY or CALL not in kinds):
        listed = [place for place in raises if actions[place].kind != ALLIN] or raises
        return listed[-1] if want == LARGE else raises[0]
    return kinds[CALL]


class AlwaysCall(Decided):
    """Call whatever comes; open with the smallest bet."""

    name = "call"

    def wants(self, chips: Chips, state: Any) -> Wanted:
        """Return a call everywhere."""
        return np.full((self.kinds, self.size), STAY)


CLEAR, EVEN, SOME = 0.75, 0.5, 0.6
"""Chances to win a showdown from which the texts' players bet high, stay, and bet the least."""
