"""The public tree: a public game unfolded into flat arrays, level by level.

Nodes stand in order of depth and siblings side by side, so that the children of one level, taken
action by action, are exactly the next level. Nothing here knows cards; one tree serves every deck.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import SizeError
from rules.betting.actions import Action
from rules.betting.public_game import CHANCE, Outcome, PublicGame

MAX_MOVES = 500_000
"""Moves out of different public states that are enumerated, in a second or two, before a game is refused."""

MAX_DEPTH = 100_000
"""Actions in a history, each a level of the tree, up to which a game is taken on."""

PIECE = 2**15
"""Nodes that are handled at a time where a result for all of them is put together."""


class TreeSize(NamedTuple):
    """How large a public tree is: decision nodes of each player, chance nodes, actions, terminals.

    `moves` are the actions of all different public states.
    """

    nodes: tuple[int, ...]
    chance_nodes: int
    actions: int
    terminals: int
    moves: int

    @property
    def decision_nodes(self) -> int:
        """Decision nodes of all players."""
        return sum(self.nodes)

    @property
    def all_nodes(self) -> int:
        """Decision and chance nodes."""
        return self.decision_nodes + self.chance_nodes


class Automaton(NamedTuple):
    """A public game's reachable states and moves, numbered; targets below 0 are outcomes, ``~index``."""

    states: tuple[Hashable, ...]
    outcomes: tuple[Any, ...]
    player: NDArray[np.int8]
    first: NDArray[np.int64]
    target: NDArray[np.int64]
    actions: tuple[tuple[Action, ...], ...]
    root: int


def enumerate_states(public: PublicGame, most: int | None = None, players: int = 2) -> Automaton:
    """Enumerate the states that the root leads to, in order of discovery.

    Raises
    ------
    SizeError
        Where there are more than `most` moves (by default `MAX_MOVES`), or more than so many players.
    """
    limit = MAX_MOVES if most is None else most
    states: dict[Hashable, int] = {}
    outcomes: dict[Any, int] = {}
    queue: list[Hashable] = []

    def number(position: Any) -> int:
        if isinstance(position, Outcome):
            return ~outcomes.setdefault(position, len(outcomes))
        if position not in states:
            states[position] = len(states)
            queue.append(position)
        return states[position]

    root = number(public.root)
    first: list[int] = [0]
    target: list[int] = []
    actions: list[tuple[Action, ...]] = []
    acting: list[int] = []
    for state in queue:  # grows while it is read
        acting.append(public.player(state))
        if acting[-1] >= players:
            raise SizeError(f"expected at most {players} players here, got one more")
        moves = public.moves(state)
        actions.append(tuple(action for action, _ in moves))
        target.extend(number(position) for _, position in moves)
        first.append(len(target))
        if len(target) > limit:
            raise SizeError(
                f"the betting has more than {limit} different moves; smaller stacks or fewer sizes make it smaller"
            )
    return Automaton(
        tuple(queue), tuple(outcomes), np.array(acting, dtype=np.int8), np.array(first),
        np.array(target, dtype=np.int64), tuple(actions), root,
    )  # fmt: skip


def measure(public: PublicGame, most: int | None = None) -> TreeSize:
    """Count the public tree without building it, one visit a state; exact for any size.

    Raises
    ------
    SizeError
        As `enumerate_states`, and where a history can be longer than `MAX_DEPTH`.
    """
    return size_of(enumerate_states(public, most))


def size_of(automaton: Automaton) -> TreeSize:
    """Count the tree that an automaton unfolds to, as `measure` does."""
    if automaton.root < 0:
        return TreeSize((0, 0), 0, 0, 1, 0)
    *nodes, chance, actions, terminals = counts_below(automaton)[automaton.root]
    return TreeSize(tuple(nodes), chance, actions, terminals, len(automaton.target))


