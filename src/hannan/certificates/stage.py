"""The data that a worker needs to play: a box of its own, and the current strategies at the sets that they know.

The box is sent once and lives as long as the worker. Information sets and names of observations are only added, so a
worker keeps those that it has and reads the new ones.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.certificates.exploration import ProfileChooser
from hannan.certificates.playthrough import Playthrough, UnderWay, playing, replaying, whole
from hannan.certificates.seeds import own_uniforms, seed_of
from hannan.certificates.trunk import Trunk
from hannan.errors import STRAY, BoxError, HannanError, ParameterError
from hannan.pieces.worker import sendable
from hannan.rules.box import Box, Met
from hannan.rules.promises import told

COLUMNS = ("parent", "observation", "first")
"""The columns of information sets that are sent."""


@dataclass(frozen=True)
class Parcel:
    """A box packed for sending, or the address from which another process makes it. Large arrays are separate."""

    key: str
    """The key, which is different for each certification of a worker."""
    data: bytes
    buffers: Sequence[np.ndarray]

    @classmethod
    def of(cls, key: str, box: Box, address: str | None, hidden: int | None) -> Parcel:
        """Pack a box, or its address if the box cannot be packed; refuse a box without an address then."""
        buffers: list[np.ndarray] = []

        def apart(buffer: pickle.PickleBuffer) -> None:
            buffers.append(np.frombuffer(buffer.raw(), np.uint8))

        from numba import cloudpickle  # it packs classes of scripts and notebooks, too

        try:
            return cls(key, cloudpickle.dumps(box, protocol=5, buffer_callback=apart), buffers)
        except STRAY as error:
            if address is None:
                raise ParameterError(
                    f"{shown(box)} cannot be sent to another process ({told(error)}): let it be made from its address, "
                    "as module:place:factory, or use on='serial'"
                ) from error
        return cls(key, pickle.dumps((address, hidden), protocol=5), ())

    def box(self) -> Box:
        """Make the box."""
        thing = pickle.loads(self.data, buffers=self.buffers)
        if isinstance(thing, tuple):
            from hannan.forms.boxes import boxed

            thing = boxed(thing[0], hidden=thing[1]).box
        assert isinstance(thing, Box)
        return thing


@dataclass(frozen=True)
class Brief:
    """The strategies that playthroughs follow until they change, packed for sending."""

    parcel: Parcel
    number: int
    """The number of this brief in its certification."""
    master: int
    players: int
    sets: Sequence[Sequence[np.ndarray]]
    """The `COLUMNS` of each player's information sets."""
    names: np.ndarray
    """The observations in the order of their numbers: lists of them, pickled one after another, as bytes."""
    plans: Sequence[Sequence[Floats]]
    """The strategies; playthrough t follows number t modulo their number."""

    @property
    def bytes(self) -> int:
        """The bytes that are sent, the box included."""
        arrays = [self.names, *self.parcel.buffers]
        arrays += [array for part in (*self.sets, *self.plans) for array in part]
        return len(self.parcel.data) + sum(array.nbytes for array in arrays)


class Told(NamedTuple):
    """The answer of a worker about one playthrough."""

    record: bytes
    """The playthrough and the odds that it met, pickled; empty if it failed."""
    error: Exception | None
    restarts: int
    """How often the simulator was restarted since the last playthrough of this worker."""
    trouble: str


def following(
    box: Box, trunk: Trunk, plan: Sequence[Floats], master: int, t: int, twice: bool
) -> UnderWay[Playthrough]:
    """Make playthrough t by these strategies at the sets that they know. If `twice`, check that the box can repeat
    itself."""
    record = yield from playing(box, seed_of(master, t), ProfileChooser(trunk, plan, own_uniforms(master, t)))
    if twice:
        yield from replaying(box, record)
    return record


class Stage:
    """The box of a worker, and as much of the trunk as its playthroughs read."""

    def __init__(self, brief: Brief) -> None:
        self.key = brief.parcel.key
        self.box = brief.parcel.box()
        self.box.leave_odds()
        self._trunk = Trunk(brief.players, 0.0, 0.0)
        self._read = 0  # bytes of the names
        self._restarts = 0
        self._brief = -1

    def follow(self, brief: Brief) -> None:
        """Add the new sets and names."""
        if brief.number == self._brief:
            return
        trunk, self._brief = self._trunk, brief.number
        trunk.sheets.reserve(max(len(columns[0]) for columns in brief.sets))
        for player, columns in enumerate(brief.sets):
            rows, known = trunk.sets[player].rows, int(trunk.sheets.used[player])
            for name, column in zip(COLUMNS, columns, strict=True):
                getattr(rows, name)[known : len(column)] = column[known:]
            trunk.sheets.used[player] = len(columns[0])
        lists = io.BytesIO(brief.names[self._read :].tobytes())
        while lists.tell() < len(brief.names) - self._read:
            trunk.observations.extend(pickle.load(lists))
        self._read = len(brief.names)

    def play(self, brief: Brief, t: int, twice: bool) -> Told:
        """Make playthrough t."""
        record, failure = b"", None
        try:
            plan = brief.plans[t % len(brief.plans)]
            record = _packed(self.box, whole(following(self.box, self._trunk, plan, brief.master, t, twice)))
        except HannanError as error:
            failure = sendable(error)
        restarts, before = self.box.restarts, self._restarts
        self._restarts = restarts
        return Told(record, failure, restarts - before, self.box.trouble)

    def close(self) -> None:
        """Close the box, if it can be closed."""
        if callable(close := getattr(self.box, "close", None)):
            close()


def _packed(box: Box, record: Playthrough) -> bytes:
    try:
        return pickle.dumps((record.views, record.choices, record.simulating, list(box.odds_met())), protocol=5)
    except STRAY as error:
        raise BoxError(f"what the box showed cannot be sent to another process ({told(error)})") from error


def unpacked(told: Told, seed: int) -> tuple[Playthrough, Sequence[Met]]:
    """Return a playthrough that a worker has made, and the odds of its chance nodes."""
    views, choices, simulating, met = pickle.loads(told.record)
    return Playthrough(seed, views, choices, simulating), met


_stages: dict[str, Stage] = {}
"""The stage of this worker, by its key; at most one."""


def play(brief: Brief, given: tuple[int, bool]) -> Told:
    """Make a piece: one playthrough, and whether it is made twice."""
    stage = _stages.get(brief.parcel.key)
    if stage is None:
        while _stages:
            _stages.popitem()[1].close()
        try:
            stage = _stages[brief.parcel.key] = Stage(brief)
        except STRAY as error:
            return Told(b"", BoxError(f"a worker cannot make the box: {_sentence(error)}"), 0, "")
    stage.follow(brief)
    return stage.play(brief, *given)


def _sentence(error: BaseException) -> str:
    return str(error) if isinstance(error, HannanError) else told(error)
