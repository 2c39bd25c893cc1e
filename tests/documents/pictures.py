"""The pictures of the README: written anew with `python -m tests.documents.pictures`, which needs a browser."""

import html
import shlex
import tempfile
from pathlib import Path

from tests.documents.readme import DECK, forehead
from tests.support.browser.browsing import a_browser
from tests.support.paths import ROOT

ASKED = "advise indian-poker --me 8 --opp 12 --first opp --seen 1,4,4,9 --see 5 --history b1 --seed 7"
TERMINAL = """<body style="margin: 0"><pre style="display: inline-block; margin: 0; padding: 20px 24px;
background: #14171c; color: #d8dee6; font: 15px/1.4 'DejaVu Sans Mono', monospace">{}</pre></body>"""


def main() -> None:
    """Write both pictures into docs."""
    with tempfile.TemporaryDirectory() as name, a_browser() as browser:
        folder = Path(name)
        forehead(shlex.split(DECK), folder)
        forehead(["report", "deck.npz", "-o", "report"], folder)
        page = browser.new_page(viewport={"width": 1000, "height": 900}, color_scheme="light")
        page.goto((folder / "report/index.html").as_uri() + "#h=b1&see=5")
        page.locator(".grid").first.wait_for()
        page.screenshot(path=ROOT / "docs/explorer.png")
        page = browser.new_page(viewport={"width": 900, "height": 700})
        page.set_content(TERMINAL.format(html.escape(f"$ forehead {ASKED}\n{forehead(shlex.split(ASKED), folder)}")))
        page.locator("pre").screenshot(path=ROOT / "docs/answer.png")


if __name__ == "__main__":
    main()
