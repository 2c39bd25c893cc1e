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

from reports.nodes import NodeTable
from reports.persons import quality_to
from reports.text import TRACE, percent
from reports.views import player_name
from rules.errors import OptionError
from rules.files import replaced, writable
from rules.notation import BET, FOLD, Action, format_history
from solver.solution import Solution, load
from solver.spots import Spot, Spots
from solver.table_solution import is_sampled_file, is_table_file, load_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
BLUE, BROWN = "#2a78bd", "#b5651d"
SHADES = "Blues"
PANELS = 6
"""Deals or bets up to which each has a panel of its own."""


class Timing(NamedTuple):
    """A measurement of a solve: iterations done, seconds since it began, and NashConv then."""

    iterations: int
    seconds: float
    nash_conv: float


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
    figure = empty_figure(11.0 if timings else 7.0, 4.2)
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


def responses(solution: Solution, board: str = "") -> "Figure":
    """Draw how P2 answers each opening that does not end the hand, as `opening` draws openings; at most six."""
    deal = Spots(solution, board or typical_boards(solution)[0])
    root = deal.at()
    share = NodeTable(deal, np.array([0])).share[root.player]
    tree = solution.tree
    ways = [
        (float(share[place]), deal.spot(child, (action,)))
        for place, (action, child) in enumerate(zip(root.actions, tree.child[tree.rows(0)].tolist(), strict=True))
        if child >= 0
    ]
    most = sorted(ways, key=lambda way: -way[0])[:PANELS]
    shown = [way for way in ways if any(way is one for one in most)]
    titles = [f"after {format_history(spot.history)} ({percent(part).replace('-', 'never')})" for part, spot in shown]
    word = f", {solution.spec.board_word} {deal.board}" if deal.board else ""
    return _maps([spot for _, spot in shown], titles, solution, f"{solution.spec.game}{word}: how P2 answers")


def bet_sizes(solution: Solution, board: str = "") -> "Figure":
    """Draw what P1 puts in at first by observation: how often each size, and the mean of all bets."""
    spot = Spots(solution, board or typical_boards(solution)[0]).at()
    figure = empty_figure(7.4, 0.9 + 0.36 * len(spot.observations))
    axes = figure.add_subplot()
    sizes = [_size(action) for action in spot.actions]
    order = sorted(range(len(sizes)), key=lambda place: (sizes[place], place))
    places = np.arange(len(spot.observations))
    start = np.zeros(len(places))
    for rank, place in enumerate(order):
        axes.barh(
            places,
            spot.probability[place],
            left=start,
            height=0.78,
            color=shade(rank, len(order)),
            edgecolor="#606060",
            linewidth=0.5,
            label=spot.actions[place].words,
        )
        start = start + spot.probability[place]
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
    figure.legend(loc="outside lower center", ncols=min(6, len(order)), frameon=False, fontsize=9)
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
    figure = empty_figure(max(7.0, min(14.0, 2.5 + 0.55 * count)), 6.6)
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


def opening_shares(solution: Solution, classes: Sequence[int] | None = None) -> dict[Action, float]:
    """Return how often P1 opens with each action, over all observations; empty where nobody acts.

    Parameters
    ----------
    classes
        Numbers of the classes of deals to look at, all by default; they count by their weights.
    """
    found: dict[Action, float] = {}
    if not solution.tree.nodes:
        return found
    chosen = [solution.classes[number] for number in (range(len(solution.classes)) if classes is None else classes)]
    total = sum(group.weight for group in chosen)
    for group in chosen:
        table = NodeTable(Spots(solution, group.deals[0].board), np.array([0]))
        shares = table.share[int(solution.tree.player[0])].tolist()
        for action, part in zip(solution.tree.actions(0), shares, strict=True):
            found[action] = found.get(action, 0.0) + group.weight / total * part
    return found


def typical_boards(solution: Solution) -> tuple[str, ...]:
    """Return the first deal of each class, the likeliest classes first, at most `PANELS`."""
    classes = sorted(solution.classes, key=lambda group: -round(group.weight, 12))
    return tuple(group.deals[0].board for group in classes[:PANELS])


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


def plotted(file: str, output: str | None, force: bool) -> Path:
    """Draw the exploitability of a saved solution into a file, by default a PNG beside it, and return its name.

    Raises
    ------
    OptionError
        Where the file cannot be written, its name ends in no format of `FORMATS`, or nothing was measured while
        the solution was learned.
    """
    if is_sampled_file(file):
        raise OptionError(
            f"{file} was learned by sampling and is measured at the end alone, so there is no curve to plot; "
            "forehead report draws what is played"
        )
    target = Path(file).with_suffix(".png") if output is None else output
    path = writable(target, force, file)
    assert path is not None
    if path.suffix.lower() not in FORMATS:
        raise OptionError(f"expected an output file ending in {' or '.join(FORMATS)}, got {target}")
    if is_table_file(file):
        from reports.table_report import convergence as of_table

        save(of_table(load_table(file)), path)
    else:
        save(convergence(load(file)), path)
    return path


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
        figure.savefig(file, format=kind, dpi=150, metadata=metadata, **how)


def empty_figure(width: float, height: float) -> "Figure":
    """Return a figure without axes; sizes are in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _maps(spots: Sequence[Spot], titles: Sequence[str], solution: Solution, title: str) -> "Figure":
    """Draw a heat map of each spot, side by side in rows of three at most."""
    columns = 2 if len(spots) == 4 else min(3, max(1, len(spots)))
    lines = -(-len(spots) // columns) or 1
    tall = max((len(spot.observations) for spot in spots), default=1)
    wide = max((len(spot.actions) for spot in spots), default=1)
    size = 1.1 + 0.62 * wide
    height = 1.1 + 0.34 * min(tall, 13) + (0.12 * max(0, tall - 13))
    figure = empty_figure(max(6.0, columns * size), lines * height + 0.4)
    if not spots:
        figure.suptitle(f"{title}: nobody is ever to answer", fontsize=12)
        return figure
    grid = figure.subplots(lines, columns, squeeze=False)
    for axes, spot, told in zip(grid.flat, spots, titles, strict=False):
        _map(axes, spot, solution)
        if told:
            axes.set_title(told, fontsize=10)
    for axes in grid.flat[len(spots) :]:
        axes.set_axis_off()
    figure.suptitle(_title(title, solution, ""), fontsize=12)
    return figure


def _map(axes: "Axes", spot: Spot, solution: Solution) -> None:
    shares: NDArray[np.float64] = spot.probability.T
    tall, wide = shares.shape
    axes.pcolormesh(shares, cmap=SHADES, vmin=0.0, vmax=1.0, edgecolors="#808080", linewidth=0.4)
    for (row, column), share in np.ndenumerate(shares):
        if share >= 5e-3 and tall <= 20:
            axes.text(
                column + 0.5, row + 0.5, f"{100 * share:.0f}", ha="center", va="center", fontsize=8,
                color="#ffffff" if share > 0.55 else "#101010",
            )  # fmt: skip
    axes.set_xticks(np.arange(wide) + 0.5, [str(action) for action in spot.actions], fontsize=8)
    if max(len(str(action)) for action in spot.actions) > 5:
        axes.tick_params("x", rotation=35)
    axes.set_yticks(np.arange(tall) + 0.5, spot.observations, fontsize=8 if tall <= 20 else 5)
    axes.invert_yaxis()  # as in the tables
    axes.set_ylabel(f"{player_name(spot.player)} {solution.spec.sees}", fontsize=9)
    axes.tick_params(length=0)


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
