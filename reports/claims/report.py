"""The report of a game's claims: a table for the terminal; a page, Markdown, CSV and JSON in a folder."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from reports.claims import double_sided as claims_double_sided
from reports.claims import indian_holdem as claims_indian_holdem
from reports.claims import indian_poker as claims_indian_poker
from reports.claims.bench import Bench, Solutions
from reports.claims.claim import FAILS, HOLDS, NO_CASE, PARTLY, VERDICTS, Claim, Result, results_of
from reports.claims.numbers import Number
from reports.pages.markup import Markup, Part, document, joined, table, tag
from reports.screens.screen import Screen
from reports.text.words import as_json, counted, grid, plain, small, wrapped
from rules.base.atomic_files import replaced
from rules.base.errors import OptionError
from rules.games.match_spec import MatchSpec
from rules.games.registry import GAMES, hand

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "indian-poker": claims_indian_poker.CLAIMS,
    "indian-holdem": claims_indian_holdem.CLAIMS,
    "double-sided": claims_double_sided.CLAIMS,
}
"""The games whose texts give advice, with what they claim."""

RAISES_SIDED = ((15, 2), (None, 1))
"""In double-sided the raises after the opening bet, by the shorter stack: so all pairs of fronts are solved soon."""

COLUMNS = (
    "claim",
    "source",
    "verdict",
    "setup",
    "setup_verdict",
    "number",
    "value",
    "unit",
    "decides",
    "meaning",
)
"""Columns of the table of all numbers; `decides` marks the number that the rule goes by."""

PAGE, MARKDOWN, TABLE, DATA = "index.html", "claims.md", "claims.csv", "claims.json"


class ClaimsReport(NamedTuple):
    """A game's claims tested: the game, what was solved, and what came of each claim."""

    game: str
    setups: tuple[Bench, ...]
    results: tuple[Result, ...]

    @property
    def title(self) -> str:
        """What the report is."""
        return f"{GAMES[self.game].title}: the advice tested"

    @property
    def lead(self) -> str:
        """What was done, and how many claims hold."""
        number = {verdict: sum(one.verdict == verdict for one in self.results) for verdict in VERDICTS}
        told = [f"{number[HOLDS]} hold", f"{number[PARTLY]} hold partly", f"{number[FAILS]} fail"]
        told += [f"{number[NO_CASE]} never come up"] * (number[NO_CASE] > 0)
        text = self.results[0].claim.source.text
        claims = counted(len(self.results), "claim")
        return f"{claims} of the strategy section of text {text}, against equilibrium play: {', '.join(told)}."

    @property
    def trust(self) -> list[str]:
        """Return what to know about the numbers, in sentences."""
        gaps = [(bench.name, bench.solution) for bench in self.setups]
        told = "; ".join(f"{name} {small(solution.nash_conv)}" for name, solution in gaps)
        notes = dict.fromkeys(note for _, solution in gaps for note in solution.spec.notes)
        return [
            f"Stacks of P1 and P2, with the NashConv reached in chips: {told}. Fresh deck where nothing else is said.",
            "Thresholds stand in the code, with a reason each, and know no result; a claim is tested with every stack "
            "where it depends on stacks, and holds partly where the verdicts differ.",
            "Chips of one hand are what players maximise. What advice does to a whole match, or against players who "
            "are not at equilibrium, is not measured.",
            "Equilibria may differ where actions are worth the same, so that shares of single actions may too; values "
            "and losses do not.",
            *(f"Note: {note}." for note in notes),
        ]


def benches(game: str, stacks: str | None, gap: float) -> tuple[Bench, ...]:
    """Return the setups of a game: every standard stack, or the stacks given.

    Raises
    ------
    ForeheadError
        Where the game has no such text, or the stacks cannot be.
    """
    if game not in CLAIMS:
        hand(game)  # refuses an unknown game by its own words
        raise OptionError(f"expected a game whose text gives advice ({', '.join(CLAIMS)}), got {game!r}")
    kind: Any = GAMES[game]
    solved: Solutions = {}
    return tuple(
        Bench(_setup(game, given), gap, solved)
        for given in ([stacks] if stacks is not None else [(stack, stack) for stack in kind.standard_stacks])
    )


