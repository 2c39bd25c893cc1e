"""What must hold of the values of any hand, on hands drawn at random."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.games.registry import hand
from rules.games.spec import HandSpec
from solver import solve
from solver.trees.public_tree import measure
from tests.support.games.small_games import (
    BRISK,
    FEW,
    chips_and_betting,
    fronts_and_deck,
    rank_counts,
    small_options,
    small_specs,
)
from tests.support.naive import OwnCardPoker

EXACT = 1e-7
"""How well HiGHS solves small programs, in chips."""

TWO_SIDED = [(front, back) for front in range(1, 11) for back in range(1, 11) if front != back]

MATCH_GAMES = ("indian-poker", "indian-holdem", "double-sided")


def value(spec: HandSpec) -> float:
    solution = solve(spec, method="lp")
    assert solution.nash_conv < EXACT
    return solution.value


def solved(spec: HandSpec, iterations: int = 300) -> Any:
    return solve(spec, gap=3e-5, max_iterations=iterations)


def same_game(spec: HandSpec, other: HandSpec) -> None:
    """Check that two specs are one game to the solver: what CFR finds agrees to the last bit."""
    ours, theirs = solved(spec, 50), solved(other, 50)
    assert ours.strategies.tobytes() == theirs.strategies.tobytes()
    assert ours.qualities == theirs.qualities


# The two methods.


@pytest.mark.slow
@BRISK
@given(small_specs(), st.sampled_from([1, 10, 100, 500]))
def test_bounds_from_regrets_contain_the_value_from_the_linear_program(spec: Any, iterations: int) -> None:
    low, high = solved(spec, iterations).value_bounds
    assert low - EXACT <= value(spec) <= high + EXACT


@FEW
@given(small_specs())
def test_regrets_come_as_close_as_asked(spec: Any) -> None:
    solution = solve(spec, gap=1e-2, max_iterations=20_000)
    assert solution.nash_conv <= 1e-2
    assert solution.value == pytest.approx(value(spec), abs=1e-2 + EXACT)


# Cards on the forehead without penalties are ordinary cards with the ranks turned round.


def without_penalties(game: str, chips: dict[str, Any], sizes: list[int], **deck: Any) -> Any:
    return hand(game, **deck, penalties="none", stacks=chips["stacks"], carry=chips["carry"], raises=[*sizes, "allin"])


def turned_round(counts: list[int], chips: dict[str, Any], sizes: list[int]) -> OwnCardPoker:
    ascending = tuple(count for count in counts if count)
    return OwnCardPoker(ascending[::-1], tuple(chips["stacks"]), chips["carry"], tuple(sizes))


SIZES = st.lists(st.integers(1, 5), unique=True, max_size=2)


@BRISK
@given(rank_counts(2, 2, most_hands=5), chips_and_betting(), SIZES)
def test_indian_poker_without_penalties_is_ordinary_poker_turned_round(
    left: list[int], chips: dict[str, Any], sizes: list[int]
) -> None:
    indian = without_penalties("indian-poker", chips, sizes, left=left)
    ordinary = turned_round(left, chips, sizes)
    assert measure(indian.public) == measure(ordinary.public)
    assert value(indian) == pytest.approx(value(ordinary), abs=EXACT)


@BRISK
@given(rank_counts(4, 4), st.data(), chips_and_betting(), SIZES)
def test_indian_holdem_without_penalties_is_ordinary_poker_in_order_of_strength_turned_round(
    left: list[int], data: st.DataObject, chips: dict[str, Any], sizes: list[int]
) -> None:
    cards = [rank for rank in range(1, 11) for _ in range(left[rank - 1])]
    board = sorted(data.draw(st.permutations(cards))[:2])
    holdem = without_penalties("indian-holdem", chips, sizes, left=left, board=board)
    straights = [{n, n + 1, n + 2} for n in range(1, 9)] + [{9, 10, 1}, {10, 1, 2}]

    def strength(rank: int) -> tuple[bool, bool, bool, int]:
        same = [rank, *board].count(rank)
        return same == 3, {rank, *board} in straights, same == 2, rank

    order = sorted((rank for rank in set(cards)), key=strength)
    counts = [left[rank - 1] - board.count(rank) for rank in order]
    assert value(holdem) == pytest.approx(value(turned_round(counts, chips, sizes)), abs=EXACT)


@pytest.mark.parametrize("game", ["indian-poker", "indian-holdem"])
def test_a_fresh_deck_without_penalties_is_ordinary_poker_turned_round(game: str) -> None:
    board = {"board": "4,9"} if game == "indian-holdem" else {}
    chips = {"stacks": (10, 10), "carry": 0}
    # With 4,9 on the table: pairs of 4 and 9 above the rest.
    counts = [4] * 8 + [3, 3] if board else [2] * 10
    expected = value(turned_round(counts, chips, [1, 3, 5]))
    assert value(without_penalties(game, chips, [1, 3, 5], **board)) == pytest.approx(expected, abs=EXACT)


# Two ways to say the same.


@BRISK
@given(rank_counts(2, 2), st.data(), chips_and_betting())
def test_only_the_order_of_ranks_and_the_tens_matter(
    left: list[int], data: st.DataObject, chips: dict[str, Any]
) -> None:
    below_ten = [count for count in left[:9] if count]
    places = sorted(data.draw(st.permutations(range(9)))[: len(below_ten)])
    moved = [0] * 9 + left[9:]
    for place, count in zip(places, below_ten, strict=True):
        moved[place] = count
    same_game(hand("indian-poker", left=left, **chips), hand("indian-poker", left=moved, **chips))


@BRISK
@given(st.sampled_from(MATCH_GAMES).flatmap(lambda game: st.tuples(st.just(game), small_options(game, 6))))
def test_sizes_that_never_fit_change_nothing(drawn: tuple[str, dict[str, Any]]) -> None:
    game, options = drawn
    assume(options["raises"] != "any")
    more = {**options, "raises": [*options["raises"], 40] if options["raises"] != "allin" else ["allin", 40]}
    same_game(hand(game, **options), hand(game, **more))


@BRISK
@given(st.sampled_from(MATCH_GAMES).flatmap(lambda game: st.tuples(st.just(game), small_options(game, 6))))
def test_a_raise_limit_that_the_cap_keeps_anyway_changes_nothing(drawn: tuple[str, dict[str, Any]]) -> None:
    game, options = drawn
    possible = max(0, min(options["stacks"]) - 2)  # raises of 1 after an opening bet of 1
    unlimited, limited = ({**options, "raise_limit": limit} for limit in (None, possible))
    same_game(hand(game, **unlimited), hand(game, **limited))


def test_a_raise_limit_below_that_does_matter() -> None:
    values = [value(hand("indian-poker", stacks="5,5", raises="any", raise_limit=limit)) for limit in (0, 1, 2, 3)]
    assert len({round(one, 6) for one in values}) > 1
    assert values[-1] == pytest.approx(value(hand("indian-poker", stacks="5,5", raises="any")), abs=EXACT)


@pytest.mark.slow
@BRISK
@given(st.sampled_from(MATCH_GAMES).flatmap(lambda game: st.tuples(st.just(game), small_options(game, 6))))
def test_any_is_the_full_list(drawn: tuple[str, dict[str, Any]]) -> None:
    game, options = drawn
    every = list(range(1, max(2, min(options["stacks"]))))
    variants = [{**options, "opens": None, "raises": menu} for menu in ("any", every, [*every, "allin"])]
    same_game(hand(game, **variants[0]), hand(game, **variants[1]))
    same_game(hand(game, **variants[0]), hand(game, **variants[2]))


@BRISK
@given(fronts_and_deck(), st.data(), chips_and_betting(6))
def test_hidden_cards_change_nothing_where_the_fronts_are_known(
    deck: dict[str, Any], data: st.DataObject, chips: dict[str, Any]
) -> None:
    shown_fronts = [front for front, _ in deck["shown"]]
    room = [front for front in range(1, 11) for _ in range(9 - shown_fronts.count(front) - deck["fronts"].count(front))]
    hidden = data.draw(st.permutations(room))[: 2 * data.draw(st.sampled_from([1, 2, 5]))]
    same_game(hand("double-sided", **deck, **chips), hand("double-sided", **deck, hidden=sorted(hidden), **chips))


@pytest.mark.slow
@BRISK
@given(rank_counts(2, 2), chips_and_betting(), st.integers(0, 5))
def test_chips_beyond_the_shorter_stack_matter_to_penalties_only(
    left: list[int], chips: dict[str, Any], more: int
) -> None:
    short = min(chips["stacks"])
    options = {**chips, "left": left, "penalties": "none"}
    values = [
        value(hand("indian-poker", **{**options, "stacks": stacks}))
        for stacks in ((short, short), (short + more, short), (short, short + more))
    ]
    assert values == pytest.approx([values[0]] * 3, abs=EXACT)


# Averages over boards and fronts.


def check_average(spec: Any, single: dict[str, HandSpec]) -> None:
    whole = solve(spec, method="lp")
    weights = {deal.board: deal.weight for group in whole.classes for deal in group.deals}
    assert weights.keys() == single.keys()
    assert sum(weights.values()) == pytest.approx(1.0, abs=1e-12)
    values = {board: value(one) for board, one in single.items()}
    assert whole.value == pytest.approx(sum(weights[board] * values[board] for board in values), abs=EXACT)
    for board, expected in values.items():
        index, _ = whole.deal(board)
        assert whole.qualities[index].value == pytest.approx(expected, abs=EXACT)


@pytest.mark.slow
@FEW
@given(rank_counts(4, 4), chips_and_betting(5), st.sampled_from(["final", "death-match", "none"]))
def test_a_holdem_hand_before_the_board_is_the_mean_of_its_boards(
    left: list[int], chips: dict[str, Any], penalties: str
) -> None:
    options = {"left": left, "penalties": penalties, **chips}
    cards = [rank for rank in range(1, 11) for _ in range(left[rank - 1])]
    pairs = [(a, b) for i, a in enumerate(cards) for b in cards[i + 1 :]]
    boards = {f"{a},{b}": hand("indian-holdem", board=[a, b], **options) for a, b in pairs}
    whole = hand("indian-holdem", **options)
    check_average(whole, boards)
    weights = {deal.board: deal.weight for group in whole.classes() for deal in group.deals}
    for a, b in set(pairs):
        assert weights[f"{a},{b}"] == pytest.approx(pairs.count((a, b)) / len(pairs), abs=1e-12)


@pytest.mark.slow
@FEW
@given(chips_and_betting(4), st.lists(st.sampled_from(TWO_SIDED), min_size=4, max_size=4, unique=True))
def test_a_double_sided_hand_before_the_fronts_is_the_mean_of_its_fronts(
    chips: dict[str, Any], left: list[tuple[int, int]]
) -> None:
    shown = [card for card in TWO_SIDED if card not in left]
    pairs = [(first, second) for first in left for second in left if first != second]
    fronts = {
        f"{first[0]},{second[0]}": hand("double-sided", shown=shown, fronts=[first[0], second[0]], **chips)
        for first, second in pairs
    }
    whole = hand("double-sided", shown=shown, **chips)
    check_average(whole, fronts)
    weights = {deal.board: deal.weight for group in whole.classes() for deal in group.deals}
    named = [f"{first[0]},{second[0]}" for first, second in pairs]
    for board, weight in weights.items():
        assert weight == pytest.approx(named.count(board) / len(named), abs=1e-12)


# The edges.


@FEW
@given(chips_and_betting(), st.sampled_from(range(1, 11)), st.sampled_from(["ten", "none"]))
def test_a_sure_tie_is_worth_nothing(chips: dict[str, Any], rank: int, penalties: str) -> None:
    spec = hand("indian-poker", left=[2 * (one == rank) for one in range(1, 11)], penalties=penalties, **chips)
    assert value(spec) == pytest.approx(0.0, abs=EXACT)
    low, high = solved(spec).value_bounds
    assert low <= 0.0 <= high


@FEW
@given(chips_and_betting(), st.sampled_from(range(1, 11)))
def test_four_cards_of_one_rank_are_a_sure_tie_in_holdem(chips: dict[str, Any], rank: int) -> None:
    spec = hand("indian-holdem", left=[4 * (one == rank) for one in range(1, 11)], **chips)
    low, high = solved(spec).value_bounds
    assert low <= 0.0 <= high
    assert value(spec) == pytest.approx(0.0, abs=EXACT)


@FEW
@given(chips_and_betting(), st.lists(st.integers(1, 9), min_size=2, max_size=2, unique=True))
def test_with_two_cards_left_both_know_everything(chips: dict[str, Any], ranks: list[int]) -> None:
    # Who holds the lower card folds at once and pays the ante; as likely the one as the other. P1 can
    # only bet or fold, which costs P1 nothing more here.
    spec = hand("indian-poker", left=[int(rank in ranks) for rank in range(1, 11)], **chips)
    assert value(spec) == pytest.approx(0.0, abs=EXACT)


@FEW
@given(rank_counts(2, 2), st.integers(1, 6), st.booleans(), st.integers(0, 3))
def test_where_the_antes_are_all_in_it_is_a_showdown_at_once(
    left: list[int], longer: int, turned: bool, pots: int
) -> None:
    stacks = [1, longer][:: -1 if turned else 1]
    spec = hand("indian-poker", left=left, stacks=stacks, carry=2 * pots)
    solution = solved(spec)
    assert solution.provenance.stopped == "gap"
    assert solution.provenance.iterations == 0
    assert solution.strategies.shape[1] == 0
    # Either holds each card as likely as the other.
    assert solution.value == pytest.approx(0.0, abs=1e-12)
    assert solution.value == pytest.approx(value(spec), abs=1e-12)
    assert 0.0 < solution.nash_conv < 1e-10


@FEW
@given(st.sampled_from(MATCH_GAMES).flatmap(lambda game: st.tuples(st.just(game), small_options(game, 5))))
def test_a_large_carry_widens_nothing_but_the_stakes(drawn: tuple[str, dict[str, Any]]) -> None:
    game, options = drawn
    carry = 10**6
    spec = hand(game, **{**options, "carry": carry})
    low, high = solve(spec, gap=1e-3, max_iterations=500).value_bounds
    program = solve(spec, method="lp")
    # The bounds come from best responses, so both intervals hold the value, however well HiGHS has done.
    assert low <= program.value_bounds[1]
    assert program.value_bounds[0] <= high
    assert program.nash_conv <= 1e-9 * carry


def test_unequal_stacks_decide_what_a_penalty_can_take() -> None:
    # P1's stack caps what P1 can lose to the penalty of a hidden 10, so being short is worth something.
    short, long = (value(hand("indian-poker", stacks=stacks)) for stacks in ("4,9", "9,4"))
    assert short == pytest.approx(0.0065789474, abs=1e-9)
    assert short > value(hand("indian-poker", stacks="4,4")) > long
