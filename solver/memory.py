"""How much memory a solve takes, known before it starts."""

from collections.abc import Sequence

from rules.hand import HandClass
from solver.tree import TreeSize

PROCESS = 150 * 2**20
"""Python, numpy, numba and compiled code, measured on Linux."""

FLOAT = 8


def estimate(size: TreeSize, classes: Sequence[HandClass], threads: int) -> int:
    """Return the bytes that a CFR solve takes at its peak, process included.

    Counts the tree, for each class regrets, current strategies, strategy sums, the averages measured and
    those trimmed, and the copies that a `Solution` holds, three arrays over actions while trimming, and for
    each thread two arrays over nodes.
    """
    width = max(int(side) for group in classes for side in group.hand.prior.shape)
    rows = size.actions * width * FLOAT
    tree = FLOAT * (4 * size.actions + 4 * size.all_nodes)
    scratch = 2 * size.all_nodes * width * FLOAT * min(threads, len(classes))
    return PROCESS + tree + scratch + (8 * len(classes) + 3) * rows


def available() -> int:
    """Return the bytes of memory that are free now."""
    import psutil

    return int(psutil.virtual_memory().available)


def human(number: float) -> str:
    """Write bytes for people: "9 MB", "1.4 GB"; 1 MB is a million bytes."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if number < 1000 or unit == "TB":
            break
        number /= 1000
    if number > 1e6:
        return f"{number:.0e} {unit}".replace("e+", "e")
    return f"{number:.1f} {unit}" if number < 10 and unit in ("GB", "TB") else f"{number:.0f} {unit}"
