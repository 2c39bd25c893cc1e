"""A match as its log tells it, hand by hand, with the solution of each hand."""

from typing import Any, NamedTuple

from reports.text.persons import quality_to
from reports.text.words import counted
from rules.base.parsing import shown_list
from rules.betting.actions import Action, format_history
from rules.betting.chips import Chips
from rules.play.log import MatchLog
from rules.play.log_hands import LoggedHand
from rules.play.log_text import PERSONS
from solver.solutions.solution import Solution

WHO = ("you", "they")
"""Persons 0 and 1 as a report speaks of them."""


HAND_COLUMNS = (
    "hand",
    "first",
    "cards_left",
    "mine",
    "theirs",
    "board",
    "my_chips_before",
    "their_chips_before",
    "carry_before",
    "history",
    "my_chips",
    "their_chips",
    "carry",
    "value",
    "lower",
    "upper",
    "nash_conv",
)
"""Columns of `hand_fields`: cards and chips are mine and theirs, values are mine."""


class Story(NamedTuple):
    """A match that is reported.

    Parameters
    ----------
    log
        The whole of it.
    notes
        What is to be said of how its hands were solved, in sentences.
    """

    log: MatchLog
    notes: tuple[str, ...] = ()


class HandTold(NamedTuple):
    """A hand of a match, played or to come, and its solution.

    Parameters
    ----------
    number
        Its place in the match, from 1.
    place
        Its place in the report, from 0.
    solution
        Of the hand with its board or fronts.
    seat
        The player that the keeper of the log was: 0 for P1, the first bettor.
    logged
        The hand as it was played; None for the one to come.
    """

    number: int
    place: int
    solution: Solution
    seat: int
    logged: LoggedHand | None

    @property
    def persons(self) -> tuple[str, str]:
        """Who P1 and P2 were."""
        return WHO if self.seat == 0 else WHO[::-1]

    @property
    def value(self) -> tuple[float, float, float]:
        """The keeper's value before the hand, and its bounds, in the unit of the objective."""
        seen = quality_to(self.solution.spec, self.solution.quality, self.seat)
        return seen.value, seen.lower, seen.upper

    @property
    def before(self) -> Chips:
        """The chips before the hand, the keeper's first."""
        chips: Chips = self.solution.spec.chips  # type: ignore[attr-defined]
        return chips if self.seat == 0 else chips.swapped()

    @property
    def after(self) -> Chips | None:
        """The chips after the hand, the keeper's first; None where it is to come."""
        return None if self.logged is None else self.logged.played.after

    @property
    def history(self) -> tuple[Action, ...]:
        """What was played."""
        return () if self.logged is None else self.logged.played.history


def standing(log: MatchLog) -> str:
    """Say where a match stands, in a sentence or two."""
    mine, theirs = log.chips
    carried = f", {log.carry} carried over" if log.carry else ""
    told = f"{counted(len(log.hands), 'hand')} played. You have {counted(mine, 'chip')}, they have {theirs}{carried}"
    if log.over:
        ends: dict[Any, str] = {0: "You have won", 1: "They have won"}
        return f"{told}. {ends.get(log.winner, 'The match is drawn')}."
    return f"{told}; {WHO[log.first]} bet first in hand {len(log.hands) + 1}."


def hand_fields(one: HandTold) -> dict[str, Any]:
    """Return a hand as a row of `HAND_COLUMNS`; what is not known yet is None."""
    logged, before, after = one.logged, one.before, one.after
    cards: tuple[Any, ...] = (None,) * 3
    if logged is not None:
        cards = (str(logged.mine), str(logged.theirs), shown_list(logged.board) or None)
    values = (
        one.number, PERSONS[one.seat], one.solution.spec.cards_left, *cards,  # type: ignore[attr-defined]
        before.s1, before.s2, before.carry, None if logged is None else format_history(one.history),
        *((None,) * 3 if after is None else (after.s1, after.s2, after.carry)), *one.value, one.solution.nash_conv,
    )  # fmt: skip
    return dict(zip(HAND_COLUMNS, values, strict=True))
