"""Columns of numbers that grow together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.arrays import Longs


def longer(array: np.ndarray, room: int, axis: int = 0) -> np.ndarray:
    """Return an array with more room along an axis: the old numbers, then zeros."""
    shape = list(array.shape)
    shape[axis] = room - shape[axis]
    return np.concatenate((array, np.zeros(shape, array.dtype)), axis)


class Rows(ABC):
    """Rows of several columns, of which `used[owner]` are in use; columns are attributes."""

    def __init__(self, used: Longs, owner: int, written: Sequence[str]) -> None:
        """Files hold the `written` columns; the others follow from them."""
        self._used, self._owner, self._written = used, owner, tuple(written)

    def __getattr__(self, name: str) -> np.ndarray:
        raise AttributeError(name)  # all columns are attributes; this tells the type checker what they are

    @property
    def used(self) -> int:
        """The number of rows in use."""
        return int(self._used[self._owner])

    @abstractmethod
    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all."""

    def view(self, name: str) -> np.ndarray:
        """Return the part of one column that is in use."""
        column: np.ndarray = getattr(self, name)[: self.used]
        return column

    def arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """Return copies of all written columns by name, for a file; wide columns are split into single numbers."""
        return {f"{prefix}{name}": column.copy() for name, column in self._narrow(self.used)}

    def _narrow(self, rows: int) -> list[tuple[str, np.ndarray]]:
        """Return the first rows of all written columns, each number of a wide column under a name of its own."""
        narrow: list[tuple[str, np.ndarray]] = []
        for name in self._written:
            column = getattr(self, name)[:rows]
            if column.ndim == 1 or column.shape[1] == 1:
                narrow.append((name, column.reshape(rows)))
            else:
                narrow += [(f"{name}{k}", column[:, k]) for k in range(column.shape[1])]
        return narrow

    def fill(self, prefix: str, arrays: dict[str, np.ndarray]) -> None:
        """Take the columns that `arrays` wrote."""
        many = len(arrays[f"{prefix}{self._written[0]}"])
        self.reserve(many)
        for name, column in self._narrow(many):
            array = arrays[f"{prefix}{name}"]
            if array.shape != (many,) or array.dtype != column.dtype:
                raise ValueError(f"{prefix}{name} is of another kind")
            column[:] = array
        self._used[self._owner] = many


class Columns(Rows):
    """Flat arrays of one length. They have room for more rows, and grow by half if they are full."""

    def __init__(self, used: Longs, owner: int, unwritten: Sequence[str] = (), **kinds: Any) -> None:
        """`kinds` are the names and types of the columns; a pair (type, width) stands for `width` numbers per row."""
        super().__init__(used, owner, [name for name in kinds if name not in unwritten])
        self._names, self.room = tuple(kinds), 64
        for name, kind in kinds.items():
            of, width = kind if isinstance(kind, tuple) else (kind, None)
            setattr(self, name, np.zeros(self.room if width is None else (self.room, width), of))

    def reserve(self, rows: int) -> None:
        if rows > self.room:
            self.room = max(rows, self.room + self.room // 2)
            for name in self._names:
                setattr(self, name, longer(getattr(self, name), self.room))

    @property
    def bytes(self) -> int:
        """The bytes of the columns, including free room."""
        return sum(getattr(self, name).nbytes for name in self._names)


class Sheets:
    """Columns of several owners, each with rows of its own: arrays of shape [owners, room]."""

    def __init__(self, owners: int, *names: str) -> None:
        self.used, self.names, self.room = np.zeros(owners, np.int64), names, 64
        self.columns = {name: np.zeros((owners, self.room), np.int32) for name in names}

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows of every owner."""
        if rows > self.room:
            self.room = max(rows, self.room + self.room // 2)
            self.columns = {name: longer(column, self.room, 1) for name, column in self.columns.items()}

    @property
    def bytes(self) -> int:
        """The bytes of the columns, including free room."""
        return sum(column.nbytes for column in self.columns.values())


class Sheet(Rows):
    """The rows of one owner."""

    def __init__(self, sheets: Sheets, owner: int) -> None:
        super().__init__(sheets.used, owner, sheets.names)
        self._sheets = sheets

    def __getattr__(self, name: str) -> np.ndarray:
        if name == "_sheets":
            raise AttributeError(name)
        return self._sheets.columns[name][self._owner]

    def reserve(self, rows: int) -> None:
        self._sheets.reserve(rows)
