"""What a strategy learned by sampling says after a history, seeing cards, and what the betting tells."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rules.errors import HistoryError
from rules.hand import Outcome
from rules.notation import Action
from solver import _sampling
from solver._sampling import Limits, Spot
from solver.evaluation import SLIP
from solver.sampled_solution import SampledSolution
from solver.sampling import kind_of, layout_of, limits_of, spot_after

PLAYED_ON = 20_000
"""Hands that values are estimated by."""


@dataclass(frozen=True, eq=False)
class SampledSpot:
    """A public state with the cards that its player sees; k legal actions.

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
    cards
        Everybody's card by strength from 0, shape (n,), int64; the player's own is unknown and 0.
    """

    solution: SampledSolution
    history: tuple[Action, ...]
    actions: tuple[Action, ...]
    spot: Spot
    cards: NDArray[np.int64]

    @property
    def player(self) -> int:
        """Who acts, 0 for P1."""
        return self.spot.seat

    @property
    def left(self) -> tuple[int, ...]:
        """Who has not folded, ascending."""
        return tuple(seat for seat in range(len(self.cards)) if self.spot.left >> seat & 1)

    @property
    def paid(self) -> tuple[int, ...]:
        """What each seat has put in beyond the ante."""
        answered = (self.spot.paid >> (_sampling.BITS * seat) & _sampling.MASK for seat in range(len(self.cards)))
        return tuple(int(_sampling.level(self._limits, bets)) for bets in answered)

    @property
    def to_call(self) -> int:
        """What going on costs."""
        return int(_sampling.level(self._limits, self.spot.bets)) - self.paid[self.player]

    @cached_property
    def _limits(self) -> Limits:
        return limits_of(self.solution.spec)

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Of each legal action, shape (k,); a free fold has 0."""
        return self._played(self.spot, self.cards)[[kind_of(action) for action in self.actions]]

    @property
    def met(self) -> bool:
        """Whether learning has ever come to such a spot."""
        return bool(self.solution.table[self._key(self.spot, self.cards)].any())

    @cached_property
    def own_card(self) -> NDArray[np.float64]:
        """How likely each own card is, given the cards seen and how the others have acted, shape (kinds,).

        No action of the others counts as quite excluded.
        """
        limits = self._limits
        others = np.delete(self.cards, self.player)
        found = limits.copies - np.bincount(others, minlength=limits.kinds).astype(np.float64)
        for card in np.flatnonzero(found).tolist():
            spot = Spot(*_sampling.root(limits))
            cards = self.cards.copy()
            cards[self.player] = card
            for action in self.history:
                if spot.seat != self.player:
                    legal = 2 + (spot.bets <= limits.max_raises)
                    kept = (1.0 - SLIP) * self._played(spot, cards)[kind_of(action)]
                    found[card] *= kept + SLIP / legal
                spot = Spot(*_sampling.after(limits, spot, kind_of(action)))
        return np.asarray(found / found.sum())

    @cached_property
    def ev(self) -> NDArray[np.float64]:
        """What each action wins when all go on with the strategy, counted from before the ante, shape (k,).

        An estimate by hands played on; the same every time.
        """
        limits, sums = self._limits, np.zeros(3)
        own = np.cumsum(self.own_card)
        _sampling.roll_out(
            layout_of(limits), limits, self.solution.table[None], self.spot, self.cards, own, 1, PLAYED_ON, sums
        )
        cost = -1.0 - self.paid[self.player]
        values = [cost if kind == _sampling.FOLD else sums[kind] / PLAYED_ON for kind in map(kind_of, self.actions)]
        return np.array(values)

    def _played(self, spot: Spot, cards: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.zeros(3)
        _sampling.play(self.solution.table, self._key(spot, cards), spot, self._limits, found)
        return found

    def _key(self, spot: Spot, cards: NDArray[np.int64]) -> int:
        order = np.argsort(-cards, kind="stable")
        return int(_sampling.key(layout_of(self._limits), self._limits, spot, cards, order))


def spot_seen(solution: SampledSolution, seen: str, history: str = "") -> SampledSpot:
    """Return the spot after a history, seeing the others' cards in the order of their seats.

    Raises
    ------
    CardError, HistoryError
        Where the deck excludes the cards, or the history is not legal or ends the hand.
    """
    spec = solution.spec
    names = list(spec.around_the_table().cards)
    actions, position = spec.public.follow(history)
    if isinstance(position, Outcome):
        raise HistoryError(f"the hand is over after '{actions[-1]}'; expected a history after which somebody acts")
    spot = spot_after(limits_of(spec), actions)
    cards = [names.index(card) for card in spec.observation(seen).split(",")]
    cards.insert(spot.seat, 0)
    legal = tuple(action for action, _ in spec.public.moves(position))
    return SampledSpot(solution, actions, legal, spot, np.array(cards, dtype=np.int64))
