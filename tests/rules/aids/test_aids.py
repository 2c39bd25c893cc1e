"""The aids of the rules page, against enumerations of physical cards and against the texts' own examples."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules import hand
from rules.aids.odds import Chances, HiddenCard, hidden_card, showdown, win_chances
from rules.aids.penalties import PenaltyList, RankPenalty, penalty_list
from rules.aids.used_cards import UsedTwoSided, used_cards
from rules.base.errors import CardError, ChipsError, DeckError, ForeheadError, OptionError
from rules.cards.playing_cards import Card
from rules.cards.two_sided import TwoSided
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.games.double_sided import DoubleSided
from rules.games.indian import IndianSpec
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker
from rules.games.spec import HandSpec
from rules.play.session import BlindHand
from tests.support.helpers import FOLD_PENALTY, HOLDEM_ORDER, holdem_kind, make, refused
from tests.support.strategies import BRISK, THOROUGH, TWO_SIDED, deals, specs

INDIAN = ("indian-poker", "indian-holdem")
CARDS = [Card(rank, suit) for rank in range(2, 15) for suit in "cdhs"]

POKER = hand("indian-poker", seen="4,4")
HOLDEM = hand("indian-holdem", seen="4,4,1,2", board="4,4")
SIDES = hand("double-sided", shown="3/7,8/2", hidden="5,5,9,1", fronts="3,8")
BLUFF = hand("blind-mans-bluff", players=3)
FOUR = hand("blind-mans-bluff", players=4)
RANKED = hand("blind-mans-bluff", rank_suits=True)


def chances(win: int, tie: int, lose: int) -> Chances:
    return Chances(*(Fraction(part, win + tie + lose) for part in (win, tie, lose)))


def plain(aid: Any) -> Any:
    """Return what JSON keeps of an aid."""
    return json.loads(json.dumps(aid.to_dict(), allow_nan=False))


def own_cards(spec: IndianSpec, seen: int) -> Iterator[int]:
    """Yield the own rank in every deal of physical cards that shows this board and this other's card."""
    cards = [(rank, copy) for rank in range(1, 11) for copy in range(spec.deck.counts[rank - 1])]
    of_board = [card for card in cards if card[0] in spec.table]
    for table in permutations(of_board, len(spec.table)):
        if tuple(card[0] for card in table) == spec.table:
            for other in cards:
                if other[0] == seen and other not in table:
                    yield from (own[0] for own in cards if own != other and own not in table)


def other_backs(spec: DoubleSided, player: int, own: TwoSided, mine: list[TwoSided]) -> Iterator[int]:
    """Yield the other's back in every way that cards can be hidden and dealt.

    Cards with another front than the other's have no part in it.
    """
    front = spec.fronts[1 - player]
    known = [card for card in mine if card.front == front]
    if own.front == front:
        known.append(own)
    hidden = spec.deck.hidden.count(front) + (own.front == front) - len(known)
    unseen = [card for card in TWO_SIDED if card.front == front and card not in spec.deck.shown]
    for dealt in permutations([card for card in unseen if card not in known], hidden + 1):
        yield dealt[-1].back


def frequencies(values: Iterator[Any]) -> dict[Any, Fraction]:
    counts = Counter(values)
    return {value: Fraction(counts[value], counts.total()) for value in sorted(counts)}


def named(belief: dict[Any, Fraction]) -> list[tuple[str, Fraction]]:
    return [(str(value), part) for value, part in belief.items()]


def count_up(belief: dict[Any, Fraction], sign: Any) -> Chances:
    signs = {card: sign(card) for card in belief}
    return Chances(*(sum((belief[c] for c in belief if signs[c] == s), Fraction(0)) for s in (1, 0, -1)))


def compare(mine: Any, theirs: Any) -> int:
    return int(mine > theirs) - int(mine < theirs)


def indian_sign(spec: IndianSpec, own: int, other: int) -> int:
    if isinstance(spec, IndianPoker):
        return compare(own, other)
    mine, theirs = ((HOLDEM_ORDER.index(holdem_kind(card, spec.table)), card) for card in (own, other))
    return compare(mine, theirs)


def weighted(belief: dict[Any, Fraction], weights: dict[Any, Any]) -> dict[Any, Fraction]:
    total = sum(Fraction(weights.get(card, 0)) for card in belief)
    return {card: Fraction(weights.get(card, 0)) / total for card in belief}


