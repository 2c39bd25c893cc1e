"""`forehead log`: a match kept by commands, for every game, and what they refuse."""

from pathlib import Path

import pytest

from rules.play.log import MatchLog
from tests.support.commands import Done, good, run

MATCHES = {
    "indian-poker": [
        "--mine 4 --theirs 9 --history b1,r3,c",
        "--mine 7 --theirs 2 --history b1,f",
        "--mine 5 --theirs 5 --history b1,c",
    ],
    "indian-holdem": [
        "--mine 4 --theirs 9 --board 1,2 --history b1,c",
        "--mine 3 --theirs 3 --board 3,10 --history f",
    ],
    "double-sided": [
        "--mine 3/7 --theirs 8/2 --history front:b1,back:c",
        "--mine 5/1 --theirs 8 --history F:b1,f",
        "--mine 6 --theirs 9/? --history f",
    ],
}


def log(*arguments: str | Path) -> Done:
    return good("log", *arguments)


def refused(*arguments: str | Path) -> str:
    done = run("log", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    return done.err.removeprefix("forehead: ").rstrip()


@pytest.mark.parametrize("game", MATCHES)
@pytest.mark.parametrize("first", ["me", "opp"])
def test_a_match_goes_round_trip_through_the_commands(game: str, first: str, tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    done = log("new", file, game, "--stacks", "12,9", "--first", first)
    assert (done.out, done.err) == ("", f"saved {file}\n")
    twin = MatchLog.new(game, stacks="12,9", first=first)
    texts = [file.read_text()]
    assert texts[0] == twin.to_text()
    for line in MATCHES[game]:
        words = line.split()
        told = log("add", file, *words).out
        fields = {name.removeprefix("--"): value for name, value in zip(words[::2], words[1::2], strict=True)}
        added = twin.add(**fields)  # type: ignore[arg-type]
        texts.append(file.read_text())
        assert texts[-1] == twin.to_text()
        assert f"hand {added.number}: mine" in told
        assert f"You have {twin.chips[0]}, they have {twin.chips[1]}" in told
        assert f"{'You bet' if twin.first == 0 else 'They bet'} first in hand {added.number + 1}." in told
    shown = log("show", file, "--format", "json").json
    assert shown["chips"] == {"me": twin.chips[0], "opp": twin.chips[1], "carry": twin.carry}
    assert (shown["first"], shown["seat"]) == (("me", "opp")[twin.first], f"P{twin.my_seat + 1}")
    assert shown["winner"] is None
    assert shown["spec"] == twin.spec.to_dict()
    assert shown["cards_left"] == twin.spec.cards_left
    assert [one["history"] for one in shown["hands"]] == [
        " ".join(map(str, hand.played.history)) for hand in twin.hands
    ]
    assert [(one["mine"], one["theirs"]) for one in shown["hands"]] == [
        (str(hand.mine), str(hand.theirs)) for hand in twin.hands
    ]
    last = shown["hands"][-1]
    assert (last["my_chips"], last["their_chips"], last["carry"]) == (*twin.chips, twin.carry)
    for number in range(len(twin.hands), 0, -1):
        assert log("undo", file).out.startswith(f"took back hand {number}: mine")
        assert file.read_text() == texts[number - 1]
    assert refused("undo", file) == "there is no hand that could be taken back"


def test_the_used_cards_are_told(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    log("new", file, "indian-poker", "--stacks", "10,10", "--seen", "1,1")
    log("add", file, "--mine", "4", "--theirs", "9", "--history", "b1 c")
    ranks = log("show", file, "--format", "json").json["used_cards"]["ranks"]
    assert {one["rank"]: one["cards_gone"] for one in ranks if one["cards_gone"]} == {1: 2, 4: 1, 9: 1}
    lines = log("show", file).out.splitlines()
    assert lines[0] == "indian-poker: you have 8 chips, they have 12, 0 carried over"
    assert lines[1] == "They bet first in hand 2. 16 cards left in the deck."
    assert lines[3:6] == [
        "rank  1  2  3  4  5  6  7  8  9  10",
        "gone  2  -  -  1  -  -  -  -  1   -",
        "left  -  2  2  1  2  2  2  2  1   2",
    ]
    assert max(map(len, lines)) <= 80


def test_two_sided_cards_are_told_with_my_own(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    log("new", file, "double-sided", "--stacks", "15,15")
    for line in MATCHES["double-sided"]:
        log("add", file, *line.split())
    used = log("show", file, "--format", "json").json["used_cards"]
    assert used["cards_shown"] == ["3/7", "8/2"]
    assert used["fronts_hidden"] == [5, 6, 8, 9]
    assert used["own_cards_hidden"] == ["5/1"]
    text = log("show", file).out
    assert "Shown whole: 3/7 8/2\nFronts whose back stayed hidden: 5 6 8 9\nYours of these: 5/1\n" in text


def test_the_hands_as_csv(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    log("new", file, "indian-holdem", "--stacks", "10,10")
    log("add", file, *MATCHES["indian-holdem"][0].split())
    assert log("show", file, "--format", "csv").out.splitlines() == [
        "number,first,mine,theirs,board,history,my_chips,their_chips,carry",
        '1,me,4,9,"1,2",b1 c,8,12,0',
    ]


def test_a_hand_without_actions_and_the_end_of_a_match(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    log("new", file, "indian-poker", "--stacks", "1,5", "--first", "opp")
    assert log("add", file, "--mine", "4", "--theirs", "9").out.endswith("You have 0, they have 6.\nThey have won.\n")
    shown = log("show", file, "--format", "json").json
    assert (shown["winner"], shown["first"], shown["seat"]) == ("opp", None, None)
    assert "spec" not in shown
    assert "They have won." in log("show", file).out
    message = "the match ended with hand 1, they have won; no hand can follow"
    assert refused("add", file, "--mine", "4", "--theirs", "8").endswith(message)


def test_options_of_the_match_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    log("new", file, "indian-poker", "--stacks", "10,8", "--carry", "4", "--tie-bust", "loses", "--raises", "2,allin")
    spec = log("show", file, "--format", "json").json["spec"]
    assert (spec["stacks"], spec["carry"], spec["tie_bust"], spec["raises"]) == ([10, 8], 4, "loses", [2, "allin"])


def test_an_existing_file_stays_without_force(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    file.write_text("mine")
    assert refused("new", file, "indian-poker") == f"{file} exists; give --force to overwrite it"
    assert file.read_text() == "mine"
    log("new", file, "indian-poker", "--force")
    assert MatchLog.read(file).game == "indian-poker"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ("new {new} indian-pokr", "did you mean indian-poker?"),
        ("new {new} blind-mans-bluff", "every hand of blind-mans-bluff is dealt from a fresh deck"),
        ("new {new} indian-poker --first they", "expected me or opp, got 'they'"),
        ("new {new} indian-poker --stacks 10", "expected two stacks, mine and theirs"),
        ("new {new} indian-poker --shown 3/7,2/1", "expected an option of the match ("),
        ("new {new} indian-poker --seen 1", "19 of 20 cards are left"),
        ("add {log} --theirs 9", "Missing option '--mine'. (see forehead log add --help)"),
        ("add {log} --mine 4 --theirs 11 --history f", "hand 2: expected a card from 1 to 10, got '11' (theirs)"),
        ("add {log} --mine 4 --theirs 4 --history f", "hand 2: 4 is out three times but the deck has two (see line 5)"),
        ("add {log} --mine 4 --theirs 8 --history b1", 'hand 2: the hand is not over after "b1"'),
        ("add {log} --mine 4 --theirs 8 --history c", "hand 2: 'c' calls where nobody has bet yet"),
        ("add {log} --mine 4 --theirs 8 --history f --board 1,2", "hand 2: indian-poker has no community cards"),
        ("add {bad} --mine 4 --theirs 8 --history f", "line 5: 'b8' is not offered here"),
        ("show {bad}", "line 5: 'b8' is not offered here"),
        ("undo {bad}", "line 5: 'b8' is not offered here"),
        ("show {none}", "File '{none}' does not exist"),
        ("show {foreign}", "line 1: expected a log that begins with 'forehead match log 1'"),
    ],
)
def test_refusals_name_the_line_and_change_nothing(arguments: str, part: str, tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.log" for name in ("new", "log", "bad", "none", "foreign")}
    log("new", files["log"], "indian-poker", "--stacks", "10,10")
    log("add", files["log"], *MATCHES["indian-poker"][0].split())
    files["bad"].write_text(files["log"].read_text().replace("b1 r3 c", "b8 b2 c"))
    files["foreign"].write_text("something else\n")
    before = {path: path.read_text() for path in tmp_path.iterdir()}
    message = refused(*(word.format(**files) for word in arguments.split()))
    assert part.format(**files) in message
    if arguments.split()[1] == "{bad}":
        assert message.startswith(f"{files['bad']} line 5: ")
    assert {path: path.read_text() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("group", ["log", "cache"])
def test_a_group_without_a_command_shows_its_commands_line_by_line(group: str) -> None:
    done = run(group)
    assert (done.code, done.out) == (2, "")
    assert f"Usage: forehead {group} " in done.err.splitlines()[0]
    assert "Commands:" in done.err.splitlines()
