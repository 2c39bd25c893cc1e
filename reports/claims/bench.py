"""Solved hands on a bench: how often each action is taken with which cards, and what habits cost."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.claims.numbers import CHIPS, Number, Numbers
from rules.betting.actions import Action
from rules.cards.two_sided import TwoSidedDeck
from rules.games.match_spec import MatchSpec
from solver.solutions.solution import Solution
from solver.solutions.spots import Spots
from solver.two_player.evaluation import counterfactual_values, own_reach

Array = NDArray[np.float64]
Solutions = dict[str, Solution]

SHUFFLES = 3
"""Shuffled decks that deck states are taken from."""

SIDED_STAGES = range(5, 45, 5)
"""Hands played before a deck state is taken, where a deck lasts for 45 of them."""


class Bench:
    """A setup, solved when it is first asked for.

    Parameters
    ----------
    spec
        What is solved.
    gap
        To this NashConv, in the unit of the objective.
    solved
        Solutions by spec, shared with the other setups of a run.
    """

    def __init__(self, spec: MatchSpec, gap: float, solved: Solutions | None = None) -> None:
        self.spec = spec
        self.gap = gap
        self._solved: Solutions = {} if solved is None else solved

    @property
    def name(self) -> str:
        """Stacks, and what makes the game smaller."""
        limit = self.spec.betting.limit
        few = "" if limit is None else f", at most {limit} raise{'' if limit == 1 else 's'}"
        return f"{self.spec.chips.s1}/{self.spec.chips.s2}{few}"

    def but(self, **changes: Any) -> "Bench":
        """Return the setup with other fields of the spec."""
        return Bench(replace(self.spec, **changes), self.gap, self._solved)

    @property
    def solution(self) -> Solution:
        """What solves it."""
        key = json.dumps(self.spec.to_dict(), sort_keys=True)
        if key not in self._solved:
            from solver.solving import solve  # compiles

            self._solved[key] = solve(self.spec, gap=self.gap)
        return self._solved[key]

    @cached_property
    def flows(self) -> tuple["Flow", ...]:
        """How the hand goes, class of deals by class."""
        return tuple(flow(self.solution, index) for index in range(len(self.solution.classes)))


@dataclass(frozen=True, eq=False)
class Flow:
    """How often a class of deals takes each action with which cards; A actions, n and m observations of P1 and P2.

    Parameters
    ----------
    spec
        The hand, with the board or fronts of the first deal.
    weight
        Probability of the class.
    observations
        Names for P1 and P2, in the order of the hand's prior.
    prior
        Probability of both observations, shape (n, m).
    player, node, child
        Who acts, where, and what it leads to (as in `solver.trees.public_tree`), shape (A,).
    actions
        The actions themselves.
    size, paid, level
        Chips that a bet or raise adds; what the actor has put in and the level faced before it, shape (A,).
    strategy
        Probability of each action by the actor's observation, shape (A, max(n, m)).
    ev
        The actor's expected value, shape as `strategy`.
    joint
        Probability that a hand of this class has these observations and takes this action, shape (A, n, m).
    outcomes
        What ``~child`` numbers.
    """

    spec: Any
    weight: float
    observations: tuple[tuple[str, ...], tuple[str, ...]]
    prior: Array
    player: NDArray[np.int8]
    node: NDArray[np.int64]
    child: NDArray[np.int64]
    actions: tuple[Action, ...]
    size: NDArray[np.int64]
    paid: NDArray[np.int64]
    level: NDArray[np.int64]
    strategy: Array
    ev: Array
    joint: Array
    outcomes: tuple[Any, ...]

    def kind(self, *kinds: str) -> NDArray[np.bool_]:
        """Return which actions are of these kinds, shape (A,)."""
        return np.array([action.kind in kinds for action in self.actions])

    def at(self, node: int) -> list[int]:
        """Return the rows of a node."""
        return np.flatnonzero(self.node == node).tolist()

    def by_sight(self, rows: NDArray[np.bool_], player: int) -> Array:
        """Return how often a player takes any of these actions, by what the player sees; times the class's weight."""
        chosen = self.joint[rows & (self.player == player)].sum(axis=0)
        return np.asarray(self.weight * chosen.sum(axis=1 - player))

    def chances(self, rows: NDArray[np.bool_], player: int) -> Array:
        """Return how often a player could take any of these actions, by what the player sees, node by node added up."""
        nodes = np.unique(self.node[rows & (self.player == player)])
        return self.by_sight(np.isin(self.node, nodes), player)


