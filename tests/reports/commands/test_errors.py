"""Bad input: one clear line on stderr, exit 2, nothing on stdout, nothing written, nothing lost."""

import os
import resource
import subprocess
import time
from pathlib import Path

import pytest

import cli
from reports.answering import two_players
from solver.trees import public_tree
from solver.two_player import memory
from tests.support.commands import PROGRAM, complaint, environment, good, run, spawn, strict_json
from tests.support.solution_files import forged

GAME_NAMES = "indian-poker, indian-holdem, double-sided, blind-mans-bluff"

HANDS = [
    # Games and options.
    ("", "Missing argument 'GAME'. (see forehead solve --help)"),
    ("indian-pokr", f"expected a game ({GAME_NAMES}), got 'indian-pokr'; did you mean indian-poker?"),
    ("chess", f"expected a game ({GAME_NAMES}), got 'chess'"),
    (
        "indian-poker --board 4,9",
        "indian-poker has no option --board; it has --seen, --left, --penalties, --stacks, --carry, --raises, "
        "--opens, --raise-limit, --line, --tie-bust, --objective, --deck-model",
    ),
    (
        "blind-mans-bluff --raise-limit 3",
        "blind-mans-bluff has no option --raise-limit; it has --players, --max-raises, --bet-size, --raise-size, "
        "--rank-suits, --objective",
    ),
    ("indian-holdem --fronts 1,2", "indian-holdem has no option --fronts; it has"),
    ("double-sided --seen 4", "double-sided has no option --seen; it has --shown, --hidden, --fronts,"),
    ("indian-poker --rank-suits", "indian-poker has no option --rank-suits"),
    # Decks.
    ("indian-poker --seen 4,4,4,9", "4 is out three times but the deck has two (seen 4,4,4,9)"),
    ("indian-holdem --seen 7,7,7,7,7,1,1,1", "7 is out five times but the deck has four (seen 7,7,7,7,7,1,1,1)"),
    (
        "indian-poker --seen 4,4,9",
        "17 of 20 cards are left, but hands use 2 cards each, so a multiple of 2 must be left before a hand "
        "(seen 4,4,9); this hand's own cards do not count as seen",
    ),
    ("indian-holdem --seen 4,9", "38 of 40 cards are left, but hands use 4 cards each"),
    ("indian-poker --seen 4,4,11,9", "expected a card from 1 to 10, got '11' (third of seen 4,4,11,9)"),
    ("indian-poker --seen 4,,4", "expected a card from 1 to 10, got '' (second of seen 4,,4)"),
    ("indian-poker --seen 0,4", "expected a card from 1 to 10, got '0' (first of seen 0,4)"),
    ("indian-poker --seen 4;9", "expected a card from 1 to 10, got '4;9' (first of seen 4;9)"),
    ("indian-poker --left 2,2", "expected left to have ten counts, of 1 to 10, got 2 (2,2)"),
    ("indian-poker --left 2,2,2,2,2,2,2,2,2,3", "expected 0 to 2 cards of rank 10 left, got 3"),
    ("indian-poker --left 2,2,2,2,2,2,2,2,2,x", "expected the count of 10 to be a whole number, got 'x'"),
    ("indian-poker --left 2,2,2,2,2,2,2,2,2,2 --seen 4,4", "expected seen or left, got both"),
    ("indian-holdem --board 4", "expected two community cards, such as 4,9, got '4'"),
    ("indian-holdem --board 4,11", "expected a card from 1 to 10, got '11' (second of board 4,11)"),
    (
        "indian-holdem --seen 1,1,1,1 --board 1,5",
        "the board 1,5 is no longer possible: the deck has 0 of rank 1 and 4 of rank 5 left",
    ),
    ("double-sided --fronts 3", "expected two fronts, P1's and P2's, such as 3,8, got '3'"),
    ("double-sided --fronts 3,11", "expected a card from 1 to 10, got '11' (second of fronts 3,11)"),
    (
        "double-sided --hidden 3,3,3,3,3,3,3,3 --fronts 3,3",
        "the fronts 3,3 are no longer possible: front 3 is needed twice and 1 of its nine cards are left",
    ),
    ("double-sided --shown 3/3,4/5", "no card has the same number on both sides, got 3/3 (first of shown 3/3,4/5)"),
    ("double-sided --shown 3/7,3/7", "3/7 is shown twice but each card exists once (shown 3/7,3/7)"),
    ("double-sided --shown 3/7", "expected an even number of shown cards, got 1"),
    ("double-sided --shown 37,28", "expected a card as front/back, such as 3/7, got '37' (first of shown 37,28)"),
    ("double-sided --hidden 3", "expected an even number of hidden cards, got 1"),
    ("double-sided --hidden 3,3,3,3,3,3,3,3,3,3", "10 cards with front 3 are out but the deck has nine"),
    # Chips and bets.
    ("indian-poker --stacks 0,10", "expected P1 to have at least 1 chip for the ante, got 0 (stacks 0,10)"),
    ("indian-poker --stacks 10,-1", "expected P2 to have at least 1 chip for the ante, got -1 (stacks 10,-1)"),
    ("indian-poker --stacks 1.5,10", "expected P1's stack to be a whole number, got '1.5'"),
    ("indian-poker --stacks 10,nan", "expected P2's stack to be a whole number, got 'nan'"),
    ("indian-poker --stacks 10", "expected two stacks, P1's and P2's, such as 10,10, got '10'"),
    ("indian-poker --stacks 9,9,9", "expected two stacks, P1's and P2's, such as 10,10, got '9,9,9'"),
    ("indian-poker --stacks 10,1000001", "expected stacks of at most 1000000 chips, got 1000001"),
    (f"indian-poker --stacks 10,{'9' * 5000}", "expected P2's stack to be a whole number of a sensible size, got 5000"),
    ("indian-poker --stacks \u0661\u0660,10", "expected P1's stack to be a whole number, got '\u0661\u0660'"),
    (
        "indian-poker --carry 3",
        "expected the carried pot to be even and from 0 to 1000000 (both put in the same), got 3",
    ),
    ("indian-poker --carry -2", "expected the carried pot to be even and from 0 to 1000000"),
    (
        "indian-poker --raises 0",
        "expected a whole number of at least 1, a part of the pot (1/2pot) or 'allin', got '0' (first of raises 0)",
    ),
    ("indian-poker --raises 1,3,1", "expected different sizes, got 1 twice (third of raises 1,3,1)"),
    (
        "indian-poker --raises 1,all",
        "expected a whole number of at least 1, a part of the pot (1/2pot) or 'allin', got 'all' (second of",
    ),
    (
        "indian-poker --opens x",
        "expected a whole number of at least 1, a part of the pot (1/2pot) or 'allin', got 'x' (first of opens x)",
    ),
    ("indian-poker --raise-limit -1", "expected a raise limit of at least 0, got -1"),
    ("indian-poker --tie-bust both", "expected tie-bust to be split or loses, got 'both'"),
    ("indian-poker --penalties final", "expected penalties in indian-poker to be ten or none, got 'final'"),
    ("indian-holdem --penalties ten", "expected penalties in indian-holdem to be final or death-match or none, got"),
    ("blind-mans-bluff --objective match", "expected objective to be chips or session, got 'match'"),
    ("indian-poker --objective glory", "expected objective to be chips or match, got 'glory'"),
    ("indian-poker --deck-model fresh --objective chips", "deck-model says what comes after this hand; expected"),
    ("blind-mans-bluff --players 3 --method lp", "expected --method cfr for more than two players, got lp"),
    ("blind-mans-bluff --players 4 --rank-suits", "every deal is counted with at most 200,000 of them; 4 players"),
    ("blind-mans-bluff --players 4 --max-raises 20", "this table needs "),
    ("blind-mans-bluff --players 11", "expected players to be from 2 to 10, got 11"),
    ("blind-mans-bluff --max-raises 20 --raise-size 50", "a hand can cost 1002 counters (1 + 1 + 20 x 50)"),
    # How to solve.
    ("indian-poker --gap nan", "expected --gap to be a number above 0, got 'nan'"),
    ("indian-poker --gap inf", "expected --gap to be a number above 0, got 'inf'"),
    ("indian-poker --gap 1e999", "expected --gap to be a number above 0, got '1e999'"),
    ("indian-poker --gap 1e-999", "expected --gap to be a number above 0, got '1e-999'"),
    ("indian-poker --gap 0", "expected --gap to be a number above 0, got '0'"),
    ("indian-poker --gap -1", "expected --gap to be a number above 0, got '-1'"),
    ("indian-poker --gap small", "expected --gap to be a number above 0, got 'small'"),
    ("indian-poker --gap \u0663", "expected --gap to be a number above 0, got '\u0663'"),
    ("indian-poker --max-iterations -1", "expected --max-iterations to be at least 0, got -1"),
    ("indian-poker --max-iterations 1.5", "expected --max-iterations to be a whole number, got '1.5'"),
    ("indian-poker --max-iterations \u0663", "expected --max-iterations to be a whole number, got '\u0663'"),
    (f"indian-poker --max-iterations {'9' * 30}", "expected --max-iterations to be a whole number of a sensible size"),
    ("indian-poker --threads 0", "expected --threads to be at least 1, got 0"),
    ("indian-poker --method simplex", "Invalid value for '--method': 'simplex' is not one of 'cfr', 'lp'."),
    ("indian-poker --format xml", "Invalid value for '--format': 'xml' is not one of 'table', 'csv', 'json'."),
    ("indian-poker more", "Got unexpected extra argument (more) (see forehead solve --help)"),
]


