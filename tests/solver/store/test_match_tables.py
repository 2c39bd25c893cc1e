"""The objective match for one hand: utilities, bounds, files, and which table says what later hands are worth."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.base.errors import ChipsError, OptionError, SolutionFileError
from rules.betting.chips import Chips, every_chips
from rules.games.deck_models import DECK_MODELS
from rules.games.match_spec import MatchSpec
from rules.games.registry import from_dict, hand, options_of
from solver import solve, verify
from solver.match.table import MatchTable, at_start
from solver.solutions.continuation import MatchContinuation, Origin
from solver.solutions.solution import Solution, load
from solver.solutions.spots import Spots
from solver.solutions.verification import VerificationError
from solver.store import match_tables
from solver.store.cache import Cache
from solver.store.match_tables import NoTableError, rows_for, with_continuation
from solver.two_player.payoffs import prepare
from tests.support.helpers import refused
from tests.support.match.match_games import by_linear_program, continued, fresh_worth
from tests.support.solution_files import forged

MIDDLE_HANDS: dict[str, dict[str, Any]] = {
    "indian-poker": {"seen": "1,4,4,9", "stacks": (5, 3), "carry": 2},
    "indian-holdem": {"seen": "1,4,4,9", "board": "4,5", "stacks": (4, 6)},
    "double-sided": {"shown": "3/7,4/2", "hidden": "5,9", "fronts": "3,8", "stacks": (3, 5), "carry": 4},
}
"""A hand in the middle of a match of each game."""


def table_for(spec: MatchSpec, model: str = "fresh", seed: int = 0, width: float = 0.01) -> MatchTable:
    """Return a table of made-up figures, everywhere `width` wide."""
    number, states = DECK_MODELS[model](at_start(spec)).number, every_chips(spec.chips.total)
    lower = np.random.default_rng(seed).uniform(0.0, 1.0 - width, (number, len(states))).astype(np.float32)
    upper = (lower + np.float32(width)).astype(np.float32)
    widest = float((upper.astype(np.float64) - lower).max())
    return MatchTable(at_start(spec), model, widest, width, lower, upper, lower[0])


def even_table(spec: MatchSpec) -> MatchTable:
    """Return the table of a match in which everybody wins with the share of the chips."""
    share = np.array([[chips.share / chips.total for chips in every_chips(spec.chips.total)]], dtype=np.float32)
    return MatchTable(at_start(spec), "fresh", 1e-6, 1e-6, share, share, share[0])


def with_table(spec: MatchSpec, table: MatchTable) -> MatchSpec:
    """Return a hand to which a table says what later hands are worth."""
    origin = Origin(table.deck_model, table.gap, table.heading.digest)
    return replace(spec, deck_model=table.deck_model, later=MatchContinuation(origin, lambda: rows_for(table, spec)))


def match_hand(game: str, **options: Any) -> MatchSpec:
    """Return a hand of objective match."""
    spec = hand(game, objective="match", **options)
    assert isinstance(spec, MatchSpec)
    return spec


# The hand.


def test_the_normal_form_names_the_deck_model_where_it_matters() -> None:
    assert "deck_model" not in hand("indian-poker").to_dict()
    spec = match_hand("indian-poker", deck_model="exact")
    assert (spec.to_dict()["objective"], spec.to_dict()["deck_model"]) == ("match", "exact")
    assert from_dict(spec.to_dict()) == spec
    assert match_hand("double-sided").to_dict()["deck_model"] == "auto"
    assert "deck_model" in options_of("indian-holdem")
    assert "deck_model" not in options_of("blind-mans-bluff")


def test_what_makes_no_sense_is_refused() -> None:
    with refused(OptionError, "deck-model", "objective match"):
        hand("indian-poker", deck_model="fresh")
    with refused(OptionError, "deck-model in double-sided", "auto or fresh", "'exact'"):
        match_hand("double-sided", deck_model="exact")
    with refused(ChipsError, "equal stacks", "19 chips"):
        match_hand("indian-poker", stacks=(10, 9))
    with refused(OptionError, "objective", "'match'"):
        hand("blind-mans-bluff", objective="match")
    with refused(OptionError, "match table"):
        prepare(match_hand("indian-poker"))


@pytest.mark.parametrize(
    ("game", "model"), [(game, "fresh") for game in MIDDLE_HANDS] + [("indian-poker", "exact")], ids=str
)
def test_utilities_are_those_of_every_pair_of_cards_settled_by_itself(game: str, model: str) -> None:
    for seed, tie_bust in product((1, 2), ("split", "loses")):
        spec = match_hand(game, tie_bust=tie_bust, **MIDDLE_HANDS[game])
        table = table_for(spec, model, seed)
        mine = prepare(with_table(spec, table))
        low, high = (fresh_worth(table, upper) for upper in (False, True))
        middle = continued(spec, lambda later: 0.5 * (low(later) + high(later)))  # noqa: B023 (called at once)
        assert mine.sides is not None
        for found, naive in zip(
            (mine.classes, *mine.sides), (middle, continued(spec, high), continued(spec, low)), strict=True
        ):
            np.testing.assert_allclose(found[0].joint, naive.classes[0].joint, rtol=0.0, atol=1e-12)


def test_the_last_hand_of_a_deck_leads_to_a_full_one() -> None:
    spec = match_hand("indian-poker", left="0,0,1,0,0,0,0,1,0,0", stacks=(3, 3))
    table = table_for(spec, "exact")
    later = with_table(spec, table).later
    assert isinstance(later, MatchContinuation)
    assert later.rows.decks.tolist() == [0, table.model.find(spec)]
    (row,) = {float(worth) for worth in later.worth(spec, (("3", "8"), ("3", "8")), Chips(2, 4)).ravel()}
    assert row == pytest.approx(1.0 - table.odds(Chips(4, 2)).value)
    with refused(OptionError, "another deck"):
        later.worth(match_hand("indian-poker", stacks=(3, 3)), (("1",), ("2",)), Chips(2, 4))


# Solutions.

REFERENCES = {
    "ip-32": ("indian-poker", {"stacks": (4, 4), "tie_bust": "loses"}, 0.483107217),
    "ih-28": ("indian-holdem", {"stacks": (4, 4), "board": (5, 7)}, 0.477785079),
    "ds-match-4": ("double-sided", {"stacks": (2, 2)}, 0.485611095),
    "ip-match-4-loses": ("indian-poker", {"stacks": (1, 3), "tie_bust": "loses"}, 0.250433289),
    "ih-match-8-death": ("indian-holdem", {"stacks": (2, 4), "carry": 2, "penalties": "death-match"}, 0.370314129),
}
"""Chances of the first bettor from an independent exact method, good to 1e-6."""


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCES)
def test_the_bounds_hold_the_reference_value(name: str) -> None:
    game, options, value = REFERENCES[name]
    solution = solve(match_hand(game, deck_model="fresh", **options))
    lower, upper = solution.value_bounds
    assert lower - 1e-6 <= value <= upper + 1e-6
    assert solution.nash_conv <= 1e-4 < 1e-3
    assert solution.value == pytest.approx(value, abs=5e-4)
    assert upper - lower <= solution.later.origin.gap + solution.nash_conv + 1e-9  # type: ignore[union-attr]
    verify(solution)


@pytest.mark.parametrize("game", MIDDLE_HANDS)
def test_bounds_hold_whatever_later_hands_are_worth_within_theirs(game: str) -> None:
    spec = match_hand(game, **MIDDLE_HANDS[game])
    solution = solve(with_table(spec, table_for(spec, width=0.1)))
    lower, upper = solution.value_bounds
    assert solution.nash_conv <= 1e-4 < solution.quality.unknown <= 0.1 + 1e-6
    assert solution.nash_conv == pytest.approx(upper - lower - solution.quality.unknown)
    assert spec.sides is None
    for side in solution.spec.sides or ():
        assert lower - 1e-9 <= by_linear_program(prepare(side)).value <= upper + 1e-9
    # A strategy of P1 makes sure of the lower bound, so that it is no more than what P1 has at least.
    least, most = (by_linear_program(prepare(side)).value for side in solution.spec.sides or ())
    assert least >= lower - 1e-9
    assert most <= upper + 1e-9


def test_with_chances_in_proportion_to_chips_it_is_the_objective_chips() -> None:
    options = {"seen": "1,4,4,9", "stacks": (7, 5)}
    spec = match_hand("indian-poker", **options)
    same, total = solve(with_table(spec, even_table(spec)), gap=1e-3 / 12), 12
    chips = solve(hand("indian-poker", **options), gap=1e-3)
    assert same.value == pytest.approx(7 / total + chips.value / total, abs=1e-5)
    assert same.sources is not None
    assert np.mean(same.sources == chips.sources) > 0.95  # thresholds are in proportion to what is at stake
    for history in ("", "b1", "b1 r3"):
        mine, theirs = Spots(same).at(history), Spots(chips).at(history)
        start = (5 if mine.player else 7) / total
        apart = np.abs(mine.ev - (start + theirs.ev / total))
        # What follows a mistake is played by whatever the solve has found there.
        assert apart[(mine.probability > 0.01) & mine.reached & theirs.reached].max(initial=0.0) < 2e-3


def test_values_are_the_acting_players_own_chance() -> None:
    spec = match_hand("indian-poker", stacks=(3, 3), left="0,0,1,0,0,0,0,1,0,0")
    table = table_for(spec, width=0.001)
    spots = Spots(solve(with_table(spec, table)))
    assert (spots.at().ev >= -1e-9).all()
    spot = spots.at("b1")  # two cards: whoever sees the 3 holds the 8; P2 folds without a penalty
    fold = [str(action) for action in spot.actions].index("f")
    after = table.odds(Chips(2, 4)).value  # P2 bets first in the next hand, with what is left
    np.testing.assert_allclose(spot.ev[fold], after, atol=1e-6)


# Files.


@pytest.fixture(scope="module")
def solution() -> Solution:
    spec = match_hand("indian-poker", seen="1,4", stacks=(4, 4))
    return solve(with_table(spec, table_for(spec, "exact", width=0.02)))


def test_a_file_holds_all_that_later_hands_are_worth(
    solution: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hand.npz"
    solution.save(path)
    monkeypatch.setattr(match_tables, "files", lambda _: tmp_path)  # no table is at hand
    back = load(path)
    assert back.spec == solution.spec
    assert back.spec.notes == solution.spec.notes
    assert (back.value, back.value_bounds, back.nash_conv) == (
        solution.value,
        solution.value_bounds,
        solution.nash_conv,
    )
    assert back.later is not None
    assert solution.later is not None
    assert back.later.origin == solution.later.origin
    verify(back)
    np.testing.assert_array_equal(Spots(back).at("b1").ev, Spots(solution).at("b1").ev)
    again = tmp_path / "again.npz"
    back.save(again)
    verify(load(again))
    assert again.read_bytes() != path.read_bytes() or not solution.state  # only what CFR goes on from is left out


def test_a_file_that_says_something_else_of_later_hands_is_found_out(solution: Solution, tmp_path: Path) -> None:
    path = tmp_path / "hand.npz"
    solution.save(path)
    forged(path, lambda _, arrays: arrays["later_upper"].__iadd__(np.float32(0.01)))
    with refused(SolutionFileError, "known within 0.02, its own bounds of them are up to 0.03 apart"):
        load(path)
    solution.save(path)
    forged(path, lambda _, arrays: [arrays["later_lower"].__isub__(0.0099), arrays["later_upper"].__isub__(0.01)])
    with pytest.raises(VerificationError, match="claims"):
        verify(load(path))
    solution.save(path)
    forged(path, lambda _, arrays: arrays.update(later_upper=arrays["later_upper"][:, 1:]))
    with refused(SolutionFileError, "later hands"):
        load(path)


def test_a_solve_goes_on_with_the_same_table_only(solution: Solution, tmp_path: Path) -> None:
    path = tmp_path / "hand.npz"
    solution.save(path)
    earlier = load(path, with_state=True)
    further = solve(earlier.spec, gap=1e-6, resume=earlier)
    assert further.nash_conv <= 1e-6
    spec = match_hand("indian-poker", seen="1,4", stacks=(4, 4))
    with refused(OptionError, "match table of the solution"):
        solve(with_table(spec, table_for(spec, "exact", seed=7, width=0.02)), resume=earlier)


def test_notes_name_deck_model_tie_bust_and_table(solution: Solution) -> None:
    (note,) = solution.spec.notes
    assert solution.later is not None
    for part in ("deck model exact", "tie-bust split", "within 0.02", solution.later.digest[:8]):
        assert part in note


# Which table.


def test_the_best_table_at_hand_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_tables, "files", lambda _: tmp_path)
    folder, cache = tmp_path / "tables", Cache(tmp_path / "cache", 10**8)
    folder.mkdir()
    spec = match_hand("indian-poker", stacks=(3, 3))
    told: list[str] = []

    def model_of(**options: Any) -> tuple[str, str]:
        found = with_continuation(replace(spec, **options), cache=cache, before=told.append)
        assert isinstance(found, MatchSpec)
        return found.deck_model, found.depends

    made = model_of()
    assert made[0] == "fresh"
    assert len(told) == 1
    assert "6 chips" in told[0]
    assert model_of() == made  # kept
    fresh, exact = table_for(spec), table_for(spec, "exact")
    fresh.save(folder / "indian-poker-6-fresh.npz")
    assert model_of() == ("fresh", fresh.heading.digest)  # what is shipped comes first
    exact.save(folder / "indian-poker-6-exact.npz")
    assert model_of() == ("exact", exact.heading.digest)
    assert model_of(deck_model="fresh") == ("fresh", fresh.heading.digest)
    assert len(told) == 1
    smaller = replace(spec.betting, limit=1)
    assert model_of(betting=smaller) == ("exact", exact.heading.digest)  # of the match without the limit
    assert model_of(tie_bust="loses")[0] == "fresh"
    assert len(told) == 2


def test_a_table_that_takes_long_is_not_made() -> None:
    spec = match_hand("double-sided", stacks=(40, 20), carry=2, raises="1,3", tie_bust="loses")
    with refused(
        NoTableError,
        "62 chips",
        "forehead match double-sided --stacks 31,31 --raises 1,3 --tie-bust loses --deck-model fresh -o FILE",
    ):
        with_continuation(spec)
    with refused(NoTableError, "--deck-model exact"):
        with_continuation(match_hand("indian-poker", stacks=(11, 11), deck_model="exact"))


def test_a_named_table_must_be_of_the_match(tmp_path: Path) -> None:
    spec = match_hand("indian-poker", stacks=(4, 2))
    path = tmp_path / "table.npz"
    table = table_for(spec)
    table.save(path)
    found = with_continuation(spec, file=path)
    assert found.depends == table.heading.digest
    with refused(OptionError, "another match", "stacks"):
        with_continuation(match_hand("indian-poker", stacks=(4, 4)), file=path)
    with refused(OptionError, "another match", "tie_bust"):
        with_continuation(match_hand("indian-poker", stacks=(4, 2), tie_bust="loses"), file=path)
    with refused(OptionError, "deck model fresh", "exact"):
        with_continuation(match_hand("indian-poker", stacks=(4, 2), deck_model="exact"), file=path)
    path.write_bytes(b"nothing")
    with refused(SolutionFileError, "no match table"):
        with_continuation(spec, file=path)


def test_what_lacks_nothing_stays() -> None:
    spec = hand("indian-poker")
    assert with_continuation(spec) is spec
    there = with_table(match_hand("indian-poker"), table_for(match_hand("indian-poker")))
    assert with_continuation(there) is there


def test_kept_tables_are_listed_cleared_and_dropped(tmp_path: Path) -> None:
    spec = match_hand("indian-poker", stacks=(3, 3))
    table, cache = table_for(spec), Cache(tmp_path, 10**8)
    cache.keep_table(table)
    (entry,) = cache.entries()
    assert entry.table == table.heading
    assert entry.solution is None
    next(tmp_path.iterdir()).write_bytes(b"damaged")
    assert cache.find_table(at_start(spec), "fresh") is None
    assert cache.entries()[0].table is None
    assert cache.clear() == (0, 1)
    assert Cache(tmp_path, 0).keep_table(table) is None
    assert not list(tmp_path.iterdir())
    Cache(tmp_path, 10).keep_table(table)
    assert not list(tmp_path.iterdir())


def test_the_same_question_with_another_table_is_another_one(tmp_path: Path) -> None:
    spec, cache = match_hand("indian-poker", stacks=(3, 3)), Cache(tmp_path, 10**8)
    first, second = (with_table(spec, table_for(spec, seed=seed)) for seed in (1, 2))
    cache.keep(solve(first))
    assert cache.find(first, 1e-3) is not None
    assert cache.find(second, 1e-3) is None


def test_headers_of_chips_say_nothing_of_matches(tmp_path: Path) -> None:
    path = tmp_path / "chips.npz"
    solve(hand("indian-poker", stacks=(2, 2))).save(path)
    with np.load(path) as file:
        header = json.loads(file["header"].tobytes())
        assert not [name for name in file.files if name.startswith("later")]
    assert not {"match_table", "unknown"} & (set(header) | set(header["classes"][0]))
