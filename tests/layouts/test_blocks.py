"""Payoffs in units, and blocks in panels: they are the payoff matrix, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from hannan.arrays import Floats
from hannan.forms.loader import load_expanded
from hannan.kernels.fullwidth import records as rec
from hannan.layouts.blocks import unit_of
from hannan.layouts.layout import tiled_of


def _matrix(rows: list[list[float]]) -> str:
    return f"matrix_game(payoffs={rows})".replace(" ", "")


@pytest.mark.parametrize(
    ("address", "unit"),
    [
        ("kuhn_poker", 1 / 6),
        ("leduc_poker", 1 / 120),  # 30 deals of two cards, then 4 boards
        ("liars_dice", 1 / 36),
        (_matrix([[2, -3], [0, 5]]), 1.0),  # the smallest payoff is two units
        (_matrix([[0.3, -12.7], [0.1, 0.2]]), 0.1),
        (_matrix([[0.1, -12.8]]), None),  # 128 units do not fit into a byte
        (_matrix([[1, 3.14159]]), None),
        (_matrix([[0, 0]]), 1.0),
    ],
)
def test_the_unit_of_payoffs(address: str, unit: float | None) -> None:
    found = unit_of(load_expanded(address).form)
    assert found == (None if unit is None else pytest.approx(unit, rel=1e-12))


def _dense(address: str) -> tuple[Floats, Floats]:
    """Return the payoff matrix of player 0 in the order of places: that of the form, and that of its layout."""
    form = load_expanded(address).form
    layout = tiled_of(form)
    arrays, edge = layout.arrays, int(layout.arrays.sequence_begin[1])
    expected = np.zeros((edge, layout.places - edge))
    assert layout.place is not None
    rows = layout.place[form.sequence(0)]
    columns = layout.place[form.treeplexes[0].sequences + form.sequence(1)] - edge
    expected[rows, columns] = form.payoff(0)
    found = np.zeros_like(expected)
    for row in range(len(arrays.row)):
        if arrays.row[row] < edge:
            entries = slice(arrays.entry_begin[row], arrays.entry_begin[row + 1])
            found[arrays.row[row], arrays.other[0, entries] - edge] += arrays.unit * arrays.payoff[entries]
    for m, n, count, rows_at, columns_at, at, turned in arrays.piece.tolist():
        for b in range(count):
            panels = turned >= 0
            mine = arrays.rows[rows_at + b * m :][:m] if panels else arrays.rows[rows_at + b :][: m * count : count]
            theirs = arrays.columns[columns_at + b * n :][:n]
            if not panels:
                theirs = arrays.columns[columns_at + b :][: n * count : count]
            if panels:
                high, wide = -(-m // 8), -(-n // 8)
                first = arrays.block[0, at + b * high * n * 8 :][: high * n * 8].reshape(high, n, 8)
                second = arrays.block[0, turned + b * wide * m * 8 :][: wide * m * 8].reshape(wide, m, 8)
                cells = first.transpose(0, 2, 1).reshape(-1, n)[:m]
                assert np.array_equal(cells, second.transpose(1, 0, 2).reshape(m, -1)[:, :n])
            else:
                cells = arrays.block[0, at : at + m * n * count].reshape(m, n, count)[:, :, b]
            found[np.ix_(mine, theirs - edge)] += arrays.unit * cells
    return expected, found


@pytest.mark.parametrize("address", ["leduc_poker", "liars_dice(faces=3)", "battleship(shots=2)", "oshi_zumo(coins=4)"])
def test_blocks_and_rows_are_the_payoff_matrix(address: str) -> None:
    """To rounding: a payoff is a whole number of units to 1e-13 of itself."""
    expected, found = _dense(address)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


def test_hands_against_hands_are_panels() -> None:
    arrays = tiled_of(load_expanded("liars_dice").form).arrays
    assert arrays.block.dtype == np.int8
    assert np.all(arrays.piece[:, rec.P_TURNED] >= 0)
    assert len(arrays.payoff) == 0
