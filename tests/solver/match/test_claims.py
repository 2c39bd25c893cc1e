"""What files about matches claim: each field is changed, every checksum renewed, and what proves it must notice."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rules.base.errors import SolutionFileError, VerificationError
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from solver import solve, verify
from solver.match.table import load as load_table
from solver.solutions.continuation import MatchContinuation, Origin, Rows
from solver.solutions.solution import load
from solver.store import match_tables
from solver.store.match_tables import with_continuation
from tests.support.commands import Done, good, run
from tests.support.helpers import refused
from tests.support.solution_files import forged, read

Edit = Callable[[dict[str, Any], dict[str, NDArray[Any]]], Any]


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tables of small matches for all tests of this file."""
    folder = tmp_path_factory.getbasetemp() / "match-claims-cache"
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(folder))
    return folder


def copied(path: Path, folder: Path) -> Path:
    copy = folder / path.name
    copy.write_bytes(path.read_bytes())
    return copy


def found_out(done: Done, *parts: str) -> None:
    """Expect one line on stderr, and nothing that a reader could take for an answer."""
    assert done.code in (1, 2)
    assert done.out == ""
    assert done.err.splitlines()[-1].startswith("forehead: ")
    assert "Traceback" not in done.err
    for part in parts:
        assert part in done.err


def put(name: str, value: Any) -> Edit:
    """Return what sets a field of the header, nested by dots."""
    *outer, last = name.split(".")

    def edit(header: dict[str, Any], _: Any) -> None:
        for key in outer:
            header = header[key]
        header[last] = value

    return edit


def moved(name: str, by: float) -> Edit:
    """Return what adds to an array."""
    return lambda _, arrays: arrays[name].__iadd__(np.asarray(by, arrays[name].dtype))


SIDES = ("lower", "upper")


def swap(_: Any, arrays: dict[str, NDArray[Any]]) -> None:
    arrays.update(lower=arrays["upper"], upper=arrays["lower"])


def raise_one(_: Any, arrays: dict[str, NDArray[Any]]) -> None:
    arrays["lower"][0, 1] = arrays["upper"][0, 1]


def lower_one(_: Any, arrays: dict[str, NDArray[Any]]) -> None:
    arrays["upper"][0, 2] = arrays["lower"][0, 2]


def for_chips(header: dict[str, Any], _: Any) -> None:
    header["spec"].update(objective="chips")
    header["spec"].pop("deck_model")


# Match tables.


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "table.npz"
    good("match", "indian-poker", "--stacks", "2,2", "-o", path)
    return path


TABLE_FIELDS: dict[str, tuple[Edit, str]] = {
    "format": (put("format", "forehead-solution"), "reads version 2"),
    "version": (put("version", 2), "version 2"),
    "gap, too small": (put("gap", 1e-6), "claims a gap of 1e-06, its widest bounds are"),
    "gap, too large": (put("gap", 0.5), "claims a gap of 0.5, its widest bounds are"),
    "gap, none": (put("gap", 0.0), "claims a gap of 0"),
    "gap, no number": (put("gap", "small"), "damaged"),
    "hand_gap": (put("hand_gap", 0.0), "a gap of 0 is none"),
    "hand_gap, no gap": (put("hand_gap", 3), "a gap of 3 is none"),
    "deck_model": (put("deck_model", "exact"), "not what the match needs"),
    "deck_model, unknown": (put("deck_model", "marked"), "damaged"),
    "spec.game": (put("spec.game", "indian-holdem"), "damaged"),
    "spec.game, without matches": (put("spec", hand("blind-mans-bluff").to_dict()), "has no matches"),
    "spec.stacks": (put("spec.stacks", [3, 3]), "not what the match needs"),
    "spec.stacks, unequal": (put("spec.stacks", [1, 3]), "not the start of a match"),
    "spec.carry": (put("spec.carry", 2), "not the start of a match"),
    "spec.left": (put("spec.left", [1] * 10), "not the start of a match"),
    "spec.objective": (put("spec.objective", "match"), "expected a spec in normal form"),
    "spec.raises": (put("spec.raises", [1, 1]), "expected different sizes"),
    "spec.raises, not in normal form": (put("spec.raises", "1,3,5,allin"), "expected a spec in normal form"),
    "spec.line": (put("spec.line", "b1"), "not the start of a match"),
    "spec.tie_bust": (put("spec.tie_bust", "loses"), "does not hold: the table claims"),
    "spec.penalties": (put("spec.penalties", "none"), "does not hold: the table claims"),
    "spec.more": (put("spec.more", 1), "damaged"),
    "lower": (moved("lower", 1e-3), "contradicts itself"),
    "lower, crossing": (
        lambda _, arrays: arrays.update(lower=arrays["upper"], upper=arrays["lower"]),
        "above the upper",
    ),
    "lower, both": (
        lambda _, arrays: [arrays[name].__iadd__(np.float32(0.05)) for name in ("lower", "upper")],
        "claims",
    ),
    "lower, one state": (
        lambda _, arrays: arrays["lower"][0].__setitem__(1, arrays["upper"][0, 1]),
        "the table claims",
    ),
    "upper, one state": (lower_one, "the table claims"),
    "upper, no number": (moved("upper", np.nan), "not what the match needs"),
    "values": (lambda _, arrays: arrays.update(values=arrays["values"][1:]), "not what the match needs"),
}


