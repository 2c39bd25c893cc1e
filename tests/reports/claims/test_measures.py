"""Measures of claims against plain enumeration of everything that can happen in small hands."""

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from reports.claims import bench as claims_bench
from reports.claims import double_sided as claims_double_sided
from reports.claims import indian as claims_indian
from reports.claims import indian_holdem as claims_indian_holdem
from reports.claims import indian_poker as claims_indian_poker
from reports.claims.bench import Bench
from reports.claims.numbers import Number
from rules.betting.actions import ALLIN, BET, BOTH, FOLD, RAISE, Action
from rules.betting.chips import chips_gain
from rules.betting.no_limit import Showdown
from rules.betting.public_game import Outcome
from rules.cards.two_sided import TwoSided
from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import kind
from rules.games.registry import hand
from solver import solve
from solver.solutions.solution import Solution
from solver.solutions.spots import Spot, Spots


class Step(NamedTuple):
    """One action of a hand that was played: who, what was seen, the action, the level faced, and what was paid."""

    player: int
    seen: str
    action: Action
    level: int
    paid: int


class Play(NamedTuple):
    """A hand from the deal to its end, with its probability; `seen` is what P1 and P2 saw."""

    weight: float
    spec: Any
    seen: tuple[str, str]
    steps: tuple[Step, ...]
    outcome: Any

    @property
    def gain(self) -> float:
        """P1's gain in chips."""
        if isinstance(self.spec, DoubleSided):
            fronts = self.spec.fronts
            cards: Any = tuple(TwoSided(front, int(back)) for front, back in zip(fronts, self.seen, strict=True))
        else:
            cards = (int(self.seen[1]), int(self.seen[0]))
        verdict = self.spec.verdict(self.outcome, cards)
        return chips_gain(self.spec.chips, self.spec.settle(self.outcome, verdict))


def spots_by_history(solution: Solution, board: str) -> dict[tuple[Action, ...], Spot]:
    return {spot.history: spot for spot in Spots(solution, board).walk()}


def plays(first: Solution, second: Solution | None = None, boards: Any = None) -> Iterator[Play]:
    """Yield every hand that can happen where P1 plays one solution and P2 another (or the same)."""
    second = second or first
    for index, group in enumerate(first.classes):
        for deal in group.deals[:1] if boards is None else [one for one in group.deals if one.board in boards]:
            weight = group.weight if boards is None else deal.weight
            spec = first.spec.with_board(deal.board)
            spots = [spots_by_history(one, deal.board) for one in (first, second)]
            prior = first.game.classes[index].prior
            for x, mine in enumerate(deal.observations[0]):
                for y, theirs in enumerate(deal.observations[1]):
                    if prior[x, y] > 0.0:
                        yield from _on(spec, spots, (mine, theirs), weight * prior[x, y], (), spec.public.root)


def _on(spec: Any, spots: Any, seen: tuple[str, str], weight: float, steps: Any, position: Any) -> Iterator[Play]:
    if isinstance(position, Outcome):
        yield Play(weight, spec, seen, steps, position)
        return
    player = spec.public.player(position)
    spot = spots[player][tuple(step.action for step in steps)]
    for place, (action, target) in enumerate(spec.public.moves(position)):
        chance = spot.probability[place, spot.column(seen[player])]
        if chance > 0.0:
            step = Step(player, seen[player], action, position.level, position.paid)
            yield from _on(spec, spots, seen, weight * chance, (*steps, step), target)


def is_bet(step: Step, least: int, most: int = 99) -> bool:
    return step.action.kind in (BET, RAISE, ALLIN) and least <= step.action.size <= most


def share(pairs: Any) -> float:
    """Return how much of a weight, given as (weight, whether) pairs, is so."""
    told = list(pairs)
    return sum(weight for weight, is_so in told if is_so) / sum(weight for weight, _ in told)


def value(numbers: dict[str, Number], name: str) -> float:
    return numbers[name].value


@pytest.fixture(scope="module")
def poker() -> Bench:
    return Bench(hand("indian-poker", stacks=(7, 7)), 0.01)


