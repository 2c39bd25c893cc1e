"""A match as its log tells it, hand by hand, with what the solution of each hand says from one seat: the keeper's."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from reports import units
from reports.advice import deck_told
from reports.pages import Markup, joined, tag
from reports.persons import quality_to
from reports.text import counted, plain
from rules.chips import Chips
from rules.deck import TwoSided
from rules.double_sided import DoubleSided
from rules.log_hands import LoggedHand
from rules.log_lines import PERSONS
from rules.match_log import MatchLog
from rules.notation import Action, format_history
from rules.numbers import shown_list
from solver.solution import Solution

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


def match_part(story: Story, hands: Sequence[HandTold]) -> Markup:
    """Return the hands of a match as a part of a page, in which each action leads to the spot where it was chosen."""
    told = [tag("p", line) for line in (standing(story.log), *story.notes)]
    note = tag("p", "An action is a link to the spot where it was chosen, with the row of the card that was seen.")
    shown = tag("ol", *(tag("li", _hand(one), class_="hand") for one in hands), class_="hands")
    return tag("section", tag("h2", "The match", id="match-title"), *told, note, shown, id="match")


def summary_lines(story: Story, hands: Sequence[HandTold]) -> list[str]:
    """Return the hands of a match as Markdown."""
    spec = hands[0].solution.spec
    headers = ["hand", "bet first", "your card", "their card", "board", "chips before", "chips after", "actions",
               "cards left", _worth_told(spec), "bounds", "NashConv"]  # fmt: skip
    rows = []
    for one in hands:
        logged, digits = one.logged, units.digits(one.solution.quality)
        value, lower, upper = one.value
        rows.append(
            [f"{one.number}" + ("" if logged else ", to come"), one.persons[0],
             *(("", "", "") if logged is None else (str(logged.mine), str(logged.theirs), shown_list(logged.board))),
             _chips(one.before), "" if one.after is None else _chips(one.after), _spoken(one),
             str(one.solution.spec.cards_left), units.value(spec, value, digits),  # type: ignore[attr-defined]
             units.between(spec, lower, upper, digits), units.gap(spec, one.solution.nash_conv)]
        )  # fmt: skip
    kept = [place for place, name in enumerate(headers) if name != "board" or any(row[place] for row in rows)]
    lines = [headers, ["---"] * len(headers), *([plain(cell) for cell in row] for row in rows)]
    told = [plain(line) for line in (standing(story.log), *story.notes)]
    return [" ".join(told), "", *("| " + " | ".join(line[place] for place in kept) + " |" for line in lines)]


def _hand(one: HandTold) -> Markup:
    spec, logged = one.solution.spec, one.logged
    number = f"Hand {one.number}" + ("" if logged else ", to come")
    digits = units.digits(one.solution.quality)
    value, lower, upper = one.value
    facts: list[tuple[str, object]] = []
    if logged is not None:
        facts += [("your card", str(logged.mine)), ("their card", str(logged.theirs))]
        facts += [("board", shown_list(logged.board))] if logged.board else []
    facts.append(("chips before", _chips(one.before)))
    if one.after is not None:
        facts.append(("chips after", _chips(one.after)))
    facts.append(
        (_worth_told(spec), f"{units.value(spec, value, digits)} ({units.between(spec, lower, upper, digits)})")
    )
    moves = _moves(one)
    return joined(
        [
            tag("h3", number, " ", tag("small", f"{one.persons[0]} bet first")),
            *([tag("p", moves, class_="moves")] if moves else []),
            tag("dl", *(tag("div", tag("dt", name), tag("dd", text)) for name, text in facts)),
            tag("p", " ".join(deck_told(spec)), class_="deck"),
        ]
    )


def _moves(one: HandTold) -> Markup:
    """Return the actions of a hand, each a link to the spot before it; nothing for the hand to come."""
    if one.logged is None:
        return tag("a", "to its strategy", href=_address(one, 0))
    if not one.history:
        return Markup("The antes were all-in: a showdown at once.")
    parts: list[object] = []
    for place, action in enumerate(one.history):
        link = tag("a", action.words, href=_address(one, place))
        parts += [", " if place else "", f"{one.persons[place % 2]}: ", link]
    return tag("span", *parts)


def _address(one: HandTold, place: int) -> str:
    """Return the address of the spot where an action was chosen, with the row of what the player saw."""
    path = "+".join(quote(str(action), safe="") for action in one.history[:place])
    seen = _seen(one, place % 2)
    return f"#h={path}&s={one.place + 1}" + (f"&see={quote(seen, safe='')}" if seen else "")


def _seen(one: HandTold, player: int) -> str:
    """Return what a player saw: the other's card, or the own back where the log knows it."""
    if one.logged is None:
        return ""
    cards = one.logged.played.cards
    if not isinstance(one.solution.spec, DoubleSided):
        return str(cards[1 - player])
    own = cards[player]
    return str(own.back) if isinstance(own, TwoSided) else ""


def _spoken(one: HandTold) -> str:
    spoken: Iterable[str] = (f"{one.persons[n % 2]}: {action.words}" for n, action in enumerate(one.history))
    return ", ".join(spoken)


def _chips(chips: Chips) -> str:
    carried = f", {chips.carry} carried" if chips.carry else ""
    return f"you {chips.s1}, they {chips.s2}{carried}"


def _worth_told(spec: Any) -> str:
    """Name what a hand is worth to the keeper."""
    return "your chance to win" if units.is_chance(spec) else f"worth to you ({spec.unit})"
