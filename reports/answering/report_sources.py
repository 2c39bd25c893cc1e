"""From what was typed to what a report is of: solution files, or hands to solve."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reports.answering.progress import Progress, note_compiling
from reports.answering.questions import aimed, note, seated_hand, with_table
from reports.answering.series import Stage, coming_stage, deck_stages, played_stages
from reports.data.match_story import Story
from reports.figures.solutions import Timing
from reports.pages.report import Source, read_source
from reports.screens.solutions import plan_text
from reports.text.option_words import flag
from rules.base.errors import OptionError
from rules.games.match_spec import MATCH
from rules.games.registry import GAMES
from rules.play.from_my_seat import FRONTS_SEEN
from rules.play.log import MatchLog
from solver.store.cache import Cache
from solver.two_player.memory import plan


class Gathered(NamedTuple):
    """What a report is of: solutions in the order to show, those of a series in its order, and a match played."""

    sources: tuple[Source, ...]
    series: tuple[Source, ...] = ()
    order: str = ""
    story: Story | None = None


def gathered(
    names: Sequence[str],
    given: Mapping[str, Any],
    *,
    decks: str | None,
    compare: bool,
    gap: float | None,
    timings: bool,
) -> Gathered:
    """Load or solve what is to be reported; progress goes to stderr.

    Parameters
    ----------
    names
        A game, or solution files; nothing where a log names the game.
    given
        All options that tell a hand, ``log`` (a file) included.
    decks
        A file of deck states.
    compare
        Whether two files are to be compared.
    gap
        As `solver.solve` takes it; None for what is usual.
    timings
        Whether the figures may show how long the solve took.

    Raises
    ------
    ForeheadError
        Where the options make no sense together, or a hand is not allowed.
    OSError
        Where a file cannot be read.
    """
    told = [name for name, value in given.items() if value is not None]
    game = names[0] if len(names) == 1 and names[0] in GAMES else None
    if names and game is None:
        for name in names:
            if not os.path.isfile(name):
                raise OptionError(f"expected a game ({', '.join(GAMES)}) or solution files, got {name!r}")
        if told:
            raise OptionError(f"{names[0]} says {flag(told[0])} already; leave it out")
        if decks:
            raise OptionError(f"expected a game with --decks, got the file {names[0]}")
        if compare and len(names) != 2:
            raise OptionError(f"expected two solution files to compare, got {len(names)}")
        return _of_files([read_source(name) for name in names])
    if compare:
        raise OptionError("expected two solution files with --compare, and no game or log")
    if decks:
        if game is None or given.get("log") is not None:
            raise OptionError("expected a game with --decks, and no --log")
        options = {name: value for name, value in given.items() if value is not None and name != "table"}
        stages, order = deck_stages(decks, game, options), "deck state"
    elif given.get("log") is not None:
        return _of_a_match(game, given, gap, timings)
    else:
        here = seated_hand(game, given)
        spec = with_table(here.spec, given.get("table"), Cache())
        return Gathered((_solved(Stage(spec.title, spec, seat=here.seat), gap, timings),))
    table, cache = given.get("table"), Cache()
    stages = [stage._replace(spec=with_table(stage.spec, table, cache)) for stage in stages]
    solved = [_solved(stage, gap, timings) for stage in stages]
    return Gathered(tuple(solved), tuple(solved), order)


def _of_a_match(game: str | None, given: Mapping[str, Any], gap: float | None, timings: bool) -> Gathered:
    """Solve the hands of a log as they were to be played, and the coming one where its board or fronts are known."""
    told = [name for name, value in given.items() if value is not None]
    objective = {name: given[name] for name in ("objective", "deck_model") if given.get(name) is not None}
    if set(told) & {"table", "deck_model"}:
        objective.setdefault("objective", MATCH)
    stages, notes = played_stages(given["log"], objective), []
    if not (stages and set(told) <= {"log", "table", *objective} and MatchLog.read(given["log"]).over):
        # Refuses what the log says already, too.
        coming = coming_stage(given["log"], seated_hand(game, given).spec)
        word = coming.spec.board_word
        if stages and coming.spec.to_dict().get(word, "") is None:
            known = FRONTS_SEEN if word == "fronts" else flag(word)
            notes.append(f"The coming hand is left out, as its {word} {'are' if word == 'fronts' else 'is'} not known "
                         f"({known} adds it).")  # fmt: skip
        else:
            stages.append(coming)
    cache = Cache()
    if objective.get("objective") is None:
        stages, why_not = _to_win(stages, cache)
        if why_not:
            notes.append(f"Hands are solved for chips, not to win the match: {why_not}.")
    else:
        stages = [stage._replace(spec=with_table(stage.spec, given.get("table"), cache)) for stage in stages]
    for line in notes:
        note(line)
    solved = tuple(_solved(stage, gap, timings) for stage in stages)
    return Gathered(solved, solved, "hand", Story(MatchLog.read(given["log"]), tuple(notes)))


def _to_win(stages: list[Stage], cache: Cache) -> tuple[list[Stage], str]:
    """Return all hands played to win the match, or for chips where a single one cannot be, and why."""
    found = []
    for stage in stages:
        spec, why_not = aimed(stage.spec, cache)
        if why_not:
            return stages, why_not
        found.append(stage._replace(spec=spec))
    return found, ""


def _of_files(sources: Sequence[Source]) -> Gathered:
    """Draw a series where three or more solutions of one game are given."""
    one_game = len({source.solution.spec.game for source in sources}) == 1
    return Gathered(tuple(sources), tuple(sources) if one_game and len(sources) > 2 else (), "solution")


def _solved(stage: Stage, gap: float | None, timings: bool) -> Source:
    """Solve a hand."""
    planned = plan(stage.spec)
    print(plan_text(stage.spec, planned, stage.seat), file=sys.stderr)
    note_compiling(sys.stderr)
    from solver.solving import solve

    target = gap or stage.spec.usual_gap
    with Progress(target, stage.spec.unit, sys.stderr) as progress:
        solution = solve(stage.spec, gap=target, on_check=progress, planned=planned)
    series = [Timing(check.iterations, seconds, check.nash_conv) for seconds, check in progress.series]
    return Source(stage.label, solution, tuple(series) if timings else (), True, stage.logged, stage.seat)
