"""Fixed-limit betting for 2 to 10 players: check, bet, call, raise and fold, until all have matched or one is left."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rules.betting.actions import BET, CALL, CHECK, FOLD, RAISE, Action
from rules.betting.chips import ANTE
from rules.betting.public_game import Move, Outcome, PublicGame


class State(NamedTuple):
    """A public state of the betting.

    Parameters
    ----------
    pending
        The seats that have yet to act or to answer the last bet or raise, in order.
    left
        The seats that have not folded, ascending.
    paid
        Each seat's chips beyond the ante, folded seats included.
    bets
        Bets and raises so far: 0 before the bet.
    """

    pending: tuple[int, ...]
    left: tuple[int, ...]
    paid: tuple[int, ...]
    bets: int


@dataclass(frozen=True, slots=True)
class LastLeft(Outcome):
    """All but `winner` have folded; `paid` are each seat's counters beyond the ante."""

    winner: int
    paid: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Showdown(Outcome):
    """The seats in `left`, ascending, compare cards; `paid` are each seat's counters beyond the ante."""

    left: tuple[int, ...]
    paid: tuple[int, ...]


@dataclass(frozen=True)
class FixedLimit(PublicGame):
    """The public game: check, fold or bet; facing a bet fold, call or raise, in fixed sizes.

    Parameters
    ----------
    players
        2 or more.
    max_raises
        Raises allowed after the bet, for the whole table.
    bet_size, raise_size
        Counters that the bet asks for beyond the ante, and that each raise adds.
    """

    players: int
    max_raises: int
    bet_size: int = 1
    raise_size: int = 1

    @cached_property
    def root(self) -> State:  # type: ignore[override]
        """Everybody has paid the ante and has yet to act, from seat 1."""
        seats = tuple(range(self.players))
        return State(seats, seats, (0,) * self.players, 0)

    @property
    def most(self) -> int:
        """The most that a hand can cost a player, the ante included."""
        return ANTE + self.level(1 + self.max_raises)

    @property
    def longest(self) -> int:
        """The most actions that a hand can have: all check but the last, and every raise is the last answer."""
        return self.players + (self.players - 1) * (1 + self.max_raises)

    def level(self, bets: int) -> int:
        """Return what a player must have put in beyond the ante after so many bets and raises."""
        return self.bet_size + (bets - 1) * self.raise_size if bets else 0

    def player(self, state: State) -> int:
        """Return the seat to act, counted from 0."""
        return state.pending[0]

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return fold, then check or call, then bet or raise while raises are left."""
        (seat, *pending), left, paid, bets = state

        def paying(level: int) -> tuple[int, ...]:
            return (*paid[:seat], level, *paid[seat + 1 :])

        others = tuple(player for player in left if player != seat)
        moves = [(Action(FOLD), self._after(tuple(pending), others, paid, bets))]
        going_on = self._after(tuple(pending), left, paying(self.level(bets)), bets)
        moves.append((Action(CALL if bets else CHECK), going_on))
        if bets <= self.max_raises:
            # Everybody else must answer, clockwise, those too who have checked or called before.
            answers = tuple(sorted(others, key=lambda player: (player - seat) % self.players))
            action = Action(RAISE if bets else BET)
            moves.append((action, State(answers, left, paying(self.level(bets + 1)), bets + 1)))
        return tuple(moves)

    @staticmethod
    def _after(pending: tuple[int, ...], left: tuple[int, ...], paid: tuple[int, ...], bets: int) -> State | Outcome:
        """Go on to the next seat, or end where one player is left or nobody has to act."""
        if len(left) == 1:
            return LastLeft(left[0], paid)
        return State(pending, left, paid, bets) if pending else Showdown(left, paid)

    def match(self, state: State, written: Action) -> Action | None:
        """Understand the fixed sizes too, where they are written out (``b1``, ``raise 1``)."""
        fixed = {Action(kind, size): Action(kind) for kind, size in self._sizes.items()}
        return super().match(state, fixed.get(written, written))

    def refusal(self, state: State, written: Action) -> str:
        """Explain fixed sizes and the raise limit; the rest as everywhere."""
        legal, shown = [action for action, _ in self.moves(state)], self.legal(state)
        if written.kind == RAISE and state.bets > self.max_raises:
            return f"is one raise too many, the limit for the whole table is {self.max_raises}; legal: {shown}"
        if written.size and written.kind in (action.kind for action in legal):
            return f"is not the fixed size, a {written.kind} is always {self._sizes[written.kind]}; legal: {shown}"
        return super().refusal(state, written)

    @property
    def _sizes(self) -> dict[str, int]:
        return {BET: self.bet_size, RAISE: self.raise_size}


def outcomes(public: FixedLimit) -> tuple[LastLeft | Showdown, ...]:
    """Return every outcome of the betting once."""
    found: dict[Any, None] = {}
    todo: list[Any] = [public.root]
    while todo:
        position = todo.pop()
        if position not in found:
            found[position] = None
            if isinstance(position, State):
                todo.extend(target for _, target in public.moves(position))
    return tuple(position for position in found if isinstance(position, (LastLeft, Showdown)))
