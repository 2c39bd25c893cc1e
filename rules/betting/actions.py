"""Actions and histories as text, and back.

A history is a list of tokens: ``b1`` opens with a bet of 1, ``r3`` raises by 3 (on top of the level
faced, never "to" it), ``allin`` goes to the cap, ``c`` calls, ``f`` folds, ``k`` checks. In double-sided
a side stands before a colon (``front:b1``, short ``F:b1``) until the player has named one, and ``both``
bets both sides. Where nobody can bet, a side alone (``front``) names it. In fixed limit ``b`` and ``r``
stand without a number. Words (``bet 1``, ``raise 3``, ``call``) and any case are understood, tokens that
stand together (``b1r3c``), and sizes alone (``1 3``): the first is a bet, the others are raises.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.base.errors import HistoryError

CHECK, FOLD, CALL, BET, RAISE, ALLIN, BOTH, NAME, DEAL = (
    "check", "fold", "call", "bet", "raise", "allin", "both", "name", "deal",
)  # fmt: skip
FRONT, BACK = "front", "back"

MANY = 6
"""Sizes in a row from which a list of legal actions names their ends only."""

_LETTERS = {CHECK: "k", FOLD: "f", CALL: "c", BET: "b", RAISE: "r", ALLIN: "allin", BOTH: "both"}


@dataclass(frozen=True, slots=True)
class Action:
    """One public action.

    Parameters
    ----------
    kind
        One of the words at the top of this module.
    size
        Chips added to the level faced, for a sized bet, a raise and an all-in; the card for a dealt
        one (test games only); 0 where the action has no size, or a fixed one.
    side
        The side named with the action, "" where none is.
    """

    kind: str
    size: int = 0
    side: str = ""

    def __str__(self) -> str:
        if self.kind == NAME:
            return self.side
        if self.kind == DEAL:
            return f"deal{self.size}"
        sized = self.kind in (BET, RAISE) and self.size > 0
        token = _LETTERS[self.kind] + (str(self.size) if sized else "")
        return f"{self.side}:{token}" if self.side else token

    @property
    def words(self) -> str:
        """The action in plain words: "raise 3", "all-in", "front: bet 1"."""
        if self.kind == NAME:
            return f"play the {self.side}"
        plain = {ALLIN: "all-in", BOTH: "bet both sides", DEAL: "deal"}.get(self.kind, self.kind)
        sized = self.kind in (BET, RAISE, DEAL) and self.size > 0
        text = f"{plain} {self.size}" if sized else plain
        return f"{self.side}: {text}" if self.side else text


_KINDS = {
    "check": CHECK, "k": CHECK, "fold": FOLD, "f": FOLD, "call": CALL, "c": CALL, "bet": BET, "b": BET,
    "raise": RAISE, "r": RAISE, "allin": ALLIN, "all-in": ALLIN, "all in": ALLIN, "both": BOTH,
    "both sides": BOTH, "both-sides": BOTH,
}  # fmt: skip
_SIDES = {"front": FRONT, "f": FRONT, "back": BACK, "b": BACK}

_TOKEN = re.compile(
    r"""(?:(?P<side>front|back|f|b)\s*:\s*)?
        (?:(?P<name>front|back)(?!\s*:)
          |(?P<kind>check|fold|call|bet|raise|all[-\s]?in|both(?:[-\s]sides)?|k|f|c|b|r)
           (?:(?:\s+by)?\s*(?P<size>\d{1,9}))?
          |(?P<alone>\d{1,9}))
        (?=[\s,;a-z]|$)""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_SEPARATOR = re.compile(r"[\s,;]*")
_BARE_SIDE = re.compile(r"(?P<name>front|back|f|b)\s*:(?=\s*([,;]|$))", re.ASCII | re.IGNORECASE)


def parse_history(text: str, examples: str = "b1, r3, allin, c, f, k, front:b1 or both") -> list[Action]:
    """Read a whole history.

    The actions are as written: an all-in has size 0, and nothing is checked against a hand (see
    `rules.betting.public_game.PublicGame.follow` for that).

    Parameters
    ----------
    examples
        Actions that a refusal names.

    Raises
    ------
    HistoryError
        At the first token that is no action, naming it and its place.
    """
    actions, wrong = read_history(text)
    if wrong is not None:
        where = f'action {len(actions) + 1} of "{text.strip()}"'
        raise HistoryError(f"expected an action such as {examples}, got {wrong!r} ({where})")
    return actions


def read_history(text: str) -> tuple[list[Action], str | None]:
    """Read the actions up to the first word that is none, and that word; None where all are actions."""
    actions: list[Action] = []
    position = start = _end_of_separator(text, 0)
    before = 0
    while position < len(text):
        match = _BARE_SIDE.match(text, position) or _TOKEN.match(text, position)
        opened = any(action.kind in (BET, RAISE, ALLIN) for action in actions)
        action = _action(match.groupdict(), opened) if match else None
        if match is None or action is None:
            end = match.end() if match else position  # of an action with a size that it cannot have
            return actions[:before], text[start:end] + re.split(r"[\s,;]", text[end:], maxsplit=1)[0]
        actions.append(action)
        position = _end_of_separator(text, match.end())
        if position > match.end():
            start, before = position, len(actions)
    return actions, None


def parse_action(text: str) -> Action:
    """Read one action; the inverse of ``str(action)`` but for the size of an all-in."""
    actions = parse_history(text)
    if len(actions) != 1:
        raise HistoryError(f"expected one action, got {text!r}")
    return actions[0]


def format_history(actions: Sequence[Action]) -> str:
    """Write a history with one space between tokens; "" for the start of a hand."""
    return " ".join(str(action) for action in actions)


def _end_of_separator(text: str, position: int) -> int:
    match = _SEPARATOR.match(text, position)
    return match.end() if match else position


def legal_text(actions: Sequence[Action]) -> str:
    """List legal actions; many sizes in a row are told by their ends: "f b1 to b18 allin"."""
    shown: list[str] = []
    place = 0
    while place < len(actions):
        end = place + 1
        while end < len(actions) and actions[end] == replace(actions[place], size=actions[place].size + end - place):
            end += 1
        many = end - place >= MANY
        shown += [f"{actions[place]} to {actions[end - 1]}"] if many else map(str, actions[place:end])
        place = end
    return " ".join(shown)


def _action(groups: dict[str, str | None], opened: bool) -> Action | None:
    """Return the action of a token; `opened` says whether a size alone is a raise."""
    name = groups.get("name")
    if name:
        return None if groups.get("side") else Action(NAME, side=_SIDES[name.lower()])
    side = _SIDES[groups["side"].lower()] if groups["side"] else ""
    if alone := groups.get("alone"):
        return Action(RAISE if opened else BET, int(alone), side) if int(alone) else None
    kind = _KINDS[re.sub(r"\s+", " ", (groups["kind"] or "").lower())]
    size = int(groups["size"] or 0)
    if groups["size"] is not None and (kind not in (BET, RAISE) or size == 0):
        return None
    return Action(kind, size, side)
