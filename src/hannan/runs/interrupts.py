"""Ctrl-C, SIGTERM and SIGHUP as a question that a run asks, and not as an end in the middle of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What ends a run: Ctrl-C, a polite kill, a terminal that is closed."""


@contextmanager
def interrupts(most: int) -> Iterator[Callable[[], int]]:
    """Count presses of Ctrl-C and its relatives. The first `most` are only counted; the next raises KeyboardInterrupt.

    A signal that is ignored, as SIGHUP is under nohup, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    seen = 0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        if seen == most:
            raise KeyboardInterrupt
        seen += 1

    heard = [one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN or one is signal.SIGINT]
    before = {one: signal.signal(one, note) for one in heard}
    try:
        yield lambda: seen
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
