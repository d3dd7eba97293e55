"""What numba calls the records of the sampling kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import Board, SamplingPlan, Scratch, Tables
from hannan.kernels.signatures import FLOATS, LONGS

_FLOATS2, _LONGS2 = types.Array(types.float64, 2, "C"), types.Array(types.int64, 2, "C")
_LONGS3, _INTS2 = types.Array(types.int64, 3, "C"), types.Array(types.int32, 2, "C")
_RANDOM = types.Array(types.uint64, 1, "C")


def _records(kind: np.dtype[Any]) -> Any:
    return types.Array(from_dtype(kind), 1, "C")


PLAN = types.NamedTuple((types.int64,) * 13 + (types.float64,) * 5, SamplingPlan)
BOARD = types.NamedTuple((_INTS2, FLOATS, _FLOATS2, _INTS2, LONGS), Board)
TABLES = types.NamedTuple((*(FLOATS,) * 3, LONGS, LONGS, *(_FLOATS2,) * 5, _LONGS2, LONGS, LONGS, _RANDOM), Tables)
SCRATCH = types.NamedTuple(
    (
        *(
            _records(rec.FRAME),
            _LONGS3,
            _FLOATS2,
            _LONGS3,
            _records(rec.TOUCH),
            FLOATS,
            _LONGS2,
            FLOATS,
            LONGS,
            LONGS,
            FLOATS,
        ),
        *(_records(rec.USED), _LONGS2, LONGS, _LONGS2, _LONGS3, _FLOATS2, FLOATS, LONGS),
    ),
    Scratch,
)
