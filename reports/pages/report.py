"""A report: a folder with a page, tables, figures and a summary of solutions, which stands alone."""

import contextlib
import csv
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from reports.data.column_docs import DOCUMENTED, SERIES_COLUMNS
from reports.data.comparison import Comparison, Difference
from reports.data.highlights import findings
from reports.data.match_story import HAND_COLUMNS, WHO, HandTold, Story, hand_fields, standing
from reports.data.node_summary import ACTION_COLUMNS, PANELS, action_rows, opening_shares, typical_boards
from reports.data.rows import quality_fields, solution_fields
from reports.export.strategy_rows import prepared
from reports.figures import solutions as figures
from reports.figures.matches import chances_to_win, match_caption, match_line
from reports.figures.solutions import Timing
from reports.pages.markup import Markup, joined, table, tag
from reports.pages.match_story import match_part, summary_lines
from reports.pages.page import Named, Plot, dealt, hand_told, page, settings
from reports.text import units
from reports.text.persons import fields_to, quality_to, whom
from reports.text.words import counted, percent, plain, small, stated
from rules.base.atomic_files import replaced
from rules.base.errors import OptionError, SizeError
from rules.base.optional import MissingLibraryError
from rules.base.parsing import shown_list
from rules.betting.actions import Action
from rules.play.log_hands import LoggedHand
from rules.play.log_text import PERSONS
from solver.solutions.solution import Solution, load
from solver.solutions.spots import Spots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE, SUMMARY, DATA, COLUMNS = "index.html", "summary.md", "report.json", "columns.md"
SOLVED = "solution.npz"
MOST_ROWS = 20
"""Observations up to which a summary has a table of openings."""

MOST_CHANGES = 25
"""Spots that a comparison lists on its page; its table has all."""


class Source(NamedTuple):
    """A solution to report.

    Parameters
    ----------
    name
        What the report calls it.
    solution
        What was solved.
    timings
        The gap against iterations and time, where that was measured.
    fresh
        Whether it was solved for this report, so that it is saved with it.
    logged
        The hand of a match as it was played.
    seat
        Who asks, in a match the keeper of its log: 0 for P1; None where nothing says.
    """

    name: str
    solution: Solution
    timings: tuple[Timing, ...] = ()
    fresh: bool = False
    logged: LoggedHand | None = None
    seat: int | None = None


def read_source(file: str) -> Source:
    """Load a solution, and the timings beside it where there are some.

    Raises
    ------
    SolutionFileError, OptionError
        Where it is no solution, or the timings are none.
    OSError
        Where it cannot be read.
    """
    return Source(Path(file).name, load(file), _timings(Path(file).with_suffix(".timings.csv")))


def _timings(path: Path) -> tuple[Timing, ...]:
    if not path.exists():
        return ()
    with open(path, encoding="utf-8", newline="") as stream:
        try:
            return tuple(
                Timing(int(row["iterations"]), float(row["seconds"]), float(row["nash_conv"]))
                for row in csv.DictReader(stream)
            )
        except (KeyError, TypeError, ValueError) as error:
            raise OptionError(
                f"expected iterations, seconds and nash_conv in every line of {path}, as solve --timings writes them"
            ) from error


def check_folder(folder: str | os.PathLike[str], force: bool) -> Path:
    """Check before any work that a report can be written into a folder.

    Raises
    ------
    OptionError
        Where it is a file, or holds something and `force` is not given.
    """
    path = Path(folder)
    if not str(folder):
        raise OptionError("expected a folder to write (-o), got ''")
    if path.exists() and not path.is_dir():
        raise OptionError(f"cannot write a report to {folder}: it is no folder")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise OptionError(f"{folder} is not empty; give --force to write the report into it")
    return path


