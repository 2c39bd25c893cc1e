"""Advice of what was learned by sampling: true to its own values, the same each time, open about what is unknown."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.answering import sampled as sampled_module
from rules.games.registry import hand
from solver.kernels import mccfr as kernels
from solver.kernels.mccfr import BOLD, CALLER, RANDOM, RULE, TABLE, Spot
from solver.mccfr.bucket_keys import LAST, NO_BET, known, levels
from solver.mccfr.judging import NORMAL_95, Judged, errors_of, judged, least_of, legal_at
from solver.mccfr.lower_bound import among_simple, lower_bound
from solver.mccfr.sampler import (
    MIX,
    SIMPLE,
    Sampler,
    iterations_within,
    layout_of,
    limits_of,
    normal,
    population,
    seconds_of,
    spot_after,
)
from solver.mccfr.solution import MCCFRSolution
from solver.mccfr.solving import solve_sampled
from solver.mccfr.spots import KNOWN, PLAYED_ON, MCCFRSpot, node_at, spot_seen
from tests.support.commands import good, rows_of

SIX = hand("blind-mans-bluff", players=6)


@pytest.fixture(scope="module")
def six() -> MCCFRSolution:
    return solve_sampled(SIX, max_iterations=20, hands=2_000, batches=1, deals=20_000, threads=2)


@pytest.fixture(scope="module")
def file(six: MCCFRSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("advice") / "six.npz"
    six.save(path)
    return path


QUESTIONS = [
    ("K,9,4,7,J", "k b"),
    ("2,2,2,3,3", ""),
    ("A,A,A,K,K", "k"),
    ("A,K,Q,J,10", "k k k"),
    ("A,A,A,A,K", "b"),
    ("9,4,7,J,2", "f f k b r"),
    ("9,9,9,J,2", "k k b c f f"),
    ("2,3,3,4,4", "b c c"),
    ("K,K,5,5,5", "k k k k k"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("seen", "history"), QUESTIONS)
def test_nothing_is_played_that_the_values_call_a_blunder(six: MCCFRSolution, seen: str, history: str) -> None:
    spot = spot_seen(six, seen, history)
    assert spot.probability.sum() == pytest.approx(1)
    for place, action in enumerate(spot.actions):
        behind = spot.ev[spot.best] - spot.ev[place]
        if behind > NORMAL_95 * spot.behind[place]:
            assert spot.probability[place] == 0.0
        if str(action) == "f" and not spot.to_call:
            assert spot.probability[place] == 0.0
            assert place != spot.best
    if not spot.known:
        assert spot.probability[spot.best] == 1.0


@pytest.mark.parametrize(("seen", "history"), QUESTIONS)
def test_advice_as_data_and_as_best_and_in_words(file: Path, seen: str, history: str) -> None:
    line = ("--see", seen, "--history", history)
    told = json.loads(good("advise", "--from", file, *line, "--format", "json").out)
    best = json.loads(good("best", file, *line, "--format", "json").out)
    for name in ("actions", "best", "mix", "sampled", "known"):
        assert told[name] == best[name]
    text = " ".join(good("advise", "--from", file, *line).out.split())
    assert ("Not known: sampled" in text) == (not told["known"]) == (told["sampled"] < KNOWN)
    for one in told["actions"]:
        if one["action"] == "f":
            assert one["ev_half_width"] == 0.0
        else:
            assert one["ev_half_width"] > 0.0
            assert " +- " in text
    played = [one["action"] for one in told["actions"] if one["probability"] > 0.0]
    assert told["draw"] in played
    assert told["best"] in played


def test_values_and_their_errors_by_playing_hands_one_by_one(six: MCCFRSolution) -> None:
    """The same hands, with the rules' own settlement of each."""
    spot = spot_seen(six, "K,9,4,7,J", "k b")
    limits, layout, number = limits_of(SIX), layout_of(limits_of(SIX)), 3_000
    one_by_one: dict[int, list[float]] = {0: [], 1: [], 2: []}
    generator = np.random.default_rng(3)
    flat = spot.chances.ravel()
    table, found = six.table, np.zeros(3)
    for _ in range(number):
        card, style = divmod(int(generator.choice(len(flat), p=flat)), spot.chances.shape[1])
        cards = spot.cards.copy()
        cards[spot.player] = card
        order = np.argsort(-cards, kind="stable")
        for action in range(3):
            position = Spot(*kernels.after(limits, spot.spot, action))
            while position.seat >= 0:
                plays = TABLE if position.seat == spot.player else style
                act = kernels.acted(plays, layout, limits, position, cards, order, table, generator.random(), found)
                position = Spot(*kernels.after(limits, position, act))
            one_by_one[action].append(kernels.payoff(limits, position, cards, order, spot.player))
    for action, won in one_by_one.items():
        error = float(np.std(won) / np.sqrt(number))
        assert spot.ev[action] == pytest.approx(np.mean(won), abs=5 * error + 1e-12)
        assert spot.error[action] == pytest.approx(error * np.sqrt(number / PLAYED_ON), rel=0.15)