@pytest.fixture(scope="module")
def poker_plays(poker: Bench) -> list[Play]:
    return list(plays(poker.solution))


@pytest.fixture(scope="module")
def holdem() -> Bench:
    return Bench(hand("indian-holdem", stacks=(7, 7)), 0.01)


@pytest.fixture(scope="module")
def sided() -> Bench:
    return Bench(hand("double-sided", stacks=(6, 6), fronts=(8, 9)), 0.01)


@pytest.mark.slow
def test_all_that_can_happen_adds_up_to_one_hand_and_its_value(poker: Bench, poker_plays: list[Play]) -> None:
    assert sum(play.weight for play in poker_plays) == pytest.approx(1.0)
    assert sum(play.weight * play.gain for play in poker_plays) == pytest.approx(poker.solution.value)


def test_big_bets_and_folds_tell(poker: Bench, poker_plays: list[Play]) -> None:
    steps = [(play.weight, step) for play in poker_plays for step in play.steps]
    weak = {step: int(step.seen) <= 5 for _, step in steps}
    found = claims_indian.big_bets_tell(poker)
    assert value(found, "weak_after_big") == pytest.approx(share((w, weak[s]) for w, s in steps if is_bet(s, 5)))
    assert value(found, "weak_after_small") == pytest.approx(share((w, weak[s]) for w, s in steps if is_bet(s, 1, 1)))
    assert value(found, "weak_after_any") == pytest.approx(share((w, weak[s]) for w, s in steps))
    folds = claims_indian.folds_tell(poker)
    folded = share((w, not weak[s]) for w, s in steps if s.action.kind == FOLD)
    stayed = share((w, not weak[s]) for w, s in steps if s.action.kind != FOLD and s.level > 0)
    assert value(folds, "strong_after_fold") == pytest.approx(folded)
    assert value(folds, "strong_after_no_fold") == pytest.approx(stayed)


@pytest.mark.slow
def test_the_weaker_half_of_a_board_is_by_strength(holdem: Bench) -> None:
    steps = []
    for play in plays(holdem.solution):
        board = play.spec.table
        for step in play.steps:
            deck = play.spec.deck.without(board)

            def strength(rank: int, board: Any = board) -> tuple[int, int]:
                return kind(rank, board), rank

            mine = strength(int(step.seen))
            below = sum(deck.count(rank) for rank in deck.ranks if strength(rank) < mine)
            same = deck.count(int(step.seen))
            steps.append((play.weight, step, (below + same / 2) / deck.total < 0.5))
    found = claims_indian.big_bets_tell(holdem)
    assert value(found, "weak_after_big") == pytest.approx(share((w, weak) for w, s, weak in steps if is_bet(s, 5)))


def test_a_fold_at_once(poker: Bench, holdem: Bench) -> None:
    # Of 20 cards two are 10s, and 6 chips are left to pay for them.
    found = claims_indian.fold_costs(poker)
    assert value(found, "cost") == pytest.approx(1 + 6 * 2 / 20)
    assert value(found, "penalty") == pytest.approx(6 * 2 / 20)
    assert value(found, "risk") == pytest.approx(2 / 20)
    few = claims_indian_holdem.few_ways(holdem)
    costs: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for (low, high), weight in holdem.spec.boards().items():  # type: ignore[attr-defined]
        counts = Counter(dict.fromkeys(range(1, 11), 4)) - Counter((low, high))
        kinds = {rank: kind(rank, (low, high)) for rank in counts}
        pay = sum(counts[rank] * {0: 0, 1: 5, 2: 6, 3: 6}[kinds[rank]] for rank in counts) / 38
        costs[sum(made > 0 for made in kinds.values()) <= 2].append((weight, 1 + pay))
    for name, is_few in (("cost", True), ("many", False)):
        total = sum(weight for weight, _ in costs[is_few])
        assert value(few, name) == pytest.approx(sum(w * cost for w, cost in costs[is_few]) / total)
    assert value(few, "boards") == pytest.approx(sum(weight for weight, _ in costs[True]))


