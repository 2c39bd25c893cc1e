"""Learning by sampling: the kernels against the rules played naively, and what is measured against exact values."""

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules import hand
from rules.base.errors import OptionError, SolutionFileError
from rules.betting.actions import FOLD, Action
from rules.betting.public_game import Outcome
from rules.games.blind_mans_bluff import BlindMansBluff
from solver.kernels import mccfr as kernels
from solver.kernels.mccfr import BOLD, CALLER, RANDOM, RULE, TABLE, FixedLimitGame, Spot
from solver.mccfr.bucket_keys import AGGRESSOR, ANSWERED, BETWEEN, FIRST, LAST, NO_BET, PENDING, known
from solver.mccfr.lower_bound import among_simple, compared, lower_bound, profile_of, style_name
from solver.mccfr.sampler import (
    MIX,
    SIMPLE,
    Sampler,
    kind_of,
    layout_of,
    limits_of,
    normal,
    population,
    seconds_of,
    spot_after,
)
from solver.mccfr.solution import MCCFRSolution, load_sampled
from solver.mccfr.solving import solve_sampled
from solver.mccfr.spots import node_at, spot_seen
from solver.multiplayer.evaluation import MultiplayerGame
from solver.solutions.archive import is_sampled_file

QUICK: dict[str, Any] = {"hands": 2_000, "batches": 1, "threads": 1}


def table(**options: Any) -> BlindMansBluff:
    spec = hand("blind-mans-bluff", **options)
    assert isinstance(spec, BlindMansBluff)
    return spec


