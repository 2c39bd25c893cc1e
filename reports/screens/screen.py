"""What the commands print: each answer as text for people, and as CSV and JSON for programs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reports.data.ranking import Ranked
from reports.text.words import as_csv, as_json, wrapped
from rules.games.spec import HandSpec
from solver.solutions.spots import REACHED

RARELY = f"less than once in {1 / REACHED:,.0f} hands"


@dataclass(frozen=True)
class Screen:
    """An answer in three forms: text, CSV columns and rows, and data for JSON."""

    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    data: dict[str, Any]

    def render(self, style: str) -> str:
        """Return the answer as ``table``, ``csv`` or ``json``, without a newline at the end."""
        if style == "json":
            return as_json(self.data)
        return as_csv(self.columns, self.rows) if style == "csv" else self.text


def mark(ranked: Ranked, place: int) -> str:
    """Return what a table says beside an action."""
    return "<- best" if place in ranked.best else ""


def notes_of(spec: HandSpec) -> Iterator[str]:
    """Yield a line for each note of a hand."""
    return noted(spec.notes)


def noted(notes: Iterable[str]) -> Iterator[str]:
    """Yield a line for each note."""
    return (wrapped(f"note: {note}", others="      ") for note in notes)
