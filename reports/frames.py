"""Solutions as tidy pandas DataFrames."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reports.nodes import ACTION_COLUMNS, action_rows
from reports.views import TIDY_COLUMNS, all_rows, tidy_rows
from solver.solution import Solution
from solver.spots import Spots

if TYPE_CHECKING:
    import pandas as pd


def strategy_frame(solution: Solution, board: str | None = None) -> "pd.DataFrame":
    """Return one row for each deal, history, observation and action; with a board, of this deal alone.

    Returns
    -------
    pandas.DataFrame
        Columns as `reports.views.TIDY_COLUMNS`; `ev` in the unit of the objective.
    """
    return _frame(all_rows(solution, board))


def spot_frame(solution: Solution, history: str = "", board: str = "") -> "pd.DataFrame":
    """Return the rows of one public node, as `strategy_frame` has them.

    Raises
    ------
    HistoryError, CardError
        Where the history is not legal, or there is no such board.
    """
    return _frame(tidy_rows(Spots(solution, board).at(history)))


def action_frame(solution: Solution) -> "pd.DataFrame":
    """Return one row for each deal, history and action: how often it is played over all observations.

    Returns
    -------
    pandas.DataFrame
        Columns as `reports.nodes.ACTION_COLUMNS`; pot and to_call in chips, mean_ev in the unit of the objective.
    """
    import pandas as pd

    frame = pd.DataFrame.from_records(list(action_rows(solution)), columns=list(ACTION_COLUMNS))
    whole = dict.fromkeys(("pot", "to_call"), "int64")
    return frame.astype(whole | dict.fromkeys(("reach", "mean_ev", "share"), "float64"))


def _frame(rows: Iterable[tuple[Any, ...]]) -> "pd.DataFrame":
    import pandas as pd

    frame = pd.DataFrame.from_records(list(rows), columns=list(TIDY_COLUMNS))
    numbers = dict.fromkeys(("probability", "ev", "own_reach", "other_reach"), "float64")
    return frame.astype(numbers | {"reached": "bool"})  # of a hand without decisions too
