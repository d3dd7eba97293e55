"""The command `solve`."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from hannan import report
from hannan.checkpoint import resume
from hannan.cli import print_json
from hannan.errors import FileError, MismatchError, ParameterError, RulesError
from hannan.game import Game, load
from hannan.games.catalogue import parse
from hannan.locking import LockedGame, Locks
from hannan.logfile import Log
from hannan.plot import check_target, convergence, rows_for
from hannan.profile import Profile
from hannan.result import Result
from hannan.solve import limits, make_solver, run, sampler_of, split_method
from hannan.solvers.base import Solver
from hannan.strategyfile import read, save


@dataclass(frozen=True)
class Request:
    """What `hannan solve` was asked to do."""

    game: str
    method: str
    updates: Literal["alternating", "simultaneous"] | None
    gap: float | None
    iterations: int | None
    seconds: float | None
    seed: int
    out: Path | None
    plot: Path | None
    log: Path | None
    start: Path | None
    lock: Path | None
    variance: int | None
    checkpoint: Path | None
    every: float
    resume: Path | None
    parameters: Mapping[str, str]


def solve_command(request: Request, as_json: bool) -> None:
    """Solve, show progress, print the result, save what was asked for."""
    until = limits(request.gap, request.iterations, request.seconds)
    _check_targets(request)
    base = load(request.game)
    game = LockedGame(base, read_locks(request.lock)) if request.lock is not None else base
    solver, why = _solver(request, game)
    sampler_of(solver, request.variance)
    if why:
        report.note(f"method {solver.method}: {why}")
    with ExitStack() as stack:
        progress = stack.enter_context(report.live_line())
        log = None
        if request.log is not None:
            heading = {"game": game.address, "method": solver.method, "parameters": solver.parameters}
            log = stack.enter_context(Log(request.log, heading, append=request.resume is not None))
        keep = _keeper(solver, request)
        try:
            result = run(
                solver, until, seed=request.seed, variance=request.variance, progress=progress, why=why, keep=keep,
                log=log,
            )  # fmt: skip
        except RulesError:  # in the middle of a play: the solver stands where it was before
            if request.checkpoint is not None:
                solver.save(request.checkpoint)
            raise
    if isinstance(game, LockedGame):
        result = replace(result, found=game.lift(result.profile))
    if as_json:
        print_json(result.record())
    else:
        _show(result, game)
    if result.note:
        report.note(result.note)
    _write(request, solver, result)
    if as_json:
        return
    for what in ("out", "plot", "log", "checkpoint"):
        if (path := getattr(request, what)) is not None:
            report.console().print(f"{'strategy' if what == 'out' else what} written to {path}")


def _write(request: Request, solver: Solver, result: Result) -> None:
    """Write what was asked for; by now the result has been shown, and is not lost if this fails."""
    if request.checkpoint is not None:
        solver.save(request.checkpoint)
    if request.out is not None:
        if isinstance(result.found, Profile):
            save(result.found, request.out)
        else:
            result.found.save(request.out)
    if request.plot is not None:
        curve = result.curve
        convergence(request.plot, {result.method: curve}, result.game, result.gap_name, rows=rows_for(curve))


def _check_targets(request: Request) -> None:
    """Refuse before the work what could not be written after it."""
    if request.plot is not None:
        check_target(request.plot)
    targets = [path for path in (request.out, request.log, request.checkpoint, request.plot) if path is not None]
    for path in targets:
        check_folder(path)
    if len({path.resolve() for path in targets}) < len(targets):
        raise ParameterError("two of --out, --log, --checkpoint and --plot name the same file")
    if not request.every >= 0:
        raise ParameterError(f"every={request.every!r} should be a number of seconds, 0 or more")


def check_folder(path: Path) -> None:
    """Refuse a file that cannot be written: its folder does not exist or takes no files, or it is a folder itself."""
    if not path.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.is_dir():
        raise FileError(f"{path} cannot be written: it is a folder")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}") from error


def _solver(request: Request, game: Game) -> tuple[Solver, str]:
    if request.resume is not None:
        if request.start is not None:
            raise ParameterError("--start and --resume exclude each other")
        return _resumed(request, game), ""
    given = {name: _literal(name, text) for name, text in _named(request.parameters).items()}
    solver, why = make_solver(game, request.method, request.updates, {"seed": request.seed, **given})
    if request.start is not None:
        base = game.base if isinstance(game, LockedGame) else game
        start = read(request.start, base)
        solver.warm_start(game.project(start) if isinstance(game, LockedGame) else start)
    return solver, why


def _resumed(request: Request, game: Game) -> Solver:
    """Return the solver of a checkpoint; refuse options that say something else than it does."""
    solver = resume(request.resume or "", game)
    method, given = split_method(solver.method if request.method == "auto" else request.method)
    if method != solver.method:
        raise MismatchError(f"{request.resume} is a checkpoint of {solver.method}, not of {method}")
    given |= {name: _literal(name, text) for name, text in _named(request.parameters).items()}
    if request.updates is not None:
        given["updates"] = request.updates
    for name, raw in given.items():
        value = solver.described(name, raw)
        if solver.parameters.get(name) != value:
            kept = f"{name}={solver.parameters[name]!r}" if name in solver.parameters else f"no {name}"
            raise MismatchError(f"{request.resume} was made with {kept}, not with {name}={value!r}")
    return solver


def _named(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return parameters under the names that Python knows: memory_limit for --memory-limit."""
    return {name.replace("-", "_"): text for name, text in parameters.items()}


