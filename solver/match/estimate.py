"""What the solve of a match will take, from a few of its hands, before it starts."""

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import SizeError
from rules.betting.chips import Chips
from rules.games.deck_models import DECK_MODELS, Fresh
from rules.games.match_spec import MatchSpec
from solver.match.hands import Batch, Cap, MatchHands, Tables
from solver.match.sweeps import WIDEST_OWN, blank, evaluated
from solver.trees.column_layout import COUNT
from solver.trees.public_tree import measure
from solver.two_player.memory import FLOAT, LONG, PROCESS, available, human

SINGLE = 4
"""Bytes of a float32."""

TABLES = 6
"""Tables that a solve has at the same time."""
SQUARES = 13
"""Where decks are fresh: numbers for each pair of states. Three are where hands lead to, the others a matrix for both
players, twice, with what it is made of (`solver.match.sweeps.left_by`)."""

SECONDS = 3.0
"""Processor time for the sample, about."""
LARGE = 400_000
"""Nodes up to which the time of a visit is measured; in larger trees it is the same."""
ENOUGH, AS_GOOD_AS = 50, 2.0
"""Hands whose mean says how many iterations one takes; and what those that stand side by side are worth as hands that
do not."""
SLOWEST = 2.2
"""How many times the iterations of a hand those that stand side by side take until the last has the gap, measured."""
SHARE = 0.02
"""Caps with a smaller part of all nodes are tried once."""
FEW, KINDS = 150_000, 10
"""Nodes of the match that is looked at to see how many hands a match takes, and hands of each state at least, where
there are so many."""

ROUGH = (1e-2, 2e-3)
"""Gaps of its hands, one after the other, each time with the values of the time before."""

LONGER = 1.3
"""The power of the chips that the number of hands grows with, measured in several games."""

SWEEPS, SWEEPS_FOLLOWED = 3.4, 3.0
"""All sweeps together, as so many like the last one: measured where decks are fresh, and where they are followed."""
EACH = 1.25
"""Where decks are fresh: what a hand may lose in the last sweep, as a part of the gap shared out among the hands of the
longest match; measured, from 0.8 to 1.5."""


class CapCost(NamedTuple):
    """What the hands with one cap take in a sweep.

    Parameters
    ----------
    cap
        The most that a bet can ask for.
    nodes
        Decision nodes of one hand.
    hands
        How many there are.
    iterations
        Of CFR until one has the gap, on average; where few were tried, smaller trees' count too.
    visit
        Seconds of processor time for one player's update of one node.
    tried
        How many hands of this cap were solved to see.
    """

    cap: int
    nodes: int
    hands: int
    iterations: float
    visit: float
    tried: int

    @property
    def seconds(self) -> float:
        """Processor time of all of them."""
        return self.hands * self.one

    @property
    def one(self) -> float:
        """Processor time of one hand."""
        return 2.0 * self.nodes * self.iterations * self.visit


class Estimate(NamedTuple):
    """What a solve will take.

    Parameters
    ----------
    hands, nodes
        Hands of one sweep, and their decision nodes.
    table_bytes
        Of the table in memory; its file is a little smaller.
    memory
        Bytes at the peak, the process included.
    hand_gap
        NashConv that hands are expected to be solved to in the proof.
    processor
        Seconds of processor time.
    seconds
        How long it takes with so many threads.
    """

    hands: int
    nodes: int
    table_bytes: int
    memory: int
    hand_gap: float
    processor: float
    seconds: float


def estimate(hands: MatchHands, gap: float, threads: int, seconds: float = SECONDS) -> Estimate:
    """Estimate what a solve takes; that itself takes a few seconds.

    Parameters
    ----------
    gap
        How wide bounds may be, a win probability.
    threads
        How many there will be.
    seconds
        As `sampled` takes it.
    """
    own = expected_hand_gap(hands, gap)
    costs = sampled(hands, own, seconds)
    sweeps = SWEEPS if len(hands.model.levels) == 1 else SWEEPS_FOLLOWED
    sweep, longest = sum(one.seconds for one in costs), max((one.one for one in costs), default=0.0)
    cells = hands.model.number * len(hands.states)
    return Estimate(
        sum(one.hands for one in costs),
        sum(one.hands * one.nodes for one in costs),
        SINGLE * (2 * cells + len(hands.states)),
        memory_needed(hands, threads),
        own,
        sweeps * sweep,
        sweeps * max(sweep / threads, longest),
    )


