"""Proofs that a true equilibrium lies near a point: Newton's map contracts on a box, in whole numbers throughout.

R. Krawczyk (1969), Newton-Algorithmen zur Bestimmung von Nullstellen mit Fehlerschranken. For a support, the unknowns
are the probabilities of all its plans but one per player, the *base*; the equations say that each of those other plans
pays as much as the base. About a centre c the equations F are polynomials in the distances h from it, with at most one
distance per player. Let Y be a matrix near the inverse of the Jacobian. Consider the map h ↦ h - Y F(c + h) for all |h|
≤ ρ. If each row of its derivative sums to at most κ < 1 in absolute value, and |Y F(c)| + κ ρ < ρ, then the box holds
exactly one root, and the Jacobian is regular there. The root is an equilibrium if all its probabilities are positive
and each plan outside the support pays less than the base on the whole box.

Floats propose Y and c. All claims are computed in integers, so rounding needs no bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hannan.arrays import Floats, Numbers
from hannan.solvers.general.cells import ExactCells, Whole

BITS = 64
"""The centre is a multiple of 2**-BITS; of 2**-(4 * BITS) if that is too coarse."""

FINE = 30
"""The number of bits of the entries of Y, relative to the largest one."""

Support = tuple[tuple[int, ...], ...]
"""The numbers of the plans that each player uses."""


@dataclass(frozen=True, eq=False)
class Root:
    """A proven root of the equations of a support."""

    support: Support
    base: tuple[int, ...]
    """For each player, the place in its support of the plan whose probability is 1 minus the others."""
    centre: tuple[tuple[Fraction, ...], ...]
    """A player: [support] probabilities that sum to 1."""
    radius: Fraction
    """The root lies within this distance of each probability but those of the bases."""
    alone: Fraction
    """No other root lies within this distance."""
    index: int
    """The index of the root if it is an equilibrium: (-1)**unknowns times the sign of the Jacobian's determinant."""
    standing: Literal["equilibrium", "none", "undecided"]
    """Whether the root is proven to be an equilibrium, or not to be one; None: undecided."""

    def reach(self, player: int, place: int) -> Fraction:
        """Return how far the root may lie from a probability of the centre."""
        return self.radius * (len(self.support[player]) - 1) if place == self.base[player] else self.radius

    def covers(self, parts: Sequence[Floats], close: float) -> bool:
        """Return whether a root within `close` of the given probabilities is proven to be this one."""
        return all(
            abs(number - Fraction(float(part))) + Fraction(close) <= self.alone
            for player, (own, given) in enumerate(zip(self.centre, parts, strict=True))
            for place, (number, part) in enumerate(zip(own, given, strict=True))
            if place != self.base[player]
        )

    def same(self, other: Root) -> bool:
        """Return whether another root of the same support is proven to be this one."""
        return all(
            abs(mine - theirs) + other.reach(player, place) <= self.alone
            for player, (own, given) in enumerate(zip(self.centre, other.centre, strict=True))
            for place, (mine, theirs) in enumerate(zip(own, given, strict=True))
            if place != self.base[player]
        )

    def touches(self, other: Root) -> bool:
        """Return whether the boxes of two roots of the same support overlap."""
        return all(
            abs(mine - theirs) <= self.reach(player, place) + other.reach(player, place)
            for player, (own, given) in enumerate(zip(self.centre, other.centre, strict=True))
            for place, (mine, theirs) in enumerate(zip(own, given, strict=True))
        )


@dataclass(frozen=True, eq=False)
class System:
    """The equations of a support in whole numbers: each row is multiplied by a power of two of its own."""

    support: Support
    base: tuple[int, ...]
    rows: tuple[Whole, ...]  # a player: [plans of the support but the base, then the others; the others' supports…]

    @property
    def unknowns(self) -> list[tuple[int, int]]:
        """The unknowns as (player, place in its support)."""
        return [(p, k) for p, plans in enumerate(self.support) for k in range(len(plans)) if k != self.base[p]]


