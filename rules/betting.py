"""The betting of the three match games: sizes, legal actions, and the public game of the Indian games.

Levels and stakes are chips beyond the ante. `cap` is the most that either player can put in beyond it.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rules.errors import OptionError
from rules.hand import Move, Outcome, PublicGame
from rules.notation import ALLIN, BET, CALL, FOLD, RAISE, Action, parse_history
from rules.numbers import items, ordinal, shown_list, whole

USUAL = (1, 3, 5)
"""Sizes that are offered where nothing else is asked for."""


@dataclass(frozen=True)
class Menu:
    """The sizes that a bet or raise may add to the level it faces.

    Parameters
    ----------
    sizes
        Listed sizes in chips, ascending, each at least 1.
    allin
        Whether going to the cap is always offered.
    any
        Whether every whole number is offered (`sizes` is then empty).
    """

    sizes: tuple[int, ...] = USUAL
    allin: bool = True
    any: bool = False

    @classmethod
    def parse(cls, value: object, what: str = "raises") -> "Menu":
        """Read ``1,3,5,allin``, ``any``, or a list of the same.

        Raises
        ------
        OptionError
            Where the list is empty, repeats a size, or has something else than sizes and ``allin``.
        """
        if isinstance(value, Menu):
            return value
        if isinstance(value, str) and value.strip().lower() == "any":
            return cls((), allin=True, any=True)
        sizes: list[int] = []
        allin = False
        parts = items(value, what)
        if not parts:
            raise OptionError(f"expected {what} to list at least one size, such as 1,3,5,allin, got nothing")
        for place, part in enumerate(parts):
            where = f"({ordinal(place)} of {what} {shown_list(value)})"
            if isinstance(part, str) and part.strip().lower() in ("allin", "all-in"):
                if allin:
                    raise OptionError(f"expected different sizes, got 'allin' twice {where}")
                allin = True
                continue
            try:
                size = whole(part, "a size")
            except OptionError:
                size = 0
            if size < 1:
                raise OptionError(f"expected a whole number of at least 1 or 'allin', got {part!r} {where}")
            if size in sizes:
                raise OptionError(f"expected different sizes, got {size} twice {where}")
            sizes.append(size)
        return cls(tuple(sorted(sizes)), allin)

    def to_json(self) -> str | list[int | str]:
        """Return ``"any"``, or the sizes and ``"allin"`` in order."""
        return "any" if self.any else [*self.sizes, *(["allin"] if self.allin else [])]

    def __str__(self) -> str:
        return "any" if self.any else ",".join(str(part) for part in [*self.sizes, *(["allin"] if self.allin else [])])

    def thinned(self, most: int, allin: bool) -> "Menu":
        """Return at most so many of the sizes, the smallest and the largest first; all-in stays.

        Parameters
        ----------
        most
            0 to 3.
        allin
            Whether all-in is offered even where this menu does not offer it.
        """
        sizes = USUAL if self.any else self.sizes
        if len(sizes) > most:
            sizes = ((), sizes[:1], (sizes[0], sizes[-1]), (sizes[0], sizes[len(sizes) // 2], sizes[-1]))[most]
        return Menu(sizes, allin or self.allin)

    def with_sizes(self, actions: Sequence[Action]) -> "Menu":
        """Return the menu with the sizes of some actions; an all-in is a size where all-in is not offered as such."""
        kinds = (BET, RAISE) if self.allin else (BET, RAISE, ALLIN)
        sizes = {action.size for action in actions if action.kind in kinds}
        return self if self.any else Menu(tuple(sorted({*self.sizes, *sizes})), self.allin)

    def additions(self, room: int, must_fit: bool = False) -> tuple[int, ...]:
        """Return what may be added to a level that is `room` chips below the cap, ascending.

        Parameters
        ----------
        room
            Chips from the level faced to the cap, 0 or more.
        must_fit
            Offer the cap where nothing listed fits (the opening bet, so that P1 can always bet).
        """
        if self.any:
            return tuple(range(1, room + 1))
        fitting = [size for size in self.sizes if size <= room]
        if room > 0 and room not in fitting and (self.allin or (must_fit and not fitting)):
            fitting.append(room)
        return tuple(fitting)


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

    def sized(self, level: int, cap: int, raised: int | None) -> tuple[Action, ...]:
        """Return the opening bets (`raised` None) or the raises over `level`, smallest first.

        `raised` counts the raises so far (always 0 without a limit, which keeps states few).
        """
        opening = raised is None
        if raised is not None and self.limit is not None and raised >= self.limit:
            return ()
        menu = self.opens if opening and self.opens is not None else self.raises
        kind = BET if opening else RAISE
        return tuple(
            Action(ALLIN if level + size == cap else kind, size)
            for size in menu.additions(cap - level, must_fit=opening)
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
    """The public game of indian-poker and indian-holdem: bet or fold, then call, raise or fold."""

    cap: int
    betting: Betting

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
            for action in self.betting.sized(level, self.cap, raised)
        )
        return tuple(moves)

    def room(self, state: State) -> int:
        """Return the chips from the level faced to the cap."""
        return self.cap - state.level

    def offered_with(self, state: State, written: Action) -> str:
        """Return the option that would offer an action."""
        return self.betting.offered_with(written, self.room(state), state.raised)


class OnLine(NamedTuple):
    """A public state on a line: how many of its actions have been done, and the state of the game."""

    place: int
    state: Any


@dataclass(frozen=True)
class WithLine(PublicGame):
    """A public game in which a line of actions is offered beside what it offers.

    Raises are counted from where the line is left, so that a raise limit bounds what comes after it.

    Parameters
    ----------
    game
        What is offered off the line and after it.
    wide
        The same game with at least the sizes of the line, without a raise limit.
    line
        Actions from the root, as `wide` names them.
    """

    game: PublicGame
    wide: PublicGame
    line: tuple[Action, ...]

    @cached_property
    def root(self) -> Hashable | Outcome:  # type: ignore[override]
        """The root of the game, on the line."""
        return OnLine(0, self.game.root) if self.line else self.game.root

    def player(self, state: Any) -> int:
        """Return 0 for P1, 1 for P2."""
        return self.game.player(_off(state))

    def moves(self, state: Any) -> tuple[Move, ...]:
        """Return what the game offers, and on the line its next action."""
        moves = list(self.game.moves(_off(state)))
        if not isinstance(state, OnLine):
            return tuple(moves)
        action = self.line[state.place]
        target = dict(self.wide.moves(state.state))[action]
        if not isinstance(target, Outcome) and state.place + 1 < len(self.line):
            target = OnLine(state.place + 1, target)
        names = [one for one, _ in moves]
        if action in names:
            moves[names.index(action)] = (action, target)
            return tuple(moves)
        # Sizes stand from small to large, side by side.
        before = [place for place, one in enumerate(names) if one.side == action.side and one.size < action.size]
        moves.insert(before[-1] + 1 if before else len(moves), (action, target))
        return tuple(moves)

    def match(self, state: Any, written: Action) -> Action | None:
        """Understand what the game itself does."""
        named = self.wide.match(_off(state), written) or self.game.match(_off(state), written)
        return super().match(state, named or written)

    def room(self, state: Any) -> int | None:
        """Return what the game says."""
        return self.game.room(_off(state))

    def offered_with(self, state: Any, written: Action) -> str:
        """Return what the game says."""
        return self.game.offered_with(_off(state), written)


def _off(state: Any) -> Any:
    return state.state if isinstance(state, OnLine) else state


def with_line(make: Callable[[Betting], PublicGame], betting: Betting, line: str) -> PublicGame:
    """Return a public game with a line in it; without one, the game itself.

    Raises
    ------
    HistoryError
        Where the line is not legal with any size.
    """
    if not line:
        return make(betting)
    wide = make(Betting(Menu((), allin=True).with_sizes(parse_history(line))))
    return WithLine(make(betting), wide, wide.follow(line)[0])
