"""Hands as Gambit extensive-form games: what the files say, and what OpenSpiel and Gambit make of them."""

import itertools
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyspiel
import pytest
from hypothesis import given

from reports.export import efg
from reports.export.efg import ExtensiveForm
from rules import hand
from rules.base.errors import SizeError
from rules.games.spec import HandSpec
from solver import Solution, load, solve
from tests.support.commands import SOLVED
from tests.support.games.small_games import FEW, small_specs
from tests.support.helpers import refused

# A reader of the format of its own.


class Chance(NamedTuple):
    name: str
    number: int
    actions: dict[str, Fraction]
    children: list[Any]


class Decision(NamedTuple):
    player: int
    number: int
    name: str
    actions: list[str]
    children: list[Any]


class End(NamedTuple):
    number: int
    name: str
    payoffs: tuple[Fraction, ...]


TOKEN = re.compile(r'"([^"]*)"|(\S+)')


class Reader:
    """Read a file by the grammar in Gambit's manual."""

    def __init__(self, text: str) -> None:
        self.tokens = [(match[1] is not None, match[1] or match[2] or "") for match in TOKEN.finditer(text)]
        self.place = 0
        assert [self.word() for _ in range(3)] == ["EFG", "2", "R"]
        self.title, self.players = self.string(), self.strings()
        self.comment = self.string()
        self.root = self.node()
        assert self.place == len(self.tokens)

    def string(self) -> str:
        quoted, text = self.tokens[self.place]
        assert quoted
        self.place += 1
        return text

    def word(self) -> str:
        quoted, text = self.tokens[self.place]
        assert not quoted
        self.place += 1
        return text

    def strings(self) -> list[str]:
        assert self.word() == "{"
        found = []
        while self.tokens[self.place] != (False, "}"):
            found.append(self.string())
        self.place += 1
        return found

    def node(self) -> Chance | Decision | End:
        kind = self.word()
        assert self.string() == ""
        if kind == "t":
            number, name = int(self.word()), self.string()
            assert self.word() == "{"
            first, second = Fraction(self.word().removesuffix(",")), Fraction(self.word())
            assert self.word() == "}"
            return End(number, name, (first, second))
        if kind == "c":
            number, name = int(self.word()), self.string()
            assert self.word() == "{"
            actions = {}
            while self.tokens[self.place] != (False, "}"):
                action = self.string()
                assert action not in actions
                actions[action] = Fraction(self.word())
            self.place += 1
            assert self.word() == "0"
            return Chance(name, number, actions, [self.node() for _ in actions])
        assert kind == "p"
        player, number, name, names = int(self.word()), int(self.word()), self.string(), self.strings()
        assert self.word() == "0"
        return Decision(player, number, name, names, [self.node() for _ in names])


def written(spec: HandSpec, board: str | None = None) -> str:
    return "".join(ExtensiveForm(spec, board).pieces())


def nodes_of(root: Any) -> list[Any]:
    below = [] if isinstance(root, End) else root.children
    return [root, *itertools.chain.from_iterable(nodes_of(child) for child in below)]


@FEW
@given(small_specs(most=5, most_work=3_000))
def test_a_file_is_the_hand(spec: HandSpec) -> None:
    form = ExtensiveForm(spec)
    text = "".join(form.pieces())
    read = Reader(text)
    assert text.isascii()
    assert read.players == ["P1", "P2"]
    assert isinstance(read.root, Chance)
    assert sum(read.root.actions.values()) == 1
    (group,) = spec.classes()
    prior = group.hand.prior
    assert len(read.root.actions) == (prior > 0).sum()
    mine, theirs = group.deals[0].observations
    nodes = nodes_of(read.root)
    assert len(nodes) == form.nodes == len(text.splitlines()) - 3
    sets: dict[tuple[int, int], set[tuple[str, tuple[str, ...]]]] = {}
    ends: dict[int, set[Any]] = {}
    for node in nodes:
        if isinstance(node, Decision):
            sets.setdefault((node.player, node.number), set()).add((node.name, tuple(node.actions)))
        elif isinstance(node, End):
            assert sum(node.payoffs) == 0
            ends.setdefault(node.number, set()).add((node.name, node.payoffs))
    # A number is one information set with one name, and numbers have no holes.
    assert all(len(found) == 1 for found in (*sets.values(), *ends.values()))
    assert len({found.copy().pop() for found in ends.values()}) == len(ends)
    for player in (1, 2):
        numbers = sorted(number for who, number in sets if who == player)
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) == (form.tree.player == player - 1).sum() * prior.shape[player - 1]
    assert len({(player, *found.copy().pop()) for (player, _), found in sets.items()}) == len(sets)
    for (player, number), found in sets.items():
        assert {form.name(player - 1, number)} == {name for name, _ in found}
    # Below each deal there is the public game with the utilities of this deal, and everybody sees no more than they do.
    for dealt, (action, probability), child in zip(
        form.dealt, read.root.actions.items(), read.root.children, strict=True
    ):
        x, y = dealt.columns
        assert float(probability) == prior[x, y]
        assert action.endswith(f"{spec.sees} {mine[x]}, P2 {spec.sees} {theirs[y]}")
        compare(spec, group.hand, (x, y), (mine[x], theirs[y]), child, spec.public.root, [])


