"""The completed strategy at every spot: what it loses there, recomputed from strategy and beliefs alone."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from rules.games.registry import hand
from solver import Solution, solve
from solver.off_path.resolving import undominated
from solver.off_path.sources import BEST_RESPONSE, KEPT_SAFE, RESOLVED, SOLVED
from solver.solutions.spots import Spots
from solver.two_player.evaluation import SLIP, measure
from tests.support.games.small_games import BRISK, Leduc, small_specs

TOLERABLE = 0.1
"""Chips."""


@dataclass(frozen=True)
class Local:
    """A node's subgame under its beliefs: NashConv, and what each row of the player who acts loses there."""

    nash_conv: float
    losses: NDArray[np.float64]


def locally(solution: Solution, node: int) -> Local:
    """Measure a subgame by plain recursion over the tree, from strategy and beliefs alone."""
    tree, one, strategy = solution.tree, solution.game.classes[0], solution.strategies[0]
    counts = one.observations
    utility = (one.joint, -one.joint.transpose(0, 2, 1))

    def values(player: int, best: bool, at: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        if at < 0:
            return utility[player][~at] @ reach
        rows = tree.rows(at)
        acts = int(tree.player[at])
        below = [
            values(
                player, best, int(tree.child[row]), reach * strategy[row, : len(reach)] if acts == 1 - player else reach
            )
            for row in range(rows.start, rows.stop)
        ]
        if acts != player:
            return np.sum(below, axis=0)
        mixed = np.sum(np.array(below) * strategy[rows, : counts[player]], axis=0)
        return np.max(below, axis=0) if best else mixed

    beliefs = [solution.beliefs[0, player, node, : counts[player]] for player in (0, 1)]
    whole = beliefs[0] @ one.prior @ beliefs[1]
    gains = [values(p, True, node, beliefs[1 - p]) - values(p, False, node, beliefs[1 - p]) for p in (0, 1)]
    actor = int(tree.player[node])
    met = (one.prior if actor == 0 else one.prior.T) @ beliefs[1 - actor]
    return Local(sum(float(beliefs[p] @ gains[p]) for p in (0, 1)) / whole, gains[actor] / met)


HANDS = {
    "indian-poker": {},
    "indian-poker short and carrying": {"stacks": "7,13", "carry": 6},
    "indian-poker depleted": {"left": "2,1,0,2,1,1,0,2,1,2"},
    "indian-poker single cards": {"left": "1,0,0,2,0,0,0,0,1,0", "stacks": "8,8"},
    "indian-holdem straights": {"board": "4,5"},
    "indian-holdem pair": {"board": "4,4"},
    "indian-holdem no straight": {"board": "2,8"},
    "indian-holdem depleted": {"board": "9,10", "left": "1,4,3,0,2,4,4,3,2,1"},
    "double-sided": {"fronts": "3,8", "stacks": "10,10"},
    "double-sided high": {"fronts": "9,2", "stacks": "10,10"},
    "blind-mans-bluff": {},
    "blind-mans-bluff ranked suits": {"rank_suits": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDS)
def test_no_subgame_and_no_row_loses_much_at_standard_stacks(name: str) -> None:
    solution = solve(hand(name.split()[0], **HANDS[name]))
    measured = [locally(solution, node) for node in range(solution.tree.nodes)]
    losses = np.concatenate([one.losses for one in measured])
    assert solution.sources is not None
    kept = np.concatenate(
        [solution.sources[0, node, : len(one.losses)] == KEPT_SAFE for node, one in enumerate(measured)]
    )
    assert np.count_nonzero(kept) <= 0.005 * len(kept)  # they have a belief of their own
    assert losses[~kept].max() <= TOLERABLE
    if not kept.any():
        assert max(one.nash_conv for one in measured) <= TOLERABLE
    assert losses.min() > -1e-6
    assert solution.nash_conv <= 1e-3


@pytest.mark.parametrize(
    ("game", "options", "share"),
    [
        ("double-sided", {"fronts": "5,5", "stacks": "10,10"}, 0.01),
        ("indian-poker", {"left": "1,1,1,1,1,1,1,1,1,1"}, 0.05),
    ],
)
def test_where_a_card_excludes_another_the_few_rows_that_lose_more_say_so(
    game: str, options: dict[str, str], share: float
) -> None:
    """A row that only the other's mistakes lead to must hold them off, whatever it expects to meet itself."""
    solution = solve(hand(game, **options))
    lose_much = 0
    for node in range(solution.tree.nodes):
        measured = locally(solution, node).losses
        kept = solution.sources[0, node, : len(measured)] == KEPT_SAFE
        assert kept[measured > TOLERABLE].all()
        assert (measured[kept] > TOLERABLE / 4).all()
        lose_much += np.count_nonzero(measured > TOLERABLE)
    assert 0 < lose_much <= share * solution.sources.size
    assert solution.nash_conv <= 1e-3


def test_what_cfr_alone_leaves_behind_is_far_worse() -> None:
    """The measure can fail: it does on the same strategy before its completion."""
    completed = solve(hand("indian-poker"))
    raw = np.zeros_like(completed.strategies)
    total = completed.state["total"]
    sums = np.add.reduceat(total[0], completed.tree.first[:-1], axis=0)[completed.tree.node_of_action]
    raw[0] = total[0] / sums
    plain = completed.playing(raw)
    losses = np.concatenate([locally(plain, node).losses for node in range(plain.tree.nodes)])
    assert np.count_nonzero(losses > TOLERABLE) > 0.2 * len(losses)


@BRISK
@given(small_specs(most_work=2_000))
def test_a_completion_never_breaks_the_gap_and_every_row_is_one(spec: object) -> None:
    solution = solve(spec, gap=1e-2)  # type: ignore[arg-type]
    assert solution.nash_conv <= 1e-2
    for index, one in enumerate(solution.game.classes):
        again = measure(solution.tree, one, solution.strategies[index], solution.game.margin)
        assert again.nash_conv == pytest.approx(solution.qualities[index].nash_conv, abs=1e-9)
    for board in solution.boards if solution.tree.nodes else ():
        for spot in Spots(solution, board).walk():
            assert spot.probability.sum(axis=0) == pytest.approx(1.0, abs=1e-9)
            assert spot.belief.sum(axis=0) == pytest.approx(1.0, abs=1e-9)
            assert np.isfinite(spot.ev).all()


@pytest.mark.slow
@pytest.mark.parametrize("game", ["indian-poker", "indian-holdem"])
@pytest.mark.parametrize("stacks", ["10,10", "15,15"])
def test_nobody_folds_where_a_call_cannot_lose(game: str, stacks: str) -> None:
    solution = solve(hand(game, stacks=stacks, **({"board": "2,8"} if game == "indian-holdem" else {})), gap=1e-2)
    lowest = {"indian-poker": "1", "indian-holdem": "1"}[game]
    for spot in Spots(solution).walk():
        names = [str(action) for action in spot.actions]
        if "c" in names:
            assert spot.probability[names.index("f"), spot.column(lowest)] == 0.0, spot.history


def test_what_never_pays_moves_to_what_is_never_worse() -> None:
    solution = solve(hand("indian-poker", stacks="5,5"), max_iterations=0)
    tree, one = solution.tree, solution.game.classes[0]
    even = solution.strategies[0]
    moved = undominated(tree, one, even)
    node = tree.find(solution.spec.public.follow("b1")[0])
    rows = tree.rows(node)
    number = rows.stop - rows.start
    seen = solution.classes[0].deals[0].observations[1].index("1")
    assert moved[rows.start, seen] == 0.0
    assert moved[rows.start + 1, seen] == pytest.approx(2 / number)
    assert moved[rows.start, seen + 1] == 1 / number  # seeing a 2, a call can lose to it
    before, after = (measure(tree, one, strategy, 0.0) for strategy in (even, moved))
    assert after.lower >= before.lower - 1e-12
    assert after.upper <= before.upper + 1e-12


def test_beliefs_follow_by_bayes_but_for_the_roots_of_subtrees_solved_anew() -> None:
    solution = solve(hand("indian-poker"))
    tree, strategy, beliefs = solution.tree, solution.strategies[0], solution.beliefs[0]
    entered_by = solution.entered_by[0]
    assert (beliefs[:, 0] == 1.0).all()
    assert 10 < np.count_nonzero(entered_by) < tree.nodes
    for node in range(1, tree.nodes):
        action = int(tree.parent_action[node])
        above = int(tree.node_of_action[action])
        for player in (0, 1):
            if entered_by[node] == 1 + player:
                assert tree.player[above] == player
                assert strategy[action][solution.sources[0, above] == SOLVED].max(initial=0.0) == 0.0
                continue
            played = strategy[action] + SLIP if tree.player[above] == player else 1.0
            expected = beliefs[player, above] * played
            assert beliefs[player, node] == pytest.approx(expected / expected.max(), rel=1e-9)


def test_each_row_says_where_it_comes_from() -> None:
    solution = solve(hand("indian-poker"))
    spots = Spots(solution)
    assert set(spots.at("").sources) == {"solved"}
    assert {source for spot in spots.walk() for source in spot.sources} == {"solved", "best response", "re-solved"}
    for spot in spots.walk():
        for column, source in enumerate(spot.sources):
            if spot.own_reach[column] > 0.01 and spot.other_reach[column] > 0.01:
                assert source == "solved"
            if source == "re-solved":
                assert min(spot.own_reach[column], spot.other_reach[column]) == 0.0


def test_the_linear_program_stays_exact_when_it_is_completed() -> None:
    solution = solve(hand("indian-poker"), method="lp")
    assert solution.nash_conv < 1e-8
    assert np.count_nonzero(solution.entered_by) > 10
    losses = np.concatenate([locally(solution, node).losses for node in range(solution.tree.nodes)])
    assert np.count_nonzero(losses > TOLERABLE) <= 0.05 * len(losses)


def test_what_was_interrupted_is_left_as_it_is() -> None:
    solution = solve(hand("indian-poker"), stop=lambda: True)
    assert (solution.sources == SOLVED).all()
    assert not solution.entered_by.any()
    again = solution.playing(solution.strategies)
    assert again.beliefs.tobytes() == solution.beliefs.tobytes()


def test_chance_nodes_do_not_disturb_a_completion() -> None:
    solution = solve(Leduc(), gap=1e-3)
    assert solution.nash_conv <= 1e-3
    found = set(np.unique(solution.sources))
    assert found <= {SOLVED, BEST_RESPONSE, RESOLVED}
    assert BEST_RESPONSE in found
