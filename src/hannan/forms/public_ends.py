"""Payoffs at the ends of public play: coefficients and tables for the kernels, and the range of the payoffs."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import RulesError
from hannan.forms.public import CONSTANT
from hannan.kernels.public import records as rec
from hannan.rules.public import Fold, Showdown, Table


def weighed(endings: list[Any], meet: np.ndarray) -> tuple[Floats, Longs, Floats]:
    """Return the payoffs of ends as coefficients of sums of reach, the number of each end's table, and the tables."""
    weigh = np.zeros((len(endings), 2, rec.W_COLUMNS))
    table, gains = np.full(len(endings), -1, np.int64), list[Floats]()
    for k, ending in enumerate(endings):
        if isinstance(ending, Fold):
            weigh[k, :, rec.W_SAME] = ending.gains
        elif isinstance(ending, Showdown):
            for p in (0, 1):
                win, lose, tie = ending.win[p], ending.lose[p], ending.tie[p]
                if win == lose:
                    raise RulesError(
                        f"a showdown pays player {p} {win!r} if it wins and if it loses; use a Fold or a Table"
                    )
                weigh[k, p] = [win - tie, tie - lose, lose / (win - lose), tie]
        else:
            table[k] = len(gains)
            given = np.asarray(ending.gains, np.float64)
            if given.shape != (2, *meet.shape):
                raise RulesError(f"a Table of gains has shape {given.shape}; expected {(2, *meet.shape)}")
            if not np.isfinite(given[:, meet]).all():
                raise RulesError("a Table of gains has a number that is not finite, for types that can meet")
            gains.append(np.where(meet, given, 0.0))
    return weigh, table, np.array(gains).reshape(len(gains), 2, *meet.shape) if gains else np.zeros((0, 2, 1, 1))


def extremes(endings: list[Any], meet: np.ndarray) -> tuple[tuple[float, float], tuple[float, float], float | None]:
    """Return the least and the most that each player gains, and the sum of gains if it is one number."""
    low, high, sums = [np.inf, np.inf], [-np.inf, -np.inf], list[float]()
    for ending in endings:
        if isinstance(ending, Table):
            given = np.asarray(ending.gains, np.float64)[:, meet]  # gains of other pairs are never paid
            for p in (0, 1):
                low[p], high[p] = min(low[p], given[p].min()), max(high[p], given[p].max())
            sums += np.unique(given.sum(axis=0)).tolist()
            continue
        if isinstance(ending, Fold):
            pairs = [tuple(ending.gains)]
        else:
            pairs = [(ending.win[0], ending.lose[1]), (ending.lose[0], ending.win[1]), tuple(ending.tie)]
        for pair in pairs:
            for p in (0, 1):
                low[p], high[p] = min(low[p], pair[p]), max(high[p], pair[p])
            sums.append(pair[0] + pair[1])
    size = max(map(abs, (*low, *high)))
    constant = max(sums) - min(sums) <= CONSTANT * size
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1])), float(sums[0]) if constant else None