def sampled(hands: MatchHands, hand_gap: float, seconds: float = SECONDS, seed: int = 0) -> list[CapCost]:
    """Solve a few hands of each cap, those of the smallest trees first and in turn.

    Parameters
    ----------
    hand_gap
        NashConv to solve to.
    seconds
        Processor time that this may take, about.
    seed
        Of which hands it is that are solved.
    """
    source, table = np.random.default_rng(seed), _by_share(hands)
    tables = Tables(table, table, table)
    known = {cap: _Tried() for cap in hands.caps}
    acting = [cap for cap in reversed(hands.caps) if hands.cap(cap).tree.nodes]
    nodes_of = {cap: hands.cap(cap).tree.nodes * len(hands.cap(cap).states) for cap in acting}
    compiled, spent, going, dearest = set[int](), 0.0, bool(acting), 0.0
    while going:
        going = False
        for cap in acting if not spent else [one for one in acting if nodes_of[one] >= SHARE * sum(nodes_of.values())]:
            here, tried = hands.cap(cap), known[cap]
            nodes = here.tree.nodes * here.together  # of all that stand side by side
            guess = tried.seconds / tried.groups if tried.groups else dearest * nodes
            if tried.groups and spent + guess > seconds:
                continue
            piece = _group(hands, cap, source)
            affordable = spent + guess <= seconds
            if not affordable and here.tree.nodes > LARGE:
                continue
            if here.together not in compiled:
                hands.work(piece, tables, np.inf)
                compiled.add(here.together)
            begun = time.thread_time()
            found = hands.work(piece, tables, hand_gap if affordable else np.inf)
            passed = time.thread_time() - begun
            visits = 2.0 * found.iterations / piece.hands * nodes  # empty lanes take as long
            known[cap] = tried.more(piece.hands if affordable else 0, found.iterations, passed, visits)
            spent += passed
            dearest = passed / nodes if affordable else dearest
            going = going or affordable
    return _costs(hands, known)


class _Tried(NamedTuple):
    """Hands of one cap that were tried: groups side by side, hands solved to the gap, and what both took."""

    groups: int = 0
    hands: int = 0
    iterations: int = 0
    seconds: float = 0.0
    visits: float = 0.0

    def more(self, hands: int, iterations: int, seconds: float, visits: float) -> "_Tried":
        return _Tried(
            self.groups + 1,
            self.hands + hands,
            self.iterations + (iterations if hands else 0),
            self.seconds + seconds,
            self.visits + visits,
        )


def _costs(hands: MatchHands, known: dict[int, _Tried]) -> list[CapCost]:
    """Put together what was tried; some hands take very long, so that a few say little without smaller ones."""
    kinds = sum(len(hands.level(level).deck) for level in range(len(hands.model.levels)))
    costs, visit, number, iterations, together = list[CapCost](), 0.0, 0.0, 0.0, COUNT
    for cap in reversed(hands.caps):
        here, tried = hands.cap(cap), known[cap]
        if here.together < together:  # no more as many as the slowest of those side by side
            scale = min(1.0, AS_GOOD_AS / max(number, 1.0))
            number, iterations = scale * number, scale * iterations / SLOWEST
        together = here.together
        old = max(0.0, 1.0 - tried.hands / ENOUGH)
        number, iterations = old * number + tried.hands, old * iterations + tried.iterations
        visit = tried.seconds / tried.visits if tried.visits else visit
        mean = iterations / number if number and here.tree.nodes else 0.0
        costs.append(CapCost(cap, here.tree.nodes, kinds * len(here.states), mean, visit, tried.hands))
    return costs[::-1]


