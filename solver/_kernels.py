"""Every compiled function of the solver, private.

All work on one hand: the arrays of a `solver.tree.PublicTree`, and arrays over (action, observation)
with one row an action and one column an observation of the player who acts there. ``payoffs[p, o]`` is
player p's joint utility at outcome o: rows p's observations, columns the other's, prior included, padded
with zeros; ``counts[p]`` says how many observations p has. Values are therefore counterfactual values,
summed and not averaged over observations.

`starts` and `ends` say which nodes of each level are worked on: all of them, or a subtree's (the
descendants of a node are side by side in every level).

numba does not notice edits in other files; so nothing here is imported from elsewhere.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

TINY = 1e-150
"""Below this a reach or a regret is taken as 0: far under any gap, and denormal numbers are slow."""

UNLIKELY = 1e-6
"""An observation below this part of the likeliest one is met by mistake only."""

SELDOM = 1e-2
"""Rows of observations below this part of the likeliest one are not judged by how often they are played."""


KEPT = True
"""Whether compiled code is kept for the next process."""


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at the first call, without keeping the code where there is no directory to keep it in."""
    global KEPT
    try:
        return njit(cache=True, error_model="numpy", nogil=True)(function)
    except RuntimeError:  # numba: "cannot cache function: no locator available"
        KEPT = False
        return njit(error_model="numpy", nogil=True)(function)


@compiled
def _add_terminal(value, payoff, reach, mine, theirs):  # type: ignore[no-untyped-def]
    """Add to `value` the counterfactual values of a terminal under the opponent's reach."""
    for y in range(theirs):
        weight = reach[y]
        if weight != 0.0:
            for x in range(mine):
                value[x] += payoff[x, y] * weight


@compiled
def evaluate(  # type: ignore[no-untyped-def]
    mover, best, starts, ends, root, player, first, child, payoffs, counts, strategy, reach, value
):
    """Fill `value` with a player's counterfactual values: own strategy, or the best response.

    `root` is the opponent's reach at the root. `reach` and `value`, shape (nodes, width), are overwritten
    where the subtree is.
    """
    mine, theirs = counts[mover], counts[1 - mover]
    for y in range(theirs):
        reach[starts[0], y] = root[y]
    for level in range(starts.shape[0]):
        for node in range(starts[level], ends[level]):
            for action in range(first[node], first[node + 1]):
                below = child[action]
                if below >= 0:
                    for y in range(theirs):
                        played = strategy[action, y] if player[node] == 1 - mover else 1.0
                        reach[below, y] = reach[node, y] * played
    after = np.zeros(mine)
    played = np.zeros(theirs)
    for level in range(starts.shape[0] - 1, -1, -1):
        for node in range(starts[level], ends[level]):
            here = value[node]
            own = player[node] == mover
            for x in range(mine):
                here[x] = -np.inf if own and best else 0.0
            for action in range(first[node], first[node + 1]):
                below = child[action]
                if below >= 0:
                    for x in range(mine):
                        after[x] = value[below, x]
                else:
                    for y in range(theirs):
                        acted = strategy[action, y] if player[node] == 1 - mover else 1.0
                        played[y] = reach[node, y] * acted
                    for x in range(mine):
                        after[x] = 0.0
                    _add_terminal(after, payoffs[mover, ~below], played, mine, theirs)
                for x in range(mine):
                    if not own:
                        here[x] += after[x]
                    elif best:
                        here[x] = max(here[x], after[x])
                    else:
                        here[x] += strategy[action, x] * after[x]


