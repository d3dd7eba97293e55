"""Sorted runs of what is gained: making one, merging two, and folding the last one into payoffs.

A gain is a key (the sequences of all players, packed into words), a depth, and a value for each row of payoffs. Runs
are sorted by key, then depth; ties stay in the order in which a walk met them, which is breadth-first order, too. So
gains with one key are added one after another, always in the same order, whatever was cut into which run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.kernels import inlined, kernel
from hannan.kernels.lent import borrowed

DIGIT = 11
"""Bits that one pass of a sort looks at."""

# how `merge` ends
MERGED, MORE_LEFT, MORE_RIGHT, FULL = range(4)


class Chunk(NamedTuple):
    """A part of a run."""

    key: Longs  # [gains, words]
    depth: Shorts  # [gains]
    value: Floats  # [gains, rows]


class Packing(NamedTuple):
    """Where the sequences of each player are in a key."""

    word: Longs  # [players]
    shift: Longs  # [players]
    mask: Longs  # [players]
    begin: Longs  # [players]  where those of each player begin in `shallow`
    shallow: Shorts  # [sequences]  the least depth at which a player gains while a sequence is a player's last


@kernel
def pack(sequences: Ints, number: Ints, packing: Packing, key: Longs) -> None:
    """Write the keys of gains from a walk's sequences; `number` has the player's own number of each sequence."""
    key[:] = 0
    for k in range(sequences.shape[0]):
        for p in range(sequences.shape[1]):
            key[k, packing.word[p]] |= np.int64(number[sequences[k, p]]) << packing.shift[p]


def order_of(key: Longs, depth: Shorts) -> Ints:
    """Return the order that sorts gains by key, then depth, ties as they were."""
    order, other, digits = (np.arange(len(depth), dtype=np.int32) for _ in range(3))
    return other if _sort(key, depth, order, other, digits, np.empty((1 << DIGIT) + 1, np.int64)) else order


@kernel
def _sort(key: Longs, depth: Shorts, order: Ints, other: Ints, digits: Ints, begin: Longs) -> bool:
    """Sort `order` by a radix sort from the lowest digit; return whether the result is in `other`."""
    size, swapped = depth.size, False
    for word in range(key.shape[1], -1, -1):
        differing = np.int64(0)
        for k in range(1, size):
            if word == key.shape[1]:
                differing |= np.int64(depth[k] ^ depth[0])
            else:
                differing |= key[k, word] ^ key[0, word]
        shift = 0
        while differing >> shift:
            if (differing >> shift) & ((1 << DIGIT) - 1):
                begin[:] = 0
                for k in range(size):
                    number = np.int64(depth[k]) if word == key.shape[1] else key[k, word]
                    digits[k] = (number >> shift) & ((1 << DIGIT) - 1)
                    begin[digits[k] + 1] += 1
                for d in range(1 << DIGIT):
                    begin[d + 1] += begin[d]
                for entry in order:
                    other[begin[digits[entry]]] = entry
                    begin[digits[entry]] += 1
                order, other, swapped = other, order, not swapped
            shift += DIGIT
    return swapped


@kernel
def arrange(order: Ints, key: Longs, depth: Shorts, value: Floats, chunk: Chunk) -> None:
    """Write gains in an order; `value` may have more columns than are kept."""
    for k in range(order.size):
        place = order[k]
        chunk.depth[k] = depth[place]
        for word in range(key.shape[1]):
            chunk.key[k, word] = key[place, word]
        for row in range(chunk.value.shape[1]):
            chunk.value[k, row] = value[place, row]


@inlined
def _same(left: Chunk, i: int, right: Chunk, j: int) -> bool:
    same = True
    for word in range(left.key.shape[1]):
        same &= left.key[i, word] == right.key[j, word]
    return same


@inlined
def _after(left: Chunk, i: int, right: Chunk, j: int) -> bool:
    """Say whether a gain comes after another by key, then depth."""
    for word in range(left.key.shape[1]):
        if left.key[i, word] != right.key[j, word]:
            return left.key[i, word] > right.key[j, word]
    return left.depth[i] > right.depth[j]


@inlined
def _is_shallowest(chunk: Chunk, k: int, packing: Packing) -> bool:
    """Say whether no gain with this key can come at a lesser depth, so that it may be added to right away."""
    for p in range(packing.word.size):
        sequence = (chunk.key[k, packing.word[p]] >> packing.shift[p]) & packing.mask[p]
        if chunk.depth[k] <= packing.shallow[packing.begin[p] + sequence]:
            return True
    return False


@inlined
def _put(source: Chunk, k: int, out: Chunk, place: int, folding: bool, packing: Packing) -> int:
    """Write a gain behind the others, or add it to the last one; return how many there are, -1 where it is full."""
    last = place - 1
    if (
        folding
        and place > 0
        and out.depth[last] == source.depth[k]
        and _same(out, last, source, k)
        and _is_shallowest(out, last, packing)
    ):
        for row in range(out.value.shape[1]):
            out.value[last, row] += source.value[k, row]
        return place
    if place == out.depth.size:
        return -1
    for word in range(source.key.shape[1]):
        out.key[place, word] = source.key[k, word]
    out.depth[place] = source.depth[k]
    for row in range(source.value.shape[1]):
        out.value[place, row] = source.value[k, row]
    return place + 1


@kernel
def merge(left: Chunk, right: Chunk, out: Chunk, places: Longs, ends: Longs, folding: bool, packing: Packing) -> int:
    """Merge two runs from `places` (in left, right and out) on, until a chunk is used up or `out` is full.

    ends: whether these are the last chunks of left and right. With `folding`, gains with one key and depth are added
    up, in their order, where no gain of a lesser depth can come before them.
    """
    left, right, out, packing = borrowed(left), borrowed(right), borrowed(out), borrowed(packing)
    i, j, place = places[0], places[1], places[2]
    left_size, right_size = left.depth.size, right.depth.size
    status = MERGED
    while True:
        if i == left_size and not ends[0]:
            status = MORE_LEFT
            break
        if j == right_size and not ends[1]:
            status = MORE_RIGHT
            break
        if i < left_size and (j == right_size or not _after(left, i, right, j)):
            after = _put(left, i, out, place, folding, packing)
            i += after >= 0
        elif j < right_size:
            after = _put(right, j, out, place, folding, packing)
            j += after >= 0
        else:
            break
        if after < 0:
            status = FULL
            break
        place = after
    places[0], places[1], places[2] = i, j, place
    return status


@kernel
def fold(chunk: Chunk, packing: Packing, count: int, held: Chunk, sequences: Ints, payoffs: Floats) -> int:
    """Add up all gains with one key and write those that come to something; return how many there are so far.

    held: the gain that is being added up; its depth is -1 before the first one. An empty chunk writes it. Where
    `sequences` has no room for entries, they are only counted.
    """
    chunk, held, packing = borrowed(chunk), borrowed(held), borrowed(packing)
    size, words, rows = chunk.depth.size, chunk.key.shape[1], chunk.value.shape[1]
    writing = sequences.shape[1] > 0
    for k in range(max(size, 1)):
        same = held.depth[0] >= 0 and size > 0
        if same:
            for word in range(words):
                same &= chunk.key[k, word] == held.key[0, word]
        if not same:
            something = False
            if held.depth[0] >= 0:
                for row in range(rows):
                    something |= held.value[0, row] != 0.0
            if something:
                if writing:
                    for p in range(sequences.shape[0]):
                        sequences[p, count] = (held.key[0, packing.word[p]] >> packing.shift[p]) & packing.mask[p]
                    for row in range(rows):
                        payoffs[row, count] = held.value[0, row]
                count += 1
            if size == 0:
                break
            for word in range(words):
                held.key[0, word] = chunk.key[k, word]
            for row in range(rows):
                held.value[0, row] = 0.0
            held.depth[0] = 0
        for row in range(rows):
            held.value[0, row] += chunk.value[k, row]
    return count
