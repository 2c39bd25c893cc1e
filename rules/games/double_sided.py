"""Double-sided Poker: two players, 90 cards with a number on each side (text 004)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import CardError
from rules.base.parsing import shown_list
from rules.betting.chips import Chips, settle_tie, settle_win
from rules.betting.forced_line import with_line
from rules.betting.no_limit import Fold, Showdown
from rules.betting.public_game import PublicGame
from rules.betting.two_sided import BothCalled, BothFolded, DoubleSidedBetting
from rules.cards.rank_deck import RANKS, parse_rank, parse_ranks, times
from rules.cards.two_sided import HiddenBack, TwoSided, TwoSidedDeck, parse_two_sided
from rules.games.match_spec import DealtCards, JudgeOnce, MatchSpec, fold_paid

BOTH_SIDES_BONUS = 10


@dataclass(frozen=True, repr=False)
class DoubleSided(MatchSpec):
    """A hand of double-sided; without fronts, every pair of fronts that the deck allows.

    A player's private observation is the own back.
    """

    deck: TwoSidedDeck = TwoSidedDeck()
    fronts: tuple[int, int] | None = None

    game = "double-sided"
    title = "Double-sided Poker"
    summary = "two players, 90 cards with a number on each side; fronts are public, backs are the holder's"
    sees = "own back"
    board_word = "fronts"
    examples = "front:b1, back:r3, back:allin, front:c, both or f"
    standard_stacks = (15, 20, 30)

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Self:
        """Take this game's options out of `options`; what is left is unknown to it."""
        deck = TwoSidedDeck.parse(options.pop("shown", None), options.pop("hidden", None))
        return cls(deck=deck, fronts=parse_fronts(options.pop("fronts", None), deck), **cls.common(options))

    def deck_dict(self) -> dict[str, Any]:
        """Return the deck state and the fronts."""
        return {**self.deck.to_dict(), "fronts": None if self.fronts is None else list(self.fronts)}

    @cached_property
    def public(self) -> PublicGame:
        """The betting with sides, which depends on the cap and the sizes only."""
        return with_line(partial(DoubleSidedBetting, self.chips.cap), self.betting, self.line)

    @property
    def cards_left(self) -> int:
        """Cards in the deck before this hand is dealt."""
        return self.deck.total

    @property
    def notes(self) -> tuple[str, ...]:
        """Name the model of folded cards too."""
        model = "nothing is inferred from folds: a hidden back is any unseen back of its front, all equally likely"
        return (*super().notes, model)

    def observation(self, text: object) -> str:
        """Return the own back."""
        return str(parse_rank(text, " (the own back)"))

    def contest(self, outcome: Any) -> Hashable:
        """Return which sides meet."""
        if isinstance(outcome, Showdown):
            return ("showdown", outcome.sides)
        return ("both", outcome.side) if isinstance(outcome, BothCalled) else ("fold",)

    @staticmethod
    def judge(contest: Any, first: TwoSided, second: TwoSided) -> int:
        """Return the sign of a showdown for P1, or 0 where no cards are compared.

        Both sides called is never a tie: P2 wins where both of P2's numbers are higher.
        """
        if contest[0] == "showdown":
            mine: int = getattr(first, contest[1][0])
            theirs: int = getattr(second, contest[1][1])
            return (mine > theirs) - (mine < theirs)
        if contest[0] == "both":
            return -1 if min(second) > getattr(first, contest[1]) else 1
        return 0

    def verdict(self, outcome: Any, cards: Any) -> int:
        """Return what the actual cards say at an outcome; a fold needs no backs."""
        if self.shows_backs(outcome):
            for card in cards:
                if isinstance(card, HiddenBack):
                    raise CardError(f"a showdown shows both whole cards, got {card}")
        return self.judge(self.contest(outcome), cards[0], cards[1])

    @staticmethod
    def shows_backs(outcome: Any) -> bool:
        """Whether both whole cards are shown; after a fold neither back is, the winner's included."""
        return isinstance(outcome, (Showdown, BothCalled))

    def settle(self, outcome: Any, verdict: int) -> Chips:
        """Return the chips after the hand; a both-sides bet wins 10 more from what P1 has left."""
        if isinstance(outcome, Fold):
            return settle_win(self.chips, 1 - outcome.player, fold_paid(outcome))
        if isinstance(outcome, BothFolded):
            return settle_win(self.chips, 1, (outcome.level, 2 * outcome.level), BOTH_SIDES_BONUS)
        paid = (outcome.level, outcome.level)
        if verdict == 0:
            return settle_tie(self.chips, outcome.level, self.tie_bust)
        bonus = BOTH_SIDES_BONUS if isinstance(outcome, BothCalled) and verdict < 0 else 0
        return settle_win(self.chips, 0 if verdict > 0 else 1, paid, bonus)

    def layouts(self) -> list[DealtCards]:
        """Return the layout of the fronts, or one for every pair of fronts."""
        if self.fronts is not None:
            return [self.layout(self.fronts, 1.0)]
        return [self.layout(fronts, weight) for fronts, weight in self.deck.front_pairs().items()]

    def layout(self, fronts: tuple[int, int], weight: float) -> DealtCards:
        """Return the cards of one pair of fronts: unseen backs, all pairs of different cards equally likely."""
        cards = [[TwoSided(front, back) for back in self.deck.unseen_backs(front)] for front in fronts]
        possible = np.array([[float(first != second) for second in cards[1]] for first in cards[0]])
        names = tuple(tuple(str(card.back) for card in side) for side in cards)

        def judged(contest: Hashable) -> NDArray[np.int64]:
            return np.array([[self.judge(contest, first, second) for second in cards[1]] for first in cards[0]])

        board = f"{fronts[0]},{fronts[1]}"
        return DealtCards(board, weight, (names[0], names[1]), possible / possible.sum(), JudgeOnce(judged))

    def dealt(
        self, cards: Sequence[Any], board: object = None
    ) -> tuple[Self, tuple[TwoSided | HiddenBack, TwoSided | HiddenBack]]:
        """Check that both cards can come from the deck; the fronts follow from them, a back may be unknown."""
        if board is not None:
            raise CardError(f"double-sided has no community cards, got {board!r}")
        if len(cards) != 2:
            raise CardError(f"expected two cards, P1's and P2's, got {len(cards)}")
        first, second = (parse_two_sided(card, f" (P{place}'s card)") for place, card in enumerate(cards, start=1))
        if first == second and isinstance(first, TwoSided):
            raise CardError(f"each card exists once, got {first} for both players")
        for card in (first, second):
            if card in self.deck.shown:
                raise CardError(f"{card} has been shown already; each card exists once")
        fronts = check_fronts((first.front, second.front), self.deck)
        if self.fronts is not None and fronts != self.fronts:
            raise CardError(
                f"expected cards with the fronts {self.fronts[0]},{self.fronts[1]}, got {first} and {second}"
            )
        return replace(self, fronts=fronts), (first, second)

    def pack(self) -> list[TwoSided]:
        """Return every ordered pair of different numbers."""
        return [TwoSided(front, back) for front, back in product(RANKS, RANKS) if front != back]

    def seen(self, cards: tuple[TwoSided, TwoSided]) -> tuple[str, str]:
        """Return each one's own back."""
        return str(cards[0].back), str(cards[1].back)

    def after(self, outcome: Any, cards: tuple[Any, Any], chips: Chips) -> Self:
        """Return the next hand: a showdown shows both cards whole, a fold leaves both backs hidden."""
        if self.shows_backs(outcome):
            deck = self.deck.with_shown(cards)
        else:
            deck = self.deck.with_hidden(card.front for card in cards)
        return replace(self, chips=chips.swapped(), deck=deck, fronts=None)

    def fresh_fields(self) -> dict[str, Any]:
        """Return a full deck and no fronts."""
        return {"deck": TwoSidedDeck(), "fronts": None}


def parse_fronts(value: object, deck: TwoSidedDeck) -> tuple[int, int] | None:
    """Read the two fronts, P1's first.

    Raises
    ------
    CardError
        Where there are not two, or the deck no longer allows them.
    """
    if value is None:
        return None
    fronts = parse_ranks(value, "fronts")
    if len(fronts) != 2:
        raise CardError(f"expected two fronts, P1's and P2's, such as 3,8, got {shown_list(value)!r}")
    return check_fronts((fronts[0], fronts[1]), deck)


def check_fronts(fronts: tuple[int, int], deck: TwoSidedDeck) -> tuple[int, int]:
    """Check that the deck still has cards with these fronts."""
    for front in set(fronts):
        needed, left = fronts.count(front), deck.left(front)
        if left < needed:
            raise CardError(
                f"the fronts {fronts[0]},{fronts[1]} are no longer possible: front {front} is needed "
                f"{times(needed)} and {left} of its nine cards are left"
            )
    return fronts
