"""What a solution says at a spot, against plain enumeration over deals and histories."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.base.errors import CardError, HistoryError
from rules.betting.public_game import CHANCE
from rules.games.registry import hand
from solver import Solution, solve, verify
from solver.solutions.spots import REACHED, Spots
from tests.support.games.small_games import BRISK, FEW, small_specs
from tests.support.naive import NaiveHand, profile_of
from tests.support.strategies import always, played_at_random


def check_against_enumeration(solution: Solution, spec: Any, board: str) -> None:
    """Compare every spot of one deal with enumeration on the hand of this deal alone (`spec`)."""
    (group,) = spec.classes()
    names = group.deals[0].observations
    twin, (index, deal) = NaiveHand(group.hand), solution.deal(board)
    assert deal.observations == names
    one = solution.game.classes[index]
    profile = profile_of(solution.tree, solution.strategies[index], one.observations)
    spots = list(Spots(solution, board).walk())
    assert len(spots) == np.count_nonzero(solution.tree.player != CHANCE)
    for spot in spots:
        assert spot.board == board
        assert sorted(spot.observations) == sorted(names[spot.player])
        assert spot.player == spec.public.player(spec.public.follow(spot.history)[1])
        for column, name in enumerate(spot.observations):
            mine = names[spot.player].index(name)
            assert spot.column(name) == column
            assert spot.probability[:, column].tolist() == profile[spot.history, mine]
            seen = sum(twin.chance_of(spot.player, mine).values())
            assert spot.observation_probability[column] == pytest.approx(seen, abs=1e-12)
            own = twin.reach(profile, spot.player, spot.history, mine)
            assert spot.own_reach[column] == pytest.approx(own, abs=1e-12)
            for place in range(len(spot.actions)):
                ev, other = twin.conditional_value(profile, spot.player, spot.history, place, mine)
                if other > 1e-6:  # mistakes, one in 1,000,000,000 each, weigh against it
                    assert spot.ev[place, column] == pytest.approx(ev, abs=1e-6 / other)
                assert spot.other_reach[column] == pytest.approx(other, abs=1e-12)


@BRISK
@given(small_specs(most_work=1_500), st.integers(0, 2**32 - 1))
def test_values_and_reach_equal_enumeration_over_deals_and_histories(spec: Any, seed: int) -> None:
    solution = played_at_random(spec, seed)
    if solution.tree.nodes:
        check_against_enumeration(solution, spec, solution.boards[0])


@pytest.mark.parametrize("board", ["2,6", "3,8", "4,5", "1,10", "7,7"])
def test_each_board_has_its_own_spots(board: str) -> None:
    whole, one = hand("indian-holdem", stacks="4,4"), hand("indian-holdem", stacks="4,4", board=board)
    solution = played_at_random(whole, 7)
    assert (len(solution.classes), len(solution.boards)) == (4, 55)
    check_against_enumeration(solution, one, board)


@pytest.mark.parametrize("fronts", ["4,7", "7,4", "3,3"])
def test_each_pair_of_fronts_has_its_own_spots(fronts: str) -> None:
    whole, one = hand("double-sided", stacks="3,3"), hand("double-sided", stacks="3,3", fronts=fronts)
    check_against_enumeration(played_at_random(whole, 8), one, fronts)


@FEW
@given(small_specs(), st.integers(0, 2**32 - 1))
def test_what_p1_expects_at_the_start_is_the_value(spec: Any, seed: int) -> None:
    for solution in (solve(spec, gap=1e-2, max_iterations=50), played_at_random(spec, seed)):
        if not solution.tree.nodes:
            continue
        quality = verify(solution) if solution.provenance.iterations else None
        spot = Spots(solution, solution.boards[0]).at("")
        assert spot.player == 0
        assert spot.observation_probability.sum() == pytest.approx(1.0, abs=1e-12)
        assert spot.own_reach.tolist() == [1.0] * len(spot.observations)
        assert spot.other_reach == pytest.approx(1.0, abs=1e-12)
        total = (spot.observation_probability * (spot.probability * spot.ev).sum(axis=0)).sum()
        twin = NaiveHand(spec.classes()[0].hand)
        profile = profile_of(solution.tree, solution.strategies[0], solution.game.classes[0].observations)
        assert total == pytest.approx(twin.expected_value(profile), abs=1e-6)
        assert quality is None or total == pytest.approx(quality.value, abs=1e-6)


@pytest.mark.parametrize("carry", [0, 2, 6])
@pytest.mark.parametrize("stacks", [(3, 9), (9, 3), (12, 12)])
def test_folding_at_the_opening_costs_the_ante_half_of_the_carry_and_the_expected_penalty(
    carry: int, stacks: tuple[int, int]
) -> None:
    spec = hand("indian-poker", stacks=stacks, carry=carry, raises="allin", left="2,2,0,0,1,0,0,0,1,2")
    spot = Spots(solve(spec, max_iterations=10)).at()
    place = [str(action) for action in spot.actions].index("f")
    left = {1: 2, 2: 2, 5: 1, 9: 1, 10: 2}
    for column, seen in enumerate(spot.observations):
        tens = left[10] - (seen == "10")
        penalty = min(10, stacks[0] - 1) * tens / (sum(left.values()) - 1)
        assert spot.ev[place, column] == pytest.approx(-(1 + carry / 2 + penalty), abs=1e-9)


def test_folding_to_a_bet_costs_what_was_paid_too() -> None:
    spec = hand("indian-poker", stacks="12,12", carry=4, raises="2,3", penalties="none")
    spots = Spots(played_at_random(spec, 1, zeros=0.0))
    for history, paid in (("", 0), ("b2", 0), ("b2 r3", 2), ("b2 r3 r2", 5)):
        spot = spots.at(history)
        place = [str(action) for action in spot.actions].index("f")
        assert spot.ev[place] == pytest.approx(-(1 + 2 + paid), abs=1e-7)


def test_observations_stand_in_the_order_people_read_them() -> None:
    # On 4,9 pairs are strongest, so the order of strength is another.
    solution = solve(hand("indian-holdem", stacks="3,3", board="4,9"), max_iterations=5)
    assert solution.classes[0].deals[0].observations[0] == ("1", "2", "3", "5", "6", "7", "8", "10", "4", "9")
    for spot in Spots(solution).walk():
        assert spot.observations == ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
    suited = Spots(solve(hand("blind-mans-bluff", rank_suits=True), max_iterations=1)).at()
    assert suited.observations[:5] == ("2c", "2d", "2h", "2s", "3c")


def test_where_the_other_never_comes_it_came_by_mistake() -> None:
    solution = solve(hand("indian-poker", stacks="8,8"), max_iterations=0)
    spots = Spots(always(solution, p1="f", p2="f"))
    spot = spots.at("b1")
    assert (spot.other_reach == 0.0).all()
    assert (spot.own_reach == 1.0).all()
    assert not spot.reached.any()
    # The mistake tells nothing of the card: folding to the bet costs the ante and the chance of the 10.
    column = spot.column("4")
    assert spot.belief[:, column] == pytest.approx([2 / 19, 2 / 19, 2 / 19, 1 / 19] + [2 / 19] * 6, abs=1e-9)
    assert spot.ev[0, column] == pytest.approx(-(1 + 7 * 2 / 19), abs=1e-9)
    assert spot.ev[:, column].argmax() > 0


def test_where_only_oneself_never_comes_values_are_known() -> None:
    solution = solve(hand("indian-poker", stacks="8,8"), max_iterations=0)
    spots = Spots(always(solution, p1="b1 c f", p2="r1 c f"))
    spot = spots.at("b3 r1")
    assert (spot.own_reach == 0.0).all()
    assert spot.other_reach == pytest.approx(1.0, abs=1e-12)
    assert np.isfinite(spot.ev).all()
    assert not spot.reached.any()
    reached = spots.at("b1 r1")
    assert reached.reached.all()


def test_a_spot_that_is_reached_hardly_ever_does_not_count_as_reached() -> None:
    solution = solve(hand("indian-poker", stacks="8,8"), max_iterations=0)
    for rare, expected in ((REACHED * 1.01, True), (REACHED * 0.99, False)):
        strategies = always(solution, p1="b1 c f", p2="r1 c f").strategies
        rows = solution.tree.rows(0)
        strategies[0, rows.start + 1], strategies[0, rows.start] = 1 - rare, rare
        spots = Spots(solution.playing(strategies))
        assert spots.at("b1").reached.all()
        strategies[0, rows.start + 1], strategies[0, rows.start] = rare, 1 - rare
        spots = Spots(solution.playing(strategies))
        assert (spots.at("b1").reached == expected).all()
        assert (spots.at("b1 r1").reached == expected).all()
        # Known it is all the same.
        assert np.isfinite(spots.at("b1").ev).all()


def test_at_follows_any_history_and_walk_finds_the_same_spots() -> None:
    spots = Spots(solve(hand("double-sided", stacks="5,5", fronts="4,7"), max_iterations=5))
    for walked in spots.walk():
        spot = spots.at(" ".join(map(str, walked.history)))
        assert spot.history == walked.history
        assert (spot.player, spot.actions, spot.observations) == (walked.player, walked.actions, walked.observations)
        np.testing.assert_array_equal(spot.ev, walked.ev)


def test_what_is_no_spot_is_refused() -> None:
    spots = Spots(solve(hand("indian-poker", stacks="5,5"), max_iterations=1))
    with pytest.raises(HistoryError, match="the hand is over after 'c'"):
        spots.at("b1 c")
    with pytest.raises(HistoryError, match="legal"):
        spots.at("c")
    with pytest.raises(CardError, match=r"that the deck allows here \(1, 2, .*, 10\), got '11'"):
        spots.at("").column("11")
    with pytest.raises(HistoryError, match="it is a showdown at once"):
        Spots(solve(hand("indian-poker", stacks="1,5"))).at("")
    with pytest.raises(CardError, match="expected the fronts of this solution, one of 100, 1,1 "):
        Spots(solve(hand("double-sided", stacks="2,2"), max_iterations=1))
