"""The commands on tables of five players and more."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from solver.mccfr import solving as sampled_solving
from tests.support.commands import complaint, good, rows_of, run

pytestmark = pytest.mark.slow

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
        (("report", "blind-mans-bluff", "--players", "5"), "of more than 4 players is of a file"),
    ],
)
def test_bad_lines(line: tuple[str, ...], message: str) -> None:
    assert message in complaint(run(*line))


def test_questions_that_a_file_does_not_answer(file: Path) -> None:
    assert "hand is over" in complaint(run("show", file, "--history", "b f f f f"))
    assert "there is no curve to plot" in complaint(run("plot", file))
    assert not file.with_suffix(".png").exists()
    assert "expected --to csv" in complaint(run("export", file, "--to", "json"))
    assert "has no --board" in complaint(run("export", file, "--board", "4,9"))
    assert "says --players already" in complaint(run("report", file, "--players", "5"))
    assert "at a time" in complaint(run("report", file, file))
    assert "already" in complaint(run("advise", "--from", file, "--players", "5", *SEE))
    assert "solves blind-mans-bluff" in complaint(run("advise", "indian-poker", "--from", file, *SEE))
    assert "hand is over" in complaint(run("best", file, "--see", "K,9,4,2", "--history", "b f f f f"))
    for line in (("show", file), ("best", file, "--see", "K,9,4,2"), ("advise", "--from", file, "--see", "K,9,4,2")):
        assert complaint(run(*line, "--board", "4")) == f"{file} is of more than two players, and has no --board"


def test_show_has_what_is_told_apart_of_the_cards(file: Path) -> None:
    text = good("show", file, "--history", "k b").out
    assert 'P3 acts after "k b"; reached in' in text
    assert "A (to act), then K (leads)" in text
    assert "rows more" in text
    assert len(text.splitlines()) <= 32
    told = good("show", file, "--history", "k b", "--format", "json").json
    assert sum(told["played"].values()) == pytest.approx(1)
    often = [row["often"] for row in told["rows"]]
    assert often == sorted(often, reverse=True)
    assert 0.8 < sum(often) <= 1 + 1e-9
    assert all(sum(one["probability"] for one in row["actions"]) == pytest.approx(1) for row in told["rows"])
    assert {row["higher_folded"] for row in told["rows"]} == {False}  # nobody has folded
    lines = good("show", file, "--history", "k b", "--format", "csv").out.splitlines()
    assert (
        lines[0]
        == "history,player,best,best_holder,second,second_holder,higher_folded,often,sampled,action,probability"
    )
    assert len(lines) == 1 + 3 * len(told["rows"])


def test_a_row_that_is_shown_is_what_best_says(file: Path) -> None:
    told = good("show", file, "--history", "k b f", "--format", "json").json
    best = good("best", file, "--see", "K,9,4,2", "--history", "k b f", "--format", "json").json
    # P1 has the king and has to answer the bet of P2, who has the nine; P3's four was folded.
    cards = {"best": "K", "best_holder": "to act", "second": "9", "second_holder": "leads", "higher_folded": False}
    (row,) = (row for row in told["rows"] if {name: row[name] for name in cards} == cards)
    assert {one["action"]: one["probability"] for one in row["actions"]} == pytest.approx(best["mix"])
    assert (row["sampled"], row["known"]) == (best["sampled"], best["known"])


def test_where_little_was_learned_show_says_so(file: Path) -> None:
    text = good("show", file, "--history", "f f k b r").out
    assert "off the path" in text
    assert "never met while learning, and played evenly" in text


def test_export_has_every_key_that_was_met(file: Path, tmp_path: Path) -> None:
    good("export", file, "-o", tmp_path / "s.csv")
    rows = rows_of(tmp_path / "s.csv")
    met = good("solve", *LINE, "--format", "json").json["information_sets"]
    assert sum(row["action"] in "kf" for row in rows) == met
    start = [row for row in rows if (row["level"], row["left"], row["behind"]) == ("no bet", "5", "4")]
    shown = good("show", file, "--format", "json").json["rows"]
    assert len(start) == 2 * len(shown)
    (bet,) = (row for row in start if (row["best"], row["second"], row["action"]) == ("K", "9", "b"))
    (same,) = (row for row in shown if (row["best"], row["second"]) == ("K", "9"))
    assert float(bet["probability"]) == pytest.approx(same["actions"][-1]["probability"])


def test_a_report_stands_alone(file: Path, tmp_path: Path) -> None:
    page = Path(good("report", file, "-o", tmp_path / "r").out.strip())
    text = page.read_text(encoding="utf-8")
    for told in ("How often P1 bets at first", "lower bound", "95 %", "Forgotten are", "copies of simple players"):
        assert told in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    names = {path.relative_to(page.parent).as_posix() for path in page.parent.rglob("*.*")}
    assert names == {
        "index.html", "report.json", "spots.csv", "strategy.csv", "summary.md", "figures/opening.png",
        "figures/opening.svg",
    }  # fmt: skip
    told = json.loads((page.parent / "report.json").read_text(encoding="utf-8"))
    assert len(told["gains_lower_bound"]) == 5
    spots = list(dict.fromkeys((row["history"], row["player"]) for row in told["spots"]))
    assert spots[:2] == [("", "P1"), ("k", "P2")]
    assert spots[5:7] == [("k k k k b", "P1"), ("b", "P2")]
    assert len(spots) == 10
    assert "Lower bound of NashConv" in (page.parent / "summary.md").read_text(encoding="utf-8")
    shown = rows_of(page.parent / "strategy.csv")
    assert {(row["history"], row["player"]) for row in shown} == set(spots)
    good("report", file, "-o", tmp_path / "again")
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (page.parent / name).read_bytes()
