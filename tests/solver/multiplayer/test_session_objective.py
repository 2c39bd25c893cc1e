"""The share of a session as the objective: two hands of two players exactly, the last hand of three."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rules.base.errors import ChipsError, OptionError, SizeError
from rules.cards.playing_cards import Card
from rules.games.balances import passed_back, passed_on, shares_of
from rules.games.registry import from_dict, hand
from rules.games.spec import Hand, HandClass, HandSpec
from rules.play.session import Session
from solver import session, solve
from solver.multiplayer.evaluation import MultiplayerGame
from solver.multiplayer.solving import solve_table
from solver.session import solvable, with_later
from tests.support.commands import complaint, good, run
from tests.support.games.small_games import BRISK


def before(balances: str, hands: int = 1, **options: Any) -> Any:
    players = len(balances.split(","))
    return hand("blind-mans-bluff", players=players, balances=balances, hands_left=hands, **options)


def test_equal_leaders_share() -> None:
    assert shares_of([Fraction(3), Fraction(1), Fraction(3)]) == (Fraction(1, 2), 0, Fraction(1, 2))
    assert passed_on("abc") == ("b", "c", "a")
    assert passed_back(passed_on("abc")) == ("a", "b", "c")


@given(st.data())
@BRISK
def test_what_a_last_hand_is_worth_is_what_the_session_says(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 4))
    balances = data.draw(st.lists(st.integers(10, 14), min_size=players, max_size=players))
    spec = before(",".join(map(str, balances)))
    cards = data.draw(
        st.lists(st.sampled_from("259KA"), min_size=players, max_size=players).filter(lambda c: len(c) < 5)
    )
    playing = Session(spec, balances, hands_left=1)
    position, history = spec.public.root, []
    while not hasattr(position, "paid") or hasattr(position, "pending"):
        action, position = data.draw(st.sampled_from(spec.public.moves(position)))
        history.append(action)
    played = playing.play(cards, history)
    assert spec.worth(played.outcome, spec.winners(played.outcome, played.cards)) == tuple(map(float, playing.shares))


def test_seats_fall_by_one_from_hand_to_hand() -> None:
    """The same with a hand to come: what it is worth stands by its own seats."""
    spec = before("12,12,12", 2)
    states = spec.next_balances()
    assert len(states) == 37
    spec = from_dict(spec.to_dict() | {"later": [[[str(own) for own in state], [1.0, 2.0, 3.0]] for state in states]})
    playing = Session(spec, spec.balances, hands_left=2)
    played = playing.play("K,9,4", "b f f")
    assert playing.balances in states
    assert playing.persons == (1, 2, 0)
    # Whoever sat first sits last now, and so on.
    assert spec.worth(played.outcome, (0,)) == (3.0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("balances", "value"),
    [("100,100", 0.0), ("110,100", 0.5), ("100,110", -0.5)],
)
def test_last_hands_of_two_that_need_no_solver(balances: str, value: float) -> None:
    assert solve(before(balances), method="lp").value == pytest.approx(value, abs=1e-9)


class OneHand(HandSpec):
    """A hand of two players that is worth what a function of P1's net counters says."""

    game, headline = "one-hand", "a test"

    def __init__(self, value: Callable[[Fraction], float]) -> None:
        self.spec: Any = hand("blind-mans-bluff")
        self.value = value

    @property
    def public(self) -> Any:
        return self.spec.public

    def classes(self) -> tuple[HandClass, ...]:
        (group,) = self.spec.classes()

        def utility(outcome: Any) -> NDArray[np.float64]:
            cards = [Card(2 + rank) for rank in range(13)]
            # A row is the card that P1 sees, which is P2's.
            net = [[self.spec.settle(outcome, (mine, theirs))[0] for mine in cards] for theirs in cards]
            return np.array([[self.value(one) for one in row] for row in net])

        return (group._replace(hand=Hand(self.public, group.hand.prior, utility)),)

    def to_dict(self) -> dict[str, Any]:
        return {"game": self.game}

    def observation(self, text: object) -> str:
        return str(text)


@cache
def last_hand(lead: Fraction) -> float:
    """Return P1's share, less a half, of a session whose last hand begins with P1 so many counters ahead."""

    def share(net: Fraction) -> float:
        return float(np.sign(lead + 2 * net)) / 2

    return float(solve(OneHand(share), method="lp").value)


def two_hands(lead: Fraction) -> float:
    """Return it with one hand more, after which P1 is P2."""
    return float(solve(OneHand(lambda net: -last_hand(-(lead + 2 * net))), method="lp").value)


