"""A fifth game, for tests: the deck of indian-holdem with three community cards; docs/adding-a-game.md reads it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any, Self

from rules.base.errors import CardError
from rules.base.parsing import shown_list
from rules.cards.rank_deck import RankDeck, parse_ranks
from rules.games.indian import IndianSpec
from rules.games.match_spec import DealtCards, choice

KINDS = ("high card", "pair", "triple", "four")


@dataclass(frozen=True, repr=False)
class ThreeCards(IndianSpec):
    """A hand: the own card with as many of its rank as the board has; then the higher card wins."""

    deck: RankDeck = RankDeck.fresh(4, 5)
    penalties: str = "triple"
    board: tuple[int, ...] | None = None

    game = "three-cards"
    title = "Three Cards"
    summary = "two players, ranks 1-10 four times each, three community cards; folding a triple or more costs 6"
    copies = 4
    per_hand = 5
    log_example = "mine 4  theirs 9  board 2,3,9  history b1 c"

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Take this game's options out of `options`; what is left is unknown to it."""
        deck = RankDeck.parse(cls.copies, cls.per_hand, options.pop("seen", None), options.pop("left", None))
        penalties = choice(options.pop("penalties", "triple"), f"penalties in {cls.game}", ("triple", "none"))
        board = cls._board(options.pop("board", None), deck)
        return cls(deck=deck, penalties=penalties, board=board, **cls.common(options))

    @staticmethod
    def _board(value: object, deck: RankDeck) -> tuple[int, ...] | None:
        if value is None:
            return None
        cards = tuple(sorted(parse_ranks(value, "board")))
        if len(cards) != 3 or not deck.holds(cards):
            raise CardError(f"expected three community cards that the deck has, got {shown_list(value)!r}")
        return cards

    def deck_dict(self) -> dict[str, Any]:
        """Return the counts left, the board and the penalties."""
        board = None if self.board is None else list(self.board)
        return {"left": list(self.deck.counts), "board": board, "penalties": self.penalties}

    @property
    def table(self) -> tuple[int, ...]:
        """The community cards."""
        return self.board or ()

    def penalised_as(self, card: Any) -> str:
        """Name what a card makes with the board."""
        return KINDS[self.table.count(int(card))]

    def strength(self, rank: int, board: tuple[int, ...]) -> tuple[int, int]:
        """Return the kind of hand, then the own card's rank."""
        return board.count(rank), rank

    def penalty(self, rank: int, board: tuple[int, ...]) -> int:
        """Return 6 for a triple or more."""
        return 6 if board.count(rank) > 1 and self.penalties == "triple" else 0

    def layouts(self) -> list[DealtCards]:
        """Return the board's layout, or one for every board."""
        if self.board is not None:
            return [self.layout(self.board, 1.0)]
        every, found = comb(self.deck.total, 3), []
        for board in combinations_with_replacement(self.deck.ranks, 3):
            ways = prod(comb(self.deck.count(rank), board.count(rank)) for rank in set(board))
            if ways:
                found.append(self.layout(board, ways / every))
        return found

    def dealt(self, cards: Sequence[Any], board: object = None) -> tuple[Self, tuple[int, int]]:
        """Check that the board and both cards can come from the deck."""
        table = self.board if board is None else self._board(board, self.deck)
        if table is None or (self.board is not None and table != self.board):
            raise CardError(f"expected the three community cards of the hand, got {shown_list(table) or 'none'}")
        both = self.hand_cards(cards)
        self.deck.without((*table, *both))
        return replace(self, board=table), both

    def fresh_fields(self) -> dict[str, Any]:
        """Return a full deck and no board."""
        return {**super().fresh_fields(), "board": None}
