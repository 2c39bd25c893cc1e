"""A solved hand of more than two players: strategy, values, gains and how they were found, in memory and on disk.

On disk it is one uncompressed ``.npz`` like a `solver.solutions.solution.Solution`, of another format: ``header`` as
JSON, and the arrays that it lists with their checksums. Reading needs no numba.

What such a file claims is how much each player could gain alone against the others as they are, and the sum of it,
NashConv. It is no bound on what the game is worth to a player: with more than two there may be many equilibria, of
different values, and a player who follows one gains nothing by it where the others follow another.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import SolutionFileError, VerificationError
from rules.games.registry import from_dict
from rules.games.spec import HandSpec
from solver.multiplayer.evaluation import Measured, MultiplayerGame, proportions
from solver.multiplayer.rows import Beliefs, Rows, drawn_mistakes, rows_of
from solver.solutions import archive
from solver.solutions.notebook import hand_told, html_table, signed

FORMAT = archive.Format(archive.MULTIPLAYER_FORMAT, 3, "solution of more than two players")
STATE_ARRAYS = ("regret", "hope", "total", "rounds")
STOPPED = ("gap", "iterations", "interrupted")
TOLERANCE = 1e-9

ROUNDED = 1e-6
"""The same for what was measured before strategies were rounded to single precision."""


class MultiplayerCheck(NamedTuple):
    """One measurement on the way: iterations done, and NashConv then."""

    iterations: int
    nash_conv: float


class Coarse(NamedTuple):
    """The joint play over the iterations: each player's gain by one strategy fixed beforehand, and their sum."""

    gains: tuple[float, ...]

    @property
    def gap(self) -> float:
        """The sum of the gains that are above 0."""
        return sum(max(0.0, gain) for gain in self.gains)


