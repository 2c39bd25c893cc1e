"""What rows are worth to the player who acts, under the beliefs that a completed strategy rests on.

Where nobody goes, beliefs do not follow from play: at the root of a subtree solved anew the belief about the
player who left the path is a new one, and some rows there assume one of their own. The nodes whose belief about a
player follows by Bayes' rule from the same root are a *region*. What a player expects is counted over all that
lies below, through later roots too where the strategies enter them: there play is what it is, whatever is believed
of those who come by mistake.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.trees.public_tree import PublicTree
from solver.two_player.evaluation import SLIP, Profile, Span, Strategy, likely, node_values, played, reach_below, span
from solver.two_player.payoffs import ClassGame


class Assumed(NamedTuple):
    """Rows with a belief of their own; k rows.

    Parameters
    ----------
    rows
        Node and column (the acting player's observation) of each, by node, shape (k, 2), int32.
    reach
        The other's reach as the row believes it, up to a factor, shape (k, width), float64.
    """

    rows: NDArray[np.int32]
    reach: NDArray[np.float64]

    @classmethod
    def none(cls, width: int) -> "Assumed":
        """Return no rows."""
        return cls(np.zeros((0, 2), dtype=np.int32), np.zeros((0, width)))

    def at(self, nodes: NDArray[np.int64]) -> "Assumed":
        """Return the rows at some nodes, with the place in `nodes` in place of the node."""
        begin = np.searchsorted(self.rows[:, 0], nodes, side="left")
        number = np.searchsorted(self.rows[:, 0], nodes, side="right") - begin
        place = np.repeat(np.arange(len(nodes)), number)
        taken = np.arange(len(place)) + np.repeat(begin - np.cumsum(number) + number, number)
        rows = np.stack([place, self.rows[taken, 1]], axis=1).astype(np.int32)
        return Assumed(rows, self.reach[taken])

    def of(self, tree: PublicTree, player: int) -> "Assumed":
        """Return the rows of one player."""
        mine = tree.player[self.rows[:, 0]] == player
        return Assumed(self.rows[mine], self.reach[mine])


class Regions(NamedTuple):
    """All regions of beliefs about one player, each with what lies below it, as a tree of several roots; k nodes.

    Parameters
    ----------
    tree
        The roots, then all that play leads to from there, level by level. What play does not enter has no nodes: it
        leads to an outcome that is worth nothing.
    nodes
        Which node of the whole tree each is, shape (k,), int64.
    rows
        Which action of the whole tree each action is, shape (r,), int64.
    inside
        Whether each node lies in the region that its root begins, and not below it, shape (k,).
    """

    tree: PublicTree
    nodes: NDArray[np.int64]
    rows: NDArray[np.int64]
    inside: NDArray[np.bool_]


def regions(
    tree: PublicTree,
    strategy: Strategy,
    player: int,
    entered_by: NDArray[np.int8],
    more: NDArray[np.integer] | None = None,
) -> Regions:
    """Find the regions of beliefs about a player.

    Parameters
    ----------
    entered_by
        1 + the player who deviates at the root of a subtree solved anew, else 0, shape (N,).
    more
        Nodes that get a tree of their own besides, after all others; nothing below them is `inside`.
    """
    begins = entered_by == 1 + player
    begins[:1] = True
    entered = np.ones(tree.nodes, dtype=bool)
    later = np.flatnonzero(begins)[1:]
    entered[later] = (strategy[tree.parent_action[later]] > 0.0).any(axis=1)
    nothing = ~len(tree.outcomes)
    level = np.flatnonzero(begins)
    own = np.ones(len(level), dtype=bool)
    if more is not None:
        level, own = np.concatenate([level, more]), np.concatenate([own, np.zeros(len(more), dtype=bool)])
    nodes, inside, actions, children, levels = [level], [own], [level[:0]], [level[:0]], [0, len(level)]
    while len(level):
        moves = tree.first[level + 1] - tree.first[level]
        ends = np.cumsum(moves)
        rows = np.arange(ends[-1]) + np.repeat(tree.first[level] - ends + moves, moves)
        child = tree.child[rows]
        inner = child >= 0
        inner[inner] = entered[child[inner]]
        below = child[inner]
        own = np.repeat(own, moves)[inner] & ~begins[below]
        child = np.where(child >= 0, nothing, child)
        child[inner] = np.arange(levels[-1], levels[-1] + len(below))
        level = below
        actions.append(rows)
        children.append(child)
        nodes.append(level)
        inside.append(own)
        levels.append(levels[-1] + len(level))
    every = np.concatenate(nodes)
    first = np.concatenate(([0], np.cumsum(tree.first[every + 1] - tree.first[every])))
    unfolded = PublicTree(
        tree.player[every], first, np.concatenate(children), np.array(levels[:-1]), tree.state[every], tree.automaton
    )
    return Regions(unfolded, every, np.concatenate(actions), np.concatenate(inside))


class RowValues(NamedTuple):
    """What a player's rows are worth, given that play has come there.

    Parameters
    ----------
    action
        Of each action, shape (A, n), float64: the player's utility up to a constant (see `ClassGame.even`).
    loss
        What the row, and the player's own play below it, lose to the best that can be done from there on under the
        same belief, shape (N, n), float64, 0 or more but for rounding.

    Columns are the player's observations; the other's rows are 0, and where an observation meets nothing that is
    believed possible, not a number.
    """

    action: NDArray[np.float64]
    loss: NDArray[np.float64]


def row_values(
    tree: PublicTree,
    one: ClassGame,
    strategy: Strategy,
    mover: int,
    believed: NDArray[np.float64],
    entered_by: NDArray[np.int8],
    assumed: Assumed,
) -> RowValues:
    """Find what a player's rows are worth.

    Parameters
    ----------
    strategy
        Probabilities, shape (A, width).
    believed
        The other's reach as believed at every node, up to a factor for each node, shape (N, m).
    entered_by
        As in `regions`.
    assumed
        The player's rows with a belief of their own.
    """
    other, prior, number = 1 - mover, one.prior_of(mover), one.observations[mover]
    found = regions(tree, strategy, other, entered_by, assumed.rows[:, 0])
    padded = ClassGame(np.concatenate([one.joint, np.zeros((1, *one.prior.shape))]), one.prior, one.weight, one.even)
    play = played(strategy, found.rows, found.tree.first)
    worth = RowValues(np.zeros((len(tree.child), number)), np.zeros((tree.nodes, number)))
    if not tree.nodes:
        return worth
    roots = found.tree.levels[1] if len(found.tree.levels) > 1 else len(found.nodes)
    regular = roots - len(assumed.rows)
    reach = np.concatenate([believed[found.nodes[:regular]], assumed.reach[:, : believed.shape[1]]])
    going: list[tuple[Span, NDArray[np.float64], NDArray[np.int32]]] = []
    for start, end in zip(*found.tree.whole, strict=True):
        here = span(found.tree, start, end)
        reach, power = likely(reach)
        going.append((here, reach, power))
        reach = reach_below(here, play, other, reach, SLIP)
    below = best_below = np.zeros((0, number))
    actions = below
    for here, reach, power in reversed(going):
        values, actions = node_values(here, Profile(padded, play, mover, False), reach, below)
        best, _ = node_values(here, Profile(padded, play, mover, True), reach, best_below)
        with np.errstate(invalid="ignore"):
            met = reach @ prior.T
            inside = np.flatnonzero(found.inside[here.start : here.end] & (here.player == mover))
            worth.loss[found.nodes[here.start + inside]] = (best - values)[inside] / met[inside]
            taken = np.flatnonzero((found.inside[here.start : here.end] & (here.player == mover))[here.place])
            worth.action[found.rows[here.rows][taken]] = actions[taken] / met[here.place[taken]]
        below, best_below = np.ldexp(values, power), np.ldexp(best, power)
    own = going[0][0]
    for place, (node, column) in enumerate(assumed.rows.tolist(), regular):
        rows = slice(int(own.first[place]), int(own.first[place + 1]))
        met = float(going[0][1][place] @ prior[column])
        worth.loss[node, column] = (best - values)[place, column] / met
        worth.action[tree.rows(node), column] = actions[rows, column] / met
    return worth
