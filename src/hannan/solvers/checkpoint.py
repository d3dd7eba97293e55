"""Loading a saved solver, to continue its work to the same bits."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hannan import arguments
from hannan.arguments import check_trust, shown
from hannan.errors import FileError, MismatchError, ParameterError
from hannan.files import read_arrays, understanding
from hannan.forms.game import PlayedGame
from hannan.forms.loader import Loadable
from hannan.forms.trust import Trust, agree
from hannan.memory import ending_well
from hannan.packages import METHODS as BROUGHT
from hannan.packages import find
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import CHECKPOINT, FormSolver, Solver
from hannan.solvers.classes import own_class
from hannan.strategies.files import game_for

RESUMABLE = "a checkpoint that this hannan can continue"

MOST_ITERATIONS = 2**53
"""The most iterations: a float64 counts up to here one by one."""


@ending_well("what the checkpoint holds")
def resume(
    path: str | PathLike[str],
    game: Loadable | None = None,
    *,
    method: str | type[Solver] | None = None,
    trust: Trust = False,
    **changes: Any,
) -> Solver:
    """Load a solver from a checkpoint, to run more iterations by hand.

    `solve(resume=path)` continues the whole run instead, with its limits and measurements.

    Parameters
    ----------
    path : str or Path
        The checkpoint.
    game : whatever `load` takes, optional
        The game. It is needed if the game is not built in.
    method : str or class, optional
        The class of a method of your own, or `file.py:Class`. Such a class is code: it is needed unless `trust` agrees
        to import the class that the checkpoint names.
    trust : bool or function, default: False
        Whether to run code that the checkpoint names: the class of the method, or an `evaluation` such as
        `file.py:function` (docs/howto/trust.md).
    **changes : Any
        Parameters of the method that change no number (`Solver.changeable`), such as a sampler's `memory_limit`. A run
        that had filled its memory continues if the limit is larger.

    Returns
    -------
    Solver
        The solver, after the iterations of the checkpoint.

    Raises
    ------
    FileError
        If the file cannot be read or is not a checkpoint.
    MismatchError
        If the checkpoint belongs to another game or method.
    TrustError
        If the checkpoint names code that was neither given nor trusted.

    Examples
    --------
    >>> import hannan as hn
    >>> result = hn.solve("kuhn_poker", "cfr+", iterations=100, checkpoint="kuhn.checkpoint")
    >>> solver = hn.resume("kuhn.checkpoint")
    >>> solver.run(50)
    >>> solver
    CFRPlus(kuhn_poker, 150 iterations)
    """
    check_trust(trust)
    return Checkpoint.read(path, method, trust).solver(game, trust, **changes)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that was read: the solver's class, its facts and its state."""

    path: str | PathLike[str]
    arrays: Mapping[str, Any]
    facts: Mapping[str, Any]
    kind: type[Solver]
    """The class of the solver that was saved."""

    @classmethod
    def read(
        cls, path: str | PathLike[str], method: str | type[Solver] | None = None, trust: Trust = False
    ) -> Checkpoint:
        """Read a file, without checking its state.

        `method` is the method that the caller expects (None or `auto`: that of the file).
        """
        arrays, facts = read_arrays(path, CHECKPOINT)
        kind = _kind(path, facts, None if method == "auto" else method, trust)
        if isinstance(made := facts.get("source"), str) and made != kind.source():
            warnings.warn(
                f"the file of {kind.home()} has changed since {path} was written: the run continues with other code, "
                "and its numbers may be those of neither version",
                stacklevel=4,
            )
        return cls(path, arrays, facts, kind)

    @property
    def iterations(self) -> int:
        """The number of iterations that were done."""
        try:
            return arguments.whole("iterations", self.facts.get("iterations"), 0, MOST_ITERATIONS)
        except ParameterError as error:
            raise FileError(f"{self.path} is not {RESUMABLE} ({error})") from error

    def game(self, game: Loadable | None = None) -> PlayedGame:
        """Return the game that was solved, with its locks; `game` is needed if it is not built in."""
        room = sum(array.size for array in self.arrays.values()) if issubclass(self.kind, FormSolver) else None
        return game_for(self.path, self.facts, game, room)

    def solver(self, game: Loadable | None = None, trust: Trust = False, **changes: Any) -> Solver:
        """Return the solver; see `resume`."""
        kind, iterations, kept = self.kind, self.iterations, self.facts.get("method_parameters")
        known = kind.parameter_defaults()
        if isinstance(kept, dict):  # files of 0.1 have some old names
            kept = {name if name in known else arguments.RENAMED.get(name, name): value for name, value in kept.items()}
        if not isinstance(kept, dict) or not set(kept) <= set(known):
            raise FileError(f"{self.path} is not {RESUMABLE} (its method_parameters are not those of {kind.method})")
        places = {name for name, value in kept.items() if kind.names_a_place(name, value)}
        for name in sorted(places - set(changes)):
            agree(self.path, name, kept[name], trust)
        played = self.game(game)
        with understanding(self.path, RESUMABLE):
            new = {name: value for name, value in changes.items() if name in kind.changeable or name in places}
            said = {name: value for name, value in kept.items() if name not in kind.unkept}
            solver = kind(played, **{**said, **new})
            self._compare(solver, changes, {name: kept[name] for name in places})
            if not solver.accepts(self.arrays):
                raise FileError(f"{self.path} does not hold the state of {kind.method} on {played.address}")
            solver.restore(iterations, self.arrays)
        return solver

    def _compare(self, solver: Solver, changes: Mapping[str, Any], places: Mapping[str, Any]) -> None:
        """Refuse parameters that differ from those of the file and would change the numbers.

        `places` has the file's own values of parameters that the caller's values have replaced.
        """
        for name, value in changes.items():
            wanted = solver.parameters[name] if name in places else solver.described(name, value)
            if name not in solver.parameters:
                raise MismatchError(f"{self.path} was made with no {name}, not with {name}={shown(wanted)}")
            made = places.get(name, solver.parameters[name])
            if made != wanted:
                may = f"; what may change is {', '.join(solver.changeable)}" if solver.changeable else ""
                raise MismatchError(
                    f"{self.path} was made with {name}={shown(made)}, not with {name}={shown(wanted)}{may}"
                )


