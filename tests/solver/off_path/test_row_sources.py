"""Rows that are kept for safety: beliefs of their own, what they give up, and the same of both on the page."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.data.beliefs import ASSUMED, BASES, OWN, basis, warning
from reports.data.node_summary import NodeTable, all_nodes
from reports.data.ranking import MIXED, row_ranked
from reports.data.row_sources import GIVES_UP, IN_WORDS, KEPT_FORMS, LATER, RIGHT, kept_form, row_loss, source_told
from reports.data.rows import row_fields
from reports.pages import explorer_data
from reports.screens.advice import Advice
from reports.screens.spots import row_screen
from rules import hand
from solver import Solution, solve
from solver.off_path.sources import KEPT_SAFE, SOURCES
from solver.solutions.spots import Spot, Spots
from tests.support.browser.browsing import View, browser, check_answer, needs_chromium, written

__all__ = ["browser"]  # a fixture

TAKEN = "the row is kept so that no mistake pays; "
ASSUMPTION = "the other is as believed here (an assumption: equilibrium play never comes here)"


@pytest.fixture(scope="module")
def ones() -> Solution:
    """Return a hand with one card of each rank, in which one card excludes another."""
    return solve(hand("indian-poker", left="1,1,1,1,1,1,1,1,1,1"))


@pytest.fixture(scope="module")
def without(ones: Solution) -> Solution:
    """Return the same without beliefs of single rows, so that those that are kept give something up."""
    return replace(ones, assumed_rows=np.zeros((0, 3), dtype=np.int32), assumed=np.zeros((0, ones.strategies.shape[2])))


def kept_rows(solution: Solution) -> Iterator[tuple[Spot, int]]:
    for spot in Spots(solution).walk():
        for column, source in enumerate(spot.sources):
            if source == SOURCES[KEPT_SAFE]:
                yield spot, column


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_spots_say_which_rows_have_a_belief_of_their_own(ones: Solution) -> None:
    assert ones.assumed_rows is not None
    assert len(ones.assumed_rows) > 3
    expected = {(node, ones.deal()[1].observations[ones.tree.player[node]][column])
                for _, node, column in ones.assumed_rows.tolist()}  # fmt: skip
    found = set()
    for spot in Spots(ones).walk():
        node = ones.node(" ".join(map(str, spot.history)))[1]
        found |= {(node, spot.observations[column]) for column in np.flatnonzero(spot.assumed)}
    assert found == expected


def test_a_row_with_its_own_belief_says_what_it_assumes(ones: Solution) -> None:
    for spot, column in kept_rows(ones):
        if not spot.assumed[column]:
            continue
        advice = Advice(ones, spot, column, seed=1)
        text, told = one_line(advice.text()), source_told(ones, spot, column)
        assert told.startswith(TAKEN)
        assert told.endswith(ASSUMPTION)
        assert f"Off the equilibrium path: {told}." in text
        assert told in one_line(row_screen(ones, spot, column).text)
        assert advice.to_dict()["belief_basis"] == row_fields(ones, spot, column)["belief_basis"] == OWN
        reach = float(spot.own_reach[column]), float(spot.other_reach[column])
        assert "never comes here: these odds are assumed for this row alone" in warning(OWN, *reach, "your card")
        assert warning(OWN, *reach, "your card") in text
        played = np.flatnonzero(spot.probability[:, column] >= MIXED)
        right = set(played.tolist()) <= set(row_ranked(ones, spot, column).best)
        assert ("it is right if" in told) is right
        assert (f"it gives up {row_loss(spot, column):.4f} chips even if" in told) is not right


def test_a_row_without_one_says_what_it_gives_up_and_marks_what_is_best(without: Solution) -> None:
    forms = set()
    for spot, column in kept_rows(without):
        values, chances = spot.ev[:, column], spot.probability[:, column]
        lost = float(values.max() - values @ chances)
        told, advice = source_told(without, spot, column), Advice(without, spot, column, seed=1)
        assert not spot.assumed[column]
        assert advice.to_dict()["belief_basis"] == basis(without, spot, column) != OWN
        assert advice.to_dict()["loss"] == row_fields(without, spot, column)["loss"] == pytest.approx(lost, abs=1e-12)
        assert told in one_line(advice.text())
        if f"{lost:.4f}" == "0.0000":
            assert told == KEPT_FORMS[LATER]
        else:
            assert told == f"{TAKEN}it gives up {lost:.4f} chips against what is believed here"
        forms.add(f"{lost:.4f}" == "0.0000")
        for place in np.flatnonzero(values.max() - values > 0.025).tolist():
            assert place not in advice.ranked.best
    assert False in forms


def test_what_is_said_follows_from_the_row() -> None:
    assert kept_form(True, True, 0.02) == RIGHT
    assert kept_form(False, True, 0.02) == kept_form(False, False, 6e-5) == GIVES_UP
    assert kept_form(False, True, 4e-5) == LATER
    assert "{}" in KEPT_FORMS[kept_form(True, False, 0.02)]
    assert {*IN_WORDS, SOURCES[KEPT_SAFE]} == set(SOURCES)


class Remembered(explorer_data.Block):
    """A block that keeps what was put in."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}

    def add(self, values: Any, kind: str) -> list[int | str]:
        place = super().add(values, kind)
        self.kept[str(place)] = np.asarray(values)
        return place


