"""The sizes of bets and raises that a hand offers: amounts in chips, parts of the pot, and all-in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from rules.base.errors import OptionError
from rules.base.parsing import items, ordinal, shown_list, whole
from rules.betting.actions import ALLIN, BET, RAISE, Action

USUAL = (1, 3, 5)
"""Sizes that are offered where nothing else is asked for."""


_PART = re.compile(r"(\d{1,4}(?:/0*[1-9]\d{0,3}|\.\d{1,4})?)?\s*pot", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, order=True)
class PotPart:
    """A part of the pot, such as a half: that much of what lies there once the level faced is paid.

    Parameters
    ----------
    part
        Above 0, at most 100.
    """

    part: Fraction

    @classmethod
    def parse(cls, text: str) -> "PotPart | None":
        """Read ``1/2pot``, ``0.75pot``, ``pot`` or ``2pot``; None where it is nothing like that."""
        found = _PART.fullmatch(text.strip())
        if found is None:
            return None
        part = Fraction(found[1] or "1")
        return cls(part) if 0 < part <= 100 else None

    def chips(self, pot: int) -> int:
        """Return the size in whole chips, at least 1; a half is rounded up.

        Parameters
        ----------
        pot
            Chips that lie there once the level faced is paid.
        """
        return max(1, int(self.part * pot + Fraction(1, 2)))

    def __str__(self) -> str:
        return "pot" if self.part == 1 else f"{self.part}pot"


@dataclass(frozen=True)
class Menu:
    """The sizes that a bet or raise may add to the level it faces.

    Parameters
    ----------
    sizes
        Listed sizes in chips, ascending, each at least 1.
    allin
        Whether going to the cap is always offered.
    any
        Whether every whole number is offered (`sizes` is then empty).
    parts
        Parts of the pot, ascending.
    """

    sizes: tuple[int, ...] = USUAL
    allin: bool = True
    any: bool = False
    parts: tuple[PotPart, ...] = ()

    @classmethod
    def parse(cls, value: object, what: str = "raises") -> "Menu":
        """Read ``1,3,5,allin``, ``1,1/2pot,pot``, ``any``, or a list of the same.

        Raises
        ------
        OptionError
            Where the list is empty, repeats a size, or has something else than sizes and ``allin``.
        """
        if isinstance(value, Menu):
            return value
        if isinstance(value, str) and value.strip().lower() == "any":
            return cls((), allin=True, any=True)
        sizes: list[int] = []
        of_pot: list[PotPart] = []
        allin = False
        parts = items(value, what)
        if not parts:
            raise OptionError(f"expected {what} to list at least one size, such as 1,3,5,allin, got nothing")
        for place, part in enumerate(parts):
            where = f"({ordinal(place)} of {what} {shown_list(value)})"
            if isinstance(part, str) and part.strip().lower() in ("allin", "all-in"):
                if allin:
                    raise OptionError(f"expected different sizes, got 'allin' twice {where}")
                allin = True
                continue
            if isinstance(part, str) and (share := PotPart.parse(part)) is not None:
                if share in of_pot:
                    raise OptionError(f"expected different sizes, got '{share}' twice {where}")
                of_pot.append(share)
                continue
            try:
                size = whole(part, "a size")
            except OptionError:
                size = 0
            if size < 1:
                raise OptionError(
                    "expected a whole number of at least 1, a part of the pot (1/2pot) or 'allin', "
                    f"got {part!r} {where}"
                )
            if size in sizes:
                raise OptionError(f"expected different sizes, got {size} twice {where}")
            sizes.append(size)
        return cls(tuple(sorted(sizes)), allin, parts=tuple(sorted(of_pot)))

    def to_json(self) -> str | list[int | str]:
        """Return ``"any"``, or the sizes and ``"allin"`` in order."""
        return "any" if self.any else [*self.sizes, *map(str, self.parts), *(["allin"] if self.allin else [])]

    def __str__(self) -> str:
        return ",".join(map(str, found)) if isinstance(found := self.to_json(), list) else found

    def thinned(self, most: int, allin: bool) -> "Menu":
        """Return at most so many of the sizes, the smallest and the largest first; all-in stays, parts of the pot go.

        Parameters
        ----------
        most
            0 to 3.
        allin
            Whether all-in is offered even where this menu does not offer it.
        """
        sizes = USUAL if self.any else self.sizes
        if len(sizes) > most:
            sizes = ((), sizes[:1], (sizes[0], sizes[-1]), (sizes[0], sizes[len(sizes) // 2], sizes[-1]))[most]
        return Menu(sizes, allin or self.allin)

    def with_sizes(self, actions: Sequence[Action]) -> "Menu":
        """Return the menu with the sizes of some actions; an all-in is a size where all-in is not offered as such."""
        kinds = (BET, RAISE) if self.allin else (BET, RAISE, ALLIN)
        sizes = {action.size for action in actions if action.kind in kinds}
        return self if self.any else replace(self, sizes=tuple(sorted({*self.sizes, *sizes})))

    def additions(self, room: int, must_fit: bool = False, pot: int = 0) -> tuple[int, ...]:
        """Return what may be added to a level that is `room` chips below the cap, ascending.

        Parameters
        ----------
        room
            Chips from the level faced to the cap, 0 or more.
        must_fit
            Offer the cap where nothing listed fits (the opening bet, so that P1 can always bet).
        pot
            Chips that lie there once the level faced is paid; matters to parts of the pot.
        """
        if self.any:
            return tuple(range(1, room + 1))
        fitting = {size for size in (*self.sizes, *(one.chips(pot) for one in self.parts)) if size <= room}
        if room > 0 and (self.allin or (must_fit and not fitting)):
            fitting.add(room)
        return tuple(sorted(fitting))
