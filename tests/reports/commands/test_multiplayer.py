"""The commands on tables of three and four players."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.commands import PROGRAM, begun, complaint, environment, good, rows_of, run

pytestmark = pytest.mark.slow

LINE = ("blind-mans-bluff", "--players", "3", "--gap", "0.05")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "three.npz"
    good("solve", *LINE, "-o", path)
    return path


def test_solve_tells_values_gains_and_what_is_not_claimed() -> None:
    done = good("solve", *LINE)
    assert "42 decision nodes, 102 actions, 7,098 information sets, 2,197 deals" in done.err
    assert "value (chips)" in done.out
    assert "gap (NashConv)" in done.out
    assert "coarse correlated gap" in done.out
    assert "reached NashConv of 0.05 chips" in done.out
    assert "exploitability" not in done.out
    assert "bounds nobody's value" in " ".join(done.out.split())


def test_solve_as_data(tmp_path: Path) -> None:
    told = json.loads(good("solve", *LINE, "--format", "json", "-o", tmp_path / "a.npz", "--timings").out)
    assert len(told["values"]) == len(told["gains"]) == len(told["coarse_gains"]) == 3
    assert sum(told["values"]) == pytest.approx(0, abs=1e-9)
    assert told["nash_conv"] == pytest.approx(sum(told["gains"]))
    assert told["nash_conv"] <= 0.05
    assert told["converged"] is True
    assert told["seconds"] > 0
    rows = rows_of(tmp_path / "a.timings.csv")
    assert [*rows[0]] == ["iterations", "seconds", "nash_conv"]
    lines = good("solve", *LINE, "--format", "csv").out.splitlines()
    assert lines[0] == "player,value,gain"
    assert [line.split(",")[0] for line in lines[1:]] == ["P1", "P2", "P3"]


def test_the_same_bytes_with_any_number_of_threads(file: Path, tmp_path: Path) -> None:
    for threads in "12":
        good("solve", *LINE, "--threads", threads, "-o", tmp_path / f"{threads}.npz")
        assert (tmp_path / f"{threads}.npz").read_bytes() == file.read_bytes()


def test_going_on_from_a_file(file: Path, tmp_path: Path) -> None:
    line = ("solve", "blind-mans-bluff", "--resume", file, "--gap", "0.02", "-o", tmp_path / "on.npz")
    further = json.loads(good(*line, "--format", "json").out)
    assert further["nash_conv"] <= 0.02
    assert "players 3 and not 4" in complaint(run("solve", "blind-mans-bluff", "--players", "4", "--resume", file))


def test_show_and_best(file: Path) -> None:
    shown = good("show", file, "--history", "k b").out
    assert 'P3 acts after "k b"' in shown
    assert sum("," in line.split("  ")[0] for line in shown.splitlines()) == 169 + 2  # and the headline, and the legend
    told = json.loads(good("show", file, "--history", "k b", "--format", "json").out)
    assert len(told["rows"]) == 169
    assert sum(row["observation_probability"] for row in told["rows"]) == pytest.approx(1)
    for row in told["rows"]:
        assert sum(one["probability"] for one in row["actions"]) == pytest.approx(1)
    best = json.loads(good("best", file, "--see", "K 9", "--history", "k b", "--format", "json").out)
    (same,) = (row for row in told["rows"] if row["observation"] == "K,9")
    assert best["actions"] == same["actions"]
    assert "<- best" in good("best", file, "--see", "K,9").out


def test_verify(file: Path) -> None:
    told = json.loads(good("verify", file, "--format", "json").out)
    solved = json.loads(good("solve", *LINE, "--format", "json").out)
    assert told["verified"] is True
    assert told["gains"] == pytest.approx(solved["gains"], abs=1e-9)
    assert "holds, recomputed" in good("verify", file).out
    sampled = run("verify", file, "--sample", "3")
    assert (sampled.code, sampled.out) == (2, "")
    assert "--sample" in sampled.err


def test_advise_says_what_others_see_and_how_the_odds_moved(file: Path) -> None:
    line = ("advise", "--from", file, "--see", "K,9", "--history", "k b c", "--seed", "1")
    text = good(*line).out
    assert "you are P1 and see P2 K, P3 9" in text
    assert "P2 sees yours, 9; P3 sees yours, K." in text
    assert "P2 b" in text
    told = json.loads(good(*line, "--format", "json").out)
    assert told["others_see"] == {"P2": [None, "9"], "P3": [None, "K"]}
    assert [one["action"] for one in told["moves"]] == [None, "k", "b", "c"]
    for one in told["moves"]:
        assert sum(one["own_card"].values()) == pytest.approx(1)
        assert sum(one["showdown"].values()) == pytest.approx(1)
    # By the deck alone: three kings and three nines among 50 cards.
    assert told["own_card_by_deck"]["K"] == pytest.approx(3 / 50)
    assert told["moves"][0]["showdown"]["win"] == pytest.approx(4 / 50)
    # What the player does says nothing new to the player.
    assert told["moves"][1]["own_card"] == pytest.approx(told["moves"][0]["own_card"])
    assert told["own_card"] == pytest.approx(told["moves"][-1]["own_card"])
    assert told["chips"] == {"pot": 5, "to_call": 1}
    assert told["draw"] == json.loads(good(*line, "--format", "json").out)["draw"]


def test_folded_players_leave_the_showdown(file: Path) -> None:
    told = json.loads(good("advise", "--from", file, "--see", "4,9", "--history", "b f", "--format", "json").out)
    assert told["player"] == "P3"
    assert told["moves"][-1]["left"] == ["P1", "P3"]
    assert told["moves"][-1]["own_card"].keys() <= set("2345678910JQKA") | {"10"}


def test_advise_solves_where_no_file_is_given() -> None:
    line = ("advise", "blind-mans-bluff", "--players", "3", "--see", "2,2", "--history", "b", "--gap", "0.1")
    told = json.loads(good(*line, "--format", "json").out)
    assert told["best"][0] in ("c", "r")  # the own card is as good or better, whatever it is
    assert told["gap"] <= 0.1


@pytest.mark.parametrize(
    ("see", "history", "message"),
    [
        ("K", "", "expected 2 cards seen such as K,9"),
        ("K,9,4", "", "expected 2 cards seen such as K,9"),
        ("K,1", "", "expected a card from 2 to 10"),
        ("K,9", "b b", "'b' bets where a bet is on the table already"),
        ("K,9", "k k k", "the hand is over after 'k'"),
    ],
)
def test_questions_that_make_no_sense(file: Path, see: str, history: str, message: str) -> None:
    assert complaint(run("advise", "--from", file, "--see", see, "--history", history)).startswith(message)


def test_options_beside_a_file_are_refused(file: Path) -> None:
    assert "says --players already" in complaint(run("advise", "--from", file, "--see", "K,9", "--players", "3"))


@pytest.mark.parametrize(
    "line",
    [
        "show {} --board 4",
        "best {} --see K,9 --fronts 4,5",
        "export {} --board 4",
        "advise --from {} --see K,9 --first me",
    ],
)
def test_two_players_options_are_refused(file: Path, line: str) -> None:
    *_, option, _ = line.split()
    assert complaint(run(*line.format(file).split())) == f"{file} is of more than two players, and has no {option}"


def test_what_is_damaged_does_not_hold(file: Path, tmp_path: Path) -> None:
    content = bytearray(file.read_bytes())
    content[20_000] ^= 255  # within the strategy
    (tmp_path / "bad.npz").write_bytes(content)
    assert run("verify", tmp_path / "bad.npz").code == 2


def test_a_report_stands_alone(file: Path, tmp_path: Path) -> None:
    page = Path(good("report", file, "-o", tmp_path / "r").out.strip())
    text = page.read_text(encoding="utf-8")
    assert "How often P1 bets at first" in text
    assert "bounds nobody" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    names = {path.relative_to(page.parent).as_posix() for path in page.parent.rglob("*.*")}
    assert names == {
        "index.html", "report.json", "spots.csv", "strategy.csv", "summary.md",
        *(f"figures/{stem}{ending}" for stem in ("nash-conv", "opening") for ending in (".png", ".svg")),
    }  # fmt: skip
    told = json.loads((page.parent / "report.json").read_text(encoding="utf-8"))
    start = [row for row in told["spots"] if row["history"] == ""]
    assert sum(row["probability"] for row in start) == pytest.approx(1)
    assert [row["reached"] for row in start] == pytest.approx([1.0] * 3)
    first = rows_of(page.parent / "strategy.csv")[0]
    assert (first["history"], first["player"], first["seen"]) == ("", "P1", "2,2")
    assert "is not empty" in complaint(run("report", file, "-o", tmp_path / "r"))


def test_a_report_of_a_hand_that_is_solved_for_it(tmp_path: Path) -> None:
    line = ("report", "blind-mans-bluff", "--players", "3", "--gap", "0.1", "-o", tmp_path / "r")
    assert Path(good(*line).out.strip()) == tmp_path / "r" / "index.html"
    assert "holds" in good("verify", tmp_path / "r" / "solution.npz").out


def test_export_and_plot(file: Path, tmp_path: Path) -> None:
    good("export", file, "-o", tmp_path / "t.csv")
    rows = rows_of(tmp_path / "t.csv")
    assert len(rows) == 102 * 169
    assert "expected --to csv for more than two players" in complaint(run("export", file, "--to", "efg"))
    assert "has no --board" in complaint(run("export", file, "--board", "4,9"))
    good("plot", file, "-o", tmp_path / "t.svg")
    assert "NashConv" in (tmp_path / "t.svg").read_text(encoding="utf-8") or (tmp_path / "t.svg").stat().st_size > 1000


def test_one_table_at_a_time(file: Path) -> None:
    assert "one solution of more than two players at a time" in complaint(run("report", file, file))
    assert "says --players already" in complaint(run("report", file, "--players", "3"))


def test_ctrl_c_saves_the_best_so_far(tmp_path: Path) -> None:
    line = ("solve", "blind-mans-bluff", "--players", "4", "--gap", "1e-6", "-o", "four.npz", "--format", "json")
    process = begun(
        [*PROGRAM, *line], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for text in process.stderr:
        if text.startswith("gap"):
            break
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert time.monotonic() - start < 20
    told = json.loads(out)
    assert (told["stopped"], told["converged"]) == ("interrupted", False)
    assert "holds" in good("verify", tmp_path / "four.npz").out
