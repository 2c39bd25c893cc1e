"""The compiled core of the solver, private: discounted CFR+, and the measure of what it found, in columns.

See `solver.trees.column_layout` for how regrets, sums, reach and values stand in memory. ``payoffs[p, o, y, x]``, with
a number for each lane, is player p's joint utility, prior included, at outcome o with the own observation x when the
other's is y; so values are counterfactual values, summed and not averaged over observations.
"""

import os
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from solver.kernels.rows import discounts
from solver.kernels.vectors import (
    LANES_EACH,
    arrive,
    claim,
    compiled,
    everywhere,
    lanes,
    load,
    multiply,
    read,
    smallest,
    store,
    where_above,
)
from solver.trees.column_layout import COUNT

WIDE = (0,) * COUNT
"""As long as a vector."""

PATIENCE = 1_000
"""How often a thread looks whether the others have come before it lets other threads of the machine run."""

CLAIMED, FINISHED, OPENED, CLOSED = 0, 8, 16, 24
"""Counters in a meeting, each in a cache line of its own; see `meeting`."""

WHOLE = 2
"""How long `solver.trees.column_layout.Groups.forest` is for a tree that is not cut."""

if os.name == "posix":
    _let_others_run = types.ExternalFunction("sched_yield", types.intc())
else:

    @compiled
    def _let_others_run():
        return 0


def meeting() -> NDArray[np.int64]:
    """Return what threads that begin to work on one engine share, to know what is to be done next.

    A player's turn is a phase. In it each forest is worked on by the thread that claims its ticket: tickets
    are numbers that go on from phase to phase. The thread that finishes a phase's last forest works on the
    top, and opens the next phase. So no thread waits for one that has not begun or is held up between two
    forests, and who worked on what changes nothing. There is a ticket before all others, to open the first phase.
    """
    counters = np.zeros(32, dtype=np.int64)
    counters[[CLAIMED, FINISHED]] = -1
    return counters


class Columns(NamedTuple):
    """What is overwritten while a forest is worked through: reach and value, shape (observations, columns).

    `after` holds values by action, shape (actions + 3, observations, `COUNT`).
    """

    reach: NDArray[np.float32]
    value: NDArray[np.float32]
    after: NDArray[np.float32]


class Measured(NamedTuple):
    """The same for a measurement: each player's reach, P1's value and each player's best response.

    `reach` and `value` are tuples of two and of three, shape (observations, columns); `after` has shape
    (actions + 3, observations, `COUNT`).
    """

    reach: tuple[NDArray[np.float64], NDArray[np.float64]]
    value: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
    after: NDArray[np.float64]


@compiled
def _matrix(payoffs, player, outcome):
    """Return where the payoffs of a player at an outcome begin."""
    start = (player * payoffs.shape[1] + outcome) * payoffs.shape[2] * payoffs.shape[3]
    return start * COUNT if payoffs.ndim == LANES_EACH else start


