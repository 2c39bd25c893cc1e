"""The Python face: what results print and show in a notebook, frames on a narrow screen, and the page of docs."""

import html.parser
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.data import frames
from reports.data.multiplayer_rows import ROW_COLUMNS
from reports.data.rows import TIDY_COLUMNS
from rules import hand
from rules.base.errors import OptionError
from rules.games.registry import GAMES
from rules.games.spec import HandSpec
from solver import load
from solver.mccfr.solution import MCCFRSolution
from solver.mccfr.solving import solve_sampled
from solver.mccfr.spots import node_at, spot_seen
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.solving import solve_table
from solver.multiplayer.spots import spot_at
from solver.solutions.notebook import MOST_ROWS, html_table, signed
from solver.solutions.spots import Spots
from tests.documents.notebook import CELL, NOTEBOOK, printed, rendered
from tests.documents.readme import README, alike
from tests.support.commands import SOLVED
from tests.support.helpers import refused

pytestmark = pytest.mark.slow

SHORT = 240
"""Characters that say what a thing is: at most two or three lines of a terminal."""


@pytest.fixture(scope="module")
def three() -> MultiplayerSolution:
    return solve_table(hand("blind-mans-bluff", players=3), gap=0.1)


@pytest.fixture(scope="module")
def five() -> MCCFRSolution:
    return solve_sampled(hand("blind-mans-bluff", players=5), max_iterations=2, hands=2_000, batches=1, threads=1)


def test_the_notebook_of_the_docs_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(CELL.findall(text)) == text.count("```python") >= 10
    monkeypatch.chdir(tmp_path)
    for made, shown in zip(CELL.finditer(rendered(text)), CELL.finditer(text), strict=True):
        # Digits beyond the fourth may differ from processor to processor; all else is the same everywhere.
        fine = re.search(r"\d\.\d{5}", shown["shown"])
        assert made["shown"] == shown["shown"] or (fine and alike(made["shown"], shown["shown"])), made["code"]
    assert {path.name for path in tmp_path.iterdir()} == {"opening.svg", "four.npz"}
    assert "docs/notebook.md" in README.read_text(encoding="utf-8")


def test_a_cell_prints_what_a_notebook_would() -> None:
    names: dict[str, Any] = {}
    assert printed("x = 2\nprint(x)\nx + 1", names) == "2\n3\n"
    assert printed("y = x", names) == ""
    assert printed("None", names) == ""


@pytest.mark.parametrize("name", SOLVED)
def test_results_of_two_players_are_named_in_a_line(name: str, solved: Path) -> None:
    solution = load(solved / f"{name}.npz")
    told = repr(solution)
    assert told.startswith(f"<Solution of {solution.spec.game}, {solution.spec.headline}: value to P1 ")
    assert f"NashConv {solution.nash_conv:.2g} {solution.spec.unit}>" in told
    deal = Spots(solution, solution.boards[0])
    assert repr(deal).startswith(f"<Spots of {solution.spec.game}, ")
    assert solution.boards[0] in repr(deal)
    for thing in (solution, deal, solution.provenance):
        assert len(repr(thing)) <= SHORT
        assert "\n" not in repr(thing)


def test_spots_of_two_players_are_named_in_a_line(solved: Path) -> None:
    assert repr(Spots(load(solved / "deck.npz")).at("b1 r3")).startswith("<Spot: P1 acts after b1 r3; f c ")
    assert (
        repr(Spots(load(solved / "boards.npz"), "3,10").at())
        == "<Spot: 3,10: P1 acts first; f b1 allin; 10 observations>"
    )


def test_results_of_more_players_are_named_in_a_line(three: MultiplayerSolution, five: MCCFRSolution) -> None:
    values = ", ".join(f"P{seat + 1} {signed(value)}" for seat, value in enumerate(three.measured.values))
    assert repr(three) == (
        "<MultiplayerSolution of blind-mans-bluff, 3 players, fresh deck, bet 1, at most 1 raise of 1: "
        f"values {values} chips, NashConv {three.nash_conv:.2g} chips>"
    )
    assert repr(spot_at(three, "k b")) == "<TableSpot: P3 acts after k b; f c r; 169 sets of cards seen>"
    assert repr(spot_seen(five, "K,9,4,2", "k b")) == "<SampledSpot: P3 acts after k b, seeing K,9,4,2; f c r>"
    assert repr(node_at(five)) == "<SampledNode: P1 acts first; f k b>"
    assert f"NashConv at least about {five.bound.gain:.2g} chips" in repr(five)
    for thing in (three, five, three.provenance, five.provenance):
        assert len(repr(thing)) <= SHORT


