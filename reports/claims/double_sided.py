"""The claims of text 004 about double-sided."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reports.claims.bench import Array, Bench, Flow, average, not_counting, ratio
from reports.claims.claim import Claim, Rule, cited
from reports.claims.indian import BITS_WHY, ENOUGH_BITS, HOW_COUNTING, LOSES_BY_HABIT, SOME_BITS
from reports.claims.numbers import BITS, CHANCE, CHIPS, TIMES, Number, Numbers
from rules import aids
from rules.betting.actions import BACK, BOTH, FOLD, FRONT
from rules.betting.chips import ANTE
from rules.betting.no_limit import Fold
from rules.betting.two_sided import SIDES, BothCalled, BothFolded
from rules.games.double_sided import BOTH_SIDES_BONUS

LOW, HIGH = 3, 8
"""A small front is at most 3, a big one at least 8."""

AHEAD, BEHIND = 0.75, 0.25
"""Chances, by the deck alone, that the better own number beats the other's better one, from which on one is clearly
ahead, and up to which clearly behind."""

AS_GOOD = 1e-2
"""Chips that an action may be below the best one and still be as good."""


def backs(one: Flow, player: int) -> NDArray[np.int64]:
    """Return the backs that a player may have."""
    return np.array([int(name) for name in one.observations[player]])


def naming(one: Flow, side: str) -> NDArray[np.bool_]:
    """Return which actions name a side, shape (A,); a side is named once."""
    return np.array([action.side == side for action in one.actions])


def named_front_is_known(bench: Bench) -> Numbers:
    """Measure whether a showdown against a named front is decided before it comes."""
    known = []
    for one in bench.flows:
        for back in one.observations[1]:
            for side in SIDES:
                found = aids.showdown(one.spec, 1, back, sides=(FRONT, side))
                known.append(max(found) == 1)
    return {
        "known": Number(float(np.mean(known)), CHANCE, "of the own numbers surely win, tie or lose against a named "
                        "front, over all fronts and backs")
    }  # fmt: skip


def higher_back(bench: Bench, fronts: Callable[[int], bool]) -> tuple[float, float, float]:
    """Return how often a back that is played is higher than its front, by the deck, and how often it is played.

    Of both players, with fronts that count.
    """
    higher = played = could = usual = 0.0
    for one in bench.flows:
        for player in (0, 1):
            front = one.spec.fronts[player]
            if not fronts(front):
                continue
            above = backs(one, player) > front
            by_sight = one.by_sight(naming(one, BACK), player)
            higher += float(by_sight[above].sum())
            played += float(by_sight.sum())
            could += float(one.by_sight(naming(one, BACK) | naming(one, FRONT), player).sum())
            usual += one.weight * float(one.prior.sum(axis=1 - player)[above].sum())
    dealt = sum(one.weight for one in bench.flows for player in (0, 1) if fronts(one.spec.fronts[player]))
    return ratio(higher, played), ratio(usual, dealt), ratio(played, could)


def back_is_bigger(bench: Bench) -> Numbers:
    """Measure how often a back that is played is higher than its front."""
    higher, usual, played = higher_back(bench, lambda front: True)
    return {
        "higher": Number(higher, CHANCE, "of the backs that are played are higher than their fronts"),
        "usual": Number(usual, CHANCE, "of all backs are higher than their fronts"),
        "played": Number(played, CHANCE, "of the sides named are backs"),
    }


def back_over_big_front(bench: Bench) -> Numbers:
    """Measure how often a back that is played over a big front is higher still."""
    higher, usual, played = higher_back(bench, lambda front: front >= HIGH)
    return {
        "higher": Number(higher, CHANCE, f"of the backs played over a front of {HIGH} or more are higher"),
        "usual": Number(usual, CHANCE, "of all backs of such fronts are higher"),
        "played": Number(played, CHANCE, "of the sides named with such a front are backs"),
        "over_nine": Number(higher_back(bench, lambda front: front == 9)[0], CHANCE,
                            "of the backs played over a 9 are 10s"),
        "over_ten": Number(higher_back(bench, lambda front: front == 10)[2], CHANCE,
                           "of the sides named with a front of 10 are backs, which are all lower"),
    }  # fmt: skip


def choice_talks(bench: Bench) -> Numbers:
    """Measure what P1's choice of a side says of P1's back."""
    bits = bet = 0.0
    for one in bench.flows:
        by_side = np.array([one.joint[(one.node == 0) & naming(one, side)].sum(axis=(0, 2)) for side in SIDES])
        total = float(by_side.sum())
        bits += one.weight * information(by_side)
        bet += one.weight * total
    return {
        "bits": Number(ratio(bits, bet), BITS, "that the side named at the opening tells of P1's back"),
        "bets": Number(bet, CHANCE, "of the hands P1 opens with a bet"),
    }


def information(joint: Array) -> float:
    """Return the mutual information of rows and columns times the sum of all entries, in bits; entries are weights."""
    total = joint.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        even = joint.sum(axis=0, keepdims=True) * joint.sum(axis=1, keepdims=True) / total
        terms = np.where(joint > 0.0, joint * np.log2(joint / even), 0.0)
    return float(terms.sum())


def small_front_bluffs(bench: Bench) -> Numbers:
    """Measure how often P1 plays a small front, and how often as a bluff: over a higher back or a higher front."""
    played = bluffs = bet = 0.0
    for one in bench.flows:
        front, theirs = one.spec.fronts
        if front > LOW:
            continue
        by_back = one.by_sight((one.node == 0) & naming(one, FRONT), 0)
        bluff = (backs(one, 0) > front) | (theirs > front)
        played += float(by_back.sum())
        bluffs += float(by_back[bluff].sum())
        bet += one.weight * float(one.joint[(one.node == 0) & ~one.kind(FOLD)].sum())
    return {
        "bluffs": Number(ratio(bluffs, bet), CHANCE, f"of the opening bets with a front of {LOW} or less play it "
                         "though the own back or the front across is higher"),
        "played": Number(ratio(played, bet), CHANCE, "of these bets play the front at all"),
        "bets": Number(bet, CHANCE, "of all hands are opened with a bet holding such a front"),
    }  # fmt: skip


def both_outcomes(one: Flow) -> list[BothFolded | BothCalled]:
    """Return how a both-sides bet over a front that it beats can end; `level` is what P1 has then put in."""
    return [
        outcome
        for outcome in one.outcomes
        if isinstance(outcome, BothFolded) or (isinstance(outcome, BothCalled) and outcome.side == FRONT)
    ]


def both_cannot_lose(bench: Bench) -> Numbers:
    """Measure the worst end of a both-sides bet over a front that both numbers beat."""
    (one, *_) = bench.flows
    ends = [one.spec.settle(outcome, -1).s2 - one.spec.chips.s2 for outcome in both_outcomes(one)]
    return {
        "worst": Number(float(min(ends, default=np.nan)), CHIPS, "gained by P2 at the worst end of such a bet"),
        "best": Number(float(max(ends, default=np.nan)), CHIPS, "gained by P2 at the best end of such a bet"),
    }


def both_pays_ten(bench: Bench) -> Numbers:
    """Measure what a both-sides bet that wins pays beyond what was put in."""
    (one, *_) = bench.flows
    chips = one.spec.chips
    extra = [chips.s1 - ANTE - outcome.level - one.spec.settle(outcome, -1).s1 for outcome in both_outcomes(one)]
    full = [float(paid == BOTH_SIDES_BONUS) for paid in extra]
    return {
        "full": Number(average(full), CHANCE, "of the ends (every opening bet, called and "
                       "folded) pay the full 10 extra"),
        "extra": Number(average(extra), CHIPS, "paid extra, mean over these ends"),
        "least": Number(float(min(extra, default=np.nan)), CHIPS, "paid extra at the end that pays least"),
    }  # fmt: skip


def both_is_best(bench: Bench) -> Numbers:
    """Measure how often a both-sides bet that cannot lose comes up, and whether it is the best action then."""
    comes = dealt = best = gain = 0.0
    for one in bench.flows:
        mine, theirs = one.spec.fronts[1], one.spec.fronts[0]
        beats = (backs(one, 1) > theirs) & (mine > theirs)
        seen = one.weight * one.prior.sum(axis=0)
        for opening in np.flatnonzero((one.node == 0) & naming(one, FRONT)).tolist():
            rows = one.at(int(one.child[opening]))
            both = [row for row in rows if one.actions[row].kind == BOTH]
            if not both:
                continue
            others = [row for row in rows if row not in both]
            more = one.ev[both[0], : len(beats)] - one.ev[others, : len(beats)].max(axis=0)
            comes += one.weight * float(one.joint[opening].sum(axis=0)[beats].sum())
            dealt += float(seen[beats].sum())
            best += float(seen[beats & (more >= -AS_GOOD)].sum())
            gain += float((seen * more)[beats].sum())
    return {
        "comes": Number(comes, CHANCE, "of the hands in equilibrium give P2 the chance: P1 plays a front that both "
                        "numbers beat"),
        "best": Number(ratio(best, dealt), CHANCE, "of these chances, were they to come, the both-sides bet is as good "
                       "as anything else"),
        "gain": Number(ratio(gain, dealt), CHIPS, "more than by the best other action, mean over them"),
    }  # fmt: skip


def folds_cost(bench: Bench) -> Numbers:
    """Measure what folds cost beyond ante and bets so far."""
    (one, *_) = bench.flows
    chips = one.spec.chips
    plain, extra = [], []
    for row in np.flatnonzero(one.kind(FOLD)).tolist():
        outcome = one.outcomes[~int(one.child[row])]
        player = outcome.player if isinstance(outcome, Fold) else 0
        after = one.spec.settle(outcome, 0).stacks[player]
        more = chips.stacks[player] - ANTE - int(one.paid[row]) - after
        plain.append(float(more == 0))
        extra += [more] * (more > 0)
    folds = sum(other.weight * float(other.joint[other.kind(FOLD)].sum()) for other in bench.flows)
    dear = sum(other.weight * float(other.joint[dear_folds(other)].sum()) for other in bench.flows)
    return {
        "plain": Number(float(np.mean(plain)), CHANCE, "of the ways to fold cost ante and bets so far alone"),
        "extra": Number(average(extra), CHIPS, "more is paid in the others, mean over them"),
        "dear": Number(ratio(dear, folds), CHANCE, "of the folds in equilibrium are such dear ones"),
        "early": Number(float(chips.s1 - one.spec.settle(Fold(0, 0, 0), 0).s1), CHIPS, "lost by a fold at once"),
    }


def dear_folds(one: Flow) -> NDArray[np.bool_]:
    """Return which actions fold to a both-sides bet, shape (A,)."""
    ends = [isinstance(one.outcomes[~int(to)], BothFolded) if to < 0 else False for to in one.child]
    return np.array(ends)


def leading(one: Flow) -> Array:
    """Return by P1's back the chance that the better of P1's numbers beats the better of P2's, by the deck alone."""
    mine, theirs = (np.maximum(backs(one, player), one.spec.fronts[player]) for player in (0, 1))
    wins = mine[:, None] > theirs
    return np.asarray((one.prior * wins).sum(axis=1) / one.prior.sum(axis=1))


