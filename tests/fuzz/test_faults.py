"""Every fault at every step of a run with a checkpoint: a result or a sentence, and what was saved before is whole."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.runs.log import read_log
from tests.fuzz.faults import FAULTS, faulty
from tests.fuzz.sentences import sentence

MOST = 400
"""No run here has more steps of one kind at which something can fail."""


def solved(folder: Path, later: bool) -> Any:
    return hn.solve("kuhn_poker", "cfr", iterations=8 if later else 4, log=folder / "log", **_kept(folder, later))


def sampled(folder: Path, later: bool) -> Any:
    return hn.solve("kuhn_poker", "mccfr-os", iterations=8 if later else 4, on="rules", **_kept(folder, later))


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


def _steps(fault: str) -> list[tuple[int, bool]]:
    """Return the steps that fail: each alone and from there on; of allocations, which are many, ever fewer of them."""
    alone = range(1, MOST) if fault != "allocation" else [round(1.25**n) for n in range(4, 27)]
    return [(k, lasting) for k in alone for lasting in (False, True)]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("run", RUNS)
def test_every_fault_at_every_step(run: str, fault: str, tmp_path: Path) -> None:
    work, struck = RUNS[run], 0
    work(tmp_path, False)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for k, lasting in _steps(fault):
        folder = tmp_path / f"{k}{lasting}"
        folder.mkdir()
        for name, data in before.items():
            (folder / name).write_bytes(data)
        what, place = faulty(fault, k, lasting)
        with warnings.catch_warnings(), place:
            warnings.simplefilter("ignore")
            try:
                result = work(folder, True)
                assert result.seconds >= 0
            except hn.HannanError as error:
                sentence(error)
            except MemoryError:
                assert fault == "allocation"  # of memory that ends elsewhere than in files, see `hannan.memory`
        if not what.struck:
            break
        struck += 1
        assert not [path.name for path in folder.iterdir() if path.name.startswith(".")], "a temporary file is left"
        _whole(work, folder)
    assert struck
    assert fault == "allocation" or not what.struck, "there are more steps than are tried"


def _whole(work: Callable[[Path, bool], Any], folder: Path) -> None:
    """What is there after a fault is whole: the run goes on from it, and its log can be read."""
    if (folder / "log").exists():
        read_log(folder / "log")
    work(folder, True)
