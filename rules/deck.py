"""Deck states of the three match games, parsed, checked and written.

A deck state is the deck just before the hand is dealt; this hand's own cards are still in it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from rules.errors import CardError, DeckError
from rules.numbers import items, ordinal, shown_list, whole

RANKS = range(1, 11)

_TIMES = {1: "once", 2: "twice", 3: "three times", 4: "four times", 5: "five times"}
_NUMBERS = {1: "one", 2: "two", 4: "four"}


def times(number: int) -> str:
    """Say how often: "once", "twice", ..., "7 times"."""
    return _TIMES.get(number, f"{number} times")


def out_too_often(rank: int, number: int, copies: int) -> str:
    """Say that more cards of a rank are out than a deck has: "4 is out three times but the deck has two"."""
    return f"{rank} is out {times(number)} but the deck has {_NUMBERS[copies]}"


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


class TwoSided(NamedTuple):
    """A card of double-sided: two different numbers from 1 to 10."""

    front: int
    back: int

    def __str__(self) -> str:
        return f"{self.front}/{self.back}"

    @classmethod
    def parse(cls, value: object, where: str = "") -> "TwoSided":
        """Read ``front/back``.

        Raises
        ------
        CardError
            Where it is no such card.
        """
        parts = value.split("/") if isinstance(value, str) else value
        if not isinstance(parts, Sequence) or len(parts) != 2:
            raise CardError(f"expected a card as front/back, such as 3/7, got {str(value)!r}{where}")
        front, back = (parse_rank(part, where or f" (in {value})") for part in parts)
        if front == back:
            raise CardError(f"no card has the same number on both sides, got {front}/{back}{where}")
        return cls(front, back)


class HiddenBack(NamedTuple):
    """A card of double-sided of which only the front is known."""

    front: int

    def __str__(self) -> str:
        return f"{self.front}/?"


def parse_two_sided(value: object, where: str = "") -> TwoSided | HiddenBack:
    """Read ``front/back``, or ``front/?`` where the back is not known.

    Raises
    ------
    CardError
        Where it is neither.
    """
    if isinstance(value, HiddenBack):
        return HiddenBack(parse_rank(value.front, where))
    if isinstance(value, str):
        front, _, back = value.partition("/")
        if back.strip() == "?":
            return HiddenBack(parse_rank(front, where or f" (in {value})"))
    return TwoSided.parse(value, where)


@dataclass(frozen=True)
class TwoSidedDeck:
    """What is publicly known of a deck of 90 two-sided cards.

    Parameters
    ----------
    shown
        Cards seen whole, ascending.
    hidden
        Fronts of used cards whose back stayed hidden, ascending, one entry a card.
    """

    shown: tuple[TwoSided, ...] = ()
    hidden: tuple[int, ...] = ()

    SIZE = 90

    @classmethod
    def parse(cls, shown: object = None, hidden: object = None) -> "TwoSidedDeck":
        """Read a deck state.

        Raises
        ------
        DeckError, CardError
            Where a card is shown twice, a front is out too often, or either list is odd.
        """
        cards = [
            TwoSided.parse(part, f" ({ordinal(place)} of shown {shown_list(shown)})")
            for place, part in enumerate(items(shown, "shown", CardError) if shown is not None else [])
        ]
        fronts = parse_ranks(hidden, "hidden") if hidden is not None else []
        for card, number in Counter(cards).items():
            if number > 1:
                raise DeckError(
                    f"{card} is shown {times(number)} but each card exists once (shown {shown_list(shown)})"
                )
        for name, used in (("shown", len(cards)), ("hidden", len(fronts))):
            if used % 2:
                raise DeckError(
                    f"expected an even number of {name} cards, got {used}: a hand shows both cards or hides both; "
                    "this hand's own cards do not count"
                )
        deck = cls(tuple(sorted(cards)), tuple(sorted(fronts)))
        for front in RANKS:
            if deck.left(front) < 0:
                raise DeckError(
                    f"{9 - deck.left(front)} cards with front {front} are out but the deck has nine "
                    f"({len(deck.backs_seen(front))} shown, {deck.hidden.count(front)} hidden)"
                )
        return cls() if deck.total == 0 else deck

    @property
    def total(self) -> int:
        """Cards left."""
        return self.SIZE - len(self.shown) - len(self.hidden)

    def backs_seen(self, front: int) -> tuple[int, ...]:
        """Return the backs of that front among the cards shown whole."""
        return tuple(card.back for card in self.shown if card.front == front)

    def unseen_backs(self, front: int) -> tuple[int, ...]:
        """Return the backs that a card with this front can still have, ascending."""
        seen = self.backs_seen(front)
        return tuple(back for back in RANKS if back != front and back not in seen)

    @cached_property
    def _left(self) -> dict[int, int]:
        return {front: len(self.unseen_backs(front)) - self.hidden.count(front) for front in RANKS}

    def left(self, front: int) -> int:
        """Return how many cards with this front are still in the deck."""
        return self._left[front]

    def front_pairs(self) -> dict[tuple[int, int], float]:
        """Return the probability of each pair of fronts (P1's, P2's) that the deck allows."""
        pairs = {}
        for first, second in product(RANKS, RANKS):
            ways = self.left(first) * (self.left(second) - (first == second))
            if ways > 0:
                pairs[first, second] = ways / (self.total * (self.total - 1))
        return pairs

    def with_shown(self, cards: Iterable[TwoSided]) -> "TwoSidedDeck":
        """Use up two cards that a showdown showed whole."""
        return self._used(TwoSidedDeck(tuple(sorted([*self.shown, *cards])), self.hidden))

    def with_hidden(self, fronts: Iterable[int]) -> "TwoSidedDeck":
        """Use up two cards that a fold left with hidden backs."""
        return self._used(TwoSidedDeck(self.shown, tuple(sorted([*self.hidden, *fronts]))))

    @staticmethod
    def _used(deck: "TwoSidedDeck") -> "TwoSidedDeck":
        return deck if deck.total else TwoSidedDeck()

    def to_dict(self) -> dict[str, Any]:
        """Return both lists ready for JSON."""
        return {"shown": [str(card) for card in self.shown], "hidden": list(self.hidden)}
