"""How signals and limits reach into long work: a run asks whether they came, and loops inside its steps ask too.

Ctrl-C, SIGTERM and their relatives are counted, and do not end a run in the middle of a step.
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
"""What ends a run: Ctrl-C, a polite kill, a terminal that is closed, processor time that is used up."""


class Terminated(KeyboardInterrupt):
    """A polite kill, or a terminal that was closed, where no run counts them."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def meant(error: BaseException) -> bool:
    """Return whether an error is Ctrl-C; Python 3.11 hides it in another one where it comes while a class is made."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


def terminate(number: int, frame: FrameType | None) -> None:
    """End as on Ctrl-C, so that what was started is ended and what was begun is removed."""
    raise Terminated(number)


@contextmanager
def terminating() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end whatever is done inside the block as Ctrl-C does.

    Where a run was ended by one, they stay unheard to the end of the process, which is near.
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
    """Count presses of Ctrl-C and its relatives. The first `most` are only counted; the next raises KeyboardInterrupt.

    A signal that is ignored, as SIGHUP is under nohup, stays ignored. Only Ctrl-C raises: a user who closes a terminal
    or kills a group of processes may send several of the others, which ask for the result as one does. So the command
    line does not listen to them any more once the run has ended by one.
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
    """Let `go_on` raise `Halted` inside the block as soon as `enough` says so."""
    token = _enough.set(enough)
    try:
        yield
    finally:
        _enough.reset(token)


def go_on() -> None:
    """Raise `Halted` where it is enough; to be called every few milliseconds of long work."""
    enough = _enough.get()
    if enough is not None and enough():
        raise Halted
