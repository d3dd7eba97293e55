"""Sparse symmetric systems whose diagonal decides every pivot's sign: K = L D Lᵀ, in one order for all of them.

R. J. Vanderbei (1995), Symmetric quasidefinite matrices: such a matrix has these factors in any order, so no pivot is
chosen. T. A. Davis (2005), Algorithm 849: a concise sparse Cholesky factorization package: row k of L has the columns
on the paths from the entries of column k of K to the root of the elimination tree, and one pass computes it.

Columns of K hold their entries on and above the diagonal, which comes last.
"""

from __future__ import annotations

from typing import NamedTuple

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import kernel

NONE = -1


class Symmetric(NamedTuple):
    """A symmetric matrix of n rows, the pattern of its factors, and room to compute them."""

    begin: Longs  # [n + 1]  where the entries of each column of K begin
    row: Ints  # [entries]
    entry: Floats  # [entries]
    parent: Ints  # [n]  the elimination tree; NONE at a root
    factor_begin: Longs  # [n + 1]  where the entries of each column of L begin, without its diagonal of ones
    factor_row: Ints  # [entries of L]
    factor: Floats  # [entries of L]
    pivot: Floats  # [n]  D
    filled: Longs  # [n]  room: where the next entry of each column of L goes
    mark: Ints  # [n]  room: the last row in which a column was met
    path: Ints  # [n]  room: the columns of a row of L, in the order of the elimination
    value: Floats  # [n]  room: a row of K while it is eliminated


@kernel
def pattern(begin: Longs, row: Ints, parent: Ints, counts: Longs, mark: Ints, most: int) -> bool:
    """Write the elimination tree of K, and the number of entries of each column of L below its diagonal.

    Stop, and return False, if these are more than `most`.
    """
    entries = 0
    for k in range(len(parent)):
        parent[k], mark[k], counts[k] = NONE, k, 0
        for p in range(begin[k], begin[k + 1] - 1):
            i = row[p]
            while mark[i] != k:
                if parent[i] == NONE:
                    parent[i] = k
                counts[i] += 1
                entries += 1
                mark[i] = k
                i = parent[i]
        if entries > most:
            return False
    return True


@kernel
def factorise(K: Symmetric) -> bool:
    """Write L and D; return False at a pivot that is zero or not finite."""
    n = len(K.pivot)
    for k in range(n):
        K.filled[k], K.value[k], K.mark[k] = K.factor_begin[k], 0.0, NONE
    for k in range(n):
        K.mark[k] = k
        last = K.begin[k + 1] - 1
        top, pivot = n, K.entry[last]
        for p in range(K.begin[k], last):
            i, length = K.row[p], 0
            K.value[i] = K.entry[p]
            while K.mark[i] != k:
                K.path[length], K.mark[i] = i, k
                length += 1
                i = K.parent[i]
            while length > 0:
                top -= 1
                length -= 1
                K.path[top] = K.path[length]
        for t in range(top, n):
            i = K.path[t]
            value, end = K.value[i], K.filled[i]
            K.value[i] = 0.0
            for p in range(K.factor_begin[i], end):
                K.value[K.factor_row[p]] -= K.factor[p] * value
            share = value / K.pivot[i]
            pivot -= share * value
            K.factor_row[end], K.factor[end] = k, share
            K.filled[i] = end + 1
        if not 0.0 < abs(pivot) < 1e300:
            return False
        K.pivot[k] = pivot
    return True


@kernel
def substitute(K: Symmetric, z: Floats) -> None:
    """Replace a right-hand side by the solution."""
    n = len(z)
    for k in range(n):
        value = z[k]
        for p in range(K.factor_begin[k], K.factor_begin[k + 1]):
            z[K.factor_row[p]] -= K.factor[p] * value
    for k in range(n - 1, -1, -1):
        value = z[k] / K.pivot[k]
        for p in range(K.factor_begin[k], K.factor_begin[k + 1]):
            value -= K.factor[p] * z[K.factor_row[p]]
        z[k] = value
