"""Answers while people wait: the largest game that can be solved in the time allowed, or a look-up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rules.games.spec import HandSpec
from solver.solutions.incumbent import Incumbent
from solver.solutions.solution import Check, Solution, Whole
from solver.solutions.translation import bytes_of, quality_in
from solver.store.cache import Cache
from solver.two_player.memory import available, largest_within, plan

NODES_A_SECOND = 1_200
"""Decision nodes that can be solved and completed in a second, by rule of thumb."""

SOLVING, COMPLETING = 0.5, 0.75
"""The parts of the time after which a solve is stopped, and its completion; the spot that is asked for has the rest."""

JOINED_A_SECOND = 20_000
"""Actions of joined histories, for each second allowed, up to which a smaller game is measured in the whole one.

This takes a sixth of the time at most."""


class Answer(NamedTuple):
    """A solution that holds a history, and how it differs from what was asked.

    Parameters
    ----------
    solution
        Of the whole game, or of a smaller one; then with what it gives in the whole one (`Solution.whole`).
    menu
        The options that make the game smaller; None for the whole one.
    kept
        Whether it could be looked up, or is now kept for the next question; None where no cache was given, or where
        the time was up before it was done: what was cut short is not what the next question gets.
    why_not
        Why it is not kept, where it should have been.
    left
        Seconds of the time allowed that are left for the spot that is asked for (`solver.solutions.on_demand`).
    """

    solution: Solution
    menu: str | None
    kept: bool | None
    why_not: str = ""
    left: float = 0.0


@dataclass
class AnswerSoFar:
    """The best answer while one is under way; any thread may ask, at any time."""

    best: Incumbent = field(default_factory=Incumbent)
    menu: str | None = None

    def answer(self) -> Answer | None:
        """Return what has been measured last, not completed and not kept; None where there is nothing yet."""
        solution = self.best.solution()
        return None if solution is None else Answer(solution, self.menu, None)


def answer(
    spec: HandSpec,
    history: str,
    *,
    seconds: float,
    gap: float,
    cache: Cache | None = None,
    stop: Callable[[], bool] | None = None,
    before: Callable[[], None] = lambda: None,
    on_check: Callable[[Check], None] | None = None,
    so_far: AnswerSoFar | None = None,
    begun: float | None = None,
) -> Answer:
    """Find or make a solution of a hand that can be asked after a history.

    Parameters
    ----------
    spec
        The hand with its board or its fronts.
    history
        What has been done; a smaller game keeps it.
    seconds
        Time for the solve from `begun` on, above 0; the best so far is returned then (`Provenance.stopped` says so).
        Compiling, which comes once, is not counted.
    begun
        When the question was asked, a time of `time.monotonic`; by default now.
    gap
        Target NashConv in the unit of the objective.
    cache
        Where to look first, and to keep what was found.
    stop
        Asked whether to stop earlier; what was found then is not kept.
    before
        Called before anything is solved, and compiled.
    on_check
        Called after each measurement of the solve.
    so_far
        Is kept up to date.

    Raises
    ------
    HistoryError
        Where the history is not legal.
    SizeError
        Where no game that keeps the history fits into memory.
    """
    start = time.monotonic() if begun is None else begun
    actions, _ = spec.public.follow(history)
    if cache is not None and (found := cache.find(spec, gap)) is not None:
        return Answer(found, None, True, left=seconds)
    menu, chosen = largest_within(spec, actions, max(1, int(NODES_A_SECOND * seconds)))
    if cache is not None and menu is not None and (found := cache.find(chosen, gap)) is not None:
        known = _measured(found, spec, seconds)
        looked_up = Answer(known, menu, True, left=seconds)
        return looked_up if known is found else _kept(cache, looked_up)
    planned = plan(chosen, gap=gap)
    so_far = so_far or AnswerSoFar()
    so_far.menu = menu
    before()
    from solver.solving import get_ready, solve

    compiling = time.monotonic()
    get_ready(chosen, next(reversed(list(spec.smaller(()))), (None, chosen))[1], gap)
    start += time.monotonic() - compiling
    deadline = start + SOLVING * seconds
    asked: list[bool] = []

    def late() -> bool:
        if stop is not None and stop():
            asked.append(True)
        return bool(asked) or time.monotonic() >= deadline

    finish_by = start + COMPLETING * seconds
    solution = solve(
        chosen, gap=gap, stop=late, finish_by=finish_by, on_check=on_check, best=so_far.best, planned=planned
    )
    if asked:
        return Answer(solution, menu, None)
    whole = time.monotonic() < finish_by and solution.nash_conv <= gap
    if menu is not None:
        solution = _measured(solution, spec, seconds)
    return _kept(cache if whole else None, Answer(solution, menu, None, left=start + seconds - time.monotonic()))


def _kept(cache: Cache | None, found: Answer) -> Answer:
    """Keep an answer, and say whether it could be."""
    if cache is None:
        return found
    try:
        cache.keep(found.solution)
    except OSError as error:
        return found._replace(kept=False, why_not=error.strerror or str(error))
    return found._replace(kept=True)


def _measured(solution: Solution, spec: HandSpec, seconds: float) -> Solution:
    """Return a smaller game's solution with what it gives in the whole game, as far as the time allows."""
    most = min(int(JOINED_A_SECOND * seconds), available() // bytes_of(solution))
    known = solution.whole
    if known is not None and known.spec.to_dict() == spec.to_dict() and (known.quality or known.most >= most):
        return solution
    return replace(solution, whole=Whole(spec, most, quality_in(solution, spec, most)))