def compare(
    spec: HandSpec, game: Any, where: tuple[int, int], seen: tuple[str, str], node: Any, state: Any, done: list[str]
) -> None:
    """Walk a subtree and the public game side by side."""
    if isinstance(node, End):
        assert float(node.payoffs[0]) == game.utility(state)[where]
        return
    player = spec.public.player(state)
    moves = spec.public.moves(state)
    assert node.player == player + 1
    assert node.actions == [str(action) for action, _ in moves]
    after = f" after {' '.join(done)}" if done else ""
    assert node.name.endswith(f"P{player + 1} {spec.sees} {seen[player]}{after}")
    for (action, target), child in zip(moves, node.children, strict=True):
        compare(spec, game, where, seen, child, target, [*done, str(action)])


def test_a_small_file_to_the_letter() -> None:
    spec = hand("indian-poker", stacks="2,2", left="1,1,0,0,0,0,0,0,0,0")
    assert written(spec) == (
        'EFG 2 R "indian-poker, 2 cards left, stacks 2/2, pot carried 0" { "P1" "P2" }\n'
        '"payoffs in chips"\n'
        "\n"
        'c "" 1 "deal" { "P1 sees 1, P2 sees 2" 1/2 "P1 sees 2, P2 sees 1" 1/2 } 0\n'
        'p "" 1 1 "P1 sees 1" { "f" "allin" } 0\n'
        't "" 2 "P2 wins 1" { -1, 1 }\n'
        'p "" 2 2 "P2 sees 2 after allin" { "f" "c" } 0\n'
        't "" 3 "P1 wins 1" { 1, -1 }\n'
        't "" 4 "P1 wins 2" { 2, -2 }\n'
        'p "" 1 2 "P1 sees 2" { "f" "allin" } 0\n'
        't "" 2 "P2 wins 1" { -1, 1 }\n'
        'p "" 2 1 "P2 sees 1 after allin" { "f" "c" } 0\n'
        't "" 3 "P1 wins 1" { 1, -1 }\n'
        't "" 1 "P2 wins 2" { -2, 2 }\n'
    )


def test_halves_are_exact_and_notes_go_along() -> None:
    text = written(hand("blind-mans-bluff"))
    assert " 1/221 " in text
    spec = hand("indian-poker", stacks="6,6", line="b1 r2", raise_limit=0)
    assert '"' not in Reader(written(spec)).comment
    assert Reader(written(spec)).comment.startswith("payoffs in chips; beside the sizes only 'b1 r2' is offered")


def test_open_boards_hang_below_one_chance_node() -> None:
    spec = hand("indian-holdem", stacks="3,3")
    whole, one = ExtensiveForm(spec), ExtensiveForm(spec, "1,2")
    assert sum(dealt.probability for dealt in whole.dealt) == sum(dealt.probability for dealt in one.dealt) == 1
    boards = Counter({dealt.deal.board: Fraction(0) for dealt in whole.dealt})
    for dealt in whole.dealt:
        boards[dealt.deal.board] += dealt.probability
    assert boards["1,1"] == Fraction(6, 780)
    assert boards["1,2"] == Fraction(16, 780)
    assert len(boards) == 55
    names = {node.name for node in nodes_of(Reader("".join(one.pieces())).root) if isinstance(node, Decision)}
    assert "board 1,2: P2 sees 7 after b1" in names
    numbers = [whole.information_set(dealt, 0, 0) for dealt in whole.dealt]
    for number, dealt in zip(numbers, whole.dealt, strict=True):
        assert whole.located(0, number) == (dealt.deal.board, dealt.columns[0], 0)


