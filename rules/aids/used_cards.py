"""The tracker: which cards are known to have left the deck."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from rules.aids.views import card_seen, check_seat, own_card, own_folded, refuse
from rules.base.errors import OptionError
from rules.cards.rank_deck import RANKS
from rules.cards.two_sided import TwoSided
from rules.games.double_sided import DoubleSided
from rules.games.indian import IndianSpec
from rules.games.spec import HandSpec


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

    shown: tuple[TwoSided, ...]
    hidden: tuple[int, ...]
    mine: tuple[TwoSided, ...]
    fronts: tuple[int, int] | None
    own: TwoSided | None

    def to_dict(self) -> dict[str, Any]:
        """Return cards as text and fronts as numbers, ready for JSON."""
        return {
            "cards_shown": [str(card) for card in self.shown],
            "fronts_hidden": list(self.hidden),
            "own_cards_hidden": [str(card) for card in self.mine],
            "fronts": None if self.fronts is None else list(self.fronts),
            "own_card": None if self.own is None else str(self.own),
        }


def used_cards(spec: HandSpec, player: int, observation: object = None, mine: object = ()) -> UsedRanks | UsedTwoSided:
    """Count the cards that are known to have left the deck, this hand's visible ones apart.

    Parameters
    ----------
    spec
        A hand of indian-poker, indian-holdem or double-sided; board or fronts may be open.
    player, observation, mine
        As in `hidden_card`; the observation may be None, for nothing seen yet.

    Raises
    ------
    CardError, DeckError
        Where the deck does not allow these cards.
    OptionError
        Where the game has no such aid.
    """
    player = check_seat(spec, player)
    if isinstance(spec, DoubleSided):
        own = None if observation is None else own_card(spec, player, observation)
        return UsedTwoSided(spec.deck.shown, spec.deck.hidden, own_folded(spec.deck, mine, own), spec.fronts, own)
    refuse(spec, "own folded cards that stay hidden", mine)
    if isinstance(spec, IndianSpec):
        seen = () if observation is None else (card_seen(spec, observation),)
        visible = Counter((*spec.table, *seen))
        gone, left = spec.deck.out, spec.deck.count
        return UsedRanks(tuple(UsedRank(n, gone[n], visible[n], left(n) - visible[n]) for n in RANKS))
    raise OptionError(f"expected a game that keeps its deck from hand to hand, got {spec.game}")
