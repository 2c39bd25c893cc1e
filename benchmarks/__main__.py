"""Measure the solver and its peers: ``python -m benchmarks``, or some sections of it with ``--only``."""

from typing import IO

import click

from benchmarks import many, match, matches, peers, scaling, signature, speed, start, tables
from benchmarks.output import Output, Settings

SECTIONS = {
    "signature": signature.run,
    "speed": speed.run,
    "scaling": scaling.run,
    "match": match.run,
    "matches": matches.run,
    "start": start.run,
    "peers": peers.run,
    "tables": tables.run,
    "many": many.run,
}
"""What there is to measure, in the order it is measured."""


@click.command()
@click.option(
    "--only", multiple=True, type=click.Choice(list(SECTIONS)), help="Sections to measure; may be given again."
)
@click.option("--quick", is_flag=True, help="Few hands and few repeats, for a check that everything runs.")
@click.option("--threads", default=2, show_default=True, help="Threads for the time to a gap.")
@click.option("--json", "lines", type=click.File("w"), help="Write one JSON object a line, with versions and machine.")
def main(only: tuple[str, ...], quick: bool, threads: int, lines: IO[str] | None) -> None:
    """Measure the solver: its speed, how cost grows, how a process starts, and other solvers on the same hand."""
    output, settings = Output(lines), Settings(quick, threads)
    for name, run in SECTIONS.items():
        if not only or name in only:
            run(output, settings)


if __name__ == "__main__":
    main()
