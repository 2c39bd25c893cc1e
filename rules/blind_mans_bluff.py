"""Blind Man's Bluff: 2 to 10 players, 52 cards, one betting round with fixed limits (text 003).

Seats are numbered clockwise from the dealer's left; in code seat 1 is player 0, and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rules.chips import ANTE
from rules.errors import CardError, OptionError, SizeError
from rules.hand import Deal, Hand, HandClass, HandSpec, Move, Outcome, PublicGame
from rules.match_game import choice, no_locks
from rules.notation import BET, CALL, CHECK, FOLD, RAISE, Action
from rules.numbers import whole
from rules.playing_cards import RANKS, SUITS, Card, parse_cards
from rules.table import Ending, State, Table

COUNTERS = 100
"""What each player has at the start of a session."""

MOST_PLAYERS = 10
MOST_RAISES = 20


@dataclass(frozen=True, slots=True)
class LastLeft(Outcome):
    """All but `winner` have folded; `paid` are each seat's counters beyond the ante."""

    winner: int
    paid: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Showdown(Outcome):
    """The seats in `left`, ascending, compare cards; `paid` are each seat's counters beyond the ante."""

    left: tuple[int, ...]
    paid: tuple[int, ...]


@dataclass(frozen=True)
class FixedLimit(PublicGame):
    """The public game: check, fold or bet; facing a bet fold, call or raise, in fixed sizes.

    Parameters
    ----------
    players
        2 or more.
    max_raises
        Raises allowed after the bet, for the whole table.
    bet_size, raise_size
        Counters that the bet asks for beyond the ante, and that each raise adds.
    free_folds
        Whether a player may fold where checking is free. The rules allow it; a tree without is smaller.
    """

    players: int
    max_raises: int
    bet_size: int = 1
    raise_size: int = 1
    free_folds: bool = True

    @cached_property
    def root(self) -> State:  # type: ignore[override]
        """Everybody has paid the ante and has yet to act, from seat 1."""
        seats = tuple(range(self.players))
        return State(seats, seats, (0,) * self.players, 0)

    @property
    def most(self) -> int:
        """The most that a hand can cost a player, the ante included."""
        return ANTE + self.level(1 + self.max_raises)

    @property
    def longest(self) -> int:
        """The most actions that a hand can have: all check but the last, and every raise is the last answer."""
        return self.players + (self.players - 1) * (1 + self.max_raises)

    def level(self, bets: int) -> int:
        """Return what a player must have put in beyond the ante after so many bets and raises."""
        return self.bet_size + (bets - 1) * self.raise_size if bets else 0

    def player(self, state: State) -> int:
        """Return the seat to act, counted from 0."""
        return state.pending[0]

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return fold (see `free_folds`), then check or call, then bet or raise while raises are left."""
        (seat, *pending), left, paid, bets = state

        def paying(level: int) -> tuple[int, ...]:
            return (*paid[:seat], level, *paid[seat + 1 :])

        others = tuple(player for player in left if player != seat)
        moves = []
        if bets or self.free_folds:
            moves.append((Action(FOLD), self._after(tuple(pending), others, paid, bets)))
        going_on = self._after(tuple(pending), left, paying(self.level(bets)), bets)
        moves.append((Action(CALL if bets else CHECK), going_on))
        if bets <= self.max_raises:
            # Everybody else must answer, clockwise, those too who have checked or called before.
            answers = tuple(sorted(others, key=lambda player: (player - seat) % self.players))
            action = Action(RAISE if bets else BET)
            moves.append((action, State(answers, left, paying(self.level(bets + 1)), bets + 1)))
        return tuple(moves)

    @staticmethod
    def _after(pending: tuple[int, ...], left: tuple[int, ...], paid: tuple[int, ...], bets: int) -> State | Outcome:
        """Go on to the next seat, or end where one player is left or nobody has to act."""
        if len(left) == 1:
            return LastLeft(left[0], paid)
        return State(pending, left, paid, bets) if pending else Showdown(left, paid)

    def match(self, state: State, written: Action) -> Action | None:
        """Understand the fixed sizes too, where they are written out (``b1``, ``raise 1``)."""
        fixed = {Action(kind, size): Action(kind) for kind, size in self._sizes.items()}
        return super().match(state, fixed.get(written, written))

    def refusal(self, state: State, written: Action) -> str:
        """Explain fixed sizes and the raise limit; the rest as everywhere."""
        legal = [action for action, _ in self.moves(state)]
        shown = " ".join(map(str, legal))
        if written.kind == RAISE and state.bets > self.max_raises:
            return f"is one raise too many, the limit for the whole table is {self.max_raises}; legal: {shown}"
        if written.size and written.kind in (action.kind for action in legal):
            return f"is not the fixed size, a {written.kind} is always {self._sizes[written.kind]}; legal: {shown}"
        return super().refusal(state, written)

    @property
    def _sizes(self) -> dict[str, int]:
        return {BET: self.bet_size, RAISE: self.raise_size}


@dataclass(frozen=True)
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
        What is solved for: ``chips``, the net counters of one hand.
    """

    players: int = 2
    max_raises: int = 1
    bet_size: int = 1
    raise_size: int = 1
    rank_suits: bool = False
    objective: str = "chips"
    locks: tuple[()] = ()

    game = "blind-mans-bluff"
    title = "Blind Man's Bluff"
    summary = "2 to 10 players, 52 cards, fixed limit; you see every card but your own"

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Take this game's options out of `options`; what is left is unknown to it.

        Raises
        ------
        OptionError
            Where an option is out of its range, or 100 counters do not cover the hand (a session asks for
            more, see `rules.session`).
        """
        players = _between(options.pop("players", 2), "players", 2, MOST_PLAYERS)
        max_raises = _between(options.pop("max_raises", 1), "max raises", 0, MOST_RAISES)
        bet_size = _between(options.pop("bet_size", 1), "bet size", 1, COUNTERS)
        raise_size = _between(options.pop("raise_size", 1), "raise size", 1, COUNTERS)
        rank_suits = options.pop("rank_suits", False)
        if not isinstance(rank_suits, bool):
            raise OptionError(f"expected rank suits to be true or false, got {rank_suits!r}")
        spec = cls(
            players=players,
            max_raises=max_raises,
            bet_size=bet_size,
            # Without raises their size changes nothing: equal hands have one normal form.
            raise_size=raise_size if max_raises else 1,
            rank_suits=rank_suits,
            objective=choice(options.pop("objective", "chips"), "objective", ("chips",)),
            locks=no_locks(options.pop("locks", ())),
        )
        most = spec.public.most
        if most > COUNTERS:
            raise OptionError(
                f"a hand can cost {most} counters (1 + {bet_size} + {max_raises} x {raise_size}), more than the "
                f"{COUNTERS} that each player has, and nobody goes all-in; take fewer raises or smaller sizes"
            )
        return spec

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
        }

    @property
    def headline(self) -> str:
        """Say how many play, for how much, and whether suits are ranked."""
        count = self.max_raises
        raises = f"at most {count} raise{'s' if count > 1 else ''} of {self.raise_size}" if count else "no raises"
        suits = ", suits ranked" if self.rank_suits else ""
        return f"{self.players} players, fresh deck, bet {self.bet_size}, {raises}{suits}"

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

    # A hand as the solver sees it.

    def around_the_table(self, free_folds: bool = True) -> Table:
        """Return the hand as solvers for any number of players read it.

        Parameters
        ----------
        free_folds
            Whether the tree has folds where checking is free.
        """

        def ended(outcome: Any) -> Ending:
            left = outcome.left if isinstance(outcome, Showdown) else (outcome.winner,)
            return Ending(left, tuple(ANTE + paid for paid in outcome.paid))

        def utility(outcome: Any, winners: tuple[int, ...]) -> list[float]:
            return [float(net) for net in self.split(outcome, winners)]

        public = replace(self.public, free_folds=free_folds)
        copies = len(SUITS) * len(RANKS) // len(self._cards)
        return Table(public, self.players, self._cards, copies, ended, utility)

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
                f"more than two players can be played and replayed but not solved yet, got {self.players} players"
            )
        names = self._cards
        size, copies = len(names), 1 if self.rank_suits else len(SUITS)
        deck = size * copies
        # Rows are P1's observation (P2's card), columns P2's (P1's card).
        prior = (copies * copies - copies * np.eye(size)) / (deck * (deck - 1))
        order = np.arange(size)
        better = order[None, :] - order[:, None]

        def utility(outcome: Any) -> NDArray[np.float64]:
            if isinstance(outcome, LastLeft):
                return np.full(prior.shape, float(self.split(outcome, (outcome.winner,))[0]))
            lose, tie, win = (float(self.split(outcome, winners)[0]) for winners in ((1,), (0, 1), (0,)))
            return np.where(better > 0, win, np.where(better < 0, lose, tie))

        return (HandClass(Hand(self.public, prior, utility), (Deal("", 1.0, (names, names)),)),)


def _between(value: object, what: str, least: int, most: int) -> int:
    """Read a whole number within bounds."""
    number = whole(value, what)
    if not least <= number <= most:
        raise OptionError(f"expected {what} to be from {least} to {most}, got {number}")
    return number
