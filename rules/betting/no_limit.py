"""The betting of the three match games: sizes, legal actions, and the public game of the Indian games.

Levels and stakes are chips beyond the ante. `cap` is the most that either player can put in beyond it.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rules.betting.actions import ALLIN, BET, CALL, FOLD, RAISE, Action
from rules.betting.bet_sizes import Menu
from rules.betting.public_game import Move, Outcome, PublicGame


@dataclass(frozen=True)
class Betting:
    """The options of the betting.

    Parameters
    ----------
    raises
        Sizes of raises, and of the opening bet where `opens` is None.
    opens
        Sizes of the opening bet, or None for those of `raises`.
    limit
        At most so many raises after the opening bet (a smaller game), or None for no limit.
    """

    raises: Menu = Menu()
    opens: Menu | None = None
    limit: int | None = None

    @property
    def of_pot(self) -> bool:
        """Whether a size is a part of the pot, so that the tree depends on what is carried over."""
        return bool(self.raises.parts or (self.opens is not None and self.opens.parts))

    def sized(self, level: int, cap: int, raised: int | None, before: int = 0) -> tuple[Action, ...]:
        """Return the opening bets (`raised` None) or the raises over `level`, smallest first.

        `raised` counts the raises so far (always 0 without a limit, which keeps states few); `before` are the chips in
        the pot before anybody has bet, the antes and what was carried over.
        """
        opening = raised is None
        if raised is not None and self.limit is not None and raised >= self.limit:
            return ()
        menu = self.opens if opening and self.opens is not None else self.raises
        kind = BET if opening else RAISE
        return tuple(
            Action(ALLIN if level + size == cap else kind, size)
            for size in menu.additions(cap - level, opening, before + 2 * level)
        )

    def offered_with(self, written: Action, room: int, raised: int | None) -> str:
        """Return the option that would offer a bet or raise which the rules allow, "" where they do not.

        Parameters
        ----------
        written
            An action that is not offered.
        room
            Chips from the level faced to the cap.
        raised
            As `sized` takes it.
        """
        opening = raised is None
        kinds = (BET, ALLIN) if opening else (RAISE, ALLIN)
        if written.kind not in kinds or not room or written.size > room:
            return ""
        if raised is not None and self.limit is not None and raised >= self.limit:
            return f"a higher --raise-limit than {self.limit}"
        return "--opens any" if opening and self.opens is not None else "--raises any"

    def count(self, raised: int | None) -> int:
        """Return the raise counter after one more bet or raise; the opening bet counts none."""
        return 0 if raised is None or self.limit is None else raised + 1


@dataclass(frozen=True, slots=True)
class Fold(Outcome):
    """`player` folded with `paid` in beyond the ante against a level of `level`; the other takes all."""

    player: int
    paid: int
    level: int


@dataclass(frozen=True, slots=True)
class Showdown(Outcome):
    """Both have put in `level` beyond the ante; `sides` are the sides named in double-sided."""

    level: int
    sides: tuple[str, str] | None = None


class State(NamedTuple):
    """A public state: `player` to act has put in `paid`, the level faced is `level`.

    `raised` is None before the opening bet, then counts raises where they are limited.
    """

    player: int
    paid: int
    level: int
    raised: int | None


@dataclass(frozen=True)
class IndianBetting(PublicGame):
    """The public game of indian-poker and indian-holdem: bet or fold, then call, raise or fold.

    `before` are the chips in the pot before anybody has bet; 0 where no size depends on them.
    """

    cap: int
    betting: Betting
    before: int = 0

    @cached_property
    def root(self) -> Hashable | Outcome:  # type: ignore[override]
        """P1's opening, or the showdown where the antes are all-in."""
        return State(0, 0, 0, None) if self.cap > 0 else Showdown(0)

    def player(self, state: State) -> int:
        """Return 0 for P1, 1 for P2."""
        return state.player

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return fold, call, then bets or raises from small to large."""
        player, paid, level, raised = state
        moves: list[Move] = [(Action(FOLD), Fold(player, paid, level))]
        if raised is not None:
            moves.append((Action(CALL), Showdown(level)))
        moves.extend(
            (action, State(1 - player, level, level + action.size, self.betting.count(raised)))
            for action in self.betting.sized(level, self.cap, raised, self.before)
        )
        return tuple(moves)

    def room(self, state: State) -> int:
        """Return the chips from the level faced to the cap."""
        return self.cap - state.level

    def offered_with(self, state: State, written: Action) -> str:
        """Return the option that would offer an action."""
        return self.betting.offered_with(written, self.room(state), state.raised)
