"""Pieces for tests: they stand in a module, as workers need them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np


def drawn(shared: Any, seed: int) -> float:
    """What a piece is like: a pure function of its seed."""
    return float(np.random.default_rng(seed).normal(shared))


def whose(shared: Any, argument: Any) -> int:
    return os.getpid()


def refusing(shared: Any, argument: int) -> int:
    if argument == shared:
        raise ValueError(f"no {argument}")
    return argument


def dying(shared: str, argument: int) -> int:
    """Die at piece 3, `times` times in all: the folder counts."""
    folder, times = shared.split("|")
    if argument == 3:
        met = len(list(Path(folder).iterdir()))
        if met < int(times):
            (Path(folder) / str(met)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return argument * 2


def hanging(shared: str, argument: int) -> int:
    """Hang at piece 1, the first time."""
    mark = Path(shared) / "mark"
    if argument == 1 and not mark.exists():
        mark.touch()
        time.sleep(3600)
    return argument


def writing(shared: dict[str, np.ndarray], argument: int) -> tuple[float, bool]:
    """Say what part of a shared array adds up to, and whether it may be changed."""
    array = shared["large"]
    return float(array[argument::7].sum()), bool(array.flags.writeable)


def mapped(shared: dict[str, np.ndarray], argument: int) -> int:
    """Return the bytes of memory that this process alone holds, after reading all that is shared."""
    float(shared["large"].sum())
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_"))


def slow(shared: float, argument: int) -> int:
    """Take `shared` seconds."""
    time.sleep(shared)
    return argument


class Fussy:
    """Something that a node without room on its disk cannot take."""

    def __setstate__(self, state: object) -> None:
        if os.environ.get("HANNAN_TEST_FULL"):
            raise OSError(28, "No space left on device")

    def __getstate__(self) -> dict[str, int]:
        return {"some": 1}


def unfussy(shared: Fussy, argument: int) -> int:
    time.sleep(0.02)
    return argument


def counted(shared: dict[str, int], argument: int) -> int:
    """Say how many pieces this worker has made of the same shared object."""
    shared["made"] += 1
    return shared["made"]


def later(shared: float, argument: int) -> int:
    """Take `shared` seconds more than the piece before."""
    time.sleep(shared * argument)
    return argument
