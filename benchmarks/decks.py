"""How far the deck model fresh is from the decks really left: ``python -m benchmarks.decks``, some 20 seconds.

Both tables of indian-poker from 10 chips each come with forehead. Every hand of the one that follows the decks is
solved with its own deck and later hands worth what the fresh table says, as `forehead odds` does for a deck that is not
full; the middles of the bounds are compared over all decks and chips, each counted once.
"""

from typing import NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from reports.answering.arguments import above_zero, at_least
from rules.betting.chips import Chips
from rules.games.deck_models import FULL
from rules.games.match_spec import MatchSpec
from rules.games.registry import hand
from solver.match.hands import MatchHands, Tables
from solver.match.solving import hands_of
from solver.match.sweeps import blank
from solver.match.table import MatchTable, at_start
from solver.match.workers import Threads
from solver.store.match_tables import shipped

GAP = 5e-4
"""NashConv that each hand is solved to; the middle is known within half of it, and of the table's own width."""


class Compared(NamedTuple):
    """Chances to win of both deck models.

    Parameters
    ----------
    hands
        Of the match whose decks are followed.
    fresh, exact
        The first bettor's chance, shape (decks, states).
    """

    hands: MatchHands
    fresh: NDArray[np.float64]
    exact: NDArray[np.float64]

    @property
    def off(self) -> NDArray[np.float64]:
        """How far they are apart, shape (decks, states)."""
        return np.asarray(np.abs(self.fresh - self.exact))

    @property
    def worst(self) -> tuple[MatchSpec, Chips]:
        """The deck and the chips where they are farthest apart."""
        deck, state = np.unravel_index(int(self.off.argmax()), self.off.shape)
        return self.hands.model.deck(int(deck)), self.hands.states[state]


def tables() -> tuple[MatchTable, MatchTable]:
    """Return the shipped tables of indian-poker from 10 chips each: decks always fresh, and decks followed."""
    start = hand("indian-poker", stacks=(10, 10))
    assert isinstance(start, MatchSpec)
    fresh, exact = (next(shipped(at_start(start), model)).table() for model in ("fresh", "exact"))
    return fresh, exact


def compared(gap: float = GAP, threads: int | None = None) -> Compared:
    """Solve every hand of the match with fresh decks after it, and set it beside what the decks left give."""
    fresh, exact = tables()
    hands = hands_of(exact.spec, exact.deck_model)
    later = blank(hands)
    later[:, : len(hands.states)] = _middle(fresh)[FULL]
    found = np.zeros((hands.model.number, len(hands.states)))
    with Threads(hands, threads) as workers:
        for number, decks in enumerate(hands.model.levels):
            level, pieces = hands.level(number), hands.pieces(number)
            for place, one in workers.each(pieces, Tables(later, later, later), gap, leads=False):
                kind, state = hands.hands(pieces[place])
                where = np.array(decks)[level.deck[kind]], hands.cap(pieces[place].cap).states[state]
                np.add.at(found, where, level.weight[kind] * one.bounds.mean(axis=0))
    return Compared(hands, found, _middle(exact))


def _middle(table: MatchTable) -> NDArray[np.float64]:
    return 0.5 * (table.lower.astype(np.float64) + table.upper)


@click.command()
@click.option("--gap", default=str(GAP), callback=above_zero, help="NashConv that each hand is solved to.")
@click.option("--threads", callback=at_least(1), help="At most so many.")
def main(gap: float, threads: int | None) -> None:
    """Print how far both deck models are apart, in points of a percentage, by cards left and altogether."""
    found = compared(gap, threads)
    click.echo("| cards left | on average | at worst |\n|---:|---:|---:|")
    for decks in found.hands.model.levels[::-1]:
        some = 100.0 * found.off[list(decks)]
        click.echo(f"| {found.hands.model.deck(decks[0]).cards_left} | {some.mean():.2f} | {some.max():.2f} |")
    click.echo(f"| all | {100.0 * found.off.mean():.2f} | {100.0 * found.off.max():.2f} |")
    deck, chips = found.worst
    left = ",".join(map(str, deck.to_dict()["left"]))
    click.echo(f"\nworst: --stacks {chips.s1},{chips.s2} --carry {chips.carry} --left {left}")


if __name__ == "__main__":
    main()