def test_hard_bets_against_a_ten(poker: Bench, poker_plays: list[Play]) -> None:
    bets = [
        (play.weight, step.seen == "10")
        for play in poker_plays
        for step in play.steps
        if is_bet(step, 5) and int(play.seen[1 - step.player]) <= 3  # what the other sees is the bettor's own card
    ]
    found = claims_indian_poker.hard_bets_against_a_ten(poker)
    assert value(found, "ten") == pytest.approx(share(bets))
    assert value(found, "usual") == pytest.approx(2 / 19)
    assert value(found, "times") == pytest.approx(share(bets) / (2 / 19))


def test_folded_tens(poker: Bench, poker_plays: list[Play]) -> None:
    folded = [
        (play.weight, min(10, 6 - play.steps[-1].paid))
        for play in poker_plays
        if play.steps[-1].action.kind == FOLD and play.seen[1 - play.steps[-1].player] == "10"
    ]
    total = sum(weight for weight, _ in folded)
    found = claims_indian_poker.folded_tens(poker)
    assert value(found, "extra") == pytest.approx(sum(weight * extra for weight, extra in folded) / total)
    assert value(found, "full") == pytest.approx(0.0, abs=1e-9)
    assert value(found, "folded") == pytest.approx(total / (2 * 2 / 20))


def test_answers_tell(poker: Bench, poker_plays: list[Play]) -> None:
    spot = Spots(poker.solution).at("b1")
    expected = Counter[str]()
    for seen in range(1, 11):
        left = {card: 2 - (card == seen) for card in range(1, 11)}
        before = {card: left[card] / 19 for card in left}
        for place, action in enumerate(spot.actions):
            # P2 sees P1's own card.
            chance = {card: spot.probability[place, spot.column(str(card))] for card in left}
            comes = sum(before[card] * chance[card] for card in left)
            for card in left:
                after = before[card] * chance[card] / comes if comes else 0.0
                if after:
                    bits = 0.1 * comes * after * math.log2(after / before[card])
                    expected["all"] += bits
                    expected["use"] += bits * (action.kind in (RAISE, ALLIN))
            expected["on"] += 0.1 * comes * (action.kind in (RAISE, ALLIN))
    found = claims_indian.answers_tell(poker)
    assert value(found, "bits") == pytest.approx(expected["use"])
    assert value(found, "all_bits") == pytest.approx(expected["all"])
    assert value(found, "goes_on") == pytest.approx(expected["on"])
    assert value(found, "big_bits") == 0.0  # over an all-in nobody raises


def test_small_openings_cost(poker: Bench) -> None:
    spot = Spots(poker.solution).at()
    place = [str(action) for action in spot.actions].index("b1")
    losses = [spot.ev[:, column].max() - spot.ev[place, column] for column in range(10)]
    found = claims_indian.small_costs(poker)
    assert value(found, "lost") == pytest.approx(sum(losses) / 10)
    assert value(found, "worst") == pytest.approx(max(losses))
    assert value(found, "played") == pytest.approx(spot.probability[place].mean())


def test_big_bets_where_one_could_be_made(poker: Bench, poker_plays: list[Play]) -> None:
    def share_seeing(low: int, high: int) -> float:
        return share(
            (play.weight, is_bet(step, 5))
            for play in poker_plays
            for step in play.steps
            if low <= int(step.seen) <= high and step.level <= 1  # of 6 chips
        )

    found = claims_indian_poker.big_against_low(poker)
    assert value(found, "low") == pytest.approx(share_seeing(1, 3))
    assert value(found, "high") == pytest.approx(share_seeing(8, 10))
    assert value(found, "more") == pytest.approx(share_seeing(1, 3) - share_seeing(8, 10))
    rich = claims_indian_poker.big_in_rich_decks(poker)
    deck = hand("indian-poker", stacks=(7, 7), left="0,0,0,0,2,2,2,2,2,2")
    told = plays(Bench(deck, 0.01).solution)
    expected = share((p.weight, is_bet(s, 5)) for p in told for s in p.steps if s.seen == "5" and s.level <= 1)
    assert value(rich, "rich") == pytest.approx(expected)


