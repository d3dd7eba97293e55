"""A clock that moves only when a test moves it."""

from __future__ import annotations


class Clock:
    """Takes the place of the module `time`."""

    def __init__(self) -> None:
        self.now = 1000.0

    def perf_counter(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
