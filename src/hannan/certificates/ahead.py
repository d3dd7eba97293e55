"""Playthroughs of this process: the box begins the next one before the last is handed over.

So a simulator in a process of its own works while that one is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hannan.certificates.playthrough import Playthrough, UnderWay, whole
from hannan.errors import HannanError
from hannan.rules.box import OvertakenError


class Ahead:
    """Playthroughs of some numbers, to be taken in order."""

    def __init__(self, numbers: range, begin: Callable[[int], UnderWay[Playthrough]]) -> None:
        """`begin` is the playthrough with a number; it must not depend on those before it here."""
        self._numbers, self._begin = numbers, begin
        self._begun: UnderWay[Playthrough] | None = None  # the first of `numbers`

    def __contains__(self, t: int) -> bool:
        return t in self._numbers

    def take(self, t: int) -> Playthrough:
        """Make playthrough t, let the box begin the one after it, and return it; or raise what went wrong with it."""
        play = self._begun or self._begin(t)
        while True:
            try:
                record = whole(play)
                break
            except OvertakenError:
                play = self._begin(t)
        self._numbers, self._begun = range(t + 1, self._numbers.stop), None
        if self._numbers:
            following = self._begin(t + 1)
            with suppress(HannanError):  # the next one begins anew then, and says so itself
                next(following)
                self._begun = following
        return record
