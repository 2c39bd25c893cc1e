"""A hand played action by action: any public game, and a match game's hand with its actual cards."""

from collections.abc import Sequence
from typing import Any

from rules.base.errors import HistoryError
from rules.betting.actions import Action, format_history, legal_text, read_history
from rules.betting.chips import ANTE, Chips, chips_gain, stakes
from rules.betting.public_game import Outcome, PublicGame
from rules.games.match_spec import MatchSpec


class Play:
    """A hand in progress: who acts, what may be done, what was done, how it ended.

    Parameters
    ----------
    public
        The public game.
    history
        What has been played already: text in the notation of `rules.betting.actions`, or actions.

    Raises
    ------
    HistoryError
        Where the history is not legal.
    """

    def __init__(self, public: PublicGame, history: str | Sequence[Action] = ()) -> None:
        self.public = public
        self._history, self._position = public.follow(history)

    @property
    def history(self) -> tuple[Action, ...]:
        """The actions so far, as the game names them."""
        return self._history

    @property
    def position(self) -> Any:
        """The public state, or the `Outcome` where the hand is over."""
        return self._position

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return isinstance(self._position, Outcome)

    @property
    def outcome(self) -> Outcome | None:
        """How the hand ended, or None while it goes on."""
        return self._position if isinstance(self._position, Outcome) else None

    @property
    def to_act(self) -> int | None:
        """The player to act, or None where the hand is over."""
        return None if self.over else self.public.player(self._position)

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions in the game's order; none where the hand is over."""
        return () if self.over else tuple(action for action, _ in self.public.moves(self._position))

    def apply(self, action: Action | str) -> Action:
        """Play one action.

        Parameters
        ----------
        action
            An action, or one written in the notation of `rules.betting.actions`.

        Returns
        -------
        Action
            The action as the game names it.

        Raises
        ------
        HistoryError
            Where it is not legal; the play stays as it was.
        """
        # From the root again, so that a refusal shows the whole history and the place in it.
        if isinstance(action, str):
            written, wrong = read_history(action)
            if wrong is None and len(written) != 1:
                raise HistoryError(f"expected one action, got {action!r}")
            history, position = self.public.follow(f"{format_history(self._history)} {action}")
        else:
            history, position = self.public.follow((*self._history, action))
        self._history, self._position = history, position
        return self._history[-1]

    def final(self, acts: Sequence[str] = ()) -> Outcome:
        """Return how the hand ended.

        Parameters
        ----------
        acts
            What to call the players in a refusal, such as "you are"; by default "P1 is" and so on.

        Raises
        ------
        HistoryError
            While it goes on, naming who is to act and what is legal.
        """
        if isinstance(self._position, Outcome):
            return self._position
        player = self.public.player(self._position)
        who = acts[player] if acts else f"P{player + 1} is"
        raise HistoryError(
            f'the hand is not over after "{format_history(self._history)}": {who} to act; '
            f"legal: {legal_text(self.legal)}"
        )


class MatchHand(Play):
    """A hand of a match game with its actual cards: the chips on the table, and the chips after it.

    Parameters
    ----------
    spec
        Deck state, chips and options before the hand.
    cards
        P1's and P2's card.
    board
        The community cards, where the game has them and `spec` does not name them.
    history
        What has been played already.

    Raises
    ------
    CardError
        Where the deck cannot deal these cards.
    HistoryError
        Where the history is not legal.
    """

    def __init__(
        self, spec: MatchSpec, cards: Sequence[Any], board: object = None, history: str | Sequence[Action] = ()
    ) -> None:
        self.spec, self.cards = spec.dealt(cards, board)
        super().__init__(self.spec.public, history)

    @property
    def board(self) -> tuple[int, ...] | None:
        """The community cards, or None where the game has none."""
        return self.spec.table or None

    @property
    def paid(self) -> tuple[int, int]:
        """What each player has put in beyond the ante, P1 first."""
        return stakes(self.history)

    @property
    def pot(self) -> int:
        """All chips on the table, what was carried over included, before anyone takes them."""
        return self.spec.chips.carry + 2 * ANTE + sum(self.paid)

    @property
    def in_front(self) -> tuple[int, int]:
        """The chips that each player still has, P1 first, before anyone takes the pot or a penalty."""
        s1, s2 = (stack - ANTE - paid for stack, paid in zip(self.spec.chips.stacks, self.paid, strict=True))
        return s1, s2

    @property
    def chips_after(self) -> Chips:
        """The chips after the hand, as this hand's P1 and P2; a `HistoryError` while it goes on."""
        outcome = self.final()
        return self.spec.settle(outcome, self.spec.verdict(outcome, self.cards))

    @property
    def gain(self) -> float:
        """P1's gain in chips, half of a pot left on the table counted as each player's."""
        return chips_gain(self.spec.chips, self.chips_after)

    @property
    def revealed(self) -> MatchSpec:
        """The spec of the next hand: the deck as it is then known, chips as its first bettor sees them.

        Where a player has no chips left there is no next hand; the spec then only tells the deck.
        """
        return self.spec.after(self.final(), self.cards, self.chips_after)

    @property
    def renewed(self) -> bool:
        """Whether this hand used the deck up, so that the next is dealt from a fresh one."""
        # Cards always leave a deck, so only a new one is full after a hand.
        following = self.revealed
        return following == following.fresh()
