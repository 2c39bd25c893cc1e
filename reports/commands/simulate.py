"""``forehead simulate``: matches played between two players, and counted."""

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
    hand_options,
)
from reports.text.option_words import MATCH_RULES

if TYPE_CHECKING:
    from reports.answering.interruption import Running
from reports.commands.match import DECK_MODELS


@click.command(cls=HandCommand, epilog=example("simulate indian-poker --stacks 4,4 --second text --matches 500"))
@game_argument(required=True)
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
    from reports.answering.duels import Pair, simulated, table_for
    from reports.answering.progress import Counted, note_compiling

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
