"""What every row says where play never comes, recomputed from printed probabilities and beliefs by plain recursion."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rules.base.errors import VerificationError
from rules.games.registry import hand
from solver import Solution, solve, verify
from solver.off_path.sources import KEPT_SAFE, SOURCES, UNKNOWN, tolerance
from solver.solutions.spots import Spot, Spots

CLOSE = 2e-6
"""Chips: mistakes of one in 1,000,000,000 are believed in, but not played."""

HANDS: dict[str, tuple[str, dict[str, Any]]] = {
    "10/10": ("indian-poker", {}),
    "short and carrying": ("indian-poker", {"stacks": "7,13", "carry": 6}),
    "four cards that are single": ("indian-poker", {"left": "0,1,0,0,1,1,0,0,0,1", "stacks": "10,10"}),
    "all cards single": ("indian-poker", {"left": "1,1,1,1,1,1,1,1,1,1"}),
    "some cards single": ("indian-poker", {"stacks": "9,9", "carry": 4, "left": "0,1,0,0,0,1,2,0,2,0"}),
    "15/15": ("indian-poker", {"stacks": "15,15"}),
    "straights": ("indian-holdem", {"board": "4,5"}),
    "pair, depleted": ("indian-holdem", {"board": "9,10", "left": "1,4,3,0,2,4,4,3,2,1"}),
    "fronts equal": ("double-sided", {"fronts": "5,5", "stacks": "10,10"}),
    "few backs": (
        "double-sided",
        {"stacks": "8,10", "fronts": "8,8", "shown": "8/1,8/2,8/3,8/4,8/5,8/6,8/7,1/2"},
    ),
    "fronts 3,8": ("double-sided", {"fronts": "3,8", "stacks": "10,10"}),
    "fixed limit": ("blind-mans-bluff", {}),
}


class Row:
    """A spot's rows followed down the tree with the beliefs that print, one observation a line of a matrix."""

    def __init__(self, spots: Spots, spot: Spot) -> None:
        solution = spots.solution
        self.tree, self.strategy, self.player = solution.tree, solution.profile(spots.index), spot.player
        one = solution.game.classes[spots.index]
        prior = one.prior if spot.player == 0 else one.prior.T
        joint = one.joint if spot.player == 0 else -one.joint.transpose(0, 2, 1)
        given = np.where(prior > 0.0, prior, 1.0)
        order, other = spots.columns[spot.player], spots.columns[1 - spot.player]
        self.utility = (joint / given)[:, order][:, :, other] + spots.counted(spot.player)
        self.own, self.other = order, other
        self.node = self.tree.find(spot.history)
        self.start = spot.belief.T

    def values(self, node: int, weights: NDArray[np.float64], best: bool) -> NDArray[np.float64]:
        """Return what the player gets from a node on, by the profile or as well as can be."""
        if node < 0:
            return np.asarray((weights * self.utility[~node]).sum(axis=1))
        if not weights.any():
            return np.zeros(len(weights))
        below = self.actions(node, weights, best)
        if self.tree.player[node] != self.player:
            return np.sum(below, axis=0)
        if best:
            return np.max(below, axis=0)
        return np.asarray((np.array(below) * self.strategy[self.tree.rows(node)][:, self.own]).sum(axis=0))

    def actions(self, node: int, weights: NDArray[np.float64], best: bool) -> list[NDArray[np.float64]]:
        """Return the same for each action at a node."""
        rows, acts = self.tree.rows(node), int(self.tree.player[node])
        return [
            self.values(
                int(self.tree.child[row]),
                weights * self.strategy[row, self.other] if acts == 1 - self.player else weights,
                best,
            )
            for row in range(rows.start, rows.stop)
        ]


def check_every_row(solution: Solution, board: str = "") -> tuple[int, list[float]]:
    """Check every expected value; return how many rows there are and what those lose that lose much."""
    spots, rows, lost = Spots(solution, board), 0, []
    much = tolerance(solution.game.classes[spots.index])
    for spot in spots.walk():
        row = Row(spots, spot)
        found = np.array(row.actions(row.node, row.start, best=False))
        assert spot.ev == pytest.approx(found, abs=CLOSE), spot.history
        gained = np.max(row.actions(row.node, row.start, best=True), axis=0)
        losses = gained - (spot.probability * found).sum(axis=0)
        assert losses.min() > -CLOSE
        rows += len(losses)
        for column in np.flatnonzero(losses > much + CLOSE).tolist():
            assert spot.sources[column] == SOURCES[KEPT_SAFE] or spot.other_reach[column] > 1e-3
            lost.append(float(losses[column]))
    return rows, lost


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDS)
def test_every_expected_value_is_what_play_from_there_earns_and_no_row_loses_much(name: str) -> None:
    game, options = HANDS[name]
    solution = solve(hand(game, **options))
    _, lost = check_every_row(solution)
    assert lost == []
    assert solution.nash_conv <= solution.spec.usual_gap


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"),
    [("indian-poker", {"stacks": "20,20"}), ("double-sided", {"fronts": "3,8", "stacks": "15,15"})],
)
def test_so_it_is_in_trees_of_thousands_of_nodes_but_for_a_row_in_ten_thousand(game: str, options: Any) -> None:
    solution = solve(hand(game, **options))
    rows, lost = check_every_row(solution)
    assert len(lost) <= rows / 10_000
    assert sum(lost) <= 2.0
    verify(solution)


