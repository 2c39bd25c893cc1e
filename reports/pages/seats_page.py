"""The page of three and more players: an explorer of what is seen and done, a legend, and what can be trusted."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reports.data.rows import player_name
from reports.figures import solutions as figures
from reports.pages.explorer_data import Block
from reports.pages.markup import Markup, Part, Program, document, filled, joined, tag
from reports.pages.report import DATA, SUMMARY
from reports.text.words import percent
from rules.betting.actions import BET, CALL, CHECK, FOLD, RAISE, Action, format_history
from rules.games.spec import HandSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from reports.data.links import PAGE_OF, spot_link

STRATEGY, SPOTS = "strategy.csv", "spots.csv"

SpotRow = tuple[Sequence[Action], int, float, Sequence[tuple[Action, float]]]

STYLES = ("style.css", "seats.css")
PARTS = (
    ("legend", "Legend", "Legend"),
    ("players", "Players", "Players"),
    ("spots", "Spots", "Spots"),
    ("figures", "Figures", "Figures"),
    ("trust", "Trust", "How far to trust it"),
    ("data", "Data", "Data"),
)
"""The parts below the explorer: anchor, link and heading."""
SCRIPTS = ("numbers.js", "seats.js", "seats_view.js")
"""Files of `reports/pages/assets`; the scripts are one in the page."""


def explorer_page(
    spec: HandSpec,
    name: str,
    numbers: Mapping[str, Any],
    block: Block,
    parts: Mapping[str, object],
) -> str:
    """Return the whole page.

    Parameters
    ----------
    spec
        What was solved.
    name
        The name of the solution's file.
    numbers, block
        What the explorer reads, as `reports.pages.seats_data` makes it.
    parts
        What stands in the parts: ``cut`` below the explorer, ``legend``, ``players``, ``spots``, ``figures``, ``trust``
        and ``data``.
    """
    about = {**numbers, "command": f"forehead advise --from {shlex.quote(name)}"}
    explorer = filled("seats.html", {"cut": parts["cut"]})
    shown = [Part("explorer", "What to do", "What to do", explorer)]
    shown += [Part(one, link, heading, parts[one]) for one, link, heading in PARTS]
    program = Program(about, block.packed(), SCRIPTS)
    return document(spec.title, f"{spec.headline} ({name})", shown, "To the strategy", STYLES, program)


def actions_told(spec: HandSpec, history: Sequence[Action]) -> str:
    """Say what was done, in words: "P1 check, P2 bet"; "the start" where nothing was."""
    told, state = [], spec.public.root
    for action in history:
        told.append(f"{player_name(spec.public.player(state))} {action.words}")
        state = dict(spec.public.moves(state))[action]
    return ", ".join(told) or "the start"


def spots_table(spec: HandSpec, rows: Sequence[SpotRow]) -> Markup:
    """Return spots as a table whose rows stand one below the other on a phone; each leads to the explorer.

    Parameters
    ----------
    rows
        For each spot: the history, who acts, how often play comes there, and how often each action is played.
    """
    headers = ("after", "letters", "who acts", "reached", "plays, over all that is seen")
    head = tag("tr", *(tag("th", text, scope="col") for text in headers))
    body = []
    for history, player, reached, played in rows:
        mix = ", ".join(f"{action.words} {percent(share)}" for action, share in played)
        link = tag("a", actions_told(spec, history), href=spot_link(history))
        cells = (link, format_history(history) or "none", player_name(player), percent(reached), mix)
        body.append(tag("tr", *(_labelled(label, cell) for label, cell in zip(headers, cells, strict=True))))
    grid = tag("table", tag("thead", head), tag("tbody", *body), class_="plain stack")
    return tag("div", grid, class_="wide")


def _labelled(label: str, cell: object) -> Markup:
    return Markup(tag("td", cell, data_label=label).replace("data_label", "data-label", 1))


def legend(spec: HandSpec, more: Sequence[tuple[str, str]]) -> Markup:
    """Return what every letter and symbol of the page means.

    Parameters
    ----------
    more
        Terms with their meanings that this kind of page alone has.
    """
    terms = [*_letters(spec), *_seats(spec), *_symbols(), *more]
    pairs = (tag("dt", term) + tag("dd", meaning) for term, meaning in terms)
    return tag("dl", Markup("".join(pairs)), class_="terms")


def _letters(spec: HandSpec) -> Iterator[tuple[str, str]]:
    public: Any = spec.public
    most = public.max_raises
    raises = f"{most} raise{'s' if most > 1 else ''}"
    meanings = {
        CHECK: "stay in and put in nothing, while nobody has bet",
        BET: f"the first bet: put in {public.bet_size} beyond the ante, and all others must answer",
        CALL: "put in what the last bet or raise asks for",
        RAISE: f"put in {public.raise_size} more than what is asked for; at most {raises} a hand",
        FOLD: "give up the hand and what was put in; allowed where checking is free too",
    }
    for kind, meaning in meanings.items():
        if kind != RAISE or most:
            yield f"{Action(kind)} {kind}", meaning
    yield "k b c", "a history: what was done so far, letter by letter in turn; tables and commands write it so"


def _seats(spec: HandSpec) -> Iterator[tuple[str, str]]:
    last = player_name(spec.seats - 1)
    yield f"P1 … {last}", f"the seats, clockwise from the dealer's left; {last} deals, P1 acts first"
    yield "K,9", "cards seen, in the order of the other seats; the own card is not among them, nobody sees that"


def _symbols() -> Iterator[tuple[str, str]]:
    yield "-", "never"
    yield "<0.1 %", "now and then, less often than once in 2,000 times"
    yield "a shade of blue", "the darker, the more often"
    yield (
        "a mix",
        "draw one action with these odds; who always plays the same tells the others their cards",
    )
    yield "!", "gives up something against the best play from there; how much stands with the answer"
    yield "?", "a card that is not chosen yet; the last key of the row takes a chosen card away"


def figure_parts(drawn: "Mapping[str, tuple[Figure, str]]", links: Mapping[str, tuple[str, str]]) -> Markup:
    """Return figures with their captions, their files, and where they lead in the explorer.

    Parameters
    ----------
    drawn
        Figures and captions by the names of their files without endings.
    links
        For some of these the address of a spot, and what stands there.
    """
    found = []
    for stem, (figure, caption) in drawn.items():
        # In the page a link leads to the explorer; the keyboard has the table there in place of many small links.
        text = re.sub(
            f'<a xlink:href="{re.escape(PAGE_OF)}(#[^"]*)"[^>]*>',
            r'<a tabindex="-1" xlink:href="\1">',
            figures.markup(figure, stem),
        )
        told: list[object] = [caption]
        if stem in links:
            told += [" ", tag("a", links[stem][1], href=links[stem][0])]
        for ending in figures.FORMATS:
            told += [" ", tag("a", ending[1:].upper(), href=f"figures/{stem}{ending}")]
        found.append(tag("figure", Markup(text), tag("figcaption", *told)))
    return tag("div", *found, class_="plots")


def told_list(sentences: Sequence[str]) -> Markup:
    """Return sentences as a list."""
    return tag("ul", *(tag("li", line) for line in sentences), class_="told")


def files_part() -> Markup:
    """Return the files with the same numbers, and what is in each."""
    contents = {
        STRATEGY: "a row for each spot, set of cards seen, and action",
        SPOTS: "a row for each spot and action, over all that is seen",
        DATA: "what was solved, how well, and the spots",
        SUMMARY: "a few lines for a chat or an issue",
    }
    items = [tag("li", tag("a", file, href=file), f": {what}") for file, what in contents.items()]
    same = tag("p", "The same numbers for other programs, in the folder of this page:")
    return joined([same, tag("ul", *items, class_="told")])
