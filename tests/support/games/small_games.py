"""Kuhn poker and Leduc hold'em through the contract of `rules.games.spec`, and small hands of the four games at random.

Both are test games with known values; Leduc's public card is a chance node, which none of the four games has.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rules.betting.actions import BET, CALL, CHECK, DEAL, FOLD, RAISE, Action
from rules.betting.public_game import CHANCE, Move, Outcome, PublicGame
from rules.games.registry import hand
from rules.games.spec import Deal, Hand, HandClass, HandSpec
from solver.trees.public_tree import measure

KUHN_VALUE = -1 / 18
LEDUC_VALUE = -0.085606424
"""Kuhn 1950; for Leduc the value that independent solvers agree on (OpenSpiel's tests have -0.085606424078)."""

BRISK = settings(deadline=None, max_examples=30, database=None)
FEW = settings(BRISK, max_examples=15)


@dataclass(frozen=True, slots=True)
class Folded(Outcome):
    player: int
    paid: int
    card: int = 0


@dataclass(frozen=True, slots=True)
class Shown(Outcome):
    paid: int
    card: int = 0


class KuhnBetting(PublicGame):
    """A state is what was done so far: k check, b bet."""

    root = ""

    def player(self, state: str) -> int:
        return len(state) % 2

    def moves(self, state: str) -> tuple[Move, ...]:
        if state in ("", "k"):
            return (Action(CHECK), "k" if state == "" else Shown(0)), (Action(BET, 1), state + "b")
        return (Action(FOLD), Folded(self.player(state), 0)), (Action(CALL), Shown(1))


class LeducState(NamedTuple):
    """Letters of both rounds and the public card, 0 before it is dealt."""

    first: str = ""
    card: int = 0
    second: str = ""


def _over(letters: str) -> bool:
    return letters == "kk" or letters.endswith("c")


def _raises(letters: str) -> int:
    return letters.count("b") + letters.count("r")


class LeducBetting(PublicGame):
    """Bets of 2, then of 4; a bet and one raise in each round; P1 begins both."""

    root = LeducState()

    def player(self, state: LeducState) -> int:
        if _over(state.first) and not state.card:
            return CHANCE
        return len(state.second if state.card else state.first) % 2

    def moves(self, state: LeducState) -> tuple[Move, ...]:
        if self.player(state) == CHANCE:
            return tuple((Action(DEAL, card), state._replace(card=card)) for card in (1, 2, 3))
        letters, size = (state.second, 4) if state.card else (state.first, 2)
        facing = letters.endswith(("b", "r"))
        moves: list[Move] = []
        if facing:
            paid = 2 * _raises(state.first) if state.card else 0
            moves.append((Action(FOLD), Folded(self.player(state), paid + size * (_raises(letters) - 1), state.card)))
        moves.append((Action(CALL if facing else CHECK), self._next(state, letters + ("c" if facing else "k"))))
        if _raises(letters) < 2:
            kind, letter = (RAISE, "r") if facing else (BET, "b")
            moves.append((Action(kind, size), self._next(state, letters + letter)))
        return tuple(moves)

    @staticmethod
    def _next(state: LeducState, letters: str) -> "LeducState | Shown":
        if not state.card:
            return state._replace(first=letters)
        if _over(letters):
            return Shown(2 * _raises(state.first) + 4 * _raises(letters), state.card)
        return state._replace(second=letters)


class _OneDeal(HandSpec):
    names: tuple[str, ...] = ("J", "Q", "K")
    prior: NDArray[np.float64]
    headline = "a fresh deck"

    def classes(self) -> tuple[HandClass, ...]:
        deal = Deal("", 1.0, (self.names, self.names))
        return (HandClass(Hand(self.public, self.prior, self.utility), (deal,)),)

    def to_dict(self) -> dict[str, Any]:
        return {"game": self.game}

    def observation(self, text: object) -> str:
        return str(text)

    def utility(self, outcome: Any) -> NDArray[np.float64]:
        """Tabulate what P1 wins, a card at a time."""
        return np.array([[self.win(outcome, mine, theirs) for theirs in (1, 2, 3)] for mine in (1, 2, 3)])

    def win(self, outcome: Any, mine: int, theirs: int) -> float:
        raise NotImplementedError


class Kuhn(_OneDeal):
    """Three cards, an ante of 1, one bet of 1."""

    game = "kuhn"
    public = KuhnBetting()
    prior = (1 - np.eye(3)) / 6

    def win(self, outcome: Any, mine: int, theirs: int) -> float:
        if isinstance(outcome, Folded):
            return -1.0 if outcome.player == 0 else 1.0
        return float(np.sign(mine - theirs)) * (1 + outcome.paid)


class Leduc(_OneDeal):
    """Six cards (two of each of three ranks), an ante of 1, two rounds with a public card between them."""

    game = "leduc"
    public = LeducBetting()
    prior = (4 - 2 * np.eye(3)) / 30

    def win(self, outcome: Any, mine: int, theirs: int) -> float:
        if isinstance(outcome, Folded):
            won = (1 + outcome.paid) * (-1.0 if outcome.player == 0 else 1.0)
        else:
            strength = [(card == outcome.card, card) for card in (mine, theirs)]
            won = (1 + outcome.paid) * float((strength[0] > strength[1]) - (strength[0] < strength[1]))
        # The chance of the public card, given both private ones.
        return won * (2 - (mine == outcome.card) - (theirs == outcome.card)) / 4 if outcome.card else won


# Small hands of the four games.

EVERY_SPEC: tuple[HandSpec, ...] = (
    Kuhn(),
    Leduc(),
    hand("indian-poker", left="2,0,0,1,0,0,2,0,0,1", stacks="5,4", raises="1,2,allin", carry=2),
    hand("indian-holdem", left="0,2,0,1,2,2,0,0,1,0", board="2,6", stacks="5,5", raises="2,allin"),
    hand("double-sided", fronts="4,7", stacks="5,5", raises="2,allin", shown="4/1,4/2,4/3,4/5,4/6,7/1,7/2,7/3"),
    hand("blind-mans-bluff", max_raises=2),
)
"""The test games, and a hand of each game that naive recursion can afford."""

LOPSIDED = hand("double-sided", fronts="4,7", stacks="4,4", shown="4/1,4/2,4/3,4/5,4/6,4/8,7/1,7/2")
TURNED = hand("double-sided", fronts="7,4", stacks="4,4", shown="4/1,4/2,4/3,4/5,4/6,4/8,7/1,7/2")
"""One player has 3 observations, the other 7."""


@st.composite
def menus(draw: st.DrawFn) -> list[int | str] | str:
    """Draw the sizes of bets and raises."""
    sizes = sorted(draw(st.sets(st.integers(1, 6), max_size=2)))
    if not sizes:
        return draw(st.sampled_from(["any", "allin"]))
    return [*sizes, *(["allin"] if draw(st.booleans()) else [])]


@st.composite
def chips_and_betting(draw: st.DrawFn, most: int = 8) -> dict[str, Any]:
    """Draw what the three match games have in common."""
    # `sampled_from` draws evenly, `integers` favours small numbers: half of the hands would be over at once.
    shorter = draw(st.sampled_from([1, *range(2, most + 1), *range(most // 2, most + 1)]))
    stacks = [shorter, shorter + draw(st.sampled_from([0, 0, 1, 3]))]
    return {
        "stacks": draw(st.permutations(stacks)),
        "carry": 2 * draw(st.integers(0, 3)),
        "raises": draw(menus()),
        "opens": draw(st.none() | menus()),
        "raise_limit": draw(st.sampled_from([None, None, 0, 1, 2])),
        "tie_bust": draw(st.sampled_from(["split", "loses"])),
    }


@st.composite
def rank_counts(draw: st.DrawFn, copies: int, per_hand: int, most_hands: int = 3) -> list[int]:
    """Draw how many cards of each rank are left: whole hands, one at least."""
    deck = [rank for rank in range(10) for _ in range(copies)]
    number = per_hand * draw(st.sampled_from(range(1, most_hands + 1)))
    left = draw(st.permutations(deck))[:number]
    return [left.count(rank) for rank in range(10)]


@st.composite
def fronts_and_deck(draw: st.DrawFn) -> dict[str, Any]:
    """Draw fronts, and cards shown before such that few backs are left, of different numbers for the players."""
    fronts = draw(st.tuples(st.integers(1, 10), st.integers(1, 10)))
    shown = []
    for front in dict.fromkeys(fronts):
        backs = draw(st.permutations([back for back in range(1, 11) if back != front]))
        shown += [(front, back) for back in backs[: draw(st.sampled_from(range(10 - fronts.count(front))))]]
    return {"fronts": list(fronts), "shown": shown[: len(shown) // 2 * 2]}


@st.composite
def small_options(draw: st.DrawFn, game: str, most: int = 8) -> dict[str, Any]:
    """Draw all options of a small hand of one game, with its board or fronts."""
    if game == "blind-mans-bluff":
        names = ("max_raises", "bet_size", "raise_size")
        return {name: draw(st.integers(int(name != "max_raises"), 3)) for name in names}
    options: dict[str, Any] = draw(chips_and_betting(most))
    if game == "double-sided":
        return options | draw(fronts_and_deck())
    if game == "indian-poker":
        return options | {"left": draw(rank_counts(2, 2)), "penalties": draw(st.sampled_from(["ten", "none"]))}
    left = draw(rank_counts(4, 4))
    cards = [rank for rank in range(1, 11) for _ in range(left[rank - 1])]
    penalties = draw(st.sampled_from(["final", "death-match", "none"]))
    return options | {"left": left, "board": draw(st.permutations(cards))[:2], "penalties": penalties}


ALL_GAMES = ("indian-poker", "indian-holdem", "double-sided", "blind-mans-bluff")


@st.composite
def small_specs(draw: st.DrawFn, games: tuple[str, ...] = ALL_GAMES, most: int = 8, most_work: int = 30_000) -> Any:
    """Draw a hand that naive recursion can afford: at most so many actions times pairs of observations."""
    game = draw(st.sampled_from(games))
    spec = hand(game, **draw(small_options(game, most)))
    (group,) = spec.classes()
    assume(measure(spec.public).actions * group.hand.prior.size <= most_work)
    return spec


def states_of(public: PublicGame) -> set[Hashable]:
    """Return every state that the root leads to."""
    found: set[Hashable] = set()
    todo: list[Any] = [public.root]
    while todo:
        position = todo.pop()
        if not isinstance(position, Outcome) and position not in found:
            found.add(position)
            todo.extend(target for _, target in public.moves(position))
    return found
