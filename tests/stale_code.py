"""Compiled code that no longer is what its sources say, and must not be tested.

numba keeps compiled code beside a file and compiles anew when that file has changed, but what was compiled into it
from other files may change unnoticed: kernels import kernels.
"""

import hashlib
from pathlib import Path

SOLVER = Path(__file__).parent.parent / "solver"
COMPILED = (".nbi", ".nbc")
"""How the files end in which numba keeps code."""
NOTE = "kernels.sha256"


def kernels(folder: Path) -> list[Path]:
    """Return the files with compiled functions."""
    return sorted(folder.glob("_[a-z]*.py"))


def drop_stale_code(folder: Path = SOLVER) -> bool:
    """Remove a folder's compiled code if it may be of other sources; return whether any was removed."""
    kept = folder / "__pycache__"
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in kernels(folder))).hexdigest()
    note = kept / NOTE
    if note.exists() and note.read_text(encoding="ascii") == digest:
        return False
    stale = [path for path in kept.glob("*") if path.suffix in COMPILED]
    for path in stale:
        path.unlink(missing_ok=True)
    kept.mkdir(exist_ok=True)
    note.write_text(digest, encoding="ascii")
    return bool(stale)
