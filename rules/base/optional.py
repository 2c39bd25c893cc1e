"""Libraries that some outputs need and the package itself does not."""

import importlib
from types import ModuleType

from rules.base.errors import RunError


class MissingLibraryError(RunError):
    """Say which library is not installed, and how to install it."""


def needed(module: str, extra: str) -> ModuleType:
    """Import a library that an optional extra of this package brings.

    Parameters
    ----------
    module
        Its import name.
    extra
        The name of the extra in ``pyproject.toml``.

    Raises
    ------
    MissingLibraryError
        Where it is not installed, with the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise MissingLibraryError(
            f"expected {library} to be installed ({error}); pip install 'forehead[{extra}]' installs it"
        ) from error