@compiled
def _half_iteration(  # type: ignore[no-untyped-def]
    mover, starts, ends, root, player, first, child, payoffs, counts, regret, current, total, reach, value, after,
    keep, keep_loss, keep_total,
):  # fmt: skip
    """Update `mover`'s regrets and current strategy, and the opponent's strategy sum, in place."""
    mine, theirs = counts[mover], counts[1 - mover]
    for y in range(theirs):
        reach[starts[0], y] = root[y]
    for level in range(starts.shape[0]):
        for node in range(starts[level], ends[level]):
            here = reach[node]
            if player[node] == 1 - mover:
                for action in range(first[node], first[node + 1]):
                    row = current[action]
                    summed = total[action]
                    below = child[action]
                    if below >= 0:
                        there = reach[below]
                        for y in range(theirs):
                            played = here[y] * row[y]
                            played = played if played > TINY else 0.0
                            there[y] = played
                            summed[y] = summed[y] * keep_total + played
                    else:
                        for y in range(theirs):
                            summed[y] = summed[y] * keep_total + here[y] * row[y]
            else:
                for action in range(first[node], first[node + 1]):
                    below = child[action]
                    if below >= 0:
                        there = reach[below]
                        for y in range(theirs):
                            there[y] = here[y]
    for level in range(starts.shape[0] - 1, -1, -1):
        for node in range(starts[level], ends[level]):
            start, end = first[node], first[node + 1]
            here = value[node]
            for x in range(mine):
                here[x] = 0.0
            if player[node] == mover:
                for action in range(start, end):
                    below = child[action]
                    gained = after[action - start]
                    if below >= 0:
                        there = value[below]
                        for x in range(mine):
                            gained[x] = there[x]
                    else:
                        for x in range(mine):
                            gained[x] = 0.0
                        _add_terminal(gained, payoffs[mover, ~below], reach[node], mine, theirs)
                    row = current[action]
                    for x in range(mine):
                        here[x] += row[x] * gained[x]
                positive = after[end - start]
                for x in range(mine):
                    positive[x] = 0.0
                for action in range(start, end):
                    gained = after[action - start]
                    old = regret[action]
                    row = current[action]
                    for x in range(mine):
                        new = old[x] * (keep if old[x] > 0.0 else keep_loss) + gained[x] - here[x]
                        new = new if abs(new) > TINY else 0.0
                        old[x] = new
                        row[x] = new if new > 0.0 else 0.0
                        positive[x] += row[x]
                even = 1.0 / (end - start)
                for action in range(start, end):
                    row = current[action]
                    for x in range(mine):
                        row[x] = row[x] / positive[x] if positive[x] > 0.0 else even
            else:
                acts = player[node] == 1 - mover
                for action in range(start, end):
                    below = child[action]
                    if below >= 0:
                        there = value[below]
                        for x in range(mine):
                            here[x] += there[x]
                    else:
                        played = after[0]
                        for y in range(theirs):
                            played[y] = reach[node, y] * current[action, y] if acts else reach[node, y]
                        _add_terminal(here, payoffs[mover, ~below], played, mine, theirs)


@compiled
def _discounts(iteration, schedule):  # type: ignore[no-untyped-def]
    """Return what is kept of positive regrets, negative regrets and strategy sums at an iteration."""
    before = float(iteration - 1)
    grown = before ** schedule[0]
    shrunk = before ** schedule[1]
    return grown / (grown + 1.0), shrunk / (shrunk + 1.0), (before / iteration) ** schedule[2]


@compiled
def iterate(  # type: ignore[no-untyped-def]
    start, end, halt, schedule, starts, ends, ones, player, first, child, payoffs, counts,
    regret, current, total, reach, value, after,
):  # fmt: skip
    """Run iterations `start` + 1 to `end` of discounted CFR; return the last one finished.

    `schedule` is (alpha, beta, gamma); `halt[0]` other than 0 stops after the iteration under way; `ones`
    is the reach of both players at the root. `regret`, `current` and `total` are updated; `reach`, `value`
    and `after` are overwritten.
    """
    done = start
    for iteration in range(start + 1, end + 1):
        if halt[0] != 0:
            break
        keep, keep_loss, keep_total = _discounts(iteration, schedule)
        for mover in range(2):
            _half_iteration(
                mover, starts, ends, ones, player, first, child, payoffs, counts, regret, current, total,
                reach, value, after, keep, keep_loss, keep_total,
            )  # fmt: skip
        done = iteration
    return done


