"""Betting with two-sided cards: a player names the side that counts, or folds; P2 may bet both."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from rules.betting.actions import BACK, BOTH, CALL, FOLD, FRONT, NAME, Action
from rules.betting.no_limit import Betting, Fold, Showdown
from rules.betting.public_game import Move, Outcome, PublicGame

SIDES = (FRONT, BACK)


@dataclass(frozen=True, slots=True)
class BothFolded(Outcome):
    """P1 folded against a both-sides bet over a bet of `level`."""

    level: int


@dataclass(frozen=True, slots=True)
class BothCalled(Outcome):
    """P1, playing `side`, called a both-sides bet; both have put in `level` beyond the ante."""

    level: int
    side: str


class State(NamedTuple):
    """A public state; see `rules.betting.no_limit.State`. `sides` are the named ones, "" before."""

    player: int
    paid: int
    level: int
    raised: int | None
    sides: tuple[str, str] = ("", "")
    both: bool = False


@dataclass(frozen=True)
class DoubleSidedBetting(PublicGame):
    """The public game: sides are named with a player's first bet, call or raise.

    `before` are the chips in the pot before anybody has bet; 0 where no size depends on them.
    """

    cap: int
    betting: Betting
    before: int = 0

    @cached_property
    def root(self) -> State:  # type: ignore[override]
        """P1's opening; where the antes are all-in, P1's naming of a side."""
        return State(0, 0, 0, None)

    def player(self, state: State) -> int:
        """Return 0 for P1, 1 for P2."""
        return state.player

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return fold, then call and raises (side by side where none is named), then both sides."""
        player, paid, level, raised, sides, both = state
        if self.cap == 0:
            return self._naming(state)
        if both:
            return ((Action(FOLD), BothFolded(paid)), (Action(CALL), BothCalled(level, sides[0])))
        moves: list[Move] = [(Action(FOLD), Fold(player, paid, level))]
        for side in (sides[player],) if sides[player] else SIDES:
            chosen = (side, sides[1]) if player == 0 else (sides[0], side)
            named = "" if sides[player] else side
            if raised is not None:
                moves.append((Action(CALL, side=named), Showdown(level, chosen)))
            for bet in self.betting.sized(level, self.cap, raised, self.before):
                to = State(1 - player, level, level + bet.size, self.betting.count(raised), chosen)
                moves.append((replace(bet, side=named), to))
        if player == 1 and not sides[1] and 2 * level <= self.cap:
            moves.append((Action(BOTH), State(0, level, 2 * level, raised, sides, both=True)))
        return tuple(moves)

    @staticmethod
    def _naming(state: State) -> tuple[Move, ...]:
        """Nobody can bet: P1 names a side, then P2, and it is a showdown (decided on the rules page)."""
        if state.player == 0:
            return tuple((Action(NAME, side=side), state._replace(player=1, sides=(side, ""))) for side in SIDES)
        return tuple((Action(NAME, side=side), Showdown(0, (state.sides[0], side))) for side in SIDES)

    def match(self, state: State, written: Action) -> Action | None:
        """Understand a side that is named again, where it is the same one."""
        if written.side and written.side == state.sides[state.player]:
            written = replace(written, side="")
        return super().match(state, written)

    def refusal(self, state: State, written: Action) -> str:
        """Explain sides and both-sides bets; the rest as everywhere."""
        named = state.sides[state.player]
        legal = self.legal(state)
        if self.cap == 0:
            return f"cannot be done: the antes are all-in, and only a side is to be named; legal: {legal}"
        if written.kind == BOTH:
            if state.player == 0 or named or state.both or state.raised is None:
                return f"is P2's first move only, against a bet; legal: {legal}"
            return (
                f"needs chips for twice the bet: 2 x {state.level} is more than the shorter "
                f"stack can put in ({self.cap}); legal: {legal}"
            )
        if named and written.side:
            return f"changes a named side, which never changes ({named} was named); legal: {legal}"
        if not named and not written.side and written.kind != FOLD and not state.both:
            return f"names no side (front: or back: before it); legal: {legal}"
        return super().refusal(state, written)

    def room(self, state: State) -> int | None:
        """Return the chips from the level faced to the cap; None where both sides are bet, which nobody raises."""
        return None if state.both else self.cap - state.level

    def offered_with(self, state: State, written: Action) -> str:
        """Return the option that would offer an action, where the side is as it must be."""
        named = state.sides[state.player]
        if state.both or (written.side not in ("", named) if named else not written.side):
            return ""
        return self.betting.offered_with(written, self.cap - state.level, state.raised)
