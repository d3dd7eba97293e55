"""Streams on workers. A round takes every stream from one iteration to a later one; a leg is one stream's part of it.

A leg is a pure function of the stream's state: the tables are sent to the worker and back. The ends of rounds change no
number, because a stream that is saved and restored continues to the same bits. So rounds grow until sending takes a
short time compared with the walks.
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
"""The fewest and the most seconds of a round."""

JOURNEY = 20
"""A round takes this many times as long as sending the tables."""


class Leg(NamedTuple):
    """A part of a stream to walk."""

    stream: int
    until: int
    """The number of the stream's walks at the end."""
    state: State


class Place(NamedTuple):
    """The state of a stream."""

    state: State
    full: str
    """Why it makes no more walks, as a sentence; empty if it does."""
    seconds: float
    """Seconds of walking in the last leg."""

    @property
    def walks(self) -> int:
        """The number of walks that it has made."""
        return int(self.state["counts"][WALKS])


def walk_leg(recipe: StreamRecipe, leg: Leg) -> Place | Exception:
    """Continue a stream. An error of the game is returned; of several, the caller raises that of the first stream."""
    stream = recipe.restored(leg.stream, leg.state)
    before = time.perf_counter()
    try:
        stream.walk(leg.until)
    except HannanError as error:
        return sendable(error)
    took = time.perf_counter() - before
    return Place(stream.state(), stream.full, took)


class Rounds:
    """The streams of a sampler, and the workers that continue them."""

    def __init__(self, recipe: StreamRecipe, workers: Workers, streams: list[Stream]) -> None:
        self._recipe, self._workers = recipe, workers
        self.places = [Place(stream.state(), stream.full, 0.0) for stream in streams]
        self.seconds = SHORTEST
        """The seconds that a round should take."""

    def prepare(self) -> None:
        """Let every worker make the game, and load compiled functions."""
        legs = [Leg(0, 0, self.places[0].state)] * self._workers.count
        for _ in run_pieces(walk_leg, legs, self._workers, shared=self._recipe, ordered=False):
            pass

    def run(self, until: int) -> None:
        """Continue all streams that have room to this number of walks. A halted round changes nothing."""
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
        """Return all streams in their present state. The streams in `before`, if any, take these states."""
        streams = before or [self._recipe.stream(k) for k in range(len(self.places))]
        for stream, place in zip(streams, self.places, strict=True):
            stream.restore(place.state)
            stream.full = place.full
        return streams
