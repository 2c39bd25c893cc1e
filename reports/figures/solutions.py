"""Figures of solutions, with matplotlib; nothing is shown, no display is needed.

Colours run from light to dark in one hue, or are told apart by line style and mark too, so that every figure can
be read in grey and by the colour-blind.
"""

import io
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.data.node_summary import NodeTable
from reports.data.rows import player_name
from reports.text.persons import quality_to
from reports.text.words import TRACE, percent
from rules.base.atomic_files import replaced
from rules.betting.actions import BET, FOLD, Action, format_history
from solver.solutions.solution import Solution
from solver.solutions.spots import Spot, Spots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

from reports.data.node_summary import PANELS, opening_shares, typical_boards

FORMATS = (".png", ".svg")
BLUE, BROWN = "#2a78bd", "#b5651d"
SHADES = "Blues"

DOTS = 150
"""Pixels of an inch in a PNG."""

WIDEST = 10.6
"""Inches that a figure may be wide, so that its PNG has at most 1,600 pixels; what needs more goes below."""

NARROW, NARROWEST = 0.45, 0.34
"""Inches of a column in a heat map: below the first its name stands upright, below the second panels are fewer."""


class Timing(NamedTuple):
    """A measurement of a solve: iterations done, seconds since it began, and NashConv then."""

    iterations: int
    seconds: float
    nash_conv: float


class Answers(NamedTuple):
    """The openings that P2 is to answer.

    Parameters
    ----------
    shown
        How often P1 opens so, and P2's spot after it, in the order of the actions; at most `PANELS`.
    seldom
        Openings that P1 never takes, or in less than 0.05 % of hands.
    others
        Openings that are left out because so many are taken more often.
    """

    shown: tuple[tuple[float, Spot], ...]
    seldom: tuple[Action, ...]
    others: tuple[Action, ...]


class Stage(NamedTuple):
    """One hand of a series: what it is called, its solution, and who asks (0 for P1; None where nothing says)."""

    label: str
    solution: Solution
    seat: int | None = None


def convergence(solution: Solution, timings: Sequence[Timing] = ()) -> "Figure":
    """Draw the exploitability against iterations on log axes, with the target; beside it against time, where known.

    Parameters
    ----------
    timings
        Measurements as `solve --timings` keeps them.

    Returns
    -------
    matplotlib.figure.Figure
        Exploitability in the unit of the objective, time in seconds.
    """
    figure = empty_figure(WIDEST if timings else 7.0, 4.2)
    checks = [(float(check.iterations), check.nash_conv) for check in solution.provenance.checks]
    panels = [(figure.add_subplot(1, 2 if timings else 1, 1), checks)]
    if timings:
        panels.append((figure.add_subplot(1, 2, 2), [(one.seconds, one.nash_conv) for one in timings]))
    for axes, points in panels:
        drawn = [(at, gap / 2) for at, gap in points if at > 0 and gap > 0.0]
        axes.plot(
            [at for at, _ in drawn],
            [half for _, half in drawn],
            color=BLUE,
            marker="o",
            markersize=3,
            linewidth=1.2,
            label="exploitability",
        )
        axes.axhline(solution.provenance.target / 2, color=BROWN, linestyle="--", linewidth=1.0, label="target")
        if drawn:
            axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(True, which="major", color="#808080", alpha=0.25, linewidth=0.6)
        axes.legend(frameon=False)
    simplex = solution.provenance.method == "lp"
    panels[0][0].set_xlabel("simplex iterations" if simplex else "iterations (both players updated once each)")
    panels[0][0].set_ylabel(f"exploitability = NashConv / 2 ({solution.spec.unit})")
    panels[0][0].set_title(f"{solution.spec.game}: exploitability by iterations")
    if timings:
        from matplotlib.ticker import FuncFormatter, NullFormatter

        panels[1][0].set_xlabel("time (s), loading and compiling included")
        panels[1][0].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        panels[1][0].xaxis.set_minor_formatter(NullFormatter())
        panels[1][0].set_title("by time")
    return figure


