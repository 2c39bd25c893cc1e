"""What the hands after this one are worth, for the objective match: a place that the solver fills."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from rules.chips import Chips, winner

if TYPE_CHECKING:
    from rules.match_game import MatchSpec


class Later(ABC):
    """The chance to win the match from every state that a hand can lead to."""

    @property
    @abstractmethod
    def told(self) -> str:
        """Where the figures come from and how good they are, in a few words."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """What tells them from others for the same hand."""

    @property
    @abstractmethod
    def sides(self) -> tuple[Self, Self]:
        """What is surely true: later hands worth to this hand's P1 at least so much, and at most so much."""

    @abstractmethod
    def worth(
        self, spec: "MatchSpec", observations: tuple[tuple[str, ...], tuple[str, ...]], after: Chips
    ) -> NDArray[np.float64]:
        """Return P1's chance to win the match from the chips after a hand, by both observations, shape (n1, n2).

        Parameters
        ----------
        spec
            This hand.
        observations
            Which tell the cards that have been shown.
        after
            As this hand's players have them; both still have some.
        """

    def won(
        self, spec: "MatchSpec", observations: tuple[tuple[str, ...], tuple[str, ...]], after: Chips
    ) -> NDArray[np.float64] | float:
        """Return P1's chance to win the match after a hand, which may have ended it."""
        result = winner(after)
        if result is None:
            return self.worth(spec, observations, after)
        return 0.5 if result == "draw" else float(result == 0)
