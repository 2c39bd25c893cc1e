"""Other solvers on the same extensive form, each behind the same few functions.

What a library needs to load a game is not timed; what it does in its iterations is, the averaging that it needs for
a strategy included. Strategies are read off by the numbers of information sets.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reports.export.efg import ExtensiveForm
from rules.base.optional import needed
from solver.two_player import linear_program
from solver.two_player.evaluation import probabilities
from solver.two_player.payoffs import Game

Row = tuple[int, int, Sequence[float]]
"""A player, the number of an information set, and the probabilities of its actions in the order of the file."""


class Adapter(ABC):
    """A solver at work on one game.

    Parameters
    ----------
    form, game
        The hand as an extensive form, and as this project's solver sees it.
    folder
        Where ``game.efg`` lies, and where files may be written.
    limit
        Seconds after which a solver that works at once may be stopped.
    """

    library: ClassVar[str]
    """The distribution whose version counts."""
    method: ClassVar[str]
    at_once: ClassVar[bool] = False
    """Whether one iteration is the whole solve."""

    def __init__(self, form: ExtensiveForm, game: Game, folder: Path, limit: float) -> None:
        self.form, self.game, self.folder, self.limit = form, game, folder, limit
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Load the game.

        Raises
        ------
        MissingLibraryError
            Where the library is not installed.
        """

    @abstractmethod
    def iterate(self, number: int) -> None:
        """Do so many iterations more, each an update of both players.

        Raises
        ------
        subprocess.TimeoutExpired
            Where it took longer than `limit`.
        """

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """Yield the strategy that the method gives now."""

    def strategy(self) -> NDArray[np.float64]:
        """Return it as this project has it, shape (actions, width), rows made to sum to 1."""
        tree = self.form.tree
        found = probabilities(tree, np.zeros((len(tree.child), self.game.width)))
        for player, number, chances in self.rows():
            _, column, node = self.form.located(player, number)
            found[tree.rows(node), column] = np.array(chances) / sum(chances)
        return found

    def sets(self) -> Iterator[tuple[int, int]]:
        """Yield all information sets of the hand, which has one deal: player and number."""
        for player, (nodes, observations) in enumerate(
            zip(self.form.own_nodes, self.game.classes[0].observations, strict=True)
        ):
            for number in range(1, 1 + len(nodes) * observations):
                yield player, number


class OpenSpiel(Adapter):
    """OpenSpiel's CFR in C++."""

    library = "open_spiel"
    method = "CFR"
    solver: ClassVar[str] = "CFRSolver"

    def begin(self) -> None:
        """Load the file."""
        pyspiel = needed("pyspiel", "openspiel")
        self.there = pyspiel.load_game(f"efg_game(filename={self.folder / 'game.efg'})")
        self.cfr = getattr(pyspiel, self.solver)(self.there)

    def iterate(self, number: int) -> None:
        """Update both players in turn."""
        for _ in range(number):
            self.cfr.evaluate_and_update_policy()

    def rows(self) -> Iterator[Row]:
        """Read the average policy."""
        average = self.cfr.average_policy()
        for player, number in self.sets():
            policy = average.get_state_policy(f"{player}-{player}-{number}-{self.form.name(player, number)}")
            yield player, number, [probability for _, probability in policy]


class OpenSpielPlus(OpenSpiel):
    """OpenSpiel's CFR+ in C++."""

    method = "CFR+"
    solver = "CFRPlusSolver"


