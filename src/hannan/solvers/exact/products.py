"""Payoffs as factors inside a linear program: Aᵀx with variables for the sums, in place of a dense block.

A block is R·L·D·Lᵀ·C + S (`hannan.kernels.fullwidth.factors`), so its Aᵀx is C·q + Sᵀx where qₗ = qₗ₋₁ + (Dᵀz)ₗ adds up
over columns, and zₖ = zₖ₊₁ + rₖ·xₖ adds up over rows, from the last one on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Longs
from hannan.forms.sequence import SequenceForm
from hannan.kernels.fullwidth.factors import F_CELL_AT, F_COLUMN_AT, F_CORNER_AT, F_ROW_AT
from hannan.layouts.factoring import Factors


@dataclass(frozen=True)
class ProductParts:
    """Aᵀx = restᵀ·x + total·w for the w with given·x + sums·w = 0; w is z, then q."""

    rest: Any  # [sequences of player 0, sequences of player 1]
    given: Any  # [variables, sequences of player 0]
    sums: Any  # [variables, variables]
    total: Any  # [sequences of player 1, variables]


def product_parts(factors: Factors, form: SequenceForm) -> ProductParts:
    """Return the parts of a form's payoffs to player 0; without factors there are no variables."""
    from scipy.sparse import csr_array

    f = factors.factored
    first, second = (plex.sequences for plex in form.treeplexes)
    rows, columns = len(f.row), len(f.column)
    left = slice(None) if factors.left is None else factors.left
    row_first, column_first = (f.block[:-1, at] for at in (F_ROW_AT, F_COLUMN_AT))
    corner_row, corner_column = (
        place + np.repeat(begin, np.diff(f.block[:, F_CORNER_AT]))
        for place, begin in ((f.corner_row, row_first), (f.corner_column, column_first))
    )
    cell_row, cell_column = (
        place + np.repeat(begin, np.diff(f.block[:, F_CELL_AT]))
        for place, begin in ((f.cell_row, row_first), (f.cell_column, column_first))
    )
    rest = csr_array(
        (
            np.concatenate((form.payoff(0)[left], f.cell)),
            (
                np.concatenate((form.sequence(0)[left], f.row[cell_row])),
                np.concatenate((form.sequence(1)[left], f.column[cell_column])),
            ),
        ),
        shape=(first, second),
    )
    given = csr_array((-f.row_weight, (np.arange(rows), f.row)), shape=(rows + columns, first))
    z, q = np.arange(rows), rows + np.arange(columns)
    after, before = _inner(rows, f.block[1:, F_ROW_AT] - 1), _inner(columns, column_first)
    sums = csr_array(
        (
            np.concatenate((np.ones(rows + columns), np.full(len(after) + len(before), -1.0), -f.corner)),
            (
                np.concatenate((z, q, z[after], q[before], rows + corner_column)),
                np.concatenate((z, q, z[after] + 1, q[before] - 1, corner_row)),
            ),
        ),
        shape=(rows + columns, rows + columns),
    )
    total = csr_array((f.column_weight, (f.column, q)), shape=(second, rows + columns))
    return ProductParts(rest, given, sums, total)


def _inner(count: int, ends: Longs) -> Longs:
    """Return all places except those at which a block ends (or begins)."""
    inner = np.ones(count, np.bool_)
    inner[ends] = False
    return np.flatnonzero(inner)
