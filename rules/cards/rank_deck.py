"""Deck states of the three match games, parsed, checked and written.

A deck state is the deck just before the hand is dealt; this hand's own cards are still in it.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from rules.base.errors import CardError, DeckError
from rules.base.parsing import items, ordinal, shown_list, whole

RANKS = range(1, 11)

_TIMES = {1: "once", 2: "twice", 3: "three times", 4: "four times", 5: "five times"}
NUMBER_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def times(number: int) -> str:
    """Say how often: "once", "twice", ..., "7 times"."""
    return _TIMES.get(number, f"{number} times")


def out_too_often(rank: int, number: int, copies: int) -> str:
    """Say that more cards of a rank are out than a deck has: "4 is out three times but the deck has two"."""
    return f"{rank} is out {times(number)} but the deck has {NUMBER_WORDS.get(copies, copies)}"


def parse_rank(value: object, where: str = "") -> int:
    """Read a rank from 1 to 10.

    Raises
    ------
    CardError
        Where it is none, naming `where` it stood.
    """
    try:
        rank = whole(value, "a card", CardError)
    except CardError:
        rank = 0
    if rank not in RANKS:
        raise CardError(f"expected a card from 1 to 10, got {str(value)!r}{where}")
    return rank


def parse_ranks(value: object, what: str) -> list[int]:
    """Read a list of ranks; `what` names the option in messages."""
    parts = items(value, what, CardError)
    return [parse_rank(part, f" ({ordinal(place)} of {what} {shown_list(value)})") for place, part in enumerate(parts)]


@dataclass(frozen=True)
class RankDeck:
    """Cards left by rank.

    Parameters
    ----------
    counts
        Ten counts, of rank 1 first.
    copies
        Copies of each rank in a fresh deck.
    per_hand
        Cards that a hand uses up; what is left is a positive multiple of it.
    """

    counts: tuple[int, ...]
    copies: int
    per_hand: int

    @classmethod
    def fresh(cls, copies: int, per_hand: int) -> "RankDeck":
        """Return the full deck."""
        return cls((copies,) * len(RANKS), copies, per_hand)

    @classmethod
    def parse(cls, copies: int, per_hand: int, seen: object = None, left: object = None) -> "RankDeck":
        """Read a deck state from the cards that have left it or from the counts still in it.

        Raises
        ------
        DeckError, CardError
            Where both are given, a rank is out too often, or no whole hands are left.
        """
        if seen is not None and left is not None:
            raise DeckError("expected seen or left, got both; they describe the same deck")
        if left is not None:
            parts = items(left, "left", DeckError)
            if len(parts) != len(RANKS):
                raise DeckError(f"expected left to have ten counts, of 1 to 10, got {len(parts)} ({shown_list(left)})")
            counts = [whole(part, f"the count of {rank}", DeckError) for rank, part in zip(RANKS, parts, strict=True)]
            for rank, count in zip(RANKS, counts, strict=True):
                if not 0 <= count <= copies:
                    raise DeckError(
                        f"expected 0 to {copies} cards of rank {rank} left, got {count} (left {shown_list(left)})"
                    )
            source = f"left {shown_list(left)}"
        else:
            ranks = parse_ranks(seen, "seen") if seen is not None else []
            out = Counter(ranks)
            for rank in RANKS:
                if out[rank] > copies:
                    raise DeckError(f"{out_too_often(rank, out[rank], copies)} (seen {shown_list(seen)})")
            counts = [copies - out[rank] for rank in RANKS]
            source = f"seen {shown_list(seen)}"
        total = sum(counts)
        if total % per_hand:
            size = copies * len(RANKS)
            raise DeckError(
                f"{total} of {size} cards are left, but hands use {per_hand} cards each, so a multiple of "
                f"{per_hand} must be left before a hand ({source}); this hand's own cards do not count as seen"
            )
        return cls(tuple(counts), copies, per_hand) if total else cls.fresh(copies, per_hand)

    @property
    def total(self) -> int:
        """Cards left."""
        return sum(self.counts)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks still in the deck, ascending."""
        return tuple(rank for rank in RANKS if self.counts[rank - 1])

    @property
    def out(self) -> dict[int, int]:
        """Copies gone by rank, all ten ranks."""
        return {rank: self.copies - self.counts[rank - 1] for rank in RANKS}

    def count(self, rank: int) -> int:
        """Return the copies of a rank that are left."""
        return self.counts[rank - 1]

    def without(self, cards: Iterable[int]) -> "RankDeck":
        """Take cards out; a deck used up is followed by a fresh one.

        Raises
        ------
        CardError
            Where a card is not in the deck.
        """
        counts = list(self.counts)
        for card in cards:
            parse_rank(card)
            if counts[card - 1] == 0:
                left = self.counts[card - 1]
                raise CardError(f"the deck has {left} of rank {card} left, not enough for these cards")
            counts[card - 1] -= 1
        return (
            RankDeck(tuple(counts), self.copies, self.per_hand)
            if any(counts)
            else self.fresh(self.copies, self.per_hand)
        )

    def holds(self, cards: Iterable[int]) -> bool:
        """Whether all the cards can come from this deck together."""
        return all(self.counts[rank - 1] >= number for rank, number in Counter(cards).items())
