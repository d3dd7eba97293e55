"""The first run on a machine: CPU seconds of compiling, from an empty cache of compiled kernels.

Each job runs twice, each time in a new process with the same cache, which is empty at first. The second process finds
all kernels in the cache. The difference of the CPU seconds is what compiling and writing the cache took.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable

from hannan.bench.child import in_child
from hannan.bench.rows import Figure, Say, Section, alone, some

MOST = {"hannan solve leduc_poker": 5.0, "a first sampler": 7.0, "a first certification": 10.0}
"""The most CPU seconds of compiling, by job."""


def run(quick: bool, say: Say) -> Section:
    """Measure the three first runs; with `quick`, only the solve."""
    rows, notes = (
        [],
        ["CPU seconds of all threads, without the start of Python and the imports, which need no compiling."],
    )
    for number, (name, most) in enumerate(some(MOST, quick)):
        say(f"start: {name}")
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = (
                in_child("start:job", number=number, environment={"NUMBA_CACHE_DIR": cache}) for _ in range(2)
            )
        compiling = Figure("hannan", cold["processor"] - warm["processor"])
        rows.append(alone(f"{name}, compiling", compiling, most=most))
        notes.append(
            f"{name}: {cold['passed']:.2f} s pass with an empty cache ({cold['processor']:.2f} CPU seconds), "
            f"{warm['passed']:.2f} s with a full one ({warm['processor']:.2f} CPU seconds)"
        )
    return Section("start", tuple(rows), tuple(notes))


def job(number: int) -> dict[str, float]:
    """Do one job; return the CPU seconds and the seconds that pass."""
    import hannan as hn

    jobs: list[Callable[[], object]] = [
        lambda: hn.solve("leduc_poker"),
        lambda: hn.solve("leduc_poker", "mccfr-os", iterations=1000),
        lambda: hn.certify("leduc_poker", playthroughs=200),
    ]
    processor, passed = time.process_time(), time.perf_counter()
    jobs[number]()
    return {"processor": time.process_time() - processor, "passed": time.perf_counter() - passed}
