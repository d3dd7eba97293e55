"""Run pieces of work on workers: in batches, with retries and a limit on the number of pieces in flight."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from hannan.arguments import positive, whole
from hannan.errors import PieceError
from hannan.interrupts import go_on
from hannan.pieces.workers import Done, Event, Function, Lost, Raised, Workers

BATCH_SECONDS = 0.05
"""Seconds of work in one batch: long compared with the transport of a batch, short for a person who waits."""

MOST_BATCHED = 1000

LOOKING = 0.1
"""Seconds between two checks whether the run should stop."""

IN_FLIGHT = 4096
"""The default limit, per worker, on pieces that are sent out and whose results are not yet yielded."""


def run_pieces(
    function: Function,
    pieces: Iterable[Any],
    workers: Workers,
    *,
    shared: Any = None,
    ordered: bool = True,
    retries: int = 2,
    in_flight: int | None = None,
    timeout: float | None = None,
    finished: Collection[int] = frozenset(),
) -> Iterator[tuple[int, Any]]:
    """Compute pieces of work; yield the number and the result of each.

    The results depend only on the pieces: not on the back end, the number of workers, their failures, or the order of
    arrival.

    Parameters
    ----------
    function
        Computes one piece: `function(shared, argument)`. It must be defined at the top level of a module, change
        neither of the two, and take its random seed from its argument.
    pieces
        The arguments. An iterator is read only as far as workers have room.
    shared
        The data that every piece needs. Each worker receives it once; its large arrays exist once per machine,
        read-only.
    ordered
        Whether results come in the order of the pieces, or as they arrive.
    retries
        How often a piece is repeated if its worker dies or takes too long, before the run stops.
    in_flight
        The largest number of pieces that are sent out and not yet yielded. It bounds the memory for results.
    timeout
        Seconds that a worker may take for one piece. A worker that takes longer is stopped, and counts as dead.
    finished
        Numbers of finished pieces, which are left out.

    Raises
    ------
    PieceError
        If a piece raised an error, or lost its worker too often. `number` is the piece, `__cause__` its own error.
    """
    whole("retries", retries, 0)
    if timeout is not None:
        positive("timeout", timeout)
    most = whole("in_flight", in_flight) if in_flight is not None else IN_FLIGHT * workers.count
    return _Run(function, pieces, workers, shared, timeout, ordered, retries, most, finished).results()


class _Run:
    """The state of one run: waiting, unfinished and finished pieces."""

    def __init__(
        self,
        function: Function,
        pieces: Iterable[Any],
        workers: Workers,
        shared: Any,
        timeout: float | None,
        ordered: bool,
        retries: int,
        most: int,
        finished: Collection[int],
    ) -> None:
        self.workers, self.ordered, self.retries, self.most = workers, ordered, retries, most
        self.work = (function, shared, timeout)
        done = frozenset(finished)
        self.total = len(pieces) - len(done) if isinstance(pieces, Sequence) else None
        self.waiting = ((number, given) for number, given in enumerate(pieces) if number not in done)
        self.given: dict[int, Any] = {}  # arguments of unfinished pieces
        self.again: deque[int] = deque()  # pieces to repeat, each in its own batch
        self.losses: dict[int, int] = {}
        self.made: dict[int, Any] = {}  # results that are not yet yielded
        self.order: deque[int] = deque()  # numbers of pieces that are sent out or finished, and not yet yielded
        self.seconds: float | None = None  # the approximate time of one piece
        self.begun = 0
        self.exhausted = False

    def results(self) -> Iterator[tuple[int, Any]]:
        self.workers.begin(*self.work)
        while True:
            self._give_out()
            if not self.given:
                return
            go_on()
            for event in self.workers.events(LOOKING):
                self._take(event)
            yield from self._ready()

    def _give_out(self) -> None:
        """Send batches to workers that have room."""
        short = self.seconds is not None and self.seconds < BATCH_SECONDS
        for _ in range(self.workers.free(2 if short else 1)):
            if self.again:
                number = self.again.popleft()
                self.workers.send([(number, self.given[number])])
                continue
            if self.exhausted:
                return
            room = min(self._batched(), self.most - len(self.given) - len(self.made))
            batch = list(islice(self.waiting, room)) if room > 0 else []
            if not batch:
                self.exhausted = room > 0
                return
            self.given.update(batch)
            self.order.extend(number for number, _ in batch if self.ordered)
            self.begun += len(batch)
            self.workers.send(batch)

    def _batched(self) -> int:
        """Return the number of pieces in the next batch."""
        if self.seconds is None or self.work[2] is not None:  # with a time limit, each piece is watched alone
            return 1
        size = min(int(BATCH_SECONDS / max(self.seconds, 1e-9)), MOST_BATCHED)
        if self.total is not None:
            size = min(size, (self.total - self.begun) // (2 * self.workers.count))
        return max(size, 1)

    def _take(self, event: Event) -> None:
        match event:
            case Done(number, result, seconds):
                del self.given[number]
                self.made[number] = result
                self.seconds = seconds if self.seconds is None else 0.8 * self.seconds + 0.2 * seconds
            case Raised(number, error):
                raise PieceError.raised(number, error) from error
            case Lost(numbers, reason, guilty):
                for number in numbers:
                    self._lose(number, reason, guilty)

    def _lose(self, number: int, reason: str, guilty: bool) -> None:
        """Repeat a lost piece; if it may have caused more than `retries` losses itself, end the run."""
        self.losses[number] = self.losses.get(number, 0) + guilty
        if self.losses[number] > self.retries:
            raise PieceError.lost(number, self.losses[number], reason)
        self.again.append(number)

    def _ready(self) -> Iterator[tuple[int, Any]]:
        """Yield the finished pieces; in order mode, only those whose predecessors were yielded."""
        if not self.ordered:
            while self.made:
                yield self.made.popitem()
        while self.order and self.order[0] in self.made:
            number = self.order.popleft()
            yield number, self.made.pop(number)