@pytest.mark.parametrize(("line", "message"), HANDS, ids=[line[:60] for line, _ in HANDS])
def test_a_hand_that_cannot_be_is_refused(line: str, message: str) -> None:
    assert complaint(run("solve", *line.split())).startswith(message)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--stacks", "expected two stacks, P1's and P2's, such as 10,10, got ''"),
        ("--carry", "expected the carry to be a whole number, got ''"),
        ("--left", "expected left to have ten counts, of 1 to 10, got 0"),
        ("--raises", "expected raises to list at least one size, such as 1,3,5,allin, got nothing"),
        ("--opens", "expected opens to list at least one size"),
        ("--raise-limit", "expected the raise limit to be a whole number, got ''"),
        ("--penalties", "expected penalties in indian-poker to be ten or none, got ''"),
        ("--tie-bust", "expected tie-bust to be split or loses, got ''"),
        ("--objective", "expected objective to be chips or match, got ''"),
        ("--gap", "expected --gap to be a number above 0, got ''"),
        ("--max-iterations", "expected --max-iterations to be a whole number, got ''"),
        ("--threads", "expected --threads to be a whole number, got ''"),
        ("--method", "Invalid value for '--method': '' is not one of"),
        ("--format", "Invalid value for '--format': '' is not one of"),
        ("-o", "expected a file to write (-o), got ''"),
        ("--resume", "Invalid value for '--resume': File '' does not exist."),
    ],
)
def test_an_empty_value_is_refused(option: str, message: str) -> None:
    assert complaint(run("solve", "indian-poker", option, "")).startswith(message)


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("slove indian-poker", "solve"),
        ("solve indian-poker --stack 10,10", "--stacks"),
        ("solve indian-poker --raise_limit 3", "--raise-limit"),
        ("solve indian-poker --max-iteration 3", "--max-iterations"),
        ("show deck.npz --hist b1", "--history"),
    ],
)
def test_a_misspelt_command_or_option_gets_a_hint(line: str, near: str) -> None:
    message = complaint(run(*line.split()))
    assert "No such " in message
    assert near in message.split("Did you mean")[1]


