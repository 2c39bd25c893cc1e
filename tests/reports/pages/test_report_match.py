"""The report of a match log: it is about the match, from the seat of the one who kept it."""

import json
import re
from pathlib import Path

import pytest

from reports.answering import report_sources
from reports.data.highlights import findings
from reports.data.match_story import HandTold
from reports.data.node_summary import PANELS
from reports.figures.matches import match_line
from reports.pages.markup import escaped
from reports.pages.report import Source, write_report
from reports.text import units
from reports.text.words import plain
from solver import load
from tests.support.commands import good, rows_of, run
from tests.support.figures import check
from tests.support.reported_logs import LOGS, kept, log_of, made

pytestmark = pytest.mark.slow

__all__ = ["made"]  # a fixture


@pytest.mark.parametrize("name", LOGS)
def test_the_table_of_hands_says_what_was_dealt_and_played_and_whose_chance_it_is(
    name: str, made: dict[str, Path]
) -> None:
    log, rows = log_of(made, name), rows_of(made[name] / "hands.csv")
    for one, row in zip(log.hands, rows, strict=False):
        before, after = one.played.before, one.played.after
        assert row["first"] == ("me", "opp")[one.played.first]
        assert (row["mine"], row["theirs"]) == (str(one.mine), str(one.theirs))
        assert row["history"] == " ".join(map(str, one.played.history))
        assert [row[f"{who}_before"] for who in ("my_chips", "their_chips", "carry")] == [*map(str, before)]
        assert [row[who] for who in ("my_chips", "their_chips", "carry")] == [*map(str, after)]
    for number, row in enumerate(rows, start=1):
        folder = made[name] if len(rows) == 1 else made[name] / str(number)
        solution = load(folder / "solution.npz")
        assert solution.spec.to_dict()["objective"] == "match"
        assert solution.spec.cards_left == int(row["cards_left"])  # type: ignore[attr-defined]
        mine = solution.value if row["first"] == "me" else 1.0 - solution.value
        assert float(row["value"]) == mine
        assert float(row["lower"]) <= mine <= float(row["upper"])
        assert float(row["upper"]) - float(row["lower"]) < 0.1
    last = rows[-1]
    assert (last["history"] == "") == (name == "poker")  # the coming hand, where its deal is known and there is one
    assert len(rows) == len(log.hands) + (name == "poker")


@pytest.mark.parametrize("name", LOGS)
def test_the_page_the_summary_and_the_data_tell_the_match(name: str, made: dict[str, Path]) -> None:
    log = log_of(made, name)
    page = (made[name] / "index.html").read_text(encoding="utf-8")
    told = (made[name] / "summary.md").read_text(encoding="utf-8")
    number = len(log.hands)
    assert f": a match of {number} hand{'s' if number > 1 else ''}</title>" in page
    part = page[page.index('<section id="match"') :].split("</section>")[0]
    shown = re.split(r'<li class="hand">', part)[1:]
    assert len(shown) == number + (name == "poker")
    data = json.loads((made[name] / "report.json").read_text(encoding="utf-8"))["match"]
    assert data["unit"] == "win probability"
    for one, text, fields in zip(log.hands, shown, data["hands"], strict=False):
        words = re.sub(r"<[^>]*>", " ", text)
        assert f"Hand {one.number} " in words
        assert f"{('you', 'they')[one.played.first]} bet first" in words
        before, after = one.played.before, one.played.after
        assert f"you {before.s1}, they {before.s2}" in words
        assert f"you {after.s1}, they {after.s2}" in words
        assert f"your card {one.mine} " in re.sub(r"\s+", " ", words)
        assert f"their card {one.theirs} " in re.sub(r"\s+", " ", words)
        assert f"{fields['cards_left']} " in words
        assert (fields["mine"], fields["theirs"]) == (str(one.mine), str(one.theirs))
        who = [("you", "they")[(one.played.first + place) % 2] for place in range(len(one.played.history))]
        moves = ", ".join(f"{person}: {a.words}" for person, a in zip(who, one.played.history, strict=True))
        assert re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", text)).count(moves) == 1
        assert f"| {one.number} | {('you', 'they')[one.played.first]} | {one.mine} | {plain(str(one.theirs))} |" in told
        assert f"| {moves} |" in told
    assert ("You have won." in page) == ("You have won." in told) == (name == "won")
    left_out = name in ("board", "sides")
    assert ("The coming hand is left out" in page) == ("The coming hand is left out" in told) == left_out


