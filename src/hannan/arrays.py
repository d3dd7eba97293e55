"""Names for the array types that the whole package uses."""

from __future__ import annotations

import math
import mmap
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

Known = Any
"""A number or a tuple of numbers, or None if not measured. It is `Any`, so that callers need no check for None."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int16]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]
"""An array of any type of number."""


def frozen(array: npt.NDArray[np.generic]) -> None:
    """Make an array read-only, in place."""
    array.setflags(write=False)


def offsets(sizes: Any) -> Longs:
    """Return the starts of consecutive parts with the given sizes, and the end of the last part."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def longer(array: Any, size: int, axis: int = -1, *, zeros: bool = True) -> Any:
    """Return a longer copy of an array; its new elements along the axis are zero, or uninitialised if not `zeros`."""
    shape = list(array.shape)
    shape[axis] = size
    result = np.zeros(shape, array.dtype) if zeros else np.empty(shape, array.dtype)
    result[tuple(map(slice, array.shape))] = array
    return result


MAPPED = 1 << 22
"""The bytes from which `lengthen` gives an array pages of its own."""


def lengthen(arrays: dict[str, Any], name: str, size: int, axis: int) -> None:
    """Put a longer array in the place of one of `arrays`; its new elements along the axis are zero.

    On Linux, a large array whose first axis grows is not copied if nothing else refers to it or to a part of it: the
    system adds pages at its end.
    """
    array = arrays[name]
    shape = list(array.shape)
    shape[axis] = size
    length = math.prod(shape) * array.itemsize
    if length < MAPPED or axis % array.ndim != 0 or not hasattr(mmap, "MADV_HUGEPAGE"):
        arrays[name] = longer(array, size, axis)
        return
    del array
    if not _extended(arrays, name, shape, length):
        space = new_pages(length)
        with suppress(OSError):  # some systems have no huge pages
            space.madvise(mmap.MADV_HUGEPAGE)
        wider = np.frombuffer(space, arrays[name].dtype).reshape(shape)
        wider[: len(arrays[name])] = arrays[name]
        arrays[name] = wider


def new_pages(length: int) -> Any:
    """Return memory of its own, of `length` bytes that are 0."""
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows
        return mmap.mmap(-1, length)
    try:
        return mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as failed:
        raise MemoryError from failed


def pages_of(array: Numbers) -> Any:
    """Return the pages that belong to an array alone, as `lengthen` made them; None if it has none."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base.obj if isinstance(base, memoryview) and isinstance(base.obj, mmap.mmap) else None


def _extended(arrays: dict[str, Any], name: str, shape: Sequence[int], length: int) -> bool:
    """Add pages to an array that has pages of its own, if nothing else refers to them; return whether it was done."""
    space, kind, old = pages_of(arrays[name]), arrays[name].dtype, arrays[name].shape
    if space is None:
        return False
    del arrays[name]
    try:
        space.resize(length)
    except (BufferError, OSError):
        shape = old
    arrays[name] = np.frombuffer(space, kind, math.prod(shape)).reshape(shape)
    return shape is not old