SPOTS = [
    (
        "deck",
        "show",
        ["--history", "c"],
        "'c' calls where nobody has bet yet; legal: f b1 b3 b5 allin ('c' in \"c\", act",
    ),
    ("deck", "show", ["--history", "k"], "'k' is not offered here"),
    ("deck", "show", ["--history", "b1 b1"], "'b1' bets where a bet is on the table already (raise, call or fold)"),
    (
        "deck",
        "show",
        ["--history", "b8"],
        "'b8' is more than the shorter stack can still put in (7); legal: f b1 b3 b5 allin",
    ),
    ("deck", "show", ["--history", "b1 r7"], "'r7' is more than the shorter stack can still put in (6)"),
    (
        "deck",
        "show",
        ["--history", "b2"],
        "'b2' is not offered here; legal: f b1 b3 b5 allin ('b2' in \"b2\", action 1)",
    ),
    (
        "deck",
        "show",
        ["--history", "b1 r3 c r1"],
        "the hand ended with 'c'; nothing can follow ('r1' in \"b1 r3 c r1\", action 4)",
    ),
    ("deck", "show", ["--history", "b1 c"], "the hand is over after 'c'; expected a history after which somebody acts"),
    (
        "deck",
        "show",
        ["--history", "b1 hello"],
        "expected an action, here f c r1 r3 r5 allin, got 'hello' (action 2 of \"b1 hello\")",
    ),
    ("deck", "show", ["--history", "b\u0663"], "expected an action, here f b1 b3 b5 allin, got 'b"),
    ("deck", "show", ["--history", "b99999999999999999999"], "expected an action, here f b1 b3 b5 allin, got 'b"),
    ("deck", "show", ["--board", "4,9"], "{file} solves indian-poker, which has no --board"),
    ("deck", "show", ["--fronts", "4,9"], "{file} solves indian-poker, which has no --fronts"),
    ("showdown", "show", [], "nobody acts in this hand: the antes are all-in, and it is a showdown at once"),
    (
        "showdown",
        "show",
        ["--history", "f"],
        "nobody can act in this hand: the antes are all-in ('f' in \"f\", action 1)",
    ),
    ("boards", "show", [], "{file} holds 55 deals; say which with --board, from 1,1 to 10,10"),
    ("boards", "show", ["--board", ""], "expected two community cards, such as 4,9, got ''"),
    ("boards", "show", ["--board", "4,11"], "expected a card from 1 to 10, got '11' (second of board 4,11)"),
    ("board", "show", ["--board", "1,2"], "expected the board of this solution, 4,9; got 1,2"),
    ("pairs", "best", ["--see", "4"], "{file} holds 100 deals; say which with --fronts, from 1,1 to 10,10"),
    ("fronts", "show", ["--fronts", "4,4"], "expected the fronts of this solution, 3,8; got 4,4"),
    ("fronts", "show", ["--history", "both"], "'both' is P2's first move only, against a bet; legal: f front:b1 "),
    ("fronts", "show", ["--history", "F:b1 B:r1 both"], "'both' is P2's first move only"),
    ("fronts", "show", ["--history", "F:b3 both"], "'both' needs chips for twice the bet: 2 x 3 is more than"),
    ("fronts", "show", ["--history", "b1"], "'b1' names no side (front: or back: before it)"),
    ("fronts", "show", ["--history", "F:b1 F:r1 B:r1"], "'back:r1' changes a named side, which never changes"),
    ("deck", "best", [], "Missing option '--see' / '--back'. (see forehead best --help)"),
    ("deck", "best", ["--see", ""], "expected a card from 1 to 10, got '' (the card seen)"),
    ("deck", "best", ["--see", "K"], "expected a card from 1 to 10, got 'K' (the card seen)"),
    ("deck", "best", ["--see", "\u0664"], "expected a card from 1 to 10, got '\u0664' (the card seen)"),
    (
        "deck",
        "best",
        ["--see", "4"],
        "expected an observation that the deck allows here (1, 2, 3, 5, 6, 7, 8, 9, 10), got '4'",
    ),
    ("fronts", "best", ["--back", "3"], "expected an observation that the deck allows here (1, 2, 4, 5,"),
    ("fronts", "best", ["--back", "11"], "expected a card from 1 to 10, got '11' (the own back)"),
    (
        "bluff",
        "best",
        ["--see", "1"],
        "expected a card from 2 to 10, J, Q, K, A such as 10 or Kh, got '1' (the card seen)",
    ),
    ("bluff", "best", ["--see", "\u212a"], "expected a card from 2 to 10, J, Q, K, A"),
    ("suits", "best", ["--see", "K"], "expected a card with its suit, such as Kh (suits are ranked), got K"),
    ("bluff", "show", ["--history", "b r r"], "'r' is one raise too many, the limit for the whole table is 1"),
    ("bluff", "show", ["--history", "b2"], "'b2' is not the fixed size, a bet is always 1"),
]


