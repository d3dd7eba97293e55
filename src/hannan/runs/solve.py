"""Solving a game: a function that makes a run from a game and a method, and one that returns its result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from typing import Annotated, Any, Protocol, TypedDict, Unpack, cast, get_args, overload

from hannan import addresses, arguments
from hannan.arguments import RENAMED, Option, declared, renamed, settled, shown
from hannan.errors import ALIKE, MismatchError, ParameterError, UnknownNameError, UnsuitableError, likeness, nearest
from hannan.forms.coarsening import Map, forget
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import Game, PublicGame
from hannan.forms.loader import Loadable, load
from hannan.forms.ties import TiedGame
from hannan.forms.trust import Trust
from hannan.forms.workers import open_workers
from hannan.memory import ending_well
from hannan.options import declaring
from hannan.pieces.options import SpreadOptions
from hannan.rules.doors import alike
from hannan.runs.auto_choice import Wish, choose
from hannan.runs.options import LoggedOptions
from hannan.runs.past import past_in
from hannan.runs.progress import DEFAULT, Limits, limits, schedule
from hannan.runs.result import Result
from hannan.runs.run import PathTo, Run, finishing
from hannan.runs.solve_work import Solving
from hannan.runs.status_line import expansion_line
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import Solver
from hannan.solvers.checkpoint import Checkpoint
from hannan.solvers.classes import make, own_class
from hannan.solvers.fullwidth.engine import Updates
from hannan.solvers.sampling.sampler import Over
from hannan.strategies.files import read_locks
from hannan.strategies.given import strategy_of
from hannan.strategies.locks import Locked, LockedGame, Locks, check_locks, lock
from hannan.strategies.profile import Profile
from hannan.strategies.public import PublicStrategy
from hannan.strategies.strategy import Strategy

AUTO = "auto"

ANY = Wish()
"""The wishes by which auto chooses by default."""

Method = str | type[Solver] | Solver
"""A method: its name or address, its class, or a solver."""


class _SolveTerms(TypedDict, total=False):
    gap: Annotated[
        float | None,
        Option(
            "Stop when NashConv (two players, zero-sum), the CCE gap (any other game) or the EFCE gap (method efce) is "
            "at most this."
        ),
    ]
    iterations: Annotated[int | None, Option("Stop after this many iterations.")]
    seconds: Annotated[float | None, Option("Stop after this many seconds of solving.")]
    updates: Annotated[
        Updates | None,
        Option(
            "Whether a player sees the others' new strategies within an iteration. Default: alternating; simultaneous "
            "for einr, komwu and an auto-chosen cfr.",
            takers="full-width methods",
        ),
    ]
    seed: Annotated[
        int | None,
        Option(
            "The seed of the random numbers: a whole number of 64 bits. Default: 0.",
            takers="samplers and neural methods",
        ),
    ]
    start: Annotated[Strategy | PathTo | None, Option("Begin from this strategy, or its file.")]
    locks: Annotated[
        Locks | PathTo | None,
        Option(
            "Fix what players do at some information sets: {player: {set name: {action: probability}}}, or a JSON file "
            "of this. The numbers are those of the game with these sets fixed; the strategy is for the game itself."
        ),
    ]
    forget: Annotated[
        Map | str | None,
        Option(
            "Let players forget: a function that returns, for a player and the name of one of its information sets, "
            "what the player still knows there; or its address, file.py:function. Sets with the same knowledge become "
            "one. Gaps are those of the full game (docs/howto/recall.md).",
            takers="full-width methods",
        ),
    ]
    variance: Annotated[
        int | None,
        Option(
            "Measure the variance of the estimates too, from this many walks per player, whenever the gap is measured. "
            "The result, the log and the picture show it.",
            takers="samplers",
        ),
    ]
    measure_every: Annotated[
        int | None,
        Option(
            "Measure the gap each time after this many iterations. Default: ever more rarely. Methods that train an "
            "average network train it at each measurement."
        ),
    ]
    race: Annotated[
        bool,
        Option(
            "Let auto run the linear program in a second thread from the start. The first to finish wins, so the "
            "result depends on the clock.",
            False,
            takers="auto",
        ),
    ]
    curve: Annotated[
        bool,
        Option(
            "Show how the gap shrinks: auto then chooses no method that solves the game at once.",
            False,
            python_only=True,
        ),
    ]


class SolveOptions(_SolveTerms, SpreadOptions, LoggedOptions, total=False):
    """The options of `solve`, without the parameters of a method."""


class Solve(Protocol):
    """The type of `solve`. The second form takes the parameters of a method too."""

    begin: Callable[..., Run[Result]]
    options: Mapping[str, Option]

    @overload
    def __call__(
        self, game: Loadable | None = None, method: Method = AUTO, **options: Unpack[SolveOptions]
    ) -> Result: ...
    @overload
    def __call__(self, game: Loadable | None = None, method: Method = AUTO, **parameters: Any) -> Result: ...


def _typed(function: Any) -> Solve:
    return cast("Solve", function)


@_typed
@finishing("solving this game", ("checkpoint",))
@declaring(SolveOptions)
def solve(
    game: Annotated[
        Loadable | None,
        Option(
            "The game: an address such as leduc_poker(ranks=13), file.py:MyRules, module:MyRules, file.efg or "
            "openspiel:NAME. A resumed run needs it only if the game is not built in."
        ),
    ] = None,
    method: Annotated[
        Method,
        Option(
            "A method that `hannan methods` lists, auto, or one of your own: file.py:Class, in Python the class or a "
            'solver too (docs/howto/own.md). Parameters may follow, as in "dcfr(alpha=1.5)".'
        ),
    ] = AUTO,
    **parameters: Any,
) -> Run[Result]:
    """Find an equilibrium, and measure exactly how close it is.

    The run stops at the first limit that is reached: gap, iterations or seconds. Default: gap 1e-4 or 100,000
    iterations; for neural methods, the iterations of their preset. Limits count from the start of the work, also in a
    resumed run. Ctrl-C ends the run with the result so far. Any other keyword is a parameter of the method, as in
    `alpha=1.5`.

    A resumed run takes the game, locks, method and parameters from the checkpoint. If the game is not built in, the
    caller gives it again. Parameters that change no number, such as a sampler's `memory_limit`, may differ from those
    of the checkpoint. Code that the files of `resume` and `start` name is run only if `trust` agrees to it
    (docs/howto/trust.md). The command `hannan solve` has the same options (docs/reference/options.md).

    Returns
    -------
    Result
        The average strategies, the exact gap and values, and why the run stopped. For a game that is too large to
        expand, the gap is None and values are estimated from plays.

    Raises
    ------
    UnknownNameError
        If the game or the method does not exist.
    ParameterError
        If an option or a parameter of the method has a wrong type or value.
    UnsuitableError
        If the method does not apply to the game.

    Examples
    --------
    >>> import hannan as hn
    >>> result = hn.solve("kuhn_poker", gap=1e-6)
    >>> [round(value, 4) for value in result.values]
    [-0.0556, 0.0556]
    >>> result.method, result.gap < 1e-6
    ('lp', True)

    Choose the method and its parameters:

    >>> hn.solve("kuhn_poker", "dcfr", alpha=2.0, iterations=100).iterations
    100
    """
    own = declared(SolveOptions)
    given = cast("SolveOptions", {name: parameters.pop(name) for name in own if name in parameters})
    _refuse_old_on(given.get("on"))
    options = settled("solve", SolveOptions, given)
    if (slip := misspelt(parameters, own, method)) is not None:
        raise UnknownNameError(f"unknown parameter {shown(slip[0])}; did you mean {shown(slip[1])}?")
    until = limits(options["gap"], options["iterations"], options["seconds"])
    updates, seed, variance, trust = options["updates"], options["seed"], options["variance"], options["trust"]
    locks, measure_every = _locks(options["locks"]), options["measure_every"]
    lifts = not isinstance(game, Locked)
    _check_race(options["race"], method)
    if options["resume"] is not None:
        if options["start"] is not None:
            raise ParameterError("start and resume exclude each other: a checkpoint has begun")
        if isinstance(method, Solver):
            raise ParameterError(
                f"{method!r} was made already, and resume makes a solver: give its class instead of it"
            )
        saved = Checkpoint.read(options["resume"], split_method(method)[0], trust)
        measure_every = saved.facts.get("measure_every") if measure_every is None else measure_every
        given_anew = {**parameters, **_known(updates=updates, seed=seed)}
        if saved.kind.method == AUTO:  # `auto` decides by the limit of this run
            given_anew |= {"target": until.gap, "race": options["race"]}
        solver = _resumed(saved, game, locks, method, given_anew, trust)
        if options["forget"] is not None:
            _check_forgets_alike(saved, solver.game, options["forget"])
        told: dict[str, Any] = {"measure_every": measure_every, "unlimited": until == DEFAULT}
        work, past = _work(saved, solver, seed, variance, lifts, **told), past_in(saved.path, saved.facts)
    else:
        if game is None and isinstance(method, Solver):
            game = method.game
        if game is None:
            raise ParameterError("name the game to solve, or the checkpoint to continue from")
        wanted = (options["iterations"], options["log"], options["start"], options["checkpoint"])
        free = not options["curve"] and options["iterations"] is None and options["start"] is None
        at_once = free and all(wish is None for wish in wanted)
        wish = Wish(at_once, free, until.gap, until.seconds, options["race"])
        with expansion_line() if options["progress"] is True else nullcontext():
            played = lock(game, locks) if locks else load(game)
            if options["forget"] is not None:
                played = forget(played, options["forget"])
            solver, why = make_solver(played, method, updates, {**parameters, **_known(seed=seed)}, wish)
        if options["start"] is not None:
            solver.warm_start(_profile(played, options["start"], trust))
        told = {"measure_every": measure_every, "unlimited": until == DEFAULT}
        work = Solving(solver, seed=seed or 0, why=why, variance=variance, lifts=lifts, **told)
        past = None
    when = schedule(measure_every, solver.distance)
    if (on := options["on"]) != "serial" and (why := solver.unsplit()):
        raise UnsuitableError(why)
    run = Run(
        work, _until(until, solver), past=past, schedule=when, checkpoint=options["checkpoint"],
        every=options["every"], log=options["log"], progress=options["progress"], trains=solver.trains_average,
    )  # fmt: skip
    if on != "serial":
        work.workers = run.hold.enter_context(open_workers(options, solver.piece_bytes))
        run.hold.callback(solver.spread, None)  # while the workers still run
        solver.spread(work.workers)
    return run


def _refuse_old_on(on: Any) -> None:
    """Refuse the old values of `on`, a parameter of samplers that has another name today."""
    if on in get_args(Over):
        raise ParameterError(
            f"on={shown(on)} should be serial, processes, ray or ray://HOST:PORT, where pieces of the work are made; "
            f"what the walks of samplers go over is called over now: over={shown(on)}, or --over {on}"
        )


def _check_forgets_alike(saved: Checkpoint, game: Game, map: Map | str) -> None:
    """Refuse a map other than that of the checkpoint."""
    if not isinstance(game, TiedGame) or forget(game.base, map).tied.ties.digest != game.ties.digest:
        raise MismatchError(f"{saved.path} was made without this map: leave forget out, and the run forgets as before")


def _check_race(race: bool, method: Method) -> None:
    """Refuse a race with a method other than `auto`."""
    if race and split_method(method)[0] != AUTO:
        named = split_method(method)[0]
        raise ParameterError(f"race is for method {AUTO}, not for {named if isinstance(named, str) else named.method}")


def _locks(given: Locks | PathTo | None) -> Locks | None:
    """Return locks, read from their file if one is named."""
    if isinstance(given, str | PathLike):
        return read_locks(given)
    if given is not None:
        check_locks(given)
    return given


def _known(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _profile(game: Game, start: Strategy | PathTo, trust: Trust) -> Any:
    """Return a profile to begin from, at the free sets if some are locked; on public trees, a strategy on the tree."""
    base = game.base if isinstance(game, Locked) else game
    if isinstance(game, PublicGame):
        given = strategy_of(start, trust=trust)
        return given.moved(game) if isinstance(given, PublicStrategy) else given
    profile: Profile = strategy_of(start, base, trust=trust).profile()
    of_base = isinstance(game, LockedGame) and profile.game.form.hash != game.form.hash
    return cast(LockedGame, game).project(profile) if of_base else profile


def _resumed(
    saved: Checkpoint,
    game: Loadable | None,
    locks: Locks | None,
    method: Method,
    given: dict[str, Any],
    trust: Trust,
) -> Solver:
    """Return the solver of a checkpoint; refuse arguments that contradict the checkpoint."""
    _, wanted = split_method(method)
    defaults = saved.kind.parameter_defaults()
    changes = {key: fitting(defaults.get(key), value) for key, value in {**wanted, **given}.items()}
    if "seed" in changes and "seed" not in defaults:
        changes.pop("seed")
    if locks:
        base = saved.game() if game is None else load(game)
        if isinstance(base, TiedGame):
            raise ParameterError(f"{saved.path} has its locks, and a map by which players forget: leave locks out")
        game = lock(base.base if isinstance(base, Locked) else base, locks)
    return saved.solver(game, trust, **changes)


def _until(until: Limits, solver: Solver) -> Limits:
    """Return the limits; if none was given, the usual limits of the method."""
    if until != DEFAULT:
        return until
    if solver.usual_gap is not None:
        return replace(until, gap=solver.usual_gap)
    return until if solver.usual_iterations is None else Limits(iterations=solver.usual_iterations)


def _work(
    saved: Checkpoint, solver: Solver, seed: int | None, variance: int | None, lifts: bool, **told: Any
) -> Solving:
    """Return the work of a checkpoint. Arguments override it; checkpoints of older versions lack some fields."""
    facts = saved.facts
    why, walks = str(facts.get("why", "")), facts.get("variance") if variance is None else variance
    kept = arguments.seed(facts.get("seed", 0) if seed is None else seed)
    return Solving(solver, seed=kept, why=why, variance=walks, lifts=lifts, **told)


def make_solver(
    game: Game,
    method: Method,
    updates: Updates | None = None,
    parameters: Mapping[str, Any] | None = None,
    wish: Wish = ANY,
) -> tuple[Solver, str]:
    """Return a solver for a method's address or class, and why it was chosen; a given solver is returned unchanged.

    wish: the wishes by which auto chooses.
    """
    options = {**(parameters or {}), **({} if updates is None else {"updates": updates})}
    if isinstance(method, Solver):
        return _given_solver(game, method, options), ""
    name, given = split_method(method)
    for parameter in given.keys() & options.keys():
        if given[parameter] != options[parameter]:
            raise ParameterError(
                f"{parameter} is given twice: {shown(given[parameter])} in {method}, and {shown(options[parameter])} "
                "as an option"
            )
    given |= options
    seed = arguments.seed(fitting(0, given.pop("seed", 0)))
    why = ""
    if name == AUTO:
        name, chosen, why = choose(game, given, wish)
        given = {**chosen, **given}
    kind = method_class(name)
    known = kind.parameter_defaults()
    for parameter in given:
        if parameter not in known:
            like = renamed(parameter, known) or nearest(parameter, known)
            raise UnknownNameError(f"{kind.method} has no parameter {shown(parameter)}{like}")
    if "seed" in known:
        given["seed"] = seed
    wanted = {key: fitting(known[key], value) for key, value in given.items()}
    with ending_well(f"{kind.method} on {getattr(game, 'address', 'this game')}"):
        return kind(game, **wanted) if kind.home() is None else make(kind, game, wanted), why


def _given_solver(game: Game, solver: Solver, parameters: Mapping[str, Any]) -> Solver:
    """Return a solver that the caller made; refuse one of another game, and options that come too late."""
    for name in parameters:
        raise ParameterError(f"{name} comes too late: {solver!r} was made already; give its class instead of it")
    if isinstance(game, ForgetfulGame):
        game = game.formed()
    locked = any(isinstance(one, Locked | TiedGame) for one in (game, solver.game))
    if solver.game is not game and (locked or not alike(solver.game.rules, game.played().rules)):
        raise MismatchError(f"{solver!r} works on another game than {game.address}: make both from one game object")
    return solver


def split_method(method: Method) -> tuple[str | type[Solver], dict[str, Any]]:
    """Return the name in `dcfr(alpha=1.5)`, or the class at `file.py:Class(power=3)`, with the parameters."""
    if isinstance(method, Solver):
        return type(method), {}
    if isinstance(method, type) and issubclass(method, Solver):
        return method, {}
    if not isinstance(method, str):
        raise ParameterError(
            f"method={shown(method)} should be the name of a method, a class of hannan.methods.Solver, or a solver"
        )
    name, parenthesis, _ = method.partition("(")
    if ":" in name and (place := addresses.parse_place(method)) is not None:
        return own_class(place[0], METHODS), place[1]
    return addresses.parse(method) if parenthesis else (name, {})


def misspelt(given: Iterable[str], own: Collection[str], method: Method) -> tuple[str, str] | None:
    """Return the first name that no method knows and that resembles one of `own`, with that one.

    An option that has another name now is returned with that name.
    """
    names = list(given)
    if not names:
        return None
    kinds = [*METHODS, *({split_method(method)[0]} - {AUTO, *METHODS})]
    known = {parameter for kind in kinds for parameter in method_class(kind).parameter_defaults()}
    for name in names:
        if name in RENAMED and name not in known:
            return name, RENAMED[name]
        best = _likest(name, own)
        if name not in known and likeness(name, best) >= max(ALIKE, likeness(name, _likest(name, known))):
            return name, best
    return None


def _likest(name: str, known: Iterable[str]) -> str:
    return max(sorted(known), key=lambda other: likeness(name, other))


def fitting(default: Any, value: Any) -> Any:
    """Convert a value to its parameter's type: 1e9 becomes an int, or None the word none, if the parameter is one."""
    if isinstance(default, str):
        return "none" if value is None else value
    whole_number = default is None or (isinstance(default, int) and not isinstance(default, bool))
    return int(value) if whole_number and isinstance(value, float) and value.is_integer() else value
