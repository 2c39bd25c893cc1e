"""Two strategies against each other over whole matches: their exact chances, and matches that were played."""

from collections.abc import Callable, Mapping
from typing import IO, Any, NamedTuple

from reports.answering.progress import SweepProgress
from reports.screens.matches import chance, notes_of, options_text, started
from reports.screens.screen import Screen
from reports.text.option_words import flag
from reports.text.words import grid, wrapped
from rules.base.errors import OptionError
from rules.games.match_spec import MatchSpec
from solver.match import duels, players
from solver.match.hands import MatchHands
from solver.match.players import Player
from solver.match.simulation import CONFIDENCE, Tally, simulate
from solver.match.solving import hands_of, solve_match
from solver.match.table import MatchTable, load
from solver.match.workers import never

ORDERS = ("first", "second", "either")
"""Who bets first in hand 1: the player whose chances they are, the other, or whom a fair coin picks."""

WIDTH = 1e-6
"""What chances that are exact but for rounding are told to."""

ODDS_COLUMNS = ("player", "against", "bets", "win", "proved")
"""Of exact chances; `proved` is what a match table proves for the player against anybody, empty for others."""

TALLY_COLUMNS = ("player", "against", "bets", "matches", "won", "lost", "drawn", "rate", "lower", "upper")
"""Of matches that were played; the bounds are those of the confidence interval."""


class Pair(NamedTuple):
    """Two players and the hands of their match."""

    hands: MatchHands
    one: Player
    other: Player
    table: MatchTable | None

    @classmethod
    def of(cls, spec: MatchSpec, deck_model: str, names: tuple[str, str], table: MatchTable | None = None) -> "Pair":
        """Return players by name.

        Parameters
        ----------
        spec
            Any hand of the match.
        table
            The match solved, for a player who plays it.

        Raises
        ------
        OptionError
            Where there is no such player, or one needs the table.
        """
        hands = hands_of(spec, deck_model)
        one = players.make_player(names[0], hands, table)
        other = one if names[1] == names[0] else players.make_player(names[1], hands, table)
        return cls(hands, one, other, table)


def table_for(
    game: str,
    names: tuple[str, str],
    file: str | None,
    given: Mapping[str, Any],
    deck_model: str | None,
    gap: float,
    *,
    threads: int | None = None,
    stream: IO[str],
    stop: Callable[[], bool] = never,
) -> tuple[MatchSpec, str, MatchTable | None]:
    """Return the match to be played, its deck model, and its table where a player needs one: loaded or solved.

    Parameters
    ----------
    file
        Of a match table.
    given
        Options of the match as they are typed, None where not given.
    deck_model
        None for that of the file, else ``fresh``.
    gap
        What a match is solved to.
    stream
        Where progress is written.

    Raises
    ------
    ForeheadError
        Where an option is wrong, a player unknown, or a file of another match.
    """
    if file is None:
        spec, model = started(game, given["stacks"], {key: given[key] for key in given if key != "stacks"}), deck_model
        players.check(names, spec)
        if players.MATCH not in names:
            return spec, model or "fresh", None
        with SweepProgress(stream) as progress:
            table = solve_match(spec, model or "fresh", gap, threads=threads, on_step=progress, stop=stop)
        return table.spec, table.deck_model, table
    table = load(file)
    if table.spec.game != game:
        raise OptionError(f"{file} is of {table.spec.game}, not of {game}")
    for name, value in given.items():
        if value is not None:
            raise OptionError(f"{file} says {flag(name)} already; leave it out beside --from")
    if deck_model not in (None, table.deck_model):
        raise OptionError(f"{file} is of the deck model {table.deck_model}, not {deck_model}; leave --deck-model out")
    players.check(names, table.spec)
    return table.spec, table.deck_model, table


