"""Hands as OpenSpiel games, so that its algorithms run on them; needs ``open_spiel`` (the extra ``openspiel``).

`game` turns a hand into a `pyspiel.Game`, `policy` a solution into a `pyspiel.TabularPolicy` for it. Importing this
module registers the games under `SHORT_NAME`, which `pyspiel.load_game` and saved states refer to.
"""

import json
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from reports.data.rows import player_name
from reports.export.chance import dealing
from reports.export.efg import after, knows
from rules.base.errors import OptionError
from rules.base.optional import needed
from rules.betting.actions import format_history
from rules.betting.public_game import Outcome
from rules.games.blind_mans_bluff import MOST_PLAYERS
from rules.games.registry import from_dict, hand
from rules.games.spec import HandSpec
from solver.solutions.solution import Solution

pyspiel: Any = needed("pyspiel", "openspiel")

SHORT_NAME = "python_forehead"


def game(spec: HandSpec) -> "HandGame":
    """Return a hand as an OpenSpiel game.

    Parameters
    ----------
    spec
        A hand of one of the four games, for any number of players that its rules allow.

    Returns
    -------
    HandGame
        A `pyspiel.Game`: sequential, zero-sum, chance first. Information states are named as the information sets of
        `reports.export.efg`.
    """
    found: HandGame = pyspiel.load_game(SHORT_NAME, {"spec": _written(spec)})
    return found


def policy(solution: Solution) -> Any:
    """Return a solution's strategy as a `pyspiel.TabularPolicy` for the game of its spec."""
    tokens, tree = game(solution.spec).tokens, solution.tree
    profiles = [solution.profile(index) for index in range(len(solution.classes))]
    found = {}
    for node in range(tree.nodes):
        player, rows, done = int(tree.player[node]), tree.rows(node), after(format_history(tree.history(node)))
        numbers = [tokens.index(str(action)) for action in tree.actions(node)]
        for strategy, group in zip(profiles, solution.classes, strict=True):
            for deal in group.deals:
                for column, name in enumerate(deal.observations[player]):
                    state = knows(solution.spec, deal.board, player, name) + done
                    found[state] = list(zip(numbers, strategy[rows, column].tolist(), strict=True))
    return pyspiel.TabularPolicy(found)


def _written(spec: HandSpec) -> str:
    """Write a spec without the characters that structure OpenSpiel's game strings."""
    return quote(json.dumps(spec.to_dict(), separators=(",", ":")), safe='{}[]":')


GAME_TYPE = pyspiel.GameType(
    short_name=SHORT_NAME,
    long_name="A hand with a card on the forehead",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MOST_PLAYERS,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={"spec": _written(hand("indian-poker"))},
)


