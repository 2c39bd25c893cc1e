"""``forehead log``: the log of a match, hand after hand."""

from functools import partial
from typing import Any

import click

from reports.answering.arguments import HandCommand, example, format_option, game_argument, hand_options, log_file
from reports.text.option_words import MATCH


@click.group("log", epilog=example("log new new.log indian-poker --stacks 10,10 --first me"))
def log() -> None:
    """Keep the log of a match, hand after hand."""


@log.command("new", cls=HandCommand, epilog=example("log new new.log indian-poker --stacks 10,10 --first me"))
@log_file(exists=False)
@game_argument(required=True)
@click.option("--stacks", metavar="MINE,THEIRS", help="Your chips and theirs; the game's quick mode by default.")
@click.option("--first", default="me", show_default=True, metavar="me|opp", help="Who bets first in the coming hand.")
@partial(hand_options, names=MATCH)
@click.option("--force", is_flag=True, help="Overwrite the log where it exists.")
def log_new(log: str, game: str, stacks: str | None, first: str, force: bool, **options: str | None) -> None:
    """Begin a log of GAME.

    A deck and a carry say where it begins within a match.
    """
    from rules.base.atomic_files import writable
    from rules.play.log import MatchLog

    begun = MatchLog.new(game, stacks, first, **options)
    writable(log, force)
    begun.write(log, overwrite=force)
    click.echo(f"saved {log}", err=True)


@log.command("add", epilog=example('log add m.log --mine 4 --theirs 9 --history "b1 r3 c"'))
@log_file(exists=True)
@click.option("--mine", required=True, metavar="CARD", help="Your card; in double-sided FRONT/BACK.")
@click.option("--theirs", required=True, metavar="CARD", help="Their card; in double-sided the front after a fold.")
@click.option("--history", default="", metavar="ACTIONS", help="All actions; none where the antes are all-in.")
@click.option("--board", metavar="CARDS", help="The community cards, where the game has them.")
def log_add(log: str, **hand: Any) -> None:
    """Add the hand that was played."""
    from reports.screens.logs import added_text
    from rules.play.log import MatchLog

    match = MatchLog.read(log)
    match.add(**hand)
    match.write()
    click.echo(added_text(match))


@log.command("undo", epilog=example("log undo m.log"))
@log_file(exists=True)
def log_undo(log: str) -> None:
    """Take the last hand back."""
    from rules.play.log import MatchLog

    match = MatchLog.read(log)
    taken = match.undo()
    match.write()
    click.echo(f"took back hand {taken.number}: {taken}")


@log.command("show", epilog=example("log show m.log"))
@log_file(exists=True)
@format_option
def log_show(log: str, style: str) -> None:
    """Show chips, who bets first, the deck and all hands."""
    from reports.screens.logs import log_screen
    from rules.play.log import MatchLog

    click.echo(log_screen(MatchLog.read(log)).render(style))
