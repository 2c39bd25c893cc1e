"""Figures of whole matches, with matplotlib: the chance to win by chips and carry."""

from typing import TYPE_CHECKING

import numpy as np

from reports.figures import BROWN, SHADES, WIDEST, empty_figure, shade
from rules.chips import every_chips
from rules.match_game import MatchSpec
from solver.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LINES = 5
"""Carried pots that are drawn as lines."""


def chances_to_win(solution: Solution) -> "Figure":
    """Draw the first bettor's chance to win the match before a hand, by stack and carry.

    Parameters
    ----------
    solution
        Of objective match. The deck is that of its hand, or the full one where later hands come from full decks.

    Returns
    -------
    matplotlib.figure.Figure
        On the left a line for some carries, with this hand's value; on the right every state, in percent.
    """
    from matplotlib.ticker import MaxNLocator

    spec, later = solution.spec, solution.later
    assert isinstance(spec, MatchSpec)
    assert later is not None
    total, wins = spec.chips.total, later.chances(spec)
    by_carry: dict[int, dict[int, float]] = {}
    for chips, chance in zip(every_chips(total), wins.tolist(), strict=True):
        by_carry.setdefault(chips.carry, {})[chips.s1] = 100.0 * chance
    figure = empty_figure(WIDEST, 4.6)
    left, right = figure.subplots(1, 2)
    carries = sorted(by_carry)
    step = -(-len(carries) // MOST_LINES)
    drawn = carries[::step]
    for rank, carry in enumerate(drawn):
        line = by_carry[carry]
        left.plot(
            list(line), list(line.values()), color=shade(len(drawn) - rank, len(drawn) + 1), marker="osD^v"[rank],
            markersize=3, linewidth=1.2, label=f"{carry} carried",
        )  # fmt: skip
    left.plot([0, total], [0, 100], color="#808080", linestyle=":", linewidth=1.0, label="share of the chips")
    left.plot(
        [spec.chips.s1], [100.0 * solution.value], color=BROWN, marker="*", markersize=11, linestyle="none",
        label=f"this hand ({spec.chips.s1}/{spec.chips.s2}, {spec.chips.carry} carried)",
    )  # fmt: skip
    left.set_ylabel("first bettor wins the match (%)")
    left.grid(True, color="#808080", alpha=0.25, linewidth=0.6)
    left.legend(frameon=False, fontsize=8)
    image = np.full((len(carries), total - 1), np.nan)
    for row, carry in enumerate(carries):
        for stack, chance in by_carry[carry].items():
            image[row, stack - 1] = chance
    edges = np.arange(1, total + 1) - 0.5, np.array([*carries, carries[-1] + 2]) - 1.0
    mesh = right.pcolormesh(*edges, np.ma.masked_invalid(image), cmap=SHADES, vmin=0.0, vmax=100.0)
    figure.colorbar(mesh, ax=right, label="first bettor wins (%)")
    right.plot([spec.chips.s1], [spec.chips.carry], color=BROWN, marker="*", markersize=11, linestyle="none")
    right.set_yticks(drawn)
    right.set_ylabel("pot carried (chips)")
    for axes in (left, right):
        axes.set_xlabel("first bettor's stack (chips)")
        axes.set_xlim(0.0, total)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    deck = "a full deck" if spec.deck_model == "fresh" else f"this deck ({spec.cards_left} cards)"
    figure.suptitle(f"{spec.game}: the chance to win before a hand from {deck}, {total} chips together", fontsize=12)
    return figure
