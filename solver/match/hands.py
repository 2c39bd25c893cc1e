"""Every hand of a match as arrays, and many of them solved side by side.

The hands of a match differ in deck and chips. Those with the same cap share their public tree: they stand in
the lanes of vectors, or where the tree is large are worked on one after the other.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError
from rules.betting.chips import Chips, every_chips, winner
from rules.betting.public_game import Outcome
from rules.games.deck_models import FULL, DeckModel
from rules.games.match_spec import POT_BLIND, MatchSpec
from solver.kernels import match as match_kernels
from solver.trees.column_layout import COUNT, ColumnLayout, lay_out, observations
from solver.trees.public_tree import PublicTree, unfold
from solver.two_player import cfr
from solver.two_player.backends import ColumnBackend, Scratch
from solver.two_player.payoffs import ROUNDING

WON, LOST, DRAWN = range(3)
"""Columns of a table behind those of the chips: P1 has won the match, has lost it, and neither."""
ENDED = (0.0, 1.0, 0.5)
"""What stands there: the chance of the other player, who would be the next hand's first bettor."""

VISITS = 16_000
"""Nodes of all hands of one piece of work, about."""

SMALL, LARGE, FILLED = 700, 4_500, 0.7
"""Hands stand side by side where their tree has at most so many nodes, or at most the second number and its own nodes
fill less than this part of the vectors; elsewhere waiting for the slowest of them costs more than it saves."""

MAX_ITERATIONS = 20_000


class Level(NamedTuple):
    """What the decks of one size can deal.

    Parameters
    ----------
    deck
        Which of these each kind of hand is dealt from, shape (kinds,), int64.
    weight
        The probability of the kind, shape (kinds,).
    kinds
        For the kernels.
    """

    deck: NDArray[np.int64]
    weight: NDArray[np.float64]
    kinds: match_kernels.Kinds


