"""CFR+.

O. Tammelin (2014), Solving large imperfect information games using CFR+; O. Tammelin, N. Burch, M. Johanson,
M. Bowling (2015), Solving heads-up limit Texas hold'em.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Unpack, get_args

from hannan.arguments import choice
from hannan.arrays import Floats
from hannan.forms.loader import Loadable
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.engine import Engine, FullWidth, polynomial
from hannan.solvers.guarantee import NO_REGRET
from hannan.solvers.parameters import by_name

Averaging = Literal["uniform", "linear", "quadratic", "last"]

POWERS = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}


class CFRPlus(FullWidth):
    """Regret matching plus (negative regrets are forgotten), and the average weighted by t.

    `averaging` weighs iteration t by 1, t or t², or takes the last strategy instead of an average. Then no average is
    kept, and the gap is the NashConv of the last strategies.
    """

    method = "cfr+"
    guarantee = replace(NO_REGRET, caveat="nothing is proven for averaging=last")
    meanings = by_name(
        averaging="weight of iteration t: 1, t or t²; last: the answer is the last strategy, and no average is kept"
    )

    def __init__(
        self,
        game: Loadable,
        *,
        averaging: Averaging = "linear",
        **engine: Unpack[Engine],
    ) -> None:
        self.averaging = choice("averaging", averaging, get_args(Averaging))
        super().__init__(game, **engine)

    @property
    def averaged(self) -> bool:
        return self.averaging != "last"

    def step(self, t: Floats) -> Step:
        decay = 0.0 if self.averaging == "last" else polynomial(t, POWERS[self.averaging])
        return Step(floor=0.0, decay=decay)
