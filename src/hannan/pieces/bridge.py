"""The bridge to Ray: a process of ours that is Ray's driver.

Ray ends its driver when the head node, or the node that the driver is on, is lost. So the driver is not the process
that holds the work: that one sees the bridge end, and starts another (`ray.py`).
"""

from __future__ import annotations

import pickle
from queue import Empty
from typing import Any

from hannan.errors import HannanError
from hannan.pieces.actors import Actors
from hannan.pieces.pipes import Parent

LOOKING = 0.005
"""Seconds between two looks at whether the parent has said something."""


def main() -> None:
    """Hand batches to actors, and what came of them back, until the standard input ends."""
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
    """Return the next message; None: there is none now."""
    try:
        return parent.messages.get(block=waits)
    except Empty:
        return None


def _heard(parent: Parent, actors: Actors | None, kind: str, payload: bytes) -> Actors:
    """Do what a message says; return the actors."""
    said: Any = pickle.loads(payload)
    if actors is None:
        actors = Actors(*said)
        parent.answer(("ready", actors.count, None))
    elif kind == "work":
        actors.begin(*said)
    else:
        actors.send(*said)
    return actors
