"""Solve a hand of three or four players, every deal and every history: from a spec to a `MultiplayerSolution`."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rules.base.errors import OptionError
from rules.base.versions import versions
from rules.games.spec import HandSpec
from solver.multiplayer.descent import descend
from solver.multiplayer.engine import MultiplayerEngine
from solver.multiplayer.evaluation import Measured, MultiplayerGame, Profile, proportions
from solver.multiplayer.resolving import completed
from solver.multiplayer.rows import REACHED
from solver.multiplayer.solution import Coarse, MultiplayerCheck, MultiplayerProvenance, MultiplayerSolution
from solver.two_player.cfr import new_stop_flag, next_check

MAX_ITERATIONS = 20_000
GAPS = {3: 0.005, 4: 0.05}
"""NashConv aimed at by default, by players; for others as for the most."""

PATIENCE = 300
"""Iterations that regret minimisation has at least; then half as many again as brought the lowest NashConv."""

SPARE, FURTHER = 0.25, 600
"""A solve that has reached its gap goes on to this part of it, for so many iterations at most: room to answer rows."""

ROUNDED = 1.0 - 1e-4
"""The part of the gap that rows may take, since strategies are kept in single precision."""

CHUNK = 10_000_000
"""Deals times histories that are worked on before `stop` is asked again: moments."""


def default_gap(players: int) -> float:
    """Return the NashConv that a solve of so many players aims at by default, in chips."""
    return GAPS.get(players, max(GAPS.values()))


def solve_table(
    spec: HandSpec,
    *,
    gap: float | None = None,
    max_iterations: int = MAX_ITERATIONS,
    threads: int | None = None,
    resume: MultiplayerSolution | None = None,
    complete: bool = True,
    on_check: Callable[[MultiplayerCheck], None] | None = None,
    stop: Callable[[], bool] | None = None,
    offer: Callable[[Callable[[], MultiplayerSolution]], None] = lambda make: None,
) -> MultiplayerSolution:
    """Solve a hand of three or four players, every deal and every history.

    Regret minimisation first (`solver.multiplayer.engine`). With more than two players nothing says that it comes to an
    equilibrium: NashConv is measured again and again, and the strategy with the lowest is kept. Where that has not
    become lower for a while, NashConv itself is descended from there (`solver.multiplayer.descent`). Then rows that
    play seldom comes to are answered, as far as NashConv stays within the gap or as it is
    (`solver.multiplayer.resolving`). No action is played that another one makes needless
    (`solver.multiplayer.dominance`).

    Parameters
    ----------
    spec
        The hand, from `rules.games.spec`.
    gap
        Target NashConv in the unit of the objective, above 0; by default `default_gap`.
    max_iterations
        At least 0; whichever comes first.
    threads
        At most so many; by default one a processor. The result does not depend on it.
    resume
        A solution of the same spec, loaded with its state, to go on from.
    complete
        Whether rows that play seldom comes to are answered; where values alone are asked for that is work for
        nothing.
    on_check
        Called after each measurement.
    stop
        Asked again and again whether to stop with the best so far.
    offer
        Is given what makes a solution of the best so far, without a state to go on from, whenever there is a better.

    Raises
    ------
    OptionError, SizeError, SolutionFileError
        Where an argument is out of range, there are too many deals, or `resume` is of another hand or has no state.
    """
    aim = default_gap(spec.seats) if gap is None else gap
    if not 0.0 < aim < np.inf:
        raise OptionError(f"expected the gap to be above 0 {spec.unit}, got {gap}")
    game = MultiplayerGame.of(spec.around_the_table())
    engine = MultiplayerEngine(game, threads or os.cpu_count() or 1)
    found, checks = _Best(), list[MultiplayerCheck]()
    asked = stop if stop is not None else lambda: False
    inner = SPARE * aim if complete else aim
    if resume is not None:
        resume.check_resumable(spec)
        _restore(engine, resume)
        checks = list(resume.provenance.checks)
        found = _Best(resume.profile, resume.nash_conv, resume.provenance.kept)
    halt, work = new_stop_flag(), len(game.betting.final) * game.deals.kinds**game.deals.players
    at_once, target, done = max(1, CHUNK // work), engine.iterations, engine.iterations
    within = engine.iterations if found.nash_conv <= aim else None

    def last() -> int:
        """Return the iterations at most: some more where the gap is reached."""
        return max_iterations if within is None else min(max_iterations, within + FURTHER)

    def note(iterations: int, nash_conv: float) -> None:
        checks.append(MultiplayerCheck(iterations, nash_conv))
        if found.profile is not None and found.kept == iterations:
            offer(partial(_as_it_stands, spec, found, aim, tuple(checks)))
        if on_check is not None:
            on_check(checks[-1])

    while True:
        while engine.iterations < target and not asked():
            engine.iterate(min(target, engine.iterations + at_once), halt)
        if not checks or checks[-1].iterations < engine.iterations:
            now = engine.measure()
            found = found.or_better(now, engine.profile, engine.iterations)
            note(engine.iterations, now.nash_conv)
        done = engine.iterations
        if within is None and found.nash_conv <= aim:
            within = done
        if within is not None or done < target or done >= max(PATIENCE, 3 * found.kept // 2) or done >= last():
            break
        target = min(last(), next_check(done))

    def better(more: int, profile: Profile, nash_conv: float) -> None:
        nonlocal found
        if nash_conv < found.nash_conv:
            found = found.or_better(engine.measure(profile), lambda: profile, done + more)
        note(done + more, nash_conv)

    for goal in (aim, inner):
        assert found.profile is not None
        if found.nash_conv > goal and done < last() and not asked():
            done += descend(engine, found.profile, gap=goal, most=last() - done, on_step=better, stop=stop)
        if found.nash_conv > aim:
            break
        within = done if within is None else within
    stopped = "gap" if found.nash_conv <= aim else "interrupted" if asked() else "iterations"
    assert found.profile is not None
    profile = found.profile
    if complete and not asked():
        allowed = ROUNDED * max(aim, found.nash_conv)
        profile = completed(engine, _answered(engine, profile, allowed), allowed, asked)
    strategy = profile.astype(np.float32)
    joint = engine.joint()
    coarse = None if joint is None else Coarse(tuple(joint.gains.tolist()))
    done = max(done, checks[-1].iterations)  # what goes on from a file may have descended further before
    provenance = MultiplayerProvenance(done, found.kept, stopped, aim, tuple(checks), coarse, versions())
    measured = game.measure(proportions(game, strategy))
    return MultiplayerSolution(spec, strategy, measured, provenance, _state(engine))


def _as_it_stands(
    spec: HandSpec, found: "_Best", aim: float, checks: tuple[MultiplayerCheck, ...]
) -> MultiplayerSolution:
    """Return the best so far of a solve that is broken off."""
    assert found.profile is not None
    strategy = found.profile.astype(np.float32)
    game = MultiplayerGame.of(spec.around_the_table())
    provenance = MultiplayerProvenance(checks[-1].iterations, found.kept, "interrupted", aim, checks, None, versions())
    return MultiplayerSolution(spec, strategy, game.measure(proportions(game, strategy)), provenance)


def _answered(engine: MultiplayerEngine, profile: Profile, allowed: float) -> Profile:
    """Return a profile with learned rows where the others never go; as it is where NashConv would exceed `allowed`."""
    game, learned = engine.game, engine.profile()
    reach, tree = game.reach(profile), game.betting.tree
    found = profile.copy()
    for node in range(tree.nodes):
        rows, far = tree.rows(node), game.met(node, reach) < REACHED
        found[rows] = np.where(far, learned[rows], profile[rows])
    return found if engine.measure(found).nash_conv <= allowed else profile


class _Best(NamedTuple):
    """The profile with the lowest NashConv so far, and after how many iterations that was."""

    profile: Profile | None = None
    nash_conv: float = np.inf
    kept: int = 0

    def or_better(self, measured: Measured, profile: Callable[[], Profile], iterations: int) -> "_Best":
        """Return this, or another profile where that is better."""
        if measured.nash_conv >= self.nash_conv:
            return self
        return _Best(profile(), measured.nash_conv, iterations)


def _state(engine: MultiplayerEngine) -> dict[str, NDArray[Any]]:
    """Return what to go on from."""
    state: dict[str, NDArray[Any]] = {
        name: engine.columns(getattr(engine, name)).astype(np.float32) for name in ("regret", "hope", "total")
    }
    state["rounds"] = np.array([engine.iterations])
    return state


def _restore(engine: MultiplayerEngine, earlier: MultiplayerSolution) -> None:
    """Let an engine go on from a solution; the joint play begins anew."""
    for name in ("regret", "hope", "total"):
        engine.restore(earlier.state[name], getattr(engine, name))
    engine.go_on(int(earlier.state["rounds"][0]))
