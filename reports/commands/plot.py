"""``forehead plot``: the exploitability of a solution by iterations."""

import click

from reports.answering.arguments import (
    example,
    output_options,
    solution_file,
)


@click.command(epilog=example("plot deck.npz -o deck.svg"))
@solution_file
@output_options
def plot(file: str, output: str | None, force: bool) -> None:
    """Draw the exploitability of FILE by iterations, as PNG or SVG.

    Both axes are logarithmic. Without -o the figure is a PNG beside FILE.
    """
    from reports.answering.from_files import plotted

    click.echo(f"saved {plotted(file, output, force)}", err=True)
