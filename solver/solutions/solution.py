"""A solved hand: strategy, values and how they were found, in memory and on disk.

On disk a solution is one uncompressed ``.npz`` that `numpy.load` opens without pickle: ``header``, JSON
as UTF-8 bytes, and the arrays it lists with their checksums. Reading needs no numba.

A large tree's strategy is not completed (`solver.two_player.payoffs.is_large`). So nothing is kept that follows from it
but what each action is worth: one spot of such a file is answered from a few rows, and the rest is not even read.
"""

import math
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rules.base.atomic_files import replaced
from rules.base.errors import CardError, OptionError, SolutionFileError
from rules.betting.actions import Action
from rules.games.match_spec import MatchSpec
from rules.games.registry import from_dict
from rules.games.spec import Deal, HandClass, HandSpec
from solver.off_path.regions import Assumed
from solver.solutions import archive
from solver.solutions.continuation import MatchContinuation, Rows, quoted
from solver.solutions.notebook import hand_told, html_table
from solver.trees.public_tree import Automaton, PublicTree, enumerate_states, size_of
from solver.two_player.evaluation import Strategy, beliefs_by_bayes, expected_values, probabilities
from solver.two_player.payoffs import Game, Quality, mean, prepare

FORMAT = archive.Format("forehead-solution", 2, "solution file")
STATE_ARRAYS = ("regret", "total")
LATER_ARRAYS = ("later_decks", "later_lower", "later_upper")
"""What later hands are worth, where that matters: see `solver.solutions.continuation.Rows`."""
COMPLETED_ARRAYS = ("strategy", "beliefs", "entered_by", "sources", "assumed_rows", "assumed")
BARE_ARRAYS = ("strategy", "ev")
TYPES = {
    "strategy": (np.float64, np.float32),
    "beliefs": (np.float64,),
    "entered_by": (np.int8,),
    "sources": (np.int8,),
    "assumed_rows": (np.int32,),
    "assumed": (np.float64,),
    "ev": (np.float32,),
    "regret": (np.float32, np.float64),
    "total": (np.float32, np.float64),
}
"""Types that arrays may have; a strategy beside beliefs has the first."""


class Check(NamedTuple):
    """One measurement on the way: iterations done, and the bounds on the value then."""

    iterations: int
    lower: float
    upper: float

    @property
    def nash_conv(self) -> float:
        """The sum of both players' gains from a best response."""
        return self.upper - self.lower


@dataclass(frozen=True)
class Provenance:
    """How a solution was found.

    Parameters
    ----------
    method
        ``cfr`` or ``lp``.
    iterations
        Of CFR (both players once each), or of the simplex method.
    stopped
        ``gap``, ``iterations`` or ``interrupted``: which came first.
    target
        The gap asked for: NashConv in the unit of the objective.
    checks
        Measurements on the way, by iterations.
    versions
        Of forehead and of the libraries whose arithmetic matters.
    class_iterations
        Of CFR for each class; equal but where a run was interrupted. Empty for ``lp``.
    """

    method: str
    iterations: int
    stopped: str
    target: float
    checks: tuple[Check, ...] = field(default=(), repr=False)
    versions: Mapping[str, str] = field(default_factory=dict, repr=False)
    class_iterations: tuple[int, ...] = field(default=(), repr=False)


class Whole(NamedTuple):
    """What a smaller game's strategy gives in the whole game (see `solver.solutions.translation`).

    Parameters
    ----------
    spec
        The whole game.
    most
        Actions of joined histories up to which it was tried.
    quality
        In the unit of the objective; None where that was not enough.
    """

    spec: HandSpec
    most: int
    quality: Quality | None


