"""The benchmarks' own sums: who is measured by what, and what is said of those who are not there."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import peers
from benchmarks.__main__ import SECTIONS, main
from benchmarks.adapters import ADAPTERS, Adapter, OpenSpielPlus
from reports.efg import ExtensiveForm
from rules import hand
from solver.game import prepare


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
