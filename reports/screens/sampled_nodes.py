"""What is printed and written of public states of a strategy that was learned by sampling."""

from collections.abc import Iterator, Sequence
from typing import IO, Any

from reports.data.rows import player_name
from reports.screens.sampled import fields_of
from reports.screens.screen import Screen
from reports.text.words import TRACE, flowed, grid, percent, stated, wrapped, write_csv
from rules.betting.actions import format_history
from rules.cards.playing_cards import RANKS
from solver.mccfr.bucket_keys import LAST, NO_BET, Known, known
from solver.mccfr.sampler import limits_of
from solver.mccfr.solution import MCCFRSolution
from solver.mccfr.spots import KNOWN, MCCFRNode

MOST_ROWS = 20
"""Rows that a table of a node has on a terminal and on a page."""

LEVELS = ("no bet", "first bet", "raise", "last")
"""How far the betting is, as CSV and JSON have it."""

CARD_COLUMNS = ("best", "best_holder", "second", "second_holder", "higher_folded")

NODE_COLUMNS = ("history", "player", *CARD_COLUMNS, "often", "sampled", "action", "probability")
"""Columns of `tidy_node`; `often` and probabilities are 0 to 1, `sampled` counts hands."""

KEY_COLUMNS = ("left", "behind", "level", "fresh", "paid", *CARD_COLUMNS, "sampled", "action", "probability")
"""Columns of a whole strategy; a cell that says nothing of its key is empty."""

LEGEND = (
    "What is seen is reduced to the two highest ranks among the others left, what their holders have done (leads: "
    "made the last bet or raise), and whether a higher card was folded (*)."
)


def node_screen(node: MCCFRNode) -> Screen:
    """Show a public state: a row for what is told apart of the cards seen, a column for each action."""
    spec: Any = node.solution.spec
    lines = [
        wrapped(f"{spec.game}, {spec.headline}"),
        flowed([f"{player_name(node.player)} acts {where(node)};", *_reaching(node)], " "),
        "",
        grid(*node_table(node)),
        *map(wrapped, left_out(node, "--format csv has all, best --see one")),
        *map(wrapped, seldom_told(node)),
        wrapped(LEGEND),
    ]
    told = list(tidy_node(node))
    data = {
        **fields_of(node),
        "reached": node.reached,
        "played": {str(action): share for action, share in zip(node.actions, node.played.tolist(), strict=True)},
        "rows": list(_rows(node)),
    }
    return Screen("\n".join(lines), NODE_COLUMNS, told, data)


def node_table(node: MCCFRNode) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of what is most often seen at a node, as people read them."""
    limits = limits_of(node.solution.spec)
    body = [
        [cards_told(known(limits, key)) + (" ?" if met < KNOWN else ""), percent(often), *map(percent, mix)]
        for key, often, met, mix in _by_key(node, MOST_ROWS)
    ]
    return ["sees", "how often", *map(str, node.actions)], body


def where(node: MCCFRNode) -> str:
    """Say after what a node comes."""
    return f'after "{format_history(node.history)}"' if node.history else "at the start"


def left_out(node: MCCFRNode, instead: str) -> list[str]:
    """Say in sentences what `node_table` leaves out; `instead` says where that is found."""
    told, more = [], len(node.keys) - MOST_ROWS
    if more > 0:
        told.append(f"... {more:,} rows more, seen in {percent(float(node.often[MOST_ROWS:].sum()))}; {instead}")
    unmet = 1.0 - float(node.often.sum())
    if unmet >= TRACE:
        told.append(f"never met while learning, and played evenly: {percent(unmet)}")
    return told


def seldom_told(node: MCCFRNode) -> list[str]:
    """Say in a sentence what the rows of `node_table` that are marked have; in none where there is none."""
    if not (node.met[:MOST_ROWS] < KNOWN).any():
        return []
    return [f"? not known: learning came here in fewer than {KNOWN} hands; best --see plays the EV-best action there"]


def cards_told(one: Known) -> str:
    """Return what is known of the cards: "K (bet), then 9 (to act) *"."""
    words = _holder_words(one)
    told = f"{RANKS[one.best]} ({words[one.best_holder]})"
    if one.second is not None and one.second_holder is not None:
        told += f", then {RANKS[one.second]} ({words[one.second_holder]})"
    return told + (" *" if one.higher else "")


def tidy_node(node: MCCFRNode) -> Iterator[tuple[Any, ...]]:
    """Yield a row for all that is told apart at a node and each action, in the order of `NODE_COLUMNS`."""
    limits, before = limits_of(node.solution.spec), (format_history(node.history), player_name(node.player))
    for key, often, met, mix in _by_key(node):
        cards = _cards(known(limits, key))
        for action, probability in zip(node.actions, mix, strict=True):
            yield (*before, *cards, often, met, str(action), probability)


def write_sampled_strategy(solution: MCCFRSolution, file: IO[str]) -> None:
    """Write what is played as CSV, for every key that was met and each action that is not a free fold."""
    limits = limits_of(solution.spec)
    write_csv(file, KEY_COLUMNS, _all_rows(solution, [known(limits, key) for key in solution.keys.tolist()]))


def _all_rows(solution: MCCFRSolution, met: Sequence[Known]) -> Iterator[tuple[Any, ...]]:
    for one, mix, often in zip(met, solution.strategy.tolist(), solution.visits.tolist(), strict=True):
        told = (one.left, one.behind, LEVELS[one.level], one.fresh, one.paid, *_cards(one), often)
        fold, go_on, more = mix
        actions = [("k", go_on), ("b", more)] if one.level == NO_BET else [("f", fold), ("c", go_on)]
        if one.level not in (NO_BET, LAST):
            actions.append(("r", more))
        for action, probability in actions:
            yield (*told, action, probability)


def _reaching(node: MCCFRNode) -> list[str]:
    """Say in phrases how often play comes to a node, and what is played there."""
    shares = [f"{action} {stated(p)}" for action, p in zip(node.actions, node.played.tolist(), strict=True)]
    often = f"reached in {percent(node.reached)} of hands;" if node.reached > 0.0 else "off the path;"
    return [often, "plays", *(f"{one}," for one in shares[:-1]), shares[-1]]


def _by_key(node: MCCFRNode, most: int | None = None) -> Iterator[tuple[int, float, int, list[float]]]:
    """Yield keys with how often they are seen and were sampled and what is played, most often seen first."""
    seen = node.keys[:most].tolist(), node.often[:most].tolist(), node.met[:most].tolist()
    columns = *seen, node.probability.T[:most].tolist()
    yield from zip(*columns, strict=True)


def _rows(node: MCCFRNode) -> Iterator[dict[str, Any]]:
    limits = limits_of(node.solution.spec)
    for key, often, met, mix in _by_key(node):
        cards = dict(zip(CARD_COLUMNS, _cards(known(limits, key)), strict=True))
        mixed = [{"action": str(a), "probability": p} for a, p in zip(node.actions, mix, strict=True)]
        yield {**cards, "often": often, "sampled": met, "known": met >= KNOWN, "actions": mixed}


def _cards(one: Known) -> tuple[Any, ...]:
    """Return the cells of `CARD_COLUMNS`."""
    words = _holder_words(one)
    second: tuple[str | None, str | None] = (None, None)
    if one.second is not None and one.second_holder is not None:
        second = (RANKS[one.second], words[one.second_holder])
    return RANKS[one.best], words[one.best_holder], *second, one.higher


def _holder_words(one: Known) -> tuple[str, str, str]:
    """Return what holders have done, in words."""
    return "leads", "checked" if one.level == NO_BET else "called", "to act"
