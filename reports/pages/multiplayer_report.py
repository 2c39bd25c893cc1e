"""The report of a table of more than two players: a folder with a page, tables, figures and a summary."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from reports.data.links import spot_link
from reports.data.multiplayer_rows import ROW_COLUMNS, tidy_spot
from reports.data.rows import player_name
from reports.figures import solutions as figures
from reports.pages.explorer_data import Block
from reports.pages.markup import Markup, joined, table, tag
from reports.pages.report import DATA, PAGE, SUMMARY
from reports.pages.seats_data import exact_block, whole
from reports.pages.seats_page import (
    SPOTS,
    STRATEGY,
    SpotRow,
    explorer_page,
    figure_parts,
    files_part,
    legend,
    spots_table,
    told_list,
)
from reports.screens.multiplayer import CLAIM, table_fields
from reports.text.words import counted, plain, signed, small, write_csv
from rules.base.atomic_files import replaced
from rules.betting.actions import Action, format_history
from rules.games.spec import HandSpec
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.spots import spot_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from reports.figures.multiplayer import convergence, opening

SELDOM = 1e-3
"""Spots that play comes to less often than this are left out of a report; an export has all."""

FIRST = 10
"""Spots that a page lists at once; those reached less often are a tap away."""

SPOT_COLUMNS = ("history", "player", "reached", "action", "probability")


def write_table_report(folder: Path, solution: MultiplayerSolution, name: str) -> Path:
    """Write a report; what stands in the folder is overwritten file by file."""
    drawn = {"nash-conv": (convergence(solution), "How NashConv fell while solving; dashed is the target.")}
    links = {}
    if solution.players == 3:
        caption = "How often P1 bets at first, by the cards seen of P2 and P3: percent of hands. Numbers lead to spots."
        drawn["opening"] = (opening(solution), caption)
        links["opening"] = (spot_link(()), "P1's first decision above")
    spots = [(history, often, shares_at(solution, history)) for history, often in reached_spots(solution)]
    shares = [row for history, often, played in spots for row in share_rows(solution.spec, history, often, played)]
    data = table_fields(solution) | {
        "name": name,
        "spots": [dict(zip(SPOT_COLUMNS, row, strict=True)) for row in shares],
    }
    tables = {
        STRATEGY: (ROW_COLUMNS, (row for history, *_ in spots for row in tidy_spot(spot_at(solution, history)))),
        SPOTS: (SPOT_COLUMNS, shares),
    }
    pictures = figure_parts(drawn, links)
    return write_folder(folder, drawn, tables, data, summary(solution), page(solution, name, pictures, spots))


def write_folder(
    folder: Path,
    drawn: "Mapping[str, tuple[Figure, str]]",
    tables: Mapping[str, tuple[Sequence[str], Iterable[Sequence[Any]]]],
    data: Mapping[str, Any],
    told: str,
    shown: str,
) -> Path:
    """Write all files of a report and return its page.

    Parameters
    ----------
    drawn
        Figures with what can be seen in them, by the names of their files without endings.
    tables
        Columns and rows, by the names of their files.
    data, told, shown
        The contents of `DATA`, `SUMMARY` and `PAGE`.
    """
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for stem, (figure, _) in drawn.items():
        for ending in figures.FORMATS:
            figures.save(figure, folder / "figures" / f"{stem}{ending}")
    for name, (columns, rows) in tables.items():
        with replaced(folder / name) as file:
            write_csv(file, columns, rows)
    texts = {DATA: json.dumps(data, indent=2, allow_nan=False) + "\n", SUMMARY: told, PAGE: shown}
    for name, text in texts.items():
        with replaced(folder / name) as file:
            file.write(text)
    return folder / PAGE


def reached_spots(solution: MultiplayerSolution) -> list[tuple[tuple[Action, ...], float]]:
    """Return the histories of spots that play comes to, with how often it does, most often first."""
    game, tree = solution.game, solution.game.betting.tree
    reach = game.reach(solution.profile)
    found = []
    for node in range(tree.nodes):
        own = reach[game.betting.own_before[node]]
        often = float((game.deals.seeing.ravel() * own * game.met(node, reach)).sum())
        if often >= SELDOM:
            found.append((tuple(tree.history(node)), often))
    return sorted(found, key=lambda pair: -pair[1])


def shares_at(solution: MultiplayerSolution, history: Sequence[Action]) -> list[tuple[Action, float]]:
    """Return how often each action is played after a history, over all that is seen there."""
    spot = spot_at(solution, history)
    shares, _, _ = whole(spot)
    return list(zip(spot.actions, shares.tolist(), strict=True))


def share_rows(
    spec: HandSpec, history: Sequence[Action], often: float, played: Sequence[tuple[Action, float]]
) -> list[tuple[Any, ...]]:
    """Return a row for each action, see `SPOT_COLUMNS`; `often` is how often play comes there, 0 to 1."""
    _, position = spec.public.follow(history)
    where = (format_history(history), player_name(spec.public.player(position)), often)
    return [(*where, str(action), share) for action, share in played]


def summary(solution: MultiplayerSolution) -> str:
    """Return a report in Markdown, short enough for a chat or an issue."""
    unit, measured = solution.spec.unit, solution.measured
    lines = [f"# {plain(solution.spec.title)}", "", plain(solution.spec.headline), ""]
    lines += [f"| player | value ({unit}) | a best response adds |", "|---|---:|---:|"]
    lines += [f"| {name} | {value} | {gain} |" for name, value, gain in _players(solution)]
    lines += [
        "",
        f"NashConv {small(measured.nash_conv)} {unit}. {CLAIM}",
        "",
        f"The page {PAGE} has everything else.",
        "",
    ]
    return "\n".join(lines)


def page(
    solution: MultiplayerSolution,
    name: str,
    pictures: Markup,
    spots: Sequence[tuple[tuple[Action, ...], float, list[tuple[Action, float]]]],
) -> str:
    """Return the report as one HTML page.

    Parameters
    ----------
    pictures
        Its figures.
    spots
        Histories, how often play comes there, and how often each action is played then.
    """
    spec, block = solution.spec, Block()
    numbers = exact_block(solution, block)
    players = {history: spec.public.player(spec.public.follow(history)[1]) for history, *_ in spots}
    seldom = tag("p", f"Spots that play comes to in fewer than one of {round(1 / SELDOM):,} hands are left out here.")
    rows = [(history, players[history], often, played) for history, often, played in spots]
    parts: dict[str, object] = {
        "cut": _cut(numbers),
        "legend": legend(spec, _terms(spec.unit)),
        "players": table(("player", f"value ({spec.unit})", "a best response adds"), _players(solution)),
        "spots": joined([seldom, spots_table(spec, rows[:FIRST]), *_later(spec, rows[FIRST:])]),
        "figures": pictures,
        "trust": told_list(_trust(solution)),
        "data": files_part(),
    }
    return explorer_page(spec, name, numbers, block, parts)


def _later(spec: HandSpec, rows: Sequence[SpotRow]) -> list[Markup]:
    """Return the rows that a page shows only where somebody asks for them."""
    if not rows:
        return []
    return [tag("details", tag("summary", f"{counted(len(rows), 'spot')} more"), spots_table(spec, rows))]


def _cut(numbers: Mapping[str, Any]) -> Markup:
    if numbers["nodes"] == numbers["total"]:
        return Markup()
    told = (
        f"This page is cut. It holds the {numbers['nodes']:,} of {numbers['total']:,} histories to which the play of "
        f"all players but one leads with a probability of {numbers['threshold']:g} or more; forehead show has the rest."
    )
    return tag("p", told, class_="warning")


def _terms(unit: str) -> list[tuple[str, str]]:
    """Return what the explorer of every deal says that others do not."""
    return [
        ("EV", f"expected {unit} of the whole hand, counted from before the ante, where all go on with the strategy"),
        ("●", "best: the highest EV, and what is as good within what the solution can tell"),
        (
            "own reach, others'",
            "how often the player's own actions, and those of all others, lead here with these cards",
        ),
        ("*", "off the path: play comes here less than once in 1,000 hands, and the row was learned from slips"),
        ("NashConv", "what each player alone could still gain by a best response, summed over the players"),
    ]


def _trust(solution: MultiplayerSolution) -> list[str]:
    """Say what is exact, what is near, and what is not known, in sentences."""
    unit, how = solution.spec.unit, solution.provenance
    ended = "reached" if solution.converged else "did not reach"
    told = [
        "Exact: every deal and every history is counted. Values, EVs, reaches, and what a best response adds are those "
        "of the strategy shown, rounded to the digits shown.",
        f"Near: the strategy is close to an equilibrium and not one. NashConv is {small(solution.nash_conv)} {unit}, "
        f"after {how.iterations:,} iterations; the solve {ended} its target of {small(how.target)} {unit}.",
        "Not known: bounds on what the game is worth to a player. With three and more players there may be many "
        "equilibria, of different values.",
    ]
    if how.coarse is not None:
        told.append(f"Coarse correlated gap of the joint play over the iterations: {small(how.coarse.gap)} {unit}.")
    return [*told, *solution.spec.notes, CLAIM]


def _players(solution: MultiplayerSolution) -> list[tuple[str, str, str]]:
    rows = zip(solution.measured.values.tolist(), solution.measured.gains.tolist(), strict=True)
    return [(player_name(n), signed(value), small(gain)) for n, (value, gain) in enumerate(rows)]


def write_strategy(solution: MultiplayerSolution, file: IO[str]) -> None:
    """Write the whole strategy as CSV, spot by spot."""
    tree = solution.game.betting.tree
    rows = (row for node in range(tree.nodes) for row in tidy_spot(spot_at(solution, tree.history(node))))
    write_csv(file, ROW_COLUMNS, rows)
