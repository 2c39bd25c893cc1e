"""A match log, the cache: what they hold, as screens."""

from collections import Counter
from typing import Any

from reports.screens.screen import Screen
from reports.text.units import is_chance
from reports.text.words import counted, grid, wrapped
from rules import aids
from rules.base.parsing import shown_list
from rules.betting.actions import format_history
from rules.games.tracker import UsedRanks, UsedTwoSided
from rules.play.log import MatchLog
from rules.play.log_hands import LoggedHand
from rules.play.log_text import PERSONS
from solver.match.table import Heading
from solver.store.cache import KINDS, Cache
from solver.two_player.memory import human

HAND_COLUMNS = ("number", "first", "mine", "theirs", "board", "history", "my_chips", "their_chips", "carry")
"""Columns of the hands in a log; chips are those after the hand."""


def log_screen(log: MatchLog) -> Screen:
    """Show a match so far: chips, who bets first, the deck, and every hand."""
    hands = [_hand_fields(one) for one in log.hands]
    winner = PERSONS[log.winner] if isinstance(log.winner, int) else log.winner
    data: dict[str, Any] = {
        "game": log.game,
        "chips": {"me": log.chips[0], "opp": log.chips[1], "carry": log.carry},
        "first": None if log.over else PERSONS[log.first],
        "seat": None if log.over else f"P{log.my_seat + 1}",
        "winner": winner,
        "hands": hands,
    }
    lines = [wrapped(f"{log.game}: you have {log.chips[0]} chips, they have {log.chips[1]}, {log.carry} carried over")]
    if log.over:
        lines.append(_end(log))
    else:
        spec = log.spec
        mine: Any = log.mine_hidden
        used = aids.used_cards(spec, log.my_seat, mine=mine)
        data |= {"spec": spec.to_dict(), "cards_left": spec.cards_left, "used_cards": used.to_dict()}
        who = "You bet" if log.first == 0 else "They bet"
        lines.append(f"{who} first in hand {len(hands) + 1}. {counted(spec.cards_left, 'card')} left in the deck.")
        lines += _used_lines(used)
    if hands:
        headers = ("hand", "first", "mine", "theirs", "board", "chips after", "actions")
        body = [
            [
                str(one["number"]), one["first"], one["mine"], one["theirs"], shown_list(one["board"]),
                f"{one['my_chips']}/{one['their_chips']}" + (f" +{one['carry']}" if one["carry"] else ""),
                one["history"] if len(one["history"]) <= 30 else f"{one['history'][:27]}...",
            ]
            for one in hands
        ]  # fmt: skip
        kept = [place for place, _ in enumerate(headers) if place != 4 or any(row[4] for row in body)]
        lines += ["", grid([headers[n] for n in kept], [[row[n] for n in kept] for row in body])]
    rows = [tuple(shown_list(v) if isinstance(v, list) else v for v in one.values()) for one in hands]
    return Screen("\n".join(lines), HAND_COLUMNS, rows, data)


def added_text(log: MatchLog) -> str:
    """Say what the last hand of a log has changed."""
    last, (mine, theirs) = log.hands[-1], log.chips
    carried = f", {log.carry} carried over" if log.carry else ""
    lines = [wrapped(f"hand {last.number}: {last}"), f"You have {mine}, they have {theirs}{carried}."]
    if log.over:
        lines.append(_end(log))
    else:
        who = "You bet" if log.first == 0 else "They bet"
        lines.append(f"{who} first in hand {last.number + 1}. {counted(log.spec.cards_left, 'card')} left in the deck.")
    return "\n".join(lines)


def cache_screen(cache: Cache) -> Screen:
    """List the solutions and match tables in a cache, last used first."""
    entries = cache.entries()
    columns = ("file", "kind", "bytes", "game", "hand", "gap")
    rows: list[tuple[Any, ...]] = []
    for entry in entries:
        path, size, solution, heading = entry
        if solution is None:
            told = (None,) * 3 if heading is None else _match_fields(heading)
            rows.append((path.name, entry.kind, size, *told))
            continue
        board = f", {solution.spec.board_word} {solution.boards[0]}" if solution.boards[0] else ""
        aim = ", to win the match" if is_chance(solution.spec) else ""
        hand = f"{solution.spec.headline}{board}{aim}"
        rows.append((path.name, entry.kind, size, solution.spec.game, hand, solution.nash_conv))
    total, numbers = sum(entry.size for entry in entries), Counter(entry.kind for entry in entries)
    kept = kept_text(*(numbers[kind] for kind in KINDS))
    lines = [wrapped(f"{cache.folder}: {kept}, {human(total)} of {human(cache.most)}")]
    for name, kind, size, game, hand, gap in rows:
        what = f"unreadable {kind}" if game is None else f"{game}, {hand}; gap {gap:.2g}"
        lines.append(wrapped(f"{what} ({human(size)}, {name})"))
    data = {
        "directory": str(cache.folder),
        "bytes": total,
        "most_bytes": cache.most,
        "solutions": [dict(zip(columns, row, strict=True)) for row in rows if row[1] == KINDS[0]],
        "match_tables": [dict(zip(columns, row, strict=True)) for row in rows if row[1] == KINDS[1]],
    }
    return Screen("\n".join(lines), columns, rows, data)


def kept_text(solutions: int, tables: int) -> str:
    """Say how many things of both kinds a cache has: "1 solution and 2 match tables"."""
    return f"{counted(solutions, KINDS[0])} and {counted(tables, KINDS[1])}"


def _match_fields(table: Heading) -> tuple[str, str, float]:
    """Return the game, the match and the gap of a match table."""
    return table.spec.game, f"whole match of {table.spec.chips.total} chips, {table.deck_model} decks", table.gap


def _end(log: MatchLog) -> str:
    return {0: "You have won.", 1: "They have won."}.get(log.winner, "The match is drawn.")  # type: ignore[arg-type]


def _hand_fields(one: LoggedHand) -> dict[str, Any]:
    after = one.played.after
    values = (
        one.number, PERSONS[one.played.first], str(one.mine), str(one.theirs), list(one.board),
        format_history(one.played.history), after.s1, after.s2, after.carry,
    )  # fmt: skip
    return dict(zip(HAND_COLUMNS, values, strict=True))


def _used_lines(used: UsedRanks | UsedTwoSided) -> list[str]:
    """Say which cards are known to be gone."""
    if isinstance(used, UsedRanks):
        headers = ["rank", *(str(row.rank) for row in used.ranks)]
        gone = ["gone", *(str(row.cards_gone or "-") for row in used.ranks)]
        left = ["left", *(str(row.cards_unseen or "-") for row in used.ranks)]
        return ["", grid(headers, [gone, left])]
    shown = " ".join(map(str, used.shown)) or "none"
    hidden = " ".join(map(str, used.hidden)) or "none"
    lines = [wrapped(f"Shown whole: {shown}"), wrapped(f"Fronts whose back stayed hidden: {hidden}")]
    return [*lines, wrapped(f"Yours of these: {' '.join(map(str, used.mine))}")] if used.mine else lines
