"""The fixed types of compiled rules, in the order in which walkers take them."""

from __future__ import annotations

from numba import types

LONG = types.int64
LONGS = types.Array(types.int64, 1, "C")
TABLE = types.Array(types.int64, 1, "C", readonly=True)
FLOATS = types.Array(types.float64, 1, "C")

BOOK = {
    "start": types.void(TABLE, LONGS),
    "turn": LONG(TABLE, LONGS),
    "actions": LONG(TABLE, LONGS, LONG, LONGS),
    "chance": LONG(TABLE, LONGS, LONGS, FLOATS),
    "move": types.void(TABLE, LONGS, LONGS),
    "observe": LONG(TABLE, LONGS, LONG),
    "gains": types.void(TABLE, LONGS, FLOATS),
}

FUNCTIONS = tuple(types.FunctionType(signature) for signature in BOOK.values())
