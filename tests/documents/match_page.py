"""The page about whole matches in docs/: write it anew with `python -m tests.documents.match_page`, some minutes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.answering.duels import Pair
from reports.screens.matches import chance, decimals
from rules.betting.actions import ALLIN, FOLD, format_history
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from solver.match.duels import win_probabilities
from solver.match.hands import Batch
from solver.match.players import CHIPS as FOR_CHIPS
from solver.match.players import MATCH, Player
from solver.match.table import MatchTable, load
from solver.solutions.solution import Solution
from solver.solutions.spots import Spots
from solver.solving import solve
from solver.store.match_tables import with_continuation
from solver.two_player.best_response import Evaluation
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "match.md"
TABLES = ROOT / "solver" / "tables"

OTHERS = (FOR_CHIPS, "call", "random", "text")
MOST_NODES = 5_000_000
"""Decision nodes of all hands of a match up to which its duels are on the page."""

GAPS = {"chips": 1e-3, "match": 2e-5}
"""NashConv that hands are solved to, in chips and in win probability."""


class Hand(NamedTuple):
    """A hand of indian-poker, and what to call it."""

    name: str
    options: dict[str, Any]


DECKS = (
    Hand("full deck", {}),
    Hand("2, 5, 6, 9 left", {"left": "0,1,0,0,1,1,0,0,1,0"}),
    Hand("2, 5, 6, 10 left", {"left": "0,1,0,0,1,1,0,0,0,1"}),
    Hand("5, 6 left", {"left": "0,0,0,0,1,1,0,0,0,0"}),
    Hand("9, 10 left", {"left": "0,0,0,0,0,0,0,0,1,1"}),
    Hand("10, 10 left", {"left": "0,0,0,0,0,0,0,0,0,2"}),
)
CHIPS = tuple(Hand(f"{own} against {20 - own}", {"stacks": (own, 20 - own)}) for own in (2, 4, 7, 10, 13, 16, 18))
CARRIES = tuple(
    Hand(f"{10 - carry // 2} each, {carry} carried", {"stacks": (10 - carry // 2,) * 2, "carry": carry})
    for carry in (0, 4, 8, 12)
)


class Played(NamedTuple):
    """What an equilibrium of a hand does, each a probability.

    Parameters
    ----------
    folds, allin
        P1's opening.
    gives_up
        That P2 folds to the opening bet.
    """

    folds: float
    allin: float
    gives_up: float


def played(solution: Solution) -> Played:
    """Return what both do at first."""
    spots = Spots(solution, solution.boards[0])
    root = spots.at("")
    each = dict(zip(root.actions, (root.probability @ root.observation_probability).tolist(), strict=True))
    folds = sum(share for action, share in each.items() if action.kind == FOLD)
    allin = sum(share for action, share in each.items() if action.kind == ALLIN)
    given_up = 0.0
    for action, share in each.items():
        if action.kind != FOLD and share > 0.0:
            spot = spots.at(format_history((action,)))
            fold = [one.kind for one in spot.actions].index(FOLD)
            given_up += float(spot.probability[fold] @ (spot.observation_probability * spot.other_reach))
    return Played(folds, allin, given_up / (1.0 - folds) if folds < 1.0 else 0.0)


def row(one: Hand) -> str:
    """Return a line of the page: the chance to win, what match play does, and chips play, and what that risks."""
    options = {"stacks": (10, 10), **one.options}
    for_match = with_continuation(hand("indian-poker", objective="match", deck_model="exact", **options))
    match = solve(for_match, gap=GAPS["match"])
    chips = solve(hand("indian-poker", **options), gap=GAPS["chips"])
    game = match.game
    evaluation = Evaluation(game.tree, game.width)
    lower, upper = match.value_bounds
    secured = evaluation.quality(game.classes[0], chips.strategies[0], 0.0).lower
    spec = match.spec
    assert isinstance(spec, MatchSpec)
    share = spec.chips.share / spec.chips.total
    both = [f"{100 * own:.0f} / {100 * other:.0f}" for own, other in zip(played(match), played(chips), strict=True)]
    cells = [
        one.name,
        f"{100 * share:.1f}",
        f"{100 * match.value:.2f}",
        f"{50 * (upper - lower):.2f}",
        *both,
        f"{100 * max(0.0, match.value - secured):.2f}",
    ]
    return f"| {' | '.join(cells)} |"


HEAD = """| {name} | share of the chips | P1 wins | +/- | P1 folds | P1 all-in | P2 folds to a bet | chips play risks |
|---|---:|---:|---:|---:|---:|---:|---:|"""


def grid(name: str, hands: tuple[Hand, ...]) -> str:
    """Return a table of hands."""
    return "\n".join([HEAD.format(name=name), *map(row, hands)])


def name_of(table: MatchTable) -> str:
    """Return what a match is called on the page."""
    stack, limit = table.spec.chips.s1, table.spec.betting.limit
    return f"{table.spec.game} {stack}/{stack}" + ("" if limit is None else f", at most {limit} raises")


def starts() -> str:
    """Return what the shipped tables say of the start of a match."""
    lines = ["| match | deck model | the first bettor wins | proved | made by |", "|---|---|---:|---:|---|"]
    for path in sorted(TABLES.glob("*.npz")):
        table = load(path)
        odds = table.odds(table.spec.chips)
        stack, width = table.spec.chips.s1, odds.upper - odds.lower
        bounds = f"{100 * odds.lower:.{decimals(width)}f} to {chance(odds.upper, width)}"
        limit = "" if table.spec.betting.limit is None else f" --raise-limit {table.spec.betting.limit}"
        words = f"{table.spec.game} --stacks {stack},{stack}{limit} --deck-model {table.deck_model} --gap {table.gap:g}"
        lines.append(
            f"| {name_of(table)} | {table.deck_model} | {chance(odds.value, width)} | {bounds} | `match {words}` |"
        )
    return "\n".join(lines)


class Remembered(Player):
    """A player who is asked several times, and solves every hand once."""

    def __init__(self, player: Player) -> None:
        self.name, self._player = player.name, player
        self._known: dict[Batch, NDArray[np.floating[Any]]] = {}

    def weights(self, piece: Batch) -> NDArray[np.floating[Any]]:
        """Ask once."""
        if piece not in self._known:
            self._known[piece] = self._player.weights(piece)
        return self._known[piece]


def duels() -> str:
    """Return how often match play wins against every other player, before the coin flip that says who bets first."""
    lines = ["| match | deck model | chips | call | random | text | proved |", "|---|---|---:|---:|---:|---:|---:|"]
    for path in sorted(TABLES.glob("*.npz")):
        table = load(path)
        pairs = [Pair.of(table.spec, table.deck_model, (MATCH, name), table) for name in OTHERS]
        hands, match = pairs[0].hands, Remembered(pairs[0].one)
        if hands.nodes > MOST_NODES:
            continue
        start, place = table.odds(table.spec.chips), hands.number[table.spec.chips]
        cells = [name_of(table), table.deck_model]
        for pair in pairs:
            found = win_probabilities(hands, match, pair.other)
            cells.append(f"{50 * float(found.first[place] + found.second[place]):.2f} %")
        cells.append(f"{50 * (start.lower + 1.0 - start.upper):.2f} %")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def page() -> str:
    """Return the page."""
    return TEXT.format(
        starts=starts(),
        duels=duels(),
        decks=grid("deck", DECKS),
        chips=grid("chips", CHIPS),
        carries=grid("chips", CARRIES),
    )


TEXT = """# The whole match

