"""How large a solve is and how much memory it takes, known before it starts."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rules.base.errors import SizeError
from rules.betting.actions import Action
from rules.games.spec import HandClass, HandSpec
from solver.trees.column_layout import FOREST, observations, padded
from solver.trees.public_tree import MAX_MOVES, Automaton, TreeSize, enumerate_states, measure, size_of
from solver.two_player.linear_program import check_size
from solver.two_player.payoffs import FINE, is_large, precision

PROCESS = 185 * 2**20
"""Python, numpy, numba and compiled code, measured on Linux."""

LONG, FLOAT = 8, 8
EMPTY_LANES = 4
"""Lanes of vectors that stay empty, for each move of a public state in each forest (`solver.trees.column_layout`),
measured."""


class Plan(NamedTuple):
    """What a solve will take: the hand, its public game, the public tree, the deals by class, bytes at the peak."""

    spec: HandSpec
    automaton: Automaton
    size: TreeSize
    classes: tuple[HandClass, ...]
    memory: int

    @property
    def deals(self) -> int:
        """Boards or pairs of fronts."""
        return sum(len(group.deals) for group in self.classes)

    @property
    def information_sets(self) -> int:
        """Pairs of a decision node and an observation, of both players and all classes."""
        shapes = [group.hand.prior.shape for group in self.classes]
        return sum(nodes * shape[player] for shape in shapes for player, nodes in enumerate(self.size.nodes))


def plan(spec: HandSpec, method: str = "cfr", gap: float = FINE) -> Plan:
    """Measure a solve without building its tree, as if each class had a thread of its own.

    Raises
    ------
    SizeError
        Where the memory that is free would not do or the method is out of its depth, with options that
        make the game small enough.
    """
    free = available()
    try:
        found = _plan(spec, method, gap)
        if found.memory <= free:
            return found
        problem = f"this tree needs {human(found.memory)} and {human(free)} are free"
    except SizeError as error:
        problem = str(error)
    smaller = fitting(spec, lambda one: _plan(one, method, gap, MAX_MOVES // 5).memory, free)  # quickly, or not at all
    advice = [f"{option} ({human(memory)})" for option, memory in smaller]
    raise SizeError(f"{problem}; {' or '.join(advice)} would fit" if advice else problem)


def fitting(spec: HandSpec, size: Callable[[HandSpec], int], most: int) -> list[tuple[str, int]]:
    """Return options that make a hand small enough, two at most, with its size then.

    Parameters
    ----------
    size
        What counts, in any unit; a hand for which it raises `SizeError` is too large.
    most
        The largest size that will do.
    """
    found: list[tuple[str, int]] = []
    for option, candidate in spec.smaller():
        try:
            needed = size(candidate)
        except SizeError:
            continue
        if needed <= most:
            found.append((option, needed))
        if len(found) == 2:
            break
    return found


def largest_within(spec: HandSpec, history: Sequence[Action], most: int) -> tuple[str | None, HandSpec]:
    """Return the best game of at most `most` decision nodes that keeps a history, and the options that make it.

    The whole game has no options (None), the others come in the order of `HandSpec.smaller`. Where all are larger
    it is the smallest one. A game that other histories of the hand lead to as well comes before one made for this
    history.
    """
    if (nodes := _nodes(spec)) is not None and nodes <= most:
        return None, spec
    found = list(spec.smaller(history))
    usual = [one for one in spec.smaller(()) if one in found]
    own = list(spec.around(history))
    known: dict[str, int] = {}
    for choices in (usual, [one for one in found if one not in usual], own):
        for options, one in choices:
            if (nodes := _nodes(one)) is None:
                continue
            known[options] = nodes
            if nodes <= most:
                return options, one
    counted = [one for one in [*found, *own] if one[0] in known]
    return min(counted, key=lambda one: known[one[0]]) if counted else (None, spec)


def _nodes(spec: HandSpec) -> int | None:
    """Return the decision nodes of a game; None where it is far too large to count at once."""
    try:
        return measure(spec.public, MAX_MOVES // 20).decision_nodes
    except SizeError:
        return None


def _plan(spec: HandSpec, method: str, gap: float, most: int | None = None) -> Plan:
    automaton = enumerate_states(spec.public, most)
    size = size_of(automaton)  # refuses what is out of reach, before the classes are asked for
    classes = spec.classes()
    if method == "lp":
        check_size(size, classes)
        gap = FINE
    return Plan(spec, automaton, size, classes, estimate(size, classes, threads=len(classes), gap=gap))


def estimate(size: TreeSize, classes: Sequence[HandClass], threads: int, gap: float = FINE) -> int:
    """Return the bytes that a CFR solve takes at its peak, process included.

    Counts the tree and its layout; for each class regrets and strategy sums, in vectors and as a `Solution`
    keeps them, and its strategy; for a tree that is completed what a completion works on, for each thread.
    """
    width = max(int(side) for group in classes for side in group.hand.prior.shape)
    nodes, actions, number = size.all_nodes, size.actions, len(classes)
    tree = 5 * LONG * actions + 6 * LONG * nodes
    each = np.dtype(precision(gap)).itemsize
    vectors = each * observations(width) * (actions + int(EMPTY_LANES * size.moves * (nodes // FOREST + 2)))
    kept = each * width * actions
    if is_large(nodes, number):
        # Regrets are handed over, then sums, then the strategy is made, each time with one array less; what many
        # classes leave behind is not all given back to the system.
        return PROCESS + tree + number * (2 * vectors + kept * min(number, 2))
    rows, columns = FLOAT * padded(width) * actions, FLOAT * padded(width) * nodes
    working = 7 * rows + 22 * columns
    result = 2 * kept + FLOAT * width * (actions + 2 * nodes)
    return PROCESS + tree + number * (2 * kept + 2 * result) + working * min(threads, number)


def available() -> int:
    """Return the bytes of memory that are free now."""
    import psutil

    return int(psutil.virtual_memory().available)


def human(number: float) -> str:
    """Write bytes for people: "9 MB", "1.4 GB"; 1 MB is a million bytes."""
    if number > 1e300:  # trees can be larger than floats
        return "more than 1e288 TB"
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if number < 1000 or unit == "TB":
            break
        number /= 1000
    if number > 1e6:
        return f"{number:.0e} {unit}".replace("e+", "e")
    return f"{number:.1f} {unit}" if number < 10 and unit in ("GB", "TB") else f"{number:.0f} {unit}"
