"""Matches of one to four chips each, with every mix of options: bounds against linear programs, referee and hand."""

from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from rules.betting.chips import Chips, every_chips
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from solver.match.journal import Journal, beside
from solver.match.sweeps import MatchSolver
from solver.match.table import MatchTable
from solver.trees.public_tree import PublicTree, unfold
from solver.two_player.payoffs import ClassGame, Game
from tests.support.commands import Done, good, run
from tests.support.helpers import referee, ways_to_end
from tests.support.match.match_games import InTurn, by_linear_program, match_hands, table_of

PENALTIES = {"indian-poker": ("ten", "none"), "indian-holdem": ("final", "death-match", "none"), "double-sided": ("",)}
BETTING: tuple[dict[str, Any], ...] = (
    {},
    {"raises": "2"},
    {"raises": "1"},
    {"raises": "2,allin", "opens": "1"},
    {"raises": "any"},
    {"raises": "allin"},
    {"raises": "any", "opens": "allin"},
    {"raises": "any", "raise_limit": 0},
    {"raises": "1,allin", "raise_limit": 1},
)
MENUS = {1: 1, 2: 2, 3: 6, 4: len(BETTING)}
STACKS = {"indian-poker": (1, 2, 3, 4), "indian-holdem": (1, 2, 3), "double-sided": (1, 2)}


def mixes() -> list[tuple[str, int, dict[str, Any]]]:
    """Return games, stacks and options; the fewer chips there are, the fewer menus of bets differ."""
    found: list[tuple[str, int, dict[str, Any]]] = []
    for game, stacks in STACKS.items():
        for stack, penalties, tie in product(stacks, PENALTIES[game], ("split", "loses")):
            given = {"tie_bust": tie, **({"penalties": penalties} if penalties else {})}
            found += [(game, stack, {**given, **betting}) for betting in BETTING[: MENUS[stack]]]
    return found


class Settled(NamedTuple):
    """A hand of the match in plain arrays: its deals, and for each outcome which of `ENDS` and states come of it.

    Parameters
    ----------
    tree
        Its public tree.
    deals
        Weight, prior (n1, n2), and the numbers of what comes after, shape (outcomes, n1, n2).
    """

    tree: PublicTree
    deals: list[tuple[float, NDArray[np.float64], NDArray[np.int64]]]

    def value(self, later: NDArray[np.float64]) -> tuple[float, float]:
        """Return bounds of P1's chance, by a linear program, from what each state is worth to its first bettor."""
        worth = np.concatenate([1.0 - later, ENDS])
        classes = tuple(ClassGame(prior * worth[after], prior, weight) for weight, prior, after in self.deals)
        found = by_linear_program(Game(self.tree, classes))
        return found.lower, found.upper


ENDS = (1.0, 0.0, 0.5)
"""P1 has won the match, has lost it, and neither."""


def settled(spec: MatchSpec) -> Settled:
    """Let the referee settle every way that a hand can end, card by card."""
    tree, ends = unfold(spec.public), ways_to_end(spec.public)
    number = {chips: place for place, chips in enumerate(every_chips(spec.chips.total))}
    known: dict[Any, int] = {}
    deals = []
    for layout, same in spec.grouped():
        after = np.zeros((len(tree.outcomes), *layout.prior.shape), dtype=np.int64)
        board = tuple(int(card) for card in layout.board.split(",")) if layout.board else ()
        for (x, first), (y, second) in product(*map(enumerate, layout.observations)):
            cards: tuple[Any, Any] = (int(second), int(first))  # each sees the other's
            if spec.game == "double-sided":
                cards, shown = ((board[0], int(first)), (board[1], int(second))), ()
            else:
                shown = board
            for place, outcome in enumerate(tree.outcomes):
                history = " ".join(map(str, ends[outcome])) if ends else ""
                key = (history, cards, shown)
                if key not in known:
                    left = referee(
                        spec.game, spec.chips.stacks, spec.chips.carry, cards, history, shown,
                        getattr(spec, "penalties", ""), spec.tie_bust,
                    )  # fmt: skip
                    if left.s1 and left.s2:
                        known[key] = number[Chips(left.s2, left.s1, left.carry)]
                    else:
                        known[key] = len(number) + (2 if not left.s1 and not left.s2 else 0 if left.s1 else 1)
                after[place, x, y] = known[key]
        deals.append((sum(deal.weight for deal in same), layout.prior, after))
    return Settled(tree, deals)


