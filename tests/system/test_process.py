"""The command line as a process: signals, pipes, terminals, what it imports, and the same bytes every time."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from solver import load
from tests.support.commands import PROGRAM, begun, environment, good, loaded, spawn, strict_json

ENDLESS = ("solve", "indian-poker", "--stacks", "16,16", "--gap", "1e-10", "--max-iterations", "1000000000000")


class Terminal:
    """A process whose stderr is a terminal 80 columns wide."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process: subprocess.Popen[str] = begun(
            [*PROGRAM, *arguments], cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=slave, text=True
        )
        os.close(slave)
        self.seen = ""

    def read_until(self, done: Callable[[str], bool]) -> None:
        """Read stderr until something is there, or the process ends."""
        limit = time.monotonic() + 100
        while not done(self.seen) and time.monotonic() < limit:
            try:
                part = os.read(self.master, 10_000)
            except OSError:  # the other side is closed
                return
            self.seen += part.decode()

    def end(self) -> tuple[int, str]:
        """Read the rest; return the exit code and stdout."""
        self.read_until(lambda _: False)
        out, _ = self.process.communicate(timeout=100)
        os.close(self.master)
        return self.process.returncode, out


def several_measurements(text: str) -> bool:
    return len(set(re.findall(r"(\d+) iterations", text))) >= 2


@pytest.mark.slow
def test_ctrl_c_saves_the_best_so_far_and_resume_goes_on(tmp_path: Path) -> None:
    run = Terminal(*ENDLESS, "-o", "x.npz", "--format", "json", cwd=tmp_path)
    run.read_until(several_measurements)
    run.process.send_signal(signal.SIGINT)
    code, out = run.end()
    assert code == 130
    assert "Traceback" not in run.seen
    answer = strict_json(out)
    assert (answer["stopped"], answer["converged"], answer["file"]) == ("interrupted", False, "x.npz")
    file = tmp_path / "x.npz"
    assert list(tmp_path.iterdir()) == [file]
    solution = load(file)
    assert (solution.provenance.stopped, solution.converged) == ("interrupted", False)
    assert solution.provenance.iterations == answer["iterations"] > 0
    good("verify", file)
    good("solve", "indian-poker", "--resume", file, "-o", file, "--gap", str(answer["nash_conv"] * 0.8))
    after = load(file)
    assert after.converged
    assert after.provenance.stopped == "gap"
    assert after.provenance.iterations > solution.provenance.iterations
    good("verify", file)


@pytest.mark.slow
def test_ctrl_c_without_a_file_says_that_nothing_was_saved(tmp_path: Path) -> None:
    run = Terminal(*ENDLESS, cwd=tmp_path)
    run.read_until(several_measurements)
    run.process.send_signal(signal.SIGINT)
    code, out = run.end()
    assert code == 130
    assert "forehead: nothing was saved, for no output file was given (-o FILE)" in run.seen
    assert re.search(r"interrupted after [\d,]+ iterations?, unfinished", out)
    assert "saved" not in out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_on_a_terminal_one_line_is_rewritten(tmp_path: Path) -> None:
    run = Terminal("solve", "indian-poker", "--stacks", "6,6", "--gap", "1e-4", cwd=tmp_path)
    code, out = run.end()
    assert code == 0
    headline, size, live, rest = run.seen.replace("\r\n", "\n").split("\n")
    assert headline.startswith("indian-poker, 20 cards left")
    assert size.startswith("16 decision nodes")
    assert rest == ""
    states = live.split("\r")
    assert len(states) >= 2
    assert {len(state) for state in states} == {79}  # so that nothing of a longer state is left
    assert states[0].rstrip() == "compiling the solver, or loading it ..."
    for state in states[1:]:
        assert re.fullmatch(r"gap \S+ chips \(target 0.0001\), \d+ iterations, \d+\.\d s", state.rstrip())
    assert "\r" not in out
    assert out.startswith("value to P1")


@pytest.mark.slow
def test_in_a_pipe_there_is_no_live_line(tmp_path: Path) -> None:
    done = spawn("solve", "indian-poker", "--stacks", "4,4", "--gap", "1e-4", cwd=tmp_path)
    assert done.code == 0
    assert "\r" not in done.err
    assert len(done.err.splitlines()) == 2


@pytest.mark.slow
def test_a_reader_that_leaves_early_gets_no_traceback(solved: Path, tmp_path: Path) -> None:
    for arguments in (["export", solved / "fronts.npz"], ["export", solved / "fronts.npz", "--to", "json"], ["games"]):
        done = spawn(*arguments, cwd=tmp_path, shell="| head -n 1")
        assert done.err == ""
        assert len(done.out.splitlines()) == 1


