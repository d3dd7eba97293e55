"""The line of a run in a notebook: one per cell, shown late, changed in place, and empty once the run has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from html import escape
from threading import Event, Thread
from typing import Any

FIRST, BETWEEN = 0.4, 0.5
"""Seconds before a line is shown, so that short work shows none, and between two changes."""


class _Display:
    """The line of the cell that is being run; later lines in the same cell replace it."""

    cell: Any = None
    handle: Any = None
    text = ""
    writers = 0
    """Lines that are open, one inside the other: the innermost is shown."""

    @classmethod
    def show(cls, shell: Any, text: str) -> None:
        from IPython.display import display

        if cls.cell != shell.execution_count:
            cls.cell, cls.handle, cls.text = shell.execution_count, None, ""
        if text == cls.text:
            return
        bundle = {"text/plain": text, "text/html": f"<pre>{escape(text)}</pre>" if text else ""}
        if cls.handle is None:
            cls.handle = display(bundle, raw=True, display_id=True)
        else:
            cls.handle.update(bundle, raw=True)
        cls.text = text


@contextmanager
def notebook_line(
    shell: Any, drawn: Callable[[], str], wait: Callable[[Event, float], bool] = Event.wait
) -> Iterator[None]:
    """Show what `drawn` returns, in one line of the cell's output that changes twice a second, until the block ends.

    `wait` waits for the end of the block, and returns whether it has come; tests have one without a clock.
    """
    ended, depth = Event(), _Display.writers

    def follow() -> None:
        seconds = FIRST
        while not wait(ended, seconds):
            seconds = BETWEEN
            if _Display.writers == depth + 1:
                _Display.show(shell, drawn())

    _Display.writers += 1
    follower = Thread(target=copy_context().run, args=(follow,), daemon=True)  # the context names the cell
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()
        _Display.writers -= 1
        if _Display.handle is not None:
            _Display.show(shell, "")