def bets_when_ahead(bench: Bench) -> Numbers:
    """Measure how much P1 opens with when clearly ahead, and when clearly behind."""
    put, hands, folds, largest = (np.zeros(2) for _ in range(4))
    for one in bench.flows:
        lead = leading(one)
        opening = one.node == 0
        top = opening & (one.size == int(one.size[opening].max()))
        for place, mask in enumerate((lead >= AHEAD, lead <= BEHIND)):
            hands[place] += one.weight * float(one.prior[mask].sum())
            put[place] += one.weight * float((one.joint.sum(axis=2)[opening] * one.size[opening, None])[:, mask].sum())
            folds[place] += one.weight * float(one.joint[opening & one.kind(FOLD)][:, mask].sum())
            largest[place] += one.weight * float(one.joint[top][:, mask].sum())
    ahead, behind = (ratio(float(put[place]), float(hands[place])) for place in (0, 1))
    return {
        "times": Number(ratio(ahead, behind), TIMES, "as much is bet at the opening clearly ahead as clearly behind"),
        "ahead": Number(ahead, CHIPS, "bet at the opening clearly ahead, a fold as 0"),
        "behind": Number(behind, CHIPS, "bet at the opening clearly behind, a fold as 0"),
        "folds_behind": Number(ratio(float(folds[1]), float(hands[1])), CHANCE, "of the hands clearly behind are "
                               "folded at once"),
        "all_in_ahead": Number(ratio(float(largest[0]), float(hands[0])), CHANCE, "of those ahead are opened all-in"),
        "all_in_behind": Number(ratio(float(largest[1]), float(hands[1])), CHANCE, "of those behind are opened all-in"),
    }  # fmt: skip


