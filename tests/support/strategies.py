"""Hypothesis strategies shared by the tests of the rules."""

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from rules.cards.two_sided import TwoSided
from rules.games.double_sided import DoubleSided
from rules.games.indian_holdem import IndianHoldem
from rules.games.indian_poker import IndianPoker
from rules.games.match_spec import MatchSpec
from solver import Solution, solve

THOROUGH = settings(deadline=None, max_examples=100, database=None)
BRISK = settings(THOROUGH, max_examples=40)

GAMES: dict[str, type[IndianPoker | IndianHoldem | DoubleSided]] = {
    game.game: game for game in (IndianPoker, IndianHoldem, DoubleSided)
}
TWO_SIDED = [TwoSided(front, back) for front in range(1, 11) for back in range(1, 11) if front != back]

Cards = tuple[Any, Any]


@st.composite
def menus(draw: st.DrawFn) -> str:
    """Draw a value of --raises or --opens."""
    if draw(st.booleans()):
        return draw(st.sampled_from(["1,3,5,allin", "any"]))
    parts = [str(size) for size in draw(st.lists(st.integers(1, 8), unique=True, max_size=4))]
    if not parts or draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), "allin")
    return ",".join(parts)


@st.composite
def common_options(draw: st.DrawFn, most: int = 12) -> dict[str, Any]:
    """Draw chips and betting options."""
    return {
        "stacks": [draw(st.integers(1, most)), draw(st.integers(1, most))],
        "carry": 2 * draw(st.integers(0, 6)),
        "raises": draw(menus()),
        "opens": draw(st.none() | menus()),
        "raise_limit": draw(st.none() | st.integers(0, 3)),
        "tie_bust": draw(st.sampled_from(["split", "loses"])),
    }


@st.composite
def counts_left(draw: st.DrawFn, copies: int, per_hand: int, most: int | None = None) -> list[int]:
    """Draw ten counts that leave whole hands, at least one hand."""
    deck = [rank for rank in range(1, 11) for _ in range(copies)]
    hands = draw(st.integers(1, (most or len(deck)) // per_hand))
    places = st.lists(st.integers(0, len(deck) - 1), unique=True, min_size=hands * per_hand, max_size=hands * per_hand)
    left = [deck[place] for place in draw(places)]
    return [left.count(rank) for rank in range(1, 11)]


@st.composite
def two_sided_decks(draw: st.DrawFn, most_left: int | None = None) -> tuple[list[TwoSided], list[int]]:
    """Draw shown cards and hidden fronts that leave at least one hand; `most_left` counts hidden cards too."""
    if most_left is None:
        used = draw(st.lists(st.sampled_from(TWO_SIDED), unique=True, max_size=88))
        used = used[: len(used) // 2 * 2]
        hidden = 2 * draw(st.integers(0, min(3, len(used) // 2)))
        return used[hidden:], [card.front for card in used[:hidden]]
    kept = draw(st.lists(st.sampled_from(TWO_SIDED), unique=True, min_size=2, max_size=most_left))
    kept = kept[: len(kept) // 2 * 2]
    hidden = 2 * draw(st.integers(0, len(kept) // 2 - 1))
    return [card for card in TWO_SIDED if card not in kept], [card.front for card in kept[:hidden]]


@st.composite
def options_of(draw: st.DrawFn, game: str, most: int = 12) -> dict[str, Any]:
    """Draw all options of one game, without a board or fronts."""
    options: dict[str, Any] = draw(common_options(most))
    if game == "indian-poker":
        return options | {"left": draw(counts_left(2, 2)), "penalties": draw(st.sampled_from(["ten", "none"]))}
    if game == "indian-holdem":
        penalties = st.sampled_from(["final", "death-match", "none"])
        return options | {"left": draw(counts_left(4, 4)), "penalties": draw(penalties)}
    shown, hidden = draw(two_sided_decks() | two_sided_decks(10))
    return options | {"shown": shown, "hidden": hidden}


@st.composite
def specs(draw: st.DrawFn, game: str, most: int = 12) -> MatchSpec:
    """Draw a spec of one game, without a board or fronts."""
    return GAMES[game].from_options(draw(options_of(game, most)))


@st.composite
def deals(draw: st.DrawFn, spec: MatchSpec) -> tuple[Cards, tuple[int, int] | None]:
    """Draw cards (and a board) from the cards that are physically left."""
    if isinstance(spec, DoubleSided):
        left = [card for card in TWO_SIDED if card not in spec.deck.shown]
        # The hidden cards are out: which ones is not known, so they are drawn.
        for front in spec.deck.hidden:
            left.remove(draw(st.sampled_from([card for card in left if card.front == front])))
        first, second = draw(st.lists(st.sampled_from(left), unique=True, min_size=2, max_size=2))
        return (first, second), None
    assert isinstance(spec, (IndianPoker, IndianHoldem))
    cards = [rank for rank in range(1, 11) for _ in range(spec.deck.counts[rank - 1])]
    needed = 2 if isinstance(spec, IndianPoker) else 4
    places = draw(st.lists(st.integers(0, len(cards) - 1), unique=True, min_size=needed, max_size=needed))
    mine, theirs, *board = (cards[place] for place in places)
    return (mine, theirs), (board[0], board[1]) if board else None


def played_at_random(spec: Any, seed: int, zeros: float = 0.3) -> Solution:
    """Return a solution whose strategies are drawn, with many zeros."""
    solution = solve(spec, max_iterations=0)
    generator = np.random.default_rng(seed)
    strategies = generator.random(solution.strategies.shape)
    strategies[generator.random(strategies.shape) < zeros] = 0.0
    tree = solution.tree
    for node in range(tree.nodes):
        rows = strategies[:, tree.rows(node)]
        rows[:, 0] += rows.sum(axis=1) == 0.0
        rows /= rows.sum(axis=1, keepdims=True)
    return solution.playing(strategies)


def always(solution: Solution, **choices: str) -> Solution:
    """Return the profile that plays one action everywhere: the first of its player's list that is legal."""
    strategies, tree = np.zeros_like(solution.strategies), solution.tree
    for node in range(tree.nodes):
        wanted = choices["p1" if tree.player[node] == 0 else "p2"].split()
        names = [str(action) for action in tree.actions(node)]
        place = next(names.index(name) for name in wanted if name in names)
        strategies[:, tree.first[node] + place] = 1.0
    return solution.playing(strategies)
