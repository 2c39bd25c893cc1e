"""The games by name: from options to a checked hand, and from a saved spec back to it."""

from collections.abc import Iterator, Mapping, MutableMapping
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rules.base.errors import OptionError
from rules.games.spec import HandSpec

if TYPE_CHECKING:
    from rules.games.blind_mans_bluff import BlindMansBluff
    from rules.games.double_sided import DoubleSided
    from rules.games.indian_holdem import IndianHoldem
    from rules.games.indian_poker import IndianPoker

    Spec = IndianPoker | IndianHoldem | DoubleSided | BlindMansBluff

BUILT_IN = {
    "indian-poker": "rules.games.indian_poker:IndianPoker",
    "indian-holdem": "rules.games.indian_holdem:IndianHoldem",
    "double-sided": "rules.games.double_sided:DoubleSided",
    "blind-mans-bluff": "rules.games.blind_mans_bluff:BlindMansBluff",
}
"""The games by name: module and class."""


class Games(MutableMapping[str, "type[Spec]"]):
    """Games by name, each imported when it is asked for.

    Parameters
    ----------
    places
        Module and class of each, as ``module:class``.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._found: dict[str, Any] = dict(places)

    def __getitem__(self, name: str) -> "type[Spec]":
        found = self._found[name]
        if isinstance(found, str):
            module, _, kind = found.partition(":")
            found = self._found[name] = getattr(import_module(module), kind)
        return found  # type: ignore[no-any-return]

    def __setitem__(self, name: str, game: "type[Spec]") -> None:
        self._found[name] = game

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, name: object) -> bool:
        return name in self._found


GAMES = Games(BUILT_IN)


def hand(game: str, **options: Any) -> "Spec":
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
    kind = _kind(game)
    given = {name: value for name, value in options.items() if value is not None}
    spec = kind.from_options(given)
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
    spec, found = _kind(game), dict[str, Any]()
    for name, default in spec.defaults().items():
        if name in ("game", "locks"):
            continue
        found |= dict.fromkeys(spec.told_as[name]) if name in spec.told_as else {name: default}
        found |= dict.fromkeys(spec.told_beside.get(name, ()))
    return found


def _kind(game: str) -> "type[Spec]":
    """Return the class of a game by its name, which may be unknown."""
    if game in GAMES:
        return GAMES[game]
    close = get_close_matches(str(game), GAMES, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise OptionError(f"expected a game ({', '.join(GAMES)}), got {game!r}{hint}")
