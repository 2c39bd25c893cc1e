"""What the commands print about hands that are learned by sampling."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reports.data.rows import player_name
from reports.screens.screen import Screen
from reports.text.words import TRACE, counted, flowed, grid, percent, signed, small, stated, wrapped
from rules import aids
from rules.betting.actions import format_history
from rules.betting.chips import ANTE
from rules.games.spec import HandSpec
from solver.mccfr.lower_bound import NORMAL_95, Bound
from solver.mccfr.sampler import DEALS, limits_of, memory_of, seconds_of
from solver.mccfr.solution import MCCFRSolution
from solver.mccfr.spots import MCCFRSpot, MCCFRState, spot_seen
from solver.two_player.memory import human

CLAIM = (
    "The gain is a lower bound, estimated: responses were trained against the strategy, and true best responses gain "
    "as much or more. How far the strategy is from an equilibrium at most is not known."
)


def trained_against(share: float) -> str:
    """Say whom the strategy was trained against."""
    return (
        f"Learned on abstracted information, against itself and in {stated(share)} of the hands against copies of "
        "simple players (always check and call, random, bet up to a rank)."
    )


def sampled_plan_text(spec: HandSpec, iterations: int, threads: int) -> str:
    """Say before learning what is solved, how large it is at most, and about how long it takes."""
    limits = limits_of(spec)
    size = [
        f"by sampling: at most {counted(iterations, 'iteration')} of {DEALS:,} deals,",
        f"at most {human(memory_of(limits))},",
        f"about {seconds_of(limits, iterations, threads):.0f} s and the measurement",
    ]
    return "\n".join([wrapped(f"{spec.game}, {spec.headline}"), flowed(size, " ")])


def bound_fields(bound: Bound) -> dict[str, Any]:
    """Return estimates under the names that every output uses; intervals of 95 %."""
    own, own_error, more, more_error = (column.tolist() for column in bound.estimates)
    return {
        "values": own,
        "values_half_width": [NORMAL_95 * error for error in own_error],
        "gains_lower_bound": more,
        "gains_half_width": [NORMAL_95 * error for error in more_error],
        "nash_conv_lower_bound": bound.gain,
        "nash_conv_half_width": bound.half_width,
        "confidence": 0.95,
    }


def sampled_fields(solution: MCCFRSolution) -> dict[str, Any]:
    """Return what was learned and how, ready for JSON."""
    how, spec = solution.provenance, solution.spec
    return {
        "game": spec.game,
        "spec": spec.to_dict(),
        "unit": spec.unit,
        "notes": [*spec.notes, CLAIM, trained_against(how.share)],
        **bound_fields(solution.bound),
        "iterations": how.iterations,
        "deals": how.iterations * DEALS,
        "seed": how.seed,
        "stopped": how.stopped,
        "information_sets": len(solution.keys),
    }


def sampled_screen(solution: MCCFRSolution, file: str | None, seconds: float | None = None) -> Screen:
    """Say what was learned: every player's value, and what trained responses gain."""
    data = sampled_fields(solution) | {"file": file}
    if seconds is not None:
        data["seconds"] = seconds
    how = solution.provenance
    work = f"{counted(how.iterations, 'iteration')} of {DEALS:,} deals, {len(solution.keys):,} information sets met"
    word = "interrupted after " if how.stopped == "interrupted" else ""
    lines = [_table(solution.bound, solution.spec.unit), wrapped(word + work)]
    if seconds is not None:
        lines[-1] += f", {seconds:.1f} s"
    lines += [wrapped(f"note: {note}", others="      ") for note in data["notes"]]
    if file is not None:
        lines.append(f"saved {file}")
    return Screen("\n".join(lines), *_rows(solution.bound), data)


def sampled_proof_screen(file: str, solution: MCCFRSolution, bound: Bound) -> Screen:
    """Say what fresh deals and responses that were trained anew give."""
    unit = solution.spec.unit
    lines = [f"{file} agrees with fresh deals:", _table(bound, unit), wrapped(f"note: {CLAIM}", others="      ")]
    data = {"file": file, "verified": True, "unit": unit, **bound_fields(bound), "notes": [CLAIM]}
    return Screen("\n".join(lines), *_rows(bound), data)


SPOT_COLUMNS = ("history", "player", "seen", "action", "probability", "ev", "ev_half_width")
"""Columns of an answer; `ev` in chips, and half the width of its 95 % interval."""


@dataclass(frozen=True)
class SampledAdvice:
    """What a solution by sampling says to a player.

    `seed` is for the action drawn from the mix; `planned` are the iterations that a live answer was to have.
    """

    spot: MCCFRSpot
    seed: int | None = None
    planned: int | None = None

    @classmethod
    def at(
        cls,
        solution: MCCFRSolution,
        seen: str,
        history: str = "",
        seed: int | None = None,
        planned: int | None = None,
    ) -> "SampledAdvice":
        """Find the answer; errors as `spot_seen` has them."""
        return cls(spot_seen(solution, seen, history), seed, planned)

    def screen(self) -> Screen:
        """Return the answer as text, as one row an action, and as data."""
        return _spot_screen(self.spot, self.seed, self.planned)


def fields_of(state: MCCFRState) -> dict[str, Any]:
    """Return what the data of every screen begins with."""
    spec: Any = state.solution.spec
    return {
        "game": spec.game,
        "spec": spec.to_dict(),
        "unit": spec.unit,
        "notes": [*spec.notes, CLAIM, trained_against(state.solution.provenance.share)],
        "history": format_history(state.history),
        "player": player_name(state.player),
    }


