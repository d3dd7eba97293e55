"""Saving a solver in the middle of its work, and going on from there to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from os import PathLike
from typing import Any

from hannan.errors import FileError, MismatchError
from hannan.files import read_arrays, write_arrays
from hannan.forms.game import ExpandedGame
from hannan.forms.loading import Loadable
from hannan.runs.progress import Point
from hannan.solvers import method_class
from hannan.solvers.base import Solver
from hannan.strategies.files import game_facts, game_for

KIND = "checkpoint"


def write(solver: Solver, path: str | PathLike[str]) -> None:
    """Write the whole state of a solver."""
    facts = {
        **game_facts(solver.game, hashed=isinstance(solver.game, ExpandedGame)),
        "method": solver.method,
        "method_parameters": solver.parameters,
        "iterations": solver.iterations,
        "seconds": solver.seconds,
        "curve": [astuple(point) for point in solver.curve],
    }
    write_arrays(path, KIND, solver.state(), facts)


def resume(path: str | PathLike[str], game: Loadable | None = None, **changes: Any) -> Solver:
    """Return the solver that was saved. `game` is needed for a game that is not built in.

    Of its parameters, those may be given anew that change nothing in the numbers (`Solver.changeable`), such as a
    sampler's `memory_limit`: with a larger one, a run that had filled its memory goes on.
    """
    return Checkpoint.read(path).solver(game, **changes)


@dataclass(frozen=True)
class Checkpoint:
    """A file that was read: whose state it holds, and the state."""

    path: str | PathLike[str]
    arrays: Mapping[str, Any]
    facts: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Checkpoint:
        """Read a file, without a look at what is in the state."""
        arrays, facts = read_arrays(path, KIND)
        return cls(path, arrays, facts)

    @property
    def kind(self) -> type[Solver]:
        """The class of the solver that was saved."""
        try:
            if not isinstance(self.facts["method"], str) or not int(self.facts["iterations"]) >= 0:
                raise ValueError("its record makes no sense")
        except (KeyError, TypeError, ValueError) as error:
            raise self._useless(error) from error
        return method_class(self.facts["method"])

    def solver(self, game: Loadable | None = None, **changes: Any) -> Solver:
        """Return the solver; see `resume`."""
        found, kind = game_for(self.path, dict(self.facts), game), self.kind
        try:
            kept = self.facts["method_parameters"]
            new = {name: value for name, value in changes.items() if name in kind.changeable and name in kept}
            solver = kind(found, **{**kept, **new})
            self._compare(solver, changes)
            if not solver.accepts(self.arrays):
                raise FileError(f"{self.path} does not hold the state of {kind.method} on {found.address}")
            solver.restore(int(self.facts["iterations"]), self.arrays)
            solver.seconds = float(self.facts["seconds"])
            solver.curve = [Point(*point) for point in self.facts["curve"]]
        except (KeyError, TypeError, ValueError) as error:
            raise self._useless(error) from error
        return solver

    def _compare(self, solver: Solver, changes: Mapping[str, Any]) -> None:
        """Refuse parameters that say something else than the file does, and would change the numbers."""
        for name, value in changes.items():
            wanted = solver.described(name, value)
            if name not in solver.parameters:
                raise MismatchError(f"{self.path} was made with no {name}, not with {name}={wanted!r}")
            if solver.parameters[name] != wanted:
                may = f"; what may change is {', '.join(solver.changeable)}" if solver.changeable else ""
                raise MismatchError(
                    f"{self.path} was made with {name}={solver.parameters[name]!r}, not with {name}={wanted!r}{may}"
                )

    def _useless(self, error: Exception) -> FileError:
        return FileError(f"{self.path} is not a checkpoint that this hannan can continue ({error})")
