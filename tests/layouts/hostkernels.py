"""The program for public trees on a machine without a card: the same source, compiled as C++, its kernels as loops."""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hannan.arrays import Longs
from hannan.errors import SizeError
from tests.layouts.hostcard import COMPILER


class HostKernels:
    """A stand-in for a card, whose memory is NumPy's. Backwards, the items of a kernel are taken from the last one."""

    def __init__(self, backwards: bool = False, free: int = 1 << 30) -> None:
        self.backwards, self.free = backwards, free
        self._arrays: dict[int, Any] = {}

    def require(self, size: int, instead: str) -> None:
        if size > self.free:
            raise SizeError(f"{size} bytes do not fit")

    def array(self, array: Any) -> int:
        mine = np.array(array, order="C")
        address: int = mine.ctypes.data
        self._arrays[address] = mine
        return address

    def read(self, address: int) -> Any:
        return self._arrays[address].copy()

    def write(self, address: int, array: Any) -> None:
        self._arrays[address][:] = array

    @contextmanager
    def lent(self, array: Any) -> Iterator[int]:
        mine = np.array(array, order="C")
        yield mine.ctypes.data

    def compiled(self, source: str) -> dict[str, Any]:
        return Library(library(source, self.backwards))

    def launch(
        self, kernel: Any, grid: tuple[int, int, int], threads: int, shared: int, tree: Longs, *numbers: int
    ) -> None:
        kernel(ctypes.c_void_p(tree.ctypes.data), *map(ctypes.c_longlong, numbers))

    def wait(self) -> None:
        pass


class Library(dict[str, Any]):
    def __init__(self, loaded: ctypes.CDLL) -> None:
        super().__init__()
        self._loaded = loaded

    def __missing__(self, name: str) -> Any:
        return getattr(self._loaded, name)


@cache
def library(source: str, backwards: bool) -> ctypes.CDLL:
    assert COMPILER is not None
    with tempfile.TemporaryDirectory(prefix="hannan-card-") as folder:
        name = hashlib.sha256(source.encode()).hexdigest()[:16]
        file, built = Path(folder) / f"{name}.cpp", Path(folder) / f"{name}.so"
        file.write_text(source, encoding="utf-8")
        words = ["-std=c++17", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", *(["-DBACKWARDS"] if backwards else [])]
        subprocess.run([COMPILER, *words, str(file), "-o", str(built)], check=True)
        return ctypes.CDLL(str(built))
