"""The summary of the benchmarks: one row per capability, with its date and commit, and no row that claims too much."""

from __future__ import annotations

import re
from pathlib import Path

from hannan.bench import GROUPS, summary

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
ROWS = [
    "| iterations | Leduc, an iteration | 15 µs | LiteEFG 1.0.0: 2 ms | 130x |  | yes |",
    "| iterations | Leduc, an iteration | 15 µs | OpenSpiel 2.0.2: 9 ms | 600x |  |  |",
]


def test_a_row_takes_the_first_measurement_of_its_peer() -> None:
    lines = summary.table(ROWS, {"iterations": "2026-11-15, commit abc"}, "abc")
    assert lines[2] == "| One CFR iteration, Leduc | 15 µs | LiteEFG 1.0.0: 2 ms | 130x | 2026-11-15, commit abc |"
    assert len(lines) == 2 + len(summary.HEADLINES)
    assert all(line.endswith("|  |  |  | not measured |") for line in lines[3:])


def test_a_row_of_another_version_says_so() -> None:
    line = summary.table(ROWS, {"iterations": "2026-11-15, commit abc"}, "def")[2]
    assert line.endswith("| 2026-11-15, commit abc; not on this version |")
    assert summary.table(ROWS, {}, "def")[2].endswith("| on an unknown date; not on this version |")


def test_notes_say_when_a_group_was_measured() -> None:
    notes = [f"- lp: {summary.stamp('abc')}", "- lp: one thread", "- gpu: measured on another machine"]
    assert set(summary.stamps(notes)) == {"lp"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d, commit abc", summary.stamps(notes[:2])["lp"])


def test_every_headline_names_a_group() -> None:
    assert {headline.group for headline in summary.HEADLINES} <= set(GROUPS)


def test_the_summary_of_the_page_is_that_of_its_rows() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line[2:].split(" ", 1)[0] in GROUPS and line.startswith("| ")]
    version = re.search(r"The version of this page is (\w+)", " ".join(lines))
    assert version is not None
    shown = lines[lines.index(summary.table([], {}, "-")[0]) :][: 2 + len(summary.HEADLINES)]
    assert shown == summary.table(rows, summary.stamps([line for line in lines if line.startswith("- ")]), version[1])
