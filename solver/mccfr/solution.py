"""A strategy for a table of many players that was learned by sampling, in memory and on disk.

On disk it is one uncompressed ``.npz`` as `solver.multiplayer.solution` writes it, of another format. It holds the keys
that were ever met (`solver.kernels.mccfr.key`), and for each what is played.

What such a file claims of its quality is an estimate of a lower bound: what responses that were trained against it
gain. It says that the strategy is at least so far from an equilibrium, give or take chance, and not how far at most.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError, SolutionFileError, VerificationError
from rules.games.registry import from_dict
from rules.games.spec import HandSpec
from solver.mccfr.bucket_keys import CARDS
from solver.mccfr.judging import legal_at
from solver.mccfr.lower_bound import HANDS, MEASURED, NORMAL_95, Bound, Estimates, lower_bounds
from solver.mccfr.sampler import DEALS, RESPONSE_BATCHES, Table, layout_of, limits_of, population
from solver.solutions import archive
from solver.solutions.notebook import hand_told, html_table, signed

FORMAT = archive.Format(archive.SAMPLED_FORMAT, 2, "solution by sampling")
STATE_ARRAYS = ("regret", "total")
AGREEMENT = 5.0
"""Standard errors up to which measurements of one strategy by different deals agree."""

SAME = 0.5
"""Standard errors up to which measurements by the same deals are the same: other processors may round otherwise."""

WITHIN, WITHIN_FRESH = 1.01, 2.0
"""The factors within which standard errors by the same deals agree, and by others: few hands may decide those."""

LEAST_HANDS = 1_000
FRESH = 1_000_003
"""Added to the seed for deals of a proof."""

STOPPED = ("iterations", "interrupted")


@dataclass(frozen=True)
class SampledProvenance:
    """How a strategy was learned.

    Parameters
    ----------
    iterations
        Batches of deals.
    stopped
        ``iterations`` or ``interrupted``.
    seed
        Of all random numbers.
    slip, share, mix
        Whom the learner met, see `solver.mccfr.sampler.population`.
    hands, batches
        Of the measurement: deals of each estimate, and iterations that responses are trained for.
    versions
        Of forehead and of the libraries whose arithmetic matters.
    """

    iterations: int
    stopped: str
    seed: int
    slip: float
    share: float
    mix: tuple[float, ...] = field(repr=False)
    hands: int = HANDS
    batches: int = RESPONSE_BATCHES
    versions: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class MCCFRSolution:
    """A strategy on abstracted information, and a lower bound on what could be gained against it.

    Parameters
    ----------
    spec
        What was solved.
    keys
        The keys that were met, ascending, shape (K,), int64.
    strategy
        Probabilities of fold, check or call, bet or raise, shape (K, 3), float32.
    visits
        In how many hands learning has come to each key, shape (K,), int64.
    bound
        The measurement.
    provenance
        How it was learned.
    state
        What to go on from, by the names of `STATE_ARRAYS`, shape (K, 3), float64; empty where there is none.
    """

    spec: HandSpec
    keys: NDArray[np.int64]
    strategy: NDArray[np.float32]
    visits: NDArray[np.int64]
    bound: Bound
    provenance: SampledProvenance
    state: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    @cached_property
    def table(self) -> Table:
        """The strategy by key, shape (size, 3), float64; rows of 0 where nothing was met, to be played evenly."""
        return self.spread(self.strategy)

    def spread(self, rows: NDArray[Any]) -> Table:
        """Return rows of the keys that were met as a table of all keys."""
        found = np.zeros((layout_of(limits_of(self.spec)).size, 3))
        found[self.keys] = rows
        return found

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that is kept as an array, by the names that the file has."""
        return {"keys": self.keys, "strategy": self.strategy, "visits": self.visits, **self.state}

    def __repr__(self) -> str:
        values = ", ".join(f"P{seat} {signed(value)}" for seat, value in enumerate(self.bound.estimates.own, start=1))
        told = f"values about {values} {self.spec.unit}, NashConv at least about {self.bound.gain:.2g} {self.spec.unit}"
        return f"<MCCFRSolution of {hand_told(self.spec)}: {told}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what was learned, estimated values, and what trained responses gain."""
        own, own_error, more, more_error = (column.tolist() for column in self.bound.estimates)
        rows = [
            (
                f"P{seat + 1}",
                f"{signed(own[seat])} +- {NORMAL_95 * own_error[seat]:.2g}",
                f"{signed(more[seat])} +- {NORMAL_95 * more_error[seat]:.2g}",
            )
            for seat in range(len(own))
        ]
        headers = ("player", f"value ({self.spec.unit})", "a trained response adds")
        note = (
            f"NashConv is at least {self.bound.gain:.2g} +- {self.bound.half_width:.2g} {self.spec.unit}, estimated; "
            f"+- is half of a 95 % interval. {len(self.keys):,} information sets were met in "
            f"{self.provenance.iterations:,} iterations."
        )
        return html_table(hand_told(self.spec), headers, rows, note)

    def check_resumable(self, spec: HandSpec) -> None:
        """Check that learning `spec` can go on from here.

        Raises
        ------
        OptionError
            Where this is of another hand.
        SolutionFileError
            Where there is no state.
        """
        self.spec.check_same(spec)
        if not set(STATE_ARRAYS) <= set(self.state):
            raise SolutionFileError("this solution cannot be gone on from: its regrets were not loaded")

    def verify(self, threads: int = 1, on_seat: Callable[[int], None] | None = None) -> Bound:
        """Measure the strategy anew, by the same deals and by fresh ones, with responses trained anew.

        The same deals must give what is claimed, means and errors: that leaves no room for other numbers. Fresh deals
        must agree within the errors of both: that leaves none for deals that were picked. How the strategy was
        learned cannot be measured; it must not contradict itself.

        Returns
        -------
        Bound
            By the fresh deals.

        Raises
        ------
        VerificationError
            Where rows are no probabilities, play what is not legal, or a claim is not what is found.
        """
        limits, how, said = limits_of(self.spec), self.provenance, self.bound.estimates
        if not (self.strategy >= 0.0).all() or not np.abs(self.strategy.sum(axis=1) - 1.0).max(initial=0.0) <= 1e-5:
            raise VerificationError("the strategy has rows that are no probabilities")
        if self.strategy[~legal_at(limits, self.keys)].any():
            raise VerificationError("the strategy folds where checking is free, or raises where nothing can be raised")
        self._check_account()
        seed = how.seed + MEASURED
        same, fresh = lower_bounds(
            limits, self.table, seed=seed, deals=(seed, how.seed + FRESH), hands=how.hands, batches=how.batches,
            threads=threads, on_seat=on_seat,
        )  # fmt: skip
        for name, what in (("own", "win"), ("more", "be open to a response that wins")):
            claimed, error = getattr(said, name), getattr(said, f"{name}_error")
            for bound, where in ((same, "the same deals"), (fresh, "fresh deals")):
                found, about = getattr(bound.estimates, name), getattr(bound.estimates, f"{name}_error")
                allowed = SAME * about if bound is same else AGREEMENT * np.hypot(about, np.minimum(error, about))
                for seat in np.flatnonzero(~(np.abs(claimed - found) <= np.maximum(1e-9, allowed))).tolist():
                    apart = abs(claimed[seat] - found[seat]) / max(1e-12, about[seat])
                    raise VerificationError(
                        f"P{seat + 1} is said to {what} {claimed[seat]:.4f}, but {where} give {found[seat]:.4f}, "
                        f"{apart:.1f} standard errors away ({self.spec.unit})"
                    )
                factor = WITHIN if bound is same else WITHIN_FRESH
                near = (about / factor <= error + 1e-9) & (error <= about * factor + 1e-9)
                for seat in np.flatnonzero(~near).tolist():
                    raise VerificationError(
                        f"what P{seat + 1} is said to {what} is said to be known within {error[seat]:.6f}, but {where} "
                        f"give an error of {about[seat]:.6f} ({self.spec.unit})"
                    )
        return fresh

    def _check_account(self) -> None:
        """Check that what is said of learning agrees with itself.

        Raises
        ------
        VerificationError
            Where it does not.
        """
        how, layout = self.provenance, layout_of(limits_of(self.spec))
        start = ((layout.players - 2) * layout.players + layout.players - 1) * CARDS
        dealt = int(self.visits[(self.keys >= start) & (self.keys < start + CARDS)].sum())
        for holds, wrong in (
            (how.stopped in STOPPED, f"it is said to have stopped for {how.stopped!r}, which is no reason"),
            (
                dealt == how.iterations * DEALS,
                f"{how.iterations} iterations of {DEALS:,} deals are said to be learned from, but {dealt:,} were begun",
            ),
            (
                self.visits.min(initial=1) > 0 and self.visits.max(initial=0) <= layout.players * max(1, dealt),
                "spots are said to be met more often than hands were dealt, or never",
            ),
            (
                how.hands >= LEAST_HANDS and how.batches >= 1,
                f"it was measured by {how.hands} hands, too few to say anything",
            ),
        ):
            if not holds:
                raise VerificationError(wrong)
        try:
            population(how.slip, how.share, how.mix)
        except OptionError as error:
            raise VerificationError(f"whom it met while learning cannot be: {error}") from error

    def save(self, path: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Write the solution, atomically: there is the whole file or none.

        Raises
        ------
        FileExistsError
            Where the file exists and `overwrite` is False.
        OSError
            Where it cannot be written.
        """
        how = self.provenance
        fields: dict[str, Any] = {
            "spec": self.spec.to_dict(),
            "unit": self.spec.unit,
            "iterations": how.iterations,
            "stopped": how.stopped,
            "seed": how.seed,
            "slip": how.slip,
            "share": how.share,
            "mix": list(how.mix),
            "hands": how.hands,
            "batches": how.batches,
            "estimates": {name: column.tolist() for name, column in self.bound.estimates._asdict().items()},
            "versions": dict(how.versions),
        }
        FORMAT.save(path, fields, self.arrays, overwrite)


def load_sampled(path: str | os.PathLike[str], with_state: bool = False) -> MCCFRSolution:
    """Read a solution by sampling.

    Parameters
    ----------
    path
        The file.
    with_state
        Whether to read what learning goes on from too.

    Raises
    ------
    SolutionFileError
        Where the file is no such solution, damaged, of a later format, or does not fit its own spec.
    OSError
        Where it cannot be read.
    """
    name = os.fspath(path)
    with open(path, "rb") as file, archive.reading(name, FORMAT.what):
        wanted = ("keys", "strategy", "visits", *(STATE_ARRAYS if with_state else ()))
        return _solution(*FORMAT.read(file, name, wanted), name)


def _solution(header: dict[str, Any], arrays: dict[str, NDArray[Any]], name: str) -> MCCFRSolution:
    spec = from_dict(header["spec"])
    keys, strategy, visits = (arrays.pop(key) for key in ("keys", "strategy", "visits"))
    size = layout_of(limits_of(spec)).size
    if any(array.shape != (len(keys), 3) for array in (strategy, *arrays.values())):
        raise SolutionFileError(f"{name} does not fit itself: {len(keys)} keys, a strategy of shape {strategy.shape}")
    if header["unit"] != spec.unit:
        raise SolutionFileError(f"{name} contradicts itself: values are in {spec.unit}, not in {header['unit']}")
    if visits.shape != keys.shape or visits.dtype != np.int64:
        raise SolutionFileError(f"{name} does not fit itself: {len(keys)} keys, visits of shape {visits.shape}")
    if (
        not len(keys)
        or keys.dtype != np.int64
        or (np.diff(keys) <= 0).any()
        or not all(0 <= key < size for key in keys[[0, -1]])
    ):
        raise SolutionFileError(f"{name} does not fit its own spec: expected ascending keys below {size}")
    columns = [np.array([float(one) for one in header["estimates"][column]]) for column in Estimates._fields]
    if any(len(column) != spec.seats for column in columns):
        raise SolutionFileError(f"{name} does not fit its own spec: expected estimates for {spec.seats} players")
    provenance = SampledProvenance(
        int(header["iterations"]), str(header["stopped"]), int(header["seed"]), float(header["slip"]),
        float(header["share"]), tuple(map(float, header["mix"])), int(header["hands"]), int(header["batches"]),
        dict(header["versions"]),
    )  # fmt: skip
    return MCCFRSolution(spec, keys, strategy, visits, Bound(Estimates(*columns)), provenance, arrays)
