"""Walks over all histories of rules, which count them and may record them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts, longer
from hannan.errors import HannanError, SizeError
from hannan.forms.treeplex import MetSets
from hannan.kernels.expansion.walk import DEPTH_BITS, NEVER, NOW, STEP, Gained, MetTable, Path, Record, Tally, walker
from hannan.kernels.sets import SET_ROW, bucket_count, rehash
from hannan.kernels.statuses import MORE_GAINS, MORE_HISTORIES, MORE_SETS, TOO_DEEP, TOO_MANY
from hannan.memory import require
from hannan.rules.complaints import complaint
from hannan.rules.doors import source_of
from hannan.rules.paths import node_text
from hannan.rules.plain import MOST_MOVES, Rules
from hannan.rules.source import Answer, Source, drive, fenced, longer_fenced, states

if TYPE_CHECKING:
    from hannan.forms.payoff_runs import Gathering

SHALLOW = 64
"""The moves for which a walk has room at first. Room for `MOST_MOVES` takes longer to make than a tiny game to walk."""

EVERY = 1 << 22
"""The number of histories between two reports of a walk."""

Seen = Callable[[int], None]
"""Takes the number of histories that have been visited."""


@dataclass(frozen=True)
class Survey:
    """The sizes of a game, counted by walking it, and its information sets."""

    counts: Longs  # [3, depths]  nodes, information-set slots and gainful nodes of each depth
    kinds: Longs  # [5]  ends, chance nodes, decisions, joint decisions, nodes that one-by-one joint moves would add
    span: Floats  # [2, players + 1]  lowest and highest utility of each player, and of their sum
    sets: MetSets
    shallow: Shorts  # [sequences]  the least depth of a node with gains at which each is its player's last

    @property
    def nodes(self) -> int:
        """The number of histories."""
        return int(self.counts[0].sum())

    @property
    def total(self) -> float | None:
        """The sum of utilities, if it is the same at every end of play; else None."""
        return constant_sum(self.span)

    @property
    def rows(self) -> int:
        """The rows of payoffs of the sequence form: one in two-player zero-sum games, else one per player."""
        players = self.span.shape[1] - 1
        return 1 if players == 2 and self.total == 0.0 else players


class Walk(ABC):
    """A walk over all histories in progress: its counts and, if `recording`, its record of every node.

    `collecting` is the most gains to note: `gained` then holds all gains, or None if there were or will be more.
    """

    quick: ClassVar[int]
    """The most histories to visit without estimating first how many there are."""
    longest: ClassVar[int]
    """The most histories to visit without recording them: this takes 15 to 30 minutes."""
    bytes_per_history: ClassVar[int]
    """Bytes for a recorded history, a generous guess; only used to stop recording."""
    rules: Rules

    @abstractmethod
    def __init__(self, rules: Rules, *, recording: bool = False, collecting: int = 0) -> None:
        """Begin at the root."""

    @abstractmethod
    def record(self) -> list[np.ndarray]:
        """Return the record of all nodes in depth-first order, and release it.

        Arrays: depth, parent, turn and probability of each node; the information sets of the movers; the nodes with
        gains; and the gains of each player there.
        """

    @property
    def labels(self) -> tuple[Sequence[Hashable], Sequence[Hashable]] | None:
        """What the codes of actions and of observations stand for; None if the codes are the rules' own integers."""
        return None

    @abstractmethod
    def go(self, most: int, seen: Seen | None = None) -> None:
        """Visit every history; raise a `SizeError` after `most` histories. A second call continues there."""

    @property
    @abstractmethod
    def gained(self) -> tuple[Ints, Shorts, Floats] | None:
        """The sequences, depths and values of all gains; None if there were, or will be, more than `collecting`."""

    @abstractmethod
    def survey(self) -> Survey:
        """Return the counts and sets of a complete walk."""

    @abstractmethod
    def gather(self, gathering: Gathering, seen: Seen) -> None:
        """Walk the game a second time, with its sets known, and add all gains to `gathering`."""


