"""Whole matches: bounds against independent values, each proved by a linear program, and the kernels' naive twins."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.base.errors import ChipsError, OptionError, UnprovedError, VerificationError
from rules.betting.chips import Chips, every_chips
from rules.cards.rank_deck import RankDeck
from rules.games.deck_models import DECK_MODELS, FULL, Exact, Fresh
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from solver.kernels import match as match_kernels
from solver.match import hands as solver_hands
from solver.match import sweeps
from solver.match.hands import Batch, MatchHands, Tables
from solver.match.proof import prove
from solver.match.sweeps import MatchSolver, evaluated, left_by, outward, single
from solver.match.table import MatchTable, at_start
from tests.support.helpers import refused
from tests.support.match.match_games import (
    InTurn,
    by_linear_program,
    continued,
    fresh_worth,
    match_hands,
    solved,
    table_of,
)
from tests.support.match.matches import CASES


def options(case: dict[str, Any]) -> dict[str, Any]:
    """Return a reference match's options."""
    return {name: case["spec"][name] for name in ("raises", "tie_bust", "penalties") if name in case["spec"]}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_bounds_hold_the_reference_values(case: dict[str, Any]) -> None:
    gap = 1e-4
    hands = match_hands(case["game"], case["spec"]["total"], **options(case))
    table = table_of(hands, gap)
    assert table.widest <= gap
    for state, value in case["values"].items():
        odds = table.odds(Chips(*map(int, state.split(","))))
        assert odds.lower - case["tolerance"] <= value <= odds.upper + case["tolerance"]
    chips = Chips(*case["state"])
    assert table.odds(chips).value == pytest.approx(case["value"], abs=gap / 2 + case["tolerance"])


def test_the_references_cover_every_game_and_both_tie_busts() -> None:
    assert {case["game"] for case in CASES} == {"indian-poker", "indian-holdem", "double-sided"}
    assert {case["spec"]["tie_bust"] for case in CASES} == {"split", "loses"}


# The decks of a match.


def test_all_decks_of_indian_poker_fall_into_1534_classes() -> None:
    model = Exact(match_hands("indian-poker", 4).spec)
    assert model.number == 1534
    assert [model.deck(level[0]).deck.total for level in model.levels] == list(range(2, 21, 2))
    assert model.levels[-1] == (FULL,)
    spec = hand("indian-poker")
    decks = [counts for counts in product(range(3), repeat=10) if sum(counts) and sum(counts) % 2 == 0]
    assert len(decks) == 29_524
    found = {model.find(hand("indian-poker", left=counts)) for counts in decks[::37]}
    assert model.find(spec) == FULL
    assert found <= set(range(1534))


def test_decks_of_a_class_are_the_same_game_and_lead_to_the_same_decks() -> None:
    model = Exact(match_hands("indian-poker", 4).spec)
    rng = np.random.default_rng(1)
    for _ in range(60):
        counts = rng.integers(0, 3, 10)
        if counts.sum() % 2 or not counts.sum():
            continue
        spec = hand("indian-poker", left=counts.tolist())
        assert isinstance(spec, MatchSpec)
        twin = model.deck(model.find(spec))
        ((mine, _),), ((theirs, _),) = spec.grouped(), twin.grouped()
        np.testing.assert_array_equal(mine.prior, theirs.prior)
        for contest in spec.contests:
            np.testing.assert_array_equal(mine.judge(contest), theirs.judge(contest))
        after = [model.following(one, layout.observations) for one, layout in ((spec, mine), (twin, theirs))]
        np.testing.assert_array_equal(*after)


