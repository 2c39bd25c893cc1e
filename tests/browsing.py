"""The page of a report in a real browser: opening it, what it must never do, and what stands on it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reports.pages import Markup, Named, page
from reports.report import Source, write_report
from solver import Solution

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 375, "height": 667}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()


class View:
    """A page in a browser that must neither complain nor ask for anything but itself."""

    def __init__(self, browser: Any, path: Path, address: str = "", **options: Any) -> None:
        self.context = browser.new_context(**({"viewport": DESKTOP} | options))
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url.split("#")[0].split(",")[0]))
        self.page.goto(path.as_uri() + address)
        self.page.wait_for_selector("html[data-ready]")

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
        assert self.complaints == []
        assert len([url for url in self.asked if url.startswith("file:")]) == 1
        assert all(url.startswith(("file:", "data:", "blob:")) for url in self.asked)

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def texts(self, selector: str) -> list[str]:
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]

    def take(self, action: str) -> None:
        self.page.click(f'button.take[data-action="{action}"]')

    def unfold(self) -> None:
        """Show the columns too that nobody plays; they stay."""
        if self.page.locator('.fold[aria-expanded="false"]').count():
            self.page.click('.fold[aria-expanded="false"] >> nth=0')

    def cells(self) -> dict[str, list[tuple[str, str]]]:
        """Return probability and EV of every cell by row, as they are shown."""
        return {
            row.get_attribute("data-row"): [
                tuple(cell.inner_text().split("\n")) for cell in row.locator("td.cell").all()
            ]
            for row in self.page.locator(".grid tbody tr").all()
        }  # fmt: skip


def written(solution: Solution, folder: Path, name: str = "a.npz", whole: bool = False) -> Path:
    """Write the page of a solution, without its figures but where the whole report is wanted."""
    if whole:
        return write_report(folder / "report", [Source(name, solution)])
    path = folder / "page.html"
    path.write_text(page(solution.spec.title, name, [Named(name, solution)], [], [[name]], Markup()), encoding="utf-8")
    return path
