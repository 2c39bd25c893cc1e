"""A solution as data: the same dictionaries and rows behind every table, CSV and JSON."""

from collections.abc import Iterator
from typing import Any

from reports.data.beliefs import basis
from reports.data.ranking import row_ranked
from reports.data.row_sources import row_loss
from rules.betting.actions import format_history
from rules.games.match_spec import MatchSpec
from rules.games.spec import HandSpec
from solver.solutions.solution import Check, Solution
from solver.solutions.spots import Spot, Spots
from solver.two_player.payoffs import Quality

TIDY_COLUMNS = (
    "board",
    "history",
    "player",
    "observation",
    "action",
    "probability",
    "ev",
    "own_reach",
    "other_reach",
    "reached",
    "source",
)
"""Columns of `tidy_rows`; `ev` is in the unit of the solution's objective, probabilities are 0 to 1."""


def player_name(player: int) -> str:
    """Return "P1" for player 0, and so on."""
    return f"P{player + 1}"


def deck_fields(spec: HandSpec) -> dict[str, Any]:
    """Return how many cards are in the deck before the hand, where hands use one deck up."""
    return {"cards_left": spec.cards_left} if isinstance(spec, MatchSpec) else {}


def quality_fields(quality: Quality | Check) -> dict[str, Any]:
    """Return bounds and NashConv under the names that every output uses."""
    return {
        "value_bounds": [quality.lower, quality.upper],
        "nash_conv": quality.nash_conv,
        "exploitability": quality.nash_conv / 2,
    }


def solution_fields(solution: Solution) -> dict[str, Any]:
    """Return what was solved and how well, ready for JSON."""
    provenance, spec = solution.provenance, solution.spec.to_dict()
    nodes = [int((solution.tree.player == player).sum()) for player in (0, 1)]
    sets = sum(n * one.observations[player] for one in solution.game.classes for player, n in enumerate(nodes))
    return {
        "game": solution.spec.game,
        "spec": spec,
        "objective": spec["objective"],
        "unit": solution.spec.unit,
        "notes": list(solution.spec.notes),
        **deck_fields(solution.spec),
        **({} if solution.later is None else {"match_table": solution.later.origin._asdict()}),
        "value": solution.value,
        **quality_fields(solution.quality),
        "method": provenance.method,
        "iterations": provenance.iterations,
        "stopped": provenance.stopped,
        "gap": provenance.target,
        "converged": solution.converged,
        "tree": {
            "decision_nodes": sum(nodes),
            "actions": len(solution.tree.child),
            "information_sets": sets,
        },
        "classes": [
            {
                "weight": group.weight,
                "boards": [deal.board for deal in group.deals],
                "value": quality.value,
                **quality_fields(quality),
            }
            for group, quality in zip(solution.classes, solution.qualities, strict=True)
        ],
    }


def action_fields(spot: Spot, column: int) -> list[dict[str, Any]]:
    """Return the actions of one row: token, probability, EV and loss against the best action."""
    values = spot.ev[:, column]
    rows = zip(spot.actions, spot.probability[:, column].tolist(), values.tolist(), strict=True)
    return [
        {"action": str(action), "probability": probability, "ev": ev, "loss": float(values.max() - ev)}
        for action, probability, ev in rows
    ]


def row_fields(solution: Solution, spot: Spot, column: int) -> dict[str, Any]:
    """Return one observation's row of a spot, ready for JSON."""
    ranked = row_ranked(solution, spot, column)
    return {
        "observation": spot.observations[column],
        "observation_probability": float(spot.observation_probability[column]),
        "actions": action_fields(spot, column),
        "best": [str(spot.actions[place]) for place in ranked.best],
        "loss": row_loss(spot, column),
        "resolution": ranked.resolution,
        "reach": {"own": float(spot.own_reach[column]), "other": float(spot.other_reach[column])},
        "reached": bool(spot.reached[column]),
        "source": spot.sources[column],
        "belief_basis": basis(solution, spot, column),
    }


def spot_fields(solution: Solution, spot: Spot) -> dict[str, Any]:
    """Return where a spot is, ready for JSON."""
    return {
        "game": solution.spec.game,
        "spec": solution.spec.to_dict(),
        "unit": solution.spec.unit,
        "notes": list(solution.spec.notes),
        **deck_fields(solution.spec),
        "board": spot.board,
        "history": format_history(spot.history),
        "player": player_name(spot.player),
        "gap": solution.nash_conv,
    }


def tidy_rows(spot: Spot) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each observation and action of a spot, in the order of `TIDY_COLUMNS`."""
    where = (spot.board, format_history(spot.history), player_name(spot.player))
    for column, observation in enumerate(spot.observations):
        reach = (float(spot.own_reach[column]), float(spot.other_reach[column]), bool(spot.reached[column]))
        for place, action in enumerate(spot.actions):
            probability, ev = float(spot.probability[place, column]), float(spot.ev[place, column])
            yield (*where, observation, str(action), probability, ev, *reach, spot.sources[column])


def all_rows(solution: Solution, board: str | None = None) -> Iterator[tuple[Any, ...]]:
    """Yield the tidy rows of every spot of every deal, or of one."""
    for name in solution.boards if board is None else (board,):
        for spot in Spots(solution, name).walk():
            yield from tidy_rows(spot)
