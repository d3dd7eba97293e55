"""The variance of a sampler's estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hannan.arrays import Floats


@dataclass(frozen=True)
class Variance:
    """The variance of sampled counterfactual values under fixed play, over `walks` walks for each player.

    Sequences are in the order of the profile, players end to end; if the game is not expanded, in the order of their
    first visits.
    """

    walks: int
    mean: Floats  # [sequences]  the estimates' means
    variance: Floats  # [sequences]  of the estimates, which are 0 if the set was not visited
    given_visit: float
    """The sum, over histories and own actions, of the variance of the value given the visit, times its probability."""

    @classmethod
    def of(cls, walks: int, mean: Floats, square: Floats, given: Floats) -> Variance:
        """Return the variance of estimates with these means and mean squares.

        `given` has three rows for each player: visits of histories, the sums of values there, and of their squares.
        """
        visits, seen, squares = (given[k::3] for k in range(3))
        inside = squares / np.maximum(visits, 1.0) - (seen / np.maximum(visits, 1.0)) ** 2
        return cls(
            walks=walks,
            mean=mean,
            variance=np.maximum(square - mean**2, 0.0),
            given_visit=float((visits / walks * np.maximum(inside, 0.0)).sum()),
        )

    @property
    def total(self) -> float:
        """The sum of the variances: one number to compare samplers by."""
        return float(self.variance.sum())
