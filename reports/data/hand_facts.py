"""What a hand is, apart from its solution: its deck, its board, and chips after a history."""

from collections.abc import Sequence
from typing import Any

from reports.text.words import counted
from rules.betting.actions import Action
from rules.betting.chips import ANTE
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.games.double_sided import DoubleSided
from rules.games.indian import IndianSpec
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from rules.games.spec import HandSpec
from rules.play.hand import stakes


def deck_told(spec: HandSpec) -> list[str]:
    """Say which cards have left the deck before a hand, in a sentence or none."""
    if isinstance(spec, IndianSpec):
        gone = {rank: number for rank, number in spec.deck.out.items() if number}
        listed = " ".join(" ".join([str(rank)] * number) for rank, number in gone.items()) or "nothing"
        return [f"Gone from the deck before this hand: {listed}. {counted(spec.cards_left, 'card')} left."]
    if isinstance(spec, DoubleSided):
        deck = spec.deck
        return [f"{counted(len(deck.shown), 'card')} shown whole, {len(deck.hidden)} hidden; {deck.total} left."]
    return []


def chips_after(spec: HandSpec, history: Sequence[Action], player: int) -> dict[str, int]:
    """Return the chips after a history of a two-player hand, as a player sees them.

    Returns
    -------
    dict
        ``pot`` with antes and carry, ``to_call``, and in the match games ``own`` and ``other``: what is left.
    """
    if isinstance(spec, BlindMansBluff):
        _, state = spec.public.follow(history)
        paid = tuple(state.paid)
    else:
        paid = stakes(history)
    carry = getattr(getattr(spec, "chips", None), "carry", 0)
    now = {"pot": sum(paid) + 2 * ANTE + carry, "to_call": max(paid) - paid[player]}
    if isinstance(spec, MatchSpec):
        left = [stack - ANTE - put for stack, put in zip(spec.chips.stacks, paid, strict=True)]
        now |= {"own": left[player], "other": left[1 - player]}
    return now


def with_board(spec: HandSpec, board: str) -> Any:
    """Return the hand with a board or fronts; "" stands for what the hand has already."""
    return hand(**(spec.to_dict() | {spec.board_word: board})) if board else spec
