"""The benchmarks' own sums: who is measured by what, and what is said of those who are not there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import peers, scaling, speed
from benchmarks.__main__ import SECTIONS, main
from benchmarks.adapters import ADAPTERS, Adapter, OpenSpielPlus
from reports.export.efg import ExtensiveForm
from rules import hand
from solver.two_player.payoffs import Game, prepare
from tests.support.commands import environment


def adapter(kind: type[Adapter], folder: Path, limit: float = 30.0) -> Adapter:
    spec = hand("indian-poker", stacks="3,3", left="1,1,0,0,0,0,0,0,1,1")
    form = ExtensiveForm(spec)
    (folder / "game.efg").write_text("".join(form.pieces()))
    try:
        return kind(form, prepare(spec), folder, limit)
    except ValueError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("kind", ADAPTERS, ids=lambda kind: kind.__name__)
def test_every_peer_reaches_the_gap_by_our_ruler(kind: type[Adapter], tmp_path: Path) -> None:
    result = peers.race(adapter(kind, tmp_path), "small", (0.1, 0.02))
    assert (result.solver, result.method) == (kind.library, kind.method)
    assert result.last_nash_conv_chips is not None
    assert result.last_nash_conv_chips <= 0.02
    (first, second), (early, late) = result.iterations, result.seconds
    assert first is not None
    assert second is not None
    assert early is not None
    assert late is not None
    assert 1 <= first <= second
    assert 0.0 < early <= late


def test_a_peer_that_is_too_slow_is_told_apart(tmp_path: Path) -> None:
    result = peers.race(adapter(OpenSpielPlus, tmp_path, limit=1e-9), "small", (1e-12,))
    assert (result.iterations, result.seconds) == ((None,), (None,))
    assert result.last_nash_conv_chips is not None
    assert result.last_nash_conv_chips > 0.0


def test_peers_that_are_not_installed_are_skipped_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("LiteEFG", "pygambit"):
        monkeypatch.setitem(sys.modules, module, None)
    done = CliRunner().invoke(main, ["--only", "peers", "--quick", "--json", str(tmp_path / "lines.jsonl")])
    assert done.exit_code == 0
    assert "skipped LiteEFG CFR+: expected LiteEFG to be installed (" in done.stderr
    assert "skipped pygambit LP" in done.stderr
    assert done.stdout.startswith("peers: indian-poker 3,3, 1,101 nodes in extensive form\n")
    lines = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text().splitlines()]
    assert [(line["solver"], line["section"]) for line in lines] == [
        (name, "peers") for name in ("forehead", "forehead", "open_spiel", "open_spiel", "scipy")
    ]
    assert all({"numba", line["solver"]} <= line["versions"].keys() and line["processor"] for line in lines)


def test_sections_are_chosen_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    for name in SECTIONS:
        monkeypatch.setitem(SECTIONS, name, lambda output, settings, name=name: ran.append(name))
    assert CliRunner().invoke(main, []).exit_code == 0
    assert ran == list(SECTIONS)
    assert {"signature", "speed", "scaling", "match", "matches", "start", "peers", "tables", "many"} == set(ran)
    ran.clear()
    assert CliRunner().invoke(main, ["--only", "start"]).exit_code == 0
    assert ran == ["start"]
    assert CliRunner().invoke(main, ["--only", "nothing"]).exit_code == 2


COMPILED = """
import importlib, pkgutil, sys
import numba
import solver
from benchmarks import matches, speed, tables
from rules import hand
from solver.two_player.payoffs import prepare
from solver.match.solving import solve_match

def compiled():
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(solver.__path__, "solver.")]
    kernels = {id(one): one for module in modules for one in vars(module).values() if hasattr(one, "signatures")}
    return sum(len(one.signatures) for one in kernels.values())

warm = eval(sys.argv[1])
counts = [compiled()]
if sys.argv[3] == "warm":
    warm()
counts.append(compiled())
eval(sys.argv[2])
print(counts[1] - counts[0], compiled() - counts[1])
"""
WARMED = [
    *(
        (f"lambda game=prepare(hand(**speed.HANDS[{name!r}])): (speed.per_iteration(game, 1), speed.warm_up(game, 2))",
         f"speed.reach(prepare(hand(**speed.HANDS[{name!r}])), (1.0,), 2)")
        for name in ("indian-poker 10/10", "indian-poker 15/15", "double-sided 15/15 fronts 3,8")
    ),
    ("lambda: tables.warm_up(3)", "tables.own(3, (1.0, 0.2))"),
    ("lambda: matches.warm_up(matches.Match('indian-poker', 15, 'fresh', 0.5), 1)",
     "solve_match(hand('indian-poker', stacks=(15, 15)), 'fresh', 0.5, threads=1)"),
]  # fmt: skip
"""What warms up, and what is timed then, in as few words as take little time."""


@pytest.mark.slow
@pytest.mark.parametrize(("warm", "timed"), WARMED, ids=[timed for _, timed in WARMED])
def test_no_time_counts_compiling(warm: str, timed: str) -> None:
    for how in ("warm", "cold"):
        line = [sys.executable, "-c", COMPILED, warm, timed, how]
        done = subprocess.run(line, env=environment(), capture_output=True, text=True, check=True, timeout=300)
        before, meanwhile = map(int, done.stdout.split())
        assert (before > 0, meanwhile > 0) == ((True, False) if how == "warm" else (False, True))


def test_every_hand_is_warmed_up_before_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, int]] = []
    reach = speed.reach
    monkeypatch.setattr(speed, "warm_up", lambda game, threads: said.append(("warmed up", threads)))

    def noted(game: Game, gaps: tuple[float, ...], threads: int) -> list[tuple[int, float] | None]:
        said.append(("timed", threads))
        return reach(game, gaps, threads)

    monkeypatch.setattr(speed, "reach", noted)
    speed.measure("small", hand("indian-poker", stacks="3,3"), (0.1,), 2, 2)
    assert said == [("warmed up", 2), ("timed", 2), ("timed", 2)]


PEAK = """
import subprocess, sys
much = bytearray(400_000_000)
much[::4096] = b"x" * len(much[::4096])
code = "from benchmarks.scaling import peak_mb; print(peak_mb())"
print(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
"""


def test_the_peak_of_a_size_is_its_own_and_not_that_of_whoever_starts_it() -> None:
    own = subprocess.run(
        [sys.executable, "-c", "from benchmarks.scaling import peak_mb; print(peak_mb())"], env=environment(),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    started = subprocess.run(
        [sys.executable, "-c", PEAK], env=environment(), capture_output=True, text=True, check=True
    )
    assert float(started.stdout) == pytest.approx(float(own.stdout), rel=0.2)


@pytest.mark.slow
def test_each_size_is_measured_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "QUICK_STACKS", (3, 10))
    output = CliRunner().invoke(main, ["--only", "scaling", "--quick"]).stdout
    rows = [line.split() for line in output.splitlines() if line.startswith("indian-poker")]
    assert [row[1] for row in rows] == ["3/3", "10/10"]
    assert all(0.0 < float(row[4]) < 1000.0 for row in rows)
