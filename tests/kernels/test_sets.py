"""The hash table of information sets against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest

from hannan.arrays import Longs
from hannan.kernels import kernel, sets
from hannan.kernels.sets import S_COUNT, S_FIRST, SET_ROW


@kernel
def _enter_all(keys: Longs, sized: bool, row: Longs, buckets: Longs) -> int:
    """Enter every key that is not there; the number of actions is part of the key where `sized`."""
    used = 0
    for i in range(keys.shape[0]):
        before, seen, count = keys[i, 0], keys[i, 1], keys[i, 2]
        place, spot = (
            sets.place_of_size(before, seen, count, row, buckets)
            if sized
            else sets.place_of(before, seen, row, buckets)
        )
        if place < 0:
            sets.enter(used, spot, before, seen, 10 * used, count, row, buckets)
            used += 1
    return used


@kernel
def _find_all(keys: Longs, sized: bool, row: Longs, buckets: Longs, out: Longs) -> None:
    for i in range(keys.shape[0]):
        place, _ = (
            sets.place_of_size(keys[i, 0], keys[i, 1], keys[i, 2], row, buckets)
            if sized
            else sets.place_of(keys[i, 0], keys[i, 1], row, buckets)
        )
        out[i] = place


@pytest.mark.parametrize("sized", [False, True])
@pytest.mark.parametrize("kind", ["near", "far", "crowded"])
def test_a_table_is_a_dictionary(kind: str, sized: bool) -> None:
    """Keys of neighbours, of 64 bits, and of one bucket in a table that is nearly full; then in a larger table."""
    random, parts = np.random.default_rng(1), 2 + sized
    if kind == "far":
        keys = random.integers(-(2**63), 2**63 - 1, (600, 3))
    else:
        keys = random.integers(-3, 4 if kind == "crowded" else 25, (600, 3))
    expected: dict[tuple[int, ...], int] = {}
    for key in keys.tolist():
        expected.setdefault(tuple(key[:parts]), len(expected))
    room = len(expected) + 1 if kind == "crowded" else sets.bucket_count(len(expected))
    buckets = np.full(1 << (room - 1).bit_length(), -1, np.int64)
    row = np.zeros((len(expected), SET_ROW), np.int64)
    assert _enter_all(keys, sized, row, buckets) == len(expected)
    assert row[:, S_FIRST].tolist() == [10 * place for place in range(len(expected))]
    asked = np.concatenate((keys, keys + 100, random.integers(-50, 50, (200, 3))))
    for table in (buckets, np.full(4 * buckets.size, 99, np.int64)):
        if table is not buckets:
            sets.rehash(len(expected), row, table)
        out = np.zeros(len(asked), np.int64)
        _find_all(asked, sized, row, table, out)
        assert out.tolist() == [expected.get(tuple(key[:parts]), -1) for key in asked.tolist()]
    if sized:
        assert {(*key,): row[place, S_COUNT] for key, place in expected.items()} == {k: k[2] for k in expected}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, 683, 10**6])
def test_buckets_are_a_power_of_two_and_no_more_than_two_thirds_are_taken(count: int) -> None:
    buckets = sets.bucket_count(count)
    assert buckets & (buckets - 1) == 0
    assert 3 * count <= 2 * buckets < 6 * max(count, 1) + 4
