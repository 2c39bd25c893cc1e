"""A hand as one of its players tells it: my chips and theirs, my front and theirs, or a match log."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from rules.base.errors import CardError, ChipsError, HistoryError, LogError, OptionError
from rules.base.parsing import whole
from rules.betting.actions import format_history
from rules.betting.public_game import Outcome
from rules.games.registry import hand, options_of
from rules.games.spec import HandSpec
from rules.play.log import MatchLog
from rules.play.log_text import PERSONS, person

PERSONAL = ("me", "opp", "first", "my_front", "opp_front")
"""What can be told of me and the other in place of P1 and P2."""

OPEN = ("board", "fronts", "line", "objective", "deck_model")
"""Options that a match log leaves open."""

FRONTS_SEEN = "--my-front 3 --opp-front 8"
"""How both fronts are told from a seat, as an example."""


class Seated(NamedTuple):
    """A hand, which of its players I am (None where nothing says), and what I alone know.

    Parameters
    ----------
    spec
        The hand; P1 is the first bettor.
    seat
        0 for P1, 1 for P2.
    mine
        In double-sided my cards of this deck that folds kept from the other.
    logged
        Whether a match log says so.
    """

    spec: HandSpec
    seat: int | None
    mine: tuple[str, ...] = ()
    logged: bool = False


def seated(
    game: str | None,
    options: Mapping[str, Any],
    persons: Mapping[str, str | None],
    log: MatchLog | None = None,
) -> Seated:
    """Define a hand.

    Parameters
    ----------
    game
        Its name; may be None with a log.
    options
        Options of the game as `rules.games.registry.hand` takes them.
    persons
        ``me`` and ``opp`` (chips), ``first`` (me or opp), ``my_front`` and ``opp_front``; None where not given.
    log
        A match whose coming hand it is: deck, chips and first bettor follow from it.

    Raises
    ------
    ForeheadError
        Where an option is unknown, not allowed, or contradicts another.
    """
    given = {name: value for name, value in options.items() if value is not None}
    told = {name: value for name, value in persons.items() if value is not None}
    if log is None:
        if game is None:
            raise OptionError("expected a game, such as indian-poker")
        seat = seat_told(told)
    else:
        if game not in (None, log.game):
            raise LogError(f"the log is of {log.game}, not of {game}; leave the game out")
        for name in [*given, *told]:
            if name not in (*OPEN, *PERSONAL[3:]):
                raise OptionError(f"the log says {_typed(name)} already; leave it out")
        game, seat = log.game, log.my_seat
    known = options_of(game)
    for name in given:
        if name not in known:
            raise OptionError(f"{game} has no option {_typed(name)}; it has {', '.join(map(_typed, known))}")
    for name, value in by_player(game, told, seat).items():
        if name in given:
            raise OptionError(f"{_typed(name)} is told twice, once for P1 and P2 and once for me and opp")
        given[name] = value
    base = {} if log is None else {name: value for name, value in log.spec.to_dict().items() if name != "game"}
    mine = () if log is None else tuple(map(str, log.mine_hidden))
    return Seated(hand(game, **(base | given)), seat, mine, log is not None)


def to_act(spec: HandSpec, history: str, seat: int | None = None, logged: bool = False) -> int:
    """Return who acts after a history, and check that it is the player in `seat`.

    Parameters
    ----------
    logged
        Whether a match log says who is in which seat, and not what was typed.

    Raises
    ------
    HistoryError
        Where the history is not legal, the hand is over, or it is the other's turn.
    """
    actions, position = spec.public.follow(history)
    if isinstance(position, Outcome):
        if not actions:
            raise HistoryError("nobody acts in this hand: the antes are all-in, and it is a showdown at once")
        raise HistoryError(f"the hand is over after '{actions[-1]}'; expected a history after which somebody acts")
    player = spec.public.player(position)
    if seat is not None and player != seat:
        place = f'after "{format_history(actions)}"' if actions else "first"
        told = f"they are to act {place}: add what they have done to --history"
        if not logged:
            told += f", or say --first {PERSONS[1 - seat]} if {('they', 'you')[seat]} bet first in this hand"
        raise HistoryError(told)
    return player


def seat_told(persons: Mapping[str, str | None]) -> int | None:
    """Return my seat: without a word I bet first, where anything is told from my side."""
    told = [name for name, value in persons.items() if value is not None]
    return person(persons.get("first") or PERSONS[0]) if told else None


def by_player(game: str, persons: Mapping[str, str | None], seat: int | None) -> dict[str, str]:
    """Turn what is told of me and the other into options for P1 and P2.

    Raises
    ------
    ForeheadError
        Where the game has no such thing, one of the two is missing, or one is no number.
    """
    known, found = options_of(game), {}
    for name, pair, error, example in (
        ("stacks", ("me", "opp"), ChipsError, "--me 12 --opp 8"),
        ("fronts", ("my_front", "opp_front"), CardError, FRONTS_SEEN),
    ):
        values = {one: value for one in pair if (value := persons.get(one)) is not None}
        if not values:
            continue
        if name not in known:
            raise OptionError(f"{game} has no option {_typed(next(iter(values)))}")
        if len(values) < 2:
            raise OptionError(f"expected both {' and '.join(map(_typed, pair))}, such as {example}")
        both = [str(whole(value, _typed(one), error)) for one, value in values.items()]
        found[name] = ",".join(both if seat == 0 else both[::-1])
    return found


def _typed(name: str) -> str:
    return f"--{name.replace('_', '-')}"
