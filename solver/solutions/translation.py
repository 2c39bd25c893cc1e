"""A smaller game's strategy played in the whole game: what a best response gains against it there.

A strategy of a game with fewer actions becomes one of the whole game by *action translation* (Ganzfried and
Sandholm 2013, "Action Translation in Extensive-Form Games with Large Action Spaces", section 2): every public
history of the whole game is read as a node of the smaller tree, and the player acts there as the smaller game's
strategy does. Levels are chips beyond the ante.

- An action that the smaller game has is read as itself. A bet or a raise that it lacks is read as the one on the
  same side whose level is nearest, the lower one of two; both sides count as a raise where they are not offered.
- Where the smaller game has no raise there (its limit is reached), the raise is read as if the raiser's bet or
  raise before had already gone to the level nearest to it. Where there was none, the other player calls from then on.
- What the strategy plays goes back the same way, for after a history that was read as one of another level it may
  not be legal: a bet or a raise becomes the nearest one, and a call where its level is not above the one faced or
  where none is legal. A side is not named again.

Where the smaller game has all actions of the whole one, this changes nothing. The nearest level is the choice of an
experiment: in nine hands of three games with fewer sizes NashConv in the whole game was 0.55 chips in the mean,
0.85 with the pseudo-harmonic mapping (section 5 there, made deterministic), 0.59 with always the lower and 1.00
with always the higher level.

NashConv of this profile needs no walk over the whole tree. A best response meets what the other plays and nothing
else; and histories that lead to the same state of the hand, are read as the same node and have the same reach of the
other's are worth the same: they are *joined*. So a hand of 3.5 million decision nodes has 25,000 points that matter,
and hands too large to be built can be measured.
"""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError, SizeError
from rules.betting.actions import ALLIN, BET, BOTH, CALL, RAISE, Action
from rules.games.spec import HandSpec
from solver.solutions.solution import Solution
from solver.trees.public_tree import Automaton, PublicTree, enumerate_states
from solver.two_player.evaluation import counterfactual_values
from solver.two_player.payoffs import Game, Quality, tabulate, tabulate_sides

SIZED = (BET, RAISE, ALLIN)
LOST = -1
"""In place of a node of the smaller tree, where a history cannot be read as any."""


def quality_in(solution: Solution, spec: HandSpec, most: int) -> Quality | None:
    """Measure a smaller game's strategy in the whole game, by two best responses.

    Parameters
    ----------
    solution
        Of a game that has no action which `spec` has not, such as `HandSpec.smaller` and `HandSpec.around` name
        them after a history.
    spec
        The whole game: the same deck and chips.
    most
        Actions of joined histories up to which it is tried, for each of the two.

    Returns
    -------
    Quality or None
        Value, bounds and NashConv in the unit of the objective, the mean over the deals; None where the whole
        game is too large.

    Raises
    ------
    OptionError
        Where `spec` is of another deck.
    """
    try:
        large = enumerate_states(spec.public, most)
    except SizeError:
        return None
    groups = spec.classes()
    if [(one.weight, one.deals) for one in groups] != [(one.weight, one.deals) for one in solution.classes]:
        raise OptionError("expected the whole game of the same deck as the smaller one; this one deals other cards")
    game = Game(solution.tree, tabulate(large.outcomes, groups), tabulate_sides(large.outcomes, spec))
    if large.root < 0:
        return solution.quality
    reading = _Reading(large, solution.tree)
    gains: list[list[float]] = []
    outer: list[list[float]] = []
    profiles = np.stack([solution.profile(index) for index in range(len(groups))])
    for mover in (0, 1):
        joined = _joined(reading, profiles, mover, most)
        if joined is None:
            return None
        tree, strategies = joined
        for found, classes in ((gains, game.classes), (outer, (game.sides or (game.classes,) * 2)[1 - mover])):
            values = [
                counterfactual_values(tree, one, strategy, mover, best=True).node[0].sum()
                for one, strategy in zip(classes, strategies, strict=True)
            ]
            found.append([float(value) + game.margin for value in values])
    # Where both play it, nothing happens that the smaller game has not: the value is the same.
    bounds = zip(solution.qualities, *gains, *outer, strict=True)
    return game.mean(
        [Quality(one.value, -second, first).within(-least, most) for one, first, second, most, least in bounds]
    )


