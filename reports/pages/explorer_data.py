"""The numbers of a page: solutions as compact arrays, cut where they would be too many for a browser.

Numbers are kept as they are displayed: probabilities in tenths of a percent, values with four digits. So a
page shows what every other output shows. Beliefs are kept in full, for the page works with them.
"""

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.data.beliefs import WEAK, bases, once_in, resolved
from reports.data.hand_facts import chips_after
from reports.data.node_summary import NodeTable, all_nodes, histories
from reports.data.ranking import MIXED, gap_of, places, resolution
from reports.data.row_sources import kept_form
from reports.text.words import TRACE
from rules import aids
from rules.betting.actions import Action, format_history
from rules.games.spec import Deal
from solver.off_path.sources import KEPT_SAFE, UNKNOWN
from solver.solutions.solution import Solution
from solver.solutions.spots import REACHED, Spots, Table, ascending

MOST_BYTES = 12_000_000
"""What the arrays of one page may take before they are packed; with more, seldom reached histories are left out."""

THRESHOLDS = (0.0, *(digit * 10.0**-power for power in range(9, 0, -1) for digit in (1, 3)), 1.0)
"""Reaches at which a page may be cut."""

TRACED, BEST, ON_PATH, THEIRS, BASIS = 1023, 1 << 15, 1 << 7, 1 << 6, 4
"""The code of a probability that is shown as a trace; flags of a best action, of a row on the path, and of one where
the other's play seldom comes; how far what its belief rests on is shifted beside its source."""

DIGITS = 4
"""Decimals of a value."""

END, INSIDE, CUT = range(3)
"""Where an action leads: to the end of the hand, to a history in the page, or to one that is not in it."""


class Block:
    """Bytes of many arrays, and where each of them lies."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, values: NDArray[Any], kind: str) -> list[int | str]:
        """Append an array and return its place: offset, number of values, and type (``u2``, ``f8`` and the like).

        First all lowest bytes, then all second ones and so on, which packs better.
        """
        flat = np.ascontiguousarray(values, dtype=f"<{kind}").reshape(-1)
        assert np.array_equal(flat, np.asarray(values).reshape(-1)), "a value does not fit its type"
        planes = flat.view(np.uint8).reshape(len(flat), flat.itemsize).T.tobytes()
        place: list[int | str] = [self._size, len(flat), kind]
        self._parts.append(planes)
        self._size += len(planes)
        return place

    def packed(self) -> str:
        """Return everything, deflated, as base64."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 9)).decode("ascii")


