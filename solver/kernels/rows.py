"""The compiled core of the solver for a small tree or a subtree, private: discounted CFR+ and evaluation, row by row.

Arrays over (node, observation) and (action, observation) have a row for each node or action and a column
for each observation of the player who acts there, padded with zeros (`solver.trees.column_layout.padded`); a row is
worked on at once. ``payoffs[p, o, y]`` is player p's joint utility, prior included, at outcome o when the
other's observation is y, by the own one, padded to a square. Values are therefore counterfactual values,
summed and not averaged over observations.

`starts` and `ends` say which nodes of each level are worked on: all of them, or a subtree's (the
descendants of a node are side by side in every level). `places` is a tuple as long as a row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels.vectors import compiled, everywhere, lanes, load, read, smallest, store, times, where_above


class Tree(NamedTuple):
    """The arrays of a `solver.trees.public_tree.PublicTree` that kernels read."""

    player: NDArray[np.int8]
    first: NDArray[np.int64]
    child: NDArray[np.int64]
    kids: NDArray[np.int64]


class Evaluated(NamedTuple):
    """Both players' reach, value by the profile, and value by a best response, each a pair of (nodes, places)."""

    reach: tuple[NDArray[np.float64], NDArray[np.float64]]
    own: tuple[NDArray[np.float64], NDArray[np.float64]]
    best: tuple[NDArray[np.float64], NDArray[np.float64]]
    played: NDArray[np.float64]


@compiled
def at_end(payoffs, mover, outcome, reach, place, zero):
    """Return a player's counterfactual values where the hand ends, under the other's reach."""
    size = payoffs.shape[2]
    return times(reach, place, payoffs, (mover * payoffs.shape[1] + outcome) * size * size, zero)


@compiled
def _mix(weights, start, end, size, zero):
    """Return what positive weights are multiplied by, and what is added, to make them a node's probabilities."""
    whole, even = zero, everywhere(1.0 / (end - start), zero)
    for action in range(start, end):
        whole = whole + load(weights, action * size, zero)
    return where_above(whole, zero, everywhere(1.0, zero) / whole, zero), where_above(whole, zero, zero, even)


@compiled
def _go_down(mover, tree, starts, ends, payoffs, places, regret, total, keep_total, reach, value, after):
    """Take the reach of `mover`'s opponent down from its root's row, and update the opponent's sums of strategies.

    `mover`'s values where the opponent ends the hand are left in the values of the opponent's nodes.
    """
    zero, size = lanes(regret, places), len(places)
    tiny, keep = smallest(zero), everywhere(keep_total, zero)
    for level in range(starts.shape[0]):
        for node in range(starts[level], ends[level]):
            here = load(reach, node * size, zero)
            if tree.player[node] != 1 - mover:
                for below in range(tree.kids[node], tree.kids[node + 1]):
                    store(reach, below * size, here)
                continue
            start, end = tree.first[node], tree.first[node + 1]
            scale, even = _mix(regret, start, end, size, zero)
            scale, even, ended = scale * here, even * here, zero
            for action in range(start, end):
                played = load(regret, action * size, zero) * scale + even
                played = where_above(played, tiny, played, zero)
                store(total, action * size, load(total, action * size, zero) * keep + played)
                below = tree.child[action]
                if below >= 0:
                    store(reach, below * size, played)
                else:
                    store(after, 0, played)
                    ended = ended + at_end(payoffs, mover, ~below, after, 0, zero)
            store(value, node * size, ended)


