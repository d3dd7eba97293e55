"""What cannot be written after the work does not take the result with it, and what never could is refused before."""

from __future__ import annotations

import errno
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.certificates.journal import Journal, journal_of

FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let writing files whose name ends so fail."""

    def break_it(ending: str) -> None:
        import hannan.files as files

        temporary = files._temporary

        def fails(target: Path) -> Any:
            if target.name.endswith(ending):
                raise FULL
            return temporary(target)

        monkeypatch.setattr(files, "_temporary", fails)

    return break_it


WORKS = {
    "solve": ("kuhn_poker", "--method", "cfr", "--iterations", "20"),
    "search": ("goofspiel(cards=3,information=open)", "--iterations", "20", "--no-measure"),
    "match": ("kuhn_poker", "uniform", "uniform", "--games", "20"),
    "certify": ("kuhn_poker", "--playthroughs", "20"),
}
"""Runs that write a checkpoint, each with what it prints of its steps."""


@pytest.mark.parametrize("command", WORKS)
def test_a_checkpoint_that_cannot_be_written_at_the_end_loses_no_result(
    command: str, hannan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fills during the run: the result is printed, the older checkpoint stays, and the exit code is 2."""
    import hannan.files as files

    temporary, writes = files._temporary, [0]

    def fails(target: Path) -> Any:
        writes[0] += 1
        if writes[0] > first:
            raise FULL
        return temporary(target)

    first = 1 if command == "certify" else 0  # it writes a checkpoint before its first playthrough
    monkeypatch.setattr(files, "_temporary", fails)
    ran = hannan(command, *WORKS[command], "--checkpoint", "x", "--json")
    assert ran.code == 2
    steps = {"match": "games", "certify": "playthroughs"}.get(command, "iterations")
    assert ran.record[steps] == 20
    assert "x cannot be written: No space left on device" in ran.err
    assert "written to x" not in ran.err
    assert Path("x").exists() == (command == "certify")


