"""``forehead games``: the games, with their options and defaults."""

import click

from reports.answering.arguments import (
    example,
    format_option,
)


@click.command(epilog=example("games --format json"))
@format_option
def games(style: str) -> None:
    """List the games, with their options and defaults."""
    from reports.screens.games import games_screen

    click.echo(games_screen().render(style))
