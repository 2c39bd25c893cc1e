"""The games by name: from options to a checked hand, and from a saved spec back to it."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from rules.base.errors import OptionError
from rules.games.blind_mans_bluff import BlindMansBluff
from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker
from rules.games.match_spec import MatchSpec
from rules.games.spec import HandSpec

Spec = IndianPoker | IndianHoldem | DoubleSided | BlindMansBluff

GAMES: dict[str, type[Spec]] = {game.game: game for game in (IndianPoker, IndianHoldem, DoubleSided, BlindMansBluff)}


def hand(game: str, **options: Any) -> Spec:
    """Define a hand of a game.

    Parameters
    ----------
    game
        One of `GAMES`.
    **options
        The game's options, as text the way the command line takes them or as numbers and lists; None
        stands for the default.

    Raises
    ------
    ForeheadError
        Where the game or an option is unknown, or a value is not allowed.

    Examples
    --------
    >>> hand("indian-poker", seen=[1, 4, 4, 9], stacks=(12, 8)).deck.total
    16
    """
    if game not in GAMES:
        close = get_close_matches(str(game), GAMES, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise OptionError(f"expected a game ({', '.join(GAMES)}), got {game!r}{hint}")
    given = {name: value for name, value in options.items() if value is not None}
    spec = GAMES[game].from_options(given)
    if given:
        raise OptionError(f"{game} has no option {next(iter(given))!r}; it has {', '.join(options_of(game))}")
    return spec


def from_dict(spec: Mapping[str, Any]) -> HandSpec:
    """Rebuild a hand from `HandSpec.to_dict`.

    Raises
    ------
    ForeheadError
        Where it is no spec that `to_dict` can have written.
    """
    if not isinstance(spec, Mapping) or "game" not in spec:
        raise OptionError("expected a spec that names its game")
    found = hand(**{str(name): value for name, value in spec.items()})
    if found.to_dict() != dict(spec):
        raise OptionError("expected a spec in normal form")
    return found


def options_of(game: str) -> dict[str, Any]:
    """Return the options of a game with their defaults, in the order of its normal form; None means unset."""
    normal = hand(game).to_dict()
    deck = {"left": ("seen", "left"), "shown": ("shown",), "hidden": ("hidden",)}
    found: dict[str, Any] = {}
    for name, default in normal.items():
        if name in ("game", "locks"):
            continue
        for option in deck.get(name, (name,)):
            found[option] = None if name in deck else default
        if name == "raise_limit":
            found["line"] = None  # the normal form has it where there is one
        if name == "objective" and game == BlindMansBluff.game:
            found |= {"balances": None, "hands_left": None}  # the same
        if name == "objective" and issubclass(GAMES[game], MatchSpec):
            found["deck_model"] = None  # the normal form has it where it matters
    return found