@pytest.mark.parametrize("command", ["solve", "certify"])
def test_a_log_that_cannot_be_written_to_its_end_loses_no_result(
    command: str, hannan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hannan.runs.log import Log

    line = Log._line

    def fails(log: Any, record: Any) -> None:
        if "stop" in record:
            log.unwritten = hn.errors.FileError(f"{log._path} cannot be written: {FULL.strerror}")
        else:
            line(log, record)

    monkeypatch.setattr(Log, "_line", fails)
    ran = hannan(command, *WORKS[command], "--log", "x", "--json")
    assert ran.code == 2
    assert ran.record is not None
    assert "x cannot be written: No space left on device" in ran.err


def test_the_verdicts_of_a_figure_whose_files_cannot_be_written_are_printed(full: Any, hannan: Any) -> None:
    full("einr4.csv")
    ran = hannan("reproduce", "einr", "4", "--quick", "--json")
    assert ran.code == 2
    assert [figure["name"] for figure in ran.record["figures"]] == ["einr4"]
    assert "einr4.csv cannot be written: No space left on device" in ran.err


def test_a_match_whose_record_cannot_be_written_has_a_score(full: Any, hannan: Any, tmp_path: Path) -> None:
    full("games.jsonl")
    record = tmp_path / "games.jsonl"
    ran = hannan("match", "kuhn_poker", "uniform", "uniform", "--games", "10", "--record", str(record), "--json")
    assert ran.code == 2
    assert ran.record["games"] == 10
    assert f"{record} cannot be written: No space left on device" in ran.err
    with pytest.raises(hn.errors.FileError) as told:
        hn.match("kuhn_poker", "uniform", "uniform", games=10, record=record)
    assert told.value.partial.games == 10


@pytest.mark.parametrize("words", [["--csv", "x"], ["--out", "x", "--walks", "20", "--plays", "100"]])
def test_measurements_are_printed_before_files_are_written(words: list[str], full: Any, hannan: Any) -> None:
    full("x")
    ran = hannan("evaluate", "kuhn_poker", "uniform", *words, "--json")
    assert ran.code == 2
    assert ran.record["nash_conv"] == pytest.approx(11 / 12)
    assert "x cannot be written: No space left on device" in ran.err


def test_a_certificate_and_its_strategy_are_written_though_the_other_fails(full: Any, hannan: Any) -> None:
    full("c")
    ran = hannan("certify", "kuhn_poker", "--playthroughs", "20", "--out", "c", "--profile", "p", "--json")
    assert ran.code == 2
    assert ran.record["playthroughs"] == 20
    assert "c cannot be written" in ran.err
    assert Path("p").is_file()


@pytest.mark.parametrize("option", ["--out", "--profile", "--plot"])
def test_where_a_certificate_cannot_be_written_nothing_is_played(option: str, hannan: Any) -> None:
    ran = hannan("certify", "kuhn_poker", "--playthroughs", "20", option, "nowhere/x.png")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no folder nowhere" in ran.err


def test_a_journal_that_cannot_be_written_ends_no_certification(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fills in the middle of a line: the line is cut off, the rest is in the next checkpoint alone."""
    whole = hn.certify("kuhn_poker", playthroughs=60)
    opened = Journal.open

    class Small:
        """A file on a disk that has room for some lines and a half."""

        def __init__(self, file: Any) -> None:
            self.file, self.room = file, 2000

        def write(self, data: bytes) -> int:
            some = data[: self.room]
            self.room -= len(some)
            if not some:
                raise FULL
            return int(self.file.write(some))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    def small(journal: Any) -> None:
        opened(journal)
        if not isinstance(journal._file, Small):
            journal._file = Small(journal._file)

    monkeypatch.setattr(Journal, "open", small)
    path = tmp_path / "x"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        kept: list[bytes] = []
        begin = Journal.begin

        def noted(journal: Any) -> None:
            if journal_of(path).exists():
                kept.append(journal_of(path).read_bytes())
            begin(journal)

        monkeypatch.setattr(Journal, "begin", noted)
        assert hn.certify("kuhn_poker", playthroughs=60, checkpoint=path).gap == whole.gap
    assert [str(one.message) for one in told] == [
        f"{path}.journal cannot be written: No space left on device; the run goes on, and checkpoints alone are kept"
    ]
    lines = kept[-1].decode()
    assert lines.endswith("\n")
    assert 0 < len([json.loads(line) for line in lines.splitlines()]) < 60
    assert hn.certify(resume=path, playthroughs=60).gap == whole.gap


@pytest.mark.parametrize("option", ["--out", "--plot"])
def test_the_other_files_of_a_solve_are_written_though_one_fails(option: str, full: Any, hannan: Any) -> None:
    """The strategy or the picture cannot be written: the other files are, and the error names them."""
    files = {"--out": "k.strategy", "--plot": "k.png", "--log": "k.log", "--checkpoint": "k.checkpoint"}
    full(files[option])
    words = [word for pair in files.items() for word in pair]
    ran = hannan("solve", *WORKS["solve"], *words, "--json")
    assert ran.code == 2
    assert ran.record["iterations"] == 20
    rest = {key: name for key, name in files.items() if key != option}
    assert ran.err.splitlines()[-1].startswith(f"hannan: {files[option]} cannot be written: No space left on device; ")
    assert all(Path(name).stat().st_size > 0 and f"is in {name}" in ran.err for name in rest.values())
    assert not Path(files[option]).exists()


def test_the_first_error_of_a_solve_is_told(full: Any, hannan: Any) -> None:
    full("")
    ran = hannan("solve", *WORKS["solve"], "--out", "k.strategy", "--plot", "k.png", "--json")
    assert (ran.code, ran.record["iterations"]) == (2, 20)
    assert ran.err.splitlines()[-1] == "hannan: k.strategy cannot be written: No space left on device"
    assert not Path("k.png").exists()
