"""The match as a recursive game: the chance to win from every deck and state of the chips, between proven bounds.

Everett 1957, "Recursive games"; the match is one in which every hand is a game whose outcomes are a win, a
loss or another hand. After a hand the players swap roles, so that a lower bound for one becomes an upper bound
for the other: with tables L and H, P1 can win with at least L and P2 can hold P1 to at most H. They prove
themselves in one sweep over all hands where at each of them P1's strategy, with later hands worth 1 - H, earns
at least L + m against every P2, and P2's, with later hands worth 1 - L, leaves P1 at most H - m against every
P1. Each hand then gains m, so that a match that never ends cannot matter.

First come guesses. In a sweep each hand is solved with the values of the last one. Where decks are always fresh
a sweep's strategies are then held fast and the linear equations of their values solved, which is policy
iteration (Newton's method on the value equations), and those of the best responses to either player's, which say
how wide the tables will be; the bounds that are to be proved are these, scaled to the gap. Where the decks left are
followed, each sweep is a backward induction from the smallest deck to the full one, and the full deck's values are
soon their own; a last sweep proves them, moved outward by more than the hands' own gaps add up to.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import UnprovedError
from rules.games.deck_models import FULL
from solver.match.hands import DRAWN, ENDED, WON, Batch, BatchResult, MatchHands, Tables

MARGIN = 1e-8
"""How much each hand gains on the tables."""

FIRST_GAP = 1e-2
FINER, FURTHER = 4.0, 10.0
"""From one guess to the next the gap is divided by the first; where decks are followed it is at most the last change by
the second."""
AIM, LEFT, WHOLE = 0.6, 0.95, 0.98
"""Where decks are fresh, as parts of the gap: how wide what best responses leave is to be, how wide it may be, and how
wide the tables are then made; the room in between is for what differs from one sweep to the next."""
ALMOST = 1.5
"""A gap of at most so many times the last one is not worth a sweep of its own."""
LEAST = 1e-3
"""Hands are solved to no smaller gap than this part of the match's."""
SHIFT, OWN = 0.72, 0.6
"""Where decks are followed: how wide the tables begin at the full deck, as a part of the gap, and which part of
what is left of that on the way to the next one the hands in between may lose."""
WIDEST_OWN = 0.1
"""The most that a single hand's gap may be, as a part of the gap."""
SURVIVAL = 0.5
"""The chance that a match outlasts a deck, where nothing is known of it yet."""
ROUGHLY, CLOSE = 4.0, 0.25
"""How much wider the hands' gaps may be in the last guess than in the proof, and how far off the guess before it, as
a part of what the tables begin with on each side."""
NARROWER = 0.7
"""Where decks are followed and bounds come out too wide, hands' own gap is lowered to this part of what would do."""
WIDER = 1.1
"""Where decks are followed and nothing was proved, the tables begin so much wider."""
ATTEMPTS, PATIENT = 10, 2
"""Proofs that are tried, and those after which the hands' gap falls faster: CFR is measured now and then only, so that
a slightly smaller gap may give the same strategies again."""


class Step(NamedTuple):
    """Where a sweep is: which one, its aim, the level it is on, and its pieces.

    Parameters
    ----------
    sweep
        From 1 on.
    proof
        Whether it may be the last.
    gap
        NashConv that each hand is solved to, a win probability.
    level, levels
        Levels done, of how many.
    nodes, all_nodes
        Decision nodes of all hands done, of how many in the sweep.
    widest
        The widest of the bounds found in this sweep; 0 before there are any.
    """

    sweep: int
    proof: bool
    gap: float
    level: int
    levels: int
    nodes: int
    all_nodes: int
    widest: float


class Workers(Protocol):
    """Whoever solves pieces of a sweep."""

    def each(self, pieces: list[Batch], tables: Tables, gap: float, leads: bool) -> Iterable[tuple[int, BatchResult]]:
        """Yield the number of each piece and what was found, in any order."""


class Kept(Protocol):
    """What is kept of the pieces that have been solved, for a run that goes on later."""

    def get(self, sweep: int, piece: Batch) -> BatchResult | None:
        """Return what was found in an earlier run."""

    def put(self, sweep: int, piece: Batch, found: BatchResult) -> None:
        """Keep what was found."""


class Nothing:
    """Keep nothing."""

    def get(self, sweep: int, piece: Batch) -> BatchResult | None:
        """Return nothing."""
        return None

    def put(self, sweep: int, piece: Batch, found: BatchResult) -> None:
        """Forget it."""


