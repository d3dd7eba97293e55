"""A response that searches while it plays: a belief over what the others hide, and simulated plays from it.

F. Timbers, N. Bard, E. Lockhart, M. Lanctot, M. Schmid, N. Burch, J. Schrittwieser, T. Hubert, M. Bowling (2022),
Approximate exploitability: learning a best response: information-set tree search against fixed others.
V. Lisý, M. Bowling (2017), Equilibrium approximation quality of current no-limit poker bots: the same one step ahead.

The strategies of the others are known, so the number of particles is the only approximation in a belief. If no particle
is left (the others never play this way, or too few were drawn), the player uses its own part of the given strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hannan.arguments import limit, whole
from hannan.errors import HannanError, MismatchError
from hannan.kernels.belief.beliefs import follower
from hannan.kernels.belief.records import Aim, Cloud, Pending, ResponseTree
from hannan.kernels.belief.simulations import simulator
from hannan.kernels.sets import SET_ROW, bucket_count
from hannan.kernels.statuses import TOO_WIDE
from hannan.kernels.step import UNKNOWN, Tables
from hannan.measures.plays import one_table, room_for, written
from hannan.rules.complaints import complaint
from hannan.rules.doors import source_of
from hannan.rules.plain import MOST_MOVES
from hannan.rules.source import drive, states
from hannan.splitmix import MASK
from hannan.strategies.policy import Policy
from hannan.strategies.seats import Answer, Seat

PARTICLES = 256
"""The largest number of particles of a belief."""
BUDGET = 8
"""A belief update keeps up to BUDGET * particles histories, and then draws the particles from them."""
DEPTH = 4096
"""The capacity of the stack of histories to follow."""
SETS, CELLS, CHOICES = 4096, 16_384, 256
"""Capacities of a tree: own sets, their actions, and own choices in one play."""
LOCAL, SEARCH = 1, 2
"""Depths of a search: one own choice, or a tree of own choices."""


@dataclass(frozen=True)
class LookAhead:
    """The parameters of a search."""

    ahead: int = SEARCH
    simulations: int = 1000
    """Simulated plays from each own choice; for `LOCAL`, rounded up to the same number for each action."""
    particles: int = PARTICLES
    c: float = 0.5
    """The factor of the upper confidence bounds, in units of the range of the simulated utilities."""

    def __post_init__(self) -> None:
        whole("ahead", self.ahead, LOCAL, SEARCH)
        whole("simulations", self.simulations)
        whole("particles", self.particles)
        limit("c", self.c)

    @property
    def name(self) -> str:
        """The name of the search in results."""
        return "local" if self.ahead == LOCAL else "search"


Note = tuple[int, tuple[tuple[Hashable, int], ...], Hashable, int, int]
"""One choice: the seat, its earlier observations and actions, its observation, the number of actions, the action."""


@dataclass(frozen=True)
class LookAheadPlayer:
    """A player that responds to a policy from any seat; the policy's own part for that seat is the default."""

    name: str
    policy: Policy
    search: LookAhead
    notes: list[Note] = field(default_factory=list)
    """All choices so far; choices in plays that workers make for a match are not included."""
    _desks: dict[int, _Desk] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return LookAheadPlayer, (self.name, self.policy, self.search)

    def sit(self, seat: int, luck: int) -> Seat:
        """Take a seat for one play; `luck` is the first of its random numbers."""
        if seat not in self._desks:
            self._desks[seat] = _Desk(self.policy, self._tables, self.search, seat)
        return _SearchSeat(self, self._desks[seat], seat, luck)

    @cached_property
    def _tables(self) -> Tables:
        return one_table(self.policy)