class Tables(NamedTuple):
    """What later hands are worth to their first bettor, a win probability, shape (decks, columns), float64 each.

    Parameters
    ----------
    lower, upper
        Bounds, which best responses are measured with.
    middle
        The values between them that hands are solved with.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    middle: NDArray[np.float64]


class Batch(NamedTuple):
    """Some hands of one level and one cap: from `start` to `end`, or those `picked`; see `MatchHands.hands`."""

    level: int
    cap: int
    start: int
    end: int
    picked: tuple[int, ...] = ()

    @property
    def hands(self) -> int:
        """How many."""
        return len(self.picked) or self.end - self.start


class BatchResult(NamedTuple):
    """What solving a piece gave.

    Parameters
    ----------
    bounds
        The least that P1 can make sure of, and the most, by hand, shape (2, hands), float64.
    leads
        Where the hands lead, by column of a table, summed over the kinds of hands by their probability: a row for
        each state of the chips that the piece has, in order, shape (states, columns), float64. First when both
        play their profile, then when P2 and when P1 answers it best; nothing where that was not asked for.
    iterations
        Of CFR, of all hands together.
    """

    bounds: NDArray[np.float64]
    leads: tuple[NDArray[np.float64], ...]
    iterations: int


@dataclass(frozen=True, eq=False)
class Cap:
    """What the hands with one cap share, and what tells their chips apart.

    Parameters
    ----------
    tree, layout
        The public tree, and how it is laid out; no layout where nobody acts.
    states
        The states of the chips that have this cap, shape (states,), int64.
    ends
        Where the tree ends, for each of them.
    spare
        What kernels overwrite.
    """

    tree: PublicTree
    layout: ColumnLayout | None
    states: NDArray[np.int64]
    ends: match_kernels.Ends
    spare: list[Scratch]

    @property
    def together(self) -> int:
        """How many hands stand side by side."""
        return self.layout.hands if self.layout is not None else COUNT


class MatchHands:
    """The hands of a match.

    Parameters
    ----------
    spec
        The game and its options, at the start of a match.
    model
        The decks of later hands.
    """

    def __init__(self, spec: MatchSpec, model: DeckModel) -> None:
        if spec.betting.of_pot:  # the pot carried over would change the tree, and there is one tree for each cap
            raise OptionError(POT_BLIND)
        self.model = model
        self.spec = replace(spec.fresh(), chips=Chips(spec.chips.total // 2, spec.chips.total // 2, 0))
        self.states = every_chips(spec.chips.total)
        self.number = {chips: number for number, chips in enumerate(self.states)}
        self._caps: dict[int, Cap] = {}
        self._levels: dict[int, Level] = {}

    @cached_property
    def caps(self) -> tuple[int, ...]:
        """Every cap, the largest trees first."""
        return tuple(sorted({chips.cap for chips in self.states}, reverse=True))

    @cached_property
    def nodes(self) -> int:
        """Decision nodes of all hands."""
        kinds = sum(len(self.level(level).deck) for level in range(len(self.model.levels)))
        return kinds * sum(self.cap(cap).tree.nodes * len(self.cap(cap).states) for cap in self.caps)

    @cached_property
    def contests(self) -> dict[object, tuple[int, ...]]:
        """Every contest, and what the cards can say in it; there are no more contests in smaller decks or trees."""
        deals = self.model.deals(FULL)
        return {
            contest: tuple(np.unique(np.concatenate([one.verdicts[contest].ravel() for one in deals])).tolist())
            for contest in self.spec.contests
        }

    def cap(self, cap: int) -> Cap:
        """Return what the hands with a cap share."""
        if cap not in self._caps:
            states = [number for number, chips in enumerate(self.states) if chips.cap == cap]
            specs = [replace(self.spec, chips=self.states[number]) for number in states]
            tree = unfold(specs[0].public)
            order = list(self.contests)
            contest = [order.index(self.spec.contest(outcome)) for outcome in tree.outcomes]
            after = np.zeros((len(states), len(tree.outcomes), 3), dtype=np.int64)
            for place, spec in enumerate(specs):
                for outcome, said in enumerate(tree.outcomes):
                    for verdict, value in enumerate(self.contests[order[contest[outcome]]]):
                        after[place, outcome, verdict] = self.column(spec, said, value)
            layout = None
            if tree.nodes:
                layout = self._layout(tree)
            ends = match_kernels.Ends(np.array(contest), after)
            self._caps[cap] = Cap(tree, layout, np.array(states), ends, [])
        return self._caps[cap]

    def _layout(self, tree: PublicTree) -> ColumnLayout:
        """Lay a tree out for one hand, or for many side by side, whatever costs less for what hands then lose."""
        width = observations(self.width)
        if tree.nodes > SMALL:
            alone = lay_out(tree, width, 1)
            if tree.nodes > LARGE or alone.filled >= FILLED:
                return alone
        return lay_out(tree, width, COUNT)

    def column(self, spec: MatchSpec, outcome: Outcome, verdict: int) -> int:
        """Return the column of a table that stands for the match after a hand."""
        after = spec.settle(outcome, verdict)
        won = winner(after)
        if won is None:
            return self.number[after.swapped()]
        return len(self.states) + int(DRAWN if won == "draw" else LOST if won else WON)

    @property
    def columns(self) -> int:
        """Columns of a table."""
        return len(self.states) + len(ENDED)

    @cached_property
    def width(self) -> int:
        """The most observations that anyone has."""
        return max(int(side) for one in self.model.deals(FULL) for side in one.prior.shape)

    def level(self, number: int) -> Level:
        """Return what the decks of a level can deal."""
        if number not in self._levels:
            decks = self.model.levels[number]
            deals = [(place, one) for place, deck in enumerate(decks) for one in self.model.deals(deck)]
            size = observations(self.width)
            prior = np.zeros((len(deals), size, size))
            verdict = np.zeros((len(deals), len(self.contests), size, size), dtype=np.int8)
            after = np.zeros((len(deals), size, size), dtype=np.int32)
            for place, (_, one) in enumerate(deals):
                n1, n2 = one.prior.shape
                prior[place, :n1, :n2], after[place, :n1, :n2] = one.prior, one.next
                for contest, (name, values) in enumerate(self.contests.items()):
                    verdict[place, contest, :n1, :n2] = np.searchsorted(values, one.verdicts[name])
            self._levels[number] = Level(
                np.array([place for place, _ in deals]),
                np.array([one.weight for _, one in deals]),
                match_kernels.Kinds(prior, verdict, after),
            )
        return self._levels[number]

    def hands(self, piece: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the kind and the chips of a piece's hands, as numbered in `level` and in `Cap.states`.

        Hand k of a level and a cap has chips ``k // kinds`` and is dealt with kind ``k % kinds``.
        """
        numbers = np.array(piece.picked) if piece.picked else np.arange(piece.start, piece.end)
        state, kind = np.divmod(numbers, len(self.level(piece.level).deck))
        return kind, state

    def find(self, deck: int, deal: int, chips: Chips) -> tuple[Batch, int]:
        """Return the hands that stand side by side with one, and its place among them.

        Parameters
        ----------
        deck, deal
            As the deck model numbers them.
        """
        level, first = self._decks[deck]
        cap, kinds = self.cap(chips.cap), len(self.level(level).deck)
        number = int(np.searchsorted(cap.states, self.number[chips])) * kinds + first + deal
        start = number // cap.together * cap.together
        end = min(start + cap.together, len(cap.states) * kinds)
        return Batch(level, chips.cap, start, end), number - start

    @cached_property
    def _decks(self) -> dict[int, tuple[int, int]]:
        """Each deck's level, and its first kind there."""
        return {
            deck: (number, int(np.searchsorted(self.level(number).deck, place)))
            for number, decks in enumerate(self.model.levels)
            for place, deck in enumerate(decks)
        }

    def pieces(self, level: int) -> list[Batch]:
        """Return a level's work in pieces; they do not depend on who does it."""
        found = []
        for cap in self.caps:
            here = self.cap(cap)
            number = len(self.level(level).deck) * len(here.states)
            step = here.together * max(1, VISITS // (here.together * max(1, here.tree.nodes)))
            found += [Batch(level, cap, start, min(start + step, number)) for start in range(0, number, step)]
        return found

    def work(
        self, piece: Batch, tables: Tables, gap: float, leads: bool = False, halt: NDArray[np.int64] | None = None
    ) -> BatchResult:
        """Solve the hands of a piece.

        Parameters
        ----------
        gap
            Target NashConv of each hand, a win probability.
        leads
            Whether to say where hands lead to; only for a model of one level.
        halt
            Stops the work once ``halt[0]`` is not 0; what is returned is of no use then.
        """
        here, level = self.cap(piece.cap), self.level(piece.level)
        kind, state = self.hands(piece)
        lanes, size = here.together, level.kinds.prior.shape[1]
        payoffs = np.zeros((2, len(here.tree.outcomes), size, size, lanes))
        bounds = np.zeros((2, len(kind)))
        rows = np.unique(state)
        found = tuple(np.zeros((len(rows), self.columns)) for _ in range(3 if leads else 0))
        stopping = cfr.new_stop_flag() if halt is None else halt
        done = 0
        for start in range(0, len(kind), lanes):
            some = slice(start, min(start + lanes, len(kind)))
            chosen = _Chosen(here, level, kind[some], state[some])
            if some.stop - some.start < lanes:
                payoffs[...] = 0.0
            match_kernels.fill(level.kinds, here.ends, *chosen[2:], tables.middle, tables.middle, payoffs)
            engine = None
            if here.layout is not None:
                engine = self._solved(chosen, payoffs, gap, stopping)
                done += engine.iterations * len(chosen.kind)
            if tables.middle is not tables.lower:
                match_kernels.fill(level.kinds, here.ends, *chosen[2:], tables.lower, tables.upper, payoffs)
            if engine is None:
                for player in range(2):
                    worth = payoffs[player].sum(axis=(0, 1, 2))[: len(chosen.kind)] + ROUNDING
                    bounds[1 - player, some] = worth if player == 0 else -worth
            else:
                if tables.middle is not tables.lower:
                    (task,) = engine.measuring(1)
                    task()
                bounds[:, some] = np.array([(one.lower, one.upper) for one in engine.qualities()]).T
            if found:
                self._leads(chosen, engine, payoffs, rows, found)
            if stopping[0]:
                break
        return BatchResult(bounds, found, done)

    def profiles(self, piece: Batch, table: NDArray[np.float64], gap: float) -> NDArray[np.float32]:
        """Solve the hands of a piece as `work` does, and return what both players' play is in proportion to.

        Parameters
        ----------
        table
            What later hands are worth to their first bettor, shape (decks, columns).
        gap
            As in `work`.

        Returns
        -------
        ndarray of float32, shape (hands, A, observations)
            For every action of `Cap.tree`.
        """
        here, level = self.cap(piece.cap), self.level(piece.level)
        kind, state = self.hands(piece)
        lanes, size = here.together, level.kinds.prior.shape[1]
        found = np.zeros((len(kind), len(here.tree.child), self.width), dtype=np.float32)
        for start in range(0, len(kind) if here.layout is not None else 0, lanes):
            some = slice(start, min(start + lanes, len(kind)))
            chosen = _Chosen(here, level, kind[some], state[some])
            payoffs = np.zeros((2, len(here.tree.outcomes), size, size, lanes))
            match_kernels.fill(level.kinds, here.ends, *chosen[2:], table, table, payoffs)
            found[some] = self._solved(chosen, payoffs, gap, cfr.new_stop_flag()).sums()
        return found

    def _solved(
        self, chosen: "_Chosen", payoffs: NDArray[np.float64], gap: float, halt: NDArray[np.int64]
    ) -> ColumnBackend:
        """Run CFR on hands side by side until each has the gap."""
        layout = chosen.here.layout
        assert layout is not None
        mine = payoffs if layout.hands > 1 else payoffs[..., 0]
        engine = ColumnBackend(tuple(range(len(chosen.kind))), mine, ROUNDING, layout, chosen.here.spare, self.width)
        while True:
            target = min(cfr.next_check(engine.iterations), MAX_ITERATIONS)
            for task in (*engine.iterating(target, halt, 1), *engine.measuring(1)):
                task()
            widest = max(quality.nash_conv for quality in engine.qualities())
            if widest <= gap or halt[0] or engine.iterations >= MAX_ITERATIONS:
                return engine

    def _leads(
        self,
        chosen: "_Chosen",
        engine: ColumnBackend | None,
        payoffs: NDArray[np.float64],
        rows: NDArray[np.int64],
        found: tuple[NDArray[np.float64], ...],
    ) -> None:
        """Add where some hands lead, to each matrix of `BatchResult.leads`, with a row for each state."""
        here, level, kinds, states = chosen
        tree, size = here.tree, payoffs.shape[2]
        weighted = list(zip(kinds, states, np.searchsorted(rows, states), level.weight[kinds], strict=True))
        if engine is None:
            for kind, state, row, weight in weighted:
                columns = here.ends.after[state, 0][level.kinds.verdict[kind, here.ends.contest[0]]]
                for matrix in found:
                    np.add.at(matrix[row], columns, weight * level.kinds.prior[kind])
            return
        arrays = tree.player, tree.first, tree.child
        reach, value = np.zeros((2, tree.nodes, size)), np.zeros((tree.nodes, size))
        mass, weights = np.zeros((len(tree.outcomes), size, size)), np.zeros((len(tree.child), size))
        one = np.zeros((1, self.columns))
        for place, ((kind, state, row, weight), total) in enumerate(zip(weighted, engine.sums(), strict=True)):
            for answering, matrix in zip((None, 1, 0), found, strict=True):
                weights[:, : self.width] = total
                if answering is not None:
                    match_kernels.respond(*arrays, weights, answering, payoffs, place, reach[0], value)
                one[...] = 0.0
                match_kernels.lead(*arrays, weights, level.kinds, here.ends, kind, state, reach, mass, one)
                matrix[row] += weight * one[0]


class _Chosen(NamedTuple):
    """Some hands of one cap and level, by kind and state of the chips."""

    here: Cap
    level: Level
    kind: NDArray[np.int64]
    state: NDArray[np.int64]
