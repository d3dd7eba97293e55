"""Solving a game: one function from the game and the method to a run, and one to its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from inspect import signature
from os import PathLike
from typing import Any

from hannan import addresses, arguments
from hannan.arguments import check_trust, shown
from hannan.errors import ALIKE, MismatchError, ParameterError, UnknownNameError, likeness, nearest
from hannan.forms.game import Game
from hannan.forms.loader import Loadable, load
from hannan.forms.trust import Trust
from hannan.memory import ending_well
from hannan.runs.past import past_in
from hannan.runs.progress import DEFAULT, Limits, limits, schedule
from hannan.runs.result import Result
from hannan.runs.run import EVERY, PathTo, Run, finishing
from hannan.runs.solve_work import Solving
from hannan.runs.status_line import Watcher, expansion_line
from hannan.runs.strategies import read
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import Solver
from hannan.solvers.checkpoint import Checkpoint
from hannan.solvers.fullwidth.engine import Updates
from hannan.strategies.asked import Asked
from hannan.strategies.locks import LockedGame, Locks, check_locks, lock
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

AUTO = "auto"

LP_SEQUENCES = 2_000
"""Up to so many sequences of all players, the linear program is solved in a fraction of a second."""


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
    measure_every: int | None = None,
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

    Stops at the first limit that is reached; without one, at gap 1e-4 or after 100,000 iterations, neural methods
    after those of their preset. `method` may
    carry parameters, as in `dcfr(alpha=1.5)`; they may be given as keyword arguments too. `start` is a profile to
    begin from, or its file. With `locks` (see `hannan.lock`) the numbers are those of the game with these sets fixed,
    and the profile is for the game itself. With `variance`, the variance of a sampler's estimates is measured from so
    many walks a player wherever the gap is. Ctrl-C ends the run with the result so far.

    The gap is measured ever more rarely, or after every `measure_every` iterations: methods that train an average
    network train it at each measurement.

    `checkpoint` keeps the whole state in a file, written every so many seconds and at the end; `resume` goes on from
    such a file, to the same bits as a run that was never stopped. Limits then count from the start of the work, and
    `game` is needed only where it is not built in. Where the files of `resume` and `start` name code, it is run only if
    `trust=True` agrees to it (docs/trust.md). `log` takes every measurement as it is made. `progress=True` shows
    a line on a terminal; a function is called with a `Progress` instead. `curve=True` says that the gap should
    be seen shrinking: auto then chooses no method that solves the game at once.
    """
    if (slip := misspelt(parameters, solve)) is not None:
        raise UnknownNameError(f"there is no parameter {shown(slip[0])}; did you mean {shown(slip[1])}?")
    until = limits(gap, iterations, seconds)
    check_trust(trust)
    if locks is not None:
        check_locks(locks)
    lifts = not isinstance(game, LockedGame)
    if resume is not None:
        if start is not None:
            raise ParameterError("start and resume exclude each other: a checkpoint has begun")
        saved = Checkpoint.read(resume)
        measure_every = saved.facts.get("measure_every") if measure_every is None else measure_every
        solver = _resumed(saved, game, locks, method, {**parameters, **_known(updates=updates, seed=seed)}, trust)
        told: dict[str, Any] = {"measure_every": measure_every, "unlimited": until == DEFAULT}
        work, past = _work(saved, solver, seed, variance, lifts, **told), past_in(saved.path, saved.facts)
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
        told = {"measure_every": measure_every, "unlimited": until == DEFAULT}
        work = Solving(solver, seed=seed or 0, why=why, variance=variance, lifts=lifts, **told)
        past = None
    return Run(
        work, _until(until, solver), past=past, schedule=schedule(measure_every), checkpoint=checkpoint, every=every,
        log=log, progress=progress, trains=solver.trains_average,
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


def _until(until: Limits, solver: Solver) -> Limits:
    """Return the limits; where none was given, those that are usual for the method."""
    usual = solver.usual_iterations if until == DEFAULT else None
    return until if usual is None else Limits(iterations=usual)


def _work(
    saved: Checkpoint, solver: Solver, seed: int | None, variance: int | None, lifts: bool, **told: Any
) -> Solving:
    """Go on as the checkpoint says. Arguments override it; checkpoints of older versions lack some fields."""
    facts = saved.facts
    why, walks = str(facts.get("why", "")), facts.get("variance") if variance is None else variance
    kept = arguments.seed(facts.get("seed", 0) if seed is None else seed)
    return Solving(solver, seed=kept, why=why, variance=walks, lifts=lifts, **told)


def make_solver(
    game: Game,
    method: str,
    updates: Updates | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    at_once: bool = False,
) -> tuple[Solver, str]:
    """Return a solver for a method's address, and why it was chosen.

    With `at_once`, auto may choose a method that gives the answer in one iteration.
    """
    name, given = split_method(method)
    options = {**(parameters or {}), **({} if updates is None else {"updates": updates})}
    for parameter in given.keys() & options.keys():
        if given[parameter] != options[parameter]:
            raise ParameterError(
                f"{parameter} is given twice: {shown(given[parameter])} in {method}, and {shown(options[parameter])} "
                "beside it"
            )
    given |= options
    seed = arguments.seed(fitting(0, given.pop("seed", 0)))
    why = ""
    if name == AUTO:
        name, chosen, why = choose(game, at_once=at_once and fits_lp(game, given))
        given = {**chosen, **given}
    kind = method_class(name)
    known = kind.parameter_defaults()
    for parameter in given:
        if parameter not in known:
            raise UnknownNameError(f"{name} has no parameter {shown(parameter)}{nearest(parameter, known)}")
    if "seed" in known:
        given["seed"] = seed
    with ending_well(f"{name} on {getattr(game, 'address', 'this game')}"):
        return kind(game, **{key: fitting(known[key], value) for key, value in given.items()}), why


def split_method(method: str) -> tuple[str, dict[str, Any]]:
    """Split `dcfr(alpha=1.5)` into the method and its parameters."""
    if not isinstance(method, str):
        raise ParameterError(f"method={shown(method)} should be the name of a method")
    name, parenthesis, _ = method.partition("(")
    return addresses.parse(method) if parenthesis else (name, {})


def misspelt(given: Iterable[str], command: Callable[..., Any]) -> tuple[str, str] | None:
    """Return the first name that no method knows and that is like one of the command's own, with that one."""
    names = list(given)
    if not names:
        return None
    own = [p.name for p in signature(command).parameters.values() if p.kind is p.KEYWORD_ONLY]
    known = {parameter for method in METHODS for parameter in method_class(method).parameter_defaults()}
    for name in names:
        best = _likest(name, own)
        if name not in known and likeness(name, best) >= max(ALIKE, likeness(name, _likest(name, known))):
            return name, best
    return None


def _likest(name: str, known: Iterable[str]) -> str:
    return max(sorted(known), key=lambda other: likeness(name, other))


def fitting(default: Any, value: Any) -> Any:
    """Convert a value to its parameter's type: 1e9 becomes an int where one is wanted, none a word where one is."""
    if isinstance(default, str):
        return "none" if value is None else value
    whole_number = default is None or (isinstance(default, int) and not isinstance(default, bool))
    return int(value) if whole_number and isinstance(value, float) and value.is_integer() else value


def fits_lp(game: Game, given: Mapping[str, Any]) -> bool:
    """Say whether the linear program is small, and takes all parameters that were given."""
    form = game.expanded().form
    if not form.competitive or sum(plex.sequences for plex in form.treeplexes) > LP_SEQUENCES:
        return False
    return set(given) <= set(method_class("lp").parameter_defaults())


def choose(game: Game, *, at_once: bool) -> tuple[str, dict[str, Any], str]:
    """Pick a method that suits the game, with its parameters, and say why."""
    if at_once:
        return (
            "lp",
            {},
            f"two players with opposed interests and at most {LP_SEQUENCES:,} sequences: the linear program gives an "
            "equilibrium at once",
        )
    if game.expanded().form.competitive:
        return (
            "pdcfr+",
            {"updates": "alternating"},
            "two players with opposed interests: predictive discounted CFR+ usually needs the fewest iterations",
        )
    kind = "general-sum" if game.players == 2 else "one player" if game.players == 1 else f"{game.players} players"
    return (
        "cfr",
        {"updates": "simultaneous"},
        f"{kind}: with simultaneous updates CFR's average play is proven to approach a coarse correlated equilibrium",
    )
