"""Playthroughs that workers make: processes of this machine, or Ray.

A piece is one playthrough. Its seeds follow from the master seed and its number, so a piece whose worker was lost is
made again as it was, and none is dropped. Playthroughs are counted in the order of their numbers.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.seeds import seed_of
from hannan.certificates.stage import COLUMNS, Brief, Parcel, Told, play, unpacked
from hannan.certificates.trunk import Trunk
from hannan.errors import PieceError
from hannan.pieces.run import run_pieces
from hannan.pieces.workers import Workers
from hannan.rules.box import Box

RETRIES = 5
"""How many times a playthrough is repeated if its worker is lost."""

IN_FLIGHT = 1024
"""Playthroughs per worker that are under way or not counted yet."""


class Spread:
    """The workers of one certification."""

    piece: Callable[[Brief, tuple[int, bool]], Told] = staticmethod(play)
    """The function that makes a piece."""

    def __init__(
        self, workers: Workers, box: Box, *, address: str | None = None, hidden: int | None = None, lost: str = ""
    ) -> None:
        """`address` makes a box that cannot be sent. If a lost playthrough must not be made again, `lost` says why."""
        self._workers, self._box, self._lost = workers, box, lost
        self._parcel = Parcel.of(uuid.uuid4().hex, box, address, hidden)
        self._names, self._named = bytearray(), 0  # the packed observations, and their number
        self._briefs = 0
        self.sent = 0
        """Bytes that were sent for the last strategies."""
        self.restarts, self.trouble = 0, ""

    def begin(
        self, trunk: Trunk, plans: Sequence[Sequence[Floats]], master: int, numbers: range, twice: Callable[[int], bool]
    ) -> Flight:
        """Let workers make playthroughs that follow these strategies."""
        brief = self._brief(trunk, plans, master)
        self.sent = brief.bytes
        run = run_pieces(
            self.piece, [(t, twice(t)) for t in numbers], self._workers, shared=brief,
            retries=0 if self._lost else RETRIES, in_flight=IN_FLIGHT * self._workers.count,
        )  # fmt: skip
        return Flight(self, run, numbers, master)

    def _brief(self, trunk: Trunk, plans: Sequence[Sequence[Floats]], master: int) -> Brief:
        names = trunk.observations
        if len(names) > self._named:
            self._names += pickle.dumps(names.since(self._named), protocol=5)
            self._named = len(names)
        self._briefs += 1
        return Brief(
            self._parcel,
            self._briefs,
            master,
            trunk.players,
            [[sets.rows.view(name) for name in COLUMNS] for sets in trunk.sets],
            np.frombuffer(bytes(self._names), np.uint8),
            [list(plan) for plan in plans],
        )

    def take(self, told: Told, seed: int) -> Playthrough:
        """Return a playthrough that a worker has made, or raise its error."""
        self.restarts += told.restarts
        self.trouble = told.trouble or self.trouble
        if told.error is not None:
            raise told.error
        record, met = unpacked(told, seed)
        self._box.compare_odds(met)
        return record

    def sentence(self, error: PieceError, t: int) -> str:
        """Return the sentence about a playthrough that failed, or whose worker was lost."""
        own = str(error).partition(": ")[2]
        why = self._lost if error.__cause__ is None else ""
        return f"playthrough {t}: {own}{why and '. ' + why}"


class Flight:
    """The playthroughs with given numbers that workers make, to be taken in order."""

    def __init__(self, spread: Spread, run: Iterator[tuple[int, Any]], numbers: range, master: int) -> None:
        self._spread, self._run, self._all, self._master = spread, run, numbers, master
        self._left = numbers

    def __contains__(self, t: int) -> bool:
        return t in self._left

    def take(self, t: int) -> Playthrough:
        """Wait for playthrough t, and return it or raise its error."""
        try:
            number, told = next(self._run)
        except PieceError as error:
            failed = PieceError(self._spread.sentence(error, self._all[error.number]))
            failed.number = self._all[error.number]
            raise failed from error
        assert self._all[number] == t
        self._left = self._left[1:]
        return self._spread.take(told, seed_of(self._master, t))
