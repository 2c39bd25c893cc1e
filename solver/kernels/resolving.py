"""The compiled part of the completion of a strategy, private: see `solver.off_path.resolving` for what it does and why.

Arrays are those of `solver.kernels.rows`; what is learned in re-solved subtrees is float32, all else float64.
"""

import numpy as np

from solver.kernels.rows import at_end, discounts, evaluate, update
from solver.kernels.vectors import compiled, everywhere, lanes, load, read, store, where_above

TINY = 1e-150
"""Below this a chance is taken as 0."""

UNLIKELY = 1e-6
"""An observation below this part of the likeliest one is met by mistake only."""

FLOOR = 1e-200
"""What is believed possible has at least this part of the likeliest, as in `solver.two_player.evaluation`."""

CHECKED = 100
"""Iterations after which it is first looked whether a subtree is solved well enough."""

LEAST = 1e-12
"""While a subtree is solved anew, nobody is believed to be there less often than this part of all mistakes."""

LAST_ROUNDS = 10
"""Times, at most, that rows nobody believes in answer each other."""

SELDOM = 1e-2
"""Rows of observations below this part of the likeliest one are not judged by how often they are played."""


@compiled
def average_row(start, end, x, total, trim, strategy):
    """Turn one row's sums into probabilities, without those below `trim`; even where the sum is 0."""
    whole = 0.0
    for action in range(start, end):
        whole += total[action, x]
    kept = 0.0
    for action in range(start, end):
        if total[action, x] > trim * whole:
            kept += total[action, x]
    for action in range(start, end):
        if kept <= 0.0:
            strategy[action, x] = 1.0 / (end - start)
        else:
            strategy[action, x] = total[action, x] / kept if total[action, x] > trim * whole else 0.0


@compiled
def average(start, end, total, trim, strategy):
    """Turn sums into probabilities at a node, without those below `trim`; even where the sum is 0."""
    for x in range(total.shape[1]):
        average_row(start, end, x, total, trim, strategy)


@compiled
def _span(node, kids, starts, ends):
    """Fill the node ranges of a subtree's levels; return how many levels it has."""
    starts[0], ends[0] = node, node + 1
    depth = 1
    while depth < starts.shape[0]:
        low, high = kids[starts[depth - 1]], kids[ends[depth - 1]]
        if low >= high:
            break
        starts[depth], ends[depth] = low, high
        depth += 1
    return depth


@compiled
def _greatest_and_sum(numbers, count):
    greatest, whole = 0.0, 0.0
    for x in range(count):
        greatest = max(greatest, numbers[x])
        whole += numbers[x]
    return greatest, whole


