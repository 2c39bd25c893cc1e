"""Text and JSON of the same call hold the same figures: every number on the screen is in the data."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reports.text.words import percent, signed, small, wrapped
from tests.support.commands import good

CALLS = (
    "advise --from {deck} --see 5 --history b1 --seed 1",
    "advise --from {deck} --see 10 --history b1r3 --seed 1",
    "advise --from {deck} --see 2 --history b5,r1 --seed 1",
    "advise --from {board} --see 4 --history b1,r1 --seed 1",
    "advise --from {board} --see 9 --seed 1",
    "advise --from {fronts} --back 4 --history back:b1 --seed 1",
    "advise --from {fronts} --back 4 --history front:b1,back:r1 --seed 1",
    "advise --from {bluff} --see K --history b --seed 1",
    "best {deck} --see 10 --history b1",
    "best {board} --see 4 --history b1,r1",
    "show {deck} --history b1",
    "show {fronts} --history back:b1",
    "odds indian-poker --stacks 7,9 --carry 4 --seen 1,4",
    "odds indian-poker --me 9 --opp 7 --carry 4 --seen 1,4 --first opp",
    "solve indian-poker --stacks 3,3",
    "solve indian-holdem --me 3 --opp 5 --first opp --board 4,9",
)

NUMBER = re.compile(r"(?<![\w./:])[<+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?(?: %)?(?![\w/])")


def leaves(data: Any) -> Iterator[Any]:
    """Yield everything in JSON that holds nothing, keys too."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from leaves(value)
    elif isinstance(data, list):
        for value in data:
            yield from leaves(value)
    else:
        yield data


def written(data: Any) -> set[str]:
    """Return every way in which the numbers of JSON are written in a text."""
    found = {"0 %"}
    for value in leaves(data):
        if isinstance(value, str):
            found.update(NUMBER.findall(value))
            found.update(re.findall(r"\d+", value))
        elif isinstance(value, float):
            found |= {percent(value), small(value), f"{value:.2f}", f"{100 * value:.2f} %"}
            found |= {signed(value, digits) for digits in (4, 5, 6, 7)}
            if 0.0 < value < 0.01:
                found.add(f"{float(f'{1 / value:.2g}'):,.0f}")
        elif isinstance(value, int):
            found |= {str(value), f"{value:,}"}
    return found


def test_no_number_is_parted_from_its_percent() -> None:
    for length in range(60, 90):
        lines = wrapped(f"{'word ' * (length // 5)}{'w' * (length % 5)} win 0.2 %, lose <0.1 % of all").splitlines()
        assert max(map(len, lines)) < 80
        assert "\u00a0" not in "".join(lines)
        assert not [line for line in lines if line.strip().startswith("%")]


@pytest.mark.parametrize("call", CALLS)
def test_every_number_on_the_screen_is_in_the_data(call: str, solved: Path) -> None:
    arguments = [
        word.format(**{name: solved / f"{name}.npz" for name in ("deck", "board", "fronts", "bluff")})
        for word in call.split()
    ]
    text = good(*arguments).out
    known = written(good(*arguments, "--format", "json").json)
    lines = [line for line in text.splitlines() if "1,000 hands" not in line]
    shown = [one for line in lines for one in NUMBER.findall(line)]
    assert len(shown) > 4

    def told(number: str) -> bool:
        """Whether a number is in the data, its last digit rounded outward where it is a bound."""
        if number in known or number.lstrip("+-") in known:
            return True
        digits = len(number.partition(".")[2].removesuffix(" %"))
        step = 10.0**-digits
        scale = 100.0 if number.endswith(" %") else 1.0
        value = float(number.removesuffix(" %").replace(",", ""))
        return digits >= 2 and any(
            isinstance(one, float) and abs(scale * one - value) < step
            for one in leaves(good(*arguments, "--format", "json").json)
        )

    assert [one for one in shown if not told(one)] == []
