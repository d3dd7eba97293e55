"""The commands that work on strategies: `solve` and `evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from hannan import report
from hannan.cli import print_json
from hannan.errors import FileError
from hannan.evaluate import evaluate
from hannan.game import Game, load
from hannan.plot import check_target, convergence
from hannan.profile import Profile, uniform
from hannan.solve import Result, limits, make_solver, run
from hannan.strategyfile import read, save


def solve_command(
    address: str,
    *,
    method: str,
    updates: Literal["alternating", "simultaneous"] | None,
    gap: float | None,
    iterations: int | None,
    seconds: float | None,
    seed: int,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Solve, show progress, print the result, save what was asked for."""
    until = limits(gap, iterations, seconds)
    if plot is not None:
        check_target(plot)
    if out is not None and not out.parent.is_dir():
        raise FileError(f"{out} cannot be written: there is no folder {out.parent}")
    game = load(address)
    solver, why = make_solver(game, method, updates)
    if why and not as_json:
        report.STDERR.print(f"method {solver.method}: {why}")
    with report.live_line() as progress:
        result = run(solver, until, seed=seed, progress=progress, why=why)
    if out is not None:
        save(result.profile, out)
    gap_name = "NashConv" if game.form.competitive else "CCE gap"
    if plot is not None:
        convergence(plot, {result.method: result.curve}, game.address, gap_name)
    if as_json:
        print_json(result.record())
    else:
        _show(result, game, gap_name)
        for what, path in (("strategy", out), ("plot", plot)):
            if path is not None:
                report.console().print(f"{what} written to {path}")


def _show(result: Result, game: Game, gap_name: str) -> None:
    stops = {
        "gap": "the gap was reached",
        "iterations": "all iterations done",
        "seconds": "time was up",
        "interrupted": "interrupted",
        "exact": "solved exactly",
    }
    rows: dict[str, Any] = {
        "method": f"{result.method}, {result.updates} updates" if result.updates else result.method,
        "stopped": f"{stops[result.stop]}, after {result.iterations:,} iterations in {report.duration(result.seconds)}",
        "values": result.values,
        "gains": result.gains,
        "NashConv": result.nash_conv,
        "exploitability": result.exploitability,
    }
    if result.cce_gap is not None:
        rows["CCE gap"] = result.cce_gap
    if game.known_value is not None:
        rows["known value"] = game.known_value
    report.facts(f"{result.game}: {gap_name} {result.gap:.3g}", rows)


def evaluate_command(address: str, file: str, as_json: bool) -> None:
    """Measure a strategy and print it."""
    game = load(address)
    profile: Profile = uniform(game) if file == "uniform" else read(file, game)
    found = evaluate(game, profile)
    record: dict[str, Any] = {
        "game": game.address,
        "strategy": file,
        "values": found.values,
        "best_values": found.best_values,
        "gains": found.gains,
        "nash_conv": found.nash_conv,
        "exploitability": found.exploitability,
        "shortfalls": found.shortfalls,
    }
    if as_json:
        print_json(record)
        return
    words = {"nash_conv": "NashConv", "best_values": "best responses earn"}
    rows = {words.get(name, name): fact for name, fact in record.items() if name != "game"}
    report.facts(game.address, rows)
