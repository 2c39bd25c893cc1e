"""What a solve under way has found, for another thread that cannot wait for its end."""

import threading
from collections.abc import Callable

from solver.solutions.solution import Solution


class Incumbent:
    """The last measured strategy of one solve, which was given this as `best`; any thread may ask, at any time."""

    def __init__(self) -> None:
        self._make: Callable[[], Solution] | None = None
        self._at_hand = threading.Event()
        self._at_hand.set()

    def offer(self, make: Callable[[], Solution]) -> None:
        """Replace what there is by something better; `make` must give the same at any later time."""
        self._make = make
        self._at_hand.set()

    def withdraw(self) -> None:
        """Take back what there is, until something better is offered in a moment; who asks meanwhile waits."""
        self._at_hand.clear()

    @property
    def measured(self) -> bool:
        """Whether there is anything yet."""
        return self._make is not None

    def solution(self) -> Solution | None:
        """Return the best so far, its rows off the path as they are; None before the first measurement."""
        self._at_hand.wait()
        make = self._make
        return None if make is None else make()
