"""Plain-Python rules behind compiled code: functions that it calls by their addresses lead back into Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from hannan.kernels.signatures import BOOK
from hannan.rules.inquiry import Inquiry
from hannan.rules.plain import Rules

FIRST_WIDTH = 16
"""How many moves of one player, or outcomes, there is room for at first."""

NO_SUCH_WIDTH = 2**40
"""So many outcomes end a walk at once."""

ENDING = {"turn": 0, "chance": NO_SUCH_WIDTH, "actions": 0, "observe": 0}
"""Answers that end a walk."""

_LONG, _ADDRESS = ctypes.c_int64, ctypes.c_size_t
_SHAPES: dict[Any, Any] = {types.void: None, types.int64: _LONG}


class Callback(types.WrapperAddressProtocol):  # type: ignore[misc]  # numba has no types
    """A Python function that compiled code can call, of one numba signature; pointers come as addresses."""

    def __init__(self, shape: Any, answer: Callable[..., Any]) -> None:
        prototype = ctypes.CFUNCTYPE(_SHAPES[shape.return_type], *(_SHAPES.get(kind, _ADDRESS) for kind in shape.args))
        self.shape, self.thunk = shape, prototype(answer)

    def __wrapper_address__(self) -> int:
        return ctypes.cast(self.thunk, ctypes.c_void_p).value or 0

    def signature(self) -> Any:
        return self.shape


class Answering(Inquiry):
    """Answers the questions of compiled code about any rules, each by its method `_on_NAME`.

    An error in the rules, or Ctrl-C, cannot pass through compiled code: it is kept, every later question gets an answer
    that ends the walk, and `raise_error` raises it.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.error: BaseException | None = None

    def raise_error(self) -> None:
        """Raise what the rules have raised since the last time, if anything."""
        error, self.error = self.error, None
        if error is not None:
            raise error

    def _guarded(self, answer: Callable[..., Any], otherwise: int | None) -> Callable[..., Any]:
        def guarded(_: int, *arguments: int) -> Any:
            if self.error is None:
                try:
                    return answer(*arguments)
                except BaseException as error:  # raised again by raise_error
                    self.error = error
            return otherwise

        return guarded

    def _source(self) -> tuple[Any, ...]:
        """Return what compiled code takes for rules: seven functions, and their table, of which they take nothing."""
        answers = [self._guarded(getattr(self, f"_on_{name}"), ENDING.get(name)) for name in BOOK]
        return (*(Callback(shape, one) for shape, one in zip(BOOK.values(), answers, strict=True)), no_table())


def no_table() -> Any:
    """Return a table for functions that read none."""
    table = np.zeros(1, np.int64)
    table.setflags(write=False)
    return table
