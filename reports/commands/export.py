"""``forehead export``: a solution for other programs."""

import sys

import click

from reports.answering.arguments import (
    deal_options,
    example,
    output_options,
)


@click.command(epilog=example("export deck.npz --to csv -o deck.csv"))
@deal_options
@click.option("--to", "kind", type=click.Choice(["csv", "json", "parquet", "efg"]), default="csv", show_default=True,
              help="The format.")  # fmt: skip
@output_options
def export(file: str, kind: str, output: str | None, force: bool, **deal: str | None) -> None:
    """Write FILE for other programs; on stdout without -o.

    csv, json and parquet: the strategy, a row for each deal, history, observation and action. efg: the game without
    its strategy, in the extensive form that Gambit and OpenSpiel read.
    """
    from reports.answering.from_files import exported
    from rules.base.atomic_files import writable

    path = writable(output, force, file)
    made = exported(file, kind, deal)
    if made.size:
        click.echo(made.size, err=True)
    if path is None:
        made.print(sys.stdout)
        return
    made.save(path)
    click.echo(f"saved {path}", err=True)