def test_values_by_the_card_seen(poker: Bench, poker_plays: list[Play]) -> None:
    expected = [
        sum(play.weight * play.gain for play in poker_plays if play.seen[0] == str(rank)) / 0.1 for rank in range(1, 11)
    ]
    assert claims_indian_poker.values_by_sight(poker)[0] == pytest.approx(expected)
    found = claims_indian_poker.values_fall(poker)
    assert value(found, "first_low") == pytest.approx(expected[0])
    assert value(found, "first_least") == pytest.approx(min(expected))
    odds = claims_indian_poker.odds_fall(poker)
    assert value(odds, "falling") == pytest.approx(1.0)
    assert value(odds, "lowest") == pytest.approx(18 / 19)
    assert value(claims_indian_poker.one_is_beaten(poker), "win") == pytest.approx(18 / 19)
    assert value(claims_indian_poker.ten_is_not(poker), "tie") == pytest.approx(1 / 19)


def test_a_habit_costs_what_playing_it_out_gives(poker: Bench) -> None:
    spec: Any = poker.spec
    here, habit = poker.but(deck=spec.deck.without([1, 1, 4, 9])).solution, poker.solution
    found = claims_bench.loss(here, habit)
    first = sum(play.weight * play.gain for play in plays_of_habit(here, habit, 0))
    second = sum(play.weight * play.gain for play in plays_of_habit(here, habit, 1))
    assert found.first == pytest.approx(here.value - first)
    assert found.second == pytest.approx(second - here.value)
    assert found.mean == pytest.approx((found.first + found.second) / 2)
    assert found.first > -0.01
    assert found.second > -0.01
    assert claims_bench.loss(here, here).mean == pytest.approx(0.0, abs=1e-12)


def test_a_habit_is_told_by_the_names_of_backs() -> None:
    options: Any = {"stacks": (5, 5), "fronts": (3, 8)}
    habit = Bench(hand("double-sided", **options), 0.01).solution
    here = Bench(hand("double-sided", shown="3/1,3/9,8/2,8/10", **options), 0.01).solution
    found = claims_bench.loss(here, habit)
    first, second = (sum(play.weight * play.gain for play in plays_of_habit(here, habit, who)) for who in (0, 1))
    assert found.first == pytest.approx(here.value - first)
    assert found.second == pytest.approx(second - here.value)
    assert max(found) > 0.001


def plays_of_habit(here: Solution, habit: Solution, player: int) -> Iterator[Play]:
    """Yield what happens where one player plays another deck's strategy by the names of cards."""
    solutions = [here, here]
    solutions[player] = habit
    (board,) = here.boards
    spots = [spots_by_history(one, board) for one in solutions]
    prior, names = here.game.classes[0].prior, here.classes[0].deals[0].observations
    for x, mine in enumerate(names[0]):
        for y, theirs in enumerate(names[1]):
            if prior[x, y] > 0.0:
                yield from _on(here.spec, spots, (mine, theirs), prior[x, y], (), here.spec.public.root)


def test_decks_on_the_way_are_whole_and_the_same_every_time(poker: Bench) -> None:
    lefts = [left for left, _ in claims_bench.used_decks(poker)]
    assert lefts == [*range(18, 0, -2)] * claims_bench.SHUFFLES
    again = [used.spec.to_dict() for _, used in claims_bench.used_decks(poker)]
    assert again == [used.spec.to_dict() for _, used in claims_bench.used_decks(poker)]
    holdem = Bench(hand("indian-holdem", stacks=(4, 4)), 0.1)
    for left, used in claims_bench.used_decks(holdem):
        assert left == used.spec.cards_left
        assert used.spec.board is not None  # type: ignore[attr-defined]
        assert used.spec == hand(**used.spec.to_dict())  # a state that the rules allow
    sided = Bench(hand("double-sided", stacks=(4, 4)), 0.1)
    for left, used in claims_bench.used_decks(sided):
        assert left == used.spec.cards_left
        assert used.spec == hand(**used.spec.to_dict())


