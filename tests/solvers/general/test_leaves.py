"""The driver of the search: rows of dictionaries in whole numbers, by hand."""

from __future__ import annotations

from hannan.solvers.general.bimatrix import bimatrix
from hannan.solvers.general.leaves import Leaves
from tests.solvers.general.enumeration import normal


def test_rows_in_whole_numbers() -> None:
    """Answers 0 and 1 pay the same against both strategies, answer 2 less.

    With answer 0 tight (label 2) and strategy 0 in use, the slack of answer 1 is that of answer 0: zero if that is. The
    slack of answer 2 has a constant.
    """
    leaves = Leaves(bimatrix(normal([[0, 0, 0], [0, 0, 0]], [[4, 4, 1], [2, 2, 1]]), "vertices"))
    assert leaves._exact_row(0, (0, 3, 4), 3) == (2,)
    assert leaves._exact_row(0, (0, 3, 4), 4) is None
    # with strategy 1 in use as well, and both equal answers tight, there is no such basis
    assert leaves._exact_row(0, (0, 1, 4), 4) is None


def test_sizes_that_differ() -> None:
    """A long game has two dictionaries of different shapes."""
    leaves = Leaves(bimatrix(normal([[k % 7 for k in range(40)]] * 2, [[-k for k in range(40)]] * 2), "vertices"))
    assert list(leaves)
    assert leaves.nodes < 1000
