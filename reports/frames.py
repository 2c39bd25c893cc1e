"""Solutions as tidy pandas DataFrames."""

from typing import TYPE_CHECKING

from reports.views import TIDY_COLUMNS, all_rows, tidy_rows
from solver.solution import Solution
from solver.spots import Spots

if TYPE_CHECKING:
    import pandas as pd


def strategy_frame(solution: Solution) -> "pd.DataFrame":
    """Return one row for each deal, history, observation and action.

    Returns
    -------
    pandas.DataFrame
        Columns as `reports.views.TIDY_COLUMNS`; `ev` in the unit of the objective, NaN where unknown.
    """
    import pandas as pd

    return pd.DataFrame.from_records(list(all_rows(solution)), columns=list(TIDY_COLUMNS)).astype({"ev": float})


def spot_frame(solution: Solution, history: str = "", board: str = "") -> "pd.DataFrame":
    """Return the rows of one public node, as `strategy_frame` has them.

    Raises
    ------
    HistoryError, CardError
        Where the history is not legal, or there is no such board.
    """
    import pandas as pd

    spot = Spots(solution, board).at(history)
    return pd.DataFrame.from_records(list(tidy_rows(spot)), columns=list(TIDY_COLUMNS)).astype({"ev": float})
