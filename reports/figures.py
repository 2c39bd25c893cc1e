"""Figures of solutions, with matplotlib; nothing is shown, no display is needed."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from rules.files import replaced
from solver.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")


def convergence(solution: Solution) -> "Figure":
    """Draw the exploitability against iterations on log axes, with the target.

    Returns
    -------
    matplotlib.figure.Figure
        Exploitability in the unit of the objective.
    """
    from matplotlib.figure import Figure

    checks = [check for check in solution.provenance.checks if check.iterations > 0 and check.nash_conv > 0.0]
    unit = solution.spec.unit
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(
        [check.iterations for check in checks],
        [check.nash_conv / 2 for check in checks],
        color="#0b5394",
        marker="o",
        markersize=3,
        linewidth=1.2,
        label="exploitability",
    )
    axes.axhline(solution.provenance.target / 2, color="#8a4b08", linestyle="--", linewidth=1.0, label="target")
    if checks:
        axes.set_xscale("log")
    axes.set_yscale("log")
    simplex = solution.provenance.method == "lp"
    axes.set_xlabel("simplex iterations" if simplex else "iterations (both players updated once each)")
    axes.set_ylabel(f"exploitability = NashConv / 2 ({unit})")
    axes.set_title(f"{solution.spec.game}: exploitability by iterations")
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.legend(frameon=False)
    return figure


def save(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG or SVG, by the ending of `path`; the same figure gives the same bytes.

    Raises
    ------
    OSError
        Where it cannot be written.
    """
    import matplotlib

    ending = Path(path).suffix.lower()
    with matplotlib.rc_context({"svg.hashsalt": "forehead"}), replaced(path, "wb") as file:
        figure.savefig(file, format=ending[1:], dpi=150, metadata={"Date": None} if ending == ".svg" else {})