def system(cells: ExactCells, support: Support, base: tuple[int, ...]) -> System:
    """Return the equations of a support: each plan's payoff minus that of the base, against the others' supports."""
    rows = []
    for player, plans in enumerate(support):
        chosen = [np.asarray(own) for own in support]
        chosen[player] = np.arange(cells.shape[player])
        paid = np.moveaxis(cells.numbers[player][np.ix_(*chosen)], player, 0)
        bottom = plans[base[player]]
        order = [a for a in plans if a != bottom] + [a for a in range(len(paid)) if a not in plans]
        rows.append(paid[order] - paid[bottom])
    sizes = [[_bits(row) for row in part] for part in rows]
    tall = max((bits for part in sizes for bits in part), default=0)
    for part, bits in zip(rows, sizes, strict=True):
        for row, size in enumerate(bits):
            if size:
                part[row] *= 1 << (tall - size)
    return System(support, base, tuple(rows))


def _bits(row: Whole | int) -> int:
    """Return the bits of the largest number of a row, which is one number if there is one player."""
    return max((int(abs(number)).bit_length() for number in np.asarray(row, dtype=object).ravel()), default=0)


def find_root(cells: ExactCells, support: Support, strategies: Sequence[Floats]) -> Root | None:
    """Look for a root of the equations of a support near given strategies, and prove it.

    Parameters
    ----------
    cells
        The exact payoffs.
    support
        The plans that each player uses.
    strategies
        A player: [plans] or [support] probabilities.

    Returns
    -------
    Root | None
        None if nothing could be proven: the Jacobian is singular, or no root is nearby.
    """
    start = []
    for plans, strategy in zip(support, strategies, strict=True):
        part = np.asarray(strategy, np.float64)
        part = np.maximum(part if len(part) == len(plans) else part[list(plans)], 0.0)
        start.append(part / part.sum() if part.sum() > 0 else np.full(len(plans), 1 / len(plans)))
    base = tuple(int(np.argmax(part)) for part in start)
    equations = system(cells, support, base)
    near = _polished(equations, start)
    if near is None:
        return None
    root = _proven(equations, near, BITS)
    if root is None or root.standing == "undecided":
        root = _proven(equations, near, 4 * BITS) or root
    return root


def _centred(rows: Whole, centre: Sequence[Whole], bases: Sequence[int]) -> Whole:
    """Return the coefficients of rows about a centre: at the base of each axis the value, elsewhere differences.

    Each axis multiplies a coefficient that is free of its distance by the denominator of the centre.
    """
    for axis, (part, base) in enumerate(zip(centre, bases, strict=True), 1):
        value = np.tensordot(rows, part, (axis, 0))
        rows = rows - np.take(rows, [base], axis)
        place: list[Any] = [slice(None)] * rows.ndim
        place[axis] = base
        rows[tuple(place)] = value
    return rows


