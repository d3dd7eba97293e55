"""Calls of compiled rules with guarded arrays, to detect reads and writes outside of the arrays.

Compiled functions get bare addresses without bounds, so every array here lies in the middle of a longer one that is
filled with a number. Each function is called twice, with a different fill. A function that reads outside of its array
answers differently, and a function that writes outside leaves a trace. Both answers must equal those of the same
function as ordinary Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from hannan.errors import RulesError
from hannan.rules.compiled import CompiledRules, bits
from hannan.rules.plain import CHANCE, END

GUARD = 512
"""The number of guarded elements before and after an array."""

FILLS = (-7_777_777_777, 3)
"""The fill of the guards at the first call and at the second."""

CLOSE = 1e-9
"""Relative tolerance between gains of a compiled function and of the ordinary one, for rounding errors."""

_LONG, _ADDRESS = ctypes.c_int64, ctypes.c_void_p
_KINDS: dict[str, tuple[Any, ...]] = {
    "start": (None, _ADDRESS, _ADDRESS),
    "turn": (_LONG, _ADDRESS, _ADDRESS),
    "actions": (_LONG, _ADDRESS, _ADDRESS, _LONG, _ADDRESS),
    "chance": (_LONG, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS),
    "move": (None, _ADDRESS, _ADDRESS, _ADDRESS),
    "observe": (_LONG, _ADDRESS, _ADDRESS, _LONG),
    "gains": (None, _ADDRESS, _ADDRESS, _ADDRESS),
}


class _Between:
    """An array in the middle of a longer one."""

    def __init__(self, content: Any, fill: int) -> None:
        self.whole = np.full(len(content) + 2 * GUARD, fill, content.dtype)
        self.inside = self.whole[GUARD : GUARD + len(content)]
        self.inside[:] = content
        self._fill = fill

    @property
    def address(self) -> int:
        return int(self.whole.ctypes.data) + GUARD * self.whole.itemsize

    @property
    def intact(self) -> bool:
        """Whether the guards still hold the fill."""
        return bool((self.whole[:GUARD] == self._fill).all() and (self.whole[-GUARD:] == self._fill).all())


class Guarded:
    """The functions of compiled rules, called with guarded arrays."""

    def __init__(self, rules: CompiledRules) -> None:
        from hannan.kernels.pointers import address_of

        self._rules = rules
        self._compiled = rules.compiled()  # which must outlive their addresses
        self._functions: dict[str, Callable[..., Any]] = {
            name: ctypes.CFUNCTYPE(*kinds)(address_of(function))
            for (name, kinds), function in zip(_KINDS.items(), self._compiled, strict=True)
        }

    def start(self) -> None:
        """Compare the first state with that of the ordinary function."""
        nothing = np.zeros(self._rules.state_size, np.int64)
        self._ask("start", nothing, writes=True, meant=list(self._rules.start()))

    def node(self, state: Sequence[int]) -> None:
        """Call every function that a walk calls at a state, and compare the answers."""
        rules, here = self._rules, np.array(state, np.int64)
        gains = np.zeros(rules.players)
        self._ask("gains", here, partial(_Between, gains), meant=rules.gains(tuple(state)), close=True)
        turn = rules.turn(tuple(state))
        said = int(rules.book.turn(rules.table, here.copy()))
        self._ask("turn", here, meant=[said])
        if turn == END:
            return
        codes, odds = np.zeros(rules.width, np.int64), np.zeros(rules.width)
        if turn == CHANCE:
            listed = rules.chance(tuple(state))
            meant = [len(listed), *[code for code, _ in listed]]
            self._ask("chance", here, partial(_Between, codes), partial(_Between, odds), meant=meant)
            return
        for player in bits(said):
            menu = rules.actions(tuple(state), player)
            self._ask("actions", here, player, partial(_Between, codes), meant=[len(menu), *menu])
            self._ask("observe", here, player, meant=[rules.observe(tuple(state), player)])

    def move(self, state: Sequence[int], choice: Sequence[int]) -> None:
        """Make a move, and compare the state after it."""
        taken = partial(_Between, np.array(choice, np.int64))
        single = choice[0] if len(choice) == 1 else tuple(choice)
        after = self._rules.after(tuple(state), single)
        self._ask("move", np.array(state, np.int64), taken, writes=True, meant=list(after))

    def _ask(
        self, name: str, state: Any, *others: Any, meant: list[Any], writes: bool = False, close: bool = False
    ) -> None:
        """Call a function twice with guarded arrays; refuse writes to the guards, and answers other than `meant`."""
        answers = []
        for fill in FILLS:
            table, here = _Between(self._rules.table, fill), _Between(state, fill)
            arrays = [other(fill) if callable(other) else other for other in others]
            guards = [table, here, *(array for array in arrays if isinstance(array, _Between))]
            given = [array.address if isinstance(array, _Between) else array for array in arrays]
            returned = self._functions[name](table.address, here.address, *given)
            if not all(guard.intact for guard in guards):
                raise RulesError(
                    f"{name}(), compiled, writes outside of its arrays: indices start at 0, a state has "
                    f"state_size={self._rules.state_size} elements, and an array of moves width={self._rules.width}"
                )
            if (table.inside != self._rules.table).any() or (not writes and (here.inside != state).any()):
                raise RulesError(f"{name}(), compiled, changes the table, or a state that it should only read")
            answers.append(self._answer(here, arrays, returned, writes))
        if not (_same(answers[0], answers[1], close) and _same(answers[0], meant, close)):
            raise RulesError(
                f"{name}(), compiled, returns {answers[0]}, then {answers[1]}, and as ordinary Python {meant}: it "
                "reads outside of its arrays, or depends on behaviour that only Python has"
            )

    def _answer(self, here: _Between, arrays: list[Any], returned: Any, writes: bool) -> list[Any]:
        if writes:
            return list(here.inside.tolist())
        out = [array.inside.tolist() for array in arrays if isinstance(array, _Between)]
        if returned is None:
            return list(out[0])
        return [returned, *out[0][: max(returned, 0)]] if out else [returned]


def _same(one: list[Any], other: list[Any], close: bool) -> bool:
    if not close:
        return one == other
    return len(one) == len(other) and bool(np.allclose(one, other, rtol=CLOSE, atol=0.0, equal_nan=True))
