"""The seeds of playthroughs: a fixed function of the master seed and t, so that a seed cannot be chosen freely."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from hannan.splitmix import Uniforms

BOX, OWN = "hannan", "explore"
"""The uses of seeds: the box, and our own choices."""


def seed_of(master: int, t: int) -> int:
    """Return the 64-bit seed with which the box plays playthrough t = 1, 2, …

    It is the first eight bytes, little end first, of BLAKE2b of `hannan:MASTER:t`.
    """
    return _hashed(BOX, master, t)


def own_seed(master: int, t: int) -> int:
    """Return the seed of our own random numbers during playthrough t."""
    return _hashed(OWN, master, t)


def _hashed(word: str, master: int, t: int) -> int:
    return int.from_bytes(blake2b(f"{word}:{master}:{t}".encode(), digest_size=8).digest(), "little")


def prefix(word: str, master: int) -> npt.NDArray[np.uint8]:
    """Return the hashed bytes without the number, for kernels."""
    return np.frombuffer(f"{word}:{master}:".encode(), np.uint8).copy()


def own_uniforms(master: int, t: int) -> Uniforms:
    """Return our own random numbers during playthrough t, which are independent of those of the box."""
    return Uniforms(own_seed(master, t))
