"""``forehead odds``: who wins the match, before a hand is dealt."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from reports.answering.arguments import (
    HandCommand,
    above_zero,
    example,
    format_option,
    game_argument,
    hand_options,
    seat_options,
)
from reports.text.option_words import MATCH

if TYPE_CHECKING:
    from reports.answering.interruption import Running


@click.command(cls=HandCommand, epilog=example("odds indian-poker --stacks 7,9 --carry 4 --seen 1,4"))
@game_argument(required=False)
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
    from reports.answering.questions import seated_hand, with_table
    from reports.screens.matches import odds_screen
    from rules.base.errors import OptionError
    from rules.games.match_spec import MATCH as OBJECTIVE
    from rules.games.match_spec import MatchSpec
    from rules.games.registry import GAMES
    from solver.chances import odds as found
    from solver.store.cache import Cache

    if game is None and given.get("log") is None:
        raise click.UsageError("Missing argument 'GAME'.", click.get_current_context())
    running: Running = click.get_current_context().obj
    if game is not None and game in GAMES and not issubclass(GAMES[game], MatchSpec):
        raise OptionError(f"expected a game that is played until one has all chips, got {game}")
    told = seated_hand(game, {**given, "objective": OBJECTIVE})
    spec = with_table(told.spec, given["table"], Cache(), running.asked)
    assert isinstance(spec, MatchSpec)
    click.echo(odds_screen(spec, found(spec, gap, running.asked), told.seat).render(style))
