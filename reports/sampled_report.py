"""The report of a strategy that was learned by sampling: a folder as `reports.table_report` writes it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reports.pages import Markup, filled, joined, table, tag
from reports.report import PAGE
from reports.sampled_nodes import LEGEND, NODE_COLUMNS, left_out, node_table, tidy_node, where
from reports.sampled_screens import CLAIM, bound_told, player_table, sampled_fields, trained_against
from reports.table_report import SPOT_COLUMNS, SPOTS, STRATEGY, last_parts, shares_figure, write_folder
from reports.text import counted, percent, plain
from reports.views import player_name
from rules.notation import BET, format_history
from rules.playing_cards import RANKS
from solver.sampled_keys import known
from solver.sampled_solution import SampledSolution
from solver.sampled_spots import SampledNode, node_at
from solver.sampling import DEALS, limits_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORGOTTEN = (
    "Forgotten are the third-best card and all below, the cards of players who folded but for whether one of them "
    "would be best, suits, and who exactly has called, folded or checked besides the holders of the two best cards."
)

MEANING = (
    "A response was trained for each seat against the strategy of all others, which stays as it is, and what it wins "
    "more than the strategy itself was estimated on fresh deals, with the same cards and the same luck for both; +- is "
    "half of a 95 % interval. The sum is a lower bound of NashConv but for chance: the strategy is at least so far "
    "from an equilibrium."
)

ESTIMATED = (
    "How often spots are reached and cards are seen is estimated by dealing; the probabilities of actions are those of "
    "the strategy."
)


def write_sampled_report(folder: Path, solution: SampledSolution, name: str) -> Path:
    """Write a report; what stands in the folder is overwritten file by file.

    Parameters
    ----------
    name
        The name of the solution's file.
    """
    drawn = {"opening": (opening(solution), "How often P1 bets at first, by the two highest ranks seen: percent.")}
    nodes = first_decisions(solution)
    shares = [row for node in nodes for row in spot_rows(node)]
    data = sampled_fields(solution) | {
        "name": name,
        "spots": [dict(zip(SPOT_COLUMNS, row, strict=True)) for row in shares],
    }
    tables = {
        STRATEGY: (NODE_COLUMNS, (row for node in nodes for row in tidy_node(node))),
        SPOTS: (SPOT_COLUMNS, shares),
    }
    return write_folder(folder, drawn, tables, data, summary(solution), page(solution, name, drawn, nodes))


def first_decisions(solution: SampledSolution) -> list[SampledNode]:
    """Return where each seat acts first: nobody has bet; then, in the same order, the seat before has just bet.

    P1 faces the bet of the last seat, after all have checked.
    """
    seats = solution.spec.seats
    checked = [" ".join("k" * before) for before in range(seats)]
    facing = [f"{before} b".strip() for before in (checked[-1], *checked[:-1])]
    return [node_at(solution, history) for history in (*checked, *facing)]


def spot_rows(node: SampledNode) -> list[tuple[Any, ...]]:
    """Return how often each action is played, over all that is seen; see `reports.table_report.SPOT_COLUMNS`."""
    before = (format_history(node.history), player_name(node.player), node.reached)
    return [(*before, str(action), share) for action, share in zip(node.actions, node.played.tolist(), strict=True)]


def opening(solution: SampledSolution) -> "Figure":
    """Draw how often P1 bets at first, by the two highest ranks seen; empty where nothing was learned."""
    node = node_at(solution)
    limits, shares = limits_of(solution.spec), np.full((len(RANKS), len(RANKS)), np.nan)
    bets = node.probability[[action.kind for action in node.actions].index(BET)]
    for key, share in zip(node.keys.tolist(), bets.tolist(), strict=True):
        one = known(limits, key)
        shares[one.best if one.second is None else one.second, one.best] = share
    title = f"{solution.spec.game}: how often P1 bets at first"
    return shares_figure(shares, RANKS, ("the best card seen", "the second-best card seen"), title)


def summary(solution: SampledSolution) -> str:
    """Return a report in Markdown, short enough for a chat or an issue."""
    headers, rows = player_table(solution.bound, solution.spec.unit)
    lines = [f"# {plain(solution.spec.title)}", "", plain(solution.spec.headline), ""]
    lines += [f"| {' | '.join(headers)} |", "|---|---:|---:|", *(f"| {' | '.join(row)} |" for row in rows), ""]
    lines += [f"{_bound(solution)} {CLAIM} {trained_against(solution.provenance.share)}", ""]
    lines += [f"The page {PAGE} has everything else.", ""]
    return "\n".join(lines)


def page(
    solution: SampledSolution, name: str, drawn: "Mapping[str, tuple[Figure, str]]", nodes: Sequence[SampledNode]
) -> str:
    """Return the report as one HTML page."""
    how = solution.provenance
    headers, rows = player_table(solution.bound, solution.spec.unit)
    learned = f"Learned in {counted(how.iterations, 'iteration')} of {DEALS:,} deals; {len(solution.keys):,} "
    told = [
        _bound(solution),
        MEANING,
        CLAIM,
        learned + "information sets were met.",
        trained_against(how.share),
        FORGOTTEN,
        ESTIMATED,
        *solution.spec.notes,
    ]
    values: dict[str, object] = {
        "title": solution.spec.title,
        "lead": f"{solution.spec.headline} ({name})",
        "players": joined([table(headers, rows), tag("p", _bound(solution)), tag("p", MEANING)]),
        "spots": joined(_spots(nodes)),
        **last_parts(drawn, told),
    }
    return filled("table.html", values)


def _spots(nodes: Sequence[SampledNode]) -> Iterator[Markup]:
    """Yield where each seat acts first, then what is played there by what is seen."""
    shown = [
        (format_history(node.history) or "the start", player_name(node.player), percent(node.reached),
         ", ".join(f"{action} {percent(share)}" for *_, action, share in spot_rows(node)))
        for node in nodes
    ]  # fmt: skip
    yield table(("after", "who acts", "reached", "plays, over all that is seen"), shown, numbers=4)
    yield tag("p", LEGEND)
    for node in nodes:
        title = tag("summary", f"{player_name(node.player)} {where(node)}")
        rest = [tag("p", line) for line in left_out(node, f"{STRATEGY} has all")]
        yield tag("details", title, table(*node_table(node)), *rest)


def _bound(solution: SampledSolution) -> str:
    told = " ".join(bound_told(solution.bound, solution.spec.unit).split())
    return f"{told[0].upper()}{told[1:]}."
