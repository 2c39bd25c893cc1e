"""The command ``forehead``: parses, calls and prints. Heavy imports live inside the commands."""

import contextlib
import io
import os
import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from reports.arguments import (
    deal_options,
    example,
    format_option,
    gap_option,
    hand_options,
    history_option,
    output_options,
    seat_options,
    see_option,
    solution_file,
    spot_options,
)
from reports.interruption import INTERRUPTED, Running
from reports.keeping_commands import caches, logs
from reports.match_commands import match, odds, simulate
from reports.numbers import above_zero, at_least

if TYPE_CHECKING:
    from reports.advice import Advice
    from rules.hand import HandSpec
    from solver.live import Answer
    from solver.solution import Solution

NAME = "forehead"
FAILED, USAGE = 1, 2


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every expected error is one line on stderr."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # file names may hold anything
    os.environ["MPLBACKEND"] = "Agg"  # figures go to files, whatever backend somebody has named
    warnings.showwarning = told_in_one_line
    running = Running()
    running.leave(exit_code(running, (sys.argv[1:] if arguments is None else arguments) or ["--help"]))


def exit_code(running: Running, arguments: list[str]) -> int:
    """Run a command and return its exit code; an error is told."""
    try:
        code = running.run(partial(forehead.main, arguments, NAME, standalone_mode=False, obj=running))
        return INTERRUPTED if running.asked() and not code else int(code or 0)
    except click.exceptions.NoArgsIsHelpError as error:  # a group without a command
        click.echo(error.format_message(), err=True)
        return USAGE
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context else ""
        return fail(error.format_message() + hint, USAGE)
    except MemoryError:
        return fail("out of memory; smaller stacks, fewer --raises or a --raise-limit make the game smaller", FAILED)
    except (KeyboardInterrupt, click.Abort) as error:
        return fail(f"interrupted {error}", INTERRUPTED)
    except OSError as error:
        if error.filename is None:
            with contextlib.suppress(OSError):  # what stdout did not take must not fail again at the end
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return fail(f"{error.filename or 'output'}: {error.strerror or error}", FAILED)
    except ValueError as error:
        from rules.errors import ForeheadError, RunError

        if not isinstance(error, ForeheadError):
            raise
        return fail(str(error), FAILED if isinstance(error, RunError) else USAGE)


