"""``forehead advise``: what to do now, and why."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from reports.answering.arguments import (
    HandCommand,
    above_zero,
    at_least,
    example,
    format_option,
    game_argument,
    gap_option,
    hand_options,
    history_option,
    seat_options,
    see_option,
)
from reports.answering.interruption import INTERRUPTED, Running

if TYPE_CHECKING:
    from reports.screens.advice import Advice
    from rules.games.spec import HandSpec
    from solver.within_time import Answer
from reports.answering.arguments import check_game
from rules.base.versions import NAME


@click.command(cls=HandCommand, epilog=example("advise indian-poker --seen 1,4 --stacks 12,8 --see 3 --history b1"))
@game_argument(required=False)
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
    from reports.answering.progress import note_compiling
    from reports.answering.questions import for_the_session, looked_up, seated_hand, solved_live, to_win, with_table
    from reports.answering.solving import EXACT
    from solver.store.cache import Cache

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
        if here.spec.seats > EXACT:
            from reports.answering.sampled import advised_by_sampling

            found = advised_by_sampling(here.spec, running, observation, history, seed, seconds=max_seconds)
        else:
            from reports.answering.multiplayer import advised

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