def write_report(
    folder: str | os.PathLike[str],
    sources: Sequence[Source],
    *,
    series: Sequence[Source] = (),
    order: str = "deck state",
    compare: bool = False,
    story: Story | None = None,
    told: Callable[[str], None] | None = None,
) -> Path:
    """Write a report; what stands in the folder is overwritten file by file.

    Parameters
    ----------
    folder
        Made where it does not exist.
    sources
        Solutions to report, at least one; with `compare` two.
    series
        Solutions in the order in which value and strategy are drawn.
    order
        What that order is.
    compare
        Whether the two solutions are shown side by side.
    story
        The match whose hands the solutions are of, one for each, in their order.
    told
        Called with what is being done.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    OptionError
        Where two solutions to compare are not of one game.
    OSError
        Where something cannot be written.
    """
    path = Path(folder)
    say = told or (lambda _: None)
    comparison = Comparison(sources[0].solution, sources[1].solution) if compare else None
    (path / "figures").mkdir(parents=True, exist_ok=True)
    say("drawing")
    hands = _hands(sources) if story else ()
    plots = _plots(sources, () if story else series, order, hands)
    for plot in plots:
        for ending in figures.FORMATS:
            figures.save(plot.figure, path / "figures" / f"{plot.stem}{ending}")
    say("writing tables")
    for number, source in enumerate(sources, start=1):
        _write_tables(path if len(sources) == 1 else path / str(number), source)
    if series:
        _write_rows(path / "series.csv", SERIES_COLUMNS, _series_rows(series))
    if hands:
        _write_rows(path / "hands.csv", HAND_COLUMNS, (tuple(hand_fields(one).values()) for one in hands))
    if comparison:
        _write_rows(path / "differences.csv", Difference._fields, comparison.differences)
    say("writing the page")
    found = [findings(source.solution, source.seat) for source in sources]
    title = _title(sources, compare, story)
    compared = _compared(comparison, [source.name for source in sources]) if comparison else None
    marks = ("A: ", "B: ") if compare else ("",) * len(sources)
    named = [_named(f"{mark}{one.name}", one) for mark, one in zip(marks, sources, strict=True)]
    lead = standing(story.log) if story else _lead(sources)
    match = match_part(story, hands) if story else None
    text = page(title, lead, named, plots, found, _data(path, sources), compared, compare, match)
    with replaced(path / PAGE) as file:
        file.write(text)
    with replaced(path / DATA) as file:
        file.write(json.dumps(_fields(sources, comparison, story, hands), indent=2, allow_nan=False) + "\n")
    with replaced(path / COLUMNS) as file:
        file.write(_documentation(path, sources))
    with replaced(path / SUMMARY) as file:
        file.write(summary(title, sources, found, comparison, story))
    return path / PAGE


def _hands(sources: Sequence[Source]) -> tuple[HandTold, ...]:
    """Return the hands of a match, in their order."""
    return tuple(
        HandTold(place + 1, place, source.solution, source.seat or 0, source.logged)
        for place, source in enumerate(sources)
    )


def _named(name: str, source: Source) -> Named:
    if source.seat is None:
        return Named(name, source.solution)
    history = () if source.logged is None else source.logged.played.history
    return Named(name, source.solution, source.seat, WHO if source.seat == 0 else WHO[::-1], history)


def summary(
    title: str,
    sources: Sequence[Source],
    found: Sequence[Sequence[str]],
    comparison: Comparison | None = None,
    story: Story | None = None,
) -> str:
    """Return a report in Markdown, short enough for a chat or an issue.

    Parameters
    ----------
    found
        The findings of each source.
    """
    lines = [f"# {plain(title)}", ""]
    lines += summary_lines(story, _hands(sources)) if story else _solutions(sources)
    notes = dict.fromkeys(note for source in sources for note in source.solution.spec.notes)
    lines += ["", *(f"Note: {plain(note)}." for note in notes)] if notes else []
    main = sources[-1 if story else 0]
    solution = main.solution
    if solution.tree.nodes and max(map(len, solution.deal(solution.boards[0])[1].observations)) <= MOST_ROWS:
        spot = Spots(solution, typical_boards(solution)[0]).at()
        word = f" ({solution.spec.board_word} {spot.board})" if spot.board else ""
        which = f" in {main.name}" if len(sources) > 1 else ""
        lines += ["", f"How P1 opens{plain(which)}{word}:", ""]
        lines.append("| " + " | ".join([solution.spec.sees, *(action.words for action in spot.actions)]) + " |")
        lines.append("|---" * (1 + len(spot.actions)) + "|")
        for column, name in enumerate(spot.observations):
            lines.append("| " + " | ".join([name, *(percent(p) for p in spot.probability[:, column])]) + " |")
    for source, told in zip(sources, found, strict=True):
        lines += ["", *([f"Findings of {plain(source.name)}:", ""] if len(sources) > 1 else [])]
        lines += [f"- {plain(line)}" for line in told]
    if comparison:
        lines += ["", f"Strategy distance where play comes: {stated(comparison.distance())}.", ""]
        for one in comparison.changed_most[:5]:
            after = f'after "{one.history}"' if one.history else "at the start"
            lines.append(f"- {one.player} sees {one.observation} {after}: {one.top_a} in A, {one.top_b} in B")
    return "\n".join([*lines, "", f"The page {PAGE} has everything else.", ""])


