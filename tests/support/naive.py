"""Naive twins of the solver: dicts and recursion, straight from `PublicGame.moves` and the matrices of a `Hand`.

A profile maps (history, observation of the player who acts) to probabilities. Nothing here is shared with
`solver`; only `profile_of` reads its arrays, to hand a strategy over.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules.betting.actions import ALLIN, BET, BOTH, CALL, FOLD, NAME, RAISE, Action
from rules.betting.public_game import CHANCE, Move, Outcome, PublicGame
from rules.games.multiplayer import MultiplayerHand
from rules.games.spec import Deal, Hand, HandClass, HandSpec
from solver.trees.public_tree import PublicTree

History = tuple[Action, ...]
Profile = dict[tuple[History, int], list[float]]
Weights = dict[int, float]


# The public tree.


def positions(public: PublicGame) -> Iterator[tuple[History, Any]]:
    """Yield every history with where it leads, depth first, outcomes included."""

    def walk(history: History, position: Any) -> Iterator[tuple[History, Any]]:
        yield history, position
        if not isinstance(position, Outcome):
            for action, target in public.moves(position):
                yield from walk((*history, action), target)

    yield from walk((), public.root)


def levels(public: PublicGame) -> list[list[tuple[History, Any]]]:
    """Return the decision and chance nodes by depth, children in the order of their parents and actions."""
    by_depth: dict[int, list[tuple[History, Any]]] = defaultdict(list)
    for history, position in positions(public):
        if not isinstance(position, Outcome):
            by_depth[len(history)].append((history, position))
    return [by_depth[depth] for depth in range(len(by_depth))]


def perft(public: PublicGame) -> dict[str, int]:
    """Count the tree, every path for itself."""
    counts = {"p1": 0, "p2": 0, "chance": 0, "actions": 0, "terminals": 0}
    for _, position in positions(public):
        if isinstance(position, Outcome):
            counts["terminals"] += 1
        else:
            counts[{0: "p1", 1: "p2", CHANCE: "chance"}[public.player(position)]] += 1
            counts["actions"] += len(public.moves(position))
    return counts


# Profiles.


def profile_of(tree: PublicTree, strategy: NDArray[np.float64], observations: tuple[int, int]) -> Profile:
    """Read a strategy of the solver into a profile."""
    return {
        (tree.history(node), x): strategy[tree.rows(node), x].tolist()
        for node in range(tree.nodes)
        if tree.player[node] != CHANCE
        for x in range(observations[tree.player[node]])
    }


@dataclass
class NaiveHand:
    """A hand with its matrices as nested lists; `win[player]` is that player's utility."""

    hand: Hand

    def __post_init__(self) -> None:
        self.public = self.hand.public
        self.prior = self.hand.prior.tolist()
        self.sizes = self.hand.prior.shape
        self._win: dict[Any, list[list[float]]] = {}

    def pair(self, player: int, mine: int, theirs: int) -> tuple[int, int]:
        return (mine, theirs) if player == 0 else (theirs, mine)

    def chance_of(self, player: int, mine: int) -> Weights:
        """Return the joint probability of a player's observation with each of the other's."""
        found = {}
        for theirs in range(self.sizes[1 - player]):
            x, y = self.pair(player, mine, theirs)
            found[theirs] = self.prior[x][y]
        return found

    def win(self, player: int, outcome: Any, mine: int, theirs: int) -> float:
        if outcome not in self._win:
            self._win[outcome] = self.hand.utility(outcome).tolist()
        x, y = self.pair(player, mine, theirs)
        return self._win[outcome][x][y] if player == 0 else -self._win[outcome][x][y]

    def expected_value(self, profile: Profile) -> float:
        """Return P1's value of a profile, one pair of observations at a time."""

        def walk(history: History, position: Any, x: int, y: int) -> float:
            if isinstance(position, Outcome):
                return self.win(0, position, x, y)
            player = self.public.player(position)
            moves = self.public.moves(position)
            # The chance of a public card is in the utilities below it.
            played = [1.0] * len(moves) if player == CHANCE else profile[history, (x, y)[player]]
            return sum(
                probability * walk((*history, action), target, x, y)
                for probability, (action, target) in zip(played, moves, strict=True)
                if probability
            )

        return sum(
            self.prior[x][y] * walk((), self.public.root, x, y)
            for x in range(self.sizes[0])
            for y in range(self.sizes[1])
            if self.prior[x][y]
        )

    def values(self, profile: Profile, player: int, mine: int, best: bool) -> dict[History, float]:
        """Return a player's counterfactual value of every history with one observation.

        It sums over the other's observations, weighted by their joint probability and the other's reach; the
        player plays on by the profile, or as well as can be.
        """
        found: dict[History, float] = {}

        def walk(history: History, position: Any, weights: Weights) -> float:
            if isinstance(position, Outcome):
                value = sum(w * self.win(player, position, mine, theirs) for theirs, w in weights.items())
            else:
                acts = self.public.player(position)
                below = []
                for place, (action, target) in enumerate(self.public.moves(position)):
                    after = weights
                    if acts == 1 - player:
                        after = {theirs: w * profile[history, theirs][place] for theirs, w in weights.items()}
                    below.append(walk((*history, action), target, after))
                if acts != player:
                    value = sum(below)
                elif best:
                    value = max(below)
                else:
                    value = sum(p * v for p, v in zip(profile[history, mine], below, strict=True))
            found[history] = value
            return value

        walk((), self.public.root, self.chance_of(player, mine))
        return found

    def best_response(self, profile: Profile, player: int) -> float:
        """Return the most that a player can get against the other's part of a profile."""
        return sum(self.values(profile, player, mine, best=True)[()] for mine in range(self.sizes[player]))

    def bounds(self, profile: Profile) -> tuple[float, float, float]:
        """Return P1's value, and the bounds on the value of the game that a profile proves."""
        return self.expected_value(profile), -self.best_response(profile, 1), self.best_response(profile, 0)

    def reach(self, profile: Profile, player: int, history: History, observation: int) -> float:
        """Return the probability that a player's own actions follow a history."""
        position, product = self.public.root, 1.0
        for depth, action in enumerate(history):
            moves = self.public.moves(position)
            place = [legal for legal, _ in moves].index(action)
            if self.public.player(position) == player:
                product *= profile[history[:depth], observation][place]
            position = moves[place][1]
        return product

    def conditional_value(
        self, profile: Profile, player: int, history: History, place: int, mine: int
    ) -> tuple[float, float]:
        """Return an action's expected utility where a history is reached, and the chance that the other comes there.

        Both given the player's observation; one deal at a time.
        """
        _, position = self.public.follow(history)
        action, target = self.public.moves(position)[place]
        forced = profile | {(history, mine): [float(place == k) for k in range(len(self.public.moves(position)))]}

        def walk(history: History, position: Any, both: tuple[int, int]) -> float:
            if isinstance(position, Outcome):
                return self.win(player, position, mine, both[1 - player])
            acts = self.public.player(position)
            return sum(
                probability * walk((*history, action), target, both)
                for probability, (action, target) in zip(
                    forced[history, both[acts]], self.public.moves(position), strict=True
                )
                if probability
            )

        chance = {
            theirs: w * self.reach(profile, 1 - player, history, theirs)
            for theirs, w in self.chance_of(player, mine).items()
        }
        arrival = sum(chance.values())
        value = sum(
            w * walk((*history, action), target, self.pair(player, mine, theirs)) for theirs, w in chance.items() if w
        )
        return (value / arrival if arrival else float("nan")), arrival / sum(self.chance_of(player, mine).values())


