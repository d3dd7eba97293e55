"""How the walks of a sampler draw, and what they learn by."""

from __future__ import annotations

from dataclasses import dataclass

from hannan.kernels.sampling import records as rec
from hannan.solvers.sampling.guide import Given


@dataclass(frozen=True)
class Walks:
    """How walks draw: what makes one sampler differ from another."""

    own: int
    """How many of its actions the traverser takes: ONE (drawn with exploration), a number, or ALL."""
    others: bool = False
    """Whether all moves of the other players are taken."""
    epsilon: float = 1.0
    explore: bool = False
    """Whether the other players' moves are drawn with exploration too."""
    baseline: int = rec.NO_BASELINE
    key: int = rec.HISTORY
    rate: float = 1.0
    level: bool = False
    """Whether every visit of a set counts alike, however it was drawn. Nothing is proven then."""
    plans: bool = False
    """Whether Hedge over whole plans learns, in place of the learner that the caller chose."""
    power: float = 0.0
    """Of Hedge over plans: iteration t weighs t**power, in what is learnt and in the average."""
    policy: Given | None = None
    """What draws with exploration explore around; None: the current strategy."""
