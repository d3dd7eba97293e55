"""Compiled rules between guards: each function is called where a write beside its arrays is noticed, and a read, too.

Compiled functions get bare addresses, so nothing else stops them. Here every array lies in the middle of a longer one
that is filled with a number. Each question is asked twice, with another number around: who reads what is not there
answers twice, who writes there leaves a trace, and both should say what the same function says as ordinary Python.
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
"""Places before an array, and after it, that are watched."""

FILLS = (-7_777_777_777, 3)
"""What is written there, at the first time and at the second."""

CLOSE = 1e-9
"""How much numbers of the compiled function may differ from those of the ordinary one: arithmetic is rounded."""

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
        """Whether nobody has written beside the array."""
        return bool((self.whole[:GUARD] == self._fill).all() and (self.whole[-GUARD:] == self._fill).all())


class Guarded:
    """The functions of compiled rules, to be asked between guards."""

    def __init__(self, rules: CompiledRules) -> None:
        from hannan.kernels.pointers import address_of

        self._rules = rules
        self._compiled = rules.compiled()  # which must outlive their addresses
        self._functions: dict[str, Callable[..., Any]] = {
            name: ctypes.CFUNCTYPE(*kinds)(address_of(function))
            for (name, kinds), function in zip(_KINDS.items(), self._compiled, strict=True)
        }

    def start(self) -> None:
        """Compare the first state with what the ordinary function says."""
        nothing = np.zeros(self._rules.state_size, np.int64)
        self._ask("start", nothing, writes=True, meant=list(self._rules.start()))

    def node(self, state: Sequence[int]) -> None:
        """Ask everything that a walk asks at a state, and compare."""
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
        """Call a function twice between guards; refuse what it does to them, and answers that are not meant."""
        answers = []
        for fill in FILLS:
            table, here = _Between(self._rules.table, fill), _Between(state, fill)
            arrays = [other(fill) if callable(other) else other for other in others]
            guards = [table, here, *(array for array in arrays if isinstance(array, _Between))]
            given = [array.address if isinstance(array, _Between) else array for array in arrays]
            returned = self._functions[name](table.address, here.address, *given)
            if not all(guard.intact for guard in guards):
                raise RulesError(
                    f"{name}(), compiled, writes beside the arrays it is given: places are counted from 0, there are "
                    f"state_size={self._rules.state_size} in a state and width={self._rules.width} for moves"
                )
            if (table.inside != self._rules.table).any() or (not writes and (here.inside != state).any()):
                raise RulesError(f"{name}(), compiled, changes the table, or a state that it should only read")
            answers.append(self._answer(here, arrays, returned, writes))
        if not (_same(answers[0], answers[1], close) and _same(answers[0], meant, close)):
            raise RulesError(
                f"{name}(), compiled, answers {answers[0]}, then {answers[1]}, and as ordinary Python {meant}: it "
                "reads places that it is not given, or counts on what only Python does"
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
