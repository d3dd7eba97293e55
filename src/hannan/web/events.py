"""Numbered events, sent to every page that listens. The last events are kept for pages that reconnect."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any

import anyio

from hannan.web.numbers import plain

KEPT = 2000
"""The number of events that are kept."""
QUIET = 15.0
"""Seconds after which a comment shows that the stream is alive."""
LOOK = 0.1
"""Seconds between two checks for new events."""


class Events:
    """The events of a session. Any thread may add an event; any number of streams may follow."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: deque[tuple[int, str, str]] = deque(maxlen=KEPT)
        self.last = 0
        """The id of the last event."""
        self.closed = False

    def tell(self, event: str, data: Mapping[str, Any]) -> None:
        """Add an event."""
        text = json.dumps(plain(data))
        with self._lock:
            self.last += 1
            self._kept.append((self.last, event, text))

    def after(self, last: int) -> list[tuple[int, str, str]] | None:
        """Return the events after an id; None if some of them are no longer kept, or if the id was never used."""
        with self._lock:
            if last > self.last or (self._kept and last + 1 < self._kept[0][0]):
                return None
            skipped = 0 if not self._kept else max(last + 1 - self._kept[0][0], 0)
            return [] if last == self.last else list(self._kept)[skipped:]

    def close(self) -> None:
        """End all streams."""
        self.closed = True

    async def stream(self, last: int | None) -> AsyncIterator[bytes]:
        """Yield server-sent events from an id on; None: from now on."""
        at, quiet = self.last if last is None else last, 0.0
        yield b"retry: 1000\n\n"
        while not self.closed:
            new = self.after(at)
            if new is None:
                at, quiet = self.last, 0.0
                yield f"id: {at}\nevent: reset\ndata: {{}}\n\n".encode()
            for number, event, text in new or ():
                at, quiet = number, 0.0
                yield f"id: {number}\nevent: {event}\ndata: {text}\n\n".encode()
            if quiet >= QUIET:
                quiet = 0.0
                yield b": still here\n\n"
            await anyio.sleep(LOOK)
            quiet += LOOK
