"""Solving a game: one function from the game and the method to a run, and one to its result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from math import prod
from os import PathLike
from typing import Annotated, Any, Protocol, TypedDict, Unpack, cast, overload

from hannan import addresses, arguments
from hannan.arguments import RENAMED, Option, declared, settled, shown
from hannan.errors import ALIKE, MismatchError, ParameterError, UnknownNameError, likeness, nearest
from hannan.forms.game import ExpandedGame, Game, PublicGame
from hannan.forms.loader import Loadable, load
from hannan.forms.public import PublicForm
from hannan.forms.trust import Trust
from hannan.memory import ending_well
from hannan.options import declaring
from hannan.rules.doors import alike
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
from hannan.solvers.exact.normalform import MOST_CELLS, plan_counts
from hannan.solvers.fullwidth.engine import Updates
from hannan.strategies.files import read_locks
from hannan.strategies.given import strategy_of
from hannan.strategies.locks import Locked, LockedGame, Locks, check_locks, lock
from hannan.strategies.profile import Profile
from hannan.strategies.public import PublicStrategy
from hannan.strategies.strategy import Strategy

AUTO = "auto"

Method = str | type[Solver] | Solver
"""What stands for a method: its name or address, its class, or a solver."""

LP_SEQUENCES = 2_000
"""Up to so many sequences of all players, the linear program is solved in a fraction of a second."""


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
    curve: Annotated[
        bool,
        Option(
            "Show how the gap shrinks: auto then chooses no method that solves the game at once.",
            False,
            python_only=True,
        ),
    ]


class SolveOptions(_SolveTerms, LoggedOptions, total=False):
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
            'solver too (docs/own.md). Parameters may follow, as in "dcfr(alpha=1.5)".'
        ),
    ] = AUTO,
    **parameters: Any,
) -> Run[Result]:
    """Find an equilibrium, and measure exactly how close it is.

    The run stops at the first limit that is reached: gap, iterations or seconds. Default: gap 1e-4 or 100,000
    iterations; for neural methods, the iterations of their preset. Limits count from the start of the work, also in a
    resumed run. Ctrl-C ends the run with the result so far. Any other keyword is a parameter of the method, as in
    `alpha=1.5`.

    A resumed run takes the game, locks, method and parameters from the checkpoint. A game that is not built in is given
    again. Of the parameters, those may be given anew that change no number, such as a sampler's `memory_limit`. Code
    that the files of `resume` and `start` name is run only if `trust` agrees to it (docs/trust.md).
    """
    own = declared(SolveOptions)
    given = cast("SolveOptions", {name: parameters.pop(name) for name in own if name in parameters})
    options = settled("solve", SolveOptions, given)
    if (slip := misspelt(parameters, own, method)) is not None:
        raise UnknownNameError(f"there is no parameter {shown(slip[0])}; did you mean {shown(slip[1])}?")
    until = limits(options["gap"], options["iterations"], options["seconds"])
    updates, seed, variance, trust = options["updates"], options["seed"], options["variance"], options["trust"]
    locks, measure_every = _locks(options["locks"]), options["measure_every"]
    lifts = not isinstance(game, Locked)
    if options["resume"] is not None:
        if options["start"] is not None:
            raise ParameterError("start and resume exclude each other: a checkpoint has begun")
        if isinstance(method, Solver):
            raise ParameterError(
                f"{method!r} was made already, and resume makes a solver: give its class instead of it"
            )
        saved = Checkpoint.read(options["resume"], split_method(method)[0], trust)
        measure_every = saved.facts.get("measure_every") if measure_every is None else measure_every
        solver = _resumed(saved, game, locks, method, {**parameters, **_known(updates=updates, seed=seed)}, trust)
        told: dict[str, Any] = {"measure_every": measure_every, "unlimited": until == DEFAULT}
        work, past = _work(saved, solver, seed, variance, lifts, **told), past_in(saved.path, saved.facts)
    else:
        if game is None and isinstance(method, Solver):
            game = method.game
        if game is None:
            raise ParameterError("say which game to solve, or from which checkpoint to go on")
        wanted = (options["iterations"], options["log"], options["start"], options["checkpoint"])
        at_once = not options["curve"] and all(wish is None for wish in wanted)
        with expansion_line() if options["progress"] is True else nullcontext():
            played = lock(game, locks) if locks else load(game)
            solver, why = make_solver(played, method, updates, {**parameters, **_known(seed=seed)}, at_once=at_once)
        if options["start"] is not None:
            solver.warm_start(_profile(played, options["start"], trust))
        told = {"measure_every": measure_every, "unlimited": until == DEFAULT}
        work = Solving(solver, seed=seed or 0, why=why, variance=variance, lifts=lifts, **told)
        past = None
    when = schedule(measure_every, solver.distance)
    return Run(
        work, _until(until, solver), past=past, schedule=when, checkpoint=options["checkpoint"],
        every=options["every"], log=options["log"], progress=options["progress"], trains=solver.trains_average,
    )  # fmt: skip


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
    """Return a profile to begin from, at the free sets where some are locked; on public trees, a strategy there."""
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
    """Return the solver of a checkpoint; refuse what says something else than it does."""
    _, wanted = split_method(method)
    defaults = saved.kind.parameter_defaults()
    changes = {key: fitting(defaults.get(key), value) for key, value in {**wanted, **given}.items()}
    if "seed" in changes and "seed" not in defaults:
        changes.pop("seed")
    if locks:
        base = saved.game() if game is None else load(game)
        game = lock(base.base if isinstance(base, Locked) else base, locks)
    return saved.solver(game, trust, **changes)


def _until(until: Limits, solver: Solver) -> Limits:
    """Return the limits; where none was given, those that are usual for the method."""
    if until != DEFAULT:
        return until
    if solver.usual_gap is not None:
        return replace(until, gap=solver.usual_gap)
    return until if solver.usual_iterations is None else Limits(iterations=solver.usual_iterations)


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
    method: Method,
    updates: Updates | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    at_once: bool = False,
) -> tuple[Solver, str]:
    """Return a solver for a method's address or class, and why it was chosen; a solver is returned as it is.

    With `at_once`, auto may choose a method that gives the answer in one iteration.
    """
    options = {**(parameters or {}), **({} if updates is None else {"updates": updates})}
    if isinstance(method, Solver):
        return _given_solver(game, method, options), ""
    name, given = split_method(method)
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
            raise UnknownNameError(f"{kind.method} has no parameter {shown(parameter)}{nearest(parameter, known)}")
    if "seed" in known:
        given["seed"] = seed
    wanted = {key: fitting(known[key], value) for key, value in given.items()}
    with ending_well(f"{kind.method} on {getattr(game, 'address', 'this game')}"):
        return kind(game, **wanted) if kind.home() is None else make(kind, game, wanted), why


def _given_solver(game: Game, solver: Solver, parameters: Mapping[str, Any]) -> Solver:
    """Return a solver that the caller made, if it is one of this game and nothing else is wanted of it."""
    for name in parameters:
        raise ParameterError(f"{name} comes too late: {solver!r} was made already; give its class instead of it")
    locked = isinstance(game, Locked) or isinstance(solver.game, Locked)
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
    """Return the first name that no method knows and that is like one of `own`, with that one.

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
    """Convert a value to its parameter's type: 1e9 becomes an int where one is wanted, none a word where one is."""
    if isinstance(default, str):
        return "none" if value is None else value
    whole_number = default is None or (isinstance(default, int) and not isinstance(default, bool))
    return int(value) if whole_number and isinstance(value, float) and value.is_integer() else value


