"""What ends a solve, what it may not depend on, how it is resumed, and what is refused."""

import math
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.base.errors import OptionError, SizeError, SolutionFileError
from rules.games.registry import hand
from rules.games.spec import HandSpec
from solver import Solution, load, solve, solving
from solver.kernels import columns as column_kernels
from solver.kernels import rows as row_kernels
from solver.solutions.solution import Check
from solver.solutions.verification import verify
from solver.trees.public_tree import measure
from solver.two_player import cfr, memory
from solver.two_player import payoffs as payoffs_module
from tests.support.engines import cut
from tests.support.games.small_games import Kuhn, Leduc
from tests.support.paths import ROOT

QUICK = hand("indian-poker", stacks="6,6")
CLASSES = hand("indian-holdem", stacks="5,5")
"""Before the board: four classes, side by side."""
TWO_CLASSES = hand("indian-holdem", stacks="5,5", left="4,4,0,0,0,0,0,0,0,4")
PAIRS = hand("double-sided", stacks="3,3")
"""Before the fronts: a hundred classes, sixteen at a time."""
LARGE = hand("indian-poker", stacks="20,20")
"""Cut into forests, which threads share."""


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile before anything is timed or stopped."""
    solve(Kuhn(), max_iterations=1)


def same(solution: Solution, other: Solution) -> None:
    """Check that two solutions agree to the last bit, but for the course of the measurements."""
    assert solution.strategies.tobytes() == other.strategies.tobytes()
    assert solution.qualities == other.qualities
    assert solution.state.keys() == other.state.keys()
    for name, array in solution.state.items():
        assert array.tobytes() == other.state[name].tobytes()
    assert solution.provenance.class_iterations == other.provenance.class_iterations


# What ends a solve.


def test_a_solve_reaches_the_gap_and_goes_on_for_a_moment() -> None:
    solution = solve(QUICK, gap=1e-2)
    gaps = [check.nash_conv for check in solution.provenance.checks]
    iterations = [check.iterations for check in solution.provenance.checks]
    reached = next(place for place, gap in enumerate(gaps) if gap <= solving.AIM * 1e-2)
    visits = (iterations[-1] - iterations[reached]) * 2 * solution.tree.nodes
    assert (solution.provenance.stopped, solution.converged) == ("gap", True)
    # Spots that are seldom reached need more: a hundredth of the gap, but for a moment only.
    assert gaps[-1] <= solving.SHARPER * 1e-2 < min(gaps[:-1]) or visits >= 0.9 * solving.SHARPENING
    assert visits <= solving.SHARPENING
    assert solution.nash_conv <= 1e-2
    assert solution.provenance.target == 1e-2
    assert solution.provenance.method == "cfr"


def test_an_iteration_limit_holds_beyond_the_gap_too() -> None:
    solution = solve(QUICK, gap=1e-1, max_iterations=60)
    assert (solution.provenance.stopped, solution.provenance.iterations) == ("gap", 60)


def test_a_smaller_gap_takes_longer_and_narrows_the_bounds() -> None:
    wide, narrow = solve(QUICK, gap=1e-1), solve(QUICK, gap=1e-3)
    assert narrow.provenance.iterations > wide.provenance.iterations
    assert narrow.nash_conv <= 1e-3 < wide.nash_conv
    assert wide.value_bounds[0] <= narrow.value_bounds[0] <= narrow.value_bounds[1] <= wide.value_bounds[1]


@pytest.mark.slow
def test_a_gap_below_what_float32_can_tell_is_reached(tmp_path: Path) -> None:
    spec = hand("indian-poker", stacks="10,10")
    through = solve(spec, gap=1e-6)
    assert (through.provenance.stopped, through.converged) == ("gap", True)
    assert through.nash_conv <= 1e-6
    half = solve(spec, gap=1e-6, max_iterations=1_000)
    half.save(tmp_path / "half.npz")
    assert not half.converged
    same(solve(spec, gap=1e-6, resume=load(tmp_path / "half.npz", with_state=True)), through)
    rough = solve(spec, gap=1e-2)
    assert {array.dtype for array in rough.state.values()} == {np.dtype(np.float32)}
    finer = solve(spec, gap=1e-6, resume=rough)
    assert {array.dtype for array in finer.state.values()} == {np.dtype(np.float64)}
    assert finer.nash_conv <= 1e-6


@pytest.mark.parametrize("iterations", [0, 1, 7, 20, 45])
def test_a_solve_stops_at_the_iteration_limit_and_says_so(iterations: int) -> None:
    solution = solve(QUICK, gap=1e-9, max_iterations=iterations)
    assert (solution.provenance.stopped, solution.converged) == ("iterations", False)
    assert solution.provenance.iterations == iterations
    assert solution.provenance.class_iterations == (iterations,)
    assert solution.nash_conv > 1e-9
    verify(solution)


def test_without_an_iteration_every_action_is_as_likely() -> None:
    solution = solve(QUICK, max_iterations=0)
    moves = np.diff(solution.tree.first)
    assert (solution.strategies[0] == np.repeat(1 / moves, moves)[:, None]).all()
    assert solution.provenance.checks == ()


def test_a_solve_stops_when_it_is_told_to_and_keeps_the_best_so_far() -> None:
    checks: list[Check] = []
    solution = solve(QUICK, gap=1e-9, on_check=checks.append, stop=lambda: len(checks) == 2)
    assert (solution.provenance.stopped, solution.converged) == ("interrupted", False)
    assert 40 <= solution.provenance.iterations <= 60
    assert solution.nash_conv > 1e-9
    verify(solution)


def test_a_stop_before_the_first_iteration_is_obeyed() -> None:
    solution = solve(QUICK, gap=1e-9, stop=lambda: True)
    assert (solution.provenance.stopped, solution.provenance.iterations) == ("interrupted", 0)


def test_a_gap_that_is_reached_counts_even_where_a_stop_came_too() -> None:
    solution = solve(QUICK, gap=10.0, stop=lambda: True)
    assert (solution.provenance.stopped, solution.converged) == ("gap", True)


class LongRun:
    """No measurement for 1,000,000,000 iterations; `under_way` once they have run for a moment."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.begun = math.inf
        patch.setattr(cfr, "FIRST_CHECK", 10**9)
        patch.setattr(payoffs_module, "FINE", 0.0)  # what is compiled for float32 will do
        for module in (row_kernels, column_kernels):
            patch.setattr(module, "iterate", partial(self._run, module.iterate))

    def _run(self, kernel: Callable[..., int], *arguments: Any) -> int:
        self.begun = time.monotonic()
        return kernel(*arguments)

    def under_way(self) -> bool:
        return time.monotonic() > self.begun + 0.05


