"""An exact search from one position: serves the requests of its kernel, and turns its errors into sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import STRAY, HannanError, ParameterError, RulesError, SizeError, UnsuitableError
from hannan.kernels import statuses
from hannan.kernels.search import records as rec
from hannan.kernels.search.drive import chooser, searcher, solver
from hannan.kernels.search.records import ExactPlan
from hannan.memory import readable
from hannan.rules.complaints import complaint
from hannan.rules.doors import source_of
from hannan.rules.paths import menus_at
from hannan.rules.plain import CHANCE, MOST_MOVES, Rules
from hannan.rules.positions import THOROUGHLY, numbers_of, refuse_hidden, second_history, text_of
from hannan.rules.promises import ENDLESS, told
from hannan.rules.source import drive
from hannan.treesearch.numbers import Numbers
from hannan.treesearch.stack import Stack

SENTENCES = {
    statuses.EMPTY_BOUNDS: "the bounds here contradict those of earlier positions, or those that were given: no number "
    "lies in both",
    statuses.OUTSIDE_BOUNDS: "play ends with a gain outside of the bounds that were given, or that bounds() returned "
    "on the way",
}

Judge = Callable[[Any], Any]
"""What a state is worth to player 0 from there on: a number, or a pair (low, high) of bounds."""


CHOSEN = {0: rec.ROW, 1: rec.COLUMN, CHANCE: rec.COLUMN}
"""The column of `Frames.place` with the move of each player, or of chance, in the cell that a frame searches."""

SHOWN = 12
"""The most moves of a path in an error message."""

FIRST_WIDTH = 4
"""The number of moves per player that arrays have room for at first, if the rules do not state their number."""


class Engine:
    """A search over rules, in slices."""

    def __init__(self, rules: Rules, method: str, plan: ExactPlan, limit: int | None, judge: Judge | None) -> None:
        """limit: the most bytes that the search may take."""
        self.rules, self.method, self.plan, self.judge = rules, method, plan, judge
        self.numbers = Numbers()
        self.source = source_of(
            rules, seen=hash, position=self.numbers.position if plan.tabled else None,
            codes=self.numbers.action_codes, stacked=True, width=FIRST_WIDTH,
        )  # fmt: skip
        if self.source.worded and limit is not None:
            limit = max(limit // 2, 1)  # the other half is for the objects that the numbers stand for
        self.stack = Stack(max(self.source.width, 2), self.source.state_size, limit, bool(plan.tabled))
        self.numbers.stack = self.stack
        self.prefix: list[Any] = []
        """The moves from the start of play to the position that is searched."""
        functions, written = zip(*map(self.source.optional, ("bounds", "position")), strict=True)
        self._kernel, self._arguments = searcher(), (*self.source.book, *functions, *written, chooser(), solver())

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Nodes of the search, nodes of the serialised games, matrices solved and cut-offs, of all searches so far."""
        now = self.stack.frames.now
        return int(now[rec.NODES]), int(now[rec.SERIAL]), int(now[rec.SOLVES]), int(now[rec.CUTOFFS])

    def begin(self, moves: Sequence[Any], state: Any, plan: ExactPlan | None = None) -> None:
        """Set the position to search from. The entries of the table stay valid."""
        self.prefix, self.plan = list(moves), plan or self.plan
        frames = self.stack.frames
        self.source.put(frames.state[0], state, numbers_of(self.rules, self.prefix))
        frames.info[0, :2] = 1, 2
        frames.now[rec.DEPTH], frames.now[rec.PHASE], frames.now[rec.SUMMED] = 0, rec.ENTER, 0
        frames.place[0, rec.MODE] = rec.EXACT
        frames.place[0, rec.KIND] = rec.END
        for low, high in ((rec.LOWER, rec.UPPER), (rec.ALPHA, rec.BETA)):
            frames.number[0, low], frames.number[0, high] = -math.inf, math.inf
        frames.x[0], frames.y[0] = 0.0, 0.0
        self.stack.grow_table()

    def advance(self, visits: int) -> bool:
        """Search `visits` more positions; return whether the search is finished."""
        now = self.stack.frames.now
        now[rec.UNTIL] = now[rec.VISITS] + visits
        answers = {
            statuses.PAUSE: self._pause,
            statuses.MORE_DEPTH: self._deepen,
            statuses.TOO_WIDE: self._widen,
            statuses.EVALUATE: self._judge,
            statuses.HIDDEN: self._doubt,
        }
        return drive(self.source, self._call, self._error, answers, self._written) == statuses.DONE

    def _call(self) -> Any:
        stack = self.stack
        return self._kernel(*self._arguments, stack.frames, stack.store, stack.room, stack.scratch, self.plan)

    def _written(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the arrays that the rules write into, and those of states."""
        frames = self.stack.frames
        return (frames.code, frames.odds, frames.key, frames.choice, frames.here), (frames.state,)

    def _pause(self) -> bool:
        """Grow the table if it needs room; return whether all requested positions are searched."""
        self.stack.grow_table()
        now = self.stack.frames.now
        return bool(now[rec.VISITS] >= now[rec.UNTIL])

    @property
    def result(self) -> tuple[float, float]:
        """The bounds of a search that is finished."""
        return float(self.stack.frames.out[0]), float(self.stack.frames.out[1])

    @property
    def limited(self) -> bool:
        """Whether the result of a finished search depends on a leaf at the depth limit."""
        return bool(self.stack.frames.place[0, rec.LIMITED])

    def so_far(self) -> tuple[float, float]:
        """Return valid bounds on the value in the middle of a search, from the cells of the first node."""
        frames = self.stack.frames
        place, gain = frames.place[0], float(frames.number[0, rec.GAIN])
        if frames.now[rec.DEPTH] < 0:
            return self.result
        if place[rec.KIND] == rec.END:
            return self.plan.least, self.plan.most
        m, n = int(place[rec.ROWS]), int(place[rec.COLUMNS])
        low, high = frames.low[0, :m, :n], frames.high[0, :m, :n]
        if place[rec.KIND] == rec.CHANCE:
            played = frames.odds[0, :n] > 0
            odds = frames.odds[0, :n][played]
            return gain + float(odds @ low[0][played]), gain + float(odds @ high[0][played])
        lower, upper = self._guaranteed(low), -self._guaranteed(-high.T)
        return gain + lower, gain + upper

    def _guaranteed(self, ends: Any) -> float:
        """Return the value of a matrix of lower bounds, without the rows that have an unknown cell."""
        known = ends[np.isfinite(ends).all(axis=1)]
        if not len(known):
            return -math.inf
        from hannan.treesearch.matrix import solve_matrix

        return solve_matrix(known).lower

    def strategies(self) -> tuple[Floats, Floats]:
        """Return both players' strategies at the first node of a finished search; empty for a player without a move.

        If bounds alone decide the value of the node, no strategies were computed, and uniform ones are returned.
        """
        frames = self.stack.frames
        place = frames.place[0]
        if place[rec.KIND] != rec.MATRIX:
            return np.ones(0), np.ones(0)
        x, y = frames.x[0, : place[rec.ROWS]].copy(), frames.y[0, : place[rec.COLUMNS]].copy()
        for plays in (x, y):
            if not plays.any():
                plays[:] = 1.0 / len(plays)
        return (x if frames.info[0, 2] else np.ones(0)), (y if frames.info[0, 3] else np.ones(0))

    def path(self) -> list[Any]:
        """Return the moves from the start of play to the deepest frame."""
        depth = int(self.stack.frames.now[rec.DEPTH])
        return [*self.prefix, *(self.move(d, self._state(d)) for d in range(depth))]

    def move(self, d: int, state: Any) -> Any:
        """Return the move of the cell that a frame searches, in the form that the rules use at the frame's state."""
        place, code = self.stack.frames.place[d], self.stack.frames.code[d]
        moved = [
            menu[list(self.source.coded(mover, menu)).index(code[max(mover, 0), place[CHOSEN[mover]]])]
            for mover, menu in menus_at(self.rules, state)
        ]
        return tuple(moved) if isinstance(self.rules.turn(state), tuple) else moved[0]

    def _state(self, d: int) -> Any:
        return self.source.state(self.stack.frames.state[d])

    def _deepen(self) -> None:
        depths = len(self.stack.frames.x)
        if depths > MOST_MOVES:
            raise RulesError(f"node {self._text()}: {ENDLESS}")
        if not self.stack.deepen():
            raise SizeError(
                f"the memory limit of {readable(self.stack.limit)} is reached at a line of {depths} moves; give a "
                "larger memory_limit"
            )

    def _widen(self) -> None:
        before, wanted = self.stack.frames.x.shape[1], self.source.width
        if not self.stack.widen(wanted):
            self.source.width = before
            raise SizeError(
                f"the memory limit of {readable(self.stack.limit)} is too small for nodes of more than {wanted // 2} "
                "moves; give a larger memory_limit"
            )

    def _judge(self) -> None:
        """Evaluate the deepest position by the user's function, and refuse a wrong answer."""
        frames = self.stack.frames
        d, judge = int(frames.now[rec.DEPTH]), self.judge
        assert judge is not None
        least, most = frames.number[d, rec.LEAST], frames.number[d, rec.MOST]
        try:
            said = judge(self._state(d))
        except HannanError:
            raise
        except STRAY as error:
            raise ParameterError(f"the evaluation function raised {told(error)}, at {self._text()}") from error
        try:
            pair = said if isinstance(said, tuple | list) else (said, said)
            low, high = (float(part) for part in pair)
        except (TypeError, ValueError):
            low = high = math.nan
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ParameterError(
                f"the evaluation function returned {shown(said)} at {self._text()}; it should return what player 0 can "
                "still expect to gain there, a finite number or a pair (low, high)"
            )
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        if low < least - slack or high > most + slack:
            raise ParameterError(
                f"the evaluation function returned {shown(said)} at {self._text()}, where player 0 can still gain "
                f"{least:g} at least and {most:g} at most"
            )
        frames.out[0], frames.out[1] = max(low, least), min(high, most)

    def _doubt(self) -> None:
        """Refuse hidden information if a second position really exists; two positions may share a hash by chance."""
        history, player = self.path(), int(self.stack.frames.now[rec.WHO])
        other = second_history(self.rules, history, player, THOROUGHLY)
        if other is not None:
            refuse_hidden(self.rules, player, history, other, self.method)

    def _text(self) -> str:
        """Name the position, by its first moves if there are many."""
        path = self.path()
        return text_of(self.rules, path[:SHOWN]) + (" …" if len(path) > SHOWN else "")

    def _error(self, status: int) -> HannanError:
        frames = self.stack.frames
        d = int(frames.now[rec.DEPTH])
        where = f"node {self._text()}"
        if status == statuses.NOT_CONSTANT_SUM:
            return UnsuitableError(
                f"{self.method} solves two-player zero-sum games, and utilities have no constant sum here: they add "
                f"up to {frames.out[2]:g} at one end of play and to {frames.number[d, rec.TOTAL]:g} at "
                f"{self._text()}; take cfr, whose average play approaches a coarse correlated equilibrium"
            )
        if status == statuses.NO_BOUNDS:
            return UnsuitableError(
                f"a depth limit needs to know what positions are worth: give an evaluation function, or bounds (the "
                f"rules of {self.rules.name or type(self.rules).__name__} have none)"
            )
        if status in SENTENCES:
            return RulesError(f"{where}: {SENTENCES[status]}")
        return complaint(status, self.rules, where, lambda: self._state(d))
