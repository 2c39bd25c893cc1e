"""Blind-mans-bluff hand by hand: one hand with its cards, and a session, the deal passing to the left.

Rules page, "blind-mans-bluff".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rules.base.errors import HistoryError, OptionError
from rules.base.parsing import whole
from rules.betting.actions import Action, format_history
from rules.betting.chips import ANTE
from rules.betting.fixed_limit import LastLeft, Showdown
from rules.betting.public_game import Outcome
from rules.cards.playing_cards import Card
from rules.games.balances import parse_balances, shares_of
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.play.hand import Play


class BlindHand(Play):
    """A hand of blind-mans-bluff with its actual cards.

    Parameters
    ----------
    spec
        The options of the hand.
    cards
        One card for each seat, seat 1's first: text such as ``2 K 9 4``, or a list.
    history
        What has been played already.

    Raises
    ------
    CardError
        Where the deck cannot deal these cards.
    HistoryError
        Where the history is not legal.
    """

    def __init__(self, spec: BlindMansBluff, cards: object, history: str | Sequence[Action] = ()) -> None:
        self.spec, self.cards = spec, spec.dealt(cards)
        super().__init__(spec.public, history)

    def seen(self, seat: int) -> tuple[Card, ...]:
        """Return the cards that a player (from 0) sees, in the order of the seats: all but the own."""
        return (*self.cards[:seat], *self.cards[seat + 1 :])

    @property
    def paid(self) -> tuple[int, ...]:
        """What each seat has put in beyond the ante."""
        paid: tuple[int, ...] = self.position.paid
        return paid

    @property
    def pot(self) -> int:
        """All counters on the table, before anyone takes them."""
        return self.spec.players * ANTE + sum(self.paid)

    @property
    def net(self) -> tuple[Fraction, ...]:
        """Each seat's net counters, exactly; a `HistoryError` while the hand goes on."""
        outcome = self.final()
        assert isinstance(outcome, (LastLeft, Showdown))
        return self.spec.settle(outcome, self.cards)


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One finished hand of a session.

    Parameters
    ----------
    persons
        Who sat where, seat 1 first; the last one dealt.
    cards
        Each seat's card.
    history
        The actions as the game names them.
    outcome
        How the hand ended.
    before, after
        The balances before and after the hand by person.
    """

    persons: tuple[int, ...]
    cards: tuple[Card, ...]
    history: tuple[Action, ...]
    outcome: Outcome
    before: tuple[Fraction, ...]
    after: tuple[Fraction, ...]


class Session:
    """A session, hand after hand: as many hands as players, so that everyone deals once.

    Persons are numbered from 0 by the seat they have in the first hand given here, and keep their number.
    From hand to hand each seat number falls by one, and seat 1 becomes seat n.

    Parameters
    ----------
    spec
        The options of every hand.
    balances
        Each seat's counters before the first hand, whole or fractions (``199/2``); None for 100 each.
    hands_left
        Hands to play, the first one included; None for a whole session.

    Raises
    ------
    ChipsError
        Where a balance might not cover the hands, or there is not one for each seat.
    OptionError
        Where there are fewer hands than 1 or more than players.
    """

    def __init__(self, spec: BlindMansBluff, balances: object = None, hands_left: object = None) -> None:
        count = spec.players
        self.spec = spec
        self._hands: list[PlayedHand] = []
        self._total = count if hands_left is None else whole(hands_left, "hands left")
        if not 1 <= self._total <= count:
            raise OptionError(f"expected hands left to be from 1 to {count}, one for each dealer, got {self._total}")
        self._by_person = parse_balances(balances, count, spec.public.most, self._total)

    @property
    def hands(self) -> tuple[PlayedHand, ...]:
        """The hands played so far."""
        return tuple(self._hands)

    @property
    def hands_left(self) -> int:
        """Hands still to play, the coming one included."""
        return self._total - len(self._hands)

    @property
    def over(self) -> bool:
        """Whether all hands have been played."""
        return self.hands_left == 0

    @property
    def persons(self) -> tuple[int, ...]:
        """Who sits where in the coming hand, seat 1 first; the last one deals."""
        count = self.spec.players
        return tuple((seat + len(self._hands)) % count for seat in range(count))

    @property
    def by_person(self) -> tuple[Fraction, ...]:
        """The balances in the order of the persons."""
        return self._by_person

    @property
    def balances(self) -> tuple[Fraction, ...]:
        """The balances in the order of the seats in the coming hand."""
        return tuple(self._by_person[person] for person in self.persons)

    @property
    def winners(self) -> tuple[int, ...]:
        """The persons with the highest balance; none while hands are left."""
        if not self.over:
            return ()
        return tuple(person for person, own in enumerate(self._by_person) if own == max(self._by_person))

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Each person's share of the session, which equal leaders divide; none while hands are left."""
        return shares_of(self._by_person) if self.over else ()

    def deal(self, cards: object, history: str | Sequence[Action] = ()) -> BlindHand:
        """Deal the coming hand, seat 1's card first; `finish` appends it once it has been played.

        Raises
        ------
        CardError
            Where the deck cannot deal these cards.
        HistoryError
            Where the history is not legal, and after the end of the session.
        """
        self._refuse_after_the_end()
        return BlindHand(self.spec, cards, history)

    def finish(self, hand: BlindHand) -> PlayedHand:
        """Append a hand that has been played to its end.

        Raises
        ------
        HistoryError
            After the end of the session, where the hand is not over, or where its options are others.
        """
        self._refuse_after_the_end()
        if hand.spec != self.spec:
            raise HistoryError(f'expected a hand of this session, got other options ("{format_history(hand.history)}")')
        gains = dict(zip(self.persons, hand.net, strict=True))
        after = tuple(balance + gains[person] for person, balance in enumerate(self._by_person))
        played = PlayedHand(self.persons, hand.cards, hand.history, hand.final(), self._by_person, after)
        self._hands.append(played)
        self._by_person = after
        return played

    def play(self, cards: object, history: str | Sequence[Action]) -> PlayedHand:
        """Play the whole coming hand; a refusal leaves the session as it was.

        Raises
        ------
        CardError
            Where the deck cannot deal these cards.
        HistoryError
            Where the history is not legal or stops before the end of the hand, and after the end of the session.
        """
        return self.finish(self.deal(cards, history))

    def _refuse_after_the_end(self) -> None:
        if self.over:
            raise HistoryError(f"the session ended with hand {len(self._hands)}; no hand can follow")
