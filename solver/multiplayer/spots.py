"""What a solution of more than two players says at a public node, and what the betting tells about the own card."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import CardError, HistoryError
from rules.betting.actions import Action
from rules.betting.public_game import Outcome
from solver.multiplayer.rows import REACHED, given_up_at_most
from solver.multiplayer.solution import MultiplayerSolution
from solver.solutions.notebook import hand_told, mix_table, who_acts


@dataclass(frozen=True, eq=False)
class MultiplayerSpot:
    """A public node with all that its player may see there; k actions, C columns.

    A column is a set of cards seen, in the order of the other seats; some cannot be dealt (`possible`).

    Parameters
    ----------
    solution
        What was solved.
    history
        The actions that lead here.
    node
        In the tree of the solution's betting.
    """

    solution: MultiplayerSolution
    history: tuple[Action, ...]
    node: int

    def __repr__(self) -> str:
        actions = " ".join(map(str, self.actions))
        return f"<TableSpot: {who_acts(self.player, self.history)}; {actions}; {len(self.names):,} sets of cards seen>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: probabilities and expected values by cards seen, the first of them."""
        columns = np.flatnonzero(self.possible)
        names = [self.names[column] for column in columns.tolist()]
        spec = self.solution.spec
        return mix_table(
            f"{hand_told(spec)}: {who_acts(self.player, self.history)}", spec.sees, names, self.actions,
            self.probability[:, columns], self.ev[:, columns], self.reached[columns], spec.unit,
        )  # fmt: skip

    @property
    def player(self) -> int:
        """Who acts, 0 for P1."""
        return int(self.solution.game.betting.tree.player[self.node])

    @property
    def actions(self) -> tuple[Action, ...]:
        """The legal actions, in the order of rows."""
        return self.solution.game.betting.tree.actions(self.node)

    @property
    def present(self) -> tuple[int, ...]:
        """Who has not folded, ascending."""
        return tuple(np.flatnonzero(self.solution.game.betting.present[self.node]).tolist())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The cards seen, by column, as they are typed."""
        cards = self.solution.spec.around_the_table().cards
        return tuple(",".join(cards[place] for place in seen) for seen in np.ndindex(*self.solution.game.deals.seen))

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Whether the deck can deal these cards together, shape (C,), bool."""
        return self.seeing > 0.0

    @property
    def seeing(self) -> NDArray[np.float64]:
        """Probability of seeing them before anybody acts, shape (C,), float64; sums to 1."""
        return self.solution.game.deals.seeing.ravel()

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Of each action, 0 to 1, shape (k, C), float64; columns sum to 1."""
        return self.solution.profile[self.solution.game.betting.tree.rows(self.node)]

    @property
    def own_reach(self) -> NDArray[np.float64]:
        """Probability that the player's own actions lead here, 0 to 1, shape (C,), float64."""
        return np.asarray(self.solution.rows.own_reach[self.node])

    @property
    def other_reach(self) -> NDArray[np.float64]:
        """Probability that the others' actions lead here, given the cards seen, 0 to 1, shape (C,), float64."""
        return np.asarray(self.solution.rows.met[self.node])

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether play comes here at least once in 1,000 times, shape (C,), bool."""
        return np.asarray((self.own_reach >= REACHED) & (self.other_reach >= REACHED))

    @property
    def ev(self) -> NDArray[np.float64]:
        """The player's expected utility of each action, counted from before the ante, shape (k, C).

        Given the cards seen and that the others' play has come here, where everybody goes on with the strategy.
        Where play does not come here somebody has made a mistake, see `solver.multiplayer.rows`.
        """
        return np.asarray(self.solution.rows.ev[self.solution.game.betting.tree.rows(self.node)])

    @property
    def given_up(self) -> NDArray[np.float64]:
        """What the best play from here on would win more than the strategy does, shape (C,)."""
        return np.asarray(self.solution.rows.given_up[self.node])

    @property
    def gives_up(self) -> NDArray[np.bool_]:
        """Whether that is more than a row gives up without a word (`given_up_at_most`), shape (C,)."""
        return np.asarray(self.given_up > given_up_at_most(self.solution.game))

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """Whether each action may be the best: not where another is never worse, shape (k, C)."""
        return np.asarray(self.solution.game.allowed[self.solution.game.betting.tree.rows(self.node)])

    @property
    def loss(self) -> NDArray[np.float64]:
        """What each action's expected value is below the highest of those that are allowed, 0 or more, shape (k, C)."""
        top = np.where(self.allowed, self.ev, -np.inf).max(axis=0)
        return np.asarray(np.maximum(0.0, top - self.ev))

    @cached_property
    def own_cards(self) -> NDArray[np.float64]:
        """How likely each own card is, given the cards seen and how the others have acted, shape (C, kinds), float64.

        Rows sum to 1; those of cards that cannot be dealt together are 0.
        """
        game = self.solution.game
        joint = np.moveaxis(self.solution.beliefs.joint(self.node), self.player, -1)
        chances = joint.reshape(game.columns, game.deals.kinds)
        sums = chances.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(chances, sums, out=np.zeros_like(chances), where=sums > 0.0))

    def own_card(self, column: int) -> NDArray[np.float64]:
        """Return one row of `own_cards`, shape (kinds,)."""
        return np.asarray(self.own_cards[column])

    def column(self, seen: str) -> int:
        """Return the column of cards seen, as `rules.games.spec.HandSpec.observation` names them.

        Raises
        ------
        CardError
            Where the deck makes them impossible.
        """
        column = self.names.index(seen)
        if not self.possible[column]:
            raise CardError(f"expected cards that the deck allows together, got {seen}")
        return column


def spot_at(solution: MultiplayerSolution, history: str | Sequence[Action] = "") -> MultiplayerSpot:
    """Return the spot after a history, in text or as actions.

    Raises
    ------
    HistoryError
        Where the history is not legal, or the hand is over there.
    """
    actions, position = solution.spec.public.follow(history)
    if isinstance(position, Outcome):
        raise HistoryError(f"the hand is over after '{actions[-1]}'; expected a history after which somebody acts")
    return MultiplayerSpot(solution, actions, solution.game.betting.tree.find(actions))


def card_by_card(
    solution: MultiplayerSolution, history: Sequence[Action], player: int, column: int
) -> list[NDArray[np.float64]]:
    """Return how likely each own card is to a player before any action, then after each action of a history.

    Where the player acts there, or did, only what the others did counts.
    """
    game, tree, beliefs = solution.game, solution.game.betting.tree, solution.beliefs
    found, last = [], [len(tree.child)] * game.deals.players
    node = 0
    for action in (None, *history):
        if action is not None:
            row = int(tree.first[node]) + tree.actions(node).index(action)
            last[int(tree.player[node])] = row
            node = int(tree.child[row])

        def chances(near: bool) -> NDArray[np.float64]:
            joint = np.moveaxis(beliefs.along(tuple(last), player, near), player, -1)
            return np.asarray(joint.reshape(game.columns, game.deals.kinds)[column])

        certain = chances(True)
        likely = certain if certain.sum() >= REACHED * game.deals.seeing.ravel()[column] else chances(False)
        found.append(likely / likely.sum())
    return found
