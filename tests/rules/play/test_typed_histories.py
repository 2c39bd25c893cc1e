"""Histories as people type them: what is read, and what a refusal tells them to type instead."""

import re
import shlex
from pathlib import Path

import pytest

from rules import hand
from rules.base.errors import HistoryError
from rules.betting.actions import Action, format_history, legal_text, parse_history
from rules.play.hand import Play
from tests.support.commands import good, run
from tests.support.helpers import refused


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("b1r3", "b1 r3"),
        ("b1r3c", "b1 r3 c"),
        ("B1R3ALLINC", "b1 r3 allin c"),
        ("bet1raise3call", "b1 r3 c"),
        ("bet 1raise by 3fold", "b1 r3 f"),
        ("allinf", "allin f"),
        ("b1all-inc", "b1 allin c"),
        ("kbrf", "k b r f"),
        ("kkbc", "k k b c"),
        ("front:b1back:r3", "front:b1 back:r3"),
        ("F:b1B:r3f", "front:b1 back:r3 f"),
        ("f:b1b:r3", "front:b1 back:r3"),
        ("F:b1both", "front:b1 both"),
        ("frontback", "front back"),
        ("1 3", "b1 r3"),
        ("1,3", "b1 r3"),
        ("b1 3", "b1 r3"),
        ("1 r3 5 c", "b1 r3 r5 c"),
        ("front:1 back:3", "front:b1 back:r3"),
        ("1r3", "b1 r3"),
    ],
)
def test_tokens_may_stand_together_and_sizes_alone(text: str, tokens: str) -> None:
    assert format_history(parse_history(text)) == tokens


@pytest.mark.parametrize(
    ("text", "word", "place"),
    [
        ("b1r3x", "b1r3x", 1),
        ("b1 r3x c", "r3x", 2),
        ("b1call3", "b1call3", 1),
        ("foldx", "foldx", 1),
        ("bets", "bets", 1),
        ("ball", "ball", 1),
        ("0", "0", 1),
        ("b1 0", "0", 2),
        ("b1 1.5", "1.5", 2),
        ("b1 -3", "-3", 2),
        ("fronts", "fronts", 1),
        ("front:back", "front:back", 1),
    ],
)
def test_a_word_that_is_no_row_of_tokens_is_named_whole(text: str, word: str, place: int) -> None:
    with refused(HistoryError, f"got '{word}'", f'(action {place} of "{text}")'):
        parse_history(text)


@pytest.mark.parametrize(
    ("game", "options", "text", "said"),
    [
        ("indian-poker", {}, "b1 x3", "expected an action, here f c r1 r3 r5 allin, got 'x3' (action 2 of \"b1 x3\")"),
        ("indian-poker", {}, "x", "expected an action, here f b1 b3 b5 allin, got 'x' (action 1 of \"x\")"),
        ("indian-poker", {"raises": "any"}, "x", "expected an action, here f b1 to b8 allin, got 'x'"),
        ("indian-poker", {}, "f x", "'x' is no action, and the hand is over before it (action 2 of \"f x\")"),
        ("blind-mans-bluff", {}, "x", "expected an action, here f k b, got 'x' (action 1 of \"x\")"),
        ("blind-mans-bluff", {}, "k 7", "expected an action, here f k b, got 'k 7' (action 1 of \"k 7\")"),
        ("blind-mans-bluff", {}, "7", "'b7' is not the fixed size, a bet is always 1; legal: f k b ('b7' in \"7\", "),
        ("double-sided", {}, "front:b1 3", "'r3' names no side (front: or back: before it); legal: f front:c "),
        ("double-sided", {}, "front:b1 x", "expected an action, here f front:c front:r1 "),
        ("indian-poker", {}, "allin r1", "'r1' raises where all that can be put in is on the table; legal: f c"),
    ],
)
def test_a_refusal_names_what_is_legal_in_this_game_at_this_point(
    game: str, options: dict[str, str], text: str, said: str
) -> None:
    public = hand(game, **options).public
    with refused(HistoryError, said):
        public.follow(text)
    before = text.rpartition(" ")[0]
    if "here f" in said and text != "k 7":
        listed = said.partition("here ")[2].partition(", got")[0]
        for token in re.sub(r"b1 to b8", "b1 b8", listed).split():
            if not token.endswith(":"):
                public.follow(f"{before} {token}")