def opening(solution: Solution, boards: Sequence[str] = ()) -> "Figure":
    """Draw how P1 opens: a heat map of probability by observation and action, a panel for each deal.

    Parameters
    ----------
    boards
        Boards or fronts to draw; by default the first of each class of deals, at most six.
    """
    named = tuple(boards) or typical_boards(solution)
    spots = [Spots(solution, board).at() for board in named]
    return _maps(
        spots, [f"{solution.spec.board_word} {spot.board}" if spot.board else "" for spot in spots], solution,
        f"{solution.spec.game}: how P1 opens",
    )  # fmt: skip


def answers(solution: Solution, board: str = "") -> Answers:
    """Return which openings P2 is to answer, and which are too seldom to be drawn.

    Parameters
    ----------
    board
        The board or the fronts; by default those of the likeliest class.
    """
    deal = Spots(solution, board or typical_boards(solution)[0])
    root = deal.at()
    share = NodeTable(deal, np.array([0])).share[root.player].tolist()
    child = solution.tree.child[solution.tree.rows(0)].tolist()
    ways = [(part, action, at) for part, action, at in zip(share, root.actions, child, strict=True) if at >= 0]
    taken = sorted((way for way in ways if way[0] >= TRACE), key=lambda way: -way[0])
    drawn = [action for _, action, _ in taken[:PANELS]]
    return Answers(
        tuple((part, deal.spot(at, (action,))) for part, action, at in ways if action in drawn),
        tuple(action for part, action, _ in ways if part < TRACE),
        tuple(action for part, action, _ in ways if part >= TRACE and action not in drawn),
    )


def responses(solution: Solution, board: str = "") -> "Figure":
    """Draw how P2 answers each opening that does not end the hand, as `opening` draws openings.

    Openings that P1 hardly ever takes are left out, and all but the six that are taken most; see `answers`.
    """
    named = board or typical_boards(solution)[0]
    shown = answers(solution, named).shown
    titles = [f"after {format_history(spot.history)} ({percent(part)})" for part, spot in shown]
    word = f", {solution.spec.board_word} {named}" if named else ""
    return _maps([spot for _, spot in shown], titles, solution, f"{solution.spec.game}{word}: how P2 answers")


def bet_sizes(solution: Solution, board: str = "") -> "Figure":
    """Draw what P1 puts in at first by observation: how often each size, and the mean of all bets."""
    spot = Spots(solution, board or typical_boards(solution)[0]).at()
    figure = empty_figure(7.4, max(2.0, 0.9 + 0.36 * len(spot.observations)))
    axes = figure.add_subplot()
    sizes = [_size(action) for action in spot.actions]
    taken = spot.probability.max(axis=1) >= TRACE
    # What nobody plays comes last, without a colour and a place in the legend.
    order = sorted(range(len(sizes)), key=lambda place: (not taken[place], sizes[place], place))
    count = int(taken.sum())
    places = np.arange(len(spot.observations))
    start = np.zeros(len(places))
    for rank, place in enumerate(order):
        axes.barh(
            places,
            spot.probability[place],
            left=start,
            height=0.78,
            color=shade(min(rank, count - 1), count),
            edgecolor="#606060",
            linewidth=0.5,
            label=spot.actions[place].words,
        )
        start = start + spot.probability[place]
    bars = axes.containers[:count]
    betting = [place for place in order if sizes[place] > 0 and spot.actions[place].size > 0]
    if betting:
        often = spot.probability[betting].sum(axis=0)
        total = np.array([sizes[place] for place in betting], dtype=float) @ spot.probability[betting]
        for place in range(len(places)):
            text = f"{total[place] / often[place]:.1f}" if often[place] >= TRACE else "none"
            axes.text(1.015, place, text, va="center", ha="left", fontsize=9)
        axes.text(1.015, -0.65, "mean bet", va="center", ha="left", fontsize=8)
    axes.set_yticks(places, spot.observations)
    axes.invert_yaxis()  # as in the tables
    axes.set_xlim(0.0, 1.0)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.set_ylabel(f"P1 {solution.spec.sees}")
    axes.set_title(_title(f"{solution.spec.game}: size of the opening bet", solution, spot.board))
    _legend_below(figure, bars)
    return figure