@pytest.mark.parametrize(
    ("options", "limit", "parts"),
    [
        (
            {"game": "indian-poker", "stacks": "20,20"},
            None,
            ["has 2,871,501 nodes, more than 2,000,000", "a solve with --raise-limit 8 has 1,515,801 nodes"],
        ),
        (
            {"game": "indian-holdem", "stacks": "12,12"},
            None,
            ["more than 2,000,000", "one deal of it is smaller (--board 1,1)"],
        ),
        ({"game": "indian-poker"}, 500_000, ["has 1 MB, more than 500 kB", "a solve with --raise-limit 2 has "]),
    ],
)
def test_what_would_be_huge_is_refused_with_what_makes_it_smaller(
    options: dict[str, Any], limit: int | None, parts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit is not None:
        monkeypatch.setattr(efg, "MAX_BYTES", limit)
    with refused(SizeError, "as an extensive form this hand ", *parts):
        ExtensiveForm(hand(**options))


@pytest.mark.parametrize("options", [{"game": "indian-poker"}, {"game": "indian-holdem", "stacks": "4,4"}])
def test_the_size_is_told_within_a_tenth(options: dict[str, Any]) -> None:
    form = ExtensiveForm(hand(**options))
    assert form.bytes == pytest.approx(len("".join(form.pieces())), rel=0.1)


# What OpenSpiel makes of it.


def in_open_spiel(solution: Solution, folder: Path) -> tuple[pyspiel.Game, pyspiel.TabularPolicy]:
    """Load the game of a solution from a file, and its strategy as a policy."""
    form = ExtensiveForm(solution.spec)
    path = folder / "game.efg"
    path.write_text("".join(form.pieces()))
    game = pyspiel.load_game(f"efg_game(filename={path})")
    policy = {}
    todo = [game.new_initial_state()]
    while todo:
        state = todo.pop()
        if not (state.is_terminal() or state.is_chance_node()):
            key, player = state.information_state_string(), state.current_player()
            board, column, node = form.located(player, int(key.split("-")[2]))
            probabilities = solution.strategies[solution.deal(board)[0]][form.tree.rows(node), column]
            # Legal actions stand in the order of the file, whatever their numbers.
            policy[key] = list(zip(state.legal_actions(), probabilities.tolist(), strict=True))
        todo.extend(state.child(action) for action in state.legal_actions())
    return game, pyspiel.TabularPolicy(policy)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SOLVED if name not in ("suits", "deck", "pairs")])
def test_open_spiel_finds_the_same_value_and_nash_conv(name: str, solved: Path, tmp_path: Path) -> None:
    solution = load(solved / f"{name}.npz")
    game, policy = in_open_spiel(solution, tmp_path)
    assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    (value, other) = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
    assert value == pytest.approx(solution.value, abs=1e-9)
    assert other == pytest.approx(-solution.value, abs=1e-9)
    if solution.tree.nodes:  # without decisions OpenSpiel has no policy to respond to
        assert pyspiel.nash_conv(game, policy) == pytest.approx(solution.nash_conv, abs=1e-9)


def test_open_spiel_solves_the_file_to_our_value(tmp_path: Path) -> None:
    solution = solve(hand("indian-poker", stacks="5,5"), method="lp")
    game, policy = in_open_spiel(solution, tmp_path)
    assert pyspiel.nash_conv(game, policy) < 1e-9
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(200):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    gap = pyspiel.nash_conv(game, average)
    assert gap < 0.01
    value, _ = pyspiel.expected_returns(game.new_initial_state(), average, -1, True)
    assert value == pytest.approx(solution.value, abs=gap)
    assert solution.value == pytest.approx(-0.2198830409, abs=1e-8)


# What Gambit makes of it.


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"game": "indian-poker", "stacks": "4,4"}, {"game": "indian-holdem", "stacks": "3,3", "board": "4,9"}]
)
def test_gambit_reads_the_file_and_finds_our_value(options: dict[str, Any], tmp_path: Path) -> None:
    gambit = pytest.importorskip("pygambit", reason="pygambit is not installed (it compiles for minutes)")
    spec = hand(**options)
    path = tmp_path / "game.efg"
    path.write_text(written(spec))
    game = gambit.read_efg(str(path))
    (profile,) = gambit.nash.lp_solve(game, rational=False).equilibria
    assert float(profile.payoff("P1")) == pytest.approx(solve(spec, method="lp").value, abs=1e-6)
    assert np.isclose(float(profile.payoff("P2")), -float(profile.payoff("P1")))
