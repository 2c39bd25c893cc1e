"""The report of a strategy that was learned by sampling: a folder as `reports.pages.multiplayer_report` writes it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reports.data.links import spot_link
from reports.data.rows import player_name
from reports.figures.multiplayer import shares_figure
from reports.pages.explorer_data import Block
from reports.pages.markup import Markup, joined, table, tag
from reports.pages.multiplayer_report import SPOT_COLUMNS, write_folder
from reports.pages.report import PAGE
from reports.pages.seats_data import sampled_block
from reports.pages.seats_page import (
    SPOTS,
    STRATEGY,
    explorer_page,
    figure_parts,
    files_part,
    legend,
    spots_table,
    told_list,
)
from reports.screens.sampled import CLAIM, bound_told, player_table, sampled_fields, trained_against
from reports.screens.sampled_nodes import LEGEND, NODE_COLUMNS, left_out, node_table, tidy_node, where
from reports.text.words import counted, plain
from rules.betting.actions import BET, format_history
from rules.cards.playing_cards import RANKS
from rules.games.spec import HandSpec
from solver.mccfr.bucket_keys import known
from solver.mccfr.sampler import DEALS, limits_of
from solver.mccfr.solution import MCCFRSolution
from solver.mccfr.spots import KNOWN, MCCFRNode, node_at

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

ESTIMATED = "how often spots are reached, cards are seen, and actions are played over all cards."

TERMS = (
    ("K (to act), then 9 (leads)", "the two best cards among the others left, and what their holders have done"),
    ("leads", "made the last bet or raise"),
    ("called, checked", "answered it, or went on while nobody has bet"),
    ("to act", "has yet to act or to answer"),
    ("* after cards", "somebody who folded shows a card that would be best"),
    ("not known", f"learning came there in fewer than {KNOWN:,} hands"),
    ("+-", "half of an interval that holds the true value with 95 %"),
    ("NashConv", "what each player alone could still gain by a best response, summed over the players"),
)
"""What a page of this kind alone says."""


def write_sampled_report(folder: Path, solution: MCCFRSolution, name: str) -> Path:
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
    links = {"opening": (spot_link(()), "P1's first decision above")}
    shown = page(solution, name, figure_parts(drawn, links), nodes)
    return write_folder(folder, drawn, tables, data, summary(solution), shown)


def first_decisions(solution: MCCFRSolution) -> list[MCCFRNode]:
    """Return where each seat acts first: nobody has bet; then, in the same order, the seat before has just bet.

    P1 faces the bet of the last seat, after all have checked.
    """
    seats = solution.spec.seats
    checked = [" ".join("k" * before) for before in range(seats)]
    facing = [f"{before} b".strip() for before in (checked[-1], *checked[:-1])]
    return [node_at(solution, history) for history in (*checked, *facing)]


def spot_rows(node: MCCFRNode) -> list[tuple[Any, ...]]:
    """Return how often each action is played, over all that is seen, in the order of `SPOT_COLUMNS`."""
    before = (format_history(node.history), player_name(node.player), node.reached)
    return [(*before, str(action), share) for action, share in zip(node.actions, node.played.tolist(), strict=True)]


def opening(solution: MCCFRSolution) -> "Figure":
    """Draw how often P1 bets at first, by the two highest ranks seen; empty where nothing was learned."""
    node = node_at(solution)
    limits, shares = limits_of(solution.spec), np.full((len(RANKS), len(RANKS)), np.nan)
    bets = node.probability[[action.kind for action in node.actions].index(BET)]
    for key, share in zip(node.keys.tolist(), bets.tolist(), strict=True):
        one = known(limits, key)
        shares[one.best if one.second is None else one.second, one.best] = share
    title = f"{solution.spec.game}: how often P1 bets at first"
    return shares_figure(shares, RANKS, ("the best card seen", "the second-best card seen"), title)


def summary(solution: MCCFRSolution) -> str:
    """Return a report in Markdown, short enough for a chat or an issue."""
    headers, rows = player_table(solution.bound, solution.spec.unit)
    lines = [f"# {plain(solution.spec.title)}", "", plain(solution.spec.headline), ""]
    lines += [f"| {' | '.join(headers)} |", "|---|---:|---:|", *(f"| {' | '.join(row)} |" for row in rows), ""]
    lines += [f"{_bound(solution)} {CLAIM} {trained_against(solution.provenance.share)}", ""]
    lines += [f"The page {PAGE} has everything else.", ""]
    return "\n".join(lines)


def page(solution: MCCFRSolution, name: str, pictures: Markup, nodes: Sequence[MCCFRNode]) -> str:
    """Return the report as one HTML page.

    Parameters
    ----------
    pictures
        Its figures.
    nodes
        Where the page says what is played over all cards.
    """
    spec, block = solution.spec, Block()
    headers, rows = player_table(solution.bound, spec.unit)
    parts: dict[str, object] = {
        "cut": Markup(),
        "legend": legend(spec, TERMS),
        "players": joined([table(headers, rows), tag("p", _bound(solution)), tag("p", MEANING)]),
        "spots": joined(_spots(spec, nodes)),
        "figures": pictures,
        "trust": told_list(_trust(solution)),
        "data": files_part(),
    }
    return explorer_page(spec, name, sampled_block(solution, block, nodes), block, parts)


def _trust(solution: MCCFRSolution) -> list[str]:
    """Say what is exact, what is estimated or a bound, and what is not known, in sentences."""
    how = solution.provenance
    return [
        "Exact: how often each action is played is what the strategy plays, rounded to the digits shown.",
        f"Estimated by dealing: {ESTIMATED}",
        f"A lower bound, estimated: {_bound(solution)} {MEANING}",
        f"Not known: how far the strategy is from an equilibrium at most, and what was never met. {CLAIM}",
        f"Learned in {counted(how.iterations, 'iteration')} of {DEALS:,} deals; {len(solution.keys):,} information "
        "sets were met.",
        trained_against(how.share),
        FORGOTTEN,
        *solution.spec.notes,
    ]


def _spots(spec: HandSpec, nodes: Sequence[MCCFRNode]) -> Iterator[Markup]:
    """Yield where each seat acts first, then what is played there by what is seen."""
    yield tag("p", "Where each seat acts first: nobody has bet; then, the seat before has just bet.")
    mixes = [list(zip(node.actions, node.played.tolist(), strict=True)) for node in nodes]
    yield spots_table(
        spec, [(node.history, node.player, node.reached, mix) for node, mix in zip(nodes, mixes, strict=True)]
    )
    yield tag("p", LEGEND)
    for node in nodes:
        title = tag("summary", f"{player_name(node.player)} {where(node)}")
        rest = [tag("p", line) for line in left_out(node, f"{STRATEGY} has all")]
        yield tag("details", title, table(*node_table(node)), *rest)


def _bound(solution: MCCFRSolution) -> str:
    told = " ".join(bound_told(solution.bound, solution.spec.unit).split())
    return f"{told[0].upper()}{told[1:]}."
