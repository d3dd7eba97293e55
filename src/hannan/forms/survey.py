"""Walking compiled rules, to count what there is and to take notes of it; and who hears how far a walk has got."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts, longer
from hannan.errors import SizeError
from hannan.forms.guessing import estimate, too_many
from hannan.forms.treeplex import MetSets
from hannan.kernels.expansion.walk import DEPTH_BITS, NEVER, NOW, STEP, Gained, Path, Record, Sets, Tally, walker
from hannan.kernels.sets import SET_ROW, bucket_count, rehash
from hannan.kernels.signatures import BESIDE
from hannan.kernels.statuses import DONE, MORE_GAINS, MORE_HISTORIES, MORE_SETS, TOO_MANY
from hannan.memory import available, lean, readable, require
from hannan.rules.checks import make_plays
from hannan.rules.compiled import CompiledRules
from hannan.rules.complaints import complaint
from hannan.rules.fences import check_fences, check_states, fenced, states
from hannan.rules.paths import node_text
from hannan.rules.plain import MOST_MOVES, Rules

BYTES_PER_HISTORY = 64
"""A generous guess at what a history of a tree takes; only used to stop recording."""

QUICK = 4_000_000
"""Histories that are counted without asking first how many there may be."""

LONGEST_WALK = 20_000_000_000
"""Histories that are counted, where nothing is kept of them: about half an hour."""

EVERY = 1 << 22
"""Histories from one report of a walk to the next."""

Seen = Callable[[int], None]
"""Takes how many histories have been visited."""


@dataclass(frozen=True)
class Survey:
    """The sizes of a game, counted by walking it, and its information sets."""

    counts: Longs  # [3, depths]  nodes, information-set slots and gainful nodes of each depth
    kinds: Longs  # [5]  ends, chance nodes, decisions, joint decisions, nodes that serialising would add
    span: Floats  # [2, players + 1]  lowest and highest utility of each player, and of their sum
    sets: MetSets
    shallow: Shorts  # [sequences]  the least depth at which somebody gains while each is its player's last

    @property
    def nodes(self) -> int:
        """How many histories there are."""
        return int(self.counts[0].sum())

    @property
    def total(self) -> float | None:
        """What utilities add up to, where that is the same at every end of play."""
        return constant_sum(self.span)

    @property
    def rows(self) -> int:
        """How many rows of payoffs a sequence form has: one in two-player zero-sum games, else one a player."""
        players = self.span.shape[1] - 1
        return 1 if players == 2 and self.total == 0.0 else players


class Walk:
    """A walk over compiled rules in progress: its tables, its path and, where asked for, its notes.

    The record holds every node in depth-first order: depth, parent, turn and probability a node, the information sets
    of the movers, and the gains. `collecting` asks for what is gained, for at most so many gains: `gained` then holds
    them, or nothing at all where there were more.
    """

    def __init__(self, rules: CompiledRules, *, recording: bool = False, collecting: int = 0) -> None:
        rows, players = MOST_MOVES + 2, rules.players
        self.rules = rules
        span = np.array([[np.inf], [-np.inf]]).repeat(players + 1, axis=1)
        self.tally = Tally(np.zeros(1, NOW), np.zeros((3, rows), np.int64), np.zeros(5, np.int64), span)
        self.tally.now["edge"], self.tally.now["ceiling"], self.tally.now["sequences"] = 1.0, -1, players
        nothing, short = np.zeros(0, np.int64), np.full(players, NEVER, np.int16)
        self.sets = Sets(np.zeros((0, SET_ROW), np.int64), np.zeros(0, np.int32), nothing, nothing, nothing, short)
        self._roomier(1 << 12)
        self.path = new_path(rules)
        kinds = (np.int16, np.int32, np.int16, np.float64, np.int32, np.int32)
        self.record: list[np.ndarray] = [np.zeros(0, kind) for kind in kinds] + [np.zeros((0, players))]
        if recording:
            self._longer(1 << 18)
        self._most_gains = collecting
        self._gained = room_for_gains(min(collecting, 1 << 14), players)

    def go(self, most: int, seen: Seen | None = None) -> None:
        """Visit every history; raise a `SizeError` after `most` of them, and go on from there when called again."""
        rules = self.rules
        while True:
            stop = most if seen is None else min(most, self._seen("visited") + EVERY)
            status = walker()(
                *rules.compiled(),
                rules.table,
                stop,
                self.tally,
                self.sets,
                self.path,
                Record(*self.record),
                self._gained,
            )
            check_path(rules, self.path, status)
            if status == MORE_SETS:
                self._roomier(4 * len(self.sets.player))
            elif status == MORE_HISTORIES:
                self._longer(4 * len(self.record[0]))
            elif status == MORE_GAINS:
                self._more_gains()
            elif status == DONE:
                return
            elif status == TOO_MANY and stop < most and seen is not None:
                seen(self._seen("visited"))
            else:
                self._complain(status, most)

    @property
    def gained(self) -> tuple[Ints, Shorts, Floats] | None:
        """The sequences, depth and gains of all gains; None where there were more than were asked for."""
        if self._most_gains == 0 and self._seen("gainful"):
            return None
        count = self._seen("gained")
        return self._gained.sequences[:count], self._gained.depth[:count], self._gained.gain[:count]

    def _roomier(self, room: int) -> None:
        """Make the tables of sets and sequences longer; what is not touched takes no memory."""
        per_set, sets = 4 + self.rules.width * self.rules.players // room, self.sets
        taken = sets.row.nbytes + sets.player.nbytes + sets.action.nbytes + sets.first.nbytes + sets.shallow.nbytes
        require(taken + 4 * bucket_count(room), f"the table of more than {self._seen('sets'):,} information sets")
        self.sets = Sets(
            row=longer(sets.row, room, 0, zeros=False),
            buckets=np.empty(bucket_count(room), np.int32),
            player=longer(sets.player, room, zeros=False),
            action=longer(sets.action, per_set * room, zeros=False),
            first=longer(sets.first, room, zeros=False),
            shallow=longer(sets.shallow, per_set * room, zeros=False),
        )
        rehash(self._seen("sets"), self.sets.row, self.sets.buckets)

    def _longer(self, room: int) -> None:
        rooms = [room, room, room, room, room + 64, room, room]
        self.record = [longer(array, size, 0, zeros=False) for array, size in zip(self.record, rooms, strict=True)]

    def _more_gains(self) -> None:
        """Make room for four times as many gains; where that would be too many, give them up."""
        room = 4 * len(self._gained.depth)
        if room > self._most_gains:
            self._most_gains, room = 0, 0
            self._gained = room_for_gains(0, self.rules.players)
        else:
            self._gained = Gained(*(longer(array, room, 0, zeros=False) for array in self._gained))

    def _seen(self, what: str) -> int:
        return int(self.tally.now[what][0])

    def _complain(self, status: int, most: int) -> NoReturn:
        if status == TOO_MANY:
            raise SizeError(f"{self.rules.name} has more than {most:,} histories")
        steps = (self.path.step["cursor"][: self._seen("depth")] - 1).tolist()
        raise complaint(status, self.rules, node_text(self.rules, steps), lambda: state_of(self.path, len(steps)))

    def survey(self) -> Survey:
        """Return the counts of a walk that is done."""
        count, sequences = self._seen("sets"), self._seen("sequences")
        parent, observation, base, size = self.sets.row[:count].T.copy()
        player, first = self.sets.player[:count], self.sets.first[:count]
        sets = MetSets(
            player, parent, observation, base, size, nodes_of(first, self.tally.counts[0]), self.sets.action[:sequences]
        )
        return Survey(self.tally.counts, self.tally.kinds, self.tally.span, sets, self.sets.shallow[:sequences])


def new_path(rules: CompiledRules) -> Path:
    """Return the path of a walk that has not begun."""
    rows, width, players = MOST_MOVES + 2, rules.width, rules.players
    return Path(
        step=np.zeros(rows, STEP),
        state=states(rows, rules.state_size),
        codes=fenced((rows, players, width), np.int64),
        weight=fenced((rows, width)),
        total=np.zeros((rows, players)),
        last=np.zeros((rows, players), np.int64),
        place=np.zeros((rows, players), np.int64),
        choice=fenced(players, np.int64),
        here=fenced(players),
        reach=np.zeros(rows),
    )


def state_of(path: Path, depth: int) -> tuple[int, ...]:
    """Return the state at a depth of a path."""
    return tuple(path.state[depth, :-BESIDE].tolist())


def check_path(rules: CompiledRules, path: Path, status: int) -> None:
    """Refuse rules that have written beside the arrays of a path."""
    check_states(rules, path.state)
    check_fences(rules, path.codes, path.weight, path.choice, path.here, status=status)


def room_for_gains(size: int, players: int) -> Gained:
    """Return room for what a walk gains."""
    return Gained(np.empty((size, players), np.int32), np.empty(size, np.int16), np.empty((size, players)))


def nodes_of(first: Longs, counts: Longs) -> Longs:
    """Return the breadth-first numbers of histories that are given as in `Sets.first`; counts: nodes of each depth."""
    begin = np.concatenate(([0], np.cumsum(counts)))
    nodes: Longs = begin[first >> DEPTH_BITS] + (first & ((1 << DEPTH_BITS) - 1))
    return nodes


def survey(rules: CompiledRules, limit: int | None = None, seen: Seen | None = None) -> Survey:
    """Count a game without storing it; refuse one of more than `limit` histories, or that would take too long."""
    return walk(rules, limit=limit, seen=seen).survey()


def walk(
    rules: CompiledRules,
    *,
    recording: bool = False,
    collecting: int = 0,
    limit: int | None = None,
    seen: Seen | None = None,
) -> Walk:
    """Visit every history, at most `limit` or as many as fit; a game that is far too large is refused early."""
    if recording:
        fits = min(available() // BYTES_PER_HISTORY if limit is None else limit, 2**31 - 2)
        why = f"some {fits:,} fit into the {readable(available())} of memory that are free"
    else:
        fits = LONGEST_WALK if limit is None else limit
        why = f"at most {fits:,} are walked"
    going = Walk(rules, recording=recording, collecting=collecting)
    try:
        going.go(min(QUICK, fits))
    except SizeError:
        guess = estimate(rules)
        if guess > 10 * fits or fits <= QUICK:
            raise too_many(rules, guess, why) from None
        with lean():
            going.go(fits, seen)
    return going


def constant_sum(span: Floats) -> float | None:
    """Return what utilities add up to, where that is the same at every end of play (to rounding)."""
    scale = max(1.0, float(np.abs(span[:, :-1]).max()))
    low, high = float(span[0, -1]), float(span[1, -1])
    if high - low > 1e-12 * scale:
        return None
    middle = (low + high) / 2
    return 0.0 if abs(middle) <= 1e-12 * scale else middle


def try_rules(rules: CompiledRules) -> None:
    """Play compiled rules of somebody else's as ordinary Python and between guards, where a stray write is noticed."""
    if not rules.ours:
        make_plays(rules, plays=8)


