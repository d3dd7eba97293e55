"""Nash equilibria of a game: choosing a method, driving it to its end or to a limit, and describing what it finds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypedDict, Unpack

from hannan.arguments import Option, positive, settled, shown, whole
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.interrupts import Halted, interrupts, patience
from hannan.measures.equilibrium import Equilibrium, of_plans, of_sequences
from hannan.memory import ending_well
from hannan.options import declaring
from hannan.runs.progress import Progress
from hannan.runs.status_line import Watcher, check_watcher, watcher
from hannan.solvers.exact.normalform import NormalForm, normal_form
from hannan.solvers.general.cells import exact_cells
from hannan.solvers.general.components import Component, components
from hannan.solvers.general.methods import method_named
from hannan.solvers.general.point import Ending, Point, Points

AUTO = "auto"
Stop = Literal["exact", "decided", "seconds", "interrupted"]
OwnMethod = Callable[[NormalForm], Points]
"""A method of the caller's own: a generator of points of a normal form (`hannan.solvers.general.point`)."""

UNFINISHED = {
    "decided": "the method was stopped because it had found the number of equilibria that was asked for",
    "seconds": "the time was up before the method had ended",
    "interrupted": "the method was interrupted",
}
"""Why a list is not complete if the method did not end by itself."""


class EquilibriaOptions(TypedDict, total=False):
    """The options of `equilibria`."""

    all: Annotated[bool, Option("Find every equilibrium. Default: the first one.", False)]
    max: Annotated[
        int | None,
        Option("Stop after this many equilibria. Default: 1, or no limit with `all`.", check=whole),
    ]
    seconds: Annotated[float | None, Option("Stop after this many seconds.", check=positive)]
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
    """How many connected components the equilibria form; None if the list is not complete."""
    equilibria: tuple[Equilibrium, ...]

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
        Option("A method that docs/equilibria.md lists, or auto. In Python also a generator function of your own."),
    ] = AUTO,
    **options: Unpack[EquilibriaOptions],
) -> Equilibria:
    """Find Nash equilibria of a small game, and prove each of them.

    The list says whether it is complete, and why. Ctrl-C, or a limit, returns the equilibria that are known by then.
    """
    chosen = settled("equilibria", EquilibriaOptions, options, "game", "method")
    check_watcher(chosen["progress"])
    loaded = load_expanded(game)
    most = chosen["max"] if chosen["max"] is not None else None if chosen["all"] else 1
    with ending_well(f"the equilibria of {loaded.address}"):
        name, form, points = _begun(loaded, method, chosen["all"])
        known, ending, stop, seconds = gathered(points, most, chosen["seconds"], chosen["progress"])
        complete, why = (False, UNFINISHED[stop]) if ending is None else (ending.complete, ending.why)
        parts = _components(form, known) if complete and form is not None else None
        described = _described(loaded, form, known, parts)
    return Equilibria(
        loaded.address, name, complete, why, seconds, stop, None if parts is None else len(parts), described
    )


def _begun(game: ExpandedGame, method: str | OwnMethod, every: bool) -> tuple[str, NormalForm | None, Points]:
    """Return the name of the method, the normal form if it works on one, and its points to come."""
    if callable(method):
        form = normal_form(game)
        return getattr(method, "__name__", type(method).__name__), form, method(form)
    if not isinstance(method, str):
        raise ParameterError(f"method={shown(method)} should be the name of a method, or a generator function")
    name = chosen_method(game, every) if method == AUTO else method
    wanted = method_named(name)
    if wanted.players not in (None, game.players):
        raise UnsuitableError(
            f"{name} finds equilibria of {wanted.players} players, and {game.address} has {game.players}; "
            f"method 'auto' chooses one that suits the game"
        )
    if wanted.space == "sequences":
        return name, None, wanted.find(game)
    form = normal_form(game)
    return name, form, wanted.find(form)


def chosen_method(game: ExpandedGame, every: bool) -> str:
    """Choose a method by the number of players, by the size of the normal form, and by what is wanted."""
    if game.players == 2:
        return "vertices" if every else "lemke-howson"
    return "pure"


def gathered(
    points: Points, most: int | None, seconds: float | None, progress: bool | Watcher | None = None
) -> tuple[list[Point], Ending | None, Stop, float]:
    """Take points as they come, until the method ends, there are `most`, the time is up or Ctrl-C is pressed.

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
    """Return everything that is known of each point."""
    if form is None:
        return tuple(of_sequences(game, point) for point in known)
    cells = exact_cells(form)
    component = {k: number for number, part in enumerate(parts or ()) for k in part.extreme}
    index = {k: part.index for part in parts or () for k in part.extreme}
    return tuple(
        of_plans(form, cells, replace(point, index=index.get(k, point.index)), component.get(k))
        for k, point in enumerate(known)
    )