@pytest.mark.slow
def test_closed_streams_do_no_harm(solved: Path, tmp_path: Path) -> None:
    done = spawn("solve", "indian-poker", "--stacks", "3,3", "-o", "x.npz", cwd=tmp_path, shell=">&- 2>&-")
    assert done == (0, "", "")
    assert load(tmp_path / "x.npz").converged
    for shell in (">&-", "2>&-"):
        exported = spawn("export", solved / "deck.npz", cwd=tmp_path, shell=shell)
        assert (exported.code, exported.err) == (0, "")
        assert exported.out.startswith("board,history") is (shell == "2>&-")
    assert spawn("show", "missing.npz", cwd=tmp_path, shell="2>&-") == (2, "", "")


@pytest.mark.slow
def test_terminals_take_any_file_name(tmp_path: Path) -> None:
    accented, broken = "d\u00e9ck.npz", os.fsdecode(b"\xff.npz")
    line = ("solve", "indian-poker", "--stacks", "2,2", "-o")
    done = spawn(*line, accented, cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert done.out.splitlines()[-1].startswith("saved d")
    again = spawn(*line, accented, cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (again.code, again.out) == (2, "")
    assert again.err.startswith("forehead: d")
    assert again.err.endswith("ck.npz exists; give --force to overwrite it\n")
    (tmp_path / accented).rename(tmp_path / broken)
    shown = spawn("verify", broken, cwd=tmp_path, PYTHONIOENCODING="utf-8")
    assert shown.out.startswith("\\udcff.npz holds, recomputed:\nvalue to P1")
    assert strict_json(spawn("verify", broken, "--format", "json", cwd=tmp_path).out)["file"] == broken


SESSION = """
import sys, cli
for line in sys.stdin.read().splitlines():
    try:
        cli.main(line.split())
    except SystemExit as left:
        print(line, left.code or 0, flush=True)
"""
LINES = """
solve indian-holdem --stacks 4,4 --gap 0.1 -o x.npz --format json --threads {threads}
show x.npz --board 1,2
best x.npz --board 1,2 --see 7 --format csv
verify x.npz
games
export x.npz -o x.csv
export x.npz --to json -o x.json
plot x.npz -o x.svg
plot x.npz -o x.png
"""


@pytest.mark.slow
def test_the_same_bytes_whatever_the_hash_seed_and_the_threads(tmp_path: Path) -> None:
    found = []
    for seed, threads in (("1", "1"), ("2", "3")):
        folder = tmp_path / seed
        folder.mkdir()
        done = subprocess.run(
            [PROGRAM[0], "-c", SESSION], input=LINES.format(threads=threads).strip(), cwd=folder,
            env=environment(PYTHONHASHSEED=seed), capture_output=True, text=True, check=True,
        )  # fmt: skip
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert sorted(files) == ["x.csv", "x.json", "x.npz", "x.png", "x.svg"]
        found.append((done.stdout.replace(f"--threads {threads}", ""), done.stderr, files))
    assert found[0] == found[1]
    assert found[0][0].count(" 0\n") == len(LINES.strip().splitlines())


def test_showing_a_solution_of_two_players_imports_no_more_than_that_takes(tmp_path: Path) -> None:
    good("solve", "indian-poker", "--stacks", "3,3", "-o", tmp_path / "deck.npz")
    code = (
        "import sys, cli\n"
        "try: cli.main(['show', 'deck.npz'])\n"
        "finally: print(*(name for name, module in sys.modules.items() if not hasattr(module, '__path__')))"
    )
    done = subprocess.run(
        [PROGRAM[0], "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    ours = [name for name in done.stdout.split() if name.split(".")[0] in ("cli", "rules", "solver", "reports")]
    assert len(ours) <= 45
    assert {"cli", "reports.commands.show", "solver.solutions.spots"} <= set(ours)


@pytest.mark.slow
def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    for arguments in (["--help"], ["--version"], ["solve", "--help"], ["show", "--help"]):
        assert loaded(tmp_path, *arguments) == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["games"],
        ["show", "deck.npz"],
        ["best", "deck.npz", "--see", "10"],
        ["verify", "deck.npz"],
        ["export", "deck.npz"],
    ],
)
def test_reading_a_solution_loads_numpy_alone(arguments: list[str], solved: Path) -> None:
    assert loaded(solved, *arguments) == {"numpy"}
