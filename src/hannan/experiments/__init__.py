"""The figures and tables of the papers, run again: one file per figure."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from hannan.errors import FileError, UnknownNameError, UnsuitableError, nearest
from hannan.holds import held
from hannan.pieces.choice import workers_of

if TYPE_CHECKING:
    from hannan.experiments.claims import Report

WORKERS = "workers"
"""The argument that `report()` has if its figure is cut into pieces."""

PAPERS: dict[str, dict[str, str]] = {
    "certificates": {
        "1": "certificates1",
        "4": "certificates4",
        "7": "certificates7",
        "soundness": "certificates_soundness",
        "theory": "certificates_theory",
    },
    "cfr-survey": {
        "2": "cfr_averages",
        "2-flop": "cfr_flop",
        "theory": "cfr_theory",
        "methods": "cfr_survey",
        "samplers": "cfr_samplers",
        "neural": "cfr_neural",
        "networks": "cfr_networks",
    },
    "einr": {"4": "einr4", "5": "einr5", "7": "einr7", "8": "einr8", "pure": "einr_pure"},
    "sm-mcts": {
        "2": "sm_mcts2",
        "3": "sm_mcts3",
        "3-printed": "sm_mcts3_printed",
        "3-selected": "sm_mcts3_selected",
        "3-first-visits": "sm_mcts3_schemes",
        "theory": "sm_mcts_theory",
        "finite-time": "sm_mcts_times",
    },
}
"""Each paper's figures, and the file in `hannan.experiments` whose `report()` runs one."""


def figures(paper: str, figure: str | None = None) -> list[str]:
    """Return the named figure, or all figures of a paper; refuse unknown names."""
    if paper not in PAPERS:
        raise UnknownNameError(f"paper {paper!r} is not known{nearest(paper, PAPERS)}")
    known = PAPERS[paper]
    if figure is None:
        return list(known)
    if figure not in known:
        raise UnknownNameError(f"{paper} has no figure {figure!r} here; known are {', '.join(known)}")
    return [figure]


def reproduce(
    paper: str,
    figure: str | None = None,
    folder: str | PathLike[str] = ".",
    *,
    quick: bool = False,
    progress: Callable[[str], None] | None = None,
    on: str | None = None,
    workers: int | None = None,
) -> Iterator[tuple[Report, tuple[Path, ...]]]:
    """Run the figures one after another; after each, write its files and yield its report with their paths.

    `quick` shortens long figures, to check that they run: their verdicts then mean little. `progress` is called with a
    message about each part. Long figures are cut into pieces, which are made `on` these `workers` (see
    `hannan.pieces`). Default: processes of this machine; with `quick`, this process. If no figure is cut into pieces,
    `on` and `workers` are refused.
    """
    from hannan.experiments.claims import check_folder, silent, write

    wanted = figures(paper, figure)
    modules = {name: importlib.import_module(f"hannan.experiments.{PAPERS[paper][name]}") for name in wanted}
    split = [name for name, module in modules.items() if WORKERS in inspect.signature(module.report).parameters]
    say = progress or silent
    if (on not in (None, "serial") or workers is not None) and not split:
        raise UnsuitableError(
            f"{' '.join(filter(None, (paper, figure)))} is not cut into pieces: leave on and workers out"
        )
    check_folder(folder)
    for name, module in modules.items():
        choices = {"quick": quick, "say": say, "folder": folder}  # long figures store their work in the folder
        takes = inspect.signature(module.report).parameters  # short figures do not have these arguments
        if on not in (None, "serial") and name not in split:
            say(f"figure {name} is not cut into pieces: this process makes it")
        with held(Path(folder) / f"{PAPERS[paper][name]}.md"), ExitStack() as stack:
            if name in split:
                place = on or ("serial" if quick else "processes")
                choices[WORKERS] = stack.enter_context(workers_of(place, workers))
            report: Report = module.report(**{choice: choices[choice] for choice in choices if choice in takes})
            try:
                written = write(report, folder)
            except FileError as error:
                error.partial = report  # the caller still gets the findings
                raise
        yield report, written