class KernelWalk(Walk, ABC):
    """The walk over compiled rules; `hannan.forms.subtrees` has its second walk."""

    quick = 4_000_000
    longest = 20_000_000_000
    bytes_per_history = 64
    rows = SHALLOW + 2
    """Room for the moves of a path, at first."""
    tables = 1
    """How many walks have a table of this size at the same time."""

    def __init__(self, rules: Rules, *, recording: bool = False, collecting: int = 0) -> None:
        rows, players = self.rows, rules.players
        self.rules, self.source = rules, source_of(rules)
        span = np.array([[np.inf], [-np.inf]]).repeat(players + 1, axis=1)
        self.tally = Tally(np.zeros(1, NOW), np.zeros((3, rows), np.int64), np.zeros(5, np.int64), span)
        self.tally.now["edge"], self.tally.now["ceiling"], self.tally.now["sequences"] = 1.0, -1, players
        nothing, short = np.zeros(0, np.int64), np.full(players, NEVER, np.int16)
        self.sets = MetTable(np.zeros((0, SET_ROW), np.int64), nothing, nothing, nothing, nothing, short)
        self._roomier(1 << 12)
        self.path = new_path(self.source, rows)
        self._record = no_record(players)
        if recording:
            self._longer(1 << 18)
        self._most_gains = collecting
        self._gained = room_for_gains(min(collecting, 1 << 14), players)

    def go(self, most: int, seen: Seen | None = None) -> None:
        def stop() -> int:
            return most if seen is None else min(most, self.so_far("visited") // EVERY * EVERY + EVERY)

        def many() -> bool:
            if seen is not None and self.so_far("visited") < most:
                seen(self.so_far("visited"))
                return False
            raise self.too_many(most)

        self._drive(
            stop,
            {
                MORE_HISTORIES: lambda: self._longer(4 * len(self._record[0])),
                MORE_GAINS: self._more_gains,
                TOO_MANY: many,
            },
        )

    def _drive(self, stop: Callable[[], int], answers: Mapping[int, Answer]) -> int:
        """Walk on, to at most `stop()` histories at a time; return the last status."""
        return drive(
            self.source,
            lambda: walker()(
                *self.source.book, stop(), self.tally, self.sets, self.path, Record._make(self._record), self._gained
            ),
            self._error,
            {MORE_SETS: lambda: self._roomier(4 * len(self.sets.player)), TOO_DEEP: self._deeper, **answers},
            lambda: written(self.path),
        )

    def too_many(self, most: int) -> SizeError:
        """Return the error for a game of more than `most` histories."""
        return SizeError(f"{self.rules.name} has more than {most:,} histories")

    @property
    def gained(self) -> tuple[Ints, Shorts, Floats] | None:
        if self._most_gains == 0 and self.so_far("gainful"):
            return None
        count = self.so_far("gained")
        return self._gained.sequences[:count], self._gained.depth[:count], self._gained.gain[:count]

    def _roomier(self, room: int) -> None:
        """Make the tables of sets and sequences longer; rows that are not touched take no memory."""
        per_set, sets = 4 + self.source.width * self.rules.players // room, self.sets
        taken = sets.row.nbytes + sets.player.nbytes + sets.action.nbytes + sets.first.nbytes + sets.shallow.nbytes
        require(
            self.tables * (taken + 8 * bucket_count(room)),
            f"the table of more than {self.so_far('sets'):,} information sets",
        )
        self.sets = MetTable(
            row=longer(sets.row, room, 0, zeros=False),
            buckets=np.empty(bucket_count(room), np.int64),
            player=longer(sets.player, room, zeros=False),
            action=longer(sets.action, per_set * room, zeros=False),
            first=longer(sets.first, room, zeros=False),
            shallow=longer(sets.shallow, per_set * room, zeros=False),
        )
        rehash(self.so_far("sets"), self.sets.row, self.sets.buckets)

    def _longer(self, room: int) -> None:
        rooms = [room, room, room, room, room + 64, room, room]
        self._record = [longer(array, size, 0, zeros=False) for array, size in zip(self._record, rooms, strict=True)]

    def expect(self, histories: float) -> None:
        """Drop all noted gains if a walk over this many histories is expected to meet more than can be noted."""
        if self.so_far("gained") * histories > self._most_gains * self.so_far("visited"):
            self._drop_gains()

    def _drop_gains(self) -> None:
        self._most_gains = 0
        self._gained = room_for_gains(0, self.rules.players)

    def _more_gains(self) -> None:
        """Make room for four times as many gains; if that exceeds the limit, drop all noted gains."""
        room = 4 * len(self._gained.depth)
        if room > self._most_gains:
            self._drop_gains()
        else:
            self._gained = Gained(*(longer(array, room, 0, zeros=False) for array in self._gained))

    def _deeper(self) -> None:
        """Make the path longer, up to `MOST_MOVES`."""
        rows = min(4 * len(self.path.step), MOST_MOVES + 2)
        if rows == len(self.path.step):
            raise self._error(TOO_DEEP)
        path = self.path
        fences = {name: longer_fenced(getattr(path, name), rows) for name in ("state", "codes", "weight")}
        plain = ("step", "total", "last", "place", "reach")
        self.path = path._replace(**fences, **{name: longer(getattr(path, name), rows, 0) for name in plain})
        self.tally = self.tally._replace(counts=longer(self.tally.counts, rows))

    def so_far(self, what: str) -> int:
        return int(self.tally.now[what][0])

    def _error(self, status: int) -> HannanError:
        steps = (self.path.step["cursor"][: self.so_far("depth")] - 1).tolist()
        where = node_text(self.rules, steps)
        return complaint(status, self.rules, where, lambda: self.source.state(self.path.state[len(steps)]))

    def record(self) -> list[np.ndarray]:
        record, self._record = self._record, []
        return record

    def survey(self) -> Survey:
        count, sequences = self.so_far("sets"), self.so_far("sequences")
        parent, observation, base, size = self.sets.row[:count].T.copy()
        player, first = self.sets.player[:count], self.sets.first[:count]
        sets = MetSets(
            player, parent, observation, base, size, nodes_of(first, self.tally.counts[0]), self.sets.action[:sequences]
        )
        return Survey(self.tally.counts, self.tally.kinds, self.tally.span, sets, self.sets.shallow[:sequences])


def new_path(source: Source, rows: int) -> Path:
    """Return the path of a walk that has not begun; `rows` is 2 more than the longest play."""
    width, players = source.width, source.rules.players
    return Path(
        step=np.zeros(rows, STEP),
        state=states(rows, source.state_size),
        codes=fenced((rows, players, width), np.int64),
        weight=fenced((rows, width)),
        total=np.zeros((rows, players)),
        last=np.zeros((rows, players), np.int64),
        place=np.zeros((rows, players), np.int64),
        choice=fenced(players, np.int64),
        here=fenced(players),
        reach=np.zeros(rows),
    )


def written(path: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the arrays that rules write into during a walk: those between fences, and states."""
    return (path.codes, path.weight, path.choice, path.here), (path.state,)


def no_record(players: int) -> list[np.ndarray]:
    """Return empty arrays, as in `Record`, for a walk that records nothing."""
    kinds = (np.int16, np.int32, np.int16, np.float64, np.int32, np.int32)
    return [*(np.zeros(0, kind) for kind in kinds), np.zeros((0, players))]


def room_for_gains(size: int, players: int) -> Gained:
    """Return room for `size` gains of a walk."""
    return Gained(np.empty((size, players), np.int32), np.empty(size, np.int16), np.empty((size, players)))


def nodes_of(first: Longs, counts: Longs) -> Longs:
    """Return the breadth-first numbers of histories given as in `MetTable.first`; counts: nodes of each depth."""
    begin = np.concatenate(([0], np.cumsum(counts)))
    nodes: Longs = begin[first >> DEPTH_BITS] + (first & ((1 << DEPTH_BITS) - 1))
    return nodes


def constant_sum(span: Floats) -> float | None:
    """Return the sum of utilities, if it is the same at every end of play (to rounding); else None."""
    scale = max(1.0, float(np.abs(span[:, :-1]).max()))
    low, high = float(span[0, -1]), float(span[1, -1])
    if high - low > 1e-12 * scale:
        return None
    middle = (low + high) / 2
    return 0.0 if abs(middle) <= 1e-12 * scale else middle
