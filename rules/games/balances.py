"""Counters from hand to hand of a session: balances as text, who leads, and how the deal passes.

Rules page, "blind-mans-bluff": the highest balance after the last hand wins the session, equal leaders share it.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from rules.base.errors import ChipsError
from rules.base.parsing import items, shown_list

COUNTERS = 100
"""What each player has at the start of a session."""

Balances = tuple[Fraction, ...]

_BALANCE = re.compile(r"\d{1,9}(/0*[1-9]\d{0,8})?", re.ASCII)

Seat = TypeVar("Seat")


def parse_balances(given: object, players: int, most: int, hands: int) -> Balances:
    """Read the balances of all seats; None for 100 each.

    Parameters
    ----------
    most
        What one hand can cost a player.
    hands
        Hands left, which every balance must cover.

    Raises
    ------
    ChipsError
        Where there is not one for each seat, one is no whole number or fraction, or might not cover the hands.
    """
    listed = [COUNTERS] * players if given is None else items(given, "balances", ChipsError)
    if len(listed) != players:
        raise ChipsError(f"expected {players} balances, one for each seat from seat 1, got {len(listed)}")
    found = tuple(
        _balance(value, f" for seat {seat} (balances {shown_list(listed)})") for seat, value in enumerate(listed, 1)
    )
    for seat, balance in enumerate(found, start=1):
        if balance < most * hands:
            raise ChipsError(
                f"expected seat {seat} to have at least {most * hands} counters ({most} a hand, "
                f"hands left: {hands}), got {balance}"
            )
    return found


def shares_of(balances: Sequence[Fraction]) -> Balances:
    """Return each one's share of a session that ends like this."""
    best = max(balances)
    leaders = sum(own == best for own in balances)
    return tuple(Fraction(own == best, leaders) for own in balances)


def passed_on(by_seat: Sequence[Seat]) -> tuple[Seat, ...]:
    """Return what stands by seat in the order of the next hand's seats: seat 2 becomes seat 1, seat 1 the last."""
    return (*by_seat[1:], by_seat[0])


def passed_back(by_seat: Sequence[Seat]) -> tuple[Seat, ...]:
    """Return what stands by the next hand's seats in the order of this one's."""
    return (by_seat[-1], *by_seat[:-1])


def _balance(value: object, where: str) -> Fraction:
    """Read counters, whole or a fraction; a float is refused, for it is not exact."""
    text = str(value).strip()
    if not _BALANCE.fullmatch(text):
        raise ChipsError(f"expected balances to be whole numbers or fractions such as 199/2, got {text!r}{where}")
    return Fraction(text)
