"""Tables, sentences and numbers as plain text for a terminal 80 columns wide; ASCII alone."""

import csv
import io
import json
import textwrap
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import IO, Any

WIDTH = 80

TRACE = 5e-4
"""Probabilities below this are shown as a trace."""


def grid(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int = WIDTH) -> str:
    """Lay out a table: the first column to the left, the others to the right.

    Where it is wider than `width`, the columns continue in blocks below, each with the first column.
    """
    sizes = [max(len(text) for text in column) for column in zip(headers, *rows, strict=True)]
    blocks: list[list[int]] = [[]]
    for place in range(1, len(headers)):
        used = sizes[0] + sum(2 + sizes[other] for other in blocks[-1])
        if blocks[-1] and used + 2 + sizes[place] > width:
            blocks.append([])
        blocks[-1].append(place)
    lines = []
    for block in blocks:
        for row in [headers, *rows]:
            cells = [row[0].ljust(sizes[0]), *(row[place].rjust(sizes[place]) for place in block)]
            lines.append("  ".join(cells).rstrip())
        lines.append("")
    return "\n".join(lines[:-1])


def wrapped(text: str, first: str = "", others: str = "  ") -> str:
    """Break a line between words where it is wider than a terminal; no word, such as a path, nor "5 %" is broken."""
    whole = textwrap.fill(
        text.replace(" %", "\u00a0%"), WIDTH - 1, initial_indent=first, subsequent_indent=others,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return whole.replace("\u00a0", " ")


def flowed(phrases: Sequence[str], between: str = "  ") -> str:
    """Put phrases side by side; one that does not fit goes to the next line as a whole."""
    lines = [phrases[0]]
    for phrase in phrases[1:]:
        if len(lines[-1] + between + phrase) < WIDTH:
            lines[-1] += between + phrase
        else:
            lines.append(f"  {phrase}")
    return "\n".join(lines)


def percent(probability: float) -> str:
    """Write a probability in a table: "71.2 %"; a trace is "<0.1 %", none is "-"."""
    if probability <= 0.0:
        return "-"
    if probability < TRACE:
        return "<0.1 %"
    return f"{100 * probability:.1f} %"


def stated(probability: float) -> str:
    """Write a probability within a sentence, where none is "0 %"."""
    return percent(probability) if probability > 0.0 else "0 %"


def signed(value: float, digits: int = 4, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a value with its sign; a rounded 0 has none."""
    rounded = Decimal(value).quantize(Decimal(10) ** -digits, rounding)
    return f"{rounded:+f}" if rounded else f"{abs(rounded):f}"


def between(lower: float, upper: float, digits: int = 4) -> str:
    """Write bounds, rounded outward."""
    return f"between {signed(lower, digits, ROUND_FLOOR)} and {signed(upper, digits, ROUND_CEILING)}"


def digits_for(width: float) -> int:
    """Return how many decimals a value deserves whose bounds are `width` apart: 4 to 12."""
    digits = 4
    while digits < 12 and 10.0**-digits * 5 > width:
        digits += 1
    return digits


def small(value: float) -> str:
    """Write a gap with two figures: "0.00093", "2e-12"."""
    return f"{value:.2g}"


def counted(number: int, noun: str) -> str:
    """Write how many there are: "1 deal", "2 classes", "3,602,700 information sets"."""
    plural = f"{noun}es" if noun.endswith(("s", "ch")) else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def plain(text: str) -> str:
    """Return text that Markdown takes as text."""
    for mark in "\\`*_<>[]|#":
        text = text.replace(mark, "\\" + mark)
    return text.replace("\n", " ")


def as_json(data: Any) -> str:
    """Write strict JSON: no NaN and no Infinity, keys in the order given."""
    return json.dumps(data, indent=2, allow_nan=False)


def as_csv(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write CSV with a header line; an unknown value is an empty cell."""
    buffer = io.StringIO()
    write_csv(buffer, headers, rows)
    return buffer.getvalue().rstrip("\n")


def write_csv(stream: IO[str], headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write CSV with a header line, row by row as they come; None and what is no number are empty cells."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(headers)
    for row in rows:
        writer.writerow([None if isinstance(cell, float) and cell != cell else cell for cell in row])
