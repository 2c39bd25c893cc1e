"""Which decks the later hands of a match are dealt from, and what each of them can deal.

Rules page, "Objectives": with the deck model ``fresh`` every later hand is dealt from a full deck; with
``exact``, for indian-poker alone, from the deck really left.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property
from itertools import groupby, product
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError
from rules.cards.rank_deck import RANKS, RankDeck
from rules.games.indian_poker import IndianPoker
from rules.games.match_spec import MatchSpec

FULL = 0
"""The number of the full deck."""


class Deals(NamedTuple):
    """One class of the deals of a deck.

    Parameters
    ----------
    weight
        Probability of the class.
    prior
        Of both observations, shape (n1, n2), float64.
    verdicts
        What the cards say in each contest, shapes (n1, n2), int64.
    next
        The deck of the next hand by observations, shape (n1, n2), int64; `FULL` where the pair cannot be dealt.
    """

    weight: float
    prior: NDArray[np.float64]
    verdicts: dict[Hashable, NDArray[np.int64]]
    next: NDArray[np.int64]


class Place(NamedTuple):
    """Where a dealt hand stands: its deck's number, which of `DeckModel.deals`, and both observations there."""

    deck: int
    deal: int
    observations: tuple[int, int]


class DeckModel(ABC):
    """The decks of a match, by number.

    Parameters
    ----------
    spec
        The game and its options, with the stacks of the start; its deck does not matter.
    """

    name: ClassVar[str]

    def __init__(self, spec: MatchSpec) -> None:
        self.spec = spec.fresh()

    @property
    @abstractmethod
    def levels(self) -> tuple[tuple[int, ...], ...]:
        """Decks of the same size, the smallest first: a hand leads to the level before, or to the full deck.

        The last level is the full deck alone.
        """

    @property
    def number(self) -> int:
        """How many decks there are."""
        return sum(map(len, self.levels))

    @abstractmethod
    def find(self, spec: MatchSpec) -> int:
        """Return the number of the deck that a later hand is dealt from."""

    @abstractmethod
    def deck(self, number: int) -> MatchSpec:
        """Return a hand dealt from a deck, one for all decks that are the same game."""

    @abstractmethod
    def following(self, spec: MatchSpec, observations: tuple[tuple[str, ...], tuple[str, ...]]) -> NDArray[np.int64]:
        """Return the deck after a hand for each pair of observations, shape (n1, n2), int64.

        `FULL` where the pair cannot be dealt.
        """

    @abstractmethod
    def place(self, spec: MatchSpec, cards: tuple[Any, Any]) -> Place:
        """Find a dealt hand, as the model takes it to be.

        Parameters
        ----------
        spec
            With its board or fronts, as `MatchSpec.dealt` returns it.
        cards
            P1's and P2's.
        """

    def deals(self, number: int) -> tuple[Deals, ...]:
        """Return what a deck can deal, one class of deals once; weights sum to 1."""
        spec = self.deck(number)
        return tuple(
            Deals(
                sum(deal.weight for deal in deals),
                layout.prior,
                {contest: layout.judge(contest) for contest in spec.contests},
                self.following(spec, layout.observations),
            )
            for layout, deals in spec.grouped()
        )


class Fresh(DeckModel):
    """Every later hand is dealt from a full deck."""

    name = "fresh"
    levels = ((FULL,),)

    def find(self, spec: MatchSpec) -> int:
        """Return the full deck."""
        return FULL

    def deck(self, number: int) -> MatchSpec:
        """Return a hand dealt from the full deck."""
        return self.spec

    @cached_property
    def _kinds(self) -> dict[str, tuple[int, tuple[tuple[str, ...], tuple[str, ...]]]]:
        """Which of the deals each board or pair of fronts is, and the names of its observations."""
        return {
            deal.board: (number, deal.observations)
            for number, (_, deals) in enumerate(self.spec.grouped())
            for deal in deals
        }

    def place(self, spec: MatchSpec, cards: tuple[Any, Any]) -> Place:
        """Find the class of the board or the fronts, as if the deck were full."""
        (layout,) = spec.layouts()
        number, names = self._kinds[layout.board]
        first, second = (known.index(one) for known, one in zip(names, spec.seen(cards), strict=True))
        return Place(FULL, number, (first, second))

    def following(self, spec: MatchSpec, observations: tuple[tuple[str, ...], tuple[str, ...]]) -> NDArray[np.int64]:
        """Return the full deck everywhere."""
        return np.full(tuple(map(len, observations)), FULL, dtype=np.int64)


class Exact(DeckModel):
    """Indian Poker with the deck really left.

    Only the order of the ranks left and the number of 10s matter: two decks with the same counts from low to
    high (absent ranks skipped) and the same number of 10s are one deck here.
    """

    name = "exact"
    spec: IndianPoker

    def __init__(self, spec: MatchSpec) -> None:
        if self.name not in spec.deck_models:
            raise OptionError(
                f"the deck model exact is for indian-poker alone, got {spec.game}; elsewhere the decks are too many, "
                "or nobody knows them all (--deck-model fresh)"
            )
        super().__init__(spec)

    @cached_property
    def _decks(self) -> tuple[RankDeck, ...]:
        """One deck of each class, by number: the full deck, then ever smaller ones."""
        full, found = self.spec.deck, dict[Hashable, RankDeck]()
        for counts in product(range(full.copies + 1), repeat=len(RANKS)):
            if sum(counts) and sum(counts) % full.per_hand == 0:
                deck = RankDeck(counts, full.copies, full.per_hand)
                found.setdefault(_same(deck), deck)
        return tuple(sorted(found.values(), key=lambda deck: (-deck.total, deck.counts)))

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {_same(deck): number for number, deck in enumerate(self._decks)}

    @cached_property
    def levels(self) -> tuple[tuple[int, ...], ...]:
        """Decks with the same number of cards, those of two cards first."""
        sizes = groupby(range(len(self._decks)), key=lambda number: self._decks[number].total)
        return tuple(tuple(numbers) for _, numbers in sizes)[::-1]

    def find(self, spec: MatchSpec) -> int:
        """Return the deck's class."""
        return self._numbers[_same(_deck(spec))]

    def deck(self, number: int) -> IndianPoker:
        """Return a hand dealt from a deck of this class."""
        return replace(self.spec, deck=self._decks[number])

    def place(self, spec: MatchSpec, cards: tuple[Any, Any]) -> Place:
        """Find the deck's class, in which ranks count by their order."""
        ranks = [str(rank) for rank in _deck(spec).ranks]
        first, second = (ranks.index(one) for one in spec.seen(cards))
        return Place(self.find(spec), 0, (first, second))

    def following(self, spec: MatchSpec, observations: tuple[tuple[str, ...], tuple[str, ...]]) -> NDArray[np.int64]:
        """Return the deck that is left when both cards have been shown."""
        found = np.full(tuple(map(len, observations)), FULL, dtype=np.int64)
        for place in np.ndindex(*found.shape):
            cards = [int(names[index]) for names, index in zip(observations, place, strict=True)]
            if _deck(spec).holds(cards):
                found[place] = self._numbers[_same(_deck(spec).without(cards))]
        return found


def _deck(spec: Any) -> RankDeck:
    """Return the deck of a hand whose game has this model."""
    deck: RankDeck = spec.deck
    return deck


def _same(deck: RankDeck) -> Hashable:
    """Return what decks have in common that are the same game."""
    return tuple(filter(None, deck.counts)), deck.count(RANKS[-1])


DECK_MODELS: dict[str, type[DeckModel]] = {model.name: model for model in (Fresh, Exact)}