class Result(NamedTuple):
    """A match solved.

    Parameters
    ----------
    lower, upper
        The tables that prove themselves, shape (decks, states), float32.
    values
        What the full deck's hands were taken to be worth in the proof, shape (states,), float32.
    gap
        NashConv that each hand was solved to there.
    sweeps
        How many it took.
    """

    lower: NDArray[np.float32]
    upper: NDArray[np.float32]
    values: NDArray[np.float32]
    gap: float
    sweeps: int


@dataclass
class Sweep:
    """One pass over all hands.

    Parameters
    ----------
    tables
        For every deck; for the full deck those that it began with.
    full
        Bounds found for the full deck, shape (2, states).
    leads
        Where the full deck's hands lead, as `BatchResult.leads` has it; nothing where decks are followed.
    """

    tables: Tables
    full: NDArray[np.float64]
    leads: tuple[NDArray[np.float64], ...]

    @property
    def middle(self) -> NDArray[np.float64]:
        """The middle of the bounds found for the full deck."""
        return np.asarray(self.full.mean(axis=0))

    @property
    def proves(self) -> bool:
        """Whether the tables have proved themselves."""
        states = self.full.shape[1]
        lower, upper = self.tables.lower[FULL, :states], self.tables.upper[FULL, :states]
        return bool((self.full[0] >= lower + MARGIN).all() and (self.full[1] <= upper - MARGIN).all())

    @property
    def widest(self) -> float:
        """The widest bounds of all that the tables say."""
        return float((self.tables.upper - self.tables.lower).max())


class Guess(NamedTuple):
    """What is to be proved of the full deck: values, bounds around them, shape (states,), and each hand's gap."""

    values: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    gap: float


