"""HTML put together from pieces that are escaped, and the one frame that every page has."""

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from rules.base.versions import released

if TYPE_CHECKING:
    pass


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(value: object) -> str:
    """Return a value as HTML: markup as it is, anything else as text."""
    return value if isinstance(value, Markup) else html.escape(str(value))


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """Return an element, all of it escaped. ``class_`` stands for ``class``, ``aria_label`` for ``aria-label``."""
    spelt = ((key.rstrip("_").replace("_", "-"), html.escape(str(value))) for key, value in attributes.items())
    named = "".join(f' {key}="{value}"' for key, value in spelt)
    return Markup(f"<{name}{named}>{''.join(map(escaped, children))}</{name}>")


def joined(parts: Iterable[object]) -> Markup:
    """Return parts one below the other."""
    return Markup("\n".join(map(escaped, parts)))


def table(headers: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "", numbers: int = 1) -> Markup:
    """Return a table whose columns from place `numbers` on are numbers, at the right."""
    kind = [{} if place < numbers else {"class_": "n"} for place in range(len(headers))]
    head = tag("tr", *(tag("th", text, scope="col", **kind[place]) for place, text in enumerate(headers)))
    body = [tag("tr", *(tag("td", cell, **kind[place]) for place, cell in enumerate(row))) for row in rows]
    told = [tag("caption", caption)] if caption else []
    grid = tag("table", *told, tag("thead", head), tag("tbody", *body), class_="plain")
    return tag("div", grid, class_="wide")


def script_json(data: Any) -> str:
    """Return strict JSON that can stand within a script element."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


class Part(NamedTuple):
    """A part of a page: the name of its anchor, what links to it say, its heading, and what stands in it."""

    name: str
    link: str
    heading: str
    content: object


class Program(NamedTuple):
    """What runs in a page: data as JSON, its arrays packed into text, and the scripts."""

    about: Any
    block: str
    scripts: Sequence[str]


def document(
    title: str,
    lead: str,
    parts: Sequence[Part],
    skip: str,
    styles: Sequence[str] = ("style.css",),
    program: Program | None = None,
) -> str:
    """Return a whole page; without a program nothing in it runs.

    Parameters
    ----------
    skip
        What the link to the first part says, for who does not see the page.
    styles
        Files of `reports/pages/assets`; `Program.scripts` too.
    """
    shown = [
        tag("section", "\n", tag("h2", one.heading, id=f"{one.name}-title"), "\n", one.content, "\n", id=one.name,
            aria_labelledby=f"{one.name}-title", **({} if place else {"tabindex": -1}))
        for place, one in enumerate(parts)
    ]  # fmt: skip
    scripted = []
    if program is not None:
        code = "".join(map(asset, program.scripts))
        scripted = [
            tag("script", Markup(script_json(program.about)), type="application/json", id="about"),
            tag("script", Markup(program.block), type="text/plain", id="block"),
            tag("script", Markup(f"\n(() => {{\n{code}}})();\n")),
        ]
    return filled(
        "page.html",
        {
            "title": title,
            "lead": lead,
            "first": parts[0].name,
            "skip": skip,
            "links": joined(tag("a", one.link, href=f"#{one.name}") for one in parts),
            "parts": joined(shown),
            "version": released(),
            "style": Markup("".join(map(asset, styles))),
            "scripts": "" if program is None else Markup("script-src 'unsafe-inline'; "),
            "scripted": Markup("".join(f"{one}\n" for one in scripted)),
        },
    )


def filled(template: str, values: Mapping[str, object]) -> Markup:
    """Put values into a template, in one pass, so that nothing that is put in is looked into again."""
    return Markup(re.sub(r"\{\{(\w+)\}\}", lambda match: escaped(values[match[1]]), asset(template)))


def asset(name: str) -> str:
    """Return a file of `reports/pages/assets`."""
    return files("reports.pages").joinpath("assets", name).read_text(encoding="utf-8")
