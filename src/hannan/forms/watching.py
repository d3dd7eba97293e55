"""Who hears how far a walk over rules has got."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property

from hannan.forms.guessing import estimate
from hannan.rules.plain import Rules

Progress = Callable[[int, float], None]
"""Takes how many histories have been visited, and an estimate of how many there are; twice as many where a game is
walked twice."""

_watchers: ContextVar[tuple[Progress, ...]] = ContextVar("watchers", default=())


@contextmanager
def watching(progress: Progress) -> Iterator[None]:
    """Call `progress` now and then while anybody inside the block walks a game that is not small."""
    token = _watchers.set((*_watchers.get(), progress))
    try:
        yield
    finally:
        _watchers.reset(token)


class Watch:
    """Tells watchers, and whoever asked besides, how far a walk has got."""

    def __init__(self, rules: Rules, progress: Progress | None = None) -> None:
        self._rules = rules
        self._told = _watchers.get() if progress is None else (*_watchers.get(), progress)

    @cached_property
    def guess(self) -> float:
        """How many histories there are: an estimate."""
        return estimate(self._rules)

    def seen(self, histories: int) -> None:
        """Say how many histories were visited."""
        for watcher in self._told:
            watcher(histories, max(self.guess, histories))

    def again(self, nodes: int) -> Callable[[int], None]:
        """Return what says how many histories a second walk has visited; nodes: how many there are."""

        def seen(histories: int) -> None:
            for watcher in self._told:
                watcher(nodes + histories, 2.0 * nodes)

        return seen