def played(spec: BlindMansBluff, seed: int) -> Iterator[tuple[list[Action], Any, list[int]]]:
    """Yield histories of a random hand with where they lead, and everybody's cards by strength."""
    generator = random.Random(seed)
    limits = limits_of(spec)
    cards = [card // limits.copies for card in generator.sample(range(limits.kinds * limits.copies), spec.players)]
    history: list[Action] = []
    position: Any = spec.public.root
    yield history, position, cards
    while not isinstance(position, Outcome):
        action, position = generator.choice(spec.public.moves(position))
        history = [*history, action]
        yield history, position, cards


def order_of(cards: list[int]) -> np.ndarray[Any, Any]:
    return np.array(sorted(range(len(cards)), key=lambda seat: -cards[seat]))


TABLES = [
    {"players": 2},
    {"players": 5, "max_raises": 0, "bet_size": 3},
    {"players": 6},
    {"players": 10},
    {"players": 7, "max_raises": 3, "bet_size": 2, "raise_size": 5},
    {"players": 4, "rank_suits": True},
]


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_states_and_payoffs_are_those_of_the_rules(options: dict[str, Any]) -> None:
    spec = table(**options)
    limits = limits_of(spec)
    names = spec.around_the_table().cards
    for seed in range(60):
        for history, position, cards in played(spec, seed):
            spot = Spot(*kernels.root(limits))
            for action in history:
                spot = Spot(*kernels.after(limits, spot, kind_of(action)))
            paid = [kernels.level(limits, spot.paid >> (5 * seat) & 31) for seat in range(spec.players)]
            if isinstance(position, Outcome):
                assert spot.seat == -1
                got = [
                    kernels.payoff(limits, spot, np.array(cards), order_of(cards), seat) for seat in range(spec.players)
                ]
                deal = [names[card] for card in cards]
                # Without ranked suits the strongest left is found by ranks alone.
                assert got == pytest.approx([float(net) for net in settled(spec, position, deal)])
                assert sum(got) == pytest.approx(0)
            else:
                assert spot.seat == position.pending[0]
                assert [seat for seat in range(spec.players) if spot.left >> seat & 1] == list(position.left)
                assert {seat for seat in range(spec.players) if spot.pending >> seat & 1} == set(position.pending)
                assert (spot.bets, paid) == (position.bets, list(position.paid))


def settled(spec: BlindMansBluff, outcome: Any, deal: list[str]) -> Any:
    from rules.cards.playing_cards import Card

    return spec.settle(outcome, [Card.parse(card, "") for card in deal])


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_a_key_is_what_matters_and_never_the_own_card(options: dict[str, Any]) -> None:
    spec = table(**options)
    limits, layout = limits_of(spec), layout_of(limits_of(spec))
    met: dict[int, Any] = {}
    for seed in range(150):
        for history, position, cards in played(spec, seed):
            if isinstance(position, Outcome):
                continue
            spot = Spot(*kernels.root(limits))
            for action in history:
                spot = Spot(*kernels.after(limits, spot, kind_of(action)))
            key = kernels.key(layout, limits, spot, np.array(cards), order_of(cards))
            assert 0 <= key < layout.size
            met.setdefault(key, naive(spec, history, position, cards))
            other = [*cards]
            other[spot.seat] = (other[spot.seat] + 1 + seed) % limits.kinds
            assert kernels.key(layout, limits, spot, np.array(other), order_of(other)) == key
            # Equal keys mean equal knowledge in the twin's words, but for whose equal cards come first.
            assert met[key] == naive(spec, history, position, cards)
    assert len(set(map(str, met.values()))) == len(met)


def naive(spec: BlindMansBluff, history: list[Action], state: Any, cards: list[int]) -> tuple[Any, ...]:
    """Say what a player knows as `solver.kernels.mccfr.key` is documented, with words of its own."""
    me, ranks = state.pending[0], [card * 13 // len(spec.around_the_table().cards) for card in cards]
    done: dict[int, list[Action]] = {}
    position, aggressor, answers = spec.public.root, None, [0] * spec.players
    for action in history:
        seat = position.pending[0]
        done.setdefault(seat, []).append(action)
        position = dict(spec.public.moves(position))[action]  # type: ignore[assignment]
        if position.bets > max(answers):  # type: ignore[union-attr]
            aggressor = seat
        if action.kind != FOLD:
            answers[seat] = position.bets  # type: ignore[union-attr]
    others = sorted((seat for seat in state.left if seat != me), key=lambda seat: (-cards[seat], seat))

    def role(seat: int) -> str:
        return "bet" if seat == aggressor else "yet" if seat in state.pending else "answered"

    folded = [cards[seat] for seat in range(spec.players) if seat not in state.left]
    top = cards[others[0]]
    above = any(card > top for card in folded) or any(
        card == top and seat < others[0] for seat, card in enumerate(cards) if seat not in state.left
    )
    what = tuple((ranks[seat], role(seat)) for seat in others[:2])
    own: Any = None
    if state.bets and me not in done:
        own = sum(seat not in done for seat in state.pending) - 1
    elif state.bets:
        own = "paid" if answers[me] else "checked"
    at = 0 if not state.bets else "last" if state.bets > spec.max_raises else min(state.bets, 2)
    return (len(state.left), len(state.pending), own, at, what, above)


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_a_key_is_read_as_it_was_put_together(options: dict[str, Any]) -> None:
    spec = table(**options)
    limits, layout = limits_of(spec), layout_of(limits_of(spec))
    for seed in range(100):
        for history, position, cards in played(spec, seed):
            if isinstance(position, Outcome):
                continue
            spot = spot_after(limits, history)
            one = known(limits, kernels.key(layout, limits, spot, np.array(cards), order_of(cards)))
            own = one.fresh if one.paid is None else "paid" if one.paid else "checked"
            at = {NO_BET: 0, FIRST: 1, BETWEEN: 2, LAST: "last"}[one.level]
            roles = {AGGRESSOR: "bet", ANSWERED: "answered", PENDING: "yet"}
            what = [(one.best, roles[one.best_holder])]
            if one.second is not None and one.second_holder is not None:
                what.append((one.second, roles[one.second_holder]))
            assert (one.left, one.behind + 1, own, at, tuple(what), one.higher) == naive(spec, history, position, cards)


@pytest.mark.slow
def test_what_is_seen_is_counted_as_it_is_dealt_and_played() -> None:
    spec = table(players=5)
    solution = solve_sampled(spec, max_iterations=2, **QUICK)
    limits, start = limits_of(spec), node_at(solution)
    assert start.reached == 1.0
    assert start.often.sum() == pytest.approx(1, abs=0.01)
    aces = sum(often for key, often in zip(start.keys.tolist(), start.often.tolist(), strict=True)
               if known(limits, key).best == 12)  # fmt: skip
    # At least one ace among the four cards seen, of 52.
    assert aces == pytest.approx(1 - math.comb(48, 4) / math.comb(52, 4), abs=0.015)
    assert start.played == pytest.approx(start.probability @ start.often, abs=0.01)
    # Whoever bets has seen what is worth it: the histories share what the start plays.
    after = [node_at(solution, str(action)).reached for action in start.actions]
    assert after == pytest.approx(start.played.tolist())
    seen = node_at(solution, "k b")
    for key, mix in zip(seen.keys.tolist(), seen.probability.T, strict=True):
        assert solution.table[key][solution.table[key] > 0].tolist() == pytest.approx(mix[mix > 0].tolist())


def test_deals_are_hands_of_the_deck_and_alike() -> None:
    limits = FixedLimitGame(10, 1, 1, 1, 13, 4)
    state, deck = np.array([7], np.uint64), np.arange(52)
    cards, order, counts = np.zeros(10, np.int64), np.zeros(10, np.int64), np.zeros(13)
    for _ in range(20_000):
        kernels.deal(limits, state, deck, cards, order)
        assert np.bincount(cards, minlength=13).max() <= 4
        assert (np.diff(cards[order]) <= 0).all()
        counts += np.bincount(cards, minlength=13)
    assert sorted(deck) == list(range(52))
    assert counts / counts.sum() == pytest.approx(1 / 13, rel=0.03)


def test_simple_players_do_what_their_names_say() -> None:
    limits = FixedLimitGame(3, 1, 1, 1, 13, 4)
    start, cards = kernels.root(limits), np.array([0, 9, 4])
    order = np.array([1, 2, 0])
    facing = kernels.after(limits, start, kernels.RAISE)
    seen_by_second = np.array([8, 0, 4]), np.array([0, 2, 1])

    def does(style: int, spot: Any, *what: Any) -> int:
        return int(kernels.simple(style, limits, spot, *what, 0.5))

    assert (does(CALLER, start, cards, order), does(CALLER, facing, *seen_by_second)) == (1, 1)
    assert does(RULE + 9, start, cards, order) == kernels.RAISE
    assert does(RULE + 8, start, cards, order) == kernels.GO_ON
    assert does(RULE + 8, facing, *seen_by_second) == kernels.GO_ON
    assert does(RULE + 7, facing, *seen_by_second) == kernels.FOLD
    assert does(BOLD + 8, facing, *seen_by_second) == kernels.RAISE
    raised = kernels.after(limits, facing, kernels.RAISE)
    assert does(BOLD + 12, raised, cards, np.array([1, 2, 0])) == kernels.GO_ON
    assert does(BOLD + 7, start, cards, order) == kernels.GO_ON
    draws = [kernels.simple(RANDOM, limits, start, cards, order, number) for number in (0.1, 0.5, 0.9)]
    assert draws == [0, 1, 2]
    assert [style_name(style, "23456789TJQKA") for style in SIMPLE[:3]] == ["check and call", "random", "bet up to 2"]


def learned(players: int, iterations: int, share: float = 0.0, seed: int = 1) -> tuple[FixedLimitGame, Any]:
    limits = limits_of(table(players=players))
    with Sampler(limits, seed=seed, population=population(share=share)) as sampler:
        for _ in range(iterations):
            sampler.iterate()
        return limits, normal(sampler.weights())


@pytest.mark.slow
def test_learning_comes_near_an_equilibrium_of_three_players() -> None:
    limits, found = learned(3, 60)
    game = table(players=3).around_the_table()
    exact = MultiplayerGame.of(game)
    measured = exact.measure(profile_of(game, limits, found))
    even = exact.measure(profile_of(game, limits, np.zeros_like(found)))
    assert measured.nash_conv < 0.2 < 3.0 < even.nash_conv


def test_the_lower_bound_is_one_and_values_agree_with_exact_ones() -> None:
    limits, found = learned(3, 15)
    game = table(players=3).around_the_table()
    exact = MultiplayerGame.of(game).measure(profile_of(game, limits, found))
    bound = lower_bound(limits, found, seed=4, hands=40_000, batches=20)
    assert (np.abs(bound.estimates.own - exact.values) < 4 * bound.estimates.own_error).all()
    assert (bound.estimates.more < exact.gains + 4 * bound.estimates.more_error).all()
    assert bound.gain > 0.3 * exact.nash_conv
    assert 0.0 < bound.half_width < 0.1


def test_differences_are_paired() -> None:
    limits, found = learned(5, 2)
    same = compared(limits, (found, found), TABLE, TABLE, seed=3, hands=2_000)
    assert (same.more == 0.0).all()
    assert (same.more_error == 0.0).all()
    callers = among_simple(limits, found, CALLER, seed=3, hands=2_000)
    assert callers.own.sum() == pytest.approx(0, abs=1e-12)
    assert (among_simple(limits, found, CALLER, seed=3, hands=2_000, threads=2).more == callers.more).all()


@pytest.mark.slow
def test_what_is_learned_beats_simple_players_of_five() -> None:
    limits = limits_of(table(players=5))
    for style in (CALLER, RANDOM, RULE + 8, RULE + 11):
        only = [float(style == one) for one in SIMPLE]
        with Sampler(limits, population=population(0.0, 1.0, only)) as sampler:
            for _ in range(15):
                sampler.iterate()
        found = among_simple(limits, normal(sampler.weights()), style, seed=11, hands=20_000)
        assert (found.lowest > 0.0).all()


def small(**more: Any) -> MCCFRSolution:
    return solve_sampled(table(players=5), **({"max_iterations": 3, "seed": 2} | QUICK | more))


@pytest.mark.slow
def test_the_same_bytes_with_any_number_of_threads_and_when_gone_on(tmp_path: Path) -> None:
    small().save(tmp_path / "a.npz")
    small(threads=2).save(tmp_path / "b.npz")
    small(max_iterations=1).save(tmp_path / "part.npz")
    small(resume=load_sampled(tmp_path / "part.npz", with_state=True), seed=77).save(tmp_path / "c.npz")
    first = (tmp_path / "a.npz").read_bytes()
    assert (tmp_path / "b.npz").read_bytes() == first
    assert (tmp_path / "c.npz").read_bytes() == first
    assert small(seed=3).bound.gain != small().bound.gain


@pytest.mark.slow
def test_a_file_is_read_back_measured_again_and_refused_where_it_lies(tmp_path: Path) -> None:
    solution = small()
    solution.save(tmp_path / "a.npz")
    assert is_sampled_file(tmp_path / "a.npz")
    assert not is_sampled_file(tmp_path / "nothing.npz")
    again = load_sampled(tmp_path / "a.npz")
    assert (again.table == solution.table).all()
    assert again.provenance == solution.provenance
    assert not again.state
    again.verify()
    with pytest.raises(SolutionFileError, match="cannot be gone on from"):
        solve_sampled(again.spec, resume=again)
    with pytest.raises(OptionError, match="same hand"):
        solve_sampled(table(players=6), resume=again)
    broken = bytearray((tmp_path / "a.npz").read_bytes())
    broken[len(broken) // 2] ^= 1
    (tmp_path / "a.npz").write_bytes(broken)
    with pytest.raises(SolutionFileError):
        load_sampled(tmp_path / "a.npz", with_state=True)


@pytest.mark.slow
def test_stopping_keeps_what_there_is() -> None:
    asked = iter([False, True])
    stopped = small(max_iterations=100, stop=lambda: next(asked))
    assert (stopped.provenance.iterations, stopped.provenance.stopped) == (1, "interrupted")
    assert len(stopped.keys) > 0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(OptionError, match="share"):
        population(share=1.5)
    with pytest.raises(OptionError, match="28 weights"):
        population(mix=MIX[1:])
    with pytest.raises(OptionError, match="chips"):
        limits_of(table(players=3, objective="session"))
    assert seconds_of(limits_of(table(players=10)), 100, 2) < seconds_of(limits_of(table(players=10)), 100, 1)


@pytest.mark.slow
def test_a_spot_is_answered_after_a_free_fold_too() -> None:
    solution = small()
    spot = spot_seen(solution, "K,9,4,2", "k f")
    assert (spot.player, spot.left, spot.to_call) == (2, (0, 2, 3, 4), 0)
    assert spot.probability.sum() == pytest.approx(1)
    assert spot.own_card.sum() == pytest.approx(1)
    assert dict(zip(map(str, spot.actions), spot.ev.tolist(), strict=True))["f"] == -1.0
    # Before anybody acts the own card is one of those that are not seen.
    chances = spot_seen(solution, "K,9,4,2").own_card * 48
    assert chances.tolist() == pytest.approx([3, 4, 3, 4, 4, 4, 4, 3, 4, 4, 4, 3, 4])
