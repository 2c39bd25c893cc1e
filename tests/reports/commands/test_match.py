"""The commands about whole matches: what they print, what they keep, what they refuse."""

import json
from pathlib import Path

import pytest

from tests.support.commands import run

SMALL = ("match", "indian-poker", "--stacks", "3,3", "--gap", "0.01")


def test_a_match_is_solved_told_saved_and_proved(tmp_path: Path) -> None:
    file = tmp_path / "match.npz"
    done = run(*SMALL, "-o", file)
    assert (done.code, done.err.count("Traceback")) == (0, 0)
    assert "the first bettor wins with 47." in done.out
    assert "deck model fresh, tie-bust split" in done.out
    assert f"saved {file}" in done.out
    assert max(map(len, done.out.splitlines())) <= max(80, len(f"saved {file}"))
    assert [path.name for path in tmp_path.iterdir()] == ["match.npz"]  # no journal is left
    proof = run("verify", file)
    assert proof.code == 0
    assert "all of 9 states of deck and chips, proved again" in proof.out
    part = run("verify", file, "--sample", "4", "--format", "json")
    assert (part.json["states"], part.json["all_states"], part.json["verified"]) == (4, 9, True)
    assert part.json["least"] >= 1e-9


def test_every_form_says_the_same() -> None:
    table, csv, data = (run(*SMALL, "--format", style) for style in ("table", "csv", "json"))
    assert {one.code for one in (table, csv, data)} == {0}
    start = data.json["start"]
    assert (start["s1"], start["s2"], start["carry"]) == (3, 3, 0)
    assert start["lower"] < start["win"] < start["upper"] <= start["lower"] + 0.01
    assert (data.json["objective"], data.json["unit"]) == ("match", "win probability")
    assert (data.json["deck_model"], data.json["tie_bust"]) == ("fresh", "split")
    assert len(data.json["by_chips"]) == data.json["states"] == 9
    lines = csv.out.splitlines()
    assert lines[0] == "s1,s2,carry,win,lower,upper"
    assert len(lines) == 10
    assert f"{100 * start['win']:.2f}"[:4] in table.out


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, threads in (("a", "1"), ("b", "2")):
        assert run(*SMALL, "--threads", threads, "-o", tmp_path / name).code == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_is_overwritten_only_when_told(tmp_path: Path) -> None:
    file = tmp_path / "match.npz"
    file.write_text("mine")
    assert run(*SMALL, "-o", file).code == 2
    assert file.read_text() == "mine"
    assert run(*SMALL, "-o", file, "--force").code == 0
    assert file.read_bytes()[:2] == b"PK"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("double-sided", "--stacks", "3,4"), ("equal stacks", "3 and 4", "--stacks")),
        (("blind-mans-bluff",), ("until one has all chips", "blind-mans-bluff")),
        (("indian-holdem", "--deck-model", "exact"), ("exact", "indian-poker alone", "--deck-model fresh")),
        (("indian-poker", "--gap", "2"), ("--gap", "below 1", "2")),
        (("indian-poker", "--gap", "0"), ("--gap", "above 0")),
        (("no-game",), ("expected a game", "no-game")),
        (("double-sided", "--penalties", "none"), ("double-sided", "penalties")),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    done = run("match", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    for part in parts:
        assert part in done.err


def test_what_is_no_table_is_not_sampled(tmp_path: Path) -> None:
    assert run("solve", "indian-poker", "--stacks", "3,3", "-o", tmp_path / "hand.npz").code == 0
    done = run("verify", tmp_path / "hand.npz", "--sample", "3")
    assert (done.code, done.out) == (2, "")
    assert "--sample" in done.err
    (tmp_path / "junk").write_bytes(b"junk")
    assert run("verify", tmp_path / "junk").code == 2


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "match.npz"
    assert run(*SMALL, "-o", file).code == 0
    whole = file.read_bytes()
    for place in range(40, len(whole), 97):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        done = run("verify", file)
        assert done.code in (0, 1, 2)  # a byte of the archive's own bookkeeping may not matter
        assert "Traceback" not in done.err
        if done.code == 0:
            assert "proved again" in done.out
    file.write_bytes(whole[: len(whole) // 2])
    assert run("verify", file).code == 2


def test_claims_that_do_not_hold_fail(tmp_path: Path) -> None:
    from dataclasses import replace

    from solver.match.table import load

    file = tmp_path / "match.npz"
    assert run(*SMALL, "-o", file).code == 0
    table = load(file)
    replace(table, lower=table.upper, upper=table.upper + 0.005).save(file)
    done = run("verify", file)
    assert done.code == 1
    assert f"{file} does not hold: the table claims" in done.err


def test_json_is_strict(tmp_path: Path) -> None:
    done = run(*SMALL, "--format", "json")
    assert json.loads(done.out) == done.json
