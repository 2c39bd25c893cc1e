"""The claims of text 000 about indian-poker."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from reports.claims.bench import Array, Bench, Flow, not_counting, ratio
from reports.claims.claim import Claim, Rule, cited
from reports.claims.indian import (
    ANTE_ONLY,
    BIG,
    COSTS_LITTLE,
    HOW_ANSWERS,
    HOW_BETS,
    HOW_CARRY,
    HOW_COUNTING,
    HOW_FOLD,
    INFORMS,
    LOSES_BY_HABIT,
    NO_CLOCK,
    SAYS_STRONG,
    SAYS_WEAK,
    STAKES_MORE,
    answers_tell,
    bets,
    big_bets_tell,
    carry_needs_care,
    carry_stakes,
    fold_costs,
    folds_tell,
    small_costs,
)
from reports.claims.numbers import CHANCE, CHIPS, TIMES, Number, Numbers
from rules import aids
from rules.betting.actions import FOLD
from rules.cards.rank_deck import RANKS, RankDeck
from rules.games.indian_poker import TEN_PENALTY
from solver.two_player.evaluation import counterfactual_values

LOW, HIGH = 3, 8
"""A low card is at most 3, a high one at least 8."""

RICH, POOR = (0, 0, 0, 0, 2, 2, 2, 2, 2, 2), (2, 2, 2, 2, 2, 0, 0, 0, 0, 2)
"""Counts left: a deck without its four lowest ranks, and one without the four highest below the 10."""

NOTICED = 1e-3
"""Chips by which a value must change to be said to: less may be what the gap leaves open."""

MIDDLE = 5
"""A card that both of these decks hold."""


def ranks(one: Flow, player: int) -> NDArray[np.int64]:
    """Return the cards that a player may see, which are those that the other may hold."""
    return np.array([int(name) for name in one.observations[player]])


def odds_against(bench: Bench, rank: int) -> aids.Chances:
    """Return how a showdown against a card seen ends, by the deck alone."""
    return aids.showdown(bench.spec, 0, str(rank))


def one_is_beaten(bench: Bench) -> Numbers:
    """Measure the odds against a 1."""
    found = odds_against(bench, 1)
    return {
        "win": Number(float(found.win), CHANCE, "the hidden card beats a 1"),
        "tie": Number(float(found.tie), CHANCE, "the hidden card is the other 1"),
    }


def ten_is_not(bench: Bench) -> Numbers:
    """Measure the odds against a 10."""
    found = odds_against(bench, 10)
    return {
        "win": Number(float(found.win), CHANCE, "the hidden card beats a 10"),
        "tie": Number(float(found.tie), CHANCE, "the hidden card is the other 10"),
    }


def values_by_sight(bench: Bench) -> list[Array]:
    """Return P1's and P2's expected gain by the card seen, before anybody acts."""
    solution = bench.solution
    one = solution.game.classes[0]
    found = []
    for player in (0, 1):
        values = counterfactual_values(solution.tree, one, solution.strategies[0], player).node[0]
        found.append(values / one.prior.sum(axis=1 - player))
    return found


def odds_fall(bench: Bench) -> Numbers:
    """Measure whether the chance to win falls with every rank seen."""
    odds = [float(odds_against(bench, rank).win) for rank in RANKS]
    return {
        "falling": Number(float((np.diff(odds) < 0.0).mean()), CHANCE, "of the steps from one rank seen to the next "
                          "lower the chance to win"),
        "lowest": Number(odds[0], CHANCE, "the chance to win seeing a 1"),
        "highest": Number(odds[-1], CHANCE, "the chance to win seeing a 10"),
    }  # fmt: skip


def values_fall(bench: Bench) -> Numbers:
    """Measure whether both players' values fall with every rank seen."""
    first, second = values_by_sight(bench)
    steps = np.concatenate([np.diff(first), np.diff(second)])
    return {
        "falling": Number(float((steps < -NOTICED).mean()), CHANCE, "of the steps from one rank seen to the next lower "
                          "a player's value"),
        "rising": Number(float((steps > NOTICED).mean()), CHANCE, "of the steps raise it"),
        "first_low": Number(float(first[0]), CHIPS, "P1's value seeing a 1"),
        "first_high": Number(float(first[-1]), CHIPS, "P1's value seeing a 10"),
        "first_least": Number(float(first.min()), CHIPS, "P1's value where it is least"),
        "second_low": Number(float(second[0]), CHIPS, "P2's value seeing a 1"),
        "second_high": Number(float(second[-1]), CHIPS, "P2's value seeing a 10"),
    }  # fmt: skip


