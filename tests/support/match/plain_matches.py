"""Whole matches in plain Python, for the tests of strategies: every deal and every history, one by one.

Shares the referee of the other tests and the public games' legal actions with the code under test, nothing else.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules.betting.chips import Chips, every_chips
from rules.betting.public_game import Outcome
from rules.games.indian_poker import IndianPoker
from rules.games.match_spec import MatchSpec
from solver.match.hands import Batch, MatchHands
from solver.match.players import Player
from tests.support.helpers import referee

Play = Callable[[MatchSpec, tuple[Any, Any], tuple[int, ...], list[str], list[str]], dict[str, float]]
"""Takes the hand, both cards, the board, what has been done and what may be done; returns how often each is done."""


def always_call(
    spec: MatchSpec, cards: tuple[Any, Any], board: tuple[int, ...], history: list[str], legal: list[str]
) -> dict[str, float]:
    """Call, or bet the least; the higher number where a side is named."""
    if spec.game == "double-sided":
        front, back = cards[len(history) % 2]
        side = "back" if back > front else "front"
        legal = [token for token in legal if token == side or token.startswith(f"{side}:") or ":" not in token]
    if any(token in ("front", "back") for token in legal):
        return {next(token for token in legal if token == side): 1.0}
    calls = [token for token in legal if token.split(":")[-1] == "c"]
    return {(calls or [token for token in legal if token != "f"])[0]: 1.0}


def anything(
    spec: MatchSpec, cards: tuple[Any, Any], board: tuple[int, ...], history: list[str], legal: list[str]
) -> dict[str, float]:
    """Do anything that may be done."""
    return dict.fromkeys(legal, 1.0 / len(legal))


def as_player(hands: MatchHands, player: Player) -> Play:
    """Return a player of the code under test as a function of one hand."""
    known: dict[Batch, Any] = {}

    def play(
        spec: MatchSpec, cards: tuple[Any, Any], board: tuple[int, ...], history: list[str], legal: list[str]
    ) -> dict[str, float]:
        here, _ = spec.dealt(cards, board or None)
        found = hands.model.place(here, cards)
        piece, place = hands.find(found.deck, found.deal, spec.chips)
        tree = hands.cap(piece.cap).tree
        node = tree.find(here.public.follow(" ".join(history))[0])
        if piece not in known:
            known[piece] = player.weights(piece)
        mix = known[piece][place, tree.rows(node), found.observations[tree.player[node]]].astype(float)
        mix = mix / mix.sum() if mix.sum() else np.full(len(mix), 1.0 / len(mix))
        return dict(zip(map(str, tree.actions(node)), mix.tolist(), strict=True))

    return play


def histories(
    spec: MatchSpec, cards: tuple[Any, Any], board: tuple[int, ...], plays: tuple[Play, Play]
) -> Iterator[tuple[list[str], float]]:
    """Yield every way a hand can go, and how likely it is."""
    todo: list[tuple[list[str], Any, float]] = [([], spec.public.root, 1.0)]
    while todo:
        history, position, chance = todo.pop()
        if isinstance(position, Outcome):
            yield history, chance
            continue
        moves = {str(action): target for action, target in spec.public.moves(position)}
        mix = plays[spec.public.player(position)](spec, cards, board, history, list(moves))
        todo += [([*history, token], moves[token], chance * part) for token, part in mix.items() if part > 0.0]


def deals(spec: MatchSpec) -> dict[tuple[tuple[Any, Any], tuple[int, ...]], float]:
    """Return every deal of a full deck, and how likely it is."""
    if spec.game == "double-sided":
        pack: list[Any] = [(front, back) for front in range(1, 11) for back in range(1, 11) if front != back]
        return {(pair, ()): 1.0 / (90 * 89) for pair in permutations(pack, 2)}
    copies, number = {"indian-poker": (2, 2), "indian-holdem": (4, 4)}[spec.game]
    found: dict[tuple[tuple[Any, Any], tuple[int, ...]], float] = defaultdict(float)
    left = dict.fromkeys(range(1, 11), copies)

    def draw(drawn: tuple[int, ...], chance: float) -> None:
        if len(drawn) == number:
            found[drawn[-2:], tuple(sorted(drawn[:-2]))] += chance
            return
        used = Counter(drawn)
        for rank, had in left.items():
            if had > used[rank]:
                draw((*drawn, rank), chance * (had - used[rank]) / (10 * copies - len(drawn)))

    draw((), 1.0)
    return dict(found)


def chances(spec: MatchSpec, plays: tuple[Play, Play]) -> tuple[dict[Chips, float], dict[Chips, float]]:
    """Return the first player's chance from every state where that player bets first, and where the other does.

    Each hand is dealt from a full deck. The equations are iterated until nothing moves.
    """
    every = every_chips(spec.chips.total)
    leads: list[dict[Chips, dict[tuple[int, int, int], float]]] = [{}, {}]
    dealt = deals(spec)
    options = {name: value for name, value in spec.to_dict().items() if name not in ("game", "left", "shown", "hidden")}
    for order in (0, 1):
        for chips in every:
            here = type(spec).from_options(
                {name: value for name, value in options.items() if value is not None}
                | {"stacks": chips.stacks, "carry": chips.carry}
            )
            after: dict[tuple[int, int, int], float] = defaultdict(float)
            for (cards, board), chance in dealt.items():
                for history, part in histories(here, cards, board, plays if order == 0 else plays[::-1]):
                    ledger = referee(
                        spec.game, chips.stacks, chips.carry, cards, " ".join(history), board,
                        getattr(spec, "penalties", ""), spec.tie_bust,
                    )  # fmt: skip
                    after[ledger] += chance * part
            leads[order][chips] = dict(after)
    values = [dict.fromkeys(every, 0.5), dict.fromkeys(every, 0.5)]
    while True:
        moved = 0.0
        for order in (0, 1):
            for chips in every:
                new = 0.0
                for (s1, s2, carry), chance in leads[order][chips].items():
                    mine, theirs = (s1, s2) if order == 0 else (s2, s1)
                    if s1 and s2:
                        new += chance * values[1 - order][Chips(s2, s1, carry)]
                    else:
                        new += chance * (0.5 if mine == theirs == 0 else float(mine > 0))
                moved = max(moved, abs(new - values[order][chips]))
                values[order][chips] = new
        if moved < 1e-13:
            return values[0], values[1]


RANKED = {(0, 0): (4, 4), (1, 0): (5, 4), (-1, 0): (4, 5), (1, 1): (10, 4), (-1, 2): (4, 10), (0, 3): (10, 10)}
"""Cards for whatever matters to players who do not look at them: who is higher, and which of them are 10s."""


def followed(total: int, plays: tuple[Play, Play]) -> NDArray[np.float64]:
    """Return what `chances` does in indian-poker for players who do not look at cards, the decks being followed.

    Returns
    -------
    ndarray of float64, shape (2, states)
    """
    every = every_chips(total)
    number = {chips: place for place, chips in enumerate(every)}
    certain = {kind: np.zeros((2, len(every))) for kind in RANKED}
    onward = {kind: np.zeros((2, len(every), len(every))) for kind in RANKED}
    for order, (kind, cards) in product((0, 1), RANKED.items()):
        for place, chips in enumerate(every):
            spec = IndianPoker.from_options({"stacks": chips.stacks, "carry": chips.carry})
            for history, part in histories(spec, cards, (), plays if order == 0 else plays[::-1]):
                after = referee("indian-poker", chips.stacks, chips.carry, cards, " ".join(history), (), "ten")
                if after.s1 and after.s2:
                    onward[kind][order, place, number[Chips(after.s2, after.s1, after.carry)]] += part
                else:
                    certain[kind][order, place] += part * ((after.s1 > 0) == (order == 0))
    full = np.full((2, len(every)), 0.5)
    while True:
        known: dict[Any, NDArray[np.float64]] = {((), 0): full}
        new = _worth((2,) * 10, known, certain, onward)
        if np.abs(new - full).max() < 1e-13:
            return new
        full = new


def _worth(counts: tuple[int, ...], known: dict[Any, NDArray[np.float64]], certain: Any, onward: Any) -> Any:
    """Return the chances with so many cards of each rank left; equal are decks with equal counts in order and 10s."""
    key = tuple(filter(None, counts)), counts[-1]
    if key not in known:
        whole, found = sum(counts) * (sum(counts) - 1), 0.0
        for first, second in product(range(10), range(10)):
            ways = counts[first] * (counts[second] - (first == second))
            if ways > 0:
                left = tuple(had - (rank == first) - (rank == second) for rank, had in enumerate(counts))
                kind = (first > second) - (first < second), (first == 9) + 2 * (second == 9)
                below = _worth(left, known, certain, onward)[::-1, :, None]
                found = found + ways / whole * (certain[kind] + (onward[kind] @ below)[..., 0])
        known[key] = found
    return known[key]