@dataclass(frozen=True)
class MultiplayerProvenance:
    """How a solution was found.

    Parameters
    ----------
    iterations
        Done; the strategy kept is the best that was measured on the way.
    kept
        The iterations after which that was.
    stopped
        ``gap``, ``iterations`` or ``interrupted``: which came first.
    target
        The NashConv asked for, in the unit of the objective.
    checks
        Measurements on the way.
    coarse
        What the joint play of a solve gives; None where nothing was played, and in a solution that was read: it says
        nothing about the strategy, and nothing that a file has would prove it.
    versions
        Of forehead and of the libraries whose arithmetic matters.
    """

    iterations: int
    kept: int
    stopped: str
    target: float
    checks: tuple[MultiplayerCheck, ...] = field(default=(), repr=False)
    coarse: Coarse | None = None
    versions: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class MultiplayerSolution:
    """A strategy for every player of a table, with what each could gain.

    Parameters
    ----------
    spec
        What was solved.
    strategy
        Probabilities, shape (A, columns), float32 values that sum to 1 within rounding: a row for each action of
        the tree, a column for each set of cards that the acting player sees, in the order of the seats.
    measured
        Values and gains, in the unit of the objective.
    provenance
        How it was found.
    state
        What to go on from, by the names of `STATE_ARRAYS`; empty where there is none.
    """

    spec: HandSpec
    strategy: NDArray[np.float32]
    measured: Measured
    provenance: MultiplayerProvenance
    state: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @cached_property
    def game(self) -> MultiplayerGame:
        """The betting, the deals and what endings are worth, built again from the spec."""
        return MultiplayerGame.of(self.spec.around_the_table())

    @cached_property
    def profile(self) -> NDArray[np.float64]:
        """The probabilities, shape (A, columns), float64, rows of a node summing to 1."""
        return proportions(self.game, self.strategy)

    @cached_property
    def drawn(self) -> NDArray[np.float64]:
        """How mistakes are taken to be drawn where play does not come, shape (A, columns), float64; see `rows`."""
        return drawn_mistakes(self.game, self.profile)

    @cached_property
    def beliefs(self) -> Beliefs:
        """What the betting tells at every node."""
        return Beliefs(self.game, self.profile, self.drawn)

    @cached_property
    def rows(self) -> Rows:
        """What every row earns and gives up."""
        return rows_of(self.game, self.profile, self.drawn)

    @property
    def players(self) -> int:
        """At the table."""
        return len(self.measured.values)

    @property
    def nash_conv(self) -> float:
        """The sum of all players' gains from a best response."""
        return self.measured.nash_conv

    @property
    def converged(self) -> bool:
        """Whether the gap asked for was reached."""
        return self.nash_conv <= self.provenance.target

    def __repr__(self) -> str:
        values = ", ".join(f"P{player} {signed(value)}" for player, value in enumerate(self.measured.values, start=1))
        told = f"values {values} {self.spec.unit}, NashConv {self.nash_conv:.2g} {self.spec.unit}"
        return f"<MultiplayerSolution of {hand_told(self.spec)}: {told}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what was solved, every player's value, and what each could still gain."""
        pairs = zip(self.measured.values.tolist(), self.measured.gains.tolist(), strict=True)
        rows = [(f"P{player}", signed(value), f"{gain:.2g}") for player, (value, gain) in enumerate(pairs, start=1)]
        headers = ("player", f"value ({self.spec.unit})", "a best response adds")
        note = (
            f"NashConv {self.nash_conv:.2g} {self.spec.unit}, the sum of what a best response adds; stopped by "
            f"{self.provenance.stopped} after {self.provenance.iterations:,} iterations. It bounds nobody's value."
        )
        return html_table(hand_told(self.spec), headers, rows, note)

    def verify(self) -> Measured:
        """Measure the strategy anew, in plain numpy, and compare it with what the solution claims.

        Values and gains are recomputed. How the solution was found cannot be: it must not contradict itself, nor
        what is recomputed. What rows earn and give up is no claim: it follows from the strategy alone.

        Raises
        ------
        VerificationError
            Where rows are no probabilities, a claimed value or gain is not what the strategy gives, or the account
            of the solve contradicts that.
        """
        sums = np.add.reduceat(self.strategy, self.game.betting.tree.first[:-1], axis=0, dtype=np.float64)
        if not (self.strategy >= 0.0).all() or not np.abs(sums - 1.0).max(initial=0.0) <= 1e-5:
            raise VerificationError("the strategy has rows that are no probabilities")
        found = self.game.measure(self.profile)
        for what, claimed, given in zip(("value", "gain"), self.measured, found, strict=True):
            for player, (said, got) in enumerate(zip(claimed, given, strict=True), start=1):
                if not abs(said - got) <= TOLERANCE:
                    raise VerificationError(
                        f"a {what} of {said:.9f} is claimed for P{player}, but the strategy gives {got:.9f} "
                        f"({self.spec.unit})"
                    )
        self._check_account(found.nash_conv)
        return found

    def _check_account(self, nash_conv: float) -> None:
        """Check that what is said of the solve agrees with itself and with a NashConv that was recomputed.

        Raises
        ------
        VerificationError
            Where it does not.
        """
        how = self.provenance
        done, gaps = [check.iterations for check in how.checks], [check.nash_conv for check in how.checks]
        start = self.game.measure(self.game.without_dominated(np.zeros_like(self.profile))).nash_conv
        whole, unit = f"NashConv {nash_conv:.9f}", self.spec.unit
        for holds, wrong in (
            (how.stopped in STOPPED, f"it is said to have stopped for {how.stopped!r}, which is no reason"),
            (how.target > 0.0, f"a gap of {how.target} {unit} is said to have been aimed at"),
            (done == sorted(set(done)) and min(done, default=0) == 0, "measurements on the way are out of order"),
            (
                how.kept in (done or [how.kept]) and max(done, default=0) == how.iterations,
                f"{how.iterations} iterations, the best after {how.kept}, are not those that were measured",
            ),
            (min(gaps, default=0.0) >= 0.0, "a NashConv below 0 is said to have been measured"),
            (
                not gaps or abs(gaps[0] - start) <= ROUNDED,
                f"NashConv is said to have been {gaps[:1]} {unit} at the start, but even play has {start:.9f}",
            ),
            (
                nash_conv <= max(how.target, min(gaps, default=nash_conv)) + ROUNDED,
                f"the strategy has {whole} {unit}, more than was aimed at and than the least that is said to have "
                "been measured",
            ),
            (
                (how.stopped == "gap") == (nash_conv <= how.target + ROUNDED) or how.stopped == "interrupted",
                f"it is said to have stopped for {how.stopped!r}, but aimed at {how.target} {unit} and has {whole}",
            ),
        ):
            if not holds:
                raise VerificationError(wrong)

    def check_resumable(self, spec: HandSpec) -> None:
        """Check that a solve of `spec` can go on from here.

        Raises
        ------
        OptionError
            Where this solves another hand.
        SolutionFileError
            Where there is no state.
        """
        self.spec.check_same(spec)
        if not set(STATE_ARRAYS) <= set(self.state):
            raise SolutionFileError("this solution cannot be gone on from: its regrets were not loaded")

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that is kept as an array, by the names that the file has."""
        return {"strategy": self.strategy, **self.state}

    def save(self, path: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Write the solution, atomically: there is the whole file or none.

        Raises
        ------
        FileExistsError
            Where the file exists and `overwrite` is False.
        OSError
            Where it cannot be written.
        """
        provenance = self.provenance
        fields = {
            "spec": self.spec.to_dict(),
            "unit": self.spec.unit,
            "iterations": provenance.iterations,
            "kept": provenance.kept,
            "stopped": provenance.stopped,
            "target_gap": provenance.target,
            "values": self.measured.values.tolist(),
            "gains": self.measured.gains.tolist(),
            "nash_conv": self.nash_conv,
            "checks": [list(check) for check in provenance.checks],
            "versions": dict(provenance.versions),
        }
        FORMAT.save(path, fields, self.arrays, overwrite)


