"""Plain-Python rules, shown to compiled loops that hold many states at a time as if they were compiled.

A state is one number: the place of the state itself, a Python object, in a list. A copy of the number is a copy of the
state. The code of a move is its place in the menu. So one loop serves all rules, and a game that is written both ways
gives the same bits.
"""

from __future__ import annotations

import ctypes
from collections.abc import Hashable
from typing import Any

from hannan.arrays import Longs
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.solvers.sampling.answering import FIRST_WIDTH, Answering


class PlainStates(Answering):
    """Answers the loops' questions."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.width = FIRST_WIDTH
        """How many moves of one player, or outcomes, there is room for."""
        self.widest = 0
        self._states: list[Any] = []  # by number, as the next three
        self._turns: list[int | tuple[int, ...] | None] = []
        self._menus: list[dict[int, Any]] = []  # of each mover, or of chance
        self._ways: list[tuple[int, int]] = []  # the number of the state before, and of the move that was made there
        self._here = 0
        self.source = self._source()
        """What a loop takes for rules."""

    def begin(self) -> int:
        """Forget all states; return the number of the first one."""
        self._states, self._turns, self._menus, self._ways = [], [], [], []
        return self._new(self._ask("start", self.rules.start), (-1, 0))

    def forget(self, kept: Longs) -> None:
        """Forget all states but those with these numbers, which get new ones in the array itself."""
        places = {place: k for k, place in enumerate(dict.fromkeys(kept.tolist()))}
        states = [self._states[place] for place in places]
        self._states, self._turns, self._menus, self._ways = [], [], [], []
        for state in states:
            self._new(state, (-1, 0))
        kept[:] = [places[place] for place in kept.tolist()]

    def widened(self) -> bool:
        """Return whether there was too little room for the moves of one player; if so, there is enough next."""
        narrow = self.widest > self.width
        while self.width < self.widest:
            self.width *= 2
        return narrow

    def path(self) -> list[int]:
        """Return the numbers of the moves since the state with which the loop began."""
        steps, here = [], self._here
        while here >= 0 and self._ways[here][0] >= 0:
            here, number = self._ways[here]
            steps.append(number)
        return steps[::-1]

    def _new(self, state: Any, way: tuple[int, int]) -> int:
        self._states.append(state)
        self._turns.append(None)
        self._menus.append({})
        self._ways.append(way)
        return len(self._states) - 1

    def _at(self, where: int) -> int:
        self._here = ctypes.c_int64.from_address(where).value
        return self._here

    def _turn_at(self, here: int) -> int | tuple[int, ...]:
        turn = self._turns[here]
        if turn is None:
            turn = self._turns[here] = self._turn(self._states[here])
        return turn

    def _on_start(self, where: int) -> None:
        ctypes.c_int64.from_address(where).value = self.begin()

    def _on_gains(self, where: int, out: int) -> None:
        gains = self._gains(self._states[self._at(where)])
        (ctypes.c_double * len(gains)).from_address(out)[:] = [*gains]

    def _on_turn(self, where: int) -> int:
        turn = self._turn_at(self._at(where))
        if turn in (END, CHANCE):
            return -1 if turn == END else 0
        return sum(1 << player for player in movers(turn))

    def _on_chance(self, where: int, out: int, probabilities: int) -> int:
        here = self._at(where)
        outcomes, odds = self._chance(self._states[here])
        self._menus[here] = {CHANCE: outcomes}
        if self._numbered(len(outcomes), out):
            (ctypes.c_double * len(odds)).from_address(probabilities)[:] = odds.tolist()
        return len(outcomes)

    def _on_actions(self, where: int, player: int, out: int) -> int:
        here = self._at(where)
        menu = self._menus[here].get(player)
        if menu is None:
            menu = self._menus[here][player] = self._menu(self._states[here], player)
        self._numbered(len(menu), out)
        return len(menu)

    def _numbered(self, count: int, out: int) -> bool:
        """Write the codes of so many moves where there is room for them."""
        self.widest = max(self.widest, count)
        if count <= self.width:
            (ctypes.c_int64 * count).from_address(out)[:] = list(range(count))
        return count <= self.width

    def _on_observe(self, where: int, player: int) -> int:
        return self._observed(self._states[self._at(where)], player)[1]

    def _on_move(self, where: int, choice: int) -> None:
        here = self._at(where)
        turn, menus, number = self._turn_at(here), self._menus[here], 0
        who = (CHANCE,) if turn == CHANCE else movers(turn)
        numbers = (ctypes.c_int64 * len(who)).from_address(choice)[:]
        for mover, k in zip(who, numbers, strict=True):
            number = number * len(menus[mover]) + k
        chosen: tuple[Hashable, ...] = tuple(menus[mover][k] for mover, k in zip(who, numbers, strict=True))
        state = self._ask(
            "after", self.rules.after, self._states[here], chosen if isinstance(turn, tuple) else chosen[0]
        )
        ctypes.c_int64.from_address(where).value = self._new(state, (here, number))
