"""Values and gaps in the unit of their objective: chips with a sign, chances to win the match in percent."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from reports.text.words import digits_for, signed, small
from rules.games.spec import HandSpec
from solver.two_player.payoffs import Quality


def is_chance(spec: HandSpec) -> bool:
    """Say whether values are chances to win."""
    return spec.together == 1.0


def digits(quality: Quality) -> int:
    """Return how many decimals a value deserves, by how far apart its bounds are."""
    return digits_for(quality.upper - quality.lower)


def value(spec: HandSpec, number: float, places: int = 4, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a value: "-0.4682", "51.34 %".

    Parameters
    ----------
    places
        Decimals of the number itself, at least 2.
    """
    if not is_chance(spec):
        return signed(number, places, rounding)
    rounded = (100 * Decimal(number)).quantize(Decimal(10) ** (2 - places), rounding)
    return f"{rounded if rounded else abs(rounded):f} %"


def worth(spec: HandSpec, number: float, places: int = 4) -> str:
    """Write a value with its unit: "-0.4682 chips", "51.34 % to win the match"."""
    return f"{value(spec, number, places)} {'to win the match' if is_chance(spec) else spec.unit}"


def change(spec: HandSpec, number: float, places: int = 4) -> str:
    """Write a difference of values with its unit: "+0.0213 chips", "+2.13 % to win the match"."""
    sign = "+" if is_chance(spec) and number > 0.0 else ""
    return sign + worth(spec, number, places)


def lost(spec: HandSpec, number: float, places: int = 2) -> str:
    """Write what a mistake costs: "0.48 chips", "2.40 % of the match".

    Parameters
    ----------
    places
        Decimals of chips.
    """
    return f"{100 * number:.2f} % of the match" if is_chance(spec) else f"{number:.{places}f} {spec.unit}"


def between(spec: HandSpec, lower: float, upper: float, places: int = 4) -> str:
    """Write bounds, rounded outward."""
    return f"between {value(spec, lower, places, ROUND_FLOOR)} and {value(spec, upper, places, ROUND_CEILING)}"


def gap(spec: HandSpec, width: float) -> str:
    """Write NashConv or the like with its unit: "0.00093 chips"."""
    return f"{small(width)} {spec.unit}"