@dataclass(frozen=True, eq=False)
class Solution:
    """A strategy profile for every deal of a spec, with its quality.

    Parameters
    ----------
    spec
        What was solved.
    strategies
        Probabilities, shape (classes, actions, width), float64: a row for each action of the public
        tree in level order, a column for each private observation of the player who acts. Columns
        past a player's last observation mean nothing. Without beliefs they may be float32; then the
        probabilities are what these are in proportion to (see `profile`).
    qualities
        Value and bounds of each class, in the unit of the objective.
    provenance
        How it was found.
    beliefs
        Each player's reach as believed at every node, up to a factor, shape (classes, 2, nodes, width),
        float64: by Bayes' rule, and as `solver.off_path.resolving` found it where nobody goes. None, with the next
        two, where nothing was completed: Bayes' rule holds everywhere.
    entered_by
        1 + the player who deviates there at the root of a subtree solved anew, else 0, shape (classes,
        nodes), int8.
    sources
        Where the acting player's row comes from, an index into `solver.off_path.sources.SOURCES`, shape
        (classes, nodes, width), int8.
    assumed_rows, assumed
        Rows with a belief of their own: class, node and column of each, shape (k, 3), int32, in that order; and the
        other's reach as the row believes it, up to a factor, shape (k, width), float64 (see
        `solver.off_path.resolving`).
    state
        ``regret`` and ``total``, shape as `strategies`, to go on from; empty where there is none.
    whole
        What it gives in the whole game, where it is of a smaller one that stands for it.
    ev
        What each action is worth to the acting player, as `solver.solutions.spots.Spot` has it (but for P2 it is minus
        what P1 has), shape as `strategies`, float32. Files without beliefs have it; `save` finds it where it is None.
    """

    spec: HandSpec
    strategies: Strategy
    qualities: tuple[Quality, ...]
    provenance: Provenance
    beliefs: NDArray[np.float64] | None
    entered_by: NDArray[np.int8] | None
    sources: NDArray[np.int8] | None
    assumed_rows: NDArray[np.int32] | None = None
    assumed: NDArray[np.float64] | None = None
    state: Mapping[str, NDArray[np.floating[Any]]] = field(default_factory=dict)
    whole: Whole | None = None
    ev: NDArray[np.float32] | None = None

    @cached_property
    def classes(self) -> tuple[HandClass, ...]:
        """The spec's classes, in the order of `strategies`."""
        return self.spec.classes()

    @cached_property
    def game(self) -> Game:
        """The tree and payoffs, built again from the spec."""
        return prepare(self.spec, self.classes)

    def knowing(self, game: Game) -> Self:
        """Keep the game that was solved, which is this spec's, in place of building it again; return itself."""
        vars(self).update(game=game, classes=game.groups, automaton=game.tree.automaton)
        return self

    @property
    def tree(self) -> PublicTree:
        """The public tree."""
        return self.game.tree

    @cached_property
    def automaton(self) -> Automaton:
        """What the tree unfolds from."""
        return enumerate_states(self.spec.public)

    @property
    def later(self) -> MatchContinuation | None:
        """What later hands are worth, where the spec's objective needs it."""
        found = getattr(self.spec, "later", None)
        return found if isinstance(found, MatchContinuation) else None

    @cached_property
    def quality(self) -> Quality:
        """Value and bounds of the whole: the probability-weighted mean over the classes."""
        return mean(np.array([group.weight for group in self.classes]), self.qualities)

    @property
    def value(self) -> float:
        """P1's value when both play the profile, in the unit of the objective."""
        return self.quality.value

    @property
    def value_bounds(self) -> tuple[float, float]:
        """Bounds on the value of the game to P1, whatever what follows is worth within its own bounds."""
        return self.quality.lower, self.quality.upper

    @property
    def nash_conv(self) -> float:
        """The sum of both players' gains from a best response in this hand."""
        return self.quality.nash_conv

    @property
    def exploitability(self) -> float:
        """Half of NashConv."""
        return self.nash_conv / 2

    @property
    def converged(self) -> bool:
        """Whether the gap asked for was reached."""
        return self.nash_conv <= self.provenance.target

    @property
    def boards(self) -> tuple[str, ...]:
        """The boards or pairs of fronts that were solved, in order; ("",) where the game has none."""
        return tuple(sorted((deal.board for group in self.classes for deal in group.deals), key=_numbers))

    def __repr__(self) -> str:
        told = f"value to P1 {self._value_told}, NashConv {self.nash_conv:.2g} {self.spec.unit}"
        return f"<Solution of {hand_told(self.spec)}: {told}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what was solved, and how well."""
        unit = self.spec.unit
        rows = (
            (self.spec.title, self.spec.headline),
            ("value to P1", self._value_told),
            ("NashConv", f"{self.nash_conv:.2g} {unit} (exploitability {self.exploitability:.2g} {unit})"),
            ("stopped by", f"{self.provenance.stopped} after {self.provenance.iterations:,} iterations"),
        )
        return html_table("", (), rows)

    @property
    def _value_told(self) -> str:
        sign, (lower, upper) = "" if self.spec.together else "+", self.value_bounds
        return f"{self.value:{sign}.6f} {self.spec.unit} (between {lower:{sign}.6f} and {upper:{sign}.6f})"

    def deal(self, board: str = "") -> tuple[int, Deal]:
        """Return the class that a board belongs to, and its deal.

        Raises
        ------
        CardError
            Where the solution has no such board, or has several and none was named.
        """
        deals = {deal.board: (index, deal) for index, group in enumerate(self.classes) for deal in group.deals}
        if not board and len(deals) == 1:
            return next(iter(deals.values()))
        if board not in deals:
            shown = " ".join(self.boards[:3]) + (" ..." if len(deals) > 3 else "")
            word = self.spec.board_word
            got = f"got {board}" if board else "got none"
            many = "" if len(deals) == 1 else f" one of {len(deals)},"
            raise CardError(f"expected the {word} of this solution,{many} {shown}; {got}")
        return deals[board]

    def node(self, history: str) -> tuple[tuple[Action, ...], int]:
        """Return the actions that a history names and the node it leads to, ``~outcome`` at the end of the hand.

        Raises
        ------
        HistoryError
            Where an action is not legal or comes after the end.
        """
        actions, _ = self.spec.public.follow(history)
        return actions, self.tree.find(actions)

    def check_resumable(self, spec: HandSpec) -> None:
        """Check that a solve of `spec` can go on from here.

        Raises
        ------
        OptionError
            Where this solves another hand.
        SolutionFileError
            Where there is no state, because it was not loaded or because the method keeps none.
        """
        self.spec.check_same(spec)
        if self.spec.depends != spec.depends:
            raise OptionError(
                f"expected to go on with the match table of the solution ({self.spec.depends}), got another one "
                f"({spec.depends})"
            )
        if not set(STATE_ARRAYS) <= set(self.state):
            raise SolutionFileError("this solution cannot be gone on from: it keeps no regrets (method lp never does)")

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that is kept as an array, by the names that the file has."""
        named = {
            "strategy": self.strategies,
            "beliefs": self.beliefs,
            "entered_by": self.entered_by,
            "sources": self.sources,
            "assumed_rows": self.assumed_rows,
            "assumed": self.assumed,
            "ev": self.ev,
        }
        return {name: array for name, array in named.items() if array is not None} | dict(self.state)

    def profile(self, index: int) -> NDArray[np.float64]:
        """Return the probabilities of one class, shape (actions, width), float64."""
        found = self.strategies[index]
        return np.asarray(found, np.float64) if found.dtype == np.float64 else probabilities(self.tree, found)

    def playing(self, strategies: Strategy) -> "Solution":
        """Return another profile of the same hand, with beliefs by Bayes' rule; its claims stay as they are.

        Parameters
        ----------
        strategies
            Probabilities, shape as `Solution.strategies`.
        """
        if self.beliefs is None or self.entered_by is None or self.sources is None:
            return replace(self, strategies=strategies, ev=None)
        return replace(
            self,
            strategies=strategies,
            beliefs=np.stack([beliefs_by_bayes(self.tree, one) for one in strategies]),
            entered_by=np.zeros_like(self.entered_by),
            sources=np.zeros_like(self.sources),
            assumed_rows=np.zeros((0, 3), dtype=np.int32),
            assumed=np.zeros((0, strategies.shape[2])),
        )

    def assumed_by(self, index: int) -> Assumed:
        """Return the rows of a class that have a belief of their own."""
        if self.assumed_rows is None or self.assumed is None:
            return Assumed.none(self.strategies.shape[2])
        mine = self.assumed_rows[:, 0] == index
        return Assumed(self.assumed_rows[mine, 1:], self.assumed[mine])

    def save(self, path: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Write the solution, atomically: there is the whole file or none.

        Raises
        ------
        FileExistsError
            Where the file exists and `overwrite` is False.
        OSError
            Where it cannot be written.
        """
        target = Path(path)
        with replaced(target, "wb", overwrite) as file:
            if "beliefs" in self.arrays or "ev" in self.arrays:
                self._write(file, self.arrays)
                return
            classes, actions, width = self.strategies.shape
            with archive.OnDisk(Path(os.path.realpath(target)).parent, (classes, actions, width)) as ev:
                for index, (one, strategy) in enumerate(zip(self.game.classes, self.strategies, strict=True)):
                    expected_values(self.tree, one, strategy, partial(ev.put, index))
                strategy = self.arrays["strategy"]
                self._write(file, {"strategy": strategy, "ev": ev, **self.state})

    def _write(self, file: IO[bytes], arrays: Mapping[str, archive.Array]) -> None:
        later = self.later
        if later is not None:
            arrays = {**arrays, **dict(zip(LATER_ARRAYS, later.rows, strict=True))}
        fields = {
            "spec": self.spec.to_dict(),
            "unit": self.spec.unit,
            "method": self.provenance.method,
            "iterations": self.provenance.iterations,
            "stopped": self.provenance.stopped,
            "target_gap": self.provenance.target,
            "converged": self.converged,
            "value": self.value,
            "value_bounds": list(self.value_bounds),
            "nash_conv": self.nash_conv,
            **_unknown(self.quality),
            **({} if later is None else {"match_table": later.origin._asdict()}),
            "classes": [
                {
                    "weight": group.weight,
                    "value": quality.value,
                    "value_bounds": [quality.lower, quality.upper],
                    "nash_conv": quality.nash_conv,
                    **_unknown(quality),
                    "deals": [
                        {
                            "board": deal.board,
                            "weight": deal.weight,
                            "observations": [list(o) for o in deal.observations],
                        }
                        for deal in group.deals
                    ],
                }
                for group, quality in zip(self.classes, self.qualities, strict=True)
            ],
            "class_iterations": list(self.provenance.class_iterations),
            "checks": [list(check) for check in self.provenance.checks],
            "versions": dict(self.provenance.versions),
        }
        if self.whole is not None:
            fields["whole"] = _whole_fields(self.whole)
        FORMAT.write(file, fields, arrays)