def _group(hands: MatchHands, cap: int, source: np.random.Generator) -> Batch:
    """Choose hands of one cap that stand side by side."""
    kinds = np.array([len(hands.level(level).deck) for level in range(len(hands.model.levels))])
    level = int(source.choice(len(kinds), p=kinds / kinds.sum()))
    here = hands.cap(cap)
    number = int(kinds[level]) * len(here.states)
    start = here.together * int(source.integers(-(-number // here.together)))
    return Batch(level, cap, start, min(start + here.together, number))


def _by_share(hands: MatchHands) -> NDArray[np.float64]:
    """Return a table that says of everyone's chance what their share of the chips does."""
    table = blank(hands)
    table[:, : len(hands.states)] = [chips.share / chips.total for chips in hands.states]
    return table


def expected_hand_gap(hands: MatchHands, gap: float) -> float:
    """Return the NashConv that hands have to be solved to, about."""
    if len(hands.model.levels) > 1:
        return WIDEST_OWN * gap
    return EACH * gap / hands_left(hands)


def hands_left(hands: MatchHands, seed: int = 0) -> float:
    """Return how many hands the longest match takes on average when both play well, decks always fresh.

    A few hands of each state of the chips are solved, roughly; where that would be too many nodes, those of a
    match of fewer chips, which is shorter.
    """
    smaller, number = _few(hands.spec)
    source, table = np.random.default_rng(seed), _by_share(smaller)
    leads = np.zeros((len(smaller.states), smaller.columns))
    kinds = len(smaller.level(0).deck)
    for rough in ROUGH:
        for cap in smaller.caps:
            states = smaller.cap(cap).states
            some = [source.choice(kinds, number, replace=False) + kinds * state for state in range(len(states))]
            piece = Batch(0, cap, 0, 0, tuple(np.concatenate(some).tolist()))
            rows, *_ = smaller.work(piece, Tables(table, table, table), rough, leads=True).leads
            leads[states] = rows / rows.sum(axis=1, keepdims=True)
        values, left = evaluated(leads)
        table[:, : len(values)] = values
    return float(left.max() * (hands.spec.chips.total / smaller.spec.chips.total) ** LONGER)


def _few(spec: MatchSpec) -> tuple[MatchHands, int]:
    """Return a match of few nodes, of as many chips as can be, decks always fresh, and how many hands of a state.

    A hand of a state is dealt with one of several kinds of cards; there are nodes for so many of them.
    """
    for stack in range(spec.chips.s1, 0, -1):
        start = replace(spec, chips=Chips(stack, stack, 0))
        found = MatchHands(start, Fresh(start))
        kinds, nodes = len(found.level(0).deck), 1
        most = FEW // min(kinds, KINDS)
        for cap in reversed(found.caps):
            nodes += sum(chips.cap == cap for chips in found.states) * found.cap(cap).tree.nodes
            if nodes > most:
                break
        if nodes <= most:
            return found, min(FEW // nodes, kinds)
    raise AssertionError("a match of one chip each has hardly any nodes")


def check_size(start: MatchSpec, deck_model: str) -> None:
    """Refuse a match whose tables or whose largest tree alone are too large, before any of them is built.

    Parameters
    ----------
    start
        Its first hand, as `solver.match.table.at_start` has it.

    Raises
    ------
    SizeError
        Where the memory that is free would not do, or a tree is too large to be counted.
    """
    free, states = available(), (start.chips.total // 2) ** 2
    decks = DECK_MODELS[deck_model](start).number if deck_model in DECK_MODELS else 1
    tables = TABLES * FLOAT * decks * states + _equations(states, decks == 1)
    if tables > free:
        raise SizeError(
            f"the tables and equations of this match need {human(tables)} and {human(free)} are free; fewer --stacks "
            "need less"
        )
    size = measure(start.public)
    tree = 9 * LONG * size.actions + 8 * LONG * size.all_nodes
    if tree > free:
        raise SizeError(
            f"the largest tree of this match needs {human(tree)} and {human(free)} are free; fewer --stacks or a "
            "smaller --raise-limit need less"
        )


def check_memory(hands: MatchHands, threads: int) -> None:
    """Refuse a match that so many threads of this process have no room for.

    Raises
    ------
    SizeError
        Where the memory that is free would not do.
    """
    needed, free = memory_needed(hands, threads), available()
    if needed > free:
        raise SizeError(
            f"this match needs {human(needed)} with {threads} threads and {human(free)} are free; fewer --threads or "
            "a smaller --raise-limit need less"
        )


def memory_needed(hands: MatchHands, threads: int) -> int:
    """Return the bytes that a solve takes at its peak, process included.

    Counts the tables, all trees and their layouts, what kernels overwrite for each tree and thread, and for each
    thread the regrets and strategy sums of a largest hand, with what tells where it leads.
    """
    width = len(hands.level(len(hands.model.levels) - 1).kinds.prior[0])
    tables = TABLES * FLOAT * hands.model.number * hands.columns
    cards = sum(part.nbytes for level in range(len(hands.model.levels)) for part in hands.level(level).kinds)
    caps = [hands.cap(cap) for cap in hands.caps]
    shared = sum(9 * LONG * len(one.tree.child) + 8 * LONG * one.tree.nodes for one in caps)
    spare = sum(_spare(one, width) for one in caps)
    leading = len(hands.model.levels) == 1
    hand = max(_hand(one, width, leading) for one in caps)
    equations = _equations(len(hands.states), leading)
    return PROCESS + tables + cards + shared + equations + threads * (spare + hand)


def _equations(states: int, leading: bool) -> int:
    """Return the bytes of where hands lead and of the linear equations, which decks that are followed do without."""
    return SQUARES * FLOAT * states**2 if leading else 0


def _spare(cap: Cap, width: int) -> int:
    """Return the bytes that kernels overwrite, for one thread."""
    columns = sum(cap.layout.columns) if cap.layout is not None else 0
    return width * columns * (2 * SINGLE + 5 * FLOAT)


def _hand(cap: Cap, width: int, leading: bool) -> int:
    """Return the bytes of hands side by side."""
    rows = cap.layout.rows if cap.layout is not None else 0
    payoffs = 2 * len(cap.tree.outcomes) * width**2 * cap.together * (FLOAT + SINGLE)
    nodes, actions = cap.tree.nodes, len(cap.tree.child)
    leads = width * (3 * FLOAT * nodes + (FLOAT + SINGLE * (1 + cap.together)) * actions) if leading else 0
    return 2 * SINGLE * COUNT * rows + payoffs + leads