@compiled
def _go_up(mover, tree, starts, ends, payoffs, places, regret, keep, reach, value, after):
    """Take `mover`'s values up to the root's row, and update `mover`'s regrets."""
    zero, size = lanes(regret, places), len(places)
    kept, tiny = everywhere(keep, zero), smallest(zero)
    for level in range(starts.shape[0] - 1, -1, -1):
        for node in range(starts[level], ends[level]):
            start, end = tree.first[node], tree.first[node + 1]
            if tree.player[node] != mover:
                here = load(value, node * size, zero)
                if tree.player[node] < 0:
                    here = zero
                    for action in range(start, end):
                        if tree.child[action] < 0:
                            here = here + at_end(payoffs, mover, ~tree.child[action], reach, node * size, zero)
                for below in range(tree.kids[node], tree.kids[node + 1]):
                    here = here + load(value, below * size, zero)
                store(value, node * size, here)
                continue
            whole, mixed, plain = zero, zero, zero
            for action in range(start, end):
                below = tree.child[action]
                if below >= 0:
                    gained = load(value, below * size, zero)
                else:
                    gained = at_end(payoffs, mover, ~below, reach, node * size, zero)
                store(after, (action - start) * size, gained)
                weight = load(regret, action * size, zero)
                whole = whole + weight
                mixed = mixed + weight * gained
                plain = plain + gained
            here = where_above(whole, zero, mixed / whole, plain * everywhere(1.0 / (end - start), zero))
            store(value, node * size, here)
            for action in range(start, end):
                gained = load(after, (action - start) * size, zero)
                new = load(regret, action * size, zero) * kept + (gained - here)
                # Denormal numbers are slow: what is far under any gap is 0.
                new = where_above(new, tiny, new, zero)
                store(regret, action * size, new)


@compiled
def discounts(iteration, schedule):
    """Return what is kept of regrets and of strategy sums at an iteration."""
    before = float(iteration - 1)
    grown = before ** schedule[0]
    return grown / (grown + 1.0), (before / iteration) ** schedule[1]


@compiled
def update(mover, kept, tree, starts, ends, payoffs, places, regret, total, reach, value, after):
    """Update `mover`'s regrets and the opponent's sums of strategies, in place.

    `kept` is what `discounts` returns. The opponent's reach at the root is read from its row of `reach`, and
    `mover`'s values there are left in its row of `value`; those two arrays and `after` are overwritten.
    """
    keep, keep_total = kept
    _go_down(mover, tree, starts, ends, payoffs, places, regret, total, keep_total, reach, value, after)
    _go_up(mover, tree, starts, ends, payoffs, places, regret, keep, reach, value, after)


@compiled
def iterate(start, end, halt, schedule, tree, starts, ends, payoffs, places, regret, total, reach, value, after):
    """Run iterations `start` + 1 to `end` of discounted CFR+; return the last one finished.

    `schedule` is (alpha, gamma); `halt[0]` other than 0 stops after the iteration under way. The first
    row of `reach` is both players' reach at the root. `regret` and `total` are updated; the rest of `reach`,
    `value` and `after` is overwritten.
    """
    for iteration in range(start + 1, end + 1):
        if read(halt, 0) != 0:
            return iteration - 1
        kept = discounts(iteration, schedule)
        for mover in range(2):
            update(mover, kept, tree, starts, ends, payoffs, places, regret, total, reach, value, after)
    return end


@compiled
def evaluate(tree, starts, ends, payoffs, places, weights, found):
    """Fill both players' values, by the profile that positive `weights` are in proportion to and by best responses.

    Both players' reach at the root is read from its rows.
    """
    zero, size = lanes(found.played, places), len(places)
    for level in range(starts.shape[0]):
        for node in range(starts[level], ends[level]):
            start, end = tree.first[node], tree.first[node + 1]
            scale, even = _mix(weights, start, end, size, zero)
            for action in range(start, end):
                below = tree.child[action]
                if below >= 0:
                    played = load(weights, action * size, zero) * scale + even
                    for player in range(2):
                        here = load(found.reach[player], node * size, zero)
                        acted = here * played if tree.player[node] == player else here
                        store(found.reach[player], below * size, acted)
    least = everywhere(-np.inf, zero)
    for level in range(starts.shape[0] - 1, -1, -1):
        for node in range(starts[level], ends[level]):
            start, end = tree.first[node], tree.first[node + 1]
            scale, even = _mix(weights, start, end, size, zero)
            for player in range(2):
                acts = tree.player[node] == player
                own, best = zero, least if acts else zero
                for action in range(start, end):
                    played = load(weights, action * size, zero) * scale + even
                    below = tree.child[action]
                    if below >= 0:
                        value = load(found.own[player], below * size, zero)
                        most = load(found.best[player], below * size, zero)
                    else:
                        other = load(found.reach[1 - player], node * size, zero)
                        store(found.played, 0, other * played if tree.player[node] == 1 - player else other)
                        value = at_end(payoffs, player, ~below, found.played, 0, zero)
                        most = value
                    own = own + (value * played if acts else value)
                    best = where_above(most, best, most, best) if acts else best + most
                store(found.own[player], node * size, own)
                store(found.best[player], node * size, best)
