"""The games by name: from options to a checked hand, and from a saved spec back to it."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from rules.blind_mans_bluff import BlindMansBluff
from rules.double_sided import DoubleSided
from rules.errors import OptionError
from rules.hand import HandSpec
from rules.indian_holdem import IndianHoldem
from rules.indian_poker import IndianPoker

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
        raise OptionError(f"{game} has no option {next(iter(given))!r}; it has {', '.join(sorted(spec.to_dict())[1:])}")
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


OPTION_TEXT = {
    "seen": "cards that have left the deck, such as 1,1,5,9 (this hand's own cards are still in it)",
    "left": "the counts still in the deck, ten numbers from rank 1 up",
    "stacks": "chips of P1 (the first bettor) and P2 before the ante",
    "carry": "the pot carried over from a tie, even",
    "raises": "sizes that a bet or raise adds, with allin for going to the cap, or any",
    "opens": "sizes of the opening bet, where they differ from raises",
    "raise_limit": "at most so many raises after the opening bet: a smaller game",
    "tie_bust": "a tie that leaves a player without chips: split the pot, or that player loses (match objective only)",
    "penalties": "what folding a good hidden hand costs",
    "board": "the two community cards, such as 4,9; without it every board is solved",
    "fronts": "P1's and P2's front, such as 3,8; without it every pair of fronts is solved",
    "shown": "cards of earlier hands seen whole, such as 3/7,8/2",
    "hidden": "fronts of earlier hands' folded cards, such as 5,9",
    "players": "players at the table, 2 to 10 (two can be solved)",
    "max_raises": "raises after the bet, for the whole table",
    "bet_size": "counters that the bet asks for",
    "raise_size": "counters that a raise adds",
    "rank_suits": "suits break ties: clubs < diamonds < hearts < spades",
    "objective": "what the players maximise",
}
"""What each option means, for help texts."""


def options(game: str) -> dict[str, Any]:
    """Return the options of a game with their defaults, in the order of its normal form; None means unset."""
    normal = hand(game).to_dict()
    deck = {"left": ("seen", "left"), "shown": ("shown",), "hidden": ("hidden",)}
    found: dict[str, Any] = {}
    for name, default in normal.items():
        if name in ("game", "locks"):
            continue
        for option in deck.get(name, (name,)):
            found[option] = None if name in deck else default
    return found