at = partial(cited, "004")


HOW_NAMED = (
    "Full deck, all pairs of fronts, both players in equilibrium; every side that is named, weighted by how often it "
    "comes with these cards."
)
HOW_CHANCE = (
    "Full deck, all pairs of fronts; P2's decisions after P1 has played a front that both of P2's numbers beat and "
    "bet little enough for a both-sides bet"
)

CLAIMS = (
    Claim(
        "a named front is known",
        "Their front is a fact: if they play it, you know exactly what to beat.",
        at(1, 1, 2),
        "Against a named front each own number surely wins, ties or loses.",
        "Full deck, all pairs of fronts, all own backs, both own numbers; by the rules.",
        Rule("known", 1.0, 0.9, "exactly leaves no exception"),
        "{known} of the numbers have a sure result.",
        named_front_is_known,
        alone=True,
    ),
    Claim(
        "a played back is bigger",
        "If they play their back, it is probably bigger than their front.",
        at(1, 3),
        "Most of the backs that are played are higher than their fronts.",
        HOW_NAMED,
        Rule("higher", 0.6, 0.5 + 1e-3, "probably means three times in five; half of all backs are higher anyway"),
        "{higher} of the backs played are higher than their fronts, against {usual} of all backs.",
        back_is_bigger,
    ),
    Claim(
        "the choice of a side talks",
        "Which side you choose tells something.",
        at(2, 1),
        "The side that P1 names at the opening tells P2 about P1's back.",
        "Full deck, all pairs of fronts, P1's opening bets in equilibrium; bits are the mutual information of side and "
        "back, given the fronts and that P1 bets.",
        Rule("bits", ENOUGH_BITS, SOME_BITS, BITS_WHY),
        "The side tells {bits} about the back.",
        choice_talks,
    ),
    Claim(
        "a back over a big front",
        "Playing the back over a big front says that the back is bigger still.",
        at(2, 2),
        "Most of the backs that are played over a front of 8 or more are higher than it.",
        HOW_NAMED,
        Rule("higher", 0.5, 0.2, "says so where it mostly is so; a fifth is about twice what the deck has"),
        "{higher} of the backs played over such fronts are higher, against {usual} by the deck.",
        back_over_big_front,
    ),
    Claim(
        "a small front can be a bluff",
        "Playing a small front can be a bluff, though they see that it is small.",
        at(2, 3),
        "P1 sometimes plays a front of 3 or less though the own back or the front across is higher.",
        "Full deck, all pairs of fronts, P1's opening in equilibrium, weighted by how often it comes.",
        Rule("bluffs", 0.05, 0.01, "one such bet in twenty is a bluff to reckon with, one in a hundred a rare one"),
        "{bluffs} of the bets with a small front are such bluffs; {played} of them play the front at all.",
        small_front_bluffs,
    ),
    Claim(
        "both sides cannot lose",
        "When they play a low front and both your numbers are higher, a both-sides bet cannot lose.",
        at(3, 2),
        "P2 gains chips at every end of such a bet.",
        "Every opening bet that leaves room for a both-sides bet, called and folded, settled by the rules.",
        Rule("worst", 1.0, 0.0, "it gains at least the ante, or loses nothing"),
        "Such a bet gains {worst} at its worst end and {best} at its best.",
        both_cannot_lose,
    ),
    Claim(
        "both sides pays 10 extra",
        "A both-sides bet that wins pays 10 chips extra.",
        at(3, 2),
        "The full 10 are paid at every end of such a bet.",
        "Every opening bet that leaves room for a both-sides bet, called and folded, settled by the rules, under which "
        "P1 pays no more than is left.",
        Rule("full", 1.0, 0.5, "every end pays them, or half of the ends do"),
        "{full} of the ends pay the full 10; {extra} are paid on average, {least} at the least.",
        both_pays_ten,
    ),
    Claim(
        "both sides is the best move",
        "When it cannot lose, take the both-sides bet.",
        at(3, 1, 2),
        "When it cannot lose, nothing else gains more.",
        HOW_CHANCE + ", as the cards are dealt and every such bet as often as any other, come there as it may. As good "
        "means within 0.01 chips.",
        Rule("best", 0.9, 0.5, "nine chances in ten, or half of them"),
        "It is as good as anything in {best} of the chances; it gains {gain} more than the best other action.",
        both_is_best,
    ),
    Claim(
        "both sides can be hunted",
        "Hunt for the both-sides bet.",
        at(3, 1),
        "Against an equilibrium player the chance of a both-sides bet that cannot lose comes up.",
        HOW_CHANCE + ", weighted by how often they come in equilibrium.",
        Rule("comes", 0.01, 0.001, "once in 100 hands is worth waiting for, once in 1,000 hardly"),
        "The chance comes up in {comes} of the hands.",
        both_is_best,
    ),
    Claim(
        "count the shown cards",
        "Count the cards that showdowns have shown: each card exists once.",
        at(4, 1, 2, 3),
        "A player who never counts, and plays every deck state like a fresh deck, loses chips by it.",
        HOW_COUNTING + " All used cards are taken as shown whole, and the fronts are those that come next.",
        LOSES_BY_HABIT,
        "Not counting costs {loss} a hand over a deck: {early} in its first half, {late} in its second.",
        not_counting,
        alone=True,
    ),
    Claim(
        "folds cost what was put in",
        "Fold cheaply: an early fold costs the ante and the bets so far, nothing more.",
        at(5, 1, 2),
        "Every fold costs the ante and the chips put in, and no more.",
        "Every end of the public game by a fold, settled by the rules.",
        Rule("plain", 1.0, 0.5, "every fold, or half of them"),
        "{plain} of the ways to fold cost no more; folds to a both-sides bet cost {extra} more and are {dear} of the "
        "folds in equilibrium. A fold at once costs {early}.",
        folds_cost,
    ),
    Claim(
        "bet when clearly ahead",
        "Save your chips for hands where your number is clearly ahead.",
        at(5, 3),
        "P1 opens for more chips when clearly ahead than when clearly behind.",
        "Full deck, all pairs of fronts, P1's opening in equilibrium, weighted by how often the cards are dealt. "
        "Clearly ahead: by the deck alone the better own number beats the better of the other's at least three times "
        "in four; clearly behind: at most once in four.",
        Rule("times", 1.5, 1.0 + 1e-3, "half as much again is plainly more; anything above 1 is more at all"),
        "P1 opens for {ahead} clearly ahead and {behind} clearly behind; {all_in_behind} of the hands behind are "
        "opened all-in.",
        bets_when_ahead,
    ),
)
