"""Double-sided Poker: two players, 90 cards with a number on each side (text 004)."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import CardError, DeckError, OptionError
from rules.base.parsing import items, ordinal, shown_list
from rules.betting.actions import BOTH, Action
from rules.betting.chips import Chips, settle_tie, settle_win
from rules.betting.forced_line import with_line
from rules.betting.no_limit import Fold, Showdown
from rules.betting.public_game import PublicGame
from rules.betting.two_sided import SIDES, BothCalled, BothFolded, DoubleSidedBetting
from rules.cards.rank_deck import RANKS, parse_rank, parse_ranks, times
from rules.cards.two_sided import HiddenBack, TwoSided, TwoSidedDeck, parse_two_sided
from rules.games.match_spec import DealtCards, JudgeOnce, MatchSpec, fold_paid
from rules.games.tracker import UsedTwoSided
from rules.games.view import View, refuse

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
    log_example = "mine 3/7  theirs 8/2  history front:b1 back:c"
    unseen = "their back"
    told_as: ClassVar[Mapping[str, tuple[str, ...]]] = {"shown": ("shown",), "hidden": ("hidden",)}
    sides_that_meet = tuple((own, other) for own in SIDES for other in (*SIDES, BOTH))
    aids = ("used_cards", "win_chances")

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
        return with_line(partial(DoubleSidedBetting, self.chips.cap, before=self.pot_before), self.betting, self.line)

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
        if self.shows_cards(outcome):
            for card in cards:
                if isinstance(card, HiddenBack):
                    raise CardError(f"a showdown shows both whole cards, got {card}")
        return self.judge(self.contest(outcome), cards[0], cards[1])

    @staticmethod
    def shows_cards(outcome: Any) -> bool:
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
        if self.shows_cards(outcome):
            deck = self.deck.with_shown(cards)
        else:
            deck = self.deck.with_hidden(card.front for card in cards)
        return replace(self, chips=chips.swapped(), deck=deck, fronts=None)

    def fresh_fields(self) -> dict[str, Any]:
        """Return a full deck and no fronts."""
        return {"deck": TwoSidedDeck(), "fronts": None}

    # What a player sees.

    def view(self, player: int, observation: object, mine: object = ()) -> View:
        """Return both fronts and the own back."""
        return BackView(self, player, self.own_card(player, observation), mine)

    def used_cards(self, player: int, observation: object = None, mine: object = ()) -> UsedTwoSided:
        """Return the cards shown whole, and the fronts of those whose back stayed hidden."""
        own = None if observation is None else self.own_card(player, observation)
        deck = self.deck
        return UsedTwoSided(deck.shown, deck.hidden, own_folded(deck, mine, own), self.fronts, own)

    def own_card(self, player: int, observation: object) -> TwoSided:
        """Read the own back; the deck must allow the card."""
        if self.fronts is None:
            raise CardError("expected the fronts of the hand, P1's and P2's, got none")
        own = TwoSided.parse((self.fronts[player], self.observation(observation)), " (the own card)")
        if own in self.deck.shown:
            raise CardError(f"expected an own card that has not been shown yet, got {own}; each card exists once")
        return own

    def deck_summary(self) -> str:
        """Say how many cards have been shown, and how many have not."""
        deck = self.deck
        shown = f"{len(deck.shown)} card{'' if len(deck.shown) == 1 else 's'} shown whole"
        return f"{shown}, {len(deck.hidden)} hidden; {deck.total} left."

    def sides_met(self, history: Sequence[Action], player: int) -> tuple[tuple[str, str], ...] | None:
        """Return the sides named; both of the own where the player has named none yet."""
        named = ["", ""]
        for place, action in enumerate(history):
            named[place % 2] = named[place % 2] or (BOTH if action.kind == BOTH else action.side)
        if not named[1 - player]:
            return None
        if named[player]:
            return ((named[0], named[1]),)
        return tuple((own, named[1]) if player == 0 else (named[0], own) for own in SIDES)

    def parse_held(self, value: object, where: str) -> TwoSided | HiddenBack:
        """Read a card; a front alone will do, since a question mark must be quoted in a shell."""
        front_alone = isinstance(value, int) or (isinstance(value, str) and "/" not in value)
        return parse_two_sided(f"{value}/?" if front_alone else value, where)

    def observed(self, cards: Sequence[Any], player: int) -> str:
        """Return the own back."""
        own = cards[player]
        return str(own.back) if isinstance(own, TwoSided) else ""


class BackView(View):
    """Both fronts and the own back."""

    what = "other's back"

    def __init__(self, spec: DoubleSided, player: int, own: TwoSided, mine: object) -> None:
        self.spec, self.player, self.own = spec, player, own
        folded = own_folded(spec.deck, mine, self.own)
        assert spec.fronts is not None
        self.front = spec.fronts[1 - player]
        others = [TwoSided(self.front, back) for back in spec.deck.unseen_backs(self.front)]
        self.copies = {card.back: int(card not in folded) for card in others if card != self.own}

    def result(self, sides: object, left: object) -> Callable[[int], int]:
        """Compare the named numbers."""
        refuse(self.spec.game, "seats that drop out before a showdown", left)
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