A hand is not what these games are played for: the match is, until one side has no chips. `forehead match` solves it.

## What is solved

The state of a match before a hand is the deck, both stacks and the carried pot; its value is the chance that the
first bettor of that hand wins the match. A hand is a game whose outcomes are a win of the match, a loss, or another
hand in which the players have swapped roles (a recursive game, Everett 1957). Which decks later hands are dealt from
is the *deck model*:

- `fresh`: every later hand is dealt from a full deck. For all three games.
- `exact`: the deck really left. For indian-poker, where both cards are shown after every hand: all 29,524 decks
  that whole hands can leave fall into 1,534 classes, so that a match from 10 chips each has 153,400 hands.

Bounds of `fresh` are those of that model, not of the match as it is played, in which cards run out. Where both are
known, in indian-poker at 10/10, they are off by 0.46 points on average over all decks and chips, and by 2.25 at worst
(`python -m benchmarks.decks`). So `odds`, `advise` and `solve` take the exact table wherever there is one for the
chips and the options.

A tie that leaves a player without chips splits the pot, or loses (`--tie-bust`); every result says which.

## Why the numbers can be believed

Two tables are kept, L and H: whoever bets first can win with at least L, and the other can hold them to at most H.
At every state the first bettor's strategy, with later hands worth 1 - H, must earn at least L and a little more against
every answer, and the other's, with later hands worth 1 - L, must leave at most H and a little less. Then playing these
strategies hand after hand wins with at least L, whatever the other does and however long the match lasts. Nothing of
how the tables were found has to be believed, and the solver's errors only make the bounds wider: `forehead verify
FILE` solves every hand again from the table alone and checks that each one gains (`--sample N` takes some). The tests
hold single hands against linear programs, and small matches against tables from an independent exact method.

## What proves what a file says

Checksums find damage, not lies: whoever writes a file can renew them. So whatever is printed of a file is derived again
when it is read, or proved by `forehead verify`. Of a match table:

- `lower` and `upper`: `verify` solves every hand again, and each must gain on them. When it is read, no lower bound may
  be above its upper one.
- `spec` and `deck_model`: the hands that `verify` solves are theirs. When it is read, the spec must be the start of a
  match, in normal form, and the bounds must be as many as its states.
- `gap`, which was asked for: when it is read, no bounds may be wider, and the widest must have a quarter of it.
- `hand_gap` and `values`: nothing, for they only say where `verify` begins to look for its proof. The `hand_gap` that
  it prints is its own.

Of a solution of objective match:

- The strategy, values, bounds, NashConv and `unknown`: `verify` measures them again from the strategy and the spec,
  with later hands worth what the file says.
- What it says of later hands (`later_decks`, `later_lower`, `later_upper`, and `match_table` with deck model, gap and
  digest): `verify` compares it with the table of that digest, if it is at hand: it comes with forehead, is in the
  cache, or is named by `--table FILE`. If it is not, `verify` says that this is not proved (`"later_hands": "not
  proved"` in JSON), and refuses only what the shipped table of the same match leaves no room for. The table itself is
  proved by `forehead verify` of its own file.
