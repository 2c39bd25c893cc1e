"""The commands on tables of five players and more."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from solver import sampled_solving
from tests.commands import good, run
from tests.test_cli_errors import complaint

LINE = ("blind-mans-bluff", "--players", "5", "--max-iterations", "2")
SEE = ("--see", "K,9,4,2", "--history", "k b f", "--seed", "1")


@pytest.fixture(scope="module", autouse=True)
def brief() -> Iterator[None]:
    """Measure with few deals."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampled_solving, "HANDS", 2_000)
        patch.setattr(sampled_solving, "RESPONSE_BATCHES", 1)
        yield


@pytest.fixture(scope="module")
def file(brief: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sampled") / "five.npz"
    good("solve", *LINE, "-o", path)
    return path


def test_solve_says_what_it_is_and_what_it_is_not(file: Path, tmp_path: Path) -> None:
    done = good("solve", *LINE, "--threads", "1", "-o", tmp_path / "a.npz")
    assert "5 players, fresh deck" in done.err
    assert "at most 2 iterations of 10,000 deals" in done.err
    assert "lower bound of NashConv" in done.out
    assert "60.0 % of the hands against copies" in " ".join(done.out.split())
    assert (tmp_path / "a.npz").read_bytes() == file.read_bytes()
    told = json.loads(good("solve", *LINE, "--format", "json", "--timings").out)
    assert len(told["values"]) == len(told["gains_lower_bound"]) == 5
    assert told["nash_conv_lower_bound"] > told["nash_conv_half_width"] > 0
    assert (told["deals"], told["stopped"]) == (20_000, "iterations")
    assert told["seconds"] > 0


def test_going_on_from_a_file_and_by_time(file: Path, tmp_path: Path) -> None:
    line = ("solve", "blind-mans-bluff", "--resume", file, "--max-iterations", "3", "-o", tmp_path / "on.npz")
    assert json.loads(good(*line, "--format", "json").out)["iterations"] == 3
    other = complaint(run("solve", "blind-mans-bluff", "--players", "6", "--resume", file))
    assert "same hand" in other
    short = good("solve", *LINE[:3], "--max-seconds", "0.001", "--max-iterations", "1000", "--format", "json")
    assert json.loads(short.out)["stopped"] == "interrupted"


def test_advice_from_a_file(file: Path) -> None:
    text = good("advise", "--from", file, *SEE).out
    assert "you are P4 and see P1 K, P2 9, P3 4, P5 2" in text
    assert "A showdown among P1 P2 P4 P5" in text
    told = json.loads(good("advise", "--from", file, *SEE, "--format", "json").out)
    assert [one["action"] for one in told["actions"]] == ["f", "c", "r"]
    assert sum(one["probability"] for one in told["actions"]) == pytest.approx(1)
    assert sum(told["showdown"].values()) == pytest.approx(1)
    assert told["chips"] == {"pot": 6, "to_call": 1}
    assert told["draw"] == json.loads(good("advise", "--from", file, *SEE, "--format", "json").out)["draw"]
    best = json.loads(good("best", file, *SEE[:4], "--format", "json").out)
    assert best["actions"] == told["actions"]


def test_advice_without_a_file() -> None:
    line = ("advise", "blind-mans-bluff", "--players", "5", *SEE, "--max-seconds", "0.5", "--format", "json")
    assert len(json.loads(good(*line).out)["actions"]) == 3


def test_verify_measures_anew(file: Path) -> None:
    told = json.loads(good("verify", file, "--format", "json").out)
    assert told["verified"] is True
    assert told["nash_conv_lower_bound"] > 0
    assert "agrees with fresh deals" in good("verify", file).out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("solve", *LINE, "--gap", "0.1"), "no gap can be proven"),
        (("solve", *LINE, "--method", "lp"), "expected --method cfr"),
        (("solve", "blind-mans-bluff", "--players", "3", "--max-seconds", "1"), "for more than 4 players"),
        (("solve", "blind-mans-bluff", "--max-seconds", "1"), "more than four players"),
        (("advise", "blind-mans-bluff", "--players", "5", "--see", "K,9"), "expected 4 cards seen"),
    ],
)
def test_bad_lines(line: tuple[str, ...], message: str) -> None:
    assert message in complaint(run(*line))


def test_questions_that_a_file_does_not_answer(file: Path) -> None:
    assert "take best with --see" in complaint(run("show", file))
    assert "already" in complaint(run("advise", "--from", file, "--players", "5", *SEE))
    assert "solves blind-mans-bluff" in complaint(run("advise", "indian-poker", "--from", file, *SEE))
    assert "hand is over" in complaint(run("best", file, "--see", "K,9,4,2", "--history", "b f f f f"))
