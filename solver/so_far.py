"""What a solve under way has found, for another thread that cannot wait for its end."""

from collections.abc import Callable

from solver.solution import Solution


class BestSoFar:
    """The last measured strategy of one solve, which was given this as `best`; any thread may ask, at any time."""

    def __init__(self) -> None:
        self._make: Callable[[], Solution] | None = None

    def offer(self, make: Callable[[], Solution]) -> None:
        """Replace what there is by something better; `make` must give the same at any later time."""
        self._make = make

    def withdraw(self) -> None:
        """Offer nothing for a moment."""
        self._make = None

    @property
    def measured(self) -> bool:
        """Whether there is anything yet."""
        return self._make is not None

    def solution(self) -> Solution | None:
        """Return the best so far, not completed (see `solver.completion`); None before the first measurement."""
        make = self._make
        return None if make is None else make()
