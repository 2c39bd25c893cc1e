"""Which action is best: one rule by what a row can tell, and the same marks in the same order everywhere."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.data.node_summary import NodeTable, all_nodes
from reports.data.ranking import PLAINLY, PRINTED, ranked, resolution, row_ranked
from reports.data.rows import row_fields
from reports.pages import explorer_data
from reports.screens.advice import Advice
from reports.screens.spots import row_screen
from reports.text import units
from reports.text.words import percent
from rules import hand
from solver import Solution, solve
from solver.solutions.spots import Spot, Spots
from solver.store.match_tables import with_continuation
from tests.support.games.small_games import BRISK, Kuhn, small_specs
from tests.support.strategies import always, played_at_random

HANDS: dict[str, dict[str, Any]] = {
    "indian-poker": {"stacks": "10,10"},
    "indian-holdem": {"stacks": "10,10", "board": "4,9"},
    "double-sided": {"stacks": "10,10", "fronts": "3,8"},
    "blind-mans-bluff": {},
}
PLAYED = [(name, "chips") for name in HANDS] + [("indian-poker", "match"), ("indian-holdem", "match")]


@pytest.fixture(scope="module")
def solutions() -> dict[tuple[str, str], Solution]:
    found = {}
    for name, objective in PLAYED:
        spec: Any = hand(name, **HANDS[name], **({"objective": "match"} if objective == "match" else {}))
        found[name, objective] = solve(with_continuation(spec), gap=spec.usual_gap)
    return found


def rows(solution: Solution) -> Iterator[tuple[Spot, int]]:
    for spot in Spots(solution).walk():
        for column in range(len(spot.observations)):
            yield spot, column


def told(text: str, header: str) -> list[tuple[str, str, str, bool]]:
    """Return what a table says of each action: its words, how often it is played, its value, and the mark."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if header in line) + 1
    found = []
    for line in lines[start:]:
        marked = line.endswith("  <- best")
        words, *middle = line.removesuffix("  <- best").split("  ")
        cells = [cell.strip() for cell in middle if cell.strip()]
        if len(cells) < 2:
            break
        found.append((words.strip(), cells[-2], cells[-1], marked))
    return found


def on_the_page(solution: Solution) -> dict[tuple[str, str], tuple[list[str], int]]:
    """Return the order of the actions on the page and how many are marked, for each history and observation."""
    kept: dict[str, Any] = {}

    class Remembered(explorer_data.Block):
        def add(self, values: Any, kind: str) -> list[int | str]:
            place = super().add(values, kind)
            kept[str(place[:2])] = np.asarray(values)
            return place

    made = explorer_data.solution_block(solution, Remembered())
    table, found = NodeTable(Spots(solution), all_nodes(solution)), {}
    for player, one in enumerate(table.players):
        numbers = made["classes"][0]["players"][player]
        code, place = kept[str(numbers["probability"][:2])], kept[str(numbers["place"][:2])]
        for number, node in enumerate(one.nodes.tolist()):
            mine = np.flatnonzero(one.place == number)
            actions = solution.tree.actions(node)
            for column, name in enumerate(solution.deal()[1].observations[player]):
                order = sorted(range(len(mine)), key=lambda action, c=column, m=mine: place[m[action], c])  # type: ignore[misc]
                marked = [(code[mine[action], column] & explorer_data.BEST) != 0 for action in order]
                assert marked == sorted(marked, reverse=True), "what is marked stands first"
                found[str(node), name] = ([actions[action].words for action in order], sum(marked))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective"), PLAYED)
