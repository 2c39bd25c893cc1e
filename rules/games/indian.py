"""What indian-poker and indian-holdem share: a card on the forehead, ranks, fold penalties."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import CardError
from rules.base.parsing import shown_list
from rules.betting.chips import Chips, settle_tie, settle_win
from rules.betting.forced_line import with_line
from rules.betting.no_limit import Fold, IndianBetting
from rules.betting.public_game import PublicGame
from rules.cards.rank_deck import NUMBER_WORDS, RANKS, RankDeck, out_too_often, parse_rank, parse_ranks
from rules.games.match_spec import DealtCards, JudgeOnce, MatchSpec, fold_paid
from rules.games.tracker import UsedRank, UsedRanks
from rules.games.view import View, refuse


@dataclass(frozen=True, repr=False)
class IndianSpec(MatchSpec):
    """A hand in which each player sees the other's card only.

    P1's private observation is P2's card, and the other way round.
    """

    deck: RankDeck = RankDeck((), 0, 0)
    penalties: str = ""

    copies: ClassVar[int]
    aids = ("used_cards", "penalty_list")
    has_penalties = True
    told_as: ClassVar[Mapping[str, tuple[str, ...]]] = {"left": ("seen", "left")}

    @cached_property
    def public(self) -> PublicGame:
        """The betting, which depends on the cap and the sizes only."""
        return with_line(partial(IndianBetting, self.chips.cap, before=self.pot_before), self.betting, self.line)

    @abstractmethod
    def strength(self, rank: int, board: tuple[int, ...]) -> tuple[int, int]:
        """Return what a showdown compares."""

    @abstractmethod
    def penalty(self, rank: int, board: tuple[int, ...]) -> int:
        """Return the full penalty for folding this card, in chips."""

    def contest(self, outcome: Any) -> Hashable:
        """Return whose fold it is, or the showdown."""
        return ("fold", outcome.player) if isinstance(outcome, Fold) else ("showdown",)

    def judge(self, contest: Hashable, first: int, second: int, board: tuple[int, ...]) -> int:
        """Return the sign of a showdown for P1, or the folder's full penalty."""
        if contest == ("showdown",):
            mine, theirs = self.strength(first, board), self.strength(second, board)
            return (mine > theirs) - (mine < theirs)
        return self.penalty(first if contest == ("fold", 0) else second, board)

    def verdict(self, outcome: Any, cards: Any) -> int:
        """Return what the actual cards say at an outcome."""
        return self.judge(self.contest(outcome), cards[0], cards[1], self.table)

    def settle(self, outcome: Any, verdict: int) -> Chips:
        """Return the chips after the hand (articles 4 to 6 of the betting)."""
        if isinstance(outcome, Fold):
            return settle_win(self.chips, 1 - outcome.player, fold_paid(outcome), verdict)
        if verdict == 0:
            return settle_tie(self.chips, outcome.level, self.tie_bust)
        return settle_win(self.chips, 0 if verdict > 0 else 1, (outcome.level, outcome.level))

    @property
    def cards_left(self) -> int:
        """Cards in the deck before this hand is dealt, the board's included."""
        return self.deck.total

    def observation(self, text: object) -> str:
        """Return the rank of the other's card."""
        return str(parse_rank(text, " (the card seen)"))

    def layout(self, board: tuple[int, ...], weight: float) -> DealtCards:
        """Return the cards of one deal, ranks in ascending strength."""
        deck = self.deck.without(board) if board else self.deck
        ranks = sorted(deck.ranks, key=lambda rank: self.strength(rank, board))
        counts = np.array([deck.count(rank) for rank in ranks], dtype=np.float64)
        # Rows are P1's observation (P2's card), columns P2's (P1's card).
        prior = (np.outer(counts, counts) - np.diag(counts)) / (deck.total * (deck.total - 1))
        names = tuple(str(rank) for rank in ranks)

        def judged(contest: Hashable) -> NDArray[np.int64]:
            return np.array([[self.judge(contest, first, second, board) for first in ranks] for second in ranks])

        judge: Callable[[Hashable], NDArray[np.int64]] = JudgeOnce(judged)
        return DealtCards(",".join(map(str, board)), weight, (names, names), prior, judge)

    def hand_cards(self, cards: Sequence[Any]) -> tuple[int, int]:
        """Check the two private cards, P1's first."""
        if len(cards) != 2:
            raise CardError(f"expected two cards, P1's and P2's, got {len(cards)}")
        first, second = (parse_rank(card, f" (P{place}'s card)") for place, card in enumerate(cards, start=1))
        return first, second

    def pack(self) -> list[int]:
        """Return the copies of all ranks."""
        return [rank for rank in RANKS for _ in range(self.copies)]

    def seen(self, cards: tuple[int, int]) -> tuple[str, str]:
        """Return each other's rank."""
        return str(cards[1]), str(cards[0])

    def after(self, outcome: Any, cards: tuple[Any, Any], chips: Chips) -> Self:
        """Return the next hand: all cards of a hand are shown, folds included, and leave the deck."""
        used = (*self.table, *cards)
        return replace(self, chips=chips.swapped(), **{**self.fresh_fields(), "deck": self.deck.without(used)})

    def fresh_fields(self) -> dict[str, Any]:
        """Return a full deck."""
        return {"deck": RankDeck.fresh(self.copies, self.per_hand)}

    # What a player sees.

    def view(self, player: int, observation: object, mine: object = ()) -> View:
        """Return the other's card and the board."""
        refuse(self.game, "own folded cards that stay hidden", mine)
        if self.board_open:
            number = NUMBER_WORDS[self.per_hand - 2]
            raise CardError(f"expected the {number} community cards of the hand (board), got none")
        return ForeheadView(self, self.card_seen(observation))

    @property
    def board_open(self) -> bool:
        """Whether the game has community cards that this hand does not name."""
        return self.deck_dict().get("board", ()) is None

    def used_cards(self, player: int, observation: object = None, mine: object = ()) -> UsedRanks:
        """Return the counts of every rank: gone, visible to the player, and not seen yet."""
        refuse(self.game, "own folded cards that stay hidden", mine)
        visible = Counter((*self.table, *(() if observation is None else (self.card_seen(observation),))))
        gone, left = self.deck.out, self.deck.count
        return UsedRanks(tuple(UsedRank(n, gone[n], visible[n], left(n) - visible[n]) for n in RANKS))

    def card_seen(self, observation: object) -> int:
        """Read the other's card; the deck less the board must have it."""
        rank = int(self.observation(observation))
        left = [other for other in self.deck.ranks if self.deck.count(other) > self.table.count(other)]
        if rank not in left:
            beside = f" beside the board {shown_list(self.table)}" if self.table else ""
            raise CardError(
                f"expected a card that the deck still has{beside} ({', '.join(map(str, left))}), got {rank} "
                "(the card seen)"
            )
        return rank

    def deck_summary(self) -> str:
        """List the ranks that have gone."""
        gone = {rank: number for rank, number in self.deck.out.items() if number}
        listed = " ".join(" ".join([str(rank)] * number) for rank, number in gone.items()) or "nothing"
        left = f"{self.cards_left} card{'' if self.cards_left == 1 else 's'} left"
        return f"Gone from the deck before this hand: {listed}. {left}."

    def fold_penalty(self, card: Any) -> int:
        """Return the penalty on this hand's board."""
        return self.penalty(int(card), self.table)

    def penalised_as(self, card: Any) -> str:
        """Name the cards that cost something."""
        return "penalty" if self.fold_penalty(card) else ""

    def overdrawn(self, held: Sequence[Any], board: object) -> Iterator[tuple[int, str]]:
        """Yield ranks of which more are out than the deck has."""
        used = [*held, *(parse_ranks(board, "board") if board is not None else ())]
        if len(used) != self.per_hand:
            return  # a board too much or too little is for the game to refuse
        for rank, number in Counter(used).items():
            out = self.deck.out[rank] + number
            if out > self.copies:
                yield rank, out_too_often(rank, out, self.copies)


class ForeheadView(View):
    """The other's card and the board."""

    def __init__(self, spec: IndianSpec, seen: int) -> None:
        self.spec, self.seen = spec, seen
        gone = Counter((*spec.table, self.seen))
        left = {rank: spec.deck.count(rank) - gone[rank] for rank in RANKS}
        self.copies = {rank: number for rank, number in left.items() if number}

    def result(self, sides: object, left: object) -> Callable[[int], int]:
        """Compare the own card with the one seen."""
        refuse(self.spec.game, "sides to name", sides)
        refuse(self.spec.game, "seats that drop out before a showdown", left)
        return lambda own: self.spec.judge(("showdown",), own, self.seen, self.spec.table)
