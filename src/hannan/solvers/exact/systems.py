"""The linear systems of the interior-point method and of the projection: symmetric, sparse, of one pattern.

SuperLU orders the rows once (minimum degree). The factors are our own (`hannan.kernels.quasidefinite`): these are very
sparse, and computing them takes a tenth of SuperLU's time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.errors import SizeError
from hannan.kernels.quasidefinite import Symmetric, factorise, pattern, substitute
from hannan.memory import available, readable

REGULAR = 1e-8
"""The number added to the diagonal of the linear systems; refinement removes its effect."""

REFINEMENTS, FINE = 10, 1e-13
"""The most steps of refinement; and the residual at which they end."""

BYTES, ASKED = 12, 1 << 28
"""The bytes of a number of the factors, and of its row; and the bytes from which it is asked how much memory is free,
which takes 1 ms."""


class Systems:
    """Systems (D Mᵀ; M D') z = b with one M and changing diagonals, positive in D and negative in D'."""

    def __init__(self, M: Any, signs: Floats) -> None:
        self._M, self._MT = M.tocsr(), M.T.tocsr()
        self._columns = M.shape[1]
        self._signs, size = signs, len(signs)
        self._order, K, parent, counts = _analysed(M)
        begin, row, mark = K.indptr.astype(np.int64), K.indices.astype(np.int32), np.empty(size, np.int32)
        places = np.concatenate(([0], np.cumsum(counts)))
        entries = int(places[-1])
        self._K = Symmetric(
            begin, row, K.data, parent, places, np.empty(entries, np.int32), np.empty(entries), np.empty(size),
            np.empty(size, np.int64), mark, np.empty(size, np.int32), np.empty(size),
        )  # fmt: skip
        self._true: Floats = signs

    def factor(self, diagonal: Floats, regular: float = REGULAR) -> None:
        """Factor the system with this diagonal. Raises ArithmeticError if it is singular."""
        self._true = diagonal
        self._K.entry[self._K.begin[1:] - 1] = (diagonal + regular * self._signs)[self._order]
        if not factorise(self._K):
            raise ArithmeticError("a pivot is zero or not finite")

    def solve_once(self, right: Floats) -> Floats:
        """Return the solution for a right-hand side, of the regularised system."""
        ordered = right[self._order]
        substitute(self._K, ordered)
        solution = np.empty(len(right))
        solution[self._order] = ordered
        return solution

    def solve(self, right: Floats) -> Floats:
        """Return the solution for a right-hand side, refined as long as that helps."""
        z = self.solve_once(right)
        best, least = z, np.inf
        for _ in range(REFINEMENTS):
            upper, lower = z[: self._columns], z[self._columns :]
            rest = right - np.concatenate((self._MT @ lower, self._M @ upper)) - self._true * z
            size = float(np.abs(rest).max())
            if not size < 0.5 * least:
                break
            best, least = z, size
            if size < FINE:
                break
            z = z + self.solve_once(rest)
        return best


def factor_sizes(M: Any) -> tuple[int, float]:
    """Return how many numbers the factors of the systems of M have, and the multiplications in computing them."""
    _, _, _, counts = _analysed(M)
    return int(counts.sum()), float(np.dot(counts, counts))


def _analysed(M: Any) -> tuple[Any, Any, Ints, Longs]:
    """Return an order of the rows, the upper triangle in this order, its elimination tree, and the columns' sizes."""
    from scipy.sparse import block_array, diags_array, triu

    rows, columns = M.shape
    pairs = block_array([[diags_array(np.ones(columns)), M.T], [M, diags_array(np.ones(rows))]], format="csc")
    order = _ordered(pairs)
    K = triu(pairs[order][:, order], format="csc")
    K.sort_indices()
    size = rows + columns
    parent, mark, counts = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int64)
    most = size * size
    if BYTES * most > ASKED:
        most = available() // BYTES
    if not pattern(K.indptr.astype(np.int64), K.indices.astype(np.int32), parent, counts, mark, most):
        raise SizeError(f"the factors of a linear system take more memory than is free: {readable(BYTES * most)}")
    return order, K, parent, counts


def _ordered(pairs: Any) -> Any:
    """Return an order of the rows in which the factors of a matrix of this pattern stay sparse.

    SuperLU gives its order only with factors. An incomplete factorisation of a matrix near the identity has none.
    """
    from scipy.sparse.linalg import spilu

    near = pairs.copy()
    near.data[:] = 1e-12
    near.setdiag(1.0)
    incomplete = spilu(
        near, drop_tol=0.5, fill_factor=1.0, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )  # fmt: skip
    return np.argsort(incomplete.perm_c)
