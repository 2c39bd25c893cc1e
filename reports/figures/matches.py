"""Figures of whole matches, with matplotlib: the chance to win by chips and carry, and a match hand by hand."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from reports.data.match_story import HandTold
from reports.figures.solutions import BLUE, BROWN, SHADES, WIDEST, empty_figure, shade
from reports.text.units import is_chance
from rules.betting.chips import every_chips
from rules.games.match_spec import MatchSpec
from solver.solutions.solution import Solution

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


def match_line(hands: Sequence[HandTold]) -> "Figure":
    """Draw a match from the seat of the one who kept its log: what each hand was worth before it, and the chips.

    Parameters
    ----------
    hands
        In their order, the coming one last where it is known.

    Returns
    -------
    matplotlib.figure.Figure
        Above the keeper's chance to win in percent, as a line, or the value of each hand in chips, which no line
        joins; full where the keeper bet first. Below the chips before each hand, and after the last one played.
    """
    from matplotlib.ticker import MaxNLocator

    spec = hands[0].solution.spec
    chance = is_chance(spec)
    scale = 100.0 if chance else 1.0
    places = np.array([one.number for one in hands])
    values = scale * np.array([one.value for one in hands])
    gaps = np.maximum(np.stack([values[:, 0] - values[:, 1], values[:, 2] - values[:, 0]]), 0.0)
    figure = empty_figure(max(7.0, min(WIDEST, 2.5 + 0.55 * len(hands))), 6.2)
    above, below = figure.subplots(2, 1, sharex=True)
    above.errorbar(
        places, values[:, 0], yerr=gaps, color=BLUE, linestyle="-" if chance else "none", linewidth=1.2, capsize=3
    )
    for seat, face, told in ((0, BLUE, "you bet first"), (1, "white", "they bet first")):
        chosen = [place for place, one in enumerate(hands) if one.seat == seat]
        above.plot(
            places[chosen], values[chosen, 0], color=BLUE, marker="o", markersize=7, markerfacecolor=face,
            linestyle="none", label=told,
        )  # fmt: skip
    total = hands[0].before.total
    if chance:
        share = [100.0 * one.before.share / total for one in hands]
        above.plot(places, share, color="#808080", linestyle=":", linewidth=1.4, label="your share of the chips")
        above.set_ylim(0.0, 100.0)
        above.set_ylabel("you win the match (%)")
    else:
        above.axhline(0.0, color="#808080", linestyle=":", linewidth=1.0)
        above.set_ylabel(f"worth of the hand to you ({spec.unit})")
    above.grid(True, axis="y", color="#808080", alpha=0.25, linewidth=0.6)
    above.legend(frameon=False, fontsize=8)
    what = "your chance to win before each hand" if chance else "what each hand is worth to you"
    above.set_title(f"{spec.game}: {what}, and the chips")
    chips = [one.before for one in hands]
    labels = [str(one.number) + ("" if one.logged else " (to come)") for one in hands]
    if (last := hands[-1].after) is not None:
        chips.append(last)
        labels.append("end")
    at = np.arange(places[0], places[0] + len(chips))
    start = np.zeros(len(chips))
    parts = (("yours", BLUE, [one.s1 for one in chips]), ("carried", "#b0b0b0", [one.carry for one in chips]),
             ("theirs", BROWN, [one.s2 for one in chips]))  # fmt: skip
    for name, colour, heights in parts:
        if any(heights):
            below.bar(
                at, heights, bottom=start, width=0.8, color=colour, edgecolor="#606060", linewidth=0.5, label=name
            )
        start = start + np.array(heights, dtype=float)
    below.set_ylabel("chips before the hand")
    below.yaxis.set_major_locator(MaxNLocator(integer=True))
    below.set_xlabel("hand")
    every = -(-len(at) // 20)
    below.set_xticks(at[::every], labels[::every])
    figure.legend(*below.get_legend_handles_labels(), loc="outside right lower", frameon=False, fontsize=9)
    return figure


def match_caption(hands: Sequence[HandTold]) -> str:
    """Say what `match_line` draws."""
    chance = is_chance(hands[0].solution.spec)
    what = "Your chance to win the match before each hand" if chance else "What each hand is worth to you before it"
    share = "; dotted is your share of the chips, half of a carried pot counted" if chance else ""
    return f"{what} (bars: bounds){share}; a full mark where you bet first. Below the chips before each hand."
