"""The report of a game's claims: on the terminal, as a page, Markdown, CSV and JSON, and the pages in docs/."""

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reports.claims.claim import VERDICTS
from reports.claims.report import CLAIMS, COLUMNS, judged, key_text, markdown
from tests.documents.claims import page_of
from tests.documents.readme import README, alike
from tests.support.commands import good, rows_of, run, strict_json

STACKS = {"indian-poker": "6,6", "indian-holdem": "4,5", "double-sided": "3,3"}
"""Stacks with which a game's claims are tested in seconds."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a folder with the report of each game."""
    found = {}
    for game, stacks in STACKS.items():
        found[game] = tmp_path_factory.mktemp(game)
        done = good("claims", game, "--stacks", stacks, "--gap", "0.02", "-o", found[game])
        (found[game] / "stdout.txt").write_text(done.out)
        assert done.err.endswith(f"saved {found[game] / 'index.html'}\n")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("game", CLAIMS)
def test_a_table_says_what_holds(game: str, folders: dict[str, Path]) -> None:
    lines = (folders[game] / "stdout.txt").read_text().splitlines()
    assert all(len(line) <= 80 for line in lines)
    start = next(place for place, line in enumerate(lines) if line.startswith("claim "))
    for line, claim in zip(lines[start + 1 :], CLAIMS[game], strict=False):
        assert line.startswith(claim.name)
        rest = line[len(claim.name) :].strip()
        assert rest.startswith(VERDICTS)
    heading = " ".join(lines[:start])
    assert heading.startswith(f"{game}: {len(CLAIMS[game])} claims of the strategy section of text")


@pytest.mark.parametrize("game", CLAIMS)
def test_all_forms_hold_the_same_numbers(game: str, folders: dict[str, Path]) -> None:
    table = rows_of(folders[game] / "claims.csv")
    data = strict_json((folders[game] / "claims.json").read_text())
    assert list(table[0]) == list(COLUMNS)
    assert [one["claim"] for one in data["claims"]] == [claim.name for claim in CLAIMS[game]]
    flat = [
        (claim["claim"], claim["verdict"], measured["setup"], name, number["value"])
        for claim in data["claims"]
        for measured in claim["measured"]
        for name, number in measured["numbers"].items()
    ]
    assert [
        (row["claim"], row["verdict"], row["setup"], row["number"], float(row["value"]) if row["value"] else None)
        for row in table
    ] == flat
    deciding = [row for row in table if row["decides"] == "True"]
    assert [row["claim"] for row in deciding] == [claim.name for claim in CLAIMS[game]]


class Elements(HTMLParser):
    """Collects the elements of a page: names, ids and links, and whether they are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("game", CLAIMS)
def test_a_page_stands_alone_and_its_links_lead_somewhere(game: str, folders: dict[str, Path]) -> None:
    text = (folders[game] / "index.html").read_text()
    assert "{{" not in text
    elements = Elements(text)
    assert elements.open == []
    assert len(set(elements.ids)) == len(elements.ids)
    for link in elements.links:
        if link.startswith("#"):
            assert link[1:] in elements.ids
        elif not link.startswith("data:"):
            assert (folders[game] / link).exists()
    for claim in CLAIMS[game]:
        assert claim.said.replace("'", "&#x27;") in text


@pytest.mark.parametrize("game", CLAIMS)
def test_markdown_has_every_claim_with_its_rule_and_reading(game: str, folders: dict[str, Path]) -> None:
    text = (folders[game] / "claims.md").read_text()
    assert text.count("\n## ") == len(CLAIMS[game])
    assert text.count("- **Reading.**") == text.count("- **Rule.**") == len(CLAIMS[game])
    assert text.count("- **Not measured.**") == sum(bool(claim.left_out) for claim in CLAIMS[game])
    for claim in CLAIMS[game]:
        assert claim.said in text


def test_the_same_bytes_every_time(folders: dict[str, Path], tmp_path: Path) -> None:
    good("claims", "indian-poker", "--stacks", STACKS["indian-poker"], "--gap", "0.02", "-o", tmp_path)
    for name in ("index.html", "claims.md", "claims.csv", "claims.json"):
        assert (tmp_path / name).read_bytes() == (folders["indian-poker"] / name).read_bytes()


@pytest.mark.slow
def test_csv_and_json_on_stdout(folders: dict[str, Path]) -> None:
    arguments = ("claims", "indian-poker", "--stacks", STACKS["indian-poker"], "--gap", "0.02", "--format")
    assert list(csv.DictReader(io.StringIO(good(*arguments, "csv").out))) == rows_of(
        folders["indian-poker"] / "claims.csv"
    )
    assert good(*arguments, "json").json == strict_json((folders["indian-poker"] / "claims.json").read_text())


def test_a_range_over_setups_is_written_once_with_its_unit() -> None:
    found = judged("indian-poker", "3,3", 0.1)
    (one,) = (result for result in found.results if result.claim.name == "an early fold costs the ante")
    assert key_text(one) == "1.20 chips"  # two of 20 cards are 10s, and 2 chips are left
    low, high = (
        one.measured[0],
        one.measured[0]._replace(numbers={"cost": one.measured[0].numbers["cost"]._replace(value=2.0)}),
    )
    assert key_text(one._replace(measured=(high, low))) == "1.20 to 2.00 chips"
    assert key_text(one._replace(measured=())) == "none"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("blind-mans-bluff",), "expected a game whose text gives advice (indian-poker, indian-holdem, double-sided)"),
        (("indian-pokr",), "did you mean indian-poker?"),
        (("indian-poker", "--stacks", "0,5"), "expected P1 to have at least 1 chip"),
        (("indian-holdem", "--stacks", "1,5"), "expected stacks of at least 2 chips each"),
        (("indian-poker", "--gap", "0"), "expected --gap to be a number above 0"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], told: str) -> None:
    done = run("claims", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = run("claims", "indian-poker", "--stacks", "3,3", "-o", tmp_path)
    assert done.code == 2
    assert "is not empty" in done.err
    good("claims", "indian-poker", "--stacks", "3,3", "--gap", "0.1", "-o", tmp_path, "--force")
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.slow
@pytest.mark.parametrize("stacks", ["2,2", "2,9"])
@pytest.mark.parametrize("game", CLAIMS)
def test_the_shortest_stacks_are_answered(game: str, stacks: str) -> None:
    lines = good("claims", game, "--stacks", stacks, "--gap", "0.1").out.splitlines()
    assert any("no case" in line for line in lines)


@pytest.mark.parametrize("game", CLAIMS)
def test_the_readme_leads_to_the_page_of_each_game(game: str) -> None:
    assert f"(docs/{page_of(game).name})" in README.read_text()
    text = page_of(game).read_text(encoding="utf-8")
    assert re.findall(r"^\- \*\*Claim\.\*\* (.*?) \(text", text, re.MULTILINE) == [one.said for one in CLAIMS[game]]


@pytest.mark.slow
@pytest.mark.parametrize("game", CLAIMS)
def test_the_pages_in_docs_are_what_is_measured(game: str) -> None:
    written = page_of(game).read_text(encoding="utf-8")
    assert alike(markdown(judged(game)), written), "run python -m tests.documents.claims and look at the difference"