def _solutions(sources: Sequence[Source]) -> list[str]:
    """Return what was solved and how well, as a table of Markdown."""
    value = f"value to {'P1' if sources[0].seat is None else 'you'}"
    lines = [f"| solution | hand | {value} | bounds | NashConv | exploitability |", "|---|---|---|---|---|---|"]
    for source in sources:
        solution, spec = source.solution, source.solution.spec
        digits, seen = units.digits(solution.quality), quality_to(spec, solution.quality, source.seat)
        cells = (
            source.name, hand_told(solution, source.seat), units.worth(spec, seen.value, digits),
            units.between(spec, seen.lower, seen.upper, digits),
            units.gap(spec, solution.nash_conv), units.gap(spec, solution.exploitability),
        )  # fmt: skip
        lines.append("| " + " | ".join(map(plain, cells)) + " |")
    return lines


def _title(sources: Sequence[Source], compare: bool, story: Story | None = None) -> str:
    """Name the games, the board or the fronts where all have the same, and how many hands there are."""
    if story:
        return f"{sources[0].solution.spec.title}: a match of {counted(len(story.log.hands), 'hand')}"
    titles = dict.fromkeys(source.solution.spec.title for source in sources)
    deals = {dealt(source.solution) for source in sources}
    parts = [*titles, *(deals if len(deals) == 1 else ())]
    what = ", ".join(part for part in parts if part)
    if compare:
        return f"{what}: two solutions compared"
    return what if len(sources) == 1 else f"{what}: {len(sources)} hands"


def _lead(sources: Sequence[Source]) -> str:
    if len(sources) == 1:
        solution = sources[0].solution
        seen = quality_to(solution.spec, solution.quality, sources[0].seat)
        value = units.worth(solution.spec, seen.value, units.digits(solution.quality))
        told = hand_told(solution, sources[0].seat)
        file = "" if sources[0].fresh else f" ({sources[0].name})"
        return f"{told[0].upper()}{told[1:]}. Value to {whom(sources[0].seat)}: {value}{file}"
    named = [(source.name, dealt(source.solution)) for source in sources[:4]]
    listed = ", ".join(f"{name} ({deal})" if deal else name for name, deal in named)
    return listed + (", ..." if len(sources) > 4 else "")


def _plots(
    sources: Sequence[Source], series: Sequence[Source], order: str, hands: Sequence[HandTold] = ()
) -> list[Plot]:
    """Draw every figure: all of one solution, how P1 opens in the others, and the series or the match.

    The one is the first solution, in a match the last: the hand to come, or the last that was played.
    """
    plots = []
    main = len(sources) if hands else 1
    drawn_of = list(enumerate(sources, start=1))
    drawn_of = drawn_of[-PANELS:] if hands else drawn_of[:PANELS]
    for number, source in drawn_of:
        solution, end = source.solution, "" if len(sources) == 1 else f"-{number}"
        name = "" if len(sources) == 1 else f" ({source.name})"
        drawn: list[tuple[str, Figure, str]] = []
        if solution.tree.nodes:
            drawn.append(("opening", figures.opening(solution),
                          "How P1 opens, by what is seen: percent of hands, darker is more often."))  # fmt: skip
        if solution.tree.nodes and number == main:
            drawn.append(("bet-size", figures.bet_sizes(solution),
                          "How much P1 puts in at first, by what is seen; darker is more."))  # fmt: skip
            if (found := figures.answers(solution)).shown:
                drawn.append(("responses", figures.responses(solution), _answers_told(found)))
        if number == main and solution.later is not None:
            drawn.append(("chances-to-win", chances_to_win(solution),
                          "The first bettor's chance to win the match before a hand, by stack and carried pot; the "
                          "star is this hand."))  # fmt: skip
        if number == main:
            drawn.append(("exploitability", figures.convergence(solution, source.timings),
                          "How the exploitability fell while solving; dashed is the target."))  # fmt: skip
        plots += [Plot(stem + end, figure, caption + name) for stem, figure, caption in drawn]
    if hands:
        plots.insert(0, Plot("match", match_line(hands), match_caption(hands)))
    if len(drawn_of) < len(sources):
        which = "last" if hands else "first"
        more = f" Drawn of the {which} {len(drawn_of)} of {len(sources)} hands."
        place = next((place for place, plot in enumerate(plots) if plot.stem.startswith("opening")), None)
        if place is not None:
            plots[place] = plots[place]._replace(caption=plots[place].caption + more)
    if series:
        stages = [figures.Stage(source.name, source.solution, source.seat) for source in series]
        caption = f"Value to {'P1' if series[0].seat is None else 'you'} and how P1 opens, by {order}."
        plots.insert(0, Plot("series", figures.series(stages, order), caption))
    return plots