@pytest.mark.parametrize(("name", "command", "options", "message"), SPOTS)
def test_a_place_that_is_not_there_is_refused(
    name: str, command: str, options: list[str], message: str, solved: Path
) -> None:
    file = solved / f"{name}.npz"
    assert complaint(run(command, file, *options)).startswith(message.replace("{file}", str(file)))


# Files that are read.


@pytest.mark.parametrize("command", ["show", "best", "verify", "export", "plot", "solve"])
def test_a_file_that_is_no_solution_is_refused(command: str, tmp_path: Path, solved: Path) -> None:
    def answer(path: Path) -> str:
        options = {"best": ["--see", "4"], "plot": ["-o", tmp_path / "new.png"]}.get(command, [])
        given = ["indian-poker", "--resume", path] if command == "solve" else [path, *options]
        return complaint(run(command, *given))

    missing = tmp_path / "missing.npz"
    assert f"File '{missing}' does not exist." in answer(missing)
    assert f"File '{tmp_path}' is a directory." in answer(tmp_path)
    empty, text, cut, flipped = (tmp_path / name for name in ("empty", "text", "cut", "flipped"))
    empty.write_bytes(b"")
    text.write_text("strategy\n")
    whole = (solved / "deck.npz").read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    place = whole.index(b"strategy.npy") + 1_000
    flipped.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    for path in (empty, text, cut):
        assert answer(path).startswith(f"{path} is no solution file, or is damaged")
    assert answer(flipped) == f"{flipped} is damaged: its strategy cannot be read (Bad CRC-32 for file 'strategy.npy')"
    assert sorted(tmp_path.iterdir()) == sorted([empty, text, cut, flipped])