@st.composite
def indian_views(draw: st.DrawFn, game: str) -> tuple[IndianSpec, int, int]:
    """Draw a hand with its board, a player, and the other's card."""
    spec = draw(specs(game))
    cards, board = draw(deals(spec))
    dealt, both = spec.dealt(cards, board)
    player = draw(st.integers(0, 1))
    return dealt, player, both[1 - player]


@st.composite
def two_sided_views(draw: st.DrawFn) -> tuple[DoubleSided, int, TwoSided, list[TwoSided]]:
    """Draw a hand with its fronts, a player, the own card, and own folded cards."""
    spec = draw(specs("double-sided"))
    if draw(st.booleans()):
        # Hidden cards are the point here, and those of the other's front above all.
        front = draw(st.integers(1, 10))
        shown = draw(st.lists(st.sampled_from(TWO_SIDED), unique=True, max_size=4))
        hidden = [front] * draw(st.integers(0, 2)) + draw(st.lists(st.integers(1, 10), max_size=2))
        spec = make(DoubleSided, shown=shown[: len(shown) // 2 * 2], hidden=hidden[: len(hidden) // 2 * 2])
        unseen = [card for card in TWO_SIDED if card not in spec.deck.shown]
        first = draw(st.sampled_from([card for card in unseen if card.front == front]))
        second = draw(st.sampled_from([card for card in unseen if card != first]))
        dealt, both = spec.dealt(draw(st.permutations([first, second])))
    else:
        dealt, both = spec.dealt(draw(deals(spec))[0])
    player = draw(st.integers(0, 1))
    own, mine = both[player], []
    for front in draw(st.permutations(spec.deck.hidden))[: draw(st.integers(0, len(spec.deck.hidden) // 2))]:
        possible = [c for c in TWO_SIDED if c.front == front and c not in (*spec.deck.shown, *mine, own)]
        mine.append(draw(st.sampled_from(possible)))
    return dealt, player, own, mine


@st.composite
def blind_views(draw: st.DrawFn, most: int = 10) -> tuple[BlindMansBluff, int, list[Card], list[str]]:
    """Draw a table, a seat, the physical cards of the others in order, and their names as written."""
    players, rank_suits = draw(st.integers(2, most)), draw(st.booleans())
    seen = draw(st.lists(st.sampled_from(CARDS), unique=True, min_size=players - 1, max_size=players - 1))
    names = [str(card) if rank_suits or draw(st.booleans()) else str(card)[:-1] for card in seen]
    spec = BlindMansBluff.from_options({"players": players, "rank_suits": rank_suits})
    return spec, draw(st.integers(0, players - 1)), seen, names


def blind_belief(spec: BlindMansBluff, seen: list[Card]) -> dict[Card, Fraction]:
    """Return the probability of each own card, without its suit unless suits are ranked."""
    left = [card for card in CARDS if card not in seen]
    return frequencies(card if spec.rank_suits else Card(card.rank) for card in left)


class TestTheHiddenCard:
    @pytest.mark.parametrize("game", [*INDIAN, "double-sided", "blind-mans-bluff"])
    @given(data=st.data())
    @BRISK
    def test_it_is_the_row_of_the_prior_that_the_solver_works_with(self, game: str, data: st.DataObject) -> None:
        if game == "blind-mans-bluff":
            spec, player, _, names = data.draw(blind_views(most=2))
            observation = names[0]
        elif game == "double-sided":
            spec, player, own, _ = data.draw(two_sided_views())
            observation = str(own.back)
        else:
            spec, player, seen = data.draw(indian_views(game))
            observation = str(seen)
        (only,) = spec.classes()
        rows, columns = only.deals[0].observations[player], only.deals[0].observations[1 - player]
        prior = only.hand.prior if player == 0 else only.hand.prior.T
        row = prior[rows.index(spec.observation(observation))]
        found = hidden_card(spec, player, observation).probability
        assert [float(found.get(name, 0)) for name in columns] == pytest.approx(list(row / row.sum()))

    def test_a_fresh_deck_counted_by_hand(self) -> None:
        copies = {str(n): 1 if n == 4 else 2 for n in range(1, 11)}
        assert hidden_card(hand("indian-poker"), 1, 4) == HiddenCard("own card", copies)
        assert HiddenCard("own card", copies).probability["4"] == Fraction(1, 19)

    def test_the_last_hand_of_a_deck_leaves_no_doubt(self) -> None:
        assert hidden_card(make(IndianPoker, left="0,0,1,0,0,0,0,0,1,0"), 0, 9).probability == {"3": 1}
        last = make(IndianHoldem, left="0,2,0,0,1,0,0,1,0,0", board="2,5")
        assert hidden_card(last, 0, 8).probability == {"2": 1}

    def test_own_folded_cards_and_the_own_card_rule_backs_out(self) -> None:
        spec = make(DoubleSided, shown="5/1,5/2", hidden="5,9", fronts="5,5")
        assert list(hidden_card(spec, 0, 7).copies) == ["3", "4", "6", "8", "9", "10"]
        assert list(hidden_card(spec, 0, 7, "5/8").copies) == ["3", "4", "6", "9", "10"]
        # A folded card of another front tells nothing, and neither does one of which no back is known.
        assert hidden_card(spec, 0, 7, "9/8") == hidden_card(spec, 0, 7) == hidden_card(spec, 0, 7, None)
        assert hidden_card(make(DoubleSided, shown="5/1,5/2", fronts="5,5"), 0, 7) == hidden_card(spec, 0, 7)

    def test_suits_make_a_card_of_their_own_where_they_are_ranked_only(self) -> None:
        plain = hidden_card(FOUR, 2, "K 9h 9d")
        assert (plain.copies["K"], plain.copies["9"], plain.copies["A"]) == (3, 2, 4)
        ranked = hidden_card(hand("blind-mans-bluff", players=4, rank_suits=True), 2, "Kc 9h 9d")
        assert len(ranked.copies) == 49
        assert "Kc" not in ranked.copies
        assert [name for name in ranked.copies if name[0] in "9K"] == ["9c", "9s", "Kd", "Kh", "Ks"]


class TestDealByDeal:
    @pytest.mark.parametrize("game", INDIAN)
    @given(data=st.data())
    @THOROUGH
    def test_a_card_on_the_forehead_counted_deal_by_deal(self, game: str, data: st.DataObject) -> None:
        spec, player, seen = data.draw(indian_views(game))
        belief = frequencies(own_cards(spec, seen))
        card = hidden_card(spec, player, str(seen))
        assert list(card.probability.items()) == named(belief)
        assert (card.what, sum(card.copies.values())) == ("own card", spec.deck.total - len(spec.table) - 1)
        found = showdown(spec, player, seen)
        assert found == count_up(belief, lambda own: indian_sign(spec, own, seen))
        for same in (card.copies, card.probability):
            assert showdown(spec, player, seen, weights=same) == found
        weights = data.draw(st.fixed_dictionaries({own: st.integers(0, 5) | st.floats(0, 1) for own in belief}))
        assume(any(weights.values()))
        written = {data.draw(st.sampled_from([own, str(own)])): value for own, value in weights.items()}
        expected = count_up(weighted(belief, weights), lambda own: indian_sign(spec, own, seen))
        assert showdown(spec, player, seen, weights=written) == expected

    @given(two_sided_views(), st.data())
    @THOROUGH
    def test_sides_counted_deal_by_deal(self, view: Any, data: st.DataObject) -> None:
        spec, player, own, mine = view
        belief = frequencies(other_backs(spec, player, own, mine))
        card = hidden_card(spec, player, own.back, ",".join(map(str, mine)))
        assert list(card.probability.items()) == named(belief)
        assert (card.what, set(card.copies.values())) == ("other's back", {1})
        weights = data.draw(st.none() | st.fixed_dictionaries({back: st.integers(0, 5) for back in belief}))
        if weights is not None:
            assume(any(weights.values()))
            belief = weighted(belief, weights)
        other = {back: TwoSided(spec.fronts[1 - player], back) for back in belief}
        found = win_chances(spec, player, own.back, weights, mine=mine)
        assert (found.own, list(found.sides), list(found.sides["back"])) == (own, ["front", "back"], ["front", "back"])
        for mine_side, other_side in product(("front", "back"), repeat=2):
            number = getattr(own, mine_side)
            expected = count_up(belief, lambda b, s=other_side, n=number: compare(n, getattr(other[b], s)))
            sides = (mine_side, other_side) if player == 0 else (other_side, mine_side)
            assert showdown(spec, player, own.back, sides, weights, mine=mine) == expected
            assert found.sides[mine_side][other_side] == expected
        for side in ("front", "back"):

            def sign(back: int, side: str = side) -> int:
                first, second = (own, other[back]) if player == 0 else (other[back], own)
                target = getattr(first, side)
                return 1 if (second.front > target and second.back > target) == (player == 1) else -1

            expected = count_up(belief, sign)
            assert showdown(spec, player, own.back, f"{side},both", weights, mine=mine) == expected
            assert (found.both is None) if player == 0 else (found.both[side] == expected.win)

    @given(blind_views(), st.data())
    @THOROUGH
    def test_all_others_cards_counted_card_by_card(self, view: Any, data: st.DataObject) -> None:
        spec, player, seen, names = view
        everybody = [seat for seat in range(spec.players) if seat != player]
        others = data.draw(st.lists(st.sampled_from(everybody), unique=True, min_size=1))
        belief = blind_belief(spec, seen)
        card = hidden_card(spec, player, " ".join(names))
        assert list(card.probability.items()) == named(belief)
        assert (card.what, sum(card.copies.values())) == ("own card", 53 - spec.players)

        def sign(own: Card, seats: list[int]) -> int:
            keys = [card if spec.rank_suits else card.rank for card in (*seen[:player], own, *seen[player:])]
            return compare(keys[player], max(keys[seat] for seat in seats))

        assert showdown(spec, player, names) == count_up(belief, lambda own: sign(own, everybody))
        left = data.draw(st.permutations([player, *others]))
        assert showdown(spec, player, names, left=left) == count_up(belief, lambda own: sign(own, others))
        some = data.draw(st.lists(st.sampled_from(sorted(belief)), unique=True, min_size=1))
        weights = {card: data.draw(st.integers(1, 5)) for card in some}
        found = showdown(spec, player, names, weights={str(card): weights[card] for card in some}, left=left)
        assert found == count_up(weighted(belief, weights), lambda own: sign(own, others))

    def test_weights_of_one_card_add_up_and_none_means_zero(self) -> None:
        spec = hand("indian-poker")
        assert showdown(spec, 0, 5, weights={"4": 1, 4: 2, "05": 3, 9: 0}) == chances(0, 1, 1)
        two = hand("blind-mans-bluff")
        assert showdown(two, 0, "9", weights={"K": 1, "Kh": 2, "Kd": 3, "2": 6}) == chances(1, 0, 1)
        assert showdown(two, 0, 10) == showdown(two, 0, "10") == chances(16, 3, 32)

    def test_floats_of_numpy_are_exact(self) -> None:
        found = showdown(hand("indian-poker"), 0, 5, weights={4: np.float32(0.5), 6: np.float64(1.5), 5: np.int64(2)})
        assert found == chances(3, 4, 1)
        assert all(type(part.numerator) is int for part in found)

    def test_a_weight_on_a_back_that_only_the_player_can_rule_out_is_dropped(self) -> None:
        spec = make(DoubleSided, hidden="8,1", fronts="3,8")
        assert showdown(spec, 0, 5, "back,back", {2: 1, 4: 2, 9: 1}) == chances(3, 0, 1)
        assert showdown(spec, 0, 5, "back,back", {2: 1, 4: 2, 9: 1}, mine="8/4") == chances(1, 0, 1)


class TestTheTextsOwnExamples:
    """Sentences of the texts' strategy sections, counted by hand."""

    def test_almost_any_card_beats_a_1_and_against_a_10_you_can_at_best_tie(self) -> None:
        assert showdown(hand("indian-poker"), 0, 1) == chances(18, 1, 0)
        assert showdown(hand("indian-poker"), 0, 10) == chances(0, 1, 18)
        assert showdown(hand("indian-poker", seen="10,3"), 0, 10) == chances(0, 0, 17)

    def test_a_deck_in_mid_match(self) -> None:
        # 1, 4, 4, 9 are gone and the other holds a 3: below it 1 2 2, as high 3, above it 5 5 6 6 7 7 8 8 9 10 10.
        assert showdown(hand("indian-poker", seen="1,4,4,9"), 1, 3) == chances(11, 1, 3)

    def test_on_5_and_6_a_4_or_a_7_is_a_straight_and_a_5_or_a_6_a_pair(self) -> None:
        found = penalty_list(make(IndianHoldem, board="5,6", stacks="20,20"), 0, 9, 19)
        straights = [RankPenalty(rank, 4, "straight", 10, 10) for rank in (4, 7)]
        pairs = [RankPenalty(rank, 3, "pair", 5, 5) for rank in (5, 6)]
        assert [row for row in found.ranks if row.penalty_chips] == sorted(straights + pairs)
        others = {row.rank: (row.copies_left, row.kind) for row in found.ranks if not row.penalty_chips}
        assert others == {n: (3 if n == 9 else 4, "high card") for n in (1, 2, 3, 8, 9, 10)}

    def test_on_2_and_8_no_card_makes_a_straight_at_all(self) -> None:
        kinds = {row.rank: row.kind for row in penalty_list(make(IndianHoldem, board="2,8"), 0, 9, 5).ranks}
        assert kinds == {n: "pair" if n in (2, 8) else "high card" for n in range(1, 11)}

    def test_if_the_other_has_a_high_card_any_pair_or_straight_beats_it(self) -> None:
        # Board 5,6, a 9 seen: 4 4s, 3 5s, 3 6s, 4 7s and 4 10s win; 3 9s tie; 1, 2, 3 and 8 lose.
        assert showdown(make(IndianHoldem, board="5,6"), 0, 9) == chances(18, 3, 16)

    def test_if_it_holds_a_straight_you_need_a_better_straight_or_a_triple(self) -> None:
        # Board 4,5, a 3 seen: the 6s win, the 3s tie.
        assert showdown(make(IndianHoldem, board="4,5"), 1, 3) == chances(4, 3, 30)

    def test_on_9_and_10_a_straight_with_an_8_beats_a_straight_with_a_1(self) -> None:
        assert showdown(make(IndianHoldem, board="9,10"), 0, 1) == chances(4, 3, 30)
        assert showdown(make(IndianHoldem, board="9,10"), 0, 8) == chances(0, 3, 34)

    def test_4_on_4_and_4_is_a_triple_and_a_pair_on_the_table_alone_is_none(self) -> None:
        found = penalty_list(make(IndianHoldem, board="4,4"), 0, 7, 9)
        assert [(row.rank, row.copies_left) for row in found.ranks if row.kind == "triple"] == [(4, 2)]
        assert {row.kind for row in found.ranks if row.rank != 4} == {"high card"}
        assert showdown(make(IndianHoldem, board="4,4"), 0, 10) == chances(2, 3, 32)

    def test_when_they_play_a_low_front_and_both_your_numbers_are_higher_both_sides_cannot_lose(self) -> None:
        # P1 shows a 3, P2 has 8/9. P1's back is 1, 2, 4, ..., 10; six of the nine are below 8.
        found = win_chances(make(DoubleSided, fronts="3,8"), 1, 9)
        assert found.both == {"front": 1, "back": Fraction(6, 9)}

    def test_each_number_against_a_front_that_is_a_fact_and_a_back_that_is_a_guess(self) -> None:
        # P1 has 3/7 against an 8 whose back is 1, ..., 7, 9, 10.
        found = win_chances(make(DoubleSided, fronts="3,8"), 0, 7)
        assert found.sides == {
            "front": {"front": chances(0, 0, 1), "back": chances(2, 1, 6)},
            "back": {"front": chances(0, 0, 1), "back": chances(6, 1, 2)},
        }
        assert found.both is None

    def test_the_backs_revealed_at_showdowns_tell_which_pairs_are_gone(self) -> None:
        spec = make(DoubleSided, shown="8/9,8/10", hidden="8,5", fronts="3,8")
        assert win_chances(spec, 0, 7).sides["back"]["back"] == chances(6, 1, 0)
        assert win_chances(spec, 0, 7, mine="8/7").sides["back"]["back"] == chances(6, 0, 0)
        assert win_chances(spec, 0, 7, {7: 1, 6: 1}).sides["back"]["back"] == chances(1, 1, 0)

    def test_b_with_a_king_against_an_ace_a_9_and_a_4(self) -> None:
        # Cards A 2, B K, C 9, D 4. B sees 2, 9, 4: 4 each of 10 to A win, three 9s tie.
        cards = BlindHand(FOUR, "2 K 9 4")
        assert showdown(FOUR, 1, cards.seen(1)) == chances(20, 3, 26)
        # A sees the king: aces win, three kings tie.
        assert showdown(FOUR, 0, cards.seen(0)) == chances(4, 3, 42)
        # With B and C gone A has to beat the 4: 5 to A are 40 cards, less K and 9; three 4s tie.
        assert showdown(FOUR, 0, cards.seen(0), left=(0, 3)) == chances(38, 3, 8)

    def test_ranked_suits_leave_no_ties(self) -> None:
        # Below a king of hearts: 44 of lower ranks, clubs and diamonds; above it the spade and four aces.
        assert showdown(RANKED, 0, "Kh") == showdown(RANKED, 0, Card(13, "h")) == chances(5, 0, 46)


class TestPenalties:
    @given(st.data())
    @THOROUGH
    def test_each_rank_that_the_own_card_can_still_be(self, data: st.DataObject) -> None:
        spec, player, seen = data.draw(indian_views("indian-holdem"))
        left = data.draw(st.integers(0, spec.chips.stacks[player] - 1))
        expected = []
        for rank, part in frequencies(own_cards(spec, seen)).items():
            name = holdem_kind(rank, spec.table)
            full = FOLD_PENALTY[spec.penalties][name]
            expected.append(RankPenalty(rank, part * (spec.deck.total - 3), name, full, full if full < left else left))
        assert penalty_list(spec, player, seen, left) == PenaltyList(left, tuple(expected))

    @given(st.data())
    @THOROUGH
    def test_the_10_alone_in_indian_poker(self, data: st.DataObject) -> None:
        spec, player, seen = data.draw(indian_views("indian-poker"))
        left = data.draw(st.integers(0, spec.chips.stacks[player] - 1))
        tens = spec.deck.counts[9] - (seen == 10)
        full = {"ten": 10, "none": 0}[spec.penalties]
        rows = (RankPenalty(10, tens, "ten", full, min(full, left)),) if tens else ()
        assert penalty_list(spec, player, seen, str(left)) == PenaltyList(left, rows)

    def test_the_penalty_is_capped_at_the_chips_the_folder_has_left(self) -> None:
        spec = make(IndianPoker, stacks="5,20")
        assert penalty_list(spec, 0, 3, 4).ranks == (RankPenalty(10, 2, "ten", 10, 4),)
        assert penalty_list(spec, 1, 10, 19).ranks == (RankPenalty(10, 1, "ten", 10, 10),)
        assert penalty_list(spec, 0, 3, 0).ranks == (RankPenalty(10, 2, "ten", 10, 0),)


class TestUsedCards:
    @pytest.mark.parametrize("game", INDIAN)
    @given(data=st.data())
    @BRISK
    def test_copies_gone_and_this_hands_visible_ones_apart(self, game: str, data: st.DataObject) -> None:
        spec, player, seen = data.draw(indian_views(game))
        found = used_cards(spec, player, seen)
        assert [row.rank for row in found.ranks] == list(range(1, 11))
        for row in found.ranks:
            assert row.cards_gone == spec.copies - spec.deck.counts[row.rank - 1]
            assert row.cards_visible == [*spec.table, seen].count(row.rank)
            assert row.cards_gone + row.cards_visible + row.cards_unseen == spec.copies
        unseen = {str(row.rank): row.cards_unseen for row in found.ranks if row.cards_unseen}
        assert unseen == hidden_card(spec, player, seen).copies

    def test_before_anything_is_seen(self) -> None:
        spec = make(IndianHoldem, seen="4,4,5,6")
        found = used_cards(spec, 0)
        assert [row.cards_gone for row in found.ranks] == [0, 0, 0, 2, 1, 1, 0, 0, 0, 0]
        assert {row.cards_visible for row in found.ranks} == {0}
        assert used_cards(replace(spec, board=(4, 9)), 0).ranks[3] == (4, 2, 1, 1)

    def test_two_sided_cards_as_far_as_they_are_known(self) -> None:
        spec = make(DoubleSided, shown="3/7,8/2", hidden="9,5")
        shown = (TwoSided(3, 7), TwoSided(8, 2))
        assert used_cards(spec, 0) == UsedTwoSided(shown, (5, 9), (), None, None)
        dealt = replace(spec, fronts=(3, 8))
        known = UsedTwoSided(shown, (5, 9), (TwoSided(5, 8),), (3, 8), TwoSided(8, 6))
        assert used_cards(dealt, 1, 6, "5/8") == known
        assert used_cards(dealt, 0, 6) == replace(known, mine=(), own=TwoSided(3, 6))


class TestAsData:
    def test_everything_goes_to_json_under_names_with_units(self) -> None:
        last = make(IndianPoker, left="0,0,1,0,0,0,0,0,1,2", stacks="9,9")
        card = {"card": "own card", "copies_left": {"9": 1, "10": 2}, "probability": {"9": 1 / 3, "10": 2 / 3}}
        assert plain(hidden_card(last, 0, 3)) == card
        row = {"rank": 10, "copies_left": 2, "kind": "ten", "penalty_chips": 10, "capped_penalty_chips": 8}
        assert plain(penalty_list(last, 0, 3, 8)) == {"chips_left": 8, "ranks": [row]}
        nine = {"win_probability": 2 / 3, "tie_probability": 0.0, "lose_probability": 1 / 3}
        assert plain(showdown(last, 0, 9)) == nine
        ranks = plain(used_cards(make(IndianPoker, seen="1,1"), 0, 4))["ranks"]
        assert ranks[3] == {"rank": 4, "cards_gone": 0, "cards_visible": 1, "cards_unseen": 1}
        assert len(ranks) == 10
        assert plain(hidden_card(RANKED, 0, "Kh"))["copies_left"]["As"] == 1

    def test_two_sided_cards_go_to_json_as_text(self) -> None:
        assert plain(used_cards(SIDES, 1, 6, "9/1,5/8")) == {
            "cards_shown": ["3/7", "8/2"],
            "fronts_hidden": [1, 5, 5, 9],
            "own_cards_hidden": ["5/8", "9/1"],
            "fronts": [3, 8],
            "own_card": "8/6",
        }
        assert [plain(used_cards(make(DoubleSided), 1))[name] for name in ("fronts", "own_card")] == [None, None]
        spec = make(DoubleSided, fronts="3,8")
        both = plain(win_chances(spec, 1, 9))
        assert both["own_card"] == "8/9"
        assert both["both_win_probability"] == pytest.approx({"front": 1.0, "back": 6 / 9})
        assert both["sides"]["front"]["back"] == showdown(spec, 1, 9, "back,front").to_dict()
        assert both["sides"]["back"]["front"]["win_probability"] == pytest.approx(1.0)
        assert plain(win_chances(spec, 0, 9))["both_win_probability"] is None


class TestRefusals:
    @pytest.mark.parametrize(
        ("spec", "player", "observation", "error", "parts"),
        [
            (POKER, 0, 4, CardError, ["still has (1, 2, 3, 5, 6, 7, 8, 9, 10), got 4"]),
            (POKER, 0, 11, CardError, ["card from 1 to 10", "'11'", "(the card seen)"]),
            (POKER, 2, 3, OptionError, ["player to be from 0 (P1) to 1 (P2), got 2"]),
            (POKER, -1, 3, OptionError, ["got -1"]),
            (POKER, "P1", 3, OptionError, ["the player", "'P1'"]),
            (HOLDEM, 0, 4, CardError, ["beside the board 4,4 (1, 2, 3, 5", "got 4"]),
            (hand("indian-holdem"), 0, 4, CardError, ["two community cards", "got none"]),
            (hand("double-sided"), 0, 4, CardError, ["fronts of the hand", "got none"]),
            (SIDES, 0, 3, CardError, ["same number on both sides, got 3/3 (the own card)"]),
            (SIDES, 0, 7, CardError, ["not been shown yet, got 3/7"]),
            (SIDES, 1, 2, CardError, ["not been shown yet, got 8/2"]),
            (SIDES, 0, 0, CardError, ["card from 1 to 10", "(the own back)"]),
            (BLUFF, 3, "K 9", OptionError, ["from 0 (P1) to 2 (P3), got 3"]),
            (BLUFF, 0, "K", CardError, ["expected 2 cards seen", "got 1"]),
            (BLUFF, 0, "K 9 4", CardError, ["expected 2 cards seen", "got 3"]),
            (BLUFF, 0, "Kh Kh", CardError, ["each card exists once, got Kh"]),
            (BLUFF, 0, "K 1", CardError, ["'1'", "second of K 1"]),
            (RANKED, 0, "K", CardError, ["card with its suit"]),
            (hand("blind-mans-bluff", players=6), 0, "K K K K K", CardError, ["four cards of rank K, got 5"]),
        ],
    )
    def test_a_view_that_cannot_be(
        self, spec: HandSpec, player: Any, observation: object, error: type[ForeheadError], parts: list[str]
    ) -> None:
        for aid in (hidden_card, showdown):
            with refused(error, *parts):
                aid(spec, player, observation)

    @pytest.mark.parametrize(
        ("mine", "error", "parts"),
        [
            ("5/8,5/8", CardError, ["5/8 is named twice", "(mine 5/8,5/8)"]),
            ("3/7", CardError, ["stayed hidden, got 3/7, which has been shown"]),
            ("5/x", CardError, ["card from 1 to 10", "'x'", "first of mine 5/x"]),
            ("5/8,9", CardError, ["front/back", "'9'", "second of mine"]),
            ("6/1", DeckError, ["among the hidden ones (1,5,5,9), got 6 once", "(mine 6/1)"]),
            ("9/1,9/2", DeckError, ["got 9 twice"]),
            ("5/8,9/1,1/2", DeckError, ["at most 2 own cards, half of the 4 hidden ones", "got 3"]),
            (7, CardError, ["mine", "7"]),
        ],
    )
    def test_own_folded_cards_that_cannot_be(self, mine: object, error: type[ForeheadError], parts: list[str]) -> None:
        for aid in (hidden_card, used_cards, win_chances, partial(showdown, sides="front,front")):
            with refused(error, *parts):
                aid(SIDES, 0, 6, mine=mine)

    def test_a_folded_card_that_is_in_hand(self) -> None:
        with refused(CardError, "earlier hands, got 5/8, which is in hand now"):
            hidden_card(hand("double-sided", hidden="5,9", fronts="5,8"), 0, 8, "5/8")

    @pytest.mark.parametrize("sides", [None, "front", ("front", ""), ("", "back"), "both,front", "back,up", "f,b,c"])
    def test_sides_that_nobody_can_name(self, sides: object) -> None:
        with refused(OptionError, "the sides named, P1's (front or back) and P2's (front, back or both), got "):
            showdown(SIDES, 0, 6, sides)

    @pytest.mark.parametrize("left", [[], [0], [1, 2], [0, 3], [-1, 0], "0"])
    def test_seats_that_cannot_be_left(self, left: object) -> None:
        with refused(OptionError, "seats left to be from 0 to 2, the player's (0) and at least one other, got "):
            showdown(BLUFF, 0, "K 9", left=left)
        with refused(OptionError, "a seat left", "'x'"):
            showdown(BLUFF, 0, "K 9", left="0,x")

    @pytest.mark.parametrize(
        ("weights", "error", "parts"),
        [
            ({}, OptionError, ["weight above 0", "own card", "got none"]),
            ({5: 0, 6: 0.0}, OptionError, ["weight above 0"]),
            ({5: -1}, OptionError, ["weight of 0 or more for 5, got -1"]),
            ({5: float("nan")}, OptionError, ["for 5, got nan"]),
            ({5: float("inf")}, OptionError, ["for 5, got inf"]),
            ({5: None}, OptionError, ["for 5, got None"]),
            ({4: 1}, CardError, ["what the own card can be (1, 2, 3, 5, 6, 7, 8, 9, 10), got one for 4"]),
            ({"11": 1}, CardError, ["card from 1 to 10", "'11'", "(in weights)"]),
        ],
    )
    def test_weights_that_are_none(self, weights: Any, error: type[ForeheadError], parts: list[str]) -> None:
        with refused(error, *parts):
            showdown(POKER, 0, 5, weights=weights)

    def test_weights_on_cards_of_another_kind(self) -> None:
        with refused(CardError, "what the other's back can be (1, 3, 4, 5, 6, 7, 9, 10), got one for 2"):
            win_chances(SIDES, 0, 6, {2: 1})
        with refused(OptionError, "a card that the other's back can be, got none"):
            win_chances(hand("double-sided", hidden="8,9", fronts="3,8"), 0, 6, {5: 1}, mine="8/5")
        for card in ("K", "Kh"):
            with refused(CardError, "own card can be (2c, ", f"got one for {card}"):
                showdown(RANKED, 0, "Kh", weights={card: 1})
        with refused(CardError, "'1' (in weights)"):
            showdown(BLUFF, 0, "K 9", weights={"1": 1})

    def test_chips_that_nobody_can_have_left(self) -> None:
        spec = hand("indian-poker", stacks="10,12")
        for chips, part in ((10, "P1 to have from 0 to 9 chips left after the ante, got 10"), (-1, "-1"), ("x", "'x'")):
            with refused(ChipsError, "chips left", part):
                penalty_list(spec, 0, 3, chips)
        assert penalty_list(spec, 1, 3, 11).chips_left == 11

    def test_what_belongs_to_another_game(self) -> None:
        with refused(OptionError, "indian-poker has no sides to name, got front,back"):
            showdown(POKER, 0, 3, ("front", "back"))
        with refused(OptionError, "blind-mans-bluff has no sides to name"):
            showdown(BLUFF, 0, "K 9", ("front", "back"))
        with refused(OptionError, "indian-holdem has no seats that drop out", "got 0,1"):
            showdown(HOLDEM, 0, 3, left=(0, 1))
        with refused(OptionError, "double-sided has no seats that drop out"):
            showdown(SIDES, 0, 6, "front,front", left=(0, 1))
        for aid in (hidden_card, used_cards):
            with refused(OptionError, "indian-poker has no own folded cards that stay hidden, got 5/8"):
                aid(POKER, 0, 3, "5/8")
        with refused(OptionError, "keeps its deck from hand to hand, got blind-mans-bluff"):
            used_cards(BLUFF, 0, "K 9")
        for spec, observation in ((SIDES, 6), (BLUFF, "K 9")):
            with refused(OptionError, "penalties for folding a hidden card", spec.game):
                penalty_list(spec, 0, observation, 3)
        for spec, observation in ((POKER, 3), (BLUFF, "K 9")):
            with refused(OptionError, "two numbers on a card", spec.game):
                win_chances(spec, 0, observation)