def hard_bets_against_a_ten(bench: Bench) -> Numbers:
    """Measure how often a big bet by the holder of a low card is made against a 10."""
    (one,) = bench.flows
    ten = faced = ten_before = before = 0.0
    for actor in (0, 1):
        rows = bets(one, BIG) & (one.player == actor)
        by_sight = one.joint[rows].sum(axis=0)
        dealt = one.prior
        if actor:  # so that rows are what the actor sees, the card of the one who answers
            by_sight, dealt = by_sight.T, dealt.T
        low, tens = ranks(one, 1 - actor) <= LOW, ranks(one, actor) == 10
        ten += float(by_sight[tens][:, low].sum())
        faced += float(by_sight[:, low].sum())
        ten_before += float(dealt[tens][:, low].sum())
        before += float(dealt[:, low].sum())
    chance, usual = ratio(ten, faced), ratio(ten_before, before)
    return {
        "times": Number(chance / usual, TIMES, "as often as by the deck alone the card bet against is a 10, after a "
                        f"big bet by a player who holds {LOW} or less"),
        "ten": Number(chance, CHANCE, "the card bet against is a 10 then"),
        "usual": Number(usual, CHANCE, "it is a 10 by the deck alone"),
    }  # fmt: skip


def folded_tens(bench: Bench) -> Numbers:
    """Measure what folding a 10 costs beyond the chips put in, as often as equilibrium play does it."""
    (one,) = bench.flows
    extra = folds = full = 0.0
    for row in np.flatnonzero(one.kind(FOLD)).tolist():
        player = int(one.player[row])
        own = ranks(one, 1 - player) == 10
        # The folder's card is what the other sees.
        comes = float(one.joint[row][:, own].sum() if player == 0 else one.joint[row][own].sum())
        outcome = one.outcomes[~int(one.child[row])]
        plain, dear = (one.spec.settle(outcome, verdict).stacks[player] for verdict in (0, TEN_PENALTY))
        extra += comes * (plain - dear)
        folds += comes
        full += comes * (plain - dear == TEN_PENALTY)
    return {
        "extra": Number(ratio(extra, folds), CHIPS, "a folded 10 costs extra, mean over those that are folded"),
        "full": Number(ratio(full, folds), CHANCE, "of them cost the full 10"),
        "folded": Number(ratio(folds, float(one.prior[:, ranks(one, 1) == 10].sum()) * 2), CHANCE,
                         "of the 10s dealt are folded"),
    }  # fmt: skip


def share_of_big(one: Flow, low: int, high: int, players: tuple[int, ...] = (0, 1)) -> float:
    """Return how often a big bet is made where one could be, by a player who sees a card from `low` to `high`."""
    made = could = 0.0
    rows = bets(one, BIG)
    for player in players:
        seen = (ranks(one, player) >= low) & (ranks(one, player) <= high)
        made += float(one.by_sight(rows, player)[seen].sum())
        could += float(one.chances(rows, player)[seen].sum())
    return ratio(made, could)


def big_against_low(bench: Bench) -> Numbers:
    """Measure who big bets are made against."""
    (one,) = bench.flows
    low, high = share_of_big(one, 1, LOW), share_of_big(one, HIGH, 10)
    return {
        "more": Number(low - high, CHANCE, "more often a big bet is made where one could be, against a low card than "
                       "against a high one"),
        "low": Number(low, CHANCE, f"of the decisions seeing {LOW} or less are big bets, where one could be made"),
        "high": Number(high, CHANCE, f"of the decisions seeing {HIGH} or more are big bets, likewise"),
        "middle": Number(share_of_big(one, LOW + 1, HIGH - 1), CHANCE, "of the others are big bets, likewise"),
    }  # fmt: skip


