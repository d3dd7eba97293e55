"""The walk over every history of plain-Python rules, depth first; it keeps no history but those on its path."""

from __future__ import annotations

from array import array
from typing import Any, Literal, NamedTuple

from hannan.kernels.expansion.walk import DEPTH_BITS, NEVER
from hannan.memory import require
from hannan.rules.paths import node_text
from hannan.rules.plain import END, MOST_MOVES, NO_MOVERS, Rules
from hannan.rules.promises import ENDLESS
from hannan.rules.visiting import EVERY, Child, Visitor

BYTES_PER_CHILD = 500
"""A generous guess at what a history takes that is still to be visited: states are Python objects."""

_Step = tuple[list[Child], tuple[float, ...], float, list[int]]
"""A history on the path: its children, the utilities there, chance's probability of it, and [its next child]."""


class Gains(NamedTuple):
    """What was gained, in depth-first order."""

    sequences: array[int]  # players of them a gain
    depth: array[int]
    gain: array[float]  # players of them a gain, weighted by chance's probability


class Descent(Visitor):
    """A walk in progress: what it has counted, its path, and what was gained since somebody took it."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.counts = [[0] * (MOST_MOVES + 2) for _ in range(3)]  # nodes, slots and gainful nodes of each depth
        self.ends = self.chances = self.decisions = self.joints = 0
        self.shallow: dict[int, int] = {}
        """The least depth at which somebody gains while a sequence is its player's last; by sequence."""
        self.restart()

    def restart(self) -> None:
        """Go back to the root: what was met stays known, what was counted is counted again."""
        for row in self.counts:
            row[:] = [0] * len(row)
        self.visited = self.serial_extra = 0
        self.ends = self.chances = self.decisions = self.joints = 0
        self._path: list[_Step] = []
        self._next: tuple[Any, tuple[int, ...], float] | None = (self.begin(), tuple(range(self.players)), 1.0)
        self.take()

    def take(self) -> Gains:
        """Return what was gained since the last time."""
        taken = getattr(self, "_gains", None)
        self._gains = Gains(array("i"), array("h"), array("d"))
        return self._gains if taken is None else taken

    def name_of(self, node: int) -> str:
        return node_text(self.rules, [cursor[0] - 1 for *_, cursor in self._path])

    def make_room(self, more: int) -> None:
        if more > EVERY:
            require(BYTES_PER_CHILD * more, f"the {more:,} joint moves at one history of {self.rules.name}")

    def go(self, most: int, room: int) -> Literal["done", "most", "full"]:
        """Visit histories until all, or `most`, were visited or so many gains are noted."""
        path, (nodes, slots, _), noted = self._path, self.counts, self._gains.depth
        seen, nothing = self.seen, (0.0,) * self.players
        while self._next is not None:
            if self.visited >= most:
                return "most"
            if len(noted) >= room:
                return "full"
            if seen is not None and self.visited and self.visited % EVERY == 0:
                seen(self.visited)
            state, last, edge = self._next
            depth = len(path)
            node = (depth << DEPTH_BITS) + nodes[depth]  # as in a compiled walk's `Sets.first`
            if depth >= MOST_MOVES:
                self.fail(node, ENDLESS)
            utility, reach = nothing, 1.0
            if path:
                _, utility, reach, _ = path[-1]
                reach *= edge
            gains, utility, turn, sets, children = self.look(node, state, last, utility)
            self.visited += 1
            nodes[depth] += 1
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
                path.append((children, utility, reach, [0]))
            self._go_on()
        return "done"

    def _note(self, gains: tuple[float, ...], last: tuple[int, ...], depth: int, reach: float) -> None:
        sequences, depths, values = self._gains
        self.counts[2][depth] += 1
        sequences.extend(last)
        depths.append(depth)
        values.extend([gain * reach for gain in gains])
        shallow = self.shallow
        for sequence in last:
            if depth < shallow.get(sequence, NEVER):
                shallow[sequence] = depth

    def _go_on(self) -> None:
        """Climb to the nearest history with a child left, and say which child is next."""
        path = self._path
        while path:
            children, _, _, cursor = path[-1]
            k = cursor[0]
            if k < len(children):
                cursor[0] = k + 1
                self._next = children[k]
                return
            path.pop()
        self._next = None
