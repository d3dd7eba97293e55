"""Every fault at every step of a run with a checkpoint: a result or a sentence, and what was saved before is whole."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.runs.log import read_log
from tests.fuzz.faults import FAULTS, Fault, allocating, faulty
from tests.fuzz.sentences import sentence

MOST = 400
"""No run here has more steps of one kind at which something can fail."""


def solved(folder: Path, later: bool) -> Any:
    return hn.solve("kuhn_poker", "cfr", iterations=8 if later else 4, log=folder / "log", **_kept(folder, later))


def sampled(folder: Path, later: bool) -> Any:
    return hn.solve("kuhn_poker", "mccfr-os", iterations=8 if later else 4, over="rules", **_kept(folder, later))


def searched(folder: Path, later: bool) -> Any:
    game = None if later else "goofspiel(cards=3,information=open)"
    return hn.search(game, iterations=20 if later else 10, **_kept(folder, later))


def certified(folder: Path, later: bool) -> Any:
    return hn.certify("kuhn_poker", playthroughs=12 if later else 6, solve_every=4, **_kept(folder, later))


def _kept(folder: Path, later: bool) -> dict[str, Any]:
    """Save after every slice; later, go on from what was saved."""
    known = {"checkpoint": folder / "saved", "every": 0}
    return {**known, "resume": folder / "saved"} if later else known


RUNS: dict[str, Callable[[Path, bool], Any]] = {
    "solve": solved,
    "sample": sampled,
    "search": searched,
    "certify": certified,
}


FILES = [fault for fault in FAULTS if fault != "allocation"]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FILES)
@pytest.mark.parametrize("run", RUNS)
def test_every_fault_at_every_step(run: str, fault: str, tmp_path: Path) -> None:
    """Each step fails alone, and from there on."""
    before = _begun(run, tmp_path)
    steps = [(k, lasting) for k in range(1, MOST) for lasting in (False, True)]
    for number, (k, lasting) in enumerate(steps):
        if not _struck(RUNS[run], tmp_path / f"{k}{lasting}", before, *faulty(fault, k, lasting)):
            assert number
            return
    pytest.fail("there are more steps than are tried")


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_memory_that_ends_at_every_line(run: str, tmp_path: Path) -> None:
    """Every line of ours that takes memory gets none, at its first time; at every second line, nobody gets any then."""
    before = _begun(run, tmp_path)
    shutil.copytree(tmp_path, whole := tmp_path / "whole")
    places = allocating(lambda: RUNS[run](whole, True))
    assert len(places) > 10
    for number, place in enumerate(places):
        what, context = faulty("allocation", 1, number % 2 == 1, place)
        assert _struck(RUNS[run], tmp_path / f"{number}", before, what, context), place


def _begun(run: str, folder: Path) -> dict[str, bytes]:
    """Begin a run, and return the files that it leaves."""
    RUNS[run](folder, False)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _struck(
    work: Callable[[Path, bool], Any], folder: Path, before: Mapping[str, bytes], what: Fault, context: Any
) -> bool:
    """Go on where something fails: a result or a sentence, and files that are whole; return whether it has failed."""
    folder.mkdir()
    for name, data in before.items():
        (folder / name).write_bytes(data)
    with warnings.catch_warnings(), context:
        warnings.simplefilter("ignore")
        try:
            result = work(folder, True)
            assert result.seconds >= 0
        except hn.HannanError as error:
            sentence(error)
    if what.struck:
        assert not [path.name for path in folder.iterdir() if path.name.startswith(".")], "a temporary file is left"
        _whole(work, folder)
    return what.struck


def _whole(work: Callable[[Path, bool], Any], folder: Path) -> None:
    """What is there after a fault is whole: the run goes on from it, and its log can be read."""
    if (folder / "log").exists():
        read_log(folder / "log")
    work(folder, True)