def _setup(game: str, stacks: object) -> MatchSpec:
    spec = hand(game, stacks=stacks)
    assert isinstance(spec, MatchSpec)
    if spec.chips.cap == 0:
        raise OptionError(f"expected stacks of at least 2 chips each, so that somebody can bet, got {stacks}")
    if not spec.sides_that_meet:
        return spec
    shorter = min(spec.chips.stacks)
    limit = next(raises for most, raises in RAISES_SIDED if most is None or shorter <= most)
    return replace(spec, betting=replace(spec.betting, limit=limit))


def judged(game: str, stacks: str | None = None, gap: float = 0.002) -> ClaimsReport:
    """Solve what is needed, and test every claim of a game.

    Parameters
    ----------
    game
        One of `CLAIMS`.
    stacks
        Chips of P1 and P2, for one setup in place of the game's standard stacks.
    gap
        NashConv that every hand is solved to, in chips.
    """
    setups = benches(game, stacks, gap)
    return ClaimsReport(game, setups, results_of(CLAIMS[game], setups))


def key_text(result: Result) -> str:
    """Write the number that decides, or the range of it over the setups."""
    found = sorted((one for one in result.key_numbers if not isnan(one.value)), key=lambda one: one.value)
    if not found:
        return "none"
    low, high = str(found[0]), str(found[-1])
    if low == high:
        return low
    unit = high[high.rindex(" ") :]
    return f"{low.removesuffix(unit)} to {high}"


def claims_screen(found: ClaimsReport) -> Screen:
    """Show verdicts and numbers."""
    body = [(one.claim.name, one.verdict, key_text(one)) for one in found.results]
    lines = [wrapped(f"{found.game}: {found.lead}"), "", grid(("claim", "verdict", "number"), body), ""]
    lines += [wrapped(line) for line in found.trust[:1]]
    return Screen("\n".join(lines), COLUMNS, list(rows(found)), as_data(found))


def rows(found: ClaimsReport) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each number of each claim and setup, in the order of `COLUMNS`; none is an empty cell."""
    for result in found.results:
        claim = result.claim
        for one in result.measured:
            for name, number in one.numbers.items():
                yield (
                    claim.name, str(claim.source), result.verdict, one.setup, one.verdict, name,
                    _known(number), number.unit, name == claim.rule.number, number.meaning,
                )  # fmt: skip


def as_data(found: ClaimsReport) -> dict[str, Any]:
    """Return everything, ready for JSON."""
    return {
        "game": found.game,
        "setups": [{"setup": bench.name, "spec": bench.spec.to_dict(), "nash_conv": bench.solution.nash_conv}
                   for bench in found.setups],
        "claims": [
            {
                "claim": result.claim.name, "said": result.claim.said, "source": str(result.claim.source),
                "statement": result.claim.statement, "method": result.claim.method,
                "left_out": result.claim.left_out,
                "rule": {"number": result.claim.rule.number, "holds": result.claim.rule.holds,
                         "partly": result.claim.rule.partly, "at_most": result.claim.rule.at_most,
                         "why": result.claim.rule.why},
                "verdict": result.verdict, "reading": result.reading,
                "measured": [
                    {"setup": one.setup, "verdict": one.verdict,
                     "numbers": {name: {"value": _known(number), "unit": number.unit, "meaning": number.meaning}
                                 for name, number in one.numbers.items()}}
                    for one in result.measured
                ],
            }
            for result in found.results
        ],
        "trust": found.trust,
    }  # fmt: skip


def _known(number: Number) -> float | None:
    return None if isnan(number.value) else number.value


def write_claims(folder: Path, found: ClaimsReport) -> Path:
    """Write the report into a folder and return its page; what stands there is overwritten file by file."""
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(found))
    texts = {
        PAGE: page(found),
        MARKDOWN: markdown(found),
        TABLE: buffer.getvalue(),
        DATA: as_json(as_data(found)) + "\n",
    }
    for name, text in texts.items():
        with replaced(folder / name) as file:
            file.write(text)
    return folder / PAGE


def numbers_table(result: Result) -> tuple[list[str], list[list[str]]]:
    """Return a claim's numbers: a row for each, a column for each setup, the one that decides first."""
    deciding = result.claim.rule.number
    names = list(dict.fromkeys(name for one in result.measured for name in one.numbers))
    names.sort(key=lambda name: name != deciding)
    body = []
    for name in names:
        found = [one.numbers.get(name) for one in result.measured]
        meaning = next(number.meaning for number in found if number is not None)
        body.append([meaning, *("" if number is None else str(number) for number in found)])
    body.append(["verdict", *(one.verdict for one in result.measured)])
    return ["", *(one.setup for one in result.measured)], body