@compiled
def _resolve(
    halt, deviator, limit, aim, trim, schedule, tree, starts, ends, payoffs, single, places, allowed, weight, may,
    anyway, belief, counts, strategy, regret, total, reach, value, after, entered, entry, found,
):  # fmt: skip
    """Solve the maximum margin game of a subtree and write both players' strategies in it.

    The deviator chooses with which observation to enter so as to gain most over `allowed`; the other, who
    has `belief`, holds the largest gain down. `weight` is the chance of each of the deviator's
    observations given `belief`, `may` says which of them can choose to enter, and `anyway` is the reach of
    those who come by mistake. `entered` is filled with how often each enters (the most frequent 1), `entry`
    with the reach that this makes (the largest 1), `found` with values and best responses.

    It ends after `limit` iterations, or at one of `CHECKED`, doubled again and again, where NashConv of the subtree
    under these beliefs is at most `aim`, or, with nothing filled, as soon as `halt[0]` is not 0.
    """
    mine, theirs, root = counts[deviator], counts[1 - deviator], starts[0]
    for level in range(starts.shape[0]):
        for action in range(tree.first[starts[level]], tree.first[ends[level]]):
            for x in range(regret.shape[1]):
                regret[action, x] = 0.0
                total[action, x] = 0.0
    usual, _ = _greatest_and_sum(weight, mine)
    most, _ = _greatest_and_sum(belief, theirs)  # beliefs can be far too small for float32
    likely, choice = np.zeros(mine, dtype=np.bool_), np.zeros(mine)
    gain, owed, summed = np.zeros(mine), np.zeros(mine), np.zeros(mine)
    number = 0
    for x in range(mine):
        likely[x] = weight[x] > UNLIKELY * usual and may[x]
        number += likely[x]
    for x in range(mine):
        choice[x] = 1.0 / number if likely[x] else 0.0
    checked = CHECKED
    for iteration in range(1, limit + 1):
        if read(halt, 0) != 0:
            return
        kept = discounts(iteration, schedule)
        keep, keep_total = kept
        for y in range(reach.shape[1]):
            reach[root, y] = belief[y] / most if y < theirs else 0.0
        update(deviator, kept, tree, starts, ends, single, places, regret, total, reach, value, after)
        mean, positive = 0.0, 0.0
        for x in range(mine):
            if likely[x]:
                gain[x] = (value[root, x] * most - allowed[x]) / weight[x]
                mean += choice[x] * gain[x]
        for x in range(mine):
            if likely[x]:
                owed[x] = max(owed[x] * keep + gain[x] - mean, 0.0)
                positive += owed[x]
        for x in range(mine):
            if likely[x] and positive > 0.0:
                choice[x] = owed[x] / positive
            summed[x] = summed[x] * keep_total + choice[x]
            entry[x] = choice[x] / max(weight[x], TINY)
        greatest, _ = _greatest_and_sum(entry, mine)
        for x in range(mine):
            entry[x] = anyway[x] + entry[x] / greatest
        greatest, _ = _greatest_and_sum(entry, mine)
        for x in range(reach.shape[1]):
            reach[root, x] = entry[x] / greatest if x < mine else 0.0
        update(1 - deviator, kept, tree, starts, ends, single, places, regret, total, reach, value, after)
        if iteration < checked and iteration < limit:
            continue
        checked *= 2
        greatest, _ = _greatest_and_sum(summed, mine)
        for x in range(mine):
            entered[x] = summed[x] / greatest if summed[x] >= trim * greatest else 0.0
            entry[x] = entered[x] / max(weight[x], TINY)
        greatest, _ = _greatest_and_sum(entry, mine)
        for x in range(mine):
            entry[x] /= greatest
        for level in range(starts.shape[0]):
            for node in range(starts[level], ends[level]):
                average(tree.first[node], tree.first[node + 1], total, trim, strategy)
        for x in range(reach.shape[1]):
            found.reach[deviator][root, x] = anyway[x] + entry[x] if x < mine else 0.0
            found.reach[1 - deviator][root, x] = belief[x] if x < theirs else 0.0
        evaluate(tree, starts, ends, payoffs, places, strategy, found)
        lost, mass = 0.0, 0.0
        for p in range(2):
            for x in range(reach.shape[1]):
                lost += found.reach[p][root, x] * (found.best[p][root, x] - found.own[p][root, x])
        for x in range(mine):
            mass += found.reach[deviator][root, x] * weight[x]
        if lost <= aim * mass:
            break


@compiled
def _chances(prior, actor, mine, theirs, belief, weight):
    """Fill the chance of each of the actor's observations under the belief about the other."""
    for x in range(mine):
        weight[x] = 0.0
        for y in range(theirs):
            weight[x] += (prior[x, y] if actor == 0 else prior[y, x]) * belief[y]


@compiled
def _drop_rare(start, end, mine, share, weight, belief, own, strategy):
    """Set to 0 the probabilities of a node's actions that are taken less than a `share` of the times.

    A row that only the other's mistakes lead to weighs nothing, and yet holds those mistakes off; it
    keeps an action that it plays for good.
    """
    usual, here = 0.0, 0.0
    for x in range(mine):
        usual = max(usual, weight[x])
        here += weight[x] * belief[x]
    for action in range(start, end):
        mass, guarded = 0.0, 0.0
        for x in range(mine):
            mass += weight[x] * belief[x] * strategy[action, x]
            if weight[x] <= SELDOM * usual:
                guarded = max(guarded, own[x] * strategy[action, x])
        if mass < share * here:
            for x in range(mine):
                if guarded <= SELDOM or weight[x] > SELDOM * usual:
                    strategy[action, x] = 0.0
    for x in range(mine):
        whole = 0.0
        for action in range(start, end):
            whole += strategy[action, x]
        for action in range(start, end):
            strategy[action, x] = strategy[action, x] / whole if whole > 0.0 else 0.0


