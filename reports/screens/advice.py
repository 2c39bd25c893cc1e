"""The answer to "what now": actions with values, the own card's odds, what folding risks, and where it comes from."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reports.data.beliefs import ON_PATH, basis, warning
from reports.data.hand_facts import chips_after
from reports.data.ranking import Ranked, row_ranked
from reports.data.row_sources import row_loss, source_told
from reports.data.rows import action_fields, player_name, spot_fields
from reports.screens.screen import Screen, mark
from reports.text import units
from reports.text.words import TRACE, flowed, grid, percent, stated, wrapped
from rules import aids
from rules.betting.actions import BOTH
from rules.games.spec import HandSpec
from solver.solutions.on_demand import ASKED, answered, check_known
from solver.solutions.solution import Solution
from solver.solutions.spots import Spot, Spots

PLAIN = 0.05
"""Chips that are worth a sentence."""

MOST_CARDS = 13
"""Cards not seen up to which the odds of each are told on a terminal."""


@dataclass(frozen=True)
class Advice:
    """What a solution says to a player who sees one card, after a history.

    Parameters
    ----------
    solution
        What the answer is read from.
    spot
        The public node.
    column
        The player's observation there.
    mine
        In double-sided, own earlier cards that the player alone knows.
    seed
        For the action drawn from the mix; None for one that nobody can foresee.
    menu
        The options that made the game smaller, where the whole one was too large for the time.
    """

    solution: Solution
    spot: Spot
    column: int
    mine: tuple[str, ...] = ()
    seed: int | None = None
    menu: str | None = None

    @classmethod
    def at(
        cls,
        solution: Solution,
        observation: str,
        history: str = "",
        board: str = "",
        mine: Sequence[str] = (),
        seed: int | None = None,
        menu: str | None = None,
        seconds: float = ASKED,
    ) -> "Advice":
        """Find the answer; `board` picks one of several deals.

        Parameters
        ----------
        seconds
            What may be spent on a spot that the solve has left as it was (`solver.solutions.on_demand`).

        Raises
        ------
        CardError, DeckError, HistoryError, OptionError
            Where the deck excludes a card, or the history is not legal or ends the hand.
        RunError
            Where the row is not known, and was not found in time.
        """
        spots = Spots(solution, board)
        spot = spots.at(history)
        seen = solution.spec.observation(observation)
        column = spot.column(seen)
        if mine:
            spec = solution.spec.with_board(spot.board)
            possible = aids.hidden_card(spec, spot.player, seen, tuple(mine)).copies
            gone = [name for name in spot.others if name not in possible]
            spots = Spots(solution, board, ((gone, ()), ((), gone))[spot.player])
            spot = spots.at(history)
        spot = answered(spots, spot, seconds=seconds)
        check_known(spot, column)
        return cls(solution, spot, column, tuple(mine), seed, menu)

    @property
    def observation(self) -> str:
        """What the player sees: the other's card, or in double-sided the own back."""
        return self.spot.observations[self.column]

    @cached_property
    def spec(self) -> Any:
        """The hand with its board or fronts."""
        return self.solution.spec.with_board(self.spot.board)

    @cached_property
    def actions(self) -> list[dict[str, Any]]:
        """Every legal action with probability, EV and loss, as the rows of a spot have them."""
        return action_fields(self.spot, self.column)

    @cached_property
    def ranked(self) -> Ranked:
        """The actions in the order to show them, what is best first."""
        return row_ranked(self.solution, self.spot, self.column)

    @property
    def best(self) -> list[str]:
        """The action of the highest expected value and those as good, what is played most first."""
        return [str(self.spot.actions[place]) for place in self.ranked.best]

    @cached_property
    def draw(self) -> str:
        """One action drawn from the mix."""
        generator = random.Random(self.seed) if self.seed is not None else random.SystemRandom()
        names = [str(one["action"]) for one in self.actions]
        return generator.choices(names, [one["probability"] for one in self.actions])[0]

    @cached_property
    def hidden_card(self) -> dict[str, float]:
        """How likely each card is that the player does not see, given deck, card seen and betting."""
        chances = self.spot.belief[:, self.column].tolist()
        return {name: chance for name, chance in zip(self.spot.others, chances, strict=True) if chance > 0.0}

    @cached_property
    def by_deck(self) -> dict[str, float]:
        """How likely each such card is by the deck and the card seen alone."""
        mine: dict[str, Any] = {"mine": self.mine} if self.mine else {}
        found = aids.hidden_card(self.spec, self.spot.player, self.observation, **mine).probability
        return {card: float(chance) for card, chance in found.items()}

    @cached_property
    def belief_basis(self) -> str:
        """What `hidden_card` rests on: one of `reports.data.beliefs.BASES`."""
        return basis(self.solution, self.spot, self.column)

    @cached_property
    def _sides_met(self) -> tuple[tuple[str, str], ...] | None:
        spec: HandSpec = self.spec
        return spec.sides_met(self.spot.history, self.spot.player)

    @cached_property
    def sides(self) -> tuple[str, str] | None:
        """The sides that a showdown now would compare; None where it is open or cards have one number."""
        if not self._sides_met:
            return None
        return max(self._sides_met, key=lambda sides: float(self._chances(sides, self.hidden_card)[0]))

    def _chances(self, sides: tuple[str, str] | None, weights: dict[str, float] | None) -> tuple[float, float, float]:
        options: dict[str, Any] = {"mine": self.mine} if self.mine else {}
        if sides is not None:
            options["sides"] = sides
        found = aids.showdown(self.spec, self.spot.player, self.observation, weights=weights, **options)
        return float(found.win), float(found.tie), float(found.lose)

    def showdown(self, inferred: bool) -> dict[str, Any] | None:
        """Return the chances of a showdown now, with or without what the betting tells; None where sides are open."""
        if self._sides_met is None:
            return None
        win, tie, lose = self._chances(self.sides, self.hidden_card if inferred else None)
        chances: dict[str, Any] = {"win": win, "tie": tie, "lose": lose}
        if self.sides is None:
            return chances
        return {**chances, "sides": {"own": self.sides[self.spot.player], "other": self.sides[1 - self.spot.player]}}

    @property
    def gap_full(self) -> float | None:
        """NashConv of a smaller game's strategy in the whole game; None where that is too large, or was solved."""
        whole = self.solution.whole
        return None if self.menu is None or whole is None or whole.quality is None else whole.quality.nash_conv

    @cached_property
    def chips(self) -> dict[str, int]:
        """The chips now: the pot, what a call costs, and in the match games what both have left."""
        return chips_after(self.spec, self.spot.history, self.spot.player)

    @property
    def fold_penalty(self) -> dict[str, Any]:
        """What folding costs beyond what is put in; chips, capped at those left.

        Expected, with the betting and by the deck alone; by own card; and for each cost, the largest first, the cards
        and how likely they are together.
        """
        left = self.chips.get("own", 0)
        costs = {card: min(self.spec.fold_penalty(card), left) for card in self.by_deck}
        by_cost: list[dict[str, Any]] = []
        for cost in sorted({cost for cost in costs.values() if cost}, reverse=True):
            cards = [card for card in costs if costs[card] == cost]
            told, before = (sum(odds.get(card, 0.0) for card in cards) for odds in (self.hidden_card, self.by_deck))
            by_cost.append({"cost": cost, "cards": cards, "probability": told, "by_deck": before})
        return {
            "expected": sum(one["cost"] * one["probability"] for one in by_cost),
            "expected_by_deck": sum(one["cost"] * one["by_deck"] for one in by_cost),
            "by_card": {card: cost for card, cost in costs.items() if cost},
            "by_cost": by_cost,
        }

    @property
    def aids(self) -> dict[str, Any]:
        """The aids of the rules, from the deck and the card seen alone."""
        spec, player, seen = self.spec, self.spot.player, self.observation
        mine: dict[str, Any] = {"mine": self.mine} if self.mine else {}
        found: dict[str, Any] = {"hidden_card": aids.hidden_card(spec, player, seen, **mine).to_dict()}
        ways: dict[str, Callable[[], Any]] = {
            "used_cards": lambda: aids.used_cards(spec, player, seen, **mine),
            "penalty_list": lambda: aids.penalty_list(spec, player, seen, self.chips["own"]),
            "win_chances": lambda: aids.win_chances(spec, player, seen, **mine),
        }
        found |= {name: ways[name]().to_dict() for name in spec.aids}
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the whole answer ready for JSON."""
        spot, column = self.spot, self.column
        return {
            **spot_fields(self.solution, spot),
            "observation": self.observation,
            "chips": self.chips,
            "actions": self.actions,
            "best": self.best,
            "loss": row_loss(spot, column),
            "resolution": self.ranked.resolution,
            "draw": self.draw,
            "hidden_card": self.hidden_card,
            "hidden_card_by_deck": self.by_deck,
            "belief_basis": self.belief_basis,
            "showdown": self.showdown(inferred=True),
            "showdown_before": self.showdown(inferred=False),
            "fold_penalty": self.fold_penalty,
            "reach": {"own": float(spot.own_reach[column]), "other": float(spot.other_reach[column])},
            "reached": bool(spot.reached[column]),
            "source": spot.sources[column],
            "objective": self.solution.spec.to_dict()["objective"],
            "menu": self.menu,
            "gap_full": self.gap_full,
            "stopped": self.solution.provenance.stopped,
            "aids": self.aids,
        }

    def screen(self) -> Screen:
        """Return the answer in three forms; as CSV it is a row for each action."""
        best = self.best
        rows = [(*one.values(), one["action"] in best) for one in self.actions]
        return Screen(self.text(), ("action", "probability", "ev", "loss", "best"), rows, self.to_dict())

    def text(self) -> str:
        """Return the answer for a terminal: what to do first, why below it."""
        unit = self.solution.spec.unit
        lines = [wrapped(self._now()), ""]
        body = []
        for place in self.ranked.order:
            action, one = self.spot.actions[place], self.actions[place]
            figures = [percent(one["probability"]), units.value(self.spec, one["ev"])]
            body.append([action.words, *figures, mark(self.ranked, place)])
        lines.append(grid(["", "play", f"EV ({unit})", ""], body))
        if sum(one["probability"] >= TRACE for one in self.actions) > 1:
            lines.append(f"A mix, to be drawn and not averaged; drawn now: {self.draw}")
        lines += [
            "",
            *self._risks(),
            *self._odds(),
            *([wrapped(summary)] if (summary := self.spec.deck_summary()) else []),
            "",
            *self._trust(),
        ]
        return "\n".join(lines)

    def _now(self) -> str:
        done = [
            f"{'you' if place % 2 == self.spot.player else 'they'}: {action.words}"
            for place, action in enumerate(self.spot.history)
        ]
        chips = self.chips
        told = f"Pot {chips['pot']}, {chips['to_call']} to call."
        if "own" in chips:
            told += f" You have {chips['own']} left, they have {chips['other']}."
        place = f" {self.solution.spec.board_word} {self.spot.board}," if self.spot.board else ""
        start = f"So far {', '.join(done)}." if done else f"You ({player_name(self.spot.player)}) act first."
        return f"{self.solution.spec.game},{place} {self.solution.spec.sees} {self.observation}. {start} {told}"

    def _risks(self) -> list[str]:
        penalty = self.fold_penalty
        if not penalty["by_cost"]:
            return []
        weak = self.belief_basis != ON_PATH
        parts = []
        for one in penalty["by_cost"]:
            by_deck = f", {stated(one['by_deck'])} by the deck alone" if weak else ""
            often = f"{stated(one['probability'])}{by_deck}"
            parts.append(f"{one['cost']} more chips if you hold {_or(one['cards'])} ({often})")
        by_deck = f" ({penalty['expected_by_deck']:.2f} by the deck alone)" if weak else ""
        mean = f"{penalty['expected']:.2f} chips on average{by_deck}"
        return [wrapped(f"Folding costs {' and '.join(parts)}: {mean}.")]

    def _odds(self) -> list[str]:
        now, before = self.showdown(inferred=True), self.showdown(inferred=False)
        lines = []
        if now is not None and before is not None:
            named = now.get("sides")
            sides = f" (your {_side(named['own'])} against their {_side(named['other'])})" if named else ""
            shown = [f"{name} {stated(now[name])}" for name in ("win", "tie", "lose")]
            was = " / ".join(stated(before[name]) for name in ("win", "tie", "lose"))
            *above, last = wrapped(f"A showdown now{sides}: {', '.join(shown)}").splitlines()
            lines += [*above, flowed([last, f"(by the deck alone: {was})"])]
        what = self.spec.unseen
        likely = {card: chance for card, chance in self.hidden_card.items() if chance >= TRACE}
        listed = len(likely) <= MOST_CARDS
        if listed:
            shown = [f"{card} {percent(chance)}" for card, chance in likely.items()]
            lines.append(flowed([f"{what[0].upper()}{what[1:]}:", *shown]))
        reach = float(self.spot.own_reach[self.column]), float(self.spot.other_reach[self.column])
        if told := warning(self.belief_basis, *reach, what):
            lines.append(wrapped(told, "  "))
            if listed:
                by_deck = [f"{card} {percent(chance)}" for card, chance in self.by_deck.items()]
                lines.append(flowed(["  By the deck alone:", *by_deck]))
        return lines

    def _trust(self) -> list[str]:
        spot, column = self.spot, self.column
        gap = f"NashConv {units.gap(self.spec, self.solution.nash_conv)}"
        if spot.reached[column]:
            reach = f"own {stated(spot.own_reach[column])}, other's {stated(spot.other_reach[column])}"
            told = [f"On the equilibrium path (reach: {reach}). {gap}."]
        else:
            told = [f"Off the equilibrium path: {source_told(self.solution, spot, column)}. {gap}."]
        if self.menu is not None:
            full = "not computed"
            if self.gap_full is not None:
                full = units.gap(self.spec, self.gap_full)
            menu = f"{self.menu} (NashConv in the whole game: {full})"
            told.append(f"Solved with fewer actions, as many as the time allows: {menu}")
        if self.solution.provenance.stopped == "interrupted":
            told.append("The time was up before the solve was done: this is the best so far.")
        if self.mine:
            told.append("What to play comes from the deck as both know it; the values count your own folded cards too.")
            gained = sum(one["probability"] * one["loss"] for one in self.actions)
            if gained > max(self.solution.nash_conv, PLAIN * self.spec.chip):
                words = dict(zip((one["action"] for one in self.actions), self.spot.actions, strict=True))
                more = units.lost(self.spec, gained)
                told.append(f"To you, who know them, {words[self.best[0]].words} is worth {more} more than that.")
        return [wrapped(line) for line in [*told, *(f"Note: {note}." for note in self.solution.spec.notes)]]


def _side(name: str) -> str:
    """Name what is compared in a showdown."""
    return "two numbers" if name == BOTH else name


def _or(names: list[str]) -> str:
    """Join names as in "7, 8 or 10"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
