"""Solutions: what is written and comes back, what they answer, and the proof of what they claim."""

import os
import stat
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from rules.base.errors import CardError, HistoryError, VerificationError
from rules.games.registry import hand
from solver import Solution, load, solve
from solver.solutions.verification import verify
from solver.two_player.evaluation import measure
from solver.two_player.payoffs import Quality
from tests.support.games.small_games import BRISK, FEW, small_specs
from tests.support.solution_files import digest, read, same, sealed, small_solution

EVERY_GAME = {
    "indian-poker": hand("indian-poker", stacks="5,4", carry=2),
    "indian-holdem": hand("indian-holdem", stacks="4,4", left="2,2,1,1,0,0,0,0,1,1"),
    "double-sided": hand("double-sided", stacks="4,4", fronts="4,7", shown="4/1,7/2,7/3,7/9", hidden="4,8"),
    "blind-mans-bluff": hand("blind-mans-bluff", max_raises=2),
}


@pytest.fixture(scope="module", params=EVERY_GAME)
def solved(request: pytest.FixtureRequest) -> Solution:
    return solve(EVERY_GAME[request.param], gap=1e-2)


@pytest.fixture(scope="module")
def small() -> Solution:
    return small_solution()


# There and back.


def test_a_solution_comes_back_as_it_was(solved: Solution, tmp_path: Path) -> None:
    solved.save(tmp_path / "solution.npz")
    same(load(tmp_path / "solution.npz", with_state=True), solved)
    without = load(tmp_path / "solution.npz")
    assert without.state == {}
    same(without, replace(solved, state={}))
    assert (without.value, without.value_bounds, without.nash_conv) == (
        solved.value,
        solved.value_bounds,
        solved.nash_conv,
    )
    assert without.converged
    assert without.boards == solved.boards


def test_a_solution_without_state_comes_back_without(solved: Solution, tmp_path: Path) -> None:
    replace(solved, state={}).save(tmp_path / "solution.npz")
    same(load(tmp_path / "solution.npz", with_state=True), replace(solved, state={}))


def test_a_solution_by_linear_program_comes_back(tmp_path: Path) -> None:
    solution = solve(EVERY_GAME["indian-holdem"], method="lp")
    solution.save(tmp_path / "solution.npz")
    same(load(tmp_path / "solution.npz", with_state=True), solution)


