"""Versions: of forehead, of what a result may depend on, and who else installs its import names."""

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version


def versions() -> dict[str, str]:
    """Return the versions that a result may depend on."""
    found = {"python": platform.python_version()}
    for name in ("forehead", "numpy", "numba", "scipy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


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
