"""Playthroughs in this process: the box begins the next one before the last one is returned.

So a simulator in a process of its own works while the last playthrough is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from hannan.certificates.playthrough import Playthrough, UnderWay, whole
from hannan.errors import HannanError
from hannan.rules.box import OvertakenError


class Ahead:
    """The playthroughs with given numbers, to be taken in order."""

    def __init__(self, numbers: range, begin: Callable[[int], UnderWay[Playthrough]]) -> None:
        """`begin` begins the playthrough with a number; it must not depend on the earlier ones of `numbers`."""
        self._numbers, self._begin = numbers, begin
        self._begun: UnderWay[Playthrough] | None = None  # the first of `numbers`

    def __contains__(self, t: int) -> bool:
        return t in self._numbers

    def take(self, t: int) -> Playthrough:
        """Finish playthrough t, let the box begin the next one, and return t's; or raise the error of playthrough t."""
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
            with suppress(HannanError):  # then the next one begins anew and raises the error itself
                next(following)
                self._begun = following
        return record
