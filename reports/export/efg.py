"""A hand as a Gambit extensive-form game, which Gambit, OpenSpiel and others read.

One chance node deals everything (the board or the fronts, and what both players observe), and the whole public tree
hangs below each of its actions. The format is version 2 of ``.efg`` (Gambit's manual, "Game representation
formats"). It describes a game and has no place for strategies.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.data.rows import player_name
from reports.text.units import is_chance
from rules.base.errors import SizeError
from rules.betting.actions import Action, format_history
from rules.games.spec import Deal, HandClass, HandSpec
from solver.trees.public_tree import measure, unfold
from solver.two_player.memory import fitting, human

MAX_NODES = 2_000_000
MAX_BYTES = 500_000_000
"""Past these a file is refused: those who read it hold every node in memory, each as an object."""

DENOMINATOR = 10**7
"""More than the ways to deal a hand of these games; a probability with a smaller one is found again from its float."""


class Dealt(NamedTuple):
    """One action of the chance node: a deal of a class, both players' observations (columns), and how likely it is."""

    group: int
    deal: Deal
    columns: tuple[int, int]
    probability: Fraction


class Line(NamedTuple):
    """A node of the public tree as the file has it; for an end of the hand the player is -1 and the rest empty."""

    player: int
    number: int
    """The place of a decision node among those of its player; the outcome of an end."""
    after: str
    actions: str


def knows(spec: HandSpec, board: str, player: int, observation: str) -> str:
    """Say what a player knows before anybody acts: "P1 sees 4", "fronts 3,8: P2 own back 5"."""
    where = f"{spec.board_word} {board}: " if board else ""
    return f"{where}{player_name(player)} {spec.sees} {observation}"


def after(history: str) -> str:
    """Say what was done: "" where nothing was, else " after b1 r3"; with `knows` it names an information set."""
    return f" after {history}" if history else ""


