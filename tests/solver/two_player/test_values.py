"""Values known from elsewhere: the test games, and the four games from an independent exact method."""

import json
from typing import Any

import pytest

from rules.games.registry import hand
from solver import solve
from tests.support.games.small_games import KUHN_VALUE, LEDUC_VALUE, Kuhn, Leduc
from tests.support.paths import ROOT

REFERENCE = json.loads((ROOT / "tests/support/reference_values.json").read_text(encoding="utf-8"))["cases"]
REFERENCE_ERROR = 1e-6
"""The references are given to ten digits and good to this, in chips."""

SLOW = {"ip-38", "ds-04", "ds-23"}
"""The largest trees, and a hundred pairs of fronts."""

EVERY_CASE = pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case["id"], marks=[pytest.mark.slow] if case["id"] in SLOW else []) for case in REFERENCE],
)


@pytest.mark.parametrize(("spec", "value"), [(Kuhn(), KUHN_VALUE), (Leduc(), LEDUC_VALUE)], ids=["kuhn", "leduc"])
def test_test_games_have_their_known_values_by_both_methods(spec: Any, value: float) -> None:
    by_program = solve(spec, method="lp")
    assert by_program.value == pytest.approx(value, abs=1e-8)
    assert by_program.nash_conv < 1e-8
    by_regrets = solve(spec, gap=1e-4)
    assert by_regrets.converged
    low, high = by_regrets.value_bounds
    assert low <= value <= high
    assert by_regrets.value == pytest.approx(value, abs=1e-4)


@pytest.mark.slow
@EVERY_CASE
def test_cfr_bounds_the_reference_value_within_the_gap(case: dict[str, Any]) -> None:
    solution = solve(hand(case["game"], **case["options"]), gap=1e-3)
    low, high = solution.value_bounds
    assert solution.provenance.stopped == "gap"
    assert high - low <= 1e-3
    assert low - REFERENCE_ERROR <= case["value"] <= high + REFERENCE_ERROR
    assert low <= solution.value <= high


@pytest.mark.slow
@EVERY_CASE
def test_the_linear_program_gives_the_reference_value(case: dict[str, Any]) -> None:
    solution = solve(hand(case["game"], **case["options"]), method="lp")
    assert solution.value == pytest.approx(case["value"], abs=REFERENCE_ERROR)
    assert solution.nash_conv <= 1e-8


def test_the_references_cover_every_game_and_the_averages() -> None:
    assert {case["game"] for case in REFERENCE} == {
        "indian-poker",
        "indian-holdem",
        "double-sided",
        "blind-mans-bluff",
    }
    averages = [case for case in REFERENCE if len(hand(case["game"], **case["options"]).classes()) > 1]
    assert {case["game"] for case in averages} == {"indian-holdem", "double-sided"}
    assert len({case["id"] for case in REFERENCE}) == len(REFERENCE) == 36