SPECS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((game, {}) for game in GAMES),
    ("indian-poker", {"seen": "1,4,4,9", "stacks": "12,8", "raises": "any"}),
    ("indian-poker", {"stacks": "7,13", "carry": 4, "tie_bust": "loses", "raise_limit": 2}),
    ("indian-holdem", {"board": "4,9", "penalties": "death-match", "opens": "1,allin"}),
    ("double-sided", {"fronts": "3,8", "shown": "3/7,4/2", "hidden": "5,9"}),
    ("blind-mans-bluff", {"players": 4, "max_raises": 2, "rank_suits": True}),
    ("blind-mans-bluff", {"players": 3, "balances": "103,99,98"}),
)


@pytest.mark.parametrize(("game", "options"), SPECS)
def test_a_hand_is_written_as_it_is_asked_for(game: str, options: dict[str, Any]) -> None:
    spec: HandSpec = hand(game, **options)
    told = repr(spec)
    assert len(told) <= SHORT
    assert eval(told, {"hand": hand}) == spec
    if not options:
        assert told == f"hand({game!r})"


def test_what_is_long_is_left_out_of_a_hands_name() -> None:
    later = [[["100"] * 2, [0.5, 0.5]]] * 7
    spec = hand("blind-mans-bluff", objective="session", hands_left=2, balances="100,100", later=later)
    assert "later=..." in repr(spec)
    assert len(repr(spec)) <= SHORT


