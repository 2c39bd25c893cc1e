"""The contract between the rules and the solver.

A hand of any of the games is a *public game* (who acts, what may be done, how it ends) times a
*private observation* for each player. The public game is a finite automaton: hashable states, moves
out of each, outcomes where it ends. It knows no cards. A `Hand` adds the cards: the prior over both
players' observations and, for each outcome, Player 1's utility for each pair of observations. Whoever
can state a hand in these terms can solve it; the solver knows nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError, SizeError
from rules.base.parsing import shown_list
from rules.betting.actions import Action
from rules.betting.chips import stakes
from rules.games.tracker import UsedRanks, UsedTwoSided
from rules.games.view import View

if TYPE_CHECKING:
    from rules.games.multiplayer import MultiplayerHand

from rules.betting.public_game import MOST_SHOWN, PublicGame


@dataclass(frozen=True, eq=False)
class Hand:
    """One hand as the solver sees it.

    Parameters
    ----------
    public
        The public game.
    prior
        Probability of each pair of private observations, shape ``(n1, n2)``, float64, sums to 1; every
        row and every column has a positive entry.
    utility
        Maps an outcome of `public` to Player 1's utility, shape ``(n1, n2)``, float64, in the unit of
        the objective. Player 2's is its negative. Where a public chance event came before, its
        probability given the observations is a factor of the utility.
    even
        See `HandSpec.even`.
    """

    public: PublicGame
    prior: NDArray[np.float64]
    utility: Callable[[Any], NDArray[np.float64]]
    even: float = 0.0


class Deal(NamedTuple):
    """One board or one pair of fronts that the deck allows, or the hand itself where there is none.

    ``observations[p]`` names the private observations of player ``p``, in the order of the hand's
    prior; `weight` is the probability of the deal; `board` is "" where the game has none.
    """

    board: str
    weight: float
    observations: tuple[tuple[str, ...], tuple[str, ...]]


class HandClass(NamedTuple):
    """A hand and the deals that are this hand, but for the names of observations."""

    hand: Hand
    deals: tuple[Deal, ...]

    @property
    def weight(self) -> float:
        """The probability of the class, 0 to 1."""
        return sum(deal.weight for deal in self.deals)


class HandSpec(ABC):
    """Everything that defines what is solved: a game, a deck state, chips and options, checked."""

    game: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    sees: ClassVar[str] = "sees"
    """What a private observation is, over a column of them."""
    board_word: ClassVar[str] = "board"
    """What tells the deals of a hand apart."""
    told_as: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Options that tell a field of the normal form, where they have other names or no default."""
    told_beside: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Options that the normal form has only where they are given, by the field that they follow."""
    unseen: ClassVar[str] = "your card"
    """The card that a player does not see, as it is called to that player."""
    sides_that_meet: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Which sides of both cards can meet in a showdown, P1's first; empty where cards have one number."""
    aids: ClassVar[tuple[str, ...]] = ()
    """The functions of `rules.aids` that the game has beside those that every game has."""

    # The objective.

    @property
    def unit(self) -> str:
        """What utilities are counted in."""
        return "chips"

    @property
    def together(self) -> float:
        """What both players' utilities sum to; the solver takes P2's as minus P1's, which comes to the same."""
        return 0.0

    @property
    def even(self) -> float:
        """P1's utility where a hand changes nothing, from which the size of stakes is counted."""
        return 0.0

    @property
    def chip(self) -> float:
        """What a chip is worth, about: a measure for what is much and what is little."""
        return 1.0

    @property
    def usual_gap(self) -> float:
        """The NashConv that a solve aims at where nobody says otherwise."""
        return 1e-3

    @property
    def sides(self) -> "tuple[HandSpec, HandSpec] | None":
        """The same hand with utilities that P1 has at least, and with some that it has at most.

        None where utilities are known exactly.
        """
        return None

    @property
    def depends(self) -> str:
        """What tells apart hands of one normal form whose utilities come from somewhere else; "" where none do."""
        return ""

    @property
    def lacks(self) -> bool:
        """Whether something must be looked up before the hand has utilities."""
        return False

    @property
    def seats(self) -> int:
        """How many play."""
        return 2

    @property
    @abstractmethod
    def public(self) -> PublicGame:
        """The public game that all deals share."""

    @abstractmethod
    def classes(self) -> tuple[HandClass, ...]:
        """Return every deal that the deck allows, one lossless class once; weights sum to 1."""

    def around_the_table(self) -> "MultiplayerHand":
        """Return the hand as solvers for any number of players read it; see `rules.games.multiplayer`."""
        raise SizeError(f"{self.game} is solved for two players alone")

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the spec in normal form, ready for JSON; equal hands give equal dicts."""

    def __repr__(self) -> str:
        """Return the hand as `rules.games.spec` is asked for it, without the options that are as usual."""
        usual = self.defaults()
        told = [
            f"{name}={value!r}" if len(repr(value)) <= MOST_SHOWN else f"{name}=..."
            for name, value in self.to_dict().items()
            if name != "game" and (name not in usual or usual[name] != value)
        ]
        return f"hand({', '.join([repr(self.game), *told])})"

    def check_same(self, other: "HandSpec") -> None:
        """Check that another hand is this one.

        Raises
        ------
        OptionError
            Where it is not; says what differs first.
        """
        here, wanted = self.to_dict(), other.to_dict()
        for name, value in here.items():
            if value != wanted.get(name):
                raise OptionError(
                    "expected to go on from a solution of the same hand; this one solves another "
                    f"({name} {shown_list(value)} and not {shown_list(wanted.get(name))})"
                )

    @property
    @abstractmethod
    def headline(self) -> str:
        """The state of deck and chips in a few words."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of any result must know: models, and games made smaller."""
        return ()

    @abstractmethod
    def observation(self, text: object) -> str:
        """Return the name of a private observation as users write it.

        Raises
        ------
        CardError
            Where there is no such card in the game.
        """

    def smaller(self, history: Sequence[Action] | None = None) -> Iterator[tuple[str, "HandSpec"]]:
        """Yield ways to make the game smaller, as the options to give, those first that stand best for it.

        Parameters
        ----------
        history
            Actions of this game that a smaller one must keep, so that advice after them can come from it;
            None for whatever is smaller.
        """
        return iter(())

    def around(self, history: Sequence[Action]) -> Iterator[tuple[str, "HandSpec"]]:
        """Yield smaller games that keep a history and nothing else like it, as `smaller` does."""
        return iter(())

    # What a game says of its cards and chips.

    def view(self, player: int, observation: object, mine: object = ()) -> View:
        """Return what a player sees; parameters and errors as in `rules.aids.hidden_card`."""
        raise OptionError(f"{self.game} does not say what its players see")

    def used_cards(self, player: int, observation: object = None, mine: object = ()) -> UsedRanks | UsedTwoSided:
        """Return the cards that are known to have left the deck; see `rules.aids.used_cards`."""
        raise OptionError(f"expected a game that keeps its deck from hand to hand, got {self.game}")

    def deck_summary(self) -> str:
        """Say which cards have left the deck before this hand; "" where every deck is full."""
        return ""

    def fold_penalty(self, card: Any) -> int:
        """Return what folding costs with this card, in chips; 0 where a game has no penalties."""
        return 0

    def paid(self, history: Sequence[Action]) -> tuple[int, ...]:
        """Return what each player has put in beyond the ante after actions."""
        return stakes(history)

    def sides_met(self, history: Sequence[Action], player: int) -> tuple[tuple[str, str], ...] | None:
        """Return the sides that a showdown now can compare, by what has been named; None where the other's is open.

        Empty where cards have one number.
        """
        return ()

    def with_board(self, board: str) -> Self:
        """Return the hand with a board or fronts, as text; "" stands for what the hand has already."""
        if not board:
            return self
        fields = {name: value for name, value in self.to_dict().items() if name != "game" and value is not None}
        return self.from_options(fields | {self.board_word: board})

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Take this game's options out of `options`; what is left is unknown to it.

        Raises
        ------
        ForeheadError
            Where an option is not allowed.
        """
        raise OptionError(f"{cls.game} is not made from options")

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the normal form of a hand without options; nothing where the game is not made from options."""
        return {}
