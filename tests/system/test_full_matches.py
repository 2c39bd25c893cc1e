"""Whole matches through the command line, hand by hand to the end of the chips, beside a bookkeeper's sheet."""

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.bookkeeper import HANDS_OF_A_DECK, Bookkeeper, Dealt
from tests.support.commands import good, run
from tests.support.helpers import bets

SECONDS = 10.0
"""The limit of a question, and the default of --max-seconds."""


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile before anything is timed."""
    good("advise", "indian-poker", "--stacks", "2,2", "--see", "4", "--no-cache")


EVERY = 0
"""In place of a number of questions: ask wherever I am to act."""


class Plan(NamedTuple):
    """A match to play: carefully beyond the end of a deck, then without sense to the end of the chips.

    `happens` is what it must show, `most` the chips of the shorter stack while play is careful. Questions come
    where the cap is at most `deepest`, and take at most `patience` times their limit.
    """

    game: str
    stacks: tuple[int, int]
    first: int
    seed: int
    happens: tuple[str, ...]
    questions: int = 6
    most: int = 10
    deepest: int = 29
    patience: int = 1

    def __str__(self) -> str:
        return f"{self.game} {self.stacks[0]}/{self.stacks[1]} {self.seed}"


class Table:
    """A match, its log, and the bookkeeper who checks every word of it."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.file, self.asked = plan, folder / "m.log", 0
        self.book = Bookkeeper(plan.game, plan.stacks, plan.first, plan.seed)
        self.source = random.Random(plan.seed)
        first = ("me", "opp")[plan.first]
        good("log", "new", self.file, plan.game, "--stacks", f"{plan.stacks[0]},{plan.stacks[1]}", "--first", first)
        self.compare()

    def play(self) -> None:
        """Play to the end."""
        book, deck = self.book, HANDS_OF_A_DECK[self.plan.game]
        while book.winner is None:
            assert len(book.rows) < 500
            dealt = book.deal()
            history = book.any_history(dealt, self.plan.most)
            mine = [history[:place] for place in range(len(history)) if place % 2 == book.first]
            if not 0 < book.cap <= self.plan.deepest:
                pass
            elif self.plan.questions == EVERY:
                self.ask(dealt, mine)
            elif self.asked < self.plan.questions and len(book.rows) * self.plan.questions >= self.asked * (deck + 4):
                self.ask(dealt, mine[-1:] if self.asked % 2 else mine[:1])
            self.slip(dealt, history)
            self.enter(dealt, history)
        assert len(book.rows) > deck
        assert self.asked >= self.plan.questions
        assert book.happened >= {"new deck", *self.plan.happens}

    def add(self, dealt: Dealt, history: Sequence[str], mine: str, theirs: str) -> Any:
        board = ["--board", ",".join(map(str, dealt.board))] if dealt.board else []
        return run(
            "log", "add", self.file, "--mine", mine, "--theirs", theirs, *board, "--history", " ".join(history)
        )  # fmt: skip

    def enter(self, dealt: Dealt, history: Sequence[str]) -> None:
        """Enter the hand, now and then take it back and enter it again, and compare all that is shown."""
        book, before = self.book, self.file.read_bytes()
        words = book.told(dealt, history)
        book.write_down(dealt, history)
        told = self.add(dealt, history, *words)
        assert (told.code, told.err) == (0, "")
        entered, (_, *lines) = self.file.read_bytes(), told.out.splitlines()
        carried = f", {book.carry} carried over" if book.carry else ""
        assert f"You have {book.chips[0]}, they have {book.chips[1]}{carried}." in lines
        if book.winner:
            assert lines[-1] == {"me": "You have won.", "opp": "They have won."}[book.winner]
        else:
            who = ("You bet", "They bet")[book.first]
            assert lines[-1] == f"{who} first in hand {len(book.rows) + 1}. {len(book.deck)} cards left in the deck."
        if self.source.random() < 0.1 or book.winner:
            assert good("log", "undo", self.file).out.startswith(f"took back hand {len(book.rows)}: mine {words[0]}")
            assert self.file.read_bytes() == before
            assert self.add(dealt, history, *words) == told
            assert self.file.read_bytes() == entered
        self.compare()

    def compare(self) -> None:
        """Compare the log with the sheet: chips, carry, first bettor, deck, and every hand."""
        book, shown = self.book, good("log", "show", self.file, "--format", "json").json
        assert shown["game"] == book.game
        assert shown["chips"] == {"me": book.chips[0], "opp": book.chips[1], "carry": book.carry}
        assert shown["winner"] == book.winner
        assert shown["hands"] == book.rows
        if book.winner:
            assert (shown["first"], shown["seat"]) == (None, None)
            return
        assert (shown["first"], shown["seat"]) == (("me", "P1"), ("opp", "P2"))[book.first]
        assert shown["cards_left"] == len(book.deck)
        spec, used = shown["spec"], shown["used_cards"]
        assert spec["stacks"] == list(book.chips if book.first == 0 else book.chips[::-1])
        assert spec["carry"] == book.carry
        if book.game == "double-sided":
            cards = [f"{front}/{back}" for front, back in sorted(book.shown)]
            assert (spec["shown"], spec["hidden"]) == (cards, sorted(book.hidden))
            assert (used["cards_shown"], used["fronts_hidden"]) == (cards, sorted(book.hidden))
            assert used["own_cards_hidden"] == [f"{front}/{back}" for front, back in sorted(book.mine_hidden)]
        else:
            assert spec["left"] == [book.deck.count(rank) for rank in range(1, 11)]
            gone = {one["rank"]: one["cards_gone"] for one in used["ranks"]}
            assert gone == {rank: book.ranks_gone.count(rank) for rank in range(1, 11)}

    # Slips of the pen.

    def slip(self, dealt: Dealt, history: Sequence[str]) -> None:
        """Enter something that cannot have been: it is refused in one line, and the file stays as it was."""
        mine, theirs = self.book.told(dealt, history)
        slips: list[tuple[Sequence[str], str, str, str]] = [([*history, "c"], mine, theirs, "")]
        if history:
            slips.append((history[:-1], mine, theirs, "the hand is not over after"))
            slips.append(([*history[:-1], "r2"], mine, theirs, "; legal: "))
        if self.book.game == "double-sided":
            both = (f"{dealt.theirs[0]}/{dealt.theirs[1]}", f"{dealt.theirs[0]}/?")
            if self.book.folded(history):
                slips.append((history, mine, both[0], f"a fold leaves their back hidden, so expected theirs {both[1]}"))
            else:
                slips.append((history, mine, both[1], f"a showdown shows both whole cards, got {both[1]}"))
                slips.append((history, f"{dealt.mine[0]}/?", both[0], "a showdown shows both whole cards"))
            if self.book.shown:
                front, back = self.source.choice(self.book.shown)
                slips.append((history, f"{front}/{back}", theirs, f"{front}/{back} has been shown already"))
        else:
            there = [dealt.mine, *self.book.deck]
            spent = [rank for rank in range(1, 11) if rank not in there]
            if spent:
                rank = self.source.choice(spent)
                slips.append((history, str(rank), theirs, f"{rank} is out "))
        wrong, mine, theirs, part = self.source.choice(slips)
        before = self.file.read_bytes()
        done = self.add(dealt, wrong, mine, theirs)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert done.err.startswith(f"forehead: hand {len(self.book.rows) + 1}: ")
        assert part in done.err
        assert self.file.read_bytes() == before

    # Questions.

    def ask(self, dealt: Dealt, histories: list[list[str]]) -> None:
        """Ask what to do where I am to act in this hand, and check every word of the answer."""
        for so_far in histories:
            self.asked += 1
            found = self.advised(dealt, so_far)
            self.check_place(found, dealt, so_far)
            self.check_cards(found, dealt, so_far)
            self.check_values(found, dealt, so_far)

    def advised(self, dealt: Dealt, so_far: list[str]) -> Any:
        """Return the answer, which must have come in time."""
        start = time.process_time()  # computing time: a machine that others use too may take longer
        found = good("advise", *self.question(dealt), "--history", " ".join(so_far), "--format", "json").json
        assert time.process_time() - start < self.plan.patience * SECONDS
        return found

    def question(self, dealt: Dealt) -> list[str]:
        """Say what I see, as I would at the table."""
        words = ["--objective", "chips", "--log", str(self.file), "--seed", "1", "--max-seconds", str(SECONDS)]
        if self.book.game == "double-sided":
            fronts = ["--my-front", str(dealt.mine[0]), "--opp-front", str(dealt.theirs[0])]
            return [*words, "--back", str(dealt.mine[1]), *fronts]
        board = ["--board", ",".join(map(str, dealt.board))] if dealt.board else []
        return [*words, "--see", str(dealt.theirs), *board]

    def check_place(self, found: Any, dealt: Dealt, so_far: list[str]) -> None:
        """Check the chips, who acts, and what may be done."""
        book = self.book
        now, seat = bets(" ".join(so_far), book.cap), book.first
        assert (found["player"], found["history"]) == (f"P{seat + 1}", " ".join(so_far))
        assert found["chips"] == {
            "pot": book.carry + 2 + sum(now.paid),
            "to_call": now.level - now.paid[seat],
            "own": book.chips[0] - 1 - now.paid[seat],
            "other": book.chips[1] - 1 - now.paid[1 - seat],
        }
        spec = found["spec"]
        assert spec["stacks"] == list(book.chips if seat == 0 else book.chips[::-1])
        assert spec["carry"] == book.carry
        if book.game == "double-sided":
            assert spec["shown"] == [f"{front}/{back}" for front, back in sorted(book.shown)]
            assert spec["hidden"] == sorted(book.hidden)
        else:
            left = [dealt.mine, dealt.theirs, *dealt.board, *book.deck]
            assert spec["left"] == [left.count(rank) for rank in range(1, 11)]
        offered, legal = [one["action"] for one in found["actions"]], book.legal(so_far)
        if found["menu"] is None:
            assert offered == legal
        else:
            assert set(offered) <= set(legal)
            assert len(offered) > 1
        assert sum(one["probability"] for one in found["actions"]) == pytest.approx(1)
        assert found["draw"] in offered

    def check_cards(self, found: Any, dealt: Dealt, so_far: list[str]) -> None:
        """Check what the deck says of the card that I do not see, and of a showdown and a fold."""
        book, unknown, aids = self.book, self.book.unknown(dealt), found["aids"]
        exact = {card: float(part) for card, part in unknown.items()}
        assert aids["hidden_card"]["probability"] == exact
        assert set(found["hidden_card"]) <= set(exact)
        assert sum(found["hidden_card"].values()) == pytest.approx(1)
        if not so_far:  # nobody has told anything by betting
            assert found["hidden_card"] == pytest.approx(exact)
        if book.game == "double-sided":
            chances = {
                mine: {other: {name: float(part) for name, part in row.items()} for other, row in sides.items()}
                for mine, sides in book.side_chances(dealt).items()
            }
            assert aids["win_chances"]["sides"] == chances
            assert found["fold_penalty"]["expected"] == 0.0
            assert found["fold_penalty"]["by_card"] == {}
            return
        assert found["showdown_before"] == {name: float(part) for name, part in book.showdown(dealt).items()}
        penalties = book.penalties(dealt, so_far)
        rows = {
            one["rank"]: (one["kind"], one["penalty_chips"], one["capped_penalty_chips"], one["copies_left"])
            for one in aids["penalty_list"]["ranks"]
        }
        copies = {rank: [dealt.mine, *book.deck].count(rank) for rank in penalties}
        assert rows == {rank: (*told, copies[rank]) for rank, told in penalties.items()}
        costs = {str(rank): capped for rank, (_, _, capped) in penalties.items() if capped}
        assert found["fold_penalty"]["by_card"].items() <= costs.items()
        expected = sum(chance * costs.get(card, 0) for card, chance in found["hidden_card"].items())
        assert found["fold_penalty"]["expected"] == pytest.approx(expected)

    def check_values(self, found: Any, dealt: Dealt, so_far: list[str]) -> None:
        """Check the value of every action that ends the hand: what the cards that I believe in would bring."""
        book = self.book
        for one in found["actions"]:
            history = [*so_far, one["action"]]
            if book.legal(history):
                continue
            value = sum(
                chance * float(book.gain(book.with_unknown(dealt, card), history))
                for card, chance in found["hidden_card"].items()
            )
            assert one["ev"] == pytest.approx(value, abs=1e-6)
            # What is played comes from the deck as both know it; there nobody folds where a call cannot lose.
            worlds = [book.with_unknown(dealt, card) for card in book.unknown(dealt, mine=False)]
            if one["action"] != "f" and all(
                book.gain(world, history) >= book.gain(world, [*so_far, "f"]) for world in worlds
            ):
                assert found["actions"][0]["probability"] == 0.0


