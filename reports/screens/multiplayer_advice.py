"""The answer to "what now" at a table: actions, the own card's odds and how each action moved them, who sees what."""

import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reports.data.multiplayer_rows import ROW_COLUMNS
from reports.data.ranking import Ranked
from reports.data.rows import player_name
from reports.screens.multiplayer import MISTAKE, given_up_told, row_of, spot_place, table_ranked
from reports.screens.screen import Screen, mark
from reports.text.words import TRACE, flowed, grid, percent, signed, small, stated, wrapped
from rules import aids
from rules.betting.actions import FOLD
from rules.betting.chips import ANTE
from solver.multiplayer.solution import MultiplayerSolution
from solver.multiplayer.spots import MultiplayerSpot, card_by_card, spot_at


@dataclass(frozen=True)
class TableAdvice:
    """What a solution says to a player who sees everybody else's card, after a history.

    Parameters
    ----------
    spot
        The public node.
    column
        What the player sees there.
    seed
        For the action drawn from the mix; None for one that nobody can foresee.
    """

    spot: MultiplayerSpot
    column: int
    seed: int | None = None

    @classmethod
    def at(cls, solution: MultiplayerSolution, seen: str, history: str = "", seed: int | None = None) -> "TableAdvice":
        """Find the answer.

        Raises
        ------
        CardError, HistoryError
            Where the deck excludes the cards, or the history is not legal or ends the hand.
        """
        spot = spot_at(solution, history)
        return cls(spot, spot.column(solution.spec.observation(seen)), seed)

    @property
    def seen(self) -> str:
        """The cards seen, in the order of the other seats."""
        return self.spot.names[self.column]

    @cached_property
    def others(self) -> dict[int, str]:
        """The card of each other seat, from 0."""
        seats = [seat for seat in range(self.spot.solution.spec.seats) if seat != self.spot.player]
        return dict(zip(seats, self.seen.split(","), strict=True))

    @cached_property
    def row(self) -> dict[str, Any]:
        """The row of the spot: actions with probability, value and loss, and how play comes here."""
        return row_of(self.spot, self.column)

    @cached_property
    def ranked(self) -> Ranked:
        """The actions in the order to show them, what is best first."""
        return table_ranked(self.spot, self.column)

    @cached_property
    def draw(self) -> str:
        """One action drawn from the mix."""
        generator = random.Random(self.seed) if self.seed is not None else random.SystemRandom()
        actions = self.row["actions"]
        return str(generator.choices([one["action"] for one in actions], [one["probability"] for one in actions])[0])

    @cached_property
    def own_card(self) -> dict[str, float]:
        """How likely each own card is, given the cards seen and the betting."""
        return self._named(self.spot.own_card(self.column).tolist())

    @cached_property
    def moves(self) -> list[dict[str, Any]]:
        """How the odds of a showdown moved: before any action, then after each.

        Each has the player and the action, who was left then, the own card's probabilities, and the chances of a
        showdown among those left.
        """
        spot = self.spot
        cards = card_by_card(spot.solution, spot.history, spot.player, self.column)
        betting, node = spot.solution.game.betting, 0
        left = list(range(spot.solution.spec.seats))
        found: list[dict[str, Any]] = []
        for action, chances in zip((None, *spot.history), cards, strict=True):
            who = None
            if action is not None:
                who = int(betting.tree.player[node])
                if action.kind == FOLD:
                    left.remove(who)
                node = betting.tree.find((*spot.history[: len(found)],))
            named = self._named(chances.tolist())
            told = {
                "player": None if who is None else player_name(who),
                "action": None if action is None else str(action),
                "left": [player_name(seat) for seat in left],
                "own_card": named,
                "showdown": self._showdown(named, left),
            }
            found.append(told)
        return found

    def _named(self, chances: list[float]) -> dict[str, float]:
        cards = self.spot.solution.spec.around_the_table().cards
        return {card: chance for card, chance in zip(cards, chances, strict=True) if chance > 0.0}

    def _showdown(self, weights: dict[str, float], left: list[int]) -> dict[str, float]:
        spec: Any = self.spot.solution.spec
        found = aids.showdown(spec, self.spot.player, self.seen, weights=weights, left=left)
        return {"win": float(found.win), "tie": float(found.tie), "lose": float(found.lose)}

    @property
    def chips(self) -> dict[str, int]:
        """The pot with the antes, and what a call costs."""
        betting, node = self.spot.solution.game.betting, self.spot.node
        paid = betting.paid[node].tolist()
        return {"pot": sum(paid) + ANTE * len(paid), "to_call": max(paid) - paid[self.spot.player]}

    @property
    def sight(self) -> dict[str, list[str | None]]:
        """What every other player sees, seat by seat without the own: None stands for your card."""
        seats = range(self.spot.solution.spec.seats)
        return {player_name(seat): [self.others.get(other) for other in seats if other != seat] for seat in self.others}

    def to_dict(self) -> dict[str, Any]:
        """Return the whole answer ready for JSON."""
        return {
            **spot_place(self.spot),
            "chips": self.chips,
            **self.row,
            "draw": self.draw,
            "own_card": self.own_card,
            "own_card_by_deck": self.moves[0]["own_card"],
            "moves": self.moves,
            "others_see": self.sight,
        }

    def screen(self) -> Screen:
        """Return the answer as text, as one row an action, and as data."""
        where = (str(self.to_dict()["history"]), player_name(self.spot.player), self.seen)
        reach = self.row["reach"]
        rows = [
            (
                *(*where, one["action"], one["probability"], one["ev"], reach["own"], reach["others"]),
                *(self.row["reached"], self.row["given_up"]),
            )
            for one in self.row["actions"]
        ]
        return Screen(self._text(), ROW_COLUMNS, rows, self.to_dict())

    def _text(self) -> str:
        spot, unit = self.spot, self.spot.solution.spec.unit
        body = []
        for place in self.ranked.order:
            action, one = spot.actions[place], self.row["actions"][place]
            body.append([action.words, percent(one["probability"]), signed(one["ev"]), mark(self.ranked, place)])
        lines = [wrapped(self._now()), "", grid(["", "play", f"EV ({unit})", ""], body)]
        if sum(one["probability"] >= TRACE for one in self.row["actions"]) > 1:
            lines.append(f"A mix, to be drawn and not averaged; drawn now: {self.draw}")
        likely = [f"{card} {percent(chance)}" for card, chance in self.own_card.items() if chance >= TRACE]
        lines += ["", flowed(["Your card:", *likely]), "", self._moved(), "", *self._seen_by(), "", *self._trust()]
        return "\n".join(lines)

    def _now(self) -> str:
        chips, spot = self.chips, self.spot
        done = ", ".join(
            f"{one['player']} {action.words}" for one, action in zip(self.moves[1:], spot.history, strict=True)
        )
        start = f"So far {done}." if done else "Nobody has acted."
        cards = ", ".join(f"{player_name(seat)} {card}" for seat, card in self.others.items())
        return (
            f"{spot.solution.spec.game}: you are {player_name(spot.player)} and see {cards}. {start} "
            f"Pot {chips['pot']}, {chips['to_call']} to call."
        )

    def _moved(self) -> str:
        """Show how each action moved the odds of a showdown among those left."""
        body = []
        for one in self.moves:
            what = "by the deck" if one["action"] is None else f"{one['player']} {one['action']}"
            odds = [percent(one["showdown"][name]) for name in ("win", "tie", "lose")]
            body.append([what, *odds, " ".join(one["left"])])
        return grid(["a showdown after", "win", "tie", "lose", "left"], body)

    def _seen_by(self) -> list[str]:
        lines = []
        for name, cards in self.sight.items():
            lines.append(f"{name} sees {', '.join('yours' if card is None else card for card in cards)}")
        return [wrapped(f"{'; '.join(lines)}.")]

    def _trust(self) -> list[str]:
        solution, row = self.spot.solution, self.row
        gap = f"NashConv {small(solution.nash_conv)} {solution.spec.unit}"
        if row["reached"]:
            reach = f"own {stated(row['reach']['own'])}, others' {stated(row['reach']['others'])}"
            told = [f"On the path of play (reach: {reach}). {gap}."]
        else:
            told = [f"Off the path: play seldom comes here, {MISTAKE}. {gap}."]
        told += given_up_told(self.spot, self.column)
        if solution.provenance.stopped == "interrupted":
            told.append("The time was up before the gap was reached: this is the best so far.")
        return [wrapped(line) for line in told]