def bytes_of(solution: Solution) -> int:
    """Return the bytes that an action of joined histories takes while it is measured."""
    classes, _, width = solution.strategies.shape
    return int(8 * (width * (classes + 6) + 40))


class _Match(NamedTuple):
    """How a state of the whole game and one of the smaller game see each other's actions, by their places.

    Parameters
    ----------
    read
        For each action of the whole game the one that it is read as; None where there is none.
    played
        For each action of the whole game those of the smaller one that are played as it.
    """

    read: tuple[int | None, ...]
    played: tuple[tuple[int, ...], ...]


class _Step(NamedTuple):
    """An action of the whole game: where it leads, the rows of the smaller game that play it, the node it is read as.

    The row after the last stands for probability 1.
    """

    target: int
    rows: tuple[int, ...]
    node: int


class _Reading:
    """Read histories of the whole game as nodes of the smaller tree."""

    def __init__(self, large: Automaton, small: PublicTree) -> None:
        self.large, self.small = large, small
        self.certain = (len(small.child),)
        self._levels = _levels(large), _levels(small.automaton)
        self._matches: dict[tuple[int, int], _Match] = {}
        self._steps: dict[tuple[int, int], list[_Step]] = {}
        self._first, self._child, self._state = small.first.tolist(), small.child.tolist(), small.state.tolist()

    def steps(self, state: int, node: int) -> list[_Step]:
        """Return what can be done at a state of the whole game that is read as a node."""
        if (state, node) not in self._steps:
            self._steps[state, node] = self._find_steps(state, node)
        return self._steps[state, node]

    def _find_steps(self, state: int, node: int) -> list[_Step]:
        targets = enumerate(self.large.target[self.large.first[state] : self.large.first[state + 1]].tolist())
        if node == LOST:
            call = _call(self.large.actions[state])
            return [_Step(to, self.certain if place == call else (), LOST) for place, to in targets]
        match, first = self._match(state, self._state[node]), self._first[node]
        return [
            _Step(
                to,
                tuple(first + mine for mine in match.played[place]),
                LOST if to < 0 else self._after(state, node, place),
            )
            for place, to in targets
        ]

    def _match(self, state: int, other: int) -> _Match:
        if (state, other) not in self._matches:
            wide, narrow = self.large.actions[state], self.small.automaton.actions[other]
            faced, thought = self._levels[0][state], self._levels[1][other]
            played: list[list[int]] = [[] for _ in wide]
            for place, action in enumerate(narrow):
                reached = _reached(thought, action)
                low = action.kind in (*SIZED, BOTH) and reached <= faced
                found = None if low else _nearest(action, reached, wide, faced)
                played[_call(wide, action.side) if found is None else found].append(place)
            read = tuple(_nearest(action, _reached(faced, action), narrow, thought) for action in wide)
            self._matches[state, other] = _Match(read, tuple(map(tuple, played)))
        return self._matches[state, other]

    def _after(self, state: int, node: int, place: int) -> int:
        """Return the node that an action which does not end the hand is read as leading to."""
        read = self._match(state, self._state[node]).read[place]
        if read is not None and (found := int(self._child[self._first[node] + read])) >= 0:
            return found
        tree, action = self.small, self.large.actions[state][place]
        arrived = int(tree.parent_action[node])
        earlier = int(tree.parent_action[tree.node_of_action[arrived]]) if arrived >= 0 else -1
        if earlier < 0:
            return LOST
        turn = int(tree.node_of_action[earlier])  # of the one who raises
        offered = tree.actions(turn)
        alike = replace(action, side=offered[earlier - self._first[turn]].side)
        reached = _reached(self._levels[0][state], action)
        read = _nearest(alike, reached, offered, self._levels[1][self._state[turn]])
        return LOST if read is None else max(LOST, int(self._child[self._first[turn] + read]))


