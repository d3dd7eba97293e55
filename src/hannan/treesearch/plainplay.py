"""Plain-Python rules, shown to the compiled walk of a search as if they were compiled.

The walk plays one line at a time, so there is one state. Its word in the walk's array is 0; a word of -1 says that the
walk has gone back to where the search begins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hannan.kernels.mcts.records import LENGTH, Walk
from hannan.kernels.signatures import OPTIONAL
from hannan.rules.observations import not_looked_up
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.solvers.sampling.answering import Answering, Callback

BACK = -1


class PlainPlay(Answering):
    """Answers the walk's questions."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.widest = 0
        """The largest number of moves that the rules have named."""
        self.root: Any = None
        self.prefix: list[int] = []
        """The numbers of the moves to where the search begins."""
        self.state: Any = None
        self._walk: Walk | None = None
        self._turn_here: int | tuple[int, ...] | None = None
        self._menus: list[Any] = []
        self.position = Callback(OPTIONAL["position"], self._guarded(self._on_position, -1))
        """What the walk takes for what matters of a state."""
        self.source = self._source()
        """What the walk takes for rules."""

    def begin(self, walk: Walk, root: Any, prefix: list[int]) -> None:
        """Let the walk begin at a state; codes of moves are their numbers."""
        self._walk, self.root, self.prefix = walk, root, prefix
        walk.state[:] = BACK
        walk.code[:] = np.arange(walk.code.shape[1])

    def path(self) -> list[int]:
        assert self._walk is not None
        steps: list[int] = self._walk.trail[: self._walk.now[LENGTH]].tolist()
        return [*self.prefix, *steps]

    def _guarded(self, answer: Callable[..., Any], otherwise: int | None) -> Callable[..., Any]:
        return super()._guarded(lambda where, *arguments: answer(self._here(), *arguments), otherwise)

    def _here(self) -> Walk:
        walk = self._walk
        assert walk is not None
        if walk.state[1, 0] == BACK:
            walk.state[1, 0], self.state, self._turn_here, self._menus = 0, self.root, None, []
        return walk

    def _on_start(self, walk: Walk) -> None:
        raise AssertionError("a search begins where it is told")

    def _on_gains(self, walk: Walk, out: int) -> None:
        walk.here[:2] = self._gains(self.state)

    def _on_turn(self, walk: Walk) -> int:
        self._menus, self._turn_here = [], self._turn(self.state)
        if self._turn_here in (END, CHANCE):
            return -1 if self._turn_here == END else 0
        return sum(1 << player for player in movers(self._turn_here))

    def _on_chance(self, walk: Walk, out: int, probabilities: int) -> int:
        outcomes, odds = self._chance(self.state)
        self._menus, self.widest = [outcomes], max(self.widest, len(odds))
        if len(odds) <= len(walk.odds):
            walk.odds[: len(odds)] = odds
        return len(odds)

    def _on_actions(self, walk: Walk, player: int, out: int) -> int:
        menu = self._menu(self.state, player)
        self._menus.append(menu)
        self.widest = max(self.widest, len(menu))
        return len(menu)

    def _on_observe(self, walk: Walk, player: int) -> int:
        seen = self._ask("observe", self.rules.observe, self.state, player)
        try:
            return hash(seen)
        except TypeError as error:
            self._fail(not_looked_up(seen, error), cause=error)

    def _on_position(self, walk: Walk, out: int) -> int:
        position = self._ask("position", self.rules.position, self.state)
        try:
            walk.position[0] = hash(position)
        except TypeError:  # a state need not be hashable; then all count as one position
            walk.position[0] = 0
        return 1

    def _on_move(self, walk: Walk, choice: int) -> None:
        turn = self._turn(self.state) if self._turn_here is None else self._turn_here
        chosen = tuple(menu[number] for menu, number in zip(self._menus, walk.choice.tolist(), strict=False))
        self.state = self._ask("after", self.rules.after, self.state, chosen if isinstance(turn, tuple) else chosen[0])
        self._turn_here, self._menus = None, []
