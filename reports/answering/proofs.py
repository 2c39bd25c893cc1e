"""The proof of a file, whatever it holds: a solution for two players or more, or the table of a match."""

from collections.abc import Callable

from reports.screens.multiplayer import table_proof_screen
from reports.screens.screen import Screen
from reports.screens.solutions import proof_screen
from rules.base.errors import OptionError, VerificationError
from rules.games.match_spec import MatchSpec
from solver.match import table as match_table
from solver.multiplayer.solution import load_table
from solver.solutions import archive
from solver.solutions.archive import is_sampled_file, is_table_file
from solver.solutions.solution import FORMAT, load
from solver.solutions.verification import verify
from solver.store.cache import Cache
from solver.store.continuation_proof import prove_continuation


def proved(file: str, sample: int | None, seed: int, stop: Callable[[], bool], table: str | None = None) -> Screen:
    """Prove what a solution or a match table claims, and say how.

    Parameters
    ----------
    table
        The match table that a solution quotes, in place of those that come with forehead or were kept.

    Raises
    ------
    VerificationError
        Where it claims more than it gives, naming the file.
    OptionError
        Where a sample of a solution is asked for, or a table is named that the file does not quote.
    SolutionFileError, OSError
        Where it cannot be read, or is neither.
    """
    try:
        kind = archive.format_of(file)
        if table is not None and kind != FORMAT.name:
            raise OptionError(f"expected a solution that quotes a match table beside --table, got {file}")
        if kind == match_table.FORMAT.name:
            return _match_proved(file, sample, seed, stop)
        if sample is not None:
            raise OptionError(f"expected a match table to draw a sample from (--sample), got {file}")
        if is_sampled_file(file):
            from reports.answering.sampled import proven_by_sampling

            return proven_by_sampling(file)
        if is_table_file(file):
            of_many = load_table(file)
            return table_proof_screen(file, of_many, of_many.verify())
        solution = load(file)
        if table is not None and solution.later is None:
            raise OptionError(f"expected a solution of objective match beside --table, got {file}")
        later = None
        if isinstance(solution.spec, MatchSpec):
            later = prove_continuation(solution.spec, table, None if table else Cache())
        return proof_screen(file, solution, verify(solution).quality, later)
    except VerificationError as error:
        raise VerificationError(f"{file} does not hold: {error}") from error


def _match_proved(file: str, sample: int | None, seed: int, stop: Callable[[], bool]) -> Screen:
    from reports.screens.matches import match_proof_screen
    from solver.match.proof import prove
    from solver.match.solving import hands_of
    from solver.match.workers import Threads

    table = match_table.load(file)
    hands = hands_of(table.spec, table.deck_model)
    with Threads(hands, stop=stop) as workers:
        return match_proof_screen(file, table, prove(table, hands, workers, sample, seed))