def _joined(
    reading: _Reading, strategies: NDArray[np.float64], mover: int, most: int
) -> tuple[PublicTree, NDArray[np.float64]] | None:
    """Join the histories that a player can bring about against the other's strategy.

    Returns
    -------
    tree, strategies
        Levels of nodes and their actions as in a public tree, but that several actions lead to one node, where the
        other's reach is the same; and the other's probabilities, shape (classes, actions, width). Where the other
        never takes an action, some outcome stands for what follows. None where there are more than `most` actions.
    """
    large = reading.large
    players = large.player.tolist()
    table = np.concatenate((strategies, np.ones_like(strategies[:, :1])), axis=1)
    mixes: list[NDArray[np.float64]] = []
    mix_of: dict[tuple[int, ...], int] = {}
    reaches = [np.ones_like(table[:, 0])]
    reach_of = {reaches[0].tobytes(): 0}
    reach_after: dict[tuple[int, int], int] = {}

    def mixed(rows: tuple[int, ...]) -> int:
        if rows not in mix_of:
            mix_of[rows] = len(mixes)
            mixes.append(table[:, list(rows)].sum(axis=1))
        return mix_of[rows]

    def reached(reach: int, mix: int) -> int:
        """Return the number of a reach after a mix; below 0 where nobody comes there."""
        if (reach, mix) not in reach_after:
            product = reaches[reach] * mixes[mix]
            number = reach_of.setdefault(product.tobytes(), len(reaches)) if product.any() else -1
            if number == len(reaches):
                reaches.append(product)
            reach_after[reach, mix] = number
        return reach_after[reach, mix]

    certain = mixed(reading.certain)
    level = [(large.root, 0, 0)]
    states, first, child, played, levels = array("q"), array("q", [0]), array("q"), array("q"), array("q", [0])
    while level:
        begin = levels[-1] + len(level)
        below: dict[tuple[int, int, int], int] = {}
        for state, node, reach in level:
            acts = players[state] != mover
            for target, rows, after in reading.steps(state, node):
                mix = mixed(rows) if acts else certain
                came = reached(reach, mix) if acts else reach
                if target >= 0:
                    target = ~0 if came < 0 else below.setdefault((target, after, came), begin + len(below))
                child.append(target)
                played.append(mix)
            states.append(state)
            first.append(len(child))
            if len(child) > most:
                return None
        levels.append(begin)
        level = list(below)
    numbers = np.array(states)
    tree = PublicTree(large.player[numbers], np.array(first), np.array(child), np.array(levels), numbers, large)
    return tree, np.stack(mixes, axis=1)[:, np.array(played)]


def _levels(automaton: Automaton) -> list[int]:
    """Return the level faced at each state; every way to a state leads to the same one."""
    levels = [0] * len(automaton.states)
    first, targets = automaton.first.tolist(), automaton.target.tolist()
    for state, actions in enumerate(automaton.actions):  # in order of discovery
        for place, action in enumerate(actions):
            if (target := targets[first[state] + place]) >= 0:
                levels[target] = _reached(levels[state], action)
    return levels


def _reached(level: int, action: Action) -> int:
    return 2 * level if action.kind == BOTH else level + action.size


def _nearest(action: Action, reached: int, offered: Sequence[Action], level: int) -> int | None:
    """Return the place of the action that comes nearest to one which reaches a level, or None."""
    places = [place for place, one in enumerate(offered) if one.kind == action.kind]
    if (action.kind == BOTH and not places) or action.kind in SIZED:
        places = [place for place, one in enumerate(offered) if one.kind in SIZED]
    places = [place for place in places if offered[place].side == action.side] or places
    if not places:
        return None
    return min(places, key=lambda place: (abs(_reached(level, offered[place]) - reached), offered[place].size))


def _call(offered: Sequence[Action], side: str = "") -> int:
    """Return the place of the call, on a side where there is a choice; the first action where there is none."""
    calls = [place for place, one in enumerate(offered) if one.kind == CALL]
    return next((place for place in calls if offered[place].side == side), calls[0] if calls else 0)
