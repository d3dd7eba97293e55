"""SplitMix64, a generator of random numbers for which every seed is good, in plain Python and on arrays.

G. Steele, D. Lea, C. Flood (2014), Fast splittable pseudorandom number generators. The kernels have their own copies.
"""

from __future__ import annotations

from typing import Any

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
"""The increment from one state to the next."""
STEP = 0xD1342543DE82EF95
"""The increment from the first state of one stream to that of the next, before mixing."""
UNIT = 2.0**-53
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(z: int) -> int:
    """Return the random number of a state: its 64 bits, mixed."""
    z = (z ^ (z >> 30)) * _FIRST & MASK
    z = (z ^ (z >> 27)) * _SECOND & MASK
    return z ^ (z >> 31)


def all_mixed(z: Any) -> Any:
    """Return the random numbers of an array of states, as uint64."""
    word = z.dtype.type
    z = (z ^ (z >> word(30))) * word(_FIRST)
    z = (z ^ (z >> word(27))) * word(_SECOND)
    return z ^ (z >> word(31))


def first_random(seed: int, stream: int) -> int:
    """Return the first state of a stream of random numbers."""
    return mixed((mixed(seed & MASK) + stream * STEP) & MASK)


class Uniforms:
    """A stream of random numbers in [0, 1)."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def next(self) -> float:
        """Return the next number."""
        self.state = (self.state + GOLDEN) & MASK
        return (mixed(self.state) >> 11) * UNIT