def flow(solution: Solution, index: int) -> Flow:
    """Return how a class of deals goes when both play the solution."""
    tree, strategy = solution.tree, solution.strategies[index]
    deal = solution.classes[index].deals[0]
    prior = solution.game.classes[index].prior
    spots = Spots(solution, deal.board)
    reach = [own_reach(tree, strategy, player)[:, : prior.shape[player]] for player in (0, 1)]
    node = tree.node_of_action
    player = tree.player[node]
    ev = np.full(strategy.shape, np.nan)
    for who in (0, 1):
        found = spots.table(who, np.flatnonzero(tree.player == who))
        ev[found.rows, : found.ev.shape[1]] = found.ev
    comes = reach[0][:, :, None] * reach[1][:, None, :] * prior
    first = (player == 0)[:, None, None]
    acts = np.where(first, strategy[:, : prior.shape[0], None], strategy[:, None, : prior.shape[1]])
    actions = tuple(action for state in tree.state for action in tree.automaton.actions[state])
    states: list[Any] = [tree.automaton.states[state] for state in tree.state]
    paid, level = (np.array([getattr(state, name) for state in states], dtype=np.int64) for name in ("paid", "level"))
    return Flow(
        solution.spec.with_board(deal.board), solution.classes[index].weight, deal.observations, prior, player, node,
        tree.child, actions, np.array([action.size for action in actions]), paid[node],
        level[node], strategy, ev, comes[node] * acts, tree.outcomes,
    )  # fmt: skip


def ratio(part: float, whole: float) -> float:
    """Return a share, NaN of nothing."""
    return part / whole if whole > 0.0 else np.nan


def average(values: Sequence[float]) -> float:
    """Return the mean, NaN of nothing."""
    return float(np.mean(values)) if values else np.nan


# What habits cost.


class Loss(NamedTuple):
    """What P1 and P2 lose a hand, in chips, by a habit against an opponent who plays the equilibrium."""

    first: float
    second: float

    @property
    def mean(self) -> float:
        """Over both seats."""
        return (self.first + self.second) / 2


def loss(here: Solution, habit: Solution) -> Loss:
    """Return what it costs to play another hand's strategy here; both have one public tree.

    A player does with each observation what `habit` does with the observation of the same name, on the same board.
    """
    tree, width = here.tree, here.game.width
    assert tree.nodes == habit.tree.nodes, "a habit needs the same betting"
    known: dict[Any, tuple[float, float]] = {}
    total = np.zeros(2)
    for index, group in enumerate(here.classes):
        one, strategy = here.game.classes[index], here.strategies[index]
        for deal in group.deals:
            other, twin = habit.deal(deal.board)
            columns = [
                [twin.observations[player].index(name) for name in deal.observations[player]] for player in (0, 1)
            ]
            key = (index, other, *map(tuple, columns))
            if key not in known:
                changes = []
                for player in (0, 1):
                    mixed = strategy.copy()
                    rows = tree.player[tree.node_of_action] == player
                    taken = habit.strategies[other][:, columns[player]]
                    mixed[rows, : taken.shape[1]] = taken[rows]
                    changed = counterfactual_values(tree, one, mixed[:, :width], 0).node[0].sum()
                    changes.append(float(here.qualities[index].value - changed) * (1 if player == 0 else -1))
                known[key] = (changes[0], changes[1])
            total += deal.weight * np.array(known[key])
    return Loss(*total.tolist())


def used_decks(bench: Bench) -> Iterator[tuple[int, Bench]]:
    """Yield deck states on the way through shuffled decks, each with the board or fronts that come next.

    With the cards left. The shuffles are the same every time; the fresh deck is left out.
    """
    spec: Any = bench.spec
    for seed in range(SHUFFLES):
        draw = random.Random(seed)
        if spec.sides_that_meet:
            fresh = TwoSidedDeck()
            pile = [(front, back) for front in range(1, 11) for back in fresh.unseen_backs(front)]
            draw.shuffle(pile)
            for hand in SIDED_STAGES:
                gone, coming = pile[: 2 * hand], pile[2 * hand : 2 * hand + 2]
                deck = TwoSidedDeck.parse(gone)
                yield deck.total, bench.but(deck=deck, fronts=(coming[0][0], coming[1][0]))
            continue
        cards = [rank for rank in spec.deck.ranks for _ in range(spec.deck.count(rank))]
        draw.shuffle(cards)
        for used in range(spec.per_hand, len(cards), spec.per_hand):
            left = spec.deck.without(cards[:used])
            board = {}
            if spec.board_open:
                low, high = sorted(cards[used : used + 2])
                board = {"board": (low, high)}
            yield left.total, bench.but(deck=left, **board)


def not_counting(bench: Bench) -> Numbers:
    """Measure what playing every deck state like a fresh deck costs."""
    habit = bench.solution
    losses = [(left, loss(used.solution, habit)) for left, used in used_decks(bench)]
    half = sorted({left for left, _ in losses})[len({left for left, _ in losses}) // 2]

    def mean(found: Sequence[Loss]) -> float:
        return average([one.mean for one in found])

    return {
        "loss": Number(mean([one for _, one in losses]), CHIPS, "lost a hand, mean over deck states and both seats"),
        "early": Number(
            mean([one for left, one in losses if left > half]), CHIPS, f"the same with more than {half} cards left"
        ),
        "late": Number(
            mean([one for left, one in losses if left <= half]), CHIPS, f"the same with {half} cards left or fewer"
        ),
        "worst": Number(max(one.mean for _, one in losses), CHIPS, "the same in the deck state where it is most"),
    }