@pytest.mark.parametrize("claim", ["value", "value_bounds"])
def test_a_file_that_claims_too_much_fails_with_exit_1(claim: str, tmp_path: Path, solved: Path) -> None:
    path = tmp_path / "deck.npz"
    path.write_bytes((solved / "deck.npz").read_bytes())

    def better(header: dict[str, object], _: object) -> None:
        (one,) = header["classes"]  # type: ignore[misc]
        for holder in (header, one):
            if claim == "value":
                holder["value"] = 0.0
            else:
                lower, upper = holder["value_bounds"]
                holder["value_bounds"] = [lower + 0.01, upper]
                holder["nash_conv"] = upper - lower - 0.01

    forged(path, better)
    message = complaint(run("verify", path), code=1)
    what = {"value": "value", "value_bounds": "lower"}[claim]
    assert message.startswith(f"{path} does not hold: the whole claims {what} ")
    assert "but its strategy gives" in message


@pytest.mark.parametrize("claims", [{"nash_conv": 1e-9}, {"converged": False}])
def test_a_file_whose_summary_claims_what_its_bounds_do_not_say_is_refused(
    claims: dict[str, object], tmp_path: Path, solved: Path
) -> None:
    path = tmp_path / "deck.npz"
    path.write_bytes((solved / "deck.npz").read_bytes())
    forged(path, lambda header, _: header.update(claims))
    assert complaint(run("verify", path)).startswith(f"{path} contradicts itself: its NashConv ")


# Going on from a file.


