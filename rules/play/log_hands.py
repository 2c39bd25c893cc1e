"""The hands of a match log: a hand as one player saw it, checked against the match so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rules.base.errors import CardError, HistoryError, LogError
from rules.base.parsing import shown_list
from rules.betting.actions import format_history
from rules.cards.two_sided import TwoSided
from rules.games.match_spec import MatchSpec
from rules.play.hand import MatchHand
from rules.play.log_text import brief
from rules.play.match import Match, PlayedHand

_ENDS: dict[int | str | None, str] = {0: "you have won", 1: "they have won", "draw": "it is drawn"}


@dataclass(frozen=True, slots=True)
class LoggedHand:
    """A hand of a log; as text, its line.

    Parameters
    ----------
    number
        Its place in the match, from 1.
    line
        Its line in the text, from 1.
    played
        The hand by the rules; person 0 is me. An unknown back is a `rules.cards.two_sided.HiddenBack`.
    """

    number: int
    line: int
    played: PlayedHand

    @property
    def mine(self) -> Any:
        """My card."""
        return self.played.cards[self.played.first]

    @property
    def theirs(self) -> Any:
        """The opponent's card."""
        return self.played.cards[1 - self.played.first]

    @property
    def board(self) -> tuple[int, ...]:
        """The community cards; empty where the game has none."""
        return self.played.board or ()

    def __str__(self) -> str:
        fields = [f"mine {self.mine}", f"theirs {self.theirs}"]
        if self.board:
            fields.append(f"board {shown_list(self.board)}")
        if self.played.history:
            fields.append(f"history {format_history(self.played.history)}")
        return "  ".join(fields)


def play_logged(match: Match, earlier: Sequence[LoggedHand], fields: Mapping[str, Any]) -> PlayedHand:
    """Play the coming hand of a match; a refusal leaves the match as it was.

    Parameters
    ----------
    match
        The match so far; gets the hand.
    earlier
        Its hands so far.
    fields
        What a line of the log says: mine, theirs, board, history, as text or values.

    Raises
    ------
    ForeheadError
        Where the hand cannot come next, and after the end of the match.
    """
    check_going_on(match)
    spec, board = match.spec, fields.get("board")
    for name in ("mine", "theirs"):
        if name not in fields:
            told = brief([f"{field} {value}" for field, value in fields.items()])
            raise LogError(f"expected the cards of both players, mine and theirs; there is no {name!r} in {told}")
    held = tuple(spec.parse_held(fields[name], f" ({name})") for name in ("mine", "theirs"))
    _check_deck(spec, earlier, held, board)
    _check_mine(spec, earlier, held)
    try:
        played = MatchHand(spec, held if match.first == 0 else held[::-1], board, fields.get("history", ""))
        acts = ("you are", "they are")
        outcome = played.final(acts if match.first == 0 else acts[::-1])
    except HistoryError as error:
        # A slip in whose turn it was looks like an illegal action.
        told = f"{error.message}; {'you' if match.first == 0 else 'they'} bet first in this hand"
        hint = "; every size may be bet where the log's header has the line 'raises any' (log new --raises any)"
        raise HistoryError(told, hint if error.hint else "") from error
    theirs = held[1]
    if isinstance(theirs, TwoSided) and not spec.shows_cards(outcome):
        raise CardError(f"a fold leaves their back hidden, so expected theirs {theirs.front}/?, got {theirs}")
    return match.finish(played)


def check_going_on(match: Match) -> None:
    """Check that another hand can follow.

    Raises
    ------
    LogError
        After the end of the match.
    """
    if match.over:
        raise LogError(f"the match ended with hand {len(match.hands)}, {_ENDS[match.winner]}; no hand can follow")


def mine_hidden(game: type[MatchSpec], hands: Sequence[LoggedHand]) -> dict[TwoSided, int]:
    """Return my own cards of the coming hand's deck that nobody else has seen whole, each with its line."""
    return {
        one.mine: one.line
        for one in _of_this_deck(hands)
        if isinstance(one.mine, TwoSided) and not game.shows_cards(one.played.outcome)
    }


def _of_this_deck(hands: Sequence[LoggedHand]) -> Sequence[LoggedHand]:
    """Return the last hands, those dealt from the deck that the coming hand is dealt from."""
    renewals = [place for place, one in enumerate(hands, start=1) if one.played.renewed]
    return hands[renewals[-1] if renewals else 0 :]


def _check_deck(spec: MatchSpec, earlier: Sequence[LoggedHand], held: Sequence[Any], board: object) -> None:
    """Refuse cards that have left the deck, naming the lines that had them."""
    for card, why in spec.overdrawn(held, board):
        lines = [one.line for one in _of_this_deck(earlier) if card in (*one.played.cards, *one.board)]
        raise CardError(f"{why} (see line {shown_list(lines)})" if lines else why)


def _check_mine(spec: MatchSpec, earlier: Sequence[LoggedHand], held: Sequence[Any]) -> None:
    """Refuse cards that only I know to be out."""
    known = mine_hidden(type(spec), earlier)
    for card in held:
        if card in known:
            raise CardError(f"{card} is out already, it was yours in line {known[card]}; each card exists once")
