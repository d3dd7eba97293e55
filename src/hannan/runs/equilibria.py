"""Nash equilibria of a game: choosing a method, driving it to its end or to a limit, and describing what it finds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import prod
from typing import Annotated, Any, Literal, TypedDict, Unpack

from hannan.arguments import Option, positive, settled, shown, whole
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.interrupts import Halted, interrupts, patience
from hannan.measures.equilibrium import Equilibrium, of_plans, of_sequences, simultaneous, with_refinements
from hannan.memory import ending_well
from hannan.options import declaring
from hannan.runs.progress import Progress
from hannan.runs.run import PathTo
from hannan.runs.status_line import Watcher, check_watcher, watcher
from hannan.solvers.exact.normalform import MOST_CELLS, NormalForm, normal_form, plan_counts
from hannan.solvers.general.cells import exact_cells
from hannan.solvers.general.components import Component, components
from hannan.solvers.general.first import first
from hannan.solvers.general.lemke import MOST_ROWS, tableau_rows
from hannan.solvers.general.methods import METHODS, method_named
from hannan.solvers.general.point import Ending, Point, Points
from hannan.solvers.general.polynomial import all_supports
from hannan.solvers.general.prooffiles import equilibria_record, write_equilibria
from hannan.solvers.general.proofs import prove
from hannan.solvers.general.refinements import check_judged
from hannan.solvers.general.subgames import subgame_perfect

AUTO = "auto"
Stop = Literal["exact", "decided", "seconds", "interrupted"]
OwnMethod = Callable[[NormalForm], Points]
"""A method of the caller's own: a generator of points of a normal form (`hannan.solvers.general.point`)."""

FEW_CELLS = 10_000
"""The most combinations of plans of a tree for which one equilibrium is looked for in the normal form."""

UNFINISHED = {
    "decided": "no more equilibria were asked for",
    "seconds": "the time was up before the method had ended",
    "interrupted": "the method was interrupted",
}
"""Why a list is not complete if the method did not end by itself."""

PARTIAL = {"subgame-perfect": "equilibria that are not subgame-perfect were not looked for"}
"""Why the list of a method is not complete if it finds all equilibria of one kind only."""


class EquilibriaOptions(TypedDict, total=False):
    """The options of `equilibria`."""

    all: Annotated[bool, Option("Find every equilibrium. Default: the first one.", False)]
    max: Annotated[
        int | None,
        Option("Stop after this many equilibria. Default: 1, or no limit with `all`.", check=whole),
    ]
    seconds: Annotated[float | None, Option("Stop after this many seconds.", check=positive)]
    refinements: Annotated[
        bool, Option("Report which refinements each equilibrium satisfies, such as proper or sequential.", False)
    ]
    progress: Annotated[
        bool | Watcher | None,
        Option("True shows a line on a terminal. A function is called with a `Progress`.", python_only=True),
    ]


@dataclass(frozen=True, eq=False)
class Equilibria:
    """The Nash equilibria that a method found, each with its proof, and whether these are all."""

    game: str
    method: str
    complete: bool
    """Whether the list is complete: every isolated equilibrium, and every extreme one of each component."""
    why: str
    """Why the list is complete, or why it need not be."""
    seconds: float
    stop: Stop
    components: int | None
    """The number of connected components of the equilibria; None if the list is not complete."""
    equilibria: tuple[Equilibrium, ...]
    points: tuple[Point, ...] = field(repr=False)
    """The equilibria as the method found them."""
    ending: Ending = field(repr=False)
    view: NormalForm | ExpandedGame = field(repr=False)
    """The form on which the method worked: the normal form, or the tree."""

    def save(self, path: PathTo) -> None:
        """Write the equilibria with their proofs to a file that `hannan verify` checks."""
        write_equilibria(path, equilibria_record(self.view, self.points, self.ending))

    def __len__(self) -> int:
        return len(self.equilibria)

    def __getitem__(self, number: int) -> Equilibrium:
        return self.equilibria[number]

    def __repr__(self) -> str:
        whole = "complete" if self.complete else "not complete"
        return f"Equilibria({self.game} by {self.method}: {len(self)} found, {whole}, in {self.seconds:.3g} s)"

    def record(self) -> dict[str, Any]:
        """Return everything as one object that JSON can hold."""
        return {
            "game": self.game, "method": self.method, "complete": self.complete, "why": self.why,
            "seconds": self.seconds, "stop": self.stop, "components": self.components,
            "equilibria": [one.record() for one in self.equilibria],
        }  # fmt: skip

    def _repr_html_(self) -> str:
        from hannan.markup import facts, grid, page

        heads = ("payoffs", "strategies", "proof", "strict", "isolated", "component", "index")
        rows = [
            (one.payoffs, str(one.strategies()), one.proof, one.strict, one.isolated, one.component, one.index)
            for one in self.equilibria
        ]
        told = {name: fact for name, fact in self.record().items() if name != "equilibria"}
        return page(self.game, facts(told), grid(heads, rows))


