"""Which match table says what later hands are worth: one that is named, shipped or kept, or is quickly made.

Tables of the usual matches are in the folder ``tables``: game, chips together and deck model are in their names.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

import numpy as np

from rules.base.errors import OptionError, SizeError
from rules.betting.chips import every_chips
from rules.games.deck_models import FULL
from rules.games.match_spec import AUTO, POT_BLIND, MatchSpec
from rules.games.registry import hand
from rules.games.spec import HandSpec
from solver.match.table import Heading, MatchTable, at_start, load, read, read_heading
from solver.solutions.continuation import MatchContinuation, Origin, Rows, numbering
from solver.store.cache import Cache
from solver.trees.public_tree import measure


def rows_for(table: MatchTable, spec: MatchSpec) -> Rows:
    """Take from a table what matters to a hand."""
    model = numbering(table.deck_model, spec.game)
    found = {FULL, model.find(spec)}
    for layout, _ in spec.grouped():
        found.update(model.following(spec, layout.observations).ravel().tolist())
    decks = np.array(sorted(found))
    return Rows(decks, table.lower[decks], table.upper[decks])


QUICK = 120_000
"""Decision nodes of all hands of a match up to which its table is made on the spot, in a few seconds."""

GAP = 1e-3
"""How far apart the bounds of a table may be that is made on the spot."""


class NoTableError(OptionError):
    """Say that no table of a match is at hand, and how to make one."""


class Found(NamedTuple):
    """What a table is of, and what reads it."""

    heading: Heading
    table: Callable[[], MatchTable]


def with_continuation(
    spec: HandSpec,
    *,
    file: str | os.PathLike[str] | None = None,
    cache: Cache | None = None,
    before: Callable[[str], None] = lambda line: None,
    stop: Callable[[], bool] = lambda: False,
) -> HandSpec:
    """Return a hand that has utilities: with what later hands are worth, where that matters and is not there yet.

    Parameters
    ----------
    file
        A match table, in place of any other.
    cache
        Where tables are kept that were made before.
    before
        Is told what is solved, before it is.
    stop
        Asked many times a second meanwhile; once it says True, KeyboardInterrupt is raised.

    Raises
    ------
    NoTableError
        Where there is none and it would take long to make one.
    OptionError
        Where the file is of another match or deck model.
    SolutionFileError, OSError
        Where it cannot be read, or is no table.
    """
    if not spec.lacks:
        return spec
    assert isinstance(spec, MatchSpec)
    if spec.betting.of_pot:
        raise NoTableError(POT_BLIND)
    models = spec.deck_models if spec.deck_model == AUTO else (spec.deck_model,)
    if file is not None:
        found = _given(spec, models, os.fspath(file))
    else:
        found = next(_at_hand(spec, models, cache), None) or _made(spec, models, cache, before, stop)
    origin = Origin(found.heading.deck_model, found.heading.gap, found.heading.digest)
    return replace(
        spec, deck_model=origin.deck_model, later=MatchContinuation(origin, lambda: rows_for(found.table(), spec))
    )


def _given(spec: MatchSpec, models: tuple[str, ...], file: str) -> Found:
    with open(file, "rb") as opened:
        heading = read_heading(opened, file)
    if heading.spec not in matches_of(spec):
        mine, theirs = at_start(spec).to_dict(), heading.spec.to_dict()
        names = [name for name in theirs if theirs[name] != mine.get(name)]
        raise OptionError(f"{file} is of another match (other {', '.join(names)})")
    if heading.deck_model not in models:
        raise OptionError(f"{file} has the deck model {heading.deck_model}, expected {' or '.join(models)}")
    return Found(heading, partial(load, file))


def _at_hand(spec: MatchSpec, models: tuple[str, ...], cache: Cache | None) -> Iterator[Found]:
    """Yield tables that are shipped or kept, the best first."""
    for model in models:
        for match in matches_of(spec):
            yield from shipped(match, model)
            if cache is not None and (kept := cache.find_table(match, model)) is not None:
                yield Found(*kept)


def matches_of(spec: MatchSpec) -> tuple[MatchSpec, ...]:
    """Return the matches that a hand can be one of: its own, and the one without the limit that makes it smaller."""
    own = at_start(spec)
    whole = replace(own, betting=replace(own.betting, limit=None))
    return (own,) if own == whole else (own, whole)


def shipped(match: MatchSpec, model: str) -> Iterator[Found]:
    """Yield the tables that come with forehead for a match and a deck model."""
    for found in every_shipped(f"{match.game}-{match.chips.total}-{model}"):
        if found.heading.spec == match and found.heading.deck_model == model:
            yield found


def every_shipped(start: str = "") -> Iterator[Found]:
    """Yield the tables that come with forehead whose names start so."""
    folder = files("solver.match").joinpath("tables")
    for resource in sorted(folder.iterdir(), key=lambda one: one.name) if folder.is_dir() else ():
        if resource.name.startswith(start) and resource.name.endswith(".npz"):
            with resource.open("rb") as file:
                heading = read_heading(file, resource.name)
            yield Found(heading, partial(_read, resource))


def _read(resource: Traversable) -> MatchTable:
    with resource.open("rb") as file:
        return read(file, resource.name)


def _made(
    spec: MatchSpec,
    models: tuple[str, ...],
    cache: Cache | None,
    before: Callable[[str], None],
    stop: Callable[[], bool],
) -> Found:
    """Make a table with the last of the models, which is the quickest, and keep it."""
    match, model = at_start(spec), models[-1]
    name = f"the match of {match.chips.total} chips (deck model {model})"
    if _nodes(match, model) > QUICK:
        raise NoTableError(f"no table of {name} is at hand, and it takes a while to make one: {_command(match, model)}")
    before(f"solving {name} first, for what later hands are worth")
    from solver.match.solving import solve_match

    table = solve_match(match, model, GAP, stop=stop)
    if cache is not None:
        try:
            cache.keep_table(table)
        except OSError as error:  # an answer does not depend on the cache
            before(f"that table is not kept in {cache.folder} ({error.strerror or error})")
    return Found(table.heading, lambda: table)


def _nodes(match: MatchSpec, model: str) -> float:
    """Return the decision nodes of all hands of a match, infinite where a tree is too large to be counted."""
    if (match.chips.total // 2) ** 2 > QUICK:  # states, each with a hand of its own
        return float("inf")
    states: dict[int, MatchSpec] = {}
    number: dict[int, int] = {}
    for chips in every_chips(match.chips.total):
        states[chips.cap] = replace(match, chips=chips)
        number[chips.cap] = number.get(chips.cap, 0) + 1
    kinds = len(match.grouped()) * numbering(model, match.game).number
    try:
        return sum(max(1, measure(one.public).all_nodes) * number[cap] * kinds for cap, one in states.items())
    except SizeError:
        return float("inf")


def _command(match: MatchSpec, model: str) -> str:
    """Return the command that makes a table."""
    stacks = match.chips.stacks
    usual = hand(match.game, stacks=stacks).to_dict()
    named = {"raises": str(match.betting.raises), "opens": str(match.betting.opens)}
    words = [
        f"--{name.replace('_', '-')} {named.get(name, value)}"
        for name, value in match.to_dict().items()
        if value != usual.get(name)
    ]
    options = " ".join([f"--stacks {stacks[0]},{stacks[1]}", *words, f"--deck-model {model}"])
    return f"forehead match {match.game} {options} -o FILE, then --table FILE"
