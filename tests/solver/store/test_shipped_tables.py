"""The match tables that come with the package: what they are of, and a sample of each proved again."""

from pathlib import Path

import pytest

from rules.betting.chips import Chips
from solver.match import table as match_table
from solver.match.proof import prove
from solver.match.solving import hands_of
from solver.match.workers import Threads

TABLES = sorted((Path(match_table.__file__).parent / "tables").glob("*.npz"))

GAPS = {
    "indian-poker-20-exact": 1e-3,
    "double-sided-30-fresh": 2e-3,
    "double-sided-40-fresh-limit-4": 2e-3,
    "double-sided-60-fresh-limit-3": 2e-3,
    **{f"{game}-{total}-fresh": 2e-4 for game in ("indian-poker", "indian-holdem") for total in (20, 30, 40)},
}
"""How wide the bounds of each table may be."""

SAMPLE, FEWER = 5, 2
"""States of each that are proved; each takes the hands of all its deals, a hundred in double-sided."""

EACH = pytest.mark.parametrize("path", TABLES, ids=[path.stem for path in TABLES])


def test_the_standard_stacks_are_there() -> None:
    assert {path.stem for path in TABLES} >= set(GAPS)


@EACH
def test_a_table_is_of_the_match_that_its_name_says(path: Path) -> None:
    table = match_table.load(path)
    words = path.stem.removeprefix(table.spec.game).split("-")[1:]
    assert words[:2] == [str(table.spec.chips.total), table.deck_model]
    assert words[2:] == ([] if table.spec.betting.limit is None else ["limit", str(table.spec.betting.limit)])
    assert table.spec.tie_bust == "split"
    assert table.widest <= table.gap <= GAPS.get(path.stem, table.gap)
    assert path.stat().st_size < 2_000_000


@EACH
def test_more_chips_are_never_worse_but_for_what_bounds_leave_open(path: Path) -> None:
    table = match_table.load(path)
    numbers = {chips: number for number, chips in enumerate(table.states)}
    assert (table.lower <= table.upper).all()
    for chips, number in numbers.items():
        more = numbers.get(Chips(chips.s1 + 1, chips.s2 - 1, chips.carry))
        if more is not None:
            assert (table.upper[:, more] >= table.lower[:, number]).all()


@pytest.mark.slow
@EACH
def test_a_sample_of_each_table_is_proved_again(path: Path) -> None:
    table = match_table.load(path)
    hands = hands_of(table.spec, table.deck_model)
    sample = FEWER if table.spec.game == "double-sided" else SAMPLE
    with Threads(hands) as workers:
        proof = prove(table, hands, workers, sample=sample, seed=1)
    assert proof.states == sample
    assert proof.least >= 1e-9