class Rows(html.parser.HTMLParser):
    """Collects a table's cells row by row, and complains where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag == "br":
            self.rows[-1][-1] += "\n"
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def cells(probability: Any, ev: Any) -> list[str]:
    marks = [" ●" if f"{value:.4f}" == f"{max(ev):.4f}" else "" for value in ev]
    return [f"{100 * p:.1f} %{mark}\n{signed(value)}" for p, mark, value in zip(probability, marks, ev, strict=True)]


@pytest.mark.parametrize("name", ["deck", "boards", "fronts", "suits"])
def test_a_notebook_shows_a_spot_of_two_players(name: str, solved: Path) -> None:
    solution = load(solved / f"{name}.npz")
    deal = Spots(solution, solution.boards[-1])
    for spot in list(deal.walk())[:5]:
        shown = spot._repr_html_()
        head, *rows = Rows(shown).rows
        assert head == ["sees", *(action.words for action in spot.actions)]
        assert len(rows) == min(len(spot.observations), MOST_ROWS)
        for column, (first, *mix) in enumerate(rows):
            assert first == spot.observations[column] + ("" if spot.reached[column] else " *")
            assert mix == cells(spot.probability[:, column], spot.ev[:, column])
        assert ("rows more" in shown) == (len(spot.observations) > MOST_ROWS)
        if solution.boards[-1]:
            assert f"<caption>{solution.boards[-1]}: " in shown


def test_a_notebook_shows_a_spot_of_three_players(three: MultiplayerSolution) -> None:
    for history in ("", "k b", "b r f"):
        spot = spot_at(three, history)
        shown = spot._repr_html_()
        head, *rows = Rows(shown).rows
        assert head == ["sees", *(action.words for action in spot.actions)]
        assert len(rows) == MOST_ROWS
        for first, *mix in rows:
            column = spot.column(first.removesuffix(" *"))
            assert first.endswith(" *") == (not spot.reached[column])
            assert mix == cells(spot.probability[:, column], spot.ev[:, column])
        assert "149 rows more" in shown
        assert "chips" in shown


def test_a_notebook_shows_sampled_spots(five: MCCFRSolution) -> None:
    spot = spot_seen(five, "K,9,4,2", "k b")
    head, *rows = Rows(spot._repr_html_()).rows
    assert head == ["", "probability", "EV (chips)"]
    expected = zip(spot.actions, spot.probability.tolist(), spot.ev.tolist(), strict=True)
    assert rows == [[action.words, f"{100 * p:.1f} %", signed(ev)] for action, p, ev in expected]
    node = node_at(five, "k b")
    head, *rows = Rows(node._repr_html_()).rows
    assert head == ["best card left", "second", "a higher one folded", "seen", "fold", "call", "raise"]
    assert len(rows) == MOST_ROWS < len(node.keys)
    assert [row[4:] for row in rows] == [[f"{100 * p:.1f} %" for p in mix] for mix in node.probability.T[:MOST_ROWS]]
    assert [row[3] for row in rows] == [f"{100 * p:.1f} %" for p in node.often[:MOST_ROWS]]
    assert f"{len(node.keys) - MOST_ROWS} rows more" in node._repr_html_()


def test_a_notebook_shows_solutions_of_more_players(three: MultiplayerSolution, five: MCCFRSolution) -> None:
    _, *rows = Rows(three._repr_html_()).rows
    values = zip(three.measured.values.tolist(), three.measured.gains.tolist(), strict=True)
    assert rows == [[f"P{seat + 1}", signed(value), f"{gain:.2g}"] for seat, (value, gain) in enumerate(values)]
    assert f"NashConv {three.nash_conv:.2g} chips" in three._repr_html_()
    _, *rows = Rows(five._repr_html_()).rows
    assert [row[0] for row in rows] == ["P1", "P2", "P3", "P4", "P5"]
    for (_, value, gain), own, more in zip(rows, five.bound.estimates.own, five.bound.estimates.more, strict=True):
        assert value.startswith(f"{signed(own)} +- ")
        assert gain.startswith(f"{signed(more)} +- ")
    assert f"at least {five.bound.gain:.2g}" in five._repr_html_()


def test_no_text_becomes_markup(solved: Path) -> None:
    hostile = "<img src=x onerror=alert(1)>&\"'"
    shown = Rows(html_table(hostile, [hostile], [[hostile, hostile]], hostile))
    assert shown.rows == [[hostile], [hostile, hostile]]
    assert shown.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "p", "small", "br"}
    spot = Spots(load(solved / "deck.npz")).at()
    named = type(spot)(**{**vars(spot), "board": hostile, "observations": (hostile,) * len(spot.observations)})
    assert Rows(named._repr_html_()).rows[1][0].startswith(hostile)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.0000"), (-0.00001, "0.0000"), (0.00006, "+0.0001"), (-1.0, "-1.0000")]
)
def test_values_are_signed_but_for_a_rounded_zero(value: float, text: str) -> None:
    assert signed(value) == text


@pytest.mark.parametrize("stacks", ["4,4", "10,10"])
def test_a_narrow_screen_shows_probability_and_ev(stacks: str, tmp_path: Path) -> None:
    """A terminal of 80 columns shows the ends of a wide frame, and those are the columns that one asks for."""
    from solver import solve

    frame = frames.strategy_frame(solve(hand("indian-poker", stacks=stacks), gap=0.1))
    assert tuple(frame.columns) == frames.FRAME_COLUMNS
    with pd.option_context("display.width", 80, "display.max_columns", 0):
        head = repr(frame).splitlines()[0].split()
    assert head[:3] == ["action", "probability", "ev"]
    assert head[-2:] == ["player", "observation"]
    text = frame._repr_html_()
    assert text.index(">probability<") < text.index(">ev<") < text.index(">history<") < text.index(">source<")


def test_a_frame_of_three_players_holds_every_spot(three: MultiplayerSolution) -> None:
    frame = frames.strategy_frame(three)
    assert tuple(frame.columns) == frames.TABLE_COLUMNS
    assert set(frame.columns) == set(ROW_COLUMNS)
    assert frames.TABLE_COLUMNS[:4] == frames.FRAME_COLUMNS[:4] == ("action", "probability", "ev", "history")
    assert len(frame) == 102 * 169
    assert {str(frame.dtypes[name]) for name in ("probability", "ev", "own_reach", "other_reach")} == {"float64"}
    assert frame.groupby(["history", "seen"])["probability"].sum().to_numpy() == pytest.approx(1.0)
    spot = spot_at(three, "k b")
    part = frames.spot_frame(three, "k b")
    pd.testing.assert_frame_equal(part, frame[frame["history"] == "k b"].reset_index(drop=True))
    assert np.array_equal(part["ev"].to_numpy().reshape(169, 3).T, spot.ev)
    for make in (lambda: frames.strategy_frame(three, "4"), lambda: frames.spot_frame(three, "k", "4")):
        with refused(OptionError, "expected no board", "got 4"):
            make()


def test_what_is_new_in_rows_is_in_frames_too() -> None:
    assert frames.ordered((*TIDY_COLUMNS, "error")) == (
        *("action", "probability", "ev", "history", "own_reach", "other_reach", "reached", "source", "error"),
        *("board", "player", "observation"),
    )
