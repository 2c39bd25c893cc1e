"""What every game must pass: its rules by themselves, then every command on it.

`check_rules` and `check_commands` take the name of a game that is in `rules.games.registry.GAMES`.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules import aids, hand
from rules.betting.public_game import Outcome
from rules.games.match_spec import MatchSpec
from rules.games.registry import from_dict, options_of
from rules.games.spec import HandSpec
from rules.play.log import MatchLog
from rules.play.match import Match
from solver import load, solve, verify
from tests.support.commands import good, run

FORMATS = ("table", "csv", "json")
MATCHES = 5
"""Random matches that are played of a game."""


def small(game: str) -> HandSpec:
    """Return a hand of few chips, with every board or pair of fronts."""
    return hand(game, **({"stacks": (3, 4)} if "stacks" in options_of(game) else {}))


def check_rules(game: str) -> None:
    """Check a game's rules: options there and back, deals, random matches with their logs, utilities, aids."""
    spec = small(game)
    assert from_dict(spec.to_dict()) == spec
    assert repr(spec).startswith(f"hand('{game}'")
    normal = hand(game).to_dict()
    for name, default in options_of(game).items():
        assert default is None or normal[name] == default, name
    classes = spec.classes()
    assert sum(one.weight for one in classes) == pytest.approx(1.0)
    for one in classes:
        assert one.hand.prior.sum() == pytest.approx(1.0)
        for deal in one.deals:
            assert [len(names) for names in deal.observations] == list(one.hand.prior.shape)
            check_aids(spec.with_board(deal.board), deal.observations, one.hand.prior)
    if isinstance(spec, MatchSpec):
        generator = random.Random(1)
        for _ in range(MATCHES):
            check_match(spec, generator)


def check_aids(
    spec: HandSpec, observations: tuple[tuple[str, ...], tuple[str, ...]], prior: np.ndarray[Any, Any]
) -> None:
    """Check that the card not seen is as likely as the deal says, for the first observation of either player."""
    for player, names in enumerate(observations):
        joint = prior[0] if player == 0 else prior[:, 0]
        hidden = aids.hidden_card(spec, player, names[0])
        likely = dict(zip(observations[1 - player], (joint / joint.sum()).tolist(), strict=True))
        assert {card: float(p) for card, p in hidden.probability.items()} == pytest.approx(
            {card: p for card, p in likely.items() if p}
        )
        for sides in spec.sides_that_meet or (None,):
            chances = aids.showdown(spec, player, names[0], sides)
            assert chances.win + chances.tie + chances.lose == Fraction(1)


def check_match(first: MatchSpec, generator: random.Random) -> None:
    """Play a match at random: chips stay, what a hand pays is what solvers are told, and a log tells the same."""
    match, log = Match(first), MatchLog.new(first.game, first.chips.stacks, "me")
    pack: list[Any] = []
    for _ in range(30):
        if match.over:
            break
        if len(pack) < first.per_hand or match.spec == match.spec.fresh():
            pack = match.spec.pack()
        spec, before = match.spec, match.first
        cards, board = spec.deal_from(pack, generator.randrange)
        state, actions = spec.public.root, list[Any]()
        while not isinstance(state, Outcome):
            action, state = generator.choice(list(spec.public.moves(state)))
            actions.append(action)
        dealt = match.deal(cards, board)
        for action in actions:
            dealt.apply(action)
        check_utility(dealt.spec, dealt.cards, state, dealt.gain)
        played = match.finish(dealt)
        assert played.after.total == first.chips.total
        mine, theirs = (str(card) for card in (played.cards if before == 0 else played.cards[::-1]))
        if not spec.shows_cards(played.outcome):
            theirs = f"{theirs.split('/')[0]}/?"
        told = {"mine": mine, "theirs": theirs, "history": " ".join(map(str, actions))}
        log.add(**told, **({} if board is None else {"board": ",".join(map(str, board))}))
        assert (log.chips, log.carry, log.over) == (match.chips, match.carry, match.over)


def check_utility(spec: MatchSpec, cards: tuple[Any, Any], outcome: Outcome, gain: float) -> None:
    """Compare what two cards pay with the matrix that solvers read."""
    (one,) = spec.classes()
    (deal,) = one.deals
    places = tuple(names.index(seen) for names, seen in zip(deal.observations, spec.seen(cards), strict=True))
    assert one.hand.prior[places] > 0.0
    assert one.hand.utility(outcome)[places] == pytest.approx(gain)


def lines_of(game: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield commands, those that write files before those that read them."""
    file, stacks = str(folder / "small.npz"), ("--stacks", "3,4") if "stacks" in options_of(game) else ()
    spec = small(game)
    board = spec.classes()[0].deals[0].board
    deal = (f"--{spec.board_word}", board) if board else ()
    seen = spec.with_board(board).classes()[0].deals[0].observations[0][0]
    yield "solve", game, *stacks, "--gap", "0.01", "-o", file
    for style in FORMATS:
        yield "games", "--format", style
        yield "show", file, *deal, "--format", style
        yield "best", file, *deal, "--see", seen, "--format", style
        yield "verify", file, "--format", style
        yield "advise", game, *stacks, *deal, "--see", seen, "--objective", "chips", "--no-cache", "--format", style
        yield "advise", "--from", file, *deal, "--see", seen, "--format", style
    for kind in ("csv", "json", "efg"):
        yield "export", file, *deal, "--to", kind
    yield "plot", file, "-o", str(folder / "gap.png")
    yield "report", file, "-o", str(folder / "report")
    if not isinstance(spec, MatchSpec):
        return
    equal = ("--stacks", "3,3")
    yield "match", game, *equal, "-o", str(folder / "match.npz")
    yield "odds", game, *equal, "--table", str(folder / "match.npz")
    yield "verify", str(folder / "match.npz")
    yield "simulate", game, *equal, "--first", "call", "--second", "random", "--matches", "20"
    yield "advise", game, *equal, *deal, "--see", seen, "--table", str(folder / "match.npz"), "--no-cache"
    log = str(folder / "match.log")
    words = spec.log_example.split("  ")
    yield "log", "new", log, game, "--stacks", "8,8"
    yield "log", "add", log, *(part for word in words for part in (f"--{word.split()[0]}", word.split(" ", 1)[1]))
    for style in FORMATS:
        yield "log", "show", log, "--format", style
    yield "report", "--log", log, "--objective", "chips", "-o", str(folder / "story")


def check_commands(game: str, folder: Path) -> None:
    """Run every command on a game; what is solved is proved, and an exact method agrees."""
    for line in lines_of(game, folder):
        done = good(*line)
        assert done.out or line[0] in ("plot", "log", "match"), line
        if line[-2:] == ("--format", "json"):
            assert done.json, line
    found = load(folder / "small.npz")
    assert verify(found).nash_conv <= 0.01
    low, high = found.value_bounds
    assert low - 1e-9 <= solve(found.spec, method="lp").value <= high + 1e-9
    told = good("advise", game, *_spot(game), "--format", "json").json
    assert told["spec"]["game"] == game
    assert sum(told["hidden_card"].values()) == pytest.approx(1.0)
    unknown = run("solve", game, "--no-such-option", "1")
    assert unknown.code == 2


def _spot(game: str) -> tuple[str, ...]:
    spec = small(game)
    deal = spec.classes()[0].deals[0]
    board = (f"--{spec.board_word}", deal.board) if deal.board else ()
    stacks = ("--stacks", "3,4") if "stacks" in options_of(game) else ()
    return (*stacks, *board, "--see", deal.observations[0][0], "--objective", "chips", "--no-cache")
