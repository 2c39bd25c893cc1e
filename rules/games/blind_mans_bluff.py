"""Blind Man's Bluff: 2 to 10 players, 52 cards, one betting round with fixed limits (text 003).

Seats are numbered clockwise from the dealer's left; in code seat 1 is player 0, and so on.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import CardError, OptionError, SizeError
from rules.base.parsing import items, shown_list, whole
from rules.betting.actions import Action
from rules.betting.chips import ANTE
from rules.betting.fixed_limit import FixedLimit, LastLeft, Showdown, outcomes
from rules.cards.playing_cards import RANKS, SUITS, Card, parse_cards
from rules.games.balances import COUNTERS, Balances, parse_balances, passed_back, passed_on, shares_of
from rules.games.match_spec import choice, no_locks
from rules.games.multiplayer import Ending, MultiplayerHand
from rules.games.spec import Deal, Hand, HandClass, HandSpec
from rules.games.view import View, refuse

SESSION = "session"
OBJECTIVES = ("chips", SESSION)

MOST_PLAYERS = 10
MOST_RAISES = 20


Later = tuple[tuple[Balances, tuple[float, ...]], ...]
"""Balances before a hand, and the share of the session that each of its seats wins on average, for each state."""


@dataclass(frozen=True, repr=False)
class BlindMansBluff(HandSpec):
    """A hand of blind-mans-bluff, dealt from a fresh deck.

    Parameters
    ----------
    players
        2 to 10.
    max_raises
        Raises allowed after the bet, for the whole table.
    bet_size, raise_size
        Counters that the bet asks for beyond the ante, and that each raise adds.
    rank_suits
        Whether suits break ties: clubs, diamonds, hearts, spades, ascending.
    objective
        What is solved for: ``chips``, the net counters of one hand, or ``session``, the share of the session won.
    balances, hands_left
        With the objective ``session``: each seat's counters before the hand, and the hands left, this one included.
    later
        What a session is worth that goes on after this hand: by balances in the order of the next hand's seats, the
        share that each of those seats wins on average. Found by solving those hands; None before that.
    """

    players: int = 2
    max_raises: int = 1
    bet_size: int = 1
    raise_size: int = 1
    rank_suits: bool = False
    objective: str = "chips"
    locks: tuple[()] = ()
    balances: Balances = ()
    hands_left: int = 0
    later: Later | None = None

    game = "blind-mans-bluff"
    title = "Blind Man's Bluff"
    summary = "2 to 10 players, 52 cards, fixed limit; you see every card but your own"
    told_beside: ClassVar[Mapping[str, tuple[str, ...]]] = {"objective": ("balances", "hands_left")}

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Take this game's options out of `options`; what is left is unknown to it.

        Raises
        ------
        OptionError
            Where an option is out of its range, or 100 counters do not cover the hand (a session asks for
            more, see `rules.play.session`).
        """
        players = _between(options.pop("players", 2), "players", 2, MOST_PLAYERS)
        max_raises = _between(options.pop("max_raises", 1), "max raises", 0, MOST_RAISES)
        bet_size = _between(options.pop("bet_size", 1), "bet size", 1, COUNTERS)
        raise_size = _between(options.pop("raise_size", 1), "raise size", 1, COUNTERS)
        rank_suits = options.pop("rank_suits", False)
        if not isinstance(rank_suits, bool):
            raise OptionError(f"expected rank suits to be true or false, got {rank_suits!r}")
        objective = choice(options.pop("objective", None) or _implied(options), "objective", OBJECTIVES)
        spec = cls(
            players=players,
            max_raises=max_raises,
            bet_size=bet_size,
            # Without raises their size changes nothing: equal hands have one normal form.
            raise_size=raise_size if max_raises else 1,
            rank_suits=rank_suits,
            objective=objective,
            locks=no_locks(options.pop("locks", ())),
        )
        most = spec.public.most
        if most > COUNTERS:
            raise OptionError(
                f"a hand can cost {most} counters (1 + {bet_size} + {max_raises} x {raise_size}), more than the "
                f"{COUNTERS} that each player has, and nobody goes all-in; take fewer raises or smaller sizes"
            )
        return spec._in_session(options) if objective == SESSION else spec

    def _in_session(self, options: dict[str, Any]) -> Self:
        """Take what tells a session's state out of the options."""
        given, left, later = (options.pop(name, None) for name in ("balances", "hands_left", "later"))
        # Balances alone are those before the last hand; a session as a whole begins with 100 each.
        usual = self.players if given is None else 1
        hands = _between(usual if left is None else left, "hands left", 1, self.players)
        balances = parse_balances(given, self.players, self.public.most, hands)
        return replace(self, balances=balances, hands_left=hands, later=None if later is None else read_later(later))

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the normal form of a hand without options."""
        return cls.from_options({}).to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Return the spec in normal form, ready for JSON."""
        return {
            "game": self.game,
            "players": self.players,
            "max_raises": self.max_raises,
            "bet_size": self.bet_size,
            "raise_size": self.raise_size,
            "rank_suits": self.rank_suits,
            "objective": self.objective,
            "locks": list(self.locks),
            **self._session_fields(),
        }

    def _session_fields(self) -> dict[str, Any]:
        if self.objective != SESSION:
            return {}
        found: dict[str, Any] = {"balances": [str(own) for own in self.balances], "hands_left": self.hands_left}
        return found if self.later is None else found | {"later": write_later(self.later)}

    @property
    def unit(self) -> str:
        """What values are counted in."""
        if self.objective != SESSION:
            return "chips"
        return "of the session above a half" if self.players == 2 else "of the session"

    @property
    def headline(self) -> str:
        """Say how many play, for how much, and whether suits are ranked."""
        count = self.max_raises
        raises = f"at most {count} raise{'s' if count > 1 else ''} of {self.raise_size}" if count else "no raises"
        suits = ", suits ranked" if self.rank_suits else ""
        session = ""
        if self.objective == SESSION:
            hands = f"{self.hands_left} hand{'s' if self.hands_left > 1 else ''} left"
            session = f", balances {'/'.join(map(str, self.balances))}, {hands}"
        return f"{self.players} players, fresh deck, bet {self.bet_size}, {raises}{suits}{session}"

    @cached_property
    def public(self) -> FixedLimit:
        """The betting, which depends on the number of players and the limits only."""
        return FixedLimit(self.players, self.max_raises, self.bet_size, self.raise_size)

    # A hand with its actual cards.

    def dealt(self, cards: object) -> tuple[Card, ...]:
        """Check the cards of a hand, seat 1's first, against a fresh deck.

        Suits may be left out where they do not matter.

        Raises
        ------
        CardError
            Where there is not one card for each seat, a suit is missing that matters, or the deck has
            no such cards together.
        """
        hand = parse_cards(cards)
        if len(hand) != self.players:
            raise CardError(f"expected {self.players} cards, one for each seat from seat 1, got {len(hand)}")
        for card in hand:
            self._check_suit(card)
            if card.suit and hand.count(card) > 1:
                raise CardError(f"each card exists once, got {card} more than once")
            copies = sum(other.rank == card.rank for other in hand)
            if copies > len(SUITS):
                raise CardError(f"the deck has four cards of rank {RANKS[card.rank - 2]}, got {copies}")
        return hand

    @property
    def seats(self) -> int:
        """How many play."""
        return self.players

    def observation(self, text: object) -> str:
        """Return the cards seen, in the order of their seats; without suits unless suits are ranked."""
        if self.players == 2:
            cards: tuple[Card, ...] = (Card.parse(text, " (the card seen)"),)
        else:
            cards = parse_cards(text)
        if len(cards) != self.players - 1:
            raise CardError(
                f"expected {self.players - 1} cards seen such as {','.join('K94J2A538'[: self.players - 1])}, one for "
                f"each other seat in order, got {len(cards)}"
            )
        for card in cards:
            self._check_suit(card)
        seen = [self.strength(card) for card in cards]
        copies = 1 if self.rank_suits else len(SUITS)
        for card in seen:
            if seen.count(card) > copies:
                raise CardError(f"the deck has {copies} of {card}, got {seen.count(card)} seen")
        return ",".join(map(str, seen))

    def strength(self, card: Card) -> Card:
        """Return what a showdown compares: the card, without its suit unless suits are ranked."""
        return card if self.rank_suits else Card(card.rank)

    def _check_suit(self, card: Card) -> None:
        if self.rank_suits and not card.suit:
            raise CardError(f"expected a card with its suit, such as {card}h (suits are ranked), got {card}")

    def winners(self, outcome: LastLeft | Showdown, cards: Sequence[Card]) -> tuple[int, ...]:
        """Return the seats that share the pot; the cards matter at a showdown only."""
        if isinstance(outcome, LastLeft):
            return (outcome.winner,)
        best = max(self.strength(cards[seat]) for seat in outcome.left)
        return tuple(seat for seat in outcome.left if self.strength(cards[seat]) == best)

    def settle(self, outcome: LastLeft | Showdown, cards: Sequence[Card]) -> tuple[Fraction, ...]:
        """Return each seat's net counters, exactly; they sum to 0."""
        return self.split(outcome, self.winners(outcome, cards))

    @staticmethod
    def split(outcome: LastLeft | Showdown, winners: Sequence[int]) -> tuple[Fraction, ...]:
        """Return each seat's net counters where `winners` split the pot."""
        costs = [ANTE + paid for paid in outcome.paid]
        part = Fraction(sum(costs), len(winners))
        return tuple((part if seat in winners else 0) - Fraction(cost) for seat, cost in enumerate(costs))

    def worth(self, outcome: LastLeft | Showdown, winners: Sequence[int]) -> tuple[float, ...]:
        """Return what an outcome is worth to each seat where `winners` split the pot, in the unit of the objective.

        Raises
        ------
        OptionError
            Where the session goes on after the hand and nothing says what that is worth (`later`).
        """
        net = self.split(outcome, winners)
        if self.objective != SESSION:
            return tuple(map(float, net))
        after = tuple(own + gain for own, gain in zip(self.balances, net, strict=True))
        if self.hands_left == 1:
            return tuple(map(float, shares_of(after)))
        if passed_on(after) not in self._later:
            raise OptionError("the session goes on after this hand; the hands after it must be solved first")
        return passed_back(self._later[passed_on(after)])

    @cached_property
    def _later(self) -> dict[Balances, tuple[float, ...]]:
        return dict(self.later or ())

    def next_balances(self) -> tuple[Balances, ...]:
        """Return the balances that the next hand can begin with, in the order of its seats, ascending."""
        found = set()
        for outcome in outcomes(self.public):
            left = outcome.left if isinstance(outcome, Showdown) else (outcome.winner,)
            for number in range(1, len(left) + 1):
                for winners in combinations(left, number):
                    net = self.split(outcome, winners)
                    found.add(passed_on([own + gain for own, gain in zip(self.balances, net, strict=True)]))
        return tuple(sorted(found))

    # A hand as the solver sees it.

    def around_the_table(self) -> MultiplayerHand:
        """Return the hand as solvers for any number of players read it."""

        def ended(outcome: Any) -> Ending:
            left = outcome.left if isinstance(outcome, Showdown) else (outcome.winner,)
            return Ending(left, tuple(ANTE + paid for paid in outcome.paid))

        copies = len(SUITS) * len(RANKS) // len(self._cards)
        return MultiplayerHand(self.public, self.players, self._cards, copies, ended, self.worth)

    @property
    def _cards(self) -> tuple[str, ...]:
        """The names of different cards, in ascending strength."""
        return tuple(rank + suit for rank in RANKS for suit in (SUITS if self.rank_suits else ("",)))

    def classes(self) -> tuple[HandClass, ...]:
        """Return the one deal there is: each player observes the other's card, in ascending strength.

        Raises
        ------
        SizeError
            Where there are more than two players.
        """
        if self.players > 2:
            raise SizeError(
                f"a pair of observations is what two players have, got {self.players} players (see around_the_table)"
            )
        names = self._cards
        size, copies = len(names), 1 if self.rank_suits else len(SUITS)
        deck = size * copies
        # Rows are P1's observation (P2's card), columns P2's (P1's card).
        prior = (copies * copies - copies * np.eye(size)) / (deck * (deck - 1))
        order = np.arange(size)
        better = order[None, :] - order[:, None]
        # What one wins the other loses: shares of a session are counted from the half.
        half = 0.5 if self.objective == SESSION else 0.0

        def utility(outcome: Any) -> NDArray[np.float64]:
            if isinstance(outcome, LastLeft):
                return np.full(prior.shape, self.worth(outcome, (outcome.winner,))[0] - half)
            lose, tie, win = (self.worth(outcome, winners)[0] - half for winners in ((1,), (0, 1), (0,)))
            return np.where(better > 0, win, np.where(better < 0, lose, tie))

        return (HandClass(Hand(self.public, prior, utility), (Deal("", 1.0, (names, names)),)),)

    def view(self, player: int, observation: object, mine: object = ()) -> View:
        """Return all cards but the own."""
        refuse(self.game, "own folded cards that stay hidden", mine)
        return SeatsView(self, player, observation)

    def paid(self, history: Sequence[Action]) -> tuple[int, ...]:
        """Return what each seat has put in beyond the ante."""
        _, state = self.public.follow(history)
        return tuple(state.paid)


class SeatsView(View):
    """All cards but the own."""

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
        refuse(self.spec.game, "sides to name", sides)
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


def read_later(given: Any) -> Later:
    """Read what the hands after a hand are worth, from the lists of a normal form."""
    return tuple((tuple(Fraction(own) for own in state), tuple(map(float, shares))) for state, shares in given)


def write_later(later: Later) -> list[list[list[Any]]]:
    """Return what `read_later` reads, ready for JSON."""
    return [[[str(own) for own in state], list(shares)] for state, shares in later]


def _implied(options: dict[str, Any]) -> str:
    """Return the objective that is meant where none is named: balances are told for a session's sake."""
    return SESSION if {"balances", "hands_left"} & options.keys() else "chips"


def _between(value: object, what: str, least: int, most: int) -> int:
    """Read a whole number within bounds."""
    number = whole(value, what)
    if not least <= number <= most:
        raise OptionError(f"expected {what} to be from {least} to {most}, got {number}")
    return number