def test_findings_are_of_all_hands_and_the_trust_is_told_once(made: dict[str, Path]) -> None:
    for name in ("poker", "sides"):
        page = (made[name] / "index.html").read_text(encoding="utf-8")
        told = (made[name] / "summary.md").read_text(encoding="utf-8").replace("\\", "")
        folders = sorted(path for path in made[name].iterdir() if (path / "solution.npz").exists())
        assert len(folders) > 1
        for folder, row in zip(folders, rows_of(made[name] / "hands.csv"), strict=True):
            lines = findings(load(folder / "solution.npz"), ("me", "opp").index(row["first"]))
            assert lines[0].startswith(("You ", "You, ", "Neither player "))
            for line in lines:
                assert escaped(line) in page
                assert f"- {line}" in told
        for once in ("best responses bound the value", "A row marked with a star", "Other right solvers"):
            assert page.count(once) == 1
        assert page.count("<td>discounted CFR+ in ") == len(folders)


def test_several_files_have_findings_each_and_the_trust_once(solved: Path, tmp_path: Path) -> None:
    sources = [Source(name, load(solved / f"{name}.npz")) for name in ("deck", "one-rank", "exact")]
    page = write_report(tmp_path / "made", sources).read_text(encoding="utf-8")
    told = (tmp_path / "made" / "summary.md").read_text(encoding="utf-8").replace("\\", "")
    for source in sources:
        assert f"Findings of {source.name}:" in told
        assert all(escaped(line) in page and f"- {line}" in told for line in findings(source.solution))
    assert page.count("Other right solvers") == 1
    assert "the sequence-form linear program in" in page


def test_without_a_table_hands_are_solved_for_chips_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "odd.log"
    path.write_text("forehead match log 1\ngame indian-poker\nstacks 4,5\nfirst me\nmine 4  theirs 9  history b1 c\n")
    done = good("report", "--log", path, "--gap", "0.05", "-o", tmp_path / "made")
    note = "Hands are solved for chips, not to win the match: a match starts with equal stacks"
    assert note in done.err
    for name in ("index.html", "summary.md"):
        assert note in (tmp_path / "made" / name).read_text(encoding="utf-8")
    rows = rows_of(tmp_path / "made" / "hands.csv")
    solutions = [load(tmp_path / "made" / str(number) / "solution.npz") for number in (1, 2)]
    assert [one.spec.unit for one in solutions] == ["chips", "chips"]
    assert [float(row["value"]) for row in rows] == [solutions[0].value, -solutions[1].value]
    assert "worth to you (chips)" in (tmp_path / "made" / "index.html").read_text(encoding="utf-8")


def test_the_objective_can_be_told(tmp_path: Path) -> None:
    log = kept("poker", tmp_path)
    for options, expected in (
        (("--objective", "chips"), ("chips", "")),
        (("--deck-model", "fresh"), ("match", "fresh")),
        (("--objective", "match"), ("match", "exact")),
    ):
        found = report_sources.gathered(
            [], {"log": str(log), **{name[2:].replace("-", "_"): value for name, value in [options]}},
            decks=None, compare=False, gap=0.2, timings=False,
        )  # fmt: skip
        specs = [source.solution.spec.to_dict() for source in found.sources]
        assert {(spec["objective"], spec.get("deck_model", "")) for spec in specs} == {expected}
    refused = run("report", "--log", log, "--stacks", "3,3", "-o", tmp_path / "made")
    assert refused.code == 2


