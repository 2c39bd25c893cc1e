"""Playing cards as text and back: thirteen ranks, ace high, and four suits.

A card is written by its rank, with its suit where one is known: ``K``, ``10``, ``Kh``. Suits in ascending
order are clubs, diamonds, hearts and spades; whether they decide anything is up to the game.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from rules.base.errors import CardError
from rules.base.parsing import ordinal, shown_list

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("c", "d", "h", "s")

_CARD = re.compile(r"(10|[2-9TJQKA])([CDHS♣♦♥♠]?)", re.ASCII | re.IGNORECASE)
_SYMBOLS = dict(zip("♣♦♥♠", SUITS, strict=True))


class Card(NamedTuple):
    """A card; cards compare by rank, then by suit.

    Parameters
    ----------
    rank
        2 to 14, the ace being 14.
    suit
        One of `SUITS`, or "" where it is not known.
    """

    rank: int
    suit: str = ""

    def __str__(self) -> str:
        return RANKS[self.rank - 2] + self.suit

    @classmethod
    def parse(cls, value: object, where: str = "") -> "Card":
        """Read a card in any case; ``T`` is a 10, and the suit may be a symbol (``K♥``).

        Raises
        ------
        CardError
            Where it is no card, naming `where` it stood.
        """
        match = _CARD.fullmatch(str(value).strip())
        if match is None:
            raise CardError(f"expected a card from 2 to 10, J, Q, K, A such as 10 or Kh, got {str(value)!r}{where}")
        rank, suit = match[1].upper(), match[2].lower()
        return cls(RANKS.index("10" if rank == "T" else rank) + 2, _SYMBOLS.get(suit, suit))


def parse_cards(value: object) -> tuple[Card, ...]:
    """Read cards from a text with commas or spaces between them, or one by one from an iterable.

    Raises
    ------
    CardError
        At the first that is no card, naming its place.
    """
    if isinstance(value, str):
        parts: list[object] = [part for part in re.split(r"[\s,]+", value) if part]
    elif isinstance(value, Iterable):
        parts = list(value)
    else:
        raise CardError(f"expected a list of cards such as K,10,4, got {value!r}")
    return tuple(Card.parse(part, f" ({ordinal(n)} of {shown_list(value)})") for n, part in enumerate(parts))
