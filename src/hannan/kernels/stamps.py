"""What a compiled kernel in the cache depends on.

Numba keeps machine code next to a kernel's source and throws it away if that file changes. Machine code also has the
kernels that it calls and the constants that it imports, from other files. So the stamp that numba compares is made
longer: with every file under `hannan/kernels`, and with the file of every kernel outside of it that can be called.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.registry import CPUDispatcher

KERNELS = Path(__file__).parent
TURNS = KERNELS.parent / "turns.py"
"""The one file outside from which kernels take constants."""


class Keeping:
    """Whether compiled code can be kept on this machine, and whether a warning was given if not."""

    lost = False

    @classmethod
    def lose(cls, function: FunctionType, error: Exception) -> None:
        """Go on without a cache, and say so once; of what was typed into a prompt nothing is ever kept."""
        if cls.lost or not Path(function.__code__.co_filename).is_file():
            return
        cls.lost = True
        print(
            f"hannan: compiled code cannot be kept here ({_first_line(error)}), so each start compiles again; set "
            "NUMBA_CACHE_DIR to a folder that can be written",
            file=sys.stderr,
            flush=True,
        )


def _first_line(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error).splitlines()[0][:200]


class _Cache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """A kernel's cache. What cannot be written is not kept; what cannot be read is compiled again."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        try:
            return super().load_overload(signature, target)
        except Exception:
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except OSError as error:
            Keeping.lose(self._py_func, error)


def stamped(dispatcher: Any) -> Any:
    """Give a kernel a cache on disk that depends on all that it is made of, where it can have one; return it."""
    try:
        cache = dispatcher._cache = _Cache(dispatcher.py_func)
    except (RuntimeError, OSError) as error:  # no folder can be written, or the kernel came from no file
        Keeping.lose(dispatcher.py_func, error)
    else:
        own = Path(dispatcher.py_func.__code__.co_filename)
        files = {own, *(Path(callee.__code__.co_filename) for callee in callees(dispatcher.py_func))}
        others = sorted(path for path in files if path.is_file() and KERNELS not in path.parents)
        stamp = (cache._cache_file._source_stamp, folder_digest(KERNELS), _digest(TURNS), *map(_digest, others))
        cache._cache_file = _Index(cache._cache_path, cache._impl.filename_base, stamp)
    return dispatcher


class _Index(IndexDataCacheFile):  # type: ignore[misc]  # numba has no types
    """The files of one kernel in the cache. What cannot be read counts as not there, and is compiled again.

    A file may be cut short, or name types that this version no longer has.
    """

    def load(self, key: Any) -> Any:
        try:
            return super().load(key)
        except Exception:
            return None

    def _load_index(self) -> dict[Any, Any]:
        try:
            overloads: dict[Any, Any] = super()._load_index()
        except Exception:
            return {}
        return overloads


def callees(function: FunctionType) -> set[FunctionType]:
    """Return every kernel that a function can call, directly or through others."""
    reached: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        for callee in _called(waiting.pop()):
            if callee not in reached:
                reached.add(callee)
                waiting.append(callee)
    return reached


@cache
def folder_digest(folder: Path) -> bytes:
    """Return a digest of all Python files in a folder and below."""
    return hashlib.sha256(b"".join(_digest(path) for path in sorted(folder.rglob("*.py")))).digest()


def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _called(function: FunctionType) -> Iterator[FunctionType]:
    """Yield the kernels that are named in a function: by a global name, in a closure, or as part of a module."""
    names = set(_names(function.__code__))
    places = [function.__globals__.get(name) for name in names]
    places += [cell.cell_contents for cell in function.__closure__ or ()]
    places += [getattr(place, name, None) for place in places if isinstance(place, ModuleType) for name in names]
    for place in places:
        if isinstance(place, CPUDispatcher):
            yield place.py_func


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
