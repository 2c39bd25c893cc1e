"""A whole match at a table with real cards, kept by somebody who has the rules page in hand and no program.

Shares nothing with the code under test but the notation of actions and cards.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from tests.support.helpers import FOLD_PENALTY, HOLDEM_ORDER, Ledger, bets, holdem_kind, referee

FRESH: dict[str, list[Any]] = {
    "indian-poker": [rank for rank in range(1, 11) for _ in range(2)],
    "indian-holdem": [rank for rank in range(1, 11) for _ in range(4)],
    "double-sided": [(front, back) for front in range(1, 11) for back in range(1, 11) if front != back],
}
HANDS_OF_A_DECK = {"indian-poker": 10, "indian-holdem": 10, "double-sided": 45}
PENALTIES = {"indian-poker": "ten", "indian-holdem": "final", "double-sided": ""}
WORDS = ("me", "opp")


class Dealt(NamedTuple):
    """The cards of a hand: mine and theirs, and the community cards where the game has them."""

    mine: Any
    theirs: Any
    board: tuple[int, ...]


class Bookkeeper:
    """What one player writes down; person 0 is me, person 1 the opponent."""

    def __init__(self, game: str, stacks: tuple[int, int], first: int, seed: int) -> None:
        self.game, self.chips, self.carry, self.first = game, stacks, 0, first
        self.total = sum(stacks)
        self.source = random.Random(seed)
        self.rows: list[dict[str, Any]] = []
        self.happened: set[str] = set()
        self.shuffle()

    def shuffle(self) -> None:
        """Open a fresh deck: all knowledge of cards ends."""
        self.deck = self.source.sample(FRESH[self.game], len(FRESH[self.game]))
        self.ranks_gone: list[int] = []
        self.shown: list[tuple[int, int]] = []
        self.hidden: list[int] = []
        self.mine_hidden: list[tuple[int, int]] = []

    def deal(self) -> Dealt:
        """Take the cards of the coming hand from the deck."""
        board = tuple(sorted(self.deck.pop() for _ in range(2))) if self.game == "indian-holdem" else ()
        return Dealt(self.deck.pop(), self.deck.pop(), board)

    # The betting, by the rules page.

    @property
    def cap(self) -> int:
        """The most that either can put in after the ante."""
        return min(self.chips) - 1

    def legal(self, history: Sequence[str]) -> list[str]:
        """Return what may be done next; nothing where the hand is over."""
        sided = self.game == "double-sided"
        if self.cap == 0:
            return ["front", "back"] if sided and len(history) < 2 else []
        if history and history[-1].rpartition(":")[2] in ("f", "c"):
            return []
        now, who = bets(" ".join(history), self.cap), len(history) % 2
        if now.both:
            return ["f", "c"]
        sizes = [f"{'r' if history else 'b'}{size}" for size in (1, 3, 5) if now.level + size < self.cap]
        steps = [*(["c"] if history else []), *sizes, *(["allin"] if now.level < self.cap else [])]
        if not sided:
            return ["f", *steps]
        prefixes = [""] if now.sides[who] else ["front:", "back:"]
        both = ["both"] if len(history) == 1 and 2 * now.level <= self.cap else []
        return ["f", *(prefix + step for prefix in prefixes for step in steps), *both]

    def random_history(self) -> list[str]:
        """Play a hand without sense."""
        history: list[str] = []
        while legal := self.legal(history):
            weights = [3 if one in ("f", "c", "both") else 1 for one in legal]
            history += self.source.choices(legal, weights)
        return history

    def any_history(self, dealt: Dealt, most: int) -> list[str]:
        """Play a hand: until some hands after the first deck one that leaves both from 2 to `most` chips or so."""
        if len(self.rows) >= HANDS_OF_A_DECK[self.game] + 4:
            return self.random_history()

        def outside(history: list[str]) -> int:
            short = min(self.settled(dealt, history)[:2])
            return max(100 * (2 - short), short - most, 0)

        return min((self.random_history() for _ in range(50)), key=outside)

    # Chips, cards and turn.

    def settled(self, dealt: Dealt, history: Sequence[str]) -> Ledger:
        """Return my chips, theirs and the carry after a hand."""
        cards, stacks = (dealt.mine, dealt.theirs), self.chips
        turned = -1 if self.first == 1 else 1  # the referee thinks in P1 and P2
        s1, s2, carry = referee(
            self.game, stacks[::turned], self.carry, cards[::turned], " ".join(history), dealt.board,
            PENALTIES[self.game],
        )  # fmt: skip
        return Ledger(*(s1, s2)[::turned], carry)

    def gain(self, dealt: Dealt, history: Sequence[str]) -> Fraction:
        """Return my gain in chips from before the ante; half of a pot on the table counts as mine."""
        after = self.settled(dealt, history)
        return after.s1 - self.chips[0] + Fraction(after.carry - self.carry, 2)

    def folded(self, history: Sequence[str]) -> bool:
        """Whether the hand ended with a fold."""
        return bool(history) and history[-1] == "f"

    def write_down(self, dealt: Dealt, history: Sequence[str]) -> None:
        """Settle the hand; cards, chips and turn go on."""
        after = self.settled(dealt, history)
        assert after.s1 + after.s2 + after.carry == self.total
        self._note(dealt, history, after)
        self.ranks_gone += [] if self.game == "double-sided" else [dealt.mine, dealt.theirs, *dealt.board]
        if self.game == "double-sided" and self.folded(history):
            self.hidden += [dealt.mine[0], dealt.theirs[0]]
            self.mine_hidden.append(dealt.mine)
        elif self.game == "double-sided":
            self.shown += [dealt.mine, dealt.theirs]
        mine, theirs = self.told(dealt, history)
        self.rows.append({
            "number": len(self.rows) + 1, "first": WORDS[self.first], "mine": mine, "theirs": theirs,
            "board": list(dealt.board), "history": " ".join(history), "my_chips": after.s1,
            "their_chips": after.s2, "carry": after.carry,
        })  # fmt: skip
        self.chips, self.carry, self.first = (after.s1, after.s2), after.carry, 1 - self.first
        if not self.deck:
            self.shuffle()

    def _note(self, dealt: Dealt, history: Sequence[str], after: Ledger) -> None:
        """Remember what a match has seen, so that a test can say that it was there."""
        now = bets(" ".join(history), self.cap)
        lost = max(self.chips[0] - after.s1, self.chips[1] - after.s2)
        happened = {
            "new deck": not self.deck,
            "carry": after.carry > 0,
            "carry upon carry": after.carry > self.carry > 0,
            "carry taken": self.carry > after.carry == 0,
            "antes all-in": self.cap == 0,
            "penalty": now.folder is not None and lost > 1 + now.paid[now.folder],
            "penalty capped": now.folder is not None and lost > 1 + now.paid[now.folder] and 0 in after[:2],
            "both called": now.both and not self.folded(history),
            "both folded": now.both and self.folded(history),
            "split": after.carry == 0 and after.s1 - self.chips[0] == after.s2 - self.chips[1],
        }
        self.happened |= {name for name, was in happened.items() if was}

    def told(self, dealt: Dealt, history: Sequence[str]) -> tuple[str, str]:
        """Write my card and theirs as the table has shown them to me."""
        if self.game != "double-sided":
            return str(dealt.mine), str(dealt.theirs)
        back = "?" if self.folded(history) else str(dealt.theirs[1])
        return f"{dealt.mine[0]}/{dealt.mine[1]}", f"{dealt.theirs[0]}/{back}"

    def lines(self) -> list[str]:
        """Write the hands as a match log has them."""
        return [
            "  ".join(
                f"{name} {','.join(map(str, value)) if name == 'board' else value}"
                for name in ("mine", "theirs", "board", "history")
                if (value := row[name])
            )
            for row in self.rows
        ]

    @property
    def winner(self) -> str | None:
        """Who has won, in words; None while the match goes on."""
        return WORDS[1 - self.chips.index(0)] if 0 in self.chips else None

    # What my eyes and the deck say, without the betting.

    def unknown(self, dealt: Dealt, mine: bool = True) -> dict[str, Fraction]:
        """Return how likely each card is that I do not see: my own one, or in double-sided their back.

        Without `mine` my own folded cards are forgotten.
        """
        if self.game == "double-sided":
            out = (*self.shown, *(self.mine_hidden if mine else ()), dealt.mine)
            can = [back for front, back in FRESH[self.game] if front == dealt.theirs[0] and (front, back) not in out]
        else:
            can = [dealt.mine, *self.deck]  # all that is neither gone nor on the table nor on their forehead
        counts = Counter(can)
        return {str(card): Fraction(counts[card], len(can)) for card in sorted(counts)}

    def with_unknown(self, dealt: Dealt, name: str) -> Dealt:
        """Put another card in place of the one that I do not see."""
        if self.game == "double-sided":
            return dealt._replace(theirs=(dealt.theirs[0], int(name)))
        return dealt._replace(mine=int(name))

    def showdown(self, dealt: Dealt) -> dict[str, Fraction]:
        """Return how often my card on the forehead wins, ties and loses."""

        def strength(card: int) -> tuple[int, int]:
            kind = HOLDEM_ORDER.index(holdem_kind(card, dealt.board)) if dealt.board else 0
            return kind, card

        return {
            "win": self._sum(dealt, lambda card: strength(card) > strength(dealt.theirs)),
            "tie": self._sum(dealt, lambda card: card == dealt.theirs),
            "lose": self._sum(dealt, lambda card: strength(card) < strength(dealt.theirs)),
        }

    def side_chances(self, dealt: Dealt) -> dict[str, dict[str, dict[str, Fraction]]]:
        """Return by my side and theirs how often my number wins, ties and loses in double-sided."""

        def against(number: int, side: int) -> dict[str, Fraction]:
            shown = [dealt.theirs[0]] if side == 0 else []

            def chance(true: Callable[[int, int], bool]) -> Fraction:
                return self._sum(dealt, lambda back: true(number, *(shown or [back])))

            return {
                "win_probability": chance(lambda mine, other: mine > other),
                "tie_probability": chance(lambda mine, other: mine == other),
                "lose_probability": chance(lambda mine, other: mine < other),
            }

        sides = {"front": 0, "back": 1}
        return {mine: {other: against(dealt.mine[sides[mine]], sides[other]) for other in sides} for mine in sides}

    def penalties(self, dealt: Dealt, history: Sequence[str]) -> dict[int, tuple[str, int, int]]:
        """Return by rank that my card can be: its kind, what folding it costs in full, and capped at my chips."""
        left = self.chips[0] - 1 - bets(" ".join(history), self.cap).paid[len(history) % 2]
        found = {}
        for rank in map(int, self.unknown(dealt)):
            if self.game == "indian-holdem":
                kind = holdem_kind(rank, dealt.board)
                full = FOLD_PENALTY["final"][kind]
            elif rank == 10:
                kind, full = "ten", 10
            else:
                continue
            found[rank] = (kind, full, min(full, left))
        return found

    def _sum(self, dealt: Dealt, true: Callable[[int], bool]) -> Fraction:
        return sum((part for card, part in self.unknown(dealt).items() if true(int(card))), Fraction(0))