def told_in_one_line(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print the first line of a warning of a library, such as numba's over a variable that it cannot read."""
    with contextlib.suppress(OSError):
        click.echo(f"note: {str(message).strip().splitlines()[0]}", err=True)


def fail(message: str, code: int) -> int:
    """Print one line and return the exit code."""
    with contextlib.suppress(OSError):
        click.echo(f"{NAME}: {' '.join(message.split())}", err=True)
    return code


def show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version, and warn where another distribution owns one of our import names."""
    if not wanted or context.resilient_parsing:
        return
    from reports.versions import other_owners, released

    click.echo(f"{NAME} {released()}")
    for line in other_owners():
        click.echo(f"{NAME}: {line}", err=True)
    context.exit()


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example("solve indian-poker --seen 1,4,4,9 --stacks 12,8 -o deck.npz", "show deck.npz"),
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=show_version, help="Show the version."
)
def forehead() -> None:
    """Solve betting games that are played with a card on the forehead, and prove how good the answer is."""


def check_game(game: str | None, given: dict[str, Any]) -> None:
    """Refuse a hand that nothing names."""
    if game is None and given.get("log") is None:
        raise click.UsageError("Missing argument 'GAME'.", click.get_current_context())


def chosen(name: str) -> Any:
    """Return an option that was given, None where its default holds."""
    context = click.get_current_context()
    return None if context.get_parameter_source(name) == click.core.ParameterSource.DEFAULT else context.params[name]


# forehead games


@forehead.command(epilog=example("games --format json"))
@format_option
def games(style: str) -> None:
    """List the games, with their options and defaults."""
    from reports.screens import games_screen

    click.echo(games_screen().render(style))


# forehead solve


@forehead.command(epilog=example("solve indian-poker --seen 1,4,4,9 --stacks 12,8 -o deck.npz"))
@click.argument("game", required=False)
@hand_options
@seat_options
@gap_option(
    "Stop at this NashConv, the sum of what both players could still gain (twice the exploitability), in the unit "
    "of the objective; of the mean over all boards or fronts where they are left open.")  # fmt: skip
@click.option("--max-iterations", default="100000", show_default=True, metavar="N", callback=at_least(0), help=(
    "Stop there at the latest."))  # fmt: skip
@click.option("--max-seconds", metavar="NUMBER", callback=above_zero, help=(
    "Stop learning hands of more than four players then, before they are measured."))  # fmt: skip
@click.option("--method", type=click.Choice(["cfr", "lp"]), default="cfr", show_default=True, help=(
    "Discounted CFR+, or the sequence-form linear program: exact, for small trees."))  # fmt: skip
@click.option("--threads", metavar="N", callback=at_least(1), help=(
    "At most so many; the result does not depend on it."))  # fmt: skip
@output_options
@click.option("--resume", type=click.Path(exists=True, dir_okay=False), help=(
    "Go on from this solution of the same hand; -o may name it again."))  # fmt: skip
@click.option("--timings", is_flag=True, help=(
    "Add seconds; with -o also write the gap against iterations and time beside it."))  # fmt: skip
@format_option
def solve(
    game: str | None,
    gap: float | None,
    max_iterations: int,
    max_seconds: float | None,
    method: str,
    threads: int | None,
    output: str | None,
    force: bool,
    resume: str | None,
    timings: bool,
    style: str,
    **given: Any,
) -> int:
    """Solve a hand of GAME, and prove how good the strategy is.

    P1 is the first bettor; with --log the hand is the coming one of that match, and its value is told to you.
    Without --board or --fronts every board or pair of fronts is solved. Ctrl-C stops with the best so far; --resume
    goes on from it.
    """
    from reports.asking import for_the_session, seated_hand, with_table
    from reports.progress import Progress, note_compiling
    from reports.screens import plan_text, solution_screen
    from rules.files import is_same, replaced, writable
    from solver.cache import Cache
    from solver.memory import plan
    from solver.so_far import BestSoFar
    from solver.solution import load
    from solver.table_solution import is_sampled_file, is_table_file

    check_game(game, given)
    told = seated_hand(game, given)
    told = told._replace(spec=for_the_session(told.spec, patient=True))
    alone = all(value is None for value in given.values())
    if told.spec.seats > 2 or (resume and (is_table_file(resume) or is_sampled_file(resume))):
        from reports.table_commands import solved_table

        return solved_table(
            told.spec, click.get_current_context().obj, alone=alone, gap=gap,
            max_iterations=chosen("max_iterations"), max_seconds=max_seconds, method=method, threads=threads,
            output=output, force=force, resume=resume, timings=timings, style=style,
        )  # fmt: skip
    if max_seconds is not None:
        raise click.ClickException("--max-seconds is for hands of more than four players; take --gap")
    if resume and method == "lp":
        raise click.ClickException("expected --method cfr with --resume; the linear program always starts anew")
    goes_on = is_same(output, resume)
    path = writable(output, force or goes_on)
    curve = writable(path.with_suffix(".timings.csv"), force or goes_on) if path and timings else None

    earlier = load(resume, with_state=True) if resume else None
    running: Running = click.get_current_context().obj
    spec = earlier.spec if earlier and alone and earlier.spec.game == game else told.spec
    spec = with_table(spec, given["table"], Cache(), running.asked)
    if earlier:
        earlier.check_resumable(spec)
    gap = gap or spec.usual_gap
    planned = plan(spec, method, gap)
    click.echo(plan_text(spec, planned, told.seat), err=True)

    progress, best = Progress(gap, spec.unit, sys.stderr), BestSoFar()

    def tell(solution: "Solution | None") -> int:
        if solution is None:
            raise KeyboardInterrupt("before anything was found; nothing was saved")
        saved = None
        try:
            if path is not None:
                solution.save(path)
                saved = str(path)
            if curve is not None:
                with replaced(curve) as file:
                    file.write(progress.as_csv() + "\n")
        finally:  # what was found is told even where it cannot be saved
            seconds = progress.seconds if timings else None
            click.echo(solution_screen(solution, planned.memory, saved, seconds, told.seat).render(style))
        if path is None and running.asked():
            click.echo(f"{NAME}: nothing was saved, for no output file was given (-o FILE)", err=True)
        return INTERRUPTED if running.asked() else 0

    def rescue() -> int:
        progress.end()
        if best.measured and path is not None:
            click.echo(f"{NAME}: saving the best so far; Ctrl-C again leaves without it", err=True)
        return tell(best.solution())

    with running.rescuing(rescue):
        note_compiling(sys.stderr)
        from solver.solving import solve as run

        with progress:
            solution = run(
                spec, gap=gap, max_iterations=max_iterations, method=method, threads=threads, resume=earlier,
                on_check=progress, stop=running.asked, best=best,
            )  # fmt: skip
    return tell(solution)


# forehead show, best


@forehead.command(epilog=example('show deck.npz --history "b1 r3"'))
@spot_options
@format_option
def show(file: str, history: str, style: str, **deal: str | None) -> None:
    """Show the strategy of FILE at a public node.

    A row is what the player to act may see, a column an action.
    """
    from reports.asking import spot_shown

    click.echo(spot_shown(file, history, deal).render(style))


@forehead.command(epilog=example('best deck.npz --see 5 --history "b1 r3"'))
@spot_options
@see_option
@format_option
def best(file: str, observation: str, history: str, style: str, **deal: str | None) -> None:
    """Show one row of FILE, with the value of every action.

    Values are the acting player's gain counted from before the ante, or the chance to win the match, given that
    the hand has come here.
    """
    from reports.asking import spot_shown

    click.echo(spot_shown(file, history, deal, observation).render(style))


# forehead advise


@forehead.command(epilog=example("advise indian-poker --seen 1,4 --stacks 12,8 --see 3 --history b1"))
@click.argument("game", required=False)
@see_option
@history_option
@hand_options
@seat_options
@click.option("--mine", multiple=True, metavar="CARD", help=(
    "In double-sided your own card of an earlier fold, such as 5/8; may be given again."))  # fmt: skip
@click.option("--from", "file", type=click.Path(exists=True, dir_okay=False), help=(
    "Look the answer up in this solution; --board or --fronts say which deal."))  # fmt: skip
@click.option("--max-seconds", default="10", show_default=True, metavar="NUMBER", callback=above_zero, help=(
    "Time for a solve; too large a game is solved with fewer actions."))  # fmt: skip
@gap_option("Stop a solve at this NashConv.")
@click.option("--no-cache", is_flag=True, help="Neither look into the cache nor keep the answer there.")
@click.option("--seed", metavar="N", callback=at_least(0), help="Draw the same action of a mix every time.")
@format_option
def advise(
    game: str | None,
    observation: str,
    history: str,
    mine: tuple[str, ...],
    file: str | None,
    max_seconds: float,
    gap: float | None,
    no_cache: bool,
    seed: int | None,
    style: str,
    **given: Any,
) -> int:
    """Say what to do now, seeing CARD after a history, and why.

    The hand is solved on the fly, or looked up: in the cache, or in a solution (--from).
    """
    from reports.asking import for_the_session, looked_up, seated_hand, solved_live, to_win, with_table
    from reports.progress import note_compiling
    from solver.cache import Cache

    if file is not None:
        saved = looked_up(file, game, given, observation, history, mine, seed, seconds=max_seconds)
        click.echo(saved.screen().render(style))
        return 0
    check_game(game, given)
    running: Running = click.get_current_context().obj
    cache = None if no_cache else Cache()
    here = seated_hand(game, given)
    here = here._replace(spec=for_the_session(here.spec, patient=False))
    if here.spec.seats > 2:
        from reports.table_commands import advised

        found = advised(here.spec, running, observation, history, seed, seconds=max_seconds, gap=gap)
        click.echo(found.render(style))
        return INTERRUPTED if running.asked() else 0

    def aim(spec: "HandSpec") -> "HandSpec":
        if given["objective"] is None and not spec.lacks:
            return to_win(spec, cache, running.asked)
        return with_table(spec, given["table"], cache, running.asked)

    def tell(advice: "Advice", found: "Answer") -> int:
        if cache is not None and found.kept is False:
            problem = f"the solution is not kept in {cache.folder} ({found.why_not})"
            click.echo(f"{NAME}: {problem}; --no-cache does not try", err=True)
        click.echo(advice.screen().render(style))
        return INTERRUPTED if running.asked() else 0

    return solved_live(
        here, observation, history, mine, seed, seconds=max_seconds, gap=gap, cache=cache, aim=aim,
        before=partial(note_compiling, sys.stderr), running=running, tell=tell,
    )  # fmt: skip


# forehead verify, export, plot


@forehead.command(epilog=example("verify deck.npz"))
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
    from reports.proofs import proved

    running: Running = click.get_current_context().obj
    click.echo(proved(file, sample, seed, running.asked, table).render(style))


@forehead.command(epilog=example("export deck.npz --to csv -o deck.csv"))
@deal_options
@click.option("--to", "kind", type=click.Choice(["csv", "json", "parquet", "efg"]), default="csv", show_default=True,
              help="The format.")  # fmt: skip
@output_options
def export(file: str, kind: str, output: str | None, force: bool, **deal: str | None) -> None:
    """Write FILE for other programs; on stdout without -o.

    csv, json and parquet: the strategy, a row for each deal, history, observation and action. efg: the game without
    its strategy, in the extensive form that Gambit and OpenSpiel read.
    """
    from reports.export import exported
    from rules.files import writable

    path = writable(output, force, file)
    made = exported(file, kind, deal)
    if made.size:
        click.echo(made.size, err=True)
    if path is None:
        made.print(sys.stdout)
        return
    made.save(path)
    click.echo(f"saved {path}", err=True)


@forehead.command(epilog=example("plot deck.npz -o deck.svg"))
@solution_file
@output_options
def plot(file: str, output: str | None, force: bool) -> None:
    """Draw the exploitability of FILE by iterations, as PNG or SVG.

    Both axes are logarithmic. Without -o the figure is a PNG beside FILE.
    """
    from reports.figures import plotted

    click.echo(f"saved {plotted(file, output, force)}", err=True)


# forehead report


@forehead.command(epilog=example("report indian-poker --seen 1,4,4,9 --stacks 12,8 -o report"))
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
    from reports.gathering import gathered
    from reports.report import check_folder, write_report
    from reports.table_report import asked_table, reported

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


# forehead claims


@forehead.command(epilog=example("claims indian-poker --stacks 7,7 -o claims"))
@click.argument("game")
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
    from reports.claims_report import claims_screen, judged, write_claims
    from reports.progress import note_compiling
    from reports.report import check_folder

    folder = None if output is None else check_folder(output, force)
    note_compiling(sys.stderr)
    found = judged(game, stacks, gap)
    click.echo(claims_screen(found).render(style))
    if folder is not None:
        click.echo(f"saved {write_claims(folder, found)}", err=True)


for command in (match, odds, simulate, logs, caches):
    forehead.add_command(command)


if __name__ == "__main__":
    main()