def test_going_on_from_another_hand_is_refused(solved: Path) -> None:
    deck = solved / "deck.npz"
    start = "expected to go on from a solution of the same hand; this one solves another "
    assert complaint(run("solve", "indian-holdem", "--resume", deck)) == (
        f"{start}(game indian-poker and not indian-holdem)"
    )
    assert complaint(run("solve", "indian-poker", "--resume", deck, "--seen", "1,4,4,9")) == (
        f"{start}(stacks 12,8 and not 10,10)"
    )
    assert complaint(run("solve", "indian-poker", "--resume", deck, "--method", "lp")) == (
        "expected --method cfr with --resume; the linear program always starts anew"
    )
    assert complaint(run("solve", "indian-poker", "--resume", solved / "exact.npz")) == (
        "this solution cannot be gone on from: it keeps no regrets (method lp never does)"
    )


# Files that are written.

QUICK = ("indian-poker", "--stacks", "3,3", "--gap", "0.1")


def writers(solved: Path) -> dict[str, tuple[str | Path, ...]]:
    """Return every command that writes a file, without its -o."""
    deck = solved / "deck.npz"
    return {"solve": ("solve", *QUICK), "export": ("export", deck), "plot": ("plot", deck)}


@pytest.mark.parametrize("command", ["solve", "export", "plot"])
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    command: str, tmp_path: Path, solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = writers(solved)[command]
    there = tmp_path / "there.png"
    there.write_text("mine")

    def refused(output: str | Path, *more: str) -> str:
        return complaint(run(*arguments, "-o", output, *more))

    assert refused(there) == f"{there} exists; give --force to overwrite it"
    no = tmp_path / "no"
    assert refused(no / "x.png") == f"cannot write {no}/x.png: there is no directory {no}"
    assert refused(there / "x.png") == f"cannot write {there}/x.png: there is no directory {there}"
    assert f"File '{tmp_path}' is a directory." in refused(tmp_path, "--force")
    pipe = tmp_path / "pipe"  # as a device would be
    os.mkfifo(pipe)
    assert refused(pipe, "--force") == f"cannot write {pipe}: it is no regular file"
    assert pipe.is_fifo()
    pipe.unlink()
    assert refused("/proc/x.png").startswith("cannot write /proc/x.png: ")
    assert refused("") == "expected a file to write (-o), got ''"
    long = tmp_path / ("x" * 300 + ".png")
    assert refused(long) == f"cannot write {long}: File name too long"
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert refused(there, "--force") == f"cannot write {there}: it is write-protected"
    assert there.read_text() == "mine"
    link = tmp_path / "link.png"
    link.symlink_to(no / "x.png")
    assert refused(link) == f"cannot write {link}: there is no directory {no}"
    link.unlink()
    assert list(tmp_path.iterdir()) == [there]


def test_the_file_that_is_read_is_not_overwritten(tmp_path: Path, solved: Path) -> None:
    mine, link = tmp_path / "mine.png", tmp_path / "link.png"
    mine.write_bytes((solved / "deck.npz").read_bytes())
    before = mine.read_bytes()
    link.symlink_to(mine)
    for command in ("export", "plot"):
        for output in (mine, link):
            for force in ([], ["--force"]):
                message = complaint(run(command, mine, "-o", output, *force))
                assert message == f"{output} is the file that is read; write to another"
    assert mine.read_bytes() == before


def test_force_overwrites_and_keeps_links(tmp_path: Path, solved: Path) -> None:
    for command, arguments in writers(solved).items():
        target, link = tmp_path / f"{command}.png", tmp_path / f"{command}-link.png"
        target.write_text("old")
        link.symlink_to(target)
        good(*arguments, "-o", link, "--force")
        assert link.is_symlink()
        assert target.read_bytes() != b"old"
        assert target.stat().st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_timings_do_not_overwrite_either(tmp_path: Path) -> None:
    curve = tmp_path / "x.timings.csv"
    curve.write_text("mine")
    arguments = ("solve", *QUICK, "--timings", "-o", tmp_path / "x.npz")
    assert complaint(run(*arguments)) == f"{curve} exists; give --force to overwrite it"
    assert curve.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [curve]
    good(*arguments, "--force")
    assert curve.read_text() != "mine"