class MatchSolver:
    """Sweeps over the hands of a match.

    Parameters
    ----------
    hands
        All of them.
    workers
        Who solves them.
    kept
        What an earlier run left.
    on_step
        Called after each piece of work.
    """

    def __init__(
        self,
        hands: MatchHands,
        workers: Workers,
        kept: Kept | None = None,
        on_step: Callable[[Step], None] | None = None,
    ) -> None:
        self._hands, self._workers, self._kept = hands, workers, kept or Nothing()
        self._on_step = on_step or (lambda _: None)
        self._sweeps = 0
        self._followed = len(hands.model.levels) > 1

    def solve(self, gap: float) -> Result:
        """Find tables that prove themselves and are nowhere wider than `gap`.

        Raises
        ------
        UnprovedError
            Where the hands cannot be solved well enough for it.
        """
        return self._solved_backwards(gap) if self._followed else self._solved_fresh(gap)

    def sweep(
        self,
        values: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        gap: float,
        proof: bool = False,
    ) -> Sweep:
        """Solve every hand once, from the smallest decks to the full one.

        Parameters
        ----------
        values
            What a full deck's hands are taken to be worth, shape (states,).
        lower, upper
            Bounds for the same; all three are rounded to what float32 has, bounds outward.
        gap
            NashConv that each hand is solved to.
        proof
            What to say of it in each `Step`.
        """
        hands, levels = self._hands, self._hands.model.levels
        self._sweeps += 1
        states = len(hands.states)
        tables = Tables(blank(hands), blank(hands), blank(hands))
        for table, row in zip(tables, (outward(lower, False), outward(upper, True), single(values)), strict=True):
            table[FULL, :states] = row
        work = [hands.pieces(level) for level in range(len(levels))]
        all_nodes = sum(nodes(hands, piece) for pieces in work for piece in pieces)
        step = Step(self._sweeps, proof, gap, 0, len(levels), 0, all_nodes, 0.0)
        for level, pieces in enumerate(work):
            found = self._solved(pieces, tables, step._replace(level=level))
            bounds, leads = self._together(level, pieces, found)
            if level < len(levels) - 1:
                decks = np.array(levels[level])
                tables.lower[decks, :states] = outward(bounds[0] - MARGIN, up=False)
                tables.upper[decks, :states] = outward(bounds[1] + MARGIN, up=True)
                tables.middle[decks, :states] = 0.5 * (tables.lower + tables.upper)[decks, :states]
            widest = max(float((one.bounds[1] - one.bounds[0]).max()) for one in found)
            step = step._replace(
                nodes=step.nodes + sum(nodes(hands, piece) for piece in pieces), widest=max(step.widest, widest)
            )
        return Sweep(tables, bounds[:, 0], leads)

    def _solved(self, pieces: list[Batch], tables: Tables, step: Step) -> list[BatchResult]:
        """Return what is found in each piece of a level, in an earlier run or now."""
        found = {}
        for number, piece in enumerate(pieces):
            one = self._kept.get(step.sweep, piece)
            if one is not None and self._fits(piece, one):
                found[number] = one
                step = step._replace(nodes=step.nodes + nodes(self._hands, piece))
        missing = [number for number in range(len(pieces)) if number not in found]
        todo = [pieces[number] for number in missing]
        for place, one in self._workers.each(todo, tables, step.gap, leads=not self._followed):
            number = missing[place]
            self._kept.put(step.sweep, pieces[number], one)
            found[number] = one
            widest = float((one.bounds[1] - one.bounds[0]).max())
            step = step._replace(nodes=step.nodes + nodes(self._hands, pieces[number]), widest=max(step.widest, widest))
            self._on_step(step)
        return [found[number] for number in range(len(pieces))]

    def _fits(self, piece: Batch, found: BatchResult) -> bool:
        """Say whether something kept has the form of what a piece gives; else the piece is solved again."""
        _, state = self._hands.hands(piece)
        rows = 0 if self._followed else len(np.unique(state))
        shapes = [(rows, self._hands.columns)] * (0 if self._followed else 3)
        return found.bounds.shape == (2, piece.hands) and [one.shape for one in found.leads] == shapes

    def _together(
        self, level: int, pieces: list[Batch], found: list[BatchResult]
    ) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], ...]]:
        """Return the bounds of a level, shape (2, decks, states), and where its hands lead, over all its deals."""
        hands, here = self._hands, self._hands.level(level)
        bounds = np.zeros((2, len(hands.model.levels[level]), len(hands.states)))
        leads = tuple(np.zeros((len(hands.states), hands.columns)) for _ in found[0].leads)
        for piece, one in zip(pieces, found, strict=True):
            kind, state = hands.hands(piece)
            columns, weight = hands.cap(piece.cap).states[state], here.weight[kind]
            for side, summed in zip(one.bounds, bounds, strict=True):
                np.add.at(summed, (here.deck[kind], columns), weight * side)
            for rows, matrix in zip(one.leads, leads, strict=True):
                matrix[np.unique(columns)] += rows
        return bounds, leads

    def _shares(self) -> NDArray[np.float64]:
        """Return everyone's share of the chips, which the chance to win is near to."""
        return np.array([chips.share / chips.total for chips in self._hands.states])

    def _solved_fresh(self, gap: float) -> Result:
        """Solve a match whose decks are always fresh, by policy iteration."""
        values = lower = upper = self._shares()
        local, proof, attempts = FIRST_GAP, False, 0
        while True:
            sweep = self.sweep(values, lower, upper, local, proof)
            if sweep.proves and sweep.widest <= gap:
                return self._result(sweep, local)
            attempts += proof
            if attempts == ATTEMPTS:
                raise _unproved(gap, local)
            profiles, answered, answering = sweep.leads
            played, _ = evaluated(profiles)
            low, high = left_by(answered, answering, 0.0)
            width, before = max(float((high - low).max()), MARGIN), local  # 0 where nobody has a choice
            if not proof or width > LEFT * gap:  # else the same strategies do, between bounds of their own
                values, enough = played, AIM * gap * local / width / (FINER if attempts > PATIENT else 1.0)
                proof = proof or local <= max(FINER * ALMOST * enough, LEAST * gap)
                local = max(LEAST * gap, min(local, enough)) if proof else local / FINER
            scale = local / before
            lower, upper = played - scale * (played - low), played + scale * (high - played)
            if proof:  # each hand may lose its share of the room that is left
                further_down, further_up = left_by(answered, answering, 1.0)
                down, up = low - further_down, further_up - high
                room = float(((WHOLE * gap - (upper - lower)) / (down + up)).min())
                lower, upper = lower - room * down, upper + room * up

    def _solved_backwards(self, gap: float) -> Result:
        """Solve a match whose decks are followed, by backward induction again and again."""
        guess = self._guessed_backwards(gap)
        for _ in range(ATTEMPTS):
            sweep = self.sweep(guess.values, guess.lower, guess.upper, guess.gap, proof=True)
            if sweep.proves and sweep.widest <= gap:
                return self._result(sweep, guess.gap)
            guess = self._moved(guess, sweep, gap)
        raise _unproved(gap, guess.gap)

    def _result(self, sweep: Sweep, local: float) -> Result:
        """Return what a sweep has proved, whose hands were solved to a gap."""
        states = len(self._hands.states)
        lower, upper, middle = (table[:, :states].astype(np.float32) for table in sweep.tables)
        return Result(lower, upper, middle[FULL], local, self._sweeps)

    def _guessed_backwards(self, gap: float) -> Guess:
        """Guess the values of a match whose decks are followed, by backward induction again and again."""
        values, local, last, half = self._shares(), FIRST_GAP, np.inf, 0.5 * SHIFT * gap
        while True:
            sweep = self.sweep(values, values, values, local)
            off = float(np.abs(sweep.middle - values).max())
            hands_lost = float((sweep.full[1] - sweep.full[0]).max()) / local + MARGIN
            own = min(OWN * (1.0 - SURVIVAL) * 2.0 * half / hands_lost, WIDEST_OWN * gap)
            values = sweep.middle
            if (local <= ROUGHLY * own and off <= CLOSE * half) or last <= own:  # a second time is no better
                return Guess(values, values - half, values + half, own)
            local, last = max(own, min(local / FINER, off / FURTHER)), local

    def _moved(self, guess: Guess, sweep: Sweep, gap: float) -> Guess:
        """Return bounds around what a sweep that did not prove the last ones has found."""
        half = 0.5 * float((guess.upper - guess.lower).max())
        half *= NARROWER * gap / sweep.widest if sweep.proves else WIDER
        return Guess(sweep.middle, sweep.middle - half, sweep.middle + half, guess.gap * NARROWER)


