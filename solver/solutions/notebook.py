"""What notebooks show of results: HTML tables of a few rows, all text escaped, and names in one line."""

import html
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rules.betting.actions import Action, format_history
from rules.games.spec import HandSpec

MOST_ROWS = 20
"""Rows of a spot that a notebook shows; columns of arrays hold all."""

BEST, OFF_PATH = "●", "*"
"""Marks of an action of the highest expected value as it is printed, and of a row off the path."""


def html_table(caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """Return a table with a caption above and a note below.

    Parameters
    ----------
    caption, headers, rows, note
        Plain text; a line break within a cell stays one.
    """
    head = "".join(f"<th>{_escaped(text)}</th>" for text in headers)
    body = "".join(
        "<tr>"
        + "".join(f"<{kind}>{_escaped(text)}</{kind}>" for kind, text in zip(_kinds(row), row, strict=True))
        + "</tr>"
        for row in rows
    )
    told = f"<p><small>{_escaped(note)}</small></p>" if note else ""
    top = f"<caption>{_escaped(caption)}</caption>" if caption else ""
    return f"<table>{top}{f'<thead><tr>{head}</tr></thead>' if headers else ''}<tbody>{body}</tbody></table>{told}"


def mix_table(
    caption: str,
    first: str,
    names: Sequence[str],
    actions: Sequence[Action],
    probability: NDArray[np.float64],
    ev: NDArray[np.float64],
    reached: NDArray[np.bool_],
    unit: str = "the unit of the objective",
) -> str:
    """Return a row for each observation: how often each action is played, and below that what it is worth.

    Parameters
    ----------
    caption
        Where this is.
    first
        What the names are.
    names
        The observations, of n columns.
    probability, ev
        Of each action, shape (k, n).
    reached
        Whether play comes to the row, shape (n,).
    unit
        What expected values are counted in.
    """
    shown = min(len(names), MOST_ROWS)
    rows = []
    for column in range(shown):
        values = [signed(value) for value in ev[:, column].tolist()]
        highest = signed(float(ev[:, column].max()))
        cells = [
            f"{100 * p:.1f} %{f' {BEST}' if value == highest else ''}\n{value}"
            for p, value in zip(probability[:, column], values, strict=True)
        ]
        rows.append([names[column] + ("" if reached[column] else f" {OFF_PATH}"), *cells])
    note = f"How often, and below it the expected value in {unit}, counted from before the ante. {BEST} the highest."
    if not reached[:shown].all():
        note += f" {OFF_PATH} off the path."
    if len(names) > shown:
        note += f" {len(names) - shown:,} rows more: probability and ev have a column for each."
    return html_table(caption, [first, *(action.words for action in actions)], rows, note)


def who_acts(player: int, history: Sequence[Action]) -> str:
    """Say who acts after what: "P2 acts after b1 r3"."""
    return f"P{player + 1} acts " + (f"after {format_history(history)}" if history else "first")


def hand_told(spec: HandSpec) -> str:
    """Say which hand this is, in one line."""
    return f"{spec.game}, {spec.headline}"


def signed(value: float, digits: int = 4) -> str:
    """Write a value with its sign; a rounded 0 has none."""
    text = f"{value:+.{digits}f}"
    return text.lstrip("+-") if not text.strip("+-0.") else text


def _kinds(row: Sequence[str]) -> list[str]:
    return ["th", *["td"] * (len(row) - 1)]


def _escaped(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
