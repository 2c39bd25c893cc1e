"""A strategy for a table of many players that was learned by sampling, in memory and on disk.

On disk it is one uncompressed ``.npz`` as `solver.table_solution` writes it, of another format. It holds the keys
that were ever met (`solver._sampling.key`), and for each what is played.

What such a file claims of its quality is an estimate of a lower bound: what responses that were trained against it
gain. It says that the strategy is at least so far from an equilibrium, give or take chance, and not how far at most.
"""

import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules.errors import SolutionFileError, VerificationError
from rules.files import replaced
from rules.hand import HandSpec
from rules.registry import from_dict
from solver import archive
from solver.notebook import hand_told, html_table, signed
from solver.sampled_measures import HANDS, NORMAL_95, Bound, Estimates, lower_bound
from solver.sampling import RESPONSE_BATCHES, Table, layout_of, limits_of
from solver.table_solution import SAMPLED_FORMAT

WHAT = "solution by sampling"
VERSION = 1
STATE_ARRAYS = ("regret", "total")
AGREEMENT = 5.0
"""Standard errors up to which two measurements of one strategy agree."""


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
        Whom the learner met, see `solver.sampling.population`.
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
class SampledSolution:
    """A strategy on abstracted information, and a lower bound on what could be gained against it.

    Parameters
    ----------
    spec
        What was solved.
    keys
        The keys that were met, ascending, shape (K,), int64.
    strategy
        Probabilities of fold, check or call, bet or raise, shape (K, 3), float32.
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
        return {"keys": self.keys, "strategy": self.strategy, **self.state}

    def __repr__(self) -> str:
        values = ", ".join(f"P{seat} {signed(value)}" for seat, value in enumerate(self.bound.estimates.own, start=1))
        told = f"values about {values} {self.spec.unit}, NashConv at least about {self.bound.gain:.2g} {self.spec.unit}"
        return f"<SampledSolution of {hand_told(self.spec)}: {told}>"

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
        """Measure the strategy anew on fresh deals, with responses trained anew.

        Raises
        ------
        VerificationError
            Where rows are no probabilities, or what a seat wins disagrees with what is claimed by more than chance.
        """
        if not (self.strategy >= 0.0).all() or np.abs(self.strategy.sum(axis=1) - 1.0).max(initial=0.0) > 1e-5:
            raise VerificationError("the strategy has rows that are no probabilities")
        how, said = self.provenance, self.bound.estimates
        fresh = lower_bound(
            limits_of(self.spec), self.table, seed=how.seed + 1_000_003, hands=how.hands, batches=how.batches,
            threads=threads, on_seat=on_seat,
        )  # fmt: skip
        found = fresh.estimates
        apart = np.abs(found.own - said.own) / np.maximum(1e-12, np.hypot(found.own_error, said.own_error))
        for seat in np.flatnonzero(~(apart <= AGREEMENT)).tolist():
            raise VerificationError(
                f"P{seat + 1} is said to win {said.own[seat]:.4f}, but fresh deals give {found.own[seat]:.4f}, "
                f"{apart[seat]:.0f} standard errors away ({self.spec.unit})"
            )
        return fresh

    def save(self, path: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Write the solution, atomically: there is the whole file or none.

        Raises
        ------
        FileExistsError
            Where the file exists and `overwrite` is False.
        OSError
            Where it cannot be written.
        """
        how, arrays = self.provenance, self.arrays
        header: dict[str, Any] = {
            "format": SAMPLED_FORMAT,
            "version": VERSION,
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
            "arrays": {name: archive.digest(array) for name, array in arrays.items()},
        }
        with replaced(Path(path), "wb", overwrite) as file:
            archive.write(file, {"header": archive.header_array(header), **arrays})


def load_sampled(path: str | os.PathLike[str], with_state: bool = False) -> SampledSolution:
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
    with open(path, "rb") as file, archive.reading(name, "solution file"):
        with zipfile.ZipFile(file) as members:
            header = archive.read_header(members, name, WHAT, SAMPLED_FORMAT, VERSION)
            wanted = ("keys", "strategy", *(STATE_ARRAYS if with_state else ()))
            arrays = {key: archive.read(members, key, header["arrays"][key], name) for key in wanted}
        return _solution(header, arrays, name)


def _solution(header: dict[str, Any], arrays: dict[str, NDArray[Any]], name: str) -> SampledSolution:
    spec = from_dict(header["spec"])
    keys, strategy = arrays.pop("keys"), arrays.pop("strategy")
    size = layout_of(limits_of(spec)).size
    if any(array.shape != (len(keys), 3) for array in (strategy, *arrays.values())):
        raise SolutionFileError(f"{name} does not fit itself: {len(keys)} keys, a strategy of shape {strategy.shape}")
    if keys.dtype != np.int64 or (np.diff(keys) <= 0).any() or not all(0 <= key < size for key in keys[[0, -1]]):
        raise SolutionFileError(f"{name} does not fit its own spec: expected ascending keys below {size}")
    columns = [np.array([float(one) for one in header["estimates"][column]]) for column in Estimates._fields]
    if any(len(column) != spec.seats for column in columns):
        raise SolutionFileError(f"{name} does not fit its own spec: expected estimates for {spec.seats} players")
    provenance = SampledProvenance(
        int(header["iterations"]), str(header["stopped"]), int(header["seed"]), float(header["slip"]),
        float(header["share"]), tuple(map(float, header["mix"])), int(header["hands"]), int(header["batches"]),
        dict(header["versions"]),
    )  # fmt: skip
    return SampledSolution(spec, keys, strategy, Bound(Estimates(*columns)), provenance, arrays)
