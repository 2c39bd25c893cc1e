"""Ctrl-C: answered within a second whatever a command is busy with, and what there is is saved."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reports.answering.interruption import Running
from solver import load
from solver.off_path.sources import SOURCES
from tests.support.commands import PROGRAM, ROOT, Stuck, begun, end_children, environment, good, strict_json

LIMIT = 4.0
"""Seconds, for an answer that is to come within one: other processes may keep the machine busy."""

SOLVE = ("solve", "indian-poker", "--stacks", "6,6", "--format", "json")
NOTHING = "forehead: interrupted before anything was found; nothing was saved\n"


# Where a solve does not come back.


def test_a_long_iteration_is_left_and_the_last_measurement_saved(tmp_path: Path) -> None:
    line = ("--gap", "1e-4", "-o", "x.npz")
    done, seconds = Stuck("solver.kernels.rows", "iterate", *SOLVE, *line, cwd=tmp_path, passed=3).interrupt()
    assert seconds < LIMIT
    assert done.code == 130
    assert done.err == "forehead: saving the best so far; Ctrl-C again leaves without it\n"
    (file,) = tmp_path.iterdir()
    solution = load(file, with_state=True)
    good("verify", file)
    assert (solution.provenance.stopped, solution.converged) == ("interrupted", False)
    assert solution.provenance.iterations == solution.provenance.checks[-1].iterations == 60
    assert (done.json["iterations"], done.json["file"]) == (60, "x.npz")
    # What goes on from there ends as if there had been no break.
    good(*SOLVE, "--gap", "0.01", "--resume", file, "-o", file)
    good(*SOLVE, "--gap", "0.01", "-o", tmp_path / "whole.npz")
    assert file.read_bytes() == (tmp_path / "whole.npz").read_bytes()


@pytest.mark.slow
def test_a_long_completion_is_left_and_the_solution_saved(tmp_path: Path) -> None:
    for method in ("cfr", "lp"):
        file = tmp_path / f"{method}.npz"
        line = (*SOLVE, "--method", method, "-o", file.name)
        done, seconds = Stuck("solver.solving", "complete", *line, cwd=tmp_path).interrupt()
        assert seconds < LIMIT
        assert (done.code, done.json["stopped"]) == (130, "gap")
        solution = load(file)
        good("verify", file)
        assert solution.converged
        assert set(map(SOURCES.__getitem__, solution.sources.ravel())) == {"solved"}
    file = tmp_path / "cfr.npz"
    good(*SOLVE, "--resume", file, "-o", file)
    assert load(file).sources.any()  # completed now


@pytest.mark.slow
def test_without_a_file_what_there_is_is_told(tmp_path: Path) -> None:
    done, seconds = Stuck("solver.solving", "complete", *SOLVE, cwd=tmp_path).interrupt()
    assert seconds < LIMIT
    assert (done.code, done.json["file"]) == (130, None)
    assert done.err == "forehead: nothing was saved, for no output file was given (-o FILE)\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "method"),
    [
        ("solver.solving", "prepare", "cfr"),
        ("solver.kernels.rows", "iterate", "cfr"),
        ("scipy.optimize", "linprog", "lp"),
    ],
)
def test_before_the_first_measurement_nothing_is_saved(module: str, name: str, method: str, tmp_path: Path) -> None:
    done, seconds = Stuck(module, name, *SOLVE, "--method", method, "-o", "x.npz", cwd=tmp_path).interrupt()
    assert seconds < LIMIT
    assert done == (130, "", NOTHING)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_advice_is_the_best_so_far_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREHEAD_CACHE_DIR", str(tmp_path / "cache"))
    hand = ("--objective", "chips", "--stacks", "6,6", "--see", "4", "--history", "b1")
    ask = ("advise", "indian-poker", *hand, "--format", "json")
    run = Stuck("solver.solving", "complete", *ask, cwd=tmp_path, passed=1)  # which compiles
    done, seconds = run.interrupt()
    assert seconds < LIMIT
    assert (done.code, done.err) == (130, "")
    assert done.json["history"] == "b1"
    assert done.json["gap"] <= 1e-3
    done, seconds = Stuck("solver.solving", "prepare", *ask, cwd=tmp_path).interrupt()
    assert seconds < LIMIT
    assert done == (130, "", "forehead: interrupted\n")
    assert list(tmp_path.iterdir()) == []


# Whatever else takes long.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "module", "name"),
    [
        ("verify deck.npz", "solver.solutions.verification", "measure"),
        ("show deck.npz", "solver.solutions.solution", "prepare"),
        ("best deck.npz --see 4", "solver.solutions.archive", "read"),
        ("advise --from deck.npz --see 4", "solver.solutions.solution", "prepare"),
        ("export deck.npz -o {}/x.csv", "reports.export.strategy_rows", "write_csv"),
        ("plot deck.npz -o {}/x.png", "reports.figures.solutions", "save"),
        ("solve indian-poker --stacks 20,20 -o {}/x.npz", "solver.two_player.memory", "plan"),
    ],
)
def test_every_other_command_ends_at_once(line: str, module: str, name: str, tmp_path: Path, solved: Path) -> None:
    before = sorted(solved.iterdir())
    done, seconds = Stuck(module, name, *line.format(tmp_path).split(), cwd=solved).interrupt()
    assert seconds < LIMIT
    assert done == (130, "", "forehead: interrupted\n")
    assert list(tmp_path.iterdir()) == []  # nothing half-written
    assert sorted(solved.iterdir()) == before


@pytest.mark.slow
def test_what_is_being_saved_is_waited_for_until_a_second_ctrl_c(tmp_path: Path) -> None:
    run = Stuck("solver.solutions.archive", "write", *SOLVE, "-o", "x.npz", cwd=tmp_path)
    run.process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        run.process.wait(1.5)
    done, seconds = run.interrupt()
    assert seconds < LIMIT
    assert done == (130, "", "forehead: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_who_does_not_read_does_not_hold_it_up(tmp_path: Path, solved: Path) -> None:
    run = begun(
        [*PROGRAM, "export", "pairs.npz", "--to", "json"], cwd=solved, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert run.stdout is not None
    run.stdout.read(1)  # more follows than a pipe holds
    time.sleep(0.5)
    start = time.monotonic()
    run.send_signal(signal.SIGINT)
    assert run.wait(60) == 130
    assert time.monotonic() - start < LIMIT
    run.stdout.close()
    assert run.stderr is not None
    assert run.stderr.read() == b"forehead: interrupted\n"
    run.stderr.close()


# The real things.


def interrupted(seconds: float, *arguments: str, cwd: Path, **changes: str) -> tuple[int, str, float]:
    """Press Ctrl-C some seconds after a solve has announced itself; return exit code, stderr and seconds taken."""
    run = begun([*PROGRAM, *arguments], cwd=cwd, env=environment(**changes), stderr=subprocess.PIPE, text=True)
    assert run.stderr is not None
    run.stderr.readline()
    run.stderr.readline()
    time.sleep(seconds)
    assert run.poll() is None
    start = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=100)
    return run.returncode, err, time.monotonic() - start


@pytest.mark.slow
def test_a_linear_program_is_left(tmp_path: Path) -> None:
    line = ("solve", "indian-poker", "--stacks", "20,20", "--method", "lp", "-o", "x.npz")
    code, err, seconds = interrupted(2.5, *line, cwd=tmp_path)
    assert (code, err) == (130, NOTHING)
    assert seconds < LIMIT
    assert list(tmp_path.iterdir()) == []


def test_compiling_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    code, err, seconds = interrupted(
        0.3, "solve", "indian-poker", "-o", "x.npz", cwd=folder, NUMBA_CACHE_DIR=str(tmp_path / "numba")
    )
    assert (code, err) == (130, NOTHING)
    assert seconds < LIMIT
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_where_ctrl_c_is_ignored_it_stays_ignored(tmp_path: Path) -> None:
    run = begun(
        [*PROGRAM, *SOLVE], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True,
        before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    while run.poll() is None:
        run.send_signal(signal.SIGINT)
        time.sleep(0.1)
    out, _ = run.communicate()
    assert run.returncode == 0
    assert strict_json(out)["converged"]


@pytest.mark.slow
def test_a_command_in_the_background_is_ended_by_sigterm_and_saves_what_there_is(tmp_path: Path) -> None:
    # Scripts start what runs in the background with Ctrl-C ignored.
    stuck = Stuck(
        "solver.kernels.rows", "iterate", *SOLVE, "--gap", "1e-4", "-o", "x.npz", cwd=tmp_path, passed=3,
        before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    stuck.process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        stuck.process.wait(0.5)
    done, seconds = stuck.interrupt(by=signal.SIGTERM)
    assert seconds < LIMIT
    assert done.code == 143
    assert done.err == "forehead: saving the best so far; Ctrl-C again leaves without it\n"
    assert done.json["stopped"] == "interrupted"
    good("verify", tmp_path / "x.npz")


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_either_signal_gives_up_the_saving_that_the_other_has_begun(by: int, tmp_path: Path) -> None:
    stuck = Stuck("solver.solutions.archive", "write", *SOLVE, "-o", "x.npz", cwd=tmp_path)
    stuck.process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        stuck.process.wait(1.0)
    done, seconds = stuck.interrupt(by=by)
    assert seconds < LIMIT
    assert done == (143, "", "forehead: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_these_tests_pass_where_ctrl_c_is_ignored(tmp_path: Path) -> None:
    line = f"exec {sys.executable} -m pytest -q -p no:cacheprovider {__file__} tests/system/test_process.py"
    chosen = "ctrl_c_saves or stops_by_itself or long_iteration or errors_come_out"
    done = begun(
        ["bash", "-c", f"trap '' INT; {line} -k '{chosen}'"], cwd=ROOT, env=environment(), stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    out, _ = done.communicate(timeout=400)
    assert done.returncode == 0, out
    assert " passed" in out


def test_processes_end_with_their_tests(tmp_path: Path) -> None:
    line = "sleep 100 & echo $!; wait"
    run = begun(["sh", "-c", line], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    grandchild = int(run.stdout.readline())
    end_children()
    assert run.poll() == -signal.SIGKILL
    limit = time.monotonic() + 10
    while time.monotonic() < limit and is_running(grandchild):
        time.sleep(0.01)
    assert not is_running(grandchild)


def is_running(process: int) -> bool:
    """Whether there is a process of this number that has not ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


# The runner by itself.


@pytest.fixture
def _in_a_terminal() -> Iterator[None]:
    """Let Ctrl-C be what it usually is, whatever whoever started the tests has made of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press(running: Running) -> None:
    signal.raise_signal(signal.SIGINT)
    limit = time.monotonic() + 10
    while not running.asked() and time.monotonic() < limit:
        time.sleep(0.01)


@pytest.mark.usefixtures("_in_a_terminal")
def test_a_command_that_stops_by_itself_is_not_rescued() -> None:
    before = signal.getsignal(signal.SIGINT)
    running = Running()

    def command() -> int:
        with running.rescuing(lambda: pytest.fail("it was on its way")):
            press(running)
        return 7

    assert running.run(command) == 7
    assert running.asked()
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(SystemExit) as left:
        running.leave(7)
    assert left.value.code == 7


def test_errors_come_out_and_other_threads_may_run_commands_too() -> None:
    def wrong() -> None:
        raise OSError("a command's own")

    with pytest.raises(OSError, match="a command's own"):
        Running().run(wrong)
    assert Running().run(lambda: Running().run(os.getpid)) == os.getpid()
