"""What the three match games have in common: chips, betting options, and from cards to utilities."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import ChipsError, HistoryError, OptionError
from rules.base.parsing import whole
from rules.betting.actions import ALLIN, RAISE, Action, format_history, parse_history
from rules.betting.bet_sizes import Menu
from rules.betting.chips import ANTE, Chips, chips_gain, parse_chips, winner
from rules.betting.no_limit import Betting, Fold
from rules.betting.public_game import Outcome
from rules.cards.rank_deck import parse_rank
from rules.games.spec import Deal, Hand, HandClass, HandSpec


class Off(NamedTuple):
    """How far chances to win of one deck model are from those of the decks really left, win probabilities."""

    average: float
    worst: float


FRESH_OFF = Off(0.0046, 0.0225)
"""The deck model fresh over all decks and chips of indian-poker from 10 chips each, where both are known:
``python -m benchmarks.decks`` computes it from the tables that come with forehead."""


def fresh_told() -> str:
    """Say in a few words that bounds of the deck model fresh are not those of the match as it is played."""
    average, worst = (100.0 * part for part in FRESH_OFF)
    return (
        "bounds are those of the deck model fresh; against the decks really left (measured in indian-poker at 10/10) "
        f"a chance to win is off by {average:.2f} points on average, {worst:.2f} at worst"
    )


class Continuation(ABC):
    """The chance to win the match from every state that a hand can lead to."""

    @property
    @abstractmethod
    def told(self) -> str:
        """Where the figures come from and how good they are, in a few words."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """What tells them from others for the same hand."""

    @property
    @abstractmethod
    def sides(self) -> tuple[Self, Self]:
        """What is surely true: later hands worth to this hand's P1 at least so much, and at most so much."""

    @abstractmethod
    def worth(
        self, spec: "MatchSpec", observations: tuple[tuple[str, ...], tuple[str, ...]], after: Chips
    ) -> NDArray[np.float64]:
        """Return P1's chance to win the match from the chips after a hand, by both observations, shape (n1, n2).

        Parameters
        ----------
        spec
            This hand.
        observations
            Which tell the cards that have been shown.
        after
            As this hand's players have them; both still have some.
        """

    def won(
        self, spec: "MatchSpec", observations: tuple[tuple[str, ...], tuple[str, ...]], after: Chips
    ) -> NDArray[np.float64] | float:
        """Return P1's chance to win the match after a hand, which may have ended it."""
        result = winner(after)
        if result is None:
            return self.worth(spec, observations, after)
        return 0.5 if result == "draw" else float(result == 0)


TIE_BUST = ("split", "loses")
CHIPS, MATCH = "chips", "match"
"""Objectives: the gain in this hand, or the chance to win the match."""

FRESH = "fresh"
"""The deck model that deals every later hand from a full deck."""

AUTO = "auto"
"""The deck model that is exact where that is at hand, and else fresh."""

POT_BLIND = (
    "a whole match is solved with one tree for all pots carried over, and sizes that are a part of the pot change it; "
    "list sizes in chips, such as 1,3,5,allin, or play for the chips of the hand (objective chips)"
)
"""Why no match table has bet sizes that are a part of the pot."""

MOST_SIZES = 10_000
"""Sizes up to which every whole number is offered."""

LIMITS = (16, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1)
"""Raise limits that make a game smaller, the largest game first."""

Verdict = int
"""What the cards say of an outcome: the sign of a comparison for P1, or a fold penalty in chips."""


class DealtCards(NamedTuple):
    """The cards of one deal: `cards[x, y]` pairs as verdict matrices see them, and who can see what.

    ``prior[x, y]`` is the probability of the observations; `judge` maps a contest (see
    `MatchSpec.contest`) to the verdicts, shape as `prior`, integers.
    """

    board: str
    weight: float
    observations: tuple[tuple[str, ...], tuple[str, ...]]
    prior: NDArray[np.float64]
    judge: Callable[[Hashable], NDArray[np.int64]]


