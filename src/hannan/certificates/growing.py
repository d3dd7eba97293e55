"""Columns of numbers that grow together."""

from __future__ import annotations

from typing import Any

import numpy as np


class Columns:
    """Flat arrays of one length, each an attribute; they have room for more, and grow by half where they have not."""

    def __init__(self, room: int = 64, **kinds: Any) -> None:
        """`kinds` are the names and types of the columns."""
        self.used = 0
        self._names = tuple(kinds)
        self._room = room
        for name, kind in kinds.items():
            setattr(self, name, np.zeros(room, kind))

    def __getattr__(self, name: str) -> np.ndarray:
        raise AttributeError(name)  # all columns are attributes; this tells the type checker what they are

    def add(self, many: int = 1) -> int:
        """Make room for `many` more rows, all 0, and return the number of the first."""
        first, self.used = self.used, self.used + many
        if self.used > self._room:
            self._room = max(self.used, self._room + self._room // 2)
            for name in self._names:
                old = getattr(self, name)
                new = np.zeros(self._room, old.dtype)
                new[:first] = old[:first]
                setattr(self, name, new)
        return first

    def view(self, name: str) -> np.ndarray:
        """Return one column, as long as there are rows."""
        column: np.ndarray = getattr(self, name)[: self.used]
        return column

    def arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """Return copies of all columns by their names, for a file."""
        return {f"{prefix}{name}": self.view(name).copy() for name in self._names}

    def fill(self, prefix: str, arrays: dict[str, np.ndarray]) -> None:
        """Take the columns that `arrays` wrote."""
        many = len(arrays[f"{prefix}{self._names[0]}"])
        for name in self._names:
            array = arrays[f"{prefix}{name}"]
            if array.shape != (many,) or array.dtype != getattr(self, name).dtype:
                raise ValueError(f"{prefix}{name} is of another kind")
        self.add(many - self.used)
        for name in self._names:
            getattr(self, name)[:many] = arrays[f"{prefix}{name}"]

    @property
    def bytes(self) -> int:
        """How much memory the columns take, their room included."""
        return sum(getattr(self, name).nbytes for name in self._names)
