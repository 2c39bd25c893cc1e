"""Files of more than two players with changed fields and renewed checksums: what each field's proof is.

Of a table: ``spec``, ``unit`` and shapes are compared on reading; values, gains and their sum are recomputed; what is
said of the solve must agree with that, with itself, and with what even play has at the start. What rows earn and give
up follows from the strategy, and is in no file. Of a file by sampling: estimates and their errors are measured again by
the same deals and by fresh ones; the iterations are those of the hands that P1 began.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.base.errors import SolutionFileError, VerificationError
from rules.games.registry import hand
from solver.mccfr.bucket_keys import NO_BET, known
from solver.mccfr.sampler import limits_of
from solver.mccfr.solution import load_sampled
from solver.mccfr.solving import solve_sampled
from solver.multiplayer.solution import load_table
from solver.multiplayer.solving import solve_table
from tests.support.commands import run
from tests.support.solution_files import forged, read

pytestmark = pytest.mark.slow

Edit = Callable[[dict[str, Any], dict[str, Any]], Any]


def put(**fields: Any) -> Edit:
    return lambda header, arrays: header.update(fields)


def scaled(name: str, factor: float) -> Edit:
    return lambda header, arrays: arrays.update({name: (arrays[name] * np.float32(factor)).astype(arrays[name].dtype)})


def gains(number: float) -> Edit:
    return put(gains=[number] * 3, nash_conv=3 * number)


def shifted(header: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Let P1 win what P2 does, and P2 what P1 does."""
    first, second, third = header["values"]
    header["values"] = [second, first, third]


def start(gap: float) -> Edit:
    def edit(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header["checks"][0][1] = gap

    return edit


def lowest(header: dict[str, Any], arrays: dict[str, Any]) -> None:
    header["target_gap"], header["stopped"] = header["nash_conv"] / 4, "iterations"
    for check in header["checks"][1:]:
        check[1] = header["nash_conv"] / 2


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exact") / "three.npz"
    solve_table(hand("blind-mans-bluff", players=3), gap=0.1).save(path)
    return path


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (gains(0.0), "a gain of"),
        (gains(0.03), "a gain of"),
        (put(values=[0.0, 0.0, 0.0]), "a value of"),
        (shifted, "a value of"),
        (scaled("strategy", 0.9), "the strategy has rows that are no probabilities"),
        (put(stopped="luck"), "said to have stopped for 'luck'"),
        (put(stopped="iterations"), "said to have stopped for 'iterations'"),
        (put(target_gap=1e-6), "more than was aimed at"),
        (put(target_gap=-1.0), "said to have been aimed at"),
        (put(iterations=7), "are not those that were measured"),
        (put(kept=7), "are not those that were measured"),
        (put(checks=[]), "are not those that were measured"),
        (put(checks=[[20, 0.05], [0, 5.0]]), "out of order"),
        (start(0.5), "but even play has"),
        (lowest, "more than was aimed at"),
    ],
)
def test_a_table_with_a_changed_field_does_not_hold(exact: Path, tmp_path: Path, edit: Edit, message: str) -> None:
    path = forged(Path(shutil.copy(exact, tmp_path)), edit)
    with pytest.raises(VerificationError, match=message):
        load_table(path).verify()
    told = run("verify", path)
    assert (told.code, told.out) == (1, "")
    assert "does not hold" in told.err


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (put(nash_conv=0.0), "contradicts itself"),
        (put(unit="marks"), "contradicts itself"),
        (put(gains=[0.0, 0.0], nash_conv=0.0), "expected 3 values and gains"),
        (lambda header, arrays: arrays.update(strategy=arrays["strategy"][1:]), "does not fit its own spec"),
        (lambda header, arrays: header["spec"].update(players=11), "do not allow"),
    ],
)
def test_a_table_that_contradicts_itself_is_not_read(exact: Path, tmp_path: Path, edit: Edit, message: str) -> None:
    path = forged(Path(shutil.copy(exact, tmp_path)), edit)
    with pytest.raises(SolutionFileError, match=message):
        load_table(path)


def test_every_field_of_a_table_is_one_of_these(exact: Path) -> None:
    """A field that is added needs its proof."""
    header, arrays = read(exact)
    known = {"format", "version", "checksum", "arrays", "versions"}  # what the file is, and with what it was made
    proved = {"values", "gains", "nash_conv", "spec", "unit"}
    bounded = {"iterations", "kept", "stopped", "target_gap", "checks"}
    assert set(header) == known | proved | bounded
    assert set(arrays) == {"strategy", "regret", "hope", "total", "rounds"}  # four to go on from


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sampled") / "five.npz"
    spec = hand("blind-mans-bluff", players=5)
    solve_sampled(spec, max_iterations=3, hands=4_000, batches=2, deals=10_000, threads=1).save(path)
    return path