def load(path: str | os.PathLike[str], with_state: bool = False, mapped: bool = False) -> Solution:
    """Read a solution.

    Parameters
    ----------
    path
        The file.
    with_state
        Whether to read what a solve goes on from too.
    mapped
        For a few questions to a large tree: arrays of a file without beliefs are mapped into memory, so that only
        the rows that are asked for are read. Their checksums are not compared then; that takes reading them all,
        as `solver.verify` of a solution that is loaded without this does. Other files are read all the same.

    Raises
    ------
    SolutionFileError
        Where the file is no solution, damaged, of a later format, or does not fit its own spec.
    OSError
        Where it cannot be read.
    """
    name = os.fspath(path)
    with open(path, "rb") as file, archive.reading(name, "solution file"), zipfile.ZipFile(file) as members:
        header = FORMAT.read_header(members, name)
        if not isinstance(header.get("arrays"), dict) or "strategy" not in header["arrays"]:
            raise SolutionFileError(f"{name} has no strategy")
        bare = "beliefs" not in header["arrays"]
        found = partial(archive.mapped, file) if bare and mapped else archive.read
        wanted = [*(BARE_ARRAYS if bare else COMPLETED_ARRAYS), *(STATE_ARRAYS if with_state else ())]
        wanted += LATER_ARRAYS if "match_table" in header else ()
        digests = {key: header["arrays"][key] for key in wanted if key in header["arrays"]}
        arrays = {
            key: (archive.read if key in LATER_ARRAYS else found)(members, key, expected, name)
            for key, expected in digests.items()
        }
    try:
        return _solution(header, arrays, name)
    except SolutionFileError:
        raise
    except Exception as error:  # whatever a header can hold
        raise SolutionFileError(f"{name} has a header that lacks or garbles a field ({error!r})") from error


