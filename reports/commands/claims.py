"""``forehead claims``: what the text of a game advises, tested against equilibrium play."""

import sys

import click

from reports.answering.arguments import (
    above_zero,
    example,
    format_option,
    game_argument,
)


@click.command(epilog=example("claims indian-poker --stacks 7,7 -o claims"))
@game_argument(required=True)
@click.option("--stacks", metavar="P1,P2", help="Chips of P1 and P2, in place of every standard stack.")
@click.option("--gap", default="0.002", show_default=True, metavar="NUMBER", callback=above_zero, help=(
    "Stop a solve at this NashConv."))  # fmt: skip
@click.option("-o", "--output", metavar="FOLDER", help="Folder to write a page, Markdown, CSV and JSON into.")
@click.option("--force", is_flag=True, help="Write into the folder where it is not empty.")
@format_option
def claims(game: str, stacks: str | None, gap: float, output: str | None, force: bool, style: str) -> None:
    """Test what the text of GAME advises against equilibrium play.

    Each claim of its strategy section is turned into a number, and a rule says whether it holds, holds partly or
    fails.
    """
    from reports.answering.progress import note_compiling
    from reports.claims.report import claims_screen, judged, write_claims
    from reports.pages.report import check_folder

    folder = None if output is None else check_folder(output, force)
    note_compiling(sys.stderr)
    found = judged(game, stacks, gap)
    click.echo(claims_screen(found).render(style))
    if folder is not None:
        click.echo(f"saved {write_claims(folder, found)}", err=True)
