"""Newton's method with bounds on all that it leaves out.

R. Krawczyk (1969), Newton-Algorithmen zur Bestimmung von Nullstellen mit Fehlerschranken. About a centre, a row is a
polynomial in the distances from it, with at most one distance per player: a constant, a linear part, the rest.
Multiplied by the inverse of the Jacobian, the rows say: distance = -step + rest. `spread` bounds the rest and all
rounding, so every root in the box lies within `spread` of the centre less the step.
"""

from __future__ import annotations

from hannan.kernels import kernel
from hannan.kernels.supports.records import Work

ROUNDING = 2.0**-50
"""Where the bound of rounding starts. A coefficient starts with an error of 2**-51 and a size of 2. Each player's axis
multiplies both by the sum of the centre's absolute values, or by 2, and adds a rounding of 2**-53 per term of the sum.
The product over the players of 2 (plans + 2) (1 + sum of the centre) grows faster than both; times (1 + sum of the
radii), it also bounds what these errors make of all monomials. The last player's factor pays for the sums with Y."""

SURE = 1.0 + 2.0**-30


@kernel
def _centre(work: Work, i: int, many: int) -> None:
    """Write the first rows of a player about the centre: at the eliminated entry the value, elsewhere differences."""
    parts = work.parts[i]
    at = work.row_begin[i]
    for p in range(many * parts):
        work.centred[at + p] = work.rows[at + p]
    for p in range(parts):
        work.degree[i, p], work.weight[i, p], work.variable[i, p] = 0, 1.0, -1
    inner = 1
    for j in range(len(work.size) - 1, -1, -1):
        if j == i:
            continue
        begin, size = work.begin[j], work.size[j]
        gone = work.eliminated[j] - begin
        for outer in range(many * parts // (inner * size)):
            for q in range(inner):
                here = at + outer * inner * size + q
                base, value = work.centred[here + gone * inner], 0.0
                for b in range(size):
                    value += work.centred[here + b * inner] * work.centre[begin + b]
                    work.centred[here + b * inner] -= base
                work.centred[here + gone * inner] = value
        for outer in range(parts // (inner * size)):
            for b in range(size):
                if b != gone:
                    for q in range(inner):
                        p = (outer * size + b) * inner + q
                        work.degree[i, p] += 1
                        work.weight[i, p] *= work.radius[begin + b]
                        work.variable[i, p] = work.number[begin + b]
        inner *= size


@kernel
def _invert(work: Work, size: int) -> bool:
    """Invert the Jacobian by elimination; return False if a pivot vanishes."""
    matrix = work.matrix
    for r in range(size):
        for c in range(size):
            matrix[r, c] = work.jacobian[r, c]
            matrix[r, size + c] = 1.0 if r == c else 0.0
    for c in range(size):
        pivot = c
        for r in range(c + 1, size):
            if abs(matrix[r, c]) > abs(matrix[pivot, c]):
                pivot = r
        if not abs(matrix[pivot, c]) > 1e-12:
            return False
        if pivot != c:
            for k in range(c, 2 * size):
                matrix[c, k], matrix[pivot, k] = matrix[pivot, k], matrix[c, k]
        scale = 1.0 / matrix[c, c]
        for k in range(c, 2 * size):
            matrix[c, k] *= scale
        for r in range(size):
            factor = matrix[r, c]
            if r != c and factor != 0.0:
                for k in range(c, 2 * size):
                    matrix[r, k] -= factor * matrix[c, k]
    return True


@kernel
def newton(work: Work, over: int, size: int, trust: float) -> bool:
    """Write step, spread and slope about `centre` for distances up to `radius`; return False if that is not possible.

    `size` equations in as many variables: all rows of the support, or the first ones of player `over` alone. The rest
    counts `trust` times: 1 bounds it.
    """
    players = len(work.size)
    row = 0
    for i in range(players):
        if over < 0 or i == over:
            many = work.size[i] - 1 if over < 0 else size
            _centre(work, i, many)
            _linear(work, i, row, many, size)
            row += many
    for e in range(work.begin[players]):
        work.blame[e] = 0.0
    if not _invert(work, size):
        for e in range(work.begin[players]):
            work.blame[e] = 1.0
        return False
    _step(work, size)
    row = 0
    for i in range(players):
        if over < 0 or i == over:
            many = work.size[i] - 1 if over < 0 else size
            _rest(work, i, row, many, size, trust)
            row += many
    for k in range(size):  # the sums above are of positive numbers: their rounding is relative
        work.spread[k] *= SURE
        work.slope[k] *= SURE
    return True


@kernel
def _linear(work: Work, i: int, row: int, many: int, size: int) -> None:
    """Write the values and the derivatives of a player's rows at the centre."""
    parts, at = work.parts[i], work.row_begin[i]
    for r in range(many):
        for c in range(size):
            work.jacobian[row + r, c] = 0.0
    for p in range(parts):
        if work.degree[i, p] < 2:
            work.weight[i, p] = 0.0
            for r in range(many):
                if work.degree[i, p] == 0:
                    work.value[row + r] = work.centred[at + r * parts + p]
                else:
                    work.jacobian[row + r, work.variable[i, p]] = work.centred[at + r * parts + p]


@kernel
def _step(work: Work, size: int) -> None:
    """Write Newton's step, and what rounding and an inexact inverse may change."""
    rounding = ROUNDING
    for j in range(len(work.size)):
        wide, mass = 1.0, 1.0
        for e in range(work.begin[j], work.begin[j + 1]):
            wide += work.radius[e]
            mass += abs(work.centre[e])
        rounding *= 2.0 * (work.size[j] + 2) * wide * mass
    off = work.sums
    for k in range(size):
        step, far = 0.0, 0.0
        for c in range(size):
            off[c] = 0.0
        off[k] = -1.0
        for r in range(size):
            factor = work.matrix[k, size + r]
            step += factor * work.value[r]
            far += abs(factor)
            for c in range(size):
                off[c] += factor * work.jacobian[r, c]
        far *= rounding
        work.noise[k] = far
        for c in range(size):
            far += abs(off[c]) * work.width[c]
        work.step[k], work.spread[k], work.slope[k] = step, far, far


@kernel
def _rest(work: Work, i: int, row: int, many: int, size: int, trust: float) -> None:
    """Add the part of a player's rows that is not linear, and say which entries it comes from."""
    parts, at, sums, mass = work.parts[i], work.row_begin[i], work.sums, work.low
    for p in range(parts):
        mass[p] = 0.0
    for k in range(size):
        for p in range(parts):
            sums[p] = 0.0
        for r in range(many):
            factor, here = work.matrix[k, size + row + r], at + r * parts
            for p in range(parts):
                sums[p] += factor * work.centred[here + p]
        spread, slope = 0.0, 0.0
        share = 1.0 / work.width[k] if work.width[k] > 0.0 else 0.0
        for p in range(parts):
            rest = abs(sums[p]) * work.weight[i, p]
            spread += rest
            slope += rest * work.degree[i, p]
            mass[p] += rest * share
        work.spread[k] += trust * spread
        work.slope[k] += trust * slope
    inner = 1
    for j in range(len(work.size) - 1, -1, -1):
        if j == i:
            continue
        begin, size = work.begin[j], work.size[j]
        for outer in range(parts // (inner * size)):
            for b in range(size):
                if begin + b != work.eliminated[j]:
                    for q in range(inner):
                        work.blame[begin + b] += mass[(outer * size + b) * inner + q]
        inner *= size
