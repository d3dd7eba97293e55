"""Several playthroughs at once, in one thread: each goes on when its box has answered, and meanwhile others do.

A box begins its next playthrough before the last one is handed over, so that it works while that one is counted.
"""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Iterable, Sequence

from hannan.certificates.playthrough import Playthrough, UnderWay
from hannan.errors import HannanError
from hannan.interrupts import go_on
from hannan.rules.box import Box, OvertakenError

PATIENCE = 0.25
"""Seconds of waiting between two looks at whether the run should go on."""


class Ahead:
    """Playthroughs of some numbers, to be taken in order."""

    def __init__(
        self, boxes: Sequence[Box], numbers: range, begin: Callable[[Box, int], UnderWay[Playthrough]]
    ) -> None:
        """`begin` is a playthrough of a box with a number; what it is must not depend on those before it here."""
        self._waiting, self._begin = numbers, begin
        self._done: dict[int, Playthrough | HannanError] = {}
        self._under_way: dict[Box, tuple[int, UnderWay[Playthrough]]] = {}
        for box in boxes[: len(numbers)]:
            self._next(box)

    def __contains__(self, t: int) -> bool:
        return t in self._waiting or t in self._done or any(t == number for number, _ in self._under_way.values())

    def take(self, t: int) -> Playthrough:
        """Return a playthrough once it is over, or raise what went wrong with it."""
        done = self._done
        while t not in done:
            for box in self._ready():
                self._go_on(box)
        record = self._done.pop(t)
        if isinstance(record, HannanError):
            raise record
        return record

    def _next(self, box: Box) -> None:
        """Let a box begin the next playthrough, where there is one more."""
        if self._waiting:
            self._start(box, self._waiting[0])
            self._waiting = self._waiting[1:]

    def _start(self, box: Box, t: int) -> None:
        self._under_way[box] = t, self._begin(box, t)
        self._go_on(box)

    def _go_on(self, box: Box) -> None:
        """Go on with what a box plays, up to the next question; at the end let it begin another."""
        t, play = self._under_way[box]
        try:
            next(play)
        except StopIteration as end:
            self._done[t] = end.value
        except OvertakenError:
            self._start(box, t)
            return
        except HannanError as error:
            self._done[t] = error
        else:
            return
        del self._under_way[box]
        self._next(box)

    def _ready(self) -> Iterable[Box]:
        """Return the boxes that can go on, once there is one."""
        boxes = list(self._under_way)
        if len(boxes) == 1:  # it waits itself
            return boxes
        ready, at, until = list[Box](), dict[int, Box](), math.inf
        for box in boxes:
            where = box.waits()
            if where is None:
                ready.append(box)
            else:
                at[where[0]], until = box, min(until, where[1])
        if ready:
            return ready
        files = select.poll()
        for file in at:
            files.register(file, select.POLLIN)
        while True:
            go_on()
            left = max(until - time.monotonic(), 0.0)
            answered = files.poll(min(left, PATIENCE) * 1e3)
            if answered or left == 0.0:
                return [at[file] for file, _ in answered] or [min(boxes, key=_until)]


def _until(box: Box) -> float:
    """Return until when a box may answer."""
    where = box.waits()
    return 0.0 if where is None else where[1]
