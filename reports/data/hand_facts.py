"""The chips of a hand under way, as one of its players sees them."""

from collections.abc import Sequence

from rules.betting.actions import Action
from rules.betting.chips import ANTE
from rules.games.match_spec import MatchSpec
from rules.games.spec import HandSpec


def chips_after(spec: HandSpec, history: Sequence[Action], player: int) -> dict[str, int]:
    """Return the chips after a history of a two-player hand, as a player sees them.

    Returns
    -------
    dict
        ``pot`` with antes and carry, ``to_call``, and in the match games ``own`` and ``other``: what is left.
    """
    paid = spec.paid(history)
    now = {"pot": sum(paid) + 2 * ANTE, "to_call": max(paid) - paid[player]}
    if isinstance(spec, MatchSpec):
        left = [stack - ANTE - put for stack, put in zip(spec.chips.stacks, paid, strict=True)]
        now["pot"] += spec.chips.carry
        now |= {"own": left[player], "other": left[1 - player]}
    return now
