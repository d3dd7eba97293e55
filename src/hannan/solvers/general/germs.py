"""Polynomials in an infinitesimal ε > 0: exact numbers for trembles that vanish.

The sign of a polynomial for all small ε is the sign of its first coefficient that is not 0. So polynomials are an
ordered ring, and linear programs and complementarity problems can be solved in it by pivoting without division of
numbers: C. E. Lemke's and G. B. Dantzig's methods as J. Edmonds (1967), Systems of distinct representatives and linear
algebra, keeps them whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Scalar = int | Fraction


class Germ:
    """A polynomial in ε, lowest power first. It compares with numbers by its sign for all small ε > 0."""

    __slots__ = ("terms",)

    def __init__(self, terms: Sequence[Scalar]) -> None:
        end = len(terms)
        while end and not terms[end - 1]:
            end -= 1
        self.terms = tuple(terms[:end])

    def __repr__(self) -> str:
        parts = [f"{term}" + (f"·ε^{power}" if power else "") for power, term in enumerate(self.terms) if term]
        return " + ".join(parts) or "0"

    @property
    def order(self) -> int:
        """The lowest power of ε that has a coefficient other than 0; only for a polynomial that is not 0."""
        return next(power for power, term in enumerate(self.terms) if term)

    @property
    def lead(self) -> Scalar:
        """The coefficient of the lowest power with a coefficient other than 0; 0 for the polynomial 0."""
        return next((term for term in self.terms if term), 0)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Any) -> Germ:
        theirs = other.terms if isinstance(other, Germ) else (other,)
        long, short = (self.terms, theirs) if len(self.terms) >= len(theirs) else (theirs, self.terms)
        return Germ([*(a + b for a, b in zip(long, short, strict=False)), *long[len(short) :]])

    __radd__ = __add__

    def __neg__(self) -> Germ:
        return Germ([-term for term in self.terms])

    def __sub__(self, other: Any) -> Germ:
        return self + (-other)

    def __rsub__(self, other: Any) -> Germ:
        return -self + other

    def __mul__(self, other: Any) -> Germ:
        if not isinstance(other, Germ):
            return Germ([term * other for term in self.terms])
        if not self.terms or not other.terms:
            return Germ(())
        product: list[Scalar] = [0] * (len(self.terms) + len(other.terms) - 1)
        for k, a in enumerate(self.terms):
            if a:
                for j, b in enumerate(other.terms, k):
                    product[j] += a * b
        return Germ(product)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Germ:
        """Divide by a factor with whole coefficients; the division leaves no remainder."""
        theirs = other.terms if isinstance(other, Germ) else (other,)
        left, quotient = list(self.terms), [0] * max(0, len(self.terms) - len(theirs) + 1)
        first = next(power for power, term in enumerate(theirs) if term)
        divisor = theirs[first:]
        for k in range(first, len(left) - len(divisor) + 1):
            share = left[k] // divisor[0]
            if share:
                quotient[k - first] = share
                for j, term in enumerate(divisor, k):
                    left[j] -= share * term
        return Germ(quotient)

    def __rfloordiv__(self, other: Any) -> Germ:
        return Germ((other,)) // self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Germ):
            return self.terms == other.terms
        return isinstance(other, int | Fraction) and self.terms == ((other,) if other else ())

    __hash__ = None  # type: ignore[assignment]  # equal to numbers, so no key

    def __lt__(self, other: Any) -> bool:
        return (self - other).lead < 0

    def __gt__(self, other: Any) -> bool:
        return (self - other).lead > 0

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other


EPSILON = Germ((0, 1))
"""The infinitesimal itself."""


def ratio(above: Any, below: Any) -> Fraction:
    """Return the limit of above / below as ε vanishes, for 0 ≤ above ≤ below and below > 0; for numbers, the ratio."""
    over, under = (one if isinstance(one, Germ) else Germ((one,)) for one in (above, below))
    if not over or over.order > under.order:
        return Fraction(0)
    return Fraction(over.lead) / Fraction(under.lead)
