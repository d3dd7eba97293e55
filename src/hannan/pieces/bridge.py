"""The bridge to Ray: a child process that is Ray's driver.

Ray ends its driver when the head node or the driver's own node is lost. So the driver is a separate process: if it
ends, the process that holds the work starts another one (`ray.py`).
"""

from __future__ import annotations

import pickle
from queue import Empty
from typing import Any

from hannan.errors import HannanError
from hannan.pieces.actors import Actors
from hannan.pieces.pipes import Parent

LOOKING = 0.005
"""Seconds between two checks for messages of the parent."""


def main() -> None:
    """Pass batches to actors, and their events to the parent, until the standard input ends."""
    parent = Parent()
    actors: Actors | None = None
    while True:
        waits = actors is None or not actors.busy
        try:
            while (message := _next(parent, waits)) is not None:
                kind, payload = message
                if kind == "close":
                    return  # Ray shuts down with its driver
                actors, waits = _heard(parent, actors, kind, payload), False
            if actors is not None and actors.busy and (told := actors.events(LOOKING)):
                parent.answer(("told", told, (actors.run, actors.pids())))
        except Exception as error:
            known = error if isinstance(error, HannanError) else HannanError(f"{type(error).__name__}: {error}")
            parent.answer(("unfit", pickle.dumps(known), None))
            return


def _next(parent: Parent, waits: bool) -> tuple[str, bytes] | None:
    """Return the next message; None if the queue is empty and `waits` is False."""
    try:
        return parent.messages.get(block=waits)
    except Empty:
        return None


def _heard(parent: Parent, actors: Actors | None, kind: str, payload: bytes) -> Actors:
    """Carry out a message; return the actors."""
    said: Any = pickle.loads(payload)
    if actors is None:
        actors = Actors(*said)
        parent.answer(("ready", actors.count, None))
    elif kind == "work":
        actors.begin(*said)
    else:
        actors.send(*said)
    return actors
