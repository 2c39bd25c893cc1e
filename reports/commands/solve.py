"""``forehead solve``: solve a hand, and prove how good the strategy is."""

from typing import Any

import click

from reports.answering.arguments import (
    HandCommand,
    above_zero,
    at_least,
    check_game,
    chosen,
    example,
    format_option,
    game_argument,
    gap_option,
    hand_options,
    output_options,
    seat_options,
)


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
    from reports.answering.questions import for_the_session, seated_hand
    from reports.answering.solving import EXACT, Asked, Problem, solved
    from solver.solutions.archive import MULTIPLAYER_FORMAT, SAMPLED_FORMAT, format_of

    check_game(game, given)
    here = seated_hand(game, given)
    spec = for_the_session(here.spec, patient=True)
    asked = Asked(
        click.get_current_context().obj, all(value is None for value in given.values()), gap, chosen("max_iterations"),
        max_seconds, threads, method, output, force, resume, timings, style,
    )  # fmt: skip
    kind = format_of(resume) if resume else ""
    problem: Problem
    if spec.seats > EXACT or kind == SAMPLED_FORMAT:
        from reports.answering.sampled import Sampled

        problem = Sampled(spec, asked)
    elif spec.seats > 2 or kind == MULTIPLAYER_FORMAT:
        from reports.answering.multiplayer import Multiplayer

        problem = Multiplayer(spec, asked)
    else:
        from reports.answering.two_players import TwoPlayers

        problem = TwoPlayers(spec, asked, game, here.seat, given["table"])
    return solved(problem)