def _spot_screen(spot: MCCFRSpot, seed: int | None, planned: int | None) -> Screen:
    """Say what to do at a spot, and what the own card may be."""
    spec: Any = spot.solution.spec
    names = spec.around_the_table().cards
    chances = spot.own_card.tolist()
    own = {card: chance for card, chance in zip(names, chances, strict=True) if chance > 0.0}
    others = {seat: names[card] for seat, card in enumerate(spot.cards.tolist()) if seat != spot.player}
    odds = aids.showdown(spec, spot.player, ",".join(others.values()), weights=own, left=list(spot.left))
    showdown = {"win": float(odds.win), "tie": float(odds.tie), "lose": float(odds.lose)}
    halves = [NORMAL_95 * error for error in spot.error.tolist()]
    actions = [
        {"action": str(action), "probability": float(p), "ev": float(ev), "ev_half_width": float(half)}
        for action, p, ev, half in zip(spot.actions, spot.probability, spot.ev, halves, strict=True)
    ]
    generator = random.Random(seed) if seed is not None else random.SystemRandom()
    draw = generator.choices([str(action) for action in spot.actions], spot.probability.tolist())[0]
    best = str(spot.actions[spot.best])
    how = spot.solution.provenance
    pot = sum(spot.paid) + ANTE * len(spot.cards)
    data = {
        **fields_of(spot),
        "seen": ",".join(others.values()),
        "chips": {"pot": pot, "to_call": spot.to_call},
        "left": [player_name(seat) for seat in spot.left],
        "actions": actions,
        "best": best,
        "draw": draw,
        "own_card": own,
        "showdown": showdown,
        "sampled": spot.met,
        "known": spot.known,
        "mix": {str(action): float(p) for action, p in zip(spot.actions, spot.mix, strict=True)},
        "iterations": how.iterations,
        "cut_short": planned is not None and how.iterations < planned,
        "nash_conv_lower_bound": spot.solution.bound.gain,
    }
    cards = ", ".join(f"{player_name(seat)} {card}" for seat, card in others.items())
    after = f'After "{data["history"]}".' if spot.history else "Nobody has acted."
    body = [
        [action.words, percent(p), signed(ev) + (f" +- {small(half)}" if half else ""), mark]
        for action, p, ev, half, mark in zip(
            spot.actions,
            spot.probability.tolist(),
            spot.ev.tolist(),
            halves,
            ["<- best" if str(action) == best else "" for action in spot.actions],
            strict=True,
        )
    ]
    likely = [f"{card} {percent(chance)}" for card, chance in own.items() if chance >= TRACE]
    told = (
        f"{spec.game}: you are {player_name(spot.player)} and see {cards}. {after} Pot {pot}, {spot.to_call} to call."
    )
    lines = [wrapped(told), "", grid(["", "play", f"EV ({spec.unit})", ""], body)]
    if sum(p >= TRACE for p in spot.probability) > 1:
        lines.append(f"A mix, to be drawn and not averaged; drawn now: {draw}")
    lines += ["", flowed(["Your card:", *likely])]
    parts = [f"{name} {stated(chance)}" for name, chance in showdown.items()]
    lines += [f"A showdown among {' '.join(data['left'])}: {', '.join(parts)}", ""]
    lines += map(wrapped, _spot_told(spot, planned))
    rows = [(data["history"], data["player"], data["seen"], *one.values()) for one in actions]
    return Screen("\n".join(lines), SPOT_COLUMNS, rows, data)


def _spot_told(spot: MCCFRSpot, planned: int | None) -> Iterator[str]:
    """Say in sentences how far the answer at a spot can be trusted."""
    how, unit = spot.solution.provenance, spot.solution.spec.unit
    if not spot.known:
        best = spot.actions[spot.best].words
        yield f"Not known: sampled {counted(spot.met, 'time')}; the EV-best action is {best}, and it alone is played."
    elif (dropped := spot.blunders & (spot.mix >= TRACE)).any():
        names = " and ".join(str(action) for action, out in zip(spot.actions, dropped, strict=True) if out)
        yield f"Left out of the mix is what loses with these cards by more than the error of the difference: {names}."
    if planned is not None and how.iterations < planned:
        yield (
            f"The time was up: this answer was cut short after {how.iterations} of {planned} iterations, and may "
            "differ from run to run."
        )
    yield (
        f"EVs are estimates by hands played on against those that it was learned against; +- is half of a 95 % "
        f"interval. Responses to this strategy gain at least {small(spot.solution.bound.gain)} {unit}."
    )


def player_table(bound: Bound, unit: str) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of every player's value and what a trained response adds, as people read them."""
    own, own_error, more, more_error = (column.tolist() for column in bound.estimates)
    body = [
        [
            player_name(seat),
            f"{signed(own[seat])} +- {small(NORMAL_95 * own_error[seat])}",
            f"{signed(more[seat])} +- {small(NORMAL_95 * more_error[seat])}",
        ]
        for seat in range(len(own))
    ]
    return ["player", f"value ({unit})", "a trained response adds"], body


def bound_told(bound: Bound, unit: str) -> str:
    """Return the lower bound of NashConv with its interval, in words."""
    return f"lower bound of NashConv  {small(bound.gain)} +- {small(bound.half_width)} {unit}, 95 %"


def _table(bound: Bound, unit: str) -> str:
    return grid(*player_table(bound, unit)) + "\n" + bound_told(bound, unit)


def _rows(bound: Bound) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return columns and rows for CSV."""
    fields = bound_fields(bound)
    names = ("values", "values_half_width", "gains_lower_bound", "gains_half_width")
    rows = zip(*(fields[name] for name in names), strict=True)
    header = ("player", "value", "value_half_width", "gain_lower_bound", "gain_half_width")
    return header, [(player_name(seat), *row) for seat, row in enumerate(rows)]
