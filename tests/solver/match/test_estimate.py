"""What the solve of a match is said to take."""

import time
from typing import Any

import numpy as np
import pytest

from rules.base.errors import SizeError
from rules.games.deck_models import DECK_MODELS
from solver.match import estimate as estimate_module
from solver.match.estimate import check_memory, estimate, expected_hand_gap, hands_left, memory_needed, sampled
from solver.match.hands import Batch, MatchHands
from solver.match.sweeps import MatchSolver, evaluated
from solver.two_player.memory import PROCESS
from tests.support.helpers import refused
from tests.support.match.matches import InOrder, match_hands, match_spec


def double_sided(stack: int, **options: Any) -> MatchHands:
    spec = match_spec(stack, "double-sided", **options)
    return MatchHands(spec, DECK_MODELS["fresh"](spec))


@pytest.mark.parametrize("model", ["fresh", "exact"])
def test_what_is_counted_is_exact(model: str) -> None:
    hands = match_hands(model)
    found = estimate(hands, 0.01, 1, 0.2)
    pieces = [piece for level in range(len(hands.model.levels)) for piece in hands.pieces(level)]
    assert found.hands == sum(piece.hands for piece in pieces)
    assert found.nodes == sum(piece.hands * hands.cap(piece.cap).tree.nodes for piece in pieces)
    table = np.zeros((hands.model.number, len(hands.states)), dtype=np.float32)
    assert found.table_bytes == 2 * table.nbytes + table[0].nbytes
    assert found.memory == memory_needed(hands, 1) > PROCESS


def test_the_hands_of_a_match_are_counted_as_the_solve_finds_them() -> None:
    hands = match_hands("fresh", 6)
    matches = MatchSolver(hands, InOrder(hands))
    values = np.array([chips.share / chips.total for chips in hands.states])
    for gap in (1e-3, 1e-4):
        values, left = evaluated(matches.sweep(values, values, values, gap).leads[0])
    assert hands_left(hands) == pytest.approx(left.max(), rel=0.15)


def test_a_long_match_is_measured_by_a_shorter_one(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = double_sided(6)
    whole = hands_left(hands)
    monkeypatch.setattr(estimate_module, "FEW", 150)
    assert hands_left(hands) == pytest.approx(whole, rel=0.6)


@pytest.mark.slow
def test_every_cap_is_tried_and_costs_what_it_costs() -> None:
    hands = match_hands("exact", 5)
    gap = expected_hand_gap(hands, 0.01)
    costs = sampled(hands, gap, seconds=0.4)
    assert [one.cap for one in costs] == list(hands.caps)
    assert all(one.tried >= 16 or not one.nodes for one in costs)
    workers, spent, visits = InOrder(hands), 0.0, 0.0
    table = estimate_module._by_share(hands)
    for level in range(len(hands.model.levels)):
        pieces: list[Batch] = hands.pieces(level)
        begun = time.thread_time()
        found = [one for _, one in workers.each(pieces, estimate_module.Tables(table, table, table), gap, False)]
        spent += time.thread_time() - begun
        visits += sum(
            2.0 * one.iterations * hands.cap(piece.cap).tree.nodes for piece, one in zip(pieces, found, strict=True)
        )
    assert sum(2.0 * one.hands * one.nodes * one.iterations for one in costs) == pytest.approx(visits, rel=0.3)
    assert sum(one.seconds for one in costs) == pytest.approx(spent, rel=0.6)  # others compute here too


def test_trees_that_are_too_large_to_try_are_as_the_largest_that_was(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = match_hands("fresh", 9)
    monkeypatch.setattr(estimate_module, "LARGE", 20)
    costs = sampled(hands, 1e-4, seconds=0.0)
    assert costs[0].nodes > 20
    assert costs[0].tried == 0
    known = next(one for one in costs if one.nodes <= 20)
    assert costs[0].visit == known.visit > 0.0
    few = sampled(hands, 1e-4, seconds=0.02)
    assert few[0].iterations == next(one.iterations for one in few if one.tried)


@pytest.mark.slow
def test_more_threads_take_less_time_but_more_memory() -> None:
    hands = match_hands("exact")
    one, four = estimate(hands, 0.01, 1, 0.2), estimate(hands, 0.01, 4, 0.2)
    assert one.seconds == one.processor
    assert four.seconds == pytest.approx(four.processor / 4)
    assert four.memory > one.memory
    many = estimate(match_hands("fresh", 6), 0.01, 1000, 0.2)
    assert many.seconds > many.processor / 1000  # one hand is not shared out


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate_module, "available", lambda: PROCESS)
    with refused(SizeError, "this match needs", "with 2 threads", "are free", "--threads", "--raise-limit"):
        check_memory(match_hands("fresh"), 2)
    monkeypatch.undo()
    check_memory(match_hands("fresh"), 2)
