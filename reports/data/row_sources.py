"""Where a row off the path comes from, in words; of a row that is kept for safety, what that costs or assumes."""

from reports.data.ranking import MIXED, PRINTED, row_ranked
from reports.text import units
from solver.off_path.sources import KEPT_SAFE, SOURCES
from solver.solutions.solution import Solution
from solver.solutions.spots import Spot

KEPT_NAME = SOURCES[KEPT_SAFE]

IN_WORDS = {
    "solved": "the row is as the solve left it",
    "best response": "the row is a best response to what the other plays",
    "re-solved": "the row answers a re-solve from where play left the path",
    "not known": "the row is not known: the solve hardly ever came here (advise --from, best and show solve it)",
}
"""The sources whose words are the same at every row."""

SAFE = "the row is kept so that no mistake pays; "
ASSUMPTION = "the other is as believed here (an assumption: equilibrium play never comes here)"
RIGHT, GIVES_UP, LATER, GIVES_UP_STILL = range(4)
KEPT_FORMS = (
    f"{SAFE}it is right if {ASSUMPTION}",
    f"{SAFE}it gives up {{}} against what is believed here",
    f"{SAFE}not here but further on it gives up something against what is believed",
    f"{SAFE}it gives up {{}} even if {ASSUMPTION}",
)
"""What is said of a row that is kept for safety, with ``{}`` for what it gives up; see `kept_form`."""


def kept_form(assumed: bool, right: bool, lost: float) -> int:
    """Return the place in `KEPT_FORMS` of what is said of a row that is kept for safety.

    Parameters
    ----------
    assumed
        Whether the row has a belief of its own.
    right
        Whether all that it plays is marked as best.
    lost
        What it gives up by its expected values, in the unit of the objective.
    """
    if assumed:
        return RIGHT if right else GIVES_UP_STILL
    return GIVES_UP if lost >= PRINTED / 2 else LATER


def row_loss(spot: Spot, column: int) -> float:
    """Return what a row as it is played gives up against its best action, in the unit of the objective."""
    values = spot.ev[:, column]
    return max(0.0, float(values.max() - values @ spot.probability[:, column]))


def source_told(solution: Solution, spot: Spot, column: int) -> str:
    """Say where a row comes from."""
    name = spot.sources[column]
    if name != KEPT_NAME:
        return IN_WORDS[name]
    lost, best = row_loss(spot, column), row_ranked(solution, spot, column).best
    right = all(place in best for place, p in enumerate(spot.probability[:, column]) if p >= MIXED)
    form = KEPT_FORMS[kept_form(bool(spot.assumed[column]), right, lost)]
    return form.format(units.lost(solution.spec, lost, places=4))
