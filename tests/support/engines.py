"""Every kind of engine of `solver.two_player.backends` on small hands, trees cut into a top and forests too."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from rules.betting.public_game import CHANCE
from solver.trees import column_layout
from solver.two_player.backends import Backend, Kind, State, make_backends
from solver.two_player.evaluation import probabilities
from solver.two_player.payoffs import FINE, ClassGame, Game, Quality


class Way(NamedTuple):
    """A kind of engine, and how many nodes a forest has; 0 leaves the tree whole."""

    kind: Kind
    forest: int = 0


WAYS = {
    "rows": Way(Kind(columns=False)),
    "columns": Way(Kind(columns=True)),
    "columns of hands": Way(Kind(columns=True, hands=column_layout.COUNT)),
    "forests": Way(Kind(columns=True), forest=4),
    "forests of hands": Way(Kind(columns=True, hands=column_layout.COUNT), forest=4),
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
IN_FORESTS = pytest.mark.parametrize("way", [way for way in WAYS.values() if way.forest], ids=["one hand", "hands"])


@contextmanager
def cut(forest: int, shares: int = 1) -> Iterator[None]:
    """Let every tree be cut into forests of about so many columns, and subtrees of a part of that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_layout, "SMALL", 0)
        patch.setattr(column_layout, "FOREST", forest)
        patch.setattr(column_layout, "SHARES", shares)
        yield


def engine(game: Game, way: Way, index: int = 0, gap: float = FINE) -> Backend:
    """Return the engine that runs a class of a game."""
    with cut(way.forest * way.kind.hands) if way.forest else nullcontext():
        return next(one for one in make_backends(game, way.kind, gap) if index in one.classes)


def together(tasks: Sequence[Callable[[], None]]) -> None:
    """Run tasks at the same time."""
    with ThreadPoolExecutor(max(1, len(tasks))) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result()


def go(one: Backend, end: int, threads: int = 1, halt: int = 0) -> None:
    """Iterate up to an iteration."""
    together(one.iterating(end, np.array([halt]), threads))


def qualities(one: Backend, threads: int = 1) -> list[Quality]:
    """Measure the average strategies."""
    together(one.measuring(threads))
    return one.qualities()


def state(one: Backend, index: int = 0) -> State:
    """Return regrets and sums of a class of the game."""
    return one.states()[one.classes.index(index)]


def as_bytes(one: Backend, index: int = 0) -> list[bytes]:
    """Return a class's regrets and sums to the last bit, without the rows' padding."""
    return [array.tobytes() for array in state(one, index)]


def random_state(game: Game, seed: int, classes: int = 1) -> list[State]:
    """Draw regrets and sums, about as large as the payoffs and 1; many are 0."""
    generator = np.random.default_rng(seed)
    shape, size = (len(game.tree.child), game.width), scale(game)

    def sparse(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
        return np.where(generator.random(shape) < 0.3, 0.0, numbers).astype(np.float32)

    def drawn() -> State:
        return sparse(size * np.abs(generator.normal(size=shape))), sparse(generator.random(shape))

    return [drawn() for _ in range(classes)]


def random_strategy(game: Game, seed: int) -> NDArray[np.float64]:
    """Draw a strategy, padding included, with a fair number of zeros."""
    generator = np.random.default_rng(seed)
    weights = generator.random((len(game.tree.child), game.width)) ** 2
    weights[generator.random(weights.shape) < 0.3] = 0.0
    return probabilities(game.tree, weights)


def scale(game: Game) -> float:
    """Return the most that an observation can be worth, counterfactually."""
    found = [np.abs(one.joint).sum(axis=axis).max() for one in game.classes for axis in (1, 2)]
    drawn = np.diff(game.tree.first)[game.tree.player == CHANCE]
    return float(max(found)) * int(drawn.max(initial=1))


def crowd(game: Game, number: int, seed: int = 0) -> Game:
    """Return a game with the only class of another one as its last, and so many of smaller utilities before it."""
    generator, (last,) = np.random.default_rng(seed), game.classes
    others = [
        ClassGame(last.joint * generator.uniform(-1.0, 1.0, size=last.joint.shape), last.prior, 1 / (number + 1))
        for _ in range(number)
    ]
    return Game(game.tree, (*others, ClassGame(last.joint, last.prior, 1 / (number + 1))))
