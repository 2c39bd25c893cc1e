"""Numbers that are none, too large, or written strangely: one line on stderr, exit 2, at once, whatever the option."""

import time
from itertools import product
from pathlib import Path

import pytest

from tests.support.commands import complaint, good, run

NUMBERS = (
    "nan", "inf", "-inf", "1e400", "-1e400", "1e-400", "0", "-0", "-0.0", "-1", "", " ", "1_0", "0x10", "1,", ",1",
    "1;2", "1,5", "none", "true", "\u0663", "\u00bd", "\u221e", "9" * 400, "1e", "--", "5 5", "1.2.3",
)  # fmt: skip
"""None of these is a number above 0."""

WHOLE = (
    "nan", "inf", "-inf", "1e400", "1e3", "1.5", "1.0", "-1", "", " ", "1_0", "0x10", "+5", "1,", ",1", "1;2", "none",
    "true", "\u0663", "\u00b2", "9" * 19, "9" * 5000, "-" + "9" * 30, "--", "5 5", "\u22125",
)  # fmt: skip
"""None of these is a whole number of at least 0 as people write them."""

LISTS = (
    "nan",
    "1,",
    ",1",
    "1,,3",
    "1;3",
    "1.5",
    "-1",
    "0",
    "\u0663",
    "9" * 30,
    "1,nan",
    "inf,inf",
    "1 3",
    "1,3,",
    "[1,3]",
)
"""Not one of these is a list of sizes, stacks or cards."""

HAND = "solve indian-poker --stacks 2,2"
PLAYED = "simulate indian-poker --stacks 1,1 --first call --second random --matches 2"
OPTIONS = [
    *product([HAND], ["--gap"], NUMBERS),
    *product(["match indian-poker --stacks 1,1"], ["--gap"], (*NUMBERS, "1", "2", "1e300", "5e-324", "1e-7")),
    *product(["odds indian-poker --stacks 1,1"], ["--gap"], NUMBERS),
    *product([PLAYED], ["--gap"], NUMBERS),
    *product(["advise indian-poker --stacks 2,2 --see 4 --objective chips"], ["--gap", "--max-seconds"], NUMBERS),
    *product(["claims indian-poker --stacks 2,2"], ["--gap"], NUMBERS),
    *product([HAND], ["--max-iterations", "--carry", "--raise-limit"], WHOLE),
    *product([HAND], ["--threads"], (*WHOLE, "0", "-0")),
    *product(["match indian-poker --stacks 1,1"], ["--threads"], (*WHOLE, "0", "-0", "9" * 18)),
    *product(["odds indian-poker --stacks 1,1"], ["--carry"], (*WHOLE, "1", "3", "999999")),
    *product([PLAYED], ["--matches"], (*WHOLE, "0", "-0")),
    *product([PLAYED], ["--seed"], WHOLE),
    *product(["verify {file}"], ["--seed"], WHOLE),
    *product(["verify {file}"], ["--sample"], (*WHOLE, "0")),
    *product(["solve blind-mans-bluff"], ["--players", "--max-raises", "--bet-size", "--raise-size"], WHOLE),
    *product(["solve blind-mans-bluff"], ["--players"], ("0", "1", "11", "9" * 18)),
    *product([HAND], ["--stacks"], (*LISTS, "", "2", "2,2,2", "0,0", "1000001,1", "1e3,1e3", "+2,+2")),
    *product(["match indian-poker"], ["--stacks"], (*LISTS, "", "0,0", "1000001,1000001", "1000000,1000000", "90,90")),
    *product(["odds indian-poker"], ["--stacks"], (*LISTS, "", "1000000,1000000", "1,1000000", "1000000,999999")),
    *product([HAND], ["--raises", "--opens"], (*LISTS, "", "allin,allin", "any,1", "1,1")),
    *product([HAND], ["--seen"], (*(one for one in LISTS if one), "11,11", "4")),
    *product([HAND], ["--left"], (*LISTS, "", "2,2,2,2,2,2,2,2,2,2,2", "2,2,2,2,2,2,2,2,2,nan")),
    *product(["solve indian-holdem --stacks 2,2"], ["--board"], (*LISTS, "", "4", "4,9,9", "4,11")),
    *product(["solve double-sided --stacks 2,2"], ["--fronts"], (*LISTS, "", "3", "3,11")),
    *product(["best {file}"], ["--see"], ("", "0", "11", "nan", "4,", "4.0", "-4", "\u0664", "1e1", "9" * 30)),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "x.npz"
    good("solve", "indian-poker", "--stacks", "2,2", "-o", path)
    return path


def test_there_are_many() -> None:
    assert len(OPTIONS) == len(set(OPTIONS)) > 500


@pytest.mark.parametrize(
    ("line", "option", "values"),
    [(line, option, [value for *key, value in OPTIONS if key == [line, option]])
     for line, option in dict.fromkeys((line, option) for line, option, _ in OPTIONS)],
    ids=lambda part: part if isinstance(part, str) else str(len(part)),
)  # fmt: skip
def test_what_is_no_number_is_refused_at_once_in_one_line(
    line: str, option: str, values: list[str], file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path / "cache"))
    for value in values:
        start = time.monotonic()
        message = complaint(run(*line.format(file=file).split(), option, value))
        assert len(message) < 1000, value
        assert time.monotonic() - start < 20.0, value
    assert not list(tmp_path.iterdir())


