"""The page of benchmarks: a summary, then the table of all groups, written whole or with one group's rows replaced."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from hannan import __version__
from hannan.bench import GROUPS, peers, summary
from hannan.bench.rows import HEADER, Section
from hannan.bench.stopwatch import busy
from hannan.errors import FileError
from hannan.files import read_bytes, write_bytes

SUMMARY = """# Benchmarks

A row per capability; the measurements behind it are below. A ratio says how many times faster ours is. Each row has
the date and the commit of its measurement. The version of this page is {version}; a row that was measured on another
one says so.
"""

INTRODUCTION = """## All measurements

Regenerate this page with `hannan bench --out docs/benchmarks.md` (the extra `bench` installs the peers), or one group
of it with `hannan bench iterations --out docs/benchmarks.md`. Times are medians, with quartiles in parentheses; ours
and the peers' are measured in turns, in one run. A ratio says how many times faster ours is; above the floor, how many
times slower. The floor is the bytes that an iteration must move over the bandwidth measured in the same run
(`src/hannan/bench/floor.py` says what is counted).
"""


def machine() -> str:
    """Return a sentence on the machine, the versions and the installed peers."""
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    installed = [peers.title(peer) for peer in peers.MODULES if peers.find(peer) is not None]
    compared = f"next to {', '.join(installed)}" if installed else "with no peer installed"
    others = busy()
    shared = "" if others is None else f", other processes kept {others:.1f} of them busy"
    return (
        f"{time.strftime('%Y-%m-%d')}: {model}, {os.cpu_count()} cores{shared}; hannan {__version__}, Python "
        f"{platform.python_version()}, numba {version('numba')}, {compared}."
    )


def page(sections: Sequence[Section]) -> str:
    """Return the whole page."""
    return _joined(machine(), _table(sections), _notes(sections))


def _joined(machine: str, rows: Sequence[str], notes: Sequence[str]) -> str:
    version = summary.commit() or f"version {__version__}"
    head = SUMMARY.format(version=version)
    table = [_line(["group", *HEADER]), _line(["---"] * (len(HEADER) + 1)), *rows]
    top = summary.table(rows, summary.stamps(notes), version)
    return "\n".join([head, *top, "", INTRODUCTION, machine, "", *table, "", "Notes:", "", *notes]) + "\n"


def write(sections: Sequence[Section], path: Path) -> None:
    """Write the page. If it exists and not all groups were run, replace only the groups that were."""
    if not path.exists() or len(sections) == len(GROUPS):
        text = page(sections)
    else:
        try:
            text = merged(read_bytes(path).decode(), sections)
        except UnicodeDecodeError as error:
            raise FileError(f"{path} is not a page of benchmarks: it is not UTF-8 ({error.reason})") from error
    write_bytes(path, text.encode())


def merged(before: str, sections: Sequence[Section]) -> str:
    """Return a page with the rows and notes of `sections` in place of the old ones; other groups stay."""
    names = {section.name for section in sections}
    rows: list[str] = []
    notes: list[str] = []
    for line in before.splitlines():
        group = line[2:].split(" ", 1)[0].rstrip(":") if line.startswith(("| ", "- ")) else ""
        if group in GROUPS and group not in names:
            (rows if line.startswith("| ") else notes).append(line)
    rows, notes = rows + _table(sections), notes + _notes(sections)
    said = before.split("\n| group |", 1)[0].rstrip().rpartition("\n")[2]
    return _joined(said, sorted(rows, key=_place), sorted(notes, key=_place))


def _place(line: str) -> int:
    return list(GROUPS).index(line[2:].split(" ", 1)[0].rstrip(":"))


def _table(sections: Sequence[Section]) -> list[str]:
    return [_line([section.name, *row.cells]) for section in sections for row in section.rows]


def _notes(sections: Sequence[Section]) -> list[str]:
    made = summary.stamp()
    return [f"- {section.name}: {note}" for section in sections for note in (made, *section.notes)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
