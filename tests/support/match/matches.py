"""Small matches for the tests of what solves them: as the solver takes them, and as naively as can be."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from rules.games.deck_models import DECK_MODELS
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from solver.match.hands import Batch, BatchResult, MatchHands, Tables
from solver.match.sweeps import Kept, MatchSolver, Step, Workers
from solver.match.table import MatchTable

GAPS = {"fresh": 0.01, "exact": 0.02}
"""The gap that `solved` takes, by deck model."""


def match_spec(stack: int = 4, game: str = "indian-poker", **options: object) -> MatchSpec:
    """Return the first hand of a match."""
    spec = hand(game, stacks=(stack, stack), **options)
    assert isinstance(spec, MatchSpec)
    return spec


def match_hands(model: str = "fresh", stack: int = 4) -> MatchHands:
    """Return the hands of a small match, many pieces of few hands each where the decks are followed."""
    spec = match_spec(stack)
    return MatchHands(spec, DECK_MODELS[model](spec))


class InOrder:
    """Solve pieces one after the other."""

    def __init__(self, hands: MatchHands) -> None:
        self._hands = hands

    def each(self, pieces: list[Batch], tables: Tables, gap: float, leads: bool) -> Iterator[tuple[int, BatchResult]]:
        """Yield what was found."""
        for number, piece in enumerate(pieces):
            yield number, self._hands.work(piece, tables, gap, leads)


def solved(
    hands: MatchHands, workers: Workers, kept: Kept | None = None, on_step: Callable[[Step], None] | None = None
) -> MatchTable:
    """Solve a match to its gap of `GAPS`."""
    model = hands.model.name
    result = MatchSolver(hands, workers, kept, on_step).solve(GAPS[model])
    return MatchTable.of(hands.spec, model, GAPS[model], result)


def same(one: MatchTable, other: MatchTable) -> bool:
    """Whether two tables are the same to the last bit."""
    pairs = ((one.lower, other.lower), (one.upper, other.upper), (one.values, other.values))
    return all(a.tobytes() == b.tobytes() for a, b in pairs) and one.hand_gap == other.hand_gap


CASES = json.loads((Path(__file__).parent.parent / "reference_matches.json").read_text(encoding="utf-8"))["cases"]
