"""The tracker: which cards are known to have left the deck, as a game tells it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rules.cards.two_sided import TwoSided


class UsedRank(NamedTuple):
    """Cards of one rank: gone in earlier hands, visible to the player in this one, and not seen yet."""

    rank: int
    cards_gone: int
    cards_visible: int
    cards_unseen: int


@dataclass(frozen=True)
class UsedRanks:
    """Cards of each rank, 1 to 10, that are known; visible are the board and the other's card."""

    ranks: tuple[UsedRank, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts by rank, ready for JSON."""
        return {"ranks": [row._asdict() for row in self.ranks]}


@dataclass(frozen=True)
class UsedTwoSided:
    """Two-sided cards as far as they are known.

    Parameters
    ----------
    shown
        Cards of earlier hands seen whole.
    hidden
        Fronts of earlier cards whose back stayed hidden, one entry a card, the player's own included.
    mine
        The player's own ones among the hidden cards.
    fronts
        P1's and P2's front in this hand, None where they are open.
    own
        The player's card in this hand, None where its back is not given.
    """

    shown: "tuple[TwoSided, ...]"
    hidden: tuple[int, ...]
    mine: "tuple[TwoSided, ...]"
    fronts: tuple[int, int] | None
    own: "TwoSided | None"

    def to_dict(self) -> dict[str, Any]:
        """Return cards as text and fronts as numbers, ready for JSON."""
        return {
            "cards_shown": [str(card) for card in self.shown],
            "fronts_hidden": list(self.hidden),
            "own_cards_hidden": [str(card) for card in self.mine],
            "fronts": None if self.fronts is None else list(self.fronts),
            "own_card": None if self.own is None else str(self.own),
        }
