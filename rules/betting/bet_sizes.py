"""The sizes of bets and raises that a hand offers."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.base.errors import OptionError
from rules.base.parsing import items, ordinal, shown_list, whole
from rules.betting.actions import ALLIN, BET, RAISE, Action

USUAL = (1, 3, 5)
"""Sizes that are offered where nothing else is asked for."""


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
    """

    sizes: tuple[int, ...] = USUAL
    allin: bool = True
    any: bool = False

    @classmethod
    def parse(cls, value: object, what: str = "raises") -> "Menu":
        """Read ``1,3,5,allin``, ``any``, or a list of the same.

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
            try:
                size = whole(part, "a size")
            except OptionError:
                size = 0
            if size < 1:
                raise OptionError(f"expected a whole number of at least 1 or 'allin', got {part!r} {where}")
            if size in sizes:
                raise OptionError(f"expected different sizes, got {size} twice {where}")
            sizes.append(size)
        return cls(tuple(sorted(sizes)), allin)

    def to_json(self) -> str | list[int | str]:
        """Return ``"any"``, or the sizes and ``"allin"`` in order."""
        return "any" if self.any else [*self.sizes, *(["allin"] if self.allin else [])]

    def __str__(self) -> str:
        return "any" if self.any else ",".join(str(part) for part in [*self.sizes, *(["allin"] if self.allin else [])])

    def thinned(self, most: int, allin: bool) -> "Menu":
        """Return at most so many of the sizes, the smallest and the largest first; all-in stays.

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
        return self if self.any else Menu(tuple(sorted({*self.sizes, *sizes})), self.allin)

    def additions(self, room: int, must_fit: bool = False) -> tuple[int, ...]:
        """Return what may be added to a level that is `room` chips below the cap, ascending.

        Parameters
        ----------
        room
            Chips from the level faced to the cap, 0 or more.
        must_fit
            Offer the cap where nothing listed fits (the opening bet, so that P1 can always bet).
        """
        if self.any:
            return tuple(range(1, room + 1))
        fitting = [size for size in self.sizes if size <= room]
        if room > 0 and room not in fitting and (self.allin or (must_fit and not fitting)):
            fitting.append(room)
        return tuple(fitting)