def _literal(name: str, text: str) -> Any:
    """Read the value of a method's parameter as an address would."""
    try:
        return parse(f"method({name}={text})")[1][name]
    except ParameterError:
        return text


def _keeper(solver: Solver, request: Request) -> Callable[[], None] | None:
    """Return what saves the solver when it is time to."""
    path = request.checkpoint
    if path is None:
        return None
    due = time.monotonic() + request.every

    def keep() -> None:
        nonlocal due
        if time.monotonic() >= due:
            solver.save(path)
            due = time.monotonic() + request.every

    return keep


def read_locks(path: Path) -> Locks:
    """Read locks from a JSON file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {int(player): dict(sets) for player, sets in found.items()}
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, AttributeError, TypeError) as error:
        form = '{"0": {"set name": {"action": probability}}}'
        raise FileError(f"{path} is not a file of locks, which looks like {form} ({error})") from error


def _show(result: Result, game: Game) -> None:
    stops = {
        "gap": "the gap was reached",
        "iterations": "all iterations done",
        "seconds": "time was up",
        "interrupted": "interrupted",
        "exact": "solved exactly",
        "memory": "the memory limit was reached",
    }
    rows: dict[str, Any] = {
        "method": f"{result.method}, {result.updates} updates" if result.updates else result.method,
        "stopped": f"{stops[result.stop]}, after {result.iterations:,} iterations in {report.duration(result.seconds)}",
    }
    spread: dict[str, Any] = {}
    if result.variance is not None:
        spread = {"variance of the estimates": result.variance, "variance given the visit": result.given_visit}
    if not isinstance(result.found, Profile):
        rows["values, estimated"] = result.values
        rows["give or take (95 %)"] = result.half_widths
        rows |= {"information sets visited": result.found.sets, **spread}
        report.facts(f"{result.game}: too large to measure a gap", rows)
        return
    rows |= {
        "values": result.values,
        "gains": result.gains,
        "NashConv": result.nash_conv,
        "exploitability": result.exploitability,
    }
    if result.cce_gap is not None:
        rows["CCE gap"] = result.cce_gap
    if game.known_value is not None:
        rows["known value"] = game.known_value
    rows |= spread
    report.facts(f"{result.game}: {result.gap_name} {result.gap:.3g}", rows)
