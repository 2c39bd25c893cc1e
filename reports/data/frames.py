"""Solutions as tidy pandas DataFrames: a row for each thing that can be said, numbers as float64.

Text columns are of pandas' string type, `reached` is bool. Probabilities and reaches are 0 to 1; expected values are
in the unit of the objective (`solution.spec.unit`: chips of the hand, a chance to win the match, or a share of the
session), counted from before the ante.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from reports.data.multiplayer_rows import ROW_COLUMNS, tidy_spot
from reports.data.node_summary import ACTION_COLUMNS, action_rows
from reports.data.rows import TIDY_COLUMNS, all_rows, tidy_rows
from rules.base.errors import OptionError
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.spots import spot_at
from solver.solutions.solution import Solution
from solver.solutions.spots import Spots

if TYPE_CHECKING:
    import pandas as pd

FIRST, LAST = ("action", "probability", "ev", "history"), ("board", "player", "observation", "seen")
"""Columns at the left and at the right.

Where a frame is wider than a screen pandas shows the columns at both ends: what is asked for stands there, and the
long texts stand between.
"""


def ordered(columns: Sequence[str]) -> tuple[str, ...]:
    """Return columns of rows in the order that frames have them."""
    between = (name for name in columns if name not in (*FIRST, *LAST))
    return (*(name for name in FIRST if name in columns), *between, *(name for name in LAST if name in columns))


FRAME_COLUMNS, TABLE_COLUMNS = ordered(TIDY_COLUMNS), ordered(ROW_COLUMNS)
"""Columns of a strategy of two players, and of more; those of CSV and JSON in another order."""


def strategy_frame(solution: Solution | MultiplayerSolution, board: str | None = None) -> "pd.DataFrame":
    """Return one row for each deal, history, observation and action; with a board, of this deal alone.

    Parameters
    ----------
    solution
        Of two players, or of three and more that were solved with every deal.
    board
        The board or the fronts of one deal, such as "4,9"; None for all. Hands of more than two players have none.

    Returns
    -------
    pandas.DataFrame
        With two players `FRAME_COLUMNS`, and as many rows as the actions of the public tree times the observations
        of who acts, for each deal:

        - ``action``: the action's token, such as ``b1``.
        - ``probability``: how often it is played, 0 to 1; float64.
        - ``ev``: what it is worth to the player who acts, in ``solution.spec.unit``; float64.
        - ``history``: tokens of all actions before, with a space between them; "" at the start.
        - ``source``: where the row comes from, one of `solver.off_path.sources.SOURCES`.
        - ``own_reach``, ``other_reach``: how likely the own and the other's actions lead here, 0 to 1; float64.
        - ``reached``: whether both do at least once in 1,000 times; bool.
        - ``board``: the deal, "" where the game has none.
        - ``player``: who acts, P1 or P2.
        - ``observation``: what that player sees.

        With more players `TABLE_COLUMNS`: the same, but ``seen`` has the cards in the order of the other seats, and
        ``other_reach`` is of all others' actions. Cards that cannot be dealt together have no rows.

    Raises
    ------
    CardError
        Where there is no such board.
    OptionError
        Where a board is named for more than two players.
    """
    if isinstance(solution, MultiplayerSolution):
        _no_board(board)
        tree = solution.game.betting.tree
        spots = (spot_at(solution, tree.history(node)) for node in range(tree.nodes))
        return _frame((row for spot in spots for row in tidy_spot(spot)), ROW_COLUMNS)
    return _frame(all_rows(solution, board), TIDY_COLUMNS)


def spot_frame(solution: Solution | MultiplayerSolution, history: str = "", board: str = "") -> "pd.DataFrame":
    """Return the rows of one public node, as `strategy_frame` has them.

    Parameters
    ----------
    history
        Actions in text, such as "b1 r3"; "" for the start.
    board
        The board or the fronts, where the solution has several; "" else.

    Raises
    ------
    HistoryError, CardError
        Where the history is not legal, or there is no such board.
    OptionError
        Where a board is named for more than two players.
    """
    if isinstance(solution, MultiplayerSolution):
        _no_board(board)
        return _frame(tidy_spot(spot_at(solution, history)), ROW_COLUMNS)
    return _frame(tidy_rows(Spots(solution, board).at(history)), TIDY_COLUMNS)


def action_frame(solution: Solution) -> "pd.DataFrame":
    """Return one row for each deal, history and action: how often it is played over all observations.

    Returns
    -------
    pandas.DataFrame
        Columns as `reports.data.node_summary.ACTION_COLUMNS`:

        - ``board``, ``history``, ``player``: which deal, after what, and who acts, as `strategy_frame` has them.
        - ``pot``, ``to_call``: in chips, the antes and a carried pot included; int64.
        - ``reach``: how likely a hand comes here, 0 to 1; float64.
        - ``mean_ev``: what the hand is worth to the player there, in ``solution.spec.unit``; float64.
        - ``action``: the action's token.
        - ``share``: how often it is played there, 0 to 1, those of a node sum to 1; float64.
    """
    import pandas as pd

    frame = pd.DataFrame.from_records(list(action_rows(solution)), columns=list(ACTION_COLUMNS))
    whole = dict.fromkeys(("pot", "to_call"), "int64")
    return frame.astype(whole | dict.fromkeys(("reach", "mean_ev", "share"), "float64"))


def _frame(rows: Iterable[tuple[Any, ...]], columns: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    frame = pd.DataFrame.from_records(list(rows), columns=list(columns))[list(ordered(columns))]
    numbers = dict.fromkeys(("probability", "ev", "own_reach", "other_reach"), "float64")
    return frame.astype(numbers | {"reached": "bool"})  # of a hand without decisions too


def _no_board(board: str | None) -> None:
    if board:
        raise OptionError(f"expected no board, for a hand of more than two players has none; got {board}")
