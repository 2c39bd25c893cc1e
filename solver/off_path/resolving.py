"""The completion of a strategy: sensible play at every spot, those too that equilibrium play never reaches.

CFR learns nothing where nobody goes. After a solve, one pass from the top completes the strategy:

- A subtree that a player never enters is solved anew as a *maximum margin game* (Moravcik, Schmid, Ha,
  Hladik and Gaukrodger 2016, "Refining Subgames in Large Imperfect Information Games"): the deviator
  chooses with which observation to enter, so as to gain most over what it can have elsewhere; the other
  holds the largest such gain down. What it can have elsewhere is counted from the root (Brown and Sandholm
  2017, "Safe and Nested Subgame Solving for Imperfect-Information Games", reach subgame solving), so that
  the answer makes nobody's deviation pay and the exploitability of the whole stays. How often each
  observation enters is the belief about the deviator: those who lose least by deviating are believed to.
- Below, beliefs follow by Bayes' rule, until the next subtree that nobody enters.
- A row that the player's own actions never lead to is learned last, against all the others: a best response
  to them, which nobody notices.

Every belief allows for mistakes (`solver.two_player.evaluation.SLIP`), so that every row has an expected value.

Where one card excludes another, a row may know that what the betting tells cannot be so: it meets nothing
but mistakes, and yet holds off those who might make them on purpose. Rows that lose much under their belief
say that they are kept for safety.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels import resolving as kernels
from solver.off_path.justification import Assessment, Case, put_right, undominated
from solver.off_path.own_beliefs import MOST
from solver.off_path.regions import Assumed
from solver.off_path.sources import UNREACHED, row_sources, tolerance
from solver.trees.column_layout import aligned
from solver.trees.public_tree import PublicTree, unfolded
from solver.two_player import cfr
from solver.two_player.backends import SCHEDULE
from solver.two_player.best_response import Evaluation
from solver.two_player.evaluation import SLIP, TREMBLE, beliefs_by_bayes, probabilities
from solver.two_player.payoffs import ClassGame, Game

RARE = (1e-3, 1e-4, 0.0)
"""Actions taken less often than the first of these that keeps the gap are taken as never taken."""

RARE_INSIDE = 2e-3
"""Actions taken less often than this inside a re-solved subtree are taken as never taken."""
TRIM = 1e-4
"""Probabilities below this in a re-solved subtree are noise of its first iterations."""
FAINT = 1e-2
"""The same for the rows learned last."""
VISITS = (200_000_000, 50_000, 2_000_000)
"""Node visits for a re-solved subtree: this over the nodes of the whole, at least, and at most."""
CALM = 3e-6
"""A subtree is solved anew until its NashConv is this part of what a row may lose, times the nodes of all that is
completed (`BUSY` at most), or as long as the effort allows."""
BUSY = 10_000
ITERATIONS = (1_000, 3_000)
"""Iterations for a re-solved subtree, least and most."""
SPARING = 10_000_000
"""Above this over `ITERATIONS` nodes, the least number of iterations falls as the nodes rise."""
SUBTREES, LARGEST_BELOW = 16, 3_000
"""Subtrees that are solved anew as hands of their own at most, and how many nodes they may have."""
FAINT_BELOW, NOISE_BELOW = 1e-4, 1e-3
"""Everybody is believed to be there this often at least; probabilities below the second number are noise."""
ROUNDS = (4_000_000, 100, 500)
"""Rounds for the rows learned last: this over the nodes of the whole, at least, and at most."""


class Completion(NamedTuple):
    """A completed strategy; N nodes, A actions, width W.

    Parameters
    ----------
    strategy
        Probabilities, shape (A, W).
    beliefs
        ``beliefs[p, node]``: player p's reach as it is believed there, up to a factor, shape (2, N, W).
    entered_by
        1 + the deviator at the root of a re-solved subtree, else 0, shape (N,), int8.
    sources
        An index into `solver.off_path.sources.SOURCES` for the acting player's rows, shape (N, W), int8.
    assumed
        Rows with a belief of their own.
    entries
        The reach at the roots of re-solved subtrees of those who enter on purpose, shape (N, places).
    """

    strategy: NDArray[np.float64]
    beliefs: NDArray[np.float64]
    entered_by: NDArray[np.int8]
    sources: NDArray[np.int8]
    assumed: Assumed
    entries: NDArray[np.float64]


def complete(
    tree: PublicTree,
    one: ClassGame,
    strategy: NDArray[np.float64],
    rare: float,
    most: float,
    classes: int = 1,
    halt: NDArray[np.int64] | None = None,
    whole: bool = True,
    mend: bool = True,
) -> Completion | None:
    """Complete a strategy.

    Parameters
    ----------
    strategy
        A near equilibrium, shape (A, W); not changed.
    rare
        Actions taken less often than this, 0 to 1, are taken as never taken.
    most
        NashConv that no row may be changed for at the end; what comes before may have cost more.
    classes
        How many such trees there are to complete; the effort for one falls with it.
    halt
        Stops soon where its only number is no longer 0; then there is no completion.
    whole
        Whether subtrees with rows that nothing justifies are solved anew as hands of their own.
    mend
        Whether such rows are put right at all; what was solved too little is not made to look better.
    """
    halt = np.zeros(1, dtype=np.int64) if halt is None else halt
    if not tree.nodes:
        return uncompleted(tree, strategy)
    width, evaluation = strategy.shape[1], Evaluation(tree, strategy.shape[1])
    size, nodes, actions = evaluation.size, tree.nodes, len(tree.child)
    played = evaluation.wide(undominated(tree, one, strategy))
    beliefs, own, allowed = (np.zeros((2, nodes, size)) for _ in range(3))
    entries = np.zeros((nodes, size))
    after = aligned((tree.most_actions, size))
    entered_by = np.zeros(nodes, dtype=np.int8)
    fewest, limit = ITERATIONS
    effort = (_within(VISITS, nodes * classes), max(1, min(fewest, SPARING // nodes)), limit)
    payoffs, much = one.payoffs(size), tolerance(one)
    aim = CALM * much * min(nodes * classes, BUSY)
    kernels.complete(
        halt, rare, RARE_INSIDE, effort, aim, TREMBLE, TRIM, SLIP, SCHEDULE, *tree.whole, one.prior,
        evaluation.tree, payoffs, payoffs.astype(np.float32), evaluation.places, one.counts, played, beliefs, own,
        entered_by, entries, *(aligned((rows, size)) for rows in (actions, actions, nodes, nodes)), after, allowed,
        evaluation.found,
    )  # fmt: skip
    empty = np.add.reduceat(played, tree.first[:-1], axis=0) < 0.5  # all that the row took was rare
    open_rows = np.zeros((nodes, size))
    for player in (0, 1):
        mine = tree.player == player
        open_rows[mine] = empty[mine] | (own[player, mine] <= UNREACHED)
    rounds = _within(ROUNDS, nodes * classes)
    hand = (evaluation.tree, payoffs, evaluation.places)
    sides = (beliefs[0], beliefs[1])
    kernels.settle(
        halt, rounds, FAINT, SLIP, TREMBLE, SCHEDULE, len(tree.levels), *hand, played, entered_by, entries, open_rows,
        sides, np.zeros_like(played), np.zeros_like(played), np.zeros((nodes, size)), np.zeros((nodes, size)),
        np.zeros((tree.most_actions + 1, size)),
    )  # fmt: skip
    if halt[0]:
        return None
    case = Case(tree, one, evaluation, entered_by, entries, much, width, classes)
    held = case.assess(evaluation.wide(undominated(tree, one, played[:, :width])))
    if mend:
        held = put_right(case, held, most)
    if mend and whole and 0 < len(held.unjustified) <= MOST:
        case, held = _solved_below(case, held, most)
    sources = row_sources(tree, one, held.strategy, held.beliefs, case.entered_by, held.losses)
    return Completion(held.strategy, held.beliefs, case.entered_by, sources, held.assumed, case.entries)


def _solved_below(case: Case, held: Assessment, most: float) -> tuple[Case, Assessment]:
    """Solve subtrees anew in which rows are that nothing justifies, where that makes matters better.

    Each is a hand of its own, dealt as both players are believed to be there, and completed as such.
    """
    tree, tried, best = case.tree, set[int](), held
    sizes = tree.nodes_below
    while len(tried) < SUBTREES:
        nodes = sorted({node for node, _ in best.unjustified} - tried)
        node = next((node for node in nodes if sizes[node] <= LARGEST_BELOW), None)
        if node is None:
            break
        tried.add(node)
        found = _as_a_hand(case, best, node)
        if found is None or case.evaluation.quality(case.one, found[1], 0.0).nash_conv > most:
            continue
        changed, played = found
        assessed = changed.assess(played, best)
        if assessed.score < best.score:
            case, best = changed, assessed
    return case, best


def _as_a_hand(case: Case, held: Assessment, node: int) -> tuple[Case, NDArray[np.float64]] | None:
    """Return a case and a strategy in which the subtree below a node is solved anew."""
    tree, one = case.tree, case.one
    first, second = (
        np.maximum(reach[node, :number] / reach[node, :number].max(), FAINT_BELOW)
        for reach, number in zip(held.beliefs, one.observations, strict=True)
    )
    share = first[:, None] * second
    share = share / (one.prior * share).sum()
    hand = ClassGame(one.joint * share, one.prior * share, one.weight, one.even)
    game = Game(unfolded(tree.automaton._replace(root=int(tree.state[node]))), (hand,))
    run = cfr.run(game, gap=CALM * case.tolerance, max_iterations=ITERATIONS[1], threads=1)
    average = probabilities(game.tree, run.states()[0][1])
    kept = np.where(average < NOISE_BELOW, 0.0, average)
    found = complete(game.tree, hand, probabilities(game.tree, kept), RARE[1], np.inf, whole=False)
    if found is None:
        return None
    played, entered_by, entries = held.played.copy(), case.entered_by.copy(), case.entries.copy()
    start, end = node, node + 1
    for low, high in zip(*game.tree.whole, strict=True):
        rows = slice(int(game.tree.first[low]), int(game.tree.first[high]))
        played[tree.first[start] : tree.first[end], : found.strategy.shape[1]] = found.strategy[rows]
        if start != node:
            entered_by[start:end] = found.entered_by[low:high]
            entries[start:end, : found.entries.shape[1]] = found.entries[low:high]
        start, end = int(tree.kids[start]), int(tree.kids[end])
    return case._replace(entered_by=entered_by, entries=entries), played


def uncompleted(tree: PublicTree, strategy: NDArray[np.float64]) -> Completion:
    """Return a strategy as it is, with beliefs by Bayes' rule from the root."""
    entered_by = np.zeros(tree.nodes, dtype=np.int8)
    sources = np.zeros((tree.nodes, strategy.shape[1]), dtype=np.int8)
    assumed = Assumed.none(strategy.shape[1])
    nobody = np.zeros((0, strategy.shape[1]))
    return Completion(strategy, beliefs_by_bayes(tree, strategy), entered_by, sources, assumed, nobody)


def _within(bounds: tuple[int, int, int], share: int) -> int:
    whole, least, most = bounds
    return min(max(whole // max(share, 1), least), most)