class ExtensiveForm:
    """The game of a spec, ready to be written.

    Parameters
    ----------
    spec
        The hand.
    board
        One board or one pair of fronts of it; None for all that the deck allows.

    Raises
    ------
    SizeError
        Where it would have more than `MAX_NODES` nodes or take more than `MAX_BYTES`, with what makes it smaller.
    """

    def __init__(self, spec: HandSpec, board: str | None = None) -> None:
        self.spec, self.board = spec, board
        self.classes = spec.classes()
        self.nodes = _nodes(spec, self.classes, board)
        if self.nodes > MAX_NODES:
            raise SizeError(self._too_large(f"{self.nodes:,} nodes, more than {MAX_NODES:,}", MAX_NODES))
        self.tree = unfold(spec.public)
        self.bytes = len(self._head) + len(self.dealt) * len(self._below(self.dealt[0]))
        """Of the file, about: what hangs below every action of the chance node is as long as below the first."""
        if self.bytes > MAX_BYTES:
            most = self.nodes * MAX_BYTES // self.bytes
            raise SizeError(self._too_large(f"{human(self.bytes)}, more than {human(MAX_BYTES)}", most))

    def pieces(self) -> Iterator[str]:
        """Yield the text of the file: the head with the chance node, then what is below each of its actions."""
        yield self._head
        for dealt in self.dealt:
            yield self._below(dealt)

    @cached_property
    def dealt(self) -> tuple[Dealt, ...]:
        """What the chance node can deal; probabilities sum to exactly 1."""
        deals = [(index, deal) for index, group in enumerate(self.classes) for deal in group.deals]
        wanted = [(index, deal) for index, deal in deals if self.board in (None, deal.board)]
        whole = sum((_exact(deal.weight) for _, deal in wanted), start=Fraction(0))
        priors = [group.hand.prior for group in self.classes]
        found = tuple(
            Dealt(index, deal, (x, y), _exact(deal.weight) / whole * _exact(float(priors[index][x, y])))
            for index, deal in wanted
            for x, y in np.argwhere(priors[index] > 0.0).tolist()
        )
        assert sum((one.probability for one in found), start=Fraction(0)) == 1, "a probability has too many digits"
        return found

    def information_set(self, dealt: Dealt, player: int, place: int) -> int:
        """Return the number of an information set, from 1 up: of the player's decision node at a place among them."""
        observations = self._before[dealt.deal.board][player] + dealt.columns[player]
        return 1 + observations * len(self.own_nodes[player]) + place

    def located(self, player: int, number: int) -> tuple[str, int, int]:
        """Return the board, the column of the observation and the node that an information set's number stands for."""
        observations, place = divmod(number - 1, len(self.own_nodes[player]))
        board, before = max(
            ((board, before[player]) for board, before in self._before.items() if before[player] <= observations),
            key=lambda one: one[1],
        )
        return board, observations - before, int(self.own_nodes[player][place])

    def name(self, player: int, number: int) -> str:
        """Return the name of an information set by its number: "P1 sees 4 after b1 r3"."""
        board, column, node = self.located(player, number)
        names = next(deal for group in self.classes for deal in group.deals if deal.board == board).observations
        done = format_history(self.tree.history(node))
        return knows(self.spec, board, player, names[player][column]) + after(done)

    @cached_property
    def own_nodes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """P1's and P2's decision nodes of the public tree, ascending."""
        return np.flatnonzero(self.tree.player == 0), np.flatnonzero(self.tree.player == 1)

    @cached_property
    def _before(self) -> dict[str, tuple[int, int]]:
        """How many observations P1 and P2 can have in all deals before each one."""
        found, first, second = {}, 0, 0
        for dealt in self.dealt:
            if dealt.deal.board not in found:
                found[dealt.deal.board] = (first, second)
                mine, theirs = dealt.deal.observations
                first, second = first + len(mine), second + len(theirs)
        return found

    @cached_property
    def _head(self) -> str:
        """The first lines, and the chance node."""
        told = "; ".join((f"payoffs in {self.spec.unit}", *self.spec.notes)).replace('"', "'")
        lines = [f'EFG 2 R "{self.spec.game}, {self.spec.headline}" {{ "P1" "P2" }}', f'"{told}"', ""]
        actions = " ".join(f'"{self._name(dealt)}" {dealt.probability}' for dealt in self.dealt)
        return "\n".join(lines) + f'\nc "" 1 "deal" {{ {actions} }} 0\n'

    def _won(self, payoff: float) -> str:
        """Name an outcome by who wins what."""
        if is_chance(self.spec):
            return f"P1 wins the match with {_number(payoff)}"
        return f"{player_name(0 if payoff > 0 else 1)} wins {_number(abs(payoff))}" if payoff else "nobody wins"

    def _name(self, dealt: Dealt) -> str:
        """Name what is dealt: "P1 sees 4, P2 sees 9"."""
        first, second = (names[column] for names, column in zip(dealt.deal.observations, dealt.columns, strict=True))
        return f"{knows(self.spec, dealt.deal.board, 0, first)}, {knows(self.spec, '', 1, second)}"

    def _below(self, dealt: Dealt) -> str:
        """Write the public tree as it is for one deal and its observations."""
        known = [
            knows(self.spec, dealt.deal.board, player, dealt.deal.observations[player][dealt.columns[player]])
            for player in (0, 1)
        ]
        starts = [self.information_set(dealt, player, 0) for player in (0, 1)]
        ends = [self._ends[float(payoffs[dealt.columns])] for payoffs in self._payoffs[dealt.group]]
        return "".join(
            f'p "" {player + 1} {starts[player] + number} "{known[player]}{done}" {{ {actions} }} 0\n'
            if player >= 0
            else f"{ends[number]}\n"
            for player, number, done, actions in self._lines
        )

    @cached_property
    def _lines(self) -> list[Line]:
        """The public tree in the order of the file: every node before what is below it."""
        tree = self.tree
        places = np.zeros(tree.nodes, dtype=np.int64)
        for nodes in self.own_nodes:
            places[nodes] = np.arange(len(nodes))
        found: list[Line] = []
        todo: list[tuple[int, tuple[Action, ...]]] = [(0 if tree.nodes else ~0, ())]
        while todo:
            node, history = todo.pop()
            if node < 0:
                found.append(Line(-1, ~node, "", ""))
                continue
            actions = tree.actions(node)
            names = " ".join(f'"{action}"' for action in actions)
            found.append(Line(int(tree.player[node]), int(places[node]), after(format_history(history)), names))
            below = zip(tree.child[tree.rows(node)].tolist(), actions, strict=True)
            todo.extend((child, (*history, action)) for child, action in reversed(list(below)))
        return found

    @cached_property
    def _payoffs(self) -> list[list[NDArray[np.float64]]]:
        """P1's payoffs for each class and outcome of the public tree, shape (n1, n2)."""
        return [[group.hand.utility(outcome) for outcome in self.tree.outcomes] for group in self.classes]

    @cached_property
    def _ends(self) -> dict[float, str]:
        """The line for each payoff of P1: ends that pay the same are one outcome."""
        payoffs = {
            payoff
            for index in sorted({dealt.group for dealt in self.dealt})
            for matrix in self._payoffs[index]
            for payoff in matrix[self.classes[index].hand.prior > 0.0].tolist()
        }
        both = self.spec.together
        return {
            payoff: f't "" {number} "{self._won(payoff)}" {{ {_number(payoff)}, {_number(both - payoff)} }}'
            for number, payoff in enumerate(sorted(payoffs), start=1)
        }

    def _too_large(self, what: str, most: int) -> str:
        boards = sorted(deal.board for group in self.classes for deal in group.deals)
        ways = []
        if self.board is None and len(boards) > 1:
            ways.append(f"one deal of it is smaller (--{self.spec.board_word} {boards[0]})")
        smaller = fitting(self.spec, lambda one: _nodes(one, one.classes(), self.board), most)
        ways += [f"a solve with {option} has {nodes:,} nodes" for option, nodes in smaller]
        return "; ".join([f"as an extensive form this hand has {what}", *ways])


def _nodes(spec: HandSpec, classes: Sequence[HandClass], board: str | None) -> int:
    """Return the nodes of the extensive form: the chance node, and a public tree for each pair of observations."""
    size = measure(spec.public)
    pairs = sum(
        int((group.hand.prior > 0.0).sum()) * sum(board in (None, deal.board) for deal in group.deals)
        for group in classes
    )
    return 1 + pairs * (size.decision_nodes + size.terminals)


def _exact(probability: float) -> Fraction:
    """Return the fraction that a probability was rounded from."""
    return Fraction(probability).limit_denominator(DENOMINATOR)


def _number(payoff: float) -> str:
    """Write a payoff exactly; a float's shortest decimal reads as the same float."""
    return str(int(payoff)) if payoff.is_integer() else repr(payoff)