class HandGame(pyspiel.Game):  # type: ignore[misc]
    """A hand; its one parameter is the spec in normal form, as percent-encoded JSON."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**GAME_TYPE.parameter_specification, **(params or {})}
        self.spec = from_dict(json.loads(unquote(given["spec"])))
        if self.spec.lacks:
            raise OptionError(
                "expected a hand of objective chips: OpenSpiel's games are told by their options alone, and those do "
                "not say what later hands are worth"
            )
        self.dealing = dealing(self.spec)
        self.tokens = self.dealing.tokens
        """The actions of the whole hand as a history has them; an action's number is its place."""
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.tokens),
            max_chance_outcomes=self.dealing.most,
            num_players=self.dealing.players,
            min_utility=-self.dealing.largest,
            max_utility=self.dealing.largest,
            utility_sum=0.0,
            max_game_length=self.dealing.longest,
        )
        super().__init__(GAME_TYPE, info, given)

    def __reduce__(self) -> tuple[Any, ...]:
        # What OpenSpiel restores by itself has none of the attributes above.
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> "HandState":
        """Return the state before anything is dealt."""
        return HandState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of draws."""
        return self.dealing.draws

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "HandObserver":
        """Return an observer of states of this game."""
        if params:
            raise ValueError(f"expected no parameters for an observer of {SHORT_NAME}, got {params}")
        return HandObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class HandState(pyspiel.State):  # type: ignore[misc]
    """A hand as far as it has come: what was drawn, what was done, and where in the public game that is.

    Only what changes is kept here, for a state is copied attribute by attribute.
    """

    def __init__(self, hand_game: HandGame) -> None:
        super().__init__(hand_game)
        self.drawn: tuple[int, ...] = ()
        self.done: tuple[int, ...] = ()
        self.position: Any = hand_game.spec.public.root

    def current_player(self) -> int:
        """Return who acts: chance until all is dealt, then whose turn it is."""
        owner = self.get_game()
        if len(self.drawn) < owner.dealing.draws:
            return int(pyspiel.PlayerId.CHANCE)
        if isinstance(self.position, Outcome):
            return int(pyspiel.PlayerId.TERMINAL)
        return int(owner.spec.public.player(self.position))

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return bool(self.current_player() == pyspiel.PlayerId.TERMINAL)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what the next draw can bring."""
        return self.get_game().dealing.chances(self.drawn)  # type: ignore[no-any-return]

    def _moves(self) -> dict[int, Any]:
        owner = self.get_game()
        return {owner.tokens.index(str(action)): to for action, to in owner.spec.public.moves(self.position)}

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self._moves())

    def _apply_action(self, action: int) -> None:
        if self.is_chance_node():
            self.drawn = (*self.drawn, action)
        else:
            self.position = self._moves()[action]
            self.done = (*self.done, action)

    def _action_to_string(self, player: int, action: int) -> str:
        owner = self.get_game()
        if player == pyspiel.PlayerId.CHANCE:
            return str(owner.dealing.label(self.drawn, action))
        return str(owner.tokens[action])

    def returns(self) -> list[float]:
        """Return what each player has won; nothing before the end."""
        dealt = self.get_game().dealing
        return dealt.returns(self.drawn, self.position) if self.is_terminal() else [0.0] * dealt.players

    def __str__(self) -> str:
        owner = self.get_game()
        drawn = [owner.dealing.label(self.drawn[:place], brings) for place, brings in enumerate(self.drawn)]
        return ", ".join(drawn) + self.history_text()

    def history_text(self) -> str:
        """Say what was done: "" or " after b1 r3"."""
        tokens = self.get_game().tokens
        return after(" ".join(tokens[number] for number in self.done))


class HandObserver:
    """What a player knows, or everybody, as a string and as a flat tensor with named views.

    Histories are public and short, so that an observation without perfect recall tells them as well.

    Attributes
    ----------
    tensor
        Shape (entries,), float32, each 0 or 1.
    dict
        Views of `tensor`: ``player`` (players,); ``private``, the shape of `Dealing.known`; ``history`` (longest
        history, actions), a row for each action done.
    """

    def __init__(self, hand_game: HandGame, iig_obs_type: Any) -> None:
        self.private = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.public = iig_obs_type.public_info
        shapes: dict[str, tuple[int, ...]] = {"player": (hand_game.dealing.players,)}
        if self.private:
            shapes["private"] = hand_game.dealing.shape
        if self.public:
            shapes["history"] = (hand_game.dealing.longest, len(hand_game.tokens))
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), dtype=np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}

    def set_from(self, state: HandState, player: int) -> None:
        """Write what a player knows at a state into `tensor`."""
        self.tensor.fill(0.0)
        self.dict["player"][player] = 1.0
        if self.private:
            for entry in state.get_game().dealing.known(state.drawn, player):
                self.dict["private"][entry] = 1.0
        if self.public:
            self.dict["history"][range(len(state.done)), state.done] = 1.0

    def string_from(self, state: HandState, player: int) -> str:
        """Return what a player knows at a state, named as an information set is."""
        known = state.get_game().dealing.told(state.drawn, player) if self.private else player_name(player)
        return f"{known}{state.history_text() if self.public else ''}"


pyspiel.register_game(GAME_TYPE, HandGame)