def _answers_told(found: figures.Answers) -> str:
    """Say what is drawn of P2's answers, and what is not."""
    told = ["How P2 answers each opening; in brackets how often P1 opens with it."]
    if found.others:
        told.append(f"The {PANELS} most frequent are drawn, not {_listed(found.others)}.")
    if found.seldom:
        told.append(f"Left out, as P1 never opens so, or in less than 0.1 % of hands: {_listed(found.seldom)}.")
    return " ".join(told)


def _listed(actions: Iterable[Action]) -> str:
    return ", ".join(action.words for action in actions)


def _write_tables(folder: Path, source: Source) -> None:
    """Write every table of a solution; Parquet where its library is there and memory allows."""
    folder.mkdir(parents=True, exist_ok=True)
    prepared(source.solution, "csv").save(folder / "strategy.csv")
    with contextlib.suppress(MissingLibraryError, SizeError):
        prepared(source.solution, "parquet").save(folder / "strategy.parquet")
    _write_rows(folder / "actions.csv", ACTION_COLUMNS, action_rows(source.solution))
    if source.fresh:
        source.solution.save(folder / SOLVED)


def _write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with replaced(path) as file:
        _to_csv(file, columns, rows)


def _to_csv(file: IO[str], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


def _series_rows(series: Sequence[Source]) -> Iterable[tuple[Any, ...]]:
    for source in series:
        solution = source.solution
        lower, upper = solution.value_bounds
        to_you = None if source.seat is None else quality_to(solution.spec, solution.quality, source.seat).value
        left = getattr(solution.spec, "cards_left", None)
        figure = (source.name, left, solution.value, lower, upper, solution.nash_conv, to_you)
        shares: list[tuple[str, float | None]] = [
            (str(action), share) for action, share in opening_shares(solution).items()
        ]
        for row in shares or [("", None)]:
            yield (*figure, *row)


def _fields(
    sources: Sequence[Source],
    comparison: Comparison | None,
    story: Story | None,
    hands: Sequence[HandTold],
) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "solutions": [
            {"name": source.name, **solution_fields(source.solution), **fields_to(source.solution, source.seat)}
            for source in sources
        ]
    }
    if story:
        log = story.log
        winner = PERSONS[log.winner] if isinstance(log.winner, int) else log.winner
        fields["match"] = {
            "chips": {"me": log.chips[0], "opp": log.chips[1], "carry": log.carry},
            "winner": winner,
            "unit": hands[0].solution.spec.unit,
            "notes": list(story.notes),
            "hands": [hand_fields(one) for one in hands],
        }
    if comparison:
        a, b = comparison.first, comparison.second
        fields["comparison"] = {
            "settings": {name: {"a": mine, "b": theirs} for name, mine, theirs in comparison.settings},
            "value": {"a": a.value, "b": b.value, "difference": b.value - a.value},
            "quality": {"a": quality_fields(a.quality), "b": quality_fields(b.quality)},
            "distance": {"all": comparison.distance(), **{p: comparison.distance(p) for p in ("P1", "P2")}},
            "changed_most": [{**one._asdict(), "impact": one.impact} for one in comparison.changed_most[:MOST_CHANGES]],
        }
    return fields


