"""The public part of a hand: what everybody sees, as an automaton whose states have legal actions."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any

from rules.base.errors import HistoryError
from rules.betting.actions import ALLIN, BET, CALL, CHECK, RAISE, Action, format_history, legal_text, read_history

Move = tuple[Action, "Hashable | Outcome"]


MOST_SHOWN = 60
"""Characters of an option that the name of a hand shows."""

CHANCE = -1
"""The "player" at a public chance state (test games only)."""


class Outcome:
    """How a hand ended, without cards: base class of every terminal of a public game."""

    __slots__ = ()


class PublicGame(ABC):
    """A hand's public side as an automaton: states, moves, outcomes."""

    root: Hashable | Outcome
    """Where the hand starts; an `Outcome` where nobody has anything to decide."""

    @abstractmethod
    def player(self, state: Any) -> int:
        """Return who acts at a state: 0, 1, ... or `CHANCE`."""

    @abstractmethod
    def moves(self, state: Any) -> tuple[Move, ...]:
        """Return the legal actions at a state, in a fixed order, each with where it leads."""

    def match(self, state: Any, written: Action) -> Action | None:
        """Return the legal action that a user's writing means at a state, or None.

        An all-in may be written by its size too.
        """
        for action, _ in self.moves(state):
            if action == written or _same_allin(action, written, self.opening(state)):
                return action
        return None

    def opening(self, state: Any) -> bool:
        """Whether nobody has bet yet, so that a size is a bet and not a raise."""
        return not any(action.kind in (CALL, RAISE) for action, _ in self.moves(state))

    def refusal(self, state: Any, written: Action) -> str:
        """Say why an action is not legal at a state, and what is."""
        legal = self.legal(state)
        reason = "is not offered here"
        if written.kind == BET and not self.opening(state):
            reason = "bets where a bet is on the table already (raise, call or fold)"
        elif written.kind == RAISE and self.opening(state):
            reason = "raises where nobody has bet yet"
        elif written.kind == CALL and self.opening(state):
            reason = "calls where nobody has bet yet"
        elif written.kind == CHECK and not self.opening(state):
            reason = "checks where a bet is on the table"
        elif written.kind in (BET, RAISE):
            room = self.room(state)
            if room == 0:
                reason = "raises where all that can be put in is on the table"
            elif room is not None and written.size > room:
                reason = f"is more than the shorter stack can still put in ({room})"
        return f"{reason}; legal: {legal}"

    def legal(self, state: Any) -> str:
        """List what is legal at a state, for a message."""
        return legal_text([action for action, _ in self.moves(state)])

    def room(self, state: Any) -> int | None:
        """Return how many chips a bet or raise can add at most, whatever sizes are offered; None in fixed limit."""
        return None

    def offered_with(self, state: Any, written: Action) -> str:
        """Return the option with which an action would be offered that the rules allow; "" where they do not."""
        return ""

    def follow(self, history: str | Sequence[Action]) -> tuple[tuple[Action, ...], Any]:
        """Play a history from the root.

        Parameters
        ----------
        history
            Text in the notation of `rules.betting.actions`, or actions.

        Returns
        -------
        actions, position
            The actions as the game names them, and the state or `Outcome` reached.

        Raises
        ------
        HistoryError
            Where an action is not legal, or comes after the end, with its place.
        """
        written, wrong = read_history(history) if isinstance(history, str) else (list(history), None)
        text = history.strip() if isinstance(history, str) else format_history(written)
        position = self.root
        actions: list[Action] = []
        for place, action in enumerate(written, start=1):
            where = f"'{action}' in \"{text}\", action {place}"
            if isinstance(position, Outcome):
                if not actions:
                    raise HistoryError(f"nobody can act in this hand: the antes are all-in ({where})")
                raise HistoryError(f"the hand ended with '{actions[-1]}'; nothing can follow ({where})")
            legal = self.match(position, action)
            if legal is None:
                hint = ""
                if option := self.offered_with(position, action):
                    line = format_history([*actions, action])
                    hint = f'; solve and advise offer it with {option}, or with --line "{line}" beside the sizes'
                raise HistoryError(f"'{action}' {self.refusal(position, action)} ({where})", hint)
            position = dict(self.moves(position))[legal]
            actions.append(legal)
        if wrong is not None:
            where = f'action {len(actions) + 1} of "{text}"'
            if isinstance(position, Outcome):
                raise HistoryError(f"{wrong!r} is no action, and the hand is over before it ({where})")
            raise HistoryError(f"expected an action, here {self.legal(position)}, got {wrong!r} ({where})")
        return tuple(actions), position


def _same_allin(legal: Action, written: Action, opening: bool) -> bool:
    if legal.kind != ALLIN or legal.side != written.side:
        return False
    if written.kind == ALLIN:
        return True
    return written.kind == (BET if opening else RAISE) and written.size == legal.size
