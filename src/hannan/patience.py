"""How limits and signals reach into long work: whoever drives it says when it is enough, and loops inside it ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_enough: ContextVar[Callable[[], bool] | None] = ContextVar("enough", default=None)


class Halted(BaseException):  # a wish and no error: nothing that catches errors should catch it
    """Whoever drives this work wants no more of it: what was begun is undone, and what was whole before stands."""


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
