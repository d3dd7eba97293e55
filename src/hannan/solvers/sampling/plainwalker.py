"""Plain-Python rules, shown to the compiled walk as if they were compiled.

The walk calls seven functions by their addresses; here these lead back into Python. A state of such rules is one
number, the row of the walk's stack where the state itself, a Python object, lies in a list; and the code of a move is
its place in the menu that the rules have given last for that row. So there is one walk for all rules, and a game that
is written both ways gives the same bits.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from hannan.kernels.sampling.records import Scratch
from hannan.kernels.signatures import BESIDE
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules, movers
from hannan.solvers.sampling.answering import FIRST_WIDTH, Answering

LENIENT = 2**48
"""Memories of lenient players have numbers from here on: above those of all sequences."""


class PlainWalker(Answering):
    """Answers the compiled walk's questions about any rules."""

    def __init__(self, rules: Rules, lenient: tuple[int, ...] = ()) -> None:
        super().__init__(rules)
        self.lenient = lenient
        """The players whose sets the walk does not tell apart: they forget, or are not known. What they remember is
        kept here, so that their actions are compared from history to history, too."""
        self._memories: dict[tuple[int, int, int], int] = {}  # by the memory before, the observation, and the action
        self.width = FIRST_WIDTH
        self.widest = 0
        """The largest number of moves that the rules have named."""
        self._row, self._code_here = 0, 0
        self._states: list[Any] = []  # by row, as the next three
        self._turns: list[int | tuple[int, ...]] = []
        self._moves: list[list[Any]] = []  # the outcomes of chance, or a menu for each mover
        self._lengths: list[int] = []  # how many moves lead to the state
        self._memory: list[dict[int, int]] = []  # of lenient players, by row, as the next one; below 0: nothing yet
        self._seen: list[dict[int, int]] = []  # what they see at the state
        self._arrays: dict[str, Any] = {}
        self.source = self._source()
        """What a walker takes for rules."""

    def copied(self) -> PlainWalker:
        """Return another one that knows the same observations."""
        other = PlainWalker(self.rules, self.lenient)
        other.know(self)
        other._memories = dict(self._memories)
        return other

    def with_room(self, scratch: Scratch) -> Scratch:
        """Return the room for a walk with rows for states and moves added, as many as it has frames."""
        rows, players = len(scratch.frame), self.rules.players
        if len(self._states) != rows or self._arrays["chance"].shape[1] != self.width:
            self._arrays = {
                "state": np.zeros((rows, 1 + BESIDE), np.int64),
                "trail": np.zeros(MOST_MOVES, np.int64),
                "last": np.zeros((rows, players), np.int64),
                "code": np.tile(np.arange(self.width), (rows, players, 1)),
                "chance": np.zeros((rows, self.width)),
            }
            self._states, self._turns, self._moves, self._lengths = [None] * rows, [END] * rows, [[]] * rows, [0] * rows
            self._memory, self._seen = [{} for _ in range(rows)], [{} for _ in range(rows)]
            words = self._arrays["state"]
            self._base, self._stride, self._words = words.ctypes.data, words.strides[0], words.data
        self._room = scratch._replace(**self._arrays)
        return self._room

    def widened(self) -> bool:
        """Return whether the last walk had too little room for the moves of one player; if so, there is enough next."""
        narrow = self.error is None and self.widest > self.width
        while self.width < self.widest:
            self.width *= 2
        return narrow

    def path(self) -> list[int]:
        steps: list[int] = self._room.trail[: self._lengths[self._row]].tolist()
        return steps

    def _at(self, where: int) -> int:
        """Return the row of a state, and remember where play is."""
        self._row = (where - self._base) // self._stride
        return self._row

    def _on_start(self, where: int) -> None:
        row = self._at(where)
        self._lengths[row], self._memory[row], self._seen[row] = 0, {}, {}
        self._states[row] = self._ask("start", self.rules.start)

    def _on_gains(self, where: int, out: int) -> None:
        self._room.here[:] = self._gains(self._states[self._at(where)])

    def _on_turn(self, where: int) -> int:
        row = self._at(where)
        self._turns[row], self._moves[row] = turn, _ = self._turn(self._states[row]), []
        if turn in (END, CHANCE):
            return -1 if turn == END else 0
        return sum(1 << player for player in movers(turn))

    def _on_chance(self, where: int, out: int, probabilities: int) -> int:
        row = self._at(where)
        self._moves[row], odds = self._chance(self._states[row])
        self.widest = max(self.widest, len(odds))
        if len(odds) <= self.width:
            self._room.chance[row, : len(odds)] = odds
        return len(odds)

    def _on_actions(self, where: int, player: int, out: int) -> int:
        row = self._at(where)
        state = self._states[row]
        menu = self._menu(state, player)
        seen, self._code_here = self._observed(state, player)
        key = int(self._room.last[row, player]), self._code_here
        if self.named:
            menu = self._in_order(key, menu)
        if player in self.lenient:
            self._seen[row][player] = self._code_here
            key = self._memory[row].get(player, -1 - player), self._code_here
        self._compare(key, player, seen, menu)
        self._moves[row].append(menu)
        self.widest = max(self.widest, len(menu))
        return len(menu)

    def _on_observe(self, where: int, player: int) -> int:
        return self._code_here

    def _on_move(self, where: int, choice: int) -> None:
        row = (where - self._base) // self._stride
        before = self._row = self._words[row, 0]
        turn, moves, numbers = self._turns[before], self._moves[before], self._room.choice.tolist()
        move: Hashable
        if turn == CHANCE:
            move = moves[numbers[0]]
        elif isinstance(turn, tuple):
            move = tuple(menu[number] for menu, number in zip(moves, numbers, strict=False))
        else:
            move = moves[0][numbers[0]]
        self._states[row] = self._ask("after", self.rules.after, self._states[before], move)
        self._lengths[row] = self._lengths[before] + 1
        self._remember(before, row, turn, numbers)
        self._words[row, 0] = row

    def _remember(self, before: int, row: int, turn: int | tuple[int, ...], numbers: list[int]) -> None:
        """Add what lenient movers have seen and done to what they remember; equal memories have one number."""
        if not self.lenient:
            return
        seen, self._seen[row] = self._seen[before], {}
        memory = self._memory[row] = dict(self._memory[before])
        if turn == CHANCE:
            return
        for player, number in zip(movers(turn), numbers, strict=False):
            if player in seen:
                way = memory.get(player, -1 - player), seen[player], number
                memory[player] = LENIENT + self._memories.setdefault(way, len(self._memories))
