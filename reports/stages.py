"""Series of hands: the deck states of a file, a line each, and the hands of a match log."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rules.errors import ForeheadError, OptionError
from rules.hand import HandSpec
from rules.match_log import MatchLog
from rules.registry import hand, options_of
from rules.seats import seated

FRESH = "fresh"
"""The word for a full deck in a file of deck states."""


class Stage(NamedTuple):
    """A hand of a series and what it is called."""

    label: str
    spec: HandSpec


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


def log_stages(path: str, options: Mapping[str, Any]) -> list[Stage]:
    """Return the hands of a match log as they were before their cards were dealt, the coming one last.

    Parameters
    ----------
    options
        Options that a log leaves open, for all hands.

    Raises
    ------
    ForeheadError
        Where it is no log, or its match is over before the first hand.
    OSError
        Where it cannot be read.
    """
    log = MatchLog.read(path)
    stages: list[Stage] = []
    coming = True
    while True:
        if not log.over:
            number = len(log.hands) + 1
            first = "you bet first" if log.my_seat == 0 else "they bet first"
            name = f"hand {number}, {first}{', to come' if coming else ''}"
            normal = {name: value for name, value in log.spec.to_dict().items() if name != "game"}
            stages.append(Stage(name, hand(log.game, **(normal | {k: v for k, v in options.items() if v is not None}))))
        if not log.hands:
            return stages[::-1]
        coming = False
        log.undo()


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise OptionError(f"{path}: expected text in UTF-8 ({error.reason})") from error
