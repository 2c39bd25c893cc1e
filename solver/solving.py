"""Solve a hand: from a spec to a `Solution` with its quality measured."""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError
from rules.base.versions import versions
from rules.games.spec import HandSpec
from solver.kernels import vectors
from solver.off_path.resolving import RARE, Completion, complete, uncompleted
from solver.solutions.incumbent import Incumbent
from solver.solutions.solution import Check, Provenance, Solution
from solver.store.match_tables import with_continuation
from solver.trees.public_tree import enumerate_states, measure, size_of
from solver.two_player import backends, cfr, linear_program
from solver.two_player.backends import Backend, State
from solver.two_player.best_response import Evaluation
from solver.two_player.evaluation import bounds, probabilities, trim
from solver.two_player.memory import Plan
from solver.two_player.payoffs import Game, Quality, is_large, prepare

METHODS = ("cfr", "lp")
MAX_ITERATIONS = 100_000
AIM, TRIMMED = 0.8, 0.9
"""CFR goes to this part of the gap, small probabilities are dropped up to that part, completion has the rest."""
EXACT = 1e-9
"""How much NashConv may grow by the completion of what the linear program found."""
NOTICEABLE = 0.05
"""Dropping small probabilities may cost this part of the gap, or as much as there is already."""
SHARPER, SHARPENING = 0.01, 10_000_000
"""Once there, CFR goes on to this part of the gap, but for no more node visits than that: spots that are seldom
reached need it."""
ROUGH = 0.25
"""The part of its NashConv that the completion of a stopped solve may cost."""
TRIMS = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
"""Probabilities below one of these are noise of the first iterations, where dropping them keeps the gap."""


def solve(
    spec: HandSpec,
    *,
    gap: float | None = None,
    max_iterations: int = MAX_ITERATIONS,
    method: str = "cfr",
    threads: int | None = None,
    resume: Solution | None = None,
    on_check: Callable[[Check], None] | None = None,
    stop: Callable[[], bool] | None = None,
    finish_by: float | None = None,
    best: Incumbent | None = None,
    planned: Plan | None = None,
) -> Solution:
    """Solve every deal of a spec.

    Parameters
    ----------
    spec
        The hand, from `rules.games.spec`. What it lacks is looked up (`solver.store.match_tables.with_continuation`).
    gap
        Target NashConv (twice the exploitability) in the unit of the objective, for CFR above what rounding makes
        of it; of the probability-weighted mean where the spec leaves the board or the fronts open. By default
        `HandSpec.usual_gap`.
    max_iterations
        Of CFR, at least 0; whichever comes first.
    method
        ``cfr``, or ``lp`` for the sequence-form linear program, exact but for rounding.
    threads
        At most so many threads; by default one a processor. The result does not depend on it.
    resume
        A solution of the same spec, loaded with its state, to go on from.
    on_check
        Called after each measurement.
    stop
        Asked a few times a second whether to stop with the best so far.
    finish_by
        What was stopped is completed all the same (see `solver.off_path.resolving`), which takes a while and may cost a
        part (`ROUGH`) of its NashConv; what is not complete at this time of `time.monotonic` is left as it is.
    best
        Is offered what is found on the way.
    planned
        The plan of this spec, whose work is used.

    Returns
    -------
    Solution
        With `Provenance.stopped` saying what ended it.

    Raises
    ------
    OptionError, SizeError, SolutionFileError
        Where an argument is out of range, the tree is too large for the method, or `resume` is of another
        hand or has no state.
    """
    if method not in METHODS:
        raise OptionError(f"expected method to be {' or '.join(METHODS)}, got {method!r}")
    gap = spec.usual_gap if gap is None else gap
    if not 0.0 < gap < np.inf:
        raise OptionError(f"expected the gap to be above 0 {spec.unit}, got {gap}")
    if max_iterations < 0:
        raise OptionError(f"expected at least 0 iterations, got {max_iterations}")
    if threads is not None and threads < 1:
        raise OptionError(f"expected at least 1 thread, got {threads}")
    workers = threads or os.cpu_count() or 1
    spec = with_continuation(spec)
    known = planned if planned is not None and planned.spec is spec else None
    if method == "lp":
        if resume is not None:
            raise OptionError("expected method cfr with resume; method lp always starts anew")
        automaton = enumerate_states(spec.public) if known is None else known.automaton
        classes = spec.classes() if known is None else known.classes
        linear_program.check_size(size_of(automaton), classes)
        return _by_linear_program(spec, prepare(spec, classes, automaton), gap, workers, on_check, best)
    game = prepare(spec) if known is None else prepare(spec, known.classes, known.automaton)
    rounding = 2.0 * game.margin  # bounds are moved outward by so much
    if gap <= rounding:
        raise OptionError(
            f"expected a gap above {rounding:.0e} {spec.unit}, as far as bounds are apart for rounding, got {gap:g}"
        )
    return _by_cfr(spec, game, gap, max_iterations, workers, resume, on_check, stop, finish_by, best)


