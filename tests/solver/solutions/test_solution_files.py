"""Solution files that are damaged, foreign or forged: always refused, and always in the same way."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rules.base.errors import SolutionFileError
from rules.games.registry import hand
from solver import Solution, load, solve
from tests.support.games.small_games import BRISK, Kuhn
from tests.support.solution_files import forged, read, refused, same, sealed, small_solution, write


@pytest.fixture(scope="module")
def small() -> Solution:
    return small_solution()


@pytest.fixture
def path(small: Solution, tmp_path: Path) -> Path:
    small.save(tmp_path / "small.npz")
    return tmp_path / "small.npz"


# Damaged files.


def test_truncated_files_are_refused(path: Path) -> None:
    whole = path.read_bytes()
    step = max(1, len(whole) // 400)
    for length in {*range(0, len(whole), step), *range(200), *range(len(whole) - 100, len(whole))}:
        path.write_bytes(whole[:length])
        refused(path)


def check_flips(path: Path, whole: bytes, places: Any, change: int) -> int:
    """Change one byte at a time; return how many changes touched nothing that is read."""
    expected, harmless = load(path, with_state=True), 0
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ change]) + whole[place + 1 :])
        try:
            found = load(path, with_state=True)
        except SolutionFileError as error:
            assert str(path) in str(error)  # noqa: PT017
        else:
            same(found, expected)
            harmless += 1
    return harmless


@pytest.mark.slow
@pytest.mark.parametrize("change", [0x01, 0x80, 0xFF])
def test_a_changed_byte_is_noticed_or_changes_nothing(change: int, path: Path) -> None:
    whole = path.read_bytes()
    # Everywhere in steps, and each byte of the zip's directory: its dates and versions are all that nobody reads.
    places = [*range(change % 23, len(whole), 23), *range(len(whole) - 400, len(whole))]
    assert check_flips(path, whole, places, change) < len(places) / 2


def test_every_changed_byte_of_header_and_arrays_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    for member in members:
        start = whole.index(b"\x93NUMPY", member.header_offset)
        places = range(start, start + member.file_size, 19)
        assert check_flips_noticed(path, whole, places)
        assert check_flips_noticed(path, whole, range(start, start + 130))


def check_flips_noticed(path: Path, whole: bytes, places: Any) -> bool:
    path.write_bytes(whole)
    return check_flips(path, whole, places, 0x10) == 0


@BRISK
@given(data=st.data())
def test_whatever_is_cut_put_in_or_changed_is_refused_or_changes_nothing(
    data: st.DataObject, small: Solution, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("solutions") / "solution.npz"
    small.save(path)
    whole = path.read_bytes()
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 50)))
    path.write_bytes(whole[:start] + data.draw(st.binary(max_size=50)) + whole[end:])
    try:
        found = load(path, with_state=True)
    except SolutionFileError:
        return
    same(found, small)


@BRISK
@given(content=st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_any_other_file_is_refused(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("files") / "file.npz"
    path.write_bytes(content)
    refused(path, "is no solution file")


def test_an_empty_file_a_text_and_an_array_are_refused(tmp_path: Path) -> None:
    for name, content in (("empty", b""), ("text", b"value -0.3\n"), ("zip", b"PK\x05\x06" + bytes(18))):
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, "is no solution file")
    np.save(tmp_path / "array.npy", np.zeros(3))
    refused(tmp_path / "array.npy", "is no solution file")


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"strategy": np.zeros((1, 2, 3))},
        {"header": np.zeros(3)},
        {"header": np.frombuffer(b"{}", np.uint8)},
        {"header": np.frombuffer(b"[]", np.uint8)},
        {"header": np.frombuffer(b'"forehead-solution"', np.uint8)},
        {"header": np.frombuffer(b"[" * 100_000, np.uint8)},
        {"header": np.frombuffer(b'{"format": "forehead-solution", "version": 2', np.uint8)},
        {"header": np.array([{"format": "forehead-solution"}], dtype=object)},
    ],
    ids=["nothing", "no header", "numbers", "no fields", "a list", "a text", "too deep", "half a header", "pickle"],
)
def test_a_foreign_npz_is_refused(arrays: dict[str, NDArray[Any]], tmp_path: Path) -> None:
    np.savez(tmp_path / "foreign.npz", **arrays)
    refused(tmp_path / "foreign.npz", "is no solution file")


def test_a_compressed_copy_reads_the_same_or_is_refused_when_damaged(path: Path, small: Solution) -> None:
    header, arrays = read(path)
    np.savez_compressed(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)
    same(load(path, with_state=True), small)
    whole = path.read_bytes()
    check_flips(path, whole, range(30, len(whole), 23), 0x20)


# Files that are whole but wrong, every checksum renewed unless it says so.


def test_an_untouched_forgery_is_accepted(path: Path, small: Solution) -> None:
    same(load(forged(path, lambda header, arrays: None), with_state=True), small)


@pytest.mark.parametrize("version", [0, 1, 3, "2", None, [2]])
def test_another_version_is_refused(version: object, path: Path) -> None:
    refused(forged(path, lambda header, _: header.update(version=version)), "this forehead reads version 2")


@pytest.mark.parametrize("name", [None, "", "another-solution", 1])
def test_another_format_is_refused(name: object, path: Path) -> None:
    refused(forged(path, lambda header, _: header.update(format=name)), "names another format")


def test_a_header_that_was_edited_is_refused(path: Path) -> None:
    header, arrays = read(path)
    write(path, header | {"stopped": "iterations"}, arrays)
    refused(path, "its header does not match its checksum")
    write(path, header | {"checksum": None}, arrays)
    refused(path, "its header does not match its checksum")


@pytest.mark.parametrize("name", ["strategy", "regret", "total"])
def test_an_array_that_was_edited_is_refused(name: str, path: Path) -> None:
    header, arrays = read(path)
    arrays[name][0, 0, 0] = np.nextafter(arrays[name][0, 0, 0], arrays[name].dtype.type(2))
    write(path, header, arrays)
    refused(path, f"its {name} does not match its checksum", with_state=True)


@pytest.mark.parametrize("name", ["strategy", "regret", "total"])
def test_an_array_that_is_gone_is_refused(name: str, path: Path) -> None:
    header, arrays = read(path)
    del arrays[name]
    write(path, header, arrays)
    refused(path, f"its {name} cannot be read", with_state=True)


REQUIRED = (
    "format", "version", "spec", "method", "iterations", "stopped", "target_gap", "value", "value_bounds", "classes",
    "class_iterations", "checks", "versions",
)  # fmt: skip


@pytest.mark.parametrize("field", REQUIRED)
def test_a_header_without_a_field_is_refused(field: str, path: Path) -> None:
    refused(forged(path, lambda header, _: header.pop(field)))


@pytest.mark.parametrize("field", REQUIRED)
@pytest.mark.parametrize("junk", [None, "junk", -1, 1e400, [], {}, [[]], [1, 2, 3], {"a": 1}, True, 10**400])
def test_junk_in_a_field_is_refused_or_read_as_what_it_says(field: str, junk: object, path: Path) -> None:
    def edit(header: dict[str, Any], _: Any) -> None:
        header[field] = junk

    try:
        forged(path, edit)
        load(path, with_state=True)
    except SolutionFileError as error:
        assert str(path) in str(error)  # noqa: PT017
    else:
        assert (field, type(junk)) in {
            ("version", bool),  # 1 and true are one number
            ("method", type(junk)),
            ("stopped", type(junk)),
            ("iterations", int),
            ("iterations", bool),
            ("target_gap", int),
            ("checks", list),
            ("checks", dict),
            ("class_iterations", list),
            ("class_iterations", dict),
            ("versions", list),
            ("versions", dict),
        }


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("field", ["value", "target_gap"])
def test_a_number_that_is_none_is_refused(field: str, number: float, path: Path) -> None:
    refused(forged(path, lambda header, _: header.update({field: number})))


def edit_arrays(change: Callable[[NDArray[np.float64]], NDArray[Any]], *names: str) -> Callable[..., None]:
    def edit(_: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        for name in names:
            arrays[name] = change(arrays[name])

    return edit


@pytest.mark.parametrize("name", ["strategy", "regret", "total"])
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array[:, :-1],
        lambda array: array[:, :, :-1],
        lambda array: array[0],
        lambda array: np.concatenate([array, array]),
        lambda array: array[:0],
        lambda array: array.ravel(),
        lambda array: array.sum(),
        lambda array: array.transpose(0, 2, 1).copy(),
        lambda array: np.zeros((1, 0, 0)),
    ],
)
def test_arrays_of_another_shape_are_refused(change: Callable[..., Any], name: str, path: Path) -> None:
    refused(forged(path, edit_arrays(lambda array: np.asarray(change(array)), name)), "fit", with_state=True)


ALMOST = {"strategy": ("float32", ">f8"), "regret": ("float16", ">f8"), "total": ("float16", ">f8")}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in ALMOST for dtype in (*ALMOST[name], "int64", "complex128", "bool", "S8")],
)
def test_arrays_of_another_type_are_refused(name: str, dtype: str, path: Path) -> None:
    expected = "float64" if name == "strategy" else "float32"
    refused(forged(path, edit_arrays(lambda array: array.astype(dtype), name)), expected, with_state=True)


def test_pickled_arrays_are_never_loaded(path: Path) -> None:
    header, arrays = read(path)
    arrays["strategy"] = arrays["strategy"].astype(object)
    header["arrays"]["strategy"] = "0" * 64
    write(path, sealed(header), arrays)
    refused(path, "its strategy cannot be read")


@pytest.mark.parametrize("number", [np.nan, np.inf, -1e-3])
@pytest.mark.parametrize("name", ["regret", "total"])
def test_regrets_that_cannot_be_are_refused(number: float, name: str, path: Path) -> None:
    def change(array: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.where(np.arange(array.size).reshape(array.shape) == 3, np.float32(number), array)

    refused(forged(path, edit_arrays(change, name)), "below 0 or not finite", with_state=True)


def edit_spec(**options: Any) -> Callable[..., None]:
    return lambda header, _: header["spec"].update(options)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"game": "go-fish"}, "describes a hand that the rules do not allow"),
        ({"game": None}, "describes a hand that the rules do not allow"),
        ({"stacks": [0, 3]}, "describes a hand that the rules do not allow"),
        ({"stacks": "3,3"}, "describes a hand that the rules do not allow"),
        ({"unknown": 1}, "describes a hand that the rules do not allow"),
        ({"stacks": [4, 4]}, "does not fit its own spec"),
        ({"left": [1, 1, 1, 1, 0, 0, 0, 0, 1, 1]}, "does not fit its own spec"),
    ],
)
def test_a_spec_that_is_none_or_another_is_refused(options: dict[str, Any], match: str, path: Path) -> None:
    refused(forged(path, edit_spec(**options)), match)


def test_a_spec_with_a_huge_tree_is_refused_without_building_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.two_player.payoffs.unfold", lambda _: pytest.fail("the tree was built"))
    refused(forged(path, edit_spec(stacks=[60, 60], raises="any")), "does not fit its own spec")


def test_a_spec_of_more_than_two_players_is_refused(path: Path) -> None:
    spec = hand("blind-mans-bluff", players=3)

    def edit(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        header["spec"] = spec.to_dict()
        arrays["strategy"] = np.zeros((1, 1, 13))

    refused(forged(path, edit), "expected at most 2 players here")


def test_a_test_game_is_no_game_of_the_registry(tmp_path: Path) -> None:
    solve(Kuhn(), gap=1e-2).save(tmp_path / "kuhn.npz")
    refused(tmp_path / "kuhn.npz", "describes a hand that the rules do not allow")


def edit_claims(**claims: Any) -> Callable[..., None]:
    return lambda header, _: header.update(claims)


def edit_class(**claims: Any) -> Callable[..., None]:
    return lambda header, _: header["classes"][0].update(claims)


@pytest.mark.parametrize(
    "edit",
    [
        edit_claims(value=0.5),
        edit_claims(value_bounds=[-0.001, 0.001]),
        edit_claims(value_bounds=[-9.0, 9.0]),
        edit_claims(value=[]),
        edit_claims(value_bounds=[1.0, 2.0, 3.0]),
        edit_class(value=0.5),
        edit_class(value_bounds=[-9.0, 9.0]),
    ],
)
def test_a_mean_that_is_not_that_of_the_classes_is_refused(edit: Callable[..., None], path: Path) -> None:
    refused(forged(path, edit))


@pytest.mark.parametrize(
    "edit",
    [
        lambda header, _: header["classes"].append(header["classes"][0]),
        lambda header, _: header["classes"].clear(),
        lambda header, _: header["class_iterations"].append(10),
        edit_class(value_bounds=[0.0]),
        edit_class(value_bounds=[0.0, 1.0, 2.0]),
        edit_claims(checks=[[10, 0.0]]),
        edit_claims(checks=[[10, 0.0, float("nan")]]),
        edit_claims(checks=[["ten", 0.0, 0.0]]),
    ],
)
def test_lists_of_the_wrong_length_are_refused(edit: Callable[..., None], path: Path) -> None:
    refused(forged(path, edit))
