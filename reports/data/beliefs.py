"""What a belief about the card not seen rests on: play that comes to a spot, play that seldom does, or assumptions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.off_path.sources import BEST_RESPONSE, RESOLVED, SOURCES
from solver.solutions.solution import Solution
from solver.solutions.spots import Spot

ON_PATH, RARELY_REACHED, ASSUMED, OWN = BASES = (
    "on path",
    "rarely reached",
    "assumed by a re-solve",
    "assumed for this row",
)
"""What a belief can rest on: the other's solved play, the same where it seldom comes here, a re-solve's beliefs, or
one that this row alone assumes, since it would be wrong under that of its neighbours
(`solver.off_path.own_beliefs`)."""

ANSWERED_ANEW = (SOURCES[RESOLVED], SOURCES[BEST_RESPONSE])

WEAK = 0.01
"""Below this chance that the other's solved play comes to a spot, what it tells of the card is told with a warning."""

NEVER = 1e-6
"""Below this chance it is said to come here never."""


def resolved(solution: Solution, board: str, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which nodes lie in a subtree that was solved anew, for play never enters it.

    Parameters
    ----------
    nodes
        In level order, with every node above them, shape (K,), int64.
    """
    if solution.entered_by is None:
        return np.zeros(len(nodes), dtype=np.bool_)
    tree, entered = solution.tree, solution.entered_by[solution.deal(board)[0]]
    inside: dict[int, bool] = {}
    for node in nodes.tolist():
        action = int(tree.parent_action[node])
        above = action >= 0 and inside.get(int(tree.node_of_action[action]), False)
        inside[node] = above or bool(entered[node] > 0)
    return np.array(list(inside.values()), dtype=np.bool_)


def bases(other_reach: ArrayLike, assumed: ArrayLike, own: ArrayLike) -> NDArray[np.int64]:
    """Return what beliefs rest on, as places in `BASES`.

    Parameters
    ----------
    other_reach
        Probability that the other's actions lead to a spot, given what is seen.
    assumed
        Whether the spot lies in a subtree that was solved anew, and play does not come to it.
    own
        Whether the row has a belief of its own.
    """
    rarely = np.where(np.asarray(other_reach) < WEAK, BASES.index(RARELY_REACHED), BASES.index(ON_PATH))
    shared = np.where(np.asarray(assumed), BASES.index(ASSUMED), rarely)
    return np.where(np.asarray(own), BASES.index(OWN), shared)


def basis(solution: Solution, spot: Spot, column: int) -> str:
    """Return what the belief at a spot rests on, one of `BASES`."""
    if solution.entered_by is None:  # rows that a solve has left as it was are solved anew when they are asked for
        assumed = spot.sources[column] in ANSWERED_ANEW and bool(spot.other_reach[column] < NEVER)
    else:
        way = [solution.tree.find(spot.history[:place]) for place in range(len(spot.history) + 1)]
        assumed = bool(resolved(solution, spot.board, np.array(way))[-1]) and not spot.reached[column]
    return BASES[int(bases(spot.other_reach[column], assumed, spot.assumed[column]))]


def once_in(reach: ArrayLike) -> NDArray[np.int64]:
    """Return in how many hands something happens once, by its probability, to two figures; 0 for never."""
    chance = np.asarray(reach, dtype=np.float64)
    hands = 1.0 / np.maximum(chance, NEVER)
    unit = 10.0 ** np.maximum(np.floor(np.log10(hands)) - 1.0, 0.0)
    return np.where(chance < NEVER, 0, np.rint(hands / unit) * unit).astype(np.int64)


def warning(rests_on: str, own_reach: float, other_reach: float, what: str) -> str:
    """Say in sentences what a weak belief rests on; "" where play comes to the spot.

    Parameters
    ----------
    rests_on
        One of `BASES`.
    own_reach, other_reach
        How likely the player's and the other's own actions lead here, given what is seen.
    what
        The card not seen, such as "your card".
    """
    theirs = other_reach < WEAK
    often = int(once_in(other_reach if theirs else own_reach))
    return warning_form(rests_on, theirs, often == 0, what).format(f"{often:,}")


def warning_form(rests_on: str, theirs: bool, never: bool, what: str) -> str:
    """Return what `warning` says, with ``{}`` for in how many hands play comes here once.

    Parameters
    ----------
    theirs
        Whether it is the other's play that seldom comes here, and not the player's own.
    never
        Whether it never does.
    """
    if rests_on == ON_PATH:
        return ""
    often = "never comes here" if never else "comes here once in {} hands"
    told = f"Given what you see, {'their' if theirs else 'your'} equilibrium play {often}"
    if rests_on == ASSUMED:
        told += f": these odds are assumed by a re-solve{'' if theirs else ' of how they answer'}"
    if rests_on == OWN:
        told += ": these odds are assumed for this row alone, such that what it plays costs little"
    return f"{told}. {f'Who errs may do so whatever {what} is' if theirs else 'They may answer otherwise'}."