def every_hand(table: MatchTable) -> list[Settled]:
    """Return the hand of every state of the chips, with a full deck."""
    options = {name: value for name, value in table.spec.to_dict().items() if name != "game" and value is not None}
    found = []
    for chips in table.states:
        spec = hand(table.spec.game, **{**options, "stacks": chips.stacks, "carry": chips.carry})
        assert isinstance(spec, MatchSpec)
        found.append(settled(spec))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("game", "stack", "given"), mixes(), ids=str)
def test_the_bounds_prove_themselves_by_linear_programs(game: str, stack: int, given: dict[str, Any]) -> None:
    gap = 2e-3
    table = table_of(match_hands(game, 2 * stack, **given), gap)
    assert 0.0 < table.widest <= gap
    upper, lower = (side[0].astype(np.float64) for side in (table.upper, table.lower))
    for number, one in enumerate(every_hand(table)):
        assert one.value(upper)[0] >= lower[number] + 1e-9
        assert one.value(lower)[1] <= upper[number] - 1e-9


VALUED = [
    ("indian-poker", 1, {"tie_bust": "loses"}),
    ("indian-poker", 2, {}),
    ("indian-poker", 2, {"tie_bust": "loses", "penalties": "none", "raises": "1"}),
    ("indian-poker", 3, {"penalties": "none", "raises": "any", "raise_limit": 0}),
    ("indian-holdem", 2, {"tie_bust": "loses"}),
    ("indian-holdem", 2, {"penalties": "death-match", "opens": "allin"}),
    ("double-sided", 1, {"tie_bust": "loses"}),
]


@pytest.mark.parametrize(("game", "stack", "given"), VALUED, ids=str)
def test_the_values_are_those_of_plain_value_iteration(game: str, stack: int, given: dict[str, Any]) -> None:
    table = table_of(match_hands(game, 2 * stack, **given), 1e-4)
    hands, values = every_hand(table), np.full(len(table.states), 0.5)
    while True:
        new = np.array([np.mean(one.value(values)) for one in hands])
        moved, values = float(np.abs(new - values).max()), new
        if moved < 1e-8:
            break
    assert (table.lower[0] - 1e-7 <= values).all()
    assert (values <= table.upper[0] + 1e-7).all()


@pytest.mark.parametrize("game", ["indian-poker", "indian-holdem"])
@pytest.mark.parametrize("tie", ["split", "loses"])
def test_with_one_chip_each_the_antes_decide_and_the_match_is_even(game: str, tie: str) -> None:
    odds = table_of(match_hands(game, 2, tie_bust=tie), 1e-3).odds(Chips(1, 1, 0))
    assert 0.4995 <= odds.lower < 0.5 < odds.upper <= 0.5005


def test_one_chip_against_three_by_hand() -> None:
    # Nobody bets: P1, who has one chip, wins with p = 9/19, ties with q = 1/19, and else has lost. A win leads to 2/2,
    # a tie is split. So v(1,3) = p (1 - v(2,2)) + q (1 - v(3,1)) and v(3,1) = p + p (1 - v(2,2)) + q (1 - v(1,3)).
    table = table_of(match_hands("indian-poker", 4), 1e-5)
    short, even, long = (table.odds(Chips(*stacks, 0)).value for stacks in ((1, 3), (2, 2), (3, 1)))
    p, q = 9 / 19, 1 / 19
    assert short == pytest.approx(p * (1 - even) + q * (1 - long), abs=2e-5)
    assert long == pytest.approx(p + p * (1 - even) + q * (1 - short), abs=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("stack", "given"), [(1, {}), (1, {"tie_bust": "loses"}), (2, {"penalties": "none"})], ids=str)
def test_decks_that_are_followed(stack: int, given: dict[str, Any]) -> None:
    table = table_of(match_hands("indian-poker", 2 * stack, "exact", **given), 1e-3)
    assert 0.0 < table.widest <= 1e-3
    lower, upper = table.lower.astype(np.float64), table.upper.astype(np.float64)
    number = {chips: place for place, chips in enumerate(table.states)}
    source = np.random.default_rng(stack)
    for deck in [0, *source.choice(np.arange(1, table.model.number), 25, replace=False).tolist()]:
        for chips in table.states:
            spec = table.model.deck(deck)
            options = {name: value for name, value in spec.to_dict().items() if name != "game" and value is not None}
            here = hand("indian-poker", **{**options, "stacks": chips.stacks, "carry": chips.carry})
            assert isinstance(here, MatchSpec)
            one, ((layout, _),) = settled(here), here.grouped()
            decks = table.model.following(here, layout.observations)
            for later, bound, sign in ((upper, lower, 1.0), (lower, upper, -1.0)):
                ((weight, prior, after),) = one.deals
                worth = np.concatenate([1.0 - later[decks], np.broadcast_to(ENDS, (*decks.shape, 3))], axis=2)
                gained = np.stack([np.take_along_axis(worth, each[..., None], 2)[..., 0] for each in after])
                found = by_linear_program(Game(one.tree, (ClassGame(prior * gained, prior, weight),)))
                reached = found.lower if sign > 0.0 else found.upper
                assert sign * (reached - bound[deck, number[chips]]) >= 1e-9


