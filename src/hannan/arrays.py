"""Names for the array types that the whole package uses."""

from __future__ import annotations

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
