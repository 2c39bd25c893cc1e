"""What the commands print of a spot of a solution of two players."""

from reports.data.ranking import row_ranked
from reports.data.row_sources import source_told
from reports.data.rows import (
    TIDY_COLUMNS,
    action_fields,
    player_name,
    row_fields,
    spot_fields,
    tidy_rows,
)
from reports.screens.screen import RARELY, Screen, mark, notes_of
from reports.text import units
from reports.text.words import grid, percent, wrapped
from rules.betting.actions import format_history
from solver.off_path.sources import SOURCES, UNKNOWN
from solver.solutions.solution import Solution
from solver.solutions.spots import REACHED, Spot

UNKNOWN_NAME = SOURCES[UNKNOWN]


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


def _place(solution: Solution, spot: Spot) -> list[str]:
    """Say where a spot is: game, deck and chips, what to know, then player and history."""
    board = f", {solution.spec.board_word} {spot.board}" if spot.board else ""
    after = f'after "{format_history(spot.history)}"' if spot.history else "at the start"
    return [
        wrapped(f"{solution.spec.game}, {solution.spec.headline}{board}"),
        *notes_of(solution.spec),
        wrapped(f"{player_name(spot.player)} acts {after}; gap {units.gap(solution.spec, solution.nash_conv)}"),
    ]