QUICK = [
    Plan("indian-poker", (10, 10), 0, 8, ("antes all-in", "penalty", "split")),
    Plan("indian-poker", (15, 15), 1, 3, ("carry taken", "penalty capped")),
    Plan("indian-holdem", (10, 10), 0, 4, ("antes all-in", "carry taken")),
    Plan("indian-holdem", (10, 10), 1, 3, ("antes all-in", "penalty capped", "split")),
    Plan("double-sided", (7, 30), 0, 4, ("antes all-in", "both called", "carry taken", "split"), most=7, deepest=6),
    Plan("double-sided", (7, 30), 1, 3, ("both called", "both folded", "penalty capped", "split"), most=7, deepest=6),
]
LONG = [
    Plan("indian-poker", (15, 15), 0, 8, ("carry taken", "penalty", "split"), EVERY),
    Plan("indian-holdem", (9, 21), 1, 9, ("carry taken", "penalty capped"), EVERY),
    Plan(
        "double-sided", (7, 30), 0, 8, ("both called", "both folded", "carry taken", "split"), EVERY, most=7, deepest=6
    ),
    # The largest stacks of the texts: smaller games are solved in half of the time, and completed in what it takes.
    Plan("indian-poker", (20, 20), 1, 1, (), 2, most=20, patience=2),
    Plan("double-sided", (30, 30), 1, 7, ("both called", "both folded"), 2, most=30, patience=2),
]


def whole_match(plan: Plan, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(folder / "cache"))
    Table(plan, folder).play()


@pytest.mark.slow
@pytest.mark.parametrize("plan", QUICK, ids=str)
def test_a_match_from_the_first_hand_to_the_last_chip(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_match(plan, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("plan", LONG, ids=str)
def test_a_match_asked_about_at_every_turn(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole_match(plan, tmp_path, monkeypatch)
