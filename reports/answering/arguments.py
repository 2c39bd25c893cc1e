"""Arguments and options that several commands share, as decorators of click; imports nothing heavy."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click

from reports.text.option_words import GROUPS, OPTIONS, PERSONAL, SEAT, flag


def above_zero(_: click.Context, option: click.Parameter, text: str | None) -> float | None:
    """Read a finite number above 0; None where nothing is given and there is no default."""
    if text is None:
        return None
    try:
        number = float(text) if text.isascii() and "_" not in text else 0.0
    except ValueError:
        number = 0.0
    if not 0.0 < number < float("inf"):
        raise click.ClickException(f"expected {option.opts[0]} to be a number above 0, got {text!r}")
    return number


def at_least(least: int) -> Callable[[click.Context, click.Parameter, str | None], int | None]:
    """Return a reader of whole numbers from `least` up."""

    def read(_: click.Context, option: click.Parameter, text: str | None) -> int | None:
        from rules.base.parsing import whole

        number = None if text is None else whole(text, option.opts[0])
        if number is not None and number < least:
            raise click.ClickException(f"expected {option.opts[0]} to be at least {least}, got {number}")
        return number

    return read


Command = TypeVar("Command", bound=Callable[..., Any])

HISTORY = (
    'The actions so far, none by default: such as "b1 r3" (a bet of 1, a raise by 3), in double-sided "front:b1 '
    'back:r3", in blind-mans-bluff "k b".'
)
"""What --history takes; every example is legal in its game."""


class HandCommand(click.Command):
    """A command about a hand: its help shows the options in groups, of the game alone that is named beside --help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what was typed: --help is answered before arguments are read."""
        ctx.meta[__name__] = list(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group."""
        game, has = self._game(ctx)
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS}
        groups = {name: title for title, names in GROUPS.items() for name in names}
        for parameter in self.get_params(ctx):
            record, name = parameter.get_help_record(ctx), parameter.name or ""
            if isinstance(parameter, click.Option) and record is not None and has(name):
                sections.setdefault(groups.get(name, "Options"), []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        if not game:
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} GAME --help shows the options of one game.")

    def _game(self, ctx: click.Context) -> tuple[str, Callable[[str], bool]]:
        """Return the game that was typed, and which options it has; "" and all of them where none was."""
        typed = [word for word in ctx.meta.get(__name__, ()) if not word.startswith("-")]
        if not typed:
            return "", lambda name: True
        from rules.games.registry import GAMES, options_of

        game = next((word for word in typed if word in GAMES), "")
        if not game:
            return "", lambda name: True
        known = options_of(game)
        return game, lambda name: PERSONAL.get(name, name) in known or (name not in OPTIONS and name not in PERSONAL)


def game_argument(required: bool) -> Callable[[Command], Command]:
    """Add the argument GAME, which a shell completes."""

    def names(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
        from rules.games.registry import GAMES

        return [name for name in GAMES if name.startswith(begun)]

    return click.argument("game", required=required, shell_complete=names)


def words_of(metavar: str) -> Callable[[click.Context, click.Parameter, str], list[str]] | None:
    """Return what completes an option that takes one of a few words; None where it takes anything."""
    words = metavar.split("|")
    if len(words) < 2:
        return None
    return lambda ctx, parameter, begun: [word for word in words if word.startswith(begun)]


def example(*lines: str) -> str:
    """Return the end of a help text."""
    return "\b\nExample:\n" + "\n".join(f"  forehead {line}" for line in lines)


def format_option(command: Command) -> Command:
    """Add --format."""
    return click.option(
        "--format", "style", type=click.Choice(["table", "csv", "json"]), default="table", help="How to print."
    )(command)


def output_options(command: Command) -> Command:
    """Add -o and --force."""
    command = click.option("--force", is_flag=True, help="Overwrite the output file where it exists.")(command)
    return click.option("-o", "--output", type=click.Path(dir_okay=False), help="File to write.")(command)


def deal_options(command: Command) -> Command:
    """Add FILE and what picks a deal in it."""
    for name in ("fronts", "board"):
        option, meaning = OPTIONS[name], f"Which {name}, where FILE holds several."
        command = click.option(flag(name), metavar=option.metavar, help=meaning)(command)
    return solution_file(command)


def spot_options(command: Command) -> Command:
    """Add FILE and what picks a spot in it."""
    return deal_options(history_option(command))


def history_option(command: Command) -> Command:
    """Add --history."""
    return click.option("--history", default="", metavar="ACTIONS", help=HISTORY)(command)


def see_option(command: Command) -> Command:
    """Add --see, or --back in double-sided."""
    return click.option("--see", "--back", "observation", required=True, metavar="CARD", help=(
        "The card you see on the other's forehead, or all others' in the order of the seats, such as K,9,4; in "
        "double-sided your own back."))(command)  # fmt: skip


def seat_options(command: Command) -> Command:
    """Add what tells a hand from a player's seat."""
    for name, (metavar, meaning) in reversed(SEAT.items()):
        command = click.option(flag(name), name, metavar=metavar, help=meaning)(command)
    command = click.option("--table", type=click.Path(exists=True, dir_okay=False), help=(
        "With objective match: what later hands are worth, as forehead match has saved it."))(command)  # fmt: skip
    return click.option("--log", type=click.Path(exists=True, dir_okay=False), help=(
        "A match log: its coming hand, with deck, chips and who bets first, told to you."))(command)  # fmt: skip


def gap_option(meaning: str) -> Callable[[Command], Command]:
    """Add --gap, whose default depends on the objective."""
    meaning = f"{meaning}  [default: 0.001 chips, 0.0001 win probability]"
    return click.option("--gap", metavar="NUMBER", callback=above_zero, help=meaning)


def hand_options(command: Command, names: Collection[str] = tuple(OPTIONS)) -> Command:
    """Add every option that defines a hand, or some; the games say which are theirs."""
    for name in reversed(list(names)):
        option = OPTIONS[name]
        kind: dict[str, Any] = {"is_flag": True, "default": None}
        if option.metavar:
            kind = {"metavar": option.metavar, "shell_complete": words_of(option.metavar)}
        meaning = f"{option.meaning[0].upper()}{option.meaning[1:]}."
        command = click.option(flag(name), name, help=meaning, **kind)(command)
    return command


def solution_file(command: Command) -> Command:
    """Add the argument FILE."""
    return click.argument("file", type=click.Path(exists=True, dir_okay=False))(command)


def log_file(exists: bool) -> Callable[[Command], Command]:
    """Add the argument LOG."""
    return click.argument("log", type=click.Path(exists=exists, dir_okay=False))


def check_game(game: str | None, given: dict[str, Any]) -> None:
    """Refuse a hand that nothing names."""
    if game is None and given.get("log") is None:
        raise click.UsageError("Missing argument 'GAME'.", click.get_current_context())


def chosen(name: str) -> Any:
    """Return an option that was given, None where its default holds."""
    context = click.get_current_context()
    return None if context.get_parameter_source(name) == click.core.ParameterSource.DEFAULT else context.params[name]
