"""A history that is offered beside the menu of sizes: what really happened, in a smaller game."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rules.betting.actions import Action, parse_history
from rules.betting.bet_sizes import Menu
from rules.betting.no_limit import Betting
from rules.betting.public_game import Move, Outcome, PublicGame


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
