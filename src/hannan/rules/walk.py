"""The walk over every history of plain-Python rules, level by level; it writes the arrays of a game tree."""

from __future__ import annotations

import sys
from array import array
from typing import Any

from hannan.errors import SizeError
from hannan.rules.paths import node_text
from hannan.rules.plain import Rules
from hannan.rules.visitor import EVERY, Look, Visitor


class PlainWalk(Visitor):
    """A walk in progress: the arrays of the finished levels, and the states of the next level."""

    def __init__(self, rules: Rules, named: bool = False) -> None:
        super().__init__(rules, named)
        self.parent = array("i", [-1])  # the root has none
        self.children = array("i")
        self.turn = array("h")
        self.slot_begin = array("i")
        self.slots = array("i")
        self.probability = array("d", [1.0])
        self.gain_node = array("i")
        self.gain = array("d")
        self.depth_begin = [0, 1]
        self._most = sys.maxsize
        # state, last sequence of each player, utility so far
        self.frontier: list[tuple[Any, tuple[int, ...], tuple[float, ...]]] = [
            (self.begin(), tuple(range(self.players)), (0.0,) * self.players)
        ]

    @property
    def depth(self) -> int:
        """The number of finished levels."""
        return len(self.depth_begin) - 2

    @property
    def first_of_level(self) -> int:
        """The number of the first node of the next level."""
        return self.depth_begin[-2]

    def name_of(self, node: int) -> str:
        path = []
        while node > 0:
            above = self.parent[node]
            path.append(node - self.children[above])
            node = above
        return node_text(self.rules, path[::-1])

    def make_room(self, more: int) -> None:
        if len(self.parent) + more > self._most:
            raise SizeError(
                f"{self.rules.name or type(self.rules).__name__} has more than {self._most:,} histories, which is more "
                "than fits into the free memory; choose smaller parameters, or a method that plays the rules directly"
            )

    def level(self, most: int) -> None:
        """Visit every node of the next level."""
        frontier, self.frontier = self.frontier, []
        first, self._most = self.first_of_level, most
        for k, (state, last, utility) in enumerate(frontier):
            self.make_room(0)
            if self.seen is not None and (first + k) % EVERY == 0:
                self.seen(first + k)
            self.visit(first + k, state, last, utility)
        self.depth_begin.append(len(self.parent))

    def visit(self, node: int, state: Any, last: tuple[int, ...], utility: tuple[float, ...]) -> Look:
        """Look at a node, and append its facts to the arrays."""
        look = self.look(node, state, last, utility)
        if look.gains is not None:
            self.gain_node.append(node)
            self.gain.extend(look.gains)
        self.children.append(len(self.parent))
        self.slot_begin.append(len(self.slots))
        self.slots.extend(look.slots)
        self.turn.append(look.turn)
        for child, sequences, weight in look.children:
            self.frontier.append((child, sequences, look.utility))
            self.probability.append(weight)
        self.parent.extend([node] * len(look.children))
        return look
