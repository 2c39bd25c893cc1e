"""Solve a whole match: from the hand it starts with to its table."""

import os
from collections.abc import Callable

from rules.base.errors import OptionError
from rules.games.deck_models import DECK_MODELS
from rules.games.match_spec import MatchSpec
from solver.match.estimate import SECONDS, Estimate, check_memory, check_size, estimate
from solver.match.hands import MatchHands
from solver.match.sweeps import Kept, MatchSolver, Step
from solver.match.table import MatchTable, at_start
from solver.match.workers import Cluster, Threads, never

SMALLEST = 2e-7
"""The smallest gap of a match: near 1, bounds that are rounded outward to float32 are nearly as far apart."""

SAMPLED = 50_000
"""Decision nodes of a sweep for each second that is spent on finding out what a solve takes."""


def hands_of(spec: MatchSpec, deck_model: str) -> MatchHands:
    """Return all hands of the match that a hand belongs to.

    Raises
    ------
    OptionError
        Where the game has no such deck model.
    """
    if deck_model not in DECK_MODELS:
        raise OptionError(f"expected the deck model to be {' or '.join(DECK_MODELS)}, got {deck_model!r}")
    start = at_start(spec)
    return MatchHands(start, DECK_MODELS[deck_model](start))


def solve_match(
    spec: MatchSpec,
    deck_model: str,
    gap: float,
    *,
    threads: int | None = None,
    cluster: str | None = None,
    kept: Kept | None = None,
    on_plan: Callable[[Estimate], None] | None = None,
    on_step: Callable[[Step], None] | None = None,
    stop: Callable[[], bool] = never,
) -> MatchTable:
    """Solve the match that a hand belongs to.

    Parameters
    ----------
    spec
        Any hand of it; only the game, its options and the sum of the chips matter.
    deck_model
        Which decks later hands are dealt from, one of `rules.games.deck_models.DECK_MODELS`.
    gap
        The bounds are nowhere wider than this, a win probability above 0.
    threads
        At most so many; by default one a processor. The result does not depend on it.
    cluster
        The address of a Dask scheduler whose workers solve instead.
    kept
        What an earlier run left, and what this one leaves (`solver.match.journal`).
    on_plan
        Is told first what it will take, which takes a few seconds itself where the match is large.
    on_step
        Called after each piece of work.
    stop
        Asked many times a second; once it says True, KeyboardInterrupt is raised.

    Raises
    ------
    OptionError, ChipsError
        Where an argument is out of range.
    SizeError
        Where this machine has not got the memory, or a tree is too large to be counted.
    RunError
        Where the bounds cannot be proved, or a cluster cannot do it.
    """
    if not 0.0 < gap < 1.0:
        raise OptionError(f"expected --gap to be a win probability above 0 and below 1, got {gap:g}")
    if gap < SMALLEST:
        raise OptionError(f"expected --gap to be at least {SMALLEST:g}, as bounds are kept in float32, got {gap:g}")
    check_size(at_start(spec), deck_model)
    hands = hands_of(spec, deck_model)
    if cluster is None:
        check_memory(hands, threads or os.cpu_count() or 1)
    with Cluster(hands, cluster, stop) if cluster else Threads(hands, threads, stop) as workers:
        if on_plan is not None:
            on_plan(estimate(hands, gap, workers.threads, min(SECONDS, hands.nodes / SAMPLED)))
        return MatchTable.of(spec, deck_model, gap, MatchSolver(hands, workers, kept, on_step).solve(gap))
