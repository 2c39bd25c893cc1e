"""Learn a table of many players by sampling: from a spec to a `MCCFRSolution`."""

import os
from collections.abc import Callable, Sequence

import numpy as np

from rules.base.versions import versions
from rules.games.spec import HandSpec
from solver.mccfr.judging import JUDGED, what_is_played
from solver.mccfr.lower_bound import HANDS, MEASURED, lower_bound
from solver.mccfr.sampler import MIX, RESPONSE_BATCHES, SHARE, SLIP, Sampler, limits_of, population
from solver.mccfr.solution import MCCFRSolution, SampledProvenance

MAX_ITERATIONS = 1_000


def solve_sampled(
    spec: HandSpec,
    *,
    max_iterations: int = MAX_ITERATIONS,
    seed: int = 0,
    slip: float = SLIP,
    share: float = SHARE,
    mix: Sequence[float] = MIX,
    hands: int | None = None,
    batches: int | None = None,
    deals: int | None = None,
    threads: int | None = None,
    resume: MCCFRSolution | None = None,
    on_iteration: Callable[[int], None] | None = None,
    on_seat: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> MCCFRSolution:
    """Learn a strategy for a table of many players, and measure a lower bound on what could be gained against it.

    Parameters
    ----------
    spec
        The hand, from `rules.games.spec`; the objective is its chips.
    max_iterations
        Batches of deals in all, those of `resume` included.
    seed
        Of all random numbers: the same seed gives the same bytes, with any number of threads. With `resume` it is
        that one's, as are `slip`, `share` and `mix`.
    slip, share, mix
        Whom the learner meets, see `solver.mccfr.sampler.population`.
    hands, batches
        Deals of each estimate, and iterations that responses are trained for; by default `HANDS` and
        `RESPONSE_BATCHES`.
    deals
        By which the strategy is judged, see `solver.mccfr.judging`; by default `JUDGED`.
    threads
        At most so many; by default one a processor.
    resume
        A solution of the same spec, loaded with its state, to go on from.
    on_iteration, on_seat
        Called after each iteration, and after each player's response was measured.
    stop
        Asked after every iteration whether to stop with what there is.

    Raises
    ------
    OptionError, SizeError, SolutionFileError
        Where an argument is out of range or `resume` is of another hand or has no state.
    """
    limits, threads = limits_of(spec), threads or os.cpu_count() or 1
    hands, batches, deals = hands or HANDS, batches or RESPONSE_BATCHES, deals or JUDGED
    if resume is not None:
        resume.check_resumable(spec)
        how = resume.provenance
        seed, slip, share, mix = how.seed, how.slip, how.share, how.mix
    meets = population(slip, share, mix)
    with Sampler(limits, seed=seed, population=meets, threads=threads) as sampler:
        if resume is not None:
            sampler.iterations = resume.provenance.iterations
            sampler.regret, sampler.total = (resume.spread(resume.state[name]) for name in ("regret", "total"))
            sampler.visits[resume.keys] = resume.visits
        stopped = "iterations"
        while sampler.iterations < max_iterations:
            if stop is not None and stop():
                stopped = "interrupted"
                break
            sampler.iterate()
            if on_iteration is not None:
                on_iteration(sampler.iterations)
    keys = np.flatnonzero(sampler.visits)
    played = what_is_played(limits, sampler.weights(), keys, meets, seed=seed + MEASURED, deals=deals)
    strategy = played.astype(np.float32)
    state = {name: getattr(sampler, name)[keys] for name in ("regret", "total")}
    table = np.zeros_like(sampler.regret)
    table[keys] = strategy
    bound = lower_bound(
        limits, table, seed=seed + MEASURED, hands=hands, batches=batches, threads=threads, on_seat=on_seat
    )
    provenance = SampledProvenance(
        sampler.iterations, stopped, seed, slip, share, tuple(mix), hands, batches, versions()
    )
    return MCCFRSolution(spec, keys, strategy, sampler.visits[keys], bound, provenance, state)