def _solution(header: dict[str, Any], arrays: dict[str, NDArray[Any]], name: str) -> Solution:
    try:
        spec = from_dict(header["spec"])
    except ValueError as error:
        raise SolutionFileError(f"{name} describes a hand that the rules do not allow: {error}") from error
    if spec.lacks:
        assert isinstance(spec, MatchSpec)
        spec = quoted(spec, header["match_table"], Rows(*(arrays.pop(key) for key in LATER_ARRAYS)), name)
    qualities = tuple(map(_quality, header["classes"]))
    provenance = Provenance(
        str(header["method"]), int(header["iterations"]), str(header["stopped"]), _number(header["target_gap"]),
        tuple(Check(int(t), _number(lower), _number(upper)) for t, lower, upper in header["checks"]),
        dict(header["versions"]), tuple(int(number) for number in header["class_iterations"]),
    )  # fmt: skip
    bare = "beliefs" not in arrays
    needed = {key: arrays.pop(key) for key in (BARE_ARRAYS if bare else COMPLETED_ARRAYS)}
    strategies, beliefs, entered_by, sources, assumed_rows, assumed = (needed.get(key) for key in COMPLETED_ARRAYS)
    assert strategies is not None
    whole = _whole(header["whole"], spec, name) if "whole" in header else None
    ev = needed.get("ev")
    solution = Solution(
        spec, strategies, qualities, provenance, beliefs, entered_by, sources, assumed_rows, assumed, arrays, whole, ev
    )
    size = size_of(solution.automaton)
    if solution.strategies.shape[1:2] != (size.actions,):  # before the classes are asked for, which may be many
        raise SolutionFileError(f"{name} does not fit its own spec: it has not {size.actions} actions")
    classes, nodes = len(solution.classes), size.all_nodes
    width = max(max(group.hand.prior.shape) for group in solution.classes)
    rows = (classes, size.actions, width)
    own = len(solution.assumed_rows) if solution.assumed_rows is not None else 0
    shapes = {
        "beliefs": (classes, 2, nodes, width),
        "entered_by": (classes, nodes),
        "sources": (classes, nodes, width),
        "assumed_rows": (own, 3),
        "assumed": (own, width),
    }
    for key, array in solution.arrays.items():
        shape, kinds = shapes.get(key, rows), TYPES[key] if bare or key in STATE_ARRAYS else TYPES[key][:1]
        if array.shape != shape or array.dtype not in kinds:
            raise SolutionFileError(
                f"{name} does not fit its own spec: {key} has shape {array.shape} and type {array.dtype}, "
                f"expected {shape} and {' or '.join(np.dtype(kind).name for kind in kinds)}"
            )
    if not all((np.isfinite(array) & (array >= 0.0)).all() for array in solution.state.values()):
        raise SolutionFileError(f"{name} cannot be gone on from: its regrets or sums are below 0 or not finite")
    if len(qualities) != classes or len(provenance.class_iterations) not in (0, classes):
        raise SolutionFileError(f"{name} does not fit its own spec: expected {classes} classes of deals")
    claimed = _quality(header)
    if not np.allclose(claimed, solution.quality, rtol=0.0, atol=1e-9):
        raise SolutionFileError(f"{name} contradicts itself: its value and bounds are not the mean over its classes")
    gaps = [header["nash_conv"], *(one["nash_conv"] for one in header["classes"])]
    bounds = [solution.quality, *qualities]
    if not np.allclose([_number(gap) for gap in gaps], [one.nash_conv for one in bounds], rtol=0.0, atol=1e-9):
        raise SolutionFileError(f"{name} contradicts itself: its NashConv is not the distance between its bounds")
    if header["unit"] != spec.unit or not same_deals(header["classes"], solution.classes):
        raise SolutionFileError(f"{name} does not fit its own spec: its unit, or deals and their weights")
    if header["converged"] is not solution.converged:
        raise SolutionFileError(f"{name} contradicts itself: its NashConv says whether the gap was reached")
    return solution


