"""Figures of reports as they come out: nothing is cut, none is too wide, and what is not drawn is said."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from reports.data.node_summary import PANELS, opening_shares
from reports.figures import solutions as figures
from reports.figures.matches import chances_to_win
from reports.pages.report import Source, write_report
from rules.betting.actions import format_history
from rules.games.registry import hand
from solver import Solution, load, solve
from solver.solutions.spots import Spots
from solver.store.match_tables import with_continuation
from tests.support.figures import check

LARGE = {
    "two sides": {"game": "double-sided", "fronts": "3,8", "stacks": "15,15"},
    "many openings": {"game": "double-sided", "fronts": "9,8", "stacks": "12,12", "raises": "any"},
    "any raise": {"game": "indian-poker", "stacks": "15,15", "raises": "any"},
    "every board": {"game": "indian-holdem", "stacks": "6,6"},
}
"""Hands with more actions, openings and deals than a figure has room for without care."""

SMALL = ("deck", "board", "boards", "fronts", "pairs", "bluff", "suits", "one-rank", "sides", "nothing")


@cache
def roughly(name: str) -> Solution:
    """Return a strategy of a large hand that is far from an equilibrium: it plays more than one would."""
    return solve(hand(**LARGE[name]), gap=1e-9, max_iterations=8)


@cache
def two_sides() -> Solution:
    return solve(hand("double-sided", fronts="3,8", stacks="6,6"), gap=0.02)


def drawn(solution: Solution) -> Iterator[tuple[str, Figure]]:
    stages = [figures.Stage(f"{number} of a deck state with a long name", solution) for number in range(12)]
    timings = [figures.Timing(10, 0.5, 0.2), figures.Timing(20, 1.5, 0.1)]
    yield "opening", figures.opening(solution)
    yield "responses", figures.responses(solution)
    yield "bet-size", figures.bet_sizes(solution)
    yield "exploitability", figures.convergence(solution, timings)
    yield "series", figures.series(stages, "deck state")
    yield "short series", figures.series(stages[:1], "deck state")


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_no_text_of_a_small_hand_is_cut(name: str, solved: Path) -> None:
    for stem, figure in drawn(load(solved / f"{name}.npz")):
        check(stem, figure)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_no_text_of_a_large_hand_is_cut(name: str) -> None:
    for stem, figure in drawn(roughly(name)):
        check(stem, figure)


def test_no_text_of_a_match_is_cut() -> None:
    solution = solve(with_continuation(hand("indian-poker", stacks="10,10", seen="1,4", objective="match")), gap=0.05)
    check("chances-to-win", chances_to_win(solution))


def test_a_legend_has_what_is_played_and_nothing_else() -> None:
    solution = two_sides()
    figure = figures.bet_sizes(solution)
    (legend,) = figure.legends
    spot = Spots(solution).at()
    played = {a.words for a, row in zip(spot.actions, spot.probability, strict=True) if row.max() >= 5e-4}
    assert {text.get_text() for text in legend.get_texts()} == played
    assert 1 < len(played) < len(spot.actions)


@pytest.mark.slow
def test_openings_that_nobody_takes_have_no_panel_and_are_named(tmp_path: Path) -> None:
    solution = two_sides()
    share = opening_shares(solution)
    found = figures.answers(solution)
    answered = {action: part for action, part in share.items() if str(action) != "f"}
    taken = [str(action) for action, part in answered.items() if part >= 5e-4]
    assert [format_history(spot.history) for _, spot in found.shown] == taken
    assert found.seldom == tuple(action for action, part in answered.items() if part < 5e-4)
    assert found.seldom
    assert found.others == ()
    titles = [axes.get_title() for axes in figures.responses(solution).axes if axes.get_title()]
    assert [title.split()[1] for title in titles] == taken
    page = write_report(tmp_path / "made", [Source("a.npz", solution)]).read_text(encoding="utf-8")
    words = ", ".join(action.words for action in found.seldom)
    assert f"Left out, as P1 never opens so, or in less than 0.1 % of hands: {words}." in page


@pytest.mark.slow
def test_openings_beyond_the_most_frequent_are_named(tmp_path: Path) -> None:
    solution = roughly("any raise")
    found = figures.answers(solution)
    share = {str(action): part for action, part in opening_shares(solution).items()}
    least = min(share[format_history(spot.history)] for _, spot in found.shown)
    assert len(found.shown) == PANELS
    assert found.others
    assert all(share[str(action)] <= least for action in found.others)
    page = write_report(tmp_path / "made", [Source("a.npz", solution)]).read_text(encoding="utf-8")
    words = ", ".join(action.words for action in found.others)
    assert f"The {PANELS} most frequent are drawn, not {words}." in page
