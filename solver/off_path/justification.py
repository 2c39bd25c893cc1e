"""What justifies the rows of a completed strategy: the belief that all share, one of their own, or nothing yet.

A row is justified if it loses little under its belief. Where mistakes are all that a row can meet, it may do what
nothing justifies, for example because CFR hardly ever came there. Such rows are put right one after the other, as
far as that neither costs NashConv nor leaves others worse off.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels import resolving as kernels
from solver.off_path.lookahead import Lookahead
from solver.off_path.own_beliefs import MOST, assume
from solver.off_path.regions import Assumed
from solver.off_path.sources import row_losses, unmet
from solver.trees.public_tree import PublicTree
from solver.two_player.best_response import Evaluation
from solver.two_player.evaluation import SLIP, TREMBLE
from solver.two_player.payoffs import ClassGame

SPENT = 0.1
"""The part of the NashConv still allowed that putting rows right may cost."""
TRIES = (150_000, 4, 40)
"""How many rows are tried: this over the nodes of the tree, at least, and at most."""


class Case(NamedTuple):
    """A completed strategy's surroundings.

    Parameters
    ----------
    entered_by
        1 + the player who deviates at the root of a subtree solved anew, else 0, shape (N,).
    entries
        The reach at such roots of those who deviate on purpose, shape (N, places).
    tolerance
        A row that loses more than this is not justified, in the unit of the objective.
    width
        Columns of strategies, W.
    classes
        How many such strategies are completed.
    """

    tree: PublicTree
    one: ClassGame
    evaluation: Evaluation
    entered_by: NDArray[np.int8]
    entries: NDArray[np.float64]
    tolerance: float
    width: int
    classes: int

    def assess(self, played: NDArray[np.float64], before: "Assessment | None" = None) -> "Assessment":
        """Find the beliefs, what each row loses under them, and beliefs of their own for rows that lose much.

        Parameters
        ----------
        played
            Probabilities in rows padded with zeros, shape (A, places).
        before
            An assessment of nearly the same strategy, whose rows' own beliefs are tried first, and linear programs not.
        """
        tree, one, width = self.tree, self.one, self.width
        beliefs = np.zeros((2, tree.nodes, played.shape[1]))
        for player in (0, 1):
            beliefs[player, 0, : one.observations[player]] = 1.0
        kernels.believe(
            SLIP, TREMBLE, self.evaluation.tree, played, self.entered_by, self.entries, (beliefs[0], beliefs[1])
        )
        strategy, believed = played[:, :width].copy(), beliefs[:, :, :width].copy()
        losses = row_losses(tree, one, strategy, believed, self.entered_by, Assumed.none(width))
        known = None if before is None else before.assumed
        free = np.where(unmet(tree, one, strategy), losses, 0.0)
        assumed = assume(tree, one, self.evaluation, played, beliefs, free, self.tolerance, known)
        return Assessment(played, strategy, believed, losses, assumed, self.tolerance)


class Assessment(NamedTuple):
    """A strategy and what justifies it; N nodes, A actions, width W.

    Parameters
    ----------
    played, strategy
        Probabilities in rows padded with zeros, shape (A, places), and without them, shape (A, W).
    beliefs
        Each player's reach as believed, up to a factor, shape (2, N, W).
    losses
        What each row of the player who acts loses under the shared belief, shape (N, W).
    assumed
        Rows with a belief of their own.
    tolerance
        As in `Case`.
    """

    played: NDArray[np.float64]
    strategy: NDArray[np.float64]
    beliefs: NDArray[np.float64]
    losses: NDArray[np.float64]
    assumed: Assumed
    tolerance: float

    @property
    def unjustified(self) -> list[tuple[int, int]]:
        """Node and column of rows that no belief justifies, those that lose most first."""
        wrong = self.losses > self.tolerance
        wrong[tuple(self.assumed.rows.T)] = False
        rows = [(int(node), int(column)) for node, column in np.argwhere(wrong)]
        return sorted(rows, key=lambda row: -self.losses[row])

    @property
    def score(self) -> float:
        """What the rows that no belief justifies lose, all together."""
        return float(sum(self.losses[row] for row in self.unjustified))


def put_right(case: Case, first: Assessment, most: float) -> Assessment:
    """Let rows that nothing justifies play a best response to what they believe, where it makes matters better.

    Parameters
    ----------
    most
        NashConv that is allowed; a part (`SPENT`) of what is left up to there may be spent.
    """
    best, tried = first, set[tuple[int, int]]()
    if len(first.unjustified) > MOST:
        return first
    before = case.evaluation.quality(case.one, first.played, 0.0).nash_conv
    most = before + SPENT * max(0.0, most - before)
    work, least, limit = TRIES
    for number in range(min(max(work // (case.tree.nodes * case.classes), least), limit)):
        # All of them at once, then one by one.
        rows = [row for row in best.unjustified if row not in tried][: None if number == 0 else 1]
        if not rows:
            break
        if number > 0:
            tried.update(rows)
        played = _with_best_plans(case, best, rows)
        if case.evaluation.quality(case.one, played, 0.0).nash_conv <= most:
            found = case.assess(played, best)
            if found.score < best.score:
                best = found
    return best


def _with_best_plans(case: Case, state: Assessment, rows: Iterable[tuple[int, int]]) -> NDArray[np.float64]:
    """Return the strategy with some rows, and the own rows that they lead to, playing the best plan by their belief."""
    tree, played = case.tree, state.played.copy()
    for node, column in rows:
        player = int(tree.player[node])
        seen = case.one.prior_of(player)[column]
        joint = seen * state.beliefs[1 - player, node, : len(seen)]
        for place, action in Lookahead(tree, case.one, played, node, column).plan(joint).items():
            played[tree.rows(place), column] = 0.0
            played[action, column] = 1.0
    return case.evaluation.wide(undominated(tree, case.one, played[:, : state.strategy.shape[1]]))


def undominated(tree: PublicTree, one: ClassGame, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move what is played at an action that ends the hand to another one that is never worse.

    Nobody folds where a call cannot lose. This makes no player better off against the one who moves.
    """
    played = np.array(strategy)
    automaton = tree.automaton
    for state in range(len(automaton.states)):
        first, end = automaton.first[state : state + 2]
        player = int(automaton.player[state])
        ends = [place for place in range(end - first) if automaton.target[first + place] < 0]
        if player < 0 or len(ends) < 2:
            continue
        payoff = one.utilities[player][~automaton.target[first:end][ends]]
        rows = tree.first[:-1][tree.state == state]
        for worse in range(len(ends)):
            for better in range(len(ends)):
                difference = payoff[better] - payoff[worse]
                columns = np.flatnonzero((difference >= 0.0).all(axis=1) & (difference > 0.0).any(axis=1))
                for column in columns:
                    played[rows + ends[better], column] += played[rows + ends[worse], column]
                    played[rows + ends[worse], column] = 0.0
    return played
