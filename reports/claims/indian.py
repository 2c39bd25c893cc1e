"""What is measured of claims about indian-poker and indian-holdem alike: bets that tell, folds, a carried pot."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reports.claims.bench import Array, Bench, Flow, average, loss, ratio
from reports.claims.claim import Rule
from reports.claims.numbers import BITS, CHANCE, CHIPS, TIMES, Number, Numbers
from rules.betting.actions import ALLIN, BET, FOLD, RAISE
from rules.betting.chips import Chips, settle_tie
from rules.betting.no_limit import Showdown

Rows = NDArray[np.bool_]

BIG, SMALL = 5, 1
"""Chips that a bet or raise adds to be a big one, the largest size listed, or more; and to be a small one."""

TIED_AT = (1, 5)
"""Levels of the ties that a pot is carried over from: the smallest bet and the largest listed one."""

ENOUGH_BITS, SOME_BITS = 0.1, 0.02
BITS_WHY = (
    "0.1 bits are what a hint on an even question is worth that is right 68 times in 100, 0.02 one right 58 times"
)
OFTEN_WHY = "often means three times in five; half the time is what no information gives"
ANTE_WHY = "the price of a fold beside the ante of 1: a tenth of it is nothing, as much again is a second ante"
CARE_WHY = "a twentieth of an ante a hand is noticed within a match, a hundredth is not"

LOSES_BY_HABIT = Rule("loss", 0.05, 0.01, CARE_WHY)
SAYS_WEAK = Rule("weak_after_big", 0.6, 0.5 + 1e-3, OFTEN_WHY)
SAYS_STRONG = Rule("strong_after_fold", 0.6, 0.5 + 1e-3, OFTEN_WHY)
ANTE_ONLY = Rule("cost", 1.1, 2.0, ANTE_WHY, at_most=True)
INFORMS = Rule("bits", ENOUGH_BITS, SOME_BITS, BITS_WHY)
COSTS_LITTLE = Rule("lost", 0.1, 0.5, "a tenth of an ante is little, half of one is not much", at_most=True)
STAKES_MORE = Rule("times", 1.1, 1.0 + 1e-3, "a tenth more is plainly more; anything above 1 is more at all")

NO_CLOCK = "How quickly: the games have no clock, so that only the action itself is measured."
HOW_BETS = (
    "Full deck, every decision of both players in equilibrium, weighted by how often the hand comes there with these "
    "cards. A big bet or raise adds 5 chips or more; the weaker half is the weaker half of the deck's cards."
)
HOW_FOLD = "Full deck, every card seen by how often it is dealt, fold penalties included."
HOW_ANSWERS = (
    "Full deck, every card seen by how often it is dealt, P2 answers as in equilibrium; bits are the mutual "
    "information of the own card and the answer, given the card seen."
)
HOW_COUNTING = (
    "Three shuffled decks (always the same ones), deck states all along each. One player plays the full deck's "
    "equilibrium, with each card as there, the other the deck state's own; measured against that equilibrium's value."
)
HOW_CARRY = (
    "Full deck, the hands after a called bet of 1 and one of 5 have tied, and the same stacks without the carried pot; "
    "mean over both."
)


def strength(one: Flow, player: int) -> Array:
    """Return for each observation which part of the deck is weaker than the card seen, half of its equals counted.

    Observations stand in ascending strength, so that this is 0 to 1 from the weakest to the strongest.
    """
    seen = one.prior.sum(axis=1 - player)
    return np.asarray(np.cumsum(seen) - seen / 2)


def bets(one: Flow, least: int = 1, most: int = 10**9) -> Rows:
    """Return which actions are bets or raises that add so many chips, shape (A,)."""
    return one.kind(BET, RAISE, ALLIN) & (one.size >= least) & (one.size <= most)


def told_by(bench: Bench, rows_of: Callable[[Flow], Rows], weak: bool) -> float:
    """Return how often the card that an actor sees is in the weaker half (or the stronger) when such an action comes.

    The card seen is the other's own: so this is what the other can read from the action.
    """
    found = total = 0.0
    for one in bench.flows:
        for player in (0, 1):
            by_sight = one.by_sight(rows_of(one), player)
            half = strength(one, player) < 0.5
            found += float(by_sight[half if weak else ~half].sum())
            total += float(by_sight.sum())
    return ratio(found, total)


def big_bets_tell(bench: Bench) -> Numbers:
    """Measure what a big bet says of the card it was made against."""
    return {
        "weak_after_big": Number(
            told_by(bench, lambda one: bets(one, BIG), True), CHANCE, "the card bet against is in the weaker half of "
            f"the deck, after a bet or raise of {BIG} or more"),
        "weak_after_small": Number(
            told_by(bench, lambda one: bets(one, SMALL, SMALL), True), CHANCE, "the same after a bet or raise of 1"),
        "weak_after_any": Number(
            told_by(bench, lambda one: np.ones(len(one.actions), dtype=bool), True), CHANCE,
            "the same over all actions together"),
    }  # fmt: skip


def folds_tell(bench: Bench) -> Numbers:
    """Measure what a fold says of the card that was folded against."""
    return {
        "strong_after_fold": Number(
            told_by(bench, lambda one: one.kind(FOLD), False), CHANCE,
            "the card folded against is in the stronger half of the deck"),
        "strong_after_no_fold": Number(
            told_by(bench, lambda one: ~one.kind(FOLD) & (one.level > 0), False), CHANCE,
            "the same where a bet was answered without a fold"),
    }  # fmt: skip


def cost_of_fold(one: Flow) -> float:
    """Return what P1 loses by folding at once in a class of deals, in chips, mean over all cards."""
    (row,) = (row for row in one.at(0) if one.actions[row].kind == FOLD)
    seen = one.prior.sum(axis=1)
    return -float(seen @ one.ev[row, : len(seen)])


def fold_costs(bench: Bench) -> Numbers:
    """Measure what P1 pays for a fold at once, over all cards dealt."""
    cost = risk = 0.0
    for one in bench.flows:
        cost += one.weight * cost_of_fold(one)
        risk += one.weight * float(one.prior.sum(axis=0) @ penalised(one))
    return {
        "cost": Number(cost, CHIPS, "lost by a fold as P1's first action, mean over all cards"),
        "penalty": Number(cost - 1.0, CHIPS, "of it beyond the ante: the fold penalty that the hidden card may cost"),
        "risk": Number(risk, CHANCE, "that the hidden card is one whose fold costs extra"),
    }


def penalised(one: Flow) -> Array:
    """Return whether each card that P1 may hold costs extra to fold, 0.0 or 1.0."""
    spec = one.spec
    return np.array([float(spec.penalty(int(name), spec.table) > 0) for name in one.observations[1]])


def bits_of_answer(one: Flow, row: int) -> tuple[float, float, float]:
    """Return what P1 learns of the own card by the answers to an opening, over all cards dealt.

    Returns
    -------
    useful, all_bits, goes_on
        Bits by answers after which P1 acts again, bits by all answers, and how often P1 acts again.
    """
    below = int(one.child[row])
    useful = every = goes_on = 0.0
    for answer in one.at(below):
        # P2's row: the chance of this answer by P2's observation, which is P1's own card.
        chance = one.strategy[answer, : one.prior.shape[1]]
        joint = one.prior * chance
        comes = joint.sum(axis=1, keepdims=True)
        before = one.prior / one.prior.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(joint > 0.0, joint * np.log2(joint / comes / before), 0.0)
        every += float(terms.sum())
        if one.child[answer] >= 0:
            useful += float(terms.sum())
            goes_on += float(joint.sum())
    return useful, every, goes_on


def answers_tell(bench: Bench) -> Numbers:
    """Measure what P1 learns by the answer to openings of each size."""
    sums: dict[int, Array] = {}
    for one in bench.flows:
        for row in np.flatnonzero((one.node == 0) & bets(one)).tolist():
            found = one.weight * np.array(bits_of_answer(one, row))
            size = int(one.size[row])
            sums[size] = sums.get(size, np.zeros(3)) + found
    small, big = sums.get(SMALL, np.full(3, np.nan)), sums[max(sums)]
    told = "learned of the own card by answers to an opening of"
    return {
        "bits": Number(float(small[0]), BITS, f"{told} 1 after which P1 acts again"),
        "goes_on": Number(float(small[2]), CHANCE, "how often P1 acts again after an opening of 1"),
        "all_bits": Number(float(small[1]), BITS, f"{told} 1, those included that end the hand"),
        "big_bits": Number(float(big[0]), BITS, f"{told} all chips, after which P1 acts again"),
        "big_all_bits": Number(float(big[1]), BITS, f"{told} all chips, those included that end the hand"),
    }


def small_costs(bench: Bench) -> Numbers:
    """Measure what P1 loses by always opening with 1 where the rest of the hand is played as the equilibrium has it."""
    lost = worst = played = 0.0
    for one in bench.flows:
        rows = one.at(0)
        seen = one.prior.sum(axis=1)
        (small,) = (row for row in rows if bets(one, SMALL, SMALL)[row])
        values = one.ev[rows, : len(seen)]
        losses = values.max(axis=0) - one.ev[small, : len(seen)]
        lost += one.weight * float(seen @ losses)
        worst = max(worst, float(losses.max()))
        played += one.weight * float(seen @ one.strategy[small, : len(seen)])
    return {
        "lost": Number(lost, CHIPS, "lost by an opening of 1 against the best opening, mean over all cards"),
        "worst": Number(worst, CHIPS, "the same with the card seen where it is most"),
        "played": Number(played, CHANCE, "how often P1 opens with 1"),
    }


def carries(bench: Bench) -> list[tuple[Bench, Bench]]:
    """Return the hands after a tie at each level of `TIED_AT`, and the same ones without the carried pot."""
    pairs = []
    for level in TIED_AT:
        if level > bench.spec.chips.cap:
            continue
        after = settle_tie(bench.spec.chips, level, bench.spec.tie_bust).swapped()
        if after.carry and after.cap > 0:
            pairs.append((bench.but(chips=after), bench.but(chips=Chips(after.s1, after.s2, 0))))
    return pairs


def carry_needs_care(bench: Bench) -> Numbers:
    """Measure what playing on as if nothing had been carried over costs."""
    losses = [loss(here.solution, usual.solution) for here, usual in carries(bench)]
    found = [one.mean for one in losses]
    return {
        "loss": Number(average(found), CHIPS,
                       "lost a hand by playing as without the carried pot, mean over both ties and both seats"),
        **{f"after_{level}": Number(one, CHIPS, f"the same after a tie at {level}")
           for level, one in zip(TIED_AT, found, strict=False)},
        **{f"first_{level}": Number(one.first, CHIPS, f"the same after a tie at {level}, P1 alone")
           for level, one in zip(TIED_AT, losses, strict=False)},
    }  # fmt: skip


def stake(bench: Bench) -> tuple[float, float]:
    """Return what the two put in beyond the antes together, in chips, and how often a hand ends in a fold."""
    put = folded = 0.0
    for one in bench.flows:
        ends = one.child < 0
        comes = one.weight * one.joint.sum(axis=(1, 2))
        for row in np.flatnonzero(ends & (comes > 0.0)).tolist():
            outcome = one.outcomes[~int(one.child[row])]
            shown = isinstance(outcome, Showdown)
            put += comes[row] * (2 * outcome.level if shown else outcome.paid + outcome.level)
            folded += 0.0 if shown else float(comes[row])
    return put, folded


def carry_stakes(bench: Bench) -> Numbers:
    """Measure how much more is put in where a pot has been carried over."""
    pairs = [(stake(here), stake(usual)) for here, usual in carries(bench)]
    (put, folds), (usual, usual_folds) = (
        [average([pair[place][what] for pair in pairs]) for what in (0, 1)] for place in (0, 1)
    )
    return {
        "times": Number(ratio(put, usual), TIMES, "as much is put in beyond the antes as without a carried pot"),
        "put": Number(put, CHIPS, "put in beyond the antes by both, with a carried pot"),
        "usual": Number(usual, CHIPS, "the same without one"),
        "folds": Number(folds, CHANCE, "how often a hand ends in a fold, with a carried pot"),
        "usual_folds": Number(usual_folds, CHANCE, "the same without one"),
    }