def test_not_counting_is_the_mean_over_decks() -> None:
    bench = Bench(hand("indian-poker", stacks=(3, 3)), 0.05)
    losses = [(left, claims_bench.loss(one.solution, bench.solution)) for left, one in claims_bench.used_decks(bench)]
    found = claims_bench.not_counting(bench)
    assert value(found, "loss") == pytest.approx(sum(one.mean for _, one in losses) / len(losses))
    late = [one.mean for left, one in losses if left <= 10]
    assert value(found, "late") == pytest.approx(sum(late) / len(late))
    assert found["late"].meaning == "the same with 10 cards left or fewer"


def test_hands_after_a_tie(poker: Bench) -> None:
    pairs = claims_indian.carries(poker)
    # A tie at 5 leaves 1 chip each: the antes are all-in.
    assert [(here.spec.chips, usual.spec.chips) for here, usual in pairs] == [((5, 5, 4), (5, 5, 0))]
    here, usual = pairs[0]
    cost = claims_indian.carry_needs_care(poker)
    assert value(cost, "loss") == pytest.approx(claims_bench.loss(here.solution, usual.solution).mean)

    def put(play: Play) -> float:
        level = play.outcome.level
        return float(2 * level if isinstance(play.outcome, Showdown) else level + play.outcome.paid)

    staked = [sum(play.weight * put(play) for play in plays(one.solution)) for one in (here, usual)]
    folds = sum(play.weight for play in plays(here.solution) if not isinstance(play.outcome, Showdown))
    found = claims_indian.carry_stakes(poker)
    assert value(found, "put") == pytest.approx(staked[0])
    assert value(found, "usual") == pytest.approx(staked[1])
    assert value(found, "times") == pytest.approx(staked[0] / staked[1])
    assert value(found, "folds") == pytest.approx(folds)


def test_without_chips_for_another_hand_there_is_no_case() -> None:
    bench = Bench(hand("indian-poker", stacks=(2, 2)), 0.1)
    assert math.isnan(value(claims_indian.carry_needs_care(bench), "loss"))
    assert math.isnan(value(claims_indian.carry_stakes(bench), "times"))


def test_boards(holdem: Bench) -> None:
    assert value(claims_indian_holdem.examples(holdem), "right") == pytest.approx(1.0)
    values = [quality.value for quality in holdem.solution.qualities]
    found = claims_indian_holdem.board_matters(holdem)
    assert value(found, "spread") == pytest.approx(max(values) - min(values))
    folds = [
        sum(p.weight for p in plays(holdem.solution, boards=[group.deals[0].board]) if len(p.steps) == 1)
        / group.deals[0].weight
        for group in holdem.solution.classes
    ]
    assert value(found, "folds_most") == pytest.approx(max(folds))
    assert value(found, "folds_least") == pytest.approx(min(folds))


def test_what_beats_what(holdem: Bench) -> None:
    # Two numbers in a row can be made a straight from both sides, and the higher side wins: one meeting for each
    # of the ten pairs on the circle. A paired board has no straight, so that no triple can meet one.
    found = claims_indian_holdem.straight_loses_to(holdem)
    assert (value(found, "straights"), value(found, "triples")) == (10, 0)
    assert value(found, "true") == pytest.approx(0.5)
    assert value(claims_indian_holdem.high_card_loses(holdem), "wins") == pytest.approx(1.0)


def test_calls_against_folds(holdem: Bench) -> None:
    rich = holdem.but(board=(5, 6))
    board = "5,6"
    spots = spots_by_history(rich.solution, board)
    better, folded = [], []
    for play in plays(rich.solution):
        for place, step in enumerate(play.steps):
            if step.level > 0:
                spot = spots[tuple(one.action for one in play.steps[:place])]
                column = spot.column(step.seen)
                ev = {action.kind: spot.ev[row, column] for row, action in enumerate(spot.actions)}
                better.append((play.weight, ev["call"] > ev["fold"] + 0.01))
                folded.append((play.weight, step.action.kind == FOLD))
    assert claims_indian_holdem.calls_better(rich) == pytest.approx((share(better), share(folded)))
    # 5 and 6 pair (three left of each), 4 and 7 make straights (four of each), of 38 cards.
    assert claims_indian_holdem.good_share(rich.flows[0]) == pytest.approx(14 / 38)