def test_a_class_of_several_deals_is_checked_deal_by_deal() -> None:
    solution = solve(hand("indian-holdem", stacks="4,4"))
    for board in ("2,6", "4,5", "7,7", "1,10"):
        assert check_every_row(solution, board)[1] == []


def test_what_a_player_alone_excludes_counts_in_beliefs_and_values() -> None:
    solution = solve(hand("double-sided", stacks="8,8", fronts="8,3", hidden="3,5"))
    spots = Spots(solution, "", (["1", "9"], ()))
    for spot in list(spots.walk())[::7]:
        row = Row(spots, spot)
        if spot.player == 0:
            gone = [spot.others.index(name) for name in ("1", "9") if name in spot.others]
            assert not spot.belief[gone].any()
        assert spot.ev == pytest.approx(np.array(row.actions(row.node, row.start, best=False)), abs=CLOSE)


def single() -> Solution:
    return solve(hand("indian-poker", left="1,1,1,1,1,1,1,1,1,1"))


def test_rows_with_a_belief_of_their_own_say_so_and_are_right_under_it() -> None:
    solution = single()
    assert solution.assumed_rows is not None
    assert solution.assumed is not None
    assert 0 < len(solution.assumed_rows) <= 0.05 * solution.game.tree.nodes * 10
    for (_, node, column), reach in zip(solution.assumed_rows.tolist(), solution.assumed, strict=True):
        assert solution.sources is not None
        assert solution.sources[0, node, column] == KEPT_SAFE
        history = solution.tree.history(node)
        spot = Spots(solution).at(history)
        seen = solution.classes[0].deals[0].observations[spot.player][column]
        place = spot.column(seen)
        assert spot.other_reach[place] <= 1e-6
        prior = solution.game.classes[0].prior
        chances = (prior if spot.player == 0 else prior.T)[column] * reach[: len(spot.others)]
        names = solution.classes[0].deals[0].observations[1 - spot.player]
        expected = {name: chance / chances.sum() for name, chance in zip(names, chances, strict=True)}
        assert spot.belief[:, place] == pytest.approx([expected[name] for name in spot.others], abs=1e-12)


# What verify proves of a completion.


def shaken(array: NDArray[Any], seed: int) -> NDArray[Any]:
    return np.random.default_rng(seed).permutation(array.ravel()).reshape(array.shape)


@pytest.fixture(scope="module", params=["single", "10/10"])
def honest(request: pytest.FixtureRequest) -> Solution:
    return single() if request.param == "single" else solve(hand("indian-poker"))


@pytest.mark.parametrize("name", ["beliefs", "entered_by", "sources"])
def test_nothing_that_a_completion_claims_can_be_shaken(honest: Solution, name: str) -> None:
    verify(honest)
    for seed in range(5):
        with pytest.raises(VerificationError):
            verify(replace(honest, **{name: shaken(getattr(honest, name), seed)}))


def test_no_single_belief_can_be_moved_where_bayes_rule_settles_it(honest: Solution) -> None:
    assert honest.beliefs is not None
    assert honest.entered_by is not None
    generator = np.random.default_rng(3)
    for _ in range(20):
        node, player, column = generator.integers(1, honest.tree.nodes), generator.integers(2), generator.integers(10)
        beliefs = honest.beliefs.copy()
        # Twice what is most there: whoever was settled by Bayes' rule is no more.
        beliefs[0, player, node, column] = 2.0 * beliefs[0, player, node].max()
        if (beliefs[0, player, node] > 0.0).sum() > 1:
            with pytest.raises(VerificationError):
                verify(replace(honest, beliefs=beliefs))


@pytest.mark.slow
def test_no_source_can_be_claimed_that_is_another(honest: Solution) -> None:
    assert honest.sources is not None
    counts, tree = honest.game.classes[0].observations, honest.tree
    for node in range(0, tree.nodes, 5):
        for column in range(0, counts[tree.player[node]], 3):
            sources = honest.sources.copy()
            sources[0, node, column] = (sources[0, node, column] + 1) % UNKNOWN
            with pytest.raises(VerificationError, match="come from"):
                verify(replace(honest, sources=sources))


def test_a_belief_of_a_row_of_its_own_must_make_it_right_and_be_possible() -> None:
    solution = single()
    assert solution.assumed_rows is not None
    assert solution.assumed is not None
    rows, reach = solution.assumed_rows, solution.assumed
    even = np.ones_like(reach)
    own = np.zeros_like(reach)
    own[np.arange(len(own)), rows[:, 2]] = 1.0  # the only card that cannot be
    changes: list[dict[str, Any]] = [
        {"assumed": even},
        {"assumed": own},
        {"assumed": -reach},
        {"assumed": reach * np.nan},
        {"assumed_rows": rows + np.array([0, 0, 100], dtype=np.int32)},
        {"assumed_rows": rows + np.array([0, 10_000, 0], dtype=np.int32)},
        {"assumed_rows": rows[::-1].copy(), "assumed": reach[::-1].copy()},
        {"assumed_rows": rows[:0], "assumed": reach[:0], "sources": np.zeros_like(solution.sources)},
        {"assumed_rows": np.array([[0, 0, 0]], dtype=np.int32), "assumed": even[:1]},
    ]
    for change in changes:
        with pytest.raises(VerificationError):
            verify(replace(solution, **change))