def test_text_data_and_page_mark_the_same_actions_in_the_same_order(
    name: str, objective: str, solutions: dict[tuple[str, str], Solution]
) -> None:
    solution = solutions[name, objective]
    page, unit = on_the_page(solution), solution.spec.unit
    for spot, column in rows(solution):
        advice = Advice(solution, spot, column, seed=1)
        words = {str(action): action.words for action in spot.actions}
        best = row_screen(solution, spot, column)
        asked, shown = told(advice.text(), f"EV ({unit})"), told(best.text, f"EV ({unit})")
        node = solution.node(" ".join(map(str, spot.history)))[1]
        order, number = page[str(node), spot.observations[column]]
        assert asked == shown
        assert [row[0] for row in shown] == order
        assert [row[3] for row in shown] == [True] * number + [False] * (len(order) - number)
        marked = order[:number]
        for data in (advice.to_dict(), best.data, row_fields(solution, spot, column)):
            assert [words[action] for action in data["best"]] == marked
        for screen in (advice.screen(), best):
            assert {words[row[0]] for row in screen.rows if row[-1]} == set(marked)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective"), PLAYED)
def test_marks_never_contradict_the_numbers_beside_them(
    name: str, objective: str, solutions: dict[tuple[str, str], Solution]
) -> None:
    solution = solutions[name, objective]
    spec, mixes = solution.spec, 0
    for spot, column in rows(solution):
        shown = told(row_screen(solution, spot, column).text, f"EV ({spec.unit})")
        value = {words: ev for words, _, ev, _ in shown}
        names = [action.words for action in spot.actions]
        highest = units.value(spec, spot.ev[:, column].max())
        for place, words in enumerate(names):
            _, _, _, marked = next(row for row in shown if row[0] == words)
            loss = float(spot.ev[:, column].max() - spot.ev[place, column])
            if spot.probability[place, column] >= 0.01 and value[words] == highest:
                assert marked, (spot.history, spot.observations[column])
            worse = spot.probability[place, column] < 0.01 and loss > PRINTED
            assert not (marked and (worse or loss > max(PLAINLY * spec.chip, PRINTED)))
        # What stands first is played as much as anything that is marked.
        played = {words: spot.probability[place, column] for place, words in enumerate(names)}
        best = [row[0] for row in shown if row[3]]
        assert best
        assert round(max(played[words] for words in best), 3) == pytest.approx(round(played[best[0]], 3), abs=1e-9)
        rest = [Decimal(ev.removesuffix(" %")) for _, _, ev, marked in shown if not marked]
        assert rest == sorted(rest, reverse=True)
        mixes += len(best) > 1
    assert mixes > 20 or name == "blind-mans-bluff"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective"), PLAYED)
def test_what_is_mixed_on_the_path_is_within_what_the_row_can_tell(
    name: str, objective: str, solutions: dict[tuple[str, str], Solution]
) -> None:
    """An action played with probability p loses at most gap / (reach p): a best response would gain that."""
    solution, seen = solutions[name, objective], 0
    for spot, column in rows(solution):
        reach = spot.observation_probability[column] * spot.own_reach[column] * spot.other_reach[column]
        loss = spot.ev[:, column].max() - spot.ev[:, column]
        assert ((loss * spot.probability[:, column]).sum() * reach) <= solution.nash_conv * 1.001 + 1e-12
        if spot.reached[column] and solution.nash_conv / reach <= PLAINLY * solution.spec.chip:
            best = row_ranked(solution, spot, column).best
            assert all(place in best for place in np.flatnonzero(spot.probability[:, column] >= 0.5))
            seen += 1
    assert seen > 20


@pytest.mark.slow
def test_equal_mixes_are_marked_whatever_their_order_by_noise(solutions: dict[tuple[str, str], Solution]) -> None:
    solution = solutions["indian-holdem", "chips"]
    spot = Spots(solution).at("b3")
    advice = Advice(solution, spot, spot.column("4"), seed=1)
    assert advice.best[:2] == ["f", "allin"]
    assert {"f", "allin"} | {a["action"] for a in advice.actions if a["probability"] >= 0.01} == set(advice.best)
    first = advice.text().splitlines()[4]
    assert first.split()[0] == "fold"
    assert first.endswith("<- best")


# The rule itself.


