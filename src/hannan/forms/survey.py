"""Walking compiled rules: to count what there is, and to record it."""

from __future__ import annotations

import random
import sys
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from statistics import fmean
from typing import Any, NoReturn

import numpy as np

from hannan.arrays import Floats, Longs, longer
from hannan.errors import HannanError, RulesError, SizeError
from hannan.forms.complaints import complaint
from hannan.forms.treeplex import MetSets
from hannan.kernels.expansion.walk import NOW, STEP, Path, Record, Sets, Tally, walker
from hannan.kernels.sets import SET_ROW, bucket_count, rehash
from hannan.kernels.statuses import DONE, MORE_HISTORIES, MORE_SETS, TOO_MANY
from hannan.memory import available, readable
from hannan.rules.compiled import CompiledRules
from hannan.rules.paths import count_at, move_at, node_text
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules, movers
from hannan.rules.promises import STRAY, told

BYTES_PER_HISTORY = 64
"""A generous guess at what a history takes in both views; only used to stop counting."""

DIRECTLY = (
    "Choose smaller parameters, or a method that plays the rules directly: mccfr-os, mccfr-rs, vr-mccfr, or mccfr-es "
    "where a player has few choices in a play"
)
"""What to do with a game that does not fit."""

QUICK = 4_000_000
"""Histories that are counted without asking first how many there may be."""


@dataclass(frozen=True)
class Survey:
    """The sizes of a compiled game, counted by walking it; the first nodes of its sets are not known yet."""

    counts: Longs  # [3, depths]  nodes, information-set slots and gainful nodes of each depth
    kinds: Longs  # [5]  ends, chance nodes, decisions, joint decisions, nodes that serialising would add
    span: Floats  # [2, players + 1]  lowest and highest utility of each player, and of their sum
    sets: MetSets

    @property
    def nodes(self) -> int:
        """How many histories there are."""
        return int(self.counts[0].sum())

    @property
    def total(self) -> float | None:
        """What utilities add up to, where that is the same at every end of play."""
        return constant_sum(self.span)


class Walk:
    """A walk over compiled rules in progress: its tables, its path and, where asked for, its record.

    The record holds every node in depth-first order: depth, parent, turn and probability a node, the information sets
    of the movers, and the gains.
    """

    def __init__(self, rules: CompiledRules, *, recording: bool) -> None:
        rows, width, players = MOST_MOVES + 2, rules.width, rules.players
        self.rules = rules
        span = np.array([[np.inf], [-np.inf]]).repeat(players + 1, axis=1)
        self.tally = Tally(np.zeros(1, NOW), np.zeros((3, rows), np.int64), np.zeros(5, np.int64), span)
        self.tally.now["edge"] = 1.0
        nothing = np.zeros(0, np.int64)
        self.sets = Sets(np.zeros((0, SET_ROW), np.int64), np.zeros(0, np.int32), nothing, nothing)
        self._roomier(1 << 15)
        self.path = Path(
            step=np.zeros(rows, STEP),
            state=np.zeros((rows, rules.state_size), np.int64),
            codes=np.zeros((rows, players, width), np.int64),
            weight=np.zeros((rows, width)),
            total=np.zeros((rows, players)),
            last=np.zeros((rows, players), np.int64),
            place=np.zeros((rows, players), np.int64),
            choice=np.zeros(players, np.int64),
            here=np.zeros(players),
        )
        kinds = (np.int16, np.int32, np.int16, np.float64, np.int32, np.int32)
        self.record: list[np.ndarray] = [np.zeros(0, kind) for kind in kinds] + [np.zeros((0, players))]
        if recording:
            self._longer(1 << 18)

    def go(self, most: int) -> None:
        """Visit every history; raise a `SizeError` after `most` of them, and go on from there when called again."""
        rules = self.rules
        while True:
            status = walker()(
                *rules.compiled(), rules.table, most, self.tally, self.sets, self.path, Record(*self.record)
            )
            if status == MORE_SETS:
                self._roomier(4 * len(self.sets.player))
            elif status == MORE_HISTORIES:
                self._longer(4 * len(self.record[0]))
            elif status == DONE:
                return
            else:
                self._complain(status, most)

    def _roomier(self, room: int) -> None:
        """Make the tables of sets and sequences longer; what is not touched takes no memory."""
        per_set, sets = 4 + self.rules.width * self.rules.players // room, self.sets
        self.sets = Sets(
            row=longer(sets.row, room, 0, zeros=False),
            buckets=np.empty(bucket_count(room), np.int32),
            player=longer(sets.player, room, zeros=False),
            action=longer(sets.action, per_set * room, zeros=False),
        )
        rehash(self._seen("sets"), self.sets.row, self.sets.buckets)

    def _longer(self, room: int) -> None:
        rooms = [room, room, room, room, room + 64, room, room]
        self.record = [longer(array, size, 0, zeros=False) for array, size in zip(self.record, rooms, strict=True)]

    def _seen(self, what: str) -> int:
        return int(self.tally.now[what][0])

    def _complain(self, status: int, most: int) -> NoReturn:
        if status == TOO_MANY:
            raise SizeError(f"{self.rules.name} has more than {most:,} histories")
        steps = (self.path.step["cursor"][: self._seen("depth")] - 1).tolist()
        raise complaint(status, node_text(self.rules, steps), self.rules.width)

    def survey(self) -> Survey:
        """Return the counts of a walk that is done."""
        count, action = self._seen("sets"), self.sets.action[: self._seen("sequences")]
        parent, observation, base, size = self.sets.row[:count].T.copy()
        player, node = self.sets.player[:count], np.zeros(count, np.int64)
        sets = MetSets(player, parent, observation, base, size, node, action)
        return Survey(self.tally.counts, self.tally.kinds, self.tally.span, sets)


