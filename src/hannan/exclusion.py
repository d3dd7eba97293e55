"""Exclusive use of objects with state: only one thread at a time works with an object; a second one gets an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import get_ident
from typing import Any, TypeVar

from hannan.errors import UnsuitableError

OWNER = "_owner"
"""The attribute with the thread that works with an object; it exists only during the work."""

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def alone(thing: Any) -> Iterator[None]:
    """Work with an object inside the block; raise an error if another thread does. A thread may nest such blocks.

    The mark is set by one atomic operation. An object without a `__dict__` is not marked.
    """
    marks: dict[str, Any] = getattr(thing, "__dict__", {})
    mark = (get_ident(), object())
    owner = marks.setdefault(OWNER, mark)
    if owner[0] != mark[0]:
        raise UnsuitableError(
            f"another thread is working with this {type(thing).__name__}, and both would corrupt its state: use one "
            "object per thread"
        )
    try:
        yield
    finally:
        if owner is mark:
            marks.pop(OWNER, None)


def exclusive(method: F) -> F:
    """Let a method run only while no other thread works with its object."""

    @wraps(method)
    def guarded(self: Any, *args: Any, **keywords: Any) -> Any:
        with alone(self):
            return method(self, *args, **keywords)

    return guarded  # type: ignore[return-value]


def guard(kind: type, names: Iterable[str]) -> None:
    """Make the named methods exclusive, if the class itself defines them."""
    for name in names:
        if callable(method := kind.__dict__.get(name)):
            setattr(kind, name, exclusive(method))
