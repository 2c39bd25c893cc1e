"""A whole strategy as tidy data for other programs, written row by row."""

import csv
import json
from typing import IO

from reports.views import TIDY_COLUMNS, all_rows, solution_fields
from solver.solution import Solution


def write_csv(solution: Solution, stream: IO[str]) -> None:
    """Write one row for each deal, history, observation and action."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(TIDY_COLUMNS)
    writer.writerows(all_rows(solution))


def write_json(solution: Solution, stream: IO[str]) -> None:
    """Write what was solved, the columns, and the same rows as arrays."""
    head = json.dumps(solution_fields(solution), indent=2, allow_nan=False)
    stream.write(f'{head[:-2]},\n  "columns": {json.dumps(TIDY_COLUMNS)},\n  "rows": [')
    before = "\n    "
    for row in all_rows(solution):
        stream.write(before + json.dumps(row, allow_nan=False))
        before = ",\n    "
    stream.write("\n  ]\n}\n")
