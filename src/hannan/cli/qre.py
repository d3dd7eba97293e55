"""The command `hannan qre`."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json, check_targets, offering
from hannan.cli.report import answer
from hannan.errors import ParameterError
from hannan.files import write_text
from hannan.pictures.figures import FORMATS, check_target
from hannan.pictures.quantal import draw_branch
from hannan.runs.qre import Quantal
from hannan.runs.qre import qre as responding
from hannan.runs.status_line import clock_line
from hannan.strategies.files import save

MOST_SETS = 20
"""The most information sets of a player that are printed."""


@offering(responding)
def qre(game: str, /, *, out: Path | None = None, as_json: Json = False, **given: Any) -> None:
    """Find quantal response equilibria: at one λ, along the principal branch, or fitted to observed choices.

    Parameters
    ----------
    out
        Write the strategy here. A name in .csv gets the branch as a table; .png, .svg or .pdf a picture of it.
    """
    check_targets({"--out": out}, (game, given.get("data")))
    kind = "" if out is None else out.suffix.removeprefix(".").lower()
    of_branch = kind in (*FORMATS, "csv")
    if out is not None and kind in FORMATS:
        check_target(out)
    if of_branch and given.get("lambda_") is not None:
        raise ParameterError(f"--out {out} holds a branch, and --lambda asks for one point: leave one of them out")
    if of_branch:
        given["path"] = True
    with clock_line(f"following the quantal response branch of {game}"):
        result = responding(game, **given)
    try:
        answer(as_json, result.record, lambda: _show(result))
    finally:
        what = "picture" if kind in FORMATS else "table" if kind == "csv" else "strategy"
        writers = {} if out is None else {what: lambda: _write(out, kind, result)}
        report.write_all(as_json, {what: out}, writers, None)


def _write(path: Path, kind: str, result: Quantal) -> None:
    if kind in FORMATS:
        draw_branch(path, result)
    elif kind == "csv" and result.branch is not None:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(("lambda", "choice", "action", "probability"))
        table.writerows(result.branch.rows())
        write_text(path, text.getvalue())
    else:
        save(result.strategy, path)


def _show(result: Quantal) -> None:
    rows: dict[str, Any] = {"form": result.form, "λ": result.lambda_}
    if result.observations is not None:
        rows["observed choices"] = result.observations
        rows["log-likelihood"] = result.log_likelihood
        rows["standard error of λ"] = result.standard_error
    if result.at_end:
        rows["note"] = "the likelihood still grows at the end of the branch: a larger λ may fit better"
    rows["payoffs"] = result.payoffs
    rows["most that a player could gain"] = result.regret
    if result.branch is not None:
        rows["turning points, λ"] = result.branch.turning_points or None
        rows["bifurcations, λ"] = result.branch.bifurcations or None
        rows["end of the branch"] = result.branch.ending
        if result.branch.limit is not None:
            rows["gain at that equilibrium"] = result.branch.limit_regret
    report.facts(result.game, rows)
    header, lines = ["player", "information set", "action", "probability"], []
    end = result.branch.limit if result.branch is not None and result.observations is None else None
    for player, name, plays in result.strategy.table(MOST_SETS):
        for action, share in plays.items():
            lines.append([player, name, action, f"{share:.6f}"])
    if end is not None:
        header.append("at the equilibrium")
        shares = [share for *_, plays in end.table(MOST_SETS) for share in plays.values()]
        lines = [[*line, f"{share:.6f}"] for line, share in zip(lines, shares, strict=True)]
    report.grid("", header, lines)