@dataclass(frozen=True, repr=False)
class MatchSpec(HandSpec):
    """One hand of a match game: chips, betting, options; the games add their deck state."""

    chips: Chips = Chips(10, 10, 0)
    betting: Betting = Betting()
    line: str = ""
    tie_bust: str = "split"
    objective: str = CHIPS
    deck_model: str = ""
    """Which decks later hands are dealt from; "" where they do not matter."""
    later: Continuation | None = field(default=None, compare=False, repr=False)
    """What later hands are worth, where that matters and is known."""
    locks: tuple[()] = ()

    told_beside: ClassVar[Mapping[str, tuple[str, ...]]] = {"raise_limit": ("line",), "objective": ("deck_model",)}
    examples: ClassVar[str] = "b1, r3, allin, c or f"
    """Actions of the game, for a message."""
    per_hand: ClassVar[int] = 2
    """Cards that a hand uses up."""
    standard_stacks: ClassVar[tuple[int, ...]] = (10, 15, 20)
    """What each player can start a match with; the first is the quick mode's, and the default."""
    deck_models: ClassVar[tuple[str, ...]] = ("fresh",)
    """Of `rules.games.deck_models.DECK_MODELS`, those that the game has, the best first."""
    has_penalties: ClassVar[bool] = False
    """Whether folding some cards costs chips beyond what has been put in."""
    log_example: ClassVar[str] = "mine 4  theirs 9  history b1 c"
    """A hand's line in a match log."""

    # From options and back.

    @classmethod
    def common(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Take the options that all match games share out of `options`, checked."""
        stack = cls.standard_stacks[0]
        chips = parse_chips(options.pop("stacks", (stack, stack)), options.pop("carry", 0))
        raises = Menu.parse(options.pop("raises", Menu()), "raises")
        opens = options.pop("opens", None)
        limit = options.pop("raise_limit", None)
        if limit is not None:
            limit = whole(limit, "the raise limit")
            if limit < 0:
                raise OptionError(f"expected a raise limit of at least 0, got {limit}")
        menu = None if opens is None else Menu.parse(opens, "opens")
        if chips.cap > MOST_SIZES and (raises.any or (menu is not None and menu.any)):
            raise OptionError(
                f"'any' would offer {chips.cap} sizes here, more than {MOST_SIZES}; list sizes, such as 1,3,5,allin"
            )
        objective = choice(options.pop("objective", CHIPS), "objective", (CHIPS, MATCH))
        deck_model = options.pop("deck_model", None)
        if objective == MATCH:
            deck_model = choice(deck_model or AUTO, f"deck-model in {cls.game}", (AUTO, *cls.deck_models))
            if chips.total % 2:
                raise ChipsError(
                    f"a match starts with equal stacks, got {chips.total} chips together; an even number is needed"
                )
        elif deck_model is not None:
            raise OptionError(f"deck-model says what comes after this hand; expected objective {MATCH} beside it")
        line = options.pop("line", "")
        if not isinstance(line, str):
            raise OptionError(f"expected the line to be a history, such as 'b1 r3', got {line!r}")
        return {
            "chips": chips,
            "line": format_history(parse_history(line, cls.examples)),
            "betting": Betting(raises, None if menu == raises else menu, limit),
            "tie_bust": choice(options.pop("tie_bust", "split"), "tie-bust", TIE_BUST),
            "objective": objective,
            "deck_model": deck_model or "",
            "locks": no_locks(options.pop("locks", ())),
        }

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the normal form of a hand without options."""
        usual: dict[str, Any] = cls.from_options({}).to_dict()
        return usual

    def to_dict(self) -> dict[str, Any]:
        """Return the spec in normal form, ready for JSON."""
        opens = self.betting.opens
        return {
            "game": self.game,
            **self.deck_dict(),
            "stacks": list(self.chips.stacks),
            "carry": self.chips.carry,
            "raises": self.betting.raises.to_json(),
            "opens": None if opens is None else opens.to_json(),
            "raise_limit": self.betting.limit,
            **({"line": self.line} if self.line else {}),
            "tie_bust": self.tie_bust,
            "objective": self.objective,
            **({"deck_model": self.deck_model} if self.objective == MATCH else {}),
            "locks": list(self.locks),
        }

    @property
    def headline(self) -> str:
        """The state of deck and chips in a few words."""
        chips = self.chips
        return f"{self.cards_left} cards left, stacks {chips.s1}/{chips.s2}, pot carried {chips.carry}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Say that a raise limit or a line makes a smaller game, whose bounds these are, and what comes after it."""
        limit = self.betting.limit
        where = "that" if self.line else "the opening bet"
        counted = "" if limit is None else f"at most {limit} raise{'' if limit == 1 else 's'} after {where}"
        line = f'beside the sizes only "{self.line}" is offered' if self.line else ""
        told = ", ".join(part for part in (line, counted) if part)
        smaller = (f"{told}: value and bounds are those of this smaller game",) if told else ()
        return smaller + self._later_told

    @property
    def _later_told(self) -> tuple[str, ...]:
        """Name what a chance to win the match depends on besides this hand."""
        if self.objective != MATCH:
            return ()
        decks = {FRESH: ", later hands are dealt from full decks", "exact": ", later decks are those really left"}
        worth = "" if self.later is None else f"; {self.later.told}"
        told = f"deck model {self.deck_model}{decks.get(self.deck_model, '')}; tie-bust {self.tie_bust}{worth}"
        return (told, fresh_told()) if self.deck_model == FRESH else (told,)

    # The objective.

    @property
    def unit(self) -> str:
        """Chips, or the chance to win the match."""
        return "win probability" if self.objective == MATCH else "chips"

    @property
    def together(self) -> float:
        """One of both wins the match."""
        return 1.0 if self.objective == MATCH else 0.0

    @property
    def even(self) -> float:
        """No gain, or the share of all chips, which the chance to win is near to."""
        return self.chips.share / self.chips.total if self.objective == MATCH else 0.0

    @property
    def chip(self) -> float:
        """A chip, or its share of all that are needed to win."""
        return 1.0 / self.chips.total if self.objective == MATCH else 1.0

    @property
    def usual_gap(self) -> float:
        """What can be told apart in practice."""
        return 1e-4 if self.objective == MATCH else 1e-3

    @property
    def sides(self) -> tuple[Self, Self] | None:
        """The same hand with later hands worth to P1 what they are at least, and at most."""
        if self.objective != MATCH or self.later is None:
            return None
        least, most = self.later.sides
        return replace(self, later=least), replace(self, later=most)

    @property
    def depends(self) -> str:
        """The digest of what says what later hands are worth."""
        return "" if self.later is None or self.objective != MATCH else self.later.digest

    @property
    def lacks(self) -> bool:
        """Whether it is not known yet what later hands are worth."""
        return self.objective == MATCH and self.later is None

    def smaller(self, history: Sequence[Action] | None = None) -> Iterator[tuple[str, "MatchSpec"]]:
        """Yield raise limits, then fewer sizes with and without them; with a history only games that keep it.

        A kept history has all its sizes, a raise may follow it, and the game has no action that this one
        has not; without a history all-in may be new. A single raise comes last: two are nearly as good as any
        number, while every size that is missing can be made use of.
        """
        done = list(history or ())
        raised = sum(action.kind in (RAISE, ALLIN) for action in done[1:])
        menus = [self.betting, *self._fewer(done, may_add=history is None)]
        whole_limit = self.betting.limit
        limits = [limit for limit in LIMITS if limit > raised and (whole_limit is None or limit < whole_limit)]
        choices = [replace(menu, limit=limit) for menu in menus for limit in (whole_limit, *limits)][1:]
        choices.sort(key=lambda betting: betting.limit == 1)
        for betting in choices:
            candidate = replace(self, betting=betting)
            if history is None or candidate._has(done):
                yield self._options(betting), candidate

    def around(self, history: Sequence[Action]) -> Iterator[tuple[str, "MatchSpec"]]:
        """Yield games with few sizes and raises, but with a line that is this history."""
        line, whole_limit = format_history(history), self.betting.limit
        raised = sum(action.kind in (RAISE, ALLIN) for action in history[1:])
        if self.line or not history:
            return
        for betting in (self.betting, *self._fewer((), may_add=False)):
            for limit in (limit for limit in LIMITS[3:] if whole_limit is None or raised + limit <= whole_limit):
                few = replace(betting, limit=limit)
                yield f'{self._options(few)} --line "{line}"'.lstrip(), replace(self, betting=few, line=line)

    def _fewer(self, history: Sequence[Action], may_add: bool) -> Iterator[Betting]:
        """Yield the betting with ever fewer sizes, but with those of a history."""
        first, later = history[:1], history[1:]
        whole_menus = (self.betting.opens or self.betting.raises, self.betting.raises)
        for most in (3, 2, 1, 0):
            opens, raises = (menu.thinned(most, may_add) for menu in whole_menus)
            raises = raises.with_sizes(later)
            if self.betting.opens is None and (raises == raises.with_sizes(first)):
                opens = raises
            opens = opens.with_sizes(first)
            betting = Betting(raises, None if opens == raises else opens, self.betting.limit)
            if raises != self.betting.raises and (raises.sizes or raises.allin) and (opens.sizes or opens.allin):
                yield betting

    def _has(self, history: Sequence[Action]) -> bool:
        try:
            self.public.follow(history)
        except HistoryError:
            return False
        return True

    def _options(self, betting: Betting) -> str:
        """Write as options how a betting differs from this one."""
        words = []
        if (betting.opens, betting.raises) != (self.betting.opens, self.betting.raises):
            words.append(f"--raises {betting.raises}")
            if betting.opens or self.betting.opens:
                words.append(f"--opens {betting.opens or betting.raises}")
        if betting.limit != self.betting.limit:
            words.append(f"--raise-limit {betting.limit}")
        return " ".join(words)

    @property
    def pot_before(self) -> int:
        """The chips in the pot before anybody has bet, as far as sizes depend on them; else 0."""
        return 2 * ANTE + self.chips.carry if self.betting.of_pot else 0

    @property
    @abstractmethod
    def cards_left(self) -> int:
        """Cards in the deck before this hand is dealt."""

    @abstractmethod
    def deck_dict(self) -> dict[str, Any]:
        """Return the deck state and the game's own options, ready for JSON."""

    # What a game says of its cards.

    @abstractmethod
    def layouts(self) -> list[DealtCards]:
        """Return one layout for each board or pair of fronts that the spec allows."""

    @abstractmethod
    def contest(self, outcome: Any) -> Hashable:
        """Return what the cards must decide at an outcome; the level does not matter to it."""

    @abstractmethod
    def settle(self, outcome: Any, verdict: Verdict) -> Chips:
        """Return the chips after the hand, given what the cards say."""

    @abstractmethod
    def verdict(self, outcome: Any, cards: Any) -> Verdict:
        """Return what the actual cards say at an outcome."""

    # A hand with its actual cards.

    @abstractmethod
    def dealt(self, cards: Sequence[Any], board: object = None) -> tuple[Self, tuple[Any, Any]]:
        """Check the cards against the deck; return the spec of exactly this hand, and the cards."""

    @abstractmethod
    def pack(self) -> list[Any]:
        """Return every card of a fresh deck."""

    def deal_from(self, pack: list[Any], pick: Callable[[int], int]) -> tuple[tuple[Any, Any], tuple[int, ...] | None]:
        """Take the cards of a hand out of a pack.

        Parameters
        ----------
        pack
            Cards that are left, at least those of one hand.
        pick
            Returns a number from 0 to one below what it is given, each as likely.

        Returns
        -------
        cards, board
            P1's and P2's card, and the community cards where the game has them.
        """
        *board, first, second = (pack.pop(pick(len(pack))) for _ in range(self.per_hand))
        return (first, second), tuple(board) or None

    @property
    def table(self) -> tuple[int, ...]:
        """The community cards of this hand; empty where the game has none, or they are open."""
        return ()

    def penalised_as(self, card: Any) -> str:
        """Name what makes folding this card worth a line in the penalty list; "" where nothing does."""
        return ""

    def parse_held(self, value: object, where: str) -> Any:
        """Read a player's card of a hand that was played, as a match log has it."""
        return parse_rank(value, where)

    def overdrawn(self, held: Sequence[Any], board: object) -> Iterator[tuple[Any, str]]:
        """Yield the cards that a hand cannot have been dealt, and why, where a log can say which hand had them."""
        return iter(())

    @staticmethod
    def shows_cards(outcome: Any) -> bool:
        """Whether both players see all of both cards after a hand."""
        return True

    def observed(self, cards: Sequence[Any], player: int) -> str:
        """Return what a player saw in a hand that was played; "" where a log does not know it."""
        return str(cards[1 - player])

    @abstractmethod
    def seen(self, cards: tuple[Any, Any]) -> tuple[str, str]:
        """Return what P1 and P2 observe of their cards, as `Deal.observations` names it."""

    @abstractmethod
    def after(self, outcome: Any, cards: tuple[Any, Any], chips: Chips) -> Self:
        """Return the spec of the next hand: chips as the next first bettor sees them, deck, turn."""

    def fresh(self) -> Self:
        """Return the same spec with a fresh deck and no board."""
        return replace(self, **self.fresh_fields())

    @abstractmethod
    def fresh_fields(self) -> dict[str, Any]:
        """Return the deck fields of a fresh deck."""

    def payoff(self, after: Chips, observations: tuple[tuple[str, ...], tuple[str, ...]]) -> NDArray[np.float64]:
        """Return P1's utility of the chips after the hand, in the unit of the objective.

        Parameters
        ----------
        observations
            Which tell the cards that have been shown, and so the next deck.

        Returns
        -------
        ndarray of float64, shape (n1, n2) or that of a number
            By both observations.

        Raises
        ------
        OptionError
            Where the match goes on and nothing says what it is worth.
        """
        if self.objective != MATCH:
            return np.asarray(chips_gain(self.chips, after))
        if self.later is None:
            raise OptionError(
                "expected a match table beside the objective match, for what later hands are worth; "
                "solver.store.match_tables.with_continuation finds one"
            )
        return np.asarray(self.later.won(self, observations, after))

    def classes(self) -> tuple[HandClass, ...]:
        """Return every deal that the deck allows, one lossless class once."""
        return tuple(
            HandClass(Hand(self.public, layout.prior, self._utility(layout), self.even), deals)
            for layout, deals in self.grouped()
        )

    def grouped(self) -> list[tuple[DealtCards, tuple[Deal, ...]]]:
        """Return every deal that the deck allows, those together that are the same hand, with the first one's layout.

        Two deals are the same hand where priors and verdicts agree entry by entry: with observations
        in order of strength that is exactly where they differ in names only.
        """
        groups: dict[Hashable, tuple[DealtCards, list[Deal]]] = {}
        for layout in self.layouts():
            key = (layout.prior.shape, layout.prior.tobytes(), *(layout.judge(c).tobytes() for c in self.contests))
            deal = Deal(layout.board, layout.weight, layout.observations)
            groups.setdefault(key, (layout, []))[1].append(deal)
        return [(layout, tuple(deals)) for layout, deals in groups.values()]

    @cached_property
    def contests(self) -> tuple[Hashable, ...]:
        """Every contest that the public game can end in."""
        found: dict[Hashable, None] = {}
        states: set[Hashable] = set()
        todo = [self.public.root]
        while todo:
            position = todo.pop()
            if isinstance(position, Outcome):
                found[self.contest(position)] = None
            elif position not in states:
                states.add(position)
                todo.extend(target for _, target in self.public.moves(position))
        return tuple(sorted(found, key=repr))

    def _utility(self, layout: DealtCards) -> Callable[[Any], NDArray[np.float64]]:
        def utility(outcome: Any) -> NDArray[np.float64]:
            verdicts, where = np.unique(layout.judge(self.contest(outcome)), return_inverse=True)
            shape, found = layout.prior.shape, np.zeros(layout.prior.shape)
            for number, verdict in enumerate(verdicts.tolist()):
                payoff = self.payoff(self.settle(outcome, verdict), layout.observations)
                here = where.reshape(shape) == number
                found[here] = np.broadcast_to(payoff, shape)[here]
            return found

        return utility


@dataclass(frozen=True)
class JudgeOnce:
    """Remember the verdict matrix of each contest."""

    judge: Callable[[Hashable], NDArray[np.int64]]
    known: dict[Hashable, NDArray[np.int64]] = field(default_factory=dict)

    def __call__(self, contest: Hashable) -> NDArray[np.int64]:
        """Return the matrix, computed at the first call."""
        if contest not in self.known:
            self.known[contest] = np.ascontiguousarray(self.judge(contest), dtype=np.int64)
        return self.known[contest]


def fold_paid(fold: Fold) -> tuple[int, int]:
    """Return what P1 and P2 have in beyond the ante after a fold."""
    return (fold.paid, fold.level) if fold.player == 0 else (fold.level, fold.paid)


def choice(value: object, what: str, allowed: Sequence[str]) -> str:
    """Check a word against the allowed ones."""
    if not isinstance(value, str) or value not in allowed:
        raise OptionError(f"expected {what} to be {' or '.join(allowed)}, got {str(value)!r}")
    return value


def no_locks(value: object) -> tuple[()]:
    """Check the place kept for strategies that a user fixes; none can be fixed yet."""
    if isinstance(value, (list, tuple)) and not value:
        return ()
    raise OptionError(f"expected no locks (fixed strategies are not supported yet), got {value!r}")