def naive(probability: list[float], ev: list[float], reach: float, gap: float, chip: float) -> tuple[list[int], int]:
    """Order the actions as the rule says it, one comparison after another."""
    able = max(1e-4, min(0.025 * chip, gap / reach if reach else float("inf")))
    marked = [
        max(ev) - value <= (able if chance >= 0.01 else 1e-4) for value, chance in zip(ev, probability, strict=True)
    ]

    def key(place: int) -> tuple[Any, ...]:
        written = percent(probability[place])
        often = {"-": 0.0, "<0.1 %": 0.01}.get(written) if written in ("-", "<0.1 %") else float(written[:-2])
        return not marked[place], -often if marked[place] else 0.0, -round(ev[place] * 1e4), place  # type: ignore[operator]

    return sorted(range(len(ev)), key=key), sum(marked)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1e-6, 3e-4, 0.02, 0.25, 0.5]), st.integers(-40, 40)), min_size=1, max_size=8
    ),
    st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 1.0]),
    st.sampled_from([0.0, 1e-5, 1e-3, 0.5]),
    st.sampled_from([1.0, 0.05, 0.001]),
)
def test_the_rule_is_its_naive_twin(actions: list[tuple[float, int]], reach: float, gap: float, chip: float) -> None:
    probability, ev = [one for one, _ in actions], [step * 1.3e-4 for _, step in actions]
    found = ranked(np.array(probability), np.array(ev), reach, gap, chip)
    order, number = naive(probability, ev, reach, gap, chip)
    assert list(found.order) == order
    assert list(found.best) == order[:number]


def test_what_a_row_can_tell_falls_with_its_reach_within_two_limits() -> None:
    assert resolution([1.0, 0.1, 1e-3, 1e-6, 0.0], 1e-4, 1.0) == pytest.approx([1e-4, 1e-3, PLAINLY, PLAINLY, PLAINLY])
    assert resolution(1.0, 1e-9, 1.0) == PRINTED
    assert resolution(1e-9, 0.1, 0.05) == pytest.approx(PLAINLY * 0.05)
    assert resolution(1e-6, 0.0, 1.0) == PRINTED  # an exact solution
    assert resolution(0.0, 0.0, 1.0) == PLAINLY  # and where it says nothing


@BRISK
@given(small_specs(), st.integers(0, 2**32 - 1))
def test_the_action_of_highest_value_is_always_best(spec: Any, seed: int) -> None:
    solution = played_at_random(spec, seed, zeros=0.6)
    for spot in Spots(solution, solution.boards[0]).walk():
        assert np.isfinite(spot.ev).all()
        for column in range(len(spot.observations)):
            found = row_ranked(solution, spot, column)
            assert sorted(found.order) == list(range(len(spot.actions)))
            assert int(spot.ev[:, column].argmax()) in found.best
            highest = max(spot.ev[:, column])
            for place in range(len(spot.actions)):
                allowed = found.resolution if spot.probability[place, column] >= 0.01 else PRINTED
                assert (place in found.best) == (highest - spot.ev[place, column] <= allowed)


def test_equal_actions_are_best_together() -> None:
    # A sure tie: calling and raising are worth the same where P1 calls everything.
    solution = solve(hand("indian-poker", left="0,0,0,0,2,0,0,0,0,0", stacks="4,4", raises="1"), max_iterations=0)
    played = always(solution, p1="c b1", p2="c")
    spot = Spots(played).at("b1")
    assert [str(action) for action in spot.actions] == ["f", "c", "r1"]
    assert spot.ev[:, 0] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-8)
    assert row_ranked(played, spot, 0).best == (1, 2)


def test_a_test_game_is_ranked_too() -> None:
    solution = solve(Kuhn(), gap=1e-3)
    spot = Spots(solution).at("k b1")
    assert row_ranked(solution, spot, spot.column("J")).best == (0,)
    assert row_ranked(solution, spot, spot.column("K")).best == (1,)
