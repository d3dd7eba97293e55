"""What a user hears about compiling: that it has begun, and at the end what was compiled and how long that took."""

from __future__ import annotations

import atexit
import gc
import sys
import time
from collections.abc import Mapping
from typing import Any

from numba.core import event

from hannan.kernels.stamps import Keeping

LEAST = 1.0
"""Seconds of compiling below which a process ends without a summary."""

NAMED = 3
"""The most files that a summary names."""


class Listener(event.Listener):  # type: ignore[misc]  # numba has no types
    """Listens to numba while it compiles kernels; loading one from the cache says nothing.

    Say once, on standard error, that a kernel is being compiled, and at the end of the process what took how long.
    Collect no garbage meanwhile: a compiler makes millions of objects and drops most of them at the end, and looking
    for garbage among them took a tenth of its time.
    """

    said = False
    under_way = 0
    collecting = False
    begun = 0.0
    kernels = 0

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        """The seconds of each file whose kernels were called; kernels that these call are part of them."""

    def on_start(self, event: Any) -> None:
        if not _is_ours(event):
            return
        self.under_way += 1  # first: `on_end` follows, also after an interrupt
        if self.under_way == 1:
            self.collecting, self.begun = gc.isenabled(), time.perf_counter()
            gc.disable()
        if not self.said:
            self.said = True
            kept = "" if Keeping.lost else ", this once; the next start takes it from the cache"
            print(f"hannan: compiling{kept}", file=sys.stderr, flush=True)
            atexit.register(self.report)

    def on_end(self, event: Any) -> None:
        if not _is_ours(event):
            return
        self.under_way -= 1
        if self.under_way == 0:
            file = _function(event).__module__.removeprefix("hannan.").removeprefix("kernels.")
            self.seconds[file] = self.seconds.get(file, 0.0) + time.perf_counter() - self.begun
            self.kernels += 1
            if self.collecting:
                gc.enable()

    def report(self) -> None:
        """Say what was compiled, unless it was quick."""
        if sum(self.seconds.values()) >= LEAST and sys.stderr is not None:
            print(f"hannan: {summary(self.kernels, self.seconds)}", file=sys.stderr, flush=True)


def summary(kernels: int, seconds: Mapping[str, float]) -> str:
    """Return what was compiled, in one line: the number of kernels, and the files that took longest."""
    longest = sorted(seconds, key=lambda file: -seconds[file])[:NAMED]
    named = ", ".join(f"{file} {seconds[file]:.1f} s" for file in longest)
    return f"compiled {kernels} kernels in {sum(seconds.values()):.1f} s ({named})"


def _function(event: Any) -> Any:
    return event.data["dispatcher"].py_func


def _is_ours(event: Any) -> bool:
    return bool(_function(event).__module__.startswith("hannan"))
