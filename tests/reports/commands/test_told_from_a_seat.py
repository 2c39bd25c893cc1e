"""`odds`, `solve` and `report` from a player's seat: you and them, with the numbers of P1 and P2."""

from pathlib import Path
from typing import Any

import pytest

from reports.text.words import digits_for
from tests.support.commands import good, rows_of, strict_json


@pytest.fixture(params=["me", "opp"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, int]:
    """Return a log of one hand, and my seat in the coming one."""
    file = tmp_path / "m.log"
    good("log", "new", file, "indian-poker", "--stacks", "10,10", "--first", request.param)
    good("log", "add", file, "--mine", "4", "--theirs", "9", "--history", "b1 c")
    return file, 1 if request.param == "me" else 0


def by_player(seat: int) -> list[str]:
    return ["indian-poker", "--seen", "4,9", "--stacks", ("8,12", "12,8")[seat]]


def test_odds_are_yours_and_theirs(log: tuple[Path, int]) -> None:
    file, seat = log
    plain, mine = (
        good("odds", *arguments, "--format", "json").json for arguments in (by_player(seat), ["--log", file])
    )
    assert "seat" not in plain
    assert mine.pop("seat") == f"P{seat + 1}"
    you = mine.pop("you")
    assert mine == plain
    low, high = (plain["lower"], plain["upper"]) if seat == 0 else (1 - plain["upper"], 1 - plain["lower"])
    wins, share = (plain["win"], plain["share"]) if seat == 0 else (1 - plain["win"], 1 - plain["share"])
    assert you == pytest.approx({"win": wins, "lower": low, "upper": high, "share": share}, abs=1e-12)
    assert plain["second_wins"] == pytest.approx(1 - plain["win"])
    text = good("odds", "--log", file).out
    assert "P1" not in text
    assert "P2" not in text
    lines = text.splitlines()
    assert lines[0] == "indian-poker, 18 cards left, you have 8, they have 12, pot carried 0"
    assert ("They bet first." in lines) is (seat == 1)
    who = "You, who bet first, win" if seat == 0 else "You win"
    assert any(line.startswith(f"{who} the match with {100 * wins:.2f} % (between ") for line in lines)
    assert f"They win with {100 - 100 * wins:.2f} %" in lines
    assert "You have 40.00 % of the chips, half of a carried pot counted" in lines
    assert "P1, who bets first, wins the match with" in good("odds", *by_player(seat)).out


@pytest.mark.parametrize("objective", ["chips", "match"])
def test_a_solve_tells_your_value(log: tuple[Path, int], objective: str) -> None:
    file, seat = log
    plain, mine = (
        good("solve", *arguments, "--objective", objective, "--format", "json").json
        for arguments in (by_player(seat), ["--log", file])
    )
    assert mine.pop("seat") == f"P{seat + 1}"
    to_you, together = mine.pop("to_you"), 1.0 if objective == "match" else 0.0
    assert mine == plain
    value, (low, high) = plain["value"], plain["value_bounds"]
    if seat == 1:
        value, low, high = together - value, together - high, together - low
    assert to_you == {"value": value, "value_bounds": [low, high], "classes": [value]}
    done = good("solve", "--log", file, "--objective", objective)
    first = f"value to you (P{seat + 1}; {('you', 'they')[seat]} bet first)  "
    shown = f"{100 * value:.3f} % to win the match" if objective == "match" else f"{value:+.6f} chips"
    assert done.out.splitlines()[0].startswith(first + shown)
    assert done.err.splitlines()[0] == "indian-poker, 18 cards left, you have 8, they have 12, pot carried 0"
    assert max(map(len, done.out.splitlines())) <= 80
    (head, row) = (line.split(",") for line in good("solve", "--log", file, "--format", "csv").out.splitlines())
    assert {"to_you_value", "to_you_lower", "to_you_upper"} <= set(head)
    assert len(head) == len(row)


def test_open_boards_are_told_to_you(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    good("log", "new", file, "indian-holdem", "--stacks", "4,4", "--first", "opp")
    data = good("solve", "--log", file, "--format", "json").json
    assert data["to_you"]["classes"] == [-one["value"] for one in data["classes"]]
    lines = good("solve", "--log", file).out.splitlines()
    assert "value to you (chips)" in lines[0]
    shown = [float(line.split("%")[1].split()[0]) for line in lines[1:5]]
    assert shown == sorted(shown, reverse=True)
    assert shown == pytest.approx(sorted(data["to_you"]["classes"], reverse=True), abs=6e-5)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["chips", "match"])
def test_a_report_tells_every_hand_from_your_seat(log: tuple[Path, int], objective: str, tmp_path: Path) -> None:
    file, seat = log
    good("report", "--log", file, "--objective", objective, "-o", tmp_path / "r")
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    summary = (tmp_path / "r" / "summary.md").read_text(encoding="utf-8")
    data = strict_json((tmp_path / "r" / "report.json").read_text(encoding="utf-8"))
    played, coming = data["solutions"]
    assert (coming["seat"], played["seat"]) == (f"P{seat + 1}", f"P{2 - seat}")
    unit, together = ("chips", 0.0) if objective == "chips" else ("win probability", 1.0)
    assert f"value to you ({unit})" in page
    assert f"value to P1 ({unit})" not in page
    assert "you have 8, they have 12, pot carried 0" in page
    assert f"| {'worth to you (chips)' if objective == 'chips' else 'your chance to win'} |" in summary
    for one, place in ((coming, seat), (played, 1 - seat)):
        value = one["value"] if place == 0 else together - one["value"]
        assert one["to_you"]["value"] == value
        digits = digits_for(one["value_bounds"][1] - one["value_bounds"][0])
        shown = f"{value:+.{digits}f}" if objective == "chips" else f"{100 * value:.{digits - 2}f} %"
        assert shown in summary.replace("\\", "")
        assert shown in page
    rows: list[Any] = rows_of(tmp_path / "r" / "series.csv")
    assert {(row["stage"], float(row["value_to_you"])) for row in rows} == {
        (one["name"], one["to_you"]["value"]) for one in data["solutions"]
    }
    first = ("You, the first bettor, ", "You ")[seat]
    verbs = ("gain ", "lose ") if objective == "chips" else ("win the match with ",)
    assert any(first + verb in text for verb in verbs for text in (page, summary))
    assert "P1 gains" not in page + summary
    assert "P1, the first bettor," not in page + summary


def test_without_a_seat_a_report_speaks_of_p1(tmp_path: Path) -> None:
    good("report", "indian-poker", "--stacks", "3,3", "-o", tmp_path / "r")
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert "value to P1, the first bettor" in page
    assert "value to you" not in page
    data = strict_json((tmp_path / "r" / "report.json").read_text(encoding="utf-8"))
    assert "to_you" not in data["solutions"][0]
