"""``forehead show`` and ``forehead best``: what a solution says at a public node."""

import click

from reports.answering.arguments import (
    example,
    format_option,
    see_option,
    spot_options,
)


@click.command(epilog=example('show deck.npz --history "b1 r3"'))
@spot_options
@format_option
def show(file: str, history: str, style: str, **deal: str | None) -> None:
    """Show the strategy of FILE at a public node.

    A row is what the player to act may see, a column an action.
    """
    from reports.answering.saved import spot_shown

    click.echo(spot_shown(file, history, deal).render(style))


@click.command(epilog=example('best deck.npz --see 5 --history "b1 r3"'))
@spot_options
@see_option
@format_option
def best(file: str, observation: str, history: str, style: str, **deal: str | None) -> None:
    """Show one row of FILE, with the value of every action.

    Values are the acting player's gain counted from before the ante, or the chance to win the match, given that
    the hand has come here.
    """
    from reports.answering.saved import spot_shown

    click.echo(spot_shown(file, history, deal, observation).render(style))
