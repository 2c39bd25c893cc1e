"""Who asks."""

from rules.base.errors import OptionError
from rules.base.parsing import whole
from rules.games.spec import HandSpec


def check_seat(spec: HandSpec, player: object) -> int:
    """Check the player.

    Raises
    ------
    OptionError
        Where there is no such player.
    """
    number = whole(player, "the player")
    if not 0 <= number < spec.seats:
        raise OptionError(f"expected the player to be from 0 (P1) to {spec.seats - 1} (P{spec.seats}), got {number}")
    return number
