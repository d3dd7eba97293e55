"""The serial back end: pieces in this process, one after another."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from hannan.pieces.workers import Batch, Done, Event, Function, Raised, Workers


class SerialWorkers(Workers):
    """This process as a worker. It computes a piece when `events` is called; no time limit can stop it."""

    count = 1
    on = "serial"

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Any]] = deque()

    def begin(self, function: Function, shared: Any, timeout: float | None) -> None:
        self._function, self._shared = function, shared
        self._waiting.clear()

    def free(self, depth: int) -> int:
        return 0 if self._waiting else 1

    def send(self, batch: Batch) -> None:
        self._waiting.extend(batch)

    def events(self, seconds: float) -> Sequence[Event]:
        number, argument = self._waiting.popleft()
        begun = time.monotonic()
        try:
            result = self._function(self._shared, argument)
        except Exception as error:
            return (Raised(number, error),)
        return (Done(number, result, time.monotonic() - begun),)
