"""Names for the array types that the whole package uses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int16]


def frozen(array: npt.NDArray[np.generic]) -> None:
    """Make an array read-only, in place."""
    array.setflags(write=False)
