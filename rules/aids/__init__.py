"""The aids of the rules page, exact: what the deck and one player's eyes say, without betting or solving.

Every function takes a spec, the player who asks (0 is P1, or seat 1) and the player's observation as
`rules.games.spec.HandSpec.observation` reads it: the other's card, in blind-mans-bluff the cards of all other
seats in their order, in double-sided the own back. The card that the player does not see is the own one,
in double-sided the other's, of which the front is seen.

Probabilities are fractions in Python and floats in `to_dict`. Cards are keyed by the names of
observations (``"10"``, ``"K"``), ascending.
"""

from rules.aids.odds import Chances, HiddenCard, WinChances, hidden_card, showdown, win_chances
from rules.aids.penalties import PenaltyList, RankPenalty, penalty_list
from rules.aids.used_cards import used_cards
from rules.games.tracker import UsedRank, UsedRanks, UsedTwoSided

__all__ = [
    "Chances",
    "HiddenCard",
    "PenaltyList",
    "RankPenalty",
    "UsedRank",
    "UsedRanks",
    "UsedTwoSided",
    "WinChances",
    "hidden_card",
    "penalty_list",
    "showdown",
    "used_cards",
    "win_chances",
]