def series(stages: Sequence[Stage], what: str) -> "Figure":
    """Draw how value and strategy change over deck states, first to last.

    Parameters
    ----------
    stages
        Solutions of one game, in the order to draw.
    what
        What the order is, such as "deck state".
    """
    count = len(stages)
    unit = stages[0].solution.spec.unit
    figure = empty_figure(max(7.0, min(WIDEST, 2.5 + 0.55 * count)), 6.6)
    above, below = figure.subplots(2, 1, sharex=True)
    places = np.arange(1, count + 1)
    seen = [quality_to(one.solution.spec, one.solution.quality, one.seat) for one in stages]
    values = np.array([one.value for one in seen])
    bounds = np.array([(one.lower, one.upper) for one in seen])
    gaps = np.maximum(np.stack([values - bounds[:, 0], bounds[:, 1] - values]), 0.0)
    above.errorbar(places, values, yerr=gaps, color=BLUE, marker="o", markersize=4, linewidth=1.2, capsize=3)
    above.set_ylabel(f"value to {'P1' if stages[0].seat is None else 'you'} ({unit})")
    above.set_title(f"{stages[0].solution.spec.game}: value (bars: bounds) and how P1 opens, by {what}")
    above.grid(True, axis="y", color="#808080", alpha=0.25, linewidth=0.6)
    shares = [opening_shares(one.solution) for one in stages]
    sizes: dict[str, int] = {}  # an all-in is one action, whatever its size
    for action in (action for share in shares for action in share):
        sizes[action.words] = max(sizes.get(action.words, -1), _size(action))
    start = np.zeros(count)
    for rank, words in enumerate(sorted(sizes, key=lambda name: (sizes[name], name))):
        part = np.array([sum(value for action, value in share.items() if action.words == words) for share in shares])
        below.bar(
            places, part, bottom=start, width=0.8, color=shade(rank, len(sizes)), edgecolor="#606060",
            linewidth=0.5, label=words,
        )  # fmt: skip
        start = start + part
    below.set_ylim(0.0, 1.0)
    below.set_yticks([0, 0.5, 1.0], ["0 %", "50 %", "100 %"])
    below.set_ylabel("share of all hands")
    labels = [one.label if len(one.label) <= 32 else f"{one.label[:30]}..." for one in stages]
    below.set_xticks(places, labels, rotation=40 if max(map(len, labels)) > 3 else 0, ha="right", parse_math=False)
    below.set_xlabel(what)
    figure.legend(*below.get_legend_handles_labels(), loc="outside right center", frameon=False, fontsize=9)
    return figure


