"""The draws of a sampler's walks, and their learner."""

from __future__ import annotations

from dataclasses import dataclass

from hannan.kernels.sampling import records as rec
from hannan.solvers.sampling.guide import Given


@dataclass(frozen=True)
class Walks:
    """The draws of walks, in which samplers differ from each other."""

    own: int
    """The number of its actions that the traverser takes: ONE (drawn with exploration), a number, or ALL."""
    others: bool = False
    """Whether all moves of the other players are taken."""
    epsilon: float = 1.0
    explore: bool = False
    """Whether the other players' moves are drawn with exploration too."""
    baseline: int = rec.NO_BASELINE
    key: int = rec.HISTORY
    rate: float = 1.0
    level: bool = False
    """Whether every visit of a set has the same weight, however it was drawn. Nothing is proven then."""
    plans: bool = False
    """Whether Hedge over whole plans learns, in place of the learner that the caller chose."""
    power: float = 0.0
    """For Hedge over plans: iteration t weighs t**power, in learning and in the average."""
    policy: Given | None = None
    """The policy around which draws explore; None: the current strategy."""
