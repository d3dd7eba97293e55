"""The program of the card on a machine without one: the same source, compiled as C++, its phases as loops."""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.layouts.cuda import program
from hannan.layouts.cuda.program import Options

COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")


class HostCard:
    """A stand-in for a card, whose memory is NumPy's. Backwards, the items of a phase are taken from the last one."""

    def __init__(self, options: Options, widest: int, size: int, backwards: bool = False) -> None:
        self._program = compiled(options, backwards)
        self._arrays: dict[int, Any] = {}

    def array(self, array: Any) -> int:
        mine = np.array(array, order="C")
        address: int = mine.ctypes.data
        self._arrays[address] = mine
        return address

    def results(self, size: int) -> tuple[int, Floats]:
        mine = np.zeros(size)
        return mine.ctypes.data, mine

    def read(self, address: int) -> Floats:
        copied: Floats = self._arrays[address].copy()
        return copied

    def write(self, address: int, array: Floats) -> None:
        self._arrays[address][:] = array

    def iterate(self, header: Longs, schedule: Floats) -> None:
        count, rows, _ = schedule.shape
        self._program.iterate(header.ctypes.data, None, schedule.ctypes.data, count, rows)

    def measure(self, header: Longs, correlated: bool) -> None:
        self._program.measure(header.ctypes.data, None, int(correlated))


@cache
def compiled(options: Options, backwards: bool) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory(prefix="hannan-card-") as folder:
        return _compiled(Path(folder), options, backwards)


def _compiled(folder: Path, options: Options, backwards: bool) -> ctypes.CDLL:
    assert COMPILER is not None
    words = [word for word in options.words if not word.startswith("-DPLAN")]
    words += ["-DBACKWARDS"] if backwards else []
    name = hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]
    source = folder / f"{name}.cpp"
    source.write_text(program.source(), encoding="utf-8")
    library = folder / f"{name}.so"
    strict = ["-std=c++17", "-O1", "-Wall", "-Wno-unknown-pragmas", "-Wno-unused-variable", "-shared", "-fPIC"]
    subprocess.run([COMPILER, *strict, *words, str(source), "-o", str(library)], check=True)
    loaded = ctypes.CDLL(str(library))
    number = ctypes.c_longlong
    loaded.iterate.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, number, number]
    loaded.measure.argtypes = [ctypes.c_void_p, ctypes.c_void_p, number]
    return loaded
