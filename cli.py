"""The command ``forehead``: parses, calls and prints. Heavy imports live inside the commands."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rules.hand import HandSpec
    from solver.solution import Check, Solution
    from solver.tree import TreeSize

NAME = "forehead"
FAILED, USAGE, INTERRUPTED = 1, 2, 130
Command = TypeVar("Command", bound=Callable[..., Any])


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every expected error is one line on stderr."""
    from rules.errors import ForeheadError

    try:
        code = forehead.main(arguments, prog_name=NAME, standalone_mode=False)
    except click.ClickException as error:
        fail(error.format_message(), USAGE)
    except ForeheadError as error:
        fail(str(error), FAILED if getattr(error, "failed_run", False) else USAGE)
    except BrokenPipeError:
        # The reader has gone (a pipe into head): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        fail(f"{name}{error.strerror or error}", USAGE)
    except MemoryError:
        fail("out of memory; smaller stacks, fewer --raises or a --raise-limit make the game smaller", FAILED)
    except (KeyboardInterrupt, click.Abort):
        fail("interrupted", INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def fail(message: str, code: int) -> None:
    """Print one line and leave."""
    with contextlib.suppress(OSError):
        print(f"{NAME}: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)


def show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version, and warn where another distribution owns one of our import names."""
    if not wanted or context.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, packages_distributions, version

    try:
        click.echo(f"{NAME} {version(NAME)}")
    except PackageNotFoundError:
        click.echo(f"{NAME} (not installed)")
    owners = packages_distributions()
    for module in ("cli", "rules", "solver", "reports"):
        for other in sorted(set(owners.get(module, [])) - {NAME}):
            click.echo(
                f"{NAME}: the distribution {other} also installs '{module}'; use an environment of its own", err=True
            )
    context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=show_version, help="Show the version."
)
def forehead() -> None:
    """Solve betting games that are played with a card on the forehead, and prove how good the answer is.

    \b
    Example:
      forehead solve indian-poker --seen 1,4,4,9 --stacks 12,8 -o deck.npz
      forehead show deck.npz
    """


# Options that several commands share.


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
    """Add what picks one deal of a solution that has several."""
    command = click.option("--fronts", help="Which fronts, P1's first, where the solution has several.")(command)
    return click.option("--board", help="Which board, where the solution has several.")(command)


def hand_options(command: Command) -> Command:
    """Add every option that defines a hand; the games say which are theirs."""
    from rules.registry import OPTION_TEXT

    for name, text in reversed(OPTION_TEXT.items()):
        flag = f"--{name.replace('_', '-')}"
        meaning = text[0].upper() + text[1:] + "."
        switch: dict[str, Any] = {"is_flag": True, "default": None} if name == "rank_suits" else {"metavar": "TEXT"}
        command = click.option(flag, name, help=meaning, **switch)(command)
    return command


def solution_file(command: Command) -> Command:
    """Add the argument FILE."""
    return click.argument("file", type=click.Path(exists=True, dir_okay=False))(command)


def writable(output: str | None, force: bool, *inputs: str | None) -> Path | None:
    """Check an output path before any work is done."""
    if output is None:
        return None
    path = Path(output)
    if path.exists() and not force:
        raise click.UsageError(f"{output} exists; give --force to overwrite it")
    if not path.parent.is_dir():
        raise click.UsageError(f"cannot write {output}: there is no directory {path.parent}")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise click.UsageError(f"cannot write {output}: permission denied")
    if any(path.exists() and name is not None and os.path.samefile(path, name) for name in inputs):
        raise click.UsageError(f"{output} is the file that is read; write to another")
    return path


# forehead games


@forehead.command()
@format_option
def games(style: str) -> None:
    """List the games, with their options and defaults.

    \b
    Example:
      forehead games --format json
    """
    from reports.text import as_csv, as_json
    from rules.registry import GAMES, OPTION_TEXT, options

    if style == "json":
        described = [
            {
                "game": name,
                "title": game.title,
                "summary": game.summary,
                "options": [
                    {"name": flag(option), "default": default, "meaning": OPTION_TEXT[option]}
                    for option, default in options(name).items()
                ],
            }
            for name, game in GAMES.items()
        ]
        click.echo(as_json({"games": described}))
        return
    rows = [
        (name, flag(option), option_value(default), OPTION_TEXT[option])
        for name in GAMES
        for option, default in options(name).items()
    ]
    if style == "csv":
        click.echo(as_csv(("game", "option", "default", "meaning"), rows))
        return
    for name, game in GAMES.items():
        click.echo(f"{name}: {game.title}")
        click.echo(click.wrap_text(game.summary, 78, "  ", "  "))
        for _, option, default, meaning in (row for row in rows if row[0] == name):
            shown = f" [{default}]" if default else ""
            click.echo(click.wrap_text(meaning + shown, 79, f"    {option:<14} ", " " * 19))
        click.echo()


def flag(option: str) -> str:
    """Return an option as it is typed."""
    return f"--{option.replace('_', '-')}"


def option_value(default: Any) -> str:
    """Return a default as it is typed; "" where nothing is set."""
    if default is None or default is False or default == []:
        return ""
    return ",".join(map(str, default)) if isinstance(default, list) else str(default)


# forehead solve


@forehead.command()
@click.argument("game")
@hand_options
@click.option("--gap", type=float, default=0.001, show_default=True, help=(
    "Stop at this NashConv, the sum of what both players could still gain (twice the exploitability), in the unit "
    "of the objective; of the mean over all boards or fronts where they are left open."))  # fmt: skip
@click.option("--max-iterations", type=click.IntRange(0), default=100_000, show_default=True, help=(
    "Stop there at the latest."))  # fmt: skip
@click.option("--method", type=click.Choice(["cfr", "lp"]), default="cfr", show_default=True, help=(
    "Discounted CFR, or the sequence-form linear program: exact, for small trees."))  # fmt: skip
@click.option("--threads", type=click.IntRange(1), help="At most so many; the result does not depend on it.")
@output_options
@click.option("--resume", type=click.Path(exists=True, dir_okay=False), help=(
    "Go on from this solution of the same hand."))  # fmt: skip
@click.option("--timings", is_flag=True, help=(
    "Add seconds; with -o also write the gap against iterations and time beside it."))  # fmt: skip
@format_option
def solve(
    game: str,
    gap: float,
    max_iterations: int,
    method: str,
    threads: int | None,
    output: str | None,
    force: bool,
    resume: str | None,
    timings: bool,
    style: str,
    **given: Any,
) -> int:
    """Solve a hand of GAME for a deck state, and say how good the strategy is.

    P1 is the first bettor. Without --board or --fronts every board or pair of fronts is solved.
    Ctrl-C stops with the best so far; --resume goes on from it.

    \b
    Example:
      forehead solve indian-poker --seen 1,4,4,9 --stacks 12,8 -o deck.npz
    """
    from reports.text import as_csv, as_json
    from reports.views import solution_fields
    from rules import hand
    from solver.solution import load

    # An interrupted run goes on in its own file: that is the one input that may be overwritten.
    path = writable(output, force or (output is not None and output == resume))
    earlier = load(resume, with_state=True) if resume else None
    if earlier is not None and all(value is None for value in given.values()) and earlier.spec.game == game:
        spec: HandSpec = earlier.spec
    else:
        spec = hand(game, **given)
    memory = announce(spec, method, threads)

    from solver.solving import solve as run

    progress = Progress(gap, spec.unit)
    with interruptible(method == "cfr") as stopped:
        solution = run(
            spec, gap=gap, max_iterations=max_iterations, method=method, threads=threads, resume=earlier,
            on_check=progress, stop=stopped,
        )  # fmt: skip
    progress.finish()
    if path is not None:
        solution.save(path)
        if timings:
            path.with_suffix(".timings.csv").write_text(progress.as_csv() + "\n")
    fields = solution_fields(solution) | {"memory_bytes": memory, "file": None if path is None else str(path)}
    if timings:
        fields["seconds"] = progress.seconds
    if style == "json":
        click.echo(as_json(fields))
    elif style == "csv":
        flat = flatten({key: value for key, value in fields.items() if key not in ("spec", "classes")})
        click.echo(as_csv(list(flat), [list(flat.values())]))
    else:
        print_solution(solution, fields)
    return INTERRUPTED if solution.provenance.stopped == "interrupted" else 0


def announce(spec: "HandSpec", method: str, threads: int | None) -> int:
    """Say how large the solve will be, and refuse one that does not fit; return the estimated bytes."""
    from rules.errors import SizeError
    from solver.memory import available, estimate, human
    from solver.tree import measure

    workers = threads or os.cpu_count() or 1

    def bytes_of(candidate: "HandSpec") -> "tuple[TreeSize, int]":
        size = measure(candidate.public)
        return size, estimate(size, candidate.classes(), workers)

    free = available()
    try:
        size, memory = bytes_of(spec)
        problem = f"this tree needs {human(memory)} and {human(free)} are free" if memory > free else ""
    except SizeError as error:
        if not any(spec.smaller()):
            raise
        problem = str(error)
    if problem:
        raise SizeError(f"{problem}{advice(spec, bytes_of, free)}")
    classes = spec.classes()
    deals = sum(len(group.deals) for group in classes)
    several = f" x {len(classes)} classes of {deals} deals" if deals > 1 else ""
    sets = sum(sum(n * o for n, o in zip(size.nodes, group.hand.prior.shape, strict=True)) for group in classes)
    click.echo(
        f"{spec.game}, {spec.headline} | {size.decision_nodes:,} decision nodes, {size.actions:,} actions"
        f"{several}, {sets:,} information sets, {human(memory)}",
        err=True,
    )
    for note in spec.notes:
        click.echo(f"note: {note}", err=True)
    return memory


def advice(spec: "HandSpec", bytes_of: "Callable[[HandSpec], tuple[TreeSize, int]]", free: int) -> str:
    """Name up to two options that would make a hand fit."""
    from rules.errors import SizeError
    from solver.memory import human

    fitting = []
    for option, candidate in spec.smaller():
        with contextlib.suppress(SizeError):
            _, memory = bytes_of(candidate)
            if memory <= free:
                fitting.append(f"{option} ({human(memory)})")
        if len(fitting) == 2:
            break
    return f"; {' or '.join(fitting)} would fit" if fitting else "; smaller stacks would make it fit"


@contextlib.contextmanager
def interruptible(wanted: bool) -> Iterator[Callable[[], bool] | None]:
    """Turn the first Ctrl-C into a request to stop; the second one ends the process as usual."""
    if not wanted:
        yield None
        return
    asked: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: Any) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


class Progress:
    """The live line on stderr: rewritten on a terminal, a line every few seconds elsewhere."""

    EVERY = (0.1, 5.0)

    def __init__(self, gap: float, unit: str) -> None:
        self.gap, self.unit = gap, unit
        self.live = sys.stderr.isatty()
        self.start = time.perf_counter()
        self.shown = self.start
        self.series: list[tuple[int, float, float, float, float]] = []

    @property
    def seconds(self) -> float:
        """Seconds from the start to the last measurement."""
        return self.series[-1][1] if self.series else 0.0

    def __call__(self, check: "Check") -> None:
        """Take note of a measurement, and show it where it is time."""
        now = time.perf_counter()
        self.series.append((check.iterations, now - self.start, check.nash_conv, check.lower, check.upper))
        if now - self.shown >= self.EVERY[0 if self.live else 1]:
            self.shown = now
            self.write("\r" if self.live else "", "" if self.live else "\n")

    def write(self, before: str, after: str) -> None:
        """Write the state of the solve as one line."""
        from reports.text import small

        iterations, seconds, gap = self.series[-1][:3]
        line = f"gap {small(gap)} of {small(self.gap)} {self.unit}, {iterations} iterations, {seconds:.1f} s"
        click.echo(f"{before}{line:<79}{after}" if self.live else f"{line}{after}", err=True, nl=False)

    def finish(self) -> None:
        """End the live line with the last measurement."""
        if self.live and self.series:
            self.write("\r", "\n")

    def as_csv(self) -> str:
        """Return the whole series."""
        from reports.text import as_csv

        return as_csv(("iterations", "seconds", "nash_conv", "lower", "upper"), self.series)


def flatten(fields: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Turn nested dictionaries and pairs of bounds into one level of columns."""
    flat: dict[str, Any] = {}
    for key, value in fields.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}_")
        elif key == "value_bounds":
            flat |= {f"{prefix}lower": value[0], f"{prefix}upper": value[1]}
        else:
            flat[prefix + key] = value
    return flat


STOPS = {
    "gap": "reached the gap",
    "iterations": "stopped at the iteration limit, the gap is not reached",
    "interrupted": "interrupted, unfinished",
}


def print_solution(solution: "Solution", fields: dict[str, Any]) -> None:
    """Print what was asked for last: value, bounds, and how it ended."""
    from reports.text import digits_for, grid, signed, small

    digits = digits_for(solution.nash_conv)
    unit = solution.spec.unit
    lower, upper = (signed(bound, digits) for bound in solution.value_bounds)
    if len(solution.boards) > 1:
        shown = [
            (boards_of(one["boards"]), f"{100 * one['weight']:.2f} %", signed(one["value"]), small(one["nash_conv"]))
            for one in fields["classes"]
        ]
        if len(shown) <= 12:
            click.echo(grid(("deals", "weight", f"value ({unit})", "gap"), shown))
    click.echo(
        f"value to P1 (the first bettor)  {signed(solution.value, digits)} {unit}  (between {lower} and {upper})"
    )
    exploitability = f"exploitability {small(solution.exploitability)} {unit}"
    click.echo(
        f"gap {small(solution.nash_conv)} {unit} (NashConv; {exploitability}) after {solution.provenance.iterations} "
        f"{'simplex ' if solution.provenance.method == 'lp' else ''}iterations: {STOPS[solution.provenance.stopped]}"
    )
    if fields["file"]:
        click.echo(f"saved {fields['file']}")
    elif solution.provenance.stopped == "interrupted":
        click.echo("not saved: no output file was given (-o FILE)")


def boards_of(boards: list[str]) -> str:
    """Name the boards of a class in a few characters."""
    return " ".join(boards[:4]) + (f" ... ({len(boards)})" if len(boards) > 4 else "")


# forehead show, best


@forehead.command()
@solution_file
@click.option("--history", default="", help='The actions so far, such as "b1 r3"; the start of the hand by default.')
@deal_options
@format_option
def show(file: str, history: str, board: str | None, fronts: str | None, style: str) -> None:
    """Show the strategy of FILE at a public node: a row for each observation, a column for each action.

    \b
    Example:
      forehead show deck.npz --history "b1 r3"
    """
    from reports.text import as_csv, as_json, grid, percent
    from reports.views import TIDY_COLUMNS, player_name, row_fields, spot_fields, tidy_rows

    solution, spot = find_spot(file, history, board, fronts)
    columns = range(len(spot.observations))
    if style == "json":
        rows = [row_fields(spot, column) for column in columns]
        click.echo(as_json(spot_fields(solution, spot) | {"rows": rows}))
        return
    if style == "csv":
        click.echo(as_csv(TIDY_COLUMNS, tidy_rows(spot)))
        return
    print_place(solution, spot)
    sees = solution.spec.sees
    headers = [sees, *(str(action) for action in spot.actions), "own reach", "other's"]
    body = [
        [
            spot.observations[column] + ("" if spot.reached[column] else " *"),
            *(percent(p) for p in spot.probability[:, column]),
            percent(spot.own_reach[column]),
            percent(spot.other_reach[column]),
        ]
        for column in columns
    ]
    click.echo(grid(headers, body))
    if not spot.reached.all():
        click.echo(f"* not reached when both play this strategy; {player_name(spot.player)}'s row is no advice there")


@forehead.command()
@solution_file
@click.option("--see", "--back", "observation", required=True, metavar="CARD", help=(
    "The card you see on the other's forehead; in double-sided your own back."))  # fmt: skip
@click.option("--history", default="", help='The actions so far, such as "b1 r3"; the start of the hand by default.')
@deal_options
@format_option
def best(file: str, observation: str, history: str, board: str | None, fronts: str | None, style: str) -> None:
    """Show one row of FILE: every action's probability and expected value, the highest marked.

    Values are the acting player's gain counted from before the ante, given that the hand has come here.

    \b
    Example:
      forehead best deck.npz --see 5 --history "b1 r3"
    """
    from reports.text import as_csv, as_json, grid, percent, signed
    from reports.views import action_fields, row_fields, spot_fields

    solution, spot = find_spot(file, history, board, fronts)
    column = spot.column(solution.spec.observation(observation))
    if style == "json":
        click.echo(as_json(spot_fields(solution, spot) | row_fields(spot, column)))
        return
    actions = action_fields(spot, column)
    marked = spot.best(column)
    if style == "csv":
        rows = [(*one.values(), place in marked) for place, one in enumerate(actions)]
        click.echo(as_csv(("action", "probability", "ev", "loss", "best"), rows))
        return
    print_place(solution, spot)
    unit = solution.spec.unit
    body = [
        [
            action.words,
            str(action),
            percent(one["probability"]),
            "?" if one["ev"] is None else signed(one["ev"]),
            "<- best" if place in marked else "",
        ]
        for place, (action, one) in enumerate(zip(spot.actions, actions, strict=True))
    ]
    headers = [f"{solution.spec.sees} {spot.observations[column]}", "token", "probability", f"EV ({unit})", ""]
    click.echo(grid(headers, body))
    if not spot.reached[column]:
        who = "the other player's" if spot.other_reach[column] == 0.0 else "this player's own"
        click.echo(f"not reached: {who} strategy never comes here, so the probabilities are no advice")
    elif sum(p > 0.0 for p in spot.probability[:, column]) > 1:
        click.echo("a mix: draw one action by these probabilities")


def find_spot(file: str, history: str, board: str | None, fronts: str | None) -> Any:
    """Load a solution and return it with the spot that the options name."""
    from rules import hand
    from solver.solution import load
    from solver.spots import Spots

    solution = load(file)
    chosen = {name: value for name, value in (("board", board), ("fronts", fronts)) if value is not None}
    name = ""
    if chosen:
        normal = solution.spec.to_dict()
        wanted = hand(**(normal | chosen)).to_dict()
        name = ",".join(str(card) for option in chosen for card in wanted[option])
    return solution, Spots(solution, name).at(history)


def print_place(solution: "Solution", spot: Any) -> None:
    """Print where a spot is: game, deck and chips, then history and player."""
    from reports.text import small
    from reports.views import player_name
    from rules.notation import format_history

    place = f", {solution.spec.board_word} {spot.board}" if spot.board else ""
    history = format_history(spot.history)
    click.echo(f"{solution.spec.game}, {solution.spec.headline}{place}")
    for note in solution.spec.notes:
        click.echo(click.wrap_text(f"note: {note}", 79, "", "      "))
    after = f'after "{history}"' if history else "at the start"
    click.echo(f"{player_name(spot.player)} acts {after}; gap {small(solution.nash_conv)} {solution.spec.unit}")
    click.echo()


# forehead verify, export, plot


@forehead.command()
@solution_file
@format_option
def verify(file: str, style: str) -> None:
    """Prove FILE again: recompute bounds and NashConv from its strategy and its spec alone.

    Fails (exit 1) where the file claims what its strategy does not give.

    \b
    Example:
      forehead verify deck.npz
    """
    from reports.text import as_csv, as_json, digits_for, signed, small
    from reports.views import quality_fields
    from solver.solution import load
    from solver.verification import verify as prove

    solution = load(file)
    quality = prove(solution).quality
    unit = solution.spec.unit
    fields = {"file": file, "verified": True, "unit": unit, "value": quality.value, **quality_fields(quality)}
    if style == "json":
        click.echo(as_json(fields))
    elif style == "csv":
        flat = flatten(fields)
        click.echo(as_csv(list(flat), [list(flat.values())]))
    else:
        digits = digits_for(quality.nash_conv)
        lower, upper = (signed(bound, digits) for bound in (quality.lower, quality.upper))
        click.echo(f"{file} holds: value {signed(quality.value, digits)} {unit}, between {lower} and {upper}, "
                   f"gap {small(quality.nash_conv)} {unit} (NashConv), recomputed")  # fmt: skip


@forehead.command()
@solution_file
@click.option("--to", "kind", type=click.Choice(["csv", "json"]), default="csv", show_default=True, help="The format.")
@output_options
def export(file: str, kind: str, output: str | None, force: bool) -> None:
    """Write the whole strategy of FILE as tidy data: a row for each history, observation and action.

    \b
    Example:
      forehead export deck.npz --to csv -o deck.csv
    """
    from reports.export import write_csv, write_json
    from solver.files import replaced
    from solver.solution import load

    path = writable(output, force, file)
    solution = load(file)
    write = {"csv": write_csv, "json": write_json}[kind]
    if path is None:
        write(solution, click.get_text_stream("stdout"))
        return
    with replaced(path) as stream:
        write(solution, stream)
    click.echo(f"saved {path}", err=True)


@forehead.command()
@solution_file
@output_options
def plot(file: str, output: str | None, force: bool) -> None:
    """Draw the exploitability of FILE against iterations on log axes, as PNG or SVG.

    \b
    Example:
      forehead plot deck.npz -o deck.svg
    """
    from reports.figures import FORMATS, convergence, save
    from solver.solution import load

    target = output or str(Path(file).with_suffix(".png"))
    if Path(target).suffix.lower() not in FORMATS:
        raise click.UsageError(f"expected an output file ending in {' or '.join(FORMATS)}, got {target}")
    path = writable(target, force, file)
    assert path is not None
    save(convergence(load(file)), path)
    click.echo(f"saved {path}", err=True)


if __name__ == "__main__":
    main()
