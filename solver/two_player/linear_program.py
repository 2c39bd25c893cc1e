"""The sequence-form linear program, an exact method that shares nothing with CFR but the tree.

Koller, Megiddo and von Stengel 1996, "Efficient Computation of Equilibria for Extensive Two-Person
Games", section 3: P1 chooses a realisation plan x, one variable for each of its sequences; the dual
variables of P2's constraints are P2's plan. HiGHS solves it through `scipy.optimize.linprog`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import RunError, SizeError
from rules.games.spec import HandClass
from solver.trees.public_tree import PublicTree, TreeSize
from solver.two_player.evaluation import probabilities
from solver.two_player.payoffs import ClassGame, Game

MAX_ENTRIES = 3_000_000
"""Entries of the payoff matrix up to which the program is tried: half a minute and 1.5 GB, about."""


class LinearProgramError(RunError):
    """Say that HiGHS found no optimum."""


def check_size(size: TreeSize, classes: Sequence[HandClass]) -> None:
    """Refuse a hand that is too large for the method.

    Raises
    ------
    SizeError
        Where the payoff matrix could have more than `MAX_ENTRIES` entries.
    """
    pairs = max(group.hand.prior.size for group in classes)
    if size.terminals * pairs > MAX_ENTRIES:
        raise SizeError(
            f"method lp takes up to {MAX_ENTRIES:,} payoffs, for {MAX_ENTRIES // pairs:,} ends of a hand, and this "
            "hand has more; use method cfr, smaller stacks or fewer sizes"
        )


def solve(game: Game) -> tuple[list[NDArray[np.float64]], int]:
    """Return an equilibrium strategy profile of each class, shape (actions, width), and the simplex iterations."""
    last = (_last_actions(game.tree, 0), _last_actions(game.tree, 1))
    even = probabilities(game.tree, np.zeros((len(game.tree.child), game.width)))
    solved = [_solve_class(game.tree, one, even, last) for one in game.classes]
    return [strategy for strategy, _ in solved], sum(iterations for _, iterations in solved)


def _last_actions(tree: PublicTree, player: int) -> NDArray[np.int64]:
    """Return the player's last own action before each node, -1 where there is none, shape (N,)."""
    last = np.full(tree.nodes, -1, dtype=np.int64)
    for depth in range(1, len(tree.levels) - 1):
        nodes = np.arange(tree.levels[depth], tree.levels[depth + 1])
        action = tree.parent_action[nodes]
        above = tree.node_of_action[action]
        last[nodes] = np.where(tree.player[above] == player, action, last[above])
    return last


def _solve_class(
    tree: PublicTree, one: ClassGame, even: NDArray[np.float64], last: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> tuple[NDArray[np.float64], int]:
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, hstack

    if tree.nodes == 0:
        return even, 0
    sequences = [_Sequences(tree, player, one.observations[player], last[player]) for player in (0, 1)]
    p1, p2 = sequences

    # Payoffs: one entry for each terminal and pair of observations.
    ends = np.flatnonzero(tree.child < 0)
    actor = tree.player[tree.node_of_action[ends]]
    above = tree.node_of_action[ends]
    final = [np.where(actor == player, ends, last[player][above]) for player in (0, 1)]
    x, y = (grid.ravel() for grid in np.meshgrid(*map(np.arange, one.observations), indexing="ij"))
    rows = p1.index(final[0][:, None], x[None, :])
    columns = p2.index(final[1][:, None], y[None, :])
    entries = one.joint[~tree.child[ends]][:, x, y]
    payoff = coo_array((entries.ravel(), (rows.ravel(), columns.ravel())), shape=(p1.number, p2.number)).tocsr()

    # Maximise the value of P2's best reply: variables x (P1's plan), then v (P2's constraints).
    objective = np.zeros(p1.number + p2.constraints.shape[0])
    objective[p1.number] = -1.0
    reply = hstack([-payoff.T, p2.constraints.T]).tocsr()
    plan = hstack([p1.constraints, coo_array((p1.constraints.shape[0], p2.constraints.shape[0]))]).tocsr()
    start = np.zeros(p1.constraints.shape[0])
    start[0] = 1.0
    bounds = np.full((len(objective), 2), [0.0, np.inf])
    bounds[p1.number :, 0] = -np.inf
    found = linprog(
        objective, A_ub=reply, b_ub=np.zeros(p2.number), A_eq=plan, b_eq=start, bounds=bounds, method="highs-ds"
    )
    if found.status != 0:
        raise LinearProgramError(f"HiGHS found no optimum: {found.message.strip()}")
    strategy = even.copy()
    p1.behaviour(tree, found.x[: p1.number], strategy)
    p2.behaviour(tree, -found.ineqlin.marginals, strategy)
    return strategy, int(found.nit)


class _Sequences:
    """A player's sequences: number 0 is the empty one, then one for each (own action, observation)."""

    def __init__(self, tree: PublicTree, player: int, observations: int, last: NDArray[np.int64]) -> None:
        from scipy.sparse import coo_array

        self.observations = observations
        self.nodes = np.flatnonzero(tree.player == player)
        self.actions = np.flatnonzero(tree.player[tree.node_of_action] == player)
        self.place = np.zeros(len(tree.child), dtype=np.int64)
        self.place[self.actions] = np.arange(len(self.actions))
        self.number = 1 + len(self.actions) * observations
        # Row 0: the empty sequence has weight 1. Row of (node, observation): what leads in flows out.
        watched = np.arange(observations)
        node_place = np.zeros(tree.nodes, dtype=np.int64)
        node_place[self.nodes] = np.arange(len(self.nodes))
        out_rows = 1 + node_place[tree.node_of_action[self.actions]][:, None] * observations + watched
        in_rows = 1 + node_place[self.nodes][:, None] * observations + watched
        rows = np.concatenate(([0], out_rows.ravel(), in_rows.ravel()))
        columns = np.concatenate(
            (
                [0],
                self.index(self.actions[:, None], watched[None, :]).ravel(),
                self.index(last[self.nodes][:, None], watched[None, :]).ravel(),
            )
        )
        signs = np.concatenate(([1.0], np.ones(out_rows.size), -np.ones(in_rows.size)))
        self.constraints = coo_array(
            (signs, (rows, columns)), shape=(1 + len(self.nodes) * observations, self.number)
        ).tocsr()

    def index(self, action: NDArray[np.int64], observation: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the sequence that ends in an own action; -1 stands for none."""
        return np.where(action < 0, 0, 1 + self.place[action] * self.observations + observation)

    def behaviour(self, tree: PublicTree, plan: NDArray[np.float64], strategy: NDArray[np.float64]) -> None:
        """Write a plan as probabilities into `strategy`; rows that the plan never reaches stay as they are."""
        weights = np.maximum(plan[1:].reshape(-1, self.observations), 0.0)
        for node in self.nodes.tolist():
            rows = tree.rows(node)
            own = weights[self.place[rows]]
            whole = own.sum(axis=0)
            reached = whole > 1e-12
            strategy[rows, : self.observations][:, reached] = own[:, reached] / whole[reached]
