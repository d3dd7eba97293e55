"""The command `hannan bench`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hannan.bench import groups, measure, peers, scripts
from hannan.bench.page import machine, write
from hannan.bench.rows import HEADER, Section
from hannan.bench.stopwatch import busy
from hannan.cli import report
from hannan.cli.options import PLOT, Json, check_targets
from hannan.cli.report import answer
from hannan.errors import HannanError, ParameterError

BUSY = 0.1
"""The number of cores that other processes may use without a note."""


def bench(
    name: str | None = None,
    /,
    *,
    out: Path | None = None,
    quick: bool = False,
    row: str | None = None,
    seeds: int | None = None,
    device: str | None = None,
    method: str | None = None,
    picture: Path | None = None,
    as_json: Json = False,
) -> None:
    """Compare speed and memory with every installed peer: medians with spread, ratios, and the floor.

    Measurements run one after another in this process, so that they do not disturb each other. --on does not apply.

    Parameters
    ----------
    name
        iterations, nashconv, compile, memory, to_gap, auto, sampling, lp, large, factors, exact, certify, matches,
        responses, search, gpu, neural, imports, equilibria, holdem, growth, start, scaling, cluster or explore.
        Default: all of them. In a clone, also the name of a script in benchmarks/.
    out
        Write the table here (.md); with a name, replace that group's rows.
    quick
        Small games and few repeats, to see that it runs.
    row
        Of neural: measure only this row: traversals, kuhn, leduc, leduc-long, double, seconds or large.
    seeds
        Of neural: the number of seeds.
    device
        Of neural: cpu or cuda.
    method
        Of to_gap: one more method in the race, such as file.py:MyCFR (docs/howto/own.md) or "dcfr(alpha=2)".
    picture
        Of scaling: draw the speed-up by number of workers. Of growth: draw seconds and bytes against histories
        (.png, .svg or .pdf).
    """
    check_targets({"--out": out, PLOT: picture}, (method,))  # else groups that others measure meanwhile are lost
    if name in (known := scripts()):
        _script(known[name], out, quick, as_json)
        return
    groups(name)  # refuses an unknown name before measuring
    for peer in peers.missing():
        report.note(f"{peer} is not installed; pip install 'hannan[bench]' gets all peers")
    choices = {"row": row, "seeds": seeds, "device": device, "method": method, "picture": picture}
    others = busy()
    if others is not None and others > BUSY:
        report.note(f"other processes keep {others:.1f} cores busy: expect slower times, above all with two threads")
    sections: list[Section] = []
    try:
        for section in measure(name, quick, report.note, choices):
            sections.append(section)
            if not as_json:
                _show(section)
    finally:  # after Ctrl-C, keep what was measured
        if out is not None and sections:
            write(sections, out)
    measured = [section.record() for section in sections]
    record = {"machine": machine(), "missing": peers.missing(), "quick": quick, "groups": measured}
    answer(as_json, record, lambda: None if out is None else report.console().print(f"written to {out}"))


def _show(section: Section) -> None:
    report.grid(section.name, HEADER, [row.cells for row in section.rows])
    for note in section.notes:
        report.console().print(f"  {note}")
    report.console().print()


def _script(path: Path, out: Path | None, quick: bool, as_json: bool) -> None:
    """Run one of the scripts in benchmarks/, which print a table of their own."""
    if out is not None:
        raise ParameterError(f"{path.stem} prints a table of its own: --out is for the groups of hannan bench")
    words = [sys.executable, str(path), *(["--quick"] if quick else [])]
    done = subprocess.run(words, stdout=subprocess.PIPE if as_json else None, text=True, check=False)
    if done.returncode != 0:
        raise HannanError(f"{path} failed with exit code {done.returncode}")
    if as_json:
        answer(as_json, {"script": path.stem, "quick": quick, "lines": done.stdout.splitlines()}, lambda: None)