def same_deals(told: Sequence[Mapping[str, Any]], groups: Sequence[HandClass]) -> bool:
    """Say whether a header names the deals that a spec has, by class and with their weights."""
    weights = [number for one in told for number in (one["weight"], *(deal["weight"] for deal in one["deals"]))]
    named = [[(deal["board"], deal["observations"]) for deal in one["deals"]] for one in told]
    meant = [number for group in groups for number in (group.weight, *(deal.weight for deal in group.deals))]
    deals = [[(deal.board, list(map(list, deal.observations))) for deal in group.deals] for group in groups]
    return named == deals and np.allclose(weights, meant, rtol=0.0, atol=1e-12)


def _quality(fields: Mapping[str, Any]) -> Quality:
    lower, upper = map(_number, fields["value_bounds"])
    return Quality(_number(fields["value"]), lower, upper, _number(fields.get("unknown", 0.0)))


def _unknown(quality: Quality) -> dict[str, float]:
    """Return what a header says of bounds that what follows the hand makes wider; nothing where it does not."""
    return {"unknown": quality.unknown} if quality.unknown else {}


def _whole_fields(whole: Whole) -> dict[str, Any]:
    found = whole.quality
    bounds = None if found is None else [found.lower, found.upper]
    value, gap = (None, None) if found is None else (found.value, found.nash_conv)
    return {
        "spec": whole.spec.to_dict(),
        "most": whole.most,
        "value": value,
        "value_bounds": bounds,
        "nash_conv": gap,
        **({} if found is None else _unknown(found)),
    }


def _whole(fields: dict[str, Any], smaller: HandSpec, name: str) -> Whole:
    spec, most = from_dict(fields["spec"]), fields["most"]
    if spec.lacks and isinstance(spec, MatchSpec) and isinstance(smaller, MatchSpec):
        spec = replace(spec, later=smaller.later)
    if type(most) is not int:
        raise TypeError(f"{most!r} is no whole number")
    if fields["nash_conv"] is None:
        return Whole(spec, most, None)
    quality = _quality(fields)
    if abs(quality.nash_conv - _number(fields["nash_conv"])) > 1e-9:
        raise SolutionFileError(f"{name} contradicts itself: NashConv in the whole game is the distance of its bounds")
    return Whole(spec, most, quality)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError(f"{value!r} is no finite number")
    return float(value)


def _numbers(board: str) -> tuple[int, ...]:
    return tuple(int(part) for part in board.split(",") if part)
