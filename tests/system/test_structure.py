"""How the project hangs together: imports go one way, and reading a solution needs no compiler."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from rules.games.registry import GAMES
from solver.kernels import rows, vectors
from tests.support.paths import ROOT

PACKAGES: dict[str, tuple[str, ...]] = {
    "rules.base": (),
    "rules.cards": ("rules.base",),
    "rules.betting": ("rules.base",),
    "rules.games": ("rules.base", "rules.cards", "rules.betting"),
    "rules.play": ("rules.base", "rules.cards", "rules.betting", "rules.games"),
    "rules.aids": ("rules.base", "rules.cards", "rules.betting", "rules.games"),
    "rules.tactics": ("rules.cards", "rules.betting", "rules.games"),
    "rules": ("rules.base", "rules.games"),
    "solver.environment": (),
    "solver.trees": ("rules.base", "rules.betting"),
    "solver.kernels": ("solver.trees",),
    "solver.two_player": ("rules.base", "rules.betting", "rules.games", "solver.trees", "solver.kernels"),
    "solver.off_path": ("solver.trees", "solver.kernels", "solver.two_player"),
    "solver.solutions": (
        "rules.base", "rules.betting", "rules.games", "solver.trees", "solver.two_player", "solver.off_path",
    ),
    "solver.multiplayer": (
        "rules.base", "rules.betting", "rules.games", "solver.trees", "solver.kernels", "solver.two_player",
        "solver.solutions",
    ),
    "solver.mccfr": (
        "rules.base", "rules.cards", "rules.betting", "rules.games", "solver.kernels", "solver.two_player",
        "solver.solutions", "solver.multiplayer",
    ),
    "solver.match": (
        "rules.base", "rules.betting", "rules.games", "rules.play", "rules.tactics", "solver.trees", "solver.kernels",
        "solver.two_player", "solver.solutions",
    ),
    "solver.store": (
        "rules.base", "rules.betting", "rules.games", "solver.trees", "solver.two_player", "solver.solutions",
        "solver.match",
    ),
    "solver.proof": ("rules.games", "solver.two_player", "solver.solutions", "solver.store"),
    "solver.solving": (
        "rules.base", "rules.games", "solver.trees", "solver.kernels", "solver.two_player", "solver.off_path",
        "solver.solutions", "solver.store",
    ),
    "solver.chances": ("rules.games", "solver.solutions", "solver.match", "solver.solving"),
    "solver.session": ("rules.base", "rules.games", "solver.multiplayer", "solver.solving"),
    "solver.within_time": ("rules.games", "solver.two_player", "solver.solutions", "solver.store", "solver.solving"),
    "solver": ("solver.environment", "solver.solutions", "solver.proof", "solver.solving"),
    "reports.text": ("rules.games", "solver.two_player", "solver.solutions"),
    "reports.data": (
        "rules.base", "rules.betting", "rules.games", "rules.play", "solver.two_player", "solver.off_path",
        "solver.solutions", "solver.multiplayer", "reports.text",
    ),
    "reports.screens": (
        "rules.base", "rules.cards", "rules.betting", "rules.games", "rules.play", "rules.aids", "solver.trees",
        "solver.two_player", "solver.off_path", "solver.solutions", "solver.multiplayer", "solver.mccfr",
        "solver.match", "solver.store", "reports.text", "reports.data",
    ),
    "reports.export": (
        "rules.base", "rules.cards", "rules.betting", "rules.games", "solver.trees", "solver.two_player",
        "solver.solutions", "reports.text", "reports.data",
    ),
    "reports.figures": (
        "rules.base", "rules.betting", "rules.games", "solver.solutions", "solver.multiplayer", "reports.text",
        "reports.data",
    ),
    "reports.pages": (
        "rules.base", "rules.cards", "rules.betting", "rules.games", "rules.play", "rules.aids", "solver.off_path",
        "solver.solutions", "solver.multiplayer", "solver.mccfr", "reports.text", "reports.data", "reports.screens",
        "reports.export", "reports.figures",
    ),
    "reports.claims": (
        "rules.base", "rules.cards", "rules.betting", "rules.games", "rules.aids", "solver.two_player",
        "solver.solutions", "solver.solving", "reports.text", "reports.screens", "reports.pages",
    ),
    "reports.answering": (
        "rules", "rules.base", "rules.games", "rules.play", "rules.aids", "solver.trees", "solver.two_player",
        "solver.solutions", "solver.multiplayer", "solver.mccfr", "solver.match", "solver.store", "solver.solving",
        "solver.session", "solver.within_time", "reports.text", "reports.data", "reports.screens", "reports.export",
        "reports.figures", "reports.pages",
    ),
    "reports.commands": (
        "rules.base", "rules.games", "rules.play", "solver.solutions", "solver.match", "solver.store", "solver.chances",
        "solver.within_time", "reports.text", "reports.screens", "reports.pages", "reports.claims",
        "reports.answering",
    ),
    "reports": (),
    "cli": ("rules.base", "reports.answering"),
}  # fmt: skip
"""Every package and module at the top of one, and what it imports; none imports what stands below it in this table."""

PARTS = ("rules", "solver", "reports", "cli")
MOST_LINES, MOST_FILES = 600, 15


def files(part: str) -> list[Path]:
    """Return the Python files of a package or of a module at the top."""
    return sorted((ROOT / part).rglob("*.py")) or [ROOT / f"{part}.py"]


def module_of(path: Path) -> str:
    """Return the full name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for part in PARTS for path in files(part)}


