"""Actions and histories as text, and back.

A history is a list of tokens: ``b1`` opens with a bet of 1, ``r3`` raises by 3 (on top of the level
faced, never "to" it), ``allin`` goes to the cap, ``c`` calls, ``f`` folds, ``k`` checks. In double-sided
a side stands before a colon (``front:b1``, short ``F:b1``) until the player has named one, and ``both``
bets both sides. Where nobody can bet, a side alone (``front``) names it. In fixed limit ``b`` and ``r``
stand without a number. Words (``bet 1``, ``raise 3``, ``call``) and any case are understood.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.errors import HistoryError

CHECK, FOLD, CALL, BET, RAISE, ALLIN, BOTH, NAME, DEAL = (
    "check", "fold", "call", "bet", "raise", "allin", "both", "name", "deal",
)  # fmt: skip
FRONT, BACK = "front", "back"

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
        (?:(?P<kind>check|fold|call|bet|raise|all[-\s]?in|both(?:[-\s]sides)?|k|f|c|b|r)
           (?:(?:\s+by)?\s*(?P<size>\d{1,9}))?
          |(?P<name>front|back)(?!\s*:))
        (?=[\s,;]|$)""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_SEPARATOR = re.compile(r"[\s,;]*")
_BARE_SIDE = re.compile(r"(?P<name>front|back|f|b)\s*:(?=\s*([,;]|$))", re.ASCII | re.IGNORECASE)


def parse_history(text: str) -> list[Action]:
    """Read a whole history.

    The actions are as written: an all-in has size 0, and nothing is checked against a hand (see
    `rules.hand.PublicGame.follow` for that).

    Raises
    ------
    HistoryError
        At the first token that is no action, naming it and its place.
    """
    actions: list[Action] = []
    position = _end_of_separator(text, 0)
    while position < len(text):
        match = _TOKEN.match(text, position) or _BARE_SIDE.match(text, position)
        action = _action(match.groupdict()) if match else None
        if match is None or action is None:
            word = re.split(r"[\s,;]", text[position:], maxsplit=1)[0]
            raise HistoryError(
                f"expected an action such as b1, r3, allin, c, f, k, front:b1 or both, "
                f'got {word!r} (action {len(actions) + 1} of "{text.strip()}")'
            )
        actions.append(action)
        position = _end_of_separator(text, match.end())
    return actions


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


def _action(groups: dict[str, str | None]) -> Action | None:
    name = groups.get("name")
    if name:
        return Action(NAME, side=_SIDES[name.lower()])
    kind = _KINDS[re.sub(r"\s+", " ", (groups["kind"] or "").lower())]
    size = int(groups["size"] or 0)
    side = _SIDES[groups["side"].lower()] if groups["side"] else ""
    if groups["size"] is not None and (kind not in (BET, RAISE) or size == 0):
        return None
    return Action(kind, size, side)
