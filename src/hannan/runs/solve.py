"""Solving a game: one function from the game and the method to a run, and one to its result."""

from __future__ import annotations

from contextlib import nullcontext
from os import PathLike
from typing import Any

from hannan import arguments
from hannan.errors import MismatchError, ParameterError, UnknownNameError
from hannan.forms.game import Game
from hannan.forms.loading import Loadable, load
from hannan.forms.trust import Trust, check_trust
from hannan.runs.choosing import AUTO, fitting, make_solver, misspelt, split_method
from hannan.runs.past import past_in
from hannan.runs.progress import limits
from hannan.runs.reading import read
from hannan.runs.result import Result
from hannan.runs.run import EVERY, PathTo, Run, finishing
from hannan.runs.solving import Solving
from hannan.runs.watching import Watcher, expansion_line
from hannan.solvers.base import Solver
from hannan.solvers.checkpoint import Checkpoint
from hannan.solvers.fullwidth.engine import Updates
from hannan.strategies.asked import Asked
from hannan.strategies.locks import LockedGame, Locks, check_locks, lock
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile


@finishing("solving this game", ("checkpoint",))
def solve(
    game: Loadable | None = None,
    method: str = AUTO,
    *,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    updates: Updates | None = None,
    seed: int | None = None,
    start: Profile | Policy | Asked | PathTo | None = None,
    locks: Locks | None = None,
    variance: int | None = None,
    checkpoint: PathTo | None = None,
    every: float = EVERY,
    resume: PathTo | None = None,
    log: PathTo | None = None,
    progress: bool | Watcher | None = None,
    trust: Trust = False,
    curve: bool = False,
    **parameters: Any,
) -> Run[Result]:
    """Find an equilibrium, and measure exactly how close it is.

    Stops at the first limit that is reached; without one, at gap 1e-4 or after 100,000 iterations. `method` may
    carry parameters, as in `dcfr(alpha=1.5)`; they may be given as keyword arguments too. `start` is a profile to
    begin from, or its file. With `locks` (see `hannan.lock`) the numbers are those of the game with these sets fixed,
    and the profile is for the game itself. With `variance`, the variance of a sampler's estimates is measured from so
    many walks a player wherever the gap is. Ctrl-C ends the run with the result so far.

    `checkpoint` keeps the whole state in a file, written every so many seconds and at the end; `resume` goes on from
    such a file, to the same bits as a run that was never stopped. Limits then count from the start of the work, and
    `game` is needed only where it is not built in. Where the files of `resume` and `start` name code, it is run only if
    `trust=True` agrees to it (docs/trust.md). `log` takes every measurement as it is made. `progress=True` shows
    a line on a terminal; a function is called with a `Progress` instead. `curve=True` says that the gap should
    be seen shrinking: auto then chooses no method that solves the game at once.
    """
    if (slip := misspelt(parameters, solve)) is not None:
        raise UnknownNameError(
            f"there is no parameter {arguments.shown(slip[0])}; did you mean {arguments.shown(slip[1])}?"
        )
    until = limits(gap, iterations, seconds)
    check_trust(trust)
    if locks is not None:
        check_locks(locks)
    lifts = not isinstance(game, LockedGame)
    if resume is not None:
        if start is not None:
            raise ParameterError("start and resume exclude each other: a checkpoint has begun")
        saved = Checkpoint.read(resume)
        solver = _resumed(saved, game, locks, method, {**parameters, **_known(updates=updates, seed=seed)}, trust)
        work, past = _work(saved, solver, seed, variance, lifts), past_in(saved.path, saved.facts)
    else:
        if game is None:
            raise ParameterError("say which game to solve, or from which checkpoint to go on")
        wanted = (iterations, log, start, checkpoint)
        at_once = not curve and all(wish is None for wish in wanted)
        with expansion_line() if progress is True else nullcontext():
            played = lock(game, locks) if locks else load(game)
            solver, why = make_solver(played, method, updates, {**parameters, **_known(seed=seed)}, at_once=at_once)
        if start is not None:
            solver.warm_start(_profile(played, start, trust))
        work = Solving(solver, seed=seed or 0, why=why, variance=variance, lifts=lifts)
        past = None
    return Run(
        work, until, past=past, checkpoint=checkpoint, every=every, log=log, progress=progress,
        trains=solver.trains_average,
    )  # fmt: skip


def _known(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _profile(game: Game, start: Profile | Policy | Asked | PathTo, trust: Trust) -> Profile:
    """Return a profile to begin from, at the free sets where some are locked."""
    base = game.base if isinstance(game, LockedGame) else game
    strategy = read(start, base, trust=trust) if isinstance(start, str | PathLike) else start
    profile = strategy.profile() if isinstance(strategy, Policy | Asked) else strategy
    return game.project(profile) if isinstance(game, LockedGame) else profile


def _resumed(
    saved: Checkpoint, game: Loadable | None, locks: Locks | None, method: str, given: dict[str, Any], trust: Trust
) -> Solver:
    """Return the solver of a checkpoint; refuse what says something else than it does."""
    name, wanted = split_method(method)
    if name not in (AUTO, saved.kind.method):
        raise MismatchError(f"{saved.path} is a checkpoint of {saved.kind.method}, not of {name}")
    defaults = saved.kind.parameter_defaults()
    changes = {key: fitting(defaults.get(key), value) for key, value in {**wanted, **given}.items()}
    if "seed" in changes and "seed" not in defaults:
        changes.pop("seed")
    if locks:
        base = saved.game() if game is None else load(game)
        game = lock(base.base if isinstance(base, LockedGame) else base, locks)
    return saved.solver(game, trust, **changes)


def _work(saved: Checkpoint, solver: Solver, seed: int | None, variance: int | None, lifts: bool) -> Solving:
    """Go on as the checkpoint says. Arguments override it; checkpoints of older versions lack some fields."""
    facts = saved.facts
    why, walks = str(facts.get("why", "")), facts.get("variance") if variance is None else variance
    kept = arguments.seed(facts.get("seed", 0) if seed is None else seed)
    return Solving(solver, seed=kept, why=why, variance=walks, lifts=lifts)
