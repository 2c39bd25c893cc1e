"""Series of hands: the deck states of a file, a line each, and the hands of a match log."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rules.base.errors import ForeheadError, OptionError
from rules.games.registry import hand, options_of
from rules.games.spec import HandSpec
from rules.play.from_my_seat import seated
from rules.play.log import MatchLog
from rules.play.log_hands import LoggedHand

FRESH = "fresh"
"""The word for a full deck in a file of deck states."""


class Stage(NamedTuple):
    """A hand of a series and what it is called.

    Parameters
    ----------
    label
        What it is called.
    spec
        The hand.
    logged
        Of a match, how it was played.
    seat
        Who asks, 0 for P1; None where nothing says.
    """

    label: str
    spec: HandSpec
    logged: LoggedHand | None = None
    seat: int | None = None


def deck_stages(path: str, game: str, options: Mapping[str, Any]) -> list[Stage]:
    """Read a file of deck states: a hand for each line that is not empty.

    A line has the cards that have left the deck (``1,4,4,9``; in double-sided those shown whole), the word
    ``fresh``, or options by name, such as ``left 2,2,1,1,2,2,2,2,2,2`` or ``shown 3/7,8/2 hidden 5,9 stacks 12,8``.
    What follows ``#`` is a comment.

    Parameters
    ----------
    options
        Options of the game that hold for all lines.

    Raises
    ------
    OptionError
        Where a line is wrong, with its number, or the file has none.
    OSError
        Where it cannot be read.
    """
    known = options_of(game)
    cards = next((name for name in ("seen", "shown") if name in known), None)
    if cards is None:
        raise OptionError(f"{game} has no deck state that changes from hand to hand, so no --decks")
    stages = []
    for number, line in enumerate(_lines(path), start=1):
        text = " ".join(line.split("#", 1)[0].split())
        if not text:
            continue
        words = text.split(" ")
        if len(words) == 1:
            words = [] if words[0] == FRESH else [cards, words[0]]
        if len(words) % 2:
            raise OptionError(
                f"{path} line {number}: expected cards, '{FRESH}', or names and values of options, got {text!r}"
            )
        told = {
            name.removeprefix("--").replace("-", "_"): value
            for name, value in zip(words[::2], words[1::2], strict=True)
        }
        try:
            stages.append(Stage(text, seated(game, {**options, **told}, {}).spec))
        except ForeheadError as error:
            raise OptionError(f"{path} line {number}: {error}") from error
    if not stages:
        raise OptionError(f"expected a deck state a line in {path}, got none")
    return stages


def played_stages(path: str, objective: Mapping[str, Any]) -> list[Stage]:
    """Return the hands of a match log as they were to be played, with the boards or fronts that were dealt.

    Parameters
    ----------
    objective
        Options that say what the players maximise.

    Raises
    ------
    LogError
        Where it is no log.
    OSError
        Where it cannot be read.
    """
    log = MatchLog.read(path)
    stages: list[Stage] = []
    while log.hands:
        logged = log.undo()
        played = logged.played
        normal = log.spec.to_dict()
        if normal.get("board", "") is None:
            normal["board"] = played.board
        if normal.get("fronts", "") is None:
            normal["fronts"] = [card.front for card in played.cards]
        stages.append(Stage(_named(log), hand(**(normal | dict(objective))), logged, log.my_seat))
    return stages[::-1]


def coming_stage(path: str, spec: HandSpec) -> Stage:
    """Return the coming hand of a match log, named as the others are.

    Parameters
    ----------
    spec
        The hand, with what options say of its board or fronts.
    """
    log = MatchLog.read(path)
    return Stage(f"{_named(log)}, to come", spec, None, log.my_seat)


def _named(log: MatchLog) -> str:
    """Return what to call the coming hand of a log."""
    return f"hand {len(log.hands) + 1}, {'you bet' if log.my_seat == 0 else 'they bet'} first"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise OptionError(f"{path}: expected text in UTF-8 ({error.reason})") from error