def told_of(result: Result) -> list[tuple[str, str]]:
    """Return what there is to say of a claim, each with its heading."""
    claim = result.claim
    told = [
        ("Claim", f"{claim.said} ({claim.source})"),
        ("Measured", claim.statement),
        ("How", claim.method),
        ("Rule", f"By the first number below: {claim.rule}."),
    ]
    return [*told, *([("Not measured", claim.left_out)] if claim.left_out else []), ("Reading", result.reading)]


def markdown(found: ClaimsReport) -> str:
    """Return the report in Markdown."""
    lines = [f"# {plain(found.title)}", "", plain(found.lead), "", "| claim | verdict | number |", "|---|---|---|"]
    lines += [f"| {plain(one.claim.name)} | {one.verdict} | {plain(key_text(one))} |" for one in found.results]
    lines += ["", *(f"- {plain(line)}" for line in found.trust)]
    for result in found.results:
        lines += ["", f"## {plain(result.claim.name.capitalize())}: {result.verdict}", ""]
        lines += [f"- **{heading}.** {plain(text)}" for heading, text in told_of(result)]
        headers, body = numbers_table(result)
        lines += ["", "| " + " | ".join(headers) + " |", "|---" + "|---:" * (len(headers) - 1) + "|"]
        lines += ["| " + " | ".join(map(plain, row)) + " |" for row in body]
    return "\n".join([*lines, ""])


def page(found: ClaimsReport) -> str:
    """Return the report as one HTML page."""
    verdicts = [
        (tag("a", result.claim.name, href=f"#claim-{number}"), result.verdict, key_text(result))
        for number, result in enumerate(found.results, start=1)
    ]
    files = [tag("li", tag("a", name, href=name)) for name in (TABLE, DATA, MARKDOWN)]
    data = [tag("p", "The same numbers for other programs, in the folder of this page:"),
            tag("ul", *files, class_="told")]  # fmt: skip
    claims = joined(_of_claim(number, result) for number, result in enumerate(found.results, start=1))
    parts = [
        Part("verdicts", "Verdicts", "Verdicts", table(("claim", "verdict", "number"), verdicts, numbers=2)),
        Part("claims", "Claim by claim", "Claim by claim", claims),
        Part("trust", "Trust", "How far to trust it", _list(found.trust)),
        Part("data", "Data", "Data", joined(data)),
    ]
    return document(found.title, found.lead, parts, "To the verdicts")


def _of_claim(number: int, result: Result) -> Markup:
    headers, body = numbers_table(result)
    heading = tag("h3", f"{result.claim.name.capitalize()}: {result.verdict}")
    told = [tag("p", tag("b", f"{name}. "), text) for name, text in told_of(result)]
    return tag("section", heading, *told, table(headers, body), id=f"claim-{number}")


def _list(lines: Sequence[str]) -> Markup:
    return tag("ul", *(tag("li", line) for line in lines), class_="told")
