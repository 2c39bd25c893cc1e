"""Values as a player sees them: to P1 where nobody says who asks, else to you, who are P1 or P2."""

from typing import Any

from rules.games.match_spec import MatchSpec
from rules.games.spec import HandSpec
from solver.solutions.solution import Solution
from solver.two_player.payoffs import Quality


def whom(seat: int | None) -> str:
    """Say to whom a value is."""
    return ("P1, the first bettor", "you, the first bettor", "you; they bet first")[0 if seat is None else seat + 1]


def value_to(spec: HandSpec, value: float, seat: int | None) -> float:
    """Return a player's value from P1's; P1's where nobody says who asks."""
    return spec.together - value if seat == 1 else value


def quality_to(spec: HandSpec, quality: Quality, seat: int | None) -> Quality:
    """Return a player's value and the bounds on it, from P1's."""
    if seat != 1:
        return quality
    lower, upper = (spec.together - bound for bound in (quality.upper, quality.lower))
    return quality._replace(value=spec.together - quality.value, lower=lower, upper=upper)


def fields_to(solution: Solution, seat: int | None) -> dict[str, Any]:
    """Return what a solution's data say besides, where it is known who asks, ready for JSON."""
    if seat is None:
        return {}
    spec, seen = solution.spec, quality_to(solution.spec, solution.quality, seat)
    return {
        "seat": f"P{seat + 1}",
        "to_you": {
            "value": seen.value,
            "value_bounds": [seen.lower, seen.upper],
            "classes": [value_to(spec, one.value, seat) for one in solution.qualities],
        },
    }


def headline(spec: HandSpec, seat: int | None) -> str:
    """Return the state of deck and chips in a few words, by you and them where it is known who asks."""
    if seat is None or not isinstance(spec, MatchSpec):
        return spec.headline
    mine, theirs = spec.chips.stacks[seat], spec.chips.stacks[1 - seat]
    stacks = f"stacks {spec.chips.s1}/{spec.chips.s2}"
    return spec.headline.replace(stacks, f"you have {mine}, they have {theirs}")
