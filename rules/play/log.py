"""The log of a match as one of its players keeps it: a text file with a line for each hand.

A header, then the hands::

    forehead match log 1
    game indian-poker
    stacks 10,10
    first me
    mine 4  theirs 9  history b1 r3 c
    mine 10  theirs 2  history b1 f    # a comment

`stacks` are mine and theirs, `first` says who bets first in hand 1, me or opp; after that it alternates.
The header may have any option of the game that does not belong to one hand, under its name on the command
line: ``raises any``, ``tie-bust loses``, or ``seen 1,4,4,9`` and ``carry 4`` where the log begins within a
match. A hand has the community cards too where the game has them (``board 4,9``), and no history where the
antes are all-in and nobody acts.

In double-sided a hand has what the rules reveal and nothing more: after a showdown both whole cards
(``mine 3/7  theirs 8/2``), after a fold my own card and their front (``mine 3/7  theirs 8/?``, or just
``theirs 8``), or both fronts where I have forgotten my own back.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rules.base.atomic_files import replace_unchanged, replaced
from rules.base.errors import ForeheadError, LogError
from rules.betting.actions import Action
from rules.cards.two_sided import TwoSided
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from rules.play.log_hands import LoggedHand, check_going_on, mine_hidden, play_logged
from rules.play.log_text import (
    FIELDS,
    HEADING,
    VERSION,
    Header,
    brief,
    check_heading,
    count_lines,
    example,
    fields_of,
    lines_of,
    with_line,
    without_line,
)
from rules.play.match import Match


class MatchLog:
    """A match so far, from my point of view: person 0 is me, person 1 the opponent.

    Parameters
    ----------
    text
        The whole log.
    name
        What error messages call it, such as the name of its file.

    Raises
    ------
    LogError
        Where a line is wrong or its hand cannot have been played, with the line's number.

    Examples
    --------
    >>> log = MatchLog.new("indian-poker", stacks="10,10", first="me")
    >>> print(log.add(mine=4, theirs=9, history="b1 r3 c"))
    mine 4  theirs 9  history b1 r3 c
    >>> log.chips, log.my_seat, log.spec.headline
    ((5, 15), 1, '18 cards left, stacks 15/5, pot carried 0')
    """

    _text: str
    _game: str
    _match: Match
    _hands: list[LoggedHand]

    __hash__ = None  # type: ignore[assignment]  # a log changes

    def __init__(self, text: str, name: str = "") -> None:
        self._name = name
        self._path: Path | None = None
        self._saved = b""
        self._replay(text)

    @classmethod
    def new(cls, game: str, stacks: object = None, first: str = "me", **options: object) -> "MatchLog":
        """Begin a log.

        Parameters
        ----------
        game
            One of `rules.play.log_text.logged_games`.
        stacks
            My chips and theirs before hand 1; the game's quick mode by default.
        first
            Who bets first in hand 1, "me" or "opp".
        **options
            Options of the game that hold for the whole match, and the deck and the carry where the log
            begins within one; None stands for the default.

        Raises
        ------
        ForeheadError
            Where the game has no match to log, or an option is unknown or not allowed.
        """
        header = Header()
        header.take("game", game)
        header.take("stacks", hand(game).to_dict()["stacks"] if stacks is None else stacks)
        header.take("first", first)
        for option, value in options.items():
            if value is not None:
                header.take(option, value)
        return cls(header.text())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "MatchLog":
        """Read a log file.

        Raises
        ------
        LogError
            Where it is no log, or a hand cannot have been played, with the line's number.
        OSError
            Where it cannot be read.
        """
        data = Path(path).read_bytes()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = count_lines(data[: error.start].decode("utf-8") + "?")
            byte = data[error.start]
            raise LogError(f"{path} line {line}: expected text in UTF-8, got the byte {byte:#04x}") from error
        log = cls(text, str(path))
        log._path, log._saved = Path(path), data
        return log

    def write(self, path: str | os.PathLike[str] | None = None, overwrite: bool = False) -> None:
        """Write the log, so that the file is always either the old one or the new one.

        Parameters
        ----------
        path
            A new file, to which the log then belongs; by default the one it was read from or last written to.
        overwrite
            Whether `path` may exist.

        Raises
        ------
        LogError
            Where `path` exists, the log has no file, or somebody else has changed its file meanwhile.
        OSError
            Where it cannot be written.
        """
        data = self._text.encode("utf-8")
        if path is not None:
            try:
                with replaced(path, "wb", overwrite) as file:
                    file.write(data)
            except FileExistsError as error:
                raise LogError(f"{path} exists already; expected a new file for the log") from error
            self._path, self._name = Path(path), str(path)
        elif self._path is None:
            raise LogError("expected a file to write the log to; it was not read from one")
        else:
            try:
                written = replace_unchanged(self._path, self._saved, data)
            except FileNotFoundError:
                written = False
            if not written:
                raise LogError(f"{self._path} has changed since it was read, so nothing was written; read it again")
        self._saved = data

    def to_text(self) -> str:
        """Return the whole log, comments and line ends as they were read."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MatchLog) and self._text == other._text

    # What has been played, and what follows from it.

    @property
    def game(self) -> str:
        """The name of the game."""
        return self._game

    @property
    def hands(self) -> tuple[LoggedHand, ...]:
        """The hands so far."""
        return tuple(self._hands)

    @property
    def chips(self) -> tuple[int, int]:
        """My stack and theirs."""
        return self._match.chips

    @property
    def carry(self) -> int:
        """The pot carried over to the coming hand."""
        return self._match.carry

    @property
    def first(self) -> int:
        """The person who bets first in the coming hand: 0 for me, 1 for the opponent."""
        return self._match.first

    @property
    def my_seat(self) -> int:
        """The player that I am in the coming hand: 0 for P1, the first bettor, 1 for P2."""
        return 0 if self._match.first == 0 else 1

    @property
    def winner(self) -> int | str | None:
        """The person who has won, "draw" where both are without chips, or None while the match goes on."""
        return self._match.winner

    @property
    def over(self) -> bool:
        """Whether a person has no chips left."""
        return self._match.over

    @property
    def spec(self) -> MatchSpec:
        """The coming hand: what both know of the deck, and chips as its P1 and P2 have them.

        Raises
        ------
        LogError
            After the end of the match.
        """
        check_going_on(self._match)
        return self._match.spec

    @property
    def mine_hidden(self) -> tuple[TwoSided, ...]:
        """My cards of this deck that folds kept from the opponent, ascending (double-sided only)."""
        return tuple(sorted(mine_hidden(self._match.game, self._hands)))

    # Hands.

    def add(
        self, mine: object, theirs: object, history: str | Sequence[Action] = "", board: object = None
    ) -> LoggedHand:
        """Add the hand that was played; a refusal leaves the log as it was.

        Parameters
        ----------
        mine, theirs
            The cards, as numbers or text; in double-sided ``front/back``, or a front where the back is not known.
        history
            All actions, "" where the antes are all-in and nobody acts.
        board
            The community cards, where the game has them.

        Raises
        ------
        LogError
            Where the hand cannot come next, and after the end of the match.
        """
        fields = {"mine": mine, "theirs": theirs, "history": history}
        if board is not None:
            fields["board"] = board
        with _told(f"hand {len(self._hands) + 1}"):
            played = play_logged(self._match, self._hands, fields)
        added = LoggedHand(len(self._hands) + 1, count_lines(self._text) + 1, played)
        self._hands.append(added)
        self._text = with_line(self._text, str(added))
        return added

    def undo(self) -> LoggedHand:
        """Take the last hand back and return it; all other lines stay.

        Raises
        ------
        LogError
            Where there is none.
        """
        if not self._hands:
            raise LogError("there is no hand that could be taken back")
        last = self._hands[-1]
        self._replay(without_line(self._text, last.line))
        return last

    def _replay(self, text: str) -> None:
        header, match = Header(), None
        hands: list[LoggedHand] = []
        headed = False
        for line, words in lines_of(text):
            with _told(f"{self._name} line {line}"):
                if not headed:
                    check_heading(words)
                    headed = True
                elif words[0].lower() in FIELDS:
                    match = match or header.start()
                    hands.append(LoggedHand(len(hands) + 1, line, play_logged(match, hands, fields_of(words))))
                elif match:
                    raise LogError(f"expected a hand, such as {example(header.game)}, got {brief(words)}")
                else:
                    header.take(words[0], " ".join(words[1:]))
        with _told(self._name):
            if not headed:
                raise LogError(f"expected a log that begins with '{HEADING} {VERSION}', got no line")
            self._match = match or header.start()
        self._text, self._game, self._hands = text, header.game, hands


@contextmanager
def _told(place: str) -> Iterator[None]:
    """Say in an error where it is."""
    try:
        yield
    except ForeheadError as error:
        raise LogError(f"{place.strip()}: {error}" if place else str(error)) from error
