"""Hands of blind-mans-bluff, drawn and played at random."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from rules.games.blind_mans_bluff import BlindMansBluff
from rules.play.session import BlindHand

NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


WHOLE_DECK = [rank + suit for rank in NAMES for suit in "cdhs"]


def hand(cards: str, history: str = "", **options: Any) -> BlindHand:
    """Play a history with these cards."""
    return BlindHand(BlindMansBluff.from_options({"players": len(cards.split()), **options}), cards, history)


def shown(numbers: Iterable[Fraction]) -> str:
    """Write exact numbers side by side."""
    return " ".join(map(str, numbers))


@st.composite
def specs(draw: st.DrawFn) -> BlindMansBluff:
    """Draw options that 100 counters cover for a session."""
    players = draw(st.integers(2, 10))
    room = 100 // players - 1
    bet_size = draw(st.integers(1, min(room, 5)))
    raise_size = draw(st.integers(1, 3))
    max_raises = draw(st.integers(0, min(20, (room - bet_size) // raise_size)))
    options = {"players": players, "bet_size": bet_size, "raise_size": raise_size, "max_raises": max_raises}
    return BlindMansBluff.from_options({**options, "rank_suits": draw(st.booleans())})


def play_at_random(spec: BlindMansBluff, data: st.DataObject) -> BlindHand:
    """Deal random cards and play a random legal history; every action has its own chance to be drawn."""
    play = BlindHand(spec, data.draw(st.permutations(WHOLE_DECK))[: spec.players])
    while not play.over:
        # Mostly calls, so that long histories and showdowns are common.
        weighted = [*play.legal, play.legal[1], play.legal[-1]]
        play.apply(data.draw(st.sampled_from(weighted)))
    return play