# Double-sided.


def test_sides_named(sided: Bench) -> None:
    told = list(plays(sided.solution))
    named = [(p.weight, s, p) for p in told for s in p.steps if s.action.side]
    fronts = (8, 9)
    back = [(w, int(s.seen) > fronts[s.player]) for w, s, _ in named if s.action.side == "back"]
    found = claims_double_sided.back_is_bigger(sided)
    assert value(found, "higher") == pytest.approx(share(back))
    assert value(found, "played") == pytest.approx(share((w, s.action.side == "back") for w, s, _ in named))
    big = claims_double_sided.back_over_big_front(sided)
    assert value(big, "higher") == pytest.approx(share(back))
    assert value(big, "usual") == pytest.approx((2 / 9 + 1 / 9) / 2)
    nines = [(w, s.seen == "10") for w, s, _ in named if s.player == 1 and s.action.side == "back"]
    assert value(big, "over_nine") == pytest.approx(share(nines))
    assert value(claims_double_sided.named_front_is_known(sided), "known") == pytest.approx(1.0)


def test_what_the_side_tells(sided: Bench) -> None:
    opened = [(play.weight, play.steps[0]) for play in plays(sided.solution) if play.steps[0].action.kind != FOLD]
    total = sum(weight for weight, _ in opened)
    both, sides, seen = Counter[Any](), Counter[Any](), Counter[Any]()
    for weight, step in opened:
        both[step.action.side, step.seen] += weight / total  # type: ignore[assignment]
        sides[step.action.side] += weight / total  # type: ignore[assignment]
        seen[step.seen] += weight / total  # type: ignore[assignment]
    bits = sum(p * math.log2(p / sides[side] / seen[back]) for (side, back), p in both.items())
    found = claims_double_sided.choice_talks(sided)
    assert value(found, "bits") == pytest.approx(bits)
    assert value(found, "bets") == pytest.approx(total)


def even(**options: Any) -> Bench:
    """Return a setup of double-sided in which every action is equally likely, so that all of them come up."""
    spec: Any = hand("double-sided", **options)
    return Bench(spec, 0.01, {json.dumps(spec.to_dict(), sort_keys=True): solve(spec, max_iterations=0)})


@pytest.mark.parametrize("theirs", [1, 9])
def test_small_fronts(theirs: int) -> None:
    bench = even(stacks=(4, 4), fronts=(3, theirs))
    opened = [(p.weight, p.steps[0]) for p in plays(bench.solution) if p.steps[0].action.kind != FOLD]
    found = claims_double_sided.small_front_bluffs(bench)
    assert value(found, "played") == pytest.approx(share((w, s.action.side == "front") for w, s in opened))
    bluffs = share((w, s.action.side == "front" and (int(s.seen) > 3 or theirs > 3)) for w, s in opened)
    assert bluffs > 0.0
    assert value(found, "bluffs") == pytest.approx(bluffs)
    assert math.isnan(value(claims_double_sided.small_front_bluffs(bench.but(fronts=(8, 9))), "bluffs"))


