"""A search over plain-Python rules: the same kernels, driven from Python."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable
from typing import Any

import numpy as np

from hannan.errors import STRAY, ChanceError, HannanError, MismatchError, RulesError, SizeError
from hannan.kernels import statuses
from hannan.kernels.search import records as rec
from hannan.kernels.search.drive import chooser, moved, solver
from hannan.kernels.search.machine import advance
from hannan.kernels.search.records import Plan
from hannan.memory import readable
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.rules.promises import raised, wrong_chance, wrong_gains, wrong_menu, wrong_turn
from hannan.treesearch.engine import Engine, Judge
from hannan.treesearch.stack import Stack

OVERHEAD = 250
"""Bytes that a position takes in a dictionary, besides its own."""


class PlainEngine(Engine):
    """Keeps states and actions as Python objects, and gives positions and actions numbers."""

    def __init__(self, rules: Rules, method: str, plan: Plan, stack: Stack, judge: Judge | None) -> None:
        super().__init__(rules, method, plan, stack, judge)
        self.states: list[Any] = []
        self.turns: list[int | tuple[int, ...]] = []
        self.actions: list[Hashable] = []
        self.action_codes: dict[Hashable, int] = {}
        self.positions: dict[Hashable, int] = {}
        self.numbered = 0
        self.seen: dict[int, int] = {}
        self.most_seen = len(stack.store.seen)
        self._chooser, self._solver = chooser(), solver()
        self._budget = stack.limit // 2
        """Bytes for positions; the other half of the limit is the arrays'."""

    def _go(self) -> int:
        while True:
            stack = self.stack
            frames, now = stack.frames, stack.frames.now
            status = int(advance(frames, stack.store, self.plan))
            if status == statuses.CHOOSE:
                self._chooser(frames, stack.room, stack.scratch, self.plan, self._solver)
                continue
            if status != statuses.EXPAND:
                return status
            hidden = self._fill(int(now[rec.DEPTH]))
            now = self.stack.frames.now
            now[rec.PHASE] = rec.OPEN
            now[rec.VISITS] += 1
            if hidden >= 0:
                now[rec.WHO] = hidden
                return statuses.HIDDEN
            if now[rec.VISITS] >= now[rec.UNTIL] or now[rec.ENTRIES] >= now[rec.FULL]:
                return statuses.PAUSE

    def order(self) -> Any:
        """Return the places of all actions on the path in the lists of the rules: codes mean nothing elsewhere."""
        frames = self.stack.frames
        places = np.zeros_like(frames.code[: len(self.turns)])
        for d, turn in enumerate(self.turns):
            for row, menu in self._menus(d, turn).items():
                for k in range(len(menu)):
                    places[d, row, k] = menu.index(self._action(d, row, k))
        return places

    def replay(self, places: Any) -> None:
        """Play the moves of a path that was saved, so that its states are there again."""
        depth = int(self.stack.frames.now[rec.DEPTH])
        if len(places) != depth + 1:
            raise MismatchError("the state points to what is not there")
        for d in range(len(places)):
            if d > 0:
                self.states.append(self.rules.after(self.states[d - 1], self._move(d - 1)))
            self.turns.append(self.rules.turn(self.states[d]))
            for row, menu in self._menus(d, self.turns[d]).items():
                side = 1 if self.turns[d] == CHANCE else row
                size, taken = (
                    int(self.stack.frames.place[d, k[side]]) for k in ((rec.ROWS, rec.COLUMNS), (rec.ROW, rec.COLUMN))
                )
                same = sorted(places[d, row, : len(menu)].tolist()) == list(range(len(menu)))
                if not same or size != len(menu) or (d < depth and taken >= size):
                    raise MismatchError("the state holds other actions than the rules have")
                self._offer(d, row, [menu[k] for k in places[d, row, : len(menu)]])

    def _menus(self, d: int, turn: int | tuple[int, ...]) -> dict[int, list[Hashable]]:
        """List the actions of each mover of a frame, or the outcomes of chance in row 0."""
        if turn == CHANCE:
            return {0: [outcome for outcome, _ in self.rules.chance(self.states[d])]}
        return {player: list(self.rules.actions(self.states[d], player)) for player in movers(turn)}

    def _place(self, state: Any) -> None:
        self.states = [state]
        self.turns = []

    def _state(self, d: int) -> Any:
        return self.states[d]

    def _action(self, d: int, row: int, k: int) -> Hashable:
        return self.actions[int(self.stack.frames.code[d, row, k])]

    def _joint(self, d: int) -> bool:
        return isinstance(self.turns[d], tuple)

    def _fill(self, d: int) -> int:
        """Enter what the rules say of a position; return a player who was here before at another one, or -1."""
        try:
            return self._filled(d)
        except HannanError:
            raise
        except STRAY as error:
            raise RulesError(f"node {self._text()}: {raised('the rules', error)}") from error

    def _filled(self, d: int) -> int:
        rules, frames = self.rules, self.stack.frames
        place, number = frames.place[d], frames.number[d]
        if d > 0:
            moved(frames, d)
            del self.states[d:], self.turns[d:]
            self.states.append(rules.after(self.states[d - 1], self._move(d - 1)))
        state = self.states[d]
        gains = rules.gains(state)
        self._check(wrong_gains(gains, 2))
        number[rec.GAIN] = gains[0]
        number[rec.TOTAL] = gains[0] + gains[1] + (frames.number[d - 1, rec.TOTAL] if d > 0 else 0.0)
        number[rec.LEAST], number[rec.MOST] = -math.inf, math.inf
        turn = rules.turn(state)
        self._check(wrong_turn(turn, 2))
        self.turns.append(turn)
        frames.info[d, 2:] = 0
        place[rec.ROWS] = place[rec.COLUMNS] = 1
        if turn == END:
            place[rec.KIND] = rec.END
            return -1
        bounds = rules.bounds(state)
        if bounds is not None:
            number[rec.LEAST], number[rec.MOST] = (float(end) for end in bounds[0])
        position = rules.position(state)
        place[rec.WORDS], frames.key[d, 0] = 1, self._number(position)
        if turn == CHANCE:
            place[rec.KIND] = rec.CHANCE
            outcomes = rules.chance(state)
            self._check(wrong_chance(outcomes), ChanceError)
            self._offer(d, 0, [outcome for outcome, _ in outcomes])
            self.stack.frames.odds[d, : len(outcomes)] = [weight for _, weight in outcomes]
            place[rec.COLUMNS] = len(outcomes)
            return -1
        place[rec.KIND] = rec.MATRIX
        hidden = -1
        for player in movers(turn):
            menu = tuple(rules.actions(state, player))
            self._check(wrong_menu(player, menu))
            self._offer(d, player, list(menu))
            frames = self.stack.frames
            frames.place[d, (rec.ROWS, rec.COLUMNS)[player]] = len(menu)
            info = hash((int(frames.info[d, player]), rules.observe(state, player))) | 1
            frames.info[d, 2 + player] = info
            if self._watch(info, hash(position)):
                hidden = player
        return hidden

    def _move(self, d: int) -> Any:
        """Return the move of a frame's cell."""
        place, turn = self.stack.frames.place[d], self.turns[d]
        if turn == CHANCE:
            return self._action(d, 0, int(place[rec.COLUMN]))
        acted = tuple(self._action(d, p, int(place[(rec.ROW, rec.COLUMN)[p]])) for p in movers(turn))
        return acted if isinstance(turn, tuple) else acted[0]

    def _offer(self, d: int, row: int, menu: list[Hashable]) -> None:
        """Number actions, and make room for so many."""
        if len(menu) > self.stack.frames.x.shape[1] and not self.stack.widen(2 * len(menu)):
            raise SizeError(
                f"the memory limit of {readable(self.stack.limit)} is too small for nodes of {len(menu)} moves; give a "
                "larger memory_limit"
            )
        for k, action in enumerate(menu):
            code = self.action_codes.setdefault(action, len(self.actions))
            if code == len(self.actions):
                self.actions.append(action)
            self.stack.frames.code[d, row, k] = code

    def _number(self, position: Hashable) -> int:
        """Return a number that only equal positions share. Numbers are never used again when memory is cleared."""
        if not self.plan.tabled:
            return 0
        code = self.positions.get(position)
        if code is None:
            if (len(self.positions) + 1) * (OVERHEAD + _size(position)) > self._budget:
                self.positions.clear()
            code = self.positions[position] = self.numbered
            self.numbered += 1
        return code

    def _watch(self, info: int, position: int) -> bool:
        if len(self.seen) >= self.most_seen:
            self.seen.clear()
        return self.seen.setdefault(info, position) != position

    def _check(self, sentence: str | None, kind: type[HannanError] = RulesError) -> None:
        if sentence is not None:
            raise kind(f"node {self._text()}: {sentence}")


def _size(position: Any) -> int:
    """Return about how many bytes a position takes, with what it is made of."""
    own = sys.getsizeof(position)
    if isinstance(position, tuple | frozenset):
        return own + sum(map(_size, position))
    if hasattr(position, "__dict__"):
        return own + sum(map(_size, vars(position).values()))
    return own
