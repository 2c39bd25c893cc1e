"""What the commands print: each answer as text for people, and as CSV and JSON for programs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reports.data.ranking import Ranked, row_ranked
from reports.data.row_sources import source_told
from reports.data.rows import (
    TIDY_COLUMNS,
    action_fields,
    player_name,
    quality_fields,
    row_fields,
    solution_fields,
    spot_fields,
    tidy_rows,
)
from reports.text import units
from reports.text.option_words import OPTIONS, flag
from reports.text.persons import fields_to, headline, quality_to
from reports.text.words import as_csv, as_json, counted, flowed, grid, percent, small, wrapped
from rules.betting.actions import format_history
from rules.games.registry import GAMES, options_of
from rules.games.spec import HandSpec
from solver.off_path.sources import SOURCES, UNKNOWN
from solver.solutions.solution import Provenance, Solution
from solver.solutions.spots import REACHED, Spot
from solver.store.continuation_proof import ContinuationProof
from solver.two_player.memory import Plan, human
from solver.two_player.payoffs import Quality

UNKNOWN_NAME = SOURCES[UNKNOWN]

MOST_ROWS = 12
"""Rows up to which a table shows every class of deals; longer ones show both ends."""

RARELY = f"less than once in {1 / REACHED:,.0f} hands"


@dataclass(frozen=True)
class Screen:
    """An answer in three forms: text, CSV columns and rows, and data for JSON."""

    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    data: dict[str, Any]

    def render(self, style: str) -> str:
        """Return the answer as ``table``, ``csv`` or ``json``, without a newline at the end."""
        if style == "json":
            return as_json(self.data)
        return as_csv(self.columns, self.rows) if style == "csv" else self.text


def games_screen() -> Screen:
    """List the games, with their options and defaults."""
    lines, rows, data = [], [], []
    for name, game in GAMES.items():
        lines += [f"{name}: {game.title}", wrapped(game.summary, "  ")]
        described = []
        for option, default in options_of(name).items():
            meaning, shown = OPTIONS[option].meaning, _typed(default)
            lines.append(wrapped(f"{meaning} [{shown}]" if shown else meaning, f"    {flag(option):<14} ", " " * 19))
            rows.append((name, flag(option), shown, meaning))
            described.append({"name": flag(option), "default": default, "meaning": meaning})
        lines.append("")
        data.append({"game": name, "title": game.title, "summary": game.summary, "options": described})
    return Screen("\n".join(lines[:-1]), ("game", "option", "default", "meaning"), rows, {"games": data})


def plan_text(spec: HandSpec, plan: Plan, seat: int | None = None) -> str:
    """Say before a solve what is solved, and how large it is; `seat` is who asks, 0 for P1."""
    size = [counted(plan.size.decision_nodes, "decision node"), counted(plan.size.actions, "action")]
    if plan.deals > 1:
        size.append(f"{counted(len(plan.classes), 'class')} of {counted(plan.deals, 'deal')}")
    size += [counted(plan.information_sets, "information set")]
    sizes = flowed([*(f"{part}," for part in size), human(plan.memory)], " ")
    return "\n".join([wrapped(f"{spec.game}, {headline(spec, seat)}"), sizes])


def solution_screen(
    solution: Solution, memory: int, file: str | None, seconds: float | None = None, seat: int | None = None
) -> Screen:
    """Say what a solve has found: value, bounds, and how it ended.

    Parameters
    ----------
    memory
        Bytes estimated beforehand.
    file
        Where the solution was saved.
    seconds
        How long it took, where that was asked for.
    seat
        Who asks, 0 for P1; None where nothing says.
    """
    data = solution_fields(solution) | {**fields_to(solution, seat), "memory_bytes": memory, "file": file}
    if seconds is not None:
        data["seconds"] = seconds
    flat = _flat({name: value for name, value in data.items() if name not in ("spec", "classes", "notes")})
    lines = [_classes_table(solution, seat), ""] if len(solution.boards) > 1 else []
    lines += [
        *_quality_lines(solution.quality, solution.spec, seat),
        *_notes(solution.spec),
        wrapped(_ending(solution.provenance, solution.spec) + ("" if seconds is None else f", {seconds:.1f} s")),
    ]
    if file is not None:
        lines.append(f"saved {file}")
    return Screen("\n".join(lines), list(flat), [list(flat.values())], data)


def spot_screen(solution: Solution, spot: Spot) -> Screen:
    """Show a public node: a row for each observation, a column for each action."""
    columns = range(len(spot.observations))
    headers = [solution.spec.sees, *(str(action) for action in spot.actions), "own reach", "other's"]
    body = [
        [
            spot.observations[column] + ("" if spot.reached[column] else " *"),
            *(percent(p) if spot.sources[column] != UNKNOWN_NAME else "?" for p in spot.probability[:, column]),
            percent(spot.own_reach[column]),
            percent(spot.other_reach[column]),
        ]
        for column in columns
    ]
    lines = [*_place(solution, spot), "", grid(headers, body)]
    if not spot.reached.all():
        lines.append(f"* off the path: when both play this strategy, {RARELY}")
    if UNKNOWN_NAME in spot.sources:
        lines.append(wrapped("? not known: the solve hardly ever came here, and there was no time to solve the spot"))
    data = spot_fields(solution, spot) | {"rows": [row_fields(solution, spot, column) for column in columns]}
    return Screen("\n".join(lines), TIDY_COLUMNS, list(tidy_rows(spot)), data)


def row_screen(solution: Solution, spot: Spot, column: int) -> Screen:
    """Show one observation at a public node: every action's probability and value, what is best on top."""
    actions, ranked = action_fields(spot, column), row_ranked(solution, spot, column)
    body = []
    for place in ranked.order:
        action, one = spot.actions[place], actions[place]
        figures = [percent(one["probability"]), units.value(solution.spec, one["ev"])]
        body.append([action.words, str(action), *figures, mark(ranked, place)])
    sees = f"{solution.spec.sees} {spot.observations[column]}"
    lines = [
        *_place(solution, spot),
        "",
        grid([sees, "token", "probability", f"EV ({solution.spec.unit})", ""], body),
    ]
    if sum(p > 0.0 for p in spot.probability[:, column]) > 1:
        lines.append("a mix: draw one action by these probabilities")
    if not spot.reached[column]:
        whose = "the other player" if spot.other_reach[column] < REACHED else f"{player_name(spot.player)}"
        lines.append(wrapped(f"off the path: {whose} comes here {RARELY}; {source_told(solution, spot, column)}"))
    rows = [(*one.values(), place in ranked.best) for place, one in enumerate(actions)]
    data = spot_fields(solution, spot) | row_fields(solution, spot, column)
    return Screen("\n".join(lines), ("action", "probability", "ev", "loss", "best"), rows, data)


