"""What the odds of the card not seen rest on: told in words and in data wherever play seldom comes to a spot."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.data.beliefs import ASSUMED, BASES, ON_PATH, OWN, RARELY_REACHED, WEAK, once_in, warning
from reports.screens.advice import Advice
from reports.text.words import percent, stated
from rules import aids
from solver import Solution, load
from solver.solutions.spots import Spots

FILES = ("deck", "board", "fronts", "bluff", "suits", "nothing")


def answers(solution: Solution) -> list[Advice]:
    """Return the answer at every spot of the first deal, for a few observations of each."""
    spots = Spots(solution, solution.boards[0])
    return [
        Advice(solution, spot, column, seed=1)
        for number, spot in enumerate(spots.walk())
        for column in range(number % 2, len(spot.observations), 2 + len(spot.observations) // 10)
    ]


def solved_anew(advice: Advice) -> bool:
    """Whether a subtree on the way was solved anew, action by action."""
    solution, history = advice.solution, advice.spot.history
    if solution.entered_by is None:
        return False
    entered = solution.entered_by[solution.deal(advice.spot.board)[0]]
    return any(entered[solution.tree.find(history[:place])] for place in range(len(history) + 1))


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_row_says_what_its_belief_rests_on(name: str, solved: Path) -> None:
    found = set()
    for advice in answers(load(solved / f"{name}.npz")):
        spot, column = advice.spot, advice.column
        expected = ON_PATH if spot.other_reach[column] >= WEAK else RARELY_REACHED
        if solved_anew(advice) and not spot.reached[column]:
            expected = ASSUMED
        if spot.assumed[column]:
            expected = OWN
        data, text = advice.to_dict(), advice.text()
        told = " ".join(text.split())
        assert data["belief_basis"] == expected
        assert data["hidden_card_by_deck"] == data["aids"]["hidden_card"]["probability"]
        assert set(data["hidden_card"]) <= set(data["hidden_card_by_deck"])
        assert ("Given what you see, " in told) is (expected != ON_PATH)
        assert ("assumed by a re-solve" in told) is (expected == ASSUMED)
        assert max(map(len, text.splitlines())) < 80
        if expected != ON_PATH and len(data["hidden_card_by_deck"]) <= 13:
            cards = " ".join(f"{card} {percent(p)}" for card, p in data["hidden_card_by_deck"].items())
            assert f"By the deck alone: {cards}" in told
        if expected == RARELY_REACHED and spot.other_reach[column] >= 1e-6:
            hands = 1 / spot.other_reach[column]
            assert f"their equilibrium play comes here once in {float(f'{hands:.2g}'):,.0f} hands." in told
        found.add(expected)
    assert ON_PATH in found
    assert found & {RARELY_REACHED, ASSUMED} or name in ("nothing", "bluff", "suits")


@pytest.mark.parametrize("name", ["deck", "board"])
def test_a_penalty_is_told_by_the_deck_too_where_the_belief_is_weak(name: str, solved: Path) -> None:
    weak_ones = 0
    for advice in answers(load(solved / f"{name}.npz")):
        spec: Any = advice.spec
        listed = aids.penalty_list(spec, advice.spot.player, advice.observation, advice.chips["own"]).to_dict()
        expected = float(sum(row["copies_left"] * row["capped_penalty_chips"] for row in listed["ranks"]))
        penalty, told = advice.to_dict()["fold_penalty"], " ".join(advice.text().split())
        copies = sum(aids.hidden_card(spec, advice.spot.player, advice.observation).copies.values())
        assert penalty["expected_by_deck"] == pytest.approx(expected / copies)
        weak = advice.belief_basis != ON_PATH
        for one in penalty["by_cost"]:
            assert one["probability"] == pytest.approx(sum(advice.hidden_card.get(card, 0.0) for card in one["cards"]))
            assert {penalty["by_card"][card] for card in one["cards"]} == {one["cost"]}
            often = stated(one["probability"]) + (f", {stated(one['by_deck'])} by the deck alone" if weak else "")
            assert f"{one['cost']} more chips if you hold {' or '.join(one['cards'])} ({often})" in told
        if penalty["by_cost"]:
            mean = f" ({penalty['expected_by_deck']:.2f} by the deck alone)" if weak else ""
            assert f": {penalty['expected']:.2f} chips on average{mean}." in told
        weak_ones += weak and bool(penalty["by_cost"])
    assert weak_ones > 10


def test_no_sentence_has_a_dash_for_nothing(solved: Path) -> None:
    for name in FILES:
        for advice in answers(load(solved / f"{name}.npz")):
            lines = advice.text().splitlines()
            below = lines[lines.index("", lines.index("") + 1) :]
            assert not [line for line in below if " -," in line or " - " in line or line.endswith((" -", " -)"))], below


def test_how_often_is_told_to_two_figures() -> None:
    assert once_in([1.0, 0.5, 0.00201, 0.0066, 1 / 1234, 1e-6, 9e-7, 0.0]).tolist() == [
        1, 2, 500, 150, 1200, 1_000_000, 0, 0,
    ]  # fmt: skip
    chances = np.random.default_rng(1).random(500) ** 6
    for chance, hands in zip(chances.tolist(), once_in(chances).tolist(), strict=True):
        inverse = 1 / chance
        assert hands == (0 if chance < 1e-6 else round(inverse) if inverse < 99 else float(f"{inverse:.2g}"))


def test_the_words_say_who_comes_here_seldom() -> None:
    assert warning(ON_PATH, 1.0, 1.0, "your card") == ""
    assert warning(RARELY_REACHED, 1.0, 0.002, "your card") == (
        "Given what you see, their equilibrium play comes here once in 500 hands. Who errs may do so whatever your "
        "card is."
    )
    assert warning(ASSUMED, 1.0, 0.0, "their back") == (
        "Given what you see, their equilibrium play never comes here: these odds are assumed by a re-solve. Who errs "
        "may do so whatever their back is."
    )
    assert warning(ASSUMED, 0.0, 0.6, "your card") == (
        "Given what you see, your equilibrium play never comes here: these odds are assumed by a re-solve of how they "
        "answer. They may answer otherwise."
    )
    assert warning(OWN, 1.0, 0.0, "your card") == (
        "Given what you see, their equilibrium play never comes here: these odds are assumed for this row alone, such "
        "that what it plays costs little. Who errs may do so whatever your card is."
    )
    assert len(BASES) == 4
