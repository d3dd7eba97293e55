"""The rational check: against fractions by hand, against the recursive reference, and against `evaluate`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hannan as hn


def test_by_hand() -> None:
    game = hn.load(hn.matrix_game([[1, -1], [-1, 1]]))
    found = hn.exact_gap(game, hn.profile(game, [np.array([1, 0.75, 0.25]), np.array([1, 0.5, 0.5])]))
    zero, half = Fraction(0), Fraction(1, 2)
    assert found.values == (zero, zero)
    assert found.best_values == (zero, half)
    assert found.gains == (zero, half)
    assert found.nash_conv == half


def test_the_largest_probability_takes_what_the_others_leave() -> None:
    game = hn.load("rock_paper_scissors")
    third = 1 / 3
    found = hn.exact_gap(game, hn.profile(game, [np.array([1, third, third, third])] * 2))
    assert 3 * Fraction(third) != 1
    rest = 1 - 2 * Fraction(third)
    # against (rest, 1/3, 1/3) paper earns rest - 1/3; the profile is symmetric, so its value is 0
    assert found.values == (Fraction(0),) * 2
    assert found.best_values == (rest - Fraction(third),) * 2


def test_dominated_by_nothing_smaller_than_rounding() -> None:
    """A gain of 1e-30 is lost in floating point, and found here."""
    game = hn.load(hn.matrix_game([[1e-30, 1e-30], [0, 0], [1, -1]]))
    profile = hn.profile(game, [np.array([1.0, 0, 1, 0]), np.array([1, 0.5, 0.5])])
    assert hn.exact_gap(game, profile).nash_conv == Fraction(1e-30)


@pytest.mark.parametrize(
    ("address", "nash_conv"),
    [("kuhn_poker", 11 / 12), ("kuhn_poker(players=3)", 2.0625), ("leduc_poker", 4.747222222222222)],
)
def test_uniform_play(address: str, nash_conv: float) -> None:
    """The numbers are those of papers.md; chance's thirds make them inexact in the last digits."""
    assert float(hn.exact_gap(address, hn.uniform(address)).nash_conv) == pytest.approx(nash_conv, abs=1e-14)


@given(
    seed=st.integers(0, 10**6),
    players=st.integers(2, 3),
    hidden=st.booleans(),
    moves=st.sampled_from(["joint", "turns"]),
    chance=st.integers(0, 2),
)
def test_agrees_with_evaluate(seed: int, **parameters: Any) -> None:
    words = ",".join(f"{name}={str(word).lower()}" for name, word in parameters.items())
    game = hn.load(f"random_game(depth=2,seed={seed},{words},payoffs=general_sum)")
    profile = hn.random_profile(game, seed)
    ours, theirs = hn.exact_gap(game, profile), hn.evaluate(game, profile)
    assert [float(value) for value in ours.values] == pytest.approx(theirs.values, abs=1e-12)
    assert [float(value) for value in ours.best_values] == pytest.approx(theirs.best_values, abs=1e-12)
    assert all(gain >= 0 for gain in ours.gains)


def test_refusals() -> None:
    with pytest.raises(hn.errors.SizeError, match=r"4,920 payoff entries, more than the limit of 100"):
        hn.exact_gap("leduc_poker", hn.uniform("leduc_poker"), limit=100)
    with pytest.raises(hn.errors.MismatchError, match="kuhn_poker"):
        hn.exact_gap("leduc_poker", hn.uniform("kuhn_poker"))
