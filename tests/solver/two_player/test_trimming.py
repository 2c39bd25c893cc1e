"""Small probabilities are dropped as far as the gap allows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.games.registry import hand
from solver import Solution, solve, solving
from solver.off_path.sources import SOLVED
from solver.solutions.verification import verify
from solver.two_player.evaluation import measure as measured
from solver.two_player.evaluation import probabilities, trim
from tests.support.games.small_games import BRISK, small_specs

QUICK = hand("indian-poker", stacks="6,6")
WIDE = hand("indian-poker", stacks="150,150", raises="any", raise_limit=0)
"""149 opening bets."""


# Small probabilities are dropped as far as the gap allows.


def check_rows(solution: Solution) -> None:
    """Check that the rows of the players who act sum to 1."""
    tree = solution.tree
    for one, strategy in zip(solution.game.classes, solution.strategies, strict=True):
        sums = np.add.reduceat(strategy, tree.first[:-1], axis=0)
        assert strategy.min() >= 0.0
        for player, number in enumerate(one.observations):
            assert sums[tree.player == player, :number] == pytest.approx(1.0, abs=1e-12)


@BRISK
@given(small_specs(), st.sampled_from([3e-1, 3e-2, 3e-3]))
def test_trimming_never_breaks_the_gap(spec: Any, gap: float) -> None:
    solution = solve(spec, gap=gap, max_iterations=3_000)
    assert solution.converged == (solution.provenance.stopped == "gap")
    if solution.tree.nodes:
        check_rows(solution)
    verify(solution)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"stacks": "150,150"},
        {"stacks": "130,130", "carry": 40},
        {"stacks": "300,300", "left": "1,1,0,0,0,0,0,0,1,1"},
    ],
)
def test_trimming_keeps_the_gap_with_more_than_a_hundred_actions(options: dict[str, Any]) -> None:
    spec = hand("indian-poker", raises="any", raise_limit=0, **options)
    for solution in (
        solve(spec, gap=1e-2),
        solve(spec, gap=1e-9, max_iterations=3),
        solve(spec, gap=1e-9, max_iterations=0),
    ):
        assert len(solution.tree.actions(0)) > 100
        check_rows(solution)
        assert solution.converged == (solution.provenance.target == 1e-2)
        verify(solution)


def test_trimming_drops_what_was_only_noise() -> None:
    solution = solve(QUICK, gap=1e-3)
    noisy = probabilities(solution.tree, solution.state["total"][0])
    tree, trimmed = solution.tree, solution.strategies[0]
    solved = solution.sources[0][tree.node_of_action] == SOLVED
    kept = trimmed[solved & (trimmed > 0.0)]
    assert 0 < np.count_nonzero(solved & (noisy == 0.0)) < np.count_nonzero(solved & (trimmed == 0.0))
    assert kept.min() >= min(solving.TRIMS)


def test_trimming_by_too_much_is_taken_back() -> None:
    spec = hand("indian-poker", stacks="10,10")
    full = solve(spec, gap=1e-9, max_iterations=2_000)
    noisy = probabilities(full.tree, full.state["total"][0])
    last = full.provenance.checks[-1]
    assert full.nash_conv <= last.nash_conv
    rough = trim(full.game, noisy, max(solving.TRIMS))
    assert measured(full.tree, full.game.classes[0], rough, full.game.margin).nash_conv > last.nash_conv


def test_a_row_with_nothing_above_the_threshold_stays_as_it_is() -> None:
    game = solve(WIDE, max_iterations=0).game
    even = probabilities(game.tree, np.zeros((len(game.tree.child), game.width)))
    assert even[0, 0] == 1 / 150
    assert (trim(game, even, 1e-2)[:150] == even[:150]).all()
    peaked = even.copy()
    peaked[:150] = 0.4 / 149
    peaked[3] = 0.6
    assert (trim(game, peaked, 1e-2)[:150, 0] == np.eye(150)[3]).all()