class NaiveCFR:
    """Discounted CFR+ with alternating updates, as `solver.two_player.cfr` describes it.

    Iteration t updates P1 against P2's strategy, then P2 against P1's new one. Before the new regrets are
    added, old ones are multiplied by (t-1)^a / ((t-1)^a + 1); what is below 0 then becomes 0. The strategy that a
    player plays against counts in the other's average with weight t^c.
    """

    def __init__(self, hand: Hand, a: float = 1.5, c: float = 4.0) -> None:
        self.naive, self.schedule, self.iteration = NaiveHand(hand), (a, c), 0
        self.regret: Profile = {}
        self.sums: Profile = {}
        for history, position in positions(hand.public):
            if not isinstance(position, Outcome) and hand.public.player(position) != CHANCE:
                for x in range(self.naive.sizes[hand.public.player(position)]):
                    self.regret[history, x] = [0.0] * len(hand.public.moves(position))
                    self.sums[history, x] = [0.0] * len(hand.public.moves(position))
        self.current = {key: matched(row) for key, row in self.regret.items()}

    def iterate(self) -> None:
        self.iteration += 1
        for player in (0, 1):
            self.update(player)

    def update(self, player: int) -> None:
        """Do a player's half of an iteration."""
        self._count(1 - player)
        for mine in range(self.naive.sizes[player]):
            self._learn(player, mine)

    def adopt(self, regret: Profile) -> None:
        """Go on from these regrets; nothing else is remembered but the sums."""
        self.regret |= regret
        self.current |= {key: matched(row) for key, row in regret.items()}

    def _of(self, player: int) -> Iterator[tuple[History, Any]]:
        for history, position in positions(self.naive.public):
            if not isinstance(position, Outcome) and self.naive.public.player(position) == player:
                yield history, position

    def _count(self, player: int) -> None:
        weight = self.iteration ** self.schedule[1]
        for history, _ in self._of(player):
            for x in range(self.naive.sizes[player]):
                reach = self.naive.reach(self.current, player, history, x)
                row = self.sums[history, x]
                self.sums[history, x] = [
                    s + weight * reach * p for s, p in zip(row, self.current[history, x], strict=True)
                ]

    def _learn(self, player: int, mine: int) -> None:
        values = self.naive.values(self.current, player, mine, best=False)
        before = self.iteration - 1
        kept = before ** self.schedule[0] / (before ** self.schedule[0] + 1)
        for history, position in self._of(player):
            row = []
            for old, (action, _) in zip(self.regret[history, mine], self.naive.public.moves(position), strict=True):
                row.append(max(0.0, old * kept + values[*history, action] - values[history]))
            self.regret[history, mine] = row
            self.current[history, mine] = matched(row)

    def average(self) -> Profile:
        return {key: matched(row) for key, row in self.sums.items()}