def load_table(path: str | os.PathLike[str], with_state: bool = False) -> MultiplayerSolution:
    """Read a solution of more than two players.

    Parameters
    ----------
    path
        The file.
    with_state
        Whether to read what a solve goes on from too.

    Raises
    ------
    SolutionFileError
        Where the file is no such solution, damaged, of a later format, or does not fit its own spec.
    OSError
        Where it cannot be read.
    """
    name = os.fspath(path)
    with open(path, "rb") as file, archive.reading(name, FORMAT.what):
        wanted = ("strategy", *(STATE_ARRAYS if with_state else ()))
        return _solution(*FORMAT.read(file, name, optional=wanted), name)


def _solution(header: dict[str, Any], arrays: dict[str, NDArray[Any]], name: str) -> MultiplayerSolution:
    try:
        spec = from_dict(header["spec"])
    except ValueError as error:
        raise SolutionFileError(f"{name} describes a hand that the rules do not allow: {error}") from error
    strategy = arrays.pop("strategy")
    provenance = MultiplayerProvenance(
        int(header["iterations"]), int(header["kept"]), str(header["stopped"]), _number(header["target_gap"]),
        tuple(MultiplayerCheck(int(done), _number(gap)) for done, gap in header["checks"]), None,
        dict(header["versions"]),
    )  # fmt: skip
    values, gains = (np.array([_number(one) for one in header[key]]) for key in ("values", "gains"))
    solution = MultiplayerSolution(spec, strategy, Measured(values, gains), provenance, arrays)
    game = solution.game
    expected = (len(game.betting.tree.child), game.columns)
    rows = [array for key, array in solution.arrays.items() if key != "rounds"]
    if any(array.shape != expected or array.dtype != np.float32 for array in rows):
        raise SolutionFileError(f"{name} does not fit its own spec: its strategy has shape {strategy.shape}")
    if len(values) != game.deals.players or len(gains) != game.deals.players:
        raise SolutionFileError(f"{name} does not fit its own spec: expected {game.deals.players} values and gains")
    if header["unit"] != spec.unit:
        raise SolutionFileError(f"{name} contradicts itself: values are in {spec.unit}, not in {header['unit']}")
    if not abs(_number(header["nash_conv"]) - solution.nash_conv) <= TOLERANCE:
        raise SolutionFileError(f"{name} contradicts itself: its NashConv is not the sum of its gains")
    return solution


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError(f"{value!r} is no finite number")
    return float(value)