@compiled
def complete(
    halt, rare, rare_inside, effort, aim, tremble, trim, slip, schedule, starts, ends, prior, tree, payoffs, single,
    places, counts, strategy, beliefs, own, entered_by, entries, regret, total, reach, value, after, allowed, found,
):  # fmt: skip
    """Walk down the tree and re-solve every subtree that the strategies do not enter, until `halt[0]` is not 0.

    `strategy` is updated. Filled are ``beliefs[p, node]``, each player's reach as believed;
    ``own[p, node]``, the reach by own actions since the last re-solved root, shapes (2, nodes, width);
    ``entered_by[node]``: 1 + the deviator at re-solved roots, else 0; and ``entries[node]``, the reach there of those
    who deviate on purpose, shape (nodes, width). `single` is `payoffs` in float32.
    `allowed`, shape as `beliefs`, the arrays from `regret` to `after` and `found` are overwritten.
    """
    player, first, child, kids = tree
    width = strategy.shape[1]
    low, high = np.zeros(starts.shape[0], dtype=np.int64), np.zeros(starts.shape[0], dtype=np.int64)
    inside = np.zeros(player.shape[0], dtype=np.bool_)
    weight, anyway, entered, entry = np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width)
    may, true = np.zeros(width, dtype=np.bool_), np.zeros_like(own)
    for p in range(2):
        for x in range(counts[p]):
            beliefs[p, 0, x] = 1.0
            own[p, 0, x] = 1.0
            true[p, 0, x] = 1.0
        for x in range(width):
            found.reach[p][0, x] = beliefs[p, 0, x]
    evaluate(tree, starts, ends, payoffs, places, strategy, found)
    for p in range(2):
        for x in range(width):
            allowed[p, 0, x] = found.best[p][0, x]
    for node in range(player.shape[0]):
        if read(halt, 0) != 0:
            return
        actor = player[node]
        if actor >= 0:
            other = 1 - actor
            mine, theirs = counts[actor], counts[other]
            _chances(prior, actor, mine, theirs, beliefs[other, node], weight)
            _drop_rare(
                first[node], first[node + 1], mine, rare_inside if inside[node] else rare, weight,
                beliefs[actor, node], own[actor, node], strategy,
            )  # fmt: skip
        for action in range(first[node], first[node + 1]):
            below = child[action]
            if below < 0:
                continue
            inside[below] = inside[node]
            for p in range(2):
                for x in range(width):
                    beliefs[p, below, x] = beliefs[p, node, x]
                    own[p, below, x] = own[p, node, x]
                    true[p, below, x] = true[p, node, x]
                    allowed[p, below, x] = found.best[p][below, x]
            if actor < 0:
                continue
            mass, most = 0.0, 0.0
            for x in range(mine):
                most = max(most, beliefs[actor, node, x])
                mass += weight[x] * beliefs[actor, node, x] * strategy[action, x]
                beliefs[actor, below, x] *= strategy[action, x] + slip
                own[actor, below, x] *= strategy[action, x]
                true[actor, below, x] *= strategy[action, x]
                # What the actor may gain below is what it may gain here: other actions are there to take.
                allowed[actor, below, x] = allowed[actor, node, x]
            if mass > 0.0:
                for y in range(theirs):
                    spare = (allowed[other, node, y] - found.best[other][node, y]) / (first[node + 1] - first[node])
                    allowed[other, below, y] += max(spare, 0.0)
                continue
            inside[below] = True
            entered_by[below] = 1 + actor
            depth = _span(below, kids, low, high)
            size = 0
            for level in range(depth):
                size += high[level] - low[level]
            limit = min(max(effort[0] // size, effort[1]), effort[2])
            true_other, _ = _greatest_and_sum(true[other, node], theirs)
            some, usual = False, 0.0
            for x in range(mine):
                usual = max(usual, weight[x])
            for x in range(mine):
                some = some or (weight[x] > UNLIKELY * usual and beliefs[actor, node, x] > UNLIKELY * most)
            for x in range(mine):
                # Where the other has left the path as well, who had left it before is not expected to do so again.
                may[x] = true_other > SELDOM or not some or beliefs[actor, node, x] > UNLIKELY * most
                anyway[x] = tremble * max(beliefs[actor, node, x] / most, LEAST)
            _resolve(
                halt, actor, limit, aim, trim, schedule, tree, low[:depth], high[:depth], payoffs, single, places,
                allowed[actor, below], weight, may, anyway, beliefs[other, below], counts, strategy, regret, total,
                reach, value, after, entered, entry, found,
            )  # fmt: skip
            for x in range(mine):
                entries[below, x] = entry[x]
                beliefs[actor, below, x] = anyway[x] + entry[x]
                own[actor, below, x] = entered[x]
            for p in range(2):
                for x in range(width):
                    allowed[p, below, x] = found.best[p][below, x]


@compiled
def believe(slip, tremble, tree, strategy, entered_by, entries, beliefs):
    """Take beliefs down the tree by Bayes' rule, mistakes included, to and through the roots of re-solved subtrees.

    At such a root those who deviate come first (`entries`, the most frequent 1), and then, a `tremble` of that, those
    whom Bayes' rule leads there. The largest belief of each node is 1.
    """
    width = strategy.shape[1]
    for node in range(tree.player.shape[0]):
        for action in range(tree.first[node], tree.first[node + 1]):
            below = tree.child[action]
            if below < 0:
                continue
            for p in range(2):
                most = 0.0
                for x in range(width):
                    belief = beliefs[p][node, x]
                    if tree.player[node] == p:
                        belief *= strategy[action, x] + slip
                    beliefs[p][below, x] = belief
                    most = max(most, belief)
                if entered_by[below] == 1 + p:
                    scale = tremble / most
                    most = 0.0
                    for x in range(width):
                        beliefs[p][below, x] = entries[below, x] + scale * beliefs[p][below, x]
                        most = max(most, beliefs[p][below, x])
                for x in range(width):
                    if beliefs[p][below, x] > 0.0:
                        beliefs[p][below, x] = max(beliefs[p][below, x] / most, FLOOR)


@compiled
def _arrive(root, other, slip, tree, places, strategy, entered_by, starts, ends, beliefs, dead, reach):
    """Take the other's reach from the root of a region down through all that play enters; return the levels below.

    `dead` marks the roots that play does not enter, and what lies below them; there nothing is filled.
    """
    zero, size = lanes(strategy, places), len(places)
    slips, least = everywhere(slip, zero), everywhere(FLOOR, zero)
    depth = _span(root, tree.kids, starts, ends)
    store(reach, root * size, load(beliefs[other], root * size, zero))
    dead[root] = False
    for level in range(depth):
        for node in range(starts[level], ends[level]):
            acts = tree.player[node] == other
            here = load(reach, node * size, zero)
            for action in range(tree.first[node], tree.first[node + 1]):
                below = tree.child[action]
                if below < 0:
                    continue
                dead[below] = dead[node]
                if dead[below]:
                    continue
                if entered_by[below] == 1 + other:
                    entered = 0.0
                    for x in range(size):
                        entered = max(entered, strategy[action, x])
                    dead[below] = entered <= 0.0
                if acts:
                    there = here * (load(strategy, action * size, zero) + slips)
                    # What is padded stays 0: payoffs there are 0 too, so that a floor would do no harm.
                    store(reach, below * size, where_above(there, least, there, least))
                else:
                    store(reach, below * size, here)
    return depth


@compiled
def _answer(
    mover, root, last, keep, keep_total, slip, tree, payoffs, places, strategy, region, depth, starts, ends, open_rows,
    beliefs, dead, regret, total, reach, value, after,
):  # fmt: skip
    """Let a player's open rows of a region learn for a round, or at last answer best where nobody believes in them.

    Return whether any row has changed its answer, at last.
    """
    zero, size = lanes(strategy, places), len(places)
    slips, half = everywhere(slip, zero), everywhere(0.5, zero)
    kept, sums_kept = everywhere(keep, zero), everywhere(keep_total, zero)
    changed = False
    for level in range(depth - 1, -1, -1):
        for node in range(ends[level] - 1, starts[level] - 1, -1):
            if dead[node]:
                continue
            start, end = tree.first[node], tree.first[node + 1]
            scratch = (end - start) * size
            acts = tree.player[node] == mover
            here, most = zero, everywhere(-np.inf, zero)
            for action in range(start, end):
                below = tree.child[action]
                if below < 0:
                    arrived = load(reach, node * size, zero)
                    if tree.player[node] == 1 - mover:
                        arrived = arrived * (load(strategy, action * size, zero) + slips)
                    store(after, scratch, arrived)
                    gained = at_end(payoffs, mover, ~below, after, scratch, zero)
                elif dead[below]:
                    gained = zero
                else:
                    gained = load(value, below * size, zero)
                store(after, (action - start) * size, gained)
                if acts:
                    here = here + load(strategy, action * size, zero) * gained
                    most = where_above(gained, most, gained, most)
                else:
                    here = here + gained
            if not acts or region[node] != root:
                store(value, node * size, here)
                continue
            is_open = load(open_rows, node * size, zero)
            if last:
                believed = 0.0
                for x in range(size):
                    believed = max(believed, beliefs[mover][node, x])
                belief = load(beliefs[mover], node * size, zero)
                is_open = where_above(belief, everywhere(UNLIKELY * believed, zero), zero, is_open)
                free = everywhere(1.0, zero)
                for action in range(start, end):
                    taken = where_above(most, load(after, (action - start) * size, zero), zero, free)
                    free = free - taken
                    before = load(strategy, action * size, zero)
                    store(after, scratch, where_above(is_open, half, taken, before) - before)
                    for x in range(size):
                        changed = changed or after[end - start, x] != 0.0
                    store(strategy, action * size, where_above(is_open, half, taken, before))
                store(value, node * size, where_above(is_open, half, most, here))
                continue
            store(value, node * size, here)
            whole = zero
            for action in range(start, end):
                place = action * size
                new = load(regret, place, zero) * kept + (load(after, place - start * size, zero) - here)
                new = where_above(new, zero, new, zero)
                store(regret, place, new)
                whole = whole + new
                store(total, place, load(total, place, zero) * sums_kept + load(strategy, place, zero))
            even = everywhere(1.0 / (end - start), zero)
            for action in range(start, end):
                place = action * size
                played = where_above(whole, zero, load(regret, place, zero) / whole, even)
                store(strategy, place, where_above(is_open, half, played, load(strategy, place, zero)))
    return changed


@compiled
def _regions(other, tree, entered_by, region):
    """Fill, for each node, where the belief about a player that holds there begins."""
    for node in range(tree.player.shape[0]):
        for action in range(tree.first[node], tree.first[node + 1]):
            below = tree.child[action]
            if below >= 0:
                region[below] = below if entered_by[below] == 1 + other else region[node]


@compiled
def settle(
    halt, rounds, trim, slip, tremble, schedule, levels, tree, payoffs, places, strategy, entered_by, entries,
    open_rows, beliefs, regret, total, reach, value, after,
):  # fmt: skip
    """Let both players learn the open rows against all others, until `halt[0]` is not 0.

    `strategy` and `beliefs` are updated.

    `open_rows`, shape (nodes, places), is 1 at the rows to learn and 0 elsewhere. `regret` and `total` start as
    zeros; they, `reach`, `value` and `after` are overwritten.
    """
    nodes, first = tree.player.shape[0], tree.first
    low, high = np.zeros(levels, dtype=np.int64), np.zeros(levels, dtype=np.int64)
    dead = np.zeros(nodes, dtype=np.bool_)
    region = np.zeros((2, nodes), dtype=np.int64)
    for mover in range(2):
        _regions(1 - mover, tree, entered_by, region[mover])
    for node in range(nodes):
        for action in range(first[node], first[node + 1]):
            for x in range(regret.shape[1]):
                if open_rows[node, x] > 0.0:
                    strategy[action, x] = 1.0 / (first[node + 1] - first[node])
    for iteration in range(1, rounds + LAST_ROUNDS + 1):
        if read(halt, 0) != 0:
            return
        last = iteration > rounds
        if iteration == rounds + 1:
            for node in range(nodes):
                for x in range(regret.shape[1]):
                    if open_rows[node, x] > 0.0:
                        average_row(first[node], first[node + 1], x, total, trim, strategy)
        keep, keep_total = discounts(iteration, schedule)
        changed = False
        for mover in range(2):
            believe(slip, tremble, tree, strategy, entered_by, entries, beliefs)
            for root in range(nodes - 1, -1, -1):
                if region[mover, root] != root:
                    continue
                depth = _arrive(
                    root, 1 - mover, slip, tree, places, strategy, entered_by, low, high, beliefs, dead, reach
                )
                changed |= _answer(
                    mover, root, last, keep, keep_total, slip, tree, payoffs, places, strategy, region[mover], depth,
                    low, high, open_rows, beliefs, dead, regret, total, reach, value, after,
                )  # fmt: skip
        if last and not changed:
            break
    believe(slip, tremble, tree, strategy, entered_by, entries, beliefs)


@compiled
def gains(node, player, believed, low, high, tree, payoffs, places, strategy, found, out):
    """Fill what a best response from a node on adds for each observation of a player, summed over what is `believed`.

    `believed` is the other's reach there, shape (places,). `low` and `high` are scratch space for the levels, and
    `found` is overwritten.
    """
    depth = _span(node, tree.kids, low, high)
    for x in range(strategy.shape[1]):
        found.reach[player][node, x] = 1.0
        found.reach[1 - player][node, x] = believed[x]
    evaluate(tree, low[:depth], high[:depth], payoffs, places, strategy, found)
    for x in range(strategy.shape[1]):
        out[x] = found.best[player][node, x] - found.own[player][node, x]