def evaluated(leads: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what fixed profiles win with and how many hands they take, from where they lead hand by hand.

    Parameters
    ----------
    leads
        Shape (states, columns), the players' roles swapped after each hand.

    Returns
    -------
    values, hands
        The first bettor's chance to win, and the expected number of hands, shape (states,).
    """
    onward, certain = _parted(leads)
    one = np.eye(len(leads))
    return _linear(one + onward, certain), _linear(one - onward, np.ones(len(leads)))


def left_by(
    answered: NDArray[np.float64], answering: NDArray[np.float64], less: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what the first bettor wins with when the other answers, and when the first bettor does.

    Parameters
    ----------
    answered, answering
        Where hands lead when P2 answers P1's fixed strategy, and when P1 answers P2's, shape (states, columns).
    less
        What each hand takes from the first and adds to the second.

    Returns
    -------
    lower, upper
        Shape (states,).
    """
    (second, won_second), (first, won_first) = _parted(answered), _parted(answering)
    one = np.eye(len(second))
    # Whoever is answered is the other player in the next hand: lower leads to upper and the other way round.
    both = np.block([[one, second], [first, one]])
    found = _linear(both, np.concatenate([won_second - less, won_first + less]))
    return found[: len(second)], found[len(second) :]


def _unproved(gap: float, local: float) -> UnprovedError:
    return UnprovedError(
        f"the bounds of this match could not be proved within {gap:g} in {ATTEMPTS} attempts, the last one with hands "
        f"solved to {local:.1e}; a larger --gap may do"
    )


def _linear(matrix: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def _parted(leads: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where hands lead, and what would be won if P1 won from wherever the match goes on."""
    states = len(leads)
    onward = leads[:, :states]
    return onward, onward.sum(axis=1) + leads[:, states + WON] + 0.5 * leads[:, states + DRAWN]


def blank(hands: MatchHands) -> NDArray[np.float64]:
    """Return a table of which nothing is known but what a finished match is worth."""
    table = np.zeros((hands.model.number, hands.columns))
    table[:, len(hands.states) :] = ENDED
    return table


def single(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to numbers that float32 has."""
    return table.astype(np.float32).astype(np.float64)


def outward(table: NDArray[np.float64], up: bool) -> NDArray[np.float64]:
    """Round to numbers that float32 has, all up or all down."""
    near = single(table)
    wrong = near < table if up else near > table
    beyond = np.nextafter(near.astype(np.float32), np.float32(np.inf if up else -np.inf))
    return np.where(wrong, beyond, near)


def nodes(hands: MatchHands, piece: Batch) -> int:
    """Return the decision nodes of a piece's hands, where nobody acts one for the hand."""
    return piece.hands * max(1, hands.cap(piece.cap).tree.nodes)
