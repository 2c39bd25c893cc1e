"""``forehead cache``: what is kept between commands."""

import click

from reports.answering.arguments import example, format_option


@click.group("cache", epilog=example("cache list"))
def cache() -> None:
    """Look into the cache of solutions and match tables, or clear it.

    It lives in FOREHEAD_CACHE_DIR or the user's cache directory, and takes at most FOREHEAD_CACHE_MB (500; 0
    keeps nothing).
    """


@cache.command("list", epilog=example("cache list --format json"))
@format_option
def cache_list(style: str) -> None:
    """List what is in the cache, last used first."""
    from reports.screens.logs import cache_screen
    from solver.store.cache import Cache

    click.echo(cache_screen(Cache()).render(style))


@cache.command("clear", epilog=example("cache clear"))
def cache_clear() -> None:
    """Remove all solutions and match tables from the cache."""
    from reports.screens.logs import kept_text
    from solver.store.cache import Cache

    cache = Cache()
    click.echo(f"removed {kept_text(*cache.clear())} from {cache.folder}")
