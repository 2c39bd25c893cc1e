"""The commands about whole matches; heavy imports live inside them."""

import contextlib
import os
import sys
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import click

from reports.arguments import example, format_option, hand_options, output_options, seat_options
from reports.numbers import above_zero, at_least
from reports.options import MATCH, MATCH_RULES

if TYPE_CHECKING:
    from reports.interruption import Running
    from reports.screens import Screen
    from rules.match_game import MatchSpec
    from solver.match_estimate import Estimate
    from solver.match_journal import Journal

DECK_MODELS = ("fresh", "exact")


@click.command(epilog=example("match indian-poker --stacks 10,10 -o match.npz"))
@click.argument("game")
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
    from reports.matches import match_screen, started
    from reports.progress import SweepProgress, note_compiling
    from rules.errors import UnprovedError
    from rules.files import writable
    from solver.match_journal import Journal, beside
    from solver.match_solving import solve_match

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
    from reports.matches import plan_text

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
    from reports.duels import Pair, evaluated, table_for
    from reports.progress import Counted, note_compiling

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


@click.command(epilog=example("odds indian-poker --stacks 7,9 --carry 4 --seen 1,4"))
@click.argument("game", required=False)
@partial(hand_options, names=("stacks", *MATCH, "board", "fronts", "deck_model"))
@seat_options
@click.option("--gap", default="0.0001", show_default=True, metavar="NUMBER", callback=above_zero, help=(
    "Solve a hand that the table has not got to this NashConv."))  # fmt: skip
@format_option
def odds(game: str | None, gap: float, style: str, **given: Any) -> None:
    """Say who wins the match of GAME, before a hand is dealt.

    From a match table: one that comes with forehead, one that was made before, or --table. Where it has not got the
    deck, the board or the fronts, that hand is solved with later hands worth what the table says.
    """
    from reports.asking import seated_hand, with_table
    from reports.matches import odds_screen
    from rules.errors import OptionError
    from rules.match_game import MATCH as OBJECTIVE
    from rules.match_game import MatchSpec
    from rules.registry import GAMES
    from solver.cache import Cache
    from solver.later_tables import odds as found

    if game is None and given.get("log") is None:
        raise click.UsageError("Missing argument 'GAME'.", click.get_current_context())
    running: Running = click.get_current_context().obj
    if game in GAMES and not issubclass(GAMES[game], MatchSpec):
        raise OptionError(f"expected a game that is played until one has all chips, got {game}")
    told = seated_hand(game, {**given, "objective": OBJECTIVE})
    spec = with_table(told.spec, given["table"], Cache(), running.asked)
    assert isinstance(spec, MatchSpec)
    click.echo(odds_screen(spec, found(spec, gap, running.asked), told.seat).render(style))


@click.command(epilog=example("simulate indian-poker --stacks 4,4 --second text --matches 500"))
@click.argument("game")
@click.option("--first", "one", default="match", show_default=True, metavar="PLAYER", help=(
    "Whose chances to show: match, chips, call, random or text."))  # fmt: skip
@click.option("--second", "other", default="chips", show_default=True, metavar="PLAYER", help="Against whom.")
@click.option("--matches", default="10000", show_default=True, metavar="N", callback=at_least(1), help="How many.")
@click.option("--seed", default="0", show_default=True, metavar="N", callback=at_least(0), help=(
    "The same number gives the same matches."))  # fmt: skip
@click.option("--from", "file", type=click.Path(exists=True, dir_okay=False), help=(
    "A match table, for the player match; without it the match is solved first."))  # fmt: skip
@click.option("--gap", default="0.001", show_default=True, metavar="NUMBER", callback=above_zero, help=(
    "How far apart the bounds of that match may be."))  # fmt: skip
@click.option("--stacks", metavar="P1,P2", help="Chips at the start, equal; the game's quick mode by default.")
@partial(hand_options, names=MATCH_RULES)
@click.option("--deck-model", type=click.Choice(DECK_MODELS), help=(
    "What the players take later decks for: full ones, or (in indian-poker) what is really left; by default as the "
    "table says, else fresh."))  # fmt: skip
@click.option("--deal", type=click.Choice(["fresh", "deck"]), help=(
    "Deal each hand from a fresh deck, or from one deck until it is used up; by default as the deck model "
    "says."))  # fmt: skip
@click.option("--threads", metavar="N", callback=at_least(1), help=(
    "At most so many, by default one a processor; the result does not depend on it."))  # fmt: skip
@format_option
def simulate(
    game: str,
    one: str,
    other: str,
    matches: int,
    seed: int,
    file: str | None,
    gap: float,
    stacks: str | None,
    deck_model: str | None,
    deal: str | None,
    threads: int | None,
    style: str,
    **given: Any,
) -> int:
    """Play matches of GAME between two players, and count.

    The players: match plays to win the match, chips for the chips of each hand (both solve every hand), call calls
    whatever comes, random does anything, text follows the game's own advice. A fair coin picks who bets first. The
    intervals hold the true chances with 99 % confidence.
    """
    from reports.duels import Pair, simulated, table_for
    from reports.progress import Counted, note_compiling

    running: Running = click.get_current_context().obj
    note_compiling(sys.stderr)
    spec, model, table = table_for(
        game, (one, other), file, {"stacks": stacks, **given}, deck_model, gap, threads=threads, stream=sys.stderr,
        stop=running.asked,
    )  # fmt: skip
    pair = Pair.of(spec, model, (one, other), table)
    renewed = deal == "fresh" if deal else model == "fresh"
    with Counted("match", sys.stderr) as progress:
        screen = simulated(pair, matches, seed, renewed, threads, progress, running.asked)
    click.echo(screen.render(style))
    return 0
