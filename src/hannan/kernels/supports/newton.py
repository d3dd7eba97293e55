"""Newton's method with bounds on all that it leaves out.

R. Krawczyk (1969), Newton-Algorithmen zur Bestimmung von Nullstellen mit Fehlerschranken. About a centre, a row is a
polynomial in the distances from it with at most one distance per player: a constant, a linear part, the rest. Multiplied
by the inverse of the Jacobian, the rows say: distance = -step + rest. `spread` bounds the rest and all rounding, so every
root in the box lies within `spread` of the centre less the step.
"""

from __future__ import annotations

from hannan.kernels import kernel
from hannan.kernels.supports.records import Work

ROUNDING = 2.0**-50


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
        for p in range(parts):
            b = p // inner % size
            if b != gone:
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
        if over >= 0 and i != over:
            continue
        many, parts, at = work.size[i] - 1 if over < 0 else size, work.parts[i], work.row_begin[i]
        _centre(work, i, many)
        for r in range(many):
            for c in range(size):
                work.jacobian[row + r, c] = 0.0
        for p in range(parts):
            if work.degree[i, p] == 0:
                for r in range(many):
                    work.value[row + r] = work.centred[at + r * parts + p]
            elif work.degree[i, p] == 1:
                for r in range(many):
                    work.jacobian[row + r, work.variable[i, p]] = work.centred[at + r * parts + p]
        row += many
    if not _invert(work, size):
        return False
    rounding = ROUNDING
    for j in range(players):
        wide = 1.0
        for e in range(work.begin[j], work.begin[j + 1]):
            wide += work.radius[e]
        rounding *= 2.0 * (work.size[j] + 2) * wide
    for k in range(size):
        step, norm = 0.0, 0.0
        for r in range(size):
            step += work.matrix[k, size + r] * work.value[r]
            norm += abs(work.matrix[k, size + r])
        far = norm * rounding
        for c in range(size):
            off = -1.0 if c == k else 0.0
            for r in range(size):
                off += work.matrix[k, size + r] * work.jacobian[r, c]
            far += abs(off) * work.width[c]
        work.step[k], work.spread[k], work.slope[k] = step, far, far
    row = 0
    for i in range(players):
        if over >= 0 and i != over:
            continue
        many, parts, at = work.size[i] - 1 if over < 0 else size, work.parts[i], work.row_begin[i]
        for p in range(parts):
            degree, weight = work.degree[i, p], trust * work.weight[i, p]
            if degree < 2 or weight == 0.0:
                continue
            for k in range(size):
                rest = 0.0
                for r in range(many):
                    rest += work.matrix[k, size + row + r] * work.centred[at + r * parts + p]
                rest = abs(rest) * weight
                work.spread[k] += rest
                work.slope[k] += rest * degree
        row += many
    return True
