"""Reading a solver that was saved in the middle of its work, to go on from there to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hannan.errors import FileError, MismatchError
from hannan.files import read_arrays
from hannan.forms.game import PlayedGame
from hannan.forms.loading import Loadable
from hannan.solvers import method_class
from hannan.solvers.base import CHECKPOINT, Solver
from hannan.strategies.files import game_for


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
        arrays, facts = read_arrays(path, CHECKPOINT)
        return cls(path, arrays, facts)

    @property
    def kind(self) -> type[Solver]:
        """The class of the solver that was saved."""
        try:
            if not isinstance(self.facts["method"], str) or not int(self.facts["iterations"]) >= 0:
                raise ValueError("its record makes no sense")
        except (KeyError, TypeError, ValueError) as error:
            raise self.useless(error) from error
        return method_class(self.facts["method"])

    def game(self, game: Loadable | None = None) -> PlayedGame:
        """Return the game that was solved, its locks included; `game` is needed where it is not built in."""
        return game_for(self.path, dict(self.facts), game)

    def solver(self, game: Loadable | None = None, **changes: Any) -> Solver:
        """Return the solver; see `resume`."""
        played, kind = self.game(game), self.kind
        try:
            kept = self.facts["method_parameters"]
            new = {name: value for name, value in changes.items() if name in kind.changeable and name in kept}
            solver = kind(played, **{**kept, **new})
            self._compare(solver, changes)
            if not solver.accepts(self.arrays):
                raise FileError(f"{self.path} does not hold the state of {kind.method} on {played.address}")
            solver.restore(int(self.facts["iterations"]), self.arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise self.useless(error) from error
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

    def useless(self, error: Exception) -> FileError:
        """Return the error that says that the file's record makes no sense."""
        return FileError(f"{self.path} is not a checkpoint that this hannan can continue ({error})")
