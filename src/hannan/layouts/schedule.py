"""What the learners do at an iteration: a small record for people, rows of numbers for back ends."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from hannan.arrays import Floats

Number = float | Floats
"""One number, an array over several iterations t, or an array [iterations or 1, players]."""


@dataclass(frozen=True)
class Step:
    """What the learners do at iteration t. The fields are the columns of a schedule, in this order.

    Regrets (the CFR family): with r the instantaneous regret and R the cumulative one, R becomes
    max(R·positive + r, floor) where R > 0 and max(R·negative + r, floor) elsewhere. The next strategy is proportional
    to the positive part of keep·R + predict·r (what is at most `noise` counts as 0), or to
    exp(rate·(keep·R + predict·r)) where rate > 0.

    Weights of whole plans (EINR and KOMWU): with g the gradient, the sum G becomes G + weight·g, and a plan weighs its
    prior times exp(rate·(G + predict·weight·g)), summed over its sequences; or it is multiplied by 1 + rate·weight·u
    after utility u.

    Both: the average strategy is the sum of reaches S, which becomes decay·S + (reach of the strategy just played).
    """

    positive: Number = 1.0
    negative: Number = 1.0
    floor: Number = -np.inf
    keep: Number = 1.0
    predict: Number = 0.0
    rate: Number = 0.0
    decay: Number = 1.0
    weight: Number = 1.0
    noise: Number = 0.0

    def rows(self, count: int, players: int = 1) -> Floats:
        """Return the steps of `count` iterations as rows, [iterations, players, columns].

        One row serves all players where `players` is 1.
        """
        columns = astuple(self)
        rows = np.empty((count, players, len(columns)))
        rows[:] = [column if isinstance(column, float) else 0.0 for column in columns]  # most are the same for all t
        for k, column in enumerate(columns):
            if not isinstance(column, float):
                rows[:, :, k] = column[:, None] if np.ndim(column) == 1 else column
        return rows
