"""What stands out in a solution, in sentences."""

from collections.abc import Iterator

import numpy as np

from reports.data.node_summary import NodeTable, all_nodes, histories, opening_shares, typical_boards
from reports.data.rows import player_name
from reports.text import units
from reports.text.persons import quality_to, value_to
from reports.text.words import counted, percent, stated
from rules.betting.actions import format_history
from solver.off_path.sources import SOURCES
from solver.solutions.solution import Solution
from solver.solutions.spots import REACHED, Spots

OFTEN = 0.01
"""Hands in which a spot must come up to be named."""


def findings(solution: Solution, seat: int | None = None) -> list[str]:
    """Return what stands out: who is ahead, how play begins, bluffs, mixes, the dearest mistake, what is off the path.

    Figures of single spots are of the likeliest class of deals, and say so where there are several.
    """
    told = [_value(solution, seat)]
    if not solution.tree.nodes:
        return [*told, "Nobody acts in this hand: the antes are all-in, and it is a showdown at once."]
    shares = opening_shares(solution)
    told.append(
        "P1 opens over all cards with "
        + ", ".join(f"{action.words} {percent(part)}" for action, part in shares.items() if part > 0.0)
        + "."
    )
    deal = Spots(solution, typical_boards(solution)[0])
    where = f" ({solution.spec.board_word} {deal.board})" if len(solution.boards) > 1 else ""
    table = NodeTable(deal, all_nodes(solution))
    told += [line.replace(":", f"{where}:", 1) for line in (*_opening(deal), *_spots(solution, table))]
    return told


def _value(solution: Solution, seat: int | None) -> str:
    spec, digits = solution.spec, units.digits(solution.quality)
    seen = quality_to(spec, solution.quality, seat)
    subject = ("P1, the first bettor,", "You, the first bettor,", "You")[0 if seat is None else seat + 1]
    verb = (lambda plain: f"{plain}s") if seat is None else str
    if units.is_chance(spec):
        wins, share = units.value(spec, seen.value, digits), units.value(spec, value_to(spec, spec.even, seat))
        who = f"{subject} {verb('win')} the match with {wins}, having {share} of all chips"
    elif seen.lower > 0.0 or seen.upper < 0.0:
        what = "gain" if seen.value > 0 else "lose"
        who = f"{subject} {verb(what)} {abs(seen.value):.{digits}f} {spec.unit} a hand on average"
    else:
        worth = f"value to {'P1' if seat is None else 'you'} {units.worth(spec, seen.value, digits)}"
        who = f"Neither player is ahead by more than the bounds tell ({worth})"
    return f"{who}; nobody can do better by more than {units.gap(spec, solution.nash_conv)}, for both together."


def _opening(deal: Spots) -> Iterator[str]:
    """Say with what P1 opens, grouping observations of one answer."""
    spot = deal.at()
    groups: dict[str, list[str]] = {}
    for column, name in enumerate(spot.observations):
        chances = spot.probability[:, column]
        top = int(chances.argmax())
        pure = chances[top] >= 0.995
        key = f"always {spot.actions[top].words}" if pure else "mix"
        groups.setdefault(key, []).append(name)
    sees = deal.solution.spec.sees
    parts = []
    for key, names in sorted(groups.items()):
        listed = ", ".join(names) if len(names) <= 20 else f"{len(names)} of {len(spot.observations)} cards"
        parts.append(f"{key} ({sees} {listed})")
    yield f"The opening: {'; '.join(parts)}."


def _spots(solution: Solution, table: NodeTable) -> Iterator[str]:
    """Say where a mistake is dearest, where play is mixed, and how much is off the path."""
    sees = solution.spec.sees
    paths = dict(zip(table.nodes.tolist(), histories(solution, table.nodes), strict=True))
    dearest: tuple[float, str] = (0.0, "")
    mixed = sets = off = 0
    sources = np.zeros(len(SOURCES), dtype=int)
    for player, (one, row_ev) in enumerate(zip(table.players, table.row_ev, strict=True)):
        if not len(one.nodes):
            continue
        seen = one.prior.sum(axis=1)
        comes = seen * one.own_reach * one.other_reach
        mixes = np.add.reduceat(one.probability >= 0.005, one.starts, axis=0) > 1
        on_path = (one.own_reach >= REACHED) & (one.other_reach >= REACHED)
        mixed += int((mixes & on_path).sum())
        sets += on_path.size
        off += int((~on_path).sum())
        sources += np.bincount(one.sources.reshape(-1), minlength=len(SOURCES))
        loss = np.where(comes[one.place] >= OFTEN, row_ev[one.place] - one.ev, 0.0)
        row, column = np.unravel_index(int(loss.argmax()), loss.shape)
        if loss[row, column] > dearest[0]:
            node = int(one.nodes[one.place[row]])
            action = solution.tree.actions(node)[int(one.rows[row]) - int(solution.tree.first[node])]
            name = table.spots.observations[player][int(column)]
            after = f' after "{format_history(paths[node])}"' if paths[node] else " at the start"
            dearest = (
                float(loss[row, column]),
                f"The dearest mistake in a spot that comes up once in 100 hands or more: {player_name(player)} "
                f"({sees} {name}){after} loses {units.lost(solution.spec, loss[row, column])} by "
                f"{action.words}.",
            )
    if dearest[1]:
        yield dearest[1]
    yield (
        f"Mixes: of {counted(sets - off, 'information set')} on the path {stated(mixed / max(1, sets - off))} are "
        "played as a mix, to be drawn and not averaged."
    )
    answered = ", ".join(f"{name} {number:,}" for name, number in zip(SOURCES, sources.tolist(), strict=True))
    yield (
        f"Off the path: {stated(off / sets)} of all {counted(sets, 'information set')} come up less than once in "
        f"{1 / REACHED:,.0f} hands; they are answered all the same ({answered})."
        if off
        else f"Off the path: none of all {counted(sets, 'information set')}; each comes up at least once in "
        f"{1 / REACHED:,.0f} hands."
    )
