"""Indian Poker: two players, ranks 1 to 10 twice each, the deck used hand after hand (text 000)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from rules.base.errors import CardError
from rules.cards.rank_deck import RankDeck
from rules.games.indian import IndianSpec
from rules.games.match_spec import DealtCards, choice

TEN_PENALTY = 10
PENALTIES = ("ten", "none")


@dataclass(frozen=True, repr=False)
class IndianPoker(IndianSpec):
    """A hand of indian-poker."""

    deck: RankDeck = RankDeck.fresh(2, 2)
    penalties: str = "ten"

    game = "indian-poker"
    title = "Indian Poker"
    summary = "two players, ranks 1-10 twice each; you see the other's card; folding a hidden 10 costs 10"
    copies = 2
    per_hand = 2
    deck_models = ("exact", "fresh")

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Take this game's options out of `options`; what is left is unknown to it."""
        return cls(
            deck=RankDeck.parse(cls.copies, cls.per_hand, options.pop("seen", None), options.pop("left", None)),
            penalties=choice(options.pop("penalties", "ten"), "penalties in indian-poker", PENALTIES),
            **cls.common(options),
        )

    def deck_dict(self) -> dict[str, Any]:
        """Return the counts left and the penalties."""
        return {"left": list(self.deck.counts), "penalties": self.penalties}

    def strength(self, rank: int, board: tuple[int, ...]) -> tuple[int, int]:
        """Return the rank: the higher card wins."""
        return 0, rank

    def penalty(self, rank: int, board: tuple[int, ...]) -> int:
        """Return 10 for a hidden 10."""
        return TEN_PENALTY if rank == 10 and self.penalties == "ten" else 0

    def penalised_as(self, card: Any) -> str:
        """Name the 10, which the penalty list has even where no penalties are played."""
        return "ten" if int(card) == 10 else ""

    def layouts(self) -> list[DealtCards]:
        """Return the one layout: there is no board."""
        return [self.layout((), 1.0)]

    def dealt(self, cards: Sequence[Any], board: object = None) -> tuple[Self, tuple[int, int]]:
        """Check that both cards can come from the deck."""
        if board is not None:
            raise CardError(f"indian-poker has no community cards, got {board!r}")
        both = self.hand_cards(cards)
        self.deck.without(both)
        return self, both
