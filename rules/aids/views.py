"""What one player sees of a hand, and so what the card not seen can be."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rules.base.errors import CardError, DeckError, OptionError
from rules.base.parsing import items, ordinal, shown_list, whole
from rules.betting.actions import BOTH
from rules.betting.fixed_limit import Showdown
from rules.betting.two_sided import SIDES
from rules.cards.playing_cards import SUITS, Card, parse_cards
from rules.cards.rank_deck import RANKS, parse_rank, times
from rules.cards.two_sided import TwoSided, TwoSidedDeck
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.games.double_sided import DoubleSided
from rules.games.indian import IndianSpec
from rules.games.indian_holdem import IndianHoldem
from rules.games.spec import HandSpec

Weights = Mapping[Any, Any]
"""From a card as text or number to how likely it is, in any unit."""


# What one player sees.


class View(ABC):
    """What a player sees of a hand, and so what the card that the player does not see can be.

    `copies` are the cards it can be, ascending; 0 for one that only the player's own folded cards rule out.
    """

    what = "own card"
    copies: dict[Any, int]

    def read(self, name: object) -> Any:
        """Return the key in `copies` that a card of `Weights` means; a rank where the game has no suits."""
        return parse_rank(name, " (in weights)")

    @abstractmethod
    def result(self, sides: object, left: object) -> Callable[[Any], int]:
        """Return what tells the sign of a showdown for the player from the card not seen."""

    def belief(self, weights: Weights | None) -> dict[Any, Fraction]:
        """Return the probability of each card: from the deck, or by weights."""
        belief = {card: Fraction(copies) for card, copies in self.copies.items()}
        if weights is not None:
            given = self._weigh(weights)
            belief = {card: given[card] * min(copies, 1) for card, copies in self.copies.items()}
            if not any(belief.values()):
                raise OptionError(f"expected a weight above 0 for a card that the {self.what} can be, got none")
        total = sum(belief.values())
        return {card: value / total for card, value in belief.items()}

    def _weigh(self, weights: Weights) -> dict[Any, Fraction]:
        """Read weights; those under several names of one card add up."""
        given = dict.fromkeys(self.copies, Fraction(0))
        for name, value in weights.items():
            card = self.read(name)
            try:
                weight = Fraction(value) if isinstance(value, (int, Fraction)) else Fraction(float(value))
            except (TypeError, ValueError, OverflowError):
                weight = Fraction(-1)
            if weight < 0:
                raise OptionError(f"expected a weight of 0 or more for {card}, got {value!r}")
            if card in given:
                given[card] += weight
            elif weight:
                allowed = ", ".join(map(str, self.copies))
                raise CardError(f"expected weights for what the {self.what} can be ({allowed}), got one for {card}")
        return given


class ForeheadView(View):
    """The other's card and the board, in indian-poker and indian-holdem."""

    def __init__(self, spec: IndianSpec, observation: object) -> None:
        if isinstance(spec, IndianHoldem) and spec.board is None:
            raise CardError("expected the two community cards of the hand (board), got none")
        self.spec, self.seen = spec, card_seen(spec, observation)
        gone = Counter((*spec.table, self.seen))
        left = {rank: spec.deck.count(rank) - gone[rank] for rank in RANKS}
        self.copies = {rank: number for rank, number in left.items() if number}

    def result(self, sides: object, left: object) -> Callable[[int], int]:
        """Compare the own card with the one seen."""
        refuse(self.spec, "sides to name", sides)
        refuse(self.spec, "seats that drop out before a showdown", left)
        return lambda own: self.spec.judge(("showdown",), own, self.seen, self.spec.table)


class BackView(View):
    """Both fronts and the own back, in double-sided."""

    what = "other's back"

    def __init__(self, spec: DoubleSided, player: int, observation: object, mine: object) -> None:
        self.spec, self.player, self.own = spec, player, own_card(spec, player, observation)
        folded = own_folded(spec.deck, mine, self.own)
        assert spec.fronts is not None
        self.front = spec.fronts[1 - player]
        others = [TwoSided(self.front, back) for back in spec.deck.unseen_backs(self.front)]
        self.copies = {card.back: int(card not in folded) for card in others if card != self.own}

    def result(self, sides: object, left: object) -> Callable[[int], int]:
        """Compare the named numbers."""
        refuse(self.spec, "seats that drop out before a showdown", left)
        named = items(sides, "the sides named", OptionError) if sides is not None else []
        if len(named) != 2 or named[0] not in SIDES or named[1] not in (*SIDES, BOTH):
            raise OptionError(
                "expected the sides named, P1's (front or back) and P2's (front, back or both), "
                f"got {'none' if sides is None else repr(shown_list(sides))}"
            )
        contest = ("both", named[0]) if named[1] == BOTH else ("showdown", tuple(named))

        def sign(back: int) -> int:
            other = TwoSided(self.front, back)
            if self.player == 0:
                return self.spec.judge(contest, self.own, other)
            return -self.spec.judge(contest, other, self.own)

        return sign


