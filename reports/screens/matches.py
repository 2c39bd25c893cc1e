"""What is printed of whole matches: the chance to win by chips, the odds of one state, the proof of a table."""

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

from reports.data.rows import deck_fields
from reports.screens.screen import Screen
from reports.text.persons import headline
from reports.text.words import counted, grid, small, wrapped
from rules.base.errors import ChipsError, OptionError
from rules.betting.chips import Chips
from rules.games.match_spec import FRESH, MatchSpec, fresh_told
from rules.games.registry import hand
from solver.match.estimate import Estimate
from solver.match.proof import Proof
from solver.match.table import MatchTable, Odds
from solver.two_player.memory import human

STATE_COLUMNS = ("s1", "s2", "carry", "win", "lower", "upper")
"""Of the chance to win by chips: the first bettor's stack, the other's, the pot carried, and a win probability."""


def started(game: str, stacks: str | None, options: Mapping[str, Any]) -> MatchSpec:
    """Return the first hand of a match, from options as they are typed.

    Raises
    ------
    ForeheadError
        Where the game has no matches, an option is wrong, or the stacks differ.
    """
    spec = hand(game, stacks=stacks, **options)
    if not isinstance(spec, MatchSpec):
        raise OptionError(f"expected a game that is played until one has all chips, got {game}")
    if spec.chips.s1 != spec.chips.s2:
        raise ChipsError(f"a match starts with equal stacks, got {spec.chips.s1} and {spec.chips.s2} (--stacks)")
    return spec