def _tables(path: Path, sources: Sequence[Source]) -> list[str]:
    """Return the tables that a report has, by their names in its folder."""
    folders = [""] if len(sources) == 1 else [f"{number}/" for number in range(1, len(sources) + 1)]
    each = ("strategy.csv", "strategy.parquet", "actions.csv")
    found = [*(f"{folder}{name}" for folder in folders for name in each), "hands.csv", "differences.csv", "series.csv"]
    return [name for name in found if (path / name).exists()]


def _documentation(path: Path, sources: Sequence[Source]) -> str:
    present = {name.rsplit("/", 1)[-1] for name in _tables(path, sources)}
    lines = ["# The tables of this report", ""]
    lines += [f"The unit of the objective is {sources[0].solution.spec.unit}.", ""]
    for name, (what, columns) in DOCUMENTED.items():
        if name in present:
            lines += [f"## {name}", "", what, "", "| column | unit | meaning |", "|---|---|---|"]
            lines += [f"| {column} | {unit} | {meaning} |" for column, (unit, meaning) in columns.items()]
            lines.append("")
    return "\n".join(lines)


def _data(path: Path, sources: Sequence[Source]) -> Markup:
    parts: list[object] = []
    for source in sources:
        parts.append(tag("h3", source.name))
        parts.append(tag("details", tag("summary", "Everything that defines the hand"), settings(source.solution)))
    links = [tag("li", tag("a", name, href=name)) for name in (*_tables(path, sources), DATA, SUMMARY, COLUMNS)]
    parts.append(tag("p", "The same numbers for other programs, in the folder of this page:"))
    parts.append(tag("ul", *links, class_="told"))
    return joined(parts)


def _compared(comparison: Comparison, names: Sequence[str]) -> Markup:
    """Return what a comparison has found, as a part of the page."""
    a, b = comparison.first, comparison.second
    unit = a.spec.unit
    digits = max(units.digits(a.quality), units.digits(b.quality))
    rows = [
        ("hand", hand_told(a), hand_told(b)),
        (f"value to P1 ({unit})", units.value(a.spec, a.value, digits), units.value(b.spec, b.value, digits)),
        (f"NashConv ({unit})", small(a.nash_conv), small(b.nash_conv)),
        (f"exploitability ({unit})", small(a.exploitability), small(b.exploitability)),
        *((name.replace("_", "-"), _shown(mine), _shown(theirs)) for name, mine, theirs in comparison.settings),
    ]
    told = [
        f"The value to P1 is {units.change(a.spec, b.value - a.value, digits)} in B against A.",
        f"Where play comes, the strategies are {stated(comparison.distance())} apart: P1's "
        f"{stated(comparison.distance('P1'))}, P2's {stated(comparison.distance('P2'))} (0 is the same play, 100 "
        "nothing in common; an information set counts as often as play comes there).",
    ]
    changes = []
    several = len(comparison.first.boards) > 1
    for one in comparison.changed_most[:MOST_CHANGES]:
        where = one.history or "the start"
        target = "#h=" + "+".join(quote(token, safe="") for token in one.history.split())
        target += (f"&d={quote(one.board, safe='')}" if several else "") + f"&see={quote(one.observation, safe='')}"
        link = tag("a", f"{one.board} {where}".strip(), href=target)
        changes.append(
            (link, f"{one.player} {a.spec.sees} {one.observation}", f"{one.top_a} → {one.top_b}",
             percent(one.distance), percent(one.reach_a), percent(one.reach_b),
             units.value(a.spec, one.ev_a), units.value(b.spec, one.ev_b))
        )  # fmt: skip
    headers = ("after", "who", "played most", "distance", "reach A", "reach B", f"EV A ({unit})", f"EV B ({unit})")
    return joined(
        [
            table(("", f"A: {names[0]}", f"B: {names[1]}"), rows, numbers=1),
            tag("ul", *(tag("li", line) for line in told), class_="told"),
            tag("h3", "The spots that change most"),
            table(headers, changes, "By distance times how often play comes there; a link goes to the spot", numbers=3)
            if changes
            else tag("p", "None: where play comes, both play the same."),
        ]
    )


def _shown(value: object) -> str:
    return shown_list(value) if isinstance(value, list) else "none" if value is None else str(value)
