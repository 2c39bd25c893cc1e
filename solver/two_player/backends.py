"""What runs discounted CFR+ on one class of deals, or on several side by side: its arrays, and the kernels called.

A small tree of few classes is worked on row by row (`solver.kernels.rows`), everything else in columns
(`solver.kernels.columns`): the nodes of one public state side by side, or, where the tree is small and there are
many classes, the classes. What a class comes to does not depend on which others stand beside it.

Regrets and sums of strategies are float32, or float64 where the gap is small (`solver.two_player.payoffs.precision`);
what measures a profile works in float64.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from solver.kernels import columns as column_kernels
from solver.kernels import rows as row_kernels
from solver.trees.column_layout import COUNT, ColumnLayout, aligned, lay_out, observations
from solver.two_player.best_response import Evaluation
from solver.two_player.payoffs import FINE, Game, Quality, precision

SCHEDULE = (1.5, 4.0)
"""Alpha and gamma of discounted CFR+."""

FEW = 400
"""Nodes up to which a tree has too few of any public state to fill vectors."""
SEVERAL = 4
"""Classes from which on they are worked on side by side, where the tree is so small."""
WIDEST = 16
"""Observations up to which columns pay."""

State = tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]
"""Regrets, and sums of strategies, by action and observation."""

Task = Callable[[], None]


class Backend(Protocol):
    """One class of deals, or several, and how far CFR has come.

    Parameters
    ----------
    classes
        Which of the game's classes.
    iterations
        Iterations done, of each of them.
    """

    classes: tuple[int, ...]
    iterations: int

    def iterating(self, end: int, halt: NDArray[np.int64], threads: int) -> list[Task]:
        """Return what to run at the same time to go on up to an iteration, or until ``halt[0]`` is not 0."""

    def measuring(self, threads: int) -> list[Task]:
        """Return what to run at the same time to measure the average strategies."""

    def qualities(self) -> list[Quality]:
        """Return what was measured, for each class."""

    def states(self, last: bool = False) -> list[State]:
        """Return what to go on from, for each class, shapes (A, width); where it is the last time, of no more use."""

    def restore(self, states: Sequence[State], iterations: int) -> None:
        """Go on from there."""


class Kind(NamedTuple):
    """Whether nodes are worked on in columns, and how many classes stand side by side."""

    columns: bool
    hands: int = 1


def choose_backend(width: int, nodes: int, classes: int) -> Kind:
    """Choose what is fastest for so many observations, nodes and classes."""
    if width > WIDEST or (nodes <= FEW and classes < SEVERAL):
        return Kind(columns=False)
    return Kind(columns=True, hands=COUNT if nodes <= FEW else 1)


def make_backends(game: Game, chosen: Kind | None = None, gap: float = FINE) -> list[Backend]:
    """Return what runs all classes of a game of at least one node, as exactly as a gap needs it."""
    dtype = precision(gap)
    columns, hands = chosen or choose_backend(game.width, game.tree.nodes, len(game.classes))
    every = range(len(game.classes))
    if not columns:
        return [RowBackend(game, index, dtype) for index in every]
    layout, spare = lay_out(game.tree, observations(game.width), hands), list[Scratch]()
    together = (every[start : start + hands] for start in range(0, len(every), hands))
    return [columns_of(game, classes, layout, spare, dtype) for classes in together]


def columns_of(
    game: Game,
    classes: Sequence[int],
    layout: ColumnLayout,
    spare: "list[Scratch]",
    dtype: type[np.floating[Any]] = np.float32,
) -> "ColumnBackend":
    """Return what runs some classes of a game in columns."""
    each = [game.classes[index].payoffs(layout.observations) for index in classes]
    payoffs = each[0]
    if layout.hands > 1:
        payoffs = np.zeros((*payoffs.shape, layout.hands))
        payoffs[..., : len(each)] = np.stack(each, axis=-1)
    return ColumnBackend(tuple(classes), payoffs, game.margin, layout, spare, game.width, dtype)


class RowBackend:
    """One class, row by row."""

    def __init__(self, game: Game, index: int, dtype: type[np.floating[Any]] = np.float32) -> None:
        self.classes: tuple[int, ...] = (index,)
        self.iterations = 0
        self._game, self._one = game, game.classes[index]
        self._evaluation = Evaluation(game.tree, game.width)
        size = self._evaluation.size
        self._payoffs = self._one.payoffs(size).astype(dtype)
        self._regret, self._total = (aligned((len(game.tree.child), size), dtype) for _ in range(2))
        self._reach, self._value = (aligned((game.tree.nodes, size), dtype) for _ in range(2))
        self._after = aligned((game.tree.most_actions, size), dtype)
        self._reach[0] = self._evaluation.ones
        self._quality: Quality | None = None

    def iterating(self, end: int, halt: NDArray[np.int64], threads: int) -> list[Task]:
        """Go on up to an iteration."""

        def run() -> None:
            self.iterations = row_kernels.iterate(
                self.iterations, end, halt, SCHEDULE, evaluation.tree, *evaluation.whole, self._payoffs,
                evaluation.places, self._regret, self._total, self._reach, self._value, self._after,
            )  # fmt: skip

        evaluation = self._evaluation
        return [run] if self.iterations < end else []

    def measuring(self, threads: int) -> list[Task]:
        """Measure the average strategy."""

        def run() -> None:
            self._quality = self._evaluation.quality(self._one, self._total, self._game.margin)

        return [run]

    def qualities(self) -> list[Quality]:
        """Return what was measured."""
        assert self._quality is not None
        return [self._quality]

    def states(self, last: bool = False) -> list[State]:
        """Return regrets and sums."""
        return [(self._regret[:, : self._game.width].copy(), self._total[:, : self._game.width].copy())]

    def restore(self, states: Sequence[State], iterations: int) -> None:
        """Go on from regrets and sums."""
        ((regret, total),) = states
        self._regret[:, : self._game.width], self._total[:, : self._game.width] = regret, total
        self.iterations = iterations


class Scratch:
    """What kernels overwrite in columns: for the top, and for one forest at a time."""

    def __init__(self, layout: ColumnLayout, dtype: type[np.floating[Any]] = np.float32) -> None:
        rows, after = layout.observations, (layout.tree.most_actions + 3, layout.observations, COUNT)

        def iterated(columns: int) -> column_kernels.Columns:
            return column_kernels.Columns(
                *(aligned(shape, dtype) for shape in ((rows, columns), (rows, columns), after))
            )

        def measured(columns: int) -> column_kernels.Measured:
            one, two, three, four, five = (np.zeros((rows, columns)) for _ in range(5))
            return column_kernels.Measured((one, two), (three, four, five), np.zeros(after))

        self.iterated = [iterated(columns) for columns in layout.columns]
        self.measured = [measured(columns) for columns in layout.columns]
        for reach in (self.iterated[0].reach, *self.measured[0].reach):
            reach[:, : layout.hands] = 1.0


class ColumnBackend:
    """One class, or several side by side, in columns.

    Parameters
    ----------
    classes
        Their numbers.
    payoffs
        Joint utilities as `ClassGame.payoffs` has them, shape (2, outcomes, size, size), float64; with a last
        axis for the classes, as long as the layout has hands, where they stand side by side.
    margin
        Bounds are moved outward by this for rounding (`Game.margin`).
    spare
        Arrays that kernels overwrite and that no engine of this layout uses at the moment.
    width
        Columns of the states that are handed out.
    """

    def __init__(
        self,
        classes: tuple[int, ...],
        payoffs: NDArray[np.float64],
        margin: float,
        layout: ColumnLayout,
        spare: list[Scratch],
        width: int,
        dtype: type[np.floating[Any]] = np.float32,
    ) -> None:
        self.classes = classes
        self.iterations = 0
        self.payoffs = payoffs
        """What profiles are measured by; regrets follow those of the beginning."""
        self._margin, self._layout, self._spare, self._width = margin, layout, spare, width
        self._size = (0,) * layout.observations
        self._rounded = payoffs.astype(dtype, copy=False)
        self._regret, self._total = layout.new(dtype), layout.new(dtype)
        self._qualities: list[Quality] = []

    def iterating(self, end: int, halt: NDArray[np.int64], threads: int) -> list[Task]:
        """Go on up to an iteration."""
        start = self.iterations

        def run(meeting: NDArray[np.int64], top: Scratch, own: Scratch) -> None:
            self.iterations = column_kernels.iterate(
                meeting, start, end, halt, SCHEDULE, self._layout.groups, self._layout.hands, self._rounded, self._size,
                self._regret, self._total, top.iterated[0], own.iterated[1],
            )  # fmt: skip

        return self._tasks(run, threads) if start < end else []

    def measuring(self, threads: int) -> list[Task]:
        """Measure the average strategies."""

        def run(meeting: NDArray[np.int64], top: Scratch, own: Scratch) -> None:
            found = top.measured[0]
            if column_kernels.measure(
                meeting, self._layout.groups, self._layout.hands, self.payoffs, self._size, self._total, found,
                own.measured[1],
            ):  # fmt: skip
                # All hands are summed, so that rounding does not depend on how many there are.
                value, first, second = (table[:, : self._layout.hands].sum(axis=0) for table in found.value)
                bounds = np.stack([value, -second - self._margin, first + self._margin], axis=1)[: len(self.classes)]
                self._qualities = [Quality(*figures) for figures in bounds.tolist()]

        return self._tasks(run, threads)

    def _tasks(self, run: Callable[[NDArray[np.int64], Scratch, Scratch], None], threads: int) -> list[Task]:
        threads = max(1, min(threads, len(self._layout.sizes)))
        meeting = column_kernels.meeting()

        def alone() -> None:
            scratch = self._lent()
            run(meeting, scratch, scratch)
            self._spare.append(scratch)

        if threads == 1:
            return [alone]
        scratch = [self._lent() for _ in range(threads)]
        self._spare.extend(scratch)  # whoever shares one engine out runs no other at the same time
        return [partial(run, meeting, scratch[0], own) for own in scratch]

    def _lent(self) -> Scratch:
        try:
            return self._spare.pop()
        except IndexError:
            return Scratch(self._layout, self._regret.dtype.type)

    def qualities(self) -> list[Quality]:
        """Return what was measured."""
        return self._qualities

    def sums(self) -> list[NDArray[np.float32]]:
        """Return sums of strategies, for each class, shape (A, width)."""
        return [self._layout.taken(self._total, self._width, hand) for hand in range(len(self.classes))]

    def states(self, last: bool = False) -> list[State]:
        """Return regrets and sums."""
        hands, width = range(len(self.classes)), self._width
        regrets = [self._layout.taken(self._regret, width, hand) for hand in hands]
        if last:
            del self._regret, self._spare[:]
        totals = self.sums()
        if last:
            del self._total
        return list(zip(regrets, totals, strict=True))

    def restore(self, states: Sequence[State], iterations: int) -> None:
        """Go on from regrets and sums."""
        for hand, (regret, total) in enumerate(states):
            self._layout.put(regret, self._regret, hand)
            self._layout.put(total, self._total, hand)
        self.iterations = iterations
