"""The proof of a solution: value bounds and NashConv from its strategy and its spec alone."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import VerificationError
from solver.off_path.regions import Assumed
from solver.off_path.sources import row_losses, row_sources, tolerance, unmet
from solver.solutions.solution import Solution
from solver.solutions.translation import quality_in
from solver.trees.public_tree import PublicTree
from solver.two_player.evaluation import (
    FLOOR,
    SLIP,
    TREMBLE,
    Strategy,
    bounds,
    expected_values,
    likely,
    measure,
    reach_below,
    spans,
)
from solver.two_player.payoffs import ROUNDING, ClassGame, Quality

TOLERANCE = 1e-9

CLOSE = 1e-6
"""Relative differences of beliefs and losses that are rounding."""

ROUNDED = 1e-6
"""The same where strategies are kept as float32, times the largest stake where that is more than 1."""


class Verification(NamedTuple):
    """What the strategy gives, measured again: the mean over the classes, and each class."""

    quality: Quality
    classes: tuple[Quality, ...]


def verify(solution: Solution) -> Verification:
    """Measure a solution's strategy anew and compare it with what the solution claims.

    The tree and the payoffs are built again from the spec; values come from `solver.two_player.evaluation`, which
    shares no code with the kernels that solved it. What is claimed of the whole game is measured again too, and so is
    what every row is said to answer: beliefs, where rows come from, and what they lose.

    Large trees are worked through in pieces, so that this takes little memory beside the strategy.

    Raises
    ------
    VerificationError
        Where rows are no probabilities, or a claimed figure differs by more than `TOLERANCE` (`ROUNDED` for a
        large tree).
    """
    game = solution.game
    rounded = ROUNDED * game.margin / ROUNDING
    allowed = TOLERANCE if solution.strategies.dtype == np.float64 else rounded
    measured = []
    for index, (one, strategy) in enumerate(zip(game.classes, solution.strategies, strict=True)):
        _check_rows(game.tree, one, strategy, f"class {index + 1}")
        if solution.ev is not None:
            _check_values(game.tree, one, strategy, solution.ev[index], rounded, f"class {index + 1}")
        quality = measure(game.tree, one, strategy, game.margin)
        if game.sides is not None:
            least, most = (side[index] for side in game.sides)
            quality = quality.within(*bounds(game.tree, least, most, strategy, game.margin))
        measured.append(quality)
    result = Verification(game.mean(measured), tuple(measured))
    claims = [("the whole", solution.quality, result.quality)]
    claims += [
        (f"class {index + 1}", claimed, found)
        for index, (claimed, found) in enumerate(zip(solution.qualities, measured, strict=True))
    ]
    if solution.whole is not None and solution.whole.quality is not None:
        found = quality_in(solution, solution.whole.spec, solution.whole.most)
        if found is None:
            raise VerificationError("the whole game is too large for what is claimed of it")
        claims.append(("the strategy in the whole game", solution.whole.quality, found))
    for where, claimed, found in claims:
        for name in ("value", "lower", "upper", "nash_conv"):
            said, got = getattr(claimed, name), getattr(found, name)
            if not abs(said - got) <= allowed:
                raise VerificationError(
                    f"{where} claims {name.replace('_', ' ')} {said:.9f} but its strategy gives {got:.9f} "
                    f"({solution.spec.unit})"
                )
    if solution.beliefs is not None:
        for index, one in enumerate(game.classes):
            _check_completion(game.tree, one, solution, index, f"class {index + 1}")
    return result


def _check_rows(tree: PublicTree, one: ClassGame, strategy: Strategy, where: str) -> None:
    """Check that a strategy consists of probabilities."""
    allowed = TOLERANCE if strategy.dtype == np.float64 else ROUNDED
    for here in spans(tree):
        rows, place = strategy[here.rows], here.place
        for player, number in enumerate(one.observations):
            mine = rows[:, :number][here.player[place] == player]
            if not np.all((mine >= 0.0) & (mine <= 1.0 + allowed)):
                raise VerificationError(f"{where} has probabilities outside 0 to 1 for P{player + 1}")
            sums = np.add.reduceat(rows[:, :number], here.first[:-1], axis=0, dtype=np.float64)[here.player == player]
            if np.abs(sums - 1.0).max(initial=0.0) > allowed:
                raise VerificationError(f"{where} has rows for P{player + 1} that do not sum to 1")


def _check_completion(tree: PublicTree, one: ClassGame, solution: Solution, index: int, where: str) -> None:
    """Check beliefs, sources and the rows' own beliefs of a class against its strategy."""
    assert solution.beliefs is not None
    assert solution.entered_by is not None
    assert solution.sources is not None
    strategy, beliefs = solution.profile(index), solution.beliefs[index]
    entered_by, sources, assumed = solution.entered_by[index], solution.sources[index], solution.assumed_by(index)
    if not tree.nodes:
        return
    _check_beliefs(tree, one, strategy, beliefs, entered_by, where)
    _check_assumed(tree, one, assumed, where)
    if not (sources.any() or entered_by.any() or len(assumed.rows)):
        return  # left as the solve has it, and nothing is claimed of its rows
    much, none = tolerance(one), Assumed.none(strategy.shape[1])
    losses = row_losses(tree, one, strategy, beliefs, entered_by, none)
    right = sources == row_sources(tree, one, strategy, beliefs, entered_by, losses)
    right |= np.abs(losses - much) <= CLOSE * much  # too close to tell
    for player, number in enumerate(one.observations):
        if not right[tree.player == player, :number].all():
            raise VerificationError(f"{where} has rows of P{player + 1} that do not come from where it says")
    own = row_losses(tree, one, strategy, beliefs, entered_by, assumed)[tuple(assumed.rows.T)]
    if not unmet(tree, one, strategy)[tuple(assumed.rows.T)].all():
        raise VerificationError(f"{where} has rows with a belief of their own to which the other's play comes")
    if not (own <= (1.0 + CLOSE) * much).all():
        raise VerificationError(f"{where} has rows that lose up to {own.max():.3f} under the belief they assume")


