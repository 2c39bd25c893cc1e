"""The page of a report: one HTML file that holds its styles, its scripts, its figures and its numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from reports.data.beliefs import BASES, warning_form
from reports.data.node_summary import opening_shares
from reports.data.row_sources import IN_WORDS, KEPT_FORMS
from reports.figures.solutions import markup
from reports.pages.explorer_data import MOST_BYTES, Block, solution_block
from reports.text import units
from reports.text.option_words import OPTIONS
from reports.text.persons import headline, quality_to, whom
from reports.text.words import counted, percent, small
from rules.base.parsing import shown_list
from rules.betting.actions import Action
from solver.off_path.sources import SOURCES, UNKNOWN
from solver.solutions.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from reports.pages.markup import Markup, Part, Program, document, filled, joined, table, tag

SCRIPTS = ("numbers.js", "layout.js", "explorer.js")
"""What runs in the page, in this order."""


class Named(NamedTuple):
    """A solution in a report.

    Parameters
    ----------
    name
        What the report calls it.
    solution
        What was solved.
    seat
        Who asks, 0 for P1; None where nothing says.
    persons
        Of a match, who P1 and P2 are.
    history
        What they played there.
    """

    name: str
    solution: Solution
    seat: int | None = None
    persons: tuple[str, str] | None = None
    history: tuple[Action, ...] = ()


class Plot(NamedTuple):
    """A figure of a report.

    Parameters
    ----------
    stem
        The name of its files without their endings.
    figure
        What is drawn.
    caption
        What can be seen in it, in a sentence or two.
    """

    stem: str
    figure: "Figure"
    caption: str


def page(
    title: str,
    lead: str,
    solutions: Sequence[Named],
    plots: Sequence[Plot],
    told: Sequence[Sequence[str]],
    data: Markup,
    compared: Markup | None = None,
    compare: bool = False,
    match: Markup | None = None,
) -> str:
    """Return the whole page.

    Parameters
    ----------
    title, lead
        What stands on top, and a line below it.
    solutions
        What can be walked through, one after the other or, with `compare`, side by side.
    plots
        Figures, as they are to stand.
    told
        Findings of each solution, in sentences.
    data
        What the last part says of settings and files.
    compared
        What a comparison has found.
    match
        The hands of a match, of which the last is shown at first.
    """
    block = Block()
    hands = [_hand(one, block, len(solutions)) for one in solutions]
    about = {
        "compare": compare,
        "start": len(hands) - 1 if match else 0,
        "sources": [IN_WORDS.get(name, "") for name in SOURCES],
        "unknown": UNKNOWN,
        "kept": KEPT_FORMS,
        "hands": hands,
    }
    cut = joined(_cut(one, hand) for one, hand in zip(solutions, hands, strict=True))
    parts = [
        Part("explorer", "What to do", "What to do", filled("explorer.html", {"cut": cut})),
        *([Part("match", "The match", "The match", match)] if match else []),
        *([Part("compare", "Comparison", "Comparison", compared)] if compared else []),
        Part("value", "Value", "Value", _overview(solutions)),
        Part("findings", "Findings", "Findings", _findings(solutions, told)),
        Part("figures", "Figures", "Figures", tag("div", *(_plot(one) for one in plots), class_="plots")),
        Part("trust", "Trust", "How far to trust it", _trust(solutions)),
        Part("data", "Data", "What was solved, and the data", data),
    ]
    return document(title, lead, parts, "To the strategy", program=Program(about, block.packed(), SCRIPTS))


def dealt(solution: Solution) -> str:
    """Return which board or fronts a solution is of: "fronts 3,8", "all 55 boards", "" in games that have none."""
    word = solution.spec.board_word
    if len(solution.boards) == 1:
        return f"{word} {solution.boards[0]}" if solution.boards[0] else ""
    every = (
        counted(len(solution.boards), "pair") + f" of {word}"
        if word.endswith("s")
        else f"{len(solution.boards)} {word}s"
    )
    return f"all {every}"


def hand_told(solution: Solution, seat: int | None = None) -> str:
    """Return a hand in a few words: board or fronts, cards left, and chips, by you and them where it is known."""
    return ", ".join(part for part in (dealt(solution), headline(solution.spec, seat)) if part)


def settings(solution: Solution) -> Markup:
    """Return everything that defines the hand, as a table."""
    rows = []
    for name, value in solution.spec.to_dict().items():
        text = shown_list(value) if isinstance(value, list) else "none" if value is None else str(value)
        meaning = OPTIONS[name].meaning if name in OPTIONS else ""
        rows.append((tag("code", name.replace("_", "-")), text or "none", meaning))
    return table(("setting", "value", "meaning"), rows, numbers=3)


def _hand(one: Named, block: Block, number: int) -> dict[str, Any]:
    spec = one.solution.spec
    what = spec.unseen.capitalize()
    kinds = ((basis, theirs, never) for basis in BASES for theirs in (False, True) for never in (False, True))
    return {
        "name": one.name,
        "game": spec.game,
        "unit": spec.unit,
        "chance": units.is_chance(spec),
        "sees": spec.sees,
        "boardWord": spec.board_word,
        "other": what,
        "warnings": [warning_form(*kind, what[0].lower() + what[1:]) for kind in kinds],
        **({} if one.persons is None else {"persons": one.persons}),
        **solution_block(one.solution, block, MOST_BYTES // number, one.history),
    }


def _cards(solution: Solution, seat: int | None) -> Markup:
    """Return what was solved and how well, as cards."""
    unit, seen = solution.spec.unit, quality_to(solution.spec, solution.quality, seat)
    digits = units.digits(solution.quality)
    deck, _, chips = headline(solution.spec, seat).partition(", ")
    objective = solution.spec.to_dict()["objective"]
    cards: list[tuple[str, str, str]] = [
        (f"value to {whom(seat)}", units.worth(solution.spec, seen.value, digits),
         units.between(solution.spec, seen.lower, seen.upper, digits)),
        ("exploitability", f"{small(solution.exploitability)} {unit}",
         f"NashConv {small(solution.nash_conv)}, target {small(solution.provenance.target)} {unit}"),
        ("deck and chips", ", ".join(part for part in (dealt(solution), deck) if part),
         f"{chips}. {solution.spec.deck_summary()}"),
        ("objective", "win the match" if objective == "match" else f"{unit} of this hand",
         f"{counted(int((solution.tree.player >= 0).sum()), 'decision node')}, "
         f"{counted(len(solution.tree.child), 'action')}, {counted(len(solution.boards), 'deal')}"),
    ]  # fmt: skip
    body = [tag("div", tag("dt", name), tag("dd", value, tag("small", more))) for name, value, more in cards]
    return tag("dl", *body, class_="cards")


def _overview(solutions: Sequence[Named]) -> Markup:
    """Return what was solved and how well, as cards, or as a table where there are several solutions."""
    if len(solutions) == 1:
        return _cards(solutions[0].solution, solutions[0].seat)
    rows = []
    for name, solution, seat, *_ in solutions:
        digits, seen = units.digits(solution.quality), quality_to(solution.spec, solution.quality, seat)
        figures = (
            units.value(solution.spec, seen.value, digits),
            units.between(solution.spec, seen.lower, seen.upper, digits),
            small(solution.nash_conv),
            small(solution.exploitability),
        )
        rows.append((name, hand_told(solution, seat), *figures))
    unit = solutions[0].solution.spec.unit
    to = "P1" if solutions[0].seat is None else "you"
    headers = ("", "hand", f"value to {to} ({unit})", "bounds", f"NashConv ({unit})", f"exploitability ({unit})")
    return table(headers, rows, numbers=2)


def _cut(one: Named, hand: dict[str, Any]) -> Markup:
    if hand["nodes"] == hand["total"]:
        return Markup()
    played = ", and those that were played" if one.history else ""
    told = (
        f"{one.name}: this page is cut. It holds the {hand['nodes']:,} of {hand['total']:,} histories to which a "
        f"player's own actions lead with a probability of {hand['threshold']:g} or more{played}; the tables and "
        "forehead show have the rest."
    )
    return tag("p", told, class_="warning")


def _plot(plot: Plot) -> Markup:
    drawn = tag("div", Markup(markup(plot.figure, plot.stem)), role="img", aria_label=plot.caption)
    drawn = Markup(drawn.replace("aria_label", "aria-label", 1))
    links = [tag("a", ending.upper(), href=f"figures/{plot.stem}.{ending}") for ending in ("png", "svg")]
    caption = tag("figcaption", plot.caption, " ", links[0], " ", links[1])
    width = plot.figure.get_size_inches()[0]
    return tag("figure", drawn, caption, **({"class_": "broad"} if width > 8.5 else {}))


def _findings(solutions: Sequence[Named], told: Sequence[Sequence[str]]) -> Markup:
    """Return the findings of each solution; of several the first are open."""
    parts: list[object] = []
    for place, (one, lines) in enumerate(zip(solutions, told, strict=True)):
        within = [tag("ul", *(tag("li", line) for line in lines), class_="told"), _classes(one)]
        if len(solutions) == 1:
            parts += within
        else:
            persons = "" if one.persons is None else f" (P1 is {one.persons[0]}, P2 {one.persons[1]})"
            heading = tag("summary", f"{one.name}{persons}")
            parts.append(tag("details", heading, *within, **({} if place else {"open": "open"})))
    return joined(parts)


def _trust(solutions: Sequence[Named]) -> Markup:
    """Say how each solution was found, and once what that proves."""
    specs = [one.solution.spec for one in solutions]
    less = ", less what the bounds of later hands add" if any(map(units.is_chance, specs)) else ""
    told = [] if len(solutions) > 1 else [f"Found by {_found(solutions[0].solution)}."]
    told += [
        "Both players' exact best responses bound the value of the game: no strategy gains more than the bounds "
        f"allow against this one. NashConv is the distance between the bounds{less}, exploitability half of it.",
        "A row marked with a star is off the path. It is answered by a best response or by solving the rest of the "
        "hand anew, and the proof above says nothing of it.",
        "Other right solvers may print other percentages where actions are worth the same: compare values and "
        "NashConv, not percentages.",
    ]
    noted: dict[str, list[str]] = {}
    for one in solutions:
        for note in one.solution.spec.notes:
            noted.setdefault(note, []).append(one.name)
    for note, names in noted.items():
        where = "" if len(names) == len(solutions) else f" ({', '.join(names)})"
        told.append(f"Note{where}: {note}.")
    parts = [tag("ul", *(tag("li", line) for line in told), class_="told")]
    if len(solutions) > 1:
        rows = [
            (one.name, _found(one.solution), units.gap(one.solution.spec, one.solution.nash_conv)) for one in solutions
        ]
        parts.append(table(("", "found by", "NashConv"), rows, numbers=2))
    return joined(parts)


def _found(solution: Solution) -> str:
    """Say by what method and in how much work a solution was found, and whether the gap was reached."""
    provenance = solution.provenance
    method = {"cfr": "discounted CFR+", "lp": "the sequence-form linear program"}[provenance.method]
    ended = "reached" if solution.converged else "did not reach"
    asked = units.gap(solution.spec, provenance.target)
    return f"{method} in {counted(provenance.iterations, 'iteration')}; it {ended} the gap asked for, {asked}"


def _classes(one: Named) -> Markup:
    """Return value and opening of every class of deals, where there are several."""
    solution, unit = one.solution, one.solution.spec.unit
    if len(solution.classes) < 2:
        return Markup()
    digits = units.digits(solution.quality)
    rows, openings = [], list(opening_shares(solution))
    for place, (group, quality) in enumerate(zip(solution.classes, solution.qualities, strict=True)):
        named = " ".join(deal.board for deal in group.deals[:8]) + (" ..." if len(group.deals) > 8 else "")
        shares = opening_shares(solution, (place,))
        figures = (percent(group.weight), units.value(solution.spec, quality.value, digits), small(quality.nash_conv))
        rows.append((named, *figures, *(percent(shares[action]) for action in openings)))
    headers = [solution.spec.board_word, "weight", f"value to P1 ({unit})", f"NashConv ({unit})"]
    headers += [f"P1 opens: {action.words}" for action in openings]
    shown = table(headers, rows, "Deals that are one hand but for the names of cards stand in one row")
    title = f"{one.name}: value and opening of {counted(len(rows), 'class')} of deals"
    return tag("details", tag("summary", title), shown)
