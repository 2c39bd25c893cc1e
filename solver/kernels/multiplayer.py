"""The compiled core of the solver for more than two players, private: every deal and every history.

Arrays over (sequence, cards seen) have a block for each action of the tree, and a last one for the start. A block
is what `solver.multiplayer.game.Deals.seen` is, flattened into rows by all but the last card; the last card is the
lanes, as many as the tuple `places` is long, padded with zeros. So the last player's card is a lane of what the others
see; what the last player sees of a deal is one number of a block.

A *front* is the cards of all but the last player. What a history is worth depends on who of the front still in has
the best card there, and whether the last player's card, the lane, is below it, the same or above.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels.rows import discounts
from solver.kernels.vectors import added, compiled, everywhere, lanes, load, read, smallest, store, where_above


class Ends(NamedTuple):
    """How hands end; Z whole histories, F fronts, n players, S sets of the front's players.

    Parameters
    ----------
    last
        The last action of each player, shape (Z, n), int64.
    worth
        Each player's utility by who shares the pot, as bits, shape (Z, 2**n, n), float64.
    front
        Which set of the front's players is left, as bits, shape (Z,), int64.
    last_in
        Whether the last player is left, shape (Z,), int64.
    row
        The row of a block that each player of the front sees, shape (n - 1, F), int64.
    top
        The best card of each set in each front, shape (S, F), int64; -1 for nobody's.
    having
        Who of the set has it, as bits, shape (S, F), int64.
    below, same
        Whether each lane is below a card, and is the card; shape (kinds, places).
    probability
        Of each deal, shape (F, places).
    """

    last: NDArray[np.int64]
    worth: NDArray[np.float64]
    front: NDArray[np.int64]
    last_in: NDArray[np.int64]
    row: NDArray[np.int64]
    top: NDArray[np.int64]
    having: NDArray[np.int64]
    below: NDArray[np.floating]
    same: NDArray[np.floating]
    probability: NDArray[np.floating]


class Tree(NamedTuple):
    """The arrays of `solver.multiplayer.game.Betting` that kernels read; `whose`: the nodes of each player in order."""

    first: NDArray[np.int64]
    own_before: NDArray[np.int64]
    whose: tuple[NDArray[np.int64], ...]


@compiled
def payoffs(mover, whose, start, end, ends, places, reach, found):
    """Fill the counterfactual payoffs of whole histories `start` to `end` - 1, a block of `found` each.

    By what `mover` sees, and of how the others play: what player `whose` gets, `mover` or another.
    """
    zero, size = lanes(reach, places), len(places)
    players = ends.last.shape[1]
    fronts = ends.row.shape[1]
    block = reach.shape[1] * size
    back = players - 1
    one_by_one, sums, alone = reach.ravel(), found.ravel(), 1 << back
    for place in range(start, end):
        there = place * block
        for row in range(reach.shape[1]):
            store(found, there + row * size, zero)
        members, last_in, kinds = ends.front[place], ends.last_in[place], ends.below.shape[0]
        last_block = ends.last[place, back] * block
        for front in range(fronts):
            at = (front // kinds) * size + front % kinds
            joint = load(ends.probability, front * size, zero)
            if mover != back:
                behind = one_by_one[last_block + at]
                if behind == 0.0:
                    continue
                joint = joint * everywhere(behind, zero)
            for other in range(back):
                if other != mover:
                    seen = ends.last[place, other] * block + ends.row[other, front] * size
                    joint = joint * load(reach, seen, zero)
            top, having = ends.top[members, front], ends.having[members, front]
            if last_in == 0:
                won = everywhere(ends.worth[place, having, whose], zero)
            else:
                over = ends.worth[place, alone, whose]
                won = everywhere(over, zero)
                if top >= 0:
                    under = everywhere(ends.worth[place, having, whose] - over, zero)
                    level = everywhere(ends.worth[place, having | alone, whose] - over, zero)
                    won = won + under * load(ends.below, top * size, zero) + level * load(ends.same, top * size, zero)
            if mover == back:
                sums[there + at] = added(joint * won)
            else:
                target = there + ends.row[mover, front] * size
                store(found, target, load(found, target, zero) + joint * won)


@compiled
def gather(mover, start, end, last, places, found, value):
    """Put `mover`'s payoffs of whole histories into the values of the last own actions, rows `start` to `end` - 1."""
    zero, size = lanes(value, places), len(places)
    block = value.shape[1] * size
    for action in range(value.shape[0]):
        for row in range(start, end):
            store(value, action * block + row * size, zero)
    for place in range(found.shape[0]):
        into = last[place, mover] * block
        for row in range(start, end):
            target = into + row * size
            store(value, target, load(value, target, zero) + load(found, place * block + row * size, zero))


@compiled
def _scaling(weights, begin, actions, block, zero):
    """Return what positive weights are multiplied by, and what is added, to make them a node's probabilities."""
    whole, even = zero, everywhere(1.0 / actions, zero)
    for place in range(actions):
        whole = whole + load(weights, begin + place * block, zero)
    return where_above(whole, zero, everywhere(1.0, zero) / whole, zero), where_above(whole, zero, zero, even)


