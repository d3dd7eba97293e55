"""Random numbers and what they draw, against integers of any size and against the definition of a draw."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
import pytest

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.sampling import draws


@kernel
def _uniforms(random: Any, out: Floats) -> None:
    for k in range(out.size):
        out[k] = draws.uniform(random)


@kernel
def _picks(us: Floats, weights: Floats, first: int, count: int, even: float, keep: float, out: Any) -> None:
    for k in range(us.size):
        out[k] = draws.pick(us[k], weights, first, count, even, keep)


@kernel
def _draws(random: Any, weights: Floats, first: int, count: int, out: Any) -> None:
    for k in range(out.size):
        out[k] = draws.draw(random, weights, first, count)


def splitmix(state: int) -> tuple[int, float]:
    """One number of G. Steele, D. Lea, C. Flood (2014), Fast splittable pseudorandom number generators."""
    whole = 2**64 - 1
    state = (state + 0x9E3779B97F4A7C15) & whole
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & whole
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & whole
    return state, ((z ^ (z >> 31)) >> 11) / 2**53


def state_before(output: int) -> int:
    """Return the state whose next output is a given one: each step of SplitMix64, undone."""
    z, whole = output, 2**64
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        undone = z
        for _ in range(3):
            undone = z ^ (undone >> shift)
        z = undone * pow(factor, -1, whole) % whole
    return (z - 0x9E3779B97F4A7C15) % whole


@pytest.mark.parametrize("seed", [0, 1234567, 2**63, 2**64 - 1])
def test_splitmix(seed: int) -> None:
    """For the seed 1234567 the published first output is 6457827717110365317."""
    state, out = np.array([seed], np.uint64), np.zeros(20)
    _uniforms(state, out)
    expected = seed
    for number in out:
        expected, unit = splitmix(expected)
        assert number == unit
    assert int(state[0]) == expected
    assert splitmix(state_before(2**64 - 1))[1] == 1 - 2.0**-53
    if seed == 1234567:
        assert out[0] == (6457827717110365317 >> 11) / 2**53


@pytest.mark.parametrize(("gamma", "zeros"), [(0.0, False), (0.0, True), (0.3, True), (1.0, False)])
def test_a_pick_is_the_move_whose_share_holds_the_number(gamma: float, zeros: bool) -> None:
    """Move k is drawn by numbers from the sum of the shares before it up to the sum that includes it; a move without a
    share never, not even by the last numbers, which rounding may leave beyond all sums."""
    random = np.random.default_rng(8)
    for count in (2, 3, 7):
        weights = random.dirichlet(np.ones(count + 2))
        if zeros:
            weights[[2, count]] = 0.0
        weights[1 : count + 1] /= weights[1 : count + 1].sum()
        even, shares = gamma / count, []
        for weight in weights[1 : count + 1].tolist():
            shares.append(even + (1 - gamma) * weight)
        sums = [0.0, *accumulate(shares)]
        us = np.concatenate((random.random(300), sums[:-1], np.nextafter(sums[1:], 0.0), [0.0, 1 - 2.0**-53]))
        us = us[us < 1.0]
        out = np.zeros(us.size, np.int64)
        _picks(us, weights, 1, count, even, 1 - gamma, out)
        for u, k in zip(us.tolist(), out.tolist(), strict=True):
            assert shares[k] > 0.0
            assert sums[k] <= u
            assert u < sums[k + 1] or not any(shares[k + 1 :])


def test_rounding_draws_no_move_that_is_never_played() -> None:
    """Ten tenths sum to 1 - 2⁻⁵³, which is the last number that there is: the eleventh move is not played."""
    out = np.zeros(1, np.int64)
    _picks(np.array([1 - 2.0**-53]), np.array([0.1] * 10 + [0.0]), 0, 11, 0.0, 1.0, out)
    assert out[0] == 9


def test_a_single_move_draws_no_number() -> None:
    random, out = np.array([5], np.uint64), np.zeros(3, np.int64)
    _draws(random, np.ones(1), 0, 1, out)
    assert random[0] == 5
    assert out.tolist() == [0, 0, 0]


def test_draws_are_as_frequent_as_their_weights() -> None:
    """20,000 draws: one of four deviations is above 4.5 standard errors in 1 of 36,000 right generators."""
    weights, out = np.array([0.1, 0.2, 0.3, 0.4]), np.zeros(20_000, np.int64)
    _draws(np.array([77], np.uint64), weights, 0, 4, out)
    share = np.bincount(out, minlength=4) / out.size
    assert np.all(np.abs(share - weights) < 4.5 * np.sqrt(weights * (1 - weights) / out.size))
