"""The command `solve`."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from hannan.cli import report
from hannan.cli.app import print_json
from hannan.errors import FileError, MismatchError, ParameterError, RulesError
from hannan.forms.game import Game, load
from hannan.games.catalogue import parse
from hannan.pictures.curves import check_target, convergence, rows_for
from hannan.runs.checkpoint import Checkpoint
from hannan.runs.choosing import choose, fitting, make_solver, split_method
from hannan.runs.log import Log
from hannan.runs.result import Result
from hannan.runs.solve import limits, run, sampler_of, unmeasured_gap
from hannan.solvers import method_class
from hannan.solvers.base import Solver
from hannan.strategies.files import read, save
from hannan.strategies.locks import LockedGame, Locks
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

RENAMED = {"from": "path"}
"""Options whose parameter has another name, because Python keeps theirs for itself."""


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
    if dropped := unmeasured_gap(solver, until):
        report.note(dropped)
    files = _Files(request, solver)
    with ExitStack() as stack:
        progress = stack.enter_context(report.live_line())
        log = None
        if request.log is not None:
            lasting = {name: value for name, value in solver.parameters.items() if name not in solver.changeable}
            heading = {"game": game.address, "method": solver.method, "parameters": lasting}
            log = stack.enter_context(Log(request.log, heading, append=request.resume is not None))
        keep = _keeper(solver, request)
        try:
            result = run(
                solver, until, seed=request.seed, variance=request.variance, progress=progress, why=why, keep=keep,
                log=log, estimating=files.estimating,
            )  # fmt: skip
        except RulesError:  # in the middle of a play: the solver stands where it was before
            files.checkpoint()
            raise
    if isinstance(game, LockedGame):
        result = replace(result, found=game.lift(result.profile))
    if as_json:
        print_json(result.record())
    else:
        _show(result, game)
    if note := result.note.removeprefix(dropped).removeprefix(". "):
        report.note(note)
    files.write(result)
    if as_json:
        return
    for what in ("out", "plot", "log", "checkpoint"):
        if (path := getattr(request, what)) is not None:
            report.console().print(f"{'strategy' if what == 'out' else what} written to {path}")


class _Files:
    """What a run leaves behind: its checkpoint, its strategies, its picture; nothing is written twice."""

    def __init__(self, request: Request, solver: Solver) -> None:
        self.request, self.solver = request, solver
        self.done: set[str] = set()

    def estimating(self, policy: Policy, plays: int) -> None:
        """Say what the pause is, and write what may be lost in it. What cannot be written now is tried again later."""
        report.note(f"estimating the values from {plays:,} plays for each player (Ctrl-C: from those made so far)")
        with suppress(FileError):
            self.checkpoint()
            self.strategy(policy)

    def write(self, result: Result) -> None:
        """Write what was asked for; by now the result has been shown, and is not lost if this fails."""
        self.checkpoint()
        self.strategy(result.found)
        if self.request.plot is not None:
            curve = result.curve
            convergence(self.request.plot, {result.method: curve}, result.game, result.gap_name, rows=rows_for(curve))

    def checkpoint(self) -> None:
        """Write the solver's state."""
        if self.request.checkpoint is not None and "checkpoint" not in self.done:
            self.solver.save(self.request.checkpoint)
            self.done.add("checkpoint")

    def strategy(self, found: Profile | Policy) -> None:
        """Write the strategies."""
        if self.request.out is None or "out" in self.done:
            return
        if isinstance(found, Profile):
            save(found, self.request.out)
        else:
            found.save(self.request.out)
        self.done.add("out")


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
    method = choose(game, None)[0] if request.method == "auto" else split_method(request.method)[0]
    given = _read(method_class(method), request.parameters)
    solver, why = make_solver(game, request.method, request.updates, {"seed": request.seed, **given})
    if request.start is not None:
        base = game.base if isinstance(game, LockedGame) else game
        start = read(request.start, base)
        solver.warm_start(game.project(start) if isinstance(game, LockedGame) else start)
    return solver, why


def _resumed(request: Request, game: Game) -> Solver:
    """Return the solver of a checkpoint; refuse options that say something else than it does."""
    found = Checkpoint.read(request.resume or "")
    method, given = split_method(found.kind.method if request.method == "auto" else request.method)
    if method != found.kind.method:
        raise MismatchError(f"{request.resume} is a checkpoint of {found.kind.method}, not of {method}")
    given |= _read(found.kind, request.parameters)
    if request.updates is not None:
        given["updates"] = request.updates
    return found.solver(game, **given)


def _read(kind: type[Solver], parameters: Mapping[str, str]) -> dict[str, Any]:
    """Read a method's parameters, under the names that Python knows: memory_limit for --memory-limit."""
    defaults = kind.parameter_defaults()
    named = {RENAMED.get(name, name.replace("-", "_")): text for name, text in parameters.items()}
    return {name: _literal(name, text, defaults.get(name)) for name, text in named.items()}


def _literal(name: str, text: str, default: Any) -> Any:
    """Read the value of a method's parameter as an address would; where the default is a word, it is a word."""
    if isinstance(default, str):
        return text
    try:
        return fitting(default, parse(f"method({name}={text})")[1][name])
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
    rows |= {name.replace("_", " "): fact for name, fact in result.findings.items()}
    if result.findings and not isinstance(result.found, Profile):
        rows |= {"values": result.values, "information sets in the strategy": result.found.sets}
        report.facts(f"{result.game}: searched", rows)
        return
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
