"""The linear program in its own thread, in parallel with the methods of `auto`: the first to finish wins."""

from __future__ import annotations

import weakref
from threading import Thread

from hannan.errors import HannanError
from hannan.forms.game import ExpandedGame
from hannan.solvers.exact.lp import SequenceFormLP

LOOK = 0.05
"""Seconds between two attempts to end the thread: the program may not have been built yet."""


class Beside:
    """A linear program under way. It ends when it is cancelled, or when this object is garbage-collected."""

    def __init__(self, game: ExpandedGame) -> None:
        self._program = SequenceFormLP(game)
        self._thread = Thread(target=_run, args=(self._program,), name="hannan-lp", daemon=True)
        self._thread.start()
        weakref.finalize(self, self._program.cancel).atexit = False

    def arrived(self) -> SequenceFormLP | None:
        """Return the program if it has solved the game."""
        return self._program if not self._thread.is_alive() and self._program.iterations else None

    def cancel(self) -> None:
        """End the thread, and wait for its end."""
        while self._thread.is_alive():
            self._program.cancel()
            self._thread.join(LOOK)


def _run(program: SequenceFormLP) -> None:
    try:
        program.run(1)
    except HannanError:  # payoffs too far apart in size: the other methods continue alone
        return
