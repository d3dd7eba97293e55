"""The table of positions: it gives back what was entered, and forgets the cheapest entries first."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.kernels import kernel
from hannan.kernels.search import table
from hannan.kernels.search.records import Store


@kernel
def _enter(store: Store, key: Any, words: int, what: int, low: float, high: float, work: int) -> int:
    return table.enter(store, key, words, what, low, high, work)


@kernel
def _lookup(store: Store, key: Any, words: int, what: int) -> int:
    return table.lookup(store, key, words, what)


def empty(entries: int, words: int) -> Store:
    return Store(
        np.zeros((entries, words + 2), np.int64), np.zeros((entries, 2)), np.zeros(entries, np.int64),
        np.zeros((4, 2), np.int64),
    )  # fmt: skip


def test_what_was_entered_is_there_under_its_own_key() -> None:
    store, random = empty(1024, 3), np.random.default_rng(0)
    keys = np.unique(random.integers(-5, 5, (100, 3)), axis=0)
    more = sum(_enter(store, key, 3, k % 3, -float(k), float(k), k) for k, key in enumerate(keys))
    assert more == len(keys)
    for k, key in enumerate(keys):
        place = _lookup(store, key, 3, k % 3)
        assert place >= 0
        assert store.bound[place].tolist() == [-k, k]
        assert _lookup(store, key, 3, (k + 1) % 3) < 0
        assert _lookup(store, key, 2, k % 3) < 0
    assert _enter(store, keys[7], 3, 7 % 3, 0.5, 0.5, 9) == 0
    assert store.bound[_lookup(store, keys[7], 3, 7 % 3)].tolist() == [0.5, 0.5]


def test_the_cheapest_entry_of_a_full_bucket_gives_way() -> None:
    store = empty(table.WAYS, 1)
    for k, work in enumerate((50, 10, 40, 30, 20)):
        _enter(store, np.array([k]), 1, 0, 0.0, 0.0, work)
    there = [_lookup(store, np.array([k]), 1, 0) >= 0 for k in range(5)]
    assert there == [True, False, True, True, True]


def test_a_larger_table_takes_over_everything() -> None:
    store, larger = empty(64, 1), empty(1024, 1)
    entries = sum(_enter(store, np.array([k]), 1, 0, 0.0, float(k), k) for k in range(40))
    assert table.move_over(store, larger.key, larger.bound, larger.work) == entries
    for k in range(40):
        before, after = _lookup(store, np.array([k]), 1, 0), _lookup(larger, np.array([k]), 1, 0)
        assert (before < 0) == (after < 0)
        if after >= 0:
            assert larger.bound[after, 1] == k
            assert larger.work[after] == k
