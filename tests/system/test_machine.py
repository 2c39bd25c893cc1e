"""A machine as it comes: nowhere to write, no display, eight first runs at once."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.commands import PROGRAM, ROOT, Done, begun, environment
from tests.support.helpers import obey_permissions

HAND = ("indian-poker", "--stacks", "2,2")
SOLVE = ("solve", *HAND, "--gap", "0.01")
ADVISE = ("advise", *HAND, "--objective", "chips", "--gap", "0.01", "--see", "4", "--seed", "1")
NOTE = "note: no directory to keep compiled code in (NUMBA_CACHE_DIR names one); compiling anew"


class Machine(NamedTuple):
    """Folders that cannot be written: the package, the home and the current directory."""

    package: Path
    home: Path
    here: Path

    def call(self, *arguments: str | Path, **changes: str) -> Done:
        """Run a command there, without a display."""
        variables = environment(PYTHONPATH=str(self.package), HOME=str(self.home), **changes)
        for name in ("DISPLAY", "MPLBACKEND", "NUMBA_CACHE_DIR", "FOREHEAD_CACHE_DIR", "XDG_CACHE_HOME"):
            if name not in changes:
                variables.pop(name, None)
        done = subprocess.run(
            [*PROGRAM, *map(str, arguments)], cwd=self.here, env=variables, preexec_fn=obey_permissions,
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def everything(self) -> list[Path]:
        return sorted(path for folder in self for path in folder.rglob("*"))


@pytest.fixture
def machine(tmp_path: Path, solved: Path) -> Machine:
    """Return a machine where nothing can be written; the current directory holds a solution."""
    found = Machine(*(tmp_path / name for name in Machine._fields))
    skipped = shutil.ignore_patterns("__pycache__")
    for part in ("rules", "solver", "reports"):
        shutil.copytree(ROOT / part, found.package / part, ignore=skipped)
    shutil.copy(ROOT / "cli.py", found.package)
    found.home.mkdir()
    found.here.mkdir()
    shutil.copy(solved / "deck.npz", found.here)
    for folder in found:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
    for folder in found:
        probe = subprocess.run(
            [sys.executable, "-c", "open('x', 'w')"], cwd=folder, preexec_fn=obey_permissions, capture_output=True,
            check=False,
        )  # fmt: skip
        if probe.returncode == 0:
            pytest.skip("this user may write anywhere, and cannot be kept from it")
    return found


@pytest.mark.slow
def test_a_solution_is_read_where_nothing_can_be_written(machine: Machine) -> None:
    before = machine.everything()
    for line in ("show deck.npz", "best deck.npz --see 5", "verify deck.npz", "export deck.npz", "cache list",
                 "advise --from deck.npz --see 5"):  # fmt: skip
        done = machine.call(*line.split())
        assert (done.code, done.err) == (0, ""), line
        assert done.out
    for line in ("plot deck.npz", "export deck.npz -o x.csv", "solve indian-poker -o x.npz"):
        done = machine.call(*line.split())
        assert (done.code, done.out) == (2, "")
        assert re.fullmatch(r"forehead: cannot write \S+: Permission denied\n", done.err)
    assert machine.everything() == before


@pytest.mark.slow
def test_a_figure_is_drawn_without_a_display_and_a_home(machine: Machine, tmp_path: Path) -> None:
    done = machine.call("plot", "deck.npz", "-o", tmp_path / "x.png")
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith(f"saved {tmp_path / 'x.png'}\n")
    assert "Traceback" not in done.err
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_what_is_solved_where_nothing_can_be_written_says_so_once(machine: Machine) -> None:
    before = machine.everything()
    done = machine.call(*SOLVE)
    assert done.code == 0
    assert done.out.startswith("value to P1")
    assert [line for line in done.err.splitlines() if not line.startswith("gap ")][2:] == [NOTE]
    done = machine.call(*ADVISE)
    assert done.code == 0
    assert done.out.startswith("indian-poker, sees 4")
    cache = machine.home / ".cache" / "forehead"
    assert [line for line in done.err.splitlines() if not line.startswith("gap ")] == [
        NOTE,
        f"forehead: the solution is not kept in {cache} (Permission denied); --no-cache does not try",
    ]
    assert machine.everything() == before


@pytest.mark.slow
def test_eight_first_runs_at_once(tmp_path: Path) -> None:
    variables = environment(
        NUMBA_CACHE_DIR=str(tmp_path / "numba"), FOREHEAD_CACHE_DIR=str(tmp_path / "cache"), PYTHONWARNINGS="error"
    )
    line = [*PROGRAM, *ADVISE, "--max-seconds", "600"]  # eight share two processors
    pipe = subprocess.PIPE
    running = [begun(line, cwd=tmp_path, env=variables, stdout=pipe, stderr=pipe, text=True) for _ in range(8)]
    found = [(*process.communicate(timeout=600), process.returncode) for process in running]
    ninth = subprocess.run(line, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    out, _, code = found[0]
    assert (code, bool(out)) == (0, True)
    assert {(one, result) for one, _, result in [*found, (ninth.stdout, "", ninth.returncode)]} == {(out, 0)}
    assert not [err for _, err, _ in found if "Traceback" in err or "not kept" in err or NOTE in err]
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".npz"]
    assert list((tmp_path / "numba").rglob("*.nbc"))
    assert not [path for path in (tmp_path / "numba").rglob("*") if ".tmp" in path.name]
