"""Who wins the match before a hand is dealt: from a match table, or from the hand solved."""

from collections.abc import Callable

import numpy as np

from rules.games.match_spec import MatchSpec
from solver.match.table import Odds
from solver.solutions.continuation import MatchContinuation, numbering, numbers


def odds(spec: MatchSpec, gap: float, stop: Callable[[], bool] = lambda: False) -> Odds:
    """Return P1's chance to win the match before a hand is played: from the table where it has the hand, else solved.

    Parameters
    ----------
    spec
        As `ready` returns it, with objective match.
    gap
        NashConv that a hand is solved to which the table has not got: a deck that the deck model leaves out, a board or
        a pair of fronts.
    """
    later = spec.later
    assert isinstance(later, MatchContinuation)
    model = numbering(later.origin.deck_model, spec.game)
    if model.number > 1 or spec.deck_dict() == spec.fresh().deck_dict():
        place = int(np.searchsorted(later.rows.decks, model.find(spec))), numbers(spec.chips.total)[spec.chips]
        lower, upper = (float(np.clip(side[place], 0.0, 1.0)) for side in later.rows[1:])
        return Odds(lower, upper)
    from solver.solving import solve

    lower, upper = solve(spec, gap=gap, stop=stop).value_bounds
    return Odds(lower, upper)
