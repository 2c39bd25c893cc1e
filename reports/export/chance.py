"""What chance does before anybody acts, draw by draw, and what can follow, for libraries that go state by state."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from reports.data.rows import player_name
from reports.export.efg import knows
from rules.betting.actions import BET, CALL, CHECK, FOLD, RAISE, Action
from rules.betting.public_game import Move, Outcome, PublicGame
from rules.cards.playing_cards import RANKS, SUITS, Card
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.games.spec import HandSpec

Draws = Sequence[int]
"""What has been drawn so far: a number for each draw."""


class Dealing(ABC):
    """A fixed number of draws, of which each player knows a part.

    Attributes
    ----------
    players
        At the table.
    tokens
        All actions of the hand, as a history has them.
    longest
        The most actions that a hand can have.
    draws
        How many there are.
    most
        The most that one draw can bring.
    shape
        Of what a player knows: in each row at most one entry is 1.
    largest
        The most that a player can win or lose, in the unit of the objective.
    """

    players: int
    tokens: tuple[str, ...]
    longest: int
    draws: int
    most: int
    shape: tuple[int, int]
    largest: float

    @abstractmethod
    def chances(self, drawn: Draws) -> list[tuple[int, float]]:
        """Return what the next draw can bring, ascending, and how likely each is."""

    @abstractmethod
    def label(self, drawn: Draws, brings: int) -> str:
        """Say what the next draw brings."""

    @abstractmethod
    def known(self, drawn: Draws, player: int) -> list[tuple[int, int]]:
        """Return the entries of `shape` that are 1 for a player."""

    @abstractmethod
    def told(self, drawn: Draws, player: int) -> str:
        """Say what a player knows."""

    @abstractmethod
    def returns(self, drawn: Draws, outcome: Outcome) -> list[float]:
        """Return what each player wins, in the unit of the objective."""


class PairDealing(Dealing):
    """Two players: the board or the fronts where they are open, then P1's observation, then P2's."""

    players = 2

    def __init__(self, spec: HandSpec) -> None:
        self._spec = spec
        self.tokens, outcomes, self.longest = survey(spec.public)
        classes = spec.classes()
        self._deals = [(index, deal) for index, group in enumerate(classes) for deal in group.deals]
        self._priors = [group.hand.prior for group in classes]
        self._payoffs = [{outcome: group.hand.utility(outcome) for outcome in outcomes} for group in classes]
        self._open = len(self._deals) > 1
        self.draws = 2 + self._open
        self.most = max(len(self._deals), *(max(prior.shape) for prior in self._priors))
        self.shape = (1 + self._open, self.most)
        self.largest = max(float(np.abs(payoff).max()) for group in self._payoffs for payoff in group.values())

    def chances(self, drawn: Draws) -> list[tuple[int, float]]:
        """Return deals by their weights, observations by the prior."""
        if len(drawn) < self._open:
            return [(place, deal.weight) for place, (_, deal) in enumerate(self._deals)]
        place, seen = self._split(drawn)
        prior = self._priors[self._deals[place][0]]
        ways = prior[seen[0]] if seen else prior.sum(axis=1)
        return [(column, float(ways[column] / ways.sum())) for column in np.flatnonzero(ways).tolist()]

    def label(self, drawn: Draws, brings: int) -> str:
        """Name the deal, or what a player observes."""
        if len(drawn) < self._open:
            return f"{self._spec.board_word} {self._deals[brings][1].board}"
        place, seen = self._split(drawn)
        return knows(self._spec, "", len(seen), self._deals[place][1].observations[len(seen)][brings])

    def known(self, drawn: Draws, player: int) -> list[tuple[int, int]]:
        """Return the deal where it was open, and the own observation below it."""
        place, seen = self._split(drawn)
        deal = [place] if self._open and drawn else []
        return list(enumerate((*deal, *seen[player : player + 1])))

    def told(self, drawn: Draws, player: int) -> str:
        """Say it as the extensive form does; who knows nothing yet is only named."""
        place, seen = self._split(drawn)
        deal = self._deals[place][1]
        if len(seen) > player:
            return knows(self._spec, deal.board, player, deal.observations[player][seen[player]])
        told = deal.board and len(drawn) >= self._open
        return f"{self._spec.board_word} {deal.board}: {player_name(player)}" if told else player_name(player)

    def returns(self, drawn: Draws, outcome: Outcome) -> list[float]:
        """Look it up."""
        place, (x, y) = self._split(drawn)
        won = float(self._payoffs[self._deals[place][0]][outcome][x, y])
        return [won, -won]

    def _split(self, drawn: Draws) -> tuple[int, Draws]:
        """Return the place of the deal and what the players observe; the first deal where none is drawn yet."""
        return (drawn[0] if drawn else 0, drawn[1:]) if self._open else (0, drawn)


class TableDealing(Dealing):
    """Any number of players: a card for each seat, which everybody else sees."""

    def __init__(self, spec: BlindMansBluff) -> None:
        self._spec = spec
        public = spec.public
        kinds = (FOLD, CHECK, CALL, BET, *([RAISE] if public.max_raises else []))
        self.tokens = tuple(str(Action(kind)) for kind in kinds)
        self.longest = public.longest
        suits = SUITS if spec.rank_suits else ("",)
        self._cards = [Card(rank, suit) for rank in range(2, 2 + len(RANKS)) for suit in suits]
        self._copies = len(SUITS) // len(suits)
        self.players = self.draws = spec.players
        self.most = len(self._cards)
        self.shape = (spec.players, self.most)
        self.largest = float(public.most * (spec.players - 1))

    def chances(self, drawn: Draws) -> list[tuple[int, float]]:
        """Return cards by how many of them are left."""
        left = {place: self._copies - list(drawn).count(place) for place in range(self.most)}
        return [(place, number / sum(left.values())) for place, number in left.items() if number]

    def label(self, drawn: Draws, brings: int) -> str:
        """Name the seat and its card."""
        return f"{player_name(len(drawn))} holds {self._cards[brings]}"

    def known(self, drawn: Draws, player: int) -> list[tuple[int, int]]:
        """Return the others' cards, a row for each seat."""
        return [(seat, card) for seat, card in enumerate(drawn) if seat != player]

    def told(self, drawn: Draws, player: int) -> str:
        """Name the cards seen, in the order of the seats."""
        seen = ",".join(str(self._cards[card]) for _, card in self.known(drawn, player))
        return knows(self._spec, "", player, seen) if seen else player_name(player)

    def returns(self, drawn: Draws, outcome: Outcome) -> list[float]:
        """Settle the hand."""
        cards = [self._cards[card] for card in drawn]
        return [float(won) for won in self._spec.settle(outcome, cards)]  # type: ignore[arg-type]


def dealing(spec: Any) -> Dealing:
    """Return how a hand is dealt."""
    if spec.seats > 2:
        return TableDealing(spec)
    return PairDealing(spec)


def survey(public: PublicGame) -> tuple[tuple[str, ...], tuple[Outcome, ...], int]:
    """Return the tokens of all actions, the outcomes, both in the order they are come upon, and the longest history."""
    tokens: dict[str, None] = {}
    outcomes: dict[Outcome, None] = {}
    longest, level = -1, {public.root: None}
    while level:
        moves: list[Move] = []
        for position in level:
            if isinstance(position, Outcome):
                outcomes[position] = None
            else:
                moves += public.moves(position)
        tokens |= {str(action): None for action, _ in moves}
        level = {target: None for _, target in moves}
        longest += 1
    return tuple(tokens), tuple(outcomes), longest