def _check_beliefs(
    tree: PublicTree,
    one: ClassGame,
    strategy: NDArray[np.float64],
    beliefs: NDArray[np.float64],
    entered_by: NDArray[np.int8],
    where: str,
) -> None:
    """Check that beliefs follow by Bayes' rule, but for who enters the subtrees that were solved anew."""
    actor = np.concatenate(([-1], tree.player[tree.node_of_action[tree.parent_action[1:]]]))
    if not ((entered_by == 0) | (entered_by == 1 + actor)).all() or entered_by[0]:
        raise VerificationError(f"{where} has subtrees that somebody enters who does not act there")
    for player, number in enumerate(one.observations):
        claimed = beliefs[player, :, :number]
        if not (np.isfinite(claimed).all() and (claimed > 0.0).all() and (claimed[0] == claimed[0, 0]).all()):
            raise VerificationError(f"{where} has beliefs about P{player + 1} that are no reach")
        for here in spans(tree):
            above = claimed[here.start : here.end]
            found = likely(reach_below(here, strategy, player, above, SLIP)).reach
            found /= found.max(axis=1, keepdims=True)
            said = claimed[here.children] / claimed[here.children].max(axis=1, keepdims=True)
            enters = entered_by[here.children] == 1 + player
            bayes = np.abs(said - found) <= CLOSE * np.maximum(said, found) + FLOOR
            if not (bayes.all(axis=1) | enters).all():
                raise VerificationError(
                    f"{where} has beliefs about P{player + 1} that do not follow from what is played"
                )
            if not (said >= (1.0 - CLOSE) * TREMBLE * found / (1.0 + TREMBLE))[enters].all():
                raise VerificationError(f"{where} has beliefs about P{player + 1} that leave out who may be there")


def _check_assumed(tree: PublicTree, one: ClassGame, assumed: Assumed, where: str) -> None:
    """Check that rows with a belief of their own are rows, and that it is one the deck allows."""
    (nodes, columns), reach = assumed.rows.T, assumed.reach
    known = np.flatnonzero((nodes < 0) | (nodes >= tree.nodes) | (columns < 0))
    if len(known) or not (np.isfinite(reach).all() and (reach >= 0.0).all()):
        raise VerificationError(f"{where} has rows with a belief of their own that cannot be")
    players = tree.player[nodes]
    numbers = np.array([*one.observations, 0])[players]
    if not (columns < numbers).all() or (np.diff(nodes * reach.shape[1] + columns) <= 0).any():
        raise VerificationError(f"{where} has rows with a belief of their own that cannot be")
    for player in (0, 1):
        prior = one.prior_of(player)
        mine = players == player
        if not ((prior[columns[mine]] * reach[mine, : prior.shape[1]]).sum(axis=1) > 0.0).all():
            raise VerificationError(f"{where} has rows that believe in nothing that the deck allows")


def _check_values(
    tree: PublicTree, one: ClassGame, strategy: Strategy, claimed: NDArray[np.float32], allowed: float, where: str
) -> None:
    """Check what a solution says that actions are worth."""

    def compare(rows: slice, found: NDArray[np.float64]) -> None:
        if not np.abs(claimed[rows, : found.shape[1]] - found).max() <= allowed:
            raise VerificationError(f"{where} claims expected values of actions that its strategy does not give")

    expected_values(tree, one, strategy, compare)
