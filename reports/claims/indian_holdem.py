"""The claims of text 001 about indian-holdem."""

from collections.abc import Iterator
from functools import partial
from itertools import combinations_with_replacement

import numpy as np

from reports.claims.bench import Bench, Flow, not_counting, ratio
from reports.claims.claim import Claim, Rule, cited
from reports.claims.indian import (
    ANTE_ONLY,
    HOW_BETS,
    HOW_CARRY,
    HOW_COUNTING,
    HOW_FOLD,
    LOSES_BY_HABIT,
    NO_CLOCK,
    SAYS_STRONG,
    SAYS_WEAK,
    STAKES_MORE,
    big_bets_tell,
    carry_needs_care,
    carry_stakes,
    cost_of_fold,
    folds_tell,
)
from reports.claims.numbers import CHANCE, CHIPS, Number, Numbers
from rules.betting.actions import CALL, FOLD
from rules.cards.rank_deck import RANKS, RankDeck
from rules.games.indian_holdem import HIGH_CARD, PAIR, STRAIGHT, TRIPLE, kind

EXAMPLES = {
    (5, 6): {4: STRAIGHT, 7: STRAIGHT, 5: PAIR, 6: PAIR},
    (2, 8): {2: PAIR, 8: PAIR},
}
"""The text's boards, and what makes more than a high card there; the text names no pair on 2 and 8."""

FEW_WAYS = 2
"""Different ranks that make a pair or better on a board with few ways to have a good hand."""

GOOD_DECK, GOOD_BOARD = (4, 4, 0, 4, 4, 4, 4, 0, 0, 0), (5, 6)
"""Counts left and a board with which most cards make a pair or better."""

SURELY = 1e-2
"""Chips by which a call must be better than a fold to count as better."""


def examples(bench: Bench) -> Numbers:
    """Measure how many cards make what the text says on its own boards."""
    right = [kind(rank, board) == made.get(rank, HIGH_CARD) for board, made in EXAMPLES.items() for rank in RANKS]
    return {"right": Number(float(np.mean(right)), CHANCE, "of the ranks make what the text says on 5,6 and 2,8")}


def fold_share(one: Flow) -> float:
    """Return how often P1 folds at once on a class of boards."""
    rows = (one.node == 0) & one.kind(FOLD)
    return float(one.joint[rows].sum())


def board_matters(bench: Bench) -> Numbers:
    """Measure how far values and openings differ from board to board."""
    values = [quality.value for quality in bench.solution.qualities]
    folds = [fold_share(one) for one in bench.flows]
    return {
        "spread": Number(max(values) - min(values), CHIPS, "between the boards that are best and worst for P1"),
        "folds_most": Number(max(folds), CHANCE, "P1 folds at once on the boards where that is most"),
        "folds_least": Number(min(folds), CHANCE, "P1 folds at once on the boards where that is least"),
    }


def meetings() -> Iterator[tuple[int, int, bool]]:
    """Yield the kind that the other holds, the own kind, and whether the own hand wins, for every possible deal."""
    deck = RankDeck.fresh(4, 4)
    for board in combinations_with_replacement(RANKS, 2):
        for theirs in RANKS:
            for own in RANKS:
                if deck.holds((*board, theirs, own)):
                    mine, other = (kind(own, board), own), (kind(theirs, board), theirs)
                    yield other[0], mine[0], mine > other


def high_card_loses(bench: Bench) -> Numbers:
    """Measure how often a pair or a straight beats a high card."""
    won = [wins for theirs, own, wins in meetings() if theirs == HIGH_CARD and own in (PAIR, STRAIGHT)]
    return {
        "wins": Number(float(np.mean(won)), CHANCE, "of the meetings of a pair or straight with a high card are won"),
        "meetings": Number(float(len(won)), "meetings", "of board and two cards by rank in which that happens"),
    }


def straight_loses_to(bench: Bench) -> Numbers:
    """Measure what beats a straight: whether only what the text names does, and how much of that ever meets one."""
    beaten_by = [own for theirs, own, wins in meetings() if theirs == STRAIGHT and wins]
    met_by = {own for theirs, own, _ in meetings() if theirs == STRAIGHT}
    named = {STRAIGHT, TRIPLE}
    only_those = set(beaten_by) <= named
    return {
        "true": Number(len(named & set(beaten_by)) / len(named) if only_those else 0.0, CHANCE, "of the two ways named "
                       "to beat a straight really do; 0 if anything else does too"),
        "triples": Number(float(beaten_by.count(TRIPLE)), "meetings", "in which a triple meets a straight and wins"),
        "straights": Number(float(beaten_by.count(STRAIGHT)), "meetings", "in which a better straight wins"),
        "kinds": Number(float(len(met_by)), "kinds", "of hand that can meet a straight at all"),
    }  # fmt: skip


