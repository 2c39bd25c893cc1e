"""Bet sizes as values: amounts in chips, parts of the pot and all-in, as they are read and what they come to."""

from fractions import Fraction
from pathlib import Path

import pytest

from rules import hand
from rules.base.errors import OptionError
from rules.betting.bet_sizes import Menu, PotPart
from rules.betting.public_game import Outcome
from rules.games.registry import from_dict
from solver import solve, verify
from solver.store.match_tables import NoTableError, with_continuation
from tests.support.commands import good, run


@pytest.mark.parametrize(
    ("text", "part", "name"),
    [
        ("1/2pot", Fraction(1, 2), "1/2pot"),
        ("0.75pot", Fraction(3, 4), "3/4pot"),
        ("pot", Fraction(1), "pot"),
        ("2 Pot", Fraction(2), "2pot"),
        ("2/4pot", Fraction(1, 2), "1/2pot"),
    ],
)
def test_parts_of_the_pot_are_read_and_written(text: str, part: Fraction, name: str) -> None:
    (found,) = Menu.parse([text]).parts
    assert (found.part, str(found)) == (part, name)
    assert Menu.parse(str(Menu.parse(f"1,{text},allin"))) == Menu((1,), True, parts=(PotPart(part),))


@pytest.mark.parametrize(
    "text", ["0pot", "1/0pot", "-1pot", "half pot", "1/2", "101pot", "1/2pot,2/4pot", "potpot", "٣pot"]
)
def test_what_is_no_part_of_the_pot_is_refused(text: str) -> None:
    with pytest.raises(
        OptionError, match=r"expected (a whole number of at least 1, a part of the pot|different sizes)"
    ):
        hand("indian-poker", raises=text)


@pytest.mark.parametrize(
    ("part", "pot", "chips"),
    [("1/2", 2, 1), ("1/2", 5, 3), ("1/3", 2, 1), ("1/100", 2, 1), ("1", 6, 6), ("3/4", 6, 5), ("2", 3, 6)],
)
def test_a_part_of_a_pot_in_whole_chips(part: str, pot: int, chips: int) -> None:
    assert PotPart(Fraction(part)).chips(pot) == chips


def sizes(spec: object, history: str) -> list[str]:
    """Return the bets and raises that are offered after a history."""
    public = spec.public  # type: ignore[attr-defined]
    _, state = public.follow(history)
    assert not isinstance(state, Outcome)
    return [str(action) for action, _ in public.moves(state) if action.size]


def test_bets_and_raises_follow_the_pot() -> None:
    spec = hand("indian-poker", stacks=(30, 30), raises="1/2pot,pot")
    assert sizes(spec, "") == ["b1", "b2"]  # two antes: a half is 1, the whole 2
    assert sizes(spec, "b2") == ["r3", "r6"]  # two antes and twice 2 once the bet is paid: 6
    assert sizes(spec, "b2 r6") == ["r9", "r18"]
    assert sizes(spec, "b2 r6 r18") == []  # 54 would be more than anybody has left
    carried = hand("indian-poker", stacks=(30, 30), raises="1/2pot,pot", carry=8)
    assert sizes(carried, "") == ["b5", "b10"]
    mixed = hand("indian-poker", stacks=(30, 30), raises="1,pot,allin", opens="1/2pot")
    assert sizes(mixed, "") == ["b1"]
    assert sizes(mixed, "b1") == ["r1", "r4", "allin"]


def test_both_numbers_of_a_card_can_be_bet_by_the_pot() -> None:
    spec = hand("double-sided", stacks=(20, 20), fronts=(3, 8), raises="pot")
    assert sizes(spec, "") == ["front:b2", "back:b2"]
    assert "front:r6" in sizes(spec, "front:b2")


def test_a_hand_with_parts_of_the_pot_comes_back_from_its_normal_form() -> None:
    spec = hand("indian-poker", stacks=(9, 12), raises=[1, "1/2pot", "allin"])
    assert spec.to_dict()["raises"] == [1, "1/2pot", "allin"]
    assert from_dict(spec.to_dict()) == spec


@pytest.mark.parametrize("game", ["indian-poker", "double-sided"])
def test_such_a_hand_is_solved_and_proved(game: str) -> None:
    spec = hand(
        game, stacks=(6, 8), carry=2, raises="1/2pot,pot,allin", **({"fronts": (3, 8)} if game[0] == "d" else {})
    )
    solution, exact = solve(spec, gap=1e-3), solve(spec, method="lp")
    low, high = solution.value_bounds
    assert low - 1e-9 <= exact.value <= high + 1e-9
    assert verify(solution).nash_conv <= 1e-3


def test_whole_matches_refuse_parts_of_the_pot(tmp_path: Path) -> None:
    spec = hand("indian-poker", stacks=(4, 4), raises="pot", objective="match")
    with pytest.raises(NoTableError, match="sizes that are a part of the pot"):
        with_continuation(spec)
    for line in ("match", "simulate", "odds"):
        done = run(line, "indian-poker", "--stacks", "4,4", "--raises", "1/2pot,allin")
        assert (done.code, done.out) == (2, "")
        assert "list sizes in chips, such as 1,3,5,allin" in done.err


def test_advice_is_for_chips_then_and_says_why() -> None:
    done = good("advise", "indian-poker", "--stacks", "6,6", "--raises", "1/2pot,pot", "--see", "4", "--no-cache")
    assert "EV (chips)" in done.out
    assert "part of the pot" in done.err


def test_a_match_played_with_parts_of_the_pot_is_logged(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    good("log", "new", log, "indian-poker", "--stacks", "9,9", "--raises", "1/2pot,pot,allin")
    assert "raises 1/2pot,pot,allin" in log.read_text()
    good("log", "add", log, "--mine", "4", "--theirs", "9", "--history", "b1 r4 c")
    assert "b1 r4 c" in good("log", "show", log).out
