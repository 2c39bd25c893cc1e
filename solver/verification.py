"""The proof of a solution: value bounds and NashConv from its strategy and its spec alone."""

from typing import NamedTuple

import numpy as np

from rules.errors import RunError
from solver.evaluation import measure
from solver.game import Quality
from solver.solution import Solution
from solver.translation import quality_in

TOLERANCE = 1e-9


class VerificationError(RunError):
    """Say where a solution claims what its strategy does not give."""


class Verification(NamedTuple):
    """What the strategy gives, measured again: the mean over the classes, and each class."""

    quality: Quality
    classes: tuple[Quality, ...]


def verify(solution: Solution) -> Verification:
    """Measure a solution's strategy anew and compare it with what the solution claims.

    The tree and the payoffs are built again from the spec; values come from `solver.evaluation`, which
    shares no code with the kernels that solved it. What is claimed of the whole game is measured again too.

    Raises
    ------
    VerificationError
        Where rows are no probabilities, or a claimed figure differs by more than `TOLERANCE`.
    """
    game = solution.game
    for index, (one, strategy) in enumerate(zip(game.classes, solution.strategies, strict=True)):
        for player, number in enumerate(one.observations):
            rows = game.tree.player[game.tree.node_of_action] == player
            mine = strategy[:, :number]
            if not np.all((mine[rows] >= 0.0) & (mine[rows] <= 1.0 + TOLERANCE)):
                raise VerificationError(f"class {index + 1} has probabilities outside 0 to 1 for P{player + 1}")
            if game.tree.nodes:
                sums = np.add.reduceat(mine, game.tree.first[:-1], axis=0)[game.tree.player == player]
                if np.abs(sums - 1.0).max(initial=0.0) > TOLERANCE:
                    raise VerificationError(f"class {index + 1} has rows for P{player + 1} that do not sum to 1")
    measured = tuple(
        measure(game.tree, one, strategy, game.margin)
        for one, strategy in zip(game.classes, solution.strategies, strict=True)
    )
    result = Verification(game.mean(measured), measured)
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
            if not abs(said - got) <= TOLERANCE:
                raise VerificationError(
                    f"{where} claims {name.replace('_', ' ')} {said:.9f} but its strategy gives {got:.9f} "
                    f"({solution.spec.unit})"
                )
    return result
