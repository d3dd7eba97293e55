"""Saving a solver in the middle of its work, and going on from there to the same bits."""

from __future__ import annotations

from dataclasses import astuple
from os import PathLike

from hannan.errors import FileError
from hannan.files import read_arrays, write_arrays
from hannan.game import Game
from hannan.progress import Point
from hannan.rules import Rules
from hannan.solvers import method_class
from hannan.solvers.base import Solver
from hannan.strategyfile import game_facts, game_for

KIND = "checkpoint"


def write(solver: Solver, path: str | PathLike[str]) -> None:
    """Write the whole state of a solver."""
    facts = {
        **game_facts(solver.game, hashed=solver.expanded),
        "method": solver.method,
        "method_parameters": solver.parameters,
        "iterations": solver.iterations,
        "seconds": solver.seconds,
        "curve": [astuple(point) for point in solver.curve],
    }
    write_arrays(path, KIND, solver.state(), facts)


def resume(path: str | PathLike[str], game: str | Rules | Game | None = None) -> Solver:
    """Return the solver that was saved. `game` is needed for a game that is not built in."""
    arrays, facts = read_arrays(path, KIND)
    found = game_for(path, facts, game)
    try:
        if not isinstance(facts["method"], str) or not int(facts["iterations"]) >= 0:
            raise ValueError("its record makes no sense")
        solver = method_class(facts["method"])(found, **facts["method_parameters"])
        wanted = solver.state()
        shapes = {name: array.shape for name, array in wanted.items()}
        if solver.expanded and shapes != {name: array.shape for name, array in arrays.items()}:
            raise FileError(f"{path} does not hold the state of {facts['method']} on {found.address}")
        solver.restore(int(facts["iterations"]), arrays)
        solver.seconds = float(facts["seconds"])
        solver.curve = [Point(*point) for point in facts["curve"]]
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{path} is not a checkpoint that this hannan can continue ({error})") from error
    return solver
