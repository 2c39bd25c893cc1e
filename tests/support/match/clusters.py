"""A Dask cluster on this machine: real processes, which can be killed."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.commands import environment


class Processes:
    """A scheduler and its workers.

    Parameters
    ----------
    folder
        For what they write.
    """

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._folder = folder
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(port))
        self.workers: list[subprocess.Popen[bytes]] = []
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 0.2).close()
                return
            except OSError:
                assert self.scheduler.poll() is None
                time.sleep(0.05)

    def add_worker(self, **changes: str) -> None:
        """Start a worker of one thread; wait until it has said that it is registered."""
        line = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--local-directory", str(self._folder))
        self.workers.append(self._start("worker", self.address, *line, **changes))
        log = self._folder / f"worker{len(self.workers) - 1}.log"
        while b"Registered to" not in log.read_bytes():
            assert self.workers[-1].poll() is None, log.read_text()
            time.sleep(0.05)

    def close(self) -> None:
        """Kill them all."""
        for one in (*self.workers, self.scheduler):
            one.kill()
            one.wait()

    def _start(self, kind: str, *arguments: str, **changes: str) -> "subprocess.Popen[bytes]":
        number = len(self.workers) if kind == "worker" else ""
        with open(self._folder / f"{kind}{number}.log", "wb") as log:
            line = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *arguments]
            return subprocess.Popen(line, stdout=log, stderr=log, cwd=self._folder, env=environment(**changes))


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Processes]:
    """Run a cluster."""
    found = Processes(folder)
    try:
        for _ in range(workers):
            found.add_worker()
        yield found
    finally:
        found.close()
