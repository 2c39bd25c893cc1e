"""Two solutions side by side: values, how far apart the strategies are where play comes, and where they differ most."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from reports.data.node_summary import NodeTable, all_nodes, histories
from reports.data.rows import player_name
from rules.base.errors import OptionError
from rules.betting.actions import format_history
from solver.solutions.solution import Solution
from solver.solutions.spots import Spots

if TYPE_CHECKING:
    import pandas as pd


class Difference(NamedTuple):
    """One information set that both solutions have.

    Parameters
    ----------
    board, history, player, observation
        Which it is.
    distance
        Half the sum of the differences of all probabilities, 0 (same play) to 1 (nothing in common); an action
        that only one of them offers counts with 0 for the other.
    reach_a, reach_b
        Probability that a hand of this board comes here with this observation.
    top_a, top_b
        The action played most.
    ev_a, ev_b
        The acting player's expected value here, in the unit of the objective.
    """

    board: str
    history: str
    player: str
    observation: str
    distance: float
    reach_a: float
    reach_b: float
    top_a: str
    top_b: str
    ev_a: float
    ev_b: float

    @property
    def weight(self) -> float:
        """How often play comes here, the mean of both."""
        return (self.reach_a + self.reach_b) / 2

    @property
    def impact(self) -> float:
        """The distance times how often play comes here."""
        return self.weight * self.distance


@dataclass(frozen=True, eq=False)
class Comparison:
    """What two solutions of one game have in common, and what not.

    Parameters
    ----------
    first, second
        The solutions, A and B.

    Raises
    ------
    OptionError
        Where they are of different games or objectives, or have no board in common.
    """

    first: Solution
    second: Solution

    def __post_init__(self) -> None:
        a, b = self.first.spec, self.second.spec
        if a.game != b.game:
            raise OptionError(f"expected two solutions of one game to compare, got {a.game} and {b.game}")
        if a.unit != b.unit:
            raise OptionError(f"expected two solutions of one objective to compare, got {a.unit} and {b.unit}")
        if not self.boards:
            raise OptionError(
                f"expected two solutions with a {a.board_word} in common, got {', '.join(self.first.boards[:3])} "
                f"and {', '.join(self.second.boards[:3])}"
            )

    @property
    def boards(self) -> tuple[str, ...]:
        """The boards or fronts that both have."""
        return tuple(board for board in self.first.boards if board in set(self.second.boards))

    @property
    def settings(self) -> list[tuple[str, Any, Any]]:
        """Every setting in which the hands differ, with what A and what B has."""
        a, b = self.first.spec.to_dict(), self.second.spec.to_dict()
        return [(name, a.get(name), b.get(name)) for name in {**a, **b} if a.get(name) != b.get(name)]

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Every information set that both have, in the order of A."""
        return tuple(self._differences())

    @property
    def changed_most(self) -> list[Difference]:
        """The information sets that differ, by distance times how often play comes there, largest first."""
        apart = [one for one in self.differences if one.impact > 0.0]
        return sorted(apart, key=lambda one: -one.impact)

    def distance(self, player: str | None = None) -> float:
        """Return the mean distance where play comes, of one player's information sets or of all; 0 to 1.

        An information set counts as often as play comes there, the mean of A and B.
        """
        chosen = [one for one in self.differences if player in (None, one.player)]
        total = sum(one.weight for one in chosen)
        return sum(one.impact for one in chosen) / total if total else 0.0

    def frame(self) -> "pd.DataFrame":
        """Return all differences as a DataFrame, columns as the fields of `Difference`."""
        import pandas as pd

        return pd.DataFrame.from_records(list(self.differences), columns=list(Difference._fields))

    def _differences(self) -> Iterator[Difference]:
        nodes = [all_nodes(one) for one in (self.first, self.second)]
        paths = [histories(one, some) for one, some in zip((self.first, self.second), nodes, strict=True)]
        places = [dict(zip(one, some.tolist(), strict=True)) for one, some in zip(paths, nodes, strict=True)]
        for board in self.boards:
            sides = [_Side(one, board, some) for one, some in zip((self.first, self.second), nodes, strict=True)]
            for path in paths[0]:
                if path in places[1]:
                    at = [side.at(place[path]) for side, place in zip(sides, places, strict=True)]
                    yield from _compared(board, format_history(path), at[0], at[1])


class _Here(NamedTuple):
    """A node of one solution: who acts, what may be seen, and figures by observation."""

    player: int
    observations: dict[str, int]
    actions: tuple[str, ...]
    probability: Any
    comes: Any
    ev: Any


class _Side:
    """One deal of one solution, node by node."""

    def __init__(self, solution: Solution, board: str, nodes: Any) -> None:
        self.tree = solution.tree
        self.spots = Spots(solution, board)
        self.table = NodeTable(self.spots, nodes)
        self.place = {
            int(node): place for table in self.table.players for place, node in enumerate(table.nodes.tolist())
        }
        self.starts = [np.append(table.starts, len(table.place)) for table in self.table.players]

    def at(self, node: int) -> _Here:
        player, place = int(self.tree.player[node]), self.place[node]
        table, starts = self.table.players[player], self.starts[player]
        names = self.spots.observations[player]
        columns = self.spots.columns[player]
        return _Here(
            player,
            {names[column]: column for column in columns},
            tuple(map(str, self.tree.actions(node))),
            table.probability[starts[place] : starts[place + 1]],
            table.prior.sum(axis=1) * table.own_reach[place] * table.other_reach[place],
            self.table.row_ev[player][place],
        )


def _compared(board: str, history: str, a: _Here, b: _Here) -> Iterator[Difference]:
    tokens = list(dict.fromkeys((*a.actions, *b.actions)))
    spread = []
    for one in (a, b):
        rows = np.zeros((len(tokens), one.probability.shape[1]))
        rows[[tokens.index(token) for token in one.actions]] = one.probability
        spread.append(rows)
    for name, mine in a.observations.items():
        theirs = b.observations.get(name)
        if theirs is None:
            continue
        first, second = spread[0][:, mine], spread[1][:, theirs]
        yield Difference(
            board,
            history,
            player_name(a.player),
            name,
            float(np.abs(first - second).sum() / 2),
            float(a.comes[mine]),
            float(b.comes[theirs]),
            tokens[int(first.argmax())],
            tokens[int(second.argmax())],
            float(a.ev[mine]),
            float(b.ev[theirs]),
        )
