"""The numbers of a page of three and more players as compact arrays, kept as they are displayed.

The page plays the betting itself, from `limits`. Of a table that was solved with every deal it has every history that
fits, a row for each action and a column for each set of cards seen, as `solver.multiplayer.spots.MultiplayerSpot` has
them. Of one that was learned by sampling it has what is played for every key that was met.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.data.ranking import places, resolution
from reports.pages.explorer_data import CUT, DIGITS, END, INSIDE, Block, codes
from reports.screens.multiplayer import WHY, worth_by_need
from rules.betting.actions import format_history
from rules.betting.chips import ANTE
from rules.cards.playing_cards import RANKS, SUITS
from rules.games.spec import HandSpec
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.spots import MultiplayerSpot, spot_at

MOST_CELLS = 1_200_000
"""Actions times sets of cards seen that a page of every deal may have; a page of so many takes about 5 MB."""

MOST_HELD = 500_000
"""Likelihoods of own cards that a page may have."""


LEAST_POWER = 12
"""Amounts are kept down to this power of a tenth."""


def limits(spec: HandSpec) -> dict[str, Any]:
    """Return what a page needs to play the betting and to name the cards, ready for JSON."""
    public: Any = spec.public
    table = spec.around_the_table()
    return {
        "players": table.players,
        "max_raises": public.max_raises,
        "bet_size": public.bet_size,
        "raise_size": public.raise_size,
        "ante": ANTE,
        "cards": list(table.cards),
        "copies": table.copies,
        "ranks": list(RANKS),
        "suits": list(SUITS) if len(table.cards) > len(RANKS) else [],
        "unit": spec.unit,
    }


def exact_block(solution: MultiplayerSolution, block: Block, most: int | None = None) -> dict[str, Any]:
    """Put the numbers of a solution with every deal into a block.

    Parameters
    ----------
    most
        Actions times sets of cards seen that they may have, `MOST_CELLS` by default; with more, histories below a
        reach are left out.

    Returns
    -------
    dict
        What a page needs to read them, ready for JSON. ``nodes`` of ``total`` histories are there: those to which the
        play of all players but one leads with a probability of ``threshold`` or more.
    """
    tree = solution.game.betting.tree
    nodes, threshold = kept(solution, MOST_CELLS if most is None else most)
    inside = np.zeros(tree.nodes, dtype=bool)
    inside[nodes] = True
    rows = np.concatenate([np.arange(tree.first[node], tree.first[node + 1]) for node in nodes])
    child = tree.child[rows]
    ways = np.full(len(child), END)
    ways[child >= 0] = np.where(inside[child[child >= 0]], INSIDE, CUT)
    own_cards = len(nodes) * solution.game.columns * solution.game.deals.kinds <= MOST_HELD
    # One spot at a time: each holds the reach of every action while it is looked at.
    parts = [_spot_arrays(spot_at(solution, tree.history(node)), own_cards) for node in nodes.tolist()]
    kinds = {"probability": "u2", "ranks": "u1", "ev": "i4", "own": "u2", "other": "u2", "reached": "u1", "odds": "u2",
             "held": "u2", "share": "u2", "mean": "i4", "reach": "u2", "lost": "u1",
             "power": "u1"}  # fmt: skip
    arrays = {name: block.add(np.concatenate([one[name] for one in parts]), kinds[name]) for name in parts[0]}
    return {
        "kind": "exact",
        **limits(solution.spec),
        "nodes": len(nodes),
        "total": tree.nodes,
        "threshold": threshold,
        "why_lost": WHY,
        "least_power": LEAST_POWER,
        "arrays": {"ways": block.add(ways, "u1"), **arrays},
    }


def kept(solution: MultiplayerSolution, most: int) -> tuple[NDArray[np.int64], float]:
    """Return the nodes of a page, in level order with every node above them, and the reach below which none is."""
    tree, columns = solution.game.betting.tree, solution.game.columns
    nodes = np.arange(tree.nodes)
    cells = np.diff(tree.first) * columns
    if cells.sum() <= most:
        return nodes, 0.0
    likely = but_for_one(solution)
    order = np.argsort(-likely, kind="stable")
    last = max(0, int(np.searchsorted(np.cumsum(cells[order]), most, side="right")) - 1)
    # What no single player can bring about is left out first.
    threshold = rounded_up(float(likely[order[last]] or likely[likely > 0.0].min()))
    found = likely >= threshold
    found[0] = True
    return nodes[found], threshold


def rounded_up(value: float) -> float:
    """Return the least number of two figures that is not below a value above 0."""
    place = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / place - 1e-9) * place:.2g}")


def but_for_one(solution: MultiplayerSolution) -> NDArray[np.float64]:
    """Return how likely the play of all players but one leads to each node, of the one who makes that most; (N,)."""
    game = solution.game
    reach = game.reach(solution.profile)
    found = np.zeros(game.betting.tree.nodes)
    for node, before in enumerate(game.betting.before.tolist()):
        for one in range(game.deals.players):
            joint = game.deals.probability
            for other, action in enumerate(before):
                if other != one and action < len(game.betting.tree.child):
                    joint = joint * np.expand_dims(reach[action].reshape(game.deals.seen), other)
            found[node] = max(found[node], float(joint.sum()))
    return found


def _spot_arrays(spot: MultiplayerSpot, own_cards: bool) -> dict[str, NDArray[Any]]:
    """Return the numbers of one spot as a page keeps them, each flat."""
    often = spot.seeing * spot.own_reach * spot.other_reach
    told = resolution(often, spot.solution.nash_conv, spot.solution.spec.chip)
    worth, one_node = worth_by_need(spot), np.zeros(len(spot.actions), dtype=np.int64)
    best, place = places(spot.probability, worth, told[None], one_node)
    share, mean, reach = whole(spot)
    held = spot.own_cards
    found = {
        "probability": codes(spot.probability).T,  # column by column, which packs better
        "ranks": np.where(spot.possible, _packed(best, place), 0),
        "reached": spot.reached & spot.possible,
        "ev": _scaled(spot.ev),
        "own": codes(spot.own_reach),
        "other": codes(spot.other_reach),
        "odds": codes(showdowns(spot, held)),
        **_two_figures(np.where(spot.gives_up & spot.possible, spot.given_up, 0.0)),
        "share": codes(share),
        "mean": _scaled(np.array([mean])),
        "reach": codes(np.array([reach])),
    }
    if own_cards:
        found["held"] = codes(held)
    return {name: values.ravel() for name, values in found.items()}


def _packed(best: NDArray[np.bool_], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one byte for each column, shape (C,): at which place each action is shown, and how many are best.

    The places take two bits each, from the lowest, and the number the two highest. What is best stands first.
    """
    assert len(place) <= 3
    return np.asarray((place << 2 * np.arange(len(place))[:, None]).sum(axis=0) | best.sum(axis=0) << 6)