@declaring(EquilibriaOptions)
def equilibria(
    game: Annotated[
        Loadable,
        Option("The game: an address such as kuhn_poker, file.nfg, file.efg or file.py:MyRules. It must be small."),
    ],
    method: Annotated[
        str | OwnMethod,
        Option(
            f"auto, or one of {', '.join(METHODS)} (docs/howto/equilibria.md). "
            "In Python also a generator function of your own."
        ),
    ] = AUTO,
    **options: Unpack[EquilibriaOptions],
) -> Equilibria:
    """Find Nash equilibria of a small game, and prove each of them.

    The list says whether it is complete, and why. If Ctrl-C or a limit ends the search, the list has the equilibria
    found until then. The command `hannan equilibria` has the same options (docs/reference/options.md).

    Returns
    -------
    Equilibria
        A sequence of `Equilibrium`, each with its `profile`, `payoffs` and proof. `complete` says whether there are no
        others.

    Raises
    ------
    UnknownNameError
        If the game or the method does not exist.
    UnsuitableError
        If the method does not apply to the game.
    SizeError
        If the game is too large for the method.

    Examples
    --------
    >>> import hannan as hn
    >>> found = hn.equilibria("matching_pennies", all=True)
    >>> len(found), found.complete
    (1, True)
    >>> found[0].profile.at(0, 0)
    {'heads': 0.5, 'tails': 0.5}
    """
    chosen = settled("equilibria", EquilibriaOptions, options, "game", "method")
    check_watcher(chosen["progress"])
    loaded = load_expanded(game)
    if chosen["refinements"]:
        check_judged(loaded)
    most = chosen["max"] if chosen["max"] is not None else None if chosen["all"] else 1
    with ending_well(f"the equilibria of {loaded.address}"):
        name, form, points = _begun(loaded, method, chosen["all"] or most != 1)
        points = _proven(loaded if form is None else form, points)
        known, natural, stop, seconds = gathered(points, most, chosen["seconds"], chosen["progress"])
        ending = Ending(False, UNFINISHED[stop]) if natural is None else natural
        if ending.complete and name in PARTIAL:
            ending = Ending(False, f"{ending.why}; {PARTIAL[name]}")
        with _as_long_again(chosen["seconds"]):
            parts = None
            with suppress(Halted):
                parts = _components(form, known) if ending.complete and form is not None else None
            described = _described(loaded, form, known, parts)
            if chosen["refinements"]:
                described = _judged(form, known, described)
    return Equilibria(
        loaded.address, name, ending.complete, ending.why, seconds, stop, None if parts is None else len(parts),
        described, tuple(known), ending, loaded if form is None else form,
    )  # fmt: skip


def _begun(game: ExpandedGame, method: str | OwnMethod, every: bool) -> tuple[str, NormalForm | None, Points]:
    """Return the name of the method, the normal form if it works on one, and its points to come."""
    if callable(method):
        form = normal_form(game)
        return getattr(method, "__name__", type(method).__name__), form, method(form)
    if not isinstance(method, str):
        raise ParameterError(f"method={shown(method)} should be the name of a method, or a generator function")
    name = chosen_method(game, every) if method == AUTO else method
    wanted = method_named(name)
    if name == "subgame-perfect":
        return name, None, subgame_perfect(game, _of_one_game)
    if wanted.players not in (None, game.players):
        raise UnsuitableError(
            f"{name} finds equilibria of {wanted.players} players, and {game.address} has {game.players}; "
            f"method 'auto' chooses one that suits the game"
        )
    if wanted.space == "sequences" or (wanted.space == "any" and not _few_plans(game)):
        return name, None, wanted.find(game)
    form = normal_form(game)
    return name, form, _by_supports(form, every) if name == "polynomial" else wanted.find(form)


def _by_supports(form: NormalForm, every: bool) -> Points:
    """Search support by support. If that finds nothing, such as when equilibria form a continuum, look for one."""
    ending, found = None, False
    points = all_supports(form, complete=every)
    while ending is None:
        try:
            yield next(points)
            found = True
        except StopIteration as end:
            ending = end.value
    if not found and not ending.complete:
        yield from first(form)
    return ending


