"""What one observation of a player can still do from a node on, against a fixed strategy of the other."""

import numpy as np
from numpy.typing import NDArray

from solver.trees.public_tree import PublicTree
from solver.two_player.payoffs import ClassGame


class Lookahead:
    """The tree below a node, for one row; m observations of the other.

    Parameters
    ----------
    strategy
        Probabilities, shape (A, any).
    root
        A node where a player acts.
    column
        What that player has seen.
    """

    def __init__(self, tree: PublicTree, one: ClassGame, strategy: NDArray[np.float64], root: int, column: int) -> None:
        self._tree, self._strategy, self._root, self._column = tree, strategy, root, column
        self._player = int(tree.player[root])
        self._chances = one.prior_of(self._player)[column]
        self._utility = one.utilities[self._player][:, column]
        self.possible = self._chances > 0.0

    def _rows(self, node: int) -> range:
        return range(int(self._tree.first[node]), int(self._tree.first[node + 1]))

    def _played(self, row: int) -> NDArray[np.float64]:
        return np.asarray(self._strategy[row, : len(self._chances)])

    def plan(self, joint: NDArray[np.float64]) -> dict[int, int]:
        """Return the best action, by row, at every node that the player may come to.

        Parameters
        ----------
        joint
            How likely each observation of the other is at the root, up to a factor, shape (m,).
        """
        found: dict[int, int] = {}

        def best(node: int, likely: NDArray[np.float64]) -> float:
            if node < 0:
                return float(self._worth(node) @ likely)
            acts, values = int(self._tree.player[node]), []
            for row in self._rows(node):
                below = likely * self._played(row) if acts == 1 - self._player else likely
                values.append(best(int(self._tree.child[row]), below) if below.any() else 0.0)
            if acts != self._player:
                return sum(values)
            found[node] = self._rows(node)[int(np.argmax(values))]
            return max(values)

        best(self._root, joint)
        return found

    def values(self, plan: dict[int, int]) -> NDArray[np.float64]:
        """Return what a plan gives against each observation of the other, shape (m,); elsewhere the strategy holds."""

        def value(node: int) -> NDArray[np.float64]:
            if node < 0:
                return self._worth(node)
            if node in plan:
                return value(int(self._tree.child[plan[node]]))
            acts = int(self._tree.player[node])
            total = np.zeros(len(self._chances))
            for row in self._rows(node):
                if acts == self._player:
                    share = float(self._strategy[row, self._column])
                    if share > 0.0:
                        total += share * value(int(self._tree.child[row]))
                elif acts == 1 - self._player:
                    total += self._played(row) * value(int(self._tree.child[row]))
                else:
                    total += value(int(self._tree.child[row]))
            return total

        return value(self._root)

    def _worth(self, node: int) -> NDArray[np.float64]:
        """Return the utility where the hand ends, given each observation of the other."""
        worth = np.zeros(len(self._chances))
        np.divide(self._utility[~node], self._chances, out=worth, where=self.possible)
        return worth