- Unit, classes, deals and their weights: when it is read, they must be those of the spec.
- Method, iterations, target, measurements on the way and versions: nothing, for they say how it was found.

The journal of a solve (`FILE.part`) names the match, the gap and the versions that it was begun with, and all are
compared before anything is taken from it. What it holds is believed; the table that comes of it is proved like any
other.

## Who wins

The one who bets first must bet or fold, and pays for it:

{starts}

These tables come with forehead. Each is written again by the command in the last column (`forehead match ...
-o FILE`). A match with at most so many raises is a smaller game, whose table says nothing certain of the whole one; it
is used where the same `--raise-limit` is given.

## What it is worth against others

How often the one who plays the equilibrium of the match wins, before the coin flip, against a player who plays the
equilibrium of every hand for its chips (*chips*), who calls whatever comes, who does anything at random, and who
follows the advice of the game's own text; *proved* is what nobody at all can bring it below:

{duels}

Playing every hand for its chips is nearly as good: over a whole match it loses less than two in a thousand. In which
hands the deck, the chips or a carried pot make more of a difference is the next section. The longest matches of
double-sided are left out here, for the exact chance takes as long as a sweep of the solve.
`forehead match --evaluate A B` gives such figures for any match, `forehead simulate` plays the matches, and
`python -m benchmarks.strategies` tells who bets first.

## What the equilibrium changes

The rest of this page is about indian-poker from 10 chips each with the decks followed. Each hand is solved twice: for
the match, and for the chips of the hand alone. Pairs of numbers are match / chips, in percent. *+/-* is half the
distance of the bounds, *chips play risks* is how much less of the match P1 has for certain in this hand with the
strategy for chips.

### The deck

{decks}

With two cards left both know both: the lower card folds at once. What is left to P1 is above a half, for the other must
bet first in the next hand. One 10 among the last four cards changes most: it may be one's own, and folding it costs 10
chips. Compare the second row with the third.

### The chips

{chips}

Ahead, betting first costs more than it does behind: the chance falls below the share of the chips. With 2 chips the
first bettor goes all-in three times in four.

### The carried pot

{carries}

The more is carried, the less is folded and the more often all goes in at once; there play for chips alone risks most.

`python -m tests.documents.match_page` writes this page anew.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
