"""Whole numbers and comma-separated lists as users write them, checked with a message."""

from collections.abc import Iterable
from typing import SupportsIndex

from rules.base.errors import ForeheadError, OptionError

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def ordinal(position: int) -> str:
    """Name a place in a list, counted from 0: "first", "second", ... "12th"."""
    if position < len(ORDINALS):
        return ORDINALS[position]
    number = position + 1
    tail = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{tail}"


def whole(value: object, what: str, error: type[ForeheadError] = OptionError) -> int:
    """Read a whole number from an int or a text; bools and fractions are refused.

    Raises
    ------
    ForeheadError
        Of the class `error`, where `value` is not a whole number.
    """
    if isinstance(value, str):
        text = value.strip()
        if text.isascii() and text.removeprefix("-").isdigit():
            if len(text) > 18:
                raise error(f"expected {what} to be a whole number of a sensible size, got {len(text)} digits")
            return int(text)
    elif isinstance(value, SupportsIndex) and not isinstance(value, bool):
        return int(value.__index__())
    raise error(f"expected {what} to be a whole number, got {value!r}")


def items(value: object, what: str, error: type[ForeheadError] = OptionError) -> list[object]:
    """Split a comma-separated text, or take a list or tuple as it is; empty text is an empty list."""
    if isinstance(value, str):
        if not value.strip():
            return []
        return [part.strip() for part in value.split(",")]
    if isinstance(value, Iterable):
        return list(value)
    raise error(f"expected {what} to be a comma-separated list, got {value!r}")


def shown_list(value: object) -> str:
    """Show a list as the user wrote it, for a message."""
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return ",".join(str(part) for part in value)
    return str(value)