@pytest.mark.parametrize("balances", ["100,100", "101,99", "98,102"])
def test_two_hands_of_two_players(balances: str) -> None:
    spec = with_later(before(balances, 2))
    exact = solve(spec, method="lp")
    assert exact.nash_conv < 1e-9
    first, second = spec.balances
    assert exact.value == pytest.approx(two_hands(first - second), abs=1e-9)
    fast = solve(spec, gap=1e-4)
    assert fast.value_bounds[0] - 1e-9 <= exact.value <= fast.value_bounds[1] + 1e-9


def test_whoever_deals_last_has_it_better() -> None:
    """P1 acts first in the first hand and last in the second; from equal balances that costs something."""
    value = solve(with_later(before("100,100", 2)), method="lp").value
    assert value == pytest.approx(-0.012250, abs=1e-5)


def test_a_lead_of_one_hand_is_worth_more_with_one_hand_left() -> None:
    ahead = [solve(with_later(before("102,98", hands)), method="lp").value for hands in (1, 2)]
    assert 0 < ahead[1] < ahead[0] <= 0.5


@pytest.mark.slow
def test_three_players_last_hand_by_enumeration_of_shares() -> None:
    spec = before("101,99,100")
    found = solve_table(spec, gap=0.02)
    assert found.nash_conv <= 0.02
    assert found.measured.values.sum() == pytest.approx(1.0, abs=1e-9)
    assert found.measured.values[0] == found.measured.values.max()
    assert found.verify().nash_conv == pytest.approx(found.nash_conv, abs=1e-12)


def test_session_utilities_of_three_players_sum_to_one() -> None:
    game = MultiplayerGame.of(before("101,99,100").around_the_table())
    possible = game.utilities.sum(axis=2)
    assert np.isin(possible.round(12), (0.0, 1.0)).all()


def test_a_spec_and_back() -> None:
    spec = with_later(before("101,199/2", 2))
    assert from_dict(spec.to_dict()) == spec
    assert spec.to_dict()["balances"] == ["101", "199/2"]
    assert hash(spec)
    chips: Any = hand("blind-mans-bluff")
    assert "balances" not in chips.to_dict()
    whole: Any = hand("blind-mans-bluff", players=3, objective="session")
    assert (whole.balances, whole.hands_left) == ((100, 100, 100), 3)
    assert whole.headline.endswith("balances 100/100/100, 3 hands left")


def test_states_that_cannot_be() -> None:
    with pytest.raises(ChipsError, match="expected 2 balances"):
        hand("blind-mans-bluff", balances="100")
    with pytest.raises(ChipsError, match="seat 2 to have at least 6 counters"):
        before("100,5", 2)
    with pytest.raises(OptionError, match="hands left to be from 1 to 2"):
        before("100,100", 3)
    unready = before("100,100", 2)
    with pytest.raises(OptionError, match="must be solved first"):
        unready.worth(unready.public.follow("k k")[1], (0,))


def test_too_many_hands_are_refused_and_named() -> None:
    spec = before("100,100,100,100", 2)
    assert not solvable(spec)
    with pytest.raises(SizeError, match="at most 1 to solve a session of 4 players, got 2"):
        with_later(spec)


def test_three_players_backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every state that can be reached is solved once, from the last hand on."""
    solved: list[tuple[int, Any]] = []

    def found(spec: Any) -> tuple[float, ...]:
        solved.append((spec.hands_left, spec.balances))
        if spec.hands_left > 1:
            spec.around_the_table().utility(spec.public.follow("k k k")[1], (0,))  # it knows what comes after
        return 0.5, 0.3, 0.2

    monkeypatch.setattr(session, "_values", found)
    told: list[tuple[int, int]] = []
    spec = with_later(before("100,100,100", 3), lambda *numbers: told.append(numbers))
    assert len(solved) == len(set(solved)) == told[-1][0] == told[-1][1] == 334 + 37
    assert [hands for hands, _ in solved] == [1] * 334 + [2] * 37
    assert [state for state, _ in spec.later] == list(spec.next_balances())
    # Seat 1 of this hand is the last seat of the next one.
    assert spec.worth(spec.public.follow("b f f")[1], (0,)) == (0.2, 0.5, 0.3)


def test_the_commands(tmp_path: Any) -> None:
    line = ("solve", "blind-mans-bluff", "--balances", "100,100", "--hands-left", "2", "--format", "json")
    done = good(*line, "-o", tmp_path / "two.npz")
    assert '"objective": "session"' in done.out
    assert "of the session above a half" in good("verify", tmp_path / "two.npz").out
    assert "seat 1 to have" in complaint(run("solve", "blind-mans-bluff", "--balances", "2,100"))


@pytest.mark.slow
def test_where_the_session_is_out_of_reach_chips_are_said_plainly() -> None:
    line = ("solve", "blind-mans-bluff", "--players", "4", "--hands-left", "4", "--max-iterations", "1")
    done = good(*line, "--format", "json")
    assert "not solved backwards here; what follows is by the chips" in done.err
    assert '"objective": "chips"' in done.out