def test_the_data_of_a_page_have_the_beliefs_of_every_spot(ones: Solution, without: Solution) -> None:
    for solution, some in ((ones, True), (without, False)):
        block = Remembered()
        made, spots = explorer_data.solution_block(solution, block), Spots(solution)
        table, seen = NodeTable(spots, all_nodes(solution)), 0
        group = made["classes"][0]
        for player, one in enumerate(table.players):
            numbers = {name: block.kept[str(place)] for name, place in group["players"][player].items()}
            prior = np.array(group["prior"]) if player == 0 else np.array(group["prior"]).T
            rows, sources = numbers["assumedRow"].tolist(), numbers["source"].reshape(len(one.nodes), -1)
            for number, node in enumerate(one.nodes.tolist()):
                spot = spots.spot(node, tuple(solution.tree.history(node)))
                for column, place in enumerate(spots.columns[player]):
                    row = number * len(prior) + place
                    own = row in rows
                    reach = numbers["assumed"][rows.index(row)] if own else numbers["believed"][number]
                    weights = (prior[place] * reach)[list(spots.columns[1 - player])]
                    assert weights / weights.sum() == pytest.approx(spot.belief[:, column], abs=1e-12)
                    assert own == spot.assumed[column]
                    assert BASES[sources[number, place] >> explorer_data.BASIS & 3] == basis(solution, spot, column)
                    if spot.sources[column] == SOURCES[KEPT_SAFE]:
                        at = numbers["keptRow"].tolist().index(row)
                        words = KEPT_FORMS[numbers["keptForm"][at]].format(f"{numbers['lost'][at] / 1e4:.4f} chips")
                        assert words == source_told(solution, spot, column)
                    seen += own
        assert (seen > 3) is some


@pytest.mark.slow
@needs_chromium
def test_the_page_shows_the_beliefs_that_rows_assume(
    ones: Solution, without: Solution, tmp_path: Path, browser: Any
) -> None:
    for name, solution in (("ones", ones), ("without", without)):
        (tmp_path / name).mkdir()
        with View(browser, written(solution, tmp_path / name)) as view:
            for spot, column in kept_rows(solution):
                history = " ".join(map(str, spot.history))
                view.page.evaluate("(path) => { location.hash = '#h=' + path; }", history.replace(" ", "+"))
                view.page.wait_for_function("(path) => document.getElementById('history').value === path", arg=history)
                check_answer(view, solution, spot, column)
                assert f"Off the equilibrium path: {source_told(solution, spot, column)}." in view.text(".trust")


def test_a_belief_is_assumed_by_a_resolve_where_no_row_has_its_own(without: Solution) -> None:
    assert ASSUMED in {basis(without, spot, column) for spot, column in kept_rows(without)}