def codes(probability: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return probabilities in tenths of a percent, rounded as in `reports.text.words`; `TRACED` for a trace."""
    rounded = np.maximum(np.rint(1000 * probability), 1).astype(np.int64)
    return np.where(probability <= 0.0, 0, np.where(probability < TRACE, TRACED, rounded))


def solution_block(
    solution: Solution, block: Block, most: int = MOST_BYTES, played: Sequence[Action] = ()
) -> dict[str, Any]:
    """Put a solution's numbers into a block.

    Parameters
    ----------
    most
        Bytes they may take; with more, histories below a reach are left out.
    played
        A history that is kept, with all on the way to it.

    Returns
    -------
    dict
        What a page needs to read them, ready for JSON. ``nodes`` of ``total`` histories are there: those to which
        at least one player's actions lead with a probability of ``threshold`` or more.
    """
    tree, spec = solution.tree, solution.spec
    first_boards = [group.deals[0].board for group in solution.classes]
    spots = [Spots(solution, board) for board in first_boards]
    nodes, threshold = _kept(solution, spots, most, played)
    paths = histories(solution, nodes)
    inside = np.zeros(tree.nodes, dtype=bool)
    inside[nodes] = True
    rows = np.concatenate([np.arange(tree.first[node], tree.first[node + 1]) for node in nodes] or [np.zeros(0, int)])
    child = tree.child[rows]
    ways = np.full(len(child), END)
    ways[child >= 0] = np.where(inside[child[child >= 0]], INSIDE, CUT)
    used, state = np.unique(tree.state[nodes], return_inverse=True)
    tokens: dict[Any, int] = {}
    states = []
    for number in used.tolist():
        actions = [tokens.setdefault(action, len(tokens)) for action in tree.automaton.actions[number]]
        states.append([int(tree.automaton.player[number]), actions])
    chips = [chips_after(spec, path, int(tree.player[node])) for node, path in zip(nodes, paths, strict=True)]
    names = list(chips[0]) if chips else []
    return {
        "tokens": [[str(action), action.words, action.size] for action in tokens],
        "states": states,
        "state": block.add(state, "u4"),
        "ways": block.add(ways, "u1"),
        "chips": {name: block.add(np.array([one[name] for one in chips]), "i4") for name in names},
        "nodes": len(nodes),
        "total": len(all_nodes(solution)),
        "threshold": threshold,
        "classes": [_class_block(solution, NodeTable(one, nodes), block) for one in spots],
        "deals": [_deal(solution, board) for board in solution.boards],
    }


def _kept(
    solution: Solution, spots: Sequence[Spots], most: int, played: Sequence[Action]
) -> tuple[NDArray[np.int64], float]:
    """Return the nodes of a page, and the reach below which they are left out."""
    nodes, tree = all_nodes(solution), solution.tree
    if not len(nodes):
        return nodes, 0.0
    moves = np.diff(tree.first)[nodes]
    width, classes = solution.game.width, len(spots)
    size = classes * (moves * (7 * width + 2) + 21 * width + 8) + 24
    likely = np.zeros(len(nodes))
    for one in spots:
        for player in (0, 1):
            likely = np.maximum(likely, one.led_to(player)[nodes])
    for threshold in THRESHOLDS:
        kept = likely >= threshold
        if size[kept].sum() <= most:
            break
    way = [solution.node(format_history(played[:place]))[1] for place in range(len(played))]
    kept |= np.isin(nodes, way)
    kept[0] = True
    return nodes[kept], threshold


def _class_block(solution: Solution, table: NodeTable, block: Block) -> dict[str, Any]:
    index, _ = solution.deal(table.spots.board)
    quality = solution.qualities[index]
    players = []
    for number, one in enumerate(table.players):
        gap = gap_of(solution, table.spots.board)
        told = resolution(one.prior.sum(axis=1) * one.own_reach * one.other_reach, gap, solution.spec.chip)
        inside = resolved(solution, table.spots.board, table.nodes)[np.isin(table.nodes, one.nodes)]
        row_ev, share = table.row_ev[number], table.share[number]
        players.append(_player_block(one, told, inside, row_ev, share, block) | _kept_block(one, told, row_ev, block))
    return {
        "value": quality.value,
        "bounds": [quality.lower, quality.upper],
        "reach": block.add(codes(table.reach), "u2"),
        "mean": _values(table.mean_ev, block),
        "prior": table.players[0].prior.tolist() if len(table.nodes) else [],
        "players": players,
    }


def _player_block(
    table: Table,
    told: NDArray[np.float64],
    inside: NDArray[np.bool_],
    row_ev: NDArray[np.float64],
    share: NDArray[np.float64],
    block: Block,
) -> dict[str, Any]:
    best, place = places(table.probability, table.ev, told, table.place)
    known = (table.sources != UNKNOWN)[table.place]  # what is not known is not shown as advice
    probability, best = np.where(known, table.probability, 0.0), best & known
    reached = (table.own_reach >= REACHED) & (table.other_reach >= REACHED)
    theirs = table.other_reach < WEAK
    own = np.zeros(reached.shape, dtype=bool)
    own[tuple(table.assumed.rows.T)] = True
    return {
        "probability": block.add(codes(probability) | np.where(best, BEST, 0), "u2"),
        "place": block.add(place, "u1" if place.max(initial=0) < 256 else "u2"),
        "ev": _values(table.ev, block),
        "row": _values(row_ev, block),
        "share": block.add(codes(share), "u2"),
        "own": block.add(codes(table.own_reach), "u2"),
        "other": block.add(codes(table.other_reach), "u2"),
        "source": block.add(
            table.sources
            | bases(table.other_reach, inside[:, None] & ~reached, own) << BASIS
            | np.where(reached, ON_PATH, 0)
            | np.where(theirs, THEIRS, 0),
            "u1",
        ),
        "once": block.add(once_in(np.where(theirs, table.other_reach, table.own_reach)), "u4"),
        "believed": block.add(table.believed, "f8"),
        "assumedRow": block.add(_numbered(table.assumed.rows, own), "u4"),
        "assumed": block.add(table.assumed.reach, "f8"),
    }


def _numbered(rows: NDArray[Any], of: NDArray[Any]) -> NDArray[np.int64]:
    """Return rows, given as node and column, by their places in an array of all rows, node after node."""
    return np.ravel_multi_index((rows[:, 0], rows[:, 1]), of.shape).astype(np.int64)


def _kept_block(table: Table, told: NDArray[np.float64], row_ev: NDArray[np.float64], block: Block) -> dict[str, Any]:
    """Return of the rows that are kept for safety which they are, what is said of them, and what they give up."""
    rows = np.argwhere(table.sources == KEPT_SAFE)
    best, _ = places(table.probability, table.ev, told, table.place)
    wrong, starts = (table.probability >= MIXED) & ~best, table.starts
    forms, lost = [], []
    own = {(node, column) for node, column in table.assumed.rows.tolist()}
    for node, column in rows.tolist():
        here = slice(starts[node], starts[node + 1] if node + 1 < len(starts) else None)
        lost.append(max(0.0, float(table.ev[here, column].max() - row_ev[node, column])))
        forms.append(kept_form((node, column) in own, not wrong[here, column].any(), lost[-1]))
    return {
        "keptRow": block.add(_numbered(rows, table.sources), "u4"),
        "keptForm": block.add(np.array(forms, dtype=np.int64), "u1"),
        "lost": _values(np.array(lost), block),
    }


def _values(values: NDArray[np.float64], block: Block) -> list[int | str]:
    """Keep values as whole numbers of their last digit; in full where they are too large for that."""
    scaled = np.rint(values * 10**DIGITS)
    return block.add(scaled, "i4" if np.abs(scaled).max(initial=0.0) < 2**31 else "f8")


def _deal(solution: Solution, board: str) -> dict[str, Any]:
    index, deal = solution.deal(board)
    spec = solution.spec.with_board(board)
    costs = {card: spec.fold_penalty(card) for names in deal.observations for card in names}
    return {
        "board": board,
        "class": index,
        "weight": deal.weight,
        "observations": [list(names) for names in deal.observations],
        "order": [ascending(names) for names in deal.observations],
        "costs": {card: cost for card, cost in costs.items() if cost},
        "signs": _signs(spec, deal, solution.game.classes[index].prior),
    }


def _signs(spec: Any, deal: Deal, prior: NDArray[np.float64]) -> dict[str, list[str]]:
    """Return who wins a showdown, by the sides that meet (one key "" but in double-sided).

    A row for each observation of P1, in it a letter for each of P2's: ``w`` where P1 wins, ``t``, ``l``, and a
    space for what cannot be.
    """
    if spec.sides_that_meet:
        return {" ".join(sides): _rows(spec, deal, prior, {"sides": sides}) for sides in spec.sides_that_meet}
    return {"": _rows(spec, deal, prior, {})}


def _rows(spec: Any, deal: Deal, prior: NDArray[np.float64], sides: dict[str, Any]) -> list[str]:
    mine, theirs = deal.observations
    rows = []
    for own, likely in zip(mine, prior, strict=True):
        # With a power of two as the weight of each card, the sums tell which cards they are of.
        weights = {name: 2**place for place, name in enumerate(theirs) if likely[place] > 0.0}
        found = aids.showdown(spec, 0, own, weights=weights, **sides)
        win, tie = (int(chance * sum(weights.values())) for chance in (found.win, found.tie))
        letters = ("w" if win >> place & 1 else "t" if tie >> place & 1 else "l" for place in range(len(theirs)))
        rows.append("".join(a if name in weights else " " for a, name in zip(letters, theirs, strict=True)))
    return rows
