"""Two ways to compute with a guarantee: floats rounded outward, and fractions."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np


class Outward:
    """Floats. Every result is moved one step outward, by at least the error of rounding to nearest."""

    @staticmethod
    def number(value: Any) -> Any:
        """Take a number from the file."""
        return float(value)

    @staticmethod
    def add(a: Any, b: Any, up: bool) -> Any:
        """Return a + b, rounded up or down."""
        return math.nextafter(a + b, math.inf if up else -math.inf)

    @staticmethod
    def times(a: Any, b: Any, up: bool) -> Any:
        """Return a·b, rounded up or down."""
        return math.nextafter(a * b, math.inf if up else -math.inf)

    @staticmethod
    def over(a: Any, b: Any, up: bool) -> Any:
        """Return a/b, rounded up or down."""
        return math.nextafter(a / b, math.inf if up else -math.inf)

    @staticmethod
    def array(values: Any) -> Any:
        """Return numbers as an array."""
        return np.array(values, np.float64)

    @staticmethod
    def products(a: Any, b: Any, up: Any) -> Any:
        """Return the products a·b of arrays, each rounded up where `up` is true, else down."""
        return np.nextafter(a * b, np.where(up, np.inf, -np.inf))

    @staticmethod
    def total(values: list[Any]) -> Any:
        """Return the sum of numbers: the sum rounded to nearest, moved one step up."""
        return math.nextafter(math.fsum(values), math.inf)


class Rational(Outward):
    """Fractions: nothing is rounded except radii, which are irrational and rounded up to 40 digits."""

    @staticmethod
    def number(value: Any) -> Any:
        return Fraction(value)

    @staticmethod
    def add(a: Any, b: Any, up: bool) -> Any:
        return a + b

    @staticmethod
    def times(a: Any, b: Any, up: bool) -> Any:
        return a * b

    @staticmethod
    def over(a: Any, b: Any, up: bool) -> Any:
        return Fraction(a) / Fraction(b)

    @staticmethod
    def array(values: Any) -> Any:
        return np.array(values, object)

    @staticmethod
    def products(a: Any, b: Any, up: Any) -> Any:
        return a * b

    @staticmethod
    def total(values: list[Any]) -> Any:
        return sum(values, Fraction(0))


def radius_anytime(size: int, samples: int, index: int, confidence: float, share: Decimal) -> Fraction:
    """Return √((|A| ln 2 + ln m(m+1) + ln k(k+1) + ln 1/δ) / 2m), rounded up, at most 1; δ = share·(1 - confidence)."""
    with localcontext() as context:
        context.prec = 50
        failure = (1 - Decimal(repr(confidence))) * share
        m, k = Decimal(samples), Decimal(index)
        logs = size * Decimal(2).ln() + (m * (m + 1)).ln() + (k * (k + 1)).ln() - failure.ln()
        return _rounded_up((logs / (2 * m)).sqrt())


def radius_paper(size: int, samples: int, playthroughs: int, groups: int, players: int) -> Fraction:
    """Return √((|A| ln 2 + ln(t²·C·n)) / 2m), rounded up, at most 1."""
    with localcontext() as context:
        context.prec = 50
        logs = size * Decimal(2).ln() + Decimal(playthroughs**2 * groups * players).ln()
        return _rounded_up((logs / (2 * Decimal(samples))).sqrt())


def _rounded_up(root: Decimal) -> Fraction:
    return min(Fraction(root + Decimal("1e-40")), Fraction(1))
