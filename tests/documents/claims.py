"""The pages of tested advice in docs/: write them anew with `python -m tests.documents.claims`, some minutes in all."""

from pathlib import Path

from reports.claims.report import CLAIMS, judged, markdown
from tests.support.paths import ROOT

DOCS = ROOT / "docs"


def page_of(game: str) -> Path:
    """Return where a game's page is."""
    return DOCS / f"claims-{game}.md"


if __name__ == "__main__":
    DOCS.mkdir(exist_ok=True)
    for name in CLAIMS:
        page_of(name).write_text(markdown(judged(name)), encoding="utf-8")
