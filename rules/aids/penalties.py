"""What folding would cost, rank by rank."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from rules.aids.seats import check_seat
from rules.base.errors import ChipsError, OptionError
from rules.base.parsing import whole
from rules.betting.chips import ANTE
from rules.games.match_spec import MatchSpec
from rules.games.spec import HandSpec

TEN = "ten"
"""The kind of hand that a 10 is in indian-poker, where nothing else costs a penalty."""


class RankPenalty(NamedTuple):
    """What folding costs where the own card has this rank: in full, and capped at the chips left.

    `kind` is one of `rules.games.indian_holdem.KINDS`, or `TEN`.
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
    player = check_seat(spec, player)
    if not isinstance(spec, MatchSpec) or not spec.has_penalties:
        raise OptionError(f"expected a game with penalties for folding a hidden card, got {spec.game}")
    copies = spec.view(player, observation).copies
    left, most = whole(chips, "the chips left", ChipsError), spec.chips.stacks[player] - ANTE
    if not 0 <= left <= most:
        raise ChipsError(f"expected P{player + 1} to have from 0 to {most} chips left after the ante, got {left}")
    rows = []
    for rank in copies:
        name, penalty = spec.penalised_as(rank), spec.fold_penalty(rank)
        if name:
            rows.append(RankPenalty(rank, copies[rank], name, penalty, min(penalty, left)))
    return PenaltyList(left, tuple(rows))