@pytest.mark.parametrize("name", TABLE_FIELDS)
def test_a_table_with_another_field_is_found_out(name: str, table: Path, tmp_path: Path) -> None:
    edit, told = TABLE_FIELDS[name]
    file = forged(copied(table, tmp_path), edit)
    found_out(run("verify", file), str(file), told)


def test_every_field_of_a_table_is_changed_above(table: Path) -> None:
    header, _ = read(table)
    named = {name.split(",")[0] for name in TABLE_FIELDS}
    fields = {*(set(header) - {"spec", "arrays", "checksum"}), "lower", "upper", "values"}
    assert fields <= named
    assert set(header["arrays"]) <= named


@pytest.mark.parametrize("gap", [1e-6, 0.5])
def test_odds_and_advice_do_not_quote_a_gap_that_is_none(gap: float, table: Path, tmp_path: Path) -> None:
    file = forged(copied(table, tmp_path), put("gap", gap))
    ask = ("indian-poker", "--stacks", "2,2", "--table", file)
    for line in (("odds", *ask), ("advise", *ask, "--see", "4"), ("solve", *ask, "--objective", "match")):
        found_out(run(*line), "contradicts itself")


def test_a_table_in_the_cache_that_contradicts_itself_is_not_listed_as_one(tmp_path: Path) -> None:
    from solver.store.cache import Cache

    kept = Cache(tmp_path, 10**8)
    good_one = match_tables._made(_small(), ("fresh",), kept, lambda _: None, lambda: False)
    assert good_one.heading.gap == 1e-3
    (path,) = tmp_path.iterdir()
    forged(path, put("gap", 1e-6))
    (entry,) = kept.entries()
    assert entry.table is None


def _small() -> MatchSpec:
    spec = hand("indian-poker", stacks=(2, 2), objective="match")
    assert isinstance(spec, MatchSpec)
    return spec


def test_what_a_proof_says_of_its_hands_is_its_own(table: Path, tmp_path: Path) -> None:
    genuine = load_table(table)
    file = forged(copied(table, tmp_path), put("hand_gap", genuine.hand_gap / 2))
    done = good("verify", file, "--format", "json").json
    assert done["hand_gap"] == pytest.approx(genuine.hand_gap / 2 / 4 ** (0 if not done["again"] else 1))
    assert done["gap"] >= done["widest"]


def test_what_only_helps_the_proof_may_be_anything(table: Path, tmp_path: Path) -> None:
    file = forged(copied(table, tmp_path), lambda _, arrays: arrays["values"].fill(0.5))
    assert "proved again" in good("verify", file).out


# Solutions of objective match.

FEW = {"left": "0,0,1,0,0,0,1,1,0,1", "stacks": (12, 8), "objective": "match"}
SMALL = ("solve", "indian-poker", "--left", "0,0,1,0,0,0,0,1,0,0", "--stacks", "2,2", "--objective", "match")


def spec_of(model: str, **changes: Any) -> MatchSpec:
    spec = with_continuation(hand("indian-poker", **{**FEW, "deck_model": model, **changes}))
    assert isinstance(spec, MatchSpec)
    return spec


