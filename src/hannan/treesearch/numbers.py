"""Numbers for the positions and actions of plain-Python rules, by which the kernels of an exact search know them."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import Any

from hannan.arguments import shown
from hannan.rules.promises import BrokenPromiseError
from hannan.treesearch.stack import Stack

OVERHEAD = 250
"""Bytes that a position takes in a dictionary, in addition to its own."""


class Numbers:
    """Gives each position, and each action, a number that only equal ones share."""

    def __init__(self) -> None:
        self.actions: dict[Hashable, int] = {}
        self.positions: dict[Hashable, int] = {}
        self.given = 0
        """How many positions were ever numbered. After memory is cleared, no number is used again."""
        self.stack: Stack | None = None
        """The arrays whose memory limit applies: positions may take half of that limit."""

    def action_codes(self, menu: Sequence[Hashable]) -> list[int]:
        """Return the numbers of actions."""
        return [self.actions.setdefault(action, len(self.actions)) for action in menu]

    def position(self, position: Hashable) -> int:
        """Return the number of a position. If memory runs out, forget all earlier positions."""
        try:
            number = self.positions.get(position)
        except TypeError as error:
            raise BrokenPromiseError(
                f"position() returned {shown(position)}, which cannot be looked up ({error}); let it return numbers "
                "and words, or a tuple of them, or give table=False"
            ) from error
        if number is None:
            assert self.stack is not None
            if (len(self.positions) + 1) * (OVERHEAD + _size(position)) > self.stack.limit // 2:
                self.positions.clear()
                self.stack.store.seen[:] = 0  # its entries hold positions by their numbers
            number = self.positions[position] = self.given
            self.given += 1
        return number


def _size(position: Any) -> int:
    """Return roughly how many bytes a position takes, parts included."""
    own = sys.getsizeof(position)
    if isinstance(position, tuple | frozenset):
        return own + sum(map(_size, position))
    if hasattr(position, "__dict__"):
        return own + sum(map(_size, vars(position).values()))
    return own