class LiteEFG(Adapter):
    """LiteEFG's CFR+."""

    library = "LiteEFG"
    method = "CFR+"
    module: ClassVar[str] = "CFRplus"
    average: ClassVar[str] = "linear-avg-iterate"

    def begin(self) -> None:
        """Let it write its own file of the game, once, and load that."""
        lite = needed("LiteEFG", "liteefg")
        graphs = needed(f"LiteEFG.baselines.{self.module}", "liteefg")
        pyspiel = needed("pyspiel", "openspiel")
        there = pyspiel.load_game(f"efg_game(filename={self.folder / 'game.efg'})")
        with contextlib.redirect_stdout(io.StringIO()), _home(self.folder):
            self.environment = lite.OpenSpielEnv(there)
            self.graph = graphs.graph()
        self.environment.set_graph(self.graph)
        self.read = lite.FileEnv.get_strategy

    def iterate(self, number: int) -> None:
        """Update both players in turn, and the average."""
        for _ in range(number):
            self.graph.update_graph(self.environment)
            self.environment.update_strategy(self.graph.current_strategy())

    def rows(self) -> Iterator[Row]:
        """Read the average strategy."""
        yield from self._read(self.graph.current_strategy(), self.average)

    def _read(self, node: Any, average: str) -> Iterator[Row]:
        for player in (0, 1):
            for name, chances in self.read(self.environment, player + 1, node, average):
                # Named pl1_7__0-0-12-...: LiteEFG's own name, then OpenSpiel's with the file's number in it.
                yield player, int(name.partition("__")[2].split("-")[2]), chances


class LiteEFGPredictive(LiteEFG):
    """LiteEFG's predictive CFR+."""

    method = "PCFR+"
    module = "PCFR"


class LiteEFGDiscounted(LiteEFG):
    """LiteEFG's discounted CFR, which averages in its own graph."""

    method = "DCFR"
    module = "DCFR"

    def iterate(self, number: int) -> None:
        """Update both players in turn."""
        for _ in range(number):
            self.graph.update_graph(self.environment)

    def rows(self) -> Iterator[Row]:
        """Read the average that the graph keeps."""
        yield from self._read(self.graph.current_strategy("average-iterate"), "default")


GAMBIT = """
import json, sys
import pygambit
game = pygambit.read_efg(sys.argv[1])
(profile,) = pygambit.nash.lp_solve(game, rational=False).equilibria
sets = [(who, one) for who, player in enumerate(game.players) for one in player.infosets]
json.dump([(who, one.label, [float(profile[action]) for action in one.actions]) for who, one in sets], sys.stdout)
"""


class Gambit(Adapter):
    """Gambit's linear program in floats; in a process of its own, for nothing else can stop it."""

    library = "pygambit"
    method = "LP (process)"
    at_once = True

    def begin(self) -> None:
        """See that it is there."""
        needed("pygambit", "gambit")

    def iterate(self, number: int) -> None:
        """Read the file and solve it."""
        command = [sys.executable, "-c", GAMBIT, str(self.folder / "game.efg")]
        done = subprocess.run(command, capture_output=True, check=True, timeout=self.limit)
        self.found = json.loads(done.stdout)

    def rows(self) -> Iterator[Row]:
        """Read the equilibrium; Gambit numbers information sets anew and keeps their names."""
        numbers = {self.form.name(player, number): number for player, number in self.sets()}
        for player, name, chances in self.found:
            whole = [max(0.0, probability) for probability in chances]
            if sum(whole):
                yield player, numbers[name], whole


class Highs(Adapter):
    """HiGHS on this project's sequence form, the method lp of `solver.solving.solve`."""

    library = "scipy"
    method = "LP (HiGHS, sequence form)"
    at_once = True

    def begin(self) -> None:
        """Have everything already."""

    def iterate(self, number: int) -> None:
        """Solve it."""
        (self.found,), _ = linear_program.solve(self.game)

    def rows(self) -> Iterator[Row]:
        """Yield nothing; the strategy is there."""
        return iter(())

    def strategy(self) -> NDArray[np.float64]:
        """Return what was found."""
        return self.found


ADAPTERS: tuple[type[Adapter], ...] = (
    OpenSpiel, OpenSpielPlus, LiteEFG, LiteEFGDiscounted, LiteEFGPredictive, Gambit, Highs,
)  # fmt: skip


@contextlib.contextmanager
def _home(folder: Path) -> Iterator[None]:
    """Move the home directory, where LiteEFG keeps its files, to a folder for a while."""
    before = os.environ.get("HOME")
    os.environ["HOME"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["HOME"]
        else:
            os.environ["HOME"] = before
