"""Tables of five to ten players, learned by sampling: throughput, and ten players among simple ones, seat by seat.

In the arena one seat plays the strategy and all others are copies of a simple player. What the seat wins is compared
with what the simple player itself wins there, among the same copies, on the same deals: the difference counts, with
its 95 % interval. Times are of CPU where they are of one thread, and of the clock where they are of all.
"""

import time
from dataclasses import dataclass

import numpy as np

from benchmarks.output import Output, Settings
from rules import hand
from rules.cards.playing_cards import RANKS
from solver.mccfr.judging import JUDGED, what_is_played
from solver.mccfr.lower_bound import HANDS, MEASURED, among_simple, lower_bound, style_name
from solver.mccfr.sampler import DEALS, RESPONSE_BATCHES, SIMPLE, Sampler, Table, limits_of, population

PLAYERS = 10
ITERATIONS, QUICK_ITERATIONS = 400, 2
WARMED, TIMED = 2, 10
"""Iterations that are not counted, and that are."""


@dataclass(frozen=True)
class Throughput:
    """How fast learning is, on one thread."""

    players: int
    deals_per_second: float
    information_sets_met: int


@dataclass(frozen=True)
class Duel:
    """What a seat wins more by the strategy than as a simple player, among copies of that one, in chips."""

    simple_player: str
    gains: tuple[float, ...]
    half_widths: tuple[float, ...]


@dataclass(frozen=True)
class Responses:
    """How long learning took, and what trained responses gain: a lower bound of NashConv, in chips."""

    players: int
    iterations: int
    seconds: float
    gain: float
    half_width: float


def throughput(players: int) -> Throughput:
    """Measure learning on one thread."""
    with Sampler(limits_of(hand("blind-mans-bluff", players=players)), population=population()) as sampler:
        for _ in range(WARMED):
            sampler.iterate()
        start = time.process_time()
        for _ in range(TIMED):
            sampler.iterate()
        took = time.process_time() - start
        return Throughput(players, round(TIMED * DEALS / took), int(sampler.regret.any(axis=1).sum()))


def learned(players: int, iterations: int, threads: int) -> tuple[Table, float]:
    """Learn and judge, and return the strategy with the seconds that it took."""
    start = time.perf_counter()
    limits, meets = limits_of(hand("blind-mans-bluff", players=players)), population()
    with Sampler(limits, population=meets, threads=threads) as sampler:
        for _ in range(iterations):
            sampler.iterate()
    keys, found = np.flatnonzero(sampler.visits), np.zeros_like(sampler.regret)
    found[keys] = what_is_played(limits, sampler.weights(), keys, meets, seed=MEASURED, deals=JUDGED)
    return found, time.perf_counter() - start


def run(output: Output, settings: Settings) -> None:
    """Measure and print."""
    speeds = [throughput(players) for players in ((PLAYERS,) if settings.quick else range(5, PLAYERS + 1))]
    for one in speeds:
        output.record("many", one)
    body = [(str(one.players), f"{one.deals_per_second:,.0f}", f"{one.information_sets_met:,}") for one in speeds]
    note = f"on one thread; of each deal every player learns; information sets met in {WARMED + TIMED} iterations"
    output.table("many: learning by sampling", ("players", "deals/s", "information sets"), body, note)

    limits = limits_of(hand("blind-mans-bluff", players=PLAYERS))
    iterations, hands = (QUICK_ITERATIONS, 2_000) if settings.quick else (ITERATIONS, HANDS)
    strategy, seconds = learned(PLAYERS, iterations, settings.threads)
    rows = []
    for style in SIMPLE:
        found = among_simple(limits, strategy, style, seed=MEASURED, hands=hands, threads=settings.threads)
        half = found.more - found.lowest
        duel = Duel(style_name(style, RANKS), tuple(found.more.tolist()), tuple(half.tolist()))
        output.record("many", duel)
        lowest = f"{found.lowest.min():+.3f}"
        rows.append((duel.simple_player, *(f"{gain:+.2f}" for gain in duel.gains), lowest))
    headers = ("among copies of", *(f"P{seat + 1}" for seat in range(PLAYERS)), "lowest 95 %")
    note = f"chips won more than the copy there, {hands:,} paired deals; lowest: the worst seat's end of its interval"
    output.table(f"many: {PLAYERS} players, {iterations} iterations, {seconds:.0f} s", headers, rows, note)

    batches = 1 if settings.quick else RESPONSE_BATCHES
    bound = lower_bound(limits, strategy, seed=MEASURED, hands=hands, batches=batches, threads=settings.threads)
    output.record("many", Responses(PLAYERS, iterations, seconds, bound.gain, bound.half_width))
    gains = [(f"P{seat + 1}", f"{gain:+.3f}") for seat, gain in enumerate(bound.estimates.more)]
    note = f"a lower bound of NashConv: {bound.gain:.2f} +- {bound.half_width:.2f} chips, 95 %"
    output.table("many: what a trained response adds", ("player", "chips"), gains, note)
