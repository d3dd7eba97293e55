"""Columns of numbers that grow together."""

from __future__ import annotations

from typing import Any

import numpy as np


class Columns:
    """Flat arrays of one length, each an attribute; they have room for more, and grow by half where they have not."""

    def __init__(self, room: int = 64, unwritten: tuple[str, ...] = (), **kinds: Any) -> None:
        """`kinds` are the names and types of the columns; a type with a width stands for so many numbers a row.

        Files do not hold the `unwritten` ones: they follow from the others.
        """
        self.used = 0
        self._names = tuple(kinds)
        self._written = tuple(name for name in kinds if name not in unwritten)
        self.room = room
        for name, kind in kinds.items():
            of, width = kind if isinstance(kind, tuple) else (kind, None)
            setattr(self, name, np.zeros(room if width is None else (room, width), of))

    def __getattr__(self, name: str) -> np.ndarray:
        raise AttributeError(name)  # all columns are attributes; this tells the type checker what they are

    def add(self, many: int = 1) -> int:
        """Make room for `many` more rows, all 0, and return the number of the first."""
        first, self.used = self.used, self.used + many
        self.reserve(self.used, first)
        return first

    def reserve(self, rows: int, filled: int | None = None) -> None:
        """Make room for so many rows in all, of which the first `filled` (those that are used) hold something."""
        if rows <= self.room:
            return
        first = self.used if filled is None else filled
        self.room = max(rows, self.room + self.room // 2)
        for name in self._names:
            old = getattr(self, name)
            new = np.zeros((self.room, *old.shape[1:]), old.dtype)
            new[:first] = old[:first]
            setattr(self, name, new)

    def view(self, name: str) -> np.ndarray:
        """Return one column, as long as there are rows."""
        column: np.ndarray = getattr(self, name)[: self.used]
        return column

    def arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """Return copies of all columns by their names, for a file; wide ones one number after another."""
        arrays: dict[str, np.ndarray] = {}
        for name in self._written:
            column = self.view(name)
            if column.ndim == 1:
                arrays[f"{prefix}{name}"] = column.copy()
            else:
                arrays |= {f"{prefix}{part}": column[:, k].copy() for k, part in enumerate(_parts(name, column))}
        return arrays

    def fill(self, prefix: str, arrays: dict[str, np.ndarray]) -> None:
        """Take the columns that `arrays` wrote."""
        many = len(arrays[f"{prefix}{self._written[0]}"])
        for name, array in self.arrays(prefix).items():
            if arrays[name].shape != (many,) or arrays[name].dtype != array.dtype:
                raise ValueError(f"{name} is of another kind")
        self.add(many - self.used)
        for name in self._written:
            column = getattr(self, name)
            if column.ndim == 1:
                column[:many] = arrays[f"{prefix}{name}"]
            else:
                for k, part in enumerate(_parts(name, column)):
                    column[:many, k] = arrays[f"{prefix}{part}"]

    @property
    def bytes(self) -> int:
        """How much memory the columns take, their room included."""
        return sum(getattr(self, name).nbytes for name in self._names)


def _parts(name: str, column: np.ndarray) -> list[str]:
    """Name the numbers of a row: one has the name of the column, several are numbered."""
    return [name] if column.shape[1] == 1 else [f"{name}{k}" for k in range(column.shape[1])]


class Sheets:
    """Columns of several owners, each with rows of its own: arrays of shape [owners, room]."""

    def __init__(self, owners: int, room: int = 64, **kinds: Any) -> None:
        self.used = np.zeros(owners, np.int64)
        self.names = tuple(kinds)
        self.room = room
        for name, kind in kinds.items():
            setattr(self, name, np.zeros((owners, room), kind))

    def __getattr__(self, name: str) -> np.ndarray:
        raise AttributeError(name)

    def add(self, owner: int) -> int:
        """Make room for one more row of an owner, and return its number."""
        number = int(self.used[owner])
        self.reserve(number + 1)
        self.used[owner] += 1
        return number

    def reserve(self, rows: int) -> None:
        """Make room for so many rows of every owner."""
        if rows <= self.room:
            return
        old_room, self.room = self.room, max(rows, self.room + self.room // 2)
        for name in self.names:
            old = getattr(self, name)
            new = np.zeros((old.shape[0], self.room), old.dtype)
            new[:, :old_room] = old
            setattr(self, name, new)

    @property
    def bytes(self) -> int:
        """How much memory they take, their room included."""
        return sum(getattr(self, name).nbytes for name in self.names)


class Sheet:
    """The rows of one owner."""

    def __init__(self, sheets: Sheets, owner: int) -> None:
        self.sheets, self.owner = sheets, owner

    def __getattr__(self, name: str) -> np.ndarray:
        column: np.ndarray = getattr(self.sheets, name)[self.owner]
        return column

    @property
    def used(self) -> int:
        """How many rows there are."""
        return int(self.sheets.used[self.owner])

    def view(self, name: str) -> np.ndarray:
        """Return one column, as long as there are rows."""
        column: np.ndarray = getattr(self.sheets, name)[self.owner, : self.used]
        return column

    def arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """Return copies of all columns by their names, for a file."""
        return {f"{prefix}{name}": self.view(name).copy() for name in self.sheets.names}

    def fill(self, prefix: str, arrays: dict[str, np.ndarray]) -> None:
        """Take the columns that `arrays` wrote."""
        many = len(arrays[f"{prefix}{self.sheets.names[0]}"])
        for name, array in self.arrays(prefix).items():
            if arrays[name].shape != (many,) or arrays[name].dtype != array.dtype:
                raise ValueError(f"{name} is of another kind")
        self.sheets.reserve(many)
        self.sheets.used[self.owner] = many
        for name in self.sheets.names:
            getattr(self.sheets, name)[self.owner, :many] = arrays[f"{prefix}{name}"]
