"""Indian Hold'em: two players, ranks 1 to 10 four times each, two community cards (text 001)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Self

from rules.base.errors import CardError
from rules.base.parsing import shown_list
from rules.cards.rank_deck import RANKS, RankDeck, parse_ranks
from rules.games.indian import IndianSpec
from rules.games.match_spec import DealtCards, choice

HIGH_CARD, PAIR, STRAIGHT, TRIPLE = range(4)
KINDS = ("high card", "pair", "straight", "triple")
PENALTIES = {
    "final": {STRAIGHT: 10, TRIPLE: 10, PAIR: 5, HIGH_CARD: 0},
    "death-match": {STRAIGHT: 10, TRIPLE: 10, PAIR: 0, HIGH_CARD: 0},
    "none": {STRAIGHT: 0, TRIPLE: 0, PAIR: 0, HIGH_CARD: 0},
}


def kind(rank: int, board: tuple[int, ...]) -> int:
    """Return the kind of hand that an own card makes with two community cards.

    Consecutive numbers are taken on the circle 1..10, so 9-10-1 and 10-1-2 are straights; a pair needs
    the own card (text 001, "Hands" and "Our version").
    """
    low, high = board
    if low == high:
        return TRIPLE if rank == low else HIGH_CARD
    if rank in board:
        return PAIR
    cards = {rank, low, high}
    starts = (start for start in RANKS if {start, start % 10 + 1, (start + 1) % 10 + 1} == cards)
    return STRAIGHT if next(starts, None) else HIGH_CARD


@dataclass(frozen=True, repr=False)
class IndianHoldem(IndianSpec):
    """A hand of indian-holdem; without a board, every board that the deck allows."""

    deck: RankDeck = RankDeck.fresh(4, 4)
    penalties: str = "final"
    board: tuple[int, int] | None = None

    game = "indian-holdem"
    title = "Indian Hold'em"
    summary = "two players, ranks 1-10 four times each, two community cards; folding a good hand costs chips"
    copies = 4
    per_hand = 4
    log_example = "mine 4  theirs 9  board 2,3  history b1 c"

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Take this game's options out of `options`; what is left is unknown to it."""
        deck = RankDeck.parse(cls.copies, cls.per_hand, options.pop("seen", None), options.pop("left", None))
        return cls(
            deck=deck,
            penalties=choice(options.pop("penalties", "final"), "penalties in indian-holdem", tuple(PENALTIES)),
            board=parse_board(options.pop("board", None), deck),
            **cls.common(options),
        )

    def deck_dict(self) -> dict[str, Any]:
        """Return the counts left, the board and the penalties."""
        board = None if self.board is None else list(self.board)
        return {"left": list(self.deck.counts), "board": board, "penalties": self.penalties}

    @property
    def table(self) -> tuple[int, ...]:
        """The community cards."""
        return self.board or ()

    def strength(self, rank: int, board: tuple[int, ...]) -> tuple[int, int]:
        """Return the kind of hand, then the own card's rank."""
        return kind(rank, board), rank

    def penalty(self, rank: int, board: tuple[int, ...]) -> int:
        """Return the penalty for the folder's real hand."""
        return PENALTIES[self.penalties][kind(rank, board)]

    def penalised_as(self, card: Any) -> str:
        """Name the kind of hand that each card makes with the board."""
        return KINDS[kind(int(card), self.table)]

    def layouts(self) -> list[DealtCards]:
        """Return the board's layout, or one for every board."""
        if self.board is not None:
            return [self.layout(self.board, 1.0)]
        return [self.layout(board, weight) for board, weight in self.boards().items()]

    def boards(self) -> dict[tuple[int, int], float]:
        """Return the probability of each board that the deck allows."""
        ways = {}
        for low, high in combinations_with_replacement(self.deck.ranks, 2):
            copies = self.deck.count(low)
            number = comb(copies, 2) if low == high else copies * self.deck.count(high)
            if number:
                ways[low, high] = number / comb(self.deck.total, 2)
        return ways

    def dealt(self, cards: Sequence[Any], board: object = None) -> tuple[Self, tuple[int, int]]:
        """Check that the board and both cards can come from the deck."""
        table = self.board if board is None else parse_board(board, self.deck)
        if table is None:
            raise CardError("expected the two community cards of the hand, got none")
        if self.board is not None and table != self.board:
            raise CardError(f"expected the board {self.board[0]},{self.board[1]}, got {table[0]},{table[1]}")
        both = self.hand_cards(cards)
        self.deck.without((*table, *both))
        return replace(self, board=table), both

    def fresh_fields(self) -> dict[str, Any]:
        """Return a full deck and no board."""
        return {**super().fresh_fields(), "board": None}


def parse_board(value: object, deck: RankDeck) -> tuple[int, int] | None:
    """Read two community cards, in any order.

    Raises
    ------
    CardError
        Where there are not two, or the deck no longer allows them.
    """
    if value is None:
        return None
    cards = sorted(parse_ranks(value, "board"))
    if len(cards) != 2:
        raise CardError(f"expected two community cards, such as 4,9, got {shown_list(value)!r}")
    if not deck.holds(cards):
        left = " and ".join(f"{deck.count(rank)} of rank {rank}" for rank in sorted(set(cards)))
        raise CardError(f"the board {cards[0]},{cards[1]} is no longer possible: the deck has {left} left")
    return cards[0], cards[1]
