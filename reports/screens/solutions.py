"""What the commands print of a solution of two players: the plan, what came of it, and its proof."""

from typing import Any

from reports.data.rows import (
    quality_fields,
    solution_fields,
)
from reports.screens.screen import Screen, noted, notes_of
from reports.text import units
from reports.text.persons import fields_to, headline, quality_to
from reports.text.words import counted, flowed, grid, percent, small, wrapped
from rules.games.spec import HandSpec
from solver.solutions.solution import Provenance, Solution
from solver.store.continuation_proof import ContinuationProof
from solver.two_player.memory import Plan, human
from solver.two_player.payoffs import Quality

MOST_ROWS = 12
"""Rows up to which a table shows every class of deals; longer ones show both ends."""


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
        *notes_of(solution.spec),
        wrapped(_ending(solution.provenance, solution.spec) + ("" if seconds is None else f", {seconds:.1f} s")),
    ]
    if file is not None:
        lines.append(f"saved {file}")
    return Screen("\n".join(lines), list(flat), [list(flat.values())], data)


def proof_screen(file: str, solution: Solution, quality: Quality, later: ContinuationProof | None = None) -> Screen:
    """Say what a solution that holds was measured to give, and what is known of later hands where they matter."""
    spec = solution.spec
    notes = [*spec.notes, *(() if later is None else later.notes)]
    lines = [f"{file} holds, recomputed:", *_quality_lines(quality, spec), *noted(notes)]
    data = {"file": file, "verified": True, "unit": spec.unit, "value": quality.value, **quality_fields(quality)}
    if later is not None:
        data["later_hands"] = later.told
    flat = _flat(data)
    data["notes"] = notes
    return Screen("\n".join(lines), list(flat), [list(flat.values())], data)


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
