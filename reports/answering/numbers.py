"""Numbers as options: readers that refuse what is out of range."""

from collections.abc import Callable

import click


def above_zero(_: click.Context, option: click.Parameter, text: str | None) -> float | None:
    """Read a finite number above 0; None where nothing is given and there is no default."""
    if text is None:
        return None
    try:
        number = float(text) if text.isascii() and "_" not in text else 0.0
    except ValueError:
        number = 0.0
    if not 0.0 < number < float("inf"):
        raise click.ClickException(f"expected {option.opts[0]} to be a number above 0, got {text!r}")
    return number


def at_least(least: int) -> Callable[[click.Context, click.Parameter, str | None], int | None]:
    """Return a reader of whole numbers from `least` up."""

    def read(_: click.Context, option: click.Parameter, text: str | None) -> int | None:
        from rules.base.parsing import whole

        number = None if text is None else whole(text, option.opts[0])
        if number is not None and number < least:
            raise click.ClickException(f"expected {option.opts[0]} to be at least {least}, got {number}")
        return number

    return read
