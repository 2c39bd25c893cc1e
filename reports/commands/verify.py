"""``forehead verify``: prove a file again, from nothing but what it holds."""

import click

from reports.answering.arguments import (
    at_least,
    example,
    format_option,
    solution_file,
)
from reports.answering.interruption import Running


@click.command(epilog=example("verify deck.npz"))
@solution_file
@click.option("--sample", metavar="N", callback=at_least(1), help=(
    "Of a match table, prove so many states drawn at random, and not all."))  # fmt: skip
@click.option("--seed", default="0", show_default=True, metavar="N", callback=at_least(0), help=(
    "Draw another sample."))  # fmt: skip
@click.option("--table", type=click.Path(exists=True, dir_okay=False), help=(
    "The match table that a solution of objective match quotes, where it is not at hand."))  # fmt: skip
@format_option
def verify(file: str, sample: int | None, seed: int, table: str | None, style: str) -> None:
    """Prove FILE again, from nothing but what it holds.

    Of a solution the bounds and NashConv are computed anew from its strategy and its spec; what it says of later
    hands is compared with the match table that it quotes. Of a match table every hand is solved again with later
    hands worth what the table says. Fails (exit 1) where FILE claims too much.
    """
    from reports.answering.proofs import proved

    running: Running = click.get_current_context().obj
    click.echo(proved(file, sample, seed, running.asked, table).render(style))
