"""The walk over every history of plain-Python rules, depth first; it keeps only the histories on its path.

The compiled walk could call such rules too, but its callbacks take twice as long.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from typing import Any, NoReturn

import numpy as np

from hannan.arrays import Floats, Ints, Shorts
from hannan.errors import SizeError
from hannan.forms.payoff_runs import LONGEST, Gathering
from hannan.forms.survey import Seen, Survey, Walk, nodes_of
from hannan.forms.treeplex import MetSets
from hannan.kernels.expansion.walk import DEPTH_BITS, NEVER
from hannan.memory import require
from hannan.rules.paths import node_text
from hannan.rules.plain import END, MOST_MOVES, NO_MOVERS, Rules
from hannan.rules.promises import ENDLESS
from hannan.rules.visitor import EVERY, Child, Look, Visitor

BYTES_PER_CHILD = 500
"""Bytes for a history that is still to be visited, a generous guess: states are Python objects."""

_Step = tuple[list[Child], tuple[float, ...], float, list[int], int]
"""A history on the path: its children, the utilities there, chance's probability of it, [its next child], number."""


class Descent(Visitor, Walk):
    """A walk in progress: its counts, its path, and the gains that were noted and not yet taken."""

    quick = 20_000
    longest = 100_000_000
    bytes_per_history = 1000

    def __init__(self, rules: Rules, *, recording: bool = False, collecting: int = 0) -> None:
        super().__init__(rules)
        self.counts = [[0] * (MOST_MOVES + 2) for _ in range(3)]  # nodes, slots and gainful nodes of each depth
        self.shallow: dict[int, int] = {}
        """By sequence: the least depth of a node with gains at which the sequence is its player's last."""
        self._recorded: list[array[Any]] | None = [array(kind) for kind in "hihdiid"] if recording else None
        self._room: int | None = collecting
        """The most gains to note; None after a walk has met more."""
        self._restart()

    def _restart(self) -> None:
        """Go back to the root. Information sets that were met stay known; counts start again from 0."""
        for row in self.counts:
            row[:] = [0] * len(row)
        self.visited = self.serial_extra = 0
        self.ends = self.chances = self.decisions = self.joints = 0
        self._path: list[_Step] = []
        self._next: tuple[Any, tuple[int, ...], float] | None = (self.begin(), tuple(range(self.players)), 1.0)
        self._gains = array("i"), array("h"), array("d")

    def record(self) -> list[np.ndarray]:
        assert self._recorded is not None
        kinds = (np.int16, np.int32, np.int16, np.float64, np.int32, np.int32, np.float64)
        *arrays, gain = (np.array(one, kind) for one, kind in zip(self._recorded, kinds, strict=True))
        return [*arrays, gain.reshape(-1, self.players)]

    @property
    def labels(self) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
        return list(self.actions), list(self.observations)

    @property
    def gained(self) -> tuple[Ints, Shorts, Floats] | None:
        return None if self._room is None else self._taken()

    def _taken(self) -> tuple[Ints, Shorts, Floats]:
        """Return the gains that were noted since the last call."""
        sequences, depth, gain = self._gains
        self._gains = array("i"), array("h"), array("d")
        shape = (-1, self.players)
        return (
            np.array(sequences, np.int32).reshape(shape), np.array(depth, np.int16), np.array(gain).reshape(shape),
        )  # fmt: skip

    def name_of(self, node: int) -> str:
        return node_text(self.rules, [cursor[0] - 1 for *_, cursor, _ in self._path])

    def make_room(self, more: int) -> None:
        if self.visited + more >= self._most:
            self._too_many()
        if more > EVERY:
            require(BYTES_PER_CHILD * more, f"the {more:,} joint moves at one history of {self.rules.name}")

    def go(self, most: int, seen: Seen | None = None) -> None:
        while not self._visit(most, seen):
            self._room = None
            self._taken()

    def gather(self, gathering: Gathering, seen: Seen) -> None:
        self._restart()
        self._room = LONGEST
        ended = False
        while not ended:
            ended = self._visit(self.longest, seen)
            gathering.add(gathering.sorted(*self._taken()))

    def _visit(self, most: int, seen: Seen | None) -> bool:
        """Visit histories until all are visited or the room for gains is full; return whether all are visited."""
        self._most = most
        path, (nodes, slots, _), noted = self._path, self.counts, self._gains[1]
        nothing, room = (0.0,) * self.players, self._room or 2**62
        while self._next is not None:
            if self.visited >= most:
                self._too_many()
            if len(noted) >= room:
                return False
            if seen is not None and self.visited and self.visited % EVERY == 0:
                seen(self.visited)
            state, last, edge = self._next
            depth = len(path)
            node = (depth << DEPTH_BITS) + nodes[depth]  # as in `MetTable.first` of a compiled walk
            if depth >= MOST_MOVES:
                self.fail(node, ENDLESS)
            utility, reach = nothing, 1.0
            if path:
                _, utility, reach, _, _ = path[-1]
                reach *= edge
            extra = self.serial_extra
            try:
                look = self.look(node, state, last, utility)
            except SizeError:  # the history may be visited again
                self.serial_extra = extra
                raise
            if self._recorded is not None:
                self._write(self._recorded, look, depth, edge)
            gains, utility, turn, sets, children = look
            if gains is not None:
                self._note(gains, last, depth, reach)
            if turn == END:
                self.ends += 1
            elif turn == NO_MOVERS:
                self.chances += 1
            else:
                slots[depth] += len(sets)
                self.decisions += 1
                self.joints += len(sets) > 1
            if children:
                path.append((children, utility, reach, [0], self.visited))
            self.visited += 1
            nodes[depth] += 1
            self._go_on()
        return True

    def _too_many(self) -> NoReturn:
        raise SizeError(f"{self.rules.name or type(self.rules).__name__} has more than {self._most:,} histories")

    def _write(self, record: list[array[Any]], look: Look, depth: int, edge: float) -> None:
        depths, parent, turn, probability, slots, gain_node, gain = record
        depths.append(depth)
        parent.append(self._path[-1][4] if depth else -1)
        turn.append(look.turn)
        probability.append(edge)
        slots.extend(look.slots)
        if look.gains is not None:
            gain_node.append(self.visited)
            gain.extend(look.gains)

    def _note(self, gains: tuple[float, ...], last: tuple[int, ...], depth: int, reach: float) -> None:
        self.counts[2][depth] += 1
        shallow = self.shallow
        for sequence in last:
            if depth < shallow.get(sequence, NEVER):
                shallow[sequence] = depth
        if self._room:
            sequences, depths, values = self._gains
            sequences.extend(last)
            depths.append(depth)
            values.extend([gain * reach for gain in gains])

    def _go_on(self) -> None:
        """Climb to the nearest history with a child still to visit, and set `_next` to that child."""
        path = self._path
        while path:
            children, _, _, cursor, _ = path[-1]
            k = cursor[0]
            if k < len(children):
                cursor[0] = k + 1
                self._next = children[k]
                return
            path.pop()
        self._next = None

    def survey(self) -> Survey:
        counts = np.array(self.counts, np.int64)
        shallow = np.full(len(self.sequence_action), NEVER, np.int16)
        for sequence, depth in self.shallow.items():
            shallow[sequence] = depth
        player, parent, observation, base, size = np.array(self.met, np.int64).reshape(-1, 5).T.copy()
        first, action = nodes_of(np.array(self.first, np.int64), counts[0]), np.array(self.sequence_action, np.int64)
        return Survey(
            counts=counts,
            kinds=np.array([self.ends, self.chances, self.decisions, self.joints, self.serial_extra], np.int64),
            span=np.array([self.lowest, self.highest]),
            sets=MetSets(player, parent, observation, base, size, first, action),
            shallow=shallow,
        )
