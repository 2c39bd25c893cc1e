"""Figures of solutions of three and more players."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reports.data.links import PAGE_OF, spot_link
from reports.figures import solutions as figures
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.spots import spot_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def convergence(solution: MultiplayerSolution) -> "Figure":
    """Draw NashConv against iterations, on logarithmic axes."""
    figure = figures.empty_figure(7.0, 4.2)
    axes = figure.add_subplot()
    drawn = [check for check in solution.provenance.checks if check.iterations and check.nash_conv > 0.0]
    axes.plot(
        [check.iterations for check in drawn], [check.nash_conv for check in drawn], color=figures.BLUE, marker="o",
        markersize=3, linewidth=1.2, label="NashConv",
    )  # fmt: skip
    axes.axhline(solution.provenance.target, color=figures.BROWN, linestyle="--", linewidth=1.0, label="target")
    if drawn:
        axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(True, which="major", color="#808080", alpha=0.25, linewidth=0.6)
    axes.legend(frameon=False)
    axes.set_xlabel("iterations (every player updated once each)")
    axes.set_ylabel(f"NashConv ({solution.spec.unit})")
    axes.set_title(f"{solution.spec.game}, {solution.players} players: NashConv by iterations")
    return figure


def opening(solution: MultiplayerSolution) -> "Figure":
    """Draw how often P1 of three bets at first, by the two cards seen."""
    spot = spot_at(solution)
    cards = solution.spec.around_the_table().cards
    bets = spot.probability[-1].reshape(len(cards), len(cards))
    title = f"{solution.spec.game}: how often P1 bets at first"
    links = [[PAGE_OF + spot_link((), f"{first},{second}") for second in cards] for first in cards]
    return shares_figure(bets, cards, ("P3's card", "P2's card"), title, links)


def shares_figure(
    shares: NDArray[Any],
    cards: Sequence[str],
    axes_told: tuple[str, str],
    title: str,
    links: Sequence[Sequence[str]] | None = None,
) -> "Figure":
    """Draw shares by two cards as percentages, blue where they are high and empty where they are NaN.

    Parameters
    ----------
    shares
        From 0 to 1, by the card of the axis upwards and that of the axis to the right, shape (cards, cards).
    cards
        Their names, ascending.
    axes_told
        What the axis to the right is of, and the one upwards.
    links
        Where the number of each cell leads in an SVG, in the order of `shares`.
    """
    figure = figures.empty_figure(6.4, 5.6)
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, origin="lower")
    if len(cards) <= 13:
        for (row, column), share in np.ndenumerate(shares):
            if not np.isnan(share):
                # Not the black that turns with the page's colours: the ground stays light.
                dark = "white" if share > 0.6 else "#111111"
                told = axes.text(column, row, f"{100 * share:.0f}", ha="center", va="center", fontsize=7, color=dark)
                if links is not None:
                    told.set_url(links[row][column])
        axes.set_xticks(range(len(cards)), cards)
        axes.set_yticks(range(len(cards)), cards)
    axes.set_xlabel(axes_told[0])
    axes.set_ylabel(axes_told[1])
    axes.set_title(title)
    return figure
