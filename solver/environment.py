"""What the environment says to libraries, before they read it: nothing there keeps them from being loaded.

numba reads its variables when it is imported, and again before it compiles. One of them turns compiling off, which
kernels cannot do without; one is a number of threads, which numba itself never starts here, and it ends the import
where it is not above 0. A date that reproducible builds take ends the import of scipy where it is no number.
"""

import os
import sys
import warnings
from collections.abc import MutableMapping

UNREADABLE = r"Environment variable 'NUMBA_\w+' is defined but"
"""How numba begins to say that it takes a default in place of a value; a warning is no reason to end."""


def prepare(variables: MutableMapping[str, str] = os.environ) -> None:
    """Take out of the environment what would keep libraries from being loaded, or kernels from being compiled.

    Parameters
    ----------
    variables
        Are changed, for this process and those that it starts.
    """
    variables.pop("NUMBA_DISABLE_JIT", None)
    for name, least in (("NUMBA_NUM_THREADS", 1), ("SOURCE_DATE_EPOCH", 0)):
        given = variables.get(name, "1").strip()
        if not (given.isascii() and given.isdecimal() and len(given) < 18 and int(given) >= least):
            variables.pop(name)
    warnings.filterwarnings("default", message=UNREADABLE, category=RuntimeWarning)


def prepared() -> None:
    """Do so where numba has not been imported; else have it compile from now on."""
    prepare()
    if "numba" in sys.modules:
        sys.modules["numba"].config.DISABLE_JIT = 0
