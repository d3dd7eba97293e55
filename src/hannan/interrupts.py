"""Signals and limits that end long work: a run checks for them, and so do loops inside its steps.

Ctrl-C, SIGTERM and similar signals are counted, and do not end a run in the middle of a step.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU")
SIGNALS = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))
"""Signals that end a run: Ctrl-C, kill (SIGTERM), a closed terminal, and the limit of processor time."""


class Terminated(KeyboardInterrupt):
    """SIGTERM or a closed terminal, outside of a run that counts signals."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def meant(error: BaseException) -> bool:
    """Return whether an error is Ctrl-C; during a class definition, Python 3.11 wraps it in another error."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


def terminate(number: int, frame: FrameType | None) -> None:
    """End as on Ctrl-C, so that child processes end and temporary files are removed."""
    raise Terminated(number)


@contextmanager
def terminating() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the code inside the block as Ctrl-C does.

    After such a signal has ended a run, further ones are ignored until the process ends, which is soon.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    deadly = [one for one in SIGNALS if signal.getsignal(one) is signal.SIG_DFL]
    for one in deadly:
        signal.signal(one, terminate)
    try:
        yield
    finally:
        for one in deadly:
            if signal.getsignal(one) is terminate:
                signal.signal(one, signal.SIG_DFL)


@contextmanager
def interrupts(most: int) -> Iterator[Callable[[], int]]:
    """Count Ctrl-C and similar signals. The first `most` are only counted; the next Ctrl-C raises KeyboardInterrupt.

    A signal that is ignored, such as SIGHUP under nohup, stays ignored. Only Ctrl-C raises: a user who closes a
    terminal or kills a group of processes may send several other signals, which together ask once for the result. So
    after one of these has ended the run, the command line ignores them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    seen, asked = 0, False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal seen, asked
        asked = asked or number != signal.SIGINT
        if seen < most:
            seen += 1
        elif number == signal.SIGINT:
            raise KeyboardInterrupt

    heard = [one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN or one is signal.SIGINT]
    before = {one: signal.signal(one, note) for one in heard}
    try:
        yield lambda: seen
    finally:
        for one, handler in before.items():
            signal.signal(one, signal.SIG_IGN if asked and handler is terminate else handler)


_enough: ContextVar[Callable[[], bool] | None] = ContextVar("enough", default=None)


class Halted(BaseException):  # a request, not an error: code that catches errors should not catch it
    """The caller has ended this work: its unfinished part is undone, and its finished parts stand."""


@contextmanager
def patience(enough: Callable[[], bool]) -> Iterator[None]:
    """Let `go_on` raise `Halted` inside the block as soon as `enough` returns true."""
    token = _enough.set(enough)
    try:
        yield
    finally:
        _enough.reset(token)


def go_on() -> None:
    """Raise `Halted` if the work should end; long work calls this every few milliseconds."""
    enough = _enough.get()
    if enough is not None and enough():
        raise Halted
