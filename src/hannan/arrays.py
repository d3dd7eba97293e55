"""Names for the array types that the whole package uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Known = Any
"""A number, or a tuple of them; None where it was not measured. Those who know that it was need not say so."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int16]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]
"""Numbers in whatever type holds them."""


def frozen(array: npt.NDArray[np.generic]) -> None:
    """Make an array read-only, in place."""
    array.setflags(write=False)


def offsets(sizes: Any) -> Longs:
    """Return the first places of consecutive parts of the given sizes, and the end of the last part."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def longer(array: Any, size: int, axis: int = -1, *, zeros: bool = True) -> Any:
    """Return an array with room for more along an axis, holding what there was, then zeros (or what may be there)."""
    shape = list(array.shape)
    shape[axis] = size
    result = np.zeros(shape, array.dtype) if zeros else np.empty(shape, array.dtype)
    result[tuple(map(slice, array.shape))] = array
    return result
