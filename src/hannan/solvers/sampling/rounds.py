"""Streams on workers. A round takes every stream from one iteration to a later one; a leg is one stream's part of it.

A leg is a pure function of the state in which it finds the stream: the tables travel to the worker and back. Where a
round ends changes no number, because a stream that is saved and restored goes on to the same bits. So rounds grow until
the journey is short compared with the walks.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from hannan.errors import HannanError
from hannan.kernels.sampling.records import WALKS
from hannan.pieces.run import run_pieces
from hannan.pieces.worker import sendable
from hannan.pieces.workers import Workers
from hannan.solvers.sampling.recipe import State, StreamRecipe
from hannan.solvers.sampling.streams import Stream

SHORTEST, LONGEST = 0.3, 30.0
"""Seconds of a round, at least and at most."""

JOURNEY = 20
"""A round takes this many times as long as sending the tables."""


class Leg(NamedTuple):
    """A stream that is to go on."""

    stream: int
    until: int
    """The number of its walks then."""
    state: State


class Place(NamedTuple):
    """Where a stream stands."""

    state: State
    full: str
    """Why it makes no more walks, in a sentence."""
    seconds: float
    """Spent walking in the last leg."""

    @property
    def walks(self) -> int:
        """How many walks it has made."""
        return int(self.state["counts"][WALKS])


def walk_leg(recipe: StreamRecipe, leg: Leg) -> Place | Exception:
    """Let a stream go on. An error of the game is returned: of several, the caller raises that of the first stream."""
    stream = recipe.restored(leg.stream, leg.state)
    before = time.perf_counter()
    try:
        stream.walk(leg.until)
    except HannanError as error:
        return sendable(error)
    took = time.perf_counter() - before
    return Place(stream.state(), stream.full, took)


class Rounds:
    """The streams of a sampler, and the workers that let them go on."""

    def __init__(self, recipe: StreamRecipe, workers: Workers, streams: list[Stream]) -> None:
        self._recipe, self._workers = recipe, workers
        self.places = [Place(stream.state(), stream.full, 0.0) for stream in streams]
        self.seconds = SHORTEST
        """How long a round should take."""

    def prepare(self) -> None:
        """Let every worker make the game, and load what is compiled."""
        legs = [Leg(0, 0, self.places[0].state)] * self._workers.count
        for _ in run_pieces(walk_leg, legs, self._workers, shared=self._recipe, ordered=False):
            pass

    def run(self, until: int) -> None:
        """Let all streams that have room go on to this number of walks. A round that is halted did not happen."""
        legs = [Leg(k, until, place.state) for k, place in enumerate(self.places) if not place.full]
        before, places = time.perf_counter(), list(self.places)
        for number, place in run_pieces(walk_leg, legs, self._workers, shared=self._recipe):
            if isinstance(place, Exception):
                raise place
            places[legs[number].stream] = place
        walking = sum(places[leg.stream].seconds for leg in legs) / max(min(self._workers.count, len(legs)), 1)
        journey = max(time.perf_counter() - before - walking, 0.0)
        self.seconds = min(max(JOURNEY * journey, SHORTEST), LONGEST)
        self.places = places

    def streams(self, before: list[Stream]) -> list[Stream]:
        """Return all streams as they stand; those of `before`, as far as there are any, become these."""
        streams = before or [self._recipe.stream(k) for k in range(len(self.places))]
        for stream, place in zip(streams, self.places, strict=True):
            stream.restore(place.state)
            stream.full = place.full
        return streams
