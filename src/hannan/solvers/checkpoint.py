"""Reading a solver that was saved in the middle of its work, to go on from there to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hannan import arguments
from hannan.arguments import check_trust
from hannan.errors import FileError, MismatchError, ParameterError
from hannan.files import read_arrays, understanding
from hannan.forms.game import PlayedGame
from hannan.forms.loader import Loadable
from hannan.forms.trust import Trust, agree
from hannan.memory import ending_well
from hannan.solvers import method_class
from hannan.solvers.base import CHECKPOINT, FormSolver, Solver
from hannan.strategies.files import game_for

RESUMABLE = "a checkpoint that this hannan can continue"

MOST_ITERATIONS = 2**53
"""Up to here a float64 counts them one by one."""


@ending_well("what the checkpoint holds")
def resume(path: str | PathLike[str], game: Loadable | None = None, *, trust: Trust = False, **changes: Any) -> Solver:
    """Return the solver that was saved. `game` is needed for a game that is not built in.

    An `evaluation` that the checkpoint names as `file.py:function` is code: give it again, or agree to run it with
    `trust=True`. Of its parameters, those may be given anew that change nothing in the numbers (`Solver.changeable`),
    such as a sampler's `memory_limit`: with a larger one, a run that had filled its memory goes on.
    """
    check_trust(trust)
    return Checkpoint.read(path).solver(game, trust, **changes)


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
        method = self.facts.get("method")
        if not isinstance(method, str):
            raise FileError(f"{self.path} is not {RESUMABLE} (it names no method)")
        return method_class(method)

    @property
    def iterations(self) -> int:
        """How many iterations were done."""
        try:
            return arguments.whole("iterations", self.facts.get("iterations"), 0, MOST_ITERATIONS)
        except ParameterError as error:
            raise FileError(f"{self.path} is not {RESUMABLE} ({error})") from error

    def game(self, game: Loadable | None = None) -> PlayedGame:
        """Return the game that was solved, its locks included; `game` is needed where it is not built in."""
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
        """Refuse parameters that say something else than the file does, and would change the numbers.

        The file's own word on `places`, which the caller's took the place of, is given.
        """
        for name, value in changes.items():
            wanted = solver.parameters[name] if name in places else solver.described(name, value)
            if name not in solver.parameters:
                raise MismatchError(f"{self.path} was made with no {name}, not with {name}={arguments.shown(wanted)}")
            made = places.get(name, solver.parameters[name])
            if made != wanted:
                may = f"; what may change is {', '.join(solver.changeable)}" if solver.changeable else ""
                raise MismatchError(
                    f"{self.path} was made with {name}={arguments.shown(made)}, not with "
                    f"{name}={arguments.shown(wanted)}{may}"
                )