def test_many_sizes_in_a_row_are_told_by_their_ends() -> None:
    play = Play(hand("indian-poker", raises="any", stacks="20,20").public)
    assert legal_text(play.legal) == "f b1 to b18 allin"
    play.apply("5")
    assert legal_text(play.legal) == "f c r1 to r13 allin"
    assert play.apply("3") == Action("raise", 3)
    sided = Play(hand("double-sided", raises="any", stacks="10,10").public)
    assert legal_text(sided.legal) == "f front:b1 to front:b8 front:allin back:b1 to back:b8 back:allin"
    assert legal_text(Play(hand("indian-poker").public).legal) == "f b1 b3 b5 allin"


OFFERED = [
    ("indian-poker", "--see 4", "b2", "--raises any"),
    ("indian-poker", "--see 4", "b1 r2", "--raises any"),
    ("indian-poker", "--see 4 --opens 1,3", "b2", "--opens any"),
    ("indian-poker", "--see 4 --raises 1", "b1 allin", "--raises any"),
    ("indian-poker", "--see 4 --raise-limit 1", "b1 r1 r1", "a higher --raise-limit than 1"),
    ("indian-holdem", "--see 4 --board 4,9", "b2", "--raises any"),
    ("double-sided", "--back 4 --fronts 3,8", "front:b1 back:r2", "--raises any"),
]


@pytest.mark.parametrize(("game", "options", "history", "option"), OFFERED)
def test_a_size_that_is_left_out_is_refused_with_what_offers_it(
    game: str, options: str, history: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path))
    words = ["advise", game, *options.split(), "--stacks", "5,5", "--objective", "chips", "--history", history]
    done = run(*words)
    assert (done.code, done.err.count("\n")) == (2, 1)
    hint = f'; solve and advise offer it with {option}, or with --line "{history}" beside the sizes'
    assert done.err.endswith(f"{hint}\n")
    assert " is not offered here; legal: " in done.err
    # Both ways work as they are written.
    (line,) = re.findall(r'--line "[^"]*"', done.err)
    assert good(*words, *shlex.split(line)).out
    given = ["--raise-limit", "2"] if "limit" in option else option.split()
    assert good(*words, *given).out


@pytest.mark.parametrize(
    ("game", "history"),
    [
        ("indian-poker", "b9 r9"),
        ("indian-poker", "b1 b1"),
        ("indian-poker", "r1"),
        ("blind-mans-bluff", "b7"),
        ("double-sided", "front:b1 both back:r1"),
        ("double-sided", "front:b1 r2"),
        ("double-sided", "front:b1 back:r1 back:r2"),
    ],
)
def test_what_the_rules_forbid_is_offered_by_no_option(game: str, history: str) -> None:
    with pytest.raises(HistoryError) as caught:
        hand(game).public.follow(history)
    assert caught.value.hint == ""
    assert "--" not in str(caught.value)


def test_a_log_says_where_it_offers_every_size(tmp_path: Path) -> None:
    file = tmp_path / "m.log"
    good("log", "new", file, "indian-poker", "--stacks", "10,10")
    words = ("log", "add", file, "--mine", "4", "--theirs", "9", "--history", "b2 f")
    done = run(*words)
    hint = "every size may be bet where the log's header has the line 'raises any' (log new --raises any)"
    assert done.err.endswith(f"; you bet first in this hand; {hint}\n")
    assert "--line" not in done.err
    file.write_text(file.read_text() + "raises any\n")
    assert "hand 1: mine 4  theirs 9  history b2 f" in good(*words).out


def test_whose_turn_it_is_names_the_option_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path))
    me = ("advise", "indian-poker", "--me", "4", "--opp", "4", "--see", "4", "--history", "b1")
    assert "or say --first opp if they bet first in this hand" in run(*me).err
    assert good(*me, "--first", "opp").out
    file = tmp_path / "m.log"
    good("log", "new", file, "indian-poker", "--stacks", "4,4", "--first", "opp")
    told = run("advise", "--log", file, "--see", "4").err
    assert told == "forehead: they are to act first: add what they have done to --history\n"
    assert good("advise", "--log", file, "--see", "4", "--history", "b1").out


@pytest.mark.parametrize(("game", "place"), [("indian-poker", 0), ("double-sided", 1), ("blind-mans-bluff", 2)])
def test_the_examples_in_the_help_of_history_are_legal_in_their_games(game: str, place: int) -> None:
    for command in ("advise", "show", "best"):
        told = " ".join(good(command, "--help").out.split())
        (line,) = re.findall(r"--history ACTIONS (The actions so far.*?\.) --", told)
        examples = re.findall(r'"([^"]*)"', line)
        assert len(examples) == 3
        hand(game).public.follow(examples[place])
