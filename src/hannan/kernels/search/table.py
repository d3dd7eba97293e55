"""The table of positions: four neighbouring places for each hash, of which the entry with the least work gives way."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.search.records import Store

WAYS = 4

WORDS_AT = 20
"""From this bit on, an entry's number of what was computed holds the number of words of its position."""


@inlined
def mix(a: int, b: int) -> int:
    """Hash two words into one."""
    mixed = (a ^ (b * -7046029254386353131)) * -4417276706812531889
    mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    mixed *= -4658895280553007687
    return mixed ^ ((mixed >> 32) & 0xFFFFFFFF)


@inlined
def hashed(key: Longs, words: int, what: int) -> int:
    """Hash a position and what is computed of it; never 0."""
    code = mix(what, words)
    for k in range(words):
        code = mix(code, key[k])
    return code if code != 0 else 1


@inlined
def _matches(row: Longs, code: int, key: Longs, words: int, what: int) -> bool:
    """Say whether a row is the entry of a position; beyond its words a row holds whatever was there."""
    same = row[0] == code and row[1] == what
    for k in range(words if same else 0):
        same = same and row[2 + k] == key[k]
    return same


@inlined
def lookup(store: Store, key: Longs, words: int, what: int) -> int:
    """Return the place of an entry, or -1."""
    what += words << WORDS_AT
    code = hashed(key, words, what)
    first = (code & (store.work.size - 1)) & ~(WAYS - 1)
    for k in range(first, first + WAYS):
        if _matches(store.key[k], code, key, words, what):
            return k
    return -1


@inlined
def enter(store: Store, key: Longs, words: int, what: int, low: float, high: float, work: int) -> int:
    """Write an entry; return how many more there are now."""
    what += words << WORDS_AT
    code = hashed(key, words, what)
    first = (code & (store.work.size - 1)) & ~(WAYS - 1)
    chosen = first
    for k in range(first, first + WAYS):
        if store.key[k, 0] == 0 or _matches(store.key[k], code, key, words, what):
            chosen = k
            break
        if store.work[k] < store.work[chosen]:
            chosen = k
    more = 1 if store.key[chosen, 0] == 0 else 0
    store.key[chosen, 0], store.key[chosen, 1] = code, what
    for k in range(words):
        store.key[chosen, 2 + k] = key[k]
    store.bound[chosen, 0], store.bound[chosen, 1], store.work[chosen] = low, high, work
    return more


@kernel
def move_over(store: Store, key: Longs, bound: Floats, work: Longs) -> int:
    """Bring the entries of a table into an empty one that is larger; return how many there are."""
    entries = 0
    for place in range(store.work.size):
        if store.key[place, 0] == 0:
            continue
        first = (store.key[place, 0] & (work.size - 1)) & ~(WAYS - 1)
        for k in range(first, first + WAYS):
            if key[k, 0] == 0:
                for word in range(key.shape[1]):
                    key[k, word] = store.key[place, word]
                bound[k, 0], bound[k, 1], work[k] = store.bound[place, 0], store.bound[place, 1], store.work[place]
                entries += 1
                break
    return entries


@inlined
def watch(store: Store, info: int, position: int) -> bool:
    """Note the position of an information set; say whether it was met with another one."""
    place = info & (store.seen.shape[0] - 1)
    if store.seen[place, 0] == info:
        return store.seen[place, 1] != position
    store.seen[place, 0], store.seen[place, 1] = info, position
    return False
