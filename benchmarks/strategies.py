"""How often match play wins against the other players: ``python -m benchmarks.strategies``, a Markdown table.

Chances before the coin flip, exact for the strategies found. Beside each stands what the table proves for match play
against anybody. Cases can be named, such as ``indian-poker:10:exact``; all of them take an hour or so.
"""

from collections.abc import Iterator

import click

from reports.answering.duels import Pair
from reports.screens.matches import started
from solver.match import players
from solver.match.duels import win_probabilities
from solver.match.solving import solve_match

STANDARD = (
    "indian-poker:10:fresh",
    "indian-poker:10:exact",
    "indian-poker:15:fresh",
    "indian-poker:20:fresh",
    "indian-holdem:10:fresh",
    "indian-holdem:15:fresh",
    "indian-holdem:20:fresh",
    "double-sided:15:fresh:2",
)
"""Game, chips of each, deck model, and a raise limit where the game is too large without."""

GAPS = {"fresh": 0.001, "exact": 0.002}


def lines(case: str, gap: float | None, threads: int | None) -> Iterator[str]:
    """Yield the rows of a case: a player, the chance of match play to win against it, betting first and second."""
    game, stack, model, *limit = case.split(":")
    spec = started(game, f"{stack},{stack}", {"raise_limit": limit[0]} if limit else {})
    table = solve_match(spec, model, gap or GAPS[model], threads=threads)
    start = table.odds(table.spec.chips)
    label = f"{game} {stack}/{stack}, {model}" + (f", at most {limit[0]} raises" if limit else "")
    least = 0.5 * (start.lower + 1.0 - start.upper)
    for name in players.names(table.spec)[1:]:
        pair = Pair.of(table.spec, model, (players.MATCH, name), table)
        found = win_probabilities(pair.hands, pair.one, pair.other, threads)
        first, second = (float(side[pair.hands.number[table.spec.chips]]) for side in found)
        figures = (0.5 * (first + second), least, first, start.lower, second, 1.0 - start.upper)
        yield f"| {label} | {name} | " + " | ".join(f"{100 * figure:.2f} %" for figure in figures) + " |"


@click.command()
@click.argument("cases", nargs=-1)
@click.option("--gap", type=float, help="Solve matches to this gap.")
@click.option("--threads", type=int, help="At most so many.")
def main(cases: tuple[str, ...], gap: float | None, threads: int | None) -> None:
    """Print what match play wins with against every other player, for CASES or the standard stacks."""
    click.echo("| match | against | wins | at least | betting first | at least | betting second | at least |")
    click.echo("|---|---|---:|---:|---:|---:|---:|---:|")
    for case in cases or STANDARD:
        for line in lines(case, gap, threads):
            click.echo(line)


if __name__ == "__main__":
    main()
