"""A whole match as a replay: chips, carry, deck and first bettor from hand to hand.

Rules page, "The three two-player match games": the start, new decks, and articles 6 and 7 of the betting.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rules.base.errors import CardError, HistoryError, OptionError
from rules.betting.actions import Action, format_history
from rules.betting.chips import Chips, winner
from rules.betting.public_game import Outcome
from rules.cards.two_sided import TwoSided
from rules.games.match_spec import MatchSpec
from rules.play.hand import MatchHand


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One finished hand of a match.

    Parameters
    ----------
    first
        The person who bet first and so was P1.
    cards
        P1's and P2's card.
    board
        The community cards, or None where the game has none.
    history
        The actions as the game names them.
    outcome
        How the hand ended.
    before, after
        The chips before and after the hand by person: `s1` is person 0's stack, `s2` person 1's.
    renewed
        Whether the hand used the deck up, so that a fresh one was shuffled after it.
    """

    first: int
    cards: tuple[Any, Any]
    board: tuple[int, ...] | None
    history: tuple[Action, ...]
    outcome: Outcome
    before: Chips
    after: Chips
    renewed: bool


class Match:
    """A match between persons 0 and 1, hand after hand.

    Persons keep their number; who of them is P1 changes with every hand.

    Parameters
    ----------
    spec
        The first hand: deck state, options, and chips as its P1 and P2 see them.
    first
        The person who bets first in it.
    """

    def __init__(self, spec: MatchSpec, first: int = 0) -> None:
        if first not in (0, 1):
            raise OptionError(f"expected person 0 or 1 to bet first, got {first!r}")
        self._spec = spec
        self._first = first
        self._hands: list[PlayedHand] = []

    @property
    def game(self) -> type[MatchSpec]:
        """The game that is played."""
        return type(self._spec)

    @property
    def first(self) -> int:
        """The person who bets first in the coming hand."""
        return self._first

    @property
    def hands(self) -> tuple[PlayedHand, ...]:
        """The hands played so far."""
        return tuple(self._hands)

    @property
    def chips(self) -> tuple[int, int]:
        """The stacks of persons 0 and 1."""
        return self._by_person(self._spec.chips).stacks

    @property
    def carry(self) -> int:
        """The pot carried over."""
        return self._spec.chips.carry

    @property
    def winner(self) -> int | str | None:
        """The person who has won, "draw" where both are without chips, or None while the match goes on."""
        return winner(self._by_person(self._spec.chips))

    @property
    def over(self) -> bool:
        """Whether a person has no chips left."""
        return self.winner is not None

    @property
    def spec(self) -> MatchSpec:
        """The coming hand: what is known of the deck, and chips as its P1 and P2 see them.

        Raises
        ------
        HistoryError
            After the end of the match.
        """
        if self.over:
            result = "is drawn" if self.winner == "draw" else f"was won by person {self.winner}"
            raise HistoryError(f"the match {result} after {len(self._hands)} hands; no hand can follow")
        return self._spec

    def deal(self, cards: Sequence[Any], board: object = None) -> MatchHand:
        """Deal the coming hand; `finish` appends it once it has been played.

        Parameters
        ----------
        cards
            The card of the first bettor (P1), then the other's.
        board
            The community cards, where the game has them.

        Raises
        ------
        CardError
            Where the deck cannot deal these cards.
        HistoryError
            After the end of the match.
        """
        return self._begin(cards, board, ())

    def finish(self, hand: MatchHand) -> PlayedHand:
        """Append a hand that `deal` gave and that has been played to its end.

        Raises
        ------
        HistoryError
            After the end of the match, where the hand is not over, or where it is not the coming one.
        """
        if self.spec.dealt(hand.cards, hand.board)[0] != hand.spec:
            raise HistoryError(
                f"expected hand {len(self._hands) + 1} of the match, got one with other chips or another deck "
                f'("{format_history(hand.history)}")'
            )
        played = PlayedHand(
            first=self._first,
            cards=hand.cards,
            board=hand.board,
            history=hand.history,
            outcome=hand.final(),
            before=self._by_person(hand.spec.chips),
            after=self._by_person(hand.chips_after),
            renewed=hand.renewed,
        )
        self._hands.append(played)
        self._spec = hand.revealed
        self._first = 1 - self._first
        return played

    def play(self, cards: Sequence[Any], history: str | Sequence[Action], board: object = None) -> PlayedHand:
        """Play the whole coming hand; a refusal leaves the match as it was.

        Parameters
        ----------
        cards
            The card of the first bettor (P1), then the other's.
        history
            All its actions, "" where the antes are all-in and nobody acts.
        board
            The community cards, where the game has them.

        Raises
        ------
        CardError
            Where the deck cannot deal these cards.
        HistoryError
            Where the history is not legal or stops before the end of the hand, and after the end of the match.
        """
        return self.finish(self._begin(cards, board, history))

    def _begin(self, cards: Sequence[Any], board: object, history: str | Sequence[Action]) -> MatchHand:
        """Deal the coming hand; a card that exists once comes once from a deck, hidden or not."""
        hand = MatchHand(self.spec, cards, board, history)
        dealt: set[Any] = set()
        for played in self._hands:
            dealt = set() if played.renewed else dealt | set(played.cards)
        for card in hand.cards:
            if isinstance(card, TwoSided) and card in dealt:
                raise CardError(f"each card exists once in a deck, and {card} has been dealt from this one already")
        return hand

    def _by_person(self, chips: Chips) -> Chips:
        return chips if self._first == 0 else chips.swapped()
