"""What the commands print about hands of more than two players: text for people, CSV and JSON for programs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.data.multiplayer_rows import ROW_COLUMNS, tidy_spot
from reports.data.ranking import Ranked, ranked
from reports.data.rows import player_name
from reports.screens.screen import RARELY, Screen, mark
from reports.text.words import counted, flowed, grid, percent, signed, small, wrapped
from rules.betting.actions import format_history
from rules.games.multiplayer import MultiplayerHand
from rules.games.spec import HandSpec
from solver.multiplayer.evaluation import Measured
from solver.multiplayer.game import table_bytes
from solver.multiplayer.rows import given_up_at_most
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.spots import MultiplayerSpot
from solver.trees.public_tree import TreeSize
from solver.two_player.memory import human

MOST_ROWS = 200
"""Rows that a table of a spot has on a terminal."""

CLAIM = (
    "NashConv is the sum of what each player alone could still gain against the others as they are. With more than "
    "two players it bounds nobody's value, and a player's part of one equilibrium need not fit the others' part of "
    "another."
)

MISTAKE = "somebody has made a mistake, the likelier the less it costs"
"""What is believed off the path."""

WHY = (
    "rows that play seldom meets were made better only as far as there was time and NashConv stays within its aim, so "
    "that no mistake is made to pay"
)
"""Why a row gives up something."""

NEVER = 1e6
"""What is taken off the value of an action that is never needed, so that it is the best nowhere."""


def table_plan_text(spec: HandSpec, table: MultiplayerHand, size: TreeSize) -> str:
    """Say before a solve what is solved, and how large it is."""
    nodes, kinds = size.decision_nodes, len(table.cards)
    told = [
        counted(nodes, "decision node"),
        counted(size.actions, "action"),
        counted(nodes * kinds ** (table.players - 1), "information set"),
        f"{kinds**table.players:,} deals",
    ]
    sizes = flowed([*(f"{part}," for part in told), human(table_bytes(table, size))], " ")
    return "\n".join([wrapped(f"{spec.game}, {spec.headline}"), sizes])


def measured_fields(measured: Measured) -> dict[str, Any]:
    """Return values, gains and NashConv under the names that every output uses."""
    return {
        "values": measured.values.tolist(),
        "gains": measured.gains.tolist(),
        "nash_conv": measured.nash_conv,
    }


def table_fields(solution: MultiplayerSolution) -> dict[str, Any]:
    """Return what was solved and how well, ready for JSON."""
    provenance, spec = solution.provenance, solution.spec.to_dict()
    coarse, betting = provenance.coarse, solution.game.betting
    return {
        "game": solution.spec.game,
        "spec": spec,
        "objective": spec["objective"],
        "unit": solution.spec.unit,
        "notes": [*solution.spec.notes, CLAIM],
        **measured_fields(solution.measured),
        "coarse_gains": None if coarse is None else list(coarse.gains),
        "coarse_gap": None if coarse is None else coarse.gap,
        "iterations": provenance.iterations,
        "kept": provenance.kept,
        "stopped": provenance.stopped,
        "gap": provenance.target,
        "converged": solution.converged,
        "tree": {
            "decision_nodes": betting.tree.nodes,
            "actions": len(betting.tree.child),
            "information_sets": betting.tree.nodes * solution.game.columns,
        },
    }


def table_solution_screen(solution: MultiplayerSolution, file: str | None, seconds: float | None = None) -> Screen:
    """Say what a solve has found: every player's value and gain, and how it ended.

    Parameters
    ----------
    file
        Where the solution was saved.
    seconds
        How long it took, where that was asked for.
    """
    provenance, unit = solution.provenance, solution.spec.unit
    data = table_fields(solution) | {"file": file}
    if seconds is not None:
        data["seconds"] = seconds
    lines = list(_measured_lines(solution.measured, unit))
    if provenance.coarse is not None:
        what = f"the joint play over the iterations: coarse correlated gap {small(provenance.coarse.gap)} {unit}"
        lines.append(wrapped(what))
    work = counted(provenance.iterations, "iteration")
    target = f"NashConv of {small(provenance.target)} {unit}"
    ending = f"reached {target} after {work}"
    if provenance.stopped != "gap":
        word = "interrupted" if provenance.stopped == "interrupted" else "stopped"
        ending = f"{word} after {work}: {target} is not reached; kept is what {provenance.kept:,} had"
    lines.append(wrapped(ending + ("" if seconds is None else f", {seconds:.1f} s")))
    lines += [wrapped(f"note: {note}", others="      ") for note in data["notes"]]
    if file is not None:
        lines.append(f"saved {file}")
    return Screen("\n".join(lines), *_by_player(solution.measured), data)


def table_proof_screen(file: str, solution: MultiplayerSolution, measured: Measured) -> Screen:
    """Say what a solution that holds was measured to give."""
    unit = solution.spec.unit
    lines = [f"{file} holds, recomputed:", *_measured_lines(measured, unit)]
    data = {"file": file, "verified": True, "unit": unit, **measured_fields(measured), "notes": [CLAIM]}
    return Screen("\n".join(lines), *_by_player(measured), data)


def table_spot_screen(spot: MultiplayerSpot) -> Screen:
    """Show a public node: a row for all that its player may see, a column for each action."""
    solution = spot.solution
    columns = [column for column in range(len(spot.names)) if spot.possible[column]]
    headers = [solution.spec.sees, *(str(action) for action in spot.actions), "own reach", "others'"]
    body = [
        [
            spot.names[column] + ("" if spot.reached[column] else " *") + (" !" if spot.gives_up[column] else ""),
            *(percent(p) for p in spot.probability[:, column]),
            percent(spot.own_reach[column]),
            percent(spot.other_reach[column]),
        ]
        for column in columns[:MOST_ROWS]
    ]
    lines = [*_place(spot), "", grid(headers, body)]
    if len(columns) > MOST_ROWS:
        lines.append(f"... {len(columns) - MOST_ROWS:,} rows more; --format csv has all, best --see K,9,4 one")
    if not spot.reached.all():
        lines.append(wrapped(f"* off the path: when all play this strategy, {RARELY}; {MISTAKE}"))
    if spot.gives_up[columns].any():
        most = f"{small(given_up_at_most(solution.game))} {solution.spec.unit}"
        lines.append(wrapped(f"! gives up more than {most} against the best play from there; {WHY}"))
    data = spot_place(spot) | {"rows": [row_of(spot, column) for column in columns]}
    return Screen("\n".join(lines), ROW_COLUMNS, list(tidy_spot(spot)), data)


def table_row_screen(spot: MultiplayerSpot, column: int) -> Screen:
    """Show one row of a spot: every action's probability and value, what is best on top."""
    row, actions = table_ranked(spot, column), row_of(spot, column)["actions"]
    body = []
    for place in row.order:
        action, one = spot.actions[place], actions[place]
        body.append([action.words, str(action), percent(one["probability"]), signed(one["ev"]), mark(row, place)])
    headers = [f"{spot.solution.spec.sees} {spot.names[column]}", "token", "probability"]
    lines = [*_place(spot), "", grid([*headers, f"EV ({spot.solution.spec.unit})", ""], body)]
    if sum(p > 0.0 for p in spot.probability[:, column]) > 1:
        lines.append("a mix: draw one action by these probabilities")
    if not spot.reached[column]:
        lines.append(wrapped(f"off the path: play comes here {RARELY}; {MISTAKE}"))
    lines += [wrapped(line) for line in given_up_told(spot, column)]
    rows = [(*one.values(), place in row.best) for place, one in enumerate(actions)]
    data = spot_place(spot) | row_of(spot, column)
    return Screen("\n".join(lines), ("action", "probability", "ev", "loss", "best"), rows, data)


