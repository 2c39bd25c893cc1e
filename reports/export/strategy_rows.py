"""A solution as data for other programs: its strategy as tidy rows, or its hand as a game for other solvers."""

import csv
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, TextIO

from reports.data.rows import TIDY_COLUMNS, all_rows, solution_fields
from reports.export.efg import ExtensiveForm
from reports.text.words import counted
from rules.base.atomic_files import replaced
from rules.base.errors import SizeError
from rules.base.optional import needed
from solver.solutions.solution import Solution
from solver.two_player.memory import human

MAX_ROWS = 10_000_000
"""Rows up to which a table is put together in memory, in 5 GB about."""


class Export(NamedTuple):
    """What is to be written, and how much that is where it is no plain text of rows."""

    write: Callable[[IO[Any]], object]
    size: str = ""
    binary: bool = False

    def save(self, path: Path) -> None:
        """Write a file, atomically."""
        with replaced(path, "wb" if self.binary else "w") as stream:
            self.write(stream)

    def print(self, stream: TextIO) -> None:
        """Write to a text stream; bytes go to what is below it."""
        self.write(stream.buffer if self.binary else stream)
        stream.flush()


def prepared(solution: Solution, kind: str, board: str | None = None) -> Export:
    """Measure what is to be written.

    Parameters
    ----------
    kind
        ``csv``, ``json`` or ``parquet`` for the strategy, ``efg`` for the game without one.
    board
        One board or pair of fronts; None for all.

    Raises
    ------
    CardError
        Where the solution has no such board.
    SizeError
        Where it is more than the format, or those who read it, can take.
    MissingLibraryError
        Where a library is not installed that the format needs.
    """
    if board is not None:
        solution.deal(board)
    if kind == "efg":
        form = ExtensiveForm(solution.spec, board)
        size = f"{counted(form.nodes, 'node')}, about {human(form.bytes)}"
        return Export(lambda stream: stream.writelines(form.pieces()), size)
    if kind == "parquet":
        needed("pyarrow.parquet", "parquet")
        rows = number_of_rows(solution, board)
        if rows > MAX_ROWS:
            raise SizeError(
                f"this strategy has {rows:,} rows, more than the {MAX_ROWS:,} that are put together in memory for "
                f"parquet; csv is written as it is made, and one deal (--{solution.spec.board_word}) has fewer rows"
            )
        return Export(partial(write_parquet, solution, board=board), counted(rows, "row"), binary=True)
    return Export(partial({"csv": write_csv, "json": write_json}[kind], solution, board=board))


def number_of_rows(solution: Solution, board: str | None = None) -> int:
    """Return how many tidy rows there are, without making them."""
    tree = solution.tree
    acts = [int((tree.player[tree.node_of_action] == player).sum()) for player in (0, 1)]
    return sum(
        sum(board in (None, deal.board) for deal in group.deals)
        * sum(number * observations for number, observations in zip(acts, one.observations, strict=True))
        for group, one in zip(solution.classes, solution.game.classes, strict=True)
    )


def write_csv(solution: Solution, stream: IO[str], board: str | None = None) -> None:
    """Write one row for each deal, history, observation and action."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(TIDY_COLUMNS)
    writer.writerows(all_rows(solution, board))


def write_json(solution: Solution, stream: IO[str], board: str | None = None) -> None:
    """Write what was solved, the columns, and the same rows as arrays."""
    head = json.dumps(solution_fields(solution), indent=2, allow_nan=False)
    stream.write(f'{head[:-2]},\n  "columns": {json.dumps(TIDY_COLUMNS)},\n  "rows": [')
    before = "\n    "
    for row in all_rows(solution, board):
        stream.write(before + json.dumps(row, allow_nan=False))
        before = ",\n    "
    stream.write("\n  ]\n}\n")


def write_parquet(solution: Solution, stream: IO[bytes], board: str | None = None) -> None:
    """Write the same rows as a table; what was solved stands in its metadata as JSON, under ``forehead``."""
    from reports.data.frames import strategy_frame

    arrow, parquet = needed("pyarrow", "parquet"), needed("pyarrow.parquet", "parquet")
    table = arrow.Table.from_pandas(strategy_frame(solution, board), preserve_index=False)
    head = json.dumps(solution_fields(solution), allow_nan=False)
    parquet.write_table(table.replace_schema_metadata({**table.schema.metadata, "forehead": head}), stream)