class _Desk:
    """The arrays of one seat for all plays, and the calls of the kernels on them."""

    def __init__(self, policy: Policy, tables: Tables, search: LookAhead, seat: int) -> None:
        self.search, self.seat, self.tables = search, seat, tables
        self.rules = policy.game.played().rules
        self.source = source_of(self.rules)
        self.source.recall(policy.labels or (), policy.met)
        players, size = self.rules.players, self.source.state_size
        self._forgets = [p if p in policy.forgets else UNKNOWN for p in range(players)]
        self._make_room()
        self.now, self.then = (_cloud(many * search.particles, size, players) for many in (1, BUDGET + 1))
        lasts = np.zeros((DEPTH, players), np.int64)
        self.stack = Pending(states(DEPTH, size), lasts, np.zeros(DEPTH), np.zeros(DEPTH), np.zeros(DEPTH, np.int64))
        self.random = np.zeros(1, np.uint64)

    def _make_room(self) -> None:
        self.room = room_for(self.rules.players, self.source.width, self.source.state_size)
        self.room.forgets[:] = self._forgets
        self.tree = _tree(self.source.width)

    def begin(self, luck: int) -> None:
        """Set the belief to the root alone."""
        now = self.now
        self.random[0] = luck & MASK
        now.last[0], now.weight[0], now.many[0] = np.arange(self.rules.players), 1.0, 1
        self.source.begin(now.state[0])

    def follow(self, taken: int, observation: Hashable, size: int) -> None:
        """Update the belief by an action (-1: no action before) and the observation after it."""
        seen, budget = self.source.code(observation), BUDGET * self.search.particles
        self._call(
            lambda: follower()(
                *self.source.book, self._aim(size), self.tables, self.room, self.now, self.then, self.stack, taken,
                seen, size, budget, self.random,
            )
        )  # fmt: skip

    def best(self, size: int) -> int:
        """Return the most frequent action of the simulated plays; a tie goes to the action with the largest mean."""
        self._call(
            lambda: simulator()(
                *self.source.book, self._aim(size), self.tables, self.room, self.now, self.tree, size, self.random
            )
        )
        visits, means = self.tree.visits[:size], self.tree.total[:size] / np.maximum(self.tree.visits[:size], 1)
        return int(np.argmax(np.where(visits == visits.max(), means, -np.inf)))

    def _aim(self, size: int) -> Aim:
        search = self.search
        plays = -(-search.simulations // size) * size if search.ahead == LOCAL else search.simulations
        return Aim(self.seat, self.source.width, MOST_MOVES, plays, search.ahead, search.c)

    def _call(self, call: Callable[[], int]) -> None:
        """Call a kernel until it is done; then forget all states except those of the belief."""
        begun = self.random.copy()

        def widen() -> None:
            self._make_room()
            self.random[:] = begun

        def error(status: int) -> HannanError:
            return complaint(status, self.rules, "in a simulated play", lambda: self.source.state(self.room.state))

        drive(self.source, call, error, {TOO_WIDE: widen}, lambda: (written(self.room), (self.stack.state,)))
        self.source.forget(self.now.state[: int(self.now.many[0])])


class _SearchSeat:
    """One play."""

    def __init__(self, player: LookAheadPlayer, desk: _Desk, seat: int, luck: int) -> None:
        self._player, self._desk, self._seat = player, desk, seat
        self._taken, self._sequence, self._place = -1, seat, UNKNOWN
        self._places: list[int] = []  # for each legal action of the last choice, its place among the strategy's actions
        self._history: tuple[tuple[Hashable, int], ...] = ()
        self._seen: tuple[Hashable, int] = (None, 0)
        desk.begin(luck)

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        size, policy, desk = len(actions), self._player.policy, self._desk
        self._seen = observation, size
        known = self._sequence != UNKNOWN
        self._place = policy.find(self._sequence, observation, size) if known else UNKNOWN
        default, self._places = policy.offered(self._place, actions)
        if len(default) != size:
            raise MismatchError(f"the strategy has {len(default)} actions here, but the rules {size}")
        if desk.now.many[0]:
            desk.follow(self._taken, observation, size)
        if size == 1 or not desk.now.many[0]:
            return Answer(np.array(default), True, self._place == UNKNOWN)
        weights = np.zeros(size)
        weights[desk.best(size)] = 1.0
        return Answer(weights, False)

    def took(self, k: int) -> None:
        seen, size = self._seen
        self._player.notes.append((self._seat, self._history, seen, size, k))
        self._history = (*self._history, (seen, k))
        self._taken, self._sequence = k, self._player.policy.after(self._seat, self._place, self._places[k])


def _cloud(room: int, size: int, players: int) -> Cloud:
    return Cloud(
        np.zeros((room, size), np.int64), np.zeros((room, players), np.int64), np.zeros(room), np.zeros(1, np.int64)
    )


def _tree(width: int) -> ResponseTree:
    cells = max(CELLS, width)
    return ResponseTree(
        np.zeros((SETS, SET_ROW), np.int64), np.zeros(bucket_count(SETS), np.int64), np.zeros(cells, np.int64),
        np.zeros(cells), np.zeros(CHOICES, np.int64), np.zeros(CHOICES),
    )  # fmt: skip