def matched(row: list[float]) -> list[float]:
    """Return the probabilities that positive numbers are in proportion to; even where there is none."""
    positive = [max(value, 0.0) for value in row]
    whole = sum(positive)
    return [value / whole for value in positive] if whole > 0 else [1 / len(row)] * len(row)


# A smaller game's profile in the whole game.


def level_of(history: History) -> int:
    """Return the chips beyond the ante that a history asks for."""
    level = 0
    for action in history:
        level = 2 * level if action.kind == BOTH else level + action.size
    return level


def likest(action: Action, level: int, history: History, offered: list[Action]) -> Action | None:
    """Return the action offered after a history that is most like one which reaches a level; the first of equals."""
    if action.kind in (FOLD, CALL, NAME) or (action.kind == BOTH and Action(BOTH) in offered):
        named = [one for one in offered if one.kind == action.kind]
        return next((one for one in named if one.side == action.side), named[0] if named else None)
    sized = [one for one in offered if one.kind in (BET, RAISE, ALLIN)]
    on_side = [one for one in sized if one.side == action.side] or sized
    best = None
    for one in sorted(on_side, key=lambda one: one.size):
        gap = abs(level_of((*history, one)) - level)
        if best is None or gap < best[0]:
            best = (gap, one)
    return best and best[1]


def call_among(offered: list[Action], side: str) -> Action:
    """Return the call, on a side if it is there; folding where nobody has bet."""
    calls = [one for one in offered if one.kind == CALL]
    return next((one for one in calls if one.side == side), (calls or offered)[0])


