"""The square grid of poker tools as text: aces first, suited hands above the diagonal, offsuit hands below it."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.measures.poker.report import NodeReport

EMPTY = "·"
"""The mark of a group without a hand."""
UNITS = {"strategy": 100.0, "ev": 1.0, "equity": 100.0, "eqr": 100.0, "weight": 100.0}
"""The factor of each quantity: shares become percent."""


def grid_text(report: NodeReport, what: str = "ev", player: int | None = None, action: int = 0) -> str:
    """Return a grid as text, one line per rank: `what`, `player` and `action` as in `NodeReport.grid`.

    Probabilities, equities, EQR and weights are in percent, EVs in chips.
    """
    table = report.grid(what, player, action)
    ranks = report.deck.rank_letters[::-1] if report.deck is not None else ""
    cells = [[_cell(value, UNITS[what]) for value in row] for row in table]
    width = max(len(cell) for row in cells for cell in row) + 2
    lines = ["  " + "".join(rank.rjust(width) for rank in ranks)]
    lines += [f"{rank} " + "".join(cell.rjust(width) for cell in row) for rank, row in zip(ranks, cells, strict=True)]
    return "\n".join(lines)


def _cell(value: float, unit: float) -> str:
    if np.isnan(value):
        return EMPTY
    value = value * unit + 0.0
    text = f"{value:.0f}" if abs(value) >= 10 or unit == 100.0 else f"{value:.1f}"
    return text.removeprefix("-") if not float(text) else text


def strategy_grid(report: NodeReport, player: int | None = None) -> Floats:
    """Return the probability of each action for each group, [actions, ranks, ranks]; NaN without a hand."""
    return np.array([report.grid("strategy", player, action) for action in range(len(report.actions))])