def ways(one: Flow) -> int:
    """Return how many different ranks make a pair or better on a board."""
    return sum(kind(rank, one.spec.table) > HIGH_CARD for rank in RANKS)


def few_ways(bench: Bench) -> Numbers:
    """Measure what a fold at once costs on boards with few ways to have a good hand, and on the others."""
    few, many = ([one for one in bench.flows if (ways(one) <= FEW_WAYS) is wanted] for wanted in (True, False))

    def cost(flows: list[Flow]) -> float:
        total = sum(one.weight for one in flows)
        return ratio(sum(cost_of_fold(one) * one.weight for one in flows), total)

    return {
        "cost": Number(cost(few), CHIPS, f"lost by folding at once, on boards with at most {FEW_WAYS} good ranks"),
        "many": Number(cost(many), CHIPS, "lost by folding at once, on the other boards"),
        "boards": Number(sum(one.weight for one in few), CHANCE, f"of the boards have at most {FEW_WAYS} good ranks"),
    }


def calls_better(bench: Bench) -> tuple[float, float]:
    """Return how often a call is better than a fold where a bet is faced, and how often a bet is folded to."""
    better = folded = faced = 0.0
    for one in bench.flows:
        folds = one.kind(FOLD) & (one.level > 0)
        calls = one.kind(CALL)
        for player in (0, 1):
            size = len(one.observations[player])
            fold, call = (np.flatnonzero(rows & (one.player == player)) for rows in (folds, calls))
            assert np.array_equal(one.node[fold], one.node[call])
            nodes = np.isin(one.node, one.node[fold])
            comes = np.zeros((int(one.node.max()) + 1, size))
            np.add.at(comes, one.node[nodes], one.joint[nodes].sum(axis=2 - player))
            comes = comes[one.node[fold]] * one.weight
            gain = one.ev[call, :size] - one.ev[fold, :size]
            better += float(comes[gain > SURELY].sum())
            folded += one.weight * float(one.joint[fold].sum())
            faced += float(comes.sum())
    return ratio(better, faced), ratio(folded, faced)


def good_share(one: Flow) -> float:
    """Return how likely a hidden card makes a pair or better, on a class of boards."""
    good = [kind(int(name), one.spec.table) > HIGH_CARD for name in one.observations[1]]
    return float(one.prior.sum(axis=0)[good].sum())


def good_cards(bench: Bench) -> Numbers:
    """Measure whether a call is better than a fold where most cards make a pair or better."""
    rich = bench.but(deck=RankDeck(GOOD_DECK, 4, 4), board=GOOD_BOARD)
    (one,) = rich.flows
    better, folded = calls_better(rich)
    usual, usual_folded = calls_better(bench)
    most = max(map(good_share, bench.flows))
    return {
        "better": Number(better, CHANCE, "of the bets faced are better called than folded to, where most cards are "
                         f"good (deck {','.join(map(str, GOOD_DECK))}, board 5,6)"),
        "folded": Number(folded, CHANCE, "of the bets faced there are folded to"),
        "good": Number(good_share(one), CHANCE, "of the cards make a pair or better there"),
        "usual": Number(usual, CHANCE, "of the bets faced are better called than folded to, full deck, all boards"),
        "usual_folded": Number(usual_folded, CHANCE, "of the bets faced are folded to, full deck, all boards"),
        "most": Number(most, CHANCE, "of the cards make a pair or better on the full deck's best boards"),
    }  # fmt: skip


at = partial(cited, "001")


