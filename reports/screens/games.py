"""The games with their options, as a list."""

from typing import Any

from reports.screens.screen import Screen
from reports.text.option_words import OPTIONS, flag
from reports.text.words import wrapped
from rules.games.registry import GAMES, options_of


def games_screen() -> Screen:
    """List the games, with their options and defaults."""
    lines, rows, data = [], [], []
    for name, game in GAMES.items():
        lines += [f"{name}: {game.title}", wrapped(game.summary, "  ")]
        described = []
        for option, default in options_of(name).items():
            meaning, shown = OPTIONS[option].meaning, _typed(default)
            lines.append(wrapped(f"{meaning} [{shown}]" if shown else meaning, f"    {flag(option):<14} ", " " * 19))
            rows.append((name, flag(option), shown, meaning))
            described.append({"name": flag(option), "default": default, "meaning": meaning})
        lines.append("")
        data.append({"game": name, "title": game.title, "summary": game.summary, "options": described})
    return Screen("\n".join(lines[:-1]), ("game", "option", "default", "meaning"), rows, {"games": data})


def _typed(default: Any) -> str:
    """Return a default as it is typed; "" where nothing is set."""
    if default is None or default is False:
        return ""
    return ",".join(map(str, default)) if isinstance(default, list) else str(default)
