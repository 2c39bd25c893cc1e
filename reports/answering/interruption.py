"""Ctrl-C and SIGTERM, answered at once whatever a command is busy with.

A command runs in a thread of its own. Python hands signals to the main thread, which only waits here: neither
compiled code nor a linear program keeps it from that, for both release the interpreter's lock.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

LISTENED: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""Signals that ask a command to end, and what becomes of them where nobody has arranged for anything else."""

PATIENCE = 0.3
"""Seconds that a solve has to stop by itself before it is left behind."""

POLL = 0.05
"""Seconds after which the main thread looks whether Ctrl-C was pressed."""


class Running:
    """A command under way, and what becomes of it at Ctrl-C.

    The first Ctrl-C asks a solve to stop. Where it does not at once, the main thread saves what there is
    (`rescuing`) and the process ends without it; where there is nothing to save, it ends right away. A second
    Ctrl-C gives up the saving too.
    """

    def __init__(self) -> None:
        self.begun = time.monotonic()
        """When the command began, a time of `time.monotonic`."""
        self._asked, self._signal = False, int(signal.SIGINT)
        self._ended = threading.Event()
        self._turn = threading.Lock()
        """For whoever saves: the command, or the main thread, which keeps it."""
        self._rescue: Callable[[], Any] | None = None
        self._finishing = False
        self._outcome: Any = None
        self._error: BaseException | None = None

    def asked(self) -> bool:
        """Return whether Ctrl-C was pressed, or SIGTERM sent."""
        return self._asked

    def run(self, command: Callable[[], Any]) -> Any:
        """Run a command; return what it returns, or raise what it raises. To be followed by `leave`.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, where nothing could be saved.
        """
        with self._listening():
            threading.Thread(target=self._work, args=(command,), name="command", daemon=True).start()
            while not self._ended.wait(POLL):
                if self._asked and self._rescued():
                    return self._outcome
        if self._error is not None:
            raise self._error
        return self._outcome

    @contextlib.contextmanager
    def rescuing(self, rescue: Callable[[], Any]) -> Iterator[None]:
        """Say what is to be done at Ctrl-C in place of a solve that does not stop, and of the rest of the command.

        Afterwards the command has in hand what there is, and is waited for.

        Parameters
        ----------
        rescue
            Saves what there is and returns what the command would; KeyboardInterrupt says that there is nothing.
        """
        with self._turn:
            self._rescue = rescue
        yield
        with self._turn:  # never again, once the main thread has taken over
            self._rescue, self._finishing = None, True

    def leave(self, code: int) -> NoReturn:
        """End the process, without waiting for a command that has been left behind.

        Parameters
        ----------
        code
            `INTERRUPTED` says which signal it was: 130 after Ctrl-C, 143 after SIGTERM.
        """
        if code == INTERRUPTED:
            code = 128 + self._signal
        if not self._ended.is_set():
            # Not imported here: that takes long, and where nothing has imported it nothing is being written.
            drop_unfinished = getattr(sys.modules.get("rules.base.atomic_files"), "drop_unfinished", None)
            if drop_unfinished is not None:
                drop_unfinished()
            os._exit(code)
        sys.exit(code)

    def _work(self, command: Callable[[], Any]) -> None:
        try:
            self._outcome = command()
        except BaseException as error:  # the main thread raises it
            self._error = error
        finally:
            self._ended.set()

    def _rescued(self) -> bool:
        """Do what is left to do after Ctrl-C; False where the command is at its end and does that itself."""
        if self._rescue is not None and self._ended.wait(PATIENCE):
            return False
        self._turn.acquire()
        if self._finishing:
            self._turn.release()
            return False
        if self._rescue is None:
            raise KeyboardInterrupt
        self._outcome = self._rescue()
        return True

    @contextlib.contextmanager
    def _listening(self) -> Iterator[None]:
        """Take note of the first Ctrl-C or SIGTERM; the second one is a KeyboardInterrupt.

        A signal that somebody has arranged for is left alone: SIGINT is ignored under nohup, and in what a script
        starts in the background; SIGTERM still ends such a command in an orderly way.
        """
        mine = threading.current_thread() is threading.main_thread()
        heard = [one for one, usual in LISTENED.items() if mine and signal.getsignal(one) is usual]

        def again(*_: object) -> None:
            raise KeyboardInterrupt

        def ask(number: int, _: object) -> None:
            self._asked, self._signal = True, number
            for one in heard:
                signal.signal(one, again)

        for one in heard:
            signal.signal(one, ask)
        try:
            yield
        finally:  # a command that is left behind is left within moments, and in one piece
            for one in heard:
                signal.signal(one, LISTENED[one] if self._ended.is_set() else signal.SIG_IGN)
