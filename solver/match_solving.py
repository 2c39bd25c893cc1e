"""Solve a whole match: from the hand it starts with to its table."""

from collections.abc import Callable

from rules.deck_model import DECK_MODELS
from rules.errors import OptionError
from rules.match_game import MatchSpec
from solver.match import Kept, Matches, Step
from solver.match_hands import MatchHands
from solver.match_table import MatchTable, at_start
from solver.match_workers import Cluster, Threads, never


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
    on_step: Callable[[Step], None] | None = None,
    stop: Callable[[], bool] = never,
) -> MatchTable:
    """Solve the match that a hand belongs to.

    Parameters
    ----------
    spec
        Any hand of it; only the game, its options and the sum of the chips matter.
    deck_model
        Which decks later hands are dealt from, one of `rules.deck_model.DECK_MODELS`.
    gap
        The bounds are nowhere wider than this, a win probability above 0.
    threads
        At most so many; by default one a processor. The result does not depend on it.
    cluster
        The address of a Dask scheduler whose workers solve instead.
    kept
        What an earlier run left, and what this one leaves (`solver.match_journal`).
    on_step
        Called after each piece of work.
    stop
        Asked many times a second; once it says True, KeyboardInterrupt is raised.

    Raises
    ------
    OptionError, ChipsError
        Where an argument is out of range.
    RunError
        Where the bounds cannot be proved, or a cluster cannot do it.
    """
    if not 0.0 < gap < 1.0:
        raise OptionError(f"expected --gap to be a win probability above 0 and below 1, got {gap:g}")
    hands = hands_of(spec, deck_model)
    with Cluster(hands, cluster, stop) if cluster else Threads(hands, threads, stop) as workers:
        return MatchTable.of(spec, deck_model, gap, Matches(hands, workers, kept, on_step).solve(gap))
