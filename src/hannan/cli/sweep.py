"""The command `hannan sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json, consent, offering
from hannan.cli.report import answer
from hannan.pictures.figures import need_matplotlib
from hannan.pictures.sweeps import draw_sweep
from hannan.runs.status_line import duration
from hannan.runs.sweep import sweep as sweeping
from hannan.runs.sweep_table import SweepResult, SweptRun


@offering(sweeping)
def sweep(file: Path, /, *, pictures: bool = True, as_json: Json = False, **given: Any) -> None:
    """Solve every game of a file by every method with every seed, and collect the numbers in one table.

    FILE is TOML with games, methods, seeds and limits (docs/howto/sweep.md). It is checked before anything runs.
    A run that fails is a row with its error. Ctrl-C ends the sweep with the runs that are finished; the
    same command goes on.
    Exit code 0: no run failed. 1: some did. 2: the sweep could not be run.

    Parameters
    ----------
    pictures
        Draw the medians of each game into the folder of --out, with bands over seeds.
    """
    out = given.get("out")
    drawn = pictures and out is not None and not given.get("dry_run", False)
    if drawn:
        need_matplotlib()
    given["trust"] = consent(given.get("trust", False), as_json)
    result = sweeping(file, tell=report.note, **given)
    paths = draw_sweep(out, result) if drawn and out is not None else ()

    def show() -> None:
        _show(result)
        written = [] if out is None or given.get("dry_run") else [out / f"{name}.csv" for name in result.tables()]
        for path in (*written, *paths):
            report.console().print(f"written: {path}", soft_wrap=True)

    answer(as_json, lambda: {**result.record(), "pictures": [str(path) for path in paths]}, show)
    left = result.count("missing") + result.count("begun")
    if left and result.stop != "planned":
        again = "the same command goes on" if out is not None else "give --out, so that a later sweep can go on"
        report.note(f"{report.counted(left, 'runs')} left; {again}")
    if result.count("failed"):
        raise SystemExit(1)


def _show(result: SweepResult) -> None:
    header = ["game", "method", "seed", "status", "iterations", "time", "stop", "gap"]
    report.grid(f"{result.name}: {report.counted(len(result.runs), 'runs')}", header, list(map(_cells, result.runs)))


def _cells(run: SweptRun) -> list[Any]:
    numbers = run.numbers
    if not numbers:
        return [run.game, run.method, run.seed, f"{run.status}: {run.error}" if run.error else run.status, *[None] * 4]
    gap = None if numbers["gap"] is None else f"{numbers['gap']:.4g}"
    took = duration(numbers["seconds"])
    return [run.game, run.method, run.seed, run.status, numbers["iterations"], took, numbers["stop"], gap]
