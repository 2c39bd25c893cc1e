"""Addresses of spots in the pages of reports."""

from collections.abc import Sequence
from urllib.parse import quote

from rules.betting.actions import Action

PAGE_OF = "../index.html"
"""The page as the files of figures see it, in a folder beside."""


def spot_link(history: Sequence[Action], seen: str = "") -> str:
    """Return the address of a spot within the page, with the cards seen where they are given."""
    return f"#h={'+'.join(map(str, history))}" + (f"&see={quote(seen, safe='')}" if seen else "")
