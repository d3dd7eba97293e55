"""Information sets by what leads to them: their player's last sequence, and what it sees. A hash table for all walkers.

A table is two arrays: a row for each set, in the order in which they were met, and buckets, a power of 2 of them, that
hold numbers of rows or -1. A search begins in the bucket that the key is mixed to, and goes on to the next bucket while
it meets other sets. What the numbers of sequences are is up to the walker: they only have to tell players apart.
"""

from __future__ import annotations

from hannan.arrays import Ints, Longs
from hannan.kernels import inlined, kernel

# columns of a row: the key, then where the set's sequences begin, and how many there are
S_PARENT, S_SEEN, S_FIRST, S_COUNT, SET_ROW = range(5)


@inlined
def bucket_of(sequence: int, observation: int, mask: int) -> int:
    """Return the bucket at which the search for an information set begins."""
    mixed = sequence * -7046029254386353131 + observation * -4417276706812531889
    return (mixed ^ (mixed >> 32)) & mask


@inlined
def place_of(before: int, seen: int, row: Longs, buckets: Ints) -> tuple[int, int]:
    """Return the number of a set, -1 where it is not known; and the bucket where it is, or would be."""
    mask = buckets.size - 1
    spot = bucket_of(before, seen, mask)
    place = buckets[spot]
    while place >= 0 and (row[place, S_PARENT] != before or row[place, S_SEEN] != seen):
        spot = (spot + 1) & mask
        place = buckets[spot]
    return place, spot


@inlined
def place_of_size(before: int, seen: int, count: int, row: Longs, buckets: Ints) -> tuple[int, int]:
    """Return what `place_of` does where sets of other numbers of actions are other sets."""
    mask = buckets.size - 1
    spot = bucket_of(before, seen, mask)
    place = buckets[spot]
    while place >= 0 and (row[place, S_PARENT] != before or row[place, S_SEEN] != seen or row[place, S_COUNT] != count):
        spot = (spot + 1) & mask
        place = buckets[spot]
    return place, spot


@inlined
def enter(place: int, spot: int, before: int, seen: int, first: int, count: int, row: Longs, buckets: Ints) -> None:
    """Give a new set its row and the bucket that `place_of` returned."""
    buckets[spot] = place
    row[place, S_PARENT], row[place, S_SEEN] = before, seen
    row[place, S_FIRST], row[place, S_COUNT] = first, count


@kernel
def rehash(sets: int, row: Longs, buckets: Ints) -> None:
    """Fill the buckets with the sets that there are, and with no others."""
    mask = buckets.size - 1
    buckets[:] = -1
    for j in range(sets):
        spot = bucket_of(row[j, S_PARENT], row[j, S_SEEN], mask)
        while buckets[spot] >= 0:
            spot = (spot + 1) & mask
        buckets[spot] = j


def bucket_count(sets: int) -> int:
    """Return how many buckets keep the search for one of `sets` sets short: a power of 2."""
    return 1 << (3 * sets // 2).bit_length()