def test_a_match_that_wants_finer_hands_again_and_again_is_proved() -> None:
    hands = match_hands("indian-poker", 8, raises="2", tie_bust="loses", penalties="none")
    assert MatchSolver(hands, InTurn(hands)).solve(1e-3).sweeps <= 10


# The commands.

LINES = (
    "match indian-poker --stacks 1,1",
    "match indian-holdem --stacks 2,2 --tie-bust loses",
    "match indian-holdem --stacks 3,3 --penalties death-match --tie-bust loses",
    "match double-sided --stacks 1,1",
    "match indian-poker --stacks 1,1 --deck-model exact",
    "match indian-poker --stacks 1,1 --evaluate match random",
    "match double-sided --stacks 1,1 --evaluate call match",
    "simulate indian-holdem --stacks 1,1 --matches 20 --first text",
    "odds indian-poker --stacks 1,1",
    "odds indian-poker --stacks 1,1 --carry 2",
    "odds indian-holdem --stacks 1,3 --board 4,9",
    "odds double-sided --stacks 3,1",
    "solve indian-poker --stacks 1,1 --objective match",
    "solve indian-holdem --stacks 1,3 --carry 2 --objective match --tie-bust loses",
    "advise indian-poker --stacks 2,2 --objective match --see 4",
)


@pytest.mark.parametrize("line", LINES)
def test_every_command_takes_a_match_of_few_chips(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path))
    assert good(*line.split()).out


def part_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.part")


def crashed(monkeypatch: pytest.MonkeyPatch, *line: str | Path) -> None:
    """Run a match into an error that nobody has foreseen, after its first sweep."""
    with monkeypatch.context() as patched:
        patched.setattr("solver.match.sweeps.left_by", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(*line)


def test_what_a_crash_leaves_is_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = ("match", "indian-poker", "--stacks", "2,2", "-o")
    file, other = tmp_path / "x.npz", tmp_path / "other.npz"
    good(*line, other)
    crashed(monkeypatch, *line, file)
    assert part_of(file).exists()
    different = run(*line, file, "--gap", "0.01")
    assert different.code == 1
    assert different.err.count("\n") == 1
    for told in ("was begun with gap 0.001 and not 0.01", "go on as it was begun", "remove it", "another file (-o)"):
        assert told in different.err
    assert f"going on with {part_of(file)}" in good(*line, file).err
    assert file.read_bytes() == other.read_bytes()
    assert not part_of(file).exists()


def unproved(file: Path) -> Done:
    done = run("match", "indian-poker", "--stacks", "2,2", "-o", file, "--gap", "2e-7")
    assert done.code == 1
    assert "could not be proved within 2e-07" in done.err
    assert "a larger --gap may do" in done.err
    return done


def test_what_cannot_be_proved_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    unproved(file)
    assert list(tmp_path.iterdir()) == []
    good("match", "indian-poker", "--stacks", "2,2", "-o", file, "--gap", "1e-2")  # as the message said
    assert list(tmp_path.iterdir()) == [file]


def test_what_failed_before_anything_was_solved_leaves_nothing_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, line = tmp_path / "x.npz", ("match", "indian-poker", "--stacks", "2,2", "-o")
    with monkeypatch.context() as patched:
        patched.setattr("solver.match.estimate.memory_needed", lambda *_: 10**18)
        assert run(*line, file).code == 2
    assert list(tmp_path.iterdir()) == []
    # Killed at once, so that nothing could remove it.
    with Journal(beside(file), match_hands("indian-poker", 4).spec, "exact", 0.5):
        whole = part_of(file).read_bytes()
    part_of(file).write_bytes(whole)
    good(*line, file)
    assert list(tmp_path.iterdir()) == [file]
