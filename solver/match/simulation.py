"""Matches played card by card between two strategies.

All matches go forward side by side, a hand at a time, so that hands which several of them come to are asked of the
players once. What is drawn in a match depends on the seed and its number alone.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError
from rules.betting.chips import winner
from rules.games.match_spec import MatchSpec
from rules.play.hand import MatchHand
from solver.match.hands import Batch, MatchHands
from solver.match.players import Player
from solver.match.workers import in_order, never

MOST_HANDS = 10_000
"""After so many hands a match is counted as one that never ends."""

CONFIDENCE, DEVIATIONS = 0.99, 2.5758293035489004
"""How sure intervals are, and within how many standard deviations a normal variable stays with that chance."""


class Tally(NamedTuple):
    """How matches ended for one of the players.

    Parameters
    ----------
    won, lost, drawn
        Matches; a match that never ends counts as drawn.
    """

    won: int = 0
    lost: int = 0
    drawn: int = 0

    @property
    def matches(self) -> int:
        """All of them."""
        return self.won + self.lost + self.drawn

    @property
    def rate(self) -> float:
        """The part that was won, draws counting half; half where there are no matches."""
        return (self.won + 0.5 * self.drawn) / self.matches if self.matches else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """Where the chance lies, as sure as `CONFIDENCE`: Wilson's interval, which draws make too wide if anything.

        Wilson 1927, "Probable inference, the law of succession, and statistical inference".
        """
        if not self.matches:
            return 0.0, 1.0
        number, spread = self.matches, DEVIATIONS**2 / self.matches
        middle = (self.rate + 0.5 * spread) / (1.0 + spread)
        half = DEVIATIONS / (1.0 + spread) * (self.rate * (1.0 - self.rate) / number + 0.25 * spread / number) ** 0.5
        return max(0.0, middle - half), min(1.0, middle + half)

    def __add__(self, other: "Tally") -> "Tally":  # type: ignore[override]
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class Simulated(NamedTuple):
    """What matches have shown of the first player.

    Parameters
    ----------
    first, second
        The matches in which that player bet first in the first hand, and the others.
    hands
        Of all matches together.
    """

    first: Tally
    second: Tally
    hands: int


@dataclass
class _Going:
    """A match that goes on.

    Parameters
    ----------
    spec
        The coming hand.
    better
        Which player bets first in it, 0 or 1.
    began
        Which one did in the first.
    chance
        What draws in this match.
    pack
        Cards that are left, empty where a deck is to be opened.
    hands
        Played.
    winner
        0 or 1, "draw", or None while the match goes on.
    """

    spec: MatchSpec
    better: int
    began: int
    chance: random.Random
    pack: list[Any] = field(default_factory=list)
    hands: int = 0
    winner: int | str | None = None


class _Dealt(NamedTuple):
    """A hand that has been dealt: its cards, and where its play is found."""

    spec: MatchSpec
    cards: tuple[Any, Any]
    observations: tuple[int, int]
    piece: Batch
    place: int


def simulate(
    hands: MatchHands,
    players: tuple[Player, Player],
    matches: int,
    seed: int = 0,
    renewed: bool = False,
    threads: int | None = None,
    on_step: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] = never,
) -> Simulated:
    """Play matches, a fair coin picking who bets first.

    Parameters
    ----------
    hands
        The hands of the match; its deck model says what the players take the decks for.
    players
        Who plays, the first one's chances being asked for.
    matches
        How many, at least 1.
    seed
        The same seed gives the same matches.
    renewed
        Whether each hand is dealt from a fresh deck; by default one deck is used until it is empty, as the rules say.
    threads
        At most so many ask the players; the result does not depend on it.
    on_step
        Called with the matches that have ended and how many there are.
    stop
        Asked again and again; once it says True, KeyboardInterrupt is raised.

    Raises
    ------
    OptionError
        Where there is no match to play.
    """
    if matches < 1:
        raise OptionError(f"expected at least 1 match, got {matches}")
    going = []
    for number in range(matches):
        chance = random.Random(f"{seed} {number}")
        began = _below(chance, 2)
        going.append(_Going(hands.spec, began, began, chance))
    every, played = going, 0
    known = [_Known(player, threads, stop) for player in players]
    while going:
        dealt = [_deal(hands, match, renewed) for match in going]
        plays = [one.of([hand.piece for hand in dealt]) for one in known]
        for match, hand, *weights in zip(going, dealt, *plays, strict=True):
            _play(hands, match, hand, (weights[match.better], weights[1 - match.better]))
        played += len(going)
        going = [match for match in going if match.winner is None and match.hands < MOST_HANDS]
        if on_step is not None:
            on_step(matches - len(going), matches)
    first, second = (_tally([match for match in every if match.began == began]) for began in (0, 1))
    return Simulated(first, second, played)


class _Known:
    """What a player does in hands that have come up; a piece is asked for once."""

    def __init__(self, player: Player, threads: int | None, stop: Callable[[], bool]) -> None:
        self._player, self._threads, self._stop = player, threads, stop
        self._found = dict[Batch, NDArray[np.floating[Any]]]()

    def of(self, pieces: Sequence[Batch]) -> list[NDArray[np.floating[Any]]]:
        """Return the play of each piece."""
        missing = [piece for piece in dict.fromkeys(pieces) if piece not in self._found]
        plays = in_order(self._player.weights, missing, self._threads, self._stop)
        self._found.update(zip(missing, plays, strict=True))
        return [self._found[piece] for piece in pieces]


def _below(chance: random.Random, number: int) -> int:
    """Return a whole number from 0 to one below `number`; `random` is what Python keeps the same for ever."""
    return int(chance.random() * number)


def _deal(hands: MatchHands, match: _Going, renewed: bool) -> _Dealt:
    """Deal the coming hand of a match."""
    if renewed:
        match.spec = match.spec.fresh()
    if renewed or not match.pack:
        match.pack = match.spec.pack()
    cards, board = match.spec.deal_from(match.pack, lambda number: _below(match.chance, number))
    spec, cards = match.spec.dealt(cards, board)
    found = hands.model.place(spec, cards)
    piece, place = hands.find(found.deck, found.deal, spec.chips)
    return _Dealt(spec, cards, found.observations, piece, place)


def _play(hands: MatchHands, match: _Going, dealt: _Dealt, weights: tuple[NDArray[np.floating[Any]], ...]) -> None:
    """Play a hand to its end; `weights` are those of the hand's P1 and P2."""
    tree = hands.cap(dealt.piece.cap).tree
    node, actions = (0 if tree.nodes else -1), []
    while node >= 0:
        player, start = int(tree.player[node]), int(tree.first[node])
        end = int(tree.first[node + 1])
        mix = weights[player][dealt.place, start:end, dealt.observations[player]]
        action = _drawn(mix.tolist(), match.chance.random())
        actions.append(tree.actions(node)[action])
        node = int(tree.child[start + action])
    hand = MatchHand(dealt.spec, dealt.cards, None, actions)
    after = hand.chips_after
    assert after.total == dealt.spec.chips.total
    won = winner(after)
    match.winner = won if not isinstance(won, int) else (match.better if won == 0 else 1 - match.better)
    match.hands += 1
    match.spec = hand.revealed
    match.better = 1 - match.better


def _drawn(weights: Sequence[float], at: float) -> int:
    """Return which of several is drawn; none above 0 makes all alike."""
    whole = sum(weights)
    if whole <= 0.0:
        return int(at * len(weights))
    at *= whole
    for place, weight in enumerate(weights):
        at -= weight
        if at < 0.0:
            return place
    return max(place for place, weight in enumerate(weights) if weight > 0.0)


def _tally(matches: Sequence[_Going]) -> Tally:
    won, lost = (sum(match.winner == player for match in matches) for player in (0, 1))
    return Tally(won, lost, len(matches) - won - lost)
