"""Tables of three and four players: seconds to a NashConv, here and with OpenSpiel on the same game, by one ruler.

Every strategy is measured by `solver.multiplayer.evaluation.MultiplayerGame.measure`. A peer's time is that of its
iterations alone; ours is all that `solver.multiplayer.solving.solve_table` does until the gap is reached, measurements
included. One thread each.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.output import Output, Settings, seconds_of
from rules import hand
from rules.base.optional import MissingLibraryError, needed
from rules.games.multiplayer import MultiplayerHand
from solver.multiplayer.evaluation import MultiplayerGame, Profile, proportions
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.solving import solve_table

GAPS = {3: (1e-2, 2e-3), 4: (5e-2,)}
QUICK_GAPS = {3: (1e-1,)}
"""NashConv in chips to reach, by players."""

LIMIT, QUICK_LIMIT = 120.0, 1.0
"""Seconds that a peer's iterations may take."""

HELD = {3}
"""Tables that peers can hold: with four players there are 28,561 deals of 765 nodes each."""

PEERS = {"CFR": "CFRSolver", "CFR+": "CFRPlusSolver"}


@dataclass(frozen=True)
class Result:
    """What one solver did; `seconds` and `iterations` to each gap, None where it was not reached in time."""

    solver: str
    method: str
    players: int
    gaps_chips: tuple[float, ...]
    iterations: tuple[int | None, ...]
    seconds: tuple[float | None, ...]
    last_nash_conv_chips: float
    ms_per_iteration: float


def extensive_form(table: MultiplayerHand, game: MultiplayerGame) -> Iterator[str]:
    """Yield a table in extensive form: one chance node with every deal, then the betting below each.

    Each player's information sets are numbered from 1, see `numbers`.
    """
    tree, deals = game.betting.tree, game.deals
    names = " ".join(f'"P{player + 1}"' for player in range(deals.players))
    dealt = [deal for deal in np.ndindex(*deals.probability.shape) if deals.probability[deal] > 0]
    chances = " ".join(f'"{place}" {float(deals.probability[deal])!r}' for place, deal in enumerate(dealt))
    yield f'EFG 2 R "table" {{ {names} }}\n""\n\nc "" 1 "deal" {{ {chances} }} 0\n'
    seen = np.arange(game.columns).reshape(deals.seen)
    numbered, own = numbers(game)
    for deal in dealt:
        columns = [int(seen[deal[:player] + deal[player + 1 :]]) for player in range(deals.players)]
        todo = [0]
        while todo:
            node = todo.pop()
            if node < 0:
                ending = ~node
                left = [player for player in range(deals.players) if game.betting.left[ending, player]]
                best = max(deal[player] for player in left)
                winners = sum(1 << player for player in left if deal[player] == best)
                payoffs = " ".join(repr(float(one)) for one in game.utilities[ending, winners])
                number = 1 + ending * 2**deals.players + winners
                yield f't "" {number} "" {{ {payoffs} }}\n'
                continue
            player = int(tree.player[node])
            number = numbered[node] + columns[player] * own[player]
            actions = " ".join(f'"{action}"' for action in tree.actions(node))
            yield f'p "" {player + 1} {number} "{number}" {{ {actions} }} 0\n'
            todo.extend(reversed(tree.child[tree.rows(node)].tolist()))
    assert len(table.cards) == deals.kinds


def numbers(game: MultiplayerGame) -> tuple[NDArray[np.int64], list[int]]:
    """Return the number of each node's first information set, and how many nodes each player has."""
    tree, found = game.betting.tree, np.zeros(game.betting.tree.nodes, dtype=np.int64)
    own = []
    for player in range(game.deals.players):
        nodes = np.flatnonzero(tree.player == player)
        found[nodes] = 1 + np.arange(len(nodes))
        own.append(len(nodes))
    return found, own