@compiled
def learn(mover, start, end, keep, ahead, tree, places, allowed, value, regret, hope):
    """Take `mover`'s values up the tree and update the regrets, rows `start` to `end` - 1.

    `value` has the payoffs of own actions, and gets their values. The strategy is in proportion to `hope`: regrets
    with the last ones counted `ahead` times more, and none where `allowed` is 0.
    """
    zero, size = lanes(value, places), len(places)
    block, kept, counted, tiny = value.shape[1] * size, everywhere(keep, zero), everywhere(ahead, zero), smallest(zero)
    nodes = tree.whose[mover]
    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        actions = tree.first[node + 1] - tree.first[node]
        up = tree.own_before[node] * block
        for row in range(start, end):
            begin = tree.first[node] * block + row * size
            scale, even = _scaling(hope, begin, actions, block, zero)
            here = zero
            for place in range(actions):
                at = begin + place * block
                here = here + (load(hope, at, zero) * scale + even) * load(value, at, zero)
            for place in range(actions):
                at = begin + place * block
                gained = load(value, at, zero) - here
                may = load(allowed, at, zero)
                new = load(regret, at, zero) * kept + gained
                new = where_above(new, tiny, new, zero) * may
                store(regret, at, new)
                new = new + counted * gained
                store(hope, at, where_above(new, tiny, new, zero) * may)
            target = up + row * size
            store(value, target, load(value, target, zero) + here)


@compiled
def play(mover, start, end, slip, tree, places, weights, reach):
    """Fill `mover`'s reach, rows `start` to `end` - 1.

    The strategy is in proportion to `weights`, but for a part `slip` of it, which is played evenly.
    """
    zero, size = lanes(weights, places), len(places)
    kept = everywhere(1.0 - slip, zero)
    block, tiny, nodes = reach.shape[1] * size, smallest(zero), tree.whose[mover]
    for index in range(len(nodes)):
        node = nodes[index]
        actions = tree.first[node + 1] - tree.first[node]
        for row in range(start, end):
            begin = tree.first[node] * block + row * size
            scale, even = _scaling(weights, begin, actions, block, zero)
            scale, even = scale * kept, even * kept + everywhere(slip / actions, zero)
            before = load(reach, tree.own_before[node] * block + row * size, zero)
            for place in range(actions):
                at = begin + place * block
                new = before * (load(weights, at, zero) * scale + even)
                store(reach, at, where_above(new, tiny, new, zero))


@compiled
def add_up(mover, start, end, keep, tree, places, reach, total):
    """Add `mover`'s reach to the sums of strategies, of which `keep` is kept, rows `start` to `end` - 1."""
    zero, size = lanes(reach, places), len(places)
    block, kept, nodes = reach.shape[1] * size, everywhere(keep, zero), tree.whose[mover]
    for index in range(len(nodes)):
        for action in range(tree.first[nodes[index]], tree.first[nodes[index] + 1]):
            for row in range(start, end):
                at = action * block + row * size
                store(total, at, load(total, at, zero) * kept + load(reach, at, zero))


@compiled
def respond(mover, best, start, end, tree, places, weights, value):
    """Take `mover`'s values up the tree, by a best response or by positive `weights`, rows `start` to `end` - 1."""
    zero, size = lanes(value, places), len(places)
    block, nodes, least = value.shape[1] * size, tree.whose[mover], everywhere(-np.inf, zero)
    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        actions = tree.first[node + 1] - tree.first[node]
        up = tree.own_before[node] * block
        for row in range(start, end):
            begin = tree.first[node] * block + row * size
            scale, even = _scaling(weights, begin, actions, block, zero)
            own, most = zero, least
            for place in range(actions):
                at = begin + place * block
                gained = load(value, at, zero)
                own = own + (load(weights, at, zero) * scale + even) * gained
                most = where_above(gained, most, gained, most)
            target = up + row * size
            store(value, target, load(value, target, zero) + (most if best else own))


@compiled
def update(mover, start, end, kept, ahead, slip, ends, tree, places, allowed, found, value, regret, hope, reach, total):
    """Update `mover`'s regrets, strategy and sums of strategies from the payoffs found, rows `start` to `end` - 1."""
    gather(mover, start, end, ends.last, places, found, value)
    learn(mover, start, end, kept[0], ahead, tree, places, allowed, value, regret, hope)
    play(mover, start, end, slip, tree, places, hope, reach)
    add_up(mover, start, end, kept[1], tree, places, reach, total)


@compiled
def iterate(
    start, end, halt, schedule, ahead, slip, ends, tree, places, allowed, found, value, regret, hope, reach, total
):
    """Run iterations `start` + 1 to `end`, one player after the other; return the last one finished.

    `schedule` is (alpha, gamma) of discounted CFR+; `halt[0]` other than 0 stops after the iteration under way.
    `found` and `value` are overwritten.
    """
    for iteration in range(start + 1, end + 1):
        if read(halt, 0) != 0:
            return iteration - 1
        kept = discounts(iteration, schedule)
        for mover in range(ends.last.shape[1]):
            payoffs(mover, mover, 0, found.shape[0], ends, places, reach, found)
            update(
                mover,
                0,
                reach.shape[1],
                kept,
                ahead,
                slip,
                ends,
                tree,
                places,
                allowed,
                found,
                value,
                regret,
                hope,
                reach,
                total,
            )
    return end


@compiled
def worth(mover, best, ends, tree, places, weights, reach, found, value):
    """Fill `mover`'s values where all play `reach` and `mover` does, or answers best: the hand's are the last block."""
    payoffs(mover, mover, 0, found.shape[0], ends, places, reach, found)
    gather(mover, 0, reach.shape[1], ends.last, places, found, value)
    respond(mover, best, 0, reach.shape[1], tree, places, weights, value)
