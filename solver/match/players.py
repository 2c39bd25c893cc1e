"""Strategies for whole matches: what each plays in every hand, whatever deck and chips it comes with.

A player is asked for a piece of hands at a time and answers with both roles' play on their public tree. Nothing
depends on earlier hands but deck and chips.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError
from rules.games.match_spec import MatchSpec
from rules.games.spec import HandSpec
from rules.tactics.registry import tactics_of
from rules.tactics.tactic import RuleBasedStrategy
from solver.match.hands import Batch, MatchHands
from solver.match.sweeps import blank
from solver.match.table import MatchTable
from solver.trees.column_layout import observations

MATCH, CHIPS = "match", "chips"
"""The players that solve every hand: to win the match, and to win chips in the hand."""

CHIPS_GAP = 1e-3
"""NashConv in chips that hands are solved to where chips are the aim."""


class Player(ABC):
    """A strategy for all hands of a match."""

    name: str

    @abstractmethod
    def weights(self, piece: Batch) -> NDArray[np.floating[Any]]:
        """Return what the play is in proportion to, in a piece's hands.

        Returns
        -------
        ndarray, shape (hands, A, observations)
            For every action of the public tree, by what the acting player observes; rows of zeros are even.
        """


class Solver(Player):
    """Play an equilibrium of every hand.

    Parameters
    ----------
    hands
        Whose outcomes lead to the columns of `table`.
    table
        What later hands are worth to their first bettor, shape (decks, columns).
    gap
        NashConv that each hand is solved to, in the unit of the table.
    """

    def __init__(self, name: str, hands: MatchHands, table: NDArray[np.float64], gap: float) -> None:
        self.name, self._hands, self._table, self._gap = name, hands, table, gap

    def weights(self, piece: Batch) -> NDArray[np.floating[Any]]:
        """Solve the hands, those side by side that always are: the answer depends on nothing else."""
        return self._hands.profiles(piece, self._table, self._gap)


class RuleFollower(Player):
    """Play by a rule of thumb.

    Parameters
    ----------
    hands
        Of the match.
    tactic
        The rule.
    """

    def __init__(self, hands: MatchHands, tactic: type[RuleBasedStrategy]) -> None:
        self.name, self._hands, self._tactic = tactic.name, hands, tactic
        self._bound: dict[int, RuleBasedStrategy] = {}
        self._known: dict[tuple[int, int, int], NDArray[np.float32]] = {}

    def weights(self, piece: Batch) -> NDArray[np.floating[Any]]:
        """Ask the rule at every public state of the hands."""
        here, (kind, state) = self._hands.cap(piece.cap), self._hands.hands(piece)
        tree, automaton = here.tree, here.tree.automaton
        found = np.zeros((len(kind), len(tree.child), self._hands.width), dtype=np.float32)
        if not tree.nodes:
            return found
        order = np.arange(len(tree.child)) - tree.first[tree.node_of_action]
        rows = automaton.first[tree.state[tree.node_of_action]] + order
        for number in np.unique(state).tolist():
            mine = state == number
            mixes = self._mixes(piece.level, piece.cap, number)
            found[mine] = mixes[:, kind[mine]].transpose(1, 0, 2)[:, rows]
        return found

    def _mixes(self, level: int, cap: int, number: int) -> NDArray[np.float32]:
        """Return the play at every move of the public states, shape (moves, kinds, observations)."""
        if (level, cap, number) not in self._known:
            here, hands = self._hands.cap(cap), self._hands
            chips, automaton = hands.states[here.states[number]], here.tree.automaton
            tactic = self._at(level)
            parts = [
                tactic.mixes(chips, state, actions)[:, :, : hands.width]
                for state, actions in zip(automaton.states, automaton.actions, strict=True)
            ]
            self._known[level, cap, number] = np.concatenate(parts).astype(np.float32)
        return self._known[level, cap, number]

    def _at(self, level: int) -> RuleBasedStrategy:
        if level not in self._bound:
            model = self._hands.model
            layouts = [layout for deck in model.levels[level] for layout, _ in model.deck(deck).grouped()]
            self._bound[level] = self._tactic(layouts, observations(self._hands.width))
        return self._bound[level]


def names(spec: HandSpec) -> tuple[str, ...]:
    """Return the names of all players of a game's matches."""
    return (MATCH, CHIPS, *(tactic.name for tactic in tactics_of(spec.game)))


def check(asked: Sequence[str], spec: HandSpec) -> None:
    """Refuse names that no player has.

    Raises
    ------
    OptionError
        At the first.
    """
    for name in asked:
        if name not in names(spec):
            raise OptionError(f"expected a player ({', '.join(names(spec))}), got {name!r}")


def make_player(name: str, hands: MatchHands, table: MatchTable | None = None) -> Player:
    """Return a player by name.

    Parameters
    ----------
    table
        Needed for `MATCH`: the match of these hands, solved.

    Raises
    ------
    OptionError
        Where there is no such player, or the table is missing.
    """
    check([name], hands.spec)
    if name == MATCH:
        if table is None:
            raise OptionError("expected a match table for the player match; forehead match writes one")
        return Solver(MATCH, hands, table_of(hands, table), table.hand_gap)
    if name == CHIPS:
        return chips_player(hands)
    (tactic,) = (tactic for tactic in tactics_of(hands.spec.game) if tactic.name == name)
    return RuleFollower(hands, tactic)


def table_of(hands: MatchHands, table: MatchTable) -> NDArray[np.float64]:
    """Return the values that a match table's hands were solved with, which prove it (`solver.match.proof`)."""
    found, states = blank(hands), len(hands.states)
    found[:, :states] = 0.5 * (table.lower.astype(np.float64) + table.upper)
    found[0, :states] = table.values
    return found


def chips_player(hands: MatchHands) -> Player:
    """Return the player who maximises chips in every hand, half of a pot left on the table being everyone's."""
    spec: MatchSpec = replace(hands.spec, tie_bust="split")  # which shares a pot so where the match would end
    shared = MatchHands(spec, hands.model)
    table = blank(shared)
    table[:, : len(shared.states)] = [chips.share / chips.total for chips in shared.states]
    return Solver(CHIPS, shared, table, CHIPS_GAP / spec.chips.total)
