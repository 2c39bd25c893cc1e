"""Rules of thumb for double-sided: which side to name, and the advice of text 004."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules.betting.actions import BACK, FRONT
from rules.betting.chips import Chips
from rules.cards.rank_deck import parse_ranks
from rules.games.match_spec import DealtCards
from rules.tactics.tactic import CLEAR, DOUBLE, EVEN, GIVE_UP, LARGE, SMALL, STAY, AlwaysCall, Array, Decided, Wanted

SIDES = (FRONT, BACK)


class Numbers:
    """Both players' numbers, shapes (K, X) and (K, X, Y): own observations first, the other's last.

    Parameters
    ----------
    layouts, size
        See `rules.tactics.tactic.RuleBasedStrategy`.
    player
        Who "own" is.
    """

    def __init__(self, layouts: Sequence[DealtCards], size: int, player: int) -> None:
        kinds = len(layouts)
        self.own = np.zeros((2, kinds, size), dtype=np.int64)
        self.front = np.zeros((kinds, 1), dtype=np.int64)
        self.backs = np.zeros((kinds, 1, size), dtype=np.int64)
        self.chance = np.zeros((kinds, size, size))
        for place, layout in enumerate(layouts):
            fronts = parse_ranks(layout.board, "fronts")
            mine, theirs = (np.array(layout.observations[one], dtype=np.int64) for one in (player, 1 - player))
            prior = layout.prior if player == 0 else layout.prior.T
            self.own[0, place], self.own[1, place, : len(mine)] = fronts[player], mine
            self.front[place], self.backs[place, 0, : len(theirs)] = fronts[1 - player], theirs
            self.chance[place, : len(mine), : len(theirs)] = prior / prior.sum(axis=1, keepdims=True)

    @property
    def higher(self) -> NDArray[np.bool_]:
        """Whether the own back is higher than the own front, shape (K, X)."""
        return np.asarray(self.own[1] > self.own[0])

    def beats(self, own: NDArray[np.int64], side: str) -> Array:
        """Return the chance of own numbers, shape (K, X), against a side of the other's; "" is the better one.

        A back that is played is taken to be higher than its front, where that can be.
        """
        if side == FRONT:
            return np.asarray(0.5 + 0.5 * np.sign(own - self.front))
        chance, theirs = self.chance, self.backs
        if side == BACK:
            bigger = chance * (self.backs > self.front[:, :, None])
            chance = np.where(bigger.sum(axis=2, keepdims=True) > 0.0, bigger, chance)
        else:
            theirs = np.maximum(theirs, self.front[:, :, None])
        whole = chance.sum(axis=2)
        won = (chance * (0.5 + 0.5 * np.sign(own[:, :, None] - theirs))).sum(axis=2)
        return np.asarray(won / np.where(whole > 0.0, whole, 1.0))

    def loses_to_both(self, own: NDArray[np.int64]) -> Array:
        """Return the chance that both numbers of the other's are higher, shape (K, X)."""
        higher = (self.backs > own[:, :, None]) & (self.front > own)[:, :, None]
        return np.asarray((self.chance * higher).sum(axis=2))


class CallWithHigher(AlwaysCall):
    """Call whatever comes, open with the smallest bet; play the higher of both numbers."""

    def __init__(self, layouts: Sequence[DealtCards], size: int) -> None:
        super().__init__(layouts, size)
        self._numbers = [Numbers(layouts, size, player) for player in (0, 1)]

    def back(self, state: Any) -> NDArray[np.bool_]:
        """Return whether the back is higher."""
        higher: NDArray[np.bool_] = self._numbers[state.player].higher
        return higher


class TwoSidedAdvice(Decided):
    """The strategy section of text 004, sentence by sentence.

    - "Their front is a fact": against a named front each own number surely wins, ties or loses.
    - "If they play their back, it is probably bigger than their front": it is taken to be, where that can be; "Count
      the shown cards": all backs unseen are as likely.
    - "Your choice talks", "A small front can be a bluff, but they can see it is small": no bluffs; the side is played
      that has the better chance, the front where both have the same.
    - "Hunt for the both-sides bet": bet both sides where the other plays a front that both numbers beat.
    - "Fold cheaply": fold below a chance of 1/2, against a side not named yet one that beats the other's better one.
    - "Save your chips for the hands where your number is clearly ahead": the largest size short of all-in from 3/4 on;
      else open with the least, and call.
    - A both-sides bet is called where it loses no more often than it wins, since a fold costs 10 as well.
    """

    name = "text"

    def __init__(self, layouts: Sequence[DealtCards], size: int) -> None:
        super().__init__(layouts, size)
        self._numbers = [Numbers(layouts, size, player) for player in (0, 1)]

    def _chances(self, state: Any) -> Array:
        """Return the chances of the own front and back, shape (2, K, X)."""
        mine, theirs = self._numbers[state.player], state.sides[1 - state.player]
        return np.stack([mine.beats(own, theirs) for own in mine.own])

    def back(self, state: Any) -> NDArray[np.bool_]:
        """Return whether the back has the better chance."""
        front, back = self._chances(state)
        return np.asarray(back > front)

    def wants(self, chips: Chips, state: Any) -> Wanted:
        """Return what the text advises."""
        mine, named, theirs = self._numbers[state.player], state.sides[state.player], state.sides[1 - state.player]
        if state.both:
            return np.where(mine.loses_to_both(mine.own[SIDES.index(named)]) <= EVEN, STAY, GIVE_UP)
        chances = self._chances(state)
        chance = chances[SIDES.index(named)] if named else chances.max(axis=0)
        wanted = np.where(chance >= EVEN, SMALL if state.raised is None else STAY, GIVE_UP)
        wanted[chance >= CLEAR] = LARGE
        if state.player == 1 and not named and theirs == FRONT:
            wanted[(mine.own > mine.front).all(axis=0)] = DOUBLE
        return wanted
