"""Every compiled function of the solver, private.

All work on one hand: the arrays of a `solver.tree.PublicTree`, and arrays over (action, observation)
with one row an action and one column an observation of the player who acts there. ``payoff[o]`` is a
player's joint utility at outcome o: rows that player's observations, columns the opponent's, prior
included. Values are therefore counterfactual values, summed and not averaged over observations.

numba does not notice edits in other files; so nothing here is imported from elsewhere.
"""

import numpy as np
from numba import njit

TINY = 1e-150
"""Below this a reach or a regret is taken as 0: far under any gap, and denormal numbers are slow."""


@njit(cache=True, error_model="numpy", nogil=True)
def _reach_opponent(mover, player, first, child, strategy, reach, width):  # type: ignore[no-untyped-def]
    """Fill `reach` with the opponent's reach at every node (overwritten)."""
    for x in range(width):
        reach[0, x] = 1.0
    for node in range(player.shape[0]):
        here = reach[node]
        acts = player[node] == 1 - mover
        for action in range(first[node], first[node + 1]):
            below = child[action]
            if below >= 0:
                there = reach[below]
                if acts:
                    row = strategy[action]
                    for x in range(width):
                        there[x] = here[x] * row[x]
                else:
                    for x in range(width):
                        there[x] = here[x]


@njit(cache=True, error_model="numpy", nogil=True)
def _add_terminal(value, payoff, reach):  # type: ignore[no-untyped-def]
    """Add to `value` the counterfactual values of a terminal under the opponent's reach."""
    for y in range(payoff.shape[1]):
        weight = reach[y]
        if weight != 0.0:
            for x in range(payoff.shape[0]):
                value[x] += payoff[x, y] * weight


@njit(cache=True, error_model="numpy", nogil=True)
def evaluate(mover, best, player, first, child, payoff, strategy, reach, value):  # type: ignore[no-untyped-def]
    """Return a player's value against the other's strategy: own strategy, or the best response.

    `payoff` is transposed pairwise for speed of the inner loop: shape (outcomes, mover's, opponent's).
    `reach` and `value`, shape (nodes, width), are overwritten.
    """
    mine, theirs = payoff.shape[1], payoff.shape[2]
    _reach_opponent(mover, player, first, child, strategy, reach, theirs)
    after = np.zeros(mine)
    played = np.zeros(theirs)
    for node in range(player.shape[0] - 1, -1, -1):
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
                    played[y] = reach[node, y]
                if player[node] == 1 - mover:
                    for y in range(theirs):
                        played[y] *= strategy[action, y]
                for x in range(mine):
                    after[x] = 0.0
                _add_terminal(after, payoff[~below], played)
            if not own:
                for x in range(mine):
                    here[x] += after[x]
            elif best:
                for x in range(mine):
                    here[x] = max(here[x], after[x])
            else:
                for x in range(mine):
                    here[x] += strategy[action, x] * after[x]
    total = 0.0
    for x in range(mine):
        total += value[0, x]
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def _half_iteration(  # type: ignore[no-untyped-def]
    mover, player, first, child, payoff, regret, current, total, reach, value, after, keep, keep_loss, keep_total
):
    """Update `mover`'s regrets and current strategy, and the opponent's strategy sum, in place."""
    mine, theirs = payoff.shape[1], payoff.shape[2]
    for y in range(theirs):
        reach[0, y] = 1.0
    for node in range(player.shape[0]):
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
    for node in range(player.shape[0] - 1, -1, -1):
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
                    _add_terminal(gained, payoff[~below], reach[node])
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
                    _add_terminal(here, payoff[~below], played)


@njit(cache=True, error_model="numpy", nogil=True)
def iterate(  # type: ignore[no-untyped-def]
    start, end, halt, schedule, player, first, child, payoff1, payoff2, regret, current, total, reach, value, after
):
    """Run iterations `start` + 1 to `end` of discounted CFR; return the last one finished.

    `schedule` is (alpha, beta, gamma); `halt[0]` other than 0 stops after the iteration under way.
    `regret`, `current` and `total` are updated; `reach`, `value` and `after` are overwritten.
    """
    done = start
    for iteration in range(start + 1, end + 1):
        if halt[0] != 0:
            break
        before = float(iteration - 1)
        grown = before ** schedule[0]
        shrunk = before ** schedule[1]
        keep = grown / (grown + 1.0)
        keep_loss = shrunk / (shrunk + 1.0)
        keep_total = (before / iteration) ** schedule[2]
        _half_iteration(
            0, player, first, child, payoff1, regret, current, total, reach, value, after, keep, keep_loss, keep_total
        )
        _half_iteration(
            1, player, first, child, payoff2, regret, current, total, reach, value, after, keep, keep_loss, keep_total
        )
        done = iteration
    return done


@njit(cache=True, error_model="numpy", nogil=True)
def normalise(first, total, strategy):  # type: ignore[no-untyped-def]
    """Turn sums of strategies into probabilities; even where the sum is 0. `strategy` is overwritten."""
    for node in range(first.shape[0] - 1):
        start, end = first[node], first[node + 1]
        for x in range(total.shape[1]):
            whole = 0.0
            for action in range(start, end):
                whole += total[action, x]
            for action in range(start, end):
                strategy[action, x] = total[action, x] / whole if whole > 0.0 else 1.0 / (end - start)