def chance(probability: float, width: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a chance to win in percent, with as many decimals as bounds so far apart deserve."""
    return f"{(100 * Decimal(probability)).quantize(Decimal(10) ** -decimals(width), rounding):f} %"


def decimals(width: float) -> int:
    """Return how many decimals a percentage deserves whose bounds are `width` apart, 2 to 6."""
    digits = 2
    while digits < 6 and 10.0 ** (-digits - 2) > width:
        digits += 1
    return digits


def odds_to(odds: Odds, seat: int | None) -> Odds:
    """Return a player's chance and its bounds from the first bettor's."""
    return odds if seat != 1 else Odds(1.0 - odds.upper, 1.0 - odds.lower)


def odds_text(odds: Odds) -> str:
    """Write a chance to win and its bounds."""
    width = odds.upper - odds.lower
    low, high = chance(odds.lower, width, ROUND_FLOOR), chance(odds.upper, width, ROUND_CEILING)
    return f"{chance(odds.value, width)} (between {low} and {high})"


def options_text(spec: MatchSpec, deck_model: str) -> str:
    """Name what a match's value depends on besides the chips."""
    normal = spec.to_dict()
    words = [f"deck model {deck_model}", f"tie-bust {spec.tie_bust}", f"raises {spec.betting.raises}"]
    if spec.betting.opens is not None:
        words.append(f"opens {spec.betting.opens}")
    if spec.betting.limit is not None:
        words.append(f"raise limit {spec.betting.limit}")
    if "penalties" in normal:
        words.append(f"penalties {normal['penalties']}")
    return ", ".join(words)


def notes_of(spec: MatchSpec, deck_model: str) -> tuple[str, ...]:
    """Return what a reader of a match's values must know."""
    fresh = deck_model == FRESH
    dealt = "every later hand is dealt from a full deck" if fresh else "the decks left are followed"
    limited = tuple(note.replace("value and bounds are", "values are") for note in spec.notes if "smaller game" in note)
    return (f"deck model {deck_model}: {dealt}", *((fresh_told(),) if fresh else ()), *limited)


def plan_text(spec: MatchSpec, deck_model: str, plan: Estimate) -> str:
    """Say before a match is solved how large it is, and how long it takes."""
    what = f"{spec.game} from {spec.chips.s1} chips each, deck model {deck_model}"
    size = f"{counted(plan.hands, 'hand')} with {counted(plan.nodes, 'decision node')} in a sweep"
    took = f"table {human(plan.table_bytes)}, memory {human(plan.memory)}, about {lasting(plan.seconds)}"
    return f"{wrapped(what)}\n{wrapped(f'{size}; {took}')}"


def lasting(seconds: float) -> str:
    """Write a time roughly: "20 s", "3 min", "2.5 hours"."""
    if seconds < 90.0:
        return f"{max(1.0, seconds):.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} hours"


def match_fields(table: MatchTable) -> dict[str, Any]:
    """Return which match a table is of and how good it is, ready for JSON."""
    return {
        "game": table.spec.game,
        "spec": table.spec.to_dict(),
        "objective": "match",
        "unit": "win probability",
        "deck_model": table.deck_model,
        "tie_bust": table.spec.tie_bust,
        "notes": list(notes_of(table.spec, table.deck_model)),
        "gap": table.gap,
        "hand_gap": table.hand_gap,
        "widest": table.widest,
        "decks": table.model.number,
        "states": len(table.states),
    }


def state_fields(chips: Chips, odds: Odds) -> dict[str, Any]:
    """Return the first bettor's chance from one state of the chips, ready for JSON."""
    row = (chips.s1, chips.s2, chips.carry, odds.value, odds.lower, odds.upper)
    return dict(zip(STATE_COLUMNS, row, strict=True))


def match_screen(table: MatchTable, saved: str | None) -> Screen:
    """Show the chance of the first bettor with a fresh deck, at the start and by chips."""
    start = table.odds(table.spec.chips)
    every = [state_fields(chips, table.odds(chips)) for chips in table.states]
    shown = [row for row in every if row["carry"] == 0]
    cells = [[str(row["s1"]), str(row["s2"]), *_percentages(row)] for row in shown]
    stack = table.spec.chips.s1
    lines = [
        f"{table.spec.game}, the match from {stack}/{stack}",
        wrapped(options_text(table.spec, table.deck_model)),
        f"the first bettor wins with {odds_text(start)}",
        "",
        "by chips, nothing carried and a fresh deck:",
        grid(("first bettor", "other", "wins", "at least", "at most"), cells),
        "",
        *_notes(table),
    ]
    if saved is not None:
        lines.append(f"saved {saved}")
    data = {**match_fields(table), "start": state_fields(table.spec.chips, start), "by_chips": every}
    return Screen("\n".join(lines), STATE_COLUMNS, [tuple(row.values()) for row in every], data)


def odds_screen(spec: MatchSpec, odds: Odds, seat: int | None = None) -> Screen:
    """Show the chance to win of both players before a hand, by you and them where it is known who asks (0 for P1)."""
    chips, width = spec.chips, odds.upper - odds.lower
    seen, share = odds_to(odds, seat), chips.share / chips.total
    who = ("P1, who bets first, wins", "You, who bet first, win", "You win")[0 if seat is None else seat + 1]
    lines = [
        wrapped(f"{spec.game}, {headline(spec, seat)}"),
        *(["They bet first."] if seat == 1 else []),
        f"{who} the match with {odds_text(seen)}",
        f"{'P2 wins' if seat is None else 'They win'} with {chance(1.0 - seen.value, width)}",
        f"{'P1 has' if seat is None else 'You have'} {chance(1.0 - share if seat == 1 else share, 1e-2)} of the chips, "
        "half of a carried pot counted",
        *(wrapped(f"note: {note}", others="      ") for note in spec.notes),
    ]
    fields = state_fields(chips, odds)
    data = {
        "game": spec.game, "spec": spec.to_dict(), "objective": "match", "unit": "win probability",
        "deck_model": spec.deck_model, "tie_bust": spec.tie_bust, "notes": list(spec.notes), **fields,
        **deck_fields(spec), "second_wins": 1.0 - odds.value, "share": share,
    }  # fmt: skip
    if seat is not None:
        mine = {"win": seen.value, "lower": seen.lower, "upper": seen.upper}
        data |= {"seat": f"P{seat + 1}", "you": {**mine, "share": 1.0 - share if seat == 1 else share}}
    return Screen("\n".join(lines), STATE_COLUMNS, [tuple(fields.values())], data)


def match_proof_screen(file: str, table: MatchTable, proof: Proof) -> Screen:
    """Say what was proved of a table."""
    whole = proof.states == proof.all_states
    part = "all of" if whole else f"{proof.states:,} of"
    lines = [
        f"{file} holds: {part} {counted(proof.all_states, 'state')} of deck and chips, proved again",
        wrapped(
            f"{table.spec.game} from {table.spec.chips.s1} chips each, {options_text(table.spec, table.deck_model)}"
        ),
        f"bounds at most {small(table.widest)} apart, each hand gains at least {small(proof.least)} (win probability)",
    ]
    data = {"file": file, "verified": True, **match_fields(table), **proof._asdict()}
    flat = {name: value for name, value in data.items() if not isinstance(value, (dict, list))}
    return Screen("\n".join(lines), list(flat), [list(flat.values())], data)


def _percentages(row: dict[str, Any]) -> list[str]:
    width = row["upper"] - row["lower"]
    roundings = {"win": ROUND_HALF_EVEN, "lower": ROUND_FLOOR, "upper": ROUND_CEILING}  # bounds outward
    return [chance(row[name], width, rounding) for name, rounding in roundings.items()]


def _notes(table: MatchTable) -> Iterator[str]:
    return (wrapped(f"note: {note}", others="      ") for note in notes_of(table.spec, table.deck_model))
