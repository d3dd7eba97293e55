"""Walks over all histories of any rules, with an early refusal of far too large games and reports of progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TypeGuard

from hannan.errors import SizeError
from hannan.forms.descent import Descent
from hannan.forms.outline import estimate, too_many
from hannan.forms.sharing import LEAST, share
from hannan.forms.subtrees import SharedWalk
from hannan.forms.survey import Seen, Walk
from hannan.memory import available, lean, readable
from hannan.rules.checks import make_plays
from hannan.rules.doors import is_ours, is_quick
from hannan.rules.plain import Rules
from hannan.rules.promises import check_players


def try_rules(rules: Rules) -> None:
    """Make a few plays of rules that are not built in, to find endless plays and stray writes early."""
    if not is_ours(rules):
        check_players(rules)
        make_plays(rules, plays=8)


def walk_kind(rules: Rules) -> type[Walk]:
    """Return the type of walk for rules: compiled or plain."""
    return SharedWalk if is_quick(rules) else Descent


def walk(
    rules: Rules,
    *,
    recording: bool = False,
    collecting: int = 0,
    limit: int | None = None,
    seen: Seen | None = None,
) -> Walk:
    """Visit every history, at most `limit` or as many as fit; refuse a far too large game early."""
    try_rules(rules)
    kind = walk_kind(rules)
    if recording:
        fits = min(available() // kind.bytes_per_history if limit is None else limit, 2**31 - 2)
        why = f"some {fits:,} fit into the {readable(available())} of memory that are free"
    else:
        fits = kind.longest if limit is None else limit
        why = f"at most {fits:,} are walked"
    going = kind(rules, recording=recording, collecting=collecting)
    try:
        going.go(min(kind.quick, fits))
    except SizeError:
        guess = estimate(rules)
        if guess > 10 * fits or fits <= kind.quick:
            raise too_many(rules, guess, why) from None
        if isinstance(going, SharedWalk):
            going.expect(guess)
        with lean():
            if not (_shares(going, recording, fits) and share(going, fits, seen)):
                going.go(fits, seen)
    return going


def _shares(going: Walk, recording: bool, most: int) -> TypeGuard[SharedWalk]:
    """Return whether threads may share a walk: a compiled one that takes no notes and is long enough."""
    return isinstance(going, SharedWalk) and not recording and going.gained is None and most >= LEAST


Progress = Callable[[int, float], None]
"""Takes the number of histories visited so far and an estimate of the total. If a game is walked twice, both walks
count."""

_watchers: ContextVar[tuple[Progress, ...]] = ContextVar("watchers", default=())


@contextmanager
def watching(progress: Progress) -> Iterator[None]:
    """Call `progress` now and then while code inside the block walks a game that is not small."""
    token = _watchers.set((*_watchers.get(), progress))
    try:
        yield
    finally:
        _watchers.reset(token)


class Watch:
    """Reports the progress of a walk to all watchers, and to `progress` if given."""

    def __init__(self, rules: Rules, progress: Progress | None = None) -> None:
        self._rules = rules
        self._told = _watchers.get() if progress is None else (*_watchers.get(), progress)

    @cached_property
    def guess(self) -> float:
        """An estimate of the number of histories."""
        return estimate(self._rules)

    def seen(self, histories: int) -> None:
        """Report the number of histories that were visited."""
        for watcher in self._told:
            watcher(histories, max(self.guess, histories))

    def again(self, nodes: int) -> Callable[[int], None]:
        """Return a function that reports the progress of a second walk over `nodes` histories."""

        def seen(histories: int) -> None:
            for watcher in self._told:
                watcher(nodes + histories, 2.0 * nodes)

        return seen
