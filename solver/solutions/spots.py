"""What a solution says at a public node: probabilities, expected values and reach by observation."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import CardError, HistoryError
from rules.betting.actions import Action
from rules.betting.public_game import CHANCE, Outcome
from solver.off_path.regions import Assumed, row_values
from solver.off_path.sources import SOLVED, SOURCES, UNKNOWN
from solver.solutions.notebook import hand_told, mix_table, who_acts
from solver.solutions.solution import Solution
from solver.trees.node_locator import NodeLocator, Place
from solver.trees.public_tree import unfolded
from solver.two_player.evaluation import SLIP, Span, beliefs_by_bayes, likely, own_reach, played, sweep
from solver.two_player.payoffs import tabulate

REACHED = 1e-3
"""Below this probability of coming to a spot the guarantees of a solution say next to nothing about it."""


@dataclass(frozen=True, eq=False)
class Spot:
    """A public node with every observation that the deck allows there; k actions, n observations.

    Parameters
    ----------
    board
        The board or the fronts, "" where the game has none.
    history
        The actions that lead here.
    player
        Who acts, 0 for P1.
    observations
        What the acting player may have seen, in the order of columns below.
    actions
        The legal actions, in the order of rows below.
    probability
        Of each action, 0 to 1, shape (k, n), float64; columns sum to 1.
    ev
        The acting player's expected utility of each action in the unit of the objective (`HandSpec.unit`: chips,
        say), counted from before the ante, given that this spot is reached with this observation and what is
        believed of the other there, shape (k, n), float64.
    own_reach
        Probability, 0 to 1, that the acting player's own actions lead here, shape (n,), float64.
    other_reach
        Probability, 0 to 1, that the other's actions lead here, given the observation, shape (n,), float64.
    observation_probability
        Probability, 0 to 1, of the observation before anybody acts, shape (n,), float64; sums to 1.
    sources
        Where each row comes from, n of `solver.off_path.sources.SOURCES`: "solved", "best response", "re-solved" or
        "kept for safety" (see `solver.off_path.resolving`).
    others
        What the other may have seen (in the Indian games: the acting player's own card).
    belief
        Probability, 0 to 1, of each of the other's observations, given the own one and the betting, shape
        (others, n), float64; columns sum to 1.
    assumed
        Whether the row has a belief of its own, which no play leads to and its expected values rest on, shape (n,),
        bool (see `solver.off_path.own_beliefs`).
    """

    board: str
    history: tuple[Action, ...]
    player: int
    observations: tuple[str, ...]
    actions: tuple[Action, ...]
    probability: NDArray[np.float64]
    ev: NDArray[np.float64]
    own_reach: NDArray[np.float64]
    other_reach: NDArray[np.float64]
    observation_probability: NDArray[np.float64]
    sources: tuple[str, ...]
    others: tuple[str, ...]
    belief: NDArray[np.float64]
    assumed: NDArray[np.bool_]

    def __repr__(self) -> str:
        place = f"{self.board}: " if self.board else ""
        actions = " ".join(map(str, self.actions))
        return f"<Spot: {place}{who_acts(self.player, self.history)}; {actions}; {len(self.observations)} observations>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: probabilities and expected values by observation."""
        place = f"{self.board}: " if self.board else ""
        return mix_table(
            place + who_acts(self.player, self.history), "sees", self.observations, self.actions, self.probability,
            self.ev, self.reached,
        )  # fmt: skip

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether both players' strategies come here at least once in 1,000 times (`REACHED`), shape (n,), bool."""
        return (self.own_reach >= REACHED) & (self.other_reach >= REACHED)

    def column(self, observation: str) -> int:
        """Return the place of an observation, 0 to n - 1.

        Parameters
        ----------
        observation
            One of `observations`, such as "7".

        Raises
        ------
        CardError
            Where the deck makes it impossible.
        """
        if observation not in self.observations:
            allowed = ", ".join(self.observations)
            raise CardError(f"expected an observation that the deck allows here ({allowed}), got {observation!r}")
        return self.observations.index(observation)


@dataclass(frozen=True, eq=False)
class Table:
    """What a deal says at many nodes of one player, as arrays; columns in the order of the deal's observations.

    K nodes with R actions together, n observations of the player, m of the other. `Spot` says what the figures
    mean; a spot is a table of one node, its columns in the order people read them.

    Parameters
    ----------
    nodes
        The nodes, shape (K,), int64.
    rows
        Their actions in arrays over all actions of the tree, node after node, shape (R,), int64.
    place
        Which of the nodes each action belongs to, shape (R,), int64.
    probability, ev
        Shape (R, n), float64; 0 to 1, and in the unit of the objective.
    own_reach, other_reach
        Shape (K, n), float64, 0 to 1.
    sources
        Indices into `solver.off_path.sources.SOURCES`, shape (K, n), int8.
    believed
        The other's reach as believed there, up to a factor for each node, shape (K, m), float64.
    prior
        Probability of the own and the other's observation before anybody acts, shape (n, m), float64; sums to 1.
    assumed
        Rows with a belief of their own, in place of `believed`; which of the nodes, and which column.
    """

    nodes: NDArray[np.int64]
    rows: NDArray[np.int64]
    place: NDArray[np.int64]
    probability: NDArray[np.float64]
    ev: NDArray[np.float64]
    own_reach: NDArray[np.float64]
    other_reach: NDArray[np.float64]
    sources: NDArray[np.int8]
    believed: NDArray[np.float64]
    prior: NDArray[np.float64]
    assumed: Assumed

    def belief(self, index: int) -> NDArray[np.float64]:
        """Return the probability of each of the other's observations at one of the nodes, shape (n, m)."""
        joint = self.prior * self.believed[index]
        for (_, column), reach in zip(*self.assumed_at(index), strict=True):
            joint[column] = self.prior[column] * reach
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def assumed_at(self, index: int) -> Assumed:
        """Return the rows with a belief of their own at one of the nodes."""
        here = self.assumed.rows[:, 0] == index
        return Assumed(self.assumed.rows[here], self.assumed.reach[here])

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the actions of each node begin, shape (K,), int64."""
        return np.flatnonzero(np.diff(self.place, prepend=-1))


class Arrival(NamedTuple):
    """Where a history leads, and who comes there; n1 and n2 observations of P1 and P2.

    Parameters
    ----------
    places
        Finds nodes of the tree.
    here
        The node.
    reach
        Probability that each player's own actions lead there, shapes (1, n1) and (1, n2).
    beliefs
        The same up to a factor, with mistakes, so that nobody is excluded.
    """

    places: NodeLocator
    here: Place
    reach: tuple[NDArray[np.float64], NDArray[np.float64]]
    beliefs: tuple[NDArray[np.float64], NDArray[np.float64]]


class Spots:
    """All spots of one deal of a solution; values and reach are computed once, and where they are asked for.

    Parameters
    ----------
    solution
        What was solved. One spot of a solution without beliefs (see `solver.two_player.payoffs.is_large`) is found
        without the tree, from the rows on the way to it; so it is from a file that is mapped into memory.
    board
        Which deal, where there are several.
    excluded
        For P1 and P2, observations of the other that this player alone knows to be impossible. They change
        what the player believes and expects, never the strategy.
    """

    def __init__(
        self, solution: Solution, board: str = "", excluded: tuple[Collection[str], Collection[str]] = ((), ())
    ) -> None:
        self.solution = solution
        self.index, deal = solution.deal(board)
        self.board = deal.board
        self.observations = deal.observations
        self._strategy = solution.strategies[self.index]
        self._prior = solution.classes[self.index].hand.prior
        self._counted = (0.0, solution.spec.together)  # what is added to utilities that sum to 0
        # Of each player, what the other knows to be impossible.
        self._gone = [
            np.array([name in names for name in seen])
            for names, seen in zip(reversed(excluded), deal.observations, strict=True)
        ]
        self.columns = tuple(ascending(names) for names in deal.observations)
        """For P1 and P2, the observations in the order people read them."""

    def __repr__(self) -> str:
        place = f", {self.board}" if self.board else ""
        return f"<Spots of {hand_told(self.solution.spec)}{place}>"

    @cached_property
    def beliefs(self) -> NDArray[np.float64]:
        """Each player's reach as believed at every node, up to a factor, shape (2, N, width), float64."""
        found = self.solution.beliefs
        return beliefs_by_bayes(self.solution.tree, self._strategy) if found is None else found[self.index]

    @cached_property
    def _believed(self) -> list[NDArray[np.float64]]:
        """What each player is believed to have by the other, who may exclude something."""
        return [self._possible(player, reach) for player, reach in enumerate(self.beliefs)]

    def _possible(self, player: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a player's reach, columns past the last observation left out, without what the other excludes."""
        gone = self._gone[player]
        return np.where(gone, 0.0, reach[..., : len(gone)])

    @cached_property
    def _assumed(self) -> list[Assumed]:
        """The rows of each player with a belief of their own; not where what the player knows excludes all of it."""
        found = []
        for player in (0, 1):
            rows, reach = self.solution.assumed_by(self.index).of(self.solution.tree, player)
            possible = self._possible(1 - player, reach)
            kept = (possible * self._prior_of(player)[rows[:, 1]]).sum(axis=1) > 0.0
            found.append(Assumed(rows[kept], possible[kept]))
        return found

    @cached_property
    def _reach(self) -> list[NDArray[np.float64]]:
        return [own_reach(self.solution.tree, self._strategy, player) for player in (0, 1)]

    @cached_property
    def _values(self) -> list[NDArray[np.float64]]:
        """What each player's actions are worth under the beliefs."""
        tree, one = self.solution.tree, self.solution.game.classes[self.index]
        entered_by = self.solution.entered_by
        roots = np.zeros(tree.nodes, dtype=np.int8) if entered_by is None else entered_by[self.index]
        return [
            row_values(
                tree, one, self._strategy, player, self._believed[1 - player], roots, self._assumed[player]
            ).action
            for player in (0, 1)
        ]

    def at(self, history: str | Sequence[Action] = "") -> Spot:
        """Return the spot after a history.

        Parameters
        ----------
        history
            Actions, or text such as "b1 r3"; "" for the start.

        Raises
        ------
        HistoryError
            Where the history is not legal, or the hand is over there.
        """
        actions, position = self.solution.spec.public.follow(history)
        if isinstance(position, Outcome):
            if not actions:
                raise HistoryError("nobody acts in this hand: the antes are all-in, and it is a showdown at once")
            raise HistoryError(f"the hand is over after '{actions[-1]}'; expected a history after which somebody acts")
        if self.solution.beliefs is None:
            return self._looked_up(actions)
        return self.spot(self.solution.tree.find(actions), actions)

    def spot(self, node: int, history: tuple[Action, ...]) -> Spot:
        """Return the spot at a node of the tree, 0 to N - 1, which this history leads to."""
        tree = self.solution.tree
        player = int(tree.player[node])
        return self._spot(history, player, tree.actions(node), self.table(player, np.array([node])))

    def _spot(self, history: tuple[Action, ...], player: int, actions: tuple[Action, ...], table: Table) -> Spot:
        columns, other_columns = self.columns[player], self.columns[1 - player]
        return Spot(
            self.board,
            history,
            player,
            tuple(self.observations[player][column] for column in columns),
            actions,
            table.probability[:, columns],
            table.ev[:, columns],
            table.own_reach[0, columns],
            table.other_reach[0, columns],
            table.prior.sum(axis=1)[columns],
            tuple(SOURCES[table.sources[0, column]] for column in columns),
            tuple(self.observations[1 - player][column] for column in other_columns),
            table.belief(0)[columns][:, other_columns].T,
            np.isin(np.array(columns), table.assumed_at(0).rows[:, 1]),
        )

    def table(self, player: int, nodes: NDArray[np.int64]) -> Table:
        """Return what the deal says at nodes of one player.

        Parameters
        ----------
        player
            Who acts, 0 for P1.
        nodes
            Nodes of the tree where this player acts, shape (K,), int64.
        """
        tree, prior = self.solution.tree, self._prior_of(player)
        own, other = prior.shape
        own_reach = self._reach[player][nodes, :own]
        other_reach = self._reach[1 - player][nodes, :other] @ prior.T / prior.sum(axis=1)
        counts = tree.first[nodes + 1] - tree.first[nodes]
        place = np.repeat(np.arange(len(nodes)), counts)
        first = np.concatenate(([0], np.cumsum(counts)))
        rows = np.arange(len(place)) + np.repeat(tree.first[nodes] - first[:-1], counts)
        believed = self._believed[1 - player][nodes]
        stored = self._stored(player, rows)
        ev = self._values[player][rows] if stored is None else stored
        return Table(
            nodes,
            rows,
            place,
            played(self._strategy, rows, first)[:, :own],
            ev + self._counted[player],
            own_reach,
            other_reach,
            self._sources(nodes, own_reach, other_reach),
            believed,
            prior,
            self._assumed[player].at(nodes),
        )

    def possible(self, player: int) -> NDArray[np.float64]:
        """Return 1 for each observation of a player that the other does not exclude, else 0, shape (n,)."""
        return np.where(self._gone[player], 0.0, 1.0)

    def counted(self, player: int) -> float:
        """Return what is added to a player's utilities, which the solver has sum to 0."""
        return self._counted[player]

    def _prior_of(self, player: int) -> NDArray[np.float64]:
        """Return how likely a player's and the other's observations are, shape (n, m)."""
        return self._prior if player == 0 else self._prior.T

    @cached_property
    def completed(self) -> bool:
        """Whether every row answers something; else rows are as the solve left them, where play never comes too."""
        sources, entered_by = self.solution.sources, self.solution.entered_by
        if sources is None or entered_by is None:
            return False
        assumed = self.solution.assumed_by(self.index)
        return bool(sources[self.index].any() or entered_by[self.index].any() or len(assumed.rows))

    def _sources(
        self, nodes: NDArray[np.int64], own_reach: NDArray[np.float64], other_reach: NDArray[np.float64]
    ) -> NDArray[np.int8]:
        """Return where rows come from: as the solution says, or where it is not completed by how likely they are.

        What was stopped before it reached its gap, or the usual one, knows no row.
        """
        if self.completed and self.solution.sources is not None:
            return np.asarray(self.solution.sources[self.index][nodes, : own_reach.shape[1]])
        reached = (own_reach >= REACHED) & (other_reach >= REACHED)
        rough = self.solution.nash_conv > max(self.solution.provenance.target, self.solution.spec.usual_gap)
        return np.where(reached & (not rough), SOLVED, UNKNOWN).astype(np.int8)

    def arrival(self, history: tuple[Action, ...]) -> Arrival:
        """Follow a history: how likely both players' actions lead there, and what is believed then by Bayes' rule."""
        automaton, sizes = self.solution.automaton, self._prior.shape
        places = NodeLocator(automaton)
        path = places.along(history)
        reach, beliefs = ([np.ones((1, size)) for size in sizes] for _ in range(2))
        for place, action in zip(path, history, strict=False):
            player, taken = int(automaton.player[place.state]), automaton.actions[place.state].index(action)
            if player != CHANCE:
                chance = self._row(place)[taken, : sizes[player]]
                reach[player] *= chance
                beliefs[player] = likely(beliefs[player] * (chance + SLIP)).reach
        return Arrival(places, path[-1], (reach[0], reach[1]), (beliefs[0], beliefs[1]))

    def _looked_up(self, history: tuple[Action, ...]) -> Spot:
        """Return the spot after a history, from the rows on the way there and, without stored values, below it."""
        places, here, reach, beliefs = self.arrival(history)
        automaton = places.automaton
        player = int(automaton.player[here.state])
        prior = self._prior_of(player)
        own = len(prior)
        believed = self._possible(1 - player, beliefs[1 - player])
        probability = self._row(here)[:, :own]
        other_reach = reach[1 - player] @ prior.T / prior.sum(axis=1)
        table = Table(
            np.array([here.node]),
            np.arange(here.rows.start, here.rows.stop),
            np.zeros(len(probability), dtype=np.int64),
            probability,
            self._worth(places, history, here, believed[0]) + self._counted[player],
            reach[player],
            other_reach,
            self._sources(np.array([here.node]), reach[player], other_reach),
            believed,
            prior,
            Assumed.none(prior.shape[1]),
        )
        return self._spot(history, player, automaton.actions[here.state], table)

    def _row(self, place: Place) -> NDArray[np.float64]:
        """Return the probabilities of the actions at a node."""
        return played(self._strategy, place.rows, np.array([0, place.rows.stop - place.rows.start]))

    def _stored(self, player: int, rows: slice | NDArray[np.int64]) -> NDArray[np.float64] | None:
        """Return what actions of a player are worth as the solution has it; None where it has not."""
        if self.solution.ev is None or self._gone[1 - player].any():
            return None
        return np.asarray(self.solution.ev[self.index][rows, : len(self.observations[player])], dtype=np.float64)

    def _worth(
        self, places: NodeLocator, history: tuple[Action, ...], here: Place, believed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return what each action after a history is worth: as stored, or found in the tree below."""
        player = int(places.automaton.player[here.state])
        if (stored := self._stored(player, here.rows)) is not None:
            return stored
        (one,) = tabulate(places.automaton.outcomes, self.solution.classes[self.index : self.index + 1])
        strategy = np.concatenate([self._strategy[rows] for rows in places.below(history)])
        found: list[NDArray[np.float64]] = []

        def told(nodes: Span, _: NDArray[np.float64], values: NDArray[np.float64]) -> None:
            if nodes.start == 0:
                found.append(values)

        tree = unfolded(places.automaton._replace(root=here.state))
        sweep(tree, one, strategy, player, slip=SLIP, root=believed, told=told)
        return found[0] / (believed @ self._prior_of(player).T)

    def led_to(self, player: int) -> NDArray[np.float64]:
        """Return how likely a player's own actions lead to each node, over all observations, shape (N,), float64.

        Parameters
        ----------
        player
            0 for P1.
        """
        seen = self._prior.sum(axis=1 - player)
        return np.asarray(self._reach[player][:, : len(seen)] @ seen)

    def walk(self) -> Iterator[Spot]:
        """Yield every spot in level order; chance nodes have none."""
        tree = self.solution.tree
        histories: dict[int, tuple[Action, ...]] = {0: ()}
        for node in range(tree.nodes):
            history = histories.pop(node)
            first = int(tree.first[node])
            for place, action in enumerate(tree.actions(node)):
                below = int(tree.child[first + place])
                if below >= 0:
                    histories[below] = (*history, action)
            if tree.player[node] != CHANCE:
                yield self.spot(node, history)


def ascending(names: tuple[str, ...]) -> list[int]:
    """Return the columns in the order people read them: numbers ascending, other names as they stand."""
    if all(name.isdigit() for name in names):
        return sorted(range(len(names)), key=lambda column: int(names[column]))
    return list(range(len(names)))