@compiled
def _go_down(mover, groups, forest, payoffs, size, regret, total, keep_total, columns):
    """Take the reach of `mover`'s opponent down a forest, and update the opponent's sums of strategies.

    `mover`'s values where the opponent or chance ends the hand are left in the values of their groups.
    """
    reach, value, after = columns
    zero = lanes(regret, WIDE)
    tiny, keep = smallest(zero), everywhere(keep_total, zero)
    observations, step = payoffs.shape[2], reach.shape[1]
    for group in range(groups.forest[forest], groups.forest[forest + 1]):
        first, moves = groups.action[group], groups.action[group + 1] - groups.action[group]
        even = everywhere(1.0 / max(moves, 1), zero)
        acts = groups.player[group] == 1 - mover
        for vector in range(groups.vectors[group]):
            here = groups.column[group] + vector * COUNT
            start = (groups.row[group] + vector * moves * observations) * COUNT
            if groups.player[group] == mover:
                for move in range(moves):
                    below = groups.target[first + move]
                    if below >= 0:
                        for x in range(observations):
                            store(reach, x * step + below + vector * COUNT, load(reach, x * step + here, zero))
                continue
            for x in range(observations):
                store(value, x * step + here, zero)
            if acts:
                for x in range(observations):
                    whole = zero
                    for move in range(moves):
                        whole = whole + load(regret, start + (move * observations + x) * COUNT, zero)
                    arrived = load(reach, x * step + here, zero)
                    store(after, x * COUNT, where_above(whole, zero, arrived / whole, zero))
                    store(after, (observations + x) * COUNT, where_above(whole, zero, zero, arrived * even))
            for move in range(moves):
                below = groups.target[first + move]
                place = start + move * observations * COUNT
                for x in range(observations):
                    if acts:
                        scale, added = load(after, x * COUNT, zero), load(after, (observations + x) * COUNT, zero)
                        played = load(regret, place + x * COUNT, zero) * scale + added
                        played = where_above(played, tiny, played, zero)
                        store(total, place + x * COUNT, load(total, place + x * COUNT, zero) * keep + played)
                    else:
                        played = load(reach, x * step + here, zero)
                    if below >= 0:
                        store(reach, x * step + below + vector * COUNT, played)
                    else:
                        store(after, (2 * observations + x) * COUNT, played)
                if below < 0:
                    matrix = _matrix(payoffs, mover, ~below)
                    multiply(
                        payoffs, matrix, after, 2 * observations * COUNT, COUNT, value, here, step, size, (1,), zero
                    )


@compiled
def _go_up(mover, groups, forest, payoffs, size, regret, keep, columns):
    """Take `mover`'s values up a forest, and update `mover`'s regrets."""
    reach, value, after = columns
    zero = lanes(regret, WIDE)
    tiny = smallest(zero)
    kept = everywhere(keep, zero)
    observations, step = payoffs.shape[2], reach.shape[1]
    for group in range(groups.forest[forest + 1] - 1, groups.forest[forest] - 1, -1):
        first, moves = groups.action[group], groups.action[group + 1] - groups.action[group]
        if moves == 0:
            continue
        even = everywhere(1.0 / moves, zero)
        for vector in range(groups.vectors[group]):
            here = groups.column[group] + vector * COUNT
            start = (groups.row[group] + vector * moves * observations) * COUNT
            if groups.player[group] != mover:
                for move in range(moves):
                    below = groups.target[first + move]
                    if below >= 0:
                        for x in range(observations):
                            place = x * step + here
                            added = load(value, x * step + below + vector * COUNT, zero)
                            store(value, place, load(value, place, zero) + added)
                continue
            for move in range(moves):
                below = groups.target[first + move]
                if below >= 0:
                    for x in range(observations):
                        gained = load(value, x * step + below + vector * COUNT, zero)
                        store(after, (move * observations + x) * COUNT, gained)
                else:
                    matrix, place = _matrix(payoffs, mover, ~below), move * observations * COUNT
                    multiply(payoffs, matrix, reach, here, step, after, place, COUNT, size, (), zero)
            for x in range(observations):
                whole, mixed, plain = zero, zero, zero
                for move in range(moves):
                    weight = load(regret, start + (move * observations + x) * COUNT, zero)
                    gained = load(after, (move * observations + x) * COUNT, zero)
                    whole = whole + weight
                    mixed = mixed + weight * gained
                    plain = plain + gained
                worth = where_above(whole, zero, mixed / whole, plain * even)
                store(value, x * step + here, worth)
                for move in range(moves):
                    place = start + (move * observations + x) * COUNT
                    gained = load(after, (move * observations + x) * COUNT, zero)
                    new = load(regret, place, zero) * kept + (gained - worth)
                    # Denormal numbers are slow: what is far under any gap is 0.
                    new = where_above(new, tiny, new, zero)
                    store(regret, place, new)


@compiled
def _claim(meeting, forests):
    """Return the ticket of the next forest, as soon as it may be worked on; less than -1 where no more will be."""
    looks = 0
    while read(meeting, CLOSED) == 0:
        ticket = read(meeting, CLAIMED)
        if ticket < read(meeting, OPENED) * forests and claim(meeting, CLAIMED, ticket):
            return ticket
        looks += 1
        if looks > PATIENCE:
            _let_others_run()
    return -2


