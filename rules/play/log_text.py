"""The lines of a match log: where they end, the header, and the fields of a hand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rules.base.errors import ChipsError, LogError
from rules.base.parsing import shown_list
from rules.betting.chips import parse_chips
from rules.games.match_spec import MatchSpec
from rules.games.registry import GAMES, hand, options_of
from rules.play.match import Match

HEADING = "forehead match log"
VERSION = "1"
PERSONS = ("me", "opp")
"""Persons 0 and 1 of the match, in words."""

FIELDS = ("mine", "theirs", "board", "history")


def logged_games() -> list[str]:
    """Return the games whose deck, chips and turn run on from hand to hand."""
    return [name for name, spec in GAMES.items() if issubclass(spec, MatchSpec)]


def example(game: str) -> str:
    """Return a hand's line in a log of a game."""
    return f"'{GAMES[game].log_example}'"  # type: ignore[union-attr]


_OF_ONE_HAND = ("stacks", "board", "fronts", "line", "objective", "deck_model")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_BYTE_ORDER_MARK = "\ufeff"


def count_lines(text: str) -> int:
    """Return how many lines a text has; the last may have no end."""
    return len(_LINE.findall(text))


def lines_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number, from 1, and the words of each line that has more than a comment."""
    for number, line in enumerate(_LINE.findall(text.removeprefix(_BYTE_ORDER_MARK)), start=1):
        words = line.partition("#")[0].split()
        if words:
            yield number, words


def with_line(text: str, line: str) -> str:
    """Add a last line, in the way of the others: their line ends, and one at the end of the text or none."""
    lines = _LINE.findall(text)
    end = lines[0][len(lines[0].rstrip("\r\n")) :] or "\n"
    return f"{text}{line}{end}" if lines[-1].endswith(("\r", "\n")) else f"{text}{end}{line}"


def without_line(text: str, number: int) -> str:
    """Take a line out; the inverse of `with_line` for the last one."""
    lines = _LINE.findall(text)
    removed = lines.pop(number - 1)
    if not removed.endswith(("\r", "\n")):
        lines[-1] = lines[-1].rstrip("\r\n")
    return "".join(lines)


def brief(words: Sequence[str]) -> str:
    """Quote words for a message, but not a whole page of them."""
    text = " ".join(words)
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def check_heading(words: Sequence[str]) -> None:
    """Check the first line.

    Raises
    ------
    LogError
        Where it is another one, or names another version.
    """
    *heading, version = words
    if " ".join(heading).lower() != HEADING:
        raise LogError(f"expected a log that begins with '{HEADING} {VERSION}', got {brief(words)}")
    if version != VERSION:
        raise LogError(f"expected a match log of version {VERSION}, got version {brief([version])}")


def fields_of(words: Sequence[str]) -> dict[str, str]:
    """Split the words of a hand into its fields, in whatever order they come; the first names one.

    Raises
    ------
    LogError
        Where a field comes twice.
    """
    found: dict[str, list[str]] = {}
    name = ""
    for word in words:
        if word.lower() in FIELDS:
            name = word.lower()
            if name in found:
                raise LogError(f"{name} is given twice; expected one hand on a line")
            found[name] = []
        else:
            found[name].append(word)
    return {name: " ".join(values) for name, values in found.items()}


def person(value: object) -> int:
    """Read who somebody is: 0 for "me", 1 for "opp", in any case.

    Raises
    ------
    LogError
        Where it is neither.
    """
    word = str(value).strip().lower()
    if word not in PERSONS:
        raise LogError(f"expected {' or '.join(PERSONS)}, got {str(value)!r}")
    return PERSONS.index(word)


def match_options(game: str) -> list[str]:
    """Return the options of a game that a header may have beside the stacks, in their usual order."""
    return [name for name in options_of(game) if name not in _OF_ONE_HAND]


@dataclass
class Header:
    """What the header has said so far."""

    game: str = ""
    first: int = 0
    stacks: tuple[int, int] = (0, 0)
    given: set[str] = field(default_factory=set)
    options: dict[str, object] = field(default_factory=dict)

    def take(self, word: str, value: object) -> None:
        """Take a line, and check it with what is known already.

        Raises
        ------
        ForeheadError
            Where the word is unknown or comes twice, or the value is not allowed.
        """
        name = word.lower().replace("-", "_")
        if name in self.given:
            raise LogError(f"{word} is given twice")
        self.given.add(name)
        if name == "game":
            self.game = _logged_game(value)
        elif not self.game:
            raise LogError(f"expected the game first, such as 'game {logged_games()[0]}', got {brief([word])}")
        elif name == "first":
            self.first = person(value)
        elif name == "stacks":
            self.stacks = _stacks(value)
        else:
            if name not in match_options(self.game):
                known = ", ".join(["stacks", "first", *match_options(self.game)]).replace("_", "-")
                raise LogError(
                    f"expected an option of the match ({known}) or a hand ({example(self.game)}), got {brief([word])}"
                )
            self.options[name] = value
        hand(self.game, **self.options, stacks=self.stacks if "stacks" in self.given else None)

    def start(self) -> Match:
        """Return the match before hand 1.

        Raises
        ------
        LogError
            Where the header does not say enough.
        """
        missing = [name for name in ("game", "stacks", "first") if name not in self.given]
        if missing:
            raise LogError(f"expected game, stacks and first before the first hand; the header has no {missing[0]}")
        spec = hand(self.game, **self.options, stacks=self.stacks if self.first == 0 else self.stacks[::-1])
        assert isinstance(spec, MatchSpec)
        return Match(spec, self.first)

    def text(self) -> str:
        """Write the header, without options that change nothing."""
        lines = [f"{HEADING} {VERSION}", f"game {self.game}"]
        lines += [f"stacks {shown_list(self.stacks)}", f"first {PERSONS[self.first]}"]
        normal = hand(self.game, **self.options).to_dict()
        for name in match_options(self.game):
            others = {other: value for other, value in self.options.items() if other != name}
            if hand(self.game, **others).to_dict() != normal:
                # The cards seen are the one option that the normal form has under another name.
                value = " ".join(shown_list(normal.get(name, self.options[name])).split())
                lines.append(f"{name.replace('_', '-')} {value}")
        return "".join(f"{line}\n" for line in lines)


def _logged_game(value: object) -> str:
    game, known = str(value), logged_games()
    if game not in known:
        hand(game)  # refuses an unknown name
        raise LogError(
            f"every hand of {game} is dealt from a fresh deck, so there is no match to log; "
            f"expected {', '.join(known[:-1])} or {known[-1]}"
        )
    return game


def _stacks(value: object) -> tuple[int, int]:
    try:
        return parse_chips(value).stacks
    except ChipsError as error:
        raise ChipsError(
            "expected two stacks, mine and theirs, each from 1 to 1000000 chips, such as 10,10, "
            f"got {shown_list(value)!r}"
        ) from error
