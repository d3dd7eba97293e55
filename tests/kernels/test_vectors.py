"""Vectors of 16 numbers, function by function, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from hannan.kernels import vectors as v

L = v.LANES
KINDS = (np.float32, np.float64)
OFFSETS = (0, 1, 5)
"""Places that are aligned to a vector, and places that are not."""


def numbers(kind: Any, size: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=size).astype(kind)


@njit  # type: ignore[untyped-decorator]
def _copy(source: Any, at: int, target: Any, to: int) -> None:
    v.store(target, to, v.load(source, at))


@njit  # type: ignore[untyped-decorator]
def _copy_like(source: Any, at: int, target: Any, to: int) -> None:
    v.store(target, to, v.load_like(source, at, v.load(target, to)))


@njit  # type: ignore[untyped-decorator]
def _copy_double(source: Any, at: int, target: Any, to: int) -> None:
    v.store(target, to, v.load_double(source, at))


@pytest.mark.parametrize("at", OFFSETS)
@pytest.mark.parametrize("into", KINDS)
@pytest.mark.parametrize("kind", [*KINDS, np.int16, np.uint16, np.int32])
def test_numbers_are_loaded_and_stored_in_any_precision(kind: Any, into: Any, at: int) -> None:
    """Nothing beside the 16 places is touched; rounding is numpy's."""
    source = (1000 * numbers(np.float64, 40)).astype(np.int64).astype(kind) if kind not in KINDS else numbers(kind, 40)
    copies = [_copy_like, _copy_double] if kind not in KINDS else [_copy, _copy_like, _copy_double]
    for copy in copies:
        target = np.full(40, -7, into)
        copy(source, at, target, 3)
        wanted = np.full(40, -7, into)
        wanted[3 : 3 + L] = source[at : at + L].astype(into)
        np.testing.assert_array_equal(target, wanted)


@njit  # type: ignore[untyped-decorator]
def _some(source: Any, target: Any, at: int, count: int) -> None:
    v.store_some(target, at, v.load(source, 0), count)


@pytest.mark.parametrize("into", KINDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [0, 1, 7, 15, 16])
def test_the_first_numbers_are_stored(kind: Any, into: Any, count: int) -> None:
    source, target = numbers(kind, L), numbers(into, 40, 1)
    wanted = target.copy()
    wanted[5 : 5 + count] = source[:count].astype(into)
    _some(source, target, 5, count)
    np.testing.assert_array_equal(target, wanted)


@njit  # type: ignore[untyped-decorator]
def _pick(source: Any, begin: int, places: Any, at: int, target: Any) -> None:
    v.store(target, 0, v.pick(source, begin, places, at))


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_picked(kind: Any) -> None:
    """Places are 16-bit integers up to the largest one."""
    source, target = numbers(kind, 40_000), np.zeros(L, kind)
    places = np.random.default_rng(3).integers(0, 32_768, 60).astype(np.int16)
    places[20:22] = 0, 32_767
    _pick(source, 100, places, 13, target)
    np.testing.assert_array_equal(target, source[100 + places[13 : 13 + L].astype(np.int64)])


@njit  # type: ignore[untyped-decorator]
def _arithmetic(x: Any, y: Any, z: Any, number: float, out: Any) -> None:
    one, two, three = v.load(x, 0), v.load(y, 0), v.load(z, 0)
    v.store(out, 0, v.add(one, two))
    v.store(out, 16, v.minus(one, two))
    v.store(out, 32, v.times(one, two))
    v.store(out, 48, v.over(one, two))
    v.store(out, 64, v.fused(one, two, three))
    v.store(out, 80, v.if_above(one, two, three, one))
    v.store(out, 96, v.splat(number, one))


@pytest.mark.parametrize("kind", KINDS)
def test_arithmetic_is_that_of_numpy(kind: Any) -> None:
    """To the last bit, also for 0, infinity and not-a-number, which is above nothing."""
    x, y, z = (numbers(kind, L, seed) for seed in range(3))
    x[:5], y[:5] = [0, np.inf, np.nan, 1, -0.0], [0, 1, 1, np.nan, 0]
    out = np.zeros(7 * L, kind)
    _arithmetic(x, y, z, 0.1, out)
    with np.errstate(all="ignore"):
        simple = [x + y, x - y, x * y, x / y]
        # exact in doubles for floats; for doubles, in numpy's longer ones, rounded twice at most
        longer = np.float64 if kind is np.float32 else np.longdouble
        fused = (x.astype(longer) * y.astype(longer) + z.astype(longer)).astype(kind)
        wanted = [*simple, fused, np.where(x > y, z, x), np.full(L, 0.1, kind)]
    for k, (found, known) in enumerate(zip(out.reshape(7, L), wanted, strict=True)):
        if k == 4:
            np.testing.assert_allclose(found, known, rtol=np.finfo(kind).eps, atol=0)
        else:
            np.testing.assert_array_equal(found, known)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fused_product_is_rounded_once(kind: Any) -> None:
    """(1 + e)(1 - e) - 1 = -e², which a rounded product would make 0."""
    e = np.finfo(kind).eps
    x, y, z, out = np.full(L, 1 + e, kind), np.full(L, 1 - e, kind), np.full(L, -1, kind), np.zeros(7 * L, kind)
    _arithmetic(x, y, z, 0.0, out)
    np.testing.assert_array_equal(out[64:80], -(kind(e) ** 2))