def big_in_rich_decks(bench: Bench) -> Numbers:
    """Measure how often a middle card is bet against hard, in a deck with high cards and in one with low cards."""
    rich, poor = (
        share_of_big(bench.but(deck=RankDeck(counts, 2, 2)).flows[0], MIDDLE, MIDDLE) for counts in (RICH, POOR)
    )
    return {
        "more": Number(rich - poor, CHANCE, f"more often a {MIDDLE} is bet against hard in the deck rich in high "
                       "cards than in the other"),
        "rich": Number(rich, CHANCE, f"of the decisions seeing a {MIDDLE} are big bets, in the deck of 5 to 10"),
        "poor": Number(poor, CHANCE, f"of the decisions seeing a {MIDDLE} are big bets, in the deck of 1 to 5 and 10"),
    }  # fmt: skip


EVERY_STEP = Rule("falling", 1.0, 0.8, "every step, or four in five")
MORE_OFTEN = Rule(
    "more", 0.2, 1e-3, "20 points are a plain difference between two shares; any difference is a part of one"
)


at = partial(cited, "000")


CLAIMS = (
    Claim(
        "one is beaten",
        "If they hold a 1, almost any card of yours beats it.",
        at(1, 2),
        "The chance that the hidden card beats a 1.",
        "Full deck, the card seen taken out; no betting.",
        Rule("win", 0.9, 0.75, "almost any is nine in ten"),
        "{win} of the cards you may hold beat a 1 and {tie} tie with it.",
        one_is_beaten,
        alone=True,
    ),
    Claim(
        "ten cannot be beaten",
        "If they hold a 10 you can tie at best.",
        at(1, 3),
        "The chance that the hidden card beats a 10.",
        "Full deck, the card seen taken out; no betting.",
        Rule("win", 0.0, 0.05, "at best a tie allows no win at all", at_most=True),
        "Against a 10 you win {win} of showdowns and tie {tie}.",
        ten_is_not,
        alone=True,
    ),
    Claim(
        "the card seen sets the odds",
        "Start from the card you see: it sets your odds before anybody bets.",
        at(1, 1, 4),
        "The chance to win a showdown falls with every rank seen.",
        "Full deck, the nine steps from a 1 seen to a 10; no betting.",
        EVERY_STEP,
        "{falling} of the steps lower the chance to win, from {lowest} to {highest}.",
        odds_fall,
        alone=True,
    ),
    Claim(
        "the card seen sets the value",
        "Start from the card you see: the lower it is, the better for you.",
        at(1, 1, 4),
        "Both players' equilibrium values fall with every rank seen.",
        "Full deck, the nine steps from a 1 seen to a 10 for each player; values before anybody acts, a change of "
        "0.001 chips at least.",
        EVERY_STEP,
        "{falling} of the steps lower a value and {rising} raise one; P1's falls from {first_low} seeing a 1 to "
        "{first_high} seeing a 10, at the least {first_least}.",
        values_fall,
    ),
    Claim(
        "count the deck",
        "Count the cards that are gone, for the deck left says how likely your card is a high one.",
        at(2, 1, 2, 3),
        "A player who never counts, and plays every deck state like a fresh deck, loses chips by it.",
        HOW_COUNTING,
        LOSES_BY_HABIT,
        "Not counting costs {loss} a hand over a deck: {early} in its first half, {late} in its second.",
        not_counting,
        alone=True,
        left_out="Whether a tracker or your own memory does the counting.",
    ),
    Claim(
        "a big bet says your card is weak",
        "They see your card, so a big raise often means that it looks weak.",
        at(3, 1, 2),
        "A big bet or raise is mostly made against a card of the weaker half.",
        HOW_BETS,
        SAYS_WEAK,
        "After a big bet the card bet against is weak {weak_after_big} of the time, after one of 1 {weak_after_small}.",
        big_bets_tell,
    ),
    Claim(
        "a fold says your card is strong",
        "When they fold, your card may look strong to them.",
        at(3, 3),
        "A fold is mostly made against a card of the stronger half.",
        HOW_BETS,
        SAYS_STRONG,
        "The card folded against is strong {strong_after_fold} of the time, the one not folded against "
        "{strong_after_no_fold}.",
        folds_tell,
        left_out=NO_CLOCK,
    ),
    Claim(
        "an early fold costs the ante",
        "Fold cheaply: early, a fold costs your ante alone.",
        at(4, 1, 2),
        "What P1 loses by folding at once, over all cards, is about the ante of 1.",
        HOW_FOLD,
        ANTE_ONLY,
        "Folding at once costs {cost} on average, {penalty} of it for the 10 that you may hold ({risk}).",
        fold_costs,
    ),
    Claim(
        "hard bets by a low card: a 10?",
        "Where their card is low and they bet hard all the same, you may be holding a 10.",
        at(4, 3),
        "After a big bet by the holder of 3 or less, the card bet against is a 10 as often as by the deck alone.",
        "Full deck, every big bet or raise (5 chips or more) of both players in equilibrium whose bettor holds 3 or "
        "less, weighted by how often it comes.",
        Rule("times", 1.0, 0.25, "may be a 10 needs a 10 to stay as likely as before, or a quarter as likely"),
        "After such a bet your card is a 10 {ten} of the time, against {usual} by the deck alone.",
        hard_bets_against_a_ten,
    ),
    Claim(
        "folding a 10 costs 10 more",
        "Folding a 10 costs 10 chips more.",
        at(4, 3),
        "The penalty really paid for a folded 10, capped at the chips that are left.",
        "Full deck, every fold of both players in equilibrium by a player who holds a 10, weighted by how often it "
        "comes.",
        Rule("extra", 10.0, 5.0, "the full 10, or half of it"),
        "A folded 10 costs {extra} extra on average, the full 10 in {full} of the folds; {folded} of the 10s fold.",
        folded_tens,
    ),
    Claim(
        "small raises tell something",
        "A raise of 1 gathers information: it shows how they react.",
        at(5, 1, 2),
        "By the answers to an opening of 1 after which P1 acts again, P1 learns about the own card.",
        HOW_ANSWERS,
        INFORMS,
        "An opening of 1 tells {bits} that P1 can still use; P1 acts again {goes_on} of the time, since a call or a "
        "fold ends the hand (with those {all_bits}).",
        answers_tell,
    ),
    Claim(
        "small raises cost little",
        "A raise of 1 costs little.",
        at(5, 2),
        "What P1 loses by opening with 1 in place of the best opening.",
        "Full deck, every card seen by how often it is dealt; the rest of the hand as in equilibrium.",
        COSTS_LITTLE,
        "Always opening with 1 costs {lost} a hand, {worst} with the card seen where it costs most.",
        small_costs,
    ),
    Claim(
        "big raises against low cards",
        "Save the bigger raises for when their card is low.",
        at(5, 3),
        "Big bets are made more often against a card of 3 or less than against one of 8 or more.",
        "Full deck, every decision of both players in equilibrium where a big bet or raise (5 chips or more) could be "
        "made, weighted by how often it comes.",
        MORE_OFTEN,
        "A big bet is made {low} of the time against 3 or less and {high} against 8 or more.",
        big_against_low,
    ),
    Claim(
        "big raises in rich decks",
        "Save the bigger raises for when the deck is rich in high cards.",
        at(5, 3),
        "Seeing a 5, a big bet is made more often where 5 to 10 are left than where 1 to 5 and 10 are left.",
        "Two decks of twelve cards, two of each rank; every decision of both players in equilibrium where a big bet or "
        "raise (5 chips or more) could be made seeing a 5, weighted by how often it comes.",
        MORE_OFTEN,
        "Against a 5 a big bet is made {rich} of the time in the rich deck and {poor} in the poor one.",
        big_in_rich_decks,
    ),
    Claim(
        "a carried pot asks for care",
        "After a tie the next hand starts with a larger pot and should be played with more care.",
        at(6, 1, 2),
        "A player who plays on as if nothing had been carried over loses chips by it.",
        HOW_CARRY + " One player plays as without it, the other the equilibrium.",
        LOSES_BY_HABIT,
        "Forgetting the carried pot costs {loss} a hand.",
        carry_needs_care,
    ),
    Claim(
        "more is staked after a carry",
        "After a tie more is at stake.",
        at(6, 2),
        "Both together put more chips in beyond the antes where a pot has been carried over.",
        HOW_CARRY + " Chips put in by both, weighted by how often each end of the hand comes.",
        STAKES_MORE,
        "With a carried pot {put} are put in beyond the antes, {times} what is without; {folds} of the hands end in "
        "a fold against {usual_folds}.",
        carry_stakes,
    ),
)
