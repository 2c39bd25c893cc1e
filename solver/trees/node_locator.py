"""Where nodes stand in a tree that is not unfolded, found by counting.

The tree below a public state is always the same. So what stands before a node in its level is the sum of
what stands, as many levels down, below the actions that were passed over on the way to it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.betting.actions import Action
from solver.trees.public_tree import Automaton


class Place(NamedTuple):
    """A node on a path.

    Parameters
    ----------
    state
        Its public state's number.
    node, rows
        Where the tree (`solver.trees.public_tree.PublicTree`) has it and its actions.
    """

    state: int
    node: int
    rows: slice


class NodeLocator:
    """Finds nodes of the tree that an automaton with a root unfolds to."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        # For each state, the nodes and the actions so many levels below it.
        self._nodes: list[NDArray[np.int64]] = [np.ones(len(automaton.states), dtype=np.int64)]
        self._actions: list[NDArray[np.int64]] = [np.diff(automaton.first)]

    def along(self, actions: Sequence[Action]) -> list[Place]:
        """Return the node after each of the actions, the root first.

        Parameters
        ----------
        actions
            Legal ones that do not end the hand.
        """
        moves = self._moves_of(actions)
        states = [self.automaton.root, *(int(self.automaton.target[move]) for move in moves)]
        return [self._place(state, moves[:level]) for level, state in enumerate(states)]

    def below(self, actions: Sequence[Action]) -> list[slice]:
        """Return the rows of the subtree after the actions, level by level."""
        moves, found = self._moves_of(actions), list[slice]()
        state = int(self.automaton.target[moves[-1]]) if moves else self.automaton.root
        while number := int(self._counted(self._actions, len(found))[state]):
            start = self._before(self._actions, moves, len(moves) + len(found))
            found.append(slice(start, start + number))
        return found

    def _moves_of(self, actions: Sequence[Action]) -> list[int]:
        """Return where the actions stand among the automaton's moves."""
        state, moves = self.automaton.root, list[int]()
        for action in actions:
            moves.append(int(self.automaton.first[state]) + self.automaton.actions[state].index(action))
            state = int(self.automaton.target[moves[-1]])
        return moves

    def _place(self, state: int, moves: Sequence[int]) -> Place:
        """Return the node that moves lead to."""
        node, row = (self._before(counts, moves, len(moves)) for counts in (self._nodes, self._actions))
        return Place(state, node, slice(row, row + int(self._actions[0][state])))

    def _before(self, counts: list[NDArray[np.int64]], moves: Sequence[int], depth: int) -> int:
        """Count what stands in the levels above a depth, and in that level before the subtree that moves lead to."""
        before = sum(int(self._counted(counts, level)[self.automaton.root]) for level in range(depth))
        for level, move in enumerate(moves):
            state = int(np.searchsorted(self.automaton.first, move, side="right")) - 1
            passed = self.automaton.target[self.automaton.first[state] : move]
            before += int(self._counted(counts, depth - level - 1)[passed[passed >= 0]].sum())
        return before

    def _counted(self, counts: list[NDArray[np.int64]], depth: int) -> NDArray[np.int64]:
        """Return the nodes or the actions so many levels below each state."""
        target = self.automaton.target
        while len(counts) <= depth:
            below = np.where(target >= 0, counts[-1][np.maximum(target, 0)], 0)
            counts.append(np.add.reduceat(below, self.automaton.first[:-1]))
        return counts[depth]
