"""What a walk does besides drawing and learning: read off the plan once, before the first walk."""

from __future__ import annotations

from typing import Any, NamedTuple

from hannan.kernels import inlined
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import SamplingPlan


class Mode(NamedTuple):
    """What walks do."""

    wandering: float  # with which probability the other players' moves are drawn uniformly
    only: int  # the player whose walks are made; -1: all take turns
    weighting: bool  # the next player's average grows by its reach over the probability of the draw
    showing: bool  # it grows in this walk at all, by this or (simple averaging) by 1
    everybody: bool  # all moves of the other players are taken
    baselined: bool
    following: bool  # the nodes visited are backed up into a predictive baseline
    numbering: bool  # children must have numbers: for baselines by history, for measuring
    rooted: bool  # only the value of the root is measured
    drawing: bool  # all there is to do at another player's node is to draw
    listing: bool  # children may be listed
    forgets: int  # as in `SamplingPlan`, and the next two
    strange: int
    level: bool


@inlined
def mode_of(plan: SamplingPlan, extras: Any) -> Mode:
    """Return what walks of a plan do; all that is not plain drawing is known to be off where `extras` is None."""
    few = plan.own != rec.ONE and plan.own != rec.ALL
    if extras is None:
        return Mode(0.0, -1, False, False, False, False, False, False, False, True, few, 0, 0, False)
    wandering = plan.epsilon if plan.explore == 1 else 0.0
    weighting, everybody = plan.averaging == rec.WEIGHTED, plan.others == 1
    showing, baselined = weighting or plan.averaging == rec.SIMPLE, plan.baseline != rec.NO_BASELINE
    return Mode(
        wandering,
        plan.only,
        weighting,
        showing,
        everybody,
        baselined,
        plan.baseline == rec.PREDICTIVE and plan.measuring == rec.LEARNING,
        (baselined and plan.key == rec.HISTORY) or plan.measuring == rec.ESTIMATES,
        plan.measuring == rec.ROOT,
        not (everybody or showing or baselined) and wandering == 0.0,
        everybody or few,
        plan.forgets,
        plan.strange,
        plan.level == 1,
    )


def lean(plan: SamplingPlan) -> bool:
    """Say whether the plan asks for nothing that `extras` would switch on."""
    plainly = plan.baseline == rec.NO_BASELINE and plan.averaging == rec.LAZY and plan.measuring == rec.LEARNING
    plainly &= plan.forgets == 0 and plan.strange == 0 and plan.level == 0
    return plainly and plan.others == 0 and plan.explore == 0 and plan.only < 0
