"""The cells of docs/notebook.md: run them, or write their output anew with `python -m tests.documents.notebook`."""

import ast
import contextlib
import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from tests.documents.readme import ROOT

NOTEBOOK = ROOT / "docs" / "notebook.md"
CELL = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<shown>.*?)```", re.DOTALL)


def printed(code: str, names: dict[str, Any]) -> str:
    """Run a cell and return what it prints, and below that its last expression, as a notebook shows it."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    return buffer.getvalue()


def rendered(text: str) -> str:
    """Return a text with the output of each cell made anew; cells run in order, in one namespace."""
    names: dict[str, Any] = {}
    return CELL.sub(lambda cell: f"```python\n{cell['code']}```\n\n```text\n{printed(cell['code'], names)}```", text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        made = rendered(Path(NOTEBOOK).read_text())
    NOTEBOOK.write_text(made)