def _by_linear_program(
    spec: HandSpec,
    game: Game,
    gap: float,
    threads: int,
    on_check: Callable[[Check], None] | None,
    best: Incumbent | None,
) -> Solution:
    strategies, iterations = linear_program.solve(game)
    evaluation = Evaluation(game.tree, game.width)
    qualities = [
        evaluation.quality(one, strategy, game.margin) for one, strategy in zip(game.classes, strategies, strict=True)
    ]
    quality = game.mean(qualities)
    check = Check(iterations, quality.lower, quality.upper)
    if on_check is not None:
        on_check(check)
    stopped = "gap" if quality.nash_conv <= gap else "iterations"
    provenance = Provenance("lp", iterations, stopped, gap, (check,), versions())
    found = _Measured(strategies, qualities, provenance, {})
    if best is not None:
        best.offer(partial(_completed, spec, game, found, 0.0, (), threads))
    return _completed(spec, game, found, EXACT, RARE[-1:], threads)


def _by_cfr(
    spec: HandSpec,
    game: Game,
    gap: float,
    max_iterations: int,
    threads: int,
    resume: Solution | None,
    on_check: Callable[[Check], None] | None,
    stop: Callable[[], bool] | None,
    finish_by: float | None,
    best: Incumbent | None,
) -> Solution:
    going = backends.make_backends(game, gap=gap) if game.tree.nodes else []
    earlier: tuple[Check, ...] = ()
    if resume is not None:
        resume.check_resumable(spec)
        earlier = resume.provenance.checks
        states = list(zip(resume.state["regret"], resume.state["total"], strict=True))
        cfr.restore(going, states, resume.provenance.class_iterations)
    series = list(earlier)

    def told(check: cfr.Check) -> Check:
        return Check(check.iterations, check.quality.lower, check.quality.upper)

    def report(check: cfr.Check) -> None:
        if earlier and not going:  # nobody acts, and it is known
            return
        series.append(told(check))
        if best is not None and going:
            best.offer(partial(_as_it_stands, spec, game, gap, threads, tuple(series), going))
        if on_check is not None:
            on_check(series[-1])

    run = cfr.run(
        game, gap=AIM * gap, max_iterations=max_iterations, threads=threads, going=going, on_check=report, stop=stop
    )
    if run.stopped == "gap" and game.tree.nodes:
        visits = 2 * game.tree.nodes * len(game.classes)
        # Counted from where the aim was first reached, in an earlier run too: resuming must not go further.
        reached = next((check.iterations for check in series if check.nash_conv <= AIM * gap), 0)
        limit = min(max_iterations, reached + SHARPENING // visits)
        further = cfr.run(
            game,
            gap=SHARPER * gap,
            max_iterations=limit,
            threads=threads,
            going=run.engines,
            on_check=report,
            stop=stop,
        )
        run = replace(further, stopped="gap")
    if best is not None and going:
        best.withdraw()  # what it offers is about to be handed over
    done = cfr.iterations(going) or (0,) * len(game.classes)
    nothing = np.zeros((0, game.width), dtype=np.float32)  # where nobody acts
    states = run.states(last=True) or [(nothing, nothing) for _ in game.classes]
    strategies, qualities = _trimmed(game, run, states, gap)
    found = _measured(game, gap, run.stopped, strategies, qualities, tuple(series), states, done)
    if best is not None:
        best.offer(partial(_completed, spec, game, found, 0.0, (), threads))
    interrupted, now = found.provenance.stopped == "interrupted", game.mean(qualities).nash_conv
    rares = () if interrupted and finish_by is None else RARE
    slack = ROUGH * now if interrupted else max(0.0, gap - now)
    return _completed(spec, game, found, slack, rares, threads, finish_by)


class _Measured(NamedTuple):
    """What is to be completed: each class's strategy and its quality, and what goes into the solution besides."""

    strategies: list[NDArray[np.float64]]
    qualities: list[Quality]
    provenance: Provenance
    state: Mapping[str, NDArray[np.floating[Any]]]


def _measured(
    game: Game,
    gap: float,
    stopped: str,
    strategies: list[NDArray[np.float64]],
    qualities: list[Quality],
    checks: tuple[Check, ...],
    states: list[State],
    done: tuple[int, ...],
) -> _Measured:
    """Say how CFR came to its strategies; a gap that is reached counts, whatever stopped it. Empties `states`."""
    stopped = "gap" if game.mean(qualities).nash_conv <= gap else stopped
    provenance = Provenance("cfr", min(done), stopped, gap, checks, versions(), done)
    regrets, totals = map(list, zip(*states, strict=True))
    states.clear()
    return _Measured(strategies, qualities, provenance, {"regret": together(regrets), "total": together(totals)})


def _as_it_stands(
    spec: HandSpec, game: Game, gap: float, threads: int, checks: tuple[Check, ...], going: Sequence[Backend]
) -> Solution:
    """Return the solution of a solve that is broken off, in the middle of an iteration where it must be."""
    states, done = cfr.states(going), cfr.iterations(going)
    copies = backends.make_backends(game, gap=gap)
    cfr.restore(copies, states, done)
    run = cfr.run(game, gap=gap, max_iterations=0, threads=threads, going=copies)
    strategies = [_average(game, total) for _, total in states]
    found = _measured(game, gap, "interrupted", strategies, run.qualities, checks, states, done)
    return _completed(spec, game, found, 0.0, (), threads)


def _completed(
    spec: HandSpec,
    game: Game,
    found: _Measured,
    slack: float,
    rares: Sequence[float],
    threads: int,
    finish_by: float | None = None,
) -> Solution:
    """Complete every class's strategy where its NashConv grows by no more than `slack`.

    What has not begun or is very large is left as it is, and so is what is not done at `finish_by`.
    """
    strategies, qualities, provenance, state = found
    number = len(game.classes)
    if is_large(game.tree.nodes, number):
        bounded = _bounded(game, strategies, qualities)
        solution = Solution(spec, together(strategies), bounded, provenance, None, None, None, state=state)
        return solution.knowing(game)
    if not provenance.iterations:
        rares = ()

    halt, reached = cfr.new_stop_flag(), provenance.stopped == "gap"

    def late() -> bool:
        return finish_by is not None and time.monotonic() >= finish_by

    def best_completion(index: int) -> tuple[Completion, Quality]:
        one, strategy = game.classes[index], strategies[index]
        evaluation = Evaluation(game.tree, game.width)
        for rare in rares:
            most = qualities[index].nash_conv + slack
            completion = None if late() else complete(game.tree, one, strategy, rare, most, number, halt, mend=reached)
            if completion is None:
                break
            quality = evaluation.quality(one, completion.strategy, game.margin)
            if quality.nash_conv <= most:
                return completion, quality
        return uncompleted(game.tree, strategy), qualities[index]

    clock = threading.Timer(0.0 if finish_by is None else max(0.0, finish_by - time.monotonic()), halt.fill, (1,))
    clock.daemon = True
    if finish_by is not None:
        clock.start()
    try:
        with ThreadPoolExecutor(max(1, min(threads, number))) as pool:
            completions, measured = zip(*pool.map(best_completion, range(number)), strict=True)
    finally:
        clock.cancel()
    solution = Solution(
        spec,
        together([one.strategy for one in completions]),
        _bounded(game, [one.strategy for one in completions], measured),
        provenance,
        together([one.beliefs for one in completions]),
        together([one.entered_by for one in completions]),
        together([one.sources for one in completions]),
        np.concatenate([np.insert(one.assumed.rows, 0, index, axis=1) for index, one in enumerate(completions)]),
        np.concatenate([one.assumed.reach for one in completions]),
        state,
    )
    return solution.knowing(game)


def _bounded(game: Game, strategies: Sequence[NDArray[Any]], qualities: Sequence[Quality]) -> tuple[Quality, ...]:
    """Widen bounds to what holds whatever follows the hand, where that is known within bounds only."""
    if game.sides is None:
        return tuple(qualities)
    return tuple(
        quality.within(*bounds(game.tree, least, most, strategy, game.margin))
        for least, most, strategy, quality in zip(*game.sides, strategies, qualities, strict=True)
    )


def together(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Stack the arrays of all classes, and empty the list on the way; without a copy where there is one class."""
    if len(arrays) == 1:
        return arrays.pop()[None]
    stacked = np.empty((len(arrays), *arrays[0].shape), dtype=arrays[0].dtype)
    for index in reversed(range(len(stacked))):
        stacked[index] = arrays.pop()
    return stacked


def _average(game: Game, total: NDArray[np.floating[Any]]) -> NDArray[Any]:
    """Return the average strategy, float32 where the tree is large."""
    large = is_large(game.tree.nodes, len(game.classes))
    return probabilities(game.tree, total, np.float32 if large else np.float64)


def _trimmed(
    game: Game, run: cfr.Run, states: list[State], gap: float
) -> tuple[list[NDArray[np.float64]], list[Quality]]:
    """Return the average strategies, without small probabilities as far as the gap allows.

    The average strategy keeps a trace of its first iterations at every action, so that nothing would
    ever count as unreached. A class is trimmed by the largest threshold that keeps the mean NashConv
    within the gap and does not add much to it.
    """
    qualities = list(run.qualities)
    if not game.tree.nodes:
        return [np.zeros((0, game.width)) for _ in game.classes], qualities
    strategies = [_average(game, total) for _, total in states]
    if is_large(game.tree.nodes, len(game.classes)):
        return strategies, qualities
    reached = game.mean(qualities).nash_conv
    slack = max(0.0, min(TRIMMED * gap - reached, max(reached, NOTICEABLE * gap)))
    evaluation = Evaluation(game.tree, game.width)
    for index, one in enumerate(game.classes):
        for threshold in TRIMS:
            trimmed = trim(game, strategies[index], threshold)
            quality = evaluation.quality(one, trimmed, game.margin)
            if quality.nash_conv <= run.qualities[index].nash_conv + slack:
                strategies[index], qualities[index] = trimmed, quality
                break
    return strategies, qualities


def get_ready(spec: HandSpec, smallest: HandSpec, gap: float) -> None:
    """Compile what the solve of a spec needs, or load what was compiled, with a small game of the same kind."""
    solve(smallest, gap=gap, max_iterations=1)
    game = prepare(smallest)
    if game.tree.nodes:
        kind = backends.choose_backend(game.width, measure(spec.public).all_nodes, len(spec.classes()))
        cfr.run(game, gap=1.0, max_iterations=1, threads=1, going=backends.make_backends(game, kind, gap))


def compiled_code_is_kept() -> bool:
    """Whether the next process need not compile again."""
    return bool(vectors.KEPT)
