"""Figures looked at as they come out."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from reports.figures import solutions as figures

MOST_PIXELS = 1600


def check(name: str, figure: Figure) -> None:
    """Check that every text and legend lies within a figure, that titles keep apart, and how wide it is."""
    figure.set_dpi(figures.DOTS)
    figure.draw_without_rendering()
    assert figure.bbox.width <= MOST_PIXELS, name
    out_of_view = {id(label) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in unseen(axis)}
    for one in [*figure.findobj(Text), *figure.findobj(Legend)]:
        if not one.get_visible() or id(one) in out_of_view or (isinstance(one, Text) and not one.get_text().strip()):
            continue
        box = one.get_window_extent()
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1
        assert inside, (name, one, box.extents, figure.bbox.extents)
    titles = [axes.title.get_window_extent() for axes in figure.axes if axes.get_title()]
    for left, right in pairwise(titles):
        assert not left.overlaps(right), name


def unseen(axis: Axis) -> Iterator[Any]:
    """Yield the labels of an axis that stand beyond what is drawn."""
    low, high = sorted(axis.get_view_interval())
    near = 1e-9 * (high - low)
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if not low - near <= tick.get_loc() <= high + near:
            yield from (tick.label1, tick.label2)