CLAIMS = (
    Claim(
        "read the board first",
        "Read the board before the bet, for it decides what the hidden cards make.",
        at(1, 1, 2),
        "P1's equilibrium value differs from board to board.",
        "Full deck, all boards (in four classes); the value on the best class less that on the worst.",
        Rule("spread", 0.1, 0.02, "a tenth of an ante a hand is plain, a fiftieth hardly seen"),
        "P1's value differs by {spread} between boards; P1 folds at once {folds_least} to {folds_most} of the time.",
        board_matters,
    ),
    Claim(
        "two boards as examples",
        "On 5 and 6 a 4 or 7 makes a straight, a 5 or 6 a pair; on 2 and 8 nothing makes a straight.",
        at(1, 3, 4),
        "Every rank makes what the text says on these boards.",
        "All ten ranks on both boards, by the rules.",
        Rule("right", 1.0, 0.9, "an example is right or it is not"),
        "{right} of the ranks make what is said.",
        examples,
        alone=True,
    ),
    Claim(
        "pairs and straights beat a high card",
        "Their hand sets your target: against a high card any pair or straight wins.",
        at(2, 1, 2),
        "Every meeting of a pair or straight with a high card is won.",
        "Every board and pair of cards that a full deck allows, by rank.",
        Rule("wins", 1.0, 0.9, "any means all"),
        "{wins} of such meetings are won.",
        high_card_loses,
        alone=True,
    ),
    Claim(
        "what beats a straight",
        "Against a straight you need a better straight or a triple.",
        at(2, 3),
        "Both ways happen, and nothing else beats a straight.",
        "Every board and pair of cards that a full deck allows, by rank; a triple takes a paired board, a straight one "
        "of two different cards.",
        Rule("true", 1.0, 0.5, "half of it is true where one of the two ways never happens"),
        "A better straight wins in {straights}, a triple in {triples}.",
        straight_loses_to,
        alone=True,
    ),
    Claim(
        "count the deck",
        "Count the cards: each number exists four times, and three are seen in every hand.",
        at(3, 1, 2, 3),
        "A player who never counts, and plays every deck state like a fresh deck, loses chips by it.",
        HOW_COUNTING + " The board is the one that comes next.",
        LOSES_BY_HABIT,
        "Not counting costs {loss} a hand over a deck: {early} in its first half, {late} in its second.",
        not_counting,
        alone=True,
        left_out="Whether a tracker does the counting.",
    ),
    Claim(
        "folds are cheap on poor boards",
        "The penalty cuts both ways: a fold is cheap where the board gives few ways to have a good hand.",
        at(4, 1, 2),
        "What P1 loses by folding at once, on boards where at most two ranks make a pair or better, is about the ante.",
        HOW_FOLD,
        ANTE_ONLY,
        "Folding at once costs {cost} on boards with few ways and {many} on the others.",
        few_ways,
    ),
    Claim(
        "folds are dear with most cards good",
        "Where most of your possible cards make a pair or better, a fold often costs more than a call.",
        at(4, 3),
        "Of the bets faced in such a deck, half are better called than folded to.",
        "Board 5,6 in a deck of 24 cards (1, 2, 4, 5, 6 and 7, four each), where most cards are good; bets faced by "
        "both players in equilibrium, weighted by how often they come; better by at least 0.01 chips.",
        Rule("better", 0.5, 0.25, "often is half of the time, or partly a quarter"),
        "With {good} good cards {better} of the bets faced are better called, against {usual} with a full deck, where "
        "at most {most} are good.",
        good_cards,
    ),
    Claim(
        "a big bet says your hand is weak",
        "They see your card, so a big raise often means that your hand looks weak.",
        at(5, 1, 2),
        "A big bet or raise is mostly made against a card of the weaker half on this board.",
        HOW_BETS,
        SAYS_WEAK,
        "After a big bet the card bet against is weak {weak_after_big} of the time, after one of 1 {weak_after_small}.",
        big_bets_tell,
    ),
    Claim(
        "a fold says your hand is strong",
        "When they fold, your hand may look strong to them.",
        at(5, 3),
        "A fold is mostly made against a card of the stronger half on this board.",
        HOW_BETS,
        SAYS_STRONG,
        "The card folded against is strong {strong_after_fold} of the time, the one not folded against "
        "{strong_after_no_fold}.",
        folds_tell,
        left_out=NO_CLOCK,
    ),
    Claim(
        "a carried pot asks for care",
        "After a draw the next hand starts with a larger pot and should be played with more care.",
        at(6, 1, 2),
        "A player who plays on as if nothing had been carried over loses chips by it.",
        HOW_CARRY + " One player plays as without it, the other the equilibrium.",
        LOSES_BY_HABIT,
        "Forgetting the carried pot costs {loss} a hand.",
        carry_needs_care,
    ),
    Claim(
        "more is staked after a carry",
        "After a draw more is at stake.",
        at(6, 2),
        "Both together put more chips in beyond the antes where a pot has been carried over.",
        HOW_CARRY + " Chips put in by both, weighted by how often each end of the hand comes.",
        STAKES_MORE,
        "With a carried pot {put} are put in beyond the antes, {times} what is without; {folds} of the hands end in "
        "a fold against {usual_folds}.",
        carry_stakes,
    ),
)
