"""A spec made ready for solving: the tree once, and for each class the payoffs that kernels read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.games.spec import HandClass, HandSpec
from solver.trees.public_tree import Automaton, PublicTree, unfold, unfolded

ROUNDING = 1e-12
"""Relative rounding error allowed for in a value, several times what sums over these trees can lose."""

LARGEST = 200_000
"""Nodes, of all classes together, up to which strategies are completed and kept in full."""


def is_large(nodes: int, classes: int) -> bool:
    """Say whether strategies are left as CFR has them, and kept in float32 without beliefs."""
    return nodes * classes > LARGEST


FINE = 3e-5
"""Gaps below this, in the unit of the objective, are not reached in float32: what an iteration adds becomes so small
beside regrets and sums that rounding outweighs it, a little more with each."""


def precision(gap: float) -> type[np.floating[Any]]:
    """Return the type of regrets and sums with which a gap can be reached."""
    return np.float64 if gap < FINE else np.float32


class Quality(NamedTuple):
    """A strategy profile measured, in the unit of the objective.

    `value` is P1's when both play the profile; `lower` and `upper` bound the value of the game. `unknown` is the
    part of the distance between them that no play of this hand can close, for what follows it is known within
    bounds only.
    """

    value: float
    lower: float
    upper: float
    unknown: float = 0.0

    @property
    def nash_conv(self) -> float:
        """The sum of both players' gains from a best response, 0 or more."""
        return self.upper - self.lower - self.unknown

    def within(self, lower: float, upper: float) -> "Quality":
        """Return the same with bounds that hold whatever follows the hand, these or wider ones."""
        least, most = min(lower, self.lower), max(upper, self.upper)
        return Quality(self.value, least, most, most - least - self.nash_conv)


@dataclass(frozen=True, eq=False)
class ClassGame:
    """One class of deals: joint utilities, prior included.

    Parameters
    ----------
    joint
        ``joint[o, x, y]``: prior times P1's utility at outcome o, float64.
    prior
        Shape (n1, n2).
    weight
        Probability of the class.
    even
        P1's utility where nothing is at stake.
    """

    joint: NDArray[np.float64]
    prior: NDArray[np.float64]
    weight: float
    even: float = 0.0

    @property
    def utilities(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Joint utilities of P1 and P2, shape (outcomes, own observations, the other's)."""
        return self.joint, -self.joint.transpose(0, 2, 1)

    def prior_of(self, player: int) -> NDArray[np.float64]:
        """Return the prior with a row for each observation of a player, a column for each of the other's."""
        return self.prior if player == 0 else self.prior.T

    @cached_property
    def _laid_out(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def payoffs(self, size: int) -> NDArray[np.float64]:
        """Return joint utilities of P1 and P2 as kernels read them, shape (2, outcomes, size, size).

        ``payoffs[p, o, y, x]``: x is the player's own observation, y the other's; padded with zeros.
        """
        if size in self._laid_out:
            return self._laid_out[size]
        n1, n2 = self.observations
        padded = np.zeros((2, len(self.joint), size, size))
        padded[0, :, :n2, :n1] = self.joint.transpose(0, 2, 1)
        padded[1, :, :n1, :n2] = -self.joint
        self._laid_out[size] = padded
        return padded

    def settled(self, margin: float) -> Quality:
        """Return the quality of the only play of a hand in which nobody acts, bounds moved outward by `margin`."""
        value = float(self.joint[0].sum())
        return Quality(value, value - margin, value + margin)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many observations each player has, int64."""
        return np.array(self.observations)

    @property
    def observations(self) -> tuple[int, int]:
        """How many private observations each player has."""
        return self.prior.shape[0], self.prior.shape[1]


Sides = tuple[tuple[ClassGame, ...], tuple[ClassGame, ...]]
"""The classes with utilities that P1 has at least, and with some that it has at most."""


@dataclass(frozen=True, eq=False)
class Game:
    """Everything that the solving methods read.

    Parameters
    ----------
    tree
        The public tree.
    classes
        All classes of deals.
    sides
        Where utilities are known within bounds only.
    groups
        What the classes were tabulated from.
    """

    tree: PublicTree
    classes: tuple[ClassGame, ...]
    sides: Sides | None = None
    groups: tuple[HandClass, ...] = ()

    @cached_property
    def width(self) -> int:
        """Columns of arrays over (action, observation): the most observations that anyone has."""
        return max(max(one.observations) for one in self.classes)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Probability of each class, shape (classes,)."""
        return np.array([one.weight for one in self.classes])

    @cached_property
    def margin(self) -> float:
        """How far bounds are moved outward for rounding, in the unit of the objective."""
        largest = max((float(np.abs(one.joint).sum(axis=(1, 2)).max(initial=0.0)) for one in self.classes), default=0.0)
        return ROUNDING * max(1.0, largest)

    def mean(self, qualities: Sequence[Quality]) -> Quality:
        """Return the probability-weighted mean over the classes."""
        return mean(self.weights, qualities)


def mean(weights: NDArray[np.float64], qualities: Sequence[Quality]) -> Quality:
    """Return the mean of as many qualities as there are weights, which sum to 1."""
    value, lower, upper = weights @ np.array([one[:3] for one in qualities])
    unknown = weights @ np.array([one.unknown for one in qualities])
    return Quality(float(value), float(lower), float(upper), float(unknown))


def prepare(spec: HandSpec, classes: Sequence[HandClass] | None = None, automaton: Automaton | None = None) -> Game:
    """Unfold a spec's tree and tabulate its payoffs.

    Parameters
    ----------
    classes, automaton
        The spec's, where they are known already.
    """
    tree = unfold(spec.public) if automaton is None else unfolded(automaton)
    groups = tuple(spec.classes() if classes is None else classes)
    return Game(tree, tabulate(tree.outcomes, groups), tabulate_sides(tree.outcomes, spec), groups)


def tabulate_sides(outcomes: Sequence[Any], spec: HandSpec) -> Sides | None:
    """Tabulate both sides of a spec whose utilities are known within bounds only."""
    if spec.sides is None:
        return None
    least, most = (tabulate(outcomes, side.classes()) for side in spec.sides)
    return least, most


def tabulate(outcomes: Sequence[Any], groups: Sequence[HandClass]) -> tuple[ClassGame, ...]:
    """Tabulate the joint utilities of every class at the outcomes of a public game."""
    return tuple(
        ClassGame(
            np.stack([group.hand.utility(outcome) for outcome in outcomes]) * group.hand.prior,
            group.hand.prior,
            group.weight,
            group.hand.even,
        )
        for group in groups
    )
