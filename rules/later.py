"""What the hands after this one are worth, for the objective match: a place that the solver fills."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rules.chips import Chips, winner

if TYPE_CHECKING:
    from rules.match_game import MatchSpec


class Off(NamedTuple):
    """How far chances to win of one deck model are from those of the decks really left, win probabilities."""

    average: float
    worst: float


FRESH_OFF = Off(0.0046, 0.0225)
"""The deck model fresh over all decks and chips of indian-poker from 10 chips each, where both are known:
``python -m benchmarks.decks`` computes it from the tables that come with forehead."""


def fresh_told() -> str:
    """Say in a few words that bounds of the deck model fresh are not those of the match as it is played."""
    average, worst = (100.0 * part for part in FRESH_OFF)
    return (
        "bounds are those of the deck model fresh; against the decks really left (measured in indian-poker at 10/10) "
        f"a chance to win is off by {average:.2f} points on average, {worst:.2f} at worst"
    )


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
