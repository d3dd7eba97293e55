"""The fixed types of compiled rules, in the order in which walkers take them.

Rules get addresses, not arrays: an array is seven words, and handing those over took more time than the rules did
(Leduc poker's `gains`, called where nothing is gained: 7.3 ns with arrays, 2.4 ns with addresses).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

LONG = types.int64
LONGS = types.Array(types.int64, 1, "C")
TABLE = types.Array(types.int64, 1, "C", readonly=True)
FLOATS = types.Array(types.float64, 1, "C")

WORDS, NUMBERS = types.CPointer(types.int64), types.CPointer(types.float64)

BOOK = {
    "start": types.void(WORDS, WORDS),
    "turn": LONG(WORDS, WORDS),
    "actions": LONG(WORDS, WORDS, LONG, WORDS),
    "chance": LONG(WORDS, WORDS, WORDS, NUMBERS),
    "move": types.void(WORDS, WORDS, WORDS),
    "observe": LONG(WORDS, WORDS, LONG),
    "gains": types.void(WORDS, WORDS, NUMBERS),
}

OPTIONAL = {
    "bounds": types.void(WORDS, WORDS, NUMBERS),
    "position": LONG(WORDS, WORDS, WORDS),
    "chance_group": LONG(WORDS, WORDS),
    "features": types.void(WORDS, WORDS, LONG, NUMBERS),
    "similar": LONG(WORDS, WORDS, NUMBERS),
}
"""What a rulebook may leave out; compiled one by one, at first use."""

BESIDE = 1
"""Guard words after each of several states in one array: they stay 0."""

FUNCTIONS = tuple(types.FunctionType(signature) for signature in BOOK.values())


class Book(NamedTuple):
    """Compiled rules inside a walk."""

    start: Any
    turn: Any
    actions: Any
    chance: Any
    move: Any
    observe: Any
    gains: Any
    table: Any
    """The address of their parameters: their first argument."""