def package_of(module: str) -> str:
    """Return the row of `PACKAGES` that a module belongs to."""
    return max((name for name in PACKAGES if module == name or module.startswith(f"{name}.")), key=len)


def imports(path: Path) -> Iterator[str]:
    """Yield the full names of what a file imports, anywhere in it."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (full if (full := f"{module}.{alias.name}") in MODULES else module for alias in node.names)


GRAPH = {module: {name for name in imports(path) if name in MODULES} for module, path in MODULES.items()}
"""Of every module, the project's modules that it imports."""


def importers(module: str, parts: tuple[str, ...] = PARTS) -> set[str]:
    """Return the files that import a module or something in it."""
    return {
        str(path.relative_to(ROOT))
        for part in parts
        for path in files(part)
        for name in imports(path)
        if name == module or name.startswith(f"{module}.")
    }


def test_packages_import_what_the_table_says_and_nothing_else() -> None:
    found: dict[str, set[str]] = {name: set() for name in PACKAGES}
    for module, used in GRAPH.items():
        found[package_of(module)] |= {package_of(name) for name in used} - {package_of(module)}
    assert found == {name: set(used) for name, used in PACKAGES.items()}


def test_imports_go_down_between_packages() -> None:
    rows = list(PACKAGES)
    assert [(name, one) for name, used in PACKAGES.items() for one in used if rows.index(one) > rows.index(name)] == []


def test_no_files_import_each_other_in_a_circle() -> None:
    TopologicalSorter(GRAPH).prepare()  # a CycleError names the files


def test_a_circle_is_seen() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter(GRAPH | {"rules.base.errors": {"rules.games.spec"}}).prepare()
    assert GRAPH["solver.trees.public_tree"] >= {"rules.betting.public_game"}
    assert "solver.solving" in GRAPH["solver"]  # inside a function


@pytest.mark.parametrize("part", PARTS)
def test_the_product_imports_neither_tests_nor_benchmarks(part: str) -> None:
    found = {name.split(".")[0] for path in files(part) for name in imports(path)}
    assert not found & {"tests", "benchmarks"}


@pytest.mark.slow
def test_no_test_module_is_imported() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        for name in imports(path):
            assert not any(word.startswith("test_") or word == "conftest" for word in name.split(".")), path


@pytest.mark.parametrize("part", [*PARTS, "benchmarks", "tests"])
def test_folders_and_files_are_small_enough_to_be_looked_through(part: str) -> None:
    found = files(part)
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in found}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}
    folders = Counter(path.parent for path in found if path.parent != ROOT)
    assert {str(folder): number for folder, number in folders.items() if number > MOST_FILES} == {}


@pytest.mark.slow
def test_numba_stays_in_the_kernels() -> None:
    assert {Path(name).parent.as_posix() for name in importers("numba")} == {"solver/kernels"}
    assert importers("llvmlite") == {"solver/kernels/vectors.py"}
    for path in files("solver/kernels"):
        # No objects, no input and output.
        outside = {"collections", "contextlib", "hashlib", "llvmlite", "numba", "numpy", "operator", "os", "pathlib"}
        assert {name.split(".")[0] for name in imports(path)} <= {*outside, "solver", "typing"}, path


def test_code_that_was_compiled_from_other_sources_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "solver"
    for path in (*files("solver/kernels"), ROOT / "solver/trees/column_layout.py"):
        copy = folder / path.relative_to(ROOT / "solver")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    assert vectors.digest_of(folder) == vectors.SOURCES
    for path in (folder / "kernels/rows.py", folder / "trees/column_layout.py"):
        before = vectors.digest_of(folder)
        path.write_text(path.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
        assert vectors.digest_of(folder) != before
    # What numba keeps beside a function of one file bears the digest of all.
    assert rows.update._cache._cache_file._source_stamp[1] == vectors.SOURCES


def docstrings(tree: ast.AST) -> set[int]:
    """Return the ids of the constants that are docstrings, of modules, classes, functions and attributes."""
    found = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                found.add(id(statement.value))
    return found


@pytest.mark.slow
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
    [
        "import rules",
        "import solver",
        "import solver.solutions.spots",
        "import solver.solutions.verification",
        "import solver.two_player.memory",
    ],
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
        "from solver import load, verify; from solver.solutions.spots import Spots\n"
        f"solution = load({path!r}, with_state=True); verify(solution); Spots(solution).at('b1').ev"
    )
    assert loaded_after(asking) == set()


@pytest.mark.slow
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
