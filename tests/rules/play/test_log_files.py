"""The match log as a file: written whole or not at all, and never over what somebody else has written."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from rules.base.atomic_files import replace_unchanged, replaced
from rules.base.errors import LogError
from rules.play.log import MatchLog
from tests.support.commands import begun
from tests.support.helpers import refused
from tests.support.logs import INDIAN
from tests.support.paths import ROOT

HAND = "mine 4  theirs 9  history b1 f\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a log file without hands."""
    path = tmp_path / "tonight.log"
    path.write_bytes(INDIAN.encode())
    return path


def names(path: Path) -> list[str]:
    return sorted(name.name for name in path.parent.iterdir())


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


class TestReadingAndWriting:
    def test_a_new_log_in_a_new_file(self, tmp_path: Path) -> None:
        path = tmp_path / "tonight.log"
        log = MatchLog.new("indian-poker", first="me")
        with refused(LogError, "expected a file to write the log to"):
            log.write()
        log.write(path)
        assert path.read_bytes() == INDIAN.encode()
        # From now on the log belongs to the file.
        log.add(4, 9, "b1 f")
        log.write()
        assert path.read_bytes() == (INDIAN + HAND).encode()
        assert MatchLog.read(path) == log
        assert MatchLog.read(str(path)).hands == log.hands

    def test_an_existing_file_is_not_overwritten_unless_told(self, path: Path) -> None:
        log = MatchLog.new("indian-holdem")
        with refused(LogError, f"{path} exists already; expected a new file for the log"):
            log.write(path)
        assert path.read_bytes() == INDIAN.encode()
        with refused(LogError, "expected a file to write the log to"):
            log.write()
        log.write(path, overwrite=True)
        assert MatchLog.read(path).game == "indian-holdem"
        assert names(path) == ["tonight.log"]

    def test_every_byte_but_the_new_line_stays(self, path: Path) -> None:
        text = "\ufeff# caf\u00e9\r\n" + INDIAN.replace("\n", "\r\n") + "# end"
        path.write_bytes(text.encode())
        log = MatchLog.read(path)
        log.add(4, 9, "b1 f")
        log.write()
        assert path.read_bytes() == (text + "\r\n" + HAND[:-1]).encode()
        log = MatchLog.read(path)
        log.undo()
        log.write()
        assert path.read_bytes() == text.encode()

    def test_errors_name_the_file_as_it_was_given(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(path.parent)
        path.write_text(f"{INDIAN}mine 4  theirs 4  history f\nmine 4  theirs 9  history f\n")
        with pytest.raises(LogError, match=r"^tonight\.log line 6: 4 is out three times but the deck has two"):
            MatchLog.read("tonight.log")
        path.write_text(INDIAN.replace("first me\n", ""))
        with pytest.raises(LogError, match=r"^tonight\.log: expected game, stacks and first"):
            MatchLog.read("tonight.log")
        path.write_text("")
        with pytest.raises(LogError, match=r"^tonight\.log: expected a log that begins with"):
            MatchLog.read("tonight.log")
        log = MatchLog.new("indian-poker")
        log.write("new.log")
        path.write_bytes(log.to_text().encode())
        assert MatchLog.read("new.log") == MatchLog.read(path)

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (INDIAN.encode() + b"# caf\xe9\n", "line 5: expected text in UTF-8, got the byte 0xe9"),
            (INDIAN.replace("\n", "\r\n").encode() + b"\xc3", "line 5: expected text in UTF-8, got the byte 0xc3"),
            (INDIAN.encode("utf-16"), "line 1: expected text in UTF-8, got the byte 0xff"),
            (b"PK\x03\x04", "line 1: expected a log that begins with 'forehead match log 1', got 'PK\\x03\\x04'"),
        ],
    )
    def test_what_is_no_log(self, path: Path, data: bytes, message: str) -> None:
        path.write_bytes(data)
        with refused(LogError, f"{path} {message}"):
            MatchLog.read(path)

    def test_a_file_that_is_not_there(self, path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            MatchLog.read(path.with_name("other.log"))
        with pytest.raises(FileNotFoundError):
            MatchLog.new("indian-poker").write(path.parent / "no" / "such.log")

    def test_permissions_and_links_stay(self, path: Path) -> None:
        path.chmod(0o600)
        link = path.with_name("link.log")
        link.symlink_to(path.name)
        log = MatchLog.read(link)
        log.add(4, 9, "b1 f")
        log.write()
        assert link.is_symlink()
        assert path.read_bytes() == (INDIAN + HAND).encode()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with replaced(path) as file:
            file.write("x")
        assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("x", 0o600)


class TestSeveralWriters:
    def test_the_second_is_told_that_the_file_has_changed(self, path: Path) -> None:
        ours, theirs = MatchLog.read(path), MatchLog.read(path)
        theirs.add(4, 9, "b1 f")
        theirs.write()
        ours.add(1, 2, "f")
        for _ in range(2):
            with refused(LogError, f"{path} has changed since it was read, so nothing was written; read it again"):
                ours.write()
        assert path.read_bytes() == (INDIAN + HAND).encode()
        again = MatchLog.read(path)
        again.add(1, 2, "f")
        again.write()
        assert [one.mine for one in MatchLog.read(path).hands] == [4, 1]

    @pytest.mark.parametrize("change", ["append", "delete"])
    def test_an_edit_by_hand_is_not_lost(self, path: Path, change: str) -> None:
        log = MatchLog.read(path)
        log.add(4, 9, "b1 f")
        if change == "append":
            path.write_text(INDIAN + "# a comment\n")
        else:
            path.unlink()
        with refused(LogError, "has changed since it was read, so nothing was written; read it again"):
            log.write()
        assert names(path) == (["tonight.log"] if change == "append" else [])
        assert change == "delete" or path.read_text() == INDIAN + "# a comment\n"

    def test_nobody_comes_between_the_comparison_and_the_replacement(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import fcntl

        inside, waiting = threading.Event(), threading.Event()
        real_lock, real_replace = fcntl.flock, os.replace
        first = threading.current_thread()

        def lock(file: Any, operation: int) -> None:
            if threading.current_thread() is not first:
                waiting.set()  # has opened the old file
            real_lock(file, operation)

        def replace(source: Any, target: Any) -> None:
            if threading.current_thread() is first:
                inside.set()
                assert waiting.wait(30)
                second.join(0.2)
                assert second.is_alive()
            real_replace(source, target)

        results: list[bool] = []

        def write_too() -> None:
            assert inside.wait(30)
            results.append(replace_unchanged(path, INDIAN.encode(), b"theirs"))

        monkeypatch.setattr(fcntl, "flock", lock)
        monkeypatch.setattr(os, "replace", replace)
        second = threading.Thread(target=write_too)
        second.start()
        assert replace_unchanged(path, INDIAN.encode(), b"ours")
        second.join(30)
        assert (results, path.read_bytes(), names(path)) == ([False], b"ours", ["tonight.log"])

    def test_processes_that_add_at_once_lose_nothing(self, path: Path) -> None:
        path.write_text(INDIAN.replace("10,10", "900,900") + "penalties none\n")
        code = (
            "import sys\n"
            "from rules.base.errors import LogError\n"
            "from rules.play.log import MatchLog\n"
            "path, done = sys.argv[1], 0\n"
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n"
            "while done < 8:\n"
            "    log = MatchLog.read(path)\n"
            "    mine, theirs = [rank for rank in log.spec.deck.ranks for _ in range(log.spec.deck.count(rank))][:2]\n"
            "    log.add(mine, theirs, 'b1 f')\n"
            "    try:\n"
            "        log.write()\n"
            "        done += 1\n"
            "    except LogError as error:\n"
            "        assert 'has changed since it was read' in str(error)\n"
        )
        command = [sys.executable, "-c", code, str(path)]
        adders = [begun(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        for adder in adders:
            assert adder.stdout is not None
            assert adder.stdout.readline() == "ready\n"
        for adder in adders:
            adder.communicate("go\n", timeout=100)
        assert [adder.returncode for adder in adders] == [0] * 4
        log = MatchLog.read(path)
        assert len(log.hands) == 32
        assert log.to_text().count("\n") == 5 + 32
        assert names(path) == ["tonight.log"]

    def test_a_drive_without_locks_still_compares(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import fcntl

        def lock(file: Any, operation: int) -> None:
            raise OSError("no locks here")

        monkeypatch.setattr(fcntl, "flock", lock)
        assert replace_unchanged(path, INDIAN.encode(), b"new")
        assert not replace_unchanged(path, INDIAN.encode(), b"newer")
        assert path.read_bytes() == b"new"


class TestCrashes:
    @pytest.mark.parametrize("step", ["replace", "fsync", "chmod"])
    def test_an_error_at_any_step_leaves_the_old_file_alone(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, step: str
    ) -> None:
        log = MatchLog.read(path)
        log.add(4, 9, "b1 f")

        def fail(*_: Any) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(os, step, fail)
            with pytest.raises(KeyboardInterrupt):
                log.write()
        assert (path.read_bytes(), names(path)) == (INDIAN.encode(), ["tonight.log"])
        log.write()
        assert path.read_bytes() == (INDIAN + HAND).encode()

    @pytest.mark.parametrize(("step", "before"), [("fsync", True), ("replace", True), ("replace", False)])
    def test_a_process_killed_at_any_step_leaves_the_old_file_or_the_new_one(
        self, path: Path, step: str, before: bool
    ) -> None:
        code = (
            "import os, signal, sys\n"
            "from rules.play.log import MatchLog\n"
            "path, step, before = sys.argv[1:]\n"
            "log = MatchLog.read(path)\n"
            "log.add(4, 9, 'b1 f')\n"
            "real = getattr(os, step)\n"
            "def killed(*arguments):\n"
            "    if before == 'False':\n"
            "        real(*arguments)\n"
            "    os.kill(os.getpid(), signal.SIGKILL)\n"
            "setattr(os, step, killed)\n"
            "log.write()\n"
        )
        assert run(code, path, step, before).returncode == -9
        assert path.read_bytes() == (INDIAN if before else INDIAN + HAND).encode()
        # The lock has died with its holder, and what the killed process left behind is in nobody's way.
        log = MatchLog.read(path)
        log.add(1, 2, "f")
        log.write()
        assert [one.mine for one in MatchLog.read(path).hands] == ([1] if before else [4, 1])
