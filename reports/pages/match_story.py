"""A match as its log tells it, hand by hand, with what the solution of each hand says from one seat: the keeper's."""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from reports.data.match_story import HandTold, Story, standing
from reports.pages.markup import Markup, joined, tag
from reports.text import units
from reports.text.words import plain
from rules.base.parsing import shown_list
from rules.betting.chips import Chips


def match_part(story: Story, hands: Sequence[HandTold]) -> Markup:
    """Return the hands of a match as a part of a page, in which each action leads to the spot where it was chosen."""
    told = [tag("p", line) for line in (standing(story.log), *story.notes)]
    note = tag("p", "An action is a link to the spot where it was chosen, with the row of the card that was seen.")
    shown = tag("ol", *(tag("li", _hand(one), class_="hand") for one in hands), class_="hands")
    return joined([*told, note, shown])


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
            tag("p", spec.deck_summary(), class_="deck"),
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
    spec: Any = one.solution.spec
    return str(spec.observed(one.logged.played.cards, player))


def _spoken(one: HandTold) -> str:
    spoken: Iterable[str] = (f"{one.persons[n % 2]}: {action.words}" for n, action in enumerate(one.history))
    return ", ".join(spoken)


def _chips(chips: Chips) -> str:
    carried = f", {chips.carry} carried" if chips.carry else ""
    return f"you {chips.s1}, they {chips.s2}{carried}"


def _worth_told(spec: Any) -> str:
    """Name what a hand is worth to the keeper."""
    return "your chance to win" if units.is_chance(spec) else f"worth to you ({spec.unit})"
