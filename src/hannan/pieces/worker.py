"""A worker process: it computes pieces and sends each result at once.

The payload of the message `work` holds the function and the shared data, that of `pieces` the numbers and arguments.
"""

from __future__ import annotations

import pickle
import time
from typing import Any

from hannan.pieces.packing import Packed, unpacked
from hannan.pieces.pipes import Parent


def main() -> None:
    """Compute pieces until the standard input ends."""
    parent = Parent()
    function, shared, key = None, None, 0
    while True:
        kind, payload = parent.messages.get()
        try:
            if kind == "pieces":
                batch = pickle.loads(payload)
            else:
                made_by, which, packed = pickle.loads(payload)
                function = pickle.loads(made_by)
                if which != key:
                    shared = None  # free it before the next shared data is loaded
                    shared, key = _shared(packed), which
                parent.answer(("ready", -1, None, 0.0))
                continue
        except Exception as error:
            parent.answer(("unfit", -1, f"{type(error).__name__}: {error}", 0.0))
            continue
        for number, argument in batch:
            parent.answer(piece(function, shared, number, argument))


def _shared(packed: Packed) -> Any:
    return unpacked(packed.rest, packed.buffers())


def piece(function: Any, shared: Any, number: int, argument: Any) -> tuple[str, int, bytes, float]:
    """Compute a piece; return `done` or `raised`, its number, the result or error as bytes, and its seconds."""
    begun = time.monotonic()
    try:
        result = pickle.dumps(function(shared, argument), protocol=5)
    except Exception as error:
        return "raised", number, pickle.dumps(sendable(error), protocol=5), 0.0
    return "done", number, result, time.monotonic() - begun


def sendable(error: Exception) -> Exception:
    """Return an error that can be pickled: the error itself, or a RuntimeError with its class and message."""
    try:
        if str(pickle.loads(pickle.dumps(error))) == str(error):
            return error
    except Exception:  # the class may be the user's: pickling may raise anything
        pass
    return RuntimeError(f"{type(error).__name__}: {error}")