def test_what_others_may_be_and_the_own_card_by_bayes(six: MCCFRSolution) -> None:
    spot = spot_seen(six, "K,9,4,7,J", "k b")
    slip, share = six.provenance.slip, six.provenance.share
    limits, layout = limits_of(SIX), layout_of(limits_of(SIX))
    expected = np.zeros((13, 1 + len(SIMPLE)))
    for card in range(13):
        cards = spot.cards.copy()
        cards[spot.player] = card
        order = np.argsort(-cards, kind="stable")
        copies = 4 - int(np.sum(np.delete(spot.cards, spot.player) == card))
        for style in range(1 + len(SIMPLE)):
            chance = copies * (1 - share if style == TABLE else share * MIX[style - CALLER] / sum(MIX))
            for done, action in enumerate((1, 2)):
                state = spot_after(limits, spot.history[:done])
                legal = 3
                if style == TABLE:
                    row = six.table[kernels.key(layout, limits, state, cards, order)][1:]
                    acts = (row / row.sum() if row.sum() else np.full(2, 0.5))[action - 1]
                elif style == RANDOM:
                    acts = 1 / 3
                else:
                    best = max(card for seat, card in enumerate(cards.tolist()) if seat != state.seat)
                    rule = style - (BOLD if style >= BOLD else RULE)
                    bets = style >= RULE and best <= rule
                    acts = float((action == 2) == bets)
                chance *= (1 - slip) * acts + slip / legal
            expected[card, style] = chance
    expected /= expected.sum()
    assert spot.chances == pytest.approx(expected, abs=1e-12)
    assert spot.own_card == pytest.approx(expected.sum(axis=1), abs=1e-12)


@pytest.mark.slow
def test_the_same_question_has_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ("advise", "blind-mans-bluff", "--players", "5", "--see", "K,9,4,2", "--history", "k b", "--no-cache")
    rest = ("--max-seconds", "60", "--seed", "3", "--format", "json")  # no clock stops so few iterations
    planned = list[float]()
    monkeypatch.setattr(sampled_module, "iterations_within", lambda limits, seconds: planned.append(seconds) or 4)
    first, second = (good(*line, *rest).out for _ in range(2))
    assert first == second
    told = json.loads(first)
    assert (told["iterations"], planned, told["cut_short"]) == (4, [60.0, 60.0], False)
    other = json.loads(good(*line, *rest[:2], "--seed", "4", "--format", "json").out)
    assert other["actions"] == told["actions"]
    # A machine that is much slower is stopped by the clock, and that is said.
    monkeypatch.setattr(sampled_module, "iterations_within", lambda limits, seconds: 10_000)
    short = json.loads(good(*line, "--max-seconds", "0.1", *rest[2:]).out)
    assert short["cut_short"] is True
    text = " ".join(good(*line, "--max-seconds", "0.1").out.split())
    assert "The time was up: this answer was cut short after" in text
    assert "of 10000 iterations" in text


def test_how_much_is_learned_follows_from_the_time_allowed_and_not_from_the_clock() -> None:
    limits = limits_of(SIX)
    assert iterations_within(limits, 10.0) == 51
    assert iterations_within(limits, 1e-9) == 1
    ten = limits_of(hand("blind-mans-bluff", players=10))
    assert iterations_within(ten, 10.0) == 18
    assert seconds_of(ten, 18, 1) <= 5.0