@njit  # type: ignore[untyped-decorator]
def _add_double(target: Any, at: int, source: Any) -> None:
    v.add_double(target, at, v.load_double(source, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_doubles_are_added_in_place(kind: Any) -> None:
    source, target = numbers(kind, L), numbers(np.float64, 40, 1)
    wanted = target.copy()
    wanted[9 : 9 + L] += source
    _add_double(target, 9, source)
    np.testing.assert_array_equal(target, wanted)


@njit  # type: ignore[untyped-decorator]
def _transpose(source: Any, rows: Any, place: int, target: Any, out: int) -> None:
    v.transpose(source, rows, place, target, out)


@njit  # type: ignore[untyped-decorator]
def _transpose_back(source: Any, at: int, target: Any, rows: Any, place: int) -> None:
    v.transpose_back(source, at, target, rows, place)


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_are_transposed_and_back(kind: Any) -> None:
    """Rows may lie anywhere, and twice."""
    source = numbers(kind, 1000)
    rows = np.random.default_rng(5).integers(0, 900, L)
    rows[15] = rows[3]
    turned = np.zeros(300, kind)
    _transpose(source, rows, 4, turned, 7)
    block = source[rows[:, None] + 4 + np.arange(L)]
    np.testing.assert_array_equal(turned[7 : 7 + L * L].reshape(L, L), block.T)
    assert not turned[:7].any()
    assert not turned[7 + L * L :].any()
    begin = 50 * np.arange(L)[::-1]
    back = np.zeros(1000, kind)
    _transpose_back(turned, 7, back, begin, 2)
    wanted = np.zeros(1000, kind)
    wanted[begin[:, None] + 2 + np.arange(L)] = block
    np.testing.assert_array_equal(back, wanted)


@njit  # type: ignore[untyped-decorator]
def _largest(source: Any, at: int) -> float:
    found: float = v.largest(v.load(source, at))
    return found


@njit  # type: ignore[untyped-decorator]
def _is_whole(array: Any) -> bool:
    return bool(v.is_whole(array))


@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_number_is_found_wherever_it_is(kind: Any) -> None:
    for place in range(L):
        source = -np.abs(numbers(kind, L, seed=place)) - 1
        source[place] = -0.5
        assert _largest(source, 0) == -0.5


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_rounded_to_the_nearest_integer(kind: Any) -> None:
    source = np.array([-32767, -2.6, -2.4, -0.6, -0.4, 0, 0.4, 0.6, 1.4, 1.6, 7, 100.2, 1000.9, 32766.6, 3, -3], kind)
    target = np.zeros(L + 2, np.int16)
    _copy(source, 0, target, 1)
    assert target.tolist() == [0, *np.rint(source).astype(int).tolist(), 0]  # no halves: both ways round alike


def test_whether_an_array_has_integers_is_known() -> None:
    assert _is_whole(np.zeros(1, np.int16))
    assert not _is_whole(np.zeros(1, np.float32))


@njit  # type: ignore[untyped-decorator]
def _fuse_rows(array: Any, factors: Any, out: Any) -> None:
    total = v.eight_zeros()
    for k in range(factors.size):
        total = v.fused_row(array, 8 * k, factors[k], total)
    v.store(out, 1, total)


@pytest.mark.parametrize("kind", [np.int8, np.float32, np.float64])
def test_rows_of_eight_are_added_up(kind: Any) -> None:
    """Whole numbers, so that the sums are exact; nothing beside the 8 places is touched."""
    array, factors = np.arange(-40, 40).astype(kind), np.arange(1.0, 11.0)
    out = np.full(12, -7.0)
    _fuse_rows(array, factors, out)
    wanted = np.full(12, -7.0)
    wanted[1:9] = factors @ np.arange(-40.0, 40.0).reshape(10, 8)
    np.testing.assert_array_equal(out, wanted)
