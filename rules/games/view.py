"""What one player sees of a hand, and so what the card not seen can be; each game has its own."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rules.base.errors import CardError, OptionError
from rules.base.parsing import shown_list
from rules.cards.rank_deck import parse_rank

Weights = Mapping[Any, Any]
"""From a card as text or number to how likely it is, in any unit."""


class View(ABC):
    """What a player sees of a hand, and so what the card that the player does not see can be.

    `copies` are the cards it can be, ascending; 0 for one that only the player's own folded cards rule out.
    """

    what = "own card"
    copies: dict[Any, int]

    def read(self, name: object) -> Any:
        """Return the key in `copies` that a card of `Weights` means; a rank where the game has no suits."""
        return parse_rank(name, " (in weights)")

    @abstractmethod
    def result(self, sides: object, left: object) -> Callable[[Any], int]:
        """Return what tells the sign of a showdown for the player from the card not seen."""

    def belief(self, weights: Weights | None) -> dict[Any, Fraction]:
        """Return the probability of each card: from the deck, or by weights."""
        belief = {card: Fraction(copies) for card, copies in self.copies.items()}
        if weights is not None:
            given = self._weigh(weights)
            belief = {card: given[card] * min(copies, 1) for card, copies in self.copies.items()}
            if not any(belief.values()):
                raise OptionError(f"expected a weight above 0 for a card that the {self.what} can be, got none")
        total = sum(belief.values())
        return {card: value / total for card, value in belief.items()}

    def _weigh(self, weights: Weights) -> dict[Any, Fraction]:
        """Read weights; those under several names of one card add up."""
        given = dict.fromkeys(self.copies, Fraction(0))
        for name, value in weights.items():
            card = self.read(name)
            try:
                weight = Fraction(value) if isinstance(value, (int, Fraction)) else Fraction(float(value))
            except (TypeError, ValueError, OverflowError):
                weight = Fraction(-1)
            if weight < 0:
                raise OptionError(f"expected a weight of 0 or more for {card}, got {value!r}")
            if card in given:
                given[card] += weight
            elif weight:
                allowed = ", ".join(map(str, self.copies))
                raise CardError(f"expected weights for what the {self.what} can be ({allowed}), got one for {card}")
        return given


def refuse(game: str, what: str, value: object) -> None:
    """Refuse what another game asks for; None and an empty list say nothing."""
    if value not in (None, (), [], ""):
        raise OptionError(f"{game} has no {what}, got {shown_list(value)}")
