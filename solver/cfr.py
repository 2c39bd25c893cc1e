"""Discounted CFR on the public tree with private observations, alternating updates.

Brown and Sandholm 2019, "Solving Imperfect-Information Games via Discounted Regret Minimization",
section 4: at iteration t the positive regrets gathered so far are multiplied by (t-1)^a / ((t-1)^a + 1),
the negative ones by (t-1)^b / ((t-1)^b + 1), then the new ones are added; an iteration's strategy counts
in the average with weight t^c. Default (a, b, c) = (1.5, 0, 2). One iteration updates both players.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import _kernels
from solver.best_response import Scratch, measure_profile
from solver.game import Game, Quality

SCHEDULE = (1.5, 0.0, 2.0)
FIRST_CHECK = 10


@dataclass
class ClassState:
    """What CFR remembers of one class, shapes (actions, width), float64."""

    regret: NDArray[np.float64]
    current: NDArray[np.float64]
    total: NDArray[np.float64]
    iterations: int = 0

    @classmethod
    def new(cls, game: Game) -> "ClassState":
        """Start from no regrets and even strategies."""
        even = game.uniform()
        return cls(np.zeros_like(even), even, np.zeros_like(even))

    @classmethod
    def resumed(
        cls, game: Game, regret: NDArray[np.float64], total: NDArray[np.float64], iterations: int
    ) -> "ClassState":
        """Go on from saved regrets and strategy sums; the current strategy follows from the regrets."""
        current = np.empty_like(regret)
        _kernels.normalise(game.tree.first, np.maximum(regret, 0.0), current)
        return cls(regret.copy(), current, total.copy(), iterations)


class Check(NamedTuple):
    """One measurement on the way: iterations of every class, and the mean over the classes."""

    iterations: int
    quality: Quality


@dataclass
class Run:
    """A finished, stopped or unfinished run."""

    states: list[ClassState]
    strategies: list[NDArray[np.float64]]
    qualities: list[Quality]
    checks: list[Check] = field(default_factory=list)
    stopped: str = ""


def next_check(iterations: int) -> int:
    """Return the next iteration at which to measure: every 10 at first, then every tenth part more.

    The series does not depend on where a run was interrupted and resumed (which adds its own measurement).
    """
    check = FIRST_CHECK
    while check <= iterations:
        check += max(FIRST_CHECK, check // 10)
    return check


def run(
    game: Game,
    *,
    gap: float,
    max_iterations: int,
    threads: int,
    states: list[ClassState] | None = None,
    on_check: Callable[[Check], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Run:
    """Iterate every class side by side until the mean NashConv is at most `gap`.

    The results do not depend on `threads`: each class is solved by one thread at a time, and classes
    share nothing.

    Parameters
    ----------
    gap
        Target NashConv, in the unit of the objective.
    max_iterations
        Stop there at the latest, 0 or more.
    states
        Where to go on from; new by default.
    on_check
        Called after each measurement that follows new iterations.
    stop
        Asked again and again; once it says True, the iterations under way are finished and no more done.
    """
    tree = game.tree
    result = Run(states or [ClassState.new(game) for _ in game.classes], [], [])
    halt = np.zeros(1, dtype=np.int64)
    workers = max(1, min(threads, len(game.classes)))
    scratches = [Scratch(tree, game.width) for _ in range(workers)]

    def advance(worker: int, target: int) -> list[tuple[int, NDArray[np.float64], Quality]]:
        done = []
        scratch = scratches[worker]
        for index in range(worker, len(game.classes), workers):
            state, one = result.states[index], game.classes[index]
            if tree.nodes and state.iterations < target:
                state.iterations = _kernels.iterate(
                    state.iterations, target, halt, SCHEDULE, *tree.whole, scratch.ones, tree.player, tree.first,
                    tree.child, one.payoffs, one.counts,
                    state.regret, state.current, state.total, scratch.reach, scratch.value, scratch.after,
                )  # fmt: skip
            strategy = np.empty_like(state.total)
            _kernels.normalise(tree.first, state.total, strategy)
            done.append((index, strategy, measure_profile(tree, one, strategy, game.margin, scratch)))
        return done

    with ThreadPoolExecutor(workers) as pool:
        target = measured = min(state.iterations for state in result.states)
        while True:
            futures = [pool.submit(advance, worker, target) for worker in range(workers)]
            _wait(futures, halt, stop)
            found = sorted((item for future in futures for item in future.result()), key=lambda item: item[0])
            result.strategies = [strategy for _, strategy, _ in found]
            result.qualities = [quality for _, _, quality in found]
            reached = min(state.iterations for state in result.states)
            check = Check(reached, game.mean(result.qualities))
            if reached > measured or not (tree.nodes or states):
                measured = reached
                result.checks.append(check)
                if on_check is not None:
                    on_check(check)
            if check.quality.nash_conv <= gap:
                result.stopped = "gap"
            elif halt[0]:
                result.stopped = "interrupted"
            elif reached >= max_iterations:
                result.stopped = "iterations"
            if result.stopped:
                return result
            target = min(next_check(reached), max_iterations)


def _wait(
    futures: list["Future[list[tuple[int, NDArray[np.float64], Quality]]]"],
    halt: NDArray[np.int64],
    stop: Callable[[], bool] | None,
) -> None:
    """Wait for the workers, and pass a request to stop on to the compiled code."""
    pending = set(futures)
    try:
        while pending:
            _, pending = wait(pending, timeout=0.1)
            if stop is not None and stop():
                halt[0] = 1
    except BaseException:  # Ctrl-C too must not wait for the next measurement
        halt[0] = 1
        raise