def average_of(solver: Any, game: MultiplayerGame) -> Profile:
    """Read the average policy of an OpenSpiel solver."""
    average, tree = solver.average_policy(), game.betting.tree
    numbered, own = numbers(game)
    found: NDArray[np.float64] = np.zeros((len(tree.child), game.columns))
    for node in range(tree.nodes):
        player = int(tree.player[node])
        for column in np.flatnonzero(game.deals.seeing.ravel() > 0.0).tolist():
            number = numbered[node] + column * own[player]
            policy = average.get_state_policy(f"{player}-{player}-{number}-{number}")
            found[tree.rows(node), column] = [probability for _, probability in policy]
    return proportions(game, found)


def race(method: str, file: Path, game: MultiplayerGame, gaps: tuple[float, ...], limit: float) -> Result:
    """Let OpenSpiel iterate until it has reached all gaps, or its time is up."""
    pyspiel = needed("pyspiel", "openspiel")
    solver = getattr(pyspiel, PEERS[method])(pyspiel.load_game(f"efg_game(filename={file})"))
    done, seconds, nash_conv = 0, 0.0, np.inf
    found: dict[float, tuple[int, float]] = {}
    while len(found) < len(gaps) and seconds < limit:
        for _ in range(max(1, done // 8)):
            seconds += seconds_of(solver.evaluate_and_update_policy)
            done += 1
        nash_conv = game.measure(average_of(solver, game)).nash_conv
        found |= {gap: (done, seconds) for gap in gaps if nash_conv <= gap and gap not in found}
    reached = [found.get(gap, (None, None)) for gap in gaps]
    iterations, times = tuple(one for one, _ in reached), tuple(one for _, one in reached)
    return Result("open_spiel", method, game.deals.players, gaps, iterations, times, nash_conv, 1e3 * seconds / done)


def warm_up(players: int) -> None:
    """Compile what solves a table, or load it: a few iterations and their measurement."""
    solve_table(hand("blind-mans-bluff", players=players), gap=1e-9, max_iterations=4, threads=1, complete=False)


def own(players: int, gaps: tuple[float, ...]) -> Result:
    """Measure whole solves of ours."""
    spec = hand("blind-mans-bluff", players=players)
    warm_up(players)
    solutions: list[MultiplayerSolution] = []

    def solved(gap: float) -> None:
        solutions.append(solve_table(spec, gap=gap, threads=1, complete=False))

    times = [seconds_of(partial(solved, gap)) for gap in gaps]
    done = tuple(one.provenance.iterations for one in solutions)
    reached = [one.converged for one in solutions]
    return Result(
        "forehead", "solve_table()", players, gaps,
        tuple(number if there else None for number, there in zip(done, reached, strict=True)),
        tuple(seconds if there else None for seconds, there in zip(times, reached, strict=True)),
        solutions[-1].nash_conv, 1e3 * times[-1] / max(1, done[-1]),
    )  # fmt: skip


def run(output: Output, settings: Settings) -> None:
    """Measure all that are installed and print them."""
    limit = QUICK_LIMIT if settings.quick else LIMIT
    for players, gaps in (QUICK_GAPS if settings.quick else GAPS).items():
        results = [own(players, gaps)]
        if players in HELD:
            table = hand("blind-mans-bluff", players=players).around_the_table()
            game = MultiplayerGame.of(table)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "table.efg"
                with file.open("w") as written:
                    written.writelines(extensive_form(table, game))
                for method in PEERS:
                    try:
                        results.append(race(method, file, game, gaps, limit))
                    except MissingLibraryError as error:
                        click.echo(f"skipped open_spiel {method}: {error}", err=True)
        for result in results:
            output.record("tables", result, **{result.solver: version(result.solver)})
        rows = [
            (
                f"{one.solver} {one.method}",
                f"{one.ms_per_iteration:.3f}",
                *(
                    cell
                    for done, seconds in zip(one.iterations, one.seconds, strict=True)
                    for cell in ("-" if done is None else f"{done:,}", "-" if seconds is None else f"{seconds:.2f}")
                ),
                f"{one.last_nash_conv_chips:.1e}",
            )
            for one in results
        ]
        headers = ("solver", "ms/iteration", *(text for gap in gaps for text in (f"to {gap:g}", "s")), "last")
        note = f"NashConv in chips, measured by us; '-' is not reached in {limit:g} s"
        output.table(f"tables: blind-mans-bluff, {players} players", headers, rows, note)