def _kind(
    path: str | PathLike[str], facts: Mapping[str, Any], method: str | type[Solver] | None, trust: Trust
) -> type[Solver]:
    """Return the class of the solver that a file holds: the caller's, an installed one or, with consent, the file's."""
    saved, home = facts.get("method"), facts.get("class")
    if not isinstance(saved, str):
        raise FileError(f"{path} is not {RESUMABLE} (it names no method)")
    if method is not None and method != saved:
        kind = method_class(method) if method in METHODS else own_class(method, METHODS)
        if kind.method != saved:
            raise MismatchError(f"{path} is a checkpoint of {saved}, not of {kind.method}")
        return kind
    if not isinstance(home, str):
        if saved not in METHODS:
            raise FileError(f"{path} is not {RESUMABLE} (it is of {shown(saved)}, and does not say where its class is)")
        return method_class(saved)
    package = find(BROUGHT, saved)
    if package is not None and package.entry.value == home:
        return method_class(saved)
    if home.startswith("__main__:"):
        raise MismatchError(
            f"{path} is of {saved}, a class {home.removeprefix('__main__:')} that was written into a script or at a "
            "prompt: give the class, as in hn.resume(path, method=MyCFR), or --method file.py:MyCFR"
        )
    agree(path, "method", home, trust)
    kind = own_class(home, METHODS)
    if kind.method != saved:
        raise MismatchError(f"{path} is a checkpoint of {saved}, and {home} is now {kind.method}")
    return kind
