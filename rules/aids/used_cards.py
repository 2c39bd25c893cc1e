"""The tracker: which cards are known to have left the deck."""

from rules.aids.seats import check_seat
from rules.games.spec import HandSpec
from rules.games.tracker import UsedRanks, UsedTwoSided


def used_cards(spec: HandSpec, player: int, observation: object = None, mine: object = ()) -> UsedRanks | UsedTwoSided:
    """Count the cards that are known to have left the deck, this hand's visible ones apart.

    Parameters
    ----------
    spec
        A hand of a game whose deck runs on from hand to hand; board or fronts may be open.
    player, observation, mine
        As in `hidden_card`; the observation may be None, for nothing seen yet.

    Raises
    ------
    CardError, DeckError
        Where the deck does not allow these cards.
    OptionError
        Where the game has no such aid.
    """
    return spec.used_cards(check_seat(spec, player), observation, mine)