def counts_below(automaton: Automaton) -> dict[int, tuple[int, ...]]:
    """Count the tree below each state that the root leads to, the state's own node included.

    Returns
    -------
    dict
        By state: nodes of each player (two at least) and of chance, actions, terminals.

    Raises
    ------
    SizeError
        Where a history can be longer than `MAX_DEPTH`.
    """
    counts: dict[int, tuple[int, ...]] = {}
    players = range(max(1, int(automaton.player.max())) + 1)
    depths: dict[int, int] = {}
    first, target = automaton.first.tolist(), automaton.target.tolist()
    todo = [automaton.root]
    while todo:  # post-order without recursion: histories can be thousands of actions long
        state = todo[-1]
        targets = target[first[state] : first[state + 1]]
        missing = [to for to in targets if to >= 0 and to not in counts]
        if missing:
            todo.extend(missing)
            continue
        todo.pop()
        player = int(automaton.player[state])
        inner = [to for to in targets if to >= 0]
        acts = (player == one for one in (*players, CHANCE))
        own = (*acts, len(targets), len(targets) - len(inner))
        below = (counts[to] for to in inner)
        counts[state] = tuple(map(sum, zip(own, *below, strict=True)))
        depths[state] = 1 + max((depths[to] for to in inner), default=0)
    _check_depth(depths[automaton.root])
    return counts


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A public tree in flat arrays; N nodes, A actions.

    Parameters
    ----------
    player
        Who acts, shape (N,), int8; `CHANCE` at chance nodes.
    first
        Actions of node n are ``first[n]:first[n + 1]``, shape (N + 1,), int64.
    child
        The node an action leads to, or ``~outcome``, shape (A,), int64.
    levels
        Nodes of depth d are ``levels[d]:levels[d + 1]``, int64.
    state
        Number of each node's public state, shape (N,), int64.
    automaton
        The states, their actions, and the outcomes.
    """

    player: NDArray[np.int8]
    first: NDArray[np.int64]
    child: NDArray[np.int64]
    levels: NDArray[np.int64]
    state: NDArray[np.int64]
    automaton: Automaton

    @property
    def nodes(self) -> int:
        """Decision and chance nodes."""
        return len(self.player)

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """The outcomes that ``~child`` numbers."""
        return self.automaton.outcomes

    @property
    def whole(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first node of each level, and one past its last."""
        return self.levels[:-1], self.levels[1:]

    def pieces(self) -> Iterator[tuple[int, int, slice]]:
        """Yield all nodes in pieces, from and to, with their actions: so that what is made of them stays small."""
        for start in range(0, self.nodes, PIECE):
            end = min(start + PIECE, self.nodes)
            yield start, end, slice(int(self.first[start]), int(self.first[end]))

    @property
    def most_actions(self) -> int:
        """Actions of the node that has most; 0 where nobody acts."""
        return int(np.diff(self.first).max(initial=0))

    @cached_property
    def node_of_action(self) -> NDArray[np.int64]:
        """The node that each action belongs to, shape (A,), int64."""
        return np.repeat(np.arange(self.nodes), np.diff(self.first))

    @cached_property
    def kids(self) -> NDArray[np.int64]:
        """Children of nodes n to m - 1 are ``kids[n]:kids[m]``, shape (N + 1,), int64.

        In level order the k-th action that does not end the hand leads to node k + 1, so that the
        descendants of any node are side by side in every level.
        """
        inner = np.concatenate(([0], np.cumsum(self.child >= 0)))
        return np.asarray(1 + inner[self.first])

    @cached_property
    def parent_action(self) -> NDArray[np.int64]:
        """The action that leads to each node, -1 at the root, shape (N,), int64."""
        parent = np.full(self.nodes, -1, dtype=np.int64)
        inner = np.flatnonzero(self.child >= 0)
        parent[self.child[inner]] = inner
        return parent

    def actions(self, node: int) -> tuple[Action, ...]:
        """Return the legal actions at a node, in the order of its rows."""
        return self.automaton.actions[self.state[node]]

    @property
    def nodes_below(self) -> NDArray[np.int64]:
        """The nodes of each node's subtree, itself included, shape (N,), int64; counted anew each time."""
        sizes = np.zeros(len(self.automaton.states), dtype=np.int64)
        for state, counts in counts_below(self.automaton).items() if self.nodes else ():
            sizes[state] = sum(counts[:-2])
        return np.asarray(sizes[self.state])

    def rows(self, node: int) -> slice:
        """Return the rows of a node in arrays over actions."""
        return slice(int(self.first[node]), int(self.first[node + 1]))

    def find(self, actions: tuple[Action, ...]) -> int:
        """Return the node after a history of legal actions, or ``~outcome`` where it ended."""
        node = 0 if self.nodes else ~0
        for action in actions:
            node = int(self.child[self.first[node] + self.actions(node).index(action)])
        return node

    def history(self, node: int) -> tuple[Action, ...]:
        """Return the actions that lead to a node."""
        path: list[Action] = []
        while (action := int(self.parent_action[node])) >= 0:
            node = int(self.node_of_action[action])
            path.append(self.actions(node)[action - int(self.first[node])])
        return tuple(reversed(path))


def unfold(public: PublicGame) -> PublicTree:
    """Build the public tree, a level at a time.

    Raises
    ------
    SizeError
        Where a history can be longer than `MAX_DEPTH`; check `measure` first for the number of nodes.
    """
    return unfolded(enumerate_states(public))


def unfolded(automaton: Automaton) -> PublicTree:
    """Build the tree below an automaton's root, as `unfold` does."""
    moves = np.diff(automaton.first)
    level = np.array([automaton.root] if automaton.root >= 0 else [], dtype=np.int64)
    states, children, levels = [level], [], [0, len(level)]
    while len(level):
        number = moves[level]
        ends = np.cumsum(number)
        move = np.arange(ends[-1]) + np.repeat(automaton.first[level] - ends + number, number)
        child = automaton.target[move]
        inner = child >= 0
        level = child[inner]
        child[inner] = np.arange(levels[-1], levels[-1] + len(level))
        children.append(child)
        states.append(level)
        levels.append(levels[-1] + len(level))
        _check_depth(len(levels) - 2)
    state = np.concatenate(states)
    first = np.concatenate(([0], np.cumsum(moves[state])))
    child = np.concatenate(children) if children else np.zeros(0, dtype=np.int64)
    return PublicTree(automaton.player[state], first, child, np.array(levels[:-1]), state, automaton)


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise SizeError(f"histories of this hand can have more than {MAX_DEPTH} actions; use larger raise sizes")
