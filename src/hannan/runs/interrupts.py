"""Ctrl-C as a question that a run asks, and not as an exception in the middle of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts(most: int) -> Iterator[Callable[[], int]]:
    """Count presses of Ctrl-C. The first `most` are only counted; the next one raises KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    seen = 0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        if seen == most:
            raise KeyboardInterrupt
        seen += 1

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: seen
    finally:
        signal.signal(signal.SIGINT, before)
