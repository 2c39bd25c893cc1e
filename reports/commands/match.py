"""``forehead match``: solve a whole match, or find the chance of one player against another."""

import contextlib
import os
import sys
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import click

from reports.answering.arguments import (
    HandCommand,
    above_zero,
    at_least,
    example,
    format_option,
    game_argument,
    hand_options,
    output_options,
)
from reports.text.option_words import MATCH_RULES

if TYPE_CHECKING:
    from reports.answering.interruption import Running
    from reports.screens.screen import Screen
    from rules.games.match_spec import MatchSpec
    from solver.match.estimate import Estimate
    from solver.match.journal import Journal


DECK_MODELS = ("fresh", "exact")


@click.command(cls=HandCommand, epilog=example("match indian-poker --stacks 10,10 -o match.npz"))
@game_argument(required=True)
@click.option("--stacks", metavar="P1,P2", help="Chips at the start, equal; the game's quick mode by default.")
@partial(hand_options, names=MATCH_RULES)
@click.option("--deck-model", type=click.Choice(DECK_MODELS), help=(
    "Deal every later hand from a full deck, as by default, or (in indian-poker) from what is left."))  # fmt: skip
@click.option("--gap", default="0.001", show_default=True, metavar="NUMBER", callback=above_zero, help=(
    "How far apart the bounds of any win probability may be."))  # fmt: skip
@click.option("--threads", metavar="N", callback=at_least(1), help=(
    "At most so many, by default one a processor; the result does not depend on it."))  # fmt: skip
@click.option("--cluster", metavar="ADDRESS", help="Solve on a Dask cluster, such as tcp://10.0.0.1:8786.")
@click.option("--evaluate", nargs=2, metavar="A B", help=(
    "Find the exact chance of player A against player B in place of the match: each is match, chips, call, random or "
    "text (see simulate)."))  # fmt: skip
@click.option("--from", "file", type=click.Path(exists=True, dir_okay=False), help=(
    "With --evaluate: a match table, for the player match."))  # fmt: skip
@output_options
@format_option
def match(
    game: str,
    stacks: str | None,
    deck_model: str | None,
    gap: float,
    threads: int | None,
    cluster: str | None,
    evaluate: tuple[str, str] | None,
    file: str | None,
    output: str | None,
    force: bool,
    style: str,
    **given: Any,
) -> int:
    """Solve the whole match of GAME: who wins it, by chips.

    Prints the chance of the first bettor, who is the one who bets first in the coming hand. Every number lies
    between bounds that are proved. With -o what has been done is kept on the way in FILE.part: after Ctrl-C or a
    crash the same command goes on.
    """
    from reports.answering.progress import SweepProgress, note_compiling
    from reports.screens.matches import match_screen, started
    from rules.base.atomic_files import writable
    from rules.base.errors import UnprovedError
    from solver.match.journal import Journal, beside
    from solver.match.solving import solve_match

    running: Running = click.get_current_context().obj
    if evaluate is not None:
        if output is not None or cluster is not None:
            raise click.UsageError(
                "expected --evaluate without -o and --cluster; solve the match first, then --from it"
            )
        click.echo(duel(game, evaluate, file, {"stacks": stacks, **given}, deck_model, gap, threads).render(style))
        return 0
    if file is not None:
        raise click.UsageError("expected --evaluate with --from")
    model = deck_model or DECK_MODELS[0]
    path = writable(output, force)
    spec = started(game, stacks, given)
    note_compiling(sys.stderr)
    with contextlib.ExitStack() as stack:
        journal = None if path is None else stack.enter_context(Journal(beside(path), spec, model, gap))
        if journal is not None and journal.pieces:
            click.echo(f"going on with {journal.path}", err=True)
        progress = stack.enter_context(SweepProgress(sys.stderr))
        broken_off = partial(broken, journal)
        try:
            with running.rescuing(broken_off):
                table = solve_match(
                    spec, model, gap, threads=threads, cluster=cluster, kept=journal,
                    on_plan=partial(planned, spec, model), on_step=progress, stop=running.asked,
                )  # fmt: skip
        except KeyboardInterrupt:
            broken_off()
        except UnprovedError:  # which the same command would end with again, and another must not find in its way
            if journal is not None:
                journal.remove()
            raise
        if path is not None and journal is not None:
            table.save(path)
            journal.remove()
    click.echo(match_screen(table, None if path is None else os.fspath(path)).render(style))
    return 0


def planned(spec: "MatchSpec", deck_model: str, plan: "Estimate") -> None:
    """Say before a match is solved what it takes."""
    from reports.screens.matches import plan_text

    if sys.stderr.isatty():  # over the line that says that the solver is loaded
        click.echo(f"\r{'':<79}\r", err=True, nl=False)
    click.echo(plan_text(spec, deck_model, plan), err=True)


def duel(
    game: str,
    names: tuple[str, str],
    file: str | None,
    given: Mapping[str, Any],
    deck_model: str | None,
    gap: float,
    threads: int | None,
) -> "Screen":
    """Find the chance of one player against another."""
    from reports.answering.duels import Pair, evaluated, table_for
    from reports.answering.progress import Counted, note_compiling

    running: Running = click.get_current_context().obj
    note_compiling(sys.stderr)
    spec, model, table = table_for(
        game, names, file, given, deck_model, gap, threads=threads, stream=sys.stderr, stop=running.asked
    )
    with Counted("hand", sys.stderr) as progress:
        return evaluated(Pair.of(spec, model, names, table), threads, progress, running.asked)


def broken(journal: "Journal | None") -> NoReturn:
    """Say what becomes of a match whose solve is broken off."""
    what = "nothing was kept (-o FILE)"
    if journal is not None:
        what = f"the same command goes on from {journal.path}" if journal.holds else "nothing was solved yet"
    raise KeyboardInterrupt(f"on the way; {what}")
