"""What the card not seen can be, and the chances of a showdown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from rules.aids.seats import check_seat
from rules.base.errors import OptionError
from rules.betting.actions import BOTH
from rules.betting.two_sided import SIDES
from rules.cards.two_sided import TwoSided
from rules.games.spec import HandSpec
from rules.games.view import Weights


@dataclass(frozen=True)
class HiddenCard:
    """What the card that the player does not see can be.

    Parameters
    ----------
    what
        ``own card`` or ``other's back``.
    copies
        Cards that it can be, by name, ascending; 1 or more each. All cards are equally likely.
    """

    what: str
    copies: Mapping[str, int]

    @property
    def probability(self) -> dict[str, Fraction]:
        """The probability of each name; they sum to 1."""
        total = sum(self.copies.values())
        return {name: Fraction(copies, total) for name, copies in self.copies.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return copies and probabilities by name, ready for JSON."""
        probability = {name: float(value) for name, value in self.probability.items()}
        return {"card": self.what, "copies_left": dict(self.copies), "probability": probability}


class Chances(NamedTuple):
    """Probabilities of the ways a showdown can end for the player; they sum to 1."""

    win: Fraction
    tie: Fraction
    lose: Fraction

    def to_dict(self) -> dict[str, float]:
        """Return the probabilities ready for JSON."""
        return {f"{name}_probability": float(value) for name, value in self._asdict().items()}


@dataclass(frozen=True)
class WinChances:
    """How often each of the player's numbers wins in double-sided.

    Parameters
    ----------
    own
        The player's card.
    sides
        By own side, then by the other's side, what a showdown of the two would bring.
    both
        By the other's side, the probability that both own numbers are higher than the number there; None
        for P1, who can never bet both sides.
    """

    own: TwoSided
    sides: Mapping[str, Mapping[str, Chances]]
    both: Mapping[str, Fraction] | None

    def to_dict(self) -> dict[str, Any]:
        """Return the probabilities ready for JSON."""
        both = None if self.both is None else {other: float(value) for other, value in self.both.items()}
        sides = {
            own: {other: chances.to_dict() for other, chances in against.items()} for own, against in self.sides.items()
        }
        return {"own_card": str(self.own), "sides": sides, "both_win_probability": both}


def hidden_card(spec: HandSpec, player: int, observation: object, mine: object = ()) -> HiddenCard:
    """Tell what the card that the player does not see can be, before any betting.

    It is the own card (deck less board less cards seen), in double-sided the other's back (any unseen back
    of the other's front, less the own known cards).

    Parameters
    ----------
    spec
        A hand of any game, with its board or its fronts.
    player
        Who asks, from 0.
    observation
        The card seen, the cards seen, or the own back.
    mine
        In double-sided the player's own folded cards of earlier hands, such as ``5/8``.

    Raises
    ------
    CardError, DeckError
        Where board or fronts are open, or the deck does not allow these cards.
    OptionError
        Where there is no such player, or `mine` belongs to another game.

    Examples
    --------
    >>> from rules import hand
    >>> hidden_card(hand("indian-poker"), 0, 10).probability["10"]
    Fraction(1, 19)
    """
    view = spec.view(check_seat(spec, player), observation, mine)
    return HiddenCard(view.what, {str(card): copies for card, copies in view.copies.items() if copies})


def showdown(
    spec: HandSpec,
    player: int,
    observation: object,
    sides: object = None,
    weights: Weights | None = None,
    *,
    mine: object = (),
    left: object = None,
) -> Chances:
    """Return the chances of a showdown for the player, from the cards seen alone or from given weights.

    Parameters
    ----------
    spec, player, observation, mine
        As in `hidden_card`.
    sides
        In double-sided the sides named, P1's first; P2's may be ``both``.
    weights
        How likely each card is that `hidden_card` lists, in any unit and 0 or more; they stand in place of
        its probabilities, and what they do not name counts 0. A back that `mine` rules out is left out
        whatever its weight. Floats are taken at their exact binary value.
    left
        In blind-mans-bluff the seats that have not folded, from 0, the player's included; None for all.

    Returns
    -------
    Chances
        With several players left, win is to win alone and tie to share the pot. Both sides bet never tie.

    Raises
    ------
    CardError, DeckError
        Where board or fronts are open, or the deck does not allow these cards.
    OptionError
        Where there is no such player, sides, weights or seats are not sound, or an argument belongs to
        another game.

    Examples
    --------
    >>> from rules import hand
    >>> showdown(hand("indian-poker"), 0, 10)
    Chances(win=Fraction(0, 1), tie=Fraction(1, 19), lose=Fraction(18, 19))
    """
    view = spec.view(check_seat(spec, player), observation, mine)
    return _chances(view.belief(weights), view.result(sides, left))


def win_chances(
    spec: HandSpec, player: int, observation: object, weights: Weights | None = None, *, mine: object = ()
) -> WinChances:
    """Return how often each own number wins in double-sided; parameters and errors as in `showdown`.

    Against the other's front the result is certain, against the back it depends on what the back can be.
    """
    player = check_seat(spec, player)
    if not spec.sides_that_meet:
        raise OptionError(f"expected a game with two numbers on a card, got {spec.game}")
    view: Any = spec.view(player, observation, mine)
    belief = view.belief(weights)

    def chances(own: str, other: str) -> Chances:
        return _chances(belief, view.result((own, other) if player == 0 else (other, own), None))

    sides = {own: {other: chances(own, other) for other in SIDES} for own in SIDES}
    both = {other: chances(BOTH, other).win for other in SIDES} if player == 1 else None
    return WinChances(view.own, sides, both)


def _chances(belief: Mapping[Any, Fraction], result: Callable[[Any], int]) -> Chances:
    """Add up the probabilities of winning, tying and losing."""
    sums = {1: Fraction(0), 0: Fraction(0), -1: Fraction(0)}
    for card, probability in belief.items():
        sums[result(card)] += probability
    return Chances(sums[1], sums[0], sums[-1])
