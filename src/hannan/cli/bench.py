"""The command `hannan bench`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hannan.bench import measure, peers, scripts
from hannan.bench.page import machine, write
from hannan.bench.rows import HEADER, Section
from hannan.bench.timing import busy
from hannan.cli import report
from hannan.cli.app import print_json
from hannan.cli.solve import check_folder
from hannan.errors import HannanError, ParameterError

BUSY = 0.1
"""Cores that others may use without being mentioned."""


def bench_command(name: str | None, out: Path | None, quick: bool, as_json: bool) -> None:
    """Measure, say on standard error what is being measured, print the table; write the page."""
    if out is not None:
        check_folder(out)
    if name in (known := scripts()):
        _script(known[name], out, quick, as_json)
        return
    for peer in peers.missing():
        report.STDERR.print(f"{peer} is not installed; pip install 'hannan[bench]' gets all peers")
    others = busy()
    if others is not None and others > BUSY:
        report.STDERR.print(
            f"other processes keep {others:.1f} cores busy: times, of two threads above all, will suffer"
        )
    sections: list[Section] = []
    for section in measure(name, quick, report.STDERR.print):
        sections.append(section)
        if not as_json:
            report.grid(section.name, HEADER, [row.cells for row in section.rows])
            for note in section.notes:
                report.console().print(f"  {note}")
            report.console().print()
    if out is not None:
        write(sections, out)
    if as_json:
        groups = [section.record() for section in sections]
        print_json({"machine": machine(), "missing": peers.missing(), "quick": quick, "groups": groups})
    elif out is not None:
        report.console().print(f"written to {out}")


def _script(path: Path, out: Path | None, quick: bool, as_json: bool) -> None:
    """Run one of the scripts in benchmarks/, which print a table of their own."""
    if out is not None:
        raise ParameterError(f"{path.stem} prints a table of its own: --out is for the groups of hannan bench")
    command = [sys.executable, str(path), *(["--quick"] if quick else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE if as_json else None, text=True, check=False)
    if done.returncode != 0:
        raise HannanError(f"{path} failed with exit code {done.returncode}")
    if as_json:
        print_json({"script": path.stem, "quick": quick, "lines": done.stdout.splitlines()})