def chosen_method(game: ExpandedGame, every: bool) -> str:
    """Choose a method by the number of players, the size of the normal form, and whether all are wanted."""
    if _few_plans(game) or (every and _lists_plans(game)):
        if game.players == 2:
            return "vertices" if every else "lemke-howson"
        return "polynomial" if every else "first"
    if game.form.competitive:
        return "lp"
    return "lemke" if game.players == 2 and tableau_rows(game) <= MOST_ROWS else "first"


def _few_plans(game: ExpandedGame) -> bool:
    """Return whether one equilibrium is best found in the normal form: players choose once, or the form is small."""
    return (simultaneous(game) and _lists_plans(game)) or prod(plan_counts(game)) <= FEW_CELLS


def _lists_plans(game: ExpandedGame) -> bool:
    """Return whether the normal form is small enough to work with."""
    return prod(plan_counts(game)) <= MOST_CELLS


def _of_one_game(game: ExpandedGame) -> Points:
    """Find equilibria of a game without smaller subgames: all of a small one, else the first one."""
    _, form, points = _begun(game, AUTO, _lists_plans(game))
    return (yield from _proven(game if form is None else form, points))


def _proven(view: NormalForm | ExpandedGame, points: Points) -> Points:
    """Prove every point that its method did not prove."""
    cells = exact_cells(view) if isinstance(view, NormalForm) else None
    while True:
        try:
            point = next(points)
        except StopIteration as end:
            ending: Ending = end.value
            return ending
        known = point.fractions is not None or point.radius is not None
        yield point if known else replace(prove(view, point.strategies, cells), behaviour=point.behaviour)


def gathered(
    points: Points, most: int | None, seconds: float | None, progress: bool | Watcher | None = None
) -> tuple[list[Point], Ending | None, Stop, float]:
    """Collect points until the method ends, there are `most`, the time is up or Ctrl-C is pressed.

    Returns the points, how the method ended (None: it did not), why the work stopped, and the seconds that it took.
    """
    known: list[Point] = []
    begun = time.perf_counter()
    with interrupts(1) as presses, watcher(progress) as show:

        def enough() -> bool:
            spent = time.perf_counter() - begun
            if show is not None:
                left = None if seconds is None else max(seconds - spent, 0.0)
                show(Progress(len(known), spent, None, 0.0, left, f"{len(known):,} equilibria", True))
            return presses() > 0 or (seconds is not None and spent >= seconds)

        ending: Ending | None = None
        stop: Stop = "decided"
        with patience(enough):
            try:
                while most is None or len(known) < most:
                    known.append(next(points))
            except StopIteration as end:
                ending, stop = end.value, "exact"
            except Halted:
                stop = "interrupted" if presses() > 0 else "seconds"
            finally:
                points.close()
    return known, ending, stop, time.perf_counter() - begun


@contextmanager
def _as_long_again(seconds: float | None) -> Iterator[None]:
    """Halt work on the equilibria that were found at Ctrl-C, or after as many seconds as the search may take."""
    begun = time.perf_counter()
    with interrupts(1) as presses:

        def enough() -> bool:
            return presses() > 0 or (seconds is not None and time.perf_counter() - begun >= seconds)

        with patience(enough):
            yield


def _judged(form: NormalForm | None, known: list[Point], described: tuple[Equilibrium, ...]) -> tuple[Equilibrium, ...]:
    """Add which refinements each equilibrium satisfies, until the work is halted."""
    judged: list[Equilibrium] = []
    with suppress(Halted):
        for point, one in zip(known, described, strict=True):
            judged.append(with_refinements(form, point, one))
    return (*judged, *described[len(judged) :])


def _components(form: NormalForm, known: list[Point]) -> tuple[Component, ...] | None:
    """Return the connected components of a complete list; None if they are not known."""
    exact = [point.fractions for point in known if point.fractions is not None]
    if form.players == 2 and len(exact) == len(known):
        return components(form, exact)
    if all(point.isolated for point in known):
        return tuple(Component((k,), ((k,),), point.index) for k, point in enumerate(known))
    return None


def _described(
    game: ExpandedGame, form: NormalForm | None, known: list[Point], parts: tuple[Component, ...] | None
) -> tuple[Equilibrium, ...]:
    """Return the full description of each point."""
    if form is None:
        return tuple(of_sequences(game, point) for point in known)
    cells = exact_cells(form)
    component = {k: number for number, part in enumerate(parts or ()) for k in part.extreme}
    index = {k: part.index for part in parts or () for k in part.extreme}
    return tuple(
        of_plans(form, cells, replace(point, index=index.get(k, point.index)), component.get(k))
        for k, point in enumerate(known)
    )