def evaluated(
    pair: Pair,
    threads: int | None = None,
    on_step: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] = never,
) -> Screen:
    """Find the exact chance of one player against another, and show it.

    Parameters
    ----------
    on_step
        Called with the hands done and how many there are.
    stop
        Once it says True, KeyboardInterrupt is raised.
    """
    spec, model, names = pair.hands.spec, pair.hands.model.name, (pair.one.name, pair.other.name)
    found = duels.win_probabilities(pair.hands, pair.one, pair.other, threads, on_step, stop)
    start = pair.hands.number[spec.chips]
    by_order = _orders(float(found.first[start]), float(found.second[start]))
    proves = pair.table is not None and names[0] == players.MATCH
    proved = _proved(pair.table) if pair.table is not None and proves else dict.fromkeys(ORDERS)
    rows = [(*names, order, by_order[order], proved[order]) for order in ORDERS]
    cells = [
        [_who(names[0], order), chance(win, WIDTH), "-" if least is None else chance(least, WIDTH)]
        for _, _, order, win, least in rows
    ]
    lines = [
        f"{names[0]} against {names[1]}: {spec.game}, the match from {spec.chips.s1}/{spec.chips.s2}",
        wrapped(options_text(spec, model)),
        "",
        grid(("hand 1", "wins", "proved against anybody"), cells),
        "",
        *(wrapped(f"note: {note}", others="      ") for note in notes_of(spec, model)),
    ]
    data = {**_fields(pair, names), "odds": [dict(zip(ODDS_COLUMNS[2:], row[2:], strict=True)) for row in rows]}
    return Screen("\n".join(lines), ODDS_COLUMNS, rows, data)


def simulated(
    pair: Pair,
    matches: int,
    seed: int = 0,
    renewed: bool = False,
    threads: int | None = None,
    on_step: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] = never,
) -> Screen:
    """Play matches and show how they ended.

    Parameters
    ----------
    renewed
        Whether each hand is dealt from a fresh deck.
    on_step
        Called with the matches that have ended and how many there are.
    stop
        Once it says True, KeyboardInterrupt is raised.

    Raises
    ------
    OptionError
        Where there is no match to play.
    """
    found = simulate(
        pair.hands, (pair.one, pair.other), matches, seed, renewed=renewed, threads=threads, on_step=on_step, stop=stop
    )
    names, spec = (pair.one.name, pair.other.name), pair.hands.spec
    tallies = dict(zip(ORDERS, (found.first, found.second, found.first + found.second), strict=True))
    rows = [(*names, order, tally.matches, *tally, tally.rate, *tally.interval) for order, tally in tallies.items()]
    cells = [_cells(names[0], order, tally) for order, tally in tallies.items()]
    dealt = "each hand dealt from a fresh deck" if renewed else "one deck dealt until it is used up"
    notes = list(notes_of(spec, pair.hands.model.name))
    if not renewed and pair.hands.model.number == 1:
        notes[:2] = ["deck model fresh: the players take every deck for a full one, though the cards run out"]
    lines = [
        f"{names[0]} against {names[1]}: {spec.game}, the match from {spec.chips.s1}/{spec.chips.s2}",
        wrapped(options_text(spec, pair.hands.model.name)),
        wrapped(f"{matches:,} matches with seed {seed}, {dealt}, {found.hands / matches:.2f} hands a match"),
        "",
        grid(("hand 1", "matches", "won", "lost", "drawn", "wins", f"{100 * CONFIDENCE:g} % interval"), cells),
        "",
        *(wrapped(f"note: {note}", others="      ") for note in notes),
    ]
    data = {
        **_fields(pair, names),
        "notes": notes,
        "matches": matches,
        "seed": seed,
        "dealt_from": "fresh" if renewed else "one deck",
        "hands": found.hands,
        "confidence": CONFIDENCE,
        "results": [dict(zip(TALLY_COLUMNS[2:], row[2:], strict=True)) for row in rows],
    }
    return Screen("\n".join(lines), TALLY_COLUMNS, rows, data)


def _orders(first: float, second: float) -> dict[str, float]:
    return dict(zip(ORDERS, (first, second, 0.5 * (first + second)), strict=True))


def _proved(table: MatchTable) -> dict[str, float]:
    """Return what the table proves for whoever plays it, by who bets first."""
    odds = table.odds(table.spec.chips)
    return _orders(odds.lower, 1.0 - odds.upper)


def _who(name: str, order: str) -> str:
    return {"first": f"{name} bets first", "second": f"{name} bets second", "either": "a fair coin"}[order]


def _cells(name: str, order: str, tally: Tally) -> list[str]:
    low, high = tally.interval
    numbers = [f"{number:,}" for number in (tally.matches, tally.won, tally.lost, tally.drawn)]
    return [_who(name, order), *numbers, f"{100 * tally.rate:.2f} %", f"{100 * low:.2f} to {100 * high:.2f} %"]


def _fields(pair: Pair, names: tuple[str, str]) -> dict[str, Any]:
    """Return who plays which match, ready for JSON."""
    spec, model = pair.hands.spec, pair.hands.model.name
    return {
        "game": spec.game,
        "spec": spec.to_dict(),
        "deck_model": model,
        "tie_bust": spec.tie_bust,
        "unit": "win probability",
        "notes": list(notes_of(spec, model)),
        "player": names[0],
        "against": names[1],
    }
