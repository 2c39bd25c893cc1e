"""``forehead report``: a page to walk through a strategy, with figures."""

from typing import Any

import click

from reports.answering.arguments import (
    HandCommand,
    check_game,
    example,
    gap_option,
    hand_options,
    seat_options,
)


@click.command(cls=HandCommand, epilog=example("report indian-poker --seen 1,4,4,9 --stacks 12,8 -o report"))
@click.argument("sources", nargs=-1, metavar="GAME|FILES")
@hand_options
@seat_options
@click.option("--decks", type=click.Path(exists=True, dir_okay=False), help=(
    "A file with a deck state a line, such as 1,4,4,9: how value and strategy change over them."))  # fmt: skip
@click.option("--compare", is_flag=True, help="Show two solution FILES side by side, and where they differ most.")
@gap_option("Stop a solve at this NashConv.")
@click.option("--timings", is_flag=True, help="Draw the gap against time too, of a hand that is solved for the report.")
@click.option("-o", "--output", default="report", show_default=True, metavar="FOLDER", help="Folder to write.")
@click.option("--force", is_flag=True, help="Write into the folder where it is not empty.")
def report(
    sources: tuple[str, ...], decks: str | None, compare: bool, gap: float | None, timings: bool, output: str,
    force: bool, **given: Any,
) -> None:  # fmt: skip
    """Write a page to walk through a strategy, with figures.

    Of solution FILES, or of a hand of GAME that is solved first. With --log it tells that match hand by hand, as far as
    it was played. Prints the name of the page in the folder; it needs no network.
    """
    from reports.answering.from_files import asked_table, reported
    from reports.answering.report_sources import gathered
    from reports.pages.report import check_folder, write_report

    if not sources:
        check_game(None, given)
    folder = check_folder(output, force)
    if (asked := asked_table(sources, given)) is not None:
        click.echo(reported(folder, asked, gap))
        return
    found = gathered(sources, given, decks=decks, compare=compare, gap=gap, timings=timings)
    shown = write_report(
        folder, found.sources, series=found.series, order=found.order, compare=compare, story=found.story
    )
    click.echo(shown)