def read_on(small: dict[History, list[Action]], read: History | None, history: History, action: Action) -> Any:
    """Return the history of the smaller game that a history of the whole one is read as after one more action."""
    if read is None:
        return None
    level = level_of((*history, action))
    taken = likest(action, level, read, small[read])
    if taken is not None and (*read, taken) in small:
        return (*read, taken)
    if len(read) < 2:
        return None
    turn, before = read[:-2], read[-2]
    taken = likest(Action(action.kind, action.size, before.side), level, turn, small[turn])
    return (*turn, taken) if taken is not None and (*turn, taken) in small else None


def translated(large: PublicGame, small: PublicGame, profile: Profile, sizes: tuple[int, int]) -> Profile:
    """Turn a profile of a smaller game into one of the whole game, history by history."""
    known = {
        history: [action for action, _ in small.moves(position)]
        for history, position in positions(small)
        if not isinstance(position, Outcome)
    }
    found: Profile = {}

    def walk(history: History, position: Any, read: History | None) -> None:
        if isinstance(position, Outcome):
            return
        moves = large.moves(position)
        offered = [action for action, _ in moves]
        for x in range(sizes[large.player(position)]):
            row = dict.fromkeys(offered, 0.0)
            if read is None:
                row[call_among(offered, "")] = 1.0
            else:
                for action, probability in zip(known[read], profile[read, x], strict=True):
                    level, played = level_of((*read, action)), None
                    if not (action.kind in (BET, RAISE, ALLIN, BOTH) and level <= level_of(history)):
                        played = likest(action, level, history, offered)
                    row[played or call_among(offered, action.side)] += probability
            found[history, x] = list(row.values())
        for action, target in moves:
            if not isinstance(target, Outcome):
                walk((*history, action), target, read_on(known, read, history, action))

    walk((), large.root, ())
    return found


# Ordinary one-card poker: everybody sees the OWN card.


@dataclass(frozen=True)
class Done(Outcome):
    folder: int | None
    paid: tuple[int, int]


@dataclass(frozen=True)
class OwnCardBetting(PublicGame):
    """Bet or fold, then call, raise or fold; a state is what both have put in beyond the ante, and who acts."""

    cap: int
    sizes: tuple[int, ...]

    @property
    def root(self) -> Any:  # type: ignore[override]
        return (0, 0, 0) if self.cap else Done(None, (0, 0))

    def player(self, state: tuple[int, int, int]) -> int:
        return state[2]

    def moves(self, state: tuple[int, int, int]) -> tuple[Move, ...]:
        paid, actor = state[:2], state[2]
        level = max(paid)
        moves: list[Move] = [(Action(FOLD), Done(actor, paid))]
        if level:
            moves.append((Action(CALL), Done(None, (level, level))))
        for size in sorted({*(size for size in self.sizes if level + size <= self.cap), self.cap - level} - {0}):
            put_in = tuple(level + size if player == actor else paid[player] for player in (0, 1))
            kind = ALLIN if level + size == self.cap else RAISE if level else BET
            moves.append((Action(kind, size), (*put_in, 1 - actor)))
        return tuple(moves)


