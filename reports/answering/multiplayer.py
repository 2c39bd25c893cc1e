"""The commands for hands of more than two players, which `cli` hands over: solve and advise."""

import sys
import time
from collections.abc import Callable

import click

from reports.answering.interruption import INTERRUPTED, Running
from reports.answering.progress import Progress, note_compiling
from reports.screens.multiplayer import table_plan_text, table_solution_screen
from reports.screens.multiplayer_advice import TableAdvice
from reports.screens.screen import Screen
from reports.text.words import as_csv
from rules.base.atomic_files import is_same, replaced, writable
from rules.base.errors import OptionError, SizeError
from rules.games.spec import HandSpec
from solver.multiplayer.evaluation import check_deals
from solver.multiplayer.game import table_bytes, table_size
from solver.multiplayer.solution import MultiplayerCheck, MultiplayerSolution, load_table
from solver.solutions.archive import is_sampled_file
from solver.solutions.solution import Check
from solver.trees.public_tree import TreeSize
from solver.two_player.memory import available, human

EXACT = 4
"""Players up to which every deal is looked at."""


def checked(spec: HandSpec) -> TreeSize:
    """Return the size of a table that can be solved with every deal.

    Raises
    ------
    SizeError
        Where there are too many players or deals, or too little memory.
    """
    if spec.seats > EXACT:
        raise SizeError(f"hands of 2 to {EXACT} players are solved with every deal, got {spec.seats} players")
    table = spec.around_the_table()
    check_deals(table)
    size = table_size(table)
    needed, free = table_bytes(table, size), available()
    if needed > free:
        raise SizeError(f"this table needs {human(needed)} and {human(free)} are free; take fewer raises")
    return size


def solved_table(
    told: HandSpec,
    running: Running,
    *,
    alone: bool,
    gap: float | None,
    max_iterations: int | None,
    max_seconds: float | None,
    method: str,
    threads: int | None,
    output: str | None,
    force: bool,
    resume: str | None,
    timings: bool,
    style: str,
) -> int:
    """Solve a table, save and tell what was found; return the exit code.

    Parameters
    ----------
    told
        The hand that the options tell.
    alone
        Whether no option tells anything, so that a solution to go on from says which hand.
    """
    if method != "cfr":
        raise OptionError(f"expected --method cfr for more than two players, got {method}")
    if told.seats > EXACT or (resume and is_sampled_file(resume)):
        from reports.answering.sampled import solved_by_sampling

        return solved_by_sampling(
            told, running, alone=alone, gap=gap, max_iterations=max_iterations, max_seconds=max_seconds,
            threads=threads, output=output, force=force, resume=resume, timings=timings, style=style,
        )  # fmt: skip
    if max_seconds is not None:
        raise OptionError(f"--max-seconds is for more than {EXACT} players; take --gap or --max-iterations")
    goes_on = is_same(output, resume)
    path = writable(output, force or goes_on)
    curve = writable(path.with_suffix(".timings.csv"), force or goes_on) if path and timings else None
    earlier = load_table(resume, with_state=True) if resume else None
    spec = earlier.spec if earlier and alone else told
    if earlier:
        earlier.check_resumable(spec)
    click.echo(table_plan_text(spec, spec.around_the_table(), checked(spec)), err=True)
    from solver.multiplayer.solving import MAX_ITERATIONS, default_gap, solve_table

    aim = default_gap(spec.seats) if gap is None else gap
    progress, best = Progress(aim, spec.unit, sys.stderr), list[Callable[[], MultiplayerSolution]]()

    def tell(solution: MultiplayerSolution) -> int:
        saved = None
        try:
            if path is not None:
                solution.save(path)
                saved = str(path)
            if curve is not None:
                rows = [(one.iterations, seconds, one.nash_conv) for seconds, one in progress.series]
                with replaced(curve) as file:
                    file.write(as_csv(("iterations", "seconds", "nash_conv"), rows) + "\n")
        finally:  # what was found is told even where it cannot be saved
            seconds = progress.seconds if timings else None
            click.echo(table_solution_screen(solution, saved, seconds).render(style))
        return INTERRUPTED if running.asked() else 0

    def rescue() -> int:
        progress.end()
        if not best:
            raise KeyboardInterrupt("before anything was found; nothing was saved")
        return tell(best[-1]())

    def note(check: MultiplayerCheck) -> None:
        progress(Check(check.iterations, 0.0, check.nash_conv))

    with running.rescuing(rescue):
        note_compiling(sys.stderr)
        with progress:
            solution = solve_table(
                spec,
                gap=aim,
                max_iterations=MAX_ITERATIONS if max_iterations is None else max_iterations,
                threads=threads,
                resume=earlier,
                on_check=note,
                stop=running.asked,
                offer=best.append,
            )
    return tell(solution)


def advised(
    spec: HandSpec, running: Running, seen: str, history: str, seed: int | None, *, seconds: float, gap: float | None
) -> Screen:
    """Return the answer for a table that is solved for it, as far as the time allows."""
    spec.observation(seen)
    spec.public.follow(history)
    if spec.seats > EXACT:
        from reports.answering.sampled import advised_by_sampling

        return advised_by_sampling(spec, running, seen, history, seed, seconds=seconds)
    checked(spec)
    note_compiling(sys.stderr)
    from solver.multiplayer.solving import solve_table

    deadline = time.monotonic() + seconds
    solution = solve_table(spec, gap=gap, stop=lambda: running.asked() or time.monotonic() > deadline)
    return TableAdvice.at(solution, seen, history, seed).screen()
