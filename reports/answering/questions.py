"""From options as they are typed to what they ask: a deal of a file, a hand, an answer."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from reports.answering.interruption import Running
from reports.answering.progress import Progress
from reports.screens.advice import Advice
from reports.screens.multiplayer_advice import TableAdvice
from reports.text.option_words import OPTIONS, flag
from rules.aids.odds import hidden_card
from rules.base.errors import ChipsError, OptionError
from rules.games.match_spec import AUTO, MATCH, MatchSpec
from rules.games.spec import HandSpec
from rules.play.from_my_seat import FRONTS_SEEN, PERSONAL, Seated, by_player, seat_told, seated, to_act
from rules.play.log import MatchLog
from solver.multiplayer.solution import MultiplayerSolution, load_table
from solver.solutions.archive import is_sampled_file, is_table_file
from solver.solutions.solution import load
from solver.store.cache import Cache
from solver.store.match_tables import NoTableError, with_continuation
from solver.within_time import Answer, AnswerSoFar, answer

if TYPE_CHECKING:
    from reports.screens.sampled import SampledAdvice

from reports.answering.saved import which_deal, without_deal

LEAST = 0.3
"""Seconds that a spot which a solve has left as it was gets at least."""

BESIDE_A_FILE = ("board", "fronts", "first", "my_front", "opp_front")
"""Options that say something which a solution does not."""


def seated_hand(game: str | None, given: Mapping[str, Any]) -> Seated:
    """Define a hand from all options that tell one, ``log`` and ``table`` (files) included.

    What later hands are worth is still open; a table or a deck model says that they matter.
    """
    persons = {name: given.get(name) for name in PERSONAL}
    options = {name: value for name, value in given.items() if name not in (*PERSONAL, "log", "table")}
    asked = [name for name in ("table", "deck_model") if given.get(name) is not None]
    if asked and options.get("objective") is None:
        options["objective"] = MATCH
    here = seated(game, options, persons, MatchLog.read(given["log"]) if given.get("log") else None)
    if asked and not here.spec.lacks:
        raise OptionError(f"{flag(asked[0])} says what later hands are worth; expected --objective match beside it")
    return here


def with_table(
    spec: HandSpec, table: str | None, cache: Cache | None, stop: Callable[[], bool] = lambda: False
) -> HandSpec:
    """Return a hand with what later hands are worth, where that matters; that a table is made first goes to stderr.

    Parameters
    ----------
    table
        The file of a match table to take it from.
    cache, stop
        As `solver.store.match_tables.with_continuation` takes them.
    """
    return with_continuation(spec, file=table, cache=cache, before=note, stop=stop)


def to_win(spec: HandSpec, cache: Cache | None, stop: Callable[[], bool]) -> HandSpec:
    """Return the same hand played to win the match, where there are matches and a table is at hand.

    Why it is played for chips goes to stderr.
    """
    found, why_not = aimed(spec, cache, stop)
    if why_not:
        note(f"for chips in this hand, not to win the match: {why_not} (--objective chips leaves this out)")
    return found


def aimed(spec: HandSpec, cache: Cache | None, stop: Callable[[], bool] = lambda: False) -> tuple[HandSpec, str]:
    """Return the same hand as `to_win` does, and why it is played for chips; "" where it is not or has no match."""
    if not isinstance(spec, MatchSpec):
        return spec, ""
    try:
        return with_table(replace(spec, objective=MATCH, deck_model=AUTO), None, cache, stop), ""
    except (ChipsError, NoTableError) as error:
        return spec, str(error)


def note(line: str) -> None:
    """Say something on stderr that is no result."""
    print(f"forehead: {line}", file=sys.stderr, flush=True)


def for_the_session(spec: Any, patient: bool) -> HandSpec:
    """Return a hand that knows what the session is worth after it, as far as that can be solved.

    Where it cannot, or would take minutes and nobody is patient, it is the hand by its chips alone, and that is said
    on stderr.
    """
    asked: HandSpec = spec
    if getattr(spec, "hands_left", 0) <= 1 or spec.later is not None:
        return asked
    from solver.session import solvable, with_later

    if solvable(spec) and (patient or spec.seats == 2):

        def told(done: int, every: int) -> None:
            if spec.seats > 2:
                click.echo(f"{done} of {every} later hands solved for the session", err=True)

        found: HandSpec = with_later(spec, told)
        return found
    click.echo(
        f"note: {spec.hands_left} hands of {spec.seats} players are not solved backwards here; what follows is by the "
        "chips of this hand and not for the session",
        err=True,
    )
    alone: HandSpec = replace(spec, objective="chips", balances=(), hands_left=0)
    return alone


def _check_beside(file: str, solved: str, game: str | None, given: Mapping[str, Any]) -> None:
    """Refuse what a solution of a game says already."""
    for name, value in given.items():
        if value is not None and name not in BESIDE_A_FILE:
            raise OptionError(f"{file} says {flag(name)} already; leave it out beside --from")
    if game not in (None, solved):
        raise OptionError(f"{file} solves {solved}, not {game}")


def looked_up(
    file: str,
    game: str | None,
    given: Mapping[str, Any],
    observation: str,
    history: str,
    mine: Sequence[str],
    seed: int | None,
    *,
    seconds: float,
) -> "Advice | TableAdvice | SampledAdvice":
    """Return the answer that a solution file has, or finds in so many seconds where it has left the spot as it was.

    Raises
    ------
    ForeheadError
        Where it is of another hand, or the question makes no sense there.
    """
    persons = {name: given.get(name) for name in PERSONAL}
    deal = {name: given.get(name) for name in BESIDE_A_FILE[:2]}
    if is_sampled_file(file):
        from reports.screens.sampled import SampledAdvice
        from solver.mccfr.solution import load_sampled

        sampled = load_sampled(file)
        _check_beside(file, sampled.spec.game, game, given)
        without_deal(file, deal | persons)
        return SampledAdvice.at(sampled, observation, history, seed)
    solution = load_table(file) if is_table_file(file) else load(file, mapped=True)
    _check_beside(file, solution.spec.game, game, given)
    if isinstance(solution, MultiplayerSolution):
        without_deal(file, deal | persons)
        return TableAdvice.at(solution, observation, history, seed)
    seat = seat_told(persons)
    fronts = by_player(solution.spec.game, persons, seat)
    if fronts and given.get("fronts") is not None:
        raise OptionError("--fronts is told twice, once for P1 and P2 and once for me and opp")
    board = which_deal(solution, file, deal | fronts)
    to_act(solution.spec, history, seat)
    return Advice.at(solution, observation, history, board, mine, seed, seconds=seconds)


def solved_live(
    here: Seated,
    observation: str,
    history: str,
    mine: Sequence[str],
    seed: int | None,
    *,
    seconds: float,
    gap: float | None,
    cache: Cache | None,
    aim: Callable[[HandSpec], HandSpec],
    before: Callable[[], None],
    running: Running,
    tell: Callable[[Advice, Answer], int],
) -> int:
    """Tell an answer of `solver.within_time`; after Ctrl-C the best so far.

    Parameters
    ----------
    aim
        Returns the hand with what it lacks, once everything else is checked.
    before
        Called before anything is solved.
    running
        The command that asks.
    tell
        Prints an advice, which an answer gave, and returns the exit code.

    Raises
    ------
    ForeheadError
        Where board or fronts are open, or the question makes no sense; before any work is done.
    """
    word = here.spec.board_word
    if here.spec.to_dict().get(word, "") is None:
        seen = f", or {FRONTS_SEEN} as you see them" if word == "fronts" else ""
        meaning = f"{OPTIONS[word].meaning.split(';')[0]}{seen}"
        raise OptionError(f"advise needs {flag(word)} in {here.spec.game}: {meaning}")
    if mine and here.mine:
        raise OptionError("the log says --mine already; leave it out")
    own = tuple(mine) or here.mine
    hidden_card(here.spec, to_act(here.spec, history, here.seat, here.logged), observation, own)
    aiming = time.monotonic()
    here = here._replace(spec=aim(here.spec))
    # A match table that is made first, and said to be, is not what the time is for; nor is loading one.
    begun = running.begun + (time.monotonic() - aiming)
    so_far = AnswerSoFar()
    progress = Progress(gap or here.spec.usual_gap, here.spec.unit, sys.stderr)
    lines = ExitStack()

    def starting() -> None:
        before()
        lines.enter_context(progress)

    def told(found: Answer | None) -> int:
        if found is None:
            raise KeyboardInterrupt
        seconds_left = max(found.left, LEAST)
        advice = Advice.at(found.solution, observation, history, "", own, seed, found.menu, seconds_left)
        lines.close()
        return tell(advice, found)

    with running.rescuing(lambda: told(so_far.answer())):
        found = answer(
            here.spec,
            history,
            begun=begun,
            seconds=seconds,
            gap=gap or here.spec.usual_gap,
            cache=cache,
            stop=running.asked,
            before=starting,
            on_check=progress,
            so_far=so_far,
        )
    return told(found)