def save(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG or SVG, by the ending of `path`; the same figure gives the same bytes.

    Raises
    ------
    OSError
        Where it cannot be written.
    """
    ending = Path(path).suffix.lower()
    with replaced(path, "wb") as file:
        _write(figure, file, ending[1:])


def markup(figure: "Figure", prefix: str) -> str:
    """Return a figure as SVG to stand within a page: black turns with the page's colours, texts stay texts.

    Parameters
    ----------
    prefix
        Goes before every id, so that those of several figures differ.
    """
    buffer = io.BytesIO()
    _write(figure, buffer, "svg", fonttype="none", transparent=True)
    text = buffer.getvalue().decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r'\1 aria-hidden="true"', text, count=1)
    return text.replace("#000000", "currentColor")


def _write(figure: "Figure", file: Any, kind: str, fonttype: str = "path", **how: Any) -> None:
    import matplotlib

    metadata = {"Date": None} if kind == "svg" else {}
    with matplotlib.rc_context({"svg.hashsalt": "forehead", "svg.fonttype": fonttype}):
        figure.savefig(file, format=kind, dpi=DOTS, metadata=metadata, **how)


def empty_figure(width: float, height: float) -> "Figure":
    """Return a figure without axes; sizes are in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _maps(spots: Sequence[Spot], titles: Sequence[str], solution: Solution, title: str) -> "Figure":
    """Draw a heat map of each spot, side by side in rows of three at most."""
    tall = max((len(spot.observations) for spot in spots), default=1)
    wide = max((len(spot.actions) for spot in spots), default=1)
    room = int(WIDEST / (1.1 + NARROWEST * wide))
    columns = max(1, min(2 if len(spots) == 4 else 3, len(spots), room))
    lines = -(-len(spots) // columns) or 1
    size = min(1.1 + 0.62 * wide, WIDEST / columns)
    height = 1.1 + 0.34 * min(tall, 13) + (0.12 * max(0, tall - 13))
    figure = empty_figure(max(6.0, columns * size), lines * height + 0.4)
    if not spots:
        figure.suptitle(f"{title}: nobody is ever to answer", fontsize=12)
        return figure
    grid = figure.subplots(lines, columns, squeeze=False)
    for axes, spot, told in zip(grid.flat, spots, titles, strict=False):
        _map(axes, spot, solution, (size - 1.1) / wide)
        if told:
            axes.set_title(told, fontsize=10)
    for axes in grid.flat[len(spots) :]:
        axes.remove()
    figure.suptitle(_title(title, solution, ""), fontsize=12)
    return figure


def _map(axes: "Axes", spot: Spot, solution: Solution, inches: float) -> None:
    """Draw one heat map; a column is so many inches wide."""
    shares: NDArray[np.float64] = spot.probability.T
    tall, wide = shares.shape
    axes.pcolormesh(shares, cmap=SHADES, vmin=0.0, vmax=1.0, edgecolors="#808080", linewidth=0.4)
    for (row, column), share in np.ndenumerate(shares):
        if share >= 5e-3 and tall <= 20 and inches >= 0.25:
            axes.text(
                column + 0.5, row + 0.5, f"{100 * share:.0f}", ha="center", va="center", fontsize=8,
                color="#ffffff" if share > 0.55 else "#101010",
            )  # fmt: skip
    axes.set_xticks(np.arange(wide) + 0.5, [str(action) for action in spot.actions], fontsize=8)
    if max(len(str(action)) for action in spot.actions) > 5:
        axes.tick_params("x", rotation=90 if inches < NARROW else 35)
    axes.set_yticks(np.arange(tall) + 0.5, spot.observations, fontsize=8 if tall <= 20 else 5)
    axes.invert_yaxis()  # as in the tables
    axes.set_ylabel(f"{player_name(spot.player)} {solution.spec.sees}", fontsize=9)
    axes.tick_params(length=0)


def _legend_below(figure: "Figure", drawn: Sequence[Any]) -> None:
    """Put a legend below a figure, in as many columns as it has room for, and make room for its lines."""
    for columns in range(min(6, len(drawn)), 0, -1):
        legend = figure.legend(handles=drawn, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
        figure.draw_without_rendering()
        if legend.get_window_extent().width <= figure.bbox.width or columns == 1:
            break
        legend.remove()
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + legend.get_window_extent().height / figure.dpi - 0.3)


def _title(title: str, solution: Solution, board: str) -> str:
    place = f", {solution.spec.board_word} {board}" if board else ""
    return f"{title}{place}\n{solution.spec.headline}"


def _size(action: Action) -> int:
    """Return what an opening adds to the pot; -1 for a fold, 1 for a bet of fixed size."""
    return -1 if action.kind == FOLD else max(action.size, 1) if action.kind == BET else action.size


def shade(rank: int, count: int) -> Any:
    """Return one of `count` colours that run from light to dark."""
    import matplotlib

    return matplotlib.colormaps[SHADES](0.05 + 0.9 * rank / max(1, count - 1))
