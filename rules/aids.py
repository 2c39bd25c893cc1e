"""The aids of the rules page, exact: what the deck and one player's eyes say, without betting or solving.

Every function takes a spec, the player who asks (0 is P1, or seat 1) and the player's observation as
`rules.hand.HandSpec.observation` reads it: the other's card, in blind-mans-bluff the cards of all other
seats in their order, in double-sided the own back. The card that the player does not see is the own one,
in double-sided the other's, of which the front is seen.

Probabilities are fractions in Python and floats in `to_dict`. Cards are keyed by the names of
observations (``"10"``, ``"K"``), ascending.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from rules.blind_mans_bluff import BlindMansBluff, Showdown
from rules.chips import ANTE
from rules.deck import RANKS, TwoSided, TwoSidedDeck, parse_rank, times
from rules.double_sided import SIDES, DoubleSided
from rules.errors import CardError, ChipsError, DeckError, OptionError
from rules.hand import HandSpec
from rules.indian import IndianSpec
from rules.indian_holdem import KINDS, IndianHoldem, kind
from rules.notation import BOTH
from rules.numbers import items, ordinal, shown_list, whole
from rules.playing_cards import SUITS, Card, parse_cards

TEN = "ten"
"""The kind of hand that a 10 is in indian-poker, where nothing else costs a penalty."""

Weights = Mapping[Any, Any]
"""From a card as text or number to how likely it is, in any unit."""


class UsedRank(NamedTuple):
    """Cards of one rank: gone in earlier hands, visible to the player in this one, and not seen yet."""

    rank: int
    cards_gone: int
    cards_visible: int
    cards_unseen: int


@dataclass(frozen=True)
class UsedRanks:
    """Cards of each rank, 1 to 10, that are known; visible are the board and the other's card."""

    ranks: tuple[UsedRank, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts by rank, ready for JSON."""
        return {"ranks": [row._asdict() for row in self.ranks]}


@dataclass(frozen=True)
class UsedTwoSided:
    """Two-sided cards as far as they are known.

    Parameters
    ----------
    shown
        Cards of earlier hands seen whole.
    hidden
        Fronts of earlier cards whose back stayed hidden, one entry a card, the player's own included.
    mine
        The player's own ones among the hidden cards.
    fronts
        P1's and P2's front in this hand, None where they are open.
    own
        The player's card in this hand, None where its back is not given.
    """

    shown: tuple[TwoSided, ...]
    hidden: tuple[int, ...]
    mine: tuple[TwoSided, ...]
    fronts: tuple[int, int] | None
    own: TwoSided | None

    def to_dict(self) -> dict[str, Any]:
        """Return cards as text and fronts as numbers, ready for JSON."""
        return {
            "cards_shown": [str(card) for card in self.shown],
            "fronts_hidden": list(self.hidden),
            "own_cards_hidden": [str(card) for card in self.mine],
            "fronts": None if self.fronts is None else list(self.fronts),
            "own_card": None if self.own is None else str(self.own),
        }


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


class RankPenalty(NamedTuple):
    """What folding costs where the own card has this rank: in full, and capped at the chips left.

    `kind` is one of `rules.indian_holdem.KINDS`, or `TEN`.
    """

    rank: int
    copies_left: int
    kind: str
    penalty_chips: int
    capped_penalty_chips: int


@dataclass(frozen=True)
class PenaltyList:
    """What folding costs beyond the chips put in.

    Parameters
    ----------
    chips_left
        What the player has left now: the most that a penalty can cost.
    ranks
        Ascending: every rank that the own card can be in indian-holdem; the 10, where it can be one, in
        indian-poker.
    """

    chips_left: int
    ranks: tuple[RankPenalty, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the list ready for JSON."""
        return {"chips_left": self.chips_left, "ranks": [row._asdict() for row in self.ranks]}


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


def used_cards(spec: HandSpec, player: int, observation: object = None, mine: object = ()) -> UsedRanks | UsedTwoSided:
    """Count the cards that are known to have left the deck, this hand's visible ones apart.

    Parameters
    ----------
    spec
        A hand of indian-poker, indian-holdem or double-sided; board or fronts may be open.
    player, observation, mine
        As in `hidden_card`; the observation may be None, for nothing seen yet.

    Raises
    ------
    CardError, DeckError
        Where the deck does not allow these cards.
    OptionError
        Where the game has no such aid.
    """
    player = _seat(spec, player)
    if isinstance(spec, DoubleSided):
        own = None if observation is None else _own_card(spec, player, observation)
        return UsedTwoSided(spec.deck.shown, spec.deck.hidden, _own_folded(spec.deck, mine, own), spec.fronts, own)
    _refuse(spec, "own folded cards that stay hidden", mine)
    if isinstance(spec, IndianSpec):
        seen = () if observation is None else (_card_seen(spec, observation),)
        visible = Counter((*spec.table, *seen))
        gone, left = spec.deck.out, spec.deck.count
        return UsedRanks(tuple(UsedRank(n, gone[n], visible[n], left(n) - visible[n]) for n in RANKS))
    raise OptionError(f"expected a game that keeps its deck from hand to hand, got {spec.game}")


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
    view = _view(spec, player, observation, mine)
    return HiddenCard(view.what, {str(card): copies for card, copies in view.copies.items() if copies})


def penalty_list(spec: HandSpec, player: int, observation: object, chips: object) -> PenaltyList:
    """List what folding would cost for each rank that the own card can still be.

    Parameters
    ----------
    spec
        A hand of indian-holdem with its board, or of indian-poker, where the 10 alone is listed.
    player, observation
        As in `hidden_card`.
    chips
        What the player has left now, after ante and bets.

    Raises
    ------
    CardError
        Where the board is open, or the deck does not allow these cards.
    ChipsError
        Where the player cannot have so many chips left.
    OptionError
        Where there is no such player, or the game has no penalty for the own card.
    """
    player = _seat(spec, player)
    if not isinstance(spec, IndianSpec):
        raise OptionError(f"expected a game with penalties for folding a hidden card, got {spec.game}")
    copies = _view(spec, player, observation).copies
    left, most = whole(chips, "the chips left", ChipsError), spec.chips.stacks[player] - ANTE
    if not 0 <= left <= most:
        raise ChipsError(f"expected P{player + 1} to have from 0 to {most} chips left after the ante, got {left}")
    if isinstance(spec, IndianHoldem):
        kinds = {rank: KINDS[kind(rank, spec.table)] for rank in copies}
    else:
        kinds = {rank: TEN for rank in copies if rank == 10}
    rows = []
    for rank, name in kinds.items():
        penalty = spec.penalty(rank, spec.table)
        rows.append(RankPenalty(rank, copies[rank], name, penalty, min(penalty, left)))
    return PenaltyList(left, tuple(rows))


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
    view = _view(spec, player, observation, mine)
    return _chances(view.belief(weights), view.result(sides, left))


def win_chances(
    spec: HandSpec, player: int, observation: object, weights: Weights | None = None, *, mine: object = ()
) -> WinChances:
    """Return how often each own number wins in double-sided; parameters and errors as in `showdown`.

    Against the other's front the result is certain, against the back it depends on what the back can be.
    """
    player = _seat(spec, player)
    if not isinstance(spec, DoubleSided):
        raise OptionError(f"expected a game with two numbers on a card, got {spec.game}")
    view = _Back(spec, player, observation, mine)
    belief = view.belief(weights)

    def chances(own: str, other: str) -> Chances:
        return _chances(belief, view.result((own, other) if player == 0 else (other, own), None))

    sides = {own: {other: chances(own, other) for other in SIDES} for own in SIDES}
    both = {other: chances(BOTH, other).win for other in SIDES} if player == 1 else None
    return WinChances(view.own, sides, both)


# What one player sees.


class _View(ABC):
    """What a player sees of a hand, and so what the card that the player does not see can be.

    `copies` are the cards it can be, ascending; 0 for one that only the player's own folded cards rule out.
    """

    what = "own card"
    copies: dict[Any, int]

    def read(self, name: object) -> Any:
        """Return the key in `copies` that a card of `Weights` means; a rank where the game has no suits."""
        return parse_rank(name, " (in weights)")

    @abstractmethod
    def result(self, sides: object, left: object) -> Callable[[Any], int]:
        """Return what tells the sign of a showdown for the player from the card not seen."""

    def belief(self, weights: Weights | None) -> dict[Any, Fraction]:
        """Return the probability of each card: from the deck, or by weights."""
        belief = {card: Fraction(copies) for card, copies in self.copies.items()}
        if weights is not None:
            given = self._weigh(weights)
            belief = {card: given[card] * min(copies, 1) for card, copies in self.copies.items()}
            if not any(belief.values()):
                raise OptionError(f"expected a weight above 0 for a card that the {self.what} can be, got none")
        total = sum(belief.values())
        return {card: value / total for card, value in belief.items()}

    def _weigh(self, weights: Weights) -> dict[Any, Fraction]:
        """Read weights; those under several names of one card add up."""
        given = dict.fromkeys(self.copies, Fraction(0))
        for name, value in weights.items():
            card = self.read(name)
            try:
                weight = Fraction(value) if isinstance(value, (int, Fraction)) else Fraction(float(value))
            except (TypeError, ValueError, OverflowError):
                weight = Fraction(-1)
            if weight < 0:
                raise OptionError(f"expected a weight of 0 or more for {card}, got {value!r}")
            if card in given:
                given[card] += weight
            elif weight:
                allowed = ", ".join(map(str, self.copies))
                raise CardError(f"expected weights for what the {self.what} can be ({allowed}), got one for {card}")
        return given


class _Forehead(_View):
    """The other's card and the board, in indian-poker and indian-holdem."""

    def __init__(self, spec: IndianSpec, observation: object) -> None:
        if isinstance(spec, IndianHoldem) and spec.board is None:
            raise CardError("expected the two community cards of the hand (board), got none")
        self.spec, self.seen = spec, _card_seen(spec, observation)
        gone = Counter((*spec.table, self.seen))
        left = {rank: spec.deck.count(rank) - gone[rank] for rank in RANKS}
        self.copies = {rank: number for rank, number in left.items() if number}

    def result(self, sides: object, left: object) -> Callable[[int], int]:
        """Compare the own card with the one seen."""
        _refuse(self.spec, "sides to name", sides)
        _refuse(self.spec, "seats that drop out before a showdown", left)
        return lambda own: self.spec.judge(("showdown",), own, self.seen, self.spec.table)


class _Back(_View):
    """Both fronts and the own back, in double-sided."""

    what = "other's back"

    def __init__(self, spec: DoubleSided, player: int, observation: object, mine: object) -> None:
        self.spec, self.player, self.own = spec, player, _own_card(spec, player, observation)
        folded = _own_folded(spec.deck, mine, self.own)
        assert spec.fronts is not None
        self.front = spec.fronts[1 - player]
        others = [TwoSided(self.front, back) for back in spec.deck.unseen_backs(self.front)]
        self.copies = {card.back: int(card not in folded) for card in others if card != self.own}

    def result(self, sides: object, left: object) -> Callable[[int], int]:
        """Compare the named numbers."""
        _refuse(self.spec, "seats that drop out before a showdown", left)
        named = items(sides, "the sides named", OptionError) if sides is not None else []
        if len(named) != 2 or named[0] not in SIDES or named[1] not in (*SIDES, BOTH):
            raise OptionError(
                "expected the sides named, P1's (front or back) and P2's (front, back or both), "
                f"got {'none' if sides is None else repr(shown_list(sides))}"
            )
        contest = ("both", named[0]) if named[1] == BOTH else ("showdown", tuple(named))

        def sign(back: int) -> int:
            other = TwoSided(self.front, back)
            if self.player == 0:
                return self.spec.judge(contest, self.own, other)
            return -self.spec.judge(contest, other, self.own)

        return sign


class _Seats(_View):
    """All cards but the own, in blind-mans-bluff."""

    def __init__(self, spec: BlindMansBluff, player: int, observation: object) -> None:
        self.spec, self.player = spec, player
        self.seen = parse_cards([observation] if isinstance(observation, (int, Card)) else observation)
        others = spec.players - 1
        if len(self.seen) != others:
            raise CardError(f"expected {others} cards seen, one for each other seat in order, got {len(self.seen)}")
        # The cards seen are a deal of their own, so the game checks them.
        replace(spec, players=others).dealt(self.seen)
        deck = Counter(spec.strength(Card(rank, suit)) for rank in range(2, 15) for suit in SUITS)
        deck.subtract(spec.strength(card) for card in self.seen)
        self.copies = {card: number for card, number in deck.items() if number}

    def read(self, name: object) -> Card:
        """Return a card; without its suit unless suits are ranked."""
        return self.spec.strength(Card.parse(name, " (in weights)"))

    def result(self, sides: object, left: object) -> Callable[[Card], int]:
        """Compare the own card with those of the seats that are left."""
        _refuse(self.spec, "sides to name", sides)
        every = range(self.spec.players)
        given = every if left is None else items(left, "the seats left", OptionError)
        seats = tuple(sorted({whole(seat, "a seat left") for seat in given}))
        if self.player not in seats or len(seats) < 2 or not set(seats) <= set(every):
            raise OptionError(
                f"expected the seats left to be from 0 to {every[-1]}, the player's ({self.player}) and "
                f"at least one other, got {shown_list(seats) or 'none'}"
            )

        def sign(own: Card) -> int:
            cards = (*self.seen[: self.player], own, *self.seen[self.player :])
            winners = self.spec.winners(Showdown(seats, ()), cards)
            return int(len(winners) == 1) if self.player in winners else -1

        return sign


def _view(spec: HandSpec, player: int, observation: object, mine: object = ()) -> _View:
    """Return what the player sees, checked."""
    player = _seat(spec, player)
    if isinstance(spec, DoubleSided):
        return _Back(spec, player, observation, mine)
    _refuse(spec, "own folded cards that stay hidden", mine)
    if isinstance(spec, IndianSpec):
        return _Forehead(spec, observation)
    if isinstance(spec, BlindMansBluff):
        return _Seats(spec, player, observation)
    raise OptionError(f"expected a hand of a built-in game, got {spec.game}")


def _chances(belief: Mapping[Any, Fraction], result: Callable[[Any], int]) -> Chances:
    """Add up the probabilities of winning, tying and losing."""
    sums = {1: Fraction(0), 0: Fraction(0), -1: Fraction(0)}
    for card, probability in belief.items():
        sums[result(card)] += probability
    return Chances(sums[1], sums[0], sums[-1])


# Checks.


def _seat(spec: HandSpec, player: object) -> int:
    """Check the player."""
    players = spec.players if isinstance(spec, BlindMansBluff) else 2
    number = whole(player, "the player")
    if not 0 <= number < players:
        raise OptionError(f"expected the player to be from 0 (P1) to {players - 1} (P{players}), got {number}")
    return number


def _refuse(spec: HandSpec, what: str, value: object) -> None:
    """Refuse what another game asks for; None and an empty list say nothing."""
    if value not in (None, (), [], ""):
        raise OptionError(f"{spec.game} has no {what}, got {shown_list(value)}")


def _card_seen(spec: IndianSpec, observation: object) -> int:
    """Read the other's card; the deck less the board must have it."""
    rank = int(spec.observation(observation))
    left = [other for other in spec.deck.ranks if spec.deck.count(other) > spec.table.count(other)]
    if rank not in left:
        beside = f" beside the board {shown_list(spec.table)}" if spec.table else ""
        raise CardError(
            f"expected a card that the deck still has{beside} ({', '.join(map(str, left))}), got {rank} (the card seen)"
        )
    return rank


def _own_card(spec: DoubleSided, player: int, observation: object) -> TwoSided:
    """Read the own back; the deck must allow the card."""
    if spec.fronts is None:
        raise CardError("expected the fronts of the hand, P1's and P2's, got none")
    own = TwoSided.parse((spec.fronts[player], spec.observation(observation)), " (the own card)")
    if own in spec.deck.shown:
        raise CardError(f"expected an own card that has not been shown yet, got {own}; each card exists once")
    return own


def _own_folded(deck: TwoSidedDeck, mine: object, own: TwoSided | None) -> tuple[TwoSided, ...]:
    """Read the player's own folded cards; each lies among those with a hidden back, one of two a hand."""
    written = items(mine, "mine", CardError) if mine is not None else []
    cards = [TwoSided.parse(part, f" ({ordinal(n)} of mine {shown_list(mine)})") for n, part in enumerate(written)]
    where = f"(mine {shown_list(mine)})"
    for card, number in Counter(cards).items():
        if number > 1:
            raise CardError(f"{card} is named {times(number)} but each card exists once {where}")
        if card in deck.shown:
            raise CardError(f"expected own cards whose back stayed hidden, got {card}, which has been shown {where}")
        if card == own:
            raise CardError(f"expected own cards of earlier hands, got {card}, which is in hand now {where}")
    for front, number in Counter(card.front for card in cards).items():
        hidden = deck.hidden.count(front)
        if number > hidden:
            raise DeckError(
                f"expected fronts of mine to be among the hidden ones ({shown_list(deck.hidden) or 'none'}), "
                f"got {front} {times(number)} {where}"
            )
    if 2 * len(cards) > len(deck.hidden):
        raise DeckError(
            f"expected at most {len(deck.hidden) // 2} own cards, half of the {len(deck.hidden)} hidden ones "
            f"(the others were the other player's), got {len(cards)} {where}"
        )
    return tuple(sorted(cards))