def limit_files() -> None:
    """Let no file grow beyond 10 kB, as a full disk would."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


@pytest.mark.slow
def test_a_full_disk_loses_neither_the_answer_nor_the_old_file(tmp_path: Path, solved: Path) -> None:
    old = tmp_path / "old.npz"
    old.write_text("old")
    arguments = ["solve", "indian-poker", "--gap", "0.5", "-o", "old.npz", "--force", "--format", "json"]
    done = subprocess.run(
        [*PROGRAM, *arguments], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False,
        preexec_fn=limit_files,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "forehead: old.npz: File too large"
    assert "Traceback" not in done.stderr
    answer = strict_json(done.stdout)
    assert answer["file"] is None
    assert answer["converged"]
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.slow
def test_output_that_cannot_be_printed_fails_in_one_line(tmp_path: Path, solved: Path) -> None:
    deck, small = solved / "deck.npz", solved / "two-cards.npz"  # small: all waits to be written until the end
    for arguments in (
        ["games"],
        ["show", deck],
        ["export", deck],
        ["export", small],
        ["export", small, "--to", "json"],
    ):
        done = spawn(*arguments, cwd=tmp_path, shell=">/dev/full")
        assert complaint(done, code=1) == "output: No space left on device"


# Hands that are too large.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "problem", "advice"),
    [
        (
            "indian-poker --stacks 1000000,1000000",
            "the betting has more than 500000 different moves",
            "--raise-limit ",
        ),
        ("indian-poker --stacks 3000,3000", "this tree needs more than 1e288 TB", "--raise-limit "),
        ("indian-poker --raises any --stacks 1000000,1000000", "'any' would offer 999999 sizes", "list sizes, such as"),
        ("double-sided --raises any --stacks 40,40", "this tree needs ", "--raise-limit "),
        ("indian-poker --stacks 30,30 --method lp", "method lp takes up to 3,000,000 payoffs", "--raise-limit 7 ("),
    ],
    ids=lambda text: text[:50],
)
def test_a_hand_that_does_not_fit_is_refused_quickly_with_advice(line: str, problem: str, advice: str) -> None:
    start = time.process_time()
    message = complaint(run("solve", *line.split()))
    assert time.process_time() - start < 10
    assert message.startswith(problem)
    assert advice in message.removeprefix(problem)


def test_a_hand_with_too_long_histories_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_tree, "MAX_DEPTH", 50)
    message = complaint(run("solve", "indian-holdem", "--raises", "1", "--stacks", "60,60"))
    assert message.startswith(
        "histories of this hand can have more than 50 actions; use larger raise sizes; --raise-limit 16 ("
    )


def test_the_size_of_double_sided_with_every_pair_of_fronts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 24 * 10**9)
    message = complaint(run("solve", "double-sided", "--stacks", "30,30"))
    assert message.startswith("this tree needs ")
    assert "and 24 GB are free; --raise-limit 8 (" in message
    assert message.endswith(") would fit")


def test_what_would_fit_does_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 205 * 10**6)
    message = complaint(run("solve", "indian-poker", "--stacks", "20,20"))
    advice = message.split("; ")[1].removesuffix(" would fit").split(" or ")
    assert len(advice) == 2
    for option in advice:
        words = option.split(" (")[0].split()
        assert good("solve", "indian-poker", "--stacks", "20,20", "--max-iterations", "1", *words)


def test_where_nothing_fits_the_refusal_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 10**6)
    assert complaint(run("solve", "indian-poker")).endswith(" and 1 MB are free")


# Failures that are nobody's input.


def test_running_out_of_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(two_players, "plan", exhausted)
    assert complaint(run("solve", "indian-poker"), code=1).startswith("out of memory; smaller stacks")


def test_ctrl_c_anywhere_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(two_players, "plan", interrupted)
    done = run("solve", "indian-poker")
    assert (done.code, done.out, done.err.strip()) == (130, "", "forehead: interrupted")


def test_our_own_mistakes_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object) -> None:
        raise ValueError("a mistake in the program")

    monkeypatch.setattr(two_players, "plan", wrong)
    with pytest.raises(ValueError, match="a mistake in the program"):
        cli.main(["solve", "indian-poker"])
