"""What a saved solution says: a deal of it, a spot, a row."""

from collections.abc import Mapping
from typing import Any

from reports.screens.screen import Screen
from reports.screens.spots import row_screen, spot_screen
from reports.text.option_words import flag
from rules import hand
from rules.base.errors import OptionError
from solver.solutions.archive import MULTIPLAYER_FORMAT, SAMPLED_FORMAT, format_of
from solver.solutions.on_demand import ASKED, answered, check_known
from solver.solutions.solution import Solution, load
from solver.solutions.spots import Spots


def which_deal(solution: Solution, file: str, deal: Mapping[str, str | None]) -> str:
    """Return the name of the board or the fronts that options mean; "" where the file holds one deal.

    Raises
    ------
    ForeheadError
        Where the game has no such option, the deck no such deal, or several are there and none is named.
    """
    normal, word = solution.spec.to_dict(), solution.spec.board_word
    name = ""
    for option, cards in deal.items():
        if cards is None:
            continue
        if option not in normal:
            raise OptionError(f"{file} solves {solution.spec.game}, which has no {flag(option)}")
        name = ",".join(map(str, hand(**(normal | {option: cards})).to_dict()[option]))
    if not name and len(solution.boards) > 1:
        first, *_, last = solution.boards
        raise OptionError(
            f"{file} holds {len(solution.boards)} deals; say which with {flag(word)}, from {first} to {last}"
        )
    return name


def without_deal(file: str, given: Mapping[str, Any]) -> None:
    """Refuse options that a file of more than two players has no use for.

    Raises
    ------
    OptionError
        Where one is given.
    """
    for option, value in given.items():
        if value is not None:
            raise OptionError(f"{file} is of more than two players, and has no {flag(option)}")


def spot_shown(file: str, history: str, deal: Mapping[str, str | None], observation: str | None = None) -> Screen:
    """Show what a solution of any number of players says after a history, or one row of it.

    Parameters
    ----------
    deal
        Options that name a board or fronts.
    observation
        The row; None for all.
    """
    kind = format_of(file)
    if kind in (SAMPLED_FORMAT, MULTIPLAYER_FORMAT):
        without_deal(file, deal)
        return (_sampled if kind == SAMPLED_FORMAT else _of_many)(file, history, observation)
    solution = load(file, mapped=True)
    spots = Spots(solution, which_deal(solution, file, deal))
    found = answered(spots, spots.at(history), seconds=ASKED)
    if observation is None:
        return spot_screen(solution, found)
    column = found.column(solution.spec.observation(observation))
    check_known(found, column)
    return row_screen(solution, found, column)


def _of_many(file: str, history: str, observation: str | None) -> Screen:
    from reports.screens.multiplayer import table_row_screen, table_spot_screen
    from solver.multiplayer.solution import load_table
    from solver.multiplayer.spots import spot_at

    spot = spot_at(load_table(file), history)
    if observation is None:
        return table_spot_screen(spot)
    return table_row_screen(spot, spot.column(spot.solution.spec.observation(observation)))


def _sampled(file: str, history: str, observation: str | None) -> Screen:
    from reports.screens.sampled import SampledAdvice
    from reports.screens.sampled_nodes import node_screen
    from solver.mccfr.solution import load_sampled
    from solver.mccfr.spots import node_at

    if observation is None:
        return node_screen(node_at(load_sampled(file), history))
    return SampledAdvice.at(load_sampled(file), observation, history).screen()