def test_each_hand_leads_to_the_level_before_or_to_the_full_deck() -> None:
    model = Exact(match_hands("indian-poker", 4).spec)
    for place, level in enumerate(model.levels):
        allowed = {*model.levels[place - 1]} if place else {FULL}
        for deck in level[:: max(1, len(level) // 20)]:
            (deals,) = model.deals(deck)
            assert set(deals.next[deals.prior > 0.0].tolist()) <= allowed


@pytest.mark.parametrize(("game", "classes"), [("indian-poker", 1), ("indian-holdem", 4), ("double-sided", 100)])
def test_a_fresh_deck_has_few_classes_of_deals(game: str, classes: int) -> None:
    model = Fresh(match_hands(game, 20).spec)
    deals = model.deals(FULL)
    assert len(deals) == classes
    assert sum(one.weight for one in deals) == pytest.approx(1.0)
    assert all((one.next == FULL).all() for one in deals)


@pytest.mark.parametrize("game", ["indian-holdem", "double-sided"])
def test_only_indian_poker_has_exact_decks(game: str) -> None:
    with refused(OptionError, "exact", "indian-poker", game, "--deck-model fresh"):
        DECK_MODELS["exact"](match_hands(game, 4).spec)


@pytest.mark.parametrize(("total", "number"), [(2, 1), (4, 4), (20, 100), (30, 225), (40, 400)])
def test_every_state_of_the_chips_is_there_once(total: int, number: int) -> None:
    states = every_chips(total)
    assert len(set(states)) == len(states) == number
    assert all(chips.total == total and min(chips.stacks) >= 1 and chips.carry % 2 == 0 for chips in states)


# Each state against a linear program.

PROVED = [
    ("indian-poker", 4, "exact", {}),
    ("indian-poker", 6, "exact", {"tie_bust": "loses"}),
    ("indian-poker", 6, "fresh", {"penalties": "none", "raises": "2,allin"}),
    ("indian-holdem", 6, "fresh", {}),
    ("double-sided", 6, "fresh", {"tie_bust": "loses"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "total", "model", "given"), PROVED)
def test_with_perfect_play_each_hand_gains_on_the_table(game: str, total: int, model: str, given: Any) -> None:
    table = table_of(match_hands(game, total, model, **given), 2e-3)
    rng = np.random.default_rng(total)
    states = rng.permutation(len(table.states))[: 2 if game == "double-sided" else 6]
    for deck, number in zip(rng.permutation(table.model.number), states, strict=False):
        chips = table.states[number]
        spec = at_start(table.spec).__class__.from_options(
            {**_options_of(table.model.deck(int(deck))), "stacks": chips.stacks, "carry": chips.carry}
        )
        lower, upper = table.lower[deck, number], table.upper[deck, number]
        least = by_linear_program(continued(spec, fresh_worth(table, upper=True)))
        most = by_linear_program(continued(spec, fresh_worth(table, upper=False)))
        assert least.lower >= lower + 1e-9
        assert most.upper <= upper - 1e-9


def _options_of(spec: MatchSpec) -> dict[str, Any]:
    return {name: value for name, value in spec.to_dict().items() if name != "game" and value is not None}


# How it is found.


def test_threads_and_their_order_change_nothing() -> None:
    hands = match_hands("indian-poker", 8)
    one, two = solved(hands, 1e-3), solved(hands, 1e-3, threads=2)
    for name in ("lower", "upper", "values"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    assert (one.gap, one.sweeps) == (two.gap, two.sweeps)


def test_what_was_kept_is_not_solved_again() -> None:
    class Kept:
        def __init__(self) -> None:
            self.found: dict[Any, Any] = {}

        def get(self, sweep: int, piece: Any) -> Any:
            return self.found.get((sweep, piece))

        def put(self, sweep: int, piece: Any, found: Any) -> None:
            self.found[sweep, piece] = found

    class Nobody:
        def each(self, pieces: list[Any], *_: Any, **__: Any) -> list[Any]:
            assert not pieces
            return []

    hands, kept, steps = match_hands("indian-poker", 6), Kept(), []
    first = MatchSolver(hands, InTurn(hands), kept, steps.append).solve(1e-3)
    again = MatchSolver(hands, Nobody(), kept).solve(1e-3)
    assert first.lower.tobytes() == again.lower.tobytes()
    assert [step.sweep for step in steps] == sorted(step.sweep for step in steps)
    assert steps[-1].nodes == steps[-1].all_nodes
    assert steps[-1].proof
    assert not steps[0].proof


def test_a_match_that_cannot_be_proved_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "ATTEMPTS", 0)
    hands = match_hands("indian-poker", 4)
    with refused(UnprovedError, "could not be proved", "--gap"):
        solved(hands, 1e-3)


def test_a_gap_below_rounding_ends_with_a_message() -> None:
    with refused(UnprovedError, "could not be proved within 1e-09", "--gap"):
        solved(match_hands("indian-poker", 4), 1e-9)


@pytest.mark.parametrize(("game", "total"), [("indian-poker", 12), ("indian-holdem", 10), ("double-sided", 8)])
@pytest.mark.parametrize("gap", [1e-2, 1e-3])
def test_hands_are_solved_to_what_the_gap_needs_and_no_more(game: str, total: int, gap: float) -> None:
    found = solved(match_hands(game, total), gap)
    assert 0.5 * gap < (found.upper - found.lower).max() <= gap


def test_fixed_profiles_are_evaluated_by_linear_equations() -> None:
    # One state: P1 wins with 1/4, the match goes on with 1/2 and the roles swapped, it is drawn with 1/4.
    leads = np.array([[0.5, 0.25, 0.0, 0.25]])
    values, hands = evaluated(leads)
    assert values[0] == pytest.approx((0.25 + 0.125 + 0.5) / 1.5)  # v = 3/8 + (1 - v) / 2
    assert hands[0] == pytest.approx(2.0)
    lower, upper = left_by(leads, leads, 0.0)
    assert lower[0] == pytest.approx(values[0]) == pytest.approx(upper[0])
    lower, upper = left_by(leads, leads, 0.01)
    assert upper[0] - lower[0] == pytest.approx(0.04)  # 0.02 a hand, two hands


def test_tables_are_rounded_outward() -> None:
    table = np.random.default_rng(0).random(1000)
    assert (outward(table, up=False) <= table).all()
    assert (outward(table, up=True) >= table).all()
    assert (np.abs(outward(table, up=True) - outward(table, up=False)) < 1e-7).all()
    np.testing.assert_array_equal(outward(single(table), up=True), single(table))


# The kernels and their twins.


def random_tables(hands: MatchHands, seed: int) -> Tables:
    """Return tables of numbers from 0 to 1, the finished matches' columns as they must be."""
    rng = np.random.default_rng(seed)
    tables = [sweeps.blank(hands) for _ in range(3)]
    for table in tables:
        table[:, : len(hands.states)] = rng.random((hands.model.number, len(hands.states)))
    return Tables(*tables)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "total", "model"), [("indian-poker", 6, "exact"), ("double-sided", 6, "fresh")])
def test_payoffs_and_where_hands_lead_agree_with_the_cards(game: str, total: int, model: str) -> None:
    hands = match_hands(game, total, model, tie_bust="loses")
    assert {chips.cap for chips in hands.states} == {0, 1, 2}
    tables = random_tables(hands, 3)
    level, cap = len(hands.model.levels) // 2, 1
    here, deals = hands.cap(cap), hands.level(level)
    kind, state = np.array([0, len(deals.deck) - 1]), np.array([0, 1])
    size = deals.kinds.prior.shape[1]
    payoffs = np.zeros((2, len(here.tree.outcomes), size, size, 2))
    match_kernels.fill(deals.kinds, here.ends, kind, state, tables.lower, tables.upper, payoffs)
    rng = np.random.default_rng(5)
    weights = rng.random((len(here.tree.child), size)) * (rng.random((len(here.tree.child), size)) > 0.2)
    for place in range(2):
        chips = hands.states[here.states[state[place]]]
        deck = hands.model.levels[level][deals.deck[kind[place]]]
        spec = _at(hands, deck, chips)
        index = int(kind[place])
        deal = index if model == "fresh" else 0
        low, high = (continued(spec, _worth(hands, table)).classes[deal] for table in (tables.lower, tables.upper))
        n1, n2 = low.observations
        for outcome in range(len(here.tree.outcomes)):
            np.testing.assert_allclose(payoffs[0, outcome, :n2, :n1, place], low.joint[outcome].T, atol=1e-15)
            np.testing.assert_allclose(payoffs[1, outcome, :n1, :n2, place], -high.joint[outcome], atol=1e-15)
        led = np.zeros((hands.model.number, hands.columns))
        reach, mass = np.zeros((2, here.tree.nodes, size)), np.zeros((len(here.tree.outcomes), size, size))
        arrays = here.tree.player, here.tree.first, here.tree.child
        match_kernels.lead(*arrays, weights, deals.kinds, here.ends, index, int(state[place]), reach, mass, led)
        assert led.sum() == pytest.approx(1.0)
        played = _value(here.tree, low, weights)
        assert (led * (1.0 - tables.lower)).sum() == pytest.approx(played)
        answered = weights.copy()
        match_kernels.respond(*arrays, answered, 1, payoffs, place, reach[0], np.zeros((here.tree.nodes, size)))
        led[...] = 0.0
        match_kernels.lead(*arrays, answered, deals.kinds, here.ends, index, int(state[place]), reach, mass, led)
        assert (led * (1.0 - tables.upper)).sum() == pytest.approx(_least(here.tree, high, weights))


def _at(hands: MatchHands, deck: int, chips: Chips) -> MatchSpec:
    from dataclasses import replace

    return replace(hands.model.deck(deck), chips=chips)


def _value(tree: Any, one: Any, weights: Any) -> float:
    """Return P1's value of a profile, history by history."""
    n1, n2 = one.observations

    def walk(node: int, reach1: Any, reach2: Any) -> float:
        rows = tree.rows(node)
        sums = weights[rows].sum(axis=0)
        share = np.where(sums > 0.0, weights[rows] / np.where(sums > 0.0, sums, 1.0), 1.0 / (rows.stop - rows.start))
        total = 0.0
        for place, action in enumerate(range(rows.start, rows.stop)):
            first = reach1 * share[place, :n1] if tree.player[node] == 0 else reach1
            second = reach2 * share[place, :n2] if tree.player[node] == 1 else reach2
            below = tree.child[action]
            total += first @ one.joint[~below] @ second if below < 0 else walk(below, first, second)
        return float(total)

    return walk(0, np.ones(n1), np.ones(n2))


def _least(tree: Any, one: Any, weights: Any) -> float:
    """Return the least that P2 can leave P1, from values of subtrees by P2's observation."""
    n1 = one.observations[0]

    def walk(node: int, reach: Any) -> Any:
        rows = tree.rows(node)
        sums = weights[rows].sum(axis=0)
        share = np.where(sums > 0.0, weights[rows] / np.where(sums > 0.0, sums, 1.0), 1.0 / (rows.stop - rows.start))
        values = []
        for place, action in enumerate(range(rows.start, rows.stop)):
            here = reach * share[place, :n1] if tree.player[node] == 0 else reach
            below = tree.child[action]
            values.append(here @ one.joint[~below] if below < 0 else walk(below, here))
        return np.sum(values, axis=0) if tree.player[node] == 0 else np.min(values, axis=0)

    return float(walk(0, np.ones(n1)).sum())


def test_hands_stand_side_by_side_where_their_tree_is_small_or_fills_few_vectors() -> None:
    many = match_hands("double-sided", 40, raise_limit=4)
    assert {many.cap(cap).together for cap in (5, 12, 18)} == {16}
    assert many.cap(18).tree.nodes > solver_hands.SMALL
    full = match_hands("indian-holdem", 40)
    assert [full.cap(cap).together for cap in (17, 9)] == [1, 16]
    assert solver_hands.SMALL < full.cap(17).tree.nodes < solver_hands.LARGE


@pytest.mark.parametrize("filled", [0.0, 1.0])
def test_hands_side_by_side_come_to_what_they_come_to_alone(monkeypatch: pytest.MonkeyPatch, filled: float) -> None:
    monkeypatch.setattr(solver_hands, "SMALL", 0)
    monkeypatch.setattr(solver_hands, "FILLED", filled)
    hands = match_hands("indian-poker", 8, "exact")
    assert hands.cap(3).together == (16 if filled else 1)
    tables = random_tables(hands, 2)
    same = Tables(tables.middle, tables.middle, tables.middle)
    piece = Batch(7, 3, 0, 32)
    lower, upper = hands.work(piece, same, 1e-4).bounds
    assert (upper - lower <= 1e-4 + 1e-9).all()
    kind, state = hands.hands(piece)
    for place in (0, 31):
        deck = hands.model.levels[7][hands.level(7).deck[kind[place]]]
        spec = _at(hands, deck, hands.states[hands.cap(3).states[state[place]]])
        exact = by_linear_program(continued(spec, _worth(hands, tables.middle)))
        assert lower[place] - 1e-9 <= exact.value <= upper[place] + 1e-9


def _worth(hands: MatchHands, table: Any) -> Any:
    return lambda after: float(table[hands.model.find(after), hands.number[after.chips]])


def test_profiles_and_responses_lead_on_with_certainty() -> None:
    hands = match_hands("indian-holdem", 6)
    tables = random_tables(hands, 1)
    for asked, number in ((True, 3), (False, 0)):
        for piece in hands.pieces(0):
            found = hands.work(piece, tables, 1e-2, asked)
            assert len(found.leads) == number
            for matrix in found.leads:
                np.testing.assert_allclose(matrix.sum(axis=1), 1.0)


# Tables.


@pytest.fixture(scope="module")
def small() -> MatchTable:
    """The match of indian-poker with 6 chips, its decks followed."""
    return table_of(match_hands("indian-poker", 6, "exact"), 2e-3)


@pytest.mark.slow
def test_a_table_is_saved_loaded_and_proved(small: MatchTable, tmp_path: Path) -> None:
    from solver.match.table import load

    small.save(tmp_path / "a.npz")
    small.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    again = load(tmp_path / "a.npz")
    assert again.lower.tobytes() == small.lower.tobytes()
    assert (again.spec, again.gap, again.deck_model) == (small.spec, small.gap, small.deck_model)
    hands = match_hands("indian-poker", 6, "exact")
    proof = prove(again, hands, InTurn(hands))
    assert (proof.states, proof.all_states) == (1534 * 9, 1534 * 9)
    assert proof.least >= 1e-9
    assert proof.again == 0
    some = prove(again, hands, InTurn(hands), sample=40, seed=3)
    assert some.states == 40


@pytest.mark.slow
@pytest.mark.parametrize(("where", "side"), [((FULL, 2), "lower"), ((700, 1), "upper")])
def test_a_table_that_claims_too_much_is_caught(small: MatchTable, where: tuple[int, int], side: str) -> None:
    from dataclasses import replace

    changed = getattr(small, side).copy()
    changed[where] += 4e-3 if side == "lower" else -4e-3
    hands = match_hands("indian-poker", 6, "exact")
    with refused(VerificationError, "the table claims", "stacks", "cards left"):
        prove(replace(small, **{side: changed}), hands, InTurn(hands))


def test_odds_are_looked_up_by_deck_and_chips(small: MatchTable) -> None:
    spec = hand("indian-poker", seen="1,4", stacks="2,4")
    assert isinstance(spec, MatchSpec)
    odds = small.odds(spec.chips, small.model.find(spec))
    assert odds.lower < odds.value < odds.upper <= odds.lower + small.widest + 1e-12
    with refused(ChipsError, "6 chips of this match", "3 + 4 + 0 = 7"):
        small.odds(Chips(3, 4, 0))


def test_a_match_starts_with_equal_stacks() -> None:
    spec = hand("indian-poker", stacks="3,4")
    assert isinstance(spec, MatchSpec)
    with refused(ChipsError, "equal stacks", "7 chips"):
        at_start(spec)
    later = hand("indian-poker", stacks="3,5", carry=4, seen="1,1")
    assert isinstance(later, MatchSpec)
    start = at_start(later)
    assert start.chips == Chips(6, 6, 0)
    assert start.to_dict()["left"] == list(RankDeck.fresh(2, 2).counts)
