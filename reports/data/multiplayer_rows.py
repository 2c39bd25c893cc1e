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
    for column in spot.possible.nonzero()[0].tolist():
        reach = (float(spot.own_reach[column]), float(spot.other_reach[column]), bool(spot.reached[column]))
        for place, action in enumerate(spot.actions):
            numbers = float(spot.probability[place, column]), float(spot.ev[place, column])
            yield (*where, spot.names[column], str(action), *numbers, *reach, float(spot.given_up[column]))