LARGE = [
    ("match indian-poker --stacks 500000,500000", "the tables and equations of this match need"),
    ("match indian-poker --stacks 1000,1000 --raise-limit 1", "the tables and equations of this match need"),
    ("match indian-poker --stacks 60,60", "the largest tree of this match needs"),
    ("match double-sided --stacks 60,60 --deck-model fresh", "the largest tree of this match needs"),
    ("match indian-poker --stacks 60,60 --deck-model exact", "the largest tree of this match needs"),
    (
        "odds indian-poker --stacks 999999,999999",
        "no table of the match of 1999998 chips (deck model fresh) is at hand",
    ),
    ("odds indian-poker --stacks 1,1 --carry 999998", "no table of the match of 1000000 chips"),
    ("solve indian-poker --stacks 1,1 --carry 999998 --objective match", "no table of the match of 1000000 chips"),
    (
        "match indian-poker --stacks 2,2 --gap 1e-7",
        "expected --gap to be at least 2e-07, as bounds are kept in float32",
    ),
]


@pytest.mark.parametrize(("line", "told"), LARGE, ids=[line for line, _ in LARGE])
def test_a_match_that_is_too_large_is_refused_before_it_is_begun(line: str, told: str, tmp_path: Path) -> None:
    start = time.monotonic()
    output = ("-o", str(tmp_path / "x.npz")) if line.startswith(("match", "solve")) else ()
    assert complaint(run(*line.split(), *output)).startswith(told)
    assert time.monotonic() - start < 20.0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", ["5", " 5", "5 ", "5e0", "+5", "5.0", "1e300"])
def test_a_number_may_be_written_as_usual(value: str) -> None:
    good("solve", "indian-poker", "--stacks", "2,2", "--gap", value)


EMPTY = [
    "indian-poker --stacks 1,1",
    "indian-poker --stacks 3,3 --max-iterations 0",
    "indian-poker --stacks 3,3 --method lp",
    "indian-holdem --stacks 2,2 --max-iterations 0",
    "double-sided --stacks 1,1",
    "blind-mans-bluff --max-iterations 0",
    "blind-mans-bluff --method lp",
    "blind-mans-bluff --players 3 --max-iterations 0",
]


@pytest.mark.slow
@pytest.mark.parametrize("line", EMPTY)
def test_no_cell_of_a_table_says_nan(line: str, tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    texts = [good("solve", *line.split(), "--format", "csv", "--timings", "-o", file).out]
    texts += [path.read_text() for path in tmp_path.glob("*.csv")]
    texts += [good("verify", file, "--format", "csv").out, good("export", file, "--to", "csv").out]
    for text in texts:
        cells = [cell.strip().lower() for row in text.splitlines() for cell in row.split(",")]
        assert not {"nan", "inf", "-inf", "none"} & set(cells)


def test_what_is_no_number_is_an_empty_cell() -> None:
    from reports.text.words import as_csv

    assert as_csv(("a", "b", "c"), [(float("nan"), None, 0.5)]) == "a,b,c\n,,0.5"