def estimates(name: str, change: Callable[[float], float], seat: int | None = None) -> Edit:
    def edit(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header["estimates"][name] = [
            change(one) if seat in (None, place) else one for place, one in enumerate(header["estimates"][name])
        ]

    return edit


def both(*edits: Edit) -> Edit:
    def edit(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        for one in edits:
            one(header, arrays)

    return edit


def begun(header: dict[str, Any], arrays: dict[str, Any]) -> None:
    limits = limits_of(hand("blind-mans-bluff", players=5))
    start = [(one := known(limits, key)).level == NO_BET and one.behind == 4 for key in arrays["keys"].tolist()]
    arrays["visits"][start.index(True)] += 5


def never(header: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["visits"][len(arrays["visits"]) // 2] = 0


def free_fold(header: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["strategy"][0] = [1.0, 0.0, 0.0]  # the lowest keys are those where nobody has bet


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (estimates("more", lambda one: 0.0), "open to a response that wins 0.0000"),
        (estimates("more", lambda one: 5.0), "open to a response that wins 5.0000"),
        (estimates("more", lambda one: one + 0.1, seat=3), "P4 is said to be open"),
        (estimates("own", lambda one: one + 1.0, seat=1), "P2 is said to win"),
        (estimates("own_error", lambda one: 100 * one), "said to be known within"),
        (estimates("own_error", lambda one: one / 100), "said to be known within"),
        (estimates("more_error", lambda one: 0.0), "said to be known within"),
        (estimates("more_error", lambda one: 9.0, seat=4), "what P5 is said to be open"),
        (both(estimates("own", lambda one: one + 1.0), estimates("own_error", lambda one: 10.0)), "is said to win"),
        (both(estimates("more", lambda one: 0.0), estimates("more_error", lambda one: 10.0)), "open to a response"),
        (put(hands=1), "too few"),
        (put(hands=16_000), "standard errors away|known within"),
        (put(batches=0), "too few"),
        (put(seed=5), "standard errors away"),
        (put(stopped="luck"), "said to have stopped for 'luck'"),
        (put(iterations=300), "300 iterations of 10,000 deals are said"),
        (put(share=1.5), "whom it met while learning"),
        (put(slip=-1.0), "whom it met while learning"),
        (put(mix=[1.0]), "whom it met while learning"),
        (begun, "are said to be learned from"),
        (never, "or never"),
        (free_fold, "folds where checking is free"),
        (scaled("strategy", 0.9), "no probabilities"),
    ],
)
def test_a_sampled_file_with_a_changed_field_does_not_hold(
    sampled: Path, tmp_path: Path, edit: Edit, message: str
) -> None:
    path = forged(Path(shutil.copy(sampled, tmp_path)), edit)
    with pytest.raises(VerificationError, match=message):
        load_sampled(path).verify()


def test_a_sampled_file_that_is_as_it_was_holds(sampled: Path, tmp_path: Path) -> None:
    same = load_sampled(forged(Path(shutil.copy(sampled, tmp_path)), put()))
    fresh = same.verify()
    # What is returned comes from fresh deals.
    assert fresh.estimates.own.tolist() != same.bound.estimates.own.tolist()
    told = run("verify", sampled)
    assert told.code == 0
    assert "agrees with fresh deals" in told.out


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (put(unit="marks"), "contradicts itself"),
        (lambda header, arrays: arrays.update(visits=arrays["visits"][1:]), "does not fit itself"),
        (lambda header, arrays: arrays.update(keys=arrays["keys"][::-1]), "ascending keys"),
        (put(estimates={}), "no solution by sampling, or is damaged"),
    ],
)
def test_a_sampled_file_that_contradicts_itself_is_not_read(
    sampled: Path, tmp_path: Path, edit: Edit, message: str
) -> None:
    path = forged(Path(shutil.copy(sampled, tmp_path)), edit)
    with pytest.raises(SolutionFileError, match=message):
        load_sampled(path)


def test_every_field_of_a_sampled_file_is_one_of_these(sampled: Path) -> None:
    """A field that is added needs its proof."""
    header, arrays = read(sampled)
    known = {"format", "version", "checksum", "arrays", "versions"}
    proved = {"spec", "unit", "estimates", "seed", "hands", "batches", "iterations"}
    bounded = {"stopped", "slip", "share", "mix"}
    assert set(header) == known | proved | bounded
    assert set(arrays) == {"keys", "strategy", "visits", "regret", "total"}  # two to go on from