def test_both_sides_by_hand() -> None:
    # 6 chips each: a bet of 1 or 2 can be doubled. P1 has then 5 - 1 or 5 - 2 left to a fold, 5 - 2 or 5 - 4 to a
    # call, all of which goes: P2 wins all 6 chips of P1 every time.
    bench = Bench(hand("double-sided", stacks=(6, 6), raises="1,2,allin", fronts=(2, 8)), 0.01)
    assert value(claims_double_sided.both_cannot_lose(bench), "worst") == pytest.approx(6)
    pays = claims_double_sided.both_pays_ten(bench)
    assert value(pays, "extra") == pytest.approx((4 + 3 + 3 + 1) / 4)
    assert value(pays, "full") == pytest.approx(0.0, abs=1e-9)
    assert value(pays, "least") == pytest.approx(1)
    # With 30 chips a bet of 5 called leaves 19.
    deep = Bench(hand("double-sided", stacks=(30, 30), raise_limit=0, raises="5", fronts=(2, 8)), 0.1)
    assert value(claims_double_sided.both_pays_ten(deep), "full") == pytest.approx(1.0)
    assert value(claims_double_sided.both_cannot_lose(deep), "worst") == pytest.approx(1 + 5 + 10)
    assert value(claims_double_sided.both_cannot_lose(deep), "best") == 1 + 10 + 10


def test_whether_both_sides_is_best() -> None:
    bench = Bench(hand("double-sided", stacks=(8, 8), fronts=(2, 8)), 0.01)
    spots = spots_by_history(bench.solution, "2,8")
    gains, comes = [], 0.0
    for history, spot in spots.items():
        names = [str(action) for action in spot.actions]
        if len(history) == 1 and history[0].side == "front" and BOTH in names:
            for column, back in enumerate(spot.observations):
                if int(back) > 2:
                    others = [spot.ev[row, column] for row, name in enumerate(names) if name != BOTH]
                    gains.append(spot.ev[names.index(BOTH), column] - max(others))
                    comes += spot.observation_probability[column] * spot.other_reach[column]
    found = claims_double_sided.both_is_best(bench)
    assert value(found, "gain") == pytest.approx(sum(gains) / len(gains))
    assert value(found, "best") == pytest.approx(sum(gain >= -0.01 for gain in gains) / len(gains))
    assert value(found, "comes") == pytest.approx(comes)


def test_what_folds_cost() -> None:
    sided = even(stacks=(6, 6), fronts=(8, 9))
    costs = []
    for play in ends(sided.spec):
        history, outcome = play
        if history[-1].action.kind == FOLD:
            folder, paid = history[-1].player, history[-1].paid
            after = sided.spec.settle(outcome, 0).stacks[folder]
            costs.append(6 - 1 - paid - after)
    found = claims_double_sided.folds_cost(sided)
    assert value(found, "plain") == pytest.approx(sum(cost == 0 for cost in costs) / len(costs))
    dear = [cost for cost in costs if cost]
    assert value(found, "extra") == pytest.approx(sum(dear) / len(dear))
    assert value(found, "early") == 1
    told = [(p.weight, p.steps) for p in plays(sided.solution) if p.steps[-1].action.kind == FOLD]
    assert value(found, "dear") == pytest.approx(share((w, s[-2:-1] and s[-2].action.kind == BOTH) for w, s in told))


def ends(spec: Any) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Yield every history of the public game that ends the hand."""
    todo: list[Any] = [((), spec.public.root)]
    while todo:
        steps, position = todo.pop()
        if isinstance(position, Outcome):
            yield steps, position
            continue
        player = spec.public.player(position)
        for action, target in spec.public.moves(position):
            todo.append(((*steps, Step(player, "", action, position.level, position.paid)), target))


def test_bets_when_ahead() -> None:
    bench = Bench(hand("double-sided", stacks=(6, 6), fronts=(5, 6)), 0.01)
    put: dict[bool, list[tuple[float, int]]] = {True: [], False: []}
    for play in plays(bench.solution):
        mine = max(5, int(play.seen[0]))
        others = [max(6, back) for back in range(1, 11) if back != 6]
        lead = sum(mine > other for other in others) / len(others)
        if lead >= 0.75 or lead <= 0.25:
            put[lead >= 0.75].append((play.weight, play.steps[0].action.size))
    ahead, behind = (sum(w * size for w, size in put[key]) / sum(w for w, _ in put[key]) for key in (True, False))
    found = claims_double_sided.bets_when_ahead(bench)
    assert value(found, "ahead") == pytest.approx(ahead)
    assert value(found, "behind") == pytest.approx(behind)
    assert value(found, "times") == pytest.approx(ahead / behind)
