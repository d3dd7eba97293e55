"""The command `hannan reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hannan import experiments
from hannan.cli import report
from hannan.cli.options import Json, Whole
from hannan.cli.report import answer
from hannan.errors import HannanError
from hannan.experiments.claims import Report


def reproduce(
    paper: str,
    figure: str | None = None,
    /,
    *,
    out: Path = Path(),
    quick: bool = False,
    on: str | None = None,
    workers: Whole | None = None,
    as_json: Json = False,
) -> None:
    """Run the figures of a paper again: pictures, numbers, and its claims compared with ours.

    Parameters
    ----------
    paper
        cfr-survey, einr, certificates or sm-mcts.
    figure
        One figure. Default: all figures of the paper.
    out
        The folder for the pictures (.png), numbers (.csv) and verdicts (.md); made if it is missing.
    quick
        Make long figures short, to see that they run; the verdicts mean little then.
    on
        Where the pieces of long figures are made: serial, processes, ray or ray://HOST:PORT. Default: processes; with
        --quick, serial. It changes no number.
    workers
        How many workers make pieces at the same time. Default: one per core of the machine or cluster.
    """
    records = []

    def found(made: Report, paths: Sequence[Path]) -> None:
        records.append({**_verdicts(made), "files": [str(path) for path in paths]})
        if not as_json:
            _show(made, paths)

    try:
        for made, paths in experiments.reproduce(
            paper, figure, out, quick=quick, progress=report.note, on=on, workers=workers
        ):
            found(made, paths)
    except HannanError as error:
        if isinstance(error.partial, Report):
            found(error.partial, ())
            answer(as_json, {"paper": paper, "quick": quick, "figures": records}, lambda: None)
        raise
    answer(as_json, {"paper": paper, "quick": quick, "figures": records}, lambda: None)


def _show(made: Report, paths: Sequence[Path]) -> None:
    words = {True: "held", False: "did not hold", None: "not judged"}
    lines = [[claim.text, claim.paper, claim.ours, words[claim.held]] for claim in made.claims]
    report.grid(made.title, ["claim", "paper", "ours", "verdict"], lines)
    for note in made.notes:
        report.console().print(f"  {note}", soft_wrap=True)
    if paths:
        report.console().print(f"written: {', '.join(map(str, paths))}\n")


def _verdicts(made: Report) -> dict[str, Any]:
    return {
        "name": made.name,
        "title": made.title,
        "held": made.held,
        "claims": [vars(claim) for claim in made.claims],
        "notes": list(made.notes),
    }
