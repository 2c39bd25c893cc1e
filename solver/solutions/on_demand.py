"""A spot that is asked for and that a solve has left as it was: its rows solved anew.

Where a tree is too large to be completed, or a solve was stopped early, rows that play hardly ever comes to are noise.
A question about one of them is answered by solving the subtree below it for both players, who are believed to be
there as Bayes' rule says, mistakes included; so much as a mistake in a thousand is taken to tell nothing. Rows that
play does come to stay as they are.
"""

import os
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import RunError
from rules.betting.actions import format_history
from solver.off_path.sources import BEST_RESPONSE, RESOLVED, SOURCES, UNKNOWN, tolerance
from solver.solutions.spots import Arrival, Spot, Spots
from solver.trees.public_tree import size_of, unfolded
from solver.two_player.evaluation import SLIP, Span, sweep
from solver.two_player.payoffs import ClassGame, Game, tabulate

ASKED = 10.0
"""Seconds that may be spent on a spot where nobody says how many."""
MISTAKES = 1e-3
"""Everybody is believed to be there at least this part as often as who is there most."""
LARGEST = 2_000_000
"""Nodes of a subtree up to which it is solved anew."""
FIRST, MOST = 64, 16_384
"""Iterations after which it is first looked what rows still lose, doubled again and again, and at most."""
CAREFUL = 0.5
"""A row is known where it loses no more than this part of what is much."""
NOISE = (1e-2, 1e-3, 0.0)
"""Probabilities below the first of these that rows can do without are left out."""


def answered(
    spots: Spots,
    spot: Spot,
    *,
    seconds: float,
    threads: int | None = None,
    stop: Callable[[], bool] | None = None,
) -> Spot:
    """Return a spot whose rows are all known, as far as the time allows; as it is where they are already.

    Parameters
    ----------
    spots
        What the spot was found in.
    seconds
        What may be spent; rows that lose too much then play a best response. Where the subtree is larger than
        `LARGEST`, rows keep saying that they are not known (`Spot.sources`).
    threads
        At most so many; by default one a processor. The rows do not depend on it.
    stop
        Asked a few times a second whether to stop earlier.
    """
    unknown = SOURCES[UNKNOWN]
    if unknown not in spot.sources:
        return spot
    arrival = spots.arrival(spot.history)
    automaton = spots.solution.automaton._replace(root=arrival.here.state)
    if size_of(automaton).all_nodes > LARGEST:
        return spot
    end = time.monotonic() + seconds
    columns, other_columns = spots.columns[spot.player], spots.columns[1 - spot.player]
    game = _below(spots, arrival)
    strategy, losses = _solved(
        game, spot.player, lambda: time.monotonic() >= end or (stop is not None and stop()), threads
    )
    believed = spots.possible(1 - spot.player)
    probability = strategy[: len(spot.actions)]
    values, belief = _worth(game, strategy, spot.player, believed)
    # What is still too rough to be mixed plays the best answer to what the other does.
    rough = losses > CAREFUL * tolerance(game.classes[0])
    best = np.arange(len(values))[:, None] == np.argmax(values, axis=0)
    probability = np.where(rough, best, probability[:, : len(losses)])
    taken = np.array([source == unknown for source in spot.sources])
    names = [SOURCES[BEST_RESPONSE if one else RESOLVED] for one in rough[columns]]
    return replace(
        spot,
        probability=np.where(taken, probability[:, columns], spot.probability),
        ev=np.where(taken, values[:, columns] + spots.counted(spot.player), spot.ev),
        sources=tuple(new if ours else old for ours, new, old in zip(taken, names, spot.sources, strict=True)),
        belief=np.where(taken, belief[columns][:, other_columns].T, spot.belief),
    )


def check_known(spot: Spot, column: int) -> None:
    """Refuse to answer from a row that is not known.

    Raises
    ------
    RunError
        Where it is not.
    """
    if spot.sources[column] == SOURCES[UNKNOWN]:
        after = f'after "{format_history(spot.history)}"' if spot.history else "at the start"
        raise RunError(
            f"what to play {after} seeing {spot.observations[column]} is not known: the solve hardly ever came there, "
            "and there was no time to solve it; more time (advise --max-seconds) or fewer bet sizes (--raises) help"
        )


def _below(spots: Spots, arrival: Arrival) -> Game:
    """Return the hand from a node on, dealt as the players are believed to be there."""
    index = spots.index
    automaton = spots.solution.automaton._replace(root=arrival.here.state)
    (one,) = tabulate(automaton.outcomes, spots.solution.classes[index : index + 1])
    first, second = (np.maximum(reach[0] / reach.max(), MISTAKES) for reach in arrival.beliefs)
    share = first[:, None] * second
    share = share / (one.prior * share).sum()
    return Game(unfolded(automaton), (ClassGame(one.joint * share, one.prior * share, one.weight, one.even),))


def _solved(
    game: Game, player: int, stop: Callable[[], bool], threads: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Solve until no row of the player who acts first loses much, and return the strategy and what they lose."""
    from solver.off_path.justification import undominated
    from solver.two_player import backends, cfr
    from solver.two_player.best_response import Evaluation
    from solver.two_player.evaluation import probabilities, trim

    (one,), tree = game.classes, game.tree
    met = one.prior_of(player).sum(axis=1)
    evaluation, going, limit = Evaluation(tree, game.width), backends.make_backends(game), FIRST
    while True:
        cfr.run(
            game, gap=game.margin, max_iterations=limit, threads=threads or os.cpu_count() or 1, going=going, stop=stop
        )
        average = undominated(tree, one, probabilities(tree, cfr.states(going)[0][1]))
        for noise in NOISE:
            strategy = trim(game, average, noise)
            evaluation.quality(one, strategy, 0.0)
            found = evaluation.found
            losses = (found.best[player][0] - found.own[player][0])[: len(met)] / met
            if losses.max() <= CAREFUL * tolerance(one):
                return strategy, losses
        if limit >= MOST or stop():
            return strategy, losses
        limit *= 2


def _worth(
    game: Game, strategy: NDArray[np.float64], player: int, believed: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what each action at the root is worth, shape (k, n), and what is believed of the other, shape (n, m).

    Parameters
    ----------
    believed
        1 for each observation of the other that is possible, else 0, shape (m,).
    """
    (one,), values = game.classes, list[NDArray[np.float64]]()

    def told(nodes: Span, _: NDArray[np.float64], found: NDArray[np.float64]) -> None:
        if nodes.start == 0:
            values.append(found)

    sweep(game.tree, one, strategy, player, slip=SLIP, root=believed, told=told)
    joint = one.prior_of(player) * believed
    met = joint.sum(axis=1)
    return values[0][: int(game.tree.first[1])] / met, joint / met[:, None]
