"""Information sets by what leads to them: their player's last sequence, and what it sees. A hash table for all walkers.

A table is two arrays: a row for each set, in the order in which they were met, and buckets, a power of 2 of them. A
bucket is -1, or holds the number of a row, and above it a part of the mixed key, its tag. Tags tell nearly all other
sets, so that a search reads no row but that of the set that it finds.

A search goes through one line of memory that belongs to the last sequence, its home; if that is full of other sets, it
goes on where the key is mixed to. So the sets that follow neighbouring sequences are near each other, and the memory
can be asked for as soon as the sequence is known. What the numbers of sequences are is up to the walker: they only have
to tell players apart.
"""

from __future__ import annotations

from hannan.arrays import Longs
from hannan.kernels import inlined, kernel

# columns of a row: the key, then where the set's sequences begin, and how many there are
S_PARENT, S_SEEN, S_FIRST, S_COUNT, SET_ROW = range(5)


TAG = 0x7FFF_FFFF_0000_0000
"""The bits of a bucket, and of a mixed key, that are the tag; the number of the row is below them."""

LINE = 8
"""The number of buckets in a line of memory."""

MOST_SETS = 1 << 32
"""The number of a row is below this; a bucket with another tag is not, once the tag of the key is taken out of it."""


@inlined
def mixed(sequence: int, observation: int) -> int:
    """Return the mixed key of an information set: its last bits are a bucket, others the tag."""
    product = sequence * -7046029254386353131 + observation * -4417276706812531889
    return product ^ (product >> 32)


@inlined
def home_of(sequence: int, mask: int) -> int:
    """Return the first bucket of the line at which a search begins."""
    return sequence & mask & -LINE


@inlined
def place_of(before: int, seen: int, row: Longs, buckets: Longs) -> tuple[int, int]:
    """Return the number of a set, -1 where it is not known; and the bucket where it is, or would be."""
    mask, key, left = buckets.size - 1, mixed(before, seen), LINE
    spot, tag = home_of(before, mask), key & TAG
    held = buckets[spot]
    while held >= 0:
        place = held ^ tag
        if place < MOST_SETS and row[place, S_PARENT] == before and row[place, S_SEEN] == seen:
            return place, spot
        left -= 1
        spot = (spot + 1 if left != 0 else key) & mask
        held = buckets[spot]
    return -1, spot


@inlined
def place_of_size(before: int, seen: int, count: int, row: Longs, buckets: Longs) -> tuple[int, int]:
    """Return what `place_of` does where sets of other numbers of actions are other sets."""
    mask, key, left = buckets.size - 1, mixed(before, seen), LINE
    spot, tag = home_of(before, mask), key & TAG
    held = buckets[spot]
    while held >= 0:
        place = held ^ tag
        known = place < MOST_SETS and row[place, S_PARENT] == before and row[place, S_SEEN] == seen
        if known and row[place, S_COUNT] == count:
            return place, spot
        left -= 1
        spot = (spot + 1 if left != 0 else key) & mask
        held = buckets[spot]
    return -1, spot


@inlined
def likely_place(before: int, seen: int, buckets: Longs) -> int:
    """Return the row that a search will look at first, -1 if none: nearly always the one that it will find."""
    mask, key, left = buckets.size - 1, mixed(before, seen), LINE
    spot, tag = home_of(before, mask), key & TAG
    held = buckets[spot]
    while held >= 0 and held ^ tag >= MOST_SETS:
        left -= 1
        spot = (spot + 1 if left != 0 else key) & mask
        held = buckets[spot]
    return held ^ tag if held >= 0 else -1


@inlined
def enter(place: int, spot: int, before: int, seen: int, first: int, count: int, row: Longs, buckets: Longs) -> None:
    """Give a new set its row and the bucket that `place_of` returned."""
    buckets[spot] = (mixed(before, seen) & TAG) | place
    row[place, S_PARENT], row[place, S_SEEN] = before, seen
    row[place, S_FIRST], row[place, S_COUNT] = first, count


@kernel
def rehash(sets: int, row: Longs, buckets: Longs) -> None:
    """Fill the buckets with the sets that there are, and with no others."""
    mask = buckets.size - 1
    buckets[:] = -1
    for j in range(sets):
        key, left = mixed(row[j, S_PARENT], row[j, S_SEEN]), LINE
        spot = home_of(row[j, S_PARENT], mask)
        while buckets[spot] >= 0:
            left -= 1
            spot = (spot + 1 if left != 0 else key) & mask
        buckets[spot] = (key & TAG) | j


def bucket_count(sets: int) -> int:
    """Return how many buckets keep the search for one of `sets` sets short: a power of 2."""
    return 1 << (3 * sets // 2).bit_length()