@pytest.fixture(scope="module", params=["exact", "fresh"])
def win(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a solution that quotes a table which comes with forehead."""
    path = tmp_path_factory.mktemp("win") / f"{request.param}.npz"
    solve(spec_of(request.param)).save(path)
    return path


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a solution and the table that it quotes, which nobody else has."""
    folder = tmp_path_factory.mktemp("alone")
    file, quoted = folder / "alone.npz", folder / "quoted.npz"
    good("match", "indian-poker", "--stacks", "2,2", "--gap", "0.01", "-o", quoted)
    good(*SMALL, "--table", quoted, "-o", file)
    return file, quoted


def test_what_is_said_of_later_hands_is_held_against_the_table(win: Path) -> None:
    done = good("verify", win, "--format", "json").json
    digest = load(win).later.digest  # type: ignore[union-attr]
    assert done["later_hands"] == f"those of match table {digest[:8]} (shipped)"
    assert "not proved" not in good("verify", win).out
    assert "later_hands" in good("verify", win, "--format", "csv").out.splitlines()[0]


def test_where_the_table_is_nowhere_that_is_said(alone: tuple[Path, Path]) -> None:
    file, quoted = alone
    digest = load_table(quoted).heading.digest[:8]
    done = good("verify", file, "--format", "json")
    assert (done.json["verified"], done.json["later_hands"]) == (True, "not proved")
    note = f"what later hands are worth is taken from the file and not proved: match table {digest} is not at hand"
    assert any(one.startswith(note) for one in done.json["notes"])
    assert note in " ".join(good("verify", file).out.split())
    proved = good("verify", file, "--table", quoted, "--format", "json").json
    assert proved["later_hands"] == f"those of match table {digest} ({quoted})"
    assert not any("not proved" in one for one in proved["notes"])


def test_a_kept_table_is_found(cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    good(*SMALL, "-o", file)
    assert good("verify", file, "--format", "json").json["later_hands"].endswith(" (in the cache)")


def test_the_table_that_is_named_must_be_the_one_that_is_quoted(
    alone: tuple[Path, Path], table: Path, win: Path, solved: Path
) -> None:
    file, quoted = alone
    found_out(run("verify", file, "--table", table), "is match table", "the file that is verified quotes")
    found_out(run("verify", win, "--table", quoted), "is match table")
    found_out(run("verify", file, "--table", file), "is no match table")
    found_out(run("verify", solved / "deck.npz", "--table", quoted), "objective match beside --table")
    found_out(run("verify", solved / "bluff.npz", "--table", quoted), "objective match beside --table")
    found_out(run("verify", quoted, "--table", quoted), "a solution that quotes a match table")


def bettered(spec: MatchSpec, path: Path, by: float, digest: str = "") -> Path:
    """Save an honest solution of a dishonest hand: later hands are better for P1 than the table says that is quoted."""
    later = spec.later
    assert isinstance(later, MatchContinuation)
    decks, lower, upper = later.rows
    less = [np.maximum(side - np.float32(by), 0.0).astype(np.float32) for side in (lower, upper)]
    origin = later.origin._replace(digest=digest) if digest else later.origin
    solve(replace(spec, later=MatchContinuation(origin, lambda: Rows(decks, *less)))).save(path)
    return path


@pytest.mark.parametrize("model", ["exact", "fresh"])
def test_later_hands_that_are_too_good_are_found_out_with_all_claims_recomputed(model: str, tmp_path: Path) -> None:
    file = bettered(spec_of(model), tmp_path / "x.npz", 0.05)
    digest = load(file).later.digest[:8]  # type: ignore[union-attr]
    found_out(run("verify", file), str(file), f"worth what match table {digest} says", "(shipped) says something else")
    with refused(VerificationError, "says something else"):
        verify(load(file))


@pytest.mark.parametrize("model", ["exact", "fresh"])
def test_nor_does_another_digest_help_where_a_table_of_the_match_is_shipped(model: str, tmp_path: Path) -> None:
    file = bettered(spec_of(model), tmp_path / "x.npz", 0.05, digest="0" * 64)
    found_out(run("verify", file), "contradicts the match table that comes with forehead")
    # What leaves room may well be another table of the same match.
    same = bettered(spec_of(model), tmp_path / "y.npz", 0.0, digest="0" * 64)
    assert good("verify", same, "--format", "json").json["later_hands"] == "not proved"


def test_a_smaller_game_may_differ_from_the_whole(tmp_path: Path) -> None:
    spec = spec_of("fresh", raise_limit=1)
    file = bettered(spec, tmp_path / "x.npz", 0.05, digest="0" * 64)
    assert good("verify", file, "--format", "json").json["later_hands"] == "not proved"


def test_a_named_table_that_says_something_else(alone: tuple[Path, Path], tmp_path: Path) -> None:
    file, quoted = alone
    spec = load(file).spec
    assert isinstance(spec, MatchSpec)
    forgery = bettered(spec, tmp_path / "x.npz", 0.05)
    found_out(run("verify", forgery, "--table", quoted), f"that table ({quoted}) says something else")


FILE_FIELDS: dict[str, tuple[Edit, str]] = {
    "match_table.deck_model": (put("match_table.deck_model", "marked"), "later hands are worth something else"),
    "match_table.gap, too small": (put("match_table.gap", 1e-6), "claims that later hands are known within 1e-06"),
    "match_table.gap, too large": (put("match_table.gap", 0.5), "is of another match or gap"),
    "match_table.gap, no gap": (put("match_table.gap", 7), "known within 7"),
    "match_table.gap, no number": (put("match_table.gap", "small"), "garbles a field"),
    "match_table.digest": (put("match_table.digest", 7), "no match table"),
    "match_table.digest, short": (put("match_table.digest", "8a1cbb52"), "no digest"),
    "match_table.more": (put("match_table.more", 1), "no match table"),
    "match_table": (lambda header, _: header.pop("match_table"), "garbles a field"),
    "later_decks": (moved("later_decks", 1), "says something else"),
    "later_lower": (moved("later_lower", -1e-6), "says something else"),
    "later_upper": (moved("later_upper", 1e-6), "says something else"),
    "later_upper, crossing": (moved("later_upper", -0.01), "above the upper ones"),
    "spec.deck_model": (put("spec.deck_model", "auto"), "later hands are worth something else"),
    "spec.tie_bust": (put("spec.tie_bust", "loses"), "is of another match or gap"),
    "spec.objective": (for_chips, ""),
    "unit": (put("unit", "chips"), "its unit, or deals"),
    "value": (lambda header, _: header.update(value=header["value"] + 1e-3), "not the mean"),
    "classes.weight": (lambda header, _: header["classes"][0].update(weight=0.5), "its unit, or deals"),
    "classes.board": (lambda header, _: header["classes"][0]["deals"][0].update(board="1,2"), "its unit, or deals"),
    "classes.deal.weight": (lambda header, _: header["classes"][0]["deals"][0].update(weight=0.5), "its unit, or"),
    "classes.observations": (
        lambda header, _: header["classes"][0]["deals"][0]["observations"][0].reverse(), "its unit, or deals"),
    "classes.value": (lambda header, _: header["classes"][0].update(value=header["value"] + 1e-3), "not the mean"),
    "unknown": (
        lambda header, _: [one.update(unknown=one["unknown"] / 2) for one in (header, *header["classes"])], "NashConv"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILE_FIELDS)
def test_a_solution_with_another_field_is_found_out(name: str, win: Path, tmp_path: Path) -> None:
    edit, told = FILE_FIELDS[name]
    file = forged(copied(win, tmp_path), edit)
    found_out(run("verify", file), told)


@pytest.mark.parametrize("command", [("show",), ("best", "--see", "3"), ("advise", "--see", "3", "--from")])
def test_no_answer_quotes_a_gap_that_is_none(command: tuple[str, ...], win: Path, tmp_path: Path) -> None:
    file = forged(copied(win, tmp_path), put("match_table.gap", 1e-6))
    found_out(run(*command, file), "known within 1e-06")


def test_a_table_of_another_match_is_not_taken_for_a_digest(alone: tuple[Path, Path], table: Path) -> None:
    spec = load(alone[0]).spec
    assert isinstance(spec, MatchSpec)
    later, heading = spec.later, load_table(table).heading
    assert isinstance(later, MatchContinuation)
    wrong = replace(spec, later=MatchContinuation(Origin("fresh", 0.01, heading.digest), lambda: later.rows))
    from solver.store.continuation_proof import prove_continuation

    with refused(VerificationError, "another match or gap"):
        prove_continuation(wrong, table)


def test_a_foreign_file_is_refused_by_load(win: Path, tmp_path: Path) -> None:
    file = forged(copied(win, tmp_path), put("match_table.gap", 0.0))
    with refused(SolutionFileError, "contradicts itself"):
        load(file)
