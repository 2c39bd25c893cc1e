"""What a strategy learned by sampling says after a history, seeing cards, and what the betting tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import HistoryError
from rules.betting.actions import Action
from rules.betting.public_game import Outcome
from rules.cards.playing_cards import RANKS
from solver.kernels import mccfr as kernels
from solver.kernels.mccfr import FixedLimitGame, Spot
from solver.mccfr.bucket_keys import CARDS, known
from solver.mccfr.judging import NORMAL_95, errors_of
from solver.mccfr.sampler import kind_of, layout_of, limits_of, spot_after
from solver.mccfr.solution import MCCFRSolution
from solver.solutions.notebook import MOST_ROWS, hand_told, html_table, signed, who_acts
from solver.two_player.evaluation import SLIP

PLAYED_ON = 20_000
"""Hands that values are estimated by."""

KNOWN = 400
"""Hands in which learning must have come to what a player knows there: with fewer the values are off by a tenth."""

DEALT = 20_000
"""Deals by which it is estimated how often something is seen."""


@dataclass(frozen=True, eq=False)
class MCCFRState:
    """A public state; k legal actions.

    Parameters
    ----------
    solution
        What was learned.
    history
        The actions that lead here.
    actions
        What is legal, in order.
    spot
        The state as kernels read it.
    """

    solution: MCCFRSolution
    history: tuple[Action, ...]
    actions: tuple[Action, ...]
    spot: Spot

    @property
    def player(self) -> int:
        """Who acts, 0 for P1."""
        return self.spot.seat

    @cached_property
    def _limits(self) -> FixedLimitGame:
        return limits_of(self.solution.spec)

    @property
    def _legal(self) -> str:
        return " ".join(map(str, self.actions))


@dataclass(frozen=True, eq=False)
class MCCFRSpot(MCCFRState):
    """A public state with the cards that its player sees.

    Parameters
    ----------
    cards
        Everybody's card by strength from 0, shape (n,), int64; the player's own is unknown and 0.
    """

    cards: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"<SampledSpot: {who_acts(self.player, self.history)}, seeing {self._seen}; {self._legal}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: how often each action is played, and its estimated value."""
        rows = [
            (action.words, f"{100 * p:.1f} %", signed(ev))
            for action, p, ev in zip(self.actions, self.probability.tolist(), self.ev.tolist(), strict=True)
        ]
        headers = ("", "probability", f"EV ({self.solution.spec.unit})")
        note = "EVs are estimates by hands played on." + ("" if self.met else " Not met while learning: played evenly.")
        where = f"{who_acts(self.player, self.history)}, seeing {self._seen}"
        return html_table(f"{hand_told(self.solution.spec)}: {where}", headers, rows, note)

    @property
    def _seen(self) -> str:
        names = self.solution.spec.around_the_table().cards
        return ",".join(names[card] for seat, card in enumerate(self.cards.tolist()) if seat != self.player)

    @property
    def left(self) -> tuple[int, ...]:
        """Who has not folded, ascending."""
        return tuple(seat for seat in range(len(self.cards)) if self.spot.left >> seat & 1)

    @property
    def paid(self) -> tuple[int, ...]:
        """What each seat has put in beyond the ante."""
        answered = (self.spot.paid >> (kernels.BITS * seat) & kernels.MASK for seat in range(len(self.cards)))
        return tuple(int(kernels.level(self._limits, bets)) for bets in answered)

    @property
    def to_call(self) -> int:
        """What going on costs."""
        return int(kernels.level(self._limits, self.spot.bets)) - self.paid[self.player]

    @cached_property
    def mix(self) -> NDArray[np.float64]:
        """What is played by all that is told apart alike, of each legal action, shape (k,); a free fold has 0."""
        return self._played(self.spot, self.cards)[[kind_of(action) for action in self.actions]]

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Of each legal action with these cards, shape (k,).

        The mix but for what wins less than the best by more than chance explains (`behind`); where learning seldom
        came (`known`) the best alone. A free fold has 0.
        """
        kept = np.where(self.blunders, 0.0, self.mix)
        if self.known and kept.sum() > 0.0:
            return np.asarray(kept / kept.sum())
        return np.asarray((np.arange(len(kept)) == self.best).astype(np.float64))

    @property
    def met(self) -> int:
        """In how many hands learning has come to such a spot."""
        place = int(np.searchsorted(self.solution.keys, self._here))
        found = place < len(self.solution.keys) and self.solution.keys[place] == self._here
        return int(self.solution.visits[place]) if found else 0

    @property
    def known(self) -> bool:
        """Whether that is often enough for the mix to be played."""
        return self.met >= KNOWN

    @property
    def best(self) -> int:
        """The action that wins most, and is no free fold."""
        return int(np.where(self._free_fold, -np.inf, self.ev).argmax())

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """How likely each own card is with each way in which the others may play, shape (kinds, 1 + simple players).

        Given the cards seen and how the others have acted. They are those that the strategy was learned against: they
        play it themselves, or all are copies of a simple player.
        """
        limits, how = self._limits, self.solution.provenance
        left = limits.copies - np.bincount(np.delete(self.cards, self.player), minlength=limits.kinds)
        mix = np.array([1.0 - how.share, *(how.share * np.array(how.mix) / sum(how.mix))])
        found = left[:, None] * mix
        ways = [spot_after(limits, self.history[:done]) for done in range(len(self.history))]
        spots = np.array(ways, dtype=np.int64).reshape(-1, len(Spot._fields))
        actions = np.array([kind_of(action) for action in self.history], dtype=np.int64)
        table, slip = self.solution.table, max(how.slip, SLIP)
        kernels.likely(layout_of(limits), limits, table, slip, spots, actions, self.cards.copy(), self.player, found)
        return np.asarray(found / found.sum())

    @property
    def own_card(self) -> NDArray[np.float64]:
        """How likely each own card is, given the cards seen and how the others have acted, shape (kinds,)."""
        return np.asarray(self.chances.sum(axis=1))

    @property
    def ev(self) -> NDArray[np.float64]:
        """What each action wins against those it was learned against, counted from before the ante, shape (k,).

        An estimate by hands played on; the same every time.
        """
        return self._estimates[0]

    @property
    def error(self) -> NDArray[np.float64]:
        """Standard errors of `ev`, shape (k,); 0 for a fold."""
        return self._estimates[1]

    @property
    def behind(self) -> NDArray[np.float64]:
        """Standard errors of how far each action is behind the best, with the same cards and luck, shape (k,)."""
        return self._estimates[2]

    @property
    def blunders(self) -> NDArray[np.bool_]:
        """Whether an action wins less than the best by more than the error of the difference, or is a free fold."""
        return np.asarray(self._free_fold | (self.ev[self.best] - self.ev > NORMAL_95 * self.behind))

    @property
    def _free_fold(self) -> NDArray[np.bool_]:
        return np.array([kind_of(action) == kernels.FOLD and not self.spot.bets for action in self.actions])

    @cached_property
    def _estimates(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        limits, sums, products = self._limits, np.zeros(3), np.zeros((3, 3))
        kernels.roll_out(
            layout_of(limits), limits, self.solution.table[None], self.spot, self.cards,
            np.cumsum(self.chances.ravel()), 1, PLAYED_ON, sums, products,
        )  # fmt: skip
        if not self.spot.bets:  # folds lose what they have paid, whatever comes
            sums[kernels.FOLD] = PLAYED_ON * (cost := -1.0 - self.paid[self.player])
            products[kernels.FOLD, kernels.FOLD] = PLAYED_ON * cost**2
            products[1:, kernels.FOLD] = cost * sums[1:]
        squares = products + np.tril(products, -1).T
        kinds = [kind_of(action) for action in self.actions]
        mean, square = sums[kinds] / PLAYED_ON, squares[np.ix_(kinds, kinds)] / PLAYED_ON
        number, own = np.array(float(PLAYED_ON)), np.diag(square)
        free = np.array([kind == kernels.FOLD for kind in kinds]) & (not self.spot.bets)
        best = int(np.where(free, -np.inf, mean).argmax())
        apart = errors_of(mean[best] - mean, own[best] + own - 2.0 * square[best], number)
        return mean, errors_of(mean, own, number), apart

    def _played(self, spot: Spot, cards: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.zeros(3)
        kernels.play(self.solution.table, self._key(spot, cards), spot, self._limits, found)
        return found

    @property
    def _here(self) -> int:
        return self._key(self.spot, self.cards)

    def _key(self, spot: Spot, cards: NDArray[np.int64]) -> int:
        order = np.argsort(-cards, kind="stable")
        return int(kernels.key(layout_of(self._limits), self._limits, spot, cards, order))


def spot_seen(solution: MCCFRSolution, seen: str, history: str = "") -> MCCFRSpot:
    """Return the spot after a history, seeing the others' cards in the order of their seats.

    Raises
    ------
    CardError, HistoryError
        Where the deck excludes the cards, or the history is not legal or ends the hand.
    """
    node = node_at(solution, history)
    names = list(solution.spec.around_the_table().cards)
    cards = [names.index(card) for card in solution.spec.observation(seen).split(",")]
    cards.insert(node.player, 0)
    return MCCFRSpot(solution, node.history, node.actions, node.spot, np.array(cards, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class MCCFRNode(MCCFRState):
    """A public state, whatever its player sees; how often what is seen is estimated by deals, the same every time."""

    def __repr__(self) -> str:
        return f"<SampledNode: {who_acts(self.player, self.history)}; {self._legal}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: how often each action is played by what is told apart, the most often seen."""
        limits, roles = self._limits, ("leads", "answered", "to act")
        rows = []
        for key, often, mix in zip(
            self.keys[:MOST_ROWS].tolist(), self.often.tolist(), self.probability.T.tolist(), strict=False
        ):
            one = known(limits, key)
            second = "" if one.second is None else f"{RANKS[one.second]} ({roles[one.second_holder or 0]})"
            rows.append(
                (f"{RANKS[one.best]} ({roles[one.best_holder]})", second, "yes" if one.higher else "no",
                 f"{100 * often:.1f} %", *(f"{100 * p:.1f} %" for p in mix))
            )  # fmt: skip
        headers = (
            "best card left",
            "second",
            "a higher one folded",
            "seen",
            *(action.words for action in self.actions),
        )
        more = len(self.keys) - len(rows)
        note = f"{more:,} rows more: keys, often and probability have them all." if more else ""
        where = f"{who_acts(self.player, self.history)}, reached in {100 * self.reached:.1f} % of hands"
        return html_table(f"{hand_told(self.solution.spec)}: {where}", headers, rows, note)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """What was met here, or after another history that the keys do not tell from it, shape (m,).

        What is most often seen stands first.
        """
        return self._learned[self._order]

    @cached_property
    def often(self) -> NDArray[np.float64]:
        """How likely each of `keys` is where play has come here, shape (m,); no action counts as quite excluded."""
        return self._shares[self._order]

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Of each legal action by `keys`, shape (k, m); a free fold has 0."""
        rows = np.searchsorted(self.solution.keys, self.keys)
        return self.solution.strategy[rows].T[[kind_of(action) for action in self.actions]].astype(np.float64)

    @cached_property
    def met(self) -> NDArray[np.int64]:
        """In how many hands learning has come to each of `keys`, shape (m,)."""
        return np.asarray(self.solution.visits[np.searchsorted(self.solution.keys, self.keys)])

    @cached_property
    def reached(self) -> float:
        """How often play comes here."""
        return float(np.prod(self._on_the_way, axis=0).mean())

    @cached_property
    def played(self) -> NDArray[np.float64]:
        """How often each action is played over all that is seen here, shape (k,)."""
        found: NDArray[np.float64] = np.average(self._mixes(self.spot, self.actions), axis=1, weights=self._weights)
        return found

    @cached_property
    def _deals(self) -> NDArray[np.int64]:
        """Everybody's cards by strength, shape (DEALT, n)."""
        limits = self._limits
        deck = np.tile(np.arange(limits.kinds * limits.copies), (DEALT, 1))
        return np.random.default_rng(0).permuted(deck, axis=1)[:, : limits.players] // limits.copies

    @cached_property
    def _on_the_way(self) -> NDArray[np.float64]:
        """How likely each action on the way here is, by deals, shape (steps, DEALT)."""
        spots = (spot_after(self._limits, self.history[:done]) for done in range(len(self.history)))
        steps = [self._mixes(spot, (action,))[0] for spot, action in zip(spots, self.history, strict=True)]
        return np.array(steps).reshape(len(steps), DEALT)

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        return np.asarray(((1.0 - SLIP) * self._on_the_way + SLIP).prod(axis=0))

    def _mixes(self, spot: Spot, actions: Sequence[Action]) -> NDArray[np.float64]:
        """Return probabilities of actions at a state, by deals, shape (len(actions), DEALT)."""
        found = np.empty((len(actions), DEALT))
        kinds = np.array([kind_of(action) for action in actions])
        seen = np.ascontiguousarray(np.delete(self._deals, spot.seat, axis=1))
        kernels.fill(
            layout_of(self._limits), self._limits, np.array([spot]), seen, self.solution.table,
            np.array([0, len(actions)]), kinds, found,
        )  # fmt: skip
        return found

    @cached_property
    def _seen(self) -> NDArray[np.int64]:
        """The key of each deal, shape (DEALT,)."""
        limits, layout = self._limits, layout_of(self._limits)
        orders = np.argsort(-self._deals, axis=1, kind="stable")
        dealt = zip(self._deals, orders, strict=True)
        return np.array([kernels.key(layout, limits, self.spot, cards, order) for cards, order in dealt])

    @cached_property
    def _learned(self) -> NDArray[np.int64]:
        """What was met, ascending."""
        start = int(self._seen[0]) // CARDS * CARDS
        every = self.solution.keys
        return every[np.searchsorted(every, start) : np.searchsorted(every, start + CARDS)]

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """How likely each of `_learned` is."""
        met = np.isin(self._seen, self._learned)
        places = np.searchsorted(self._learned, self._seen[met])
        found = np.bincount(places, self._weights[met], len(self._learned))
        return np.asarray(found / self._weights.sum())

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.lexsort((-self._learned, -self._shares))


def node_at(solution: MCCFRSolution, history: str = "") -> MCCFRNode:
    """Return the public state after a history.

    Raises
    ------
    HistoryError
        Where the history is not legal or ends the hand.
    """
    public = solution.spec.public
    actions, position = public.follow(history)
    if isinstance(position, Outcome):
        raise HistoryError(f"the hand is over after '{actions[-1]}'; expected a history after which somebody acts")
    legal = tuple(action for action, _ in public.moves(position))
    return MCCFRNode(solution, tuple(actions), legal, spot_after(limits_of(solution.spec), actions))
