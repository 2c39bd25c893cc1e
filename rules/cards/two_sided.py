"""Two-sided cards, and the deck of them that is left: a front that the other sees, a back that its holder sees."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from rules.base.errors import CardError, DeckError
from rules.base.parsing import items, ordinal, shown_list
from rules.cards.rank_deck import RANKS, parse_rank, parse_ranks, times


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
