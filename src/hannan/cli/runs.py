"""The commands that tell about runs: `plot` draws their logs, `reproduce` repeats those of the papers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.app import print_json
from hannan.errors import FileError, ParameterError
from hannan.experiments import reproduce
from hannan.experiments.claims import Report
from hannan.pictures.curves import Across, Up, check_target, convergence, measured
from hannan.runs.log import LoggedRun, read_log


def plot_command(logs: Sequence[Path], out: Path | None, across: Across, up: Up, as_json: bool) -> None:
    """Print where each run ended; draw them all."""
    if not logs:
        raise ParameterError("there is nothing to plot: give one or more logs, as written by hannan solve --log")
    if out is not None:
        check_target(out)
    runs = {path: read_log(path) for path in logs}
    for path, run in runs.items():
        if not run.curve:
            raise FileError(f"{path} holds no measurement yet")
        if (out is not None or up != "gap") and not measured(run.curve, up):
            raise FileError(f"{path} {_LACKING[up == 'gap']}")
    if out is not None:
        games = sorted({str(run.heading.get("game", "?")) for run in runs.values()})
        convergence(out, _labelled(runs), ", ".join(games), _gap_name(runs), across, (up,))
    varied = any(measured(run.curve, "variance") for run in runs.values())
    records = [_record(path, run, varied) for path, run in runs.items()]
    if as_json:
        print_json({"runs": records, "picture": None if out is None else str(out)})
        return
    header = list(records[0])
    report.grid("", [name.replace("_", " ") for name in header], [list(record.values()) for record in records])
    if out is not None:
        report.console().print(f"picture written to {out}")


_LACKING = {
    True: "holds no gap, because the game was too large to measure one; --y variance draws what it has",
    False: "holds no variance: hannan solve --variance WALKS measures it, of methods that sample",
}
"""What to say of a log without a gap (true), or without a variance."""


def _record(path: Path, run: LoggedRun, varied: bool) -> dict[str, Any]:
    last = run.curve[-1]
    gap, nash_conv = (None if math.isnan(number) else number for number in (last.gap, last.nash_conv))
    return {
        "log": str(path),
        "game": run.heading.get("game"),
        "method": run.heading.get("method"),
        "iterations": last.iteration,
        "seconds": last.seconds,
        "gap": gap,
        "nash_conv": nash_conv,
        **({"variance": last.variance, "given_visit": last.given_visit} if varied else {}),
        "stop": run.stop,
    }


def _labelled(runs: dict[Path, LoggedRun]) -> dict[str, Any]:
    """Return the curves by game and method; where runs share these, by their file too."""
    labels = [run.label for run in runs.values()]
    return {
        run.label if labels.count(run.label) == 1 else f"{run.label} ({path})": run.curve for path, run in runs.items()
    }


def _gap_name(runs: dict[Path, LoggedRun]) -> str:
    same = {point.gap == point.nash_conv for run in runs.values() for point, _ in measured(run.curve, "gap")}
    return "NashConv" if same == {True} else "CCE gap" if same == {False} else "gap (NashConv or CCE gap)"


def reproduce_command(paper: str, figure: str | None, out: Path, quick: bool, as_json: bool) -> None:
    """Run figures, tell what is being run on standard error, print the claims with their verdicts."""
    records = []
    for found, paths in reproduce(paper, figure, out, quick=quick, progress=report.note):
        records.append({**_verdicts(found), "files": [str(path) for path in paths]})
        if as_json:
            continue
        lines = [
            [claim.text, claim.paper, claim.ours, "held" if claim.held else "did not hold"] for claim in found.claims
        ]
        report.grid(found.title, ["claim", "paper", "ours", "verdict"], lines)
        for note in found.notes:
            report.console().print(f"  {note}", soft_wrap=True)
        report.console().print(f"written: {', '.join(map(str, paths))}\n")
    if as_json:
        print_json({"paper": paper, "quick": quick, "figures": records})


def _verdicts(found: Report) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "held": found.held,
        "claims": [vars(claim) for claim in found.claims],
        "notes": list(found.notes),
    }