def whole(spot: MultiplayerSpot) -> tuple[NDArray[np.float64], float, float]:
    """Return how often each action is played over all that is seen at a spot, what it is worth, and its reach.

    Where play never comes here all that is seen counts as the deck gives it.
    """
    weight = spot.seeing * spot.own_reach * spot.other_reach
    reach = float(weight.sum())
    if not reach > 0.0:
        weight = spot.seeing
    weight = weight / weight.sum()
    return spot.probability @ weight, float(((spot.probability * spot.ev) @ weight).sum()), reach


def showdowns(spot: MultiplayerSpot, held: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how likely a showdown among those left would be won, tied and lost, by cards seen, shape (C, 3).

    Parameters
    ----------
    held
        How likely each own card is, shape (C, kinds).
    """
    shape = spot.solution.game.deals.seen
    cards = np.indices(shape).reshape(len(shape), -1)
    others = [seat for seat in range(len(shape) + 1) if seat != spot.player]
    left = [place for place, seat in enumerate(others) if seat in spot.present]
    highest = cards[left].max(axis=0)[:, None]
    own = np.arange(held.shape[1])
    outcomes = own > highest, own == highest, own < highest
    return np.stack([np.where(is_so, held, 0.0).sum(axis=1) for is_so in outcomes], axis=1)


def sampled_block(solution: Any, block: Block, told: Sequence[Any]) -> dict[str, Any]:
    """Put the numbers of a `solver.mccfr.solution.MCCFRSolution` into a block.

    Parameters
    ----------
    told
        Public states (`solver.mccfr.spots.MCCFRNode`) of which the page says what is played over all cards.
    """
    from solver.mccfr.sampler import layout_of, limits_of
    from solver.mccfr.spots import KNOWN

    known = solution.visits >= KNOWN  # where learning hardly ever came, nothing is known
    fold, going_on, more = codes(solution.strategy[known].astype(np.float64)).T
    steps = np.diff(solution.keys[known], prepend=0)
    return {
        "kind": "sampled",
        **limits(solution.spec),
        "levels": layout_of(limits_of(solution.spec)).levels,
        "told": {
            format_history(node.history): {
                "reach": int(codes(np.array([node.reached]))[0]),
                "played": codes(node.played).tolist(),
            }
            for node in told
        },
        "arrays": {
            "steps": block.add(steps, "u4"),
            "fold": block.add(fold, "u2"),
            "go": block.add(going_on, "u2"),
            "more": block.add(more, "u2"),
        },
    }


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.rint(values * 10**DIGITS))


def _two_figures(values: NDArray[np.float64]) -> dict[str, NDArray[np.int64]]:
    """Return values, 0 or more, as two figures and a power of ten plus `LEAST_POWER`; both 0 where they are 0."""
    told = np.array([f"{value:.1e}".split("e") for value in values.tolist()])
    figures = np.rint(10 * told[:, 0].astype(np.float64)).astype(np.int64)
    return {"lost": figures, "power": np.where(figures > 0, told[:, 1].astype(np.int64) - 1 + LEAST_POWER, 0)}
