"""What a solution says that later hands are worth, held against the match table that it quotes.

A solution of objective match keeps the rows of a table that its hand can lead to, and the table's digest. The digest is
that of the table's content: whoever has the table can tell whether the rows are its own. Where it is not at hand
nothing proves them, and that is said.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rules.base.errors import OptionError, VerificationError
from rules.games.match_spec import MatchSpec
from solver.match.table import load
from solver.solutions.continuation import SHOWN_DIGITS, MatchContinuation
from solver.store import match_tables
from solver.store.cache import Cache
from solver.store.match_tables import Found, rows_for

NOT_PROVED = "not proved"


class Source(NamedTuple):
    """A table and where it was found."""

    place: str
    found: Found


class ContinuationProof(NamedTuple):
    """What is known of the later hands of a solution.

    Parameters
    ----------
    digest
        Of the table that it quotes.
    place
        Where that table is, and holds the same figures: "shipped", "in the cache", a file; "" where it is nowhere.
    """

    digest: str
    place: str

    @property
    def told(self) -> str:
        """In a few words: which table has the same, or that nothing is proved."""
        return f"those of match table {self.digest[:SHOWN_DIGITS]} ({self.place})" if self.place else NOT_PROVED

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say where nothing is proved."""
        if self.place:
            return ()
        return (
            f"what later hands are worth is taken from the file and not proved: match table "
            f"{self.digest[:SHOWN_DIGITS]} is not at hand (--table FILE)",
        )


def prove_continuation(
    spec: MatchSpec, table: str | os.PathLike[str] | None = None, cache: Cache | None = None
) -> ContinuationProof | None:
    """Compare what later hands are worth with the table that is quoted; None where they do not matter.

    Parameters
    ----------
    spec
        Of a solution.
    table
        A file that may be the table; else shipped ones and those in `cache` are looked through.

    Raises
    ------
    VerificationError
        Where the table says something else, or where one that comes with forehead for the same match leaves no room
        for what is said.
    OptionError
        Where the file is another table.
    SolutionFileError, OSError
        Where a table cannot be read.
    """
    later = spec.later
    if not isinstance(later, MatchContinuation):
        return None
    origin, rows = later.origin, later.rows
    for place, (heading, read) in _sources(table, cache):
        if heading.digest != origin.digest:
            if table is not None:
                raise OptionError(
                    f"{table} is match table {heading.digest[:SHOWN_DIGITS]}, the file that is verified quotes "
                    f"{origin.digest[:SHOWN_DIGITS]}"
                )
            continue
        found = read()
        if found.spec not in match_tables.matches_of(spec) or (found.deck_model, found.gap) != origin[:2]:
            raise VerificationError(f"match table {origin.digest[:SHOWN_DIGITS]} is of another match or gap")
        meant = rows_for(found, spec)
        pairs = ((rows.decks, meant.decks), (rows.lower, meant.lower), (rows.upper, meant.upper))
        if not all(np.array_equal(mine, theirs) for mine, theirs in pairs):
            raise VerificationError(
                f"it claims that later hands are worth what match table {origin.digest[:SHOWN_DIGITS]} says, but that "
                f"table ({place}) says something else"
            )
        return ContinuationProof(origin.digest, place)
    _check_room(spec, later)
    return ContinuationProof(origin.digest, "")


def _sources(table: str | os.PathLike[str] | None, cache: Cache | None) -> Iterator[Source]:
    """Yield the tables there are, or the one that is named."""
    if table is not None:
        opened = load(table)
        yield Source(os.fspath(table), Found(opened.heading, lambda: opened))
        return
    for found in match_tables.every_shipped():
        yield Source("shipped", found)
    for kept in cache.tables() if cache is not None else ():
        yield Source("in the cache", Found(*kept))


def _check_room(spec: MatchSpec, later: MatchContinuation) -> None:
    """Refuse bounds that those of the shipped table of the same match and deck model leave no room for."""
    own, *_ = match_tables.matches_of(spec)
    for found in match_tables.shipped(own, later.origin.deck_model):
        decks, lower, upper = rows_for(found.table(), spec)
        mine = later.rows
        if not np.array_equal(mine.decks, decks) or (mine.lower > upper).any() or (mine.upper < lower).any():
            raise VerificationError(
                "what it says that later hands are worth contradicts the match table that comes with forehead "
                f"({found.heading.digest[:SHOWN_DIGITS]})"
            )