def _degrees(sizes: Sequence[int], bases: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the number of distances by which each coefficient is multiplied, flat."""
    total = np.zeros(tuple(sizes), np.int64)
    for axis, (size, base) in enumerate(zip(sizes, bases, strict=True)):
        shape = [1] * len(sizes)
        shape[axis] = size
        total = total + (np.arange(size) != base).reshape(shape)
    return total.ravel()


def _others(player: int, things: Sequence[Any]) -> list[Any]:
    return [thing for q, thing in enumerate(things) if q != player]


def _polished(equations: System, start: list[Floats]) -> list[Floats] | None:
    """Follow Newton's method in floats; return None if it leaves the neighbourhood of the simplex."""
    tall = max((_bits(part) for part in equations.rows), default=0)
    floats = [(part / (1 << tall)).astype(np.float64) for part in equations.rows]
    count = len(equations.unknowns)
    if not count:
        return start
    point = [part.copy() for part in start]
    for _ in range(30):
        value, jacobian = _linear(equations, floats, point, 1.0)
        try:
            step = np.linalg.solve(jacobian, value)
        except np.linalg.LinAlgError:
            return None
        if not np.abs(step).max() < 4.0:
            return None
        for (player, place), move in zip(equations.unknowns, step, strict=True):
            point[player][place] -= move
            point[player][equations.base[player]] += move
        if np.abs(step).max() < 1e-14:
            break
    return point if all(np.isfinite(part).all() and part.min() > -2.0 for part in point) else None


def _linear(
    equations: System, rows: Sequence[Numbers], point: Sequence[Numbers], one: float
) -> tuple[Numbers, Numbers]:
    """Return the values of the equations at a point and their derivatives, [equations], [equations, unknowns].

    In whole numbers over `one` the values are over one**(players - 1), the derivatives over one**(players - 2).
    """
    players = len(equations.support)
    sizes = [len(plans) for plans in equations.support]
    begin = np.concatenate(([0], np.cumsum([size - 1 for size in sizes])))
    kind = np.float64 if isinstance(one, float) else object
    value, jacobian = np.zeros(begin[-1], kind), np.zeros((begin[-1], begin[-1]), kind)
    for i in range(players):
        bases = _others(i, equations.base)
        used = rows[i][: sizes[i] - 1]
        whole = _centred(used, _others(i, point), bases)
        value[begin[i] : begin[i + 1]] = whole[(slice(None), *bases)]
        for axis, j in enumerate(_others(i, range(players))):
            place = [slice(None), *bases]
            place[axis + 1] = [k for k in range(sizes[j]) if k != equations.base[j]]
            jacobian[begin[i] : begin[i + 1], begin[j] : begin[j + 1]] = whole[tuple(place)]
    return value, jacobian


@dataclass(frozen=True, eq=False)
class _Expansion:
    """The equations about a centre, and Y: all in whole numbers."""

    value: Whole  # [equations]  Y times the equations at the centre
    defect: Whole  # [unknowns]  the sums of the rows of |1 - Y times the Jacobian|
    rest: list[
        tuple[Whole, npt.NDArray[np.int64]]
    ]  # |Y times coefficients| [unknowns, coefficients], and their degrees
    one: int
    """The denominator of κ and of steps, which are in multiples of the centre's unit."""

    def slope(self, radius: int) -> Whole:
        """Return κ for each unknown, over `one`, for distances of `radius` units."""
        total = self.defect
        for part, degree in self.rest:
            total = total + part @ np.array([int(d) * radius ** int(d - 1) for d in degree], object)
        return total

    def contracts(self, radius: int) -> bool:
        """Return whether the map is a contraction within `radius` units."""
        return bool((self.slope(radius) < self.one).all())

    def holds(self, radius: int) -> bool:
        """Return whether the box of `radius` units is mapped into its inside by a contraction."""
        slope = self.slope(radius)
        return bool((slope < self.one).all() and (self.value + slope * radius < self.one * radius).all())


def _proven(equations: System, near: list[Floats], bits: int) -> Root | None:
    """Prove a root near a point whose probabilities are rounded to multiples of 2**-bits."""
    count, unit = len(equations.unknowns), 1 << bits
    centre = []
    for part, base in zip(near, equations.base, strict=True):
        whole = np.array([int(Fraction(float(number)) * unit) for number in part], object)
        whole[base] += unit - whole.sum()
        centre.append(whole)
    if not count:
        return _judged(equations, centre, unit, 0, 0, 1)
    tall = max((_bits(part) for part in equations.rows), default=0)
    axes = len(equations.support) - 1
    _, jacobian = _linear(equations, equations.rows, centre, 1)
    floats = (jacobian / (unit ** (axes - 1) << tall)).astype(np.float64) if axes else np.zeros((count, count))
    try:
        inverse = np.linalg.inv(floats)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(inverse).all():
        return None
    shift = max(0, FINE - int(np.frexp(np.abs(inverse).max())[1]))
    matrix = np.array([[int(Fraction(float(entry)) * 2**shift) for entry in row] for row in inverse], object)
    one = unit ** (axes - 1) << (shift + tall)
    for _ in range(4 + bits // 16):
        value, _ = _linear(equations, equations.rows, centre, 1)
        steps = (matrix @ value) // one
        for (player, place), step in zip(equations.unknowns, steps, strict=True):
            centre[player][place] -= step
            centre[player][equations.base[player]] += step
        if max(abs(int(step)) for step in steps) <= 1:
            break
    expansion = _expanded(equations, centre, matrix, one)
    radius = 4 * int(max(expansion.value) // one) + 4
    if not expansion.holds(radius):
        return None
    wide = next(
        (unit >> k for k in (8, 14, 20, 25, 30, 40) if unit >> k > radius and expansion.contracts(unit >> k)), radius
    )
    sign = _sign(matrix) * (-1) ** count
    return _judged(equations, centre, unit, radius, wide, sign) if sign else None


def _expanded(equations: System, centre: list[Whole], matrix: Whole, one: int) -> _Expansion:
    """Multiply the equations about a centre by Y."""
    value, jacobian = _linear(equations, equations.rows, centre, 1)
    product = matrix @ jacobian
    for k in range(len(product)):
        product[k, k] -= one
    rest, row = [], 0
    for i, plans in enumerate(equations.support):
        many = len(plans) - 1
        if not many:
            continue
        whole = _centred(equations.rows[i][:many], _others(i, centre), _others(i, equations.base))
        degree = _degrees(whole.shape[1:], _others(i, equations.base))
        curved = degree >= 2
        if curved.any():
            coefficients = whole.reshape(many, -1)[:, curved]
            rest.append((abs(matrix[:, row : row + many] @ coefficients), degree[curved]))
        row += many
    return _Expansion(abs(matrix @ value), abs(product).sum(axis=1), rest, one)


def _judged(equations: System, centre: list[Whole], unit: int, radius: int, alone: int, index: int) -> Root:
    """Decide whether a proven root is an equilibrium."""
    standing: Literal["equilibrium", "none", "undecided"] = "equilibrium"
    for player, plans in enumerate(equations.support):
        least, most = [], []  # of the numbers that must be positive
        for place in range(len(plans)):
            far = radius * (len(plans) - 1) if place == equations.base[player] else radius
            least.append(centre[player][place] - far)
            most.append(centre[player][place] + far)
        outside = equations.rows[player][len(plans) - 1 :]
        if len(outside):
            bases = _others(player, equations.base)
            whole = _centred(outside, _others(player, centre), bases)
            degree = _degrees(whole.shape[1:], bases)
            powers = np.array([radius ** int(d) if d else 0 for d in degree], object)
            wide = abs(whole.reshape(len(outside), -1)) @ powers
            value = whole[(slice(None), *bases)]
            least += list(-value - wide)
            most += list(wide - value)
        if min(most) < 0:
            standing = "none"
            break
        if min(least) <= 0:
            standing = "undecided"
    fractions = tuple(tuple(Fraction(int(number), unit) for number in part) for part in centre)
    return Root(
        equations.support, equations.base, fractions, Fraction(radius, unit), Fraction(alone, unit), index, standing
    )


def _sign(matrix: Whole) -> int:
    """Return the sign of a determinant, by elimination without fractions (E. H. Bareiss, 1968)."""
    rows, sign, before = matrix.copy(), 1, 1
    for k in range(len(rows) - 1):
        pivot = next((r for r in range(k, len(rows)) if rows[r, k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[[k, pivot]] = rows[[pivot, k]]
            sign = -sign
        below = rows[k + 1 :, k + 1 :] * rows[k, k] - np.outer(rows[k + 1 :, k], rows[k, k + 1 :])
        rows[k + 1 :, k + 1 :] = below // before
        before = rows[k, k]
    last = rows[-1, -1]
    return sign * ((last > 0) - (last < 0))
