"""What is made from a file that was named: an export, a curve, a report."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from reports.answering.questions import for_the_session, seated_hand
from reports.answering.saved import which_deal, without_deal
from reports.export.strategy_rows import Export, prepared
from reports.figures import multiplayer
from reports.figures.solutions import FORMATS, convergence, save
from reports.text.option_words import flag
from rules.base.atomic_files import writable
from rules.base.errors import OptionError
from rules.games.registry import GAMES
from rules.games.spec import HandSpec
from solver.multiplayer.solution import load_table
from solver.solutions.archive import is_sampled_file, is_table_file
from solver.solutions.solution import load


def asked_table(sources: Sequence[str], given: Mapping[str, Any]) -> str | HandSpec | None:
    """Return the file or the hand of more than two players that a report is asked of; None where it is none.

    Raises
    ------
    OptionError
        Where more than one is asked for, or options stand beside a file.
    """
    files = [name for name in sources if is_table_file(name) or is_sampled_file(name)]
    if files:
        told = [name for name, value in given.items() if value is not None]
        if len(sources) > 1:
            raise OptionError(f"expected one solution of more than two players at a time, got {len(sources)} names")
        if told:
            raise OptionError(f"{files[0]} says {flag(told[0])} already; leave it out")
        return files[0]
    if list(sources) and sources[0] in GAMES and given.get("players") is not None:
        spec = for_the_session(seated_hand(sources[0], given).spec, patient=True)
        return spec if spec.seats > 2 else None
    return None


def reported(folder: Path, source: str | HandSpec, gap: float | None) -> Path:
    """Write the report of a file, or of a hand that is solved first, and return its page.

    Raises
    ------
    OptionError
        Where the hand is not solved with every deal.
    """
    if isinstance(source, str) and is_sampled_file(source):
        from reports.pages.sampled_report import write_sampled_report
        from solver.mccfr.solution import load_sampled

        return write_sampled_report(folder, load_sampled(source), Path(source).name)
    from reports.pages.multiplayer_report import write_table_report

    if isinstance(source, str):
        return write_table_report(folder, load_table(source), Path(source).name)
    from reports.answering.multiplayer import checked
    from reports.answering.solving import EXACT
    from solver.multiplayer.solving import solve_table

    if source.seats > EXACT:
        raise OptionError(
            f"a report of more than {EXACT} players is of a file, got {source.seats} players; forehead solve "
            "--max-seconds 60 -o FILE makes one"
        )
    checked(source)
    solution = solve_table(source, gap=gap)
    folder.mkdir(parents=True, exist_ok=True)
    solution.save(folder / "solution.npz")
    return write_table_report(folder, solution, "solution.npz")


def plotted(file: str, output: str | None, force: bool) -> Path:
    """Draw the exploitability of a saved solution into a file, by default a PNG beside it, and return its name.

    Raises
    ------
    OptionError
        Where the file cannot be written, its name ends in no format of `FORMATS`, or nothing was measured while
        the solution was learned.
    """
    if is_sampled_file(file):
        raise OptionError(
            f"{file} was learned by sampling and is measured at the end alone, so there is no curve to plot; "
            "forehead report draws what is played"
        )
    target = Path(file).with_suffix(".png") if output is None else output
    path = writable(target, force, file)
    assert path is not None
    if path.suffix.lower() not in FORMATS:
        raise OptionError(f"expected an output file ending in {' or '.join(FORMATS)}, got {target}")
    if is_table_file(file):
        save(multiplayer.convergence(load_table(file)), path)
    else:
        save(convergence(load(file)), path)
    return path


def exported(file: str, kind: str, deal: Mapping[str, str | None]) -> Export:
    """Load a solution of any number of players and measure what is to be written of it.

    Parameters
    ----------
    kind
        As `prepared` takes it; ``csv`` alone for more than two players.
    deal
        Options that name a board or fronts.

    Raises
    ------
    OptionError
        Where the solution has no such deals or no such format.
    """
    sampled = is_sampled_file(file)
    if not sampled and not is_table_file(file):
        solution = load(file)
        named = any(cards is not None for cards in deal.values())
        return prepared(solution, kind, which_deal(solution, file, deal) if named else None)
    without_deal(file, deal)
    if kind != "csv":
        raise OptionError(f"expected --to csv for more than two players, got {kind}")
    if sampled:
        from reports.screens.sampled_nodes import write_sampled_strategy
        from solver.mccfr.solution import load_sampled

        return Export(partial(write_sampled_strategy, load_sampled(file)))
    from reports.pages.multiplayer_report import write_strategy

    return Export(partial(write_strategy, load_table(file)))