Progress = Callable[[int, float], None]
"""Takes how many histories have been visited, and an estimate of how many there are; twice as many where a game is
walked twice."""

_watchers: ContextVar[tuple[Progress, ...]] = ContextVar("watchers", default=())


@contextmanager
def watching(progress: Progress) -> Iterator[None]:
    """Call `progress` now and then while anybody inside the block walks a game that is not small."""
    token = _watchers.set((*_watchers.get(), progress))
    try:
        yield
    finally:
        _watchers.reset(token)


class Watch:
    """Tells watchers, and whoever asked besides, how far a walk has got."""

    def __init__(self, rules: Rules, progress: Progress | None = None) -> None:
        self._rules = rules
        self._told = _watchers.get() if progress is None else (*_watchers.get(), progress)

    @cached_property
    def guess(self) -> float:
        """How many histories there are: an estimate."""
        return estimate(self._rules)

    def seen(self, histories: int) -> None:
        """Say how many histories were visited."""
        for watcher in self._told:
            watcher(histories, max(self.guess, histories))

    def again(self, nodes: int) -> Callable[[int], None]:
        """Return what says how many histories a second walk has visited; nodes: how many there are."""

        def seen(histories: int) -> None:
            for watcher in self._told:
                watcher(nodes + histories, 2.0 * nodes)

        return seen