def test_the_coming_hand_is_reported_where_its_fronts_are_told(tmp_path: Path) -> None:
    log = kept("sides", tmp_path)
    found = report_sources.gathered(
        [], {"log": str(log), "my_front": "3", "opp_front": "8", "objective": "chips"},
        decks=None, compare=False, gap=0.5, timings=False,
    )  # fmt: skip
    assert [source.seat for source in found.sources] == [1, 0, 1]
    assert found.sources[-1].solution.boards == ("8,3",)  # they bet first
    assert found.story is not None
    assert found.story.notes == ()


def hands_of(made: dict[str, Path], name: str) -> list[HandTold]:
    log = log_of(made, name)
    found = []
    for place, row in enumerate(rows_of(made[name] / "hands.csv")):
        solution = load(made[name] / str(place + 1) / "solution.npz")
        logged = log.hands[place] if place < len(log.hands) else None
        found.append(HandTold(place + 1, place, solution, 0 if row["first"] == "me" else 1, logged))
    return found


def test_a_line_through_hands_is_of_one_players_chance(made: dict[str, Path]) -> None:
    hands = hands_of(made, "poker")
    figure = match_line(hands)
    above, below = figure.axes
    line = above.containers[0].lines[0]
    assert line.get_linestyle() == "-"
    assert line.get_ydata() == pytest.approx([100 * one.value[0] for one in hands])
    assert [one.value[0] for one in hands] == pytest.approx(
        [one.solution.value if one.seat == 0 else 1 - one.solution.value for one in hands]
    )
    heights = [[bar.get_height() for bar in bars] for bars in below.containers]
    assert [sum(column) for column in zip(*heights, strict=True)] == [20] * len(hands)
    assert heights[0] == [one.before.s1 for one in hands]
    marks = {line.get_label(): list(line.get_xdata()) for line in above.get_lines()}
    assert marks["you bet first"] == [1, 3]
    assert marks["they bet first"] == [2, 4]
    check("match", figure)
    check("match", match_line(hands_of(made, "sides")))
    many = [one._replace(number=number, place=number - 1) for number, one in enumerate(hands[:2] * 20, start=1)]
    check("long match", match_line(many))
    for name in ("poker", "board", "sides"):
        assert (made[name] / "figures" / "match.png").is_file()
        assert not (made[name] / "figures" / "series.png").exists()


def test_worths_in_chips_are_not_joined(tmp_path: Path) -> None:
    log = kept("poker", tmp_path)
    good("report", "--log", log, "--objective", "chips", "--gap", "0.1", "-o", tmp_path / "poker")
    hands = hands_of({"poker": tmp_path / "poker"}, "poker")
    figure = match_line(hands)
    assert figure.axes[0].containers[0].lines[0].get_linestyle() == "None"
    assert hands[1].value[0] == -hands[1].solution.value
    assert not units.is_chance(hands[1].solution.spec)
    check("match in chips", figure)


def test_openings_of_a_long_match_are_drawn_of_its_last_hands(tmp_path: Path) -> None:
    path = tmp_path / "long.log"
    hands = [f"mine {rank}  theirs {rank + 1}  history f" for rank in range(1, 8)]
    path.write_text("\n".join(["forehead match log 1", "game indian-poker", "stacks 10,10", "first me", *hands]) + "\n")
    good("report", "--log", path, "--objective", "chips", "--gap", "0.5", "-o", tmp_path / "made")
    drawn = {file.stem for file in (tmp_path / "made" / "figures").glob("opening-*.png")}
    assert drawn == {f"opening-{number}" for number in range(3, 9)}
    page = (tmp_path / "made" / "index.html").read_text(encoding="utf-8")
    assert f"Drawn of the last {PANELS} of 8 hands." in page
