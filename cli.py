"""The command ``forehead``: parses, calls and prints. Heavy imports live inside the commands."""

import contextlib
import io
import os
import sys
import warnings
from functools import partial
from importlib import import_module
from typing import Any

import click

from reports.answering.arguments import example
from reports.answering.interruption import INTERRUPTED, Running

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
        from rules.base.errors import ForeheadError, RunError

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
    from rules.base.versions import other_owners, released

    click.echo(f"{NAME} {released()}")
    for line in other_owners():
        click.echo(f"{NAME}: {line}", err=True)
    context.exit()


COMMANDS = {
    "advise": ("advise", "Say what to do now, seeing CARD after a history, and why."),
    "best": ("show", "Show one row of FILE, with the value of every action."),
    "cache": ("cache", "Look into the cache of solutions and match tables, or clear it."),
    "claims": ("claims", "Test what the text of GAME advises against equilibrium play."),
    "export": ("export", "Write FILE for other programs; on stdout without -o."),
    "games": ("games", "List the games, with their options and defaults."),
    "log": ("log", "Keep the log of a match, hand after hand."),
    "match": ("match", "Solve the whole match of GAME: who wins it, by chips."),
    "odds": ("odds", "Say who wins the match of GAME, before a hand is dealt."),
    "plot": ("plot", "Draw the exploitability of FILE by iterations, as PNG or SVG."),
    "report": ("report", "Write a page to walk through a strategy, with figures."),
    "show": ("show", "Show the strategy of FILE at a public node."),
    "simulate": ("simulate", "Play matches of GAME between two players, and count."),
    "solve": ("solve", "Solve a hand of GAME, and prove how good the strategy is."),
    "verify": ("verify", "Prove FILE again, from nothing but what it holds."),
}
"""The commands by what is typed: the module of `reports.commands`, and what it does in a line."""


class Commands(click.Group):
    """The commands, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"reports.commands.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; a name that is unknown gets those that are near."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=COMMANDS, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, told) for name, (_, told) in COMMANDS.items()])


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example("solve indian-poker --seen 1,4,4,9 --stacks 12,8 -o deck.npz", "show deck.npz"),
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=show_version, help="Show the version."
)
def forehead() -> None:
    """Solve betting games that are played with a card on the forehead, and prove how good the answer is."""


if __name__ == "__main__":
    main()
