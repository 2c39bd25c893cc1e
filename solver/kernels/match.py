"""Compiled functions for the hands of a match, private: payoffs from a table, and where a profile leads.

A *table* has a row for each deck and a column for each state of the chips, then one each for a match that P1
has won, that P1 has lost, and that is drawn: the chance that the first bettor of the hand after this one
wins the match, who is this hand's P2.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels.vectors import compiled


class Kinds(NamedTuple):
    """The hands that decks of one size can deal, K of them, padded to X observations.

    Parameters
    ----------
    prior
        Shape (K, X, X), float64.
    verdict
        The number of what the cards say in each contest, shape (K, contests, X, X), int8.
    next
        The deck of the hand after this one, shape (K, X, X), int32.
    """

    prior: NDArray[np.float64]
    verdict: NDArray[np.int8]
    next: NDArray[np.int32]


class Ends(NamedTuple):
    """Where a public tree ends.

    Parameters
    ----------
    contest
        The number of each outcome's contest, shape (outcomes,), int64.
    after
        A table's column by state of the chips before, outcome and verdict, shape (states, outcomes, 3), int64.
    """

    contest: NDArray[np.int64]
    after: NDArray[np.int64]


@compiled
def fill(kinds, ends, kind, state, table, other, payoffs):
    """Overwrite the payoffs of hands side by side: P1's from one table, P2's from another.

    `kind` and `state` number each hand's kind and its chips in `ends`; `payoffs` has the shape
    (2, outcomes, X, X, lanes) and is 0 in lanes without a hand.
    """
    size = payoffs.shape[2]
    for outcome in range(payoffs.shape[1]):
        contest = ends.contest[outcome]
        for hand in range(kind.shape[0]):
            one = kind[hand]
            columns = ends.after[state[hand], outcome]
            for x in range(size):
                for y in range(size):
                    prior = kinds.prior[one, x, y]
                    column = columns[kinds.verdict[one, contest, x, y]]
                    deck = kinds.next[one, x, y]
                    payoffs[0, outcome, y, x, hand] = prior * (1.0 - table[deck, column])
                    payoffs[1, outcome, x, y, hand] = -prior * (1.0 - other[deck, column])


@compiled
def respond(player, first, child, weights, answering, payoffs, lane, reach, value):
    """Overwrite one player's weights by a best response to the other's: 1 for one action of each row, 0 for others.

    `weights` (A, X) are what the profile is in proportion to, float64, none below 0; `payoffs` has a last axis
    for hands, of which `lane` is meant. `reach` and `value`, shape (N, X), are overwritten.
    """
    size = weights.shape[1]
    reach[0] = 1.0
    for node in range(player.shape[0]):
        start, end = first[node], first[node + 1]
        if player[node] != answering:
            for x in range(size):
                whole = 0.0
                for action in range(start, end):
                    whole += weights[action, x]
                for action in range(start, end):
                    weights[action, x] = weights[action, x] / whole if whole > 0.0 else 1.0 / (end - start)
        for action in range(start, end):
            if child[action] >= 0:
                for x in range(size):
                    share = 1.0 if player[node] == answering else weights[action, x]
                    reach[child[action], x] = reach[node, x] * share
    gained = np.empty(size)
    for node in range(player.shape[0] - 1, -1, -1):
        acts = player[node] == answering
        value[node] = -np.inf if acts else 0.0
        for action in range(first[node], first[node + 1]):
            if child[action] >= 0:
                gained[:] = value[child[action]]
            else:
                for x in range(size):
                    gained[x] = 0.0
                for y in range(size):
                    arrived = reach[node, y] * (1.0 if acts else weights[action, y])
                    for x in range(size):
                        gained[x] += arrived * payoffs[answering, ~child[action], y, x, lane]
            for x in range(size):
                if not acts:
                    value[node, x] += gained[x]
                elif gained[x] > value[node, x]:
                    value[node, x] = gained[x]
                    for each in range(first[node], action):
                        weights[each, x] = 0.0
                    weights[action, x] = 1.0
                else:
                    weights[action, x] = 0.0


@compiled
def lead(player, first, child, weights, kinds, ends, kind, state, reach, mass, found):
    """Add up where a profile leads in one hand: the probability of each deck and state of the chips after it.

    `weights` (A, X) are what the profile is in proportion to, float64, none below 0. `reach`, shape
    (2, N, X), and `mass`, shape (outcomes, X, X), are overwritten; `found`, shape (decks, columns of a table),
    is added to.
    """
    size = mass.shape[1]
    mass[:] = 0.0
    if player.shape[0] == 0:  # nobody acts
        mass[0] = 1.0
    else:
        reach[:, 0] = 1.0
    scale, even, played = np.empty(size), np.empty(size), np.empty(size)
    for node in range(player.shape[0]):
        mover = player[node]
        start, end = first[node], first[node + 1]
        for x in range(size):
            whole = 0.0
            for action in range(start, end):
                whole += weights[action, x]
            arrived = reach[mover, node, x]
            scale[x] = arrived / whole if whole > 0.0 else 0.0
            even[x] = 0.0 if whole > 0.0 else arrived / (end - start)
        for action in range(start, end):
            for x in range(size):
                played[x] = weights[action, x] * scale[x] + even[x]
            below = child[action]
            if below >= 0:
                for x in range(size):
                    reach[mover, below, x] = played[x]
                    reach[1 - mover, below, x] = reach[1 - mover, node, x]
                continue
            for x in range(size):
                one = played[x] if mover == 0 else reach[0, node, x]
                for y in range(size):
                    mass[~below, x, y] += one * (played[y] if mover == 1 else reach[1, node, y])
    for outcome in range(mass.shape[0]):
        contest = ends.contest[outcome]
        for x in range(size):
            for y in range(size):
                column = ends.after[state, outcome, kinds.verdict[kind, contest, x, y]]
                found[kinds.next[kind, x, y], column] += kinds.prior[kind, x, y] * mass[outcome, x, y]


@compiled
def passed_on(player, first, child, weights, kinds, ends, kind, state, reach, mass, found, table, value):
    """Add up what a profile earns in one hand, in the numbers of a table of later hands: B of them for each.

    As `lead`, whose `found` is overwritten and zero before and after; `table` has the shape (decks, columns, B),
    `value` the shape (B,).
    """
    lead(player, first, child, weights, kinds, ends, kind, state, reach, mass, found)
    size = mass.shape[1]
    for x in range(size):
        for y in range(size):
            deck = kinds.next[kind, x, y]
            for column in range(found.shape[1]):
                chance = found[deck, column]
                if chance != 0.0:
                    found[deck, column] = 0.0
                    row = table[deck, column]
                    for place in range(value.shape[0]):
                        value[place] += chance * row[place]