def test_rows_that_were_seldom_sampled_are_marked(file: Path, six: MCCFRSolution, tmp_path: Path) -> None:
    told = json.loads(good("show", file, "--history", "k b r", "--format", "json").out)
    assert not all(row["known"] for row in told["rows"])
    assert all(row["known"] for row in json.loads(good("show", file, "--format", "json").out)["rows"][:20])
    for row in told["rows"]:
        assert row["known"] == (row["sampled"] >= KNOWN)
    text = good("show", file, "--history", "k b r").out
    assert " ? " in text
    assert "? not known: learning came here in fewer than 400 hands" in text
    node = node_at(six, "k b r")
    assert [row["sampled"] for row in told["rows"]] == node.met.tolist()
    good("export", file, "-o", tmp_path / "s.csv")
    assert sum(int(row["sampled"]) for row in rows_of(tmp_path / "s.csv")[::2]) > 0


def test_levels_of_many_keys_are_those_of_one(six: MCCFRSolution) -> None:
    limits = limits_of(SIX)
    some = six.keys[::97]
    assert levels(limits, some).tolist() == [known(limits, key).level for key in some.tolist()]
    legal = legal_at(limits, some)
    assert (legal[:, 0] == (levels(limits, some) != NO_BET)).all()
    assert (legal[:, 2] == (levels(limits, some) != LAST)).all()
    assert legal[:, 1].all()
    assert not six.strategy[~legal_at(limits, six.keys)].any()


def test_rows_without_blunders() -> None:
    values = np.array([[-1.0, -1.2, -3.0], [-1.0, -1.2, -3.0], [-1.0, -2.0, -2.0], [-1.0, 0.0, 0.5]])
    errors = np.full((4, 3, 3), 0.05)
    errors[1] = 2.0
    legal = np.array([[True] * 3, [True] * 3, [True] * 3, [False, True, True]])
    played = np.array([[0.2, 0.4, 0.4], [0.2, 0.4, 0.4], [0.0, 0.5, 0.5], [0.0, 0.0, 0.0]])
    found = Judged(values, errors).without_blunders(played, legal, 0.3)
    expected = [[1 / 3, 2 / 3, 0], [0.2, 0.4, 0.4], [1, 0, 0], [0, 0, 1]]
    assert found == pytest.approx(np.array(expected))


def test_errors_of_means() -> None:
    sample = np.random.default_rng(0).normal(2.0, 3.0, 500)
    found = errors_of(np.array([sample.mean()]), np.array([(sample**2).mean()]), np.array([500.0]))
    assert found[0] == pytest.approx(sample.std(ddof=1) / np.sqrt(500))
    assert errors_of(np.zeros(1), np.zeros(1), np.ones(1))[0] == np.inf


@pytest.mark.slow
def test_judging_does_no_harm() -> None:
    """What trained responses gain does not grow, and what is won among simple players does not fall."""
    limits, meets = limits_of(SIX), population()
    with Sampler(limits, population=meets, threads=2) as sampler:
        for _ in range(30):
            sampler.iterate()
        learned, keys = normal(sampler.weights()), np.flatnonzero(sampler.visits)
    judgement = judged(limits, learned, keys, meets, seed=99, deals=100_000)
    better = np.zeros_like(learned)
    better[keys] = judgement.without_blunders(learned[keys], legal_at(limits, keys), least_of(limits))
    assert np.abs(better - learned).max() > 0.1

    def quality(table: Any) -> tuple[float, float]:
        bound = lower_bound(limits, table, seed=3, hands=20_000, batches=15, threads=2)
        among = [among_simple(limits, table, style, seed=5, hands=20_000, threads=2) for style in (CALLER, RULE + 11)]
        return bound.gain, float(np.mean([one.more.mean() for one in among]))

    (plain_gain, plain_won), (gain, won) = quality(learned), quality(better)
    assert gain < plain_gain + 0.1
    assert won > plain_won - 0.01


def test_a_spot_where_learning_never_came_is_not_known(six: MCCFRSolution) -> None:
    spots = (spot_seen(six, seen, "k b r") for seen in ("2,2,3,3,3", "3,2,2,2,2", "2,2,2,2,3"))
    spot: MCCFRSpot = min(spots, key=lambda one: one.met)
    assert not spot.known
    assert sorted(spot.probability.tolist()) == [0.0] * (len(spot.actions) - 1) + [1.0]
