"""Match logs in which a line is wrong: refused where they are wrong, in words, and never changed; or harmless."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from rules.play.log import MatchLog
from rules.play.log_text import FIELDS, example, logged_games
from tests.support.bookkeeper import Bookkeeper
from tests.support.commands import good, run

MATCHES = {
    "indian-poker": ((10, 10), 0, 8, 10),
    "indian-holdem": ((10, 10), 1, 3, 10),
    "double-sided": ((7, 30), 0, 4, 7),
}
"""By game: stacks, who bets first, a seed, and chips of the shorter stack while play is careful."""

HEADER = 4
"""Lines of a header without options."""

ACTION = "expected an action, here f"
UNKNOWN = {True: "expected an option of the match (", False: "expected a hand, such as "}
"""What is said of an unknown first word, by whether no hand stands before it."""


def whole_match(game: str) -> list[str]:
    """Return the lines of a log from the first hand to the last chip."""
    stacks, first, seed, most = MATCHES[game]
    book = Bookkeeper(game, stacks, first, seed)
    while book.winner is None:
        dealt = book.deal()
        book.write_down(dealt, book.any_history(dealt, most))
    header = [
        "forehead match log 1",
        f"game {game}",
        f"stacks {stacks[0]},{stacks[1]}",
        f"first {('me', 'opp')[first]}",
    ]
    return [*header, *book.lines()]


@pytest.fixture(params=MATCHES)
def lines(request: pytest.FixtureRequest) -> list[str]:
    return whole_match(request.param)


def text_of(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def refusal(file: Path, data: str | bytes, *command: str | Path) -> str:
    """Write a log, run a command that must refuse it, and return why; the file stays as it is."""
    data = data.encode() if isinstance(data, str) else data
    file.write_bytes(data)
    done = run(*(command or ("log", "show", file)))
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert file.read_bytes() == data
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    return done.err.removeprefix("forehead: ").rstrip()


class Damage(NamedTuple):
    """What was done to a line, what stands there now, and a part of what must be said."""

    what: str
    line: str
    part: str


def damages(game: str, line: str, earlier: Sequence[str]) -> Iterator[Damage]:
    """Spoil the line of a hand in every way that can be known to be wrong, after earlier hands."""
    opening = not earlier
    fields = {part.split()[0]: part.partition(" ")[2] for part in line.split("  ")}
    sided = game == "double-sided"
    side = "front:" if sided else ""

    def written(**changes: str | None) -> str:
        return "  ".join(f"{k} {v}".rstrip() for k, v in (fields | changes).items() if v is not None)

    missing = {name: f"there is no {name!r}" for name in ("mine", "theirs")}
    missing |= {
        "board": "expected the two community cards of the hand, got none",
        "history": "the hand is not over after",
    }
    bare = dict.fromkeys(("mine", "theirs"), "expected a card from 1 to 10, got ''")
    bare |= {"board": "expected two community cards, such as 4,9, got ''", "history": "the hand is not over after"}
    for name, value in fields.items():
        yield Damage(f"no {name}", written(**{name: None}), missing[name])
        yield Damage(f"bare {name}", written(**{name: ""}), bare[name])
        yield Damage(f"{name} twice", f"{line}  {name} {value}", f"{name} is given twice; expected one hand on a line")
    if game != "indian-holdem":
        yield Damage("a board", written(board="1,2"), f"{game} has no community cards, got '1,2'")
    else:
        yield Damage("one board card", written(board="4"), "expected two community cards, such as 4,9, got '4'")
        yield Damage("three board cards", written(board="4,9,1"), "expected two community cards")
    for name in ("mine", "theirs"):
        _, slash, back = fields[name].partition("/")
        for card in ("0", "11", "4,5", "4 5", "-4", "4.0", "A", "\uff14", "\u0664", "\u200b4", "4\0"):
            yield Damage(
                f"{name} {card!r}",
                written(**{name: f"{card}{slash}{back}"}),
                f"expected a card from 1 to 10, got {card!r}",
            )
        if sided:
            yield Damage("three sides", written(**{name: "3/7/1"}), "expected a card as front/back, such as 3/7")
            yield Damage("one number", written(**{name: "3/3"}), "no card has the same number on both sides, got 3/3")
        else:
            yield Damage("a two-sided card", written(**{name: "3/7"}), "expected a card from 1 to 10, got '3/7'")
    if sided and "history" in fields:
        front, folded = fields["theirs"].partition("/")[0], fields["history"].endswith("f")
        unseen = [f"{front}/{back}" for back in range(1, 11) if str(back) != front]
        unseen = [card for card in unseen if card not in " ".join([line, *earlier]).split()]
        other = unseen[0] if folded else f"{front}/?"
        yield Damage("their back", written(theirs=other), "a fold leaves" if folded else "a showdown shows both")
    typed = line.replace("theirs", "their")
    yield Damage("a typed name", typed, f"there is no 'theirs' in '{' '.join(typed.split())}"[:50])
    yield Damage("an unknown first field", f"note x  {line}", UNKNOWN[opening])
    yield Damage("an equals sign", line.replace("mine ", "mine="), UNKNOWN[opening])
    yield Damage("a mark in the middle", f"\ufeff{line}", UNKNOWN[opening])
    yield Damage("a line of the header", "stacks 10,10", "stacks is given twice" if opening else UNKNOWN[False])
    if "history" not in fields:
        return
    played = fields["history"].split()
    yield Damage("an unknown last field", f"{line}  note x", "'note' is no action, and the hand is over before it")
    yield Damage("quotes", written(history=f'"{fields["history"]}"'), ACTION)
    yield Damage("a size without end", written(history=f"{side}b{'9' * 30} {side}c"), ACTION)
    yield Damage("a half-sized bet", written(history=f"{side}b1.5 {side}c"), ACTION)
    yield Damage("no last action", written(history=" ".join(played[:-1])), "the hand is not over after")
    yield Damage("one action more", f"{line} c", "; nothing can follow")
    if played[0] in ("front", "back"):
        return
    yield Damage("a call first", written(history=f"{side}c"), "calls where nobody has bet yet")
    yield Damage(
        "over the cap", written(history=f"{side}b99 {side}c"), f"'{side}b99' is more than the shorter stack can"
    )
    yield Damage("a raise over the cap", written(history=f"{side}b1 {side}r99 {side}c"), "99' ")
    if sided:
        yield Damage("no side", written(history="b1 front:c"), "'b1' names no side (front: or back: before it)")
        yield Damage("both sides first", written(history="both f"), "is P2's first move only, against a bet")
    else:
        yield Damage("a side", written(history="front:b1 f"), "'front:b1' is not offered here")


def check(lines: list[str], numbers: range, file: Path) -> None:
    """Spoil each of these lines in every way."""
    game = lines[1].split()[1]
    done = 0
    for number in numbers:
        for one in damages(game, lines[number - 1], lines[HEADER : number - 1]):
            message = refusal(file, text_of([*lines[: number - 1], one.line, *lines[number : number + 1]]))
            assert message.startswith(f"{file} line {number}: "), one
            assert one.part in message, one
            done += 1
    assert done > 30 * len(numbers)


@pytest.mark.slow
def test_a_spoilt_line_is_refused_by_its_number(lines: list[str], tmp_path: Path) -> None:
    check(lines, range(HEADER + 1, HEADER + 5), tmp_path / "m.log")
    check(lines, range(len(lines), len(lines) + 1), tmp_path / "m.log")


@pytest.mark.slow
def test_lines_of_a_whole_match_spoilt(lines: list[str], tmp_path: Path) -> None:
    check(lines, range(HEADER + 1, len(lines) + 1, 3), tmp_path / "m.log")


def test_every_command_refuses_it_and_leaves_it_alone(lines: list[str], tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    spoilt = text_of([*lines[:6], lines[6].replace("theirs", "their"), *lines[7:]])
    card = {"double-sided": ("--back", "4", "--fronts", "3,8"), "indian-holdem": ("--see", "4", "--board", "2,3")}
    see = card.get(lines[1].split()[1], ("--see", "4"))
    commands: list[tuple[str | Path, ...]] = [
        ("log", "show", file),
        ("log", "undo", file),
        ("log", "add", file, "--mine", "4", "--theirs", "9", "--history", "f"),
        ("advise", "--log", file, *see),
        ("solve", "--log", file),
    ]
    for command in commands:
        assert refusal(file, spoilt, *command).startswith(f"{file} line 7: expected the cards of both players")


def test_no_hand_follows_the_end(lines: list[str], tmp_path: Path) -> None:
    for hand in lines[HEADER:]:
        message = refusal(tmp_path / "m.log", text_of([*lines, hand]))
        assert f"line {len(lines) + 1}: the match ended with hand {len(lines) - HEADER}, they have won" in message


def test_a_card_that_has_left_the_deck_names_the_lines_that_had_it(tmp_path: Path) -> None:
    deck = ["mine 4  theirs 9  history f", "mine 9  theirs 1  history f"]
    lines = [*whole_match("indian-poker")[:HEADER], *deck, "mine 9  theirs 2  history f"]
    assert "line 7: 9 is out three times but the deck has two (see line 5,6)" in refusal(
        tmp_path / "m.log", text_of(lines)
    )


def test_a_hand_written_twice_is_known_by_its_cards_in_double_sided(tmp_path: Path) -> None:
    lines = whole_match("double-sided")[: HEADER + 20]
    for number in range(HEADER + 1, len(lines) + 1):
        hand = lines[number - 1]
        turned = hand.replace("front:allin", "front:b1").replace("back:allin", "back:b1")
        message = refusal(tmp_path / "m.log", text_of([*lines[:number], hand if ":" not in hand else turned]))
        assert message.startswith(f"{tmp_path / 'm.log'} line {number + 1}: ")
        assert " is out already, it was yours in line " in message or " has been shown already; " in message


HEADERS = [
    (1, None, 1, "expected a log that begins with 'forehead match log 1', got 'game"),
    (1, "forehead match log 2", 1, "expected a match log of version 1, got version '2'"),
    (1, "\ufeff\ufeffforehead match log 1", 1, "expected a log that begins with"),
    (2, None, 2, "expected the game first, such as 'game indian-poker', got 'stacks'"),
    (2, "game poker", 2, "expected a game (indian-poker, indian-holdem, double-sided, blind-mans-bluff), got 'poker'"),
    (2, "game", 2, "expected a game (indian-poker,"),
    (3, None, 4, "the header has no stacks"),
    (3, "stacks 10", 3, "expected two stacks, mine and theirs"),
    (3, "stacks 10,0", 3, "expected two stacks, mine and theirs"),
    (3, "stacks 10,\uff11", 3, "expected two stacks, mine and theirs"),
    (4, None, 4, "the header has no first"),
    (4, "first they", 4, "expected me or opp, got 'they'"),
    (4, "first me opp", 4, "expected me or opp, got 'me opp'"),
    (4, "first me\nfirst me", 5, "first is given twice"),
    (4, "first me\ncolour red", 5, "expected an option of the match (stacks, first, "),
    (4, "first me\ncarry 3", 5, "expected the carried pot to be even"),
    (
        4,
        "first me\nraises 0",
        5,
        "expected a whole number of at least 1, a part of the pot (1/2pot) or 'allin', got '0'",
    ),
]


@pytest.mark.parametrize(("number", "line", "told", "part"), HEADERS)
def test_a_spoilt_header(lines: list[str], number: int, line: str | None, told: int, part: str, tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    spoilt = [*lines[: number - 1], *([] if line is None else [line]), *lines[number:]]
    if number == 3 and line is None:
        told = HEADER  # where the first hand stands now
    message = refusal(file, text_of(spoilt))
    assert message.startswith(f"{file} line {told}: ")
    assert part in message


@pytest.mark.parametrize("data", [b"", b"\n \n# nothing\n", b"\xef\xbb\xbf"])
def test_a_log_without_a_line(data: bytes, tmp_path: Path) -> None:
    message = refusal(tmp_path / "m.log", data)
    assert message.endswith("m.log: expected a log that begins with 'forehead match log 1', got no line")


def test_what_is_no_text(lines: list[str], tmp_path: Path) -> None:
    file, text = tmp_path / "m.log", text_of(lines)
    assert refusal(file, text.encode("utf-16")).startswith(f"{file} line 1: expected text in UTF-8, got the byte 0xff")
    for number in range(1, len(lines) + 1):
        data = b"".join(f"{line}\n".encode() + (b"# \xe9\n" if n == number else b"") for n, line in enumerate(lines, 1))
        assert refusal(file, data) == f"{file} line {number + 1}: expected text in UTF-8, got the byte 0xe9"


def test_a_last_line_cut_off_is_refused_unless_what_is_left_is_a_hand(lines: list[str], tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    for number in range(HEADER + 1, HEADER + 5):
        before, line = text_of(lines[: number - 1]), lines[number - 1]
        for length in range(1, len(line)):
            cut = line[:length]
            if cut.endswith("history f") and "?" in cut:
                continue  # "front:b1 f" cut to "f" is a fold in its own right
            assert refusal(file, before + cut).startswith(f"{file} line {number}: "), cut


def variants(lines: list[str]) -> dict[str, str]:
    """Write a log otherwise, without another meaning."""
    text = text_of(lines)

    def turned(line: str) -> str:
        return "  ".join(reversed(line.split("  "))) if line.split()[0] in FIELDS else line

    return {
        "line ends of another system": text.replace("\n", "\r\n"),
        "line ends of an old one": text.replace("\n", "\r"),
        "mixed line ends": text.replace("\n", "\r\n", 7),
        "a byte order mark": f"\ufeff{text}",
        "trailing blanks": text.replace("\n", " \t \n"),
        "tabs": text.replace("  ", "\t").replace(" ", "\t"),
        "blank lines": text.replace("\n", "\n\n"),
        "comments": text.replace("\n", "  # \u00e9, said 4/9\n"),
        "capitals": text.upper()
        .replace("FOREHEAD", "Forehead")
        .replace("GAME " + lines[1].split()[1].upper(), lines[1]),
        "no last line end": text.rstrip(),
        "no-break spaces": text.replace("  ", "\u00a0"),
        "fields in another order": text_of([turned(line) for line in lines]),
        "words for actions": text.replace(" f\n", " fold\n").replace("allin", "All-in"),
        "commas between actions": re.sub(r"(history \S+) ", r"\1, ", text),
    }


def test_what_changes_nothing_is_accepted_and_kept(lines: list[str], tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    file.write_text(text_of(lines))
    shown = good("log", "show", file, "--format", "json").json
    for what, text in variants(lines).items():
        assert text != text_of(lines), what
        file.write_bytes(text.encode())
        assert good("log", "show", file, "--format", "json").json == shown, what
        assert file.read_bytes() == text.encode(), what


@pytest.mark.parametrize("game", logged_games())
def test_the_example_in_a_message_is_a_hand_of_the_game(game: str) -> None:
    header = text_of([*whole_match(game)[:2], "stacks 15,15", "first me"])
    line = example(game).strip("'")
    assert str(MatchLog(f"{header}{line}\n").hands[0]) == line