@pytest.mark.parametrize("spec", [QUICK, CLASSES, LARGE], ids=["rows", "columns", "threads"])
def test_compiled_iterations_stop_within_moments(spec: HandSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    run = LongRun(monkeypatch)
    solution = solve(spec, gap=1e-10, max_iterations=10**9, stop=run.under_way, threads=2)
    assert time.monotonic() - run.begun < 10.0
    assert solution.provenance.stopped == "interrupted"
    assert 1 < solution.provenance.iterations < 10**9


@pytest.mark.parametrize("spec", [QUICK, LARGE], ids=["alone", "threads"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_while_waiting_stops_compiled_iterations_too(
    error: type[BaseException], spec: HandSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = LongRun(monkeypatch)

    def stop() -> bool:
        if run.under_way():
            raise error
        return False

    with pytest.raises(error):
        solve(spec, gap=1e-10, max_iterations=10**7, stop=stop, threads=2)
    assert time.monotonic() - run.begun < 10.0


@pytest.mark.parametrize("number", [0, 1], ids=["none has begun", "one has begun"])
def test_ctrl_c_while_threads_are_begun_stops_those_that_have(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run, begun, deadline = LongRun(monkeypatch), list[Callable[..., None]](), time.monotonic() + 20.0

    class Pool(ThreadPoolExecutor):
        def submit(self, task: Callable[..., None], /, *_: Any, **__: Any) -> Any:
            if len(begun) == 2 + number:  # two threads have measured what there is before the first iteration
                while number and not run.under_way() and time.monotonic() < deadline:
                    time.sleep(0.01)
                raise KeyboardInterrupt
            begun.append(task)
            return super().submit(task)

    monkeypatch.setattr(cfr, "ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt):
        solve(LARGE, gap=1e-10, max_iterations=10**9, threads=2)
    assert len(begun) == 2 + number
    assert time.monotonic() < deadline


def test_method_lp_says_what_it_reached() -> None:
    checks: list[Check] = []
    solution = solve(QUICK, method="lp", on_check=checks.append)
    assert (solution.provenance.method, solution.provenance.stopped, solution.converged) == ("lp", "gap", True)
    assert solution.nash_conv < 1e-9
    assert solution.provenance.iterations > 0
    assert tuple(checks) == solution.provenance.checks
    assert solution.state == {}
    unreachable = solve(QUICK, gap=1e-300, method="lp")
    assert (unreachable.provenance.stopped, unreachable.converged) == ("iterations", False)


def test_versions_are_written_down() -> None:
    versions = solve(Kuhn(), gap=1.0).provenance.versions
    assert versions["numpy"] == np.__version__
    assert set(versions) == {"python", "forehead", "numpy", "numba", "scipy"}


# Measurements on the way.


@pytest.mark.parametrize("spec", [QUICK, CLASSES, Leduc()], ids=["one class", "four classes", "leduc"])
def test_measurements_come_in_order_and_are_kept(spec: HandSpec) -> None:
    checks: list[Check] = []
    solution = solve(spec, gap=1e-3, on_check=checks.append)
    iterations = [check.iterations for check in checks]
    assert tuple(checks) == solution.provenance.checks
    assert iterations == sorted(set(iterations))
    assert iterations[-1] == solution.provenance.iterations
    assert checks[0].nash_conv > checks[-1].nash_conv > 0
    # All bounds hold the same value.
    assert max(check.lower for check in checks) <= min(check.upper for check in checks)


def test_measurements_are_twenty_iterations_apart_at_first_and_an_eighth_later() -> None:
    assert [cfr.next_check(done) for done in (0, 19, 20, 159, 160, 179, 180)] == [20, 20, 40, 160, 180, 180, 202]
    assert cfr.next_check(10_000) <= 11_250


# What a result does not depend on.


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", [TWO_CLASSES, CLASSES, PAIRS], ids=["two classes", "four classes", "a hundred classes"]
)
@pytest.mark.parametrize("threads", [2, 3, None])
def test_the_number_of_threads_changes_nothing(threads: int | None, spec: HandSpec, tmp_path: Path) -> None:
    check_threads(spec, threads, tmp_path)


@pytest.mark.slow
def test_the_number_of_threads_changes_nothing_where_they_share_a_tree(tmp_path: Path) -> None:
    with cut(10):
        check_threads(hand("indian-poker", stacks="15,15"), 3, tmp_path)


def check_threads(spec: HandSpec, threads: int | None, tmp_path: Path) -> None:
    one, more = (solve(spec, gap=2e-2, threads=number) for number in (1, threads))
    same(one, more)
    assert one.provenance == more.provenance
    one.save(tmp_path / "one.npz")
    more.save(tmp_path / "more.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "more.npz").read_bytes()


@pytest.mark.parametrize("method", ["cfr", "lp"])
def test_the_same_solve_gives_the_same_file(method: str, tmp_path: Path) -> None:
    for name in ("first", "second"):
        solve(CLASSES, gap=1e-2, method=method).save(tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


@pytest.mark.slow
def test_the_hash_seed_changes_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from rules import hand; from solver import solve\n"
        "solve(hand('indian-holdem', stacks='4,4', seen='1,2,3,4'), gap=1e-2).save(sys.argv[1])\n"
        "solve(hand('double-sided', stacks='3,3', fronts='4,7'), method='lp').save(sys.argv[2])\n"
    )
    files = []
    for seed in ("0", "1", "271828"):
        paths = [tmp_path / f"{seed}-{method}.npz" for method in ("cfr", "lp")]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, *map(str, paths)], check=True, cwd=ROOT, env=environment)
        files.append([path.read_bytes() for path in paths])
    assert files[0] == files[1] == files[2]


# Going on from where a solve stopped.


@pytest.mark.parametrize("spec", [QUICK, CLASSES], ids=["one class", "four classes"])
@pytest.mark.parametrize("iterations", [0, 1, 37, 40])
def test_a_solve_resumed_after_its_iteration_limit_ends_like_one_that_ran_through(
    spec: HandSpec, iterations: int, tmp_path: Path
) -> None:
    solve(spec, gap=2e-3, max_iterations=iterations).save(tmp_path / "half.npz")
    half = load(tmp_path / "half.npz", with_state=True)
    through = solve(spec, gap=2e-3)
    resumed = solve(spec, gap=2e-3, resume=half)
    same(resumed, through)
    assert resumed.provenance.stopped == "gap"
    # The measurements too, with the one more where it stopped.
    stops = [check for check in half.provenance.checks if check.iterations == iterations]
    assert sorted({*through.provenance.checks, *stops}) == list(resumed.provenance.checks)


class HaltsInTheMiddle:
    """Runs the kernels; the n-th call is told to halt after three iterations, as a stop would tell it."""

    def __init__(self, patch: pytest.MonkeyPatch, call: int) -> None:
        self.call, self.calls = call, 0
        for module, before in ((row_kernels, 0), (column_kernels, 1)):  # arguments before the first iteration
            patch.setattr(module, "iterate", partial(self._run, module.iterate, before))

    def _run(self, kernel: Callable[..., int], before: int, *arguments: Any) -> int:
        self.calls += 1
        start, end, halt = arguments[before : before + 3]
        if self.calls != self.call:
            return kernel(*arguments)
        done = kernel(*arguments[:before], start, min(end, start + 3), halt, *arguments[before + 3 :])
        halt[0] = 1
        return done


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "gap", "beside", "calls"),
    [
        (TWO_CLASSES, 1e-4, [1, 1], (1, 2, 5, 6)),
        (CLASSES, 1e-3, [4], (1, 3)),
        (PAIRS, 5e-3, [16] * 6 + [4], (7, 11)),
    ],
    ids=["two classes", "four classes", "a hundred classes"],
)
def test_a_solve_of_several_classes_interrupted_anywhere_ends_like_one_that_ran_through(
    spec: HandSpec, gap: float, beside: list[int], calls: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    through = solve(spec, gap=gap, threads=1)
    for call in calls:
        with monkeypatch.context() as patch:
            HaltsInTheMiddle(patch, call)
            half = solve(spec, gap=gap, threads=1)
        assert half.provenance.stopped == "interrupted"
        before, place = 20 * ((call - 1) // len(beside)), (call - 1) % len(beside)
        done = [before + (20 if engine < place else 3 if engine == place else 0) for engine in range(len(beside))]
        expected = [one for one, number in zip(done, beside, strict=True) for _ in range(number)]
        assert half.provenance.class_iterations == tuple(expected)
        assert half.provenance.iterations == min(expected)
        assert [check.iterations for check in half.provenance.checks] == [
            *range(20, before + 1, 20),
            *([before + 3] if place == len(beside) - 1 else []),
        ]
        resumed = solve(spec, gap=gap, threads=2, resume=half)
        same(resumed, through)
        assert set(through.provenance.checks) <= set(resumed.provenance.checks)


def test_a_solve_stopped_twice_by_request_ends_like_one_that_ran_through() -> None:
    through, found = solve(CLASSES, gap=2e-3), None
    for number in (2, 3):
        checks: list[Check] = []

        def stop(checks: list[Check] = checks, number: int = number) -> bool:
            return len(checks) == number

        found = solve(CLASSES, gap=2e-3, resume=found, on_check=checks.append, stop=stop)
        assert found.provenance.stopped == "interrupted"
    same(solve(CLASSES, gap=2e-3, resume=found), through)


def test_a_solve_stopped_inside_compiled_iterations_ends_like_one_that_ran_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec, run = hand("indian-poker", stacks="10,10"), LongRun(monkeypatch)
    half = solve(spec, gap=1e-10, max_iterations=10**9, stop=run.under_way)
    done = half.provenance.iterations
    assert 0 < done < 10**9
    resumed = solve(spec, gap=1e-10, max_iterations=done + 5, resume=half)
    same(resumed, solve(spec, gap=1e-10, max_iterations=done + 5))


@pytest.mark.parametrize("spec", [QUICK, CLASSES], ids=["one class", "four classes"])
def test_a_solve_stopped_beyond_the_gap_goes_on_no_further_than_one_that_ran_through(
    spec: HandSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "SHARPENING", 300 * 2 * measure(spec.public).decision_nodes * len(spec.classes()))
    through = solve(spec, gap=1e-2)
    half = solve(spec, gap=1e-2, max_iterations=through.provenance.iterations - 105)
    assert half.provenance.stopped == "gap"
    same(solve(spec, gap=1e-2, resume=half), through)
    same(solve(spec, gap=1e-2, resume=through), through)


def test_resuming_goes_on_to_a_smaller_gap() -> None:
    rough = solve(QUICK, gap=1e-1)
    fine = solve(QUICK, gap=1e-3, resume=rough)
    same(fine, solve(QUICK, gap=1e-3))
    assert fine.provenance.checks[: len(rough.provenance.checks)] == rough.provenance.checks


def test_resuming_what_is_good_enough_does_nothing() -> None:
    done = solve(QUICK, gap=1e-3)
    again = solve(QUICK, gap=1e-3, resume=done)
    same(again, done)
    assert again.provenance.checks == done.provenance.checks
    limited = solve(QUICK, gap=1e-9, max_iterations=5, resume=done)
    assert limited.provenance.stopped == "iterations"
    assert limited.provenance.iterations == done.provenance.iterations


def test_resuming_does_not_touch_what_it_goes_on_from() -> None:
    rough = solve(QUICK, gap=1e-1)
    before = {name: array.tobytes() for name, array in rough.state.items()}
    solve(QUICK, gap=1e-3, resume=rough)
    assert {name: array.tobytes() for name, array in rough.state.items()} == before


def test_a_hand_without_decisions_can_be_resumed() -> None:
    spec = hand("indian-poker", stacks="1,3")
    done = solve(spec)
    assert len(done.provenance.checks) == 1
    again = solve(spec, resume=done)
    same(again, done)
    assert again.provenance.checks == done.provenance.checks


def test_resuming_another_hand_is_refused() -> None:
    other = solve(hand("indian-poker", stacks="6,7"), max_iterations=10)
    with pytest.raises(OptionError, match="solution of the same hand; this one solves another"):
        solve(QUICK, resume=other)


def test_resuming_without_regrets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SolutionFileError, match="keeps no regrets"):
        solve(QUICK, resume=solve(QUICK, method="lp"))
    solve(QUICK, max_iterations=10).save(tmp_path / "plain.npz")
    with pytest.raises(SolutionFileError, match="keeps no regrets"):
        solve(QUICK, resume=load(tmp_path / "plain.npz"))


def test_resuming_with_method_lp_is_refused() -> None:
    with pytest.raises(OptionError, match="method lp always starts anew"):
        solve(QUICK, method="lp", resume=solve(QUICK, max_iterations=10))


# What is refused.


@pytest.mark.parametrize("gap", [0, 0.0, -1e-3, math.nan, math.inf, -math.inf])
def test_a_gap_must_be_a_number_above_0(gap: float) -> None:
    with pytest.raises(OptionError, match="expected the gap to be above 0 chips, got"):
        solve(QUICK, gap=gap)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gap": 1e-12}, "expected a gap above 1e-11 chips, as far as bounds are apart for rounding, got 1e-12"),
        ({"threads": 0}, "expected at least 1 thread, got 0"),
        ({"threads": -1}, "expected at least 1 thread, got -1"),
        ({"max_iterations": -1}, "expected at least 0 iterations, got -1"),
        ({"method": "simplex"}, "expected method to be cfr or lp, got 'simplex'"),
        ({"method": ""}, "expected method to be cfr or lp, got ''"),
    ],
)
def test_other_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        solve(QUICK, **options)


def test_method_lp_refuses_a_large_tree_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "prepare", lambda *_: pytest.fail("the tree was built"))
    message = (
        "method lp takes up to 3,000,000 payoffs, for 30,000 ends of a hand, and this hand has more; "
        "use method cfr, smaller stacks or fewer sizes"
    )
    with pytest.raises(SizeError, match=message):
        solve(hand("indian-poker", stacks="20,20", raises="any"), method="lp")