@FEW
@given(spec=small_specs())
def test_any_solution_comes_back(spec: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("solutions") / "solution.npz"
    solution = solve(spec, gap=1e-2, max_iterations=30)
    solution.save(path)
    same(load(path, with_state=True), solution)
    assert verify(load(path)).quality == pytest.approx(solution.quality, abs=1e-9)


def test_saving_again_gives_the_same_bytes(solved: Solution, tmp_path: Path) -> None:
    solved.save(tmp_path / "first.npz")
    load(tmp_path / "first.npz", with_state=True).save(tmp_path / "second.npz")
    solve(solved.spec, gap=1e-2).save(tmp_path / "third.npz")
    first = (tmp_path / "first.npz").read_bytes()
    assert first == (tmp_path / "second.npz").read_bytes() == (tmp_path / "third.npz").read_bytes()


def test_the_file_is_a_plain_npz_with_a_json_header(solved: Solution, tmp_path: Path) -> None:
    solved.save(tmp_path / "solution.npz")
    header, arrays = read(tmp_path / "solution.npz")
    assert set(arrays) == {
        "strategy", "beliefs", "entered_by", "sources", "assumed_rows", "assumed", "regret", "total",
    }  # fmt: skip
    with zipfile.ZipFile(tmp_path / "solution.npz") as archive:
        assert {member.compress_type for member in archive.infolist()} == {zipfile.ZIP_STORED}
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert (header["format"], header["version"]) == ("forehead-solution", 2)
    assert header["spec"] == solved.spec.to_dict()
    assert header["value_bounds"] == list(solved.value_bounds)
    assert header["arrays"] == {name: digest(array) for name, array in arrays.items()}
    assert header == sealed(header)
    assert [deal["board"] for one in header["classes"] for deal in one["deals"]] == [
        deal.board for group in solved.classes for deal in group.deals
    ]


def test_a_hand_without_decisions_comes_back(tmp_path: Path) -> None:
    solution = solve(hand("indian-poker", stacks="1,5"))
    solution.save(tmp_path / "solution.npz")
    same(load(tmp_path / "solution.npz", with_state=True), solution)
    found = verify(load(tmp_path / "solution.npz")).quality.value
    assert (found, solution.value) == pytest.approx((0.0, 0.0), abs=1e-12)


# Questions to a solution.


def test_deals_are_found_by_board_and_asked_for_where_there_are_several() -> None:
    solution = solve(EVERY_GAME["indian-holdem"], max_iterations=1)
    assert len(solution.boards) > 3
    assert list(solution.boards) == sorted(solution.boards, key=lambda board: [int(part) for part in board.split(",")])
    for board in solution.boards:
        index, deal = solution.deal(board)
        assert deal.board == board
        assert deal in solution.classes[index].deals
    with pytest.raises(CardError, match=r"expected the (board|fronts) of this solution, one of \d+, .*; got none"):
        solution.deal()
    with pytest.raises(CardError, match="got 3,8"):
        solution.deal("3,8")


def test_the_only_deal_needs_no_name(small: Solution) -> None:
    assert small.deal() == small.deal("") == (0, small.classes[0].deals[0])


def test_nodes_are_found_by_history(small: Solution) -> None:
    assert small.node("") == ((), 0)
    actions, node = small.node("b1 allin")
    assert small.tree.history(node) == actions
    assert small.node("f")[1] < 0
    with pytest.raises(HistoryError):
        small.node("c")


# Writing is atomic.


class FailingWriter:
    """Writes a little, then raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, file: Any, *_: Any, **__: Any) -> None:
        file.write(b"half a ")
        raise self.error


@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("before", [None, b"what was there"])
@pytest.mark.parametrize("overwrite", [True, False])
def test_where_writing_fails_nothing_is_left_behind(
    error: BaseException, before: bytes | None, overwrite: bool, small: Solution, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    target = tmp_path / "solution.npz"
    if before is not None:
        target.write_bytes(before)
    monkeypatch.setattr(np.lib.format, "write_array", FailingWriter(error))
    with pytest.raises(type(error)):
        small.save(target, overwrite)
    assert [file.name for file in tmp_path.iterdir()] == ([] if before is None else ["solution.npz"])
    assert before is None or target.read_bytes() == before


def test_an_existing_file_is_kept_where_it_must_not_be_overwritten(small: Solution, tmp_path: Path) -> None:
    target = tmp_path / "solution.npz"
    target.write_bytes(b"what was there")
    with pytest.raises(FileExistsError):
        small.save(target, overwrite=False)
    assert target.read_bytes() == b"what was there"
    assert list(tmp_path.iterdir()) == [target]
    small.save(target)
    same(load(target, with_state=True), small)


def test_a_new_file_may_be_written_without_overwriting(small: Solution, tmp_path: Path) -> None:
    small.save(tmp_path / "solution.npz", overwrite=False)
    assert [file.name for file in tmp_path.iterdir()] == ["solution.npz"]
    same(load(tmp_path / "solution.npz", with_state=True), small)


def test_a_folder_that_is_not_there_or_in_the_way_is_an_error_of_the_system(small: Solution, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        small.save(tmp_path / "nowhere" / "solution.npz")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        small.save(tmp_path / "folder")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.npz")
    with pytest.raises(IsADirectoryError):
        load(tmp_path / "folder")


def test_a_file_may_be_read_by_whom_the_umask_allows(small: Solution, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        small.save(tmp_path / "solution.npz")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "solution.npz").stat().st_mode) == 0o640


# The proof.


def test_honest_solutions_are_proved(solved: Solution, tmp_path: Path) -> None:
    solved.save(tmp_path / "solution.npz")
    proof = verify(load(tmp_path / "solution.npz"))
    assert proof.quality == pytest.approx(solved.quality, abs=1e-9)
    assert len(proof.classes) == len(solved.classes)
    assert solver.verify(load(tmp_path / "solution.npz")) == proof.quality
    low, high = solve(solved.spec, method="lp").value_bounds
    assert proof.quality.lower <= low
    assert high <= proof.quality.upper


@FEW
@given(small_specs(), st.sampled_from([0, 1, 30, 300]))
def test_any_honest_solution_is_proved(spec: Any, iterations: int) -> None:
    solution = solve(spec, gap=1e-3, max_iterations=iterations)
    assert verify(solution).quality == pytest.approx(solution.quality, abs=1e-9)


@pytest.mark.parametrize("method", ["cfr", "lp"])
def test_honest_solutions_of_huge_stacks_are_proved(method: str) -> None:
    spec = hand("indian-holdem", stacks="1000000,1000000", carry=10**6, raises="300000,allin", board="4,5")
    verify(solve(spec, gap=10.0, max_iterations=200, method=method))


def moved(solution: Solution, node: int, column: int, share: float) -> Solution:
    """Return the solution with a share of one row's probability moved to another action, claims as before."""
    strategies = solution.strategies.copy()
    row = strategies[0, solution.tree.rows(node), column]
    row *= 1 - share
    row[int(np.argmin(row))] += share
    return replace(solution, strategies=strategies)


@BRISK
@given(data=st.data())
def test_a_strategy_that_can_be_exploited_more_is_refused(
    data: st.DataObject, small: Solution, tmp_path_factory: pytest.TempPathFactory
) -> None:
    node = data.draw(st.integers(0, small.tree.nodes - 1))
    column = data.draw(st.integers(0, small.game.classes[0].observations[small.tree.player[node]] - 1))
    edited = moved(small, node, column, data.draw(st.sampled_from([1e-6, 1e-4, 1e-2, 0.5, 1.0])))
    rise = (
        measure(small.tree, small.game.classes[0], edited.strategies[0], small.game.margin).nash_conv - small.nash_conv
    )
    if rise > 1e-6:
        # The honest way to write a file renews the checksums and keeps the claims.
        path = tmp_path_factory.mktemp("solutions") / "edited.npz"
        edited.save(path)
        with pytest.raises(VerificationError, match="but its strategy gives"):
            verify(load(path))


def test_some_edits_do_raise_the_exploitability(small: Solution) -> None:
    edited = moved(small, 0, 0, 1.0)
    with pytest.raises(VerificationError, match=r"the whole claims .* but its strategy gives -?\d+\.\d{9} \(chips\)"):
        verify(edited)
    with pytest.raises(VerificationError):
        solver.verify(edited)


def test_a_slightly_edited_strategy_is_refused(small: Solution) -> None:
    rises = 0
    for node in range(small.tree.nodes):
        edited = moved(small, node, 0, 1e-4)
        found = measure(small.tree, small.game.classes[0], edited.strategies[0], small.game.margin)
        if abs(found.nash_conv - small.nash_conv) > 1e-6:
            rises += 1
            with pytest.raises(VerificationError):
                verify(edited)
    assert rises


@pytest.mark.parametrize("field", ["value", "lower", "upper"])
@pytest.mark.parametrize("off", [-0.1, -2e-9, 2e-9, 1e-6])
def test_claims_that_do_not_hold_are_refused(field: str, off: float, small: Solution, tmp_path: Path) -> None:
    (claimed,) = small.qualities
    edited = replace(small, qualities=(claimed._replace(**{field: getattr(claimed, field) + off}),))
    edited.save(tmp_path / "edited.npz")
    with pytest.raises(VerificationError, match=f"claims {field} "):
        verify(load(tmp_path / "edited.npz"))


def test_claims_must_hold_for_each_class_and_not_only_on_average() -> None:
    solution = solve(EVERY_GAME["indian-holdem"], gap=1e-2)
    first, second, *rest = (Quality(*quality) for quality in solution.qualities)
    weights = solution.game.weights
    shifted = [
        Quality(*(np.array(first) + 0.01 / weights[0]).tolist()),
        Quality(*(np.array(second) - 0.01 / weights[1]).tolist()),
    ]
    edited = replace(solution, qualities=(*shifted, *rest))
    assert edited.quality == pytest.approx(solution.quality, abs=1e-12)
    with pytest.raises(VerificationError, match="class 1 claims value"):
        verify(edited)


@pytest.mark.parametrize("number", [-1e-6, -0.5, 1.5, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("node", [0, 1])
def test_rows_that_are_no_probabilities_are_refused(number: float, node: int, small: Solution) -> None:
    strategies = small.strategies.copy()
    rows = strategies[0, small.tree.rows(node), 1]
    rows[0] = number
    rows[1] += 1 - rows.sum() if np.isfinite(number) else 0.0
    with pytest.raises(VerificationError, match=f"class 1 has probabilities outside 0 to 1 for P{node + 1}"):
        verify(replace(small, strategies=strategies))


@pytest.mark.parametrize("factor", [0.0, 0.5, 1 - 1e-6, 1 + 1e-6])
@pytest.mark.parametrize("node", [0, 1])
def test_rows_that_do_not_sum_to_1_are_refused(factor: float, node: int, small: Solution) -> None:
    strategies = small.strategies.copy()
    rows = strategies[0, small.tree.rows(node), 2]
    rows[:] = factor / len(rows)
    with pytest.raises(VerificationError, match=rf"class 1 has rows for P{node + 1} that do not sum to 1"):
        verify(replace(small, strategies=strategies))


def test_the_second_class_is_proved_too() -> None:
    solution = solve(EVERY_GAME["indian-holdem"], gap=1e-2)
    strategies = solution.strategies.copy()
    strategies[1, solution.tree.rows(0), 0] *= 0.5
    with pytest.raises(VerificationError, match="class 2 has rows for P1 that do not sum to 1"):
        verify(replace(solution, strategies=strategies))


def test_what_stands_in_padding_columns_means_nothing() -> None:
    solution = solve(EVERY_GAME["double-sided"], gap=1e-2)
    (one,) = solution.game.classes
    player = int(np.argmin(one.observations))
    assert one.observations[player] < solution.game.width
    strategies = solution.strategies.copy()
    actor = solution.tree.player[solution.tree.node_of_action]
    strategies[0, actor == player, one.observations[player] :] = np.nan
    assert verify(replace(solution, strategies=strategies)) == verify(solution)
