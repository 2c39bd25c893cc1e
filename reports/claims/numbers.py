"""Measured numbers, with their units."""

from math import isnan
from typing import NamedTuple

from reports.text.words import percent

CHIPS, CHANCE, BITS, TIMES = "chips", "0 to 1", "bits", "times"
"""Units of numbers."""


class Number(NamedTuple):
    """A measured number: value (NaN where nothing was there to measure), unit, and what it is in words."""

    value: float
    unit: str
    meaning: str

    def __str__(self) -> str:
        if isnan(self.value):
            return "none"
        if self.unit == CHANCE:
            return f"{'-' * (self.value < 0.0)}{percent(abs(self.value))}" if self.value else "0 %"
        digits = {CHIPS: 2, TIMES: 2, BITS: 3}.get(self.unit, 0)
        return f"{round(self.value, digits) + 0.0:.{digits}f} {self.unit}"


Numbers = dict[str, Number]