@compiled
def _carry(groups, forest, hands, sources, sinks, down):
    """Copy what stands at a forest's roots from the top to the forest, or back up."""
    for root in range(groups.root[forest], groups.root[forest + 1]):
        top, own = groups.root_top[root], groups.root_column[root]
        for x in range(sources.shape[0]):
            for hand in range(hands):
                if down:
                    sinks[x, own + hand] = sources[x, top + hand]
                else:
                    sinks[x, top + hand] = sources[x, own + hand]


@compiled
def iterate(meeting, start, end, halt, schedule, groups, hands, payoffs, size, regret, total, top, own):
    """Run iterations `start` + 1 to `end` of discounted CFR+; return the last one finished.

    Any number of threads call this at about the same time, with one `meeting` (see there). `halt[0]` other
    than 0 stops after the iteration under way. `schedule` is (alpha, gamma), `size` a tuple as long as there
    are observations. `regret` and `total` are updated. `top`, shared, and `own`, the thread's, are
    overwritten, but for the reach at the root, in the first `hands` columns of the top.
    """
    whole = groups.forest.shape[0] == WHOLE
    forests = max(1, groups.forest.shape[0] - WHOLE)
    while True:
        ticket = _claim(meeting, forests)
        if ticket < -1:
            return start + read(meeting, OPENED) // 2
        phase = ticket // forests
        mover = phase % 2
        keep, keep_total = discounts(start + 1 + phase // 2, schedule)
        if ticket >= 0 and not whole:
            forest = 1 + ticket % forests
            _carry(groups, forest, hands, top.reach, own.reach, True)
            _go_down(mover, groups, forest, payoffs, size, regret, total, keep_total, own)
            _go_up(mover, groups, forest, payoffs, size, regret, keep, own)
            _carry(groups, forest, hands, own.value, top.value, False)
        if arrive(meeting, FINISHED) == (phase + 1) * forests:
            if phase >= 0:
                _go_up(mover, groups, 0, payoffs, size, regret, keep, top)
            if mover == 1 and (start + (phase + 1) // 2 == end or read(halt, 0) != 0):
                arrive(meeting, CLOSED)
                continue
            _, keep_total = discounts(start + 1 + (phase + 1) // 2, schedule)
            _go_down(1 - mover, groups, 0, payoffs, size, regret, total, keep_total, top)
            arrive(meeting, OPENED)


@compiled
def _probabilities(weights, start, moves, observations, after, zero):
    """Fill `after` with a vector of nodes' probabilities, by action and observation."""
    even = everywhere(1.0 / max(moves, 1), zero)
    for x in range(observations):
        whole = zero
        for move in range(moves):
            whole = whole + load(weights, start + (move * observations + x) * COUNT, zero)
        for move in range(moves):
            place = (move * observations + x) * COUNT
            weight = load(weights, start + place, zero)
            store(after, place, where_above(whole, zero, weight / whole, even))


@compiled
def _spread(groups, forest, observations, weights, columns):
    """Take both players' reach down a forest."""
    reach, _, after = columns
    zero = lanes(after, WIDE)
    step = reach[0].shape[1]
    for group in range(groups.forest[forest], groups.forest[forest + 1]):
        first, moves, actor = (
            groups.action[group],
            groups.action[group + 1] - groups.action[group],
            groups.player[group],
        )
        for vector in range(groups.vectors[group]):
            here = groups.column[group] + vector * COUNT
            if actor >= 0:
                start = (groups.row[group] + vector * moves * observations) * COUNT
                _probabilities(weights, start, moves, observations, after, zero)
            for move in range(moves):
                below = groups.target[first + move] + vector * COUNT
                if groups.target[first + move] < 0:
                    continue
                for x in range(observations):
                    one, two = load(reach[0], x * step + here, zero), load(reach[1], x * step + here, zero)
                    if actor == 0:
                        one = one * load(after, (move * observations + x) * COUNT, zero)
                    elif actor == 1:
                        two = two * load(after, (move * observations + x) * COUNT, zero)
                    store(reach[0], x * step + below, one)
                    store(reach[1], x * step + below, two)


@compiled
def _gather(groups, forest, payoffs, size, weights, columns):
    """Take P1's value and both players' best responses up a forest."""
    reach, value, after = columns
    zero = lanes(after, WIDE)
    least = everywhere(-np.inf, zero)
    observations, step = payoffs.shape[2], reach[0].shape[1]
    for group in range(groups.forest[forest + 1] - 1, groups.forest[forest] - 1, -1):
        first, moves, actor = (
            groups.action[group],
            groups.action[group + 1] - groups.action[group],
            groups.player[group],
        )
        if moves == 0:
            continue
        played = moves * observations * COUNT  # where the reach of the one who acts stands, action by action
        ended = (played + observations * COUNT, played + 2 * observations * COUNT)
        for vector in range(groups.vectors[group]):
            here = groups.column[group] + vector * COUNT
            if actor >= 0:
                start = (groups.row[group] + vector * moves * observations) * COUNT
                _probabilities(weights, start, moves, observations, after, zero)
            for x in range(observations):
                store(value[0], x * step + here, zero)
                store(value[1], x * step + here, least if actor == 0 else zero)
                store(value[2], x * step + here, least if actor == 1 else zero)
            for move in range(moves):
                below = groups.target[first + move]
                if below < 0:
                    for player in range(2):
                        for x in range(observations):
                            other = load(reach[1 - player], x * step + here, zero)
                            if actor == 1 - player:
                                other = other * load(after, (move * observations + x) * COUNT, zero)
                            store(after, played + x * COUNT, other)
                        matrix = _matrix(payoffs, player, ~below)
                        multiply(payoffs, matrix, after, played, COUNT, after, ended[player], COUNT, size, (), zero)
                for x in range(observations):
                    place = x * step + here
                    if below >= 0:
                        child = x * step + below + vector * COUNT
                        own, one, two = (
                            load(value[0], child, zero),
                            load(value[1], child, zero),
                            load(value[2], child, zero),
                        )
                    else:
                        one, two = load(after, ended[0] + x * COUNT, zero), load(after, ended[1] + x * COUNT, zero)
                        own = one
                    old_one, old_two = load(value[1], place, zero), load(value[2], place, zero)
                    if actor == 0:
                        own = own * load(after, (move * observations + x) * COUNT, zero)
                        one = where_above(one, old_one, one, old_one)
                    else:
                        one = one + old_one
                    two = where_above(two, old_two, two, old_two) if actor == 1 else two + old_two
                    store(value[0], place, load(value[0], place, zero) + own)
                    store(value[1], place, one)
                    store(value[2], place, two)


@compiled
def measure(meeting, groups, hands, payoffs, size, weights, top, own):
    """Evaluate the profile that positive `weights` are in proportion to, shared as in `iterate`.

    The values of the top's first columns are P1's own value and both players' best responses, by observation.
    Return whether this thread was the last to work, and they stand there now.
    """
    whole = groups.forest.shape[0] == WHOLE
    forests = max(1, groups.forest.shape[0] - WHOLE)
    last = False
    while True:
        ticket = _claim(meeting, forests)
        if ticket < -1:
            return last
        if ticket >= 0 and not whole:
            forest = 1 + ticket
            for player in range(2):
                _carry(groups, forest, hands, top.reach[player], own.reach[player], True)
            _spread(groups, forest, payoffs.shape[2], weights, own)
            _gather(groups, forest, payoffs, size, weights, own)
            for kind in range(3):
                _carry(groups, forest, hands, own.value[kind], top.value[kind], False)
        finished = arrive(meeting, FINISHED)
        if finished == 0:
            _spread(groups, 0, payoffs.shape[2], weights, top)
            arrive(meeting, OPENED)
        elif finished == forests:
            _gather(groups, 0, payoffs, size, weights, top)
            arrive(meeting, CLOSED)
            last = True
