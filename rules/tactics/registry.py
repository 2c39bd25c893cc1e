"""The rules of thumb of each match game."""

from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker
from rules.tactics.double_sided import CallWithHigher, TwoSidedAdvice
from rules.tactics.indian import ForeheadAdvice
from rules.tactics.tactic import AlwaysCall, AnyAction, RuleBasedStrategy

TACTICS: dict[str, tuple[type[RuleBasedStrategy], ...]] = {
    IndianPoker.game: (AlwaysCall, AnyAction, ForeheadAdvice),
    IndianHoldem.game: (AlwaysCall, AnyAction, ForeheadAdvice),
    DoubleSided.game: (CallWithHigher, AnyAction, TwoSidedAdvice),
}
"""The rules of thumb of the match games, the texts' own advice last."""


def tactics_of(game: str) -> tuple[type[RuleBasedStrategy], ...]:
    """Return the rules of thumb of a match game; those that need no advice of a text where it has none."""
    return TACTICS.get(game, (AlwaysCall, AnyAction))
