"""The proof of a solution: value bounds and NashConv from its strategy and its spec alone."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.errors import VerificationError
from solver.evaluation import Strategy, expected_values, measure, spans
from solver.game import ROUNDING, ClassGame, Quality
from solver.solution import Solution
from solver.translation import quality_in
from solver.tree import PublicTree

TOLERANCE = 1e-9

ROUNDED = 1e-6
"""The same where strategies are kept as float32, times the largest stake where that is more than 1."""


class Verification(NamedTuple):
    """What the strategy gives, measured again: the mean over the classes, and each class."""

    quality: Quality
    classes: tuple[Quality, ...]


def verify(solution: Solution) -> Verification:
    """Measure a solution's strategy anew and compare it with what the solution claims.

    The tree and the payoffs are built again from the spec; values come from `solver.evaluation`, which
    shares no code with the kernels that solved it. What is claimed of the whole game is measured again too.

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
        measured.append(measure(game.tree, one, strategy, game.margin))
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


def _check_values(
    tree: PublicTree, one: ClassGame, strategy: Strategy, claimed: NDArray[np.float32], allowed: float, where: str
) -> None:
    """Check what a solution says that actions are worth."""

    def compare(rows: slice, found: NDArray[np.float64]) -> None:
        if not np.abs(claimed[rows, : found.shape[1]] - found).max() <= allowed:
            raise VerificationError(f"{where} claims expected values of actions that its strategy does not give")

    expected_values(tree, one, strategy, compare)
