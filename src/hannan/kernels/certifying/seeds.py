"""The seeds of playthroughs: eight bytes of BLAKE2b of a short text and a number, as `hashlib` makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.kernels import inlined, owning

_IV = np.array(
    [
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    ],
    np.uint64,
)  # fmt: skip
_SIGMA = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    ],
    np.int64,
)
_FIRST = np.uint64(0x01010008)  # an unkeyed digest of eight bytes


@inlined
def _turned(x: Any, by: int) -> Any:
    return (x >> np.uint64(by)) | (x << np.uint64(64 - by))


@inlined
def _mix(v: Any, a: int, b: int, c: int, d: int, x: Any, y: Any) -> None:
    v[a] = v[a] + v[b] + x
    v[d] = _turned(v[d] ^ v[a], 32)
    v[c] = v[c] + v[d]
    v[b] = _turned(v[b] ^ v[c], 24)
    v[a] = v[a] + v[b] + y
    v[d] = _turned(v[d] ^ v[a], 16)
    v[c] = v[c] + v[d]
    v[b] = _turned(v[b] ^ v[c], 63)


@inlined
def seed_from(prefix: Any, t: int, message: Any, words: Any) -> Any:
    """Return the seed of the text `prefix` followed by t in decimal digits; at most 128 bytes in all.

    `message` is scratch of 128 bytes, `words` of 32 words.
    """
    message[:] = 0
    size = prefix.size
    for k in range(size):
        message[k] = prefix[k]
    digits, left = 1, t
    while left >= 10:
        left //= 10
        digits += 1
    left = t
    for k in range(digits):
        message[size + digits - 1 - k] = 48 + left % 10
        left //= 10
    size += digits
    for k in range(16):
        word = np.uint64(0)
        for byte in range(8):
            word |= np.uint64(message[8 * k + byte]) << np.uint64(8 * byte)
        words[16 + k] = word
    for k in range(8):
        words[k] = words[8 + k] = _IV[k]
    words[0] ^= _FIRST
    words[12] ^= np.uint64(size)
    words[14] = ~words[14]
    for turn in range(12):
        s = _SIGMA[turn % 10]
        _mix(words, 0, 4, 8, 12, words[16 + s[0]], words[16 + s[1]])
        _mix(words, 1, 5, 9, 13, words[16 + s[2]], words[16 + s[3]])
        _mix(words, 2, 6, 10, 14, words[16 + s[4]], words[16 + s[5]])
        _mix(words, 3, 7, 11, 15, words[16 + s[6]], words[16 + s[7]])
        _mix(words, 0, 5, 10, 15, words[16 + s[8]], words[16 + s[9]])
        _mix(words, 1, 6, 11, 12, words[16 + s[10]], words[16 + s[11]])
        _mix(words, 2, 7, 8, 13, words[16 + s[12]], words[16 + s[13]])
        _mix(words, 3, 4, 9, 14, words[16 + s[14]], words[16 + s[15]])
    return (_IV[0] ^ _FIRST) ^ words[0] ^ words[8]


@owning
def seeds(prefix: Any, first: int, out: Any) -> None:
    """Write the seeds of first, first + 1, …"""
    message, words = np.zeros(128, np.uint8), np.zeros(32, np.uint64)
    for k in range(out.size):
        out[k] = seed_from(prefix, first + k, message, words)
