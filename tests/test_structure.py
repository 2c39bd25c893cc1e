"""How the project hangs together: imports go one way, and reading a solution needs no compiler."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.registry import GAMES
from tests.stale_code import drop_stale_code, kernels

ROOT = Path(__file__).parent.parent
ORDER = ("rules", "solver", "reports", "cli")
"""What stands left may not import what stands right of it."""

MOST_LINES = 600


def files(part: str) -> list[Path]:
    """Return the Python files of a package or of a module at the top."""
    return sorted((ROOT / part).rglob("*.py")) or [ROOT / f"{part}.py"]


def imports(path: Path) -> Iterator[str]:
    """Yield the full names of what a file imports, anywhere in it."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def importers(module: str, parts: tuple[str, ...] = ORDER) -> set[str]:
    """Return the files that import a module or something in it."""
    return {
        str(path.relative_to(ROOT))
        for part in parts
        for path in files(part)
        for name in imports(path)
        if name == module or name.startswith(f"{module}.")
    }


@pytest.mark.parametrize("part", ORDER)
def test_imports_go_one_way(part: str) -> None:
    paths = files(part)
    assert paths
    later = ORDER[ORDER.index(part) + 1 :]
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in paths
        for name in imports(path)
        if name.split(".")[0] in (*later, "tests", "benchmarks")
    ]
    assert wrong == []


def test_imports_are_seen_at_all() -> None:
    assert importers("rules.hand", ("solver",)) >= {"solver/tree.py", "solver/game.py", "solver/solution.py"}
    assert "solver/__init__.py" in importers("solver.solving")  # inside a function


KERNELS = {
    "_lanes": {"_rows", "_sampling", "_columns", "_completing", "_match", "_table", "solving"},
    "_rows": {"_columns", "_completing", "_table", "best_response", "engines", "table_descent", "table_engine"},
    "_columns": {"engines"},
    "_completing": {"completion", "justification", "own_beliefs"},
    "_match": {"match_hands", "match_odds"},
    "_table": {"table_descent", "table_engine"},
    "_sampling": {"sampled_judging", "sampled_keys", "sampled_measures", "sampled_spots", "sampling"},
}
"""Files of compiled functions, and who imports them."""


def test_numba_stays_in_the_kernels_and_the_kernels_with_those_who_solve() -> None:
    assert {path.stem for path in kernels(ROOT / "solver")} == set(KERNELS)
    assert importers("numba") == {"solver/_lanes.py", "solver/_columns.py"}
    assert importers("llvmlite") == {"solver/_lanes.py"}
    for name, known in KERNELS.items():
        assert importers(f"solver.{name}") == {f"solver/{one}.py" for one in known}
        ours = {module for module in imports(ROOT / f"solver/{name}.py") if module.startswith("solver")}
        # No objects, no input and output; how arrays are laid out is said once.
        assert {module.split(".")[1] for module in ours} <= {*KERNELS, "layout"}
        outside = {"collections", "llvmlite", "numba", "numpy", "operator", "os", "solver", "typing"}
        assert {module.split(".")[0] for module in imports(ROOT / f"solver/{name}.py")} <= outside


def test_no_compiled_code_is_tested_whose_sources_have_changed(tmp_path: Path) -> None:
    for name in ("_lanes.py", "_rows.py", "game.py"):
        (tmp_path / name).write_text("")
    kept = tmp_path / "__pycache__"
    assert not drop_stale_code(tmp_path)  # nothing there
    for name in ("_rows.f-1.nbi", "_rows.f-1.1.nbc", "game.pyc"):
        (kept / name).touch()
    assert not drop_stale_code(tmp_path)
    (tmp_path / "game.py").write_text("# edited")
    assert not drop_stale_code(tmp_path)
    assert len(list(kept.iterdir())) == 4
    (tmp_path / "_lanes.py").write_text("# edited")
    assert drop_stale_code(tmp_path)
    assert sorted(path.name for path in kept.iterdir()) == ["game.pyc", "kernels.sha256"]
    assert not drop_stale_code(tmp_path)


def docstrings(tree: ast.AST) -> set[int]:
    """Return the ids of the constants that are docstrings, of modules, classes, functions and attributes."""
    found = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                found.add(id(statement.value))
    return found


def test_the_solver_names_no_game() -> None:
    modules = {spec.__module__ for spec in GAMES.values()}
    assert len(modules) == len(GAMES)
    for module in modules:
        assert importers(module, ("solver",)) == set()
    words = {*GAMES, *(game.replace("-", "_") for game in GAMES), *(spec.__name__ for spec in GAMES.values())}
    for path in files("solver"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        skipped = docstrings(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
                assert not [word for word in words if word in node.value], f"{path.name}, line {node.lineno}"
            if isinstance(node, ast.Name):
                assert node.id not in words, f"{path.name}, line {node.lineno}"


HEAVY = ("numba", "scipy", "pandas", "matplotlib", "llvmlite")


def loaded_after(code: str) -> set[str]:
    """Run code in a fresh interpreter and return which heavy packages it has loaded."""
    program = f"import sys\n{code}\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    return set(
        subprocess.run(
            [sys.executable, "-c", program], check=True, cwd=ROOT, capture_output=True, text=True
        ).stdout.split()
    )


@pytest.mark.parametrize(
    "code",
    ["import rules", "import solver", "import solver.spots", "import solver.verification", "import solver.memory"],
)
def test_importing_what_reads_solutions_loads_nothing_heavy(code: str) -> None:
    assert loaded_after(code) == set()


def test_reading_proving_and_asking_a_solution_loads_nothing_heavy(tmp_path: Path) -> None:
    path = str(tmp_path / "solution.npz")
    solving = (
        "from rules import hand; from solver import solve\n"
        f"solve(hand('indian-poker', stacks='3,3'), gap=1e-2).save({path!r})"
    )
    assert {"numba", "llvmlite"} <= loaded_after(solving)
    asking = (
        "from solver import load; from solver.spots import Spots\n"
        f"solution = load({path!r}, with_state=True); solution.verify(); Spots(solution).at('b1').ev"
    )
    assert loaded_after(asking) == set()


def test_without_a_place_for_compiled_code_it_is_compiled_anew() -> None:
    code = (
        "import numba.core.caching as caching\n"
        "for name in ('CacheImpl', 'CodeLibraryCacheImpl', 'CompileResultCacheImpl'):\n"
        "    getattr(caching, name)._locator_classes = []\n"
        "from rules import hand; from solver import solve, solving\n"
        "assert solve(hand('indian-poker', stacks='2,2'), gap=1e-2).converged\n"
        "assert not solving.compiled_code_is_kept()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("part", [*ORDER, "benchmarks", "tests"])
def test_no_file_is_longer_than_one_can_read(part: str) -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files(part)}
    assert lengths
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}