def table_ranked(spot: MultiplayerSpot, column: int) -> Ranked:
    """Rank the actions at a spot of any number of players for some cards seen; what is never needed goes last."""
    reach = float(spot.seeing[column] * spot.own_reach[column] * spot.other_reach[column])
    gap, chip = spot.solution.nash_conv, spot.solution.spec.chip
    return ranked(spot.probability[:, column], worth_by_need(spot)[:, column], reach, gap, chip)


def worth_by_need(spot: MultiplayerSpot) -> NDArray[np.float64]:
    """Return what actions are ranked by, shape (k, C): their values, and far less for what is never needed."""
    return np.asarray(spot.ev - np.where(spot.allowed, 0.0, NEVER))


def given_up_told(spot: MultiplayerSpot, column: int) -> list[str]:
    """Say in a sentence what a row gives up, and why; in none where that is next to nothing."""
    if not spot.gives_up[column]:
        return []
    told = f"{small(float(spot.given_up[column]))} {spot.solution.spec.unit}"
    return [f"The strategy gives up {told} here against the best play from here; {WHY}."]


def row_of(spot: MultiplayerSpot, column: int) -> dict[str, Any]:
    """Return one row of a spot, ready for JSON."""
    ranking = table_ranked(spot, column)
    return {
        "observation": spot.names[column],
        "observation_probability": float(spot.seeing[column]),
        "actions": [
            {"action": str(action), "probability": float(p), "ev": float(ev), "loss": float(loss)}
            for action, p, ev, loss in zip(
                spot.actions, spot.probability[:, column], spot.ev[:, column], spot.loss[:, column], strict=True
            )
        ],
        "best": [str(spot.actions[place]) for place in ranking.best],
        "resolution": ranking.resolution,
        "reach": {"own": float(spot.own_reach[column]), "others": float(spot.other_reach[column])},
        "reached": bool(spot.reached[column]),
        "given_up": float(spot.given_up[column]),
        "gives_up": bool(spot.gives_up[column]),
    }


def spot_place(spot: MultiplayerSpot) -> dict[str, Any]:
    """Return where a spot is, ready for JSON."""
    spec = spot.solution.spec
    return {
        "game": spec.game,
        "spec": spec.to_dict(),
        "unit": spec.unit,
        "notes": [*spec.notes, CLAIM],
        "history": format_history(spot.history),
        "player": player_name(spot.player),
        "gap": spot.solution.nash_conv,
    }


def _by_player(measured: Measured) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return columns and rows for CSV: each player's value and gain."""
    rows = zip(measured.values.tolist(), measured.gains.tolist(), strict=True)
    return ("player", "value", "gain"), [(player_name(n), value, gain) for n, (value, gain) in enumerate(rows)]


def _measured_lines(measured: Measured, unit: str) -> Iterator[str]:
    body = [
        [player_name(player), signed(value), small(gain)]
        for player, (value, gain) in enumerate(zip(measured.values.tolist(), measured.gains.tolist(), strict=True))
    ]
    yield grid(["player", f"value ({unit})", "a best response adds"], body)
    yield f"gap (NashConv)  {small(measured.nash_conv)} {unit}"


def _place(spot: MultiplayerSpot) -> list[str]:
    """Say where a spot is: game and chips, then player and history."""
    spec = spot.solution.spec
    after = f'after "{format_history(spot.history)}"' if spot.history else "at the start"
    return [
        wrapped(f"{spec.game}, {spec.headline}"),
        wrapped(f"{player_name(spot.player)} acts {after}; gap {small(spot.solution.nash_conv)} {spec.unit}"),
    ]
