"""Which forehead this is, and whether another distribution owns one of its import names."""

from collections.abc import Iterator

NAME = "forehead"
MODULES = ("cli", "rules", "solver", "reports")


def released() -> str:
    """Return the version."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(NAME)
    except PackageNotFoundError:
        return "(not installed)"


def other_owners() -> Iterator[str]:
    """Yield a warning for every import name that another distribution installs too."""
    from importlib.metadata import packages_distributions

    owners = packages_distributions()
    for module in MODULES:
        for other in sorted(set(owners.get(module, [])) - {NAME}):
            yield f"the distribution {other} also installs '{module}'; use an environment of its own"