class SeatsView(View):
    """All cards but the own, in blind-mans-bluff."""

    def __init__(self, spec: BlindMansBluff, player: int, observation: object) -> None:
        self.spec, self.player = spec, player
        self.seen = parse_cards([observation] if isinstance(observation, (int, Card)) else observation)
        others = spec.players - 1
        if len(self.seen) != others:
            raise CardError(f"expected {others} cards seen, one for each other seat in order, got {len(self.seen)}")
        # The cards seen are a deal of their own, so the game checks them.
        replace(spec, players=others).dealt(self.seen)
        deck = Counter(spec.strength(Card(rank, suit)) for rank in range(2, 15) for suit in SUITS)
        deck.subtract(spec.strength(card) for card in self.seen)
        self.copies = {card: number for card, number in deck.items() if number}

    def read(self, name: object) -> Card:
        """Return a card; without its suit unless suits are ranked."""
        return self.spec.strength(Card.parse(name, " (in weights)"))

    def result(self, sides: object, left: object) -> Callable[[Card], int]:
        """Compare the own card with those of the seats that are left."""
        refuse(self.spec, "sides to name", sides)
        every = range(self.spec.players)
        given = every if left is None else items(left, "the seats left", OptionError)
        seats = tuple(sorted({whole(seat, "a seat left") for seat in given}))
        if self.player not in seats or len(seats) < 2 or not set(seats) <= set(every):
            raise OptionError(
                f"expected the seats left to be from 0 to {every[-1]}, the player's ({self.player}) and "
                f"at least one other, got {shown_list(seats) or 'none'}"
            )

        def sign(own: Card) -> int:
            cards = (*self.seen[: self.player], own, *self.seen[self.player :])
            winners = self.spec.winners(Showdown(seats, ()), cards)
            return int(len(winners) == 1) if self.player in winners else -1

        return sign


def view_of(spec: HandSpec, player: int, observation: object, mine: object = ()) -> View:
    """Return what the player sees, checked."""
    player = check_seat(spec, player)
    if isinstance(spec, DoubleSided):
        return BackView(spec, player, observation, mine)
    refuse(spec, "own folded cards that stay hidden", mine)
    if isinstance(spec, IndianSpec):
        return ForeheadView(spec, observation)
    if isinstance(spec, BlindMansBluff):
        return SeatsView(spec, player, observation)
    raise OptionError(f"expected a hand of a built-in game, got {spec.game}")


# Checks.


def check_seat(spec: HandSpec, player: object) -> int:
    """Check the player."""
    players = spec.players if isinstance(spec, BlindMansBluff) else 2
    number = whole(player, "the player")
    if not 0 <= number < players:
        raise OptionError(f"expected the player to be from 0 (P1) to {players - 1} (P{players}), got {number}")
    return number


def refuse(spec: HandSpec, what: str, value: object) -> None:
    """Refuse what another game asks for; None and an empty list say nothing."""
    if value not in (None, (), [], ""):
        raise OptionError(f"{spec.game} has no {what}, got {shown_list(value)}")


def card_seen(spec: IndianSpec, observation: object) -> int:
    """Read the other's card; the deck less the board must have it."""
    rank = int(spec.observation(observation))
    left = [other for other in spec.deck.ranks if spec.deck.count(other) > spec.table.count(other)]
    if rank not in left:
        beside = f" beside the board {shown_list(spec.table)}" if spec.table else ""
        raise CardError(
            f"expected a card that the deck still has{beside} ({', '.join(map(str, left))}), got {rank} (the card seen)"
        )
    return rank


def own_card(spec: DoubleSided, player: int, observation: object) -> TwoSided:
    """Read the own back; the deck must allow the card."""
    if spec.fronts is None:
        raise CardError("expected the fronts of the hand, P1's and P2's, got none")
    own = TwoSided.parse((spec.fronts[player], spec.observation(observation)), " (the own card)")
    if own in spec.deck.shown:
        raise CardError(f"expected an own card that has not been shown yet, got {own}; each card exists once")
    return own


def own_folded(deck: TwoSidedDeck, mine: object, own: TwoSided | None) -> tuple[TwoSided, ...]:
    """Read the player's own folded cards; each lies among those with a hidden back, one of two a hand."""
    written = items(mine, "mine", CardError) if mine is not None else []
    cards = [TwoSided.parse(part, f" ({ordinal(n)} of mine {shown_list(mine)})") for n, part in enumerate(written)]
    where = f"(mine {shown_list(mine)})"
    for card, number in Counter(cards).items():
        if number > 1:
            raise CardError(f"{card} is named {times(number)} but each card exists once {where}")
        if card in deck.shown:
            raise CardError(f"expected own cards whose back stayed hidden, got {card}, which has been shown {where}")
        if card == own:
            raise CardError(f"expected own cards of earlier hands, got {card}, which is in hand now {where}")
    for front, number in Counter(card.front for card in cards).items():
        hidden = deck.hidden.count(front)
        if number > hidden:
            raise DeckError(
                f"expected fronts of mine to be among the hidden ones ({shown_list(deck.hidden) or 'none'}), "
                f"got {front} {times(number)} {where}"
            )
    if 2 * len(cards) > len(deck.hidden):
        raise DeckError(
            f"expected at most {len(deck.hidden) // 2} own cards, half of the {len(deck.hidden)} hidden ones "
            f"(the others were the other player's), got {len(cards)} {where}"
        )
    return tuple(sorted(cards))
