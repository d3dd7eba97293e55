"""Short fractions for floats: converting them back gives the same floats."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

FINEST = (10**4, 10**6, 10**9)
"""Limits of the denominator, tried in this order."""


def fraction(number: float) -> Fraction:
    """Return a short fraction that converts to this float: one with a small denominator, or the printed decimal."""
    exact = Fraction(number)
    for finest in FINEST:
        if float(short := exact.limit_denominator(finest)) == number:
            return short
    return Fraction(repr(float(number)))


def odds(numbers: Sequence[float]) -> tuple[Fraction, ...]:
    """Return probabilities as fractions that sum to exactly 1.

    Each fraction converts to its float. If short fractions do not sum to 1, the exact values of the floats are used,
    and the largest probability is set to 1 minus the others.
    """
    short = [fraction(number) for number in numbers]
    if sum(short) == 1:
        return tuple(short)
    exact = [Fraction(number) for number in numbers]
    largest = exact.index(max(exact))
    exact[largest] += 1 - sum(exact)
    return tuple(exact)