@compiled
def average(start, end, total, trim, strategy):  # type: ignore[no-untyped-def]
    """Turn sums into probabilities at a node, without those below `trim`; even where the sum is 0."""
    for x in range(total.shape[1]):
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
def normalise(first, total, strategy):  # type: ignore[no-untyped-def]
    """Turn sums of strategies into probabilities everywhere; `strategy` is overwritten."""
    for node in range(first.shape[0] - 1):
        average(first[node], first[node + 1], total, 0.0, strategy)


# The completion of a strategy: see `solver.completion` for what it does and why.


@compiled
def _span(node, kids, starts, ends):  # type: ignore[no-untyped-def]
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
def _resolve(  # type: ignore[no-untyped-def]
    deviator, limit, tremble, trim, schedule, starts, ends, allowed, weight, belief, player, first, child,
    payoffs, counts, strategy, regret, current, total, reach, value, after, entered, entry,
):  # fmt: skip
    """Solve the maximum margin game of a subtree and write both players' strategies in it.

    The deviator chooses with which observation to enter so as to gain most over `allowed`; the other, who
    has `belief`, holds the largest gain down. `weight` is the chance of each of the deviator's
    observations given `belief`. `entered` is filled with how often each enters (the most frequent 1),
    `entry` with the belief about the deviator, mistakes included.
    """
    mine = counts[deviator]
    for level in range(starts.shape[0]):
        for node in range(starts[level], ends[level]):
            for action in range(first[node], first[node + 1]):
                for x in range(regret.shape[1]):
                    regret[action, x] = 0.0
                    total[action, x] = 0.0
                    current[action, x] = 1.0 / (first[node + 1] - first[node])
    likely = weight[:mine] > UNLIKELY * weight[:mine].max()
    every = weight[:mine].sum()
    choice = likely / likely.sum()
    gain, owed, summed = np.zeros(mine), np.zeros(mine), np.zeros(mine)
    for iteration in range(1, limit + 1):
        keep, keep_loss, keep_total = _discounts(iteration, schedule)
        for turn in range(2):
            mover = deviator if turn == 0 else 1 - deviator
            _half_iteration(
                mover, starts, ends, belief if turn == 0 else entry, player, first, child, payoffs, counts,
                regret, current, total, reach, value, after, keep, keep_loss, keep_total,
            )  # fmt: skip
            if turn == 1:
                continue
            mean, positive = 0.0, 0.0
            for x in range(mine):
                if likely[x]:
                    gain[x] = (value[starts[0], x] - allowed[x]) / weight[x]
                    mean += choice[x] * gain[x]
            for x in range(mine):
                if likely[x]:
                    owed[x] = owed[x] * (keep if owed[x] > 0.0 else keep_loss) + gain[x] - mean
                    positive += max(owed[x], 0.0)
            for x in range(mine):
                if likely[x] and positive > 0.0:
                    choice[x] = max(owed[x], 0.0) / positive
                summed[x] = summed[x] * keep_total + choice[x]
                entry[x] = (1.0 - tremble) * choice[x] / max(weight[x], TINY) + tremble / every
    for x in range(mine):
        if summed[x] < trim * summed.max():
            summed[x] = 0.0
    for x in range(mine):
        entered[x] = summed[x] / summed.max()
        entry[x] = (1.0 - tremble) * summed[x] / summed.sum() / max(weight[x], TINY) + tremble / every
    for level in range(starts.shape[0]):
        for node in range(starts[level], ends[level]):
            average(first[node], first[node + 1], total, trim, strategy)


@compiled
def _chances(prior, actor, mine, theirs, belief, weight):  # type: ignore[no-untyped-def]
    """Fill the chance of each of the actor's observations under the belief about the other."""
    for x in range(mine):
        weight[x] = 0.0
        for y in range(theirs):
            weight[x] += (prior[x, y] if actor == 0 else prior[y, x]) * belief[y]


