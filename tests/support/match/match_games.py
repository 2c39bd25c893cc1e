"""The hands of a match straight from the rules, card by card, for the tests of what solves whole matches."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np

from rules.betting.chips import Chips, winner
from rules.games.deck_models import DECK_MODELS
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from solver.match.hands import Batch, BatchResult, MatchHands, Tables
from solver.match.sweeps import MatchSolver, Result
from solver.match.table import MatchTable
from solver.solving import Evaluation
from solver.trees.public_tree import PublicTree, unfold
from solver.two_player import linear_program
from solver.two_player.payoffs import ClassGame, Game, Quality

Worth = Callable[[MatchSpec], float]
"""What a later hand is worth to its first bettor."""


class InTurn:
    """Workers that solve one piece after the other, or on a few threads in whatever order they finish."""

    def __init__(self, hands: MatchHands, threads: int = 1) -> None:
        self.hands, self.threads = hands, threads

    def each(self, pieces: list[Batch], tables: Tables, gap: float, leads: bool) -> Iterator[tuple[int, BatchResult]]:
        """Yield what is found."""
        if self.threads == 1:
            for number, piece in enumerate(pieces):
                yield number, self.hands.work(piece, tables, gap, leads)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            futures = {pool.submit(self.hands.work, piece, tables, gap, leads): n for n, piece in enumerate(pieces)}
            for future, number in reversed(futures.items()):
                yield number, future.result()


def match_hands(game: str, total: int, model: str = "fresh", **options: Any) -> MatchHands:
    """Return the hands of a match with so many chips together."""
    spec = hand(game, stacks=(total // 2, total // 2), **options)
    assert isinstance(spec, MatchSpec)
    return MatchHands(spec, DECK_MODELS[model](spec))


def solved(hands: MatchHands, gap: float, threads: int = 1) -> Result:
    """Solve a match."""
    return MatchSolver(hands, InTurn(hands, threads)).solve(gap)


def table_of(hands: MatchHands, gap: float) -> MatchTable:
    """Solve a match and return its table."""
    return MatchTable.of(hands.spec, hands.model.name, gap, solved(hands, gap))


def continued(spec: MatchSpec, worth: Worth) -> Game:
    """Return a hand whose outcomes are worth the match, deal by deal, every pair of cards settled by itself."""
    tree = unfold(spec.public)
    classes = tuple(_deal(spec, tree, board, worth) for board in spec.layouts())
    return Game(tree, classes)


def _deal(spec: MatchSpec, tree: PublicTree, layout: Any, worth: Worth) -> ClassGame:
    joint = np.zeros((len(tree.outcomes), *layout.prior.shape))
    own = spec.game == "double-sided"
    for (x, first), (y, second) in product(*map(enumerate, layout.observations)):
        if layout.prior[x, y] == 0.0:
            continue
        if own:
            fronts = layout.board.split(",")
            cards: tuple[Any, Any] = (f"{fronts[0]}/{first}", f"{fronts[1]}/{second}")
        else:
            cards = (second, first)  # each sees the other's
        board = layout.board or None if not own else None
        here, dealt = spec.dealt(cards, board)
        for outcome, said in enumerate(tree.outcomes):
            chips = here.settle(said, here.verdict(said, dealt))
            won = winner(chips)
            if won is None:
                gained = 1.0 - worth(here.after(said, dealt, chips))
            else:
                gained = 0.5 if won == "draw" else float(won == 0)
            joint[outcome, x, y] = layout.prior[x, y] * gained
    return ClassGame(joint, layout.prior, layout.weight)


def by_linear_program(game: Game) -> Quality:
    """Return the value of a hand, exact but for rounding."""
    if not game.tree.nodes:
        return game.mean([one.settled(0.0) for one in game.classes])
    strategies, _ = linear_program.solve(game)
    evaluation = Evaluation(game.tree, game.width)
    pairs = zip(game.classes, strategies, strict=True)
    return game.mean([evaluation.quality(one, strategy, 0.0) for one, strategy in pairs])


def fresh_worth(table: MatchTable, upper: bool) -> Worth:
    """Return what a table says of later hands, its lower or its upper bounds, by deck and chips."""
    numbers = {chips: number for number, chips in enumerate(table.states)}
    values = table.upper if upper else table.lower

    def worth(spec: MatchSpec) -> float:
        chips: Chips = spec.chips
        return float(values[table.model.find(spec), numbers[chips]])

    return worth
