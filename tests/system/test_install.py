"""A wheel holds the packages, the module and nothing else, and works where the source is not."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.commands import ROOT, strict_json

pytestmark = pytest.mark.slow

PACKAGES = ("reports", "rules", "solver")


def call(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel from a copy of the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    skipped = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "*.npz")
    shutil.copytree(ROOT, source, ignore=skipped)
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, source, cwd=folder)
    (built,) = folder.glob("forehead-*.whl")
    return built


def test_the_wheel_holds_the_packages_and_the_module_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    sources = {str(path.relative_to(ROOT)) for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    held = {name for name in names if ".dist-info/" not in name}
    page = {str(path.relative_to(ROOT)) for path in (ROOT / "reports/pages/assets").iterdir()}
    assert {path.rsplit(".", 1)[1] for path in page} == {"html", "css", "js"}
    assert held == sources | page | {"cli.py"} | {f"{name}/py.typed" for name in PACKAGES}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_works_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    environment, elsewhere = tmp_path / "environment", tmp_path / "elsewhere"
    elsewhere.mkdir()
    call(sys.executable, "-m", "venv", environment, cwd=tmp_path)
    call(environment / "bin" / "pip", "install", "--quiet", wheel, cwd=tmp_path)
    forehead = environment / "bin" / "forehead"
    line = ("solve", "indian-poker", "--stacks", "4,4", "--gap", "0.01", "-o", "x.npz", "--format", "json")
    answer = strict_json(call(forehead, *line, cwd=elsewhere))
    assert answer["converged"]
    assert call(forehead, "verify", "x.npz", cwd=elsewhere).startswith("x.npz holds, recomputed:")
    assert call(forehead, "show", "x.npz", cwd=elsewhere).startswith("indian-poker, 20 cards left")
    assert call(forehead, "report", "x.npz", cwd=elsewhere) == "report/index.html\n"
    assert call(forehead, "--version", cwd=elsewhere) == f"forehead {wheel.name.split('-')[1]}\n"
    where = call(environment / "bin" / "python", "-c", "import cli; print(cli.__file__)", cwd=elsewhere)
    assert where.startswith(str(environment))
