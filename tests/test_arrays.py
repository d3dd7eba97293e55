"""Arrays that are made longer, in place or not, against NumPy."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pytest

from hannan.arrays import MAPPED, lengthen, pages_of


@pytest.mark.parametrize(
    ("shape", "axis"), [((3,), -1), ((2, 3), 0), ((2, 3), 1), ((MAPPED // 8,), 0), ((MAPPED, 4), 0)]
)
@pytest.mark.parametrize("kind", [np.int64, np.float64, np.int32])
def test_a_longer_array_holds_what_it_held_and_then_zeros(shape: tuple[int, ...], axis: int, kind: Any) -> None:
    first = np.arange(np.prod(shape), dtype=kind).reshape(shape)
    arrays = {"one": first.copy(), "other": np.ones(2)}
    size = shape[axis]
    for more in (size + 1, 2 * size + 5, 4 * size + 9):
        lengthen(arrays, "one", more, axis)
        part, rest = np.split(arrays["one"], [size], axis)
        assert arrays["one"].dtype == kind
        np.testing.assert_array_equal(part, first)
        assert not rest.any()
    assert arrays["other"].tolist() == [1, 1]


def test_an_array_that_something_refers_to_stays_as_it_was() -> None:
    arrays = {"one": np.arange(MAPPED)}
    lengthen(arrays, "one", 2 * MAPPED, 0)
    whole, part = arrays["one"], arrays["one"][5:9]
    lengthen(arrays, "one", 3 * MAPPED, 0)
    arrays["one"][:] = -1
    assert part.tolist() == [5, 6, 7, 8]
    assert whole[MAPPED - 1] == MAPPED - 1
    assert whole.shape == (2 * MAPPED,)


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="only Linux adds pages to memory")
def test_a_large_array_that_nothing_refers_to_is_not_copied() -> None:
    arrays = {"one": np.ones(MAPPED)}
    lengthen(arrays, "one", 2 * MAPPED, 0)
    space = pages_of(arrays["one"])
    lengthen(arrays, "one", 4 * MAPPED, 0)
    assert pages_of(arrays["one"]) is space
    assert len(space) == arrays["one"].nbytes


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="only Linux adds pages to memory")
def test_a_system_without_huge_pages_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    class Small(mmap.mmap):
        def madvise(self, *_: Any) -> None:
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr("hannan.arrays.new_pages", lambda length: Small(-1, length))
    arrays = {"one": np.ones(MAPPED)}
    lengthen(arrays, "one", 2 * MAPPED, 0)
    assert arrays["one"].sum() == MAPPED
