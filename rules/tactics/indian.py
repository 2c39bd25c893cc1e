"""The advice of texts 000 and 001 as rules of thumb."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules.betting.chips import Chips
from rules.games.match_spec import DealtCards
from rules.tactics.tactic import CLEAR, EVEN, GIVE_UP, LARGE, SMALL, SOME, STAY, Array, Decided, Wanted

DOUBT, HARD = 0.1, 3
"""What a hard bet takes from them, and how many chips make one."""
CARE = 0.05
"""How much more they ask for where a pot has been carried over."""


class ForeheadAdvice(Decided):
    """The strategy sections of texts 000 and 001, sentence by sentence.

    - "Their card sets the odds for yours", "Count the deck", "Read the board", "Their hand sets your target": all goes
      by the chance w to win a showdown against the card seen, ties counting half, over the cards still in the deck.
    - "Read the bet. A big raise from them often means your card looks weak": a bet of 3 or more to call, or one that
      leaves no raise, takes 0.1 from w. A quick fold ends the hand and tells nothing more.
    - "Fold cheaply", "Folding early only costs the ante": fold below w = 1/2.
    - "If their card is low and they still bet hard, you may be holding a 10": where the card seen is more likely to be
      beaten than not, a hard bet is no reason to fold while a card with a penalty is possible.
    - "When most of your possible cards make a Pair or better, folding often costs more than calling": no fold where
      more than half of them cost a penalty.
    - "Small raises gather information": the first bet or raise of a hand adds the least, from w = 0.6 on (to open, from
      1/2 on). "Save the bigger raises for hands where their card is low and the deck is rich in high cards": the
      largest size short of all-in from w = 3/4 on.
    - "After a tie be more careful": with a pot carried over all these chances are higher by 0.05.
    """

    name = "text"

    def __init__(self, layouts: Sequence[DealtCards], size: int) -> None:
        super().__init__(layouts, size)
        self._win, self._costs = np.zeros((2, 2, self.kinds, size))
        for place, layout in enumerate(layouts):
            for player in (0, 1):
                prior, sign = _mine(layout, ("showdown",), player)
                number = len(prior)
                self._win[player, place, :number] = (prior * (0.5 + 0.5 * np.sign(sign))).sum(axis=1)
                _, penalty = _mine(layout, ("fold", player), player)
                self._costs[player, place, :number] = (prior * (penalty != 0)).sum(axis=1)

    def wants(self, chips: Chips, state: Any) -> Wanted:
        """Return what the texts advise."""
        chance, costs = self._win[state.player], self._costs[state.player]
        opening, facing = state.raised is None, state.level - state.paid
        hard = not opening and (facing >= HARD or state.level == chips.cap)
        care = CARE if chips.carry else 0.0
        felt = chance - (DOUBT if hard else 0.0) - care
        stays = (felt >= EVEN) | (costs > 0.5)
        if hard:
            stays |= (chance >= EVEN) & (costs > 0.0)
        wanted = np.where(stays, STAY, GIVE_UP)
        if state.paid == 0:
            wanted[felt >= (EVEN if opening else SOME)] = SMALL
        wanted[felt >= CLEAR] = LARGE
        return wanted


def _mine(layout: DealtCards, contest: Hashable, player: int) -> tuple[Array, NDArray[np.int64]]:
    """Return the other's observations by one's own, shape (own, other's), and what the cards say for oneself."""
    prior, said = layout.prior, layout.judge(contest)
    if player == 1:
        prior, said = prior.T, -said.T
    return prior / prior.sum(axis=1, keepdims=True), said