def fits_lp(game: Game, given: Mapping[str, Any]) -> bool:
    """Say whether the linear program is small, and takes all parameters that were given."""
    form = game.formed().form
    if (
        isinstance(form, PublicForm)
        or not form.competitive
        or sum(plex.sequences for plex in form.treeplexes) > LP_SEQUENCES
    ):
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
    if isinstance(form := game.formed().form, PublicForm):
        return (
            "dcfr",
            {"updates": "alternating", "gamma": 4.0},
            f"public play with {form.types[0]} and {form.types[1]} private types: discounted CFR with weights t⁴ "
            "usually needs the fewest iterations",
        )
    if form.competitive:
        return (
            "pdcfr+",
            {"updates": "alternating"},
            "two players with opposed interests: predictive discounted CFR+ usually needs the fewest iterations",
        )
    kind = "general-sum" if game.players == 2 else "one player" if game.players == 1 else f"{game.players} players"
    return (
        "cfr",
        {"updates": "simultaneous"},
        f"{kind}: with simultaneous updates CFR's average play is proven to approach a coarse correlated equilibrium; "
        f"{_nash_offer(game.expanded())}",
    )


def _nash_offer(game: ExpandedGame) -> str:
    """Say what finds a Nash equilibrium of a game that no method of `solve` is proven to find."""
    if prod(plan_counts(game)) <= MOST_CELLS:
        return "the game is small, so `hannan equilibria` finds a Nash equilibrium with a proof"
    return "`hannan equilibria` looks for a Nash equilibrium"