# Memory is known beforehand.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options", "threads", "gap"),
    [
        ("indian-poker", {"stacks": "20,20"}, 1, 1e-3),
        ("indian-poker", {"stacks": "20,20"}, 1, 1e-6),
        ("indian-holdem", {"stacks": "18,18"}, 2, 1e-3),
    ],
)
def test_a_solve_takes_no_more_memory_than_estimated(
    game: str, options: dict[str, Any], threads: int, gap: float
) -> None:
    spec = hand(game, **options)
    solve(spec, gap=gap, max_iterations=1)  # compiled by now
    estimated = memory.estimate(measure(spec.public), spec.classes(), threads, gap) - memory.PROCESS
    tracemalloc.start()
    try:
        solve(spec, gap=gap, max_iterations=10, threads=threads)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert estimated / 2 < peak < estimated


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (9e6, "9 MB"), (1.4e9, "1.4 GB"), (2.5e13, "25 TB"), (1e19, "1e07 TB")],
)
def test_bytes_are_written_for_people(number: float, text: str) -> None:
    assert memory.human(number) == text


def test_a_solution_says_of_itself_what_it_was_solved_for() -> None:
    solution = solve(QUICK, gap=1e-2)
    assert solution.exploitability == solution.nash_conv / 2
    assert solution.boards == ("",)
    assert not replace(solution, provenance=replace(solution.provenance, target=1e-6)).converged