def mark(ranked: Ranked, place: int) -> str:
    """Return what a table says beside an action."""
    return "<- best" if place in ranked.best else ""


def proof_screen(file: str, solution: Solution, quality: Quality, later: ContinuationProof | None = None) -> Screen:
    """Say what a solution that holds was measured to give, and what is known of later hands where they matter."""
    spec = solution.spec
    notes = [*spec.notes, *(() if later is None else later.notes)]
    lines = [f"{file} holds, recomputed:", *_quality_lines(quality, spec), *_noted(notes)]
    data = {"file": file, "verified": True, "unit": spec.unit, "value": quality.value, **quality_fields(quality)}
    if later is not None:
        data["later_hands"] = later.told
    flat = _flat(data)
    data["notes"] = notes
    return Screen("\n".join(lines), list(flat), [list(flat.values())], data)


def _typed(default: Any) -> str:
    """Return a default as it is typed; "" where nothing is set."""
    if default is None or default is False:
        return ""
    return ",".join(map(str, default)) if isinstance(default, list) else str(default)


def _notes(spec: HandSpec) -> Iterator[str]:
    return _noted(spec.notes)


def _noted(notes: Iterable[str]) -> Iterator[str]:
    return (wrapped(f"note: {note}", others="      ") for note in notes)


def _flat(fields: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Turn nested dictionaries and pairs of bounds into one level of columns."""
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}_")
        elif name == "value_bounds":
            flat |= {f"{prefix}lower": value[0], f"{prefix}upper": value[1]}
        else:
            flat[prefix + name] = value
    return flat


def _quality_lines(quality: Quality, spec: HandSpec, seat: int | None = None) -> list[str]:
    """Say how good a strategy profile is: its value, the bounds, and how far apart they are."""
    digits, seen = units.digits(quality), quality_to(spec, quality, seat)
    bounds = units.between(spec, seen.lower, seen.upper, digits)
    to = "P1 (the first bettor)" if seat is None else f"you (P{seat + 1}; {('you', 'they')[seat]} bet first)"
    gap, half = units.gap(spec, quality.nash_conv), units.gap(spec, quality.nash_conv / 2)
    return [
        flowed([f"value to {to}  {units.worth(spec, seen.value, digits)}", f"({bounds})"]),
        flowed([f"gap (NashConv)  {gap}", f"(exploitability {half})"]),
    ]


def _ending(provenance: Provenance, spec: HandSpec) -> str:
    work = counted(provenance.iterations, "simplex iteration" if provenance.method == "lp" else "iteration")
    target = f"the gap of {units.gap(spec, provenance.target)}"
    if provenance.stopped == "gap":
        return f"reached {target} after {work}"
    what = "interrupted" if provenance.stopped == "interrupted" else "stopped"
    return f"{what} after {work}, unfinished: {target} is not reached"


def _classes_table(solution: Solution, seat: int | None) -> str:
    """Show the classes of deals, best for P1, or for who asks, first: where there are many, the best and the worst."""
    spec = solution.spec
    pairs = [
        (group, quality_to(spec, one, seat)) for group, one in zip(solution.classes, solution.qualities, strict=True)
    ]
    classes = sorted(pairs, key=lambda pair: -round(pair[1].value, 9))
    body = []
    for group, quality in classes:
        boards = [deal.board for deal in group.deals]
        shown = " ".join(boards[:4]) + (f" ... ({len(boards)})" if len(boards) > 4 else "")
        body.append([shown, percent(group.weight), units.value(solution.spec, quality.value), small(quality.nash_conv)])
    if len(body) > MOST_ROWS:
        half = MOST_ROWS // 2
        body[half:-half] = [[f"... {len(body) - MOST_ROWS} more", "", "", ""]]
    unit = solution.spec.unit
    to = "P1" if seat is None else "you"
    return grid([solution.spec.board_word, "weight", f"value to {to} ({unit})", f"gap ({unit})"], body)


def _place(solution: Solution, spot: Spot) -> list[str]:
    """Say where a spot is: game, deck and chips, what to know, then player and history."""
    board = f", {solution.spec.board_word} {spot.board}" if spot.board else ""
    after = f'after "{format_history(spot.history)}"' if spot.history else "at the start"
    return [
        wrapped(f"{solution.spec.game}, {solution.spec.headline}{board}"),
        *_notes(solution.spec),
        wrapped(f"{player_name(spot.player)} acts {after}; gap {units.gap(solution.spec, solution.nash_conv)}"),
    ]
