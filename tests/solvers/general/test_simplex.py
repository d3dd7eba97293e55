"""The exact simplex method against vertices by enumeration, against HiGHS, and with an infinitesimal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hannan.solvers.general.germs import EPSILON, Germ, ratio
from hannan.solvers.general.simplex import Row, maximise, whole_row


@pytest.mark.parametrize("seed", range(40))
def test_against_scipy(seed: int) -> None:
    """Random programs with small whole numbers, all senses: the same optimum as HiGHS to 1e-7, or none in both."""
    from scipy.optimize import linprog

    draw = np.random.default_rng(seed)
    count, many = int(draw.integers(2, 6)), int(draw.integers(2, 7))
    matrix, bounds = draw.integers(-4, 5, (many, count)), draw.integers(-6, 7, many)
    senses = [("<=", "=", ">=")[int(k)] for k in draw.choice(3, many, p=[0.6, 0.15, 0.25])]
    cost = draw.integers(-5, 6, count)
    rows = [
        Row({k: int(a) for k, a in enumerate(line) if a}, sense, int(b))  # type: ignore[arg-type]
        for line, sense, b in zip(matrix, senses, bounds, strict=True)
    ]
    rows.append(Row(dict.fromkeys(range(count), 1), "<=", 50))
    best = maximise(count, {k: int(c) for k, c in enumerate(cost) if c}, rows)
    sign = np.array([{"<=": 1, ">=": -1, "=": 1}[s] for s in senses])
    upper = np.array([s != "=" for s in senses])
    theirs = linprog(
        -cost,
        A_ub=np.vstack([(matrix * sign[:, None])[upper], np.ones((1, count))]),
        b_ub=[*(bounds * sign)[upper], 50],
        A_eq=matrix[~upper] if (~upper).any() else None,
        b_eq=bounds[~upper] if (~upper).any() else None,
    )
    assert (best is None) == (theirs.status == 2)
    if best is not None:
        assert float(Fraction(best.value, best.over)) == pytest.approx(-theirs.fun, abs=1e-7)
        x = [Fraction(one, best.over) for one in best.columns]
        for row in rows:  # exactly feasible
            left = sum(number * x[k] for k, number in row.terms.items())
            assert {"<=": left <= row.bound, ">=": left >= row.bound, "=": left == row.bound}[row.sense]


def test_infinitesimals() -> None:
    """x + y ≤ 1, y ≥ ε, x ≤ 1 − 2ε: 2x + y is largest at x = 1 − 2ε and y = 2ε, by hand."""
    rows = [Row({0: 1, 1: 1}, "<=", 1), Row({1: 1}, ">=", EPSILON), Row({0: 1}, "<=", 1 - 2 * EPSILON)]
    best = maximise(2, {0: 2, 1: 1}, rows)
    assert best is not None
    assert best.value == (2 - 2 * EPSILON) * best.over
    assert [ratio(x, best.over) for x in best.columns] == [1, 0]
    assert maximise(1, {}, [Row({0: 1}, "<=", EPSILON), Row({0: 1}, ">=", 2 * EPSILON)]) is None
    assert maximise(1, {}, [Row({0: 1}, "<=", EPSILON), Row({0: 1}, ">=", 9 * EPSILON * EPSILON)]) is not None


def test_polynomials() -> None:
    """Products divide back; the sign is that of the first coefficient; fractions are made whole row by row."""
    draw = np.random.default_rng(0)
    for _ in range(50):
        one, other = (Germ([int(k) for k in draw.integers(-3, 4, 5)]) + EPSILON * 7 for _ in range(2))
        if one and other:
            assert (one * other) // other == one
            at = Fraction(1, 10**9)
            value = sum(term * at**power for power, term in enumerate(one.terms))
            assert (one > 0) == (value > 0)
    row = whole_row({0: Fraction(1, 2), 1: EPSILON - Fraction(1, 3)}, ">=", Fraction(5, 4))
    assert (row.terms[0], row.terms[1], row.bound) == (6, 12 * EPSILON - 4, 15)
