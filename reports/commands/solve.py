"""``forehead solve``: solve a hand, and prove how good the strategy is."""

import sys
from typing import TYPE_CHECKING, Any

import click

from reports.answering.arguments import (
    HandCommand,
    example,
    format_option,
    game_argument,
    gap_option,
    hand_options,
    output_options,
    seat_options,
)
from reports.answering.interruption import INTERRUPTED, Running
from reports.answering.numbers import above_zero, at_least

if TYPE_CHECKING:
    from solver.solutions.solution import Solution
from reports.answering.arguments import check_game, chosen
from rules.base.versions import NAME


@click.command(cls=HandCommand, epilog=example("solve indian-poker --seen 1,4,4,9 --stacks 12,8 -o deck.npz"))
@game_argument(required=False)
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
    from reports.answering.progress import Progress, note_compiling
    from reports.answering.questions import for_the_session, seated_hand, with_table
    from reports.screens.solutions import plan_text, solution_screen
    from rules.base.atomic_files import is_same, replaced, writable
    from solver.solutions.archive import is_sampled_file, is_table_file
    from solver.solutions.incumbent import Incumbent
    from solver.solutions.solution import load
    from solver.store.cache import Cache
    from solver.two_player.memory import plan

    check_game(game, given)
    told = seated_hand(game, given)
    told = told._replace(spec=for_the_session(told.spec, patient=True))
    alone = all(value is None for value in given.values())
    if told.spec.seats > 2 or (resume and (is_table_file(resume) or is_sampled_file(resume))):
        from reports.answering.multiplayer import solved_table

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

    progress, best = Progress(gap, spec.unit, sys.stderr), Incumbent()

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
                on_check=progress, stop=running.asked, best=best, planned=planned,
            )  # fmt: skip
    return tell(solution)
