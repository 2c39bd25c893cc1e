"""The contract between the rules and the solvers for any number of players.

A hand is a public game times the cards: everybody at the table has one, from one deck of cards that all come
in equally many copies, and sees all but the own. Who is left at the end with the best card takes the pot;
equal best cards split it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rules.betting.public_game import PublicGame


class Ending(NamedTuple):
    """How a hand ended: the seats left, ascending, and what each seat has put in, the ante included."""

    left: tuple[int, ...]
    cost: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class MultiplayerHand:
    """A hand for any number of players, without its cards.

    Parameters
    ----------
    public
        The public game; its states are `State`.
    players
        At the table, 2 or more.
    cards
        The names of the different cards, in ascending strength.
    copies
        Of each card in the deck.
    ended
        Says how an outcome of `public` ended.
    utility
        Each player's utility of an outcome where these seats share the pot, in the unit of the objective.
    """

    public: PublicGame
    players: int
    cards: tuple[str, ...]
    copies: int
    ended: Callable[[Any], Ending]
    utility: Callable[[Any, tuple[int, ...]], Sequence[float]]