def survey(rules: CompiledRules, limit: int | None = None) -> Survey:
    """Count a game without storing it; refuse one of more than `limit` histories, or than fit into free memory."""
    return walk(rules, recording=False, limit=limit).survey()


def walk(rules: CompiledRules, *, recording: bool, limit: int | None = None) -> Walk:
    """Visit every history, at most `limit` or as many as fit; a game that is far too large is refused early."""
    fits = min(available() // BYTES_PER_HISTORY if limit is None else limit, 2**31 - 2)
    going = Walk(rules, recording=recording)
    try:
        going.go(min(QUICK, fits))
    except SizeError:
        guess = estimate(rules)
        if guess > 10 * fits or fits <= QUICK:
            raise too_many(rules, guess, fits) from None
        going.go(fits)
    return going


def too_many(rules: Rules, guess: float, fits: int) -> SizeError:
    """Return the refusal of a game that has far more histories than fit."""
    return SizeError(
        f"{rules.name or type(rules).__name__} with these parameters has about {guess:.1e} histories (estimated); some "
        f"{fits:,} fit into the {readable(available())} of memory that are free. {DIRECTLY}"
    )


def constant_sum(span: Floats) -> float | None:
    """Return what utilities add up to, where that is the same at every end of play (to rounding)."""
    scale = max(1.0, float(np.abs(span[:, :-1]).max()))
    low, high = float(span[0, -1]), float(span[1, -1])
    if high - low > 1e-12 * scale:
        return None
    middle = (low + high) / 2
    return 0.0 if abs(middle) <= 1e-12 * scale else middle


def estimate(rules: Rules, plays: int = 300, seed: int = 0) -> float:
    """Estimate the number of histories by random plays (Knuth 1975): the mean size of trees as wide as the play."""
    return outline(rules, plays, seed).histories


@dataclass(frozen=True)
class Outline:
    """What random plays tell of a game that is too large to be walked."""

    histories: float
    """An estimate."""
    longest: int
    """Moves in the longest of the plays."""


def outline(rules: Rules, plays: int = 300, seed: int = 0) -> Outline:
    """Play at random; see `estimate`."""
    draw = random.Random(seed)

    def probe() -> tuple[float, int]:
        state: Any = rules.start()
        width, total, depth = 1.0, 1.0, 0
        while count := count_at(rules, state):
            width *= count
            total += width
            depth += 1
            state = rules.after(state, move_at(rules, state, draw.choice(range(count)))[0])
        return total, depth

    try:
        probes = [probe() for _ in range(plays)]
    except HannanError:
        raise
    except STRAY as error:
        raise RulesError(
            f"{rules.name or type(rules).__name__}: a random play raised {told(error)}; hannan.check_game names the "
            "path of play"
        ) from error
    return Outline(fmean(total for total, _ in probes), max(depth for _, depth in probes))


def walk_size(rules: Rules, player: int, own: int, everybody: bool, plays: int = 100) -> float:
    """Estimate how many histories a sampling walk for one player visits, the first one included (Knuth 1975).

    own: how many of the player's actions the walk takes where it moves, at most all; 0 means one. everybody: whether
    it takes all moves of the other players. What it does not take all of is drawn: chance by its probabilities,
    actions uniformly. Rules that break a promise are played up to there: the walk itself will say what is wrong.
    """
    draw = random.Random(0)

    def step(state: Any, turn: int | tuple[int, ...]) -> tuple[Any, int]:
        """Return a next state, and how many the walk goes on to."""
        if turn == CHANCE:
            outcomes = rules.chance(state)
            (outcome,) = draw.choices([outcome for outcome, _ in outcomes], [weight for _, weight in outcomes])
            return rules.after(state, outcome), 1
        menus = {mover: rules.actions(state, mover) for mover in movers(turn)}
        joint = tuple(draw.choice(menu) for menu in menus.values())
        taken = {mover: max(own, 1) if mover == player else sys.maxsize if everybody else 1 for mover in menus}
        width = prod(min(taken[mover], len(menu)) for mover, menu in menus.items())
        return rules.after(state, joint if isinstance(turn, tuple) else joint[0]), width

    def probe() -> float:
        width = total = 1.0
        with suppress(*STRAY):
            state: Any = rules.start()
            for _ in range(MOST_MOVES):
                if (turn := rules.turn(state)) == END:
                    break
                state, wider = step(state, turn)
                width *= wider
                total += width
        return total

    return fmean(probe() for _ in range(plays))
