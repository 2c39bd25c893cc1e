"""Naive twins for the tests of the rules: a tree counter, a referee that reads the rules' text, small checks."""

import ctypes
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import pytest

from rules.base.errors import ForeheadError
from rules.betting.actions import Action
from rules.betting.public_game import Outcome, PublicGame
from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker

Spec = TypeVar("Spec", IndianPoker, IndianHoldem, DoubleSided)


def make(game: type[Spec], **options: Any) -> Spec:
    """Build a spec and check that it knew every option."""
    spec = game.from_options(options)
    assert not options
    return spec


@contextmanager
def refused(error: type[ForeheadError], *parts: str) -> Iterator[None]:
    """Expect exactly this error, in one line that has all the parts."""
    with pytest.raises(error) as caught:
        yield
    message = str(caught.value)
    assert type(caught.value) is error
    assert "\n" not in message
    for part in parts:
        assert part in message, f"{part!r} is not in {message!r}"


class Count(NamedTuple):
    """Decision nodes and actions of a public tree."""

    nodes: int
    actions: int


def count_tree(public: PublicGame, memoised: bool = True) -> Count:
    """Count the public tree, every path for itself; memoised on states where it is large."""
    known: dict[Any, Count] = {}

    def walk(position: Any) -> Count:
        if isinstance(position, Outcome):
            return Count(0, 0)
        if memoised and position in known:
            return known[position]
        moves = public.moves(position)
        below = [walk(target) for _, target in moves]
        known[position] = Count(1 + sum(count.nodes for count in below), len(moves) + sum(c.actions for c in below))
        return known[position]

    return walk(public.root)


def ways_to_end(public: PublicGame) -> dict[Outcome, tuple[Action, ...]]:
    """Return a shortest history to every outcome."""
    found: dict[Outcome, tuple[Action, ...]] = {}
    states = {public.root}
    todo: deque[tuple[Any, tuple[Action, ...]]] = deque([(public.root, ())])
    while todo:
        position, history = todo.popleft()
        if isinstance(position, Outcome):
            found.setdefault(position, history)
            continue
        for action, target in public.moves(position):
            if isinstance(target, Outcome) or target not in states:
                states.add(target)
                todo.append((target, (*history, action)))
    return found


STRAIGHTS = [{n, n + 1, n + 2} for n in range(1, 9)] + [{9, 10, 1}, {10, 1, 2}]


def holdem_kind(own: int, board: tuple[int, ...]) -> str:
    """Name the hand as the table of text 001 does."""
    if own == board[0] == board[1]:
        return "triple"
    if {own, *board} in STRAIGHTS:
        return "straight"
    if board[0] != board[1] and own in board:
        return "pair"
    return "high card"


HOLDEM_ORDER = ["high card", "pair", "straight", "triple"]
FOLD_PENALTY = {
    "final": {"triple": 10, "straight": 10, "pair": 5, "high card": 0},
    "death-match": {"triple": 10, "straight": 10, "pair": 0, "high card": 0},
    "none": {"triple": 0, "straight": 0, "pair": 0, "high card": 0},
}


class Ledger(NamedTuple):
    """Chips after a hand as its P1 and P2 have them."""

    s1: int
    s2: int
    carry: int


class Bets(NamedTuple):
    """What has been put in beyond the ante, the level faced, the sides named, both sides bet, who folded."""

    paid: tuple[int, int]
    level: int
    sides: tuple[str, str]
    both: bool
    folder: int | None


def bets(history: str, cap: int) -> Bets:
    """Follow legal actions chip by chip; shares nothing with the code under test but the notation."""
    paid, sides = [0, 0], ["", ""]
    level, who, both = 0, 0, False
    folder = None
    for token in history.split():
        side, _, act = token.rpartition(":")
        if act in ("front", "back"):
            side, act = act, ""
        sides[who] = side or sides[who]
        if act == "f":
            folder = who
            break
        if act == "both":
            level, both = 2 * level, True
        elif act == "allin":
            level = cap
        elif act[:1] in ("b", "r"):
            level += int(act[1:])
        assert paid[who] <= level <= cap
        paid[who] = level
        who = 1 - who
    return Bets((paid[0], paid[1]), level, (sides[0], sides[1]), both, folder)


def referee(
    game: str,
    stacks: tuple[int, int],
    carry: int,
    cards: tuple[Any, Any],
    history: str,
    board: tuple[int, ...] = (),
    penalties: str = "",
    tie_bust: str = "split",
) -> Ledger:
    """Settle a legal hand chip by chip, as somebody with the rules page in hand would.

    Shares nothing with the code under test but the notation.
    """
    before = [stacks[0] - 1, stacks[1] - 1]
    paid, _, sides, both, folder = bets(history, min(before))
    left = [chips - put for chips, put in zip(before, paid, strict=True)]
    pot = carry + 2 + sum(paid)

    def take(winner: int, extra: int) -> Ledger:
        extra = min(extra, left[1 - winner])
        left[1 - winner] -= extra
        left[winner] += pot + extra
        return Ledger(left[0], left[1], 0)

    if folder is not None:
        if game == "double-sided":
            return take(1 - folder, 10 if both else 0)
        if game == "indian-poker":
            return take(1 - folder, 10 if cards[folder] == 10 and penalties == "ten" else 0)
        return take(1 - folder, FOLD_PENALTY[penalties][holdem_kind(cards[folder], board)])
    if both:
        mine = cards[0][0 if sides[0] == "front" else 1]
        return take(1, 10) if cards[1][0] > mine and cards[1][1] > mine else take(0, 0)
    if game == "double-sided":
        strengths = [card[0 if side == "front" else 1] for card, side in zip(cards, sides, strict=True)]
    elif game == "indian-poker":
        strengths = list(cards)
    else:
        strengths = [100 * HOLDEM_ORDER.index(holdem_kind(card, board)) + card for card in cards]
    if strengths[0] != strengths[1]:
        return take(0 if strengths[0] > strengths[1] else 1, 0)
    if 0 in left and tie_bust == "split":
        return Ledger(left[0] + pot // 2, left[1] + pot // 2, 0)
    return Ledger(left[0], left[1], pot)


DROP_BOUNDING, MAY_OVERRIDE = 24, 1
"""Linux: `PR_CAPBSET_DROP` and `CAP_DAC_OVERRIDE`, which lets root write where permissions forbid it."""


def obey_permissions() -> None:
    """Make what is executed next heed permissions, as root too."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(DROP_BOUNDING, MAY_OVERRIDE, 0, 0, 0)