@compiled
def _drop_rare(start, end, mine, share, weight, belief, own, strategy):  # type: ignore[no-untyped-def]
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
def complete(  # type: ignore[no-untyped-def]
    rare, rare_inside, effort, tremble, trim, slip, schedule, starts, ends, kids, prior, player, first, child, payoffs,
    counts, strategy, beliefs, own, entered_by, regret, current, total, reach, value, after, allowed, best,
):  # fmt: skip
    """Walk down the tree and re-solve every subtree that the strategies do not enter.

    `strategy` is updated. Filled are ``beliefs[p, node]``, each player's reach as believed;
    ``own[p, node]``, the reach by own actions since the last re-solved root, shapes (2, nodes, width); and
    ``entered_by[node]``: 1 + the deviator at re-solved roots, else 0. `allowed` and `best`, shape as
    `beliefs`, and the arrays from `regret` to `after` are overwritten.
    """
    width = strategy.shape[1]
    low, high = np.zeros(starts.shape[0], dtype=np.int64), np.zeros(starts.shape[0], dtype=np.int64)
    inside = np.zeros(player.shape[0], dtype=np.bool_)
    weight, entered, entry = np.zeros(width), np.zeros(width), np.zeros(width)
    for p in range(2):
        for x in range(counts[p]):
            beliefs[p, 0, x] = 1.0
            own[p, 0, x] = 1.0
    for p in range(2):
        evaluate(
            p, True, starts, ends, beliefs[1 - p, 0], player, first, child, payoffs, counts, strategy, reach, best[p]
        )
        allowed[p, 0] = best[p, 0]
    for node in range(player.shape[0]):
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
                beliefs[p, below] = beliefs[p, node]
                own[p, below] = own[p, node]
                allowed[p, below] = best[p, below]
            if actor < 0:
                continue
            mass = 0.0
            for x in range(mine):
                mass += weight[x] * beliefs[actor, node, x] * strategy[action, x]
                beliefs[actor, below, x] *= strategy[action, x] + slip
                own[actor, below, x] *= strategy[action, x]
                # What the actor may gain below is what it may gain here: other actions are there to take.
                allowed[actor, below, x] = allowed[actor, node, x]
            if mass > 0.0:
                for y in range(theirs):
                    spare = (allowed[other, node, y] - best[other, node, y]) / (first[node + 1] - first[node])
                    allowed[other, below, y] += max(spare, 0.0)
                continue
            inside[below] = True
            entered_by[below] = 1 + actor
            depth = _span(below, kids, low, high)
            size = (high[:depth] - low[:depth]).sum()
            limit = min(max(effort[0] // size, effort[1]), effort[2])
            _resolve(
                actor, limit, tremble, trim, schedule, low[:depth], high[:depth], allowed[actor, below], weight,
                beliefs[other, below], player, first, child, payoffs, counts, strategy, regret, current, total,
                reach, value, after, entered, entry,
            )  # fmt: skip
            for x in range(mine):
                beliefs[actor, below, x] = entry[x]
                own[actor, below, x] = entered[x]
            for p in range(2):
                evaluate(
                    p, True, low[:depth], high[:depth], beliefs[1 - p, below], player, first, child, payoffs, counts,
                    strategy, reach, best[p],
                )  # fmt: skip
                allowed[p, below] = best[p, below]


@compiled
def believe(slip, player, first, child, counts, strategy, entered_by, beliefs):  # type: ignore[no-untyped-def]
    """Take beliefs down the tree by Bayes' rule, mistakes included; those at re-solved roots stay."""
    for node in range(player.shape[0]):
        for action in range(first[node], first[node + 1]):
            below = child[action]
            if below < 0:
                continue
            for p in range(2):
                if entered_by[below] != 1 + p:
                    for x in range(counts[p]):
                        played = strategy[action, x] + slip if player[node] == p else 1.0
                        beliefs[p, below, x] = beliefs[p, node, x] * played


@compiled
def settle(  # type: ignore[no-untyped-def]
    rounds, trim, slip, schedule, player, first, child, payoffs, counts, strategy, entered_by, open_rows, beliefs,
    regret, total, value, after,
):  # fmt: skip
    """Let both players learn the open rows against all others; `strategy` and `beliefs` are updated.

    `open_rows`, shape (nodes, width), is other than 0 at the rows to learn. `regret`, `total`, `value` and
    `after` are overwritten.
    """
    for node in range(player.shape[0]):
        for action in range(first[node], first[node + 1]):
            for x in range(regret.shape[1]):
                regret[action, x] = 0.0
                total[action, x] = 0.0
                if open_rows[node, x]:
                    strategy[action, x] = 1.0 / (first[node + 1] - first[node])
    played = np.zeros(regret.shape[1])
    for iteration in range(1, rounds + 1):
        keep, keep_loss, keep_total = _discounts(iteration, schedule)
        for mover in range(2):
            believe(slip, player, first, child, counts, strategy, entered_by, beliefs)
            mine, theirs = counts[mover], counts[1 - mover]
            for node in range(player.shape[0] - 1, -1, -1):
                start, end = first[node], first[node + 1]
                here = value[node]
                for x in range(mine):
                    here[x] = 0.0
                for action in range(start, end):
                    below = child[action]
                    gained = after[action - start]
                    for x in range(mine):
                        gained[x] = value[below, x] if below >= 0 else 0.0
                    if below < 0:
                        for y in range(theirs):
                            acted = strategy[action, y] + slip if player[node] == 1 - mover else 1.0
                            played[y] = beliefs[1 - mover, node, y] * acted
                        _add_terminal(gained, payoffs[mover, ~below], played, mine, theirs)
                    if player[node] == mover:
                        for x in range(mine):
                            here[x] += strategy[action, x] * gained[x]
                    elif below < 0 or entered_by[below] != 2 - mover:
                        # What the other never enters has beliefs of its own and counts nothing here.
                        for x in range(mine):
                            here[x] += gained[x]
                if player[node] != mover:
                    continue
                for x in range(mine):
                    if not open_rows[node, x]:
                        continue
                    positive = 0.0
                    for action in range(start, end):
                        old = regret[action, x]
                        new = old * (keep if old > 0.0 else keep_loss) + after[action - start, x] - here[x]
                        regret[action, x] = new
                        positive += max(new, 0.0)
                        total[action, x] = total[action, x] * keep_total + strategy[action, x]
                    for action in range(start, end):
                        even = 1.0 / (end - start)
                        strategy[action, x] = max(regret[action, x], 0.0) / positive if positive > 0.0 else even
    for node in range(player.shape[0]):
        for x in range(regret.shape[1]):
            if open_rows[node, x]:
                kept, whole = 0.0, 0.0
                for action in range(first[node], first[node + 1]):
                    whole += total[action, x]
                for action in range(first[node], first[node + 1]):
                    if total[action, x] < trim * whole:
                        total[action, x] = 0.0
                    kept += total[action, x]
                for action in range(first[node], first[node + 1]):
                    if kept > 0.0:
                        strategy[action, x] = total[action, x] / kept
    believe(slip, player, first, child, counts, strategy, entered_by, beliefs)


@compiled
def lose(  # type: ignore[no-untyped-def]
    starts, ends, kids, prior, player, first, child, payoffs, counts, strategy, beliefs, reach, value, losses
):
    """Fill what each row of the player who acts loses from there on, under its belief, to a best response.

    `losses` has shape (nodes, width) and starts as zeros; `reach` and `value` are overwritten.
    """
    low, high = np.zeros(starts.shape[0], dtype=np.int64), np.zeros(starts.shape[0], dtype=np.int64)
    weight = np.zeros(strategy.shape[1])
    for node in range(player.shape[0]):
        actor = player[node]
        if actor < 0:
            continue
        depth = _span(node, kids, low, high)
        belief = beliefs[1 - actor, node]
        _chances(prior, actor, counts[actor], counts[1 - actor], belief, weight)
        for best in (True, False):
            evaluate(
                actor, best, low[:depth], high[:depth], belief, player, first, child, payoffs, counts, strategy,
                reach, value,
            )  # fmt: skip
            for x in range(counts[actor]):
                losses[node, x] += (1.0 if best else -1.0) * value[node, x] / weight[x]
