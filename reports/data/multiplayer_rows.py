"""Solutions of more than two players as tidy rows."""

from collections.abc import Iterator
from typing import Any

from reports.data.rows import player_name
from rules.betting.actions import format_history
from solver.multiplayer.spots import MultiplayerSpot

ROW_COLUMNS = (
    "history", "player", "seen", "action", "probability", "ev", "own_reach", "other_reach", "reached", "given_up",
)  # fmt: skip
"""Columns of `tidy_spot`; `ev` and `given_up` are in the unit of the objective, probabilities are 0 to 1."""


def tidy_spot(spot: MultiplayerSpot) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each set of cards seen and each action, in the order of `ROW_COLUMNS`."""
    where = (format_history(spot.history), player_name(spot.player))
    actions = list(map(str, spot.actions))
    rows = zip(
        spot.names, spot.possible.tolist(), spot.probability.T.tolist(), spot.ev.T.tolist(), spot.own_reach.tolist(),
        spot.other_reach.tolist(), spot.reached.tolist(), spot.given_up.tolist(), strict=True,
    )  # fmt: skip
    for seen, possible, mix, worth, own, others, reached, given_up in rows:
        if possible:
            for action, probability, ev in zip(actions, mix, worth, strict=True):
                yield (*where, seen, action, probability, ev, own, others, reached, given_up)
