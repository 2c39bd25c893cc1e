"""Play-throughs with their exact output: run them, compare, or write them anew.

``python -m tests.documents.golden`` writes them.
"""

import os
import shlex
import tempfile
from pathlib import Path

from tests.support.commands import good

FOLDER = Path(__file__).parent / "played"

GAMES = {
    "indian-poker": """
        solve indian-poker --seen 1,4,4,9 --stacks 12,8 --gap 0.2 -o deck.npz
        show deck.npz
        show deck.npz --history b1
        show deck.npz --history "b1 r3 allin"
        best deck.npz --see 10 --history b1
        best deck.npz --see 3 --history "b5 r1 allin"
        verify deck.npz
    """,
    "indian-holdem": """
        solve indian-holdem --seen 1,2,3,4 --stacks 6,6 --carry 4 --gap 0.2 -o boards.npz
        show boards.npz --board 9,4
        show boards.npz --board 5,5 --history b3
        best boards.npz --board 9,4 --see 9
        verify boards.npz
    """,
    "double-sided": """
        solve double-sided --fronts 3,8 --shown 3/7,8/2 --stacks 7,7 --gap 0.2 -o fronts.npz
        show fronts.npz
        show fronts.npz --history "back:b1 front:r1"
        best fronts.npz --back 9 --history "back:b1"
        best fronts.npz --back 1 --history "back:b1 both"
        solve double-sided --stacks 1,8 --gap 0.2
        verify fronts.npz
    """,
    "blind-mans-bluff": """
        solve blind-mans-bluff --max-raises 2 --raise-size 2 --gap 0.2 -o cards.npz
        show cards.npz
        show cards.npz --history "k b r"
        best cards.npz --see K --history b
        verify cards.npz
    """,
}


def played(game: str, folder: Path) -> str:
    """Return commands and stdout of a game's play-through; commands run in order in one folder."""
    shown = []
    before = Path.cwd()
    os.chdir(folder)
    try:
        for line in GAMES[game].strip().splitlines():
            shown += [f"$ forehead {line.strip()}", good(*shlex.split(line)).out]
    finally:
        os.chdir(before)
    return "\n".join(shown)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            (FOLDER / f"{name}.txt").write_text(played(name, Path(folder)))
