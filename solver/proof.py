"""The proof of a solution of two players, that of its later hands included."""

from rules.games.match_spec import MatchSpec
from solver.solutions import verification
from solver.solutions.solution import Solution
from solver.store.continuation_proof import prove_continuation
from solver.two_player.payoffs import Quality


def verify(solution: Solution) -> Quality:
    """Prove a solution again from its strategy and its spec alone; see `solver.solutions.verification.verify`.

    Later hands, where they matter, are compared with the match table that is quoted, if it comes with forehead.

    Returns
    -------
    Quality
        What the strategy gives, measured again: the mean over the classes.

    Raises
    ------
    VerificationError
        Where the solution claims more than its strategy gives.
    """
    if isinstance(solution.spec, MatchSpec):
        prove_continuation(solution.spec)
    return verification.verify(solution).quality
