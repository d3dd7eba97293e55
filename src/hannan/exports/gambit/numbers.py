"""Floats as the fractions that they stand for: reading them gives the same floats."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

FINEST = (10**4, 10**6, 10**9)
"""Largest denominators that are tried, one after another."""


def fraction(number: float) -> Fraction:
    """Return a short fraction whose float is this one: with a small denominator, or else as it is printed."""
    exact = Fraction(number)
    for finest in FINEST:
        if float(short := exact.limit_denominator(finest)) == number:
            return short
    return Fraction(repr(float(number)))


def odds(numbers: Sequence[float]) -> tuple[Fraction, ...]:
    """Return probabilities as fractions that sum to exactly 1.

    Each is a fraction whose float it is. Where these do not sum to 1, the floats are taken as they are, and the
    largest one takes what the others leave.
    """
    short = [fraction(number) for number in numbers]
    if sum(short) == 1:
        return tuple(short)
    exact = [Fraction(number) for number in numbers]
    largest = exact.index(max(exact))
    exact[largest] += 1 - sum(exact)
    return tuple(exact)