class OwnCardPoker(HandSpec):
    """Each is dealt one card and looks at it; the higher wins. `counts` are the cards of each rank, ascending.

    The betting offers `sizes` and always the all-in. No penalties.
    """

    game = "own-card"
    headline = "any deck"

    def __init__(self, counts: tuple[int, ...], stacks: tuple[int, int], carry: int, sizes: tuple[int, ...]) -> None:
        self.counts, self.carry = counts, carry
        self._public = OwnCardBetting(min(stacks) - 1, sizes)

    @property
    def public(self) -> PublicGame:
        return self._public

    def to_dict(self) -> dict[str, Any]:
        return {"game": self.game}

    def observation(self, text: object) -> str:
        return str(text)

    def classes(self) -> tuple[HandClass, ...]:
        total, ranks = sum(self.counts), range(len(self.counts))
        prior = np.zeros((len(self.counts),) * 2)
        for mine in ranks:
            for theirs in ranks:
                pairs = self.counts[mine] * (self.counts[theirs] - (mine == theirs))
                prior[mine, theirs] = pairs / (total * (total - 1))

        def utility(outcome: Done) -> NDArray[np.float64]:
            # Half of the pot carried over belongs to each, before the hand and after a tie.
            pot = self.carry + 2 + sum(outcome.paid)
            taken = {0: 0.0, 1: float(pot), None: pot / 2}
            table = np.zeros(prior.shape)
            for mine in ranks:
                for theirs in ranks:
                    winner = None if mine == theirs else int(mine > theirs)
                    if outcome.folder is not None:
                        winner = outcome.folder  # counted for P1: 0 where P1 folds, 1 where P2 does
                    table[mine, theirs] = taken[winner] - 1 - outcome.paid[0] - self.carry / 2
            return table

        names = tuple(map(str, ranks))
        return (HandClass(Hand(self._public, prior, utility), (Deal("", 1.0, (names, names)),)),)


# Any number of players.

Seen = tuple[int, ...]
TableProfile = dict[tuple[History, Seen], list[float]]


@dataclass
class NaiveTable:
    """A table by plain enumeration of deals and histories; a profile maps (history, cards seen) to probabilities."""

    table: MultiplayerHand

    def deals(self) -> Iterator[tuple[Seen, float]]:
        """Yield every deal with its probability, card after card."""
        kinds, copies = len(self.table.cards), self.table.copies
        for deal in product(range(kinds), repeat=self.table.players):
            chance = 1.0
            for place, card in enumerate(deal):
                chance *= max(0, copies - deal[:place].count(card)) / (kinds * copies - place)
            if chance:
                yield deal, chance

    def win(self, outcome: Any, deal: Seen) -> list[float]:
        left = self.table.ended(outcome).left
        best = max(deal[seat] for seat in left)
        return list(self.table.utility(outcome, tuple(seat for seat in left if deal[seat] == best)))

    def seen(self, deal: Seen, player: int) -> Seen:
        return (*deal[:player], *deal[player + 1 :])

    def values(self, profile: TableProfile) -> list[float]:
        """Return each player's value, one deal at a time."""

        def walk(history: History, position: Any, deal: Seen) -> NDArray[np.float64]:
            if isinstance(position, Outcome):
                return np.array(self.win(position, deal))
            seen = self.seen(deal, self.table.public.player(position))
            total = np.zeros(self.table.players)
            for p, (action, target) in zip(profile[history, seen], self.table.public.moves(position), strict=True):
                total += p * walk((*history, action), target, deal)
            return total

        return list(sum(chance * walk((), self.table.public.root, deal) for deal, chance in self.deals()))  # type: ignore[call-overload]

    def best_value(self, profile: TableProfile, player: int) -> float:
        """Return what a player's best response gets, one set of cards seen at a time."""
        by_seen: dict[Seen, list[tuple[Seen, float]]] = defaultdict(list)
        for deal, chance in self.deals():
            by_seen[self.seen(deal, player)].append((deal, chance))

        def walk(history: History, position: Any, weighted: list[tuple[Seen, float]]) -> float:
            """Return the value summed over deals weighted by chance and by how the others play."""
            if isinstance(position, Outcome):
                return sum(weight * self.win(position, deal)[player] for deal, weight in weighted)
            acting, moves = self.table.public.player(position), self.table.public.moves(position)
            if acting == player:
                return max(walk((*history, action), target, weighted) for action, target in moves)
            return sum(
                walk(
                    (*history, action),
                    target,
                    [(deal, w * profile[history, self.seen(deal, acting)][place]) for deal, w in weighted],
                )
                for place, (action, target) in enumerate(moves)
            )

        return sum(walk((), self.table.public.root, weighted) for weighted in by_seen.values())
