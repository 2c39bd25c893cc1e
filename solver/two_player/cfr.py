"""Discounted CFR+ on the public tree with private observations, alternating updates.

Brown and Sandholm 2019, "Solving Imperfect-Information Games via Discounted Regret Minimization", section 4:
at iteration t the regrets gathered so far are multiplied by (t-1)^a / ((t-1)^a + 1), then the new ones are
added; an iteration's strategy counts in the average with weight t^c. As in CFR+ (Tammelin 2014, "Solving Large
Imperfect Information Games Using CFR+"), what falls below 0 is set to 0; Xu et al. 2024, "Minimizing Weighted
Counterfactual Regret with Optimistic Online Mirror Descent", join the two as well. (a, c) = (1.5, 4) took the
fewest iterations over the hands of `benchmarks.speed`. One iteration updates both players.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.two_player.backends import Backend, State, Task, make_backends
from solver.two_player.payoffs import Game, Quality

BRIEF = 1_000_000
"""Node visits that are done before a thread of its own would have begun."""

FIRST_CHECK, SHARE = 20, 8
"""CFR is measured every so many iterations at first, then when this part more have been done."""


class Check(NamedTuple):
    """One measurement on the way: iterations of every class, and the mean over the classes."""

    iterations: int
    quality: Quality


@dataclass
class Run:
    """A finished, stopped or unfinished run.

    Parameters
    ----------
    engines
        What was run, and can be run on; none where nobody acts.
    qualities
        Of each class.
    checks
        What was measured on the way.
    stopped
        ``gap``, ``interrupted`` or ``iterations``; "" while it runs.
    """

    engines: list[Backend]
    qualities: list[Quality]
    checks: list[Check] = field(default_factory=list)
    stopped: str = ""

    def states(self, last: bool = False) -> list[State]:
        """Return regrets and sums of strategies, class by class; see `Backend.states`."""
        return states(self.engines, last)


def next_check(iterations: int) -> int:
    """Return the next iteration at which to measure: every 20 at first, then every eighth part more.

    The series does not depend on where a run was interrupted and resumed (which adds its own measurement).
    """
    check = FIRST_CHECK
    while check <= iterations:
        check += max(FIRST_CHECK, check // SHARE)
    return check


def new_stop_flag() -> NDArray[np.int64]:
    """Return what kernels look at to see whether to stop: not yet."""
    return np.zeros(1, dtype=np.int64)


def iterations(going: Sequence[Backend]) -> tuple[int, ...]:
    """Return the iterations done, class by class."""
    return tuple(engine.iterations for engine in going for _ in engine.classes)


def states(going: Sequence[Backend], last: bool = False) -> list[State]:
    """Return regrets and sums of strategies, class by class; see `Backend.states`."""
    return [state for engine in going for state in engine.states(last)]


def restore(going: Sequence[Backend], saved: Sequence[State], done: Sequence[int]) -> None:
    """Let engines go on from what was saved, class by class."""
    for engine in going:
        first, last = engine.classes[0], engine.classes[-1]
        engine.restore(saved[first : last + 1], done[first])


def run(
    game: Game,
    *,
    gap: float,
    max_iterations: int,
    threads: int,
    going: list[Backend] | None = None,
    on_check: Callable[[Check], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Run:
    """Iterate every class side by side until the mean NashConv is at most `gap`.

    The results do not depend on `threads`: threads share nothing but the top of a tree, which one of them
    works on while the others wait.

    Parameters
    ----------
    gap
        Target NashConv, in the unit of the objective.
    max_iterations
        Stop there at the latest, 0 or more.
    going
        Engines to go on with; new by default.
    on_check
        Called after each measurement that follows new iterations.
    stop
        Asked again and again; once it says True, the iterations under way are finished and no more done.
    """
    if not game.tree.nodes:
        return _nobody_acts(game, on_check)
    result = Run(going or make_backends(game), [])
    halt = new_stop_flag()
    each = threads if len(result.engines) == 1 else 1
    visits = 2 * game.tree.nodes * len(game.classes)
    with ThreadPoolExecutor(threads) as pool:
        target = measured = min(iterations(result.engines))
        while True:
            for phase in _phases(result.engines, target, halt, each):
                if len(phase) == 1 and visits * (target - measured) <= BRIEF:
                    phase[0]()  # to wait for it would take longer
                    if stop is not None and stop():
                        halt[0] = 1
                else:
                    _wait(pool, phase, halt, stop)
            result.qualities = [quality for engine in result.engines for quality in engine.qualities()]
            reached = min(iterations(result.engines))
            check = Check(reached, game.mean(result.qualities))
            if reached > measured:
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


def _phases(going: Sequence[Backend], target: int, halt: NDArray[np.int64], threads: int) -> Iterator[list[Task]]:
    """Yield what is to be done at the same time: iterations, then measurements; in one where threads share nothing."""
    iterating = [engine.iterating(target, halt, threads) for engine in going]
    measuring = [engine.measuring(threads) for engine in going]
    if max(map(len, measuring)) == 1:
        yield [partial(_one_by_one, [*both[0], *both[1]]) for both in zip(iterating, measuring, strict=True)]
    else:
        yield from (*filter(None, iterating), *measuring)


def _one_by_one(tasks: list[Task]) -> None:
    for task in tasks:
        task()


def _nobody_acts(game: Game, on_check: Callable[[Check], None] | None) -> Run:
    """Return the only thing that can happen."""
    qualities = [one.settled(game.margin) for one in game.classes]
    check = Check(0, game.mean(qualities))
    if on_check is not None:
        on_check(check)
    return Run([], qualities, [check], "gap")


def _wait(
    pool: ThreadPoolExecutor, tasks: list[Task], halt: NDArray[np.int64], stop: Callable[[], bool] | None
) -> None:
    """Let workers do the tasks, and pass a request to stop on to the compiled code."""
    futures = list[Future[None]]()
    try:
        for task in tasks:
            futures.append(pool.submit(task))
        pending = set(futures)
        while pending:
            _, pending = wait(pending, timeout=0.1)
            if stop is not None and stop():
                halt[0] = 1
        for future in futures:
            future.result()
    except BaseException:  # Ctrl-C too must not wait for the next measurement
        halt[0] = 1
        raise
